package simd

import (
	"fmt"
	"math/bits"

	"silica/internal/exec"
	"silica/internal/ir"
)

// evaluate returns the lanes of the running fragment in which the guard of o is true, and counts them.
func (g *gang) evaluate(o *op) masks {
	m := &g.machine
	if o.guard.offset < 0 {
		return m.masks
	}
	var lanes masks
	for w := range g.warps {
		p := *g.predicate(o.guard, w)
		if o.guard.negate {
			p = ^p
		}
		lanes[w] = m.masks[w] & p
	}
	if m.counters != nil {
		*g.counter(o.counter) += uint64(countLanes(&lanes))
	}
	return lanes
}

func countLanes(lanes *masks) (n int) {
	for _, m := range lanes {
		n += bits.OnesCount32(m)
	}
	return n
}

// runGuard computes the lanes of the instructions that follow, and skips them when there are none.
func runGuard(g *gang, _ *fragment, o *op) int {
	g.machine.guarded = g.evaluate(o)
	if isEmpty(&g.machine.guarded) {
		return o.target
	}
	return o.after
}

func runJump(_ *gang, _ *fragment, o *op) int { return o.target }

func runPoll(g *gang, _ *fragment, o *op) int {
	g.machine.budget -= g.machine.pollCost
	g.machine.polls++
	return o.index + 1
}

// runBranch sends the lanes with the guard true to the target and the rest on.
func runBranch(g *gang, f *fragment, o *op) int {
	taken := g.evaluate(o)
	rest := without(&f.masks, &taken)
	switch {
	case isEmpty(&rest):
		return o.target
	case isEmpty(&taken):
		f.pc = o.inst.Next
		return stop
	}
	for w := range g.warps {
		if taken[w] != 0 && rest[w] != 0 {
			g.diverged(o)
		}
	}
	g.split(f, &taken).pc = o.inst.Target
	f.pc = o.inst.Next
	return stop
}

// diverged counts a branch of a warp whose lanes went different ways.
func (g *gang) diverged(o *op) {
	if g.worker.stats != nil && !o.inst.Synthetic {
		g.worker.stats.Funcs[o.fn.index][o.pc].Divergent++
	}
}

func runBranchIndexed(g *gang, f *fragment, o *op) int {
	left := g.evaluate(o)
	g.countIndexed(o, &left)
	rest := without(&f.masks, &left)
	g.goOn(f, o, &rest)
	for !isEmpty(&left) {
		w, lane := firstLane(&left)
		i := g.read(o.srcs[0], w, lane)
		same := g.lanesWith(o.srcs[0], i, &left)
		if i >= uint64(len(o.inst.Targets)) {
			return g.fail(o, w, lane, &exec.Fault{Kind: exec.InvalidPC, Detail: fmt.Sprintf("branch index %d, there are %d targets", i, len(o.inst.Targets))})
		}
		g.split(f, &same).pc = o.inst.Targets[i]
		left = without(&left, &same)
	}
	return stop
}

// countIndexed counts the warps whose lanes go different ways.
func (g *gang) countIndexed(o *op, active *masks) {
	for w, m := range active {
		if m == 0 {
			continue
		}
		var one masks
		one[w] = m
		same := g.lanesWith(o.srcs[0], g.read(o.srcs[0], w, bits.TrailingZeros32(m)), &one)
		if m != g.machine.masks[w] || same[w] != m {
			g.diverged(o)
		}
	}
}

func runCall(g *gang, f *fragment, o *op) int {
	active := g.evaluate(o)
	rest := without(&f.masks, &active)
	g.goOn(f, o, &rest)
	if isEmpty(&active) {
		return stop
	}
	f = g.split(f, &active)
	switch c := o.inst.Call; {
	case c.System != "":
		g.callSystem(f, o)
	case c.Func >= 0:
		g.call(f, o, g.program.funcs[c.Func])
	default:
		g.callIndirect(f, o)
	}
	return stop
}

