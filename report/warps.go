package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"silica/profile"
)

// stateLooks are how the states of a warp are drawn.
var stateLooks = map[string]struct {
	letter byte
	color  string
}{
	"selected": {'#', "32"}, "not_selected": {'n', "32"}, "wait": {'w', "36"}, "short_scoreboard": {'s', "33"}, "long_scoreboard": {'L', "31"},
	"math_pipe_throttle": {'p', "36"}, "mio_throttle": {'m', "33"}, "lg_throttle": {'g', "31"}, "tex_throttle": {'t', "31"}, "barrier": {'B', "35"},
	"membar": {'f', "35"}, "branch_resolving": {'r', "36"}, "no_instruction": {'i', "34"}, "sleeping": {'z', dimmed}, "imc_miss": {'c', "34"},
	"gmma": {'x', "36"}, "drain": {'d', "31"}, "dispatch_stall": {'k', "36"},
}

// chartColumns is how many columns the states of a warp take.
const chartColumns = 64

// shownWarps is how many warps of a sub-core are drawn.
const shownWarps = 16

// Warps draws what the warps of one SM do in the cycles that were watched: a row for each warp of the first sub-core, in the set full of all,
// and what they wait for; where a column is a cycle also each instruction that is issued. Launches of one kernel with one
// configuration are drawn once.
func Warps(w io.Writer, launches []*profile.Launch, o Options) error {
	b := bufio.NewWriter(w)
	p := printer{w: b, o: o}
	first := true
	for _, g := range group(launches) {
		l := g.first
		if l.Untimed != "" {
			p.wrap("  ", "  ", fmt.Sprintf("%s: %s (silica gpus).", l.Name, l.Untimed))
		}
		if l.Timing == nil || l.Timing.Window == (profile.Window{}) {
			continue
		}
		if !first {
			p.blank()
		}
		first = false
		p.warps(l)
	}
	return b.Flush()
}

func (p *printer) warps(l *profile.Launch) {
	t := l.Timing
	p.line("%s", p.paint(bold, p.clip(fmt.Sprintf("%s, %s, CC %s", kernel(l), l.Device.Name, l.Device.Capability), 0)))
	p.blank()
	step := (t.Window.To - t.Window.From + chartColumns - 1) / chartColumns
	column := "a column is a cycle"
	if step > 1 {
		column = fmt.Sprintf("a column is %d cycles, and shows what most of them went into", step)
	}
	p.wrap("  ", "  ", fmt.Sprintf("Warps of one SM, cycles %s to %s of %s; %s.", number(float64(t.Window.From)), number(float64(t.Window.To)),
		number(float64(int64(t.Active*t.Sampled))), column))
	p.blank()
	if len(t.Warps) == 0 {
		p.line("  No warp runs in these cycles.")
		return
	}
	for core := range l.Device.SubPartitions {
		if core > 0 && !p.o.full() {
			p.line("  %s", p.paint(dimmed, fmt.Sprintf("%d more sub-cores with --set full", l.Device.SubPartitions-core)))
			p.blank()
			break
		}
		p.subCore(t, core, step)
	}
	p.stateLegend(t)
	p.waiting(l)
	if step == 1 {
		p.issues(l)
	}
}

// subCore draws a row for each warp of a sub-core.
func (p *printer) subCore(t *profile.Timing, core int, step int64) {
	p.heading(fmt.Sprintf("Sub-core %d", core))
	p.line("  %5s %6s", "warp", "block")
	shown, all := 0, 0
	for i := range t.Warps {
		w := &t.Warps[i]
		if w.SubCore != core {
			continue
		}
		if all++; all > shownWarps {
			continue
		}
		shown++
		p.line("  %5d %6d  %s", w.Warp, w.Block, p.states(w, t.Window, step))
	}
	if all > shown {
		p.line("  %s", p.paint(dimmed, fmt.Sprintf("%d more warps; --trace has all", all-shown)))
	}
	p.blank()
}

// states draws a warp's states, for each column the one that takes most of its cycles, and # where no other takes more than issuing.
func (p *printer) states(w *profile.WarpTrace, window profile.Window, step int64) string {
	columns := make([]map[string]int64, (window.To-window.From+step-1)/step)
	for _, s := range w.Spans {
		for at := s.From; at < s.To; {
			i := (at - window.From) / step
			end := min(s.To, window.From+(i+1)*step)
			if columns[i] == nil {
				columns[i] = map[string]int64{}
			}
			columns[i][s.State] += end - at
			at = end
		}
	}
	var out strings.Builder
	for i := 0; i < len(columns); {
		state := most(columns[i])
		j := i
		for j < len(columns) && most(columns[j]) == state {
			j++
		}
		if state == "" {
			out.WriteString(strings.Repeat(" ", j-i))
		} else {
			out.WriteString(p.paint(stateLooks[state].color, strings.Repeat(string(stateLooks[state].letter), j-i)))
		}
		i = j
	}
	return out.String()
}

