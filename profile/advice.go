package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Finding is what a rule has to say of a launch: what is wrong, by figures, where, and what to change.
type Finding struct {
	Rule    string    `json:"rule"` // Nsight Compute's identifier where it has the rule
	Section SectionID `json:"section"`
	// Type is "OPT" for something to change, "INF" for something to know.
	Type  string `json:"type"`
	Title string `json:"title"`
	// Message says what was seen, Advice what to do about it.
	Message string `json:"message"`
	Advice  string `json:"advice,omitempty"`
	// Speedup is the estimate in percent, 0 without one. SpeedupType is "global", a part of the kernel's time, or "local",
	// a part of the work that the rule looks at.
	Speedup     float64 `json:"speedup,omitempty"`
	SpeedupType string  `json:"speedup_type,omitempty"`
	// Places are the source lines (lines of the PTX without line information) it is about, the worst first.
	Places []Place `json:"places,omitempty"`
}

// Place is a line with what was seen there.
type Place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Detail string `json:"detail"`
}

// maxPlaces bounds the lines of a finding.
const maxPlaces = 3

// Advise applies the rules to the launch; the findings with the largest estimates come first.
func (l *Launch) Advise() []Finding {
	if l.Error != "" {
		return nil
	}
	t := l.Totals()
	lines := l.BySource()
	if len(lines) == 0 {
		lines = l.ByPTX()
	}
	var out []Finding
	for _, rule := range rules() {
		if f, fires := rule(t, lines); fires {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Type, a.Type), cmp.Compare(b.Speedup, a.Speedup))
	})
	return out
}

// rule looks at a launch and its lines.
type rule func(t *Totals, lines []Sum) (f Finding, fires bool)

func rules() []rule {
	return []rule{
		uncoalescedGlobal, uncoalescedShared, atomicSerialisation, threadDivergence, theoreticalOccupancy,
		blockSize, smallGrid, tailEffect, localMemory, doublePrecision, unfusedArithmetic, integerDivision,
	}
}

// worst returns the lines with the largest weights, described.
func worst(lines []Sum, weigh func(*Sum) uint64, describe func(*Sum) string) []Place {
	var ranked []*Sum
	for i := range lines {
		if weigh(&lines[i]) > 0 {
			ranked = append(ranked, &lines[i])
		}
	}
	slices.SortStableFunc(ranked, func(a, b *Sum) int { return cmp.Compare(weigh(b), weigh(a)) })
	var out []Place
	for _, s := range ranked[:min(len(ranked), maxPlaces)] {
		out = append(out, Place{File: s.File, Line: s.Line, Detail: describe(s)})
	}
	return out
}

// over returns a - b, 0 when it is negative.
func over(a, b uint64) uint64 {
	if a < b {
		return 0
	}
	return a - b
}

func percent(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

func per(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Verdict says in one or two sentences how the launch uses the machine, as far as that follows without a model of time.
func (l *Launch) Verdict() string {
	if l.Error != "" {
		return "The launch failed: " + l.Error
	}
	t := l.Totals()
	var parts []string
	if g := t.memory(Global); g.Sectors > 0 {
		parts = append(parts, fmt.Sprintf("%.0f %% of the global sectors it moves are needed", 100-percent(over(g.Sectors, g.Ideal), g.Sectors)))
	}
	if s := t.memory(Shared); s.Wavefronts > 0 {
		parts = append(parts, fmt.Sprintf("%.0f %% of its shared-memory wavefronts are", 100-percent(over(s.Wavefronts, s.IdealWavefronts), s.Wavefronts)))
	}
	parts = append(parts,
		fmt.Sprintf("%.1f of 32 lanes are active in an instruction", per(t.All.PredOn, t.All.Warps)),
		fmt.Sprintf("theoretical occupancy is %.0f %%", l.Occupancy.Percent))
	first := "No rule found anything to change."
	if found := l.Advise(); len(found) > 0 && found[0].Type == "OPT" {
		first = found[0].Title + "."
	}
	return first + " " + upperFirst(strings.Join(parts, ", ")) + "."
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
