package simd

import (
	"fmt"
	"math"
	"unsafe"

	"silica/internal/amd64"
)

// flowCompiler makes native code of a whole kernel: a loop over blocks and one over the warps of a gang, a warp at a time.
//
// While the lanes of a warp are together, converged code runs them: chains of segments through which values stay in registers. Where lanes
// part, their values go to the frame and the lanes to the pending masks of the segments that they go on at; code for some lanes then runs the
// first segment that has any, as the engine does with fragments, until all lanes meet again.
type flowCompiler struct {
	*compiler
	whole *whole
	// full, some and scan are where all lanes begin a segment, some lanes do, and where the first segment from one on with pending lanes is looked for.
	full, some, scan []amd64.Label
	warp, done       amd64.Label
	exhausted        amd64.Label
	left             amd64.Label // the engine is to go on
}

// compileWhole returns the native code of a kernel.
func compileWhole(h *whole) (code []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errUncompiled, r)
		}
	}()
	c := &flowCompiler{compiler: newCompiler(h.flow.program, &h.run), whole: h}
	c.compiler.flow, c.counts, c.leave = h.flow, h.counts, c.leaveSegment
	c.calls, c.pollCost = h.calls, int32(max(h.turn()/pollsPerTurn, 1))
	for i := range h.run.work {
		if w := &h.run.work[i]; w.kind == computes && c.body(&w.kernel) == nil {
			return nil, errUncompiled
		}
	}
	c.suspends, c.home = c.NewLabel(), h.step(nativeStep)
	c.warp, c.done, c.exhausted, c.left = c.NewLabel(), c.NewLabel(), c.NewLabel(), c.NewLabel()
	for range h.flow.segments {
		c.full, c.some, c.scan = append(c.full, c.NewLabel()), append(c.some, c.NewLabel()), append(c.scan, c.NewLabel())
	}
	c.scan = append(c.scan, c.done)
	c.streamed = h.stored > 0
	c.entries()
	for i := range h.flow.segments {
		if !h.flow.segments[i].joined {
			c.chain(i)
		}
	}
	for i := range h.flow.segments {
		c.segment(i)
	}
	c.warpDone()
	c.outOfLine()
	return c.Bytes()
}

// entryBytes is the size of a jump: the code begins with one for each entry.
const entryBytes = 5

func pendingAt(segment int) amd64.Memory {
	return suspensionAt(unsafe.Offsetof(suspension{}.pending) + uintptr(4*segment))
}

// entries emits where blocks begin, where a warp goes on that has used up the budget, and where warps go on behind a barrier.
func (c *flowCompiler) entries() {
	blocks, again, resume, back, block := c.NewLabel(), c.NewLabel(), c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.Jump(blocks)
	c.Jump(again)
	c.Jump(resume)
	c.Jump(back)
	suspension0 := machineAt(unsafe.Offsetof(machine{}.suspension))
	onward := suspensionAt(unsafe.Offsetof(suspension{}.onward))

	c.Place(blocks)
	c.Do(amd64.Move, amd64.RBX, suspension0)
	c.AddressOf(amd64.RAX, c.warp)
	c.Store(onward, amd64.RAX)
	c.Place(block)
	c.Do32(amd64.Xor, amd64.R9, amd64.R9)
	c.Do32(amd64.Xor, amd64.R14, amd64.R14)
	c.Place(c.warp)
	c.Do32(amd64.Move, amd64.RAX, amd64.Memory{Base: amd64.R13, Index: amd64.R14, Scale: 1, Displacement: int32(unsafe.Offsetof(machine{}.start))})
	c.DoImmediate32(amd64.Compare, amd64.RAX, -1)
	c.JumpIf(amd64.Equal, c.full[0])
	c.Store32(pendingAt(0), amd64.RAX)
	c.Jump(c.scan[0])

	c.Place(again)
	c.Do(amd64.Move, amd64.RBX, suspension0)
	c.Do(amd64.Move, amd64.R9, suspensionAt(unsafe.Offsetof(suspension{}.registers)+9*8))
	c.Do(amd64.Move, amd64.R14, suspensionAt(unsafe.Offsetof(suspension{}.registers)+14*8))
	c.Jump(c.scan[0])

	c.Place(resume)
	c.Do(amd64.Move, amd64.RBX, suspension0)
	warp := c.NewLabel()
	c.AddressOf(amd64.RAX, warp)
	c.Store(onward, amd64.RAX)
	c.Do32(amd64.Xor, amd64.R9, amd64.R9)
	c.Do32(amd64.Xor, amd64.R14, amd64.R14)
	c.Place(warp)
	for _, i := range c.flow.resumes {
		at := c.waitingAt(i)
		c.Do32(amd64.Move, amd64.RAX, at)
		c.Store32(pendingAt(i), amd64.RAX)
		c.Do32(amd64.Xor, amd64.RAX, amd64.RAX)
		c.Store32(at, amd64.RAX)
	}
	c.Jump(c.scan[0])

	c.Place(back)
	c.Do(amd64.Move, amd64.RBX, suspension0)
	c.JumpTo(suspensionAt(unsafe.Offsetof(suspension{}.back)))

	for _, way := range []struct {
		from amd64.Label
		step int
	}{{c.exhausted, exhaustedStep}, {c.left, leftStep}} {
		c.Place(way.from)
		c.Store(registerAt(amd64.R9), amd64.R9)
		c.Store(registerAt(amd64.R14), amd64.R14)
		c.exit(way.step)
	}

	c.Place(c.done)
	c.DoImmediate(amd64.Add, amd64.R9, rowBytes)
	c.DoImmediate(amd64.Add, amd64.R14, 4)
	last := c.NewLabel()
	c.Do(amd64.Compare, amd64.R9, machineAt(unsafe.Offsetof(machine{}.span)))
	c.JumpIf(amd64.Equal, last)
	c.JumpTo(onward)
	c.Place(last)
	ended := c.NewLabel()
	c.DoImmediate32(amd64.Sub, suspensionAt(unsafe.Offsetof(suspension{}.blocks)), 1)
	c.JumpIf(amd64.Equal, ended)
	c.DoImmediate32(amd64.Add, suspensionAt(unsafe.Offsetof(suspension{}.place)), 1)
	c.Jump(block)
	c.Place(ended)
	c.exit(doneStep)
}

