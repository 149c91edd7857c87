package simd

import (
	"fmt"
	"math/bits"

	"silica/internal/exec"
	"silica/internal/isa"
)

// barriers is the number of named barriers of a block.
const barriers = 16

// barrier is one named barrier of a block. Threads are counted by warps, as the hardware does: a warp
// whose lanes have all arrived, or exited, counts as 32 threads.
type barrier struct {
	expected int     // threads; 0 stands for all of the block
	arrived  []masks // by gang
	some     bool    // any have arrived
	again    int     // arrivals of threads that had arrived already
	// What the predicates of a reduction came to.
	trues, falses int
}

// open makes the barrier ready for its next use.
func (b *barrier) open() {
	if !b.some {
		return
	}
	clear(b.arrived)
	b.expected, b.some, b.again, b.trues, b.falses = 0, false, 0, 0, 0
}

// count returns the threads that have arrived.
func (b *block) count(bar *barrier) int {
	n := bar.again
	for i, g := range b.gangs {
		for w, lanes := range bar.arrived[i] {
			if lanes != 0 && g.live[w]&^lanes == 0 {
				n += warpLanes
			} else {
				n += bits.OnesCount32(lanes)
			}
		}
	}
	return n
}

// complete tells whether all that the barrier expects have arrived.
func (b *block) complete(bar *barrier) bool {
	if bar.expected != 0 {
		return b.count(bar) >= bar.expected
	}
	for i, g := range b.gangs {
		for w, lanes := range bar.arrived[i] {
			if g.live[w]&^lanes != 0 {
				return false
			}
		}
	}
	return true
}

// runBarrier lets the lanes arrive at the barrier they name, and wait for it or go on.
func runBarrier(g *gang, f *fragment, o *op) int {
	f.pc = o.pc
	active := g.evaluate(o)
	rest := without(&f.masks, &active)
	g.goOn(f, o, &rest)
	for !isEmpty(&active) {
		w, lane := firstLane(&active)
		id := uint32(g.read(o.srcs[0], w, lane))
		same := active
		if !o.uniform {
			same = g.lanesWith(o.srcs[0], uint64(id), &active)
		}
		active = without(&active, &same)
		if id >= barriers {
			return g.fail(o, w, lane, &exec.Fault{Kind: exec.IllegalInstruction, Detail: fmt.Sprintf("there is no barrier %d; the last is %d", id, barriers-1)})
		}
		if !g.arrive(g.split(f, &same), o, int(id)) {
			return stop
		}
		g.point(f)
	}
	return stop
}

// arrive enters a fragment at a barrier.
func (g *gang) arrive(f *fragment, o *op, id int) (ok bool) {
	bar := &g.block.named[id]
	if o.barrier.HasCount {
		w, lane := firstLane(&f.masks)
		n := uint32(g.read(o.srcs[1], w, lane))
		if n == 0 || n%warpLanes != 0 || n > 1024 {
			g.fail(o, w, lane, &exec.Fault{Kind: exec.IllegalInstruction, Detail: fmt.Sprintf("a barrier for %d threads; want a multiple of 32", n)})
			return false
		}
		bar.expected = int(n)
	}
	arrived := &bar.arrived[g.index]
	for w, lanes := range f.masks {
		if lanes == 0 {
			continue
		}
		if o.barrier.Kind == isa.BarrierRed {
			predicate := o.srcs[len(o.srcs)-1]
			p := *g.predicate(predicate, w)
			if predicate.negate {
				p = ^p
			}
			trues := bits.OnesCount32(p & lanes)
			bar.trues += trues
			bar.falses += bits.OnesCount32(lanes) - trues
		}
		bar.again += bits.OnesCount32(arrived[w] & lanes)
		arrived[w] |= lanes
	}
	bar.some = true
	if o.barrier.Kind == isa.BarrierArrive {
		f.pc = o.inst.Next
	} else {
		f.waits, f.barrier, f.arrival = waitsBarrier, id, o
	}
	g.block.checkBarrier(bar, id)
	return true
}

// checkBarrier opens the barrier and wakes those that wait when all have arrived.
func (b *block) checkBarrier(bar *barrier, id int) {
	if !bar.some || !b.complete(bar) {
		return
	}
	for _, g := range b.gangs {
		for _, f := range g.fragments {
			if f.waits == waitsBarrier && f.barrier == id {
				g.reduced(f, bar)
				f.waits, f.pc = waitsNot, f.arrival.inst.Next
			}
		}
	}
	bar.open()
}

// reduced gives a fragment that waited at a reduction the result.
func (g *gang) reduced(f *fragment, bar *barrier) {
	o := f.arrival
	var v uint64
	switch o.barrier.Reduction {
	case isa.ReduceNone:
		return
	case isa.ReducePopc:
		v = uint64(bar.trues)
	case isa.ReduceAnd:
		v = bit(bar.falses == 0)
	case isa.ReduceOr:
		v = bit(bar.trues > 0)
	}
	g.point(f)
	g.fillRow(o.dst[0], v, &f.masks)
}

// runClusterBarrier arrives at, or waits for, the barrier of the cluster.
func runClusterBarrier(g *gang, f *fragment, o *op) int {
	f.pc = o.pc
	active := g.evaluate(o)
	rest := without(&f.masks, &active)
	g.goOn(f, o, &rest)
	if isEmpty(&active) {
		return stop
	}
	f = g.split(f, &active)
	c := g.block.cluster
	arrived := &c.arrived[g.block.rank][g.index]
	if isa.ClusterBarrierOf(o.inst.Form) {
		for w := range active {
			arrived[w] |= active[w]
		}
		c.some = true
		f.pc = o.inst.Next
		c.checkBarrier()
		return stop
	}
	// Lanes whose arrival is still noted wait; for the others the barrier has opened since.
	passed := without(&active, arrived)
	waiting := without(&active, &passed)
	g.goOn(f, o, &passed)
	if !isEmpty(&waiting) {
		f.waits, f.arrival = waitsCluster, o
	}
	return stop
}

// bit returns 1 for true.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
