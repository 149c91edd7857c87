package driver

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// Event is a point in a stream's work. Its time is that of the host's clock when the simulated work
// before it had ended: how long the simulation took, not how long a GPU would take.
type Event struct {
	// Device is where it can be recorded; nil for every device.
	Device *Device
	Timing bool
	shared *sharedEvent // nil for an event of this process alone

	mu     sync.Mutex
	record *record // the latest; nil before the first
}

// record is one recording of an event.
type record struct {
	task *Task     // nil in a capture
	of   *Device   // whose work it is; nil for an event that has happened
	when time.Time // once the task has ended

	// In a capture: the nodes before the event.
	capture *Capture
	nodes   []*Node
}

// Record puts the event after the stream's work so far.
func (e *Event) Record(s *Stream) error {
	if e.Device != nil && e.Device != s.Device {
		return Fail(InvalidHandle, "the event is of another device than the stream")
	}
	r := &record{of: s.Device}
	if c := s.capturing(); c != nil {
		r.capture, r.nodes = c, c.Front(s)
		e.set(r)
		return nil
	}
	happen := func() {}
	if e.shared != nil {
		happen = e.shared.record()
	}
	t := &Task{work: func() error { r.when = time.Now(); happen(); return nil }, activity: s.Device.activity(RecordActivity)}
	var err error
	if r.task, err = s.enqueue(t); err != nil {
		return err
	}
	e.set(r)
	return nil
}

func (e *Event) set(r *record) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.record = r
}

// happen records the event now.
func (e *Event) happen() {
	t := &Task{done: make(chan struct{}), ended: true}
	close(t.done)
	e.set(&record{task: t, when: time.Now()})
}

// Captured tells whether the latest record is in a capture.
func (e *Event) Captured() bool {
	r := e.latest()
	return r != nil && r.capture != nil
}

// latest returns the latest record, nil when there is none.
func (e *Event) latest() *record {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.record
}

// Query returns nil when the event has happened or was never recorded, NotReady when the work before it has not ended.
func (e *Event) Query() error {
	r := e.latest()
	switch {
	case e.shared != nil && e.shared.pending() == 0:
		return nil
	case e.shared == nil && r == nil:
		return nil
	case r != nil && r.capture != nil:
		return errCaptured(r)
	case e.shared != nil, !r.task.Ended():
		return Fail(NotReady, "the work before the event has not ended")
	default:
		r.await()
	}
	return nil
}

// errCaptured is the answer of a call that needs an event to happen, which one in a capture never does.
func errCaptured(r *record) error {
	return r.capture.invalidate(Fail(CapturedEvent, "the event was recorded in a capture"))
}

// Synchronize waits until the event has happened. One that was never recorded has.
func (e *Event) Synchronize() error {
	switch r := e.latest(); {
	case e.shared != nil:
		e.shared.await(e.shared.pending())
	case r == nil:
	case r.capture != nil:
		return errCaptured(r)
	default:
		r.await()
	}
	return nil
}

// await waits for the work before the event.
func (r *record) await() {
	if r.of != nil {
		r.of.await(r.task)
	}
}

// WaitEvent lets the work that the stream gets from now on wait for an event of any device.
func (s *Stream) WaitEvent(e *Event) error {
	r, c := e.latest(), s.capturing()
	switch {
	case e.shared != nil && c == nil:
		return s.waitShared(e.shared)
	case r == nil:
		return s.Device.Status()
	case r.capture != nil:
		return r.capture.wait(s, r.nodes)
	case c != nil:
		return c.invalidate(Fail(StreamCaptureIsolation, "the event was recorded outside of the capture"))
	}
	_, err := s.enqueue(&Task{activity: s.Device.activity(WaitActivity)}, r.task)
	return err
}

// timed returns the latest record of an event with timing.
func (e *Event) timed() (*record, error) {
	r := e.latest()
	switch {
	case !e.Timing:
		return nil, Fail(InvalidHandle, "the event was created without timing")
	case r == nil:
		return nil, Fail(InvalidHandle, "the event was not recorded")
	case r.capture != nil:
		return nil, Fail(CapturedEvent, "the event was recorded in a capture")
	}
	return r, nil
}

// Since returns the time from an earlier event to this one, both of which have to have happened.
func (e *Event) Since(start *Event) (time.Duration, error) {
	if e.Device != start.Device {
		return 0, Fail(InvalidHandle, "the events are of two devices")
	}
	from, err := start.timed()
	if err != nil {
		return 0, err
	}
	to, err := e.timed()
	if err != nil {
		return 0, err
	}
	if !from.task.Ended() || !to.task.Ended() {
		return 0, Fail(NotReady, "the work before the events has not ended")
	}
	return to.when.Sub(from.when), nil
}

// RecordAll puts the event after the work that streams of a device have, all of them when none is named (cuCtxRecordEvent).
func (e *Event) RecordAll(d *Device, streams ...*Stream) error {
	if e.Device != nil && e.Device != d {
		return Fail(InvalidHandle, "the event is of another device")
	}
	if err := d.refuse(); err != nil {
		return err
	}
	r := &record{of: d}
	t := &Task{work: func() error { r.when = time.Now(); return nil }, activity: d.activity(RecordActivity)}
	r.task = t
	d.place(t, d.latest(streams))
	e.set(r)
	return d.Status()
}

// HoldAll lets the work that streams of a device, all of them when none is named, get from now on wait for the event (cuCtxWaitEvent).
func (e *Event) HoldAll(d *Device, streams ...*Stream) error {
	if err := d.refuse(); err != nil {
		return err
	}
	r := e.latest()
	if r == nil {
		return d.Status()
	}
	if r.capture != nil {
		return errCaptured(r)
	}
	if len(streams) == 0 {
		d.order.Lock()
		streams = slices.Collect(maps.Keys(d.streams))
		d.order.Unlock()
	}
	for _, s := range streams {
		if err := s.WaitEvent(e); err != nil {
			return err
		}
	}
	return nil
}

// latest returns the last task of each stream, of all of the device when none is named.
func (d *Device) latest(streams []*Stream) (all []*Task) {
	d.order.Lock()
	defer d.order.Unlock()
	if len(streams) == 0 {
		streams = slices.Collect(maps.Keys(d.streams))
	}
	for _, s := range streams {
		all = append(all, s.last)
	}
	return all
}
