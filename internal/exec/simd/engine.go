package simd

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"silica/internal/exec"
	"silica/internal/exec/ref"
	"silica/internal/ir"
)

// Engine is the gang interpreter. It may run several launches at once.
type Engine struct {
	unit     vectorUnit
	mu       sync.Mutex
	programs map[programKey]*program
	// clusters runs launches with clusters of several blocks, which a gang does not know.
	clusters exec.Engine
}

type programKey struct {
	kernel *ir.Kernel
	warps  int
}

// maxPrograms bounds the cache of prepared programs.
const maxPrograms = 256

// New returns an engine that uses the vector instructions of this CPU.
func New() *Engine { return newEngine(detect()) }

// NewPortable returns an engine that uses no vector instructions, as on CPUs that have none it knows.
func NewPortable() *Engine { return newEngine(portableUnit()) }

func newEngine(unit vectorUnit) *Engine {
	return &Engine{unit: unit, programs: map[programKey]*program{}, clusters: ref.New()}
}

// Name returns "simd".
func (e *Engine) Name() string { return "simd" }

// VectorUnit names the instruction set of the kernels: "avx512" or "portable".
func (e *Engine) VectorUnit() string { return e.unit.name }

// Run executes the launch on Launch.Workers goroutines.
func (e *Engine) Run(ctx context.Context, l *exec.Launch) (*exec.Stats, error) {
	if l.Cluster.Count() > 1 {
		return e.clusters.Run(ctx, l)
	}
	if u := l.Kernel.Unsupported; len(u) > 0 {
		return nil, fmt.Errorf("%s:%d:%d: %s", l.Kernel.Module.Source.File, u[0].Pos.Line, u[0].Pos.Col, u[0].Msg)
	}
	warps := exec.Warps(l.Block)
	gangs := (warps + gangWarps - 1) / gangWarps
	r := &run{launch: l, program: e.prepare(l.Kernel, (warps+gangs-1)/gangs), unit: &e.unit, blocks: int64(l.Grid.Count())}
	workers := l.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = int(min(int64(workers), r.blocks))
	r.resident = max(1, l.Machine.SMs*max(l.Machine.BlocksPerSM, 1)/workers)
	all := make([]*worker, workers)
	var wg sync.WaitGroup
	for i := range all {
		all[i] = &worker{view: l.Memory.View()}
		if l.Count {
			all[i].stats = exec.NewStats(l.Kernel)
		}
		if l.Observe != nil {
			all[i].observer = l.Observe(i)
		}
		wg.Go(func() { r.work(ctx, all[i]) })
	}
	wg.Wait()
	switch {
	case r.fault != nil:
		return nil, r.fault
	case r.err != nil:
		return nil, r.err
	case !l.Count:
		return nil, nil
	}
	for _, w := range all[1:] {
		all[0].stats.Add(w.stats)
	}
	return all[0].stats, nil
}

func (e *Engine) prepare(k *ir.Kernel, warps int) *program {
	key := programKey{k, warps}
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.programs[key]
	if p == nil {
		if len(e.programs) >= maxPrograms {
			clear(e.programs)
		}
		p = prepare(k, &e.unit, warps)
		e.programs[key] = p
	}
	return p
}

// run is one launch in progress.
type run struct {
	launch   *exec.Launch
	program  *program
	unit     *vectorUnit
	blocks   int64
	resident int // blocks a worker may have in flight
	next     atomic.Int64
	executed atomic.Uint64
	stop     atomic.Bool

	mu    sync.Mutex
	fault *exec.Fault
	first int // block of fault
	err   error
}

// turnBudget is how many warp instructions a block runs before its worker looks at other blocks.
const turnBudget = 1 << 16

// work runs blocks until none is left. A block that seems to wait for another block lets the worker take further ones, as many as would be resident on the GPU.
func (r *run) work(ctx context.Context, w *worker) {
	defer func() {
		if p := recover(); p != nil {
			r.fail(fmt.Errorf("internal error in kernel %s: %v", r.launch.Kernel.Name, p))
		}
	}()
	var active, idle []*block
	more := true
	for {
		if more && len(active) == 0 {
			active, idle, more = r.take(w, active, idle)
		}
		if len(active) == 0 || r.stop.Load() {
			return
		}
		if err := ctx.Err(); err != nil {
			r.fail(err)
			return
		}
		b := active[0]
		active = active[1:]
		used, done, fault := b.turn(turnBudget)
		if total := r.executed.Add(used); r.launch.MaxInstructions > 0 && total > r.launch.MaxInstructions {
			r.fail(exec.ErrLimit)
			return
		}
		switch {
		case fault != nil:
			r.raise(fault, b.linear)
			return
		case done:
			idle = append(idle, b)
		default:
			if more && b.spins() && len(active)+1 < r.resident {
				active, idle, more = r.take(w, active, idle)
			}
			active = append(active, b)
		}
	}
}

// take starts the next block of the grid.
func (r *run) take(w *worker, active, idle []*block) ([]*block, []*block, bool) {
	linear := r.next.Add(1) - 1
	if linear >= r.blocks {
		return active, idle, false
	}
	var b *block
	if n := len(idle); n > 0 {
		b, idle = idle[n-1], idle[:n-1]
	} else {
		b = newBlock(w, r.launch, r.program, r.unit)
	}
	b.start(int(linear))
	return append(active, b), idle, true
}

func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
	r.stop.Store(true)
}

// raise keeps the fault of the lowest block.
func (r *run) raise(f *exec.Fault, block int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fault == nil || block < r.first {
		r.fault, r.first = f, block
	}
	r.stop.Store(true)
}
