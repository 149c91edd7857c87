package simd

import (
	"math"
	"math/bits"
	"strings"

	"silica/internal/isa"
)

// runRendezvous begins a warp-synchronous instruction: where the lanes of its warps are all there, the
// machine code that follows runs it. Else the lanes arrive, and the instruction runs when all lanes of
// their member mask have.
func runRendezvous(g *gang, f *fragment, o *op) int {
	m := &g.machine
	if uint64(o.pc) >= m.limit || m.budget <= 0 {
		f.pc = o.pc
		return stop
	}
	m.budget -= int64(o.count)
	m.executed += m.warps
	if o.guard.offset < 0 && m.converged == 1 && g.runConverged(o) {
		return g.unlessFault(o.after)
	}
	f.pc = o.pc
	active := f.masks
	if o.guard.offset >= 0 {
		active = g.arrivingLanes(o)
		rest := without(&f.masks, &active)
		g.countSync(o, &rest, false)
		g.goOn(f, o, &rest)
	}
	for !isEmpty(&active) {
		members, same := g.sameMembers(o, &active)
		active = without(&active, &same)
		n := g.split(f, &same)
		n.waits, n.members, n.arrival = waitsWarp, members, o
	}
	g.meet()
	return stop
}

// sameMembers returns the member mask that the first of each warp's lanes names, and the lanes that name
// the same.
func (g *gang) sameMembers(o *op, lanes *masks) (members, same masks) {
	if o.member < 0 {
		return g.machine.all, *lanes
	}
	member := o.srcs[o.member]
	for w, left := range lanes {
		if left == 0 {
			continue
		}
		members[w] = uint32(g.read(member, w, bits.TrailingZeros32(left)))
		for ; left != 0; left &= left - 1 {
			if lane := bits.TrailingZeros32(left); uint32(g.read(member, w, lane)) == members[w] {
				same[w] |= 1 << lane
			}
		}
	}
	return members, same
}

// runConverged runs the instruction at once when each lane's member mask names no live lanes but those that
// name the same.
func (g *gang) runConverged(o *op) bool {
	members, same := g.sameMembers(o, &g.machine.masks)
	if same != g.machine.masks {
		return false
	}
	for w, lanes := range same {
		if lanes != 0 && members[w]&g.live[w]&^lanes != 0 {
			return false
		}
	}
	g.countSync(o, &same, true)
	if o.together != nil {
		o.together(g, o, &same)
	}
	return true
}

// arrivingLanes returns the lanes of the running fragment with the guard true, uncounted.
func (g *gang) arrivingLanes(o *op) (lanes masks) {
	for w := range g.warps {
		p := *g.predicate(o.guard, w)
		if o.guard.negate {
			p = ^p
		}
		lanes[w] = g.machine.masks[w] & p
	}
	return lanes
}

// countSync counts executions of a warp-synchronous instruction, which the counts of segments leave out
// when it does not run in machine code, and tells of the basic block that begins with it.
func (g *gang) countSync(o *op, lanes *masks, on bool) {
	if o.enters {
		g.enterBlock(o, lanes)
	}
	if g.worker.stats == nil || o.inst.Synthetic {
		return
	}
	c := &g.worker.stats.Funcs[o.fn.index][o.pc]
	for _, m := range lanes {
		if m == 0 {
			continue
		}
		n := uint64(bits.OnesCount32(m))
		g.worker.synced++
		c.Warps++
		c.Threads += n
		if on {
			c.PredOn += n
		}
	}
}

// meet runs the warp-synchronous instructions whose lanes have all arrived or exited, warp by warp.
func (g *gang) meet() {
	if len(g.fragments) == 0 {
		return
	}
	for w := range g.warps {
		for {
			f := g.lowest(w, func(f *fragment) bool { return g.allArrived(w, f.members[w]) })
			if f == nil {
				break
			}
			g.release(w, f.members[w])
		}
	}
}

// lowest returns the fragment with the lowest lane of warp w of those that wait for lanes of the warp and that chosen picks,
// nil when there is none.
func (g *gang) lowest(w int, chosen func(f *fragment) bool) (best *fragment) {
	lane := warpLanes
	for _, f := range g.fragments {
		if f.waits != waitsWarp || f.masks[w] == 0 {
			continue
		}
		if first := bits.TrailingZeros32(f.masks[w]); first < lane && chosen(f) {
			best, lane = f, first
		}
	}
	return best
}

// allArrived tells whether every live lane of member waits for it.
func (g *gang) allArrived(w int, member uint32) bool {
	var arrived uint32
	for _, f := range g.fragments {
		if f.waits == waitsWarp && f.masks[w] != 0 && f.members[w] == member {
			arrived |= f.masks[w]
		}
	}
	return member&g.live[w]&^arrived == 0
}

