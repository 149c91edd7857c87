package driver

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"silica/internal/exec"
)

// grid is one launch of a kernel, by the host or by another grid, and what its threads ask of the device
// runtime: launches, copies and fills in streams. That work runs when the kernel has ended, which is one of
// the orders that CUDA allows; a grid is complete when all of it is.
type grid struct {
	function *Function
	launch   *exec.Launch

	mu sync.Mutex
	// buffers holds the parameter buffers that were handed out and not launched yet, by address.
	buffers map[uint64]*buffer
	work    []*work // in the order of the calls; without tail launches
	tails   []*work
	last    map[stream]*work // of each stream
	streams map[uint64]bool  // those created and not destroyed, by handle
	events  map[uint64]*work // what each waits for, by handle; nil for nothing
	handles uint64           // given out
	errors  map[thread]Code  // the last error of each thread that has one
}

// buffer is a parameter buffer of a launch from the device. Without function it is of the first version
// of the calls, in which the launch tells everything.
type buffer struct {
	address uint64
	bytes   uint64
	child   Launch
	of      *Function
}

// work is a launch, a copy or a fill that a thread of a grid asked for.
type work struct {
	block int // the linear index of the thread's block
	after []*work
	taken bool // it has its place in the order
	// do runs what is not a launch; child is a launch, and parameters its buffer.
	do         func()
	child      *grid
	parameters uint64
}

// stream names a stream of a grid. The default stream is one of each block, the others are of the whole grid.
type stream struct {
	handle uint64
	block  int
}

// thread names a thread of a grid by linear indices.
type thread struct{ block, thread int }

func newGrid(f *Function, l *exec.Launch) *grid {
	g := &grid{
		function: f, launch: l, buffers: map[uint64]*buffer{}, last: map[stream]*work{}, streams: map[uint64]bool{},
		events: map[uint64]*work{}, errors: map[thread]Code{},
	}
	l.Runtime, l.Objects = g, f.Module.device.objects.all()
	return g
}

// run runs a grid, and after it all that it and its descendants launched.
func (g *grid) run(ctx context.Context) error {
	d := g.function.Module.device
	todo := []*work{{child: g}} // the next one last
	var err error
	for len(todo) > 0 {
		w := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if err == nil {
			err = w.run(ctx)
		}
		if w.parameters != 0 {
			_ = d.memory.Free(w.parameters) // it is ours, so it can be freed
		}
		if w.child != nil {
			todo = append(todo, w.child.leave()...)
		}
	}
	return err
}

func (w *work) run(ctx context.Context) error {
	switch {
	case w.do != nil:
		w.do()
	case w.child != nil:
		return w.child.runKernel(ctx)
	}
	return nil
}

// runKernel runs the kernel of a grid alone.
func (g *grid) runKernel(ctx context.Context) error {
	f, d, l := g.function, g.function.Module.device, g.launch
	if l.Origin == nil {
		l.GridID = d.launches.Add(1)
	} else {
		// Those of an H200 count down from here.
		l.GridID = firstChildGrid - (d.childLaunches.Add(1) - 1)
	}
	d.system.space.Launched()
	var ended func(*exec.Stats, error)
	if t := d.options.Tracer; t != nil {
		ended = t.Launch(f, l)
	}
	stats, err := d.engine.Run(ctx, l)
	if ended != nil {
		ended(stats, err)
	}
	if err != nil {
		return f.failed(err)
	}
	return nil
}

// firstChildGrid is the identifier of the first grid that a kernel launches.
const firstChildGrid = ^uint64(4)

// leave returns the work of a grid whose kernel has ended, the first last, and gives back what nobody launched.
func (g *grid) leave() []*work {
	for _, b := range g.buffers {
		_ = g.function.Module.device.memory.Free(b.address) // it is ours, so it can be freed
	}
	all := append(inOrder(g.work), inOrder(g.tails)...)
	slices.Reverse(all)
	*g = grid{function: g.function, launch: g.launch}
	return all
}

// inOrder returns work in the order of the blocks that asked for it, and of a block's calls, as far as
// streams and events do not demand another: the same in every run.
func inOrder(all []*work) (ordered []*work) {
	slices.SortStableFunc(all, func(a, b *work) int { return cmp.Compare(a.block, b.block) })
	var take func(w *work)
	take = func(w *work) {
		if w == nil || w.taken {
			return
		}
		w.taken = true
		for _, before := range w.after {
			take(before)
		}
		ordered = append(ordered, w)
	}
	for _, w := range all {
		take(w)
	}
	return ordered
}
