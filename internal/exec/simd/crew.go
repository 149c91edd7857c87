package simd

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// crew is the goroutines that run the workers of launches beside the one that launches. A goroutine that is done with its worker stays awake for
// a moment: to wake the thread of an idle core takes longer than a short launch, and where one launch ends the next often begins.
type crew struct {
	mu    sync.Mutex
	awake []*hand
}

// hand is one goroutine.
type hand struct {
	task atomic.Pointer[func()]
}

// mostAwake bounds how long a goroutine waits for its next task, as the time that it took for the one before does.
const mostAwake = 50 * time.Microsecond

// run runs tasks at the same time, the first on the caller's goroutine, and returns when all have ended.
func (c *crew) run(tasks []func()) {
	var group sync.WaitGroup
	for _, task := range tasks[1:] {
		group.Add(1)
		c.start(func() {
			defer group.Done()
			task()
		})
	}
	tasks[0]()
	group.Wait()
}

// start has a goroutine run a task.
func (c *crew) start(task func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.awake); n > 0 {
		h := c.awake[n-1]
		c.awake = c.awake[:n-1]
		h.task.Store(&task)
		return
	}
	h := &hand{}
	h.task.Store(&task)
	go c.work(h)
}

// work runs the tasks of a goroutine.
func (c *crew) work(h *hand) {
	for task := h.task.Load(); task != nil; task = h.task.Load() {
		h.task.Store(nil)
		began := time.Now()
		(*task)()
		ended := time.Now()
		c.mu.Lock()
		c.awake = append(c.awake, h)
		c.mu.Unlock()
		limit := min(ended.Sub(began), mostAwake)
		for h.task.Load() == nil && time.Since(ended) < limit {
			runtime.Gosched()
		}
		c.mu.Lock()
		c.awake = slices.DeleteFunc(c.awake, func(other *hand) bool { return other == h })
		c.mu.Unlock()
	}
}
