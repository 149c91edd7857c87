package simd

import (
	"math/bits"

	"silica/internal/exec"
)

// fairness is how many segments a ready fragment waits at most while others of its gang run, spinFairness when these
// seem to wait for something: for the lock, perhaps, that the fragment holds.
const (
	fairness     = 4096
	spinFairness = 16
)

// patience returns which of the two holds.
func (g *gang) patience() uint64 {
	if g.block.polls >= spinFairness {
		return spinFairness
	}
	return fairness
}

// run runs the gang's fragments, lowest program counter first, until none is ready, all that are have waited in
// vain, or the budget of warp instructions is used up. It reports whether it stopped for lack of ready
// fragments.
func (g *gang) run(budget uint64) (blocked bool) {
	limit := g.executed + budget
	for g.fault == nil {
		f := g.pick()
		if f == nil {
			return true
		}
		if f.waited { // as all others have: what they wait for is done by other gangs
			for _, f := range g.fragments {
				f.waited = false
			}
			return false
		}
		g.segment(f)
		if g.executed >= limit {
			return false
		}
	}
	return false
}

// pick returns the ready fragment to run next, after merging the fragments that have met it: one that did not
// wait in vain, of these the one with the deepest call, then the lowest program counter, unless another has
// been left waiting too long.
func (g *gang) pick() *fragment {
	if len(g.fragments) == 1 {
		if f := g.fragments[0]; f.state == ready {
			return f
		}
		return nil
	}
	var best *fragment
	starved, patience := false, g.patience()
	for _, f := range g.fragments {
		if f.state != ready {
			continue
		}
		switch waits := g.step-f.lastRun > patience; {
		case best == nil, waits && !starved, waits == starved && f.before(best):
			best, starved = f, waits
		}
	}
	if best == nil {
		return nil
	}
	kept := g.fragments[:0]
	for _, f := range g.fragments {
		if f != best && f.state == ready && f.meets(best) {
			for w := range best.masks {
				best.masks[w] |= f.masks[w]
			}
			g.free = append(g.free, f)
			continue
		}
		kept = append(kept, f)
	}
	g.fragments = kept
	return best
}

func (f *fragment) before(o *fragment) bool {
	if f.waited != o.waited {
		return o.waited
	}
	if f.depth != o.depth {
		return f.depth > o.depth
	}
	if f.fn != o.fn {
		return f.fn.ir.Index < o.fn.ir.Index
	}
	return f.pc < o.pc
}

func (f *fragment) meets(o *fragment) bool {
	return f.pc == o.pc && f.fn == o.fn && f.rows == o.rows && f.caller.equal(o.caller)
}

// segment runs one straight line of f and the control instruction that ends it.
func (g *gang) segment(f *fragment) {
	g.step++
	f.lastRun = g.step
	f.waited, g.running = false, f
	g.point(f)
	fn := f.fn
	ops := fn.ops
	start, end := f.pc, ops[f.pc].segmentEnd
	if len(g.patterns) < fn.patterns {
		g.patterns = make([][gangWarps]pattern, fn.patterns)
	}
	for pc := start; pc < end; pc++ {
		if o := &ops[pc]; !o.run(g, o) {
			g.count(f, start, pc+1)
			return
		}
	}
	if end > start && (fn.starts[end] || ops[end-1].inst.Next != end) {
		g.count(f, start, end)
		f.pc = ops[end-1].next()
		return
	}
	g.count(f, start, end+1)
	f.pc = end
	ops[end].control(g, f, &ops[end])
}

// count books the execution of the instructions [start, end) by f's lanes.
func (g *gang) count(f *fragment, start, end int) {
	warps, threads := uint64(0), uint64(0)
	for _, m := range g.masks[:g.warps] {
		if m != 0 {
			warps++
			threads += uint64(bits.OnesCount32(m))
		}
	}
	g.executed += warps * uint64(end-start)
	stats := g.block.worker.stats
	if stats == nil {
		return
	}
	counts := stats.Funcs[f.fn.ir.Index]
	for pc := start; pc < end; pc++ {
		o := &f.fn.ops[pc]
		if o.inst.Synthetic {
			continue
		}
		c := &counts[pc]
		c.Warps += warps
		c.Threads += threads
		if o.guard.offset < 0 {
			c.PredOn += threads
		}
	}
}

// countPredicated books the lanes of a guarded instruction that execute it.
func (g *gang) countPredicated(o *op) {
	stats := g.block.worker.stats
	if stats == nil || o.inst.Synthetic {
		return
	}
	for w := range g.warps {
		g.statsOf(o, stats).PredOn += uint64(bits.OnesCount32(g.guarded[w]))
	}
}

func (g *gang) statsOf(o *op, stats *exec.Stats) *exec.InstCount {
	return &stats.Funcs[o.fn.ir.Index][o.pc]
}
