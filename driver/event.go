package driver

import (
	"sync"
	"time"
)

// Event is a point in a stream's work. Its time is that of the host's clock when the simulated work
// before it had ended: how long the simulation took, not how long a GPU would take.
type Event struct {
	Timing bool

	mu   sync.Mutex
	when time.Time
}

// Record puts the event after the stream's work so far.
func (e *Event) Record(s *Stream) error {
	return s.Do(func() error {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.when = time.Now()
		return nil
	})
}

// time returns when the event was reached.
func (e *Event) time() (time.Time, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case !e.Timing:
		return e.when, Fail(InvalidHandle, "the event was created without timing")
	case e.when.IsZero():
		return e.when, Fail(InvalidHandle, "the event was not recorded")
	}
	return e.when, nil
}

// Since returns the time from an earlier event to this one.
func (e *Event) Since(start *Event) (time.Duration, error) {
	from, err := start.time()
	if err != nil {
		return 0, err
	}
	to, err := e.time()
	if err != nil {
		return 0, err
	}
	return to.Sub(from), nil
}
