package driver

import "sync/atomic"

// Order tells whether the work of a stream waits for that of the legacy stream, and that for it.
type Order int

// The orders.
const (
	Blocking    Order = iota // waits
	NonBlocking              // does not: CU_STREAM_NON_BLOCKING
)

// The range of stream priorities: a lower number is served first.
const (
	LeastPriority    = 0
	GreatestPriority = -5
)

// queueDepth is how many kernels, copies, fills and launches of graphs a stream holds that have not ended: a caller with one more
// waits for the first of them. An H200 with driver 580 holds so many of each; events and functions of the host it does not count.
const queueDepth = 1022

// Stream is a sequence of work on a device. Work of different streams runs at the same time.
type Stream struct {
	Device *Device
	Order  Order
	ID     uint64 // different for each stream of a device
	// Multiprocessors are those that its kernels see and fill; 0 stands for all of the GPU.
	Multiprocessors int

	priority atomic.Int32
	queue    chan struct{} // has an element for each piece of work that queueDepth counts
	last     *Task         // the latest work; the device's order guards it
	capture  atomic.Pointer[Capture]
}

// NewStream returns a stream. The priority is brought into the range there is.
func (d *Device) NewStream(o Order, priority int) *Stream {
	s := &Stream{Device: d, Order: o, ID: d.streamIDs.Add(1), queue: make(chan struct{}, queueDepth)}
	s.SetPriority(priority)
	d.order.Lock()
	defer d.order.Unlock()
	d.streams[s] = struct{}{}
	return s
}

// Priority returns the stream's priority; work of all priorities runs as it comes.
func (s *Stream) Priority() int { return int(s.priority.Load()) }

// SetPriority sets the priority, brought into the range there is.
func (s *Stream) SetPriority(priority int) {
	s.priority.Store(int32(min(max(priority, GreatestPriority), LeastPriority)))
}

// Destroy ends the use of a stream. Work that it has goes on.
func (s *Stream) Destroy() {
	d := s.Device
	d.order.Lock()
	defer d.order.Unlock()
	delete(d.streams, s)
	if s.last != nil && !s.last.ended {
		rest := &Stream{Device: d, Order: s.Order, last: s.last}
		d.streams[rest] = struct{}{}
		forget := &Task{done: make(chan struct{}), device: d, work: func() error {
			d.order.Lock()
			defer d.order.Unlock()
			delete(d.streams, rest)
			return nil
		}}
		forget.follow(s.last)
	}
}

// LegacyStream returns the device's default stream. Its work waits for that of all blocking streams, and theirs for its.
func (d *Device) LegacyStream() *Stream { return d.legacyStream }

// place begins a task that is in no stream when others have ended.
func (d *Device) place(t *Task, after []*Task) {
	t.done, t.device = make(chan struct{}), d
	if t.activity == nil {
		t.activity = d.activity(PlaceActivity)
	}
	d.order.Lock()
	for _, earlier := range after {
		t.follow(earlier)
	}
	ready := t.waiting == 0
	d.order.Unlock()
	if ready {
		t.begin()
	}
}

// enter gives a task its place at the end of the stream, and after other tasks. ready tells that the task waits for nothing.
func (s *Stream) enter(t *Task, after []*Task) (ready bool) {
	d := s.Device
	t.done, t.device = make(chan struct{}), d
	if t.activity == nil {
		t.activity = d.activity(PlaceActivity)
	}
	if t.activity != nil {
		t.activity.Stream = s.ID
	}
	d.order.Lock()
	defer d.order.Unlock()
	t.follow(s.last)
	switch {
	case s == d.legacyStream:
		for other := range d.streams {
			if other.Order == Blocking && other != s {
				t.follow(other.last)
			}
		}
	case s.Order == Blocking:
		t.follow(d.legacyStream.last)
	}
	for _, earlier := range after {
		t.follow(earlier)
	}
	s.last = t
	return t.waiting == 0
}

// Enqueue puts work at the end of the stream, after other tasks too, and returns at once. The work does not run when the
// device's context has ended before its turn; its error goes to Options.Failed. A nil work is only a place in the order.
func (s *Stream) Enqueue(work func() error, after ...*Task) (*Task, error) {
	return s.enqueue(&Task{work: work}, after...)
}

func (s *Stream) enqueue(t *Task, after ...*Task) (*Task, error) {
	d := s.Device
	if err := d.Status(); err != nil {
		return nil, err
	}
	if t.queue != nil {
		t.queue <- struct{}{}
	}
	if s.enter(t, after) {
		t.begin()
	}
	return t, nil
}

// Do runs work at its place in the stream's order, in the calling goroutine, and returns its error. It does not run when
// the device's context has ended.
func (s *Stream) Do(work func() error) error { return s.do(&Task{work: work}) }

func (s *Stream) do(t *Task, after ...*Task) error {
	d := s.Device
	t.ready = make(chan struct{})
	if !s.enter(t, after) {
		t.help()
		<-t.ready
	}
	defer d.end(t)
	if err := d.Status(); err != nil {
		return err
	}
	t.begins()
	return t.work()
}

// Last returns the latest task of the stream, nil when there was none.
func (s *Stream) Last() *Task {
	s.Device.order.Lock()
	defer s.Device.order.Unlock()
	return s.last
}

// Synchronize waits for the stream's work and returns the device's status. The legacy stream's work includes that which it
// would have to wait for.
func (s *Stream) Synchronize() error {
	if err := s.refuse("waiting for its work"); err != nil {
		return err
	}
	if s == s.Device.legacyStream {
		t := &Task{work: func() error { return nil }}
		if t.activity = s.Device.activity(SyncActivity); t.activity != nil {
			t.activity.Waited = true
		}
		return s.do(t)
	}
	s.Device.await(s.Last())
	return s.Device.Status()
}

// Query returns nil when the stream's work has ended, NotReady when it has not, and the device's status after a fault.
func (s *Stream) Query() error {
	d := s.Device
	if err := s.refuse("a query"); err != nil {
		return err
	}
	if err := d.Status(); err != nil {
		return err
	}
	d.order.Lock()
	defer d.order.Unlock()
	for other := range d.streams {
		waits := other == s || s == d.legacyStream && other.Order == Blocking
		if waits && other.last != nil && !other.last.ended {
			return Fail(NotReady, "the stream has work that has not ended")
		}
	}
	if s.last != nil && s.last.activity != nil {
		defer d.await(s.last) // it has ended: a caller that asks until then waits
	}
	return nil
}

// Idle tells whether no stream has work that has not ended.
func (d *Device) Idle() bool {
	d.order.Lock()
	defer d.order.Unlock()
	for s := range d.streams {
		if s.last != nil && !s.last.ended {
			return false
		}
	}
	return true
}

// drain waits for the work that all streams have now.
func (d *Device) drain() {
	d.order.Lock()
	var last []*Task
	for s := range d.streams {
		if s.last != nil && (!s.last.ended || s.last.activity != nil) {
			last = append(last, s.last)
		}
	}
	d.order.Unlock()
	d.await(last...)
}
