package ir

import (
	"cmp"
	"container/heap"
	"slices"

	"silica/internal/isa"
)

// assignRows gives the virtual registers their rows and predicates and puts them into the instructions. It is
// linear scan with holes (Wimmer and Mössenböck, "Optimized interval splitting in a linear scan
// register allocator", 2005) without spilling: there are as many rows as it takes. The source and the
// destination of one instruction share a row only where shares allows it.
func (v *virtual) assignRows() {
	a := rowAssigner{virtual: v, slot: make([]int, len(v.registers)), next: make([]int, len(v.registers))}
	a.shared = make([]int, len(v.Code))
	for pc := range v.Code {
		a.shared[pc] = shares(&v.Code[pc])
	}
	for i := range a.slot {
		a.slot[i] = -1
	}
	a.fixed()
	a.scan()
	a.stack()
	v.Frame.Preds = a.preds.size
	for r, lr := range v.ranges {
		if len(lr) > 0 && lr[0].from == 0 {
			v.Frame.Zero = append(v.Frame.Zero, Operand{Slot: a.slot[r], Bits: v.registers[r].bits})
		}
	}
	a.rewrite()
}

// rowAssigner is the state of assignRows.
type rowAssigner struct {
	*virtual
	slot []int // of a register, -1 when it is never used
	next []int // the span of a register that scan has come to
	// shared is what shares returns for each instruction.
	shared []int
	// active holds the registers in a span, by its end; inactive those in a hole, by the next span's start.
	active, inactive registerHeap
	// rows holds what lives as long as the frame, narrow the registers of up to 32 bits, wide those of 64
	// and 128. Narrow and wide registers never share a row: lane 3 of a wide one lies over lanes 6 and 7 of
	// a narrow one, and lanes of a warp may be at different places in the program.
	rows, narrow, wide, preds space
}

// stack puts the rows of the wide and the narrow registers behind the fixed ones.
func (a *rowAssigner) stack() {
	wide := (a.rows.size + 3) &^ 3
	narrow := wide + a.wide.size
	a.Frame.Rows = narrow + a.narrow.size
	for r := range a.slot {
		if a.slot[r] < 0 {
			continue
		}
		switch s, _ := a.space(r); s {
		case &a.wide:
			a.slot[r] += wide
		case &a.narrow:
			a.slot[r] += narrow
		}
	}
}

// shares returns the width of the sources whose row the destination of an instruction may take over, 0 for
// none: for one destination that each lane computes from its own sources, those of the same width.
// What is written then replaces exactly what was read, as when a program names one register twice.
func shares(in *Inst) int {
	switch in.Op {
	case isa.OpLane, isa.OpMov, isa.OpCvta:
		if len(in.Dst) == 1 && in.Dst[0].Slot >= 0 {
			return in.Dst[0].Bits
		}
	}
	return 0
}

// tries is how many free groups of rows are looked at before a new one is taken.
const tries = 64

// fixed gives rows of their own to what lives as long as the frame: first the constants that all warps
// share, then other constants, special registers, and the frame's base and top.
func (a *rowAssigner) fixed() {
	used := make([]bool, len(a.registers))
	for pc := range a.Code {
		a.Code[pc].eachSource(func(o *Operand) { used[o.Slot] = true })
	}
	a.Frame.LocalBase, a.Frame.LocalTop = None, None
	for _, shared := range []bool{true, false} {
		for _, rows := range []int{2, 1, 0} {
			for r, reg := range a.registers {
				local := reg.kind == localBaseRegister || reg.kind == localTopRegister
				if rowsOf(reg.bits) == rows && (used[r] || local) && a.isShared(reg) == shared {
					a.fix(r)
				}
			}
		}
		if shared {
			a.Frame.ConstRows = a.rows.size
		}
	}
}

// isShared tells whether a register is a constant that is the same in all warps.
func (a *rowAssigner) isShared(reg register) bool {
	return reg.kind == constRegister && a.consts[reg.index].Kind != ConstLocal
}

// fix gives a register its slot for good and enters it in the frame.
func (a *rowAssigner) fix(r int) {
	reg := a.registers[r]
	if reg.kind == variableRegister {
		return
	}
	s, n := a.space(r)
	a.slot[r] = s.take(n)
	row := Operand{Slot: a.slot[r], Bits: reg.bits}
	switch frame := &a.Frame; reg.kind {
	case constRegister:
		k := a.consts[reg.index]
		k.Row = row
		frame.Consts = append(frame.Consts, k)
	case specialRegister:
		frame.Specials = append(frame.Specials, SpecialRow{Row: row, Name: a.specials[reg.index].Name})
	case localBaseRegister:
		frame.LocalBase = row
	case localTopRegister:
		frame.LocalTop = row
	}
}

