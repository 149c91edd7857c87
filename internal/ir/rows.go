package ir

import (
	"cmp"
	"container/heap"
	"slices"
)

// assignRows gives the virtual registers their rows and predicates by linear scan (Poletto and Sarkar,
// "Linear scan register allocation", 1999) and puts them into the instructions. The interval of a
// register spans all places where it is live, source and destination of an instruction both
// included, so that two different registers of one instruction never share a row.
func assignRows(fn *Func, c *collector, l *liveness) {
	a := rowAssigner{liveness: l, slot: make([]int, len(c.registers))}
	for i := range a.slot {
		a.slot[i] = -1
	}
	a.fixed(c)
	a.scan(a.intervals())
	fn.Frame.Rows, fn.Frame.Preds = a.rows.size, a.preds.size
	l.in[0].each(func(n int) {
		r := l.crossing[n]
		fn.Frame.Zero = append(fn.Frame.Zero, Operand{Slot: a.slot[r], Bits: c.registers[r].bits})
	})
	slices.SortFunc(fn.Frame.Zero, func(x, y Operand) int {
		return cmp.Or(cmp.Compare(x.Bits, y.Bits), cmp.Compare(x.Slot, y.Slot))
	})
	a.rewrite()
}

// rowAssigner is the state of assignRows.
type rowAssigner struct {
	*liveness
	slot  []int // of a register, -1 when it is never used
	rows  space
	preds space
}

// interval is where a register is live, in code positions.
type interval struct{ register, start, end int }

// intervals returns the interval of every live register, by start.
func (a *rowAssigner) intervals() []interval {
	all := make([]interval, len(a.registers))
	for i := range all {
		all[i] = interval{i, len(a.fn.Code), -1}
	}
	touch := func(register, pc int) {
		iv := &all[register]
		iv.start, iv.end = min(iv.start, pc), max(iv.end, pc)
	}
	for b := range a.fn.Blocks {
		block := &a.fn.Blocks[b]
		a.in[b].each(func(n int) { touch(a.crossing[n], block.Start) })
		a.out[b].each(func(n int) { touch(a.crossing[n], block.End-1) })
		for pc := block.Start; pc < block.End; pc++ {
			in := &a.fn.Code[pc]
			in.eachSource(func(o *Operand) { touch(o.Slot, pc) })
			for _, d := range in.Dst {
				if d.Slot >= 0 {
					touch(d.Slot, pc)
				}
			}
		}
	}
	all = slices.DeleteFunc(all, func(iv interval) bool { return iv.end < 0 || !a.tracks(iv.register) })
	slices.SortFunc(all, func(x, y interval) int {
		return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.register, y.register))
	})
	return all
}

// scan assigns slots in order of start, giving back those of intervals that have ended.
func (a *rowAssigner) scan(intervals []interval) {
	byEnd := slices.Clone(intervals)
	slices.SortFunc(byEnd, func(x, y interval) int {
		return cmp.Or(cmp.Compare(x.end, y.end), cmp.Compare(x.register, y.register))
	})
	for _, iv := range intervals {
		for len(byEnd) > 0 && byEnd[0].end < iv.start {
			r := byEnd[0].register
			a.space(r).release(a.slot[r], max(rowsOf(a.registers[r].bits), 1))
			byEnd = byEnd[1:]
		}
		a.take(iv.register)
	}
}

// take gives a register its slot.
func (a *rowAssigner) take(register int) {
	a.slot[register] = a.space(register).take(max(rowsOf(a.registers[register].bits), 1))
}

func (a *rowAssigner) space(register int) *space {
	if a.registers[register].bits == 1 {
		return &a.preds
	}
	return &a.rows
}

// fixed gives rows of their own to what lives as long as the frame: the constants and special registers
// that are used, the frame's base and top.
func (a *rowAssigner) fixed(c *collector) {
	used := make([]bool, len(c.registers))
	a.eachInst(func(_ int, in *Inst) {
		in.eachSource(func(o *Operand) { used[o.Slot] = true })
	})
	frame := &a.fn.Frame
	frame.LocalBase, frame.LocalTop = None, None
	for _, rows := range []int{2, 1, 0} {
		for r, reg := range c.registers {
			fixed := reg.kind == localBaseRegister || reg.kind == localTopRegister
			if reg.kind == variableRegister || rowsOf(reg.bits) != rows || !used[r] && !fixed {
				continue
			}
			a.take(r)
			row := Operand{Slot: a.slot[r], Bits: reg.bits}
			switch reg.kind {
			case constRegister:
				k := c.consts[reg.index]
				k.Row = row
				frame.Consts = append(frame.Consts, k)
			case specialRegister:
				frame.Specials = append(frame.Specials, SpecialRow{Row: row, Name: c.specials[reg.index].Name})
			case localBaseRegister:
				frame.LocalBase = row
			case localTopRegister:
				frame.LocalTop = row
			}
		}
	}
}

// rewrite replaces virtual registers by their slots.
func (a *rowAssigner) rewrite() {
	a.eachInst(func(_ int, in *Inst) {
		in.eachSource(func(o *Operand) { o.Slot = a.slot[o.Slot] })
		for i := range in.Dst {
			if in.Dst[i].Slot >= 0 {
				in.Dst[i].Slot = a.slot[in.Dst[i].Slot]
			}
		}
	})
}

// space hands out rows in aligned groups of 1, 2 and 4: a buddy allocator that takes the lowest free
// group of the right size, and grows at the end.
type space struct {
	size int // rows handed out so far
	end  int // rows split into groups so far, a multiple of 4
	// free holds the first rows of the free groups of 1<<i rows, some of which are stale: isFree knows.
	free   [3]intHeap
	isFree [3]map[int]bool
}

// take returns the first of n rows, n being 1, 2 or 4, aligned to n.
func (s *space) take(n int) int {
	order := n / 2 // 1, 2, 4 -> 0, 1, 2
	at := s.pop(order)
	s.size = max(s.size, at+n)
	return at
}

// pop removes the lowest free group of an order, splitting a larger one when there is none.
func (s *space) pop(order int) int {
	for len(s.free[order]) > 0 {
		at := heap.Pop(&s.free[order]).(int)
		if s.isFree[order][at] {
			delete(s.isFree[order], at)
			return at
		}
	}
	if order == 2 {
		s.end += 4
		return s.end - 4
	}
	at := s.pop(order + 1)
	s.push(order, at+1<<order)
	return at
}

// release gives n rows back and joins them with their buddy as far as it is free.
func (s *space) release(at, n int) {
	order := n / 2
	for order < 2 {
		buddy := at ^ 1<<order
		if !s.isFree[order][buddy] {
			break
		}
		delete(s.isFree[order], buddy)
		at = min(at, buddy)
		order++
	}
	s.push(order, at)
}

func (s *space) push(order, at int) {
	if s.isFree[order] == nil {
		s.isFree[order] = map[int]bool{}
	}
	s.isFree[order][at] = true
	heap.Push(&s.free[order], at)
}
