package simd

import (
	"math/bits"

	"silica/internal/exec"
	"silica/internal/ir"
)

// controlBranch sends the lanes with the guard true to the target and the rest on.
func controlBranch(g *gang, f *fragment, o *op) {
	if o.guard.offset < 0 {
		f.pc = o.inst.Target
		return
	}
	taken, any := g.guard(o)
	rest := g.remaining(f, taken)
	g.countDivergence(o, taken, rest)
	switch {
	case !any:
		f.pc = o.next()
	case empty(rest):
		f.pc = o.inst.Target
	default:
		g.split(f, taken).pc = o.inst.Target
		f.pc = o.next()
	}
}

// remaining returns f's lanes outside taken.
func (g *gang) remaining(f *fragment, taken *[gangWarps]uint32) *[gangWarps]uint32 {
	var rest [gangWarps]uint32
	for w := range rest {
		rest[w] = f.masks[w] &^ taken[w]
	}
	return &rest
}

func empty(masks *[gangWarps]uint32) bool { return *masks == [gangWarps]uint32{} }

func (g *gang) countDivergence(o *op, taken, rest *[gangWarps]uint32) {
	stats := g.block.worker.stats
	if stats == nil || o.inst.Synthetic {
		return
	}
	for w := range g.warps {
		if taken[w] != 0 && rest[w] != 0 {
			g.statsOf(o, stats).Divergent++
		}
	}
}

// split moves lanes of f to a new fragment at the same place.
func (g *gang) split(f *fragment, lanes *[gangWarps]uint32) *fragment {
	n := g.newFragment()
	*n = *f
	n.masks = *lanes
	for w := range f.masks {
		f.masks[w] &^= lanes[w]
	}
	g.fragments = append(g.fragments, n)
	return n
}

// controlBranchIndexed splits the fragment by each lane's table entry.
func controlBranchIndexed(g *gang, f *fragment, o *op) {
	masks, _ := g.guard(o)
	left := *masks
	rest := g.remaining(f, masks)
	groups := 0
	if !empty(rest) {
		groups++
	}
	for !empty(&left) {
		w, lane := firstLane(&left)
		index := g.read(o.srcs[0], w, lane)
		if index >= uint64(len(o.inst.Targets)) {
			g.raise(o, exec.InvalidPC, w, lane, 0, 0, "brx.idx index outside the target list")
			return
		}
		same := g.lanesWith(o.srcs[0], index, &left)
		for w := range left {
			left[w] &^= same[w]
		}
		g.countIndexed(o, &same, masks)
		groups++
		target := f
		if !empty(&left) || !empty(rest) {
			target = g.split(f, &same)
		}
		target.pc = o.inst.Targets[index]
	}
	if !empty(rest) {
		f.pc = o.next()
	}
}

// countIndexed books a warp as divergent when its first group of lanes is not all of them.
func (g *gang) countIndexed(o *op, group, all *[gangWarps]uint32) {
	stats := g.block.worker.stats
	if stats == nil {
		return
	}
	for w := range g.warps {
		if group[w] != 0 && group[w] != all[w] && group[w]&-group[w] == all[w]&-all[w] {
			g.statsOf(o, stats).Divergent++
		}
	}
}

func firstLane(masks *[gangWarps]uint32) (w, lane int) {
	for w, m := range masks {
		if m != 0 {
			return w, bits.TrailingZeros32(m)
		}
	}
	return 0, 0
}

// lanesWith returns the lanes of masks in which a register has the value.
func (g *gang) lanesWith(o operand, value uint64, masks *[gangWarps]uint32) (same [gangWarps]uint32) {
	g.eachLane(masks, func(w, lane int) {
		if g.read(o, w, lane) == value {
			same[w] |= 1 << lane
		}
	})
	return same
}

// controlExit ends the lanes with the guard true.
func controlExit(g *gang, f *fragment, o *op) {
	masks, _ := g.guard(o)
	g.exit(f, o, masks)
}

func (g *gang) exit(f *fragment, o *op, masks *[gangWarps]uint32) {
	ended := *masks
	for w := range ended {
		f.masks[w] &^= ended[w]
		g.live[w] &^= ended[w]
		g.block.liveThreads -= bits.OnesCount32(ended[w])
	}
	if empty(&f.masks) {
		g.drop(f)
	} else {
		f.pc = o.next()
	}
	if !empty(&ended) {
		g.releaseWarpSync()
		g.block.releaseBarriers()
	}
}

func (g *gang) drop(f *fragment) {
	f.state = fragmentEnd
	for i, other := range g.fragments {
		if other == f {
			g.fragments = append(g.fragments[:i], g.fragments[i+1:]...)
			g.free = append(g.free, f)
			return
		}
	}
}

