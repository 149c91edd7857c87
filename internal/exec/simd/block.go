package simd

import (
	"unsafe"

	"silica/internal/exec"
	"silica/internal/mem"
)

// block is one block in flight: its gangs, shared memory and barriers. Blocks are reused.
type block struct {
	worker *worker
	launch *exec.Launch
	linear int // index in the grid
	index  exec.Dim3
	gangs  []*gang

	shared      ptr
	sharedWords []uint64
	sharedBytes int

	barriers    [16]barrier
	liveThreads int
	polls       int // instructions since the last turn began that may wait for another block
	next        int // gang to run next
}

// worker runs blocks, one at a time, on its own goroutine.
type worker struct {
	view     mem.View
	stats    *exec.Stats
	observer exec.Observer
}

// newBlock makes a block for the launch; start gives it a place in the grid.
func newBlock(w *worker, l *exec.Launch, p *program, unit *vectorUnit) *block {
	threads := l.Block.Count()
	warps := (threads + warpLanes - 1) / warpLanes
	b := &block{worker: w, launch: l, sharedBytes: l.SharedWindowBytes()}
	b.sharedWords = alignedWords(b.sharedBytes/8 + 1 + 2*warpLanes)
	b.shared = unsafe.Add(ptr(unsafe.SliceData(b.sharedWords)), warpLanes*8)
	for first := 0; first < warps; first += p.warps {
		g := &gang{block: b, unit: unit, program: p, firstWarp: first, warps: min(p.warps, warps-first)}
		g.local.limit = l.Machine.LocalPerThread
		b.gangs = append(b.gangs, g)
	}
	return b
}

func (b *block) start(linear int) {
	b.linear = linear
	b.index = exec.BlockIndex(b.launch.Grid, linear)
	b.barriers = [16]barrier{}
	b.liveThreads = b.launch.Block.Count()
	b.next = 0
	clear(b.sharedWords)
	if o := b.worker.observer; o != nil {
		o.BlockStart(linear)
	}
	for _, g := range b.gangs {
		g.start(b.liveThreads)
	}
}

// gangBudget is how many warp instructions a gang runs before the next one's turn, and spinPolls how many polls of
// memory in that time make the block look as if it waits for another.
const (
	gangBudget = 1 << 12
	spinPolls  = 64
)

// spins tells whether the block seems to wait for another block.
func (b *block) spins() bool { return b.polls >= spinPolls }

// turn runs the block's gangs until all lanes have exited, the budget of warp instructions is used up, the block
// seems to wait for another, or a fault. It returns the instructions run.
func (b *block) turn(budget uint64) (used uint64, done bool, fault *exec.Fault) {
	for used < budget {
		b.polls = 0
		progress := false
		for range b.gangs {
			g := b.gangs[b.next%len(b.gangs)]
			b.next++
			if len(g.fragments) == 0 {
				continue
			}
			before := g.executed
			blocked := g.run(min(budget, gangBudget))
			used += g.executed - before
			progress = progress || g.executed != before
			if g.fault != nil {
				return used, true, g.fault
			}
			if !blocked {
				break // its share is used up: let the others run
			}
		}
		if b.liveThreads == 0 {
			if o := b.worker.observer; o != nil {
				o.BlockEnd(b.linear)
			}
			return used, true, nil
		}
		if !progress {
			return used, true, b.deadlockFault()
		}
		if b.spins() {
			break
		}
	}
	return used, false, nil
}

func (b *block) deadlockFault() *exec.Fault {
	g, f, detail := b.deadlock()
	w, lane := firstLane(&f.masks)
	g.raise(f.arrival, exec.Deadlock, w, lane, 0, 0, detail)
	return g.fault
}

// place tells special registers where warp w of the gang runs.
func (g *gang) place(w int) *exec.Place {
	b := g.block
	g.where = exec.Place{
		Launch: b.launch, Block: b.index, Warp: g.firstWarp + w, SM: b.linear % max(b.launch.Machine.SMs, 1), Cycles: g.executed,
	}
	return &g.where
}
