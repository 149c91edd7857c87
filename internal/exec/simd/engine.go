package simd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
	"silica/internal/mem"
)

// Engine is the gang interpreter. It keeps what it prepared of the kernels it ran; it may be used by
// several goroutines.
type Engine struct {
	unit     *vectorUnit
	mu       sync.Mutex
	programs map[programKey]*program
	// workspaces are those of workers that have ended.
	workspaces sync.Pool
	crew       crew
}

type programKey struct {
	kernel *ir.Kernel
	warps  int
	listeners
}

// New returns an engine that uses the best vector instructions of this CPU.
func New() *Engine { return newEngine(units()[0]) }

// Units returns an engine for each vector unit of this CPU, the best first and the portable one last, and for a unit that has native code others
// that make it of all that they come to, hot or not: one of runs, and one of whole kernels as well.
func Units() []*Engine {
	var engines []*Engine
	for _, u := range units() {
		engines = append(engines, newEngine(u))
		if u.encoder != nil {
			eager, whole := *u, *u
			eager.name, eager.eager = u.name+" native", true
			whole.name, whole.eager, whole.wholes = u.name+" whole", true, true
			engines = append(engines, newEngine(&eager), newEngine(&whole))
		}
	}
	return engines
}

func newEngine(u *vectorUnit) *Engine {
	return &Engine{unit: u, programs: map[programKey]*program{}, workspaces: sync.Pool{New: func() any { return newWorkspace() }}}
}

// Name returns "simd".
func (e *Engine) Name() string { return "simd" }

// VectorUnit names the instruction set of the kernels: "avx512", "avx2" or "portable"; "avx512 native" for one that makes native code of everything.
func (e *Engine) VectorUnit() string { return e.unit.name }

// keptPrograms bounds the kernels that an engine keeps prepared.
const keptPrograms = 256

// program returns the kernel prepared to run.
func (e *Engine) program(k *ir.Kernel, warps int, who listeners) (*program, error) {
	key := programKey{k, warps, who}
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.programs[key]; p != nil {
		return p, nil
	}
	p, err := prepare(k, e.unit, warps, who)
	if err != nil {
		return nil, err
	}
	if len(e.programs) >= keptPrograms {
		clear(e.programs)
	}
	e.programs[key] = p
	return p, nil
}

// gangSize returns the number of warps of a gang: as many as there may be, in gangs of about the same size.
func gangSize(block exec.Dim3) int {
	warps := exec.Warps(block)
	gangs := (warps + gangWarps - 1) / gangWarps
	return (warps + gangs - 1) / gangs
}

// grid is one launch as its workers see it.
type grid struct {
	*exec.Launch
	program *program
	params  []uint64 // Params, aligned for every access
	stdout  io.Writer
	// constants holds the values of each function's constant rows in this launch.
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
	p, err := e.program(l.Kernel, gangSize(l.Block), listeners{l.Observe != nil, l.Together, l.Trace != nil})
	if err != nil {
		return nil, err
	}
	g := newGrid(l, p)
	defer context.AfterFunc(ctx, func() { g.stop.Store(true) })()
	workers := newWorkers(g)
	for _, w := range workers {
		w.workspace = e.workspaces.Get().(*workspace)
	}
	tasks := make([]func(), len(workers))
	for i, w := range workers {
		tasks[i] = w.run
	}
	e.crew.run(tasks)
	for _, w := range workers {
		w.leave()
		e.workspaces.Put(w.workspace)
	}
	if err := g.result(ctx, workers); err != nil {
		return nil, err
	}
	for _, w := range workers {
		w.keep()
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
	for _, f := range p.funcs {
		g.constants = append(g.constants, f.constantValues(l.Symbols))
	}
	g.clusters = l.Grid.Count() / l.Cluster.Count()
	return g
}

// constantValues returns the values of a function's constants in a launch. A ConstLocal's is what is added to
// the lane's frame base.
func (f *function) constantValues(symbols []uint64) []uint64 {
	values := make([]uint64, len(f.consts))
	for i, c := range f.consts {
		values[i] = c.Value
		switch c.Kind {
		case ir.ConstGlobal:
			values[i] += symbols[c.Symbol]
		case ir.ConstFunc:
			values[i] += ir.FuncAddress(c.Symbol)
		}
	}
	return values
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
	synced   uint64      // warp-synchronous instructions that no segment counts
	told     uint64      // warp instructions of the blocks that ended
	// counters holds the counts of each function's segments and guards, and of accesses that are reported together.
	counters [][]uint64
	queue    []*cluster // begun and not ended, in the order of their turns
	idle     []*cluster // to be used again
	current  *gang      // for the report of a bug
	view     mem.View

	*workspace
	async  exec.AsyncLog
	access exec.Access
	fence  uint32
	plain  bool // native code of the whole kernel has all that is asked of the launch
	// inside tells that native code of the whole kernel is in a block, whose number the observer knows.
	inside bool
	block  int

	attendance exec.Attendance
	ending     exec.Ending
}

func newWorker(g *grid, id int) *worker {
	w := &worker{grid: g, id: id, view: g.Memory.View(), attendance: exec.Attendance{Meeting: g.meeting, Worker: id}}
	w.plain = g.Work == nil && g.Trace == nil && (g.MaxInstructions == 0 || g.program.unit.wholes) && g.Cluster.Count() == 1
	if g.Count {
		w.stats = exec.NewStats(g.Kernel)
	}
	if g.Count || g.Together {
		for _, f := range g.program.funcs {
			w.counters = append(w.counters, make([]uint64, f.counters/8))
		}
	}
	return w
}

// errBug marks an error of the engine itself.
var errBug = errors.New("bug in the simd engine")

// run runs clusters until none is left or the launch is stopped. A panic becomes an error.
func (w *worker) run() {
	defer func() {
		if r := recover(); r != nil {
			resetControl()
			w.ending.Bug = fmt.Errorf("%w: %v, %s\n%s", errBug, r, w.where(), debug.Stack())
			w.stop.Store(true)
		}
	}()
	// Host memory that its owner unmapped during the launch is a panic here, not the end of the process.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if w.Observe != nil {
		w.observer = w.Observe(w.id)
		w.openJournal()
	}
	for !w.stop.Load() && (len(w.queue) > 0 || w.begin()) {
		if len(w.queue) > 0 {
			w.turn()
		}
	}
	w.attendance.Leave()
	if w.observer != nil && w.Together {
		w.tellTallies()
		w.reportTogether()
	}
	if w.Count {
		w.sum()
	}
}