// scan assigns slots in order of the ranges' starts.
func (a *rowAssigner) scan() {
	var order []int
	for r, lr := range a.ranges {
		if len(lr) > 0 {
			order = append(order, r)
		}
	}
	slices.SortFunc(order, func(x, y int) int {
		return cmp.Or(cmp.Compare(a.ranges[x][0].from, a.ranges[y][0].from), cmp.Compare(x, y))
	})
	for _, r := range order {
		a.advance(a.ranges[r][0].from)
		a.slot[r] = a.place(r)
		heap.Push(&a.active, timed{a.end(r), r})
	}
}

// place chooses a slot: that of a source of the instruction that begins the range where it can be, so that a
// chain of operations on one value stays in one row.
func (a *rowAssigner) place(r int) int {
	s, n := a.space(r)
	if from := a.ranges[r][0].from; from%2 == 1 && a.shared[from/2] != 0 {
		for _, src := range a.Code[from/2].Src {
			if src.Slot < 0 || src.Bits != a.registers[r].bits {
				continue
			}
			if from, _ := a.space(src.Slot); from != s {
				continue
			}
			if at := a.slot[src.Slot]; s.hasFree(at, n) && !a.conflicts(r, at, n) {
				s.reserve(at, n)
				return at
			}
		}
	}
	return s.takeWhere(n, func(at int) bool { return !a.conflicts(r, at, n) })
}

// end returns the last position at which the current span of a register holds its row.
func (a *rowAssigner) end(r int) int {
	to := a.ranges[r][a.next[r]].to
	if to%2 == 0 && a.shared[to/2] != a.registers[r].bits {
		to++ // until the instruction has written
	}
	return to
}

// advance moves to a position: spans that have ended give their slots back, those that begin take them
// again.
func (a *rowAssigner) advance(position int) {
	for {
		ended := len(a.active) > 0 && a.active[0].time < position
		if len(a.inactive) > 0 && a.inactive[0].time <= position && !(ended && a.active[0].time < a.inactive[0].time) {
			r := heap.Pop(&a.inactive).(timed).register
			s, n := a.space(r)
			s.reserve(a.slot[r], n)
			s.forget(a.slot[r], r)
			heap.Push(&a.active, timed{a.end(r), r})
			continue
		}
		if !ended {
			return
		}
		r := heap.Pop(&a.active).(timed).register
		s, n := a.space(r)
		s.release(a.slot[r], n)
		if a.next[r]++; a.next[r] < len(a.ranges[r]) {
			s.remember(a.slot[r], r)
			heap.Push(&a.inactive, timed{a.ranges[r][a.next[r]].from, r})
		}
	}
}

// conflicts tells whether a register in a hole will want one of the n rows at a place while r lives.
func (a *rowAssigner) conflicts(r, at, n int) bool {
	s, _ := a.space(r)
	bits := a.registers[r].bits
	for row := at &^ 3; row < at+n; row++ { // a register of more rows may begin below
		for _, other := range s.waiting[row] {
			if _, m := a.space(other); row+m <= at {
				continue
			}
			clashes := func(pc int) bool { return a.shared[pc] != bits || a.registers[other].bits != bits }
			if a.ranges[r].meets(a.ranges[other][a.next[other]:], clashes) {
				return true
			}
		}
	}
	return false
}

// space returns where a register's slot comes from, and how many rows it takes there.
func (a *rowAssigner) space(register int) (*space, int) {
	reg := a.registers[register]
	switch {
	case reg.bits == 1:
		return &a.preds, 1
	case reg.kind != variableRegister:
		return &a.rows, rowsOf(reg.bits)
	case reg.bits > 32:
		return &a.wide, rowsOf(reg.bits)
	}
	return &a.narrow, 1
}

// rewrite replaces virtual registers by their slots.
func (a *rowAssigner) rewrite() {
	for pc := range a.Code {
		in := &a.Code[pc]
		in.eachSource(func(o *Operand) { o.Slot = a.slot[o.Slot] })
		for i := range in.Dst {
			if in.Dst[i].Slot >= 0 {
				in.Dst[i].Slot = a.slot[in.Dst[i].Slot]
			}
		}
	}
}

// timed is a register and the position at which something happens to it.
type timed struct{ time, register int }

// registerHeap is a heap of registers, the earliest first.
type registerHeap []timed

func (h registerHeap) Len() int { return len(h) }
func (h registerHeap) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].time, h[j].time), cmp.Compare(h[i].register, h[j].register)) < 0
}
func (h registerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push and Pop are for package heap.
func (h *registerHeap) Push(x any) { *h = append(*h, x.(timed)) }
func (h *registerHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
