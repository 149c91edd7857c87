package simd

import (
	"fmt"
	"math/bits"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/isa"
)

// block is a block of threads: its gangs, its shared memory and its barriers.
type block struct {
	worker  *worker
	cluster *cluster
	rank    int // in the cluster
	index   exec.Dim3
	number  int // linear index in the grid
	gangs   []*gang

	shared      ptr
	sharedBytes int
	sharedWords []uint64
	named       [barriers]barrier
	tensor      exec.TensorMemory
	tracer      exec.Tracer // nil when nobody follows the block
}

func newBlock(c *cluster, rank int) *block {
	w := c.worker
	b := &block{worker: w, cluster: c, rank: rank, sharedBytes: w.SharedWindowBytes()}
	b.sharedWords = alignedWords(b.sharedBytes / 8)
	b.shared = ptr(unsafe.SliceData(b.sharedWords[:1:cap(b.sharedWords)]))
	warps := exec.Warps(w.Block)
	for first := 0; first < warps; first += w.program.warps {
		g := newGang(b, w.program, first, min(w.program.warps, warps-first))
		g.index = len(b.gangs)
		b.gangs = append(b.gangs, g)
	}
	for i := range b.named {
		b.named[i].arrived = make([]masks, len(b.gangs))
	}
	return b
}

// reset starts the block at an index of the grid.
func (b *block) reset(index exec.Dim3) {
	grid := b.worker.Grid
	b.index = index
	b.number = index.X + grid.X*(index.Y+grid.Y*index.Z)
	if trace := b.worker.Trace; trace != nil {
		b.tracer = trace(b.number)
	}
	clear(b.sharedWords)
	b.tensor.Reset()
	for i := range b.named {
		if b.named[i].some {
			b.named[i].open()
		}
	}
	for _, g := range b.gangs {
		g.reset()
	}
}

// exited checks what may have waited for lanes that are gone.
func (b *block) exited() {
	for i := range b.named {
		if bar := &b.named[i]; bar.some {
			b.checkBarrier(bar, i)
		}
	}
	b.cluster.checkBarrier()
}

// deadlock reports that the gangs of a cluster, g first, wait for ever.
func (c *cluster) deadlock(g *gang) {
	f := g.fragments[0]
	w, lane := firstLane(&f.masks)
	g.fail(f.arrival, w, lane, &exec.Fault{Kind: exec.Deadlock, Detail: exec.Standings(c.standings())})
}

// standings tells where the lanes of the cluster are.
func (c *cluster) standings() (all []exec.Standing) {
	for _, b := range c.blocks {
		for _, g := range b.gangs {
			for _, f := range g.fragments {
				for w, lanes := range f.masks {
					if lanes == 0 {
						continue
					}
					s := exec.Standing{Warp: g.firstWarp + w}
					s.Waits, s.Where = f.where(g, w)
					if lanes != g.live[w] {
						s.Lanes = lanes
					}
					all = append(all, s)
				}
			}
		}
	}
	return all
}

// where tells where warp w of the fragment is, and what it waits for.
func (f *fragment) where(g *gang, w int) (waits bool, where string) {
	if f.waits != waitsNot {
		return true, f.awaited(g.block, w)
	}
	k, fn := g.worker.Kernel, f.frame.fn.ir
	if wait := f.polling(g, w, bits.TrailingZeros32(f.masks[w])).Tests(); wait != nil {
		return true, wait.Says(k, fn)
	}
	return false, exec.Running(k, fn, f.pc)
}

// awaited tells what warp w of a fragment that waits waits for.
func (f *fragment) awaited(b *block, w int) string {
	k := b.worker.Kernel
	at := exec.Position(k, f.arrival.fn.ir, f.arrival.pc)
	switch f.waits {
	case waitsBarrier:
		bar := &b.named[f.barrier]
		if bar.expected == 0 {
			return fmt.Sprintf("at barrier %d for all threads of the block, %s", f.barrier, at)
		}
		return fmt.Sprintf("at barrier %d for %d threads, %d arrived, %s", f.barrier, bar.expected, b.count(bar), at)
	case waitsWarp:
		return fmt.Sprintf("for lanes 0x%08x of the warp, %s", f.members[w], at)
	}
	return "at the barrier of the cluster, " + at
}

// unfinished reports the first cluster of the workers that has not ended.
func unfinished(l *exec.Launch, cause error, workers []*worker) error {
	var first *cluster
	for _, w := range workers {
		for _, c := range w.queue {
			if first == nil || c.blocks[0].number < first.blocks[0].number {
				first = c
			}
		}
	}
	if first == nil {
		return exec.NewUnfinished(l, cause, nil)
	}
	u := exec.NewUnfinished(l, cause, &first.blocks[0].index)
	u.Where = exec.Standings(first.standings())
	for _, g := range first.blocks[0].gangs {
		if len(g.fragments) > 0 {
			f := g.fragments[0]
			u.At = exec.Position(l.Kernel, f.frame.fn.ir, f.pc)
			break
		}
	}
	return u
}

// cluster is a cluster of blocks (one block when the launch has no clusters): they run together on one
// worker, which serves their gangs in turn.
type cluster struct {
	worker *worker
	blocks []*block
	// arrived holds the lanes that arrived at the cluster barrier, by block and gang.
	arrived  [][]masks
	some     bool // any have
	patience exec.Patience
}

