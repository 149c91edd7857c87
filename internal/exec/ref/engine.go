package ref

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"silica/internal/exec"
	"silica/internal/ir"
)

// Engine is the reference engine. It keeps what it prepared of the kernels it ran; it may be used by
// several goroutines.
type Engine struct {
	mu       sync.Mutex
	programs map[*ir.Kernel]*program
}

// New returns an engine.
func New() *Engine { return &Engine{programs: map[*ir.Kernel]*program{}} }

// Name returns "ref".
func (e *Engine) Name() string { return "ref" }

// keptPrograms bounds the kernels that an engine keeps prepared.
const keptPrograms = 256

// program returns the kernel prepared to run.
func (e *Engine) program(k *ir.Kernel) (*program, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.programs[k]; p != nil {
		return p, nil
	}
	p, err := prepare(k)
	if err != nil {
		return nil, err
	}
	if len(e.programs) >= keptPrograms {
		clear(e.programs)
	}
	e.programs[k] = p
	return p, nil
}

// grid is one launch as its workers see it.
type grid struct {
	*exec.Launch
	program *program
	params  []uint64 // Params, aligned to 8 bytes
	stdout  io.Writer
	// constants holds the values of each function's Frame.Consts in this launch.
	constants [][]uint64
	clusters  int
	// resident is the number of clusters that a worker may have begun and not ended.
	resident int

	next    atomic.Int64 // the next cluster to begin
	stop    atomic.Bool  // ends all workers
	budget  exec.Budget
	meeting *exec.Meeting
	exited  atomic.Int64 // blocks
}

// Run runs all blocks of the launch; see exec.Engine.
func (e *Engine) Run(ctx context.Context, l *exec.Launch) (*exec.Stats, error) {
	if err := exec.CheckRunnable(l); err != nil {
		return nil, err
	}
	p, err := e.program(l.Kernel)
	if err != nil {
		return nil, err
	}
	g := newGrid(l, p)
	defer context.AfterFunc(ctx, func() { g.stop.Store(true) })()
	workers := newWorkers(g)
	var group sync.WaitGroup
	for _, w := range workers {
		group.Go(w.run)
	}
	group.Wait()
	if err := g.result(ctx, workers); err != nil {
		return nil, err
	}
	if !l.Count {
		return nil, nil
	}
	for _, w := range workers[1:] {
		workers[0].stats.Add(w.stats)
	}
	return workers[0].stats, nil
}

func newGrid(l *exec.Launch, p *program) *grid {
	g := &grid{Launch: l, program: p, params: exec.AlignParams(l.Params)}
	if l.Stdout != nil {
		g.stdout = &exec.LockedWriter{W: l.Stdout}
	}
	for _, f := range l.Kernel.Funcs {
		g.constants = append(g.constants, constants(f, l.Symbols))
	}
	g.clusters = l.Grid.Count() / l.Cluster.Count()
	return g
}

// newWorkers returns a worker for each block to run at the same time.
func newWorkers(g *grid) []*worker {
	n, resident := exec.WorkersFor(g.Launch, g.clusters)
	g.resident = resident
	g.meeting = exec.NewMeeting(g.Launch, n)
	workers := make([]*worker, n)
	for i := range workers {
		workers[i] = newWorker(g, i)
	}
	return workers
}

// result returns why the launch failed.
func (g *grid) result(ctx context.Context, workers []*worker) error {
	var all exec.Ending
	for _, w := range workers {
		all.Join(&w.ending)
	}
	return all.Result(ctx, &g.budget, func(cause error) error { return unfinished(g.Launch, cause, workers) })
}

// worker runs clusters, one at a time, on one goroutine.
type worker struct {
	*grid
	id       int
	observer exec.Observer
	stats    *exec.Stats // nil when nobody counts
	executed uint64      // warp instructions since a block ended
	queue    []*cluster  // begun and not ended, in the order of their turns
	idle     []*cluster  // to be used again
	current  *warp       // for the report of a bug
	scratch  scratch

	attendance exec.Attendance
	ending     exec.Ending
}

func newWorker(g *grid, id int) *worker {
	w := &worker{grid: g, id: id, scratch: newScratch(g), attendance: exec.Attendance{Meeting: g.meeting, Worker: id}}
	if g.Count {
		w.stats = exec.NewStats(g.Kernel)
	}
	return w
}

// errBug marks an error of the engine itself.
var errBug = errors.New("bug in the reference engine")

// run runs clusters until none is left or the launch is stopped. A panic becomes an error.
func (w *worker) run() {
	defer func() {
		if r := recover(); r != nil {
			w.ending.Bug = fmt.Errorf("%w: %v, %s\n%s", errBug, r, w.where(), debug.Stack())
			w.stop.Store(true)
		}
	}()
	// Host memory that its owner unmapped during the launch is a panic here, not the end of the process.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if w.Observe != nil {
		w.observer = w.Observe(w.id)
	}
	for !w.stop.Load() && (len(w.queue) > 0 || w.begin()) {
		w.turn()
	}
	w.attendance.Leave()
}

// begin puts the next cluster of the grid at the head of the queue, if there is one left.
func (w *worker) begin() bool {
	i := int(w.next.Add(1)) - 1
	if i >= w.clusters {
		return false
	}
	var c *cluster
	if n := len(w.idle); n > 0 {
		c, w.idle = w.idle[n-1], w.idle[:n-1]
	} else {
		c = newCluster(w)
	}
	c.reset(i)
	w.queue = append([]*cluster{c}, w.queue...)
	return true
}

// turn runs the cluster at the head of the queue until it ends or can only spin. Then another cluster
// has its turn, one not begun yet if there is room: it may be what the others wait for.
func (w *worker) turn() {
	c := w.queue[0]
	outcome := c.run()
	switch outcome {
	case ended:
		w.queue = w.queue[1:]
		w.idle = append(w.idle, c)
		w.exited.Add(int64(len(c.blocks)))
	case spinning, busy:
		w.queue = append(w.queue[1:], c)
		if c.patience.Turn(outcome == spinning) && c.stuck() {
			return
		}
		began := len(w.queue) < w.resident && w.begin()
		if w.meeting != nil {
			waiting := outcome == spinning && !began && c.meets()
			if w.attendance.Turn(waiting, len(w.queue)) {
				c.absent()
			}
		}
		runtime.Gosched() // another worker may hold what this one waits for
	}
}

// spend counts instructions towards the launch's limit.
func (w *worker) spend(n int) {
	if !w.budget.Spend(w.Launch, uint64(n)) {
		w.stop.Store(true)
	}
}

// fail records a fault and stops the launch.
func (w *worker) fail(f *exec.Fault, block int) {
	w.ending.Fail(f, block)
	w.stop.Store(true)
}

// where names the instruction being run, for the report of a bug.
func (w *worker) where() string {
	if w.current == nil || w.current.running == nil {
		return "in " + w.Kernel.Name
	}
	f := w.current.running
	inst := &f.frame.fn.ir.Code[f.pc]
	return fmt.Sprintf("at %s:%d:%d: %s in %s", w.Kernel.Module.Source.File, inst.Pos.Line, inst.Pos.Col, inst.Form.Name(), w.Kernel.Name)
}
