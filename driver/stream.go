package driver

import "sync"

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

// Stream is a sequence of work on a device.
type Stream struct {
	Device   *Device
	Order    Order
	Priority int
	ID       uint64 // different for each stream of a device

	mu sync.Mutex // held by the stream's work
}

// NewStream returns a stream. The priority is brought into the range there is.
func (d *Device) NewStream(o Order, priority int) *Stream {
	return &Stream{
		Device: d, Order: o, Priority: min(max(priority, GreatestPriority), LeastPriority), ID: d.streams.Add(1),
	}
}

// LegacyStream returns the device's default stream. Its work waits for that of all blocking streams, and theirs for its.
func (d *Device) LegacyStream() *Stream { return d.legacyStream }

// Do runs work at its place in the stream's order, and returns its error. It does not run when the
// device's context has ended.
func (s *Stream) Do(work func() error) error {
	d := s.Device
	d.running.RLock()
	defer d.running.RUnlock()
	switch {
	case s == d.legacyStream:
		d.legacy.Lock()
		defer d.legacy.Unlock()
	case s.Order == Blocking:
		d.legacy.RLock()
		defer d.legacy.RUnlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := d.Status(); err != nil {
		return err
	}
	return work()
}

// Synchronize waits for the stream's work and returns the device's status.
func (s *Stream) Synchronize() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Device.Status()
}