// outcome is how the turn of a cluster ended.
type outcome uint8

const (
	ended   outcome = iota // all threads have exited
	busy                   // the turn is over
	polling                // every gang that can run only polls
	stopped                // the launch is over
)

func newCluster(w *worker) *cluster {
	c := &cluster{worker: w}
	for rank := range w.Cluster.Count() {
		b := newBlock(c, rank)
		c.blocks = append(c.blocks, b)
		c.arrived = append(c.arrived, make([]masks, len(b.gangs)))
	}
	return c
}

// reset starts cluster number i of the grid.
func (c *cluster) reset(i int) {
	w := c.worker
	size := w.Cluster
	c.patience = exec.Patience{}
	c.some = false
	if len(c.blocks) == 1 {
		c.resetBlock(0, exec.BlockIndex(w.Grid, i))
		return
	}
	clusters := exec.Dim3{X: w.Grid.X / size.X, Y: w.Grid.Y / size.Y, Z: w.Grid.Z / size.Z}
	at := exec.BlockIndex(clusters, i)
	for rank := range c.blocks {
		in := exec.BlockIndex(size, rank)
		c.resetBlock(rank, exec.Dim3{X: at.X*size.X + in.X, Y: at.Y*size.Y + in.Y, Z: at.Z*size.Z + in.Z})
	}
}

func (c *cluster) resetBlock(rank int, index exec.Dim3) {
	b := c.blocks[rank]
	b.reset(index)
	clear(c.arrived[rank])
	if o := c.worker.observer; o != nil {
		o.BlockStart(b.number)
	}
}

const (
	// pollPasses is the number of passes over all gangs in which every gang only polls before the cluster's
	// turn ends, clusterTurn the most passes of a turn. A loop that waits with plain loads is not seen
	// as polling, but ends with the latter.
	pollPasses, clusterTurn = 4, 1 << 9
)

// run serves the gangs in turn.
func (c *cluster) run() outcome {
	polled := 0
	for pass := 0; polled < pollPasses && pass < clusterTurn; pass++ {
		ready, progress := false, false
		for _, b := range c.blocks {
			for _, g := range b.gangs {
				if !g.ready() {
					continue
				}
				if c.worker.stop.Load() {
					return stopped
				}
				ready = true
				progress = g.run() || progress
			}
		}
		if !ready {
			c.worker.tellBlock()
			return c.rest()
		}
		polled++
		if progress {
			polled = 0
		}
	}
	c.worker.tellBlock()
	if polled < pollPasses {
		return busy
	}
	return polling
}

// meets tells whether all threads that can run wait for the barrier of the grid: in loops that load its word.
func (c *cluster) meets() bool {
	for _, b := range c.blocks {
		for _, g := range b.gangs {
			for _, f := range g.fragments {
				if f.waits == waitsNot && !f.meets(g) {
					return false
				}
			}
		}
	}
	return true
}

func (f *fragment) meets(g *gang) bool {
	g.point(f)
	w, lane := firstLane(&f.masks)
	start, end := exec.LoopCode(f.frame.fn.ir, f.pc)
	code := g.code(f.frame.fn)
	for i := range code.ops {
		o := &code.ops[i]
		if o.mem == nil || o.pc < start || o.pc >= end || o.inst.Op != isa.OpLoad || o.mem.base.offset < 0 {
			continue
		}
		if g.worker.meeting.Place(g.read(o.mem.base, w, lane) + o.mem.offset) {
			return true
		}
	}
	return false
}

// absent reports that the grid waits for ever at its barrier.
func (c *cluster) absent() {
	for _, b := range c.blocks {
		for _, g := range b.gangs {
			for _, f := range g.fragments {
				if f.waits != waitsNot {
					continue
				}
				w, lane := firstLane(&f.masks)
				code := g.code(f.frame.fn)
				for i := range code.ops {
					if o := &code.ops[i]; o.pc == f.pc && o.inst != nil {
						g.fail(o, w, lane, c.worker.meeting.Absent(int(c.worker.exited.Load())))
						return
					}
				}
			}
		}
	}
}

// rest is reached when no gang can run: all threads have exited, or those that are left wait for ever.
func (c *cluster) rest() outcome {
	if c.worker.stop.Load() {
		return stopped
	}
	for _, b := range c.blocks {
		for _, g := range b.gangs {
			if !isEmpty(&g.live) {
				c.deadlock(g)
				return stopped
			}
		}
	}
	for _, b := range c.blocks {
		if o := c.worker.observer; o != nil {
			o.BlockEnd(b.number)
		}
	}
	c.worker.tell(c.blocks)
	c.worker.BlocksEnded(len(c.blocks))
	return ended
}

// checkBarrier opens the cluster barrier when every thread has arrived or exited.
func (c *cluster) checkBarrier() {
	if !c.some {
		return
	}
	for i, b := range c.blocks {
		for j, g := range b.gangs {
			if rest := without(&g.live, &c.arrived[i][j]); !isEmpty(&rest) {
				return
			}
		}
	}
	c.some = false
	for i, b := range c.blocks {
		clear(c.arrived[i])
		for _, g := range b.gangs {
			for _, f := range g.fragments {
				if f.waits == waitsCluster {
					f.waits, f.pc = waitsNot, f.arrival.inst.Next
				}
			}
		}
	}
}
