package simd

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestCrewRunsAllTasks starts launches one after the other and at the same time, of tasks that take no time and some.
func TestCrewRunsAllTasks(t *testing.T) {
	var c crew
	var launches sync.WaitGroup
	var ran atomic.Int64
	const starters, rounds, tasks = 4, 200, 3
	for range starters {
		launches.Go(func() {
			for round := range rounds {
				var own atomic.Int64
				list := make([]func(), tasks)
				for i := range list {
					list[i] = func() {
						if round%8 == 0 {
							time.Sleep(20 * time.Microsecond)
						}
						own.Add(1)
					}
				}
				c.run(list)
				if n := own.Load(); n != tasks {
					t.Errorf("%d of %d tasks have ended when run returns", n, tasks)
				}
				ran.Add(own.Load())
			}
		})
	}
	launches.Wait()
	if n := ran.Load(); n != starters*rounds*tasks {
		t.Errorf("%d tasks ran, want %d", n, starters*rounds*tasks)
	}
	for limit := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		c.mu.Lock()
		awake := len(c.awake)
		c.mu.Unlock()
		if awake == 0 {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("%d goroutines stay awake", awake)
		}
	}
}
