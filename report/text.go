package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"silica/profile"
	"silica/timeline"
)

// topAdvice is how many advices open the report.
const topAdvice = 3

// Text writes the launches for people: what is wrong and where first, then the lines that execute most, then figures: a few, or
// the sections as Nsight Compute's details page has them. Launches of one kernel with one configuration are shown once, the
// slowest of them. What the timeline says about copies, calls and streams comes last; nil leaves it out.
func Text(w io.Writer, launches []*profile.Launch, m *timeline.Model, o Options) error {
	b := bufio.NewWriter(w)
	p := printer{w: b, o: o}
	groups := group(launches)
	if len(groups) > 1 {
		p.overview(groups)
	}
	for i, g := range groups {
		if i > 0 {
			p.blank()
		}
		p.launch(g)
	}
	if m != nil {
		p.submission(m)
	}
	if len(groups) > 0 && o.summary() {
		p.wrap("  ", "  ", "Tables: --set basic. All sections: --set full. When things run: --timeline.")
		p.blank()
	}
	return b.Flush()
}

// similar holds launches of one kernel with one configuration: the slowest by the model, or the first, stands for all.
type similar struct {
	first                  *profile.Launch
	count                  int
	shortest, longest, all float64 // nanoseconds
}

// add counts another launch.
func (s *similar) add(l *profile.Launch) {
	s.count++
	if l.Timing == nil {
		return
	}
	took := l.Timing.Nanoseconds
	s.all += took
	if s.longest == 0 || took < s.shortest {
		s.shortest = took
	}
	if took > s.longest {
		s.longest = took
		if l.Timing.Of < 0 {
			s.first = l
		}
	}
}

// which says which of the launches is shown.
func (s *similar) which() string {
	if s.longest > s.shortest {
		return fmt.Sprintf("the slowest of %d launches, of %s to %s", s.count, profile.Elapsed(s.shortest), profile.Elapsed(s.longest))
	}
	return fmt.Sprintf("the first of %d launches", s.count)
}

func group(launches []*profile.Launch) []similar {
	type key struct {
		kernel      string
		grid, block profile.Dim
		shared      int
		failed      bool
		from        profile.Origin
	}
	index := map[key]int{}
	var out []similar
	for _, l := range launches {
		k := key{l.Kernel, l.Grid, l.Block, l.DynamicShared, l.Error != "", profile.Origin{}}
		if l.From != nil {
			k.from = *l.From
			k.from.Launch = 0
		}
		at, known := index[k]
		if !known {
			at = len(out)
			index[k] = at
			out = append(out, similar{first: l})
		}
		out[at].add(l)
	}
	return out
}

// overview lists the kernels with what is worst about each.
func (p *printer) overview(groups []similar) {
	p.heading("Kernels")
	for _, g := range groups {
		title := "nothing to change"
		if top := profile.Top(g.first.Totals().Advice(), 1); len(top) > 0 {
			title = top[0].Title + ": " + top[0].Figure
		}
		if g.first.Error != "" {
			title = "failed"
		}
		p.line("  %4dx %s", g.count, p.clip(kernel(g.first), 8))
		if g.first.From != nil {
			p.line("        %s", p.clip(launchedFrom(g.first), 8))
		}
		p.line("        %s", p.clip(title, 8))
	}
	p.blank()
}

func (p *printer) launch(g similar) {
	l := g.first
	p.line("%s", p.paint(bold, p.clip(fmt.Sprintf("%s, %s, CC %s", kernel(l), l.Device.Name, l.Device.Capability), 0)))
	if g.count > 1 {
		p.line("  (%s)", g.which())
	}
	if l.From != nil {
		p.line("  %s", p.clip(launchedFrom(l), 2))
	}
	p.blank()
	totals := l.Totals()
	advice := totals.Advice()
	for _, line := range totals.Verdict(advice) {
		p.wrap("  ", "  ", line)
	}
	p.blank()
	if l.Error != "" {
		return
	}
	p.advice(advice)
	p.hotLines(l)
	if p.o.summary() {
		p.figures(totals)
		return
	}
	if p.o.full() {
		p.hotInstructions(l)
	}
	values := totals.Values()
	for _, s := range p.o.sections() {
		p.section(s, values)
		if s.ID == profile.SpeedOfLight && totals.Timing != nil {
			p.wrap("  ", "  ", "By the model: "+totals.Simulation()+".")
			p.blank()
		}
		if s.ID == profile.RooflineChart {
			p.rooflines(totals)
		}
		if s.ID == profile.MemoryWorkloadTables {
			p.memoryTables(totals)
		}
	}
	if p.o.full() {
		p.mix("Executed PTX instructions by class", l.ByClass())
		p.mix("Executed PTX instructions by opcode", l.ByOpcode())
		p.curves(l)
	}
}

// launchedFrom tells where a kernel launched another: "launched by parent at main.cu:12".
func launchedFrom(l *profile.Launch) string {
	file := l.From.File
	if file == "" {
		file = l.File
	}
	return fmt.Sprintf("launched by %s at %s:%d", l.From.Name, filepath.Base(file), l.From.Line)
}