// release lets the lanes of warp w that wait for member go on, those at the same instruction together, the
// lowest lane first. Lanes that arrived at other instructions with the same mask count, as on the hardware; each then
// runs its own with the lanes that are there.
func (g *gang) release(w int, member uint32) {
	for {
		f := g.lowest(w, func(f *fragment) bool { return f.members[w] == member })
		if f == nil {
			break
		}
		o := f.arrival
		var lanes masks
		for _, other := range g.fragments {
			if other.waits == waitsWarp && other.members[w] == member && other.pc == f.pc && other.frame == f.frame {
				lanes[w] |= other.masks[w]
				other.masks[w] = 0
			}
		}
		n := g.newFragment(&lanes, f.frame)
		n.pc = o.inst.Next
		g.countSync(o, &lanes, true)
		if o.together != nil {
			g.point(n)
			o.together(g, o, &lanes)
		}
	}
	for i := len(g.fragments) - 1; i >= 0; i-- {
		if f := g.fragments[i]; isEmpty(&f.masks) {
			g.drop(f)
		}
	}
}

// runWarp runs a row's semantics across the lanes that are there.
func runWarp(g *gang, _ *fragment, o *op) int {
	if !o.together(g, o, g.lanesOf(o)) {
		return stop
	}
	return o.after
}

// unlessFault returns the step to go on at, or stop when the worker has met a fault.
func (g *gang) unlessFault(next int) int {
	if g.worker.ending.Fault != nil {
		return stop
	}
	return next
}

// acrossLanes runs a row's semantics across lanes of each warp.
func acrossLanes(g *gang, o *op, lanes *masks) bool {
	io := &g.worker.warpIO
	for w, active := range lanes {
		if active == 0 {
			continue
		}
		io.Active = active
		for i, s := range o.srcs {
			g.readLanes(s, w, active, &io.Src[i])
		}
		o.warp(io)
		for i, d := range o.dst {
			g.writeLanes(d, w, active, &io.Dst[i])
		}
	}
	return true
}

// reduction combines the words of some lanes.
type reduction func(words *[warpLanes]uint32, lanes uint32) uint32

// reductionOf returns the reduction of a form, nil where it is none of integers.
func reductionOf(form *isa.Form) reduction {
	if !strings.HasPrefix(form.Name(), "redux.") {
		return nil
	}
	switch form.Get("op") + form.Get("type") {
	case ".add.u32", ".add.s32":
		return func(words *[warpLanes]uint32, lanes uint32) (sum uint32) {
			for ; lanes != 0; lanes &= lanes - 1 {
				sum += words[bits.TrailingZeros32(lanes)]
			}
			return sum
		}
	case ".min.u32":
		return func(words *[warpLanes]uint32, lanes uint32) uint32 {
			least := uint32(math.MaxUint32)
			for ; lanes != 0; lanes &= lanes - 1 {
				least = min(least, words[bits.TrailingZeros32(lanes)])
			}
			return least
		}
	case ".max.u32":
		return func(words *[warpLanes]uint32, lanes uint32) (most uint32) {
			for ; lanes != 0; lanes &= lanes - 1 {
				most = max(most, words[bits.TrailingZeros32(lanes)])
			}
			return most
		}
	case ".min.s32":
		return func(words *[warpLanes]uint32, lanes uint32) uint32 {
			least := int32(math.MaxInt32)
			for ; lanes != 0; lanes &= lanes - 1 {
				least = min(least, int32(words[bits.TrailingZeros32(lanes)]))
			}
			return uint32(least)
		}
	case ".max.s32":
		return func(words *[warpLanes]uint32, lanes uint32) uint32 {
			most := int32(math.MinInt32)
			for ; lanes != 0; lanes &= lanes - 1 {
				most = max(most, int32(words[bits.TrailingZeros32(lanes)]))
			}
			return uint32(most)
		}
	}
	return nil
}

// run gives the lanes of each warp what theirs make together.
func (r reduction) run(g *gang, o *op, lanes *masks) bool {
	for w, active := range lanes {
		if active != 0 {
			fillLanes((*[warpLanes]uint32)(g.row(o.dst[0], w)), r((*[warpLanes]uint32)(g.row(o.srcs[0], w)), active), active)
		}
	}
	return true
}

// readLanes reads a register in lanes of a warp.
func (g *gang) readLanes(o operand, w int, lanes uint32, to *[warpLanes]uint64) {
	if lanes == 1<<warpLanes-1 && o.bits > 1 && o.bits < 64 {
		for lane, v := range (*[warpLanes]uint32)(g.row(o, w)) {
			to[lane] = uint64(v)
		}
		return
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes)
		to[lane] = g.read(o, w, lane)
	}
}

// writeLanes sets a register in lanes of a warp.
func (g *gang) writeLanes(o operand, w int, lanes uint32, from *[warpLanes]uint64) {
	if lanes == 1<<warpLanes-1 && o.bits == 32 && o.offset >= 0 {
		to := (*[warpLanes]uint32)(g.row(o, w))
		for lane, v := range from {
			to[lane] = uint32(v)
		}
		return
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes)
		g.write(o, w, lane, from[lane])
	}
}
