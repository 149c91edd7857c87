package profile

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
)

// Kind is how serious an advice is, in Nsight Compute's letters.
type Kind string

// The kinds.
const (
	Optimization Kind = "OPT" // something to change
	Information  Kind = "INF" // something to know
	Warning      Kind = "WRN" // something about the figures themselves
)

// SpeedupType tells what an estimate is a part of: of the kernel's run time (global), or only of what the rule looks at
// (local).
type SpeedupType string

// The types of estimates.
const (
	GlobalSpeedup SpeedupType = "global"
	LocalSpeedup  SpeedupType = "local"
)

// Advice is what a rule found.
type Advice struct {
	Rule    string // Nsight Compute's identifier, or one of ours
	Section SectionID
	Kind    Kind
	Title   string // what is wrong, in a few words
	Figure  string // how much, in a few words
	Message string // what is wrong, with figures, in a sentence
	Change  string // what to do about it; "" when nothing general can be said
	// Speedup is the estimate in percent, 0 when there is none.
	Speedup     float64
	SpeedupType SpeedupType
	// Sites are the places it is about, the worst first.
	Sites []Site

	// part is what the advice is about: the share of the estimate that counts when advice is ordered depends on it.
	part part
	// topic keeps two rules that say the same from both standing among the first.
	topic string
}

// Site is a place in the source with what is wrong there.
type Site struct {
	File   string
	Line   int
	Detail string
	// Share is the part of the rule's trouble that happens here, in percent.
	Share float64
}

// String names the place as file:line, without the file's folders.
func (s Site) String() string { return fmt.Sprintf("%s:%d", filepath.Base(s.File), s.Line) }

// maxSites is how many places an advice names.
const maxSites = 5

// Advice applies all rules. What promises most stands first: the estimate, weighted by how much of the machine's time at
// peak rates goes into what the rule is about.
func (t *Totals) Advice() []Advice {
	if t.Error != "" {
		return nil
	}
	var out []Advice
	for _, rule := range []func(*Totals) []Advice{
		uncoalescedGlobal, dataReuse, bankConflicts, atomicSerialization, constantDivergence, localMemory, registerSpilling, threadDivergence,
		doublePrecision, fusedOperations, integerDivision, launchConfiguration, theoreticalOccupancy, estimatedRegisters, uncountedAccesses, textureFetches,
		bottleneck, stalled, issueSlots, achievedOccupancy, highPipeUtilization, slowPipe, workloadImbalance, cacheAccessPattern, rooflineRule, hotStalls,
	} {
		out = append(out, rule(t)...)
	}
	weights := t.Load().weights()
	score := func(a Advice) float64 { return a.Speedup * weights[a.part] }
	slices.SortStableFunc(out, func(a, b Advice) int {
		return cmp.Or(cmp.Compare(score(b), score(a)), cmp.Compare(kindOrder(a.Kind), kindOrder(b.Kind)))
	})
	return out
}

func kindOrder(k Kind) int { return slices.Index([]Kind{Optimization, Warning, Information}, k) }

// Top returns the first n advices to change something, one of each topic.
func Top(all []Advice, n int) []Advice {
	var out []Advice
	var topics []string
	for _, a := range all {
		if a.Kind != Optimization || slices.Contains(topics, a.topic) || len(out) == n {
			continue
		}
		topics = append(topics, a.topic)
		out = append(out, a)
	}
	return out
}

// Verdict says in one or two lines what the launch is about.
func (t *Totals) Verdict(all []Advice) []string {
	if t.Error != "" {
		return []string{"The launch failed: " + t.Error}
	}
	var lines []string
	if top := Top(all, 1); len(top) == 0 {
		lines = append(lines, "No rule found anything to change.")
	} else {
		line := top[0].Title
		if len(top[0].Sites) > 0 {
			line += " at " + top[0].Sites[0].String()
		}
		lines = append(lines, line+": "+top[0].Figure+".")
	}
	if t.Timing != nil {
		return append(lines, t.timeSentence())
	}
	lines = append(lines, t.Load().sentence())
	if t.Untimed != "" {
		lines = append(lines, fmt.Sprintf("%s has no times, stalls or hit rates: %s (silica gpus).", t.Device.ID, t.Untimed))
	}
	return lines
}

// sites sums what trouble gives for each instruction by place, and describes the worst places.
func (t *Totals) sites(trouble func(*Instruction) float64, describe func(sum Sum, worst *Instruction) string) []Site {
	type place struct {
		sum     Sum
		trouble float64
		worst   *Instruction
		most    float64
	}
	index := map[Site]*place{}
	var places []*place
	total := 0.0
	for i := range t.Instructions {
		in := &t.Instructions[i]
		n := trouble(in)
		if n <= 0 {
			continue
		}
		var key Site
		key.File, key.Line = t.place(in)
		p := index[key]
		if p == nil {
			p = &place{sum: Sum{File: key.File, Line: key.Line}}
			index[key] = p
			places = append(places, p)
		}
		p.sum.Instructions++
		p.sum.add(&in.Counts)
		p.trouble += n
		total += n
		if n > p.most {
			p.worst, p.most = in, n
		}
	}
	slices.SortStableFunc(places, func(a, b *place) int { return cmp.Compare(b.trouble, a.trouble) })
	var out []Site
	for _, p := range places[:min(len(places), maxSites)] {
		out = append(out, Site{File: p.sum.File, Line: p.sum.Line, Detail: describe(p.sum, p.worst), Share: 100 * p.trouble / total})
	}
	return out
}

// place is the line of the source that an instruction belongs to, or comes after, or the line of the PTX where neither is known.
func (l *Launch) place(in *Instruction) (file string, line int) {
	if own := l.ownPlace(cmp.Or(in.Source, in.After)); own != nil {
		return l.Files[own.File], own.Line
	}
	return l.File, in.Line
}

// worst returns the instruction with the most trouble, nil when there is none.
func (t *Totals) worst(trouble func(*Instruction) float64) *Instruction {
	var out *Instruction
	most := 0.0
	for i := range t.Instructions {
		if n := trouble(&t.Instructions[i]); n > most {
			out, most = &t.Instructions[i], n
		}
	}
	return out
}

// share is a percentage, 0 of nothing.
func share(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// each is a quotient, 0 of nothing.
func each(n, of uint64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// short writes a number with one decimal unless it is whole.
func short(v float64) string {
	if v == math.Trunc(v) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.1f", v)
}
