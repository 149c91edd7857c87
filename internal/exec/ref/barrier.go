package ref

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
	expected int // threads; 0 stands for all of the block
	arrived  []uint32
	again    int // arrivals of threads that had arrived already
	// What the predicates of a reduction came to.
	trues, falses int
}

// open makes the barrier ready for its next use.
func (b *barrier) open() {
	clear(b.arrived)
	b.expected, b.again, b.trues, b.falses = 0, 0, 0, 0
}

// count returns the threads that have arrived.
func (b *block) count(bar *barrier) int {
	n := bar.again
	for _, w := range b.warps {
		switch mask := bar.arrived[w.index]; {
		case mask != 0 && w.live&^mask == 0:
			n += 32
		default:
			n += bits.OnesCount32(mask)
		}
	}
	return n
}

// complete tells whether all that the barrier expects have arrived.
func (b *block) complete(bar *barrier) bool {
	if bar.expected != 0 {
		return b.count(bar) >= bar.expected
	}
	some := false
	for _, w := range b.warps {
		if w.live&^bar.arrived[w.index] != 0 {
			return false
		}
		some = some || bar.arrived[w.index] != 0
	}
	return some
}

// executeBarrier lets the active lanes arrive at the barrier they name, and wait for it or go on.
func executeBarrier(w *warp, f *fragment, s *step, active uint32) {
	w.goOn(f, s, f.mask&^active)
	for active != 0 {
		id := uint32(w.get(f, s.Src[0], firstLane(active)))
		same := w.lanesWith(f, s.Src[0], active, uint64(id))
		active &^= same
		if id >= barriers {
			w.fail(f, firstLane(same), &exec.Fault{Kind: exec.IllegalInstruction, Detail: fmt.Sprintf("there is no barrier %d; the last is %d", id, barriers-1)})
			return
		}
		g := w.split(f, same)
		if !w.arrive(g, s, int(id)) {
			return
		}
	}
}

// arrive enters a fragment at a barrier.
func (w *warp) arrive(f *fragment, s *step, id int) (ok bool) {
	bar := &w.block.named[id]
	if s.barrier.HasCount {
		n := uint32(w.get(f, s.Src[1], firstLane(f.mask)))
		if n == 0 || n%32 != 0 || n > 1024 {
			w.fail(f, firstLane(f.mask), &exec.Fault{Kind: exec.IllegalInstruction, Detail: fmt.Sprintf("a barrier for %d threads; want a multiple of 32", n)})
			return false
		}
		bar.expected = int(n)
	}
	if s.barrier.Kind == isa.BarrierRed {
		trues := bits.OnesCount32(w.predicate(f, s.Src[len(s.Src)-1]) & f.mask)
		bar.trues += trues
		bar.falses += bits.OnesCount32(f.mask) - trues
	}
	bar.again += bits.OnesCount32(bar.arrived[w.index] & f.mask)
	bar.arrived[w.index] |= f.mask
	if s.barrier.Kind == isa.BarrierArrive {
		f.pc = s.Next
	} else {
		f.waits, f.barrier = waitsBarrier, id
	}
	w.block.checkBarrier(id)
	return true
}

// checkBarrier opens the barrier and wakes those that wait when all have arrived.
func (b *block) checkBarrier(id int) {
	bar := &b.named[id]
	if !b.complete(bar) {
		return
	}
	for _, w := range b.warps {
		w.wake(func(f *fragment) bool {
			if f.waits != waitsBarrier || f.barrier != id {
				return false
			}
			w.reduced(f, bar)
			return true
		})
	}
	bar.open()
}

// reduced gives a fragment that waited at a reduction the result.
func (w *warp) reduced(f *fragment, bar *barrier) {
	s := &f.frame.fn.code[f.pc]
	var v uint64
	switch s.barrier.Reduction {
	case isa.ReduceNone:
		return
	case isa.ReducePopc:
		v = uint64(bar.trues)
	case isa.ReduceAnd:
		v = bit(bar.falses == 0)
	case isa.ReduceOr:
		v = bit(bar.trues > 0)
	}
	lanes(f.mask, func(lane int) { w.set(f, s.Dst[0], lane, v) })
}

// executeClusterBarrier arrives at, or waits for, the barrier of the cluster.
func executeClusterBarrier(w *warp, f *fragment, s *step, active uint32) {
	w.goOn(f, s, f.mask&^active)
	if active == 0 {
		return
	}
	c := w.block.cluster
	arrived := &c.arrived[w.block.rank][w.index]
	if isa.ClusterBarrierOf(s.Form) {
		*arrived |= active
		f.pc = s.Next
		c.checkBarrier()
		return
	}
	// Lanes whose arrival is still noted wait; for the others the barrier has opened since.
	waiting := active & *arrived
	w.goOn(f, s, active&^waiting)
	if waiting != 0 {
		f.waits = waitsCluster
	}
}

// bit returns 1 for true.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
