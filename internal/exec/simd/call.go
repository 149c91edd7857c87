package simd

import (
	"unsafe"

	"silica/internal/amd64"
	"silica/internal/isa"
)

// Native code of a whole kernel runs the steps of instructions that it has no code of its own for, for the one warp that it is at: in machine code
// or, where the step has none, in Go. What the step reads is brought to the frame and what it writes is read from there; nothing else
// that vector registers hold lasts.

// callable tells whether native code of a whole kernel may run the step of an instruction: it does nothing but read and write registers and memory.
func callable(o *op) bool {
	if o.inst == nil || o.reports || o.again || o.product != nil || o.move != nil || rendezvous(o.inst) && o.together == nil {
		return false
	}
	switch o.inst.Op {
	case isa.OpLane, isa.OpMov, isa.OpCvta, isa.OpWarp, isa.OpMatrix, isa.OpAtom, isa.OpRed, isa.OpFence, isa.OpTrap, isa.OpIsspacep:
		return true
	case isa.OpLoad, isa.OpStore:
		return o.mem != nil && o.mem.space != isa.Local && o.mem.space != isa.ParamFunc
	}
	return false
}

// call returns the work of running a step, false where that can not be.
func (f *flow) call(step int) (w work, ok bool) {
	o := &f.fn.plain.ops[step]
	if !callable(o) {
		return w, false
	}
	w = work{kind: calls, step: step, guarded: o.guarded, srcs: append([]operand(nil), o.srcs...), rows: append([]operand(nil), o.dst...)}
	if o.mem != nil {
		w.srcs = append(w.srcs, o.mem.base)
		f.shared = f.shared || o.mem.space == isa.Shared || o.mem.space == isa.SharedCluster
	}
	for _, r := range append(w.srcs, w.rows...) {
		if r.bits > 64 {
			return w, false
		}
	}
	return w, true
}

// looseWork returns what native code of the whole kernel does for a step besides what runs do; false where there is nothing.
func (f *flow) looseWork(step int) (w work, ok bool) {
	c := &f.fn.plain
	if w, ok = c.loose[step]; ok && (w.kind == exchanges || w.kind == combines) {
		return w, true
	}
	if c.steps[step].code == f.program.unit.controls[controlPoll] {
		return work{kind: polls, step: step}, true
	}
	called, isCall := f.call(step)
	if isCall && ok { // a kernel that native code can not take apart
		called.srcs = append(called.srcs, w.srcs...)
		if w.dst.bits > 0 {
			called.rows = append(called.rows, w.dst)
		}
	}
	return called, isCall
}

// prepareCalls makes the steps that native code runs: each with one behind it that leads back.
func (h *whole) prepareCalls() {
	var list []*work
	for i := range h.run.work {
		if w := &h.run.work[i]; w.kind == calls {
			w.call = len(list)
			list = append(list, w)
		}
	}
	h.calls, h.called = make([]step, 2*len(list)), list
	for i, w := range list {
		s := h.run.code.steps[w.step]
		switch s.lanes {
		case lanesOffset, uint32(unsafe.Offsetof(machine{}.guardedLanes)):
			s.lanes = uint32(unsafe.Offsetof(machine{}.onlyOne))
		case uint32(unsafe.Offsetof(machine{}.masks)), uint32(unsafe.Offsetof(machine{}.guarded)):
			s.lanes = uint32(unsafe.Offsetof(machine{}.one))
		}
		if rendezvous(w.op(&h.run).inst) && w.op(&h.run).together != nil || s.code == 0 {
			s.code = h.flow.program.unit.controls[controlExit]
		}
		h.calls[2*i] = s
	}
}

// op returns what Go knows of the step of the work.
func (w *work) op(r *run) *op { return &r.code.ops[w.step] }

// callAt returns the number of the call whose step machine code stopped at.
func (h *whole) callAt(stopped uintptr) (i int, ok bool) {
	if len(h.calls) == 0 {
		return 0, false
	}
	at := stopped - uintptr(unsafe.Pointer(&h.calls[0]))
	return int(at / unsafe.Sizeof(step{})), at < uintptr(len(h.calls))*unsafe.Sizeof(step{})
}

// runCall has Go run what machine code of a call's step has not, and returns the step to go on at; nil on a fault.
func (g *gang) runCall(h *whole, at int) *step {
	w, m := h.called[at/2], &g.machine
	o := w.op(&h.run)
	g.at = w.step
	running, guarded := m.masks, m.guarded
	m.masks, m.guarded = m.one, m.one
	next := o.index + 1
	if rendezvous(o.inst) {
		if !o.together(g, o, &m.one) {
			next = stop
		}
	} else {
		next = o.run(g, nil, o)
	}
	m.warp, m.rest = 0, 0
	m.masks, m.guarded = running, guarded
	switch next {
	case stop:
		m.one = masks{}
		return nil
	case o.index: // it knows the memory now
		return &h.calls[at]
	}
	return &h.calls[at+1]
}

