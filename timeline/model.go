package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"silica/gpu"
	"silica/profile"
)

// Model is a timeline as a GPU and its host have it.
type Model struct {
	*Timeline
	Spans []Span   // of Timeline.Calls
	Work  []Placed // of Timeline.Activities
	// Total is when all work and all calls have ended.
	Total time.Duration
	// Path is the critical path: what the end had to wait for, the first first.
	Path []Segment

	gpus []*gpu.GPU
}

// Placed is an activity in modelled time.
type Placed struct {
	Span
	Lane Lane
	// AtLeast is set for a lower bound, Estimated for a time that was not measured on this GPU.
	AtLeast, Estimated bool
	// Launch is the profile of a kernel, nil when there is none.
	Launch *profile.Launch
	// Migrations are the times of Activity.Migrations.
	Migrations []time.Duration

	after int // the activity for whose end it waited, -1 when it was the host's turn
	host  int // for which the host had waited before, -1 for none
}

// Lane is what an activity occupies.
type Lane string

// The lanes. Copies and fills within a device run on its SMs, as on an H200, where they wait for a kernel that fills them.
const (
	NoLane       Lane = ""
	SMs          Lane = "SMs"
	CopyToDevice Lane = "copy to device"
	CopyToHost   Lane = "copy to host"
	HostFunction Lane = "host functions"
)

// Segment is a part of the critical path: an activity, or the host's code and calls when Activity is -1.
type Segment struct {
	Span
	Activity int
}

// clock is the modelled time of a thread of the host.
type clock struct {
	now time.Duration
	// waited is the activity that the thread waited for last, -1 for none.
	waited int
}

// placer makes a model.
type placer struct {
	*Model
	costs   map[gridOf]cost
	clocks  map[int]*clock
	engines map[engineOf]*engine
}

type engineOf struct {
	device int
	lane   Lane
}

// NewModel places a timeline on GPUs, one for each of Timeline.GPUs. A kernel that has a profile takes the time of its launch and of those that it
// launched, by the model of the machine or else a lower bound; others take what an empty one does.
//
// A thread of the host takes the time that its own code took here, and for each call what such a call was measured to take; it
// waits for work where the program does. Work begins when what it has to wait for has ended and its engine is free: one copy in
// each direction, kernels as far as there is room on the SMs.
func NewModel(t *Timeline, gpus []*gpu.GPU, launches []*profile.Launch) *Model {
	return newModel(t, gpus, costs(launches))
}

func newModel(t *Timeline, gpus []*gpu.GPU, costs map[gridOf]cost) *Model {
	p := &placer{
		Model: &Model{Timeline: t, Spans: make([]Span, len(t.Calls)), Work: make([]Placed, len(t.Activities)), gpus: gpus},
		costs: costs, clocks: map[int]*clock{}, engines: map[engineOf]*engine{},
	}
	for _, s := range p.steps() {
		p.step(s)
	}
	for i := range p.Work {
		p.Total = max(p.Total, p.Work[i].End)
	}
	for _, c := range p.clocks {
		p.Total = max(p.Total, c.now)
	}
	p.path()
	return p.Model
}

// step is a call with the activities that it submitted, or activities without a call, which is -1 then.
type step struct {
	begin  int64
	call   int
	thread int
	work   []int
}

// steps returns what the host did, in the order in which it did.
func (p *placer) steps() []step {
	var out []step
	for i, c := range p.Timeline.Calls {
		out = append(out, step{begin: c.Begin, call: i, thread: c.Thread})
	}
	for i, a := range p.Activities {
		if a.Call < 0 {
			out = append(out, step{a.Submitted, -1, a.Thread, []int{i}})
			continue
		}
		out[a.Call].work = append(out[a.Call].work, i)
	}
	slices.SortStableFunc(out, func(a, b step) int { return cmp.Compare(a.begin, b.begin) })
	return out
}

// notReady is the error code of a query that came too early.
const notReady = 600

func (p *placer) step(s step) {
	c := p.clock(s)
	begin := c.now
	cost := p.callTime(s)
	if s.call >= 0 {
		call := &p.Timeline.Calls[s.call]
		if call.Code == notReady {
			// How often a program asks depends on how long it waits; the query that succeeds waits for the work.
			p.Spans[s.call] = Span{begin, begin}
			return
		}
		begin += time.Duration(call.Host)
	}
	c.now = begin + cost
	for _, i := range s.work {
		p.place(i, c)
		if a := &p.Activities[i]; a.Waited && p.Work[i].End > c.now {
			c.now, c.waited = p.Work[i].End, i
		}
	}
	if s.call >= 0 {
		p.Spans[s.call] = Span{begin, c.now}
	}
}

