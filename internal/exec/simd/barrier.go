package simd

import (
	"fmt"
	"math/bits"
	"sort"
	"strings"

	"silica/internal/exec"
	"silica/internal/isa"
)

// barrier is one of a block's sixteen named barriers.
type barrier struct {
	arrived  int // threads
	expected int // 0 stands for all live threads of the block
	// The reduction so far: threads with a true predicate, and threads in all.
	trues, votes int
}

// controlBarrier makes the fragment arrive at a barrier and, unless it only arrives, wait.
func controlBarrier(g *gang, f *fragment, o *op) {
	masks, any := g.guard(o)
	if !any {
		f.pc = o.next()
		return
	}
	if rest := g.remaining(f, masks); !empty(rest) {
		g.split(f, rest).pc = o.next()
		g.point(f)
	}
	w, lane := firstLane(&f.masks)
	number := g.read(o.srcs[0], w, lane)
	if number >= uint64(len(g.block.barriers)) {
		g.raise(o, exec.IllegalInstruction, w, lane, 0, 0, fmt.Sprintf("barrier %d: a block has 16", number))
		return
	}
	info := isa.BarrierOf(o.inst.Form)
	b := &g.block.barriers[number]
	if info.HasCount {
		b.expected = int(g.read(o.srcs[1], w, lane))
	}
	for w := range g.warps {
		b.arrived += g.arrivals(f, w, info.HasCount)
	}
	if info.Kind == isa.BarrierRed {
		predicate := o.srcs[len(o.srcs)-1]
		g.eachLane(&f.masks, func(w, lane int) {
			b.trues += int(g.read(predicate, w, lane))
			b.votes++
		})
	}
	if info.Kind == isa.BarrierArrive {
		f.pc = o.next()
	} else {
		f.state, f.barrier, f.arrival = atBarrier, int(number), o
	}
	g.block.releaseBarriers()
}

// arrivals is how many threads warp w of f counts for. With an explicit thread count, which is a
// multiple of the warp size, a warp that arrives whole counts in full even when its block ends inside it.
func (g *gang) arrivals(f *fragment, w int, counted bool) int {
	m := f.masks[w]
	if counted && m != 0 && m == g.live[w] {
		return warpLanes
	}
	return bits.OnesCount32(m)
}

// releaseBarriers completes every barrier at which all its threads have arrived.
func (b *block) releaseBarriers() {
	for n := range b.barriers {
		bar := &b.barriers[n]
		expected := bar.expected
		if expected == 0 {
			expected = b.liveThreads
		}
		if bar.arrived == 0 || bar.arrived < expected {
			continue
		}
		done := *bar
		*bar = barrier{}
		for _, g := range b.gangs {
			for _, f := range g.fragments {
				if f.state == atBarrier && f.barrier == n {
					g.leaveBarrier(f, done)
				}
			}
		}
	}
}

func (g *gang) leaveBarrier(f *fragment, b barrier) {
	o := f.arrival
	f.state = ready
	f.pc = o.next()
	info := isa.BarrierOf(o.inst.Form)
	if info.Kind != isa.BarrierRed {
		return
	}
	var result uint64
	switch info.Reduction {
	case isa.ReducePopc:
		result = uint64(b.trues)
	case isa.ReduceAnd:
		result = boolBit(b.trues == b.votes)
	case isa.ReduceOr:
		result = boolBit(b.trues > 0)
	}
	g.point(f)
	g.fillRow(o.dst[0], result, &f.masks)
}

// deadlock describes what the block's warps wait for, in one line.
func (b *block) deadlock() (g *gang, f *fragment, detail string) {
	var waits []string
	for _, each := range b.gangs {
		for _, w := range each.fragments {
			if g == nil {
				g, f = each, w
			}
			switch w.state {
			case atBarrier:
				bar := b.barriers[w.barrier]
				expected := bar.expected
				if expected == 0 {
					expected = b.liveThreads
				}
				waits = append(waits, fmt.Sprintf("barrier %d has %d of %d threads", w.barrier, bar.arrived, expected))
			case atWarpSync:
				waits = append(waits, w.arrival.inst.Form.Name()+" waits for lanes that do not arrive")
			}
		}
	}
	sort.Strings(waits)
	return g, f, strings.Join(compact(waits), "; ")
}

func compact(sorted []string) []string {
	out := sorted[:0]
	for i, s := range sorted {
		if i == 0 || s != sorted[i-1] {
			out = append(out, s)
		}
	}
	return out
}
