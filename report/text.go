package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"silica/gpu"
	"silica/profile"
)

// width is the number of columns of the text report.
const width = 80

// topFindings is how many findings are shown in full at the top; the set full shows all.
const topFindings = 3

// Text writes the launches for people. Launches of one kernel with one configuration are shown once, the first of them.
func Text(w io.Writer, launches []*profile.Launch, o Options) error {
	b := bufio.NewWriter(w)
	p := printer{w: b, o: o}
	groups := group(launches)
	if len(groups) > 1 {
		p.overview(groups)
	}
	for _, g := range groups {
		p.launch(g)
	}
	return b.Flush()
}

// similar holds launches of one kernel with one configuration.
type similar struct {
	first *profile.Launch
	count int
}

func group(launches []*profile.Launch) []similar {
	type key struct {
		kernel        string
		grid, block   profile.Dim
		dynamicShared int
		failed        bool
	}
	index := map[key]int{}
	var out []similar
	for _, l := range launches {
		k := key{l.Kernel, l.Grid, l.Block, l.DynamicShared, l.Error != ""}
		if at, known := index[k]; known {
			out[at].count++
			continue
		}
		index[k] = len(out)
		out = append(out, similar{l, 1})
	}
	return out
}

type printer struct {
	w io.Writer
	o Options
}

