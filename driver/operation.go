package driver

import (
	"context"
	"errors"
)

// Operation is work for a stream, or for a node of a graph.
type Operation interface {
	// prepare checks the operation and returns its work, which is nil when there is none. wait tells that the caller of an
	// operation on a stream has to wait for its end.
	prepare(d *Device) (work func() error, wait bool, err error)
}

// KernelLaunch runs a kernel.
type KernelLaunch struct {
	Function *Function
	Launch   Launch // its Stream is not used
	Advice   any    // what the submitter wants to know again of a node of a graph; it has no effect
}

func (o KernelLaunch) prepare(d *Device) (func() error, bool, error) {
	p, err := o.Function.prepare(o.Launch)
	if err != nil {
		return nil, false, err
	}
	return func() error { return p.submitted(nil) }, false, nil
}

// submitted runs a launch for which nobody waits.
func (p *prepared) submitted(a *Activity) error {
	d := p.function.Module.device
	err := p.run(d.running, a)
	if errors.Is(err, context.Canceled) {
		return Fail(ContextIsDestroyed, "%s was stopped while it ran: %v", p.function.Kernel.Name, context.Cause(d.running))
	}
	return err
}

// MemoryCopy copies an extent between pitched memory. Each side is memory that the device knows, and then lies in one
// allocation, or host memory where the kind allows it. Host memory that does not exist is a fault of the process.
type MemoryCopy struct {
	Dst, Src Place
	Extent   Extent
	Kind     CopyKind
}

func (o MemoryCopy) prepare(d *Device) (func() error, bool, error) {
	c, err := d.newCopy(o)
	if err != nil {
		return nil, false, err
	}
	return c.run, c.pageable, nil
}

// MemorySet fills an extent of memory that the device knows with a value of 1, 2 or 4 bytes. The address, the pitch and the
// width are multiples of the value's size.
type MemorySet struct {
	Dst    Place
	Value  uint32
	Bytes  uint64 // size of the value
	Extent Extent
}

// HostCall calls a function of the host.
type HostCall struct{ Host interface{ Call() } }

func (o HostCall) prepare(*Device) (func() error, bool, error) {
	return func() error { o.Host.Call(); return nil }, false, nil
}

// MemoryFree gives device memory back.
type MemoryFree uint64

func (o MemoryFree) prepare(d *Device) (func() error, bool, error) {
	if m := d.MemoryAt(uint64(o)); m.Base != uint64(o) || m.Kind != DeviceMemory && d.PoolAt(m.Base) == nil {
		return nil, false, Fail(InvalidValue, "no device memory begins at 0x%x", uint64(o))
	}
	return func() error { return d.FreeNow(uint64(o)) }, false, nil
}

// Nothing is a place in the order without work.
type Nothing struct{}

func (Nothing) prepare(*Device) (func() error, bool, error) { return nil, false, nil }

// Submit puts an operation at the end of the stream's work. It returns when the operation has ended if wait is set or the
// operation's memory asks for it, else at once. In a stream that is captured it becomes a node of the graph instead.
func (s *Stream) Submit(o Operation, wait bool) error {
	d := s.Device
	if k, ok := o.(KernelLaunch); ok && s.Multiprocessors > 0 {
		k.Launch.Multiprocessors = s.Multiprocessors
		o = k
	}
	if c := s.capturing(); c != nil {
		return c.add(s, o)
	}
	if err := s.refuse("work"); err != nil {
		return err
	}
	if err := d.Status(); err != nil {
		return err
	}
	work, waits, err := o.prepare(d)
	if err != nil {
		return err
	}
	if f, ok := o.(MemoryFree); ok {
		if err := d.system.claim(uint64(f)); err != nil {
			return err
		}
	}
	t := d.recorded(o, work)
	peer := s.peer(o)
	var after []*Task
	if peer != nil {
		before, err := peer.legacyStream.Enqueue(nil)
		if err != nil {
			return err
		}
		after = append(after, before)
	}
	if (wait || waits) && work != nil {
		if t.activity != nil {
			t.activity.Waited = true
		}
		return s.do(t, after...)
	}
	switch o.(type) {
	case KernelLaunch, MemoryCopy, MemorySet:
		t.queue = s.queue
	}
	if _, err = s.enqueue(t, after...); err != nil || peer == nil {
		return err
	}
	_, err = peer.legacyStream.Enqueue(nil, t)
	return err
}

// peer returns the other device of a copy between two in the legacy stream, nil for all else. Such a copy begins when the work
// submitted before to either has ended, and ends before work submitted later to either begins (CUDA C++ Programming Guide,
// peer-to-peer memory copy).
func (s *Stream) peer(o Operation) *Device {
	d := s.Device
	c, ok := o.(MemoryCopy)
	if !ok || s != d.legacyStream || len(d.system.GPUs) == 1 {
		return nil
	}
	for _, p := range []Place{c.Src, c.Dst} {
		if other := d.placed(p); other != nil && other != d {
			return other
		}
	}
	return nil
}

// placed returns the device in whose memory a place is, nil when it is in none.
func (d *Device) placed(p Place) *Device {
	if m := d.MemoryAt(p.Addr); m.Kind == DeviceMemory {
		return m.Device
	}
	return nil
}