// controlRet returns to the caller, copying the results; in the kernel it is exit.
func controlRet(g *gang, f *fragment, o *op) {
	masks, any := g.guard(o)
	if f.caller == nil {
		g.exit(f, o, masks)
		return
	}
	if !any {
		f.pc = o.next()
		return
	}
	back := f
	if rest := g.remaining(f, masks); !empty(rest) {
		back = g.split(f, masks)
		f.pc = o.next()
	}
	site := back.caller
	type calleeLane struct {
		w, lane int
		base    uint64
	}
	var lanes []calleeLane
	if len(site.op.inst.Call.Results) > 0 {
		g.eachLane(masks, func(w, lane int) { lanes = append(lanes, calleeLane{w, lane, g.read(f.fn.localBase, w, lane)}) })
	}
	returns := back.fn.ir.Returns
	back.fn, back.pc, back.rows, back.preds = site.fn, site.op.next(), site.rows, site.preds
	back.caller, back.depth = site.parent, back.depth-1
	if len(lanes) == 0 {
		return
	}
	g.point(back)
	for _, l := range lanes {
		g.copyParams(l.w, l.lane, l.base, returns, g.read(site.fn.localBase, l.w, l.lane), site.op.inst.Call.Results)
	}
}

// copyParams copies parameters between two frames of one thread's local memory.
func (g *gang) copyParams(w, lane int, fromBase uint64, from []ir.Param, toBase uint64, to []ir.Param) {
	for i := range min(len(from), len(to)) {
		src, dst := fromBase+uint64(from[i].Offset), toBase+uint64(to[i].Offset)
		for n := range uint64(min(from[i].Size, to[i].Size)) {
			g.local.store(w, lane, dst+n, 1, g.local.load(w, lane, src+n, 1))
		}
	}
}

// controlCall calls a function: directly, through an address, or one that the engine provides.
func controlCall(g *gang, f *fragment, o *op) {
	masks, any := g.guard(o)
	if !any {
		f.pc = o.next()
		return
	}
	caller := f
	if rest := g.remaining(f, masks); !empty(rest) {
		caller = g.split(f, masks)
		f.pc = o.next()
	}
	call := o.inst.Call
	switch {
	case call.System != "":
		g.systemCall(caller, o)
		caller.pc = o.next()
	case call.Func >= 0:
		g.call(caller, o, call.Func)
	default:
		g.callIndirect(caller, o)
	}
}

// callIndirect calls, for each group of lanes with the same address, the function at it.
func (g *gang) callIndirect(f *fragment, o *op) {
	target := g.program.operand(o.inst.Call.Target)
	left := f.masks
	for !empty(&left) {
		w, lane := firstLane(&left)
		address := g.read(target, w, lane)
		index, ok := ir.FuncOfAddress(address, len(g.program.funcs))
		if !ok || index == 0 {
			g.raise(o, exec.InvalidPC, w, lane, address, 0, "call to an address that is no function's")
			return
		}
		same := g.lanesWith(target, address, &left)
		for w := range left {
			left[w] &^= same[w]
		}
		if empty(&left) {
			g.call(f, o, index)
			return
		}
		g.call(g.split(f, &same), o, index)
		g.point(f)
	}
}

// topRow returns the first byte behind the frames of all fragments. Frames in use never share rows, even
// of different lanes: a lane of a 64-bit row lies over two lanes of a 32-bit one.
func (g *gang) topRow() int {
	top := 0
	for _, f := range g.fragments {
		top = max(top, f.rows+f.fn.rows)
	}
	return top
}

// maxDepth bounds the call stack of functions that use no local memory.
const maxDepth = 1 << 16

// call enters a function with all lanes of f.
func (g *gang) call(f *fragment, o *op, index int) {
	fn := g.program.funcs[index]
	site := &callSite{parent: f.caller, fn: f.fn, op: o, rows: f.rows, preds: f.preds}
	type callerLane struct {
		w, lane   int
		base, top uint64
	}
	var lanes []callerLane
	top := 0
	g.masks = f.masks
	g.eachLane(&f.masks, func(w, lane int) {
		l := callerLane{w: w, lane: lane}
		if f.fn.localTop.offset >= 0 {
			l.base, l.top = g.read(f.fn.localBase, w, lane), g.read(f.fn.localTop, w, lane)
		}
		top = max(top, int(l.top))
		lanes = append(lanes, l)
	})
	f.depth++
	if !g.local.reserve(g.warps, top+fn.ir.Frame.Local) || f.depth > maxDepth {
		w, lane := firstLane(&f.masks)
		g.raise(o, exec.StackOverflow, w, lane, 0, 0, g.local.overflow())
		return
	}
	f.caller, f.rows, f.preds = site, g.topRow(), f.preds+f.fn.preds
	f.fn, f.pc = fn, 0
	g.enter(f)
	for _, l := range lanes {
		if fn.localBase.offset >= 0 {
			g.write(fn.localBase, l.w, l.lane, l.top)
			g.write(fn.localTop, l.w, l.lane, l.top+uint64(fn.ir.Frame.Local))
		}
		g.copyParams(l.w, l.lane, l.base, o.inst.Call.Args, l.top, fn.ir.Params)
	}
	g.makeFrame(f, true)
}