// callIndirect calls, for each lane, the function at the address in its register.
func (g *gang) callIndirect(f *fragment, o *op) {
	left := f.masks
	for !isEmpty(&left) {
		w, lane := firstLane(&left)
		addr := g.read(o.callee, w, lane)
		same := g.lanesWith(o.callee, addr, &left)
		fn, ok := g.candidate(o.inst.Call, addr)
		if !ok {
			g.fail(o, w, lane, &exec.Fault{Kind: exec.InvalidPC, Detail: fmt.Sprintf("call of 0x%x, which is no function that this call may reach", addr)})
			return
		}
		left = without(&left, &same)
		callee := g.split(f, &same)
		if !g.call(callee, o, fn) {
			return
		}
		g.point(f)
	}
}

// candidate returns the function at an address that the call may reach.
func (g *gang) candidate(c *ir.Call, addr uint64) (*function, bool) {
	i, ok := ir.FuncOfAddress(addr, len(g.program.funcs))
	if !ok {
		return nil, false
	}
	for _, candidate := range c.Candidates {
		if candidate == i {
			return g.program.funcs[i], true
		}
	}
	return nil, false
}

// callBytes is what a call takes of a thread's stack beside the callee's frame.
const callBytes = 16

// call takes the lanes of f, which are at a call, to the start of fn; false when a thread's stack is too small.
func (g *gang) call(f *fragment, o *op, fn *function) bool {
	g.point(f)
	caller, callee := f.frame, f.frame.child(o, fn)
	if !callee.level {
		return g.callApart(f, o, callee)
	}
	top := callee.local + uint64(fn.ir.Frame.Local)
	if need := top + callee.stack(); need > uint64(g.worker.Machine.LocalPerThread) {
		w, lane := firstLane(&f.masks)
		g.fail(o, w, lane, &exec.Fault{Kind: exec.StackOverflow, Detail: g.stackDetail(need)})
		return false
	}
	g.roomFor(top)
	for i, p := range fn.ir.Params {
		if i < len(o.inst.Call.Args) {
			a := o.inst.Call.Args[i]
			g.moveLocal(&f.masks, callee.local+uint64(p.Offset), caller.local+uint64(a.Offset), min(a.Size, p.Size))
		}
	}
	g.enterFrame(f, callee)
	g.fill(f, nil, true)
	return true
}

// callApart is call where the frames of lanes begin at different places of their local memory.
func (g *gang) callApart(f *fragment, o *op, callee *frame) bool {
	fn := callee.fn
	var base, from laneValues
	need := uint64(0)
	fault := false
	g.eachLane(&f.masks, func(w, lane int) {
		if fault {
			return
		}
		from[w][lane], base[w][lane] = g.localBase(f, w, lane), g.localTop(f, w, lane)
		top := base[w][lane] + uint64(fn.ir.Frame.Local)
		if top+callee.stack() > uint64(g.worker.Machine.LocalPerThread) {
			fault = true
			g.fail(o, w, lane, &exec.Fault{Kind: exec.StackOverflow, Detail: g.stackDetail(top + callee.stack())})
		}
		need = max(need, top)
	})
	if fault {
		return false
	}
	g.roomFor(need)
	g.eachLane(&f.masks, func(w, lane int) {
		for i, p := range fn.ir.Params {
			if i < len(o.inst.Call.Args) {
				a := o.inst.Call.Args[i]
				g.copyLocal(w, lane, base[w][lane]+uint64(p.Offset), from[w][lane]+uint64(a.Offset), min(a.Size, p.Size))
			}
		}
	})
	g.enterFrame(f, callee)
	g.fill(f, &base, true)
	return true
}

func (g *gang) stackDetail(need uint64) string {
	return fmt.Sprintf("%d bytes of stack needed, a thread has %d", need, g.worker.Machine.LocalPerThread)
}

// localBase returns where a lane's frame begins in local memory, localTop what follows it.
func (g *gang) localBase(f *fragment, w, lane int) uint64 {
	if o := f.frame.fn.localBase; o.offset >= 0 {
		return g.read(o, w, lane)
	}
	return 0
}