// advice prints what opens the report: the advices that matter most, or all in the set full.
func (p *printer) advice(all []profile.Advice) {
	shown := all
	if !p.o.full() {
		shown = profile.Top(all, topAdvice)
		for _, a := range all {
			if a.Kind == profile.Warning {
				shown = append(shown, a)
			}
		}
	}
	for i, a := range shown {
		estimate := ""
		switch {
		case a.Speedup > 0 && a.SpeedupType == profile.GlobalSpeedup:
			estimate = fmt.Sprintf("Est. Speedup: %.2f%%", a.Speedup)
		case a.Speedup > 0:
			estimate = fmt.Sprintf("Est. Local Speedup: %.2f%%", a.Speedup)
		}
		p.line("  %d. %s  %s", i+1, p.paint(yellow, string(a.Kind)), p.paint(bold, p.clip(a.Title, 10)))
		p.line("          %s", p.paint(dimmed, joined(", ", a.Rule, estimate)))
		p.wrap("     ", "     ", a.Message)
		for _, s := range a.Sites[:min(len(a.Sites), p.sitesShown())] {
			p.site(s)
		}
		if a.Change != "" {
			p.wrap("     -> ", "        ", a.Change)
		}
		p.blank()
	}
	if rest := len(all) - len(shown); rest > 0 {
		p.line("  %s", p.paint(dimmed, fmt.Sprintf("%d more with --set full", rest)))
		p.blank()
	}
}

// sitesShown is how many places of an advice are shown.
func (p *printer) sitesShown() int {
	if p.o.full() {
		return 5
	}
	return 2
}

func (p *printer) site(s profile.Site) {
	p.line("     %s  %s", p.paint(bold, s.String()), p.paint(dimmed, fmt.Sprintf("%.0f%% of it", s.Share)))
	if text := p.o.source(s.File, s.Line); text != "" {
		p.line("       | %s", p.clip(text, 9))
	}
	p.wrap("       ", "       ", s.Detail)
}

// hotLines is the table of the source lines that execute most, or of the PTX lines when there are no others.
func (p *printer) hotLines(l *profile.Launch) {
	lines := l.BySource()
	if len(lines) == 0 {
		lines = l.ByPTX()
	}
	slices.SortStableFunc(lines, func(a, b profile.Sum) int { return cmp.Compare(b.Warps, a.Warps) })
	var all uint64
	for _, s := range lines {
		all += s.Warps
	}
	if all == 0 {
		return
	}
	most := 8
	switch {
	case p.o.full():
		most = 40
	case p.o.summary():
		most = 5
	}
	p.heading("Hot lines (! more sectors or wavefronts than would do)")
	p.line("  %6s %7s %8s %8s  %s", "inst %", "threads", "sect/req", "wave/req", "line")
	for _, s := range lines[:min(most, len(lines))] {
		if s.Warps == 0 {
			continue
		}
		global, shared := s.In(profile.Global), s.In(profile.Shared)
		place := fmt.Sprintf("%s:%d", filepath.Base(s.File), s.Line)
		if text := p.o.source(s.File, s.Line); text != "" {
			place = fmt.Sprintf("%d: %s", s.Line, text)
		}
		p.line("  %6.1f %7.1f %8s %8s  %s", 100*float64(s.Warps)/float64(all), float64(s.Working)/float64(s.Warps),
			p.excess(global.Sectors, global.Ideal, global.Requests), p.excess(shared.Wavefronts, shared.IdealWavefronts, shared.Requests), p.clip(place, 36))
	}
	p.blank()
}

// hotInstructions is the table of the PTX instructions that execute most.
func (p *printer) hotInstructions(l *profile.Launch) {
	const most = 40
	var executed []profile.Instruction
	for _, i := range l.Instructions {
		if i.Warps > 0 {
			executed = append(executed, i)
		}
	}
	slices.SortStableFunc(executed, func(a, b profile.Instruction) int { return cmp.Compare(b.Warps, a.Warps) })
	p.heading("Hot PTX instructions of " + filepath.Base(l.File))
	p.line("  %16s %7s %8s %8s  %s", "warps", "threads", "sect/req", "wave/req", "instruction")
	for _, i := range executed[:min(most, len(executed))] {
		global, shared := i.In(profile.Global), i.In(profile.Shared)
		p.line("  %16s %7.1f %8s %8s  %s", fitted(float64(i.Warps), 16), float64(i.PredOn)/float64(i.Warps),
			p.excess(global.Sectors, global.Ideal, global.Requests), p.excess(shared.Wavefronts, shared.IdealWavefronts, shared.Requests),
			p.clip(fmt.Sprintf("%d: %s", i.Line, i.Name), 46))
	}
	p.blank()
}

// excess writes a quotient, marked when it is more than it need be.
func (p *printer) excess(n, ideal, requests uint64) string {
	if requests == 0 {
		return ""
	}
	mark := ""
	if n > ideal {
		mark = "!"
	}
	return fmt.Sprintf("%.1f%s", float64(n)/float64(requests), mark)
}

// mix prints how the executed instructions are made up.
func (p *printer) mix(title string, sums []profile.Sum) {
	var all uint64
	for _, s := range sums {
		all += s.Warps
	}
	if all == 0 {
		return
	}
	p.heading(title)
	for _, s := range sums {
		if s.Warps > 0 {
			p.line("  %-28s %20s %6.1f %%", s.Name, number(float64(s.Warps)), 100*float64(s.Warps)/float64(all))
		}
	}
	p.blank()
}
