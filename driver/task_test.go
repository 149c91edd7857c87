package driver

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Who waits for work that nobody has begun does it himself, and what comes before it, too.
func TestWaitingHelps(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // no other goroutine begins while this one runs
	d := open(t, "h200", Options{})
	for _, c := range []struct {
		name string
		wait func(s *Stream, last *Task) error
	}{
		{"for the work", func(_ *Stream, last *Task) error { last.Wait(); return nil }},
		{"for the stream", func(s *Stream, _ *Task) error { return s.Synchronize() }},
		{"for one's own turn", func(s *Stream, _ *Task) error { return s.Do(func() error { return nil }) }},
	} {
		helped := false
		for tries := 0; tries < 10 && !helped; tries++ { // another goroutine may come between after all
			s := d.NewStream(NonBlocking, 0)
			var order []string
			work := func(name string) func() error {
				return func() error {
					var stack [1 << 12]byte
					helped = helped || strings.Contains(string(stack[:runtime.Stack(stack[:], false)]), ".help(")
					order = append(order, name)
					return nil
				}
			}
			var last *Task
			for _, name := range []string{"first", "second"} {
				var err error
				if last, err = s.Enqueue(work(name)); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.wait(s, last); err != nil {
				t.Fatal(err)
			}
			if want := []string{"first", "second"}; !slices.Equal(order, want) {
				t.Errorf("waiting %s: %q, want %q", c.name, order, want)
			}
			s.Destroy()
		}
		if !helped {
			t.Errorf("who waits %s does none of it", c.name)
		}
	}
}

// Work runs once, however many wait for it.
func TestWorkRunsOnce(t *testing.T) {
	d := open(t, "h200", Options{})
	s := d.NewStream(NonBlocking, 0)
	const pieces, waiters = 500, 3
	var ran atomic.Int32
	for range pieces {
		last, err := s.Enqueue(func() error { ran.Add(1); return nil })
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range waiters {
			wg.Go(last.Wait)
		}
		wg.Wait()
	}
	if ran.Load() != pieces {
		t.Errorf("%d pieces of work ran %d times", pieces, ran.Load())
	}
}