// clock returns the clock of a thread. A new thread begins when all calls have returned that had when it made its first.
func (p *placer) clock(s step) *clock {
	c := p.clocks[s.thread]
	if c == nil {
		c = &clock{waited: -1}
		for i, call := range p.Timeline.Calls {
			if call.Begin >= s.begin {
				break
			}
			if call.End <= s.begin {
				c.now = max(c.now, p.Spans[i].End)
			}
		}
		p.clocks[s.thread] = c
	}
	return c
}

// callTime is what a call takes of the host's time, without waiting.
func (p *placer) callTime(s step) time.Duration {
	d := &p.gpus[0].Delay
	ns, submits := 0.0, false
	for _, i := range s.work {
		a := &p.Activities[i]
		if a.Graph != 0 {
			continue
		}
		submits = true
		switch a.Kind {
		case Kernel, Graph:
			ns += d.LaunchCall
		case Copy, Migrate:
			ns += d.CopyCall
		case Set:
			ns += d.SetCall
		case Record:
			ns += d.EventCall
		case Host, Free:
			ns += d.Call
		default:
			submits = submits && a.Kind != Sync && a.Kind != Place && a.Kind != Wait
		}
	}
	if s.call < 0 || submits {
		return time.Duration(ns)
	}
	if !p.Timeline.Calls[s.call].ToCUDA() {
		return 0
	}
	switch name := p.Timeline.Calls[s.call].Name; {
	case strings.Contains(strings.ToLower(name), "alloc"):
		return time.Duration(d.AllocCall)
	case strings.Contains(name, "Free"):
		return time.Duration(d.FreeCall)
	}
	return time.Duration(d.Call)
}

// place places activity i, which the host submits at its clock.
func (p *placer) place(i int, host *clock) {
	a, w := &p.Activities[i], &p.Work[i]
	w.after, w.host = -1, host.waited
	ready := host.now
	lane, d, share := p.work(a, w)
	if d > 0 && a.Kind != Sync {
		ready += time.Duration(p.GPU(a).Delay.Start)
	}
	for _, id := range a.After {
		// Only what was submitted before can be waited for; what was not kept has no place.
		if j := p.find(id); j >= 0 && j < i && p.Work[j].End > ready {
			ready, w.after = p.Work[j].End, j
		}
	}
	w.Lane, w.Span = lane, Span{ready, ready + d}
	if lane == NoLane {
		return
	}
	key := engineOf{a.Device, lane}
	if lane == CopyToHost && p.GPU(a).Chip.CopyEngines == 1 {
		key.lane = CopyToDevice // it serves both ways
	}
	e := p.engines[key]
	if e == nil {
		e = &engine{}
		p.engines[key] = e
	}
	span, after := e.take(i, ready, d, share)
	w.Span = span
	if after >= 0 {
		w.after = after
	}
}

// work returns what an activity occupies, how long, and which share of it.
func (p *placer) work(a *Activity, w *Placed) (lane Lane, d time.Duration, share float64) {
	switch a.Kind {
	case Kernel:
		c, known := p.costs[gridOf{a.Context, a.Grid}]
		if !known {
			c.share = 1
		}
		d = c.time + time.Duration(p.GPU(a).Delay.Kernel)
		if rate := p.GPU(a).Throughput.GraphKernels; a.Graph != 0 && rate > 0 {
			d = c.time + time.Duration(1e9/rate)
		}
		w.AtLeast, w.Launch = !c.modelled, c.launch
		return SMs, d + p.migration(a, w), c.share
	case Copy:
		d, measured := p.copyTime(a, a.Bytes)
		w.Estimated = !measured
		switch {
		case a.Peer:
			return CopyToHost, d, 1 // it leaves the device
		case a.From.onHost() && a.To.onHost():
			return HostFunction, d, 1
		case a.From.onHost():
			return CopyToDevice, d, 1
		case a.To.onHost():
			return CopyToHost, d, 1
		}
		return SMs, d, p.fills(a)
	case Set:
		d, measured := p.GPU(a).SetTime(a.Bytes)
		w.Estimated = !measured
		return SMs, d, p.fills(a)
	case Migrate:
		lane = CopyToDevice
		if len(a.Migrations) > 0 && a.Migrations[0].ToHost {
			lane = CopyToHost
		}
		return lane, p.migration(a, w), 1
	case Host:
		return HostFunction, time.Duration(a.End - a.Begin), 1
	}
	return NoLane, 0, 0
}

