package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"silica/profile"
)

// Tracks of a launch in the trace of its warps: those of sub-core n begin at n*coreTracks, with what it issues.
const coreTracks = 1 << 20

// WarpTrace writes what the warps of one SM do in the cycles that were watched in the JSON that Perfetto and Chrome's tracing page read. Each
// launch is a process; each sub-core has a track of what it issues, and each of its warps one of its states, with the
// instruction that it waits to issue and the one whose result it waits for. A nanosecond of the trace stands for a cycle.
func WarpTrace(w io.Writer, launches []*profile.Launch) error {
	t := tracer{w: bufio.NewWriter(w)}
	fmt.Fprint(t.w, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"clock\":\"modelled\",\"unit\":\"1 ns is 1 cycle\"},\"traceEvents\":[")
	for i, g := range group(launches) {
		if l := g.first; l.Timing != nil {
			t.warps(i+1, l)
		}
	}
	fmt.Fprintln(t.w, "\n]}")
	if t.err != nil {
		return fmt.Errorf("report: %w", t.err)
	}
	return t.w.Flush()
}

func (t *tracer) warps(pid int, l *profile.Launch) {
	t.process(pid, fmt.Sprintf("%s, one SM of %s, 1 ns = 1 cycle", kernel(l), l.Device.Name))
	for core := range l.Device.SubPartitions {
		t.thread(pid, core*coreTracks, fmt.Sprintf("sub-core %d issues", core))
	}
	places := l.Placer()
	code := l.Timing.Code
	issued := map[int][]event{} // by track
	for _, w := range l.Timing.Warps {
		tid := w.SubCore*coreTracks + w.Warp + 1
		t.thread(pid, tid, fmt.Sprintf("sub-core %d warp %d (block %d)", w.SubCore, w.Warp, w.Block))
		for _, s := range w.Spans {
			in := &code[s.Code]
			args := map[string]any{"instruction": in.Text}
			if site := places.Of(in); site.Line > 0 {
				args["line"] = site.String()
			}
			if s.On >= 0 {
				args["waits_for"] = at(places, &code[s.On])
			}
			from, to := time.Duration(s.From), time.Duration(s.To)
			if s.State != "selected" {
				t.slice(event{Name: s.State, Cat: "stall", Pid: pid, Tid: tid, Args: args}, from, to)
				continue
			}
			t.slice(event{Name: in.Opcode(), Cat: "issue", Pid: pid, Tid: tid, Args: args}, from, to)
			track := w.SubCore * coreTracks
			args["warp"] = w.Warp
			issued[track] = append(issued[track], event{Name: in.Opcode(), Cat: "issue", Pid: pid, Tid: track, At: float64(s.From), Args: args})
		}
	}
	for _, track := range slices.Sorted(maps.Keys(issued)) {
		slices.SortFunc(issued[track], func(a, b event) int { return cmp.Compare(a.At, b.At) })
		for _, e := range issued[track] {
			from := time.Duration(e.At)
			t.slice(e, from, from+1)
		}
	}
}
