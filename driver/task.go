package driver

import (
	"runtime/debug"
	"slices"
	"sync/atomic"
)

// Task is a piece of work that begins when other tasks have ended: a place in a stream, or a node of a graph.
type Task struct {
	// work is nil for a place in the order without work of its own.
	work func() error
	// ready is closed when the task may begin; nil when it runs on a goroutine of its own.
	ready chan struct{}
	// done is closed when the task has ended.
	done chan struct{}
	// device is that of the stream or graph.
	device *Device

	// queue is that of the stream in which the task needs room; nil for one that needs none.
	queue chan struct{}
	// activity is nil when nobody listens.
	activity *Activity
	// taken tells that somebody runs the task or has run it.
	taken atomic.Bool

	// The device's order guards these.
	ended   bool
	waiting int     // tasks that have to end before this begins
	earlier []*Task // those, and of them some that have ended, until it begins
	next    []*Task // tasks that wait for this
}

// Ended tells whether the task has ended. A nil task has.
func (t *Task) Ended() bool {
	if t == nil {
		return true
	}
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// Wait returns when the task has ended.
func (t *Task) Wait() {
	if t != nil {
		t.help()
		<-t.done
	}
}

// helpReach is how far back from a task that somebody waits for he looks for one to run. Where more lie between, a goroutine is at work long since.
const helpReach = 8

// help runs in the calling goroutine what the task waits for, and the task itself, as far as no other goroutine has taken it: one that sleeps takes tens of
// microseconds to wake, and the caller would only wait.
func (t *Task) help() {
	for first := t.first(); first != nil; first = t.first() {
		first.run()
	}
}

// first returns a task that may begin and that nobody has taken: t, or one that t waits for.
func (t *Task) first() *Task {
	t.device.order.Lock()
	defer t.device.order.Unlock()
	for range helpReach {
		switch {
		case t.waiting == 0 && (t.ended || t.work == nil || t.ready != nil || t.taken.Load()):
			return nil
		case t.waiting == 0:
			return t
		}
		at := slices.IndexFunc(t.earlier, func(e *Task) bool { return !e.ended })
		t = t.earlier[at]
	}
	return nil
}

// run does the work of a task, unless another goroutine has taken it.
func (t *Task) run() {
	if t.taken.CompareAndSwap(false, true) {
		t.device.run(t)
	}
}

// follow lets t wait for an earlier task, which may be nil. The caller holds the device's order.
func (t *Task) follow(earlier *Task) {
	if earlier == nil {
		return
	}
	if t.activity != nil && earlier.activity != nil {
		t.activity.After = append(t.activity.After, earlier.activity.ID)
	}
	if !earlier.ended {
		earlier.next = append(earlier.next, t)
		t.earlier = append(t.earlier, earlier)
		t.waiting++
	}
}

// begin starts a task that waits for nothing. The caller does not hold the order.
func (t *Task) begin() {
	d := t.device
	switch {
	case t.ready != nil:
		close(t.ready)
	case t.work == nil:
		d.end(t)
	default:
		go t.run()
	}
}

// run does the work of a task, unless the device's context has ended. An address that does not exist, in memory that the
// program registered and gave back, ends the context.
func (d *Device) run(t *Task) {
	defer d.end(t)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			e := Fail(Unknown, "work of a stream: %v", r)
			d.system.fault(e)
			d.failed(e)
		}
	}()
	if d.Status() != nil {
		return
	}
	t.begins()
	if err := t.work(); err != nil {
		d.failed(err)
	}
}

// failed tells Options.Failed what went wrong.
func (d *Device) failed(err error) {
	if d.options.Failed != nil {
		d.options.Failed(err)
	}
}

// end marks a task as ended and begins those that waited for nothing else.
func (d *Device) end(t *Task) {
	for ending := []*Task{t}; len(ending) > 0; {
		t, ending = ending[0], ending[1:]
		t.device.tell(t)
		ready := d.release(t)
		close(t.done)
		for _, n := range ready {
			if n.work == nil && n.ready == nil {
				ending = append(ending, n)
			} else {
				n.begin()
			}
		}
	}
}

// release marks a task as ended and returns those that waited for nothing else.
func (d *Device) release(t *Task) (ready []*Task) {
	d.order.Lock()
	defer d.order.Unlock()
	t.ended = true
	if t.queue != nil {
		<-t.queue
	}
	for _, n := range t.next {
		if n.waiting--; n.waiting == 0 {
			n.earlier = nil
			ready = append(ready, n)
		}
	}
	t.next = nil
	return ready
}