// migration is how long the managed memory of an activity moves.
func (p *placer) migration(a *Activity, w *Placed) (d time.Duration) {
	for _, m := range a.Migrations {
		t, measured := p.GPU(a).MigrationTime(m.ToHost, m.Fault, m.Bytes)
		d += t
		w.Migrations = append(w.Migrations, t)
		w.Estimated = w.Estimated || !measured
	}
	return d
}

// gridOf names the launch of a kernel.
type gridOf struct {
	context int
	grid    uint64
}

// cost is what a kernel takes, and of which share of the SMs.
type cost struct {
	launch *profile.Launch
	time   time.Duration
	share  float64
	// modelled tells that the time is that of the model of the machine, and no lower bound from counts.
	modelled bool
}

// costs returns the costs of the launches of the host. What a kernel launches runs after it.
func costs(launches []*profile.Launch) map[gridOf]cost {
	of, parent := map[gridOf]cost{}, map[int]*profile.Launch{}
	byID := map[int]*profile.Launch{}
	for _, l := range launches {
		byID[l.ID] = l
		top := l
		if l.From != nil {
			if top = parent[l.From.Launch]; top == nil {
				top = byID[l.From.Launch]
			}
			parent[l.ID] = top
		}
		if top == nil {
			continue // its parent is not in the profile
		}
		key := gridOf{top.Context, top.GridID}
		c, known := of[key]
		if !known {
			c = cost{launch: top, share: min(max(top.Waves.PerSM, leastShare), 1), modelled: true}
		}
		c.time += l.Totals().Time()
		c.modelled = c.modelled && l.Timing != nil
		of[key] = c
	}
	return of
}

// leastShare keeps shares of the SMs from being none.
const leastShare = 1e-6

// bytesPerSM is what of a copy or fill within the device occupies an SM: an assumption, as only large ones were seen to
// wait for a kernel that fills the GPU.
const bytesPerSM = 8 << 10

// fills returns the share of the SMs that a copy or fill takes.
func (p *placer) fills(a *Activity) float64 {
	return min(max(float64(a.Bytes)/float64(bytesPerSM*p.GPU(a).Chip.SMs), leastShare), 1)
}

// StreamOf returns the stream of an activity: in a graph, that of the graph's launch.
func (t *Timeline) StreamOf(i int) uint64 {
	if g := t.Activities[i].Graph; g != 0 {
		if j := t.find(g); j >= 0 {
			return t.Activities[j].Stream
		}
	}
	return t.Activities[i].Stream
}

// GPU returns the GPU of an activity.
func (m *Model) GPU(a *Activity) *gpu.GPU { return m.gpus[min(a.Device, len(m.gpus)-1)] }

// copyTime is how long a copy would take for a number of bytes.
func (m *Model) copyTime(a *Activity, bytes uint64) (d time.Duration, measured bool) {
	if a.Peer {
		return m.GPU(a).CopyTime(gpu.OnPeer, gpu.OnDevice, bytes)
	}
	return m.GPU(a).CopyTime(a.From.side(), a.To.side(), bytes)
}

// side is where memory lies for a copy. Managed memory is taken to be on the device.
func (m Memory) side() gpu.Side {
	switch m {
	case Pageable:
		return gpu.Pageable
	case Pinned:
		return gpu.Pinned
	}
	return gpu.OnDevice
}

// path finds the critical path.
func (p *placer) path() {
	at, host := -1, -1 // the activity that ends last, or that for which the last thread had waited
	at = slices.IndexFunc(p.Work, func(w Placed) bool { return w.End == p.Total })
	if at < 0 {
		for _, c := range p.clocks {
			if c.now == p.Total {
				host = c.waited
			}
		}
		if p.Total == 0 {
			return
		}
		p.Path = append(p.Path, Segment{Span{p.endOf(host), p.Total}, -1})
		at = host
	}
	for at >= 0 {
		w := &p.Work[at]
		if w.Time() > 0 {
			p.Path = append(p.Path, Segment{w.Span, at})
		}
		next := w.after
		if next < 0 {
			next = w.host
			if s := (Span{p.endOf(next), w.Begin}); s.Time() > 0 {
				p.Path = append(p.Path, Segment{s, -1})
			}
		}
		at = next
	}
	slices.Reverse(p.Path)
}

func (p *placer) endOf(i int) time.Duration {
	if i < 0 {
		return 0
	}
	return p.Work[i].End
}

// Window is the time from the first to the last work.
func (m *Model) Window() Span { return m.usage().window }

// Ordered returns the indices of the activities that take time, by their begin.
func (m *Model) Ordered() []int {
	var out []int
	for i := range m.Work {
		if m.Work[i].Lane != NoLane {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(m.Work[a].Begin, m.Work[b].Begin) })
	return out
}
