package driver

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"silica/gpu"
)

// ActivityKind tells what an activity does.
type ActivityKind int

// The kinds.
const (
	PlaceActivity   ActivityKind = iota // nothing: a place in the order of the work
	KernelActivity                      // a kernel and what it launches
	CopyActivity                        // a copy
	SetActivity                         // a fill
	HostActivity                        // a function of the host
	FreeActivity                        // memory given back in a stream's order
	RecordActivity                      // an event happens
	WaitActivity                        // a stream waits for an event
	GraphActivity                       // a graph begins
	MigrateActivity                     // managed memory moves without a kernel
	SyncActivity                        // a thread waits for those before it
)

// Activity is a piece of work of a device.
type Activity struct {
	ID      uint64 // in the order in which work was submitted to all devices of a Recorder, from 1
	Context int    // of the device, in the order of opening, from 1
	Device  int    // its ordinal
	Kind    ActivityKind
	Name    string // the kernel's, mangled
	Stream  uint64 // the stream's ID; 0 in a graph
	Graph   uint64 // in a graph: the activity with which its launch begins
	// After are the activities that have to end before this begins.
	After []uint64
	// Thread is that of the system which submitted the work.
	Thread int
	// Waited is set when the caller waited for the end.
	Waited bool

	Bytes    uint64     // of a copy or a fill
	Rows     uint64     // of a copy or a fill; 1 for one piece
	Peer     bool       // a copy between devices
	From, To MemoryKind // of a copy; a fill has To
	Grid     uint64     // the identifier of a kernel's grid, as %gridid reads it
	// Migrations are what a kernel's accesses, or a prefetch, moved.
	Migrations []Migration

	Submitted, Began, Ended time.Time
}

// Migration is managed memory that moved between a device and the host, or another device.
type Migration struct {
	Device int  // ordinal of the device
	ToHost bool // else to the device
	// Fault is set when an access asked for the pages, not a prefetch.
	Fault bool
	Pages uint64
	Bytes uint64
}

// Recorder sees all work of the devices that have it in their options.
type Recorder struct {
	// Ended is called with each activity when it has ended, by several goroutines at once.
	Ended func(*Activity)

	ids, contexts atomic.Uint64
}

// Context returns the number of the function's device among those of its Recorder, 0 without one.
func (f *Function) Context() int { return f.Module.device.context }

// GPU returns that of the function's device.
func (f *Function) GPU() *gpu.GPU { return f.Module.device.GPU }

// activity returns a new activity, nil when nobody listens.
func (d *Device) activity(kind ActivityKind) *Activity {
	r := d.options.Recorder
	if r == nil {
		return nil
	}
	return &Activity{ID: r.ids.Add(1), Context: d.context, Device: d.Ordinal, Kind: kind, Thread: unix.Gettid(), Submitted: time.Now()}
}

// recorded returns a task for the work of an operation, with its activity if somebody listens.
func (d *Device) recorded(o Operation, work func() error) *Task {
	t := &Task{work: work}
	a := d.activity(PlaceActivity)
	if a == nil {
		return t
	}
	t.activity = a
	switch o := o.(type) {
	case KernelLaunch:
		a.Kind, a.Name = KernelActivity, o.Function.Kernel.Name
		if p, err := o.Function.prepare(o.Launch); err == nil && work != nil {
			t.work = func() error { return p.submitted(a) }
		}
	case MemoryCopy:
		a.Kind = CopyActivity
		if c, err := d.newCopy(o); err == nil {
			from, to := d.MemoryAt(c.Src.Addr), d.MemoryAt(c.Dst.Addr)
			a.From, a.To = from.Kind, to.Kind
			a.Peer = a.From == DeviceMemory && a.To == DeviceMemory && from.Ordinal != to.Ordinal
		}
		a.extent(o.Extent)
	case MemorySet:
		a.Kind, a.To = SetActivity, d.MemoryAt(o.Dst.Addr).Kind
		a.extent(o.Extent)
	case HostCall:
		a.Kind = HostActivity
	case MemoryFree:
		a.Kind = FreeActivity
	case Prefetch:
		a.Kind = MigrateActivity
		t.work = func() error { a.Migrations = d.prefetched(o); return nil }
	}
	return t
}

func (a *Activity) extent(e Extent) {
	a.Bytes, a.Rows = e.Width*e.Height*e.Depth, e.Height*e.Depth
}

// begins notes when the work of a task begins.
func (t *Task) begins() {
	if t.activity != nil {
		t.activity.Began = time.Now()
	}
}

// await waits for tasks, as an activity of the thread that does.
func (d *Device) await(tasks ...*Task) {
	a := d.activity(SyncActivity)
	for _, t := range tasks {
		if a != nil && t != nil && t.activity != nil {
			a.After = append(a.After, t.activity.ID)
		}
		t.Wait()
	}
	if a != nil {
		a.Waited, a.Began, a.Ended = true, a.Submitted, time.Now()
		d.options.Recorder.Ended(a)
	}
}

// tell reports the activity of a task that has ended.
func (d *Device) tell(t *Task) {
	a := t.activity
	if a == nil {
		return
	}
	a.Ended = time.Now()
	if a.Began.IsZero() {
		a.Began = a.Ended
	}
	d.options.Recorder.Ended(a)
}