// warpDone ends the scan for lanes that are pending.
func (c *flowCompiler) warpDone() { c.Jump(c.done) }

// exit emits the return to Go at one of its steps.
func (c *flowCompiler) exit(number int) {
	if c.streamed {
		c.StoreFence()
	}
	c.Load64(amd64.R12, uint64(c.whole.step(number)))
	c.JumpTo(amd64.At(amd64.R12, int32(unsafe.Offsetof(step{}.code))))
}

// waitingAt returns where the lanes of the warp are that wait for a barrier in front of a segment. It changes RCX.
func (c *flowCompiler) waitingAt(segment int) amd64.Memory {
	c.Do(amd64.Move, amd64.RCX, machineAt(unsafe.Offsetof(machine{}.waiting)))
	return amd64.Memory{Base: amd64.RCX, Index: amd64.R14, Scale: 1, Displacement: int32(segment * 4 * gangWarps)}
}

// works returns the work of a segment and how it ends.
func (c *flowCompiler) works(i int) []work {
	x := c.flow.segments[i]
	var list []work
	for _, n := range c.whole.numbers[i] {
		if w := c.whole.run.work[n]; w.kind != describes {
			list = append(list, w)
		}
	}
	return append(list, work{kind: leaves, live: c.flow.after(x), segment: i})
}

// begin prepares the code of some work.
func (c *flowCompiler) begin(list []work, masked bool) {
	c.run = &run{fn: c.whole.run.fn, code: c.whole.run.code, work: list}
	if err := c.makePlan(); err != nil {
		panic(err)
	}
	c.masked, c.values = masked, newValues(c.compiler)
}

// chain emits the code for all lanes of a warp, of a segment and those that only follow it.
func (c *flowCompiler) chain(i int) {
	c.Place(c.full[i])
	list := c.works(i)
	first := i
	for i++; i < len(c.flow.segments) && c.flow.segments[i].joined; i++ {
		list = append(list, c.works(i)...)
	}
	full := c.NewLabel()
	apart := c.NewLabel()
	c.checkJournal(list, 1, full)
	c.begin(list, false)
	c.meets(list, apart)
	c.countWarp(first)
	for _, way := range [][2]amd64.Label{{full, c.exhausted}, {apart, c.left}} {
		c.slow = append(c.slow, func() {
			c.Place(way[0])
			c.Load64(amd64.RAX, math.MaxUint32)
			c.Store32(pendingAt(first), amd64.RAX)
			c.Jump(way[1])
		})
	}
	c.emitWork()
}

// segment emits the code for some lanes of a warp: those that are pending at the segment.
func (c *flowCompiler) segment(i int) {
	c.Place(c.scan[i])
	c.Do32(amd64.Move, amd64.RAX, pendingAt(i))
	c.Do32(amd64.And, amd64.RAX, amd64.RAX)
	c.JumpIf(amd64.Equal, c.scan[i+1])
	c.checkJournal(c.works(i), 1, c.exhausted)
	c.Do32(amd64.Xor, amd64.RCX, amd64.RCX)
	c.Store32(pendingAt(i), amd64.RCX)
	if !c.flow.segments[i].joined {
		c.DoImmediate32(amd64.Compare, amd64.RAX, -1)
		c.JumpIf(amd64.Equal, c.full[i])
	}
	list, apart := c.works(i), c.NewLabel()
	c.Store32(c.warpMasks(false, 0), amd64.RAX)
	c.begin(list, true)
	c.LoadMask(16, c.warpMasks(false, 0), 1)
	c.LoadMask(16, c.warpMasks(false, 2), 2)
	c.meets(list, apart)
	c.slow = append(c.slow, func() {
		c.Place(apart)
		c.Do32(amd64.Move, amd64.RAX, c.warpMasks(false, 0))
		c.Store32(pendingAt(i), amd64.RAX)
		c.Jump(c.left)
	})
	c.countSome(i)
	c.emitWork()
}