func (g *gang) localTop(f *fragment, w, lane int) uint64 {
	if o := f.frame.fn.localTop; o.offset >= 0 {
		return g.read(o, w, lane)
	}
	return g.localBase(f, w, lane) + uint64(f.frame.fn.ir.Frame.Local)
}

// enterFrame takes the lanes of f to the start of the function of a frame. The rows of a frame that was empty
// begin after those of all others in use: lanes of the gang may be in different functions, and the
// parts of a row that belong to a lane depend on the width of the register.
func (g *gang) enterFrame(f *fragment, c *frame) {
	if isEmpty(&c.live) {
		c.base = 0
		for _, f := range g.fragments {
			c.base = max(c.base, (f.frame.base+f.frame.fn.size+63)&^63)
		}
		g.reserve(c)
	}
	for w := range f.masks {
		c.live[w] |= f.masks[w]
	}
	f.frame, f.pc = c, 0
}

// child returns the frame of fn called by o.
func (fr *frame) child(o *op, fn *function) *frame {
	for _, c := range fr.children {
		if c.call == o && c.fn == fn {
			return c
		}
	}
	c := &frame{parent: fr, fn: fn, call: o, depth: fr.depth + 1}
	c.level, c.local = fr.level && !fr.fn.movesTop, fr.local+uint64(fr.fn.ir.Frame.Local)
	fr.children = append(fr.children, c)
	return c
}

// stack returns what the calls that led to the frame take of a thread's stack beside frames.
func (fr *frame) stack() uint64 { return uint64(fr.depth) * callBytes }

// before orders the frames of different calls: the deeper one first, else by the first call that is not the same, and the
// function called there.
func (fr *frame) before(o *frame) bool {
	switch {
	case fr.depth != o.depth:
		return fr.depth > o.depth
	case fr.parent != o.parent:
		return fr.parent.before(o.parent)
	case fr.call != o.call:
		return fr.call.pc < o.call.pc
	}
	return fr.fn.index < o.fn.index
}

// leave takes lanes out of a frame and of those it was called from up to, not including, end.
func (fr *frame) leave(lanes *masks, end *frame) {
	for ; fr != end; fr = fr.parent {
		fr.live = without(&fr.live, lanes)
	}
}

// runRet returns from a function; from the entry it ends the threads.
func runRet(g *gang, f *fragment, o *op) int {
	if f.frame.parent == nil {
		return runExit(g, f, o)
	}
	active := g.evaluate(o)
	rest := without(&f.masks, &active)
	g.goOn(f, o, &rest)
	if isEmpty(&active) {
		return stop
	}
	f = g.split(f, &active)
	callee := f.frame
	call := callee.call
	f.frame, f.pc = callee.parent, call.inst.Next
	callee.leave(&active, f.frame)
	if len(callee.fn.ir.Returns) == 0 || len(call.inst.Call.Results) == 0 {
		return stop
	}
	g.point(f)
	for i, p := range callee.fn.ir.Returns {
		if i == len(call.inst.Call.Results) {
			break
		}
		r := call.inst.Call.Results[i]
		bytes := min(r.Size, p.Size)
		if callee.level {
			g.moveLocal(&active, f.frame.local+uint64(r.Offset), callee.local+uint64(p.Offset), bytes)
			continue
		}
		g.eachLane(&active, func(w, lane int) { // the callee's frame began at the top
			g.copyLocal(w, lane, g.localBase(f, w, lane)+uint64(r.Offset), g.localTop(f, w, lane)+uint64(p.Offset), bytes)
		})
	}
	return stop
}

func runExit(g *gang, f *fragment, o *op) int {
	if o.guard.offset < 0 {
		g.exit(f)
		return stop
	}
	active := g.evaluate(o)
	rest := without(&f.masks, &active)
	g.goOn(f, o, &rest)
	if !isEmpty(&active) {
		g.exit(g.split(f, &active))
	}
	return stop
}

// exit ends the threads of the lanes of f.
func (g *gang) exit(f *fragment) {
	g.live = without(&g.live, &f.masks)
	f.frame.leave(&f.masks, nil)
	f.masks = masks{}
	g.drop(f)
	g.meet()
	g.block.exited()
}
