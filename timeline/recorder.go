package timeline

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"silica/driver"
)

// Recorder gathers what a process does. It is safe for concurrent use.
type Recorder struct {
	// Driver sees the work; it is for driver.Options.
	Driver *driver.Recorder

	start   time.Time
	mu      sync.Mutex
	calls   []Call
	from    []int           // of each call, in sites
	sites   map[Callers]int // by the order of their first calls
	work    []*driver.Activity
	omitted int
}

// most is how many calls, and how many activities, a recorder keeps.
const most = 1 << 20

// NewRecorder returns a recorder that begins now.
func NewRecorder() *Recorder {
	r := &Recorder{start: time.Now(), sites: map[Callers]int{}}
	r.Driver = &driver.Recorder{Ended: r.ended}
	return r
}

func (r *Recorder) ended(a *driver.Activity) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.work) == most {
		r.omitted++
		return
	}
	r.work = append(r.work, a)
}

// Call notes a call that begins in this thread, which is the goroutine's until it has called end. host is how long the
// thread's own code took since its call before, from where it was made.
func (r *Recorder) Call(name string, host time.Duration, from Callers) (end func(code int)) {
	begin, id := time.Now(), unix.Gettid()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.calls) == most {
		r.omitted++
		return func(int) {}
	}
	at := len(r.calls)
	site, known := r.sites[from]
	if !known {
		site = len(r.sites)
		r.sites[from] = site
	}
	r.from = append(r.from, site)
	r.calls = append(r.calls, Call{Name: name, Thread: id, Begin: r.since(begin), Host: host.Nanoseconds()})
	return func(code int) {
		now := time.Now()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.calls[at].Code, r.calls[at].End = code, r.since(now)
	}
}

// Note notes what the program says about itself in this thread. host is as in Call.
func (r *Recorder) Note(n Note, host time.Duration) {
	now, id := time.Now(), unix.Gettid()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.calls) == most {
		r.omitted++
		return
	}
	at := r.since(now)
	r.from = append(r.from, noSite)
	r.calls = append(r.calls, Call{Name: "nvtx " + string(n.Kind), Thread: id, Begin: at, End: at, Host: host.Nanoseconds(), Note: &n})
}

// noSite stands for what is no call.
const noSite = -1

// places are those of the sites.
func (r *Recorder) places() []*Source {
	found := newResolver()
	defer found.close()
	out := make([]*Source, len(r.sites))
	for callers, i := range r.sites {
		out[i] = found.place(callers)
	}
	return out
}

func (r *Recorder) since(t time.Time) int64 { return t.Sub(r.start).Nanoseconds() }

// Timeline returns what has ended by now on the devices of GPUs, by their names or files.
func (r *Recorder) Timeline(gpus ...string) *Timeline {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := &Timeline{GPUs: gpus, Omitted: r.omitted, Calls: slices.Clone(r.calls), Activities: make([]Activity, 0, len(r.work))}
	now := r.since(time.Now())
	places := r.places()
	for i := range t.Calls {
		if r.from[i] != noSite {
			t.Calls[i].Source = places[r.from[i]]
		}
		if t.Calls[i].End == 0 {
			t.Calls[i].End = now // it has not returned
		}
	}
	order := byThread(t.Calls)
	for _, a := range r.work {
		out := Activity{
			ID: a.ID, Kind: kinds[a.Kind], Name: a.Name, Context: a.Context, Device: a.Device, Peer: a.Peer, Stream: a.Stream, Graph: a.Graph, Thread: a.Thread,
			After: slices.Compact(slices.Sorted(slices.Values(a.After))), Waited: a.Waited, Bytes: a.Bytes, Rows: a.Rows, Grid: a.Grid,
			Submitted: r.since(a.Submitted), Begin: r.since(a.Began), End: r.since(a.Ended),
		}
		switch a.Kind {
		case driver.CopyActivity:
			out.From, out.To = memories[a.From], memories[a.To]
		case driver.SetActivity:
			out.To = memories[a.To]
		}
		for _, m := range a.Migrations {
			out.Migrations = append(out.Migrations, Migration(m))
		}
		out.Call = callAt(t.Calls, order[a.Thread], out.Submitted)
		t.Activities = append(t.Activities, out)
	}
	slices.SortFunc(t.Activities, func(a, b Activity) int { return cmp.Compare(a.ID, b.ID) })
	return t
}

// byThread returns the indices of each thread's calls, in their order.
func byThread(calls []Call) map[int][]int {
	out := map[int][]int{}
	for i, c := range calls {
		out[c.Thread] = append(out[c.Thread], i)
	}
	return out
}

// callAt returns which of the calls of a thread was running at a time, -1 for none.
func callAt(calls []Call, of []int, at int64) int {
	i, _ := slices.BinarySearchFunc(of, at, func(call int, at int64) int { return cmp.Compare(calls[call].Begin, at+1) })
	if i == 0 || calls[of[i-1]].End < at {
		return -1
	}
	return of[i-1]
}