// most is the state with the most cycles, "" for none.
func most(cycles map[string]int64) (state string) {
	for _, name := range slices.Sorted(maps.Keys(cycles)) {
		if n := cycles[name]; state == "" || n > cycles[state] || n == cycles[state] && name == "selected" {
			state = name
		}
	}
	return state
}

// stateLegend tells the letters, with what part of the warps' cycles each state takes.
func (p *printer) stateLegend(t *profile.Timing) {
	cycles, all := map[string]int64{}, int64(0)
	for _, w := range t.Warps {
		for _, s := range w.Spans {
			cycles[s.State] += s.To - s.From
			all += s.To - s.From
		}
	}
	names := slices.SortedFunc(maps.Keys(cycles), func(a, b string) int { return cmp.Or(cmp.Compare(cycles[b], cycles[a]), cmp.Compare(a, b)) })
	for i := 0; i < len(names); i += 2 {
		line := " "
		for _, n := range names[i:min(i+2, len(names))] {
			line += fmt.Sprintf(" %s %-32s", p.paint(stateLooks[n].color, string(stateLooks[n].letter)), fmt.Sprintf("%s %.1f%%", n, 100*float64(cycles[n])/float64(all)))
		}
		p.line("%s", line)
	}
	p.blank()
}

// waiting is the table of what the warps waited for longest in the window.
func (p *printer) waiting(l *profile.Launch) {
	const rows = 6
	type wait struct {
		state    string
		code, on int
	}
	t, places := l.Timing, l.Placer()
	cycles, all := map[wait]int64{}, int64(0)
	for _, w := range t.Warps {
		for _, s := range w.Spans {
			all += s.To - s.From
			if s.State != "selected" && s.State != "not_selected" {
				cycles[wait{s.State, s.Code, s.On}] += s.To - s.From
			}
		}
	}
	order := slices.SortedFunc(maps.Keys(cycles), func(a, b wait) int {
		return cmp.Or(cmp.Compare(cycles[b], cycles[a]), cmp.Compare(a.code, b.code), cmp.Compare(a.state, b.state))
	})
	if len(order) == 0 {
		return
	}
	p.heading("What they wait for in these cycles")
	for _, k := range order[:min(rows, len(order))] {
		p.line("  %5.1f%% %-18s %s", 100*float64(cycles[k])/float64(all), k.state, p.clip(at(places, &t.Code[k.code]), 28))
		if k.on >= 0 {
			p.line("  %25s %s", "for", p.clip(at(places, &t.Code[k.on]), 28))
		}
	}
	p.blank()
}

// at is an instruction with its line: "mm.cu:12 FFMA R1, R2, R3, R1".
func at(places profile.Placer, in *profile.TimedInstruction) string {
	if site := places.Of(in); site.Line > 0 {
		return site.String() + "  " + in.Text
	}
	return in.Text
}

// issues lists what the first sub-core, or in the set full each, issues in the window.
func (p *printer) issues(l *profile.Launch) {
	t, places := l.Timing, l.Placer()
	type issue struct {
		warp int
		span profile.Span
		wait profile.Span // before it
	}
	for core := range l.Device.SubPartitions {
		if core > 0 && !p.o.full() {
			break
		}
		var list []issue
		for _, w := range t.Warps {
			if w.SubCore != core {
				continue
			}
			var before profile.Span
			for _, s := range w.Spans {
				if s.State == "selected" {
					list = append(list, issue{w.Warp, s, before})
					before = profile.Span{}
				} else if s.To-s.From >= before.To-before.From {
					before = s
				}
			}
		}
		slices.SortStableFunc(list, func(a, b issue) int { return cmp.Compare(a.span.From, b.span.From) })
		p.heading(fmt.Sprintf("Issued by sub-core %d, with what the warp waited for most before", core))
		for _, i := range list {
			waited := ""
			if i.wait.To > i.wait.From {
				waited = fmt.Sprintf("%d %s", i.wait.To-i.wait.From, i.wait.State)
			}
			p.line("  %7d %4d %-22s %s", i.span.From, i.warp, waited, p.clip(at(places, &t.Code[i.span.Code]), 38))
		}
		p.blank()
	}
}