// callStep emits that a step is run for the warp.
func (c *compiler) callStep(w *work) {
	back, skip := c.NewLabel(), c.NewLabel()
	for _, o := range w.srcs {
		c.toFrame(o)
	}
	for _, o := range w.rows {
		if c.masked || w.guarded {
			c.toFrame(o)
		}
	}
	c.values.leaveRegisters(w.rows)
	if c.masked || w.guarded {
		c.Do32(amd64.Move, amd64.RAX, c.warpMasks(w.guarded, 0))
		c.Test(amd64.RAX, amd64.RAX)
		c.JumpIf(amd64.Equal, skip)
	} else {
		c.Load64(amd64.RAX, allLanes)
	}
	one := amd64.Memory{Base: amd64.R13, Index: amd64.R14, Scale: 1, Displacement: int32(unsafe.Offsetof(machine{}.one))}
	c.Store32(one, amd64.RAX)
	c.keepRegisters()
	c.AddressOf(amd64.RAX, back)
	c.Store(suspensionAt(unsafe.Offsetof(suspension{}.back)), amd64.RAX)
	c.Load64(amd64.R12, uint64(uintptr(unsafe.Pointer(&c.calls[2*w.call]))))
	c.JumpTo(amd64.At(amd64.R12, int32(unsafe.Offsetof(step{}.code))))
	c.Place(back)
	c.restoreRegisters()
	c.Do32(amd64.Xor, amd64.RAX, amd64.RAX)
	c.Store32(one, amd64.RAX)
	c.Place(skip)
}

// keepRegisters emits that the registers whose values last are kept in memory, restoreRegisters that they have them again.
func (c *compiler) keepRegisters() {
	c.eachPointer(func(at amd64.Memory, r amd64.Register) { c.Store(at, r) })
	c.Store(registerAt(amd64.R9), amd64.R9)
	c.Store(registerAt(amd64.R14), amd64.R14)
}

func (c *compiler) restoreRegisters() {
	c.Do(amd64.Move, amd64.R9, registerAt(amd64.R9))
	c.Do(amd64.Move, amd64.R14, registerAt(amd64.R14))
	c.eachPointer(func(at amd64.Memory, r amd64.Register) { c.Do(amd64.Move, r, at) })
	if c.masked {
		c.LoadMask(16, c.warpMasks(false, 0), 1)
		c.LoadMask(16, c.warpMasks(false, 2), 2)
	}
}

func registerAt(r amd64.Register) amd64.Memory {
	return suspensionAt(unsafe.Offsetof(suspension{}.registers) + uintptr(8*r))
}

// eachPointer calls visit for the pointers of groups that registers have, with where they are kept.
func (c *compiler) eachPointer(visit func(at amd64.Memory, r amd64.Register)) {
	for _, g := range c.plan.groups {
		if g.home >= 0 && g.done {
			for half, r := range pointerRegisters[g.home] {
				visit(g.pointerAt(half), r)
			}
		}
	}
}

// toFrame brings what a register of the program has to its place in the frame.
func (c *compiler) toFrame(o operand) {
	if o.offset < 0 || o.bits == 1 {
		return
	}
	s := &c.values
	parts := 2
	if o.bits == 64 {
		parts = 4
	}
	if _, ok := c.plan.cells[o.offset]; ok { // it is nowhere in the frame
		r := s.need(c.rowValue(o, 0))
		for part := range parts {
			at := amd64.Memory{Base: amd64.R11, Index: amd64.R9, Scale: parts / 2, Displacement: int32(o.offset + part*64)}
			c.vector("VMOVDQU64", z(r), at)
		}
		s.unlock()
		return
	}
	if c.plan.constants[o.offset] {
		return
	}
	for part := range parts {
		v := c.rowValue(o, part)
		r := s.find(v)
		if _, ok := s.spilled[v]; ok && r < 0 {
			r = s.need(v)
		}
		if r >= 0 && (s.holders[r].dirty || s.holders[r].raw) {
			s.store(r)
		}
		s.unlock()
	}
}

// leaveRegisters brings the values that are needed later out of the vector registers; those of some rows are about to be overwritten in the frame.
func (s *values) leaveRegisters(overwritten []operand) {
	gone := map[int]bool{}
	for _, o := range overwritten {
		gone[o.offset] = true
	}
	for r := range s.holders {
		h := &s.holders[r]
		if h.bound && h.value.constant == "" && !gone[h.value.row] && h.dirty && !h.saved && !s.dead(h) {
			s.spill(r)
		}
		*h = holder{}
	}
	for v := range s.spilled {
		if gone[v.row] {
			delete(s.spilled, v)
		}
	}
}

// pollsPerTurn is how often lanes may poll until native code of the whole kernel has had its turn.
const pollsPerTurn = 64

// poll emits the note that lanes may be waiting for others.
func (c *compiler) poll() {
	enough := c.NewLabel()
	budget := machineAt(unsafe.Offsetof(machine{}.budget))
	c.DoImmediate(amd64.Sub, budget, c.pollCost)
	c.JumpIf(amd64.AboveOrEqual, enough)
	c.StoreImmediate(budget, 0)
	c.Place(enough)
}