// leaveSegment emits the end of a segment.
func (c *flowCompiler) leaveSegment(w *work) {
	x := c.flow.segments[w.segment]
	if c.masked {
		c.values.storeLive(func(row int) bool { return w.live[row] })
		c.leaveSome(w.segment, x)
		return
	}
	switch {
	case x.ending == exits && x.guard.offset < 0:
		c.Jump(c.done)
		return
	case x.ending == meets:
		c.storeLive(x.next)
		at := c.waitingAt(x.next)
		c.Load64(amd64.RAX, math.MaxUint32)
		c.Store32(at, amd64.RAX)
		c.Jump(c.done)
		return
	case x.guard.offset >= 0:
		c.part(w, x)
	}
	if following := w.segment + 1; x.next != following || !c.flow.segments[following].joined {
		c.storeLive(x.next)
		c.goTo(w.segment, x.next)
	} else {
		c.countWarp(following)
	}
}

// storeLive brings what a segment reads to the frame.
func (c *flowCompiler) storeLive(segment int) {
	live := c.flow.segments[segment].live
	c.values.storeLive(func(row int) bool { return live[row] })
}

// goTo emits the way of all lanes from a segment to the start of another.
func (c *flowCompiler) goTo(from, to int) {
	if to <= from {
		tired := c.NewLabel()
		c.spend(tired)
		c.slow = append(c.slow, func() {
			c.Place(tired)
			c.Load64(amd64.RAX, math.MaxUint32)
			c.Store32(pendingAt(to), amd64.RAX)
			c.Jump(c.exhausted)
		})
	}
	c.Jump(c.full[to])
}

// spend takes one of the budget of jumps back, and goes elsewhere when there is none left.
func (c *flowCompiler) spend(tired amd64.Label) {
	c.DoImmediate(amd64.Sub, machineAt(unsafe.Offsetof(machine{}.budget)), 1)
	c.JumpIf(amd64.Below, tired)
}

// part emits the end of a segment with a guard, for all lanes; those that go to next go on behind it.
func (c *flowCompiler) part(w *work, x *flowSegment) {
	none, all := int32(0), int32(-1)
	if x.guard.negate {
		none, all = all, none
	}
	some, apart := c.NewLabel(), c.NewLabel()
	c.Do32(amd64.Move, amd64.RAX, c.predicate(x.guard, 0))
	c.DoImmediate32(amd64.Compare, amd64.RAX, none)
	c.JumpIf(amd64.NotEqual, some)
	values, plan := c.values.clone(), c.plan
	c.slow = append(c.slow, func() {
		c.Place(some)
		c.DoImmediate32(amd64.Compare, amd64.RAX, all)
		c.JumpIf(amd64.NotEqual, apart)
		c.masked, c.plan = false, plan
		c.countAll(x)
		if x.ending == exits {
			c.Jump(c.done)
		} else {
			c.values = values.clone()
			c.storeLive(x.target)
			c.goTo(w.segment, x.target)
		}
		c.Place(apart)
		if x.guard.negate {
			c.Not32(amd64.RAX)
		}
		c.countParting(x)
		if x.ending == branches {
			c.Store32(pendingAt(x.target), amd64.RAX)
		}
		c.Not32(amd64.RAX)
		c.Do32(amd64.Or, amd64.RAX, pendingAt(x.next)) // target and next may be one
		c.Store32(pendingAt(x.next), amd64.RAX)
		c.values = values.clone()
		c.values.storeLive(func(row int) bool { return w.live[row] })
		c.look(w.segment, x)
	})
}

// look emits the search for pending lanes behind a segment.
func (c *flowCompiler) look(segment int, x *flowSegment) {
	first := len(c.flow.segments)
	for _, to := range []int{x.next, x.target} {
		if to != ends {
			first = min(first, to)
		}
	}
	if first <= segment {
		c.spend(c.exhausted)
	} else {
		first = segment + 1
	}
	c.Jump(c.scan[first])
}

// leaveSome emits the end of a segment for some lanes, whose values are in the frame.
func (c *flowCompiler) leaveSome(segment int, x *flowSegment) {
	pend := func(at amd64.Memory, lanes amd64.Register) {
		c.Do32(amd64.Or, lanes, at)
		c.Store32(at, lanes)
	}
	masks := c.warpMasks(false, 0)
	c.Do32(amd64.Move, amd64.RDX, masks)
	if x.guard.offset >= 0 {
		c.Do32(amd64.Move, amd64.RAX, c.predicate(x.guard, 0))
		if x.guard.negate {
			c.Not32(amd64.RAX)
		}
		c.Do32(amd64.And, amd64.RAX, masks)
		c.Do32(amd64.Xor, amd64.RDX, amd64.RAX)
		c.countTaken(x)
		if x.ending == branches {
			pend(pendingAt(x.target), amd64.RAX)
		}
	}
	switch {
	case x.ending == meets:
		pend(c.waitingAt(x.next), amd64.RDX)
	case x.next != ends && (x.ending != exits || x.guard.offset >= 0):
		pend(pendingAt(x.next), amd64.RDX)
	}
	c.look(segment, x)
}
