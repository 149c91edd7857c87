package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"silica/timeline"
)

// The processes of a trace: the host and the GPU in modelled time, and what happened on the machine that ran Silica.
const (
	hostProcess = 1
	gpuProcess  = 2
	hereProcess = 3
)

// event is one of Chrome's trace events (Trace Event Format, version of 2016). Times are in microseconds.
type event struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"`
	Cat   string         `json:"cat,omitempty"`
	Pid   int            `json:"pid"`
	Tid   int            `json:"tid"`
	At    float64        `json:"ts"`
	Time  *float64       `json:"dur,omitempty"`
	ID    uint64         `json:"id,omitempty"`
	Bind  string         `json:"bp,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// Trace writes a timeline in the JSON that Perfetto and Chrome's tracing page read: the calls of each host thread, the work of
// each stream with an arrow from its call, and how much copies move and kernels run at a time; then the same calls and work at
// the times at which they happened on the machine that ran Silica.
func Trace(w io.Writer, m *timeline.Model, gpu string) error {
	t := tracer{w: bufio.NewWriter(w), m: m}
	fmt.Fprintf(t.w, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"gpu\":%s,\"clock\":\"modelled\"},\"traceEvents\":[", quoted(gpu))
	t.process(hostProcess, "Host, modelled")
	t.process(gpuProcess, gpu+", modelled")
	t.process(hereProcess, "The machine that ran Silica")
	t.calls()
	t.ranges()
	t.work()
	t.counters()
	t.here()
	fmt.Fprintln(t.w, "\n]}")
	if t.err != nil {
		return fmt.Errorf("report: %w", t.err)
	}
	return t.w.Flush()
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string always has a form
	return string(b)
}

// tracer writes events.
type tracer struct {
	w      *bufio.Writer
	m      *timeline.Model
	events int
	err    error
}

func (t *tracer) event(e event) {
	b, err := json.Marshal(e)
	if err != nil {
		t.err = err
		return
	}
	if t.events > 0 {
		_ = t.w.WriteByte(',') // errors stay until Flush
	}
	t.events++
	_ = t.w.WriteByte('\n')
	_, _ = t.w.Write(b)
}

func (t *tracer) process(pid int, name string) {
	t.event(event{Name: "process_name", Phase: "M", Pid: pid, Args: map[string]any{"name": name}})
	t.event(event{Name: "process_sort_index", Phase: "M", Pid: pid, Args: map[string]any{"sort_index": pid}})
}

func (t *tracer) thread(pid, tid int, name string) {
	t.event(event{Name: "thread_name", Phase: "M", Pid: pid, Tid: tid, Args: map[string]any{"name": name}})
	t.event(event{Name: "thread_sort_index", Phase: "M", Pid: pid, Tid: tid, Args: map[string]any{"sort_index": tid}})
}

func micro(d time.Duration) float64 { return float64(d) / 1e3 }

func (t *tracer) slice(e event, begin, end time.Duration) {
	length := micro(end - begin)
	e.Phase, e.At, e.Time = "X", micro(begin), &length
	t.event(e)
}

// threads numbers the threads of the host in the order of their first calls.
func (t *tracer) threads() map[int]int {
	index := map[int]int{}
	for _, c := range t.m.Calls {
		if index[c.Thread] == 0 {
			index[c.Thread] = len(index) + 1
		}
	}
	return index
}

func (t *tracer) calls() {
	threads := t.threads()
	for thread, i := range threads {
		t.thread(hostProcess, i, fmt.Sprintf("thread %d", thread))
	}
	for i, c := range t.m.Calls {
		if !c.ToCUDA() {
			continue
		}
		args := map[string]any{"correlation": i + 1}
		if c.Code != 0 {
			args["error"] = c.Code
		}
		t.slice(event{Name: c.Name, Cat: "call", Pid: hostProcess, Tid: threads[c.Thread], Args: args}, t.m.Spans[i].Begin, t.m.Spans[i].End)
	}
}

// ranges writes what the program marks: ranges that nest beside the calls in them, others in tracks of their own.
func (t *tracer) ranges() {
	const first = 1000
	threads := t.threads()
	var tracks []*track
	for _, r := range t.m.Ranges() {
		e := event{Name: r.Name, Cat: "NVTX", Pid: hostProcess, Tid: threads[r.Thread]}
		switch {
		case r.Mark:
			e.Phase, e.At = "i", micro(r.Begin)
			t.event(e)
			continue
		case !r.Nested:
			at := slices.IndexFunc(tracks, func(k *track) bool { return k.end <= r.Begin })
			if at < 0 {
				at = len(tracks)
				tracks = append(tracks, &track{tid: first + at})
				t.thread(hostProcess, first+at, fmt.Sprintf("ranges %d", at+1))
			}
			tracks[at].end = r.End
			e.Tid = tracks[at].tid
		}
		t.slice(e, r.Begin, r.End)
	}
}

// track is a row of slices that do not overlap.
type track struct {
	tid int
	end time.Duration
}

// work writes the work of each stream. What overlaps within one, as the nodes of a graph do, gets further tracks.
func (t *tracer) work() {
	type key struct {
		context int
		stream  uint64
	}
	tracks, threads := map[key][]*track{}, t.threads()
	critical := map[int]bool{}
	for _, s := range t.m.Path {
		critical[s.Activity] = true
	}
	for _, i := range t.m.Ordered() {
		a, w := &t.m.Activities[i], &t.m.Work[i]
		k := key{a.Context, t.m.StreamOf(i)}
		at := slices.IndexFunc(tracks[k], func(r *track) bool { return r.end <= w.Begin })
		if at < 0 {
			at = len(tracks[k])
			tracks[k] = append(tracks[k], &track{tid: int(k.stream)*64 + k.context*4096*64 + at})
			name := fmt.Sprintf("context %d, stream %s", k.context, streamName(k.stream))
			if at > 0 {
				name += fmt.Sprintf(" (%d)", at+1)
			}
			t.thread(gpuProcess, tracks[k][at].tid, name)
		}
		r := tracks[k][at]
		r.end = w.End
		t.slice(event{Name: t.m.Title(i), Cat: string(a.Kind), Pid: gpuProcess, Tid: r.tid, Args: t.arguments(i, critical[i])}, w.Begin, w.End)
		if a.Call >= 0 {
			from := event{Name: "submit", Cat: "submit", Pid: hostProcess, Tid: threads[a.Thread], ID: a.ID, Phase: "s", At: micro(t.m.Spans[a.Call].Begin)}
			t.event(from)
			t.event(event{Name: "submit", Cat: "submit", Pid: gpuProcess, Tid: r.tid, ID: a.ID, Phase: "f", Bind: "e", At: micro(w.Begin)})
		}
	}
}

// arguments are what a trace shows of an activity.
func (t *tracer) arguments(i int, critical bool) map[string]any {
	a, w := &t.m.Activities[i], &t.m.Work[i]
	args := map[string]any{"stream": t.m.StreamOf(i), "critical_path": critical, "occupies": string(w.Lane), "device": a.Device}
	if a.Call >= 0 {
		args["correlation"] = a.Call + 1
		args["call"] = t.m.Calls[a.Call].Name
	}
	if a.Bytes > 0 {
		args["bytes"] = a.Bytes
	}
	if a.From != "" {
		args["from"] = string(a.From)
	}
	if a.To != "" {
		args["to"] = string(a.To)
	}
	if a.Graph != 0 {
		args["graph"] = a.Graph
	}
	for _, m := range a.Migrations {
		args[m.Title()] = m.Bytes
	}
	switch {
	case w.AtLeast:
		args["time"] = "a lower bound from counts"
	case w.Estimated:
		args["time"] = "an estimate"
	}
	if l := w.Launch; l != nil {
		args["grid"], args["block"] = dim(l.Grid), dim(l.Block)
	}
	return args
}

// copyCounters name the counters of what is on the way.
var copyCounters = map[timeline.Lane]string{
	timeline.CopyToDevice: "copy to device (GB/s)", timeline.CopyToHost: "copy to host (GB/s)", timeline.SMs: "copy within the device (GB/s)",
}

// counters writes how many bytes a second are on the way in each direction, and how many kernels run.
func (t *tracer) counters() {
	type change struct {
		at    time.Duration
		delta float64
	}
	changes := map[string][]change{}
	for _, i := range t.m.Ordered() {
		a, w := &t.m.Activities[i], &t.m.Work[i]
		name, value := copyCounters[w.Lane], 0.0
		switch {
		case a.Kind == timeline.Kernel:
			name, value = "kernels", 1
		case w.Time() > 0 && copyCounters[w.Lane] != "":
			value = float64(a.Bytes) / float64(w.Time())
		}
		if value > 0 {
			changes[name] = append(changes[name], change{w.Begin, value}, change{w.End, -value})
		}
	}
	names := make([]string, 0, len(changes))
	for name := range changes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		list := changes[name]
		slices.SortStableFunc(list, func(a, b change) int { return cmp.Compare(a.at, b.at) })
		sum := 0.0
		for i, c := range list {
			sum += c.delta
			if i+1 < len(list) && list[i+1].at == c.at {
				continue
			}
			if i+1 == len(list) {
				sum = 0 // and no rest of rounding
			}
			t.event(event{Name: name, Phase: "C", Pid: gpuProcess, At: micro(c.at), Args: map[string]any{"value": sum}})
		}
	}
}

// here writes calls and work at the times at which they happened.
func (t *tracer) here() {
	threads := t.threads()
	for thread, i := range threads {
		t.thread(hereProcess, i, fmt.Sprintf("thread %d", thread))
	}
	for i, c := range t.m.Calls {
		if !c.ToCUDA() {
			continue
		}
		t.slice(event{Name: c.Name, Cat: "call", Pid: hereProcess, Tid: threads[c.Thread], Args: map[string]any{"correlation": i + 1}}, time.Duration(c.Begin), time.Duration(c.End))
	}
	var order []int
	for i := range t.m.Activities {
		if t.m.Work[i].Lane != timeline.NoLane {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.m.Activities[a].Begin, t.m.Activities[b].Begin) })
	const first = 1000
	var tracks []*track
	for _, i := range order {
		a := &t.m.Activities[i]
		at := slices.IndexFunc(tracks, func(r *track) bool { return r.end <= time.Duration(a.Begin) })
		if at < 0 {
			at = len(tracks)
			tracks = append(tracks, &track{tid: first + at})
			t.thread(hereProcess, first+at, fmt.Sprintf("work %d", at+1))
		}
		tracks[at].end = time.Duration(a.End)
		args := map[string]any{"stream": t.m.StreamOf(i)}
		if a.Call >= 0 {
			args["correlation"] = a.Call + 1
		}
		t.slice(event{Name: t.m.Title(i), Cat: string(a.Kind), Pid: hereProcess, Tid: tracks[at].tid, Args: args}, time.Duration(a.Begin), time.Duration(a.End))
	}
}