func (p *printer) line(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

// Colours of a terminal.
const (
	bold   = "1"
	yellow = "33"
	dimmed = "2"
)

func (p *printer) paint(colour, text string) string {
	if !p.o.Color {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// wrapped writes text in lines of at most width columns behind an indentation.
func (p *printer) wrapped(indent, text string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(indent)+len(line)+1+len(word) > width {
			p.line("%s%s", indent, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		p.line("%s%s", indent, line)
	}
}

// overview lists the kernels with what is worst about each.
func (p *printer) overview(groups []similar) {
	p.line("%s", p.paint(bold, "Kernels"))
	for i, g := range groups {
		finding := ""
		if found := g.first.Advise(); len(found) > 0 {
			finding = found[0].Title
		}
		p.line("%3d %5dx  %s", i+1, g.count, clip(heading(g.first), width-13))
		if finding != "" {
			p.line("            %s", finding)
		}
	}
	p.line("")
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n-3] + "..."
}

func (p *printer) launch(g similar) {
	l := g.first
	p.line("%s", p.paint(bold, fmt.Sprintf("%s, Device 0 %s, CC %s", heading(l), l.Device.Name, l.Device.Capability)))
	if g.count > 1 {
		p.line("  the first of %d launches", g.count)
	}
	p.line("")
	p.wrapped("  ", l.Verdict())
	p.line("")
	if l.Error != "" {
		return
	}
	found := l.Advise()
	shown := len(found)
	if !p.o.full() {
		shown = min(shown, topFindings)
	}
	for i := range found[:shown] {
		p.finding(i+1, &found[i])
	}
	if rest := len(found) - shown; rest > 0 {
		p.line("  %d more with --set full", rest)
		p.line("")
	}
	p.hotLines(l)
	totals := l.Totals()
	values := totals.Values()
	for _, s := range p.o.sections() {
		p.section(s, values)
	}
	if p.o.full() {
		p.curves(l)
	}
}

func (p *printer) finding(number int, f *profile.Finding) {
	speedup := ""
	switch {
	case f.Speedup > 0 && f.SpeedupType == "global":
		speedup = fmt.Sprintf("   Est. Speedup: %.2f%%", f.Speedup)
	case f.Speedup > 0:
		speedup = fmt.Sprintf("   Est. Local Speedup: %.2f%%", f.Speedup)
	}
	p.line("  %d. %s %s%s", number, p.paint(yellow, f.Type), p.paint(bold, f.Title), speedup)
	p.wrapped("     ", f.Message)
	for _, place := range f.Places {
		p.line("     %s", p.paint(bold, fmt.Sprintf("%s:%d", filepath.Base(place.File), place.Line)))
		if text := p.o.source(place.File, place.Line); text != "" {
			p.line("       %s", clip(text, width-7))
		}
		p.wrapped("       ", place.Detail)
	}
	p.wrapped("     -> ", f.Advice)
	p.line("     [%s]", f.Rule)
	p.line("")
}

// hotLines is the table of the source lines that execute most.
func (p *printer) hotLines(l *profile.Launch) {
	lines := l.BySource()
	if len(lines) == 0 {
		lines = l.ByPTX()
	}
	slices.SortStableFunc(lines, func(a, b profile.Sum) int { return cmp.Compare(b.Warps, a.Warps) })
	most := 8
	if p.o.full() {
		most = 30
	}
	var all uint64
	for _, s := range lines {
		all += s.Warps
	}
	if all == 0 {
		return
	}
	p.line("  %s", p.paint(bold, "Hot lines"))
	p.line("  %6s %6s %8s %8s  %s", "inst %", "lanes", "sect/req", "wave/req", "line")
	for _, s := range lines[:min(most, len(lines))] {
		if s.Warps == 0 {
			continue
		}
		global, shared := s.In(profile.Global), s.In(profile.Shared)
		place := fmt.Sprintf("%s:%d", filepath.Base(s.File), s.Line)
		if text := p.o.source(s.File, s.Line); text != "" {
			place += "  " + text
		}
		p.line("  %6.1f %6.1f %8s %8s  %s", 100*float64(s.Warps)/float64(all), float64(s.PredOn)/float64(s.Warps),
			each(global.Sectors, global.Requests), each(shared.Wavefronts, shared.Requests), clip(place, width-35))
	}
	p.line("")
}

func each(n, requests uint64) string {
	if requests == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", float64(n)/float64(requests))
}

// section prints a section's table; sections in which nothing can be had take one line.
func (p *printer) section(s profile.Section, values []profile.Value) {
	var rows []profile.Value
	available := false
	for _, v := range values {
		if v.Section == s.ID && (v.Headline || p.o.full()) {
			rows = append(rows, v)
			available = available || v.Available
		}
	}
	if len(rows) == 0 {
		return
	}
	if !available {
		p.line("  Section: %s: n/a (%s)", s.Name, rows[0].Note)
		p.line("")
		return
	}
	rule := "  " + strings.Repeat("-", 46) + " " + strings.Repeat("-", 15) + " " + strings.Repeat("-", 15)
	p.line("  %s", p.paint(bold, "Section: "+s.Name))
	p.line("%s", rule)
	p.line("  %-46s %-15s %15s", "Metric Name", "Metric Unit", "Metric Value")
	p.line("%s", rule)
	var notes []string
	for _, v := range rows {
		name := v.Label
		if name == "" {
			name = v.Name
		}
		text := value(v)
		if v.Note != "" && v.Available {
			at := slices.Index(notes, v.Note)
			if at < 0 {
				at = len(notes)
				notes = append(notes, v.Note)
			}
			text += strings.Repeat("*", at+1)
		}
		if len(name) > 46 {
			p.line("  %s", name)
			name = ""
		}
		p.line("  %-46s %-15s %15s", name, clip(v.Unit, 15), text)
	}
	p.line("%s", rule)
	for i, n := range notes {
		p.line("  %s %s", strings.Repeat("*", i+1), p.paint(dimmed, n))
	}
	p.line("")
}

// curves prints how the occupancy would change.
func (p *printer) curves(l *profile.Launch) {
	for _, c := range []struct {
		name    string
		points  []gpu.Point
		current int
	}{
		{"block size", l.Curves.BlockSize, l.Block.Count()},
		{"registers per thread", l.Curves.Registers, l.Registers.PerThread},
		{"shared memory per block", l.Curves.Shared, l.StaticShared + l.DynamicShared},
	} {
		if len(c.points) == 0 {
			continue
		}
		p.line("  %s", p.paint(bold, "Warps on an SM by "+c.name))
		Curve(p.w, "  ", c.points, c.current, l.Device.WarpsPerSM)
		p.line("")
	}
}