// begin puts the next cluster of the grid at the head of the queue, if there is one left; or runs the next blocks, where native code can.
func (w *worker) begin() bool {
	if h := w.wholeKernel(); h != nil {
		return w.beginWhole(h)
	}
	i := int(w.next.Add(1)) - 1
	if i >= w.clusters {
		return false
	}
	c := w.cluster()
	c.reset(i)
	w.queue = slices.Insert(w.queue, 0, c)
	return true
}

// cluster returns a cluster that is not in use.
func (w *worker) cluster() *cluster {
	n := len(w.idle)
	if n == 0 {
		if c := w.keptCluster(); c != nil {
			return c
		}
		return newCluster(w)
	}
	c := w.idle[n-1]
	w.idle = w.idle[:n-1]
	return c
}

// turn runs the cluster at the head of the queue until it ends or can only poll. Then another cluster
// has its turn, one not begun yet if there is room: it may be what the others wait for.
func (w *worker) turn() {
	c := w.queue[0]
	outcome := c.run()
	switch outcome {
	case ended:
		w.queue = slices.Delete(w.queue, 0, 1)
		w.idle = append(w.idle, c)
		w.exited.Add(int64(len(c.blocks)))
	case polling, busy:
		w.queue = append(slices.Delete(w.queue, 0, 1), c)
		if c.patience.Turn(outcome == polling) && c.stuck() {
			return
		}
		began := len(w.queue) < w.resident && w.begin()
		if w.meeting != nil {
			waiting := outcome == polling && !began && c.meets()
			if w.attendance.Turn(waiting, len(w.queue)) {
				c.absent()
			}
		}
		runtime.Gosched() // another worker may hold what this one waits for
	}
}

// spend counts instructions towards the launch's limit.
func (w *worker) spend(n uint64) {
	if !w.budget.Spend(w.Launch, n) {
		w.stop.Store(true)
	}
}

// fail records a fault and stops the launch.
func (w *worker) fail(f *exec.Fault, block int) {
	w.ending.Fail(f, block)
	w.stop.Store(true)
}

// sum adds the counts of segments and guards to the counts of their instructions.
func (w *worker) sum() {
	for _, fn := range w.program.funcs {
		counters, stats := w.counters[fn.index], w.stats.Funcs[fn.index]
		for _, s := range fn.segments {
			warps, threads := counters[s.counter/8], counters[s.counter/8+1]
			for pc := s.start; pc < s.end; pc++ {
				if fn.ir.Code[pc].Synthetic {
					continue
				}
				on := threads
				c := &stats[pc]
				if guard, ok := fn.guards[pc]; ok {
					on = counters[guard/8]
					if fn.ir.Code[pc].Op == isa.OpBranch {
						c.Divergent += counters[guard/8+1]
					}
				}
				c.Warps, c.Threads, c.PredOn = c.Warps+warps, c.Threads+threads, c.PredOn+on
			}
		}
	}
}

// tell says what blocks that ended took: what was executed since others ended.
func (w *worker) tell(blocks []*block) {
	if w.Work == nil || !w.Count {
		return
	}
	n := w.synced
	for _, fn := range w.program.funcs {
		for _, s := range fn.segments {
			n += w.counters[fn.index][s.counter/8] * uint64(s.counted)
		}
	}
	for _, b := range blocks {
		w.Work(b.number, (n-w.told)/uint64(len(blocks)))
	}
	w.told = n
}

// where names the instruction being run, for the report of a bug.
func (w *worker) where() string {
	g := w.current
	if g == nil || g.running == nil {
		return "in " + w.Kernel.Name
	}
	o := &g.code(g.running.frame.fn).ops[g.at]
	if o.inst == nil {
		return "in " + w.Kernel.Name
	}
	return fmt.Sprintf("at %s:%d:%d: %s in %s", w.Kernel.Module.Source.File, o.inst.Pos.Line, o.inst.Pos.Col, o.inst.Form.Name(), w.Kernel.Name)
}
