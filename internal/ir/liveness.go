package ir

// liveness tells which virtual registers hold a value that may still be read, at the borders of blocks.
// Lanes are independent of each other, so liveness over the control flow graph is enough for divergent
// code too. A guarded write keeps the old value in the lanes whose guard is false: it does not end
// the life of that value.
type liveness struct {
	fn        *Func
	registers []register
	in, out   [][]int // registers live at the start and end of a block
}

// newLiveness finds the live registers by walking from every block that reads a register before writing it
// against the flow, to the blocks that write it. The time it takes is that of writing the result.
func newLiveness(fn *Func, registers []register) *liveness {
	n := len(fn.Blocks)
	l := &liveness{fn: fn, registers: registers, in: make([][]int, n), out: make([][]int, n)}
	preds := make([][]int, n)
	for b := range fn.Blocks {
		for _, s := range fn.Blocks[b].Succs {
			preds[s] = append(preds[s], b)
		}
	}
	reads, writes := l.blocksOf()
	// The register that each mark was set for last, plus 1.
	live, left, written := make([]int, n), make([]int, n), make([]int, n)
	var pending []int
	for r := range registers {
		enter := func(b int) {
			if live[b] != r+1 {
				live[b] = r + 1
				l.in[b] = append(l.in[b], r)
				pending = append(pending, b)
			}
		}
		for _, b := range writes[r] {
			written[b] = r + 1
		}
		for _, b := range reads[r] {
			enter(b)
		}
		for len(pending) > 0 {
			b := pending[len(pending)-1]
			pending = pending[:len(pending)-1]
			for _, p := range preds[b] {
				if left[p] != r+1 {
					left[p] = r + 1
					l.out[p] = append(l.out[p], r)
				}
				if written[p] != r+1 {
					enter(p)
				}
			}
		}
	}
	return l
}

// blocksOf returns, for each register, the blocks that read it before writing it, and those that write it in
// all lanes.
func (l *liveness) blocksOf() (reads, writes [][]int) {
	reads, writes = make([][]int, len(l.registers)), make([][]int, len(l.registers))
	l.eachInst(func(b int, in *Inst) {
		in.eachSource(func(o *Operand) {
			if l.tracks(o.Slot) && last(writes[o.Slot]) != b && last(reads[o.Slot]) != b {
				reads[o.Slot] = append(reads[o.Slot], b)
			}
		})
		if in.Guard.Slot >= 0 {
			return
		}
		for _, d := range in.Dst {
			if d.Slot >= 0 && last(writes[d.Slot]) != b {
				writes[d.Slot] = append(writes[d.Slot], b)
			}
		}
	})
	return reads, writes
}

// last returns the last element, -1 when there is none.
func last(list []int) int {
	if len(list) == 0 {
		return -1
	}
	return list[len(list)-1]
}

// tracks tells whether a register is one that instructions write: constants and the like live everywhere.
func (l *liveness) tracks(slot int) bool { return l.registers[slot].kind == variableRegister }

func (l *liveness) eachInst(visit func(block int, in *Inst)) {
	for b := range l.fn.Blocks {
		for pc := l.fn.Blocks[b].Start; pc < l.fn.Blocks[b].End; pc++ {
			visit(b, &l.fn.Code[pc])
		}
	}
}

// backward walks a block from its end, calling before for each instruction with the registers that live
// after it, and keeping live up to date.
func (l *liveness) backward(b int, live *liveSet, visit func(pc int, in *Inst)) {
	live.clear()
	for _, r := range l.out[b] {
		live.add(r)
	}
	for pc := l.fn.Blocks[b].End - 1; pc >= l.fn.Blocks[b].Start; pc-- {
		in := &l.fn.Code[pc]
		visit(pc, in)
		if in.Guard.Slot < 0 {
			for _, d := range in.Dst {
				if d.Slot >= 0 {
					live.remove(d.Slot)
				}
			}
		}
		in.eachSource(func(o *Operand) {
			if l.tracks(o.Slot) {
				live.add(o.Slot)
			}
		})
	}
}

// dropDead drops the destinations that nothing reads.
func (l *liveness) dropDead() {
	live := newLiveSet(l.registers)
	for b := range l.fn.Blocks {
		l.backward(b, live, func(_ int, in *Inst) {
			for i := range in.Dst {
				if s := in.Dst[i].Slot; s >= 0 && !live.has[s] {
					in.Dst[i].Slot = -1
				}
			}
		})
	}
}

// liveSet is a set of registers that knows how many rows they need.
type liveSet struct {
	registers []register
	has       []bool
	members   []int // those added since clear, some removed again
	rows      int
}

func newLiveSet(registers []register) *liveSet {
	return &liveSet{registers: registers, has: make([]bool, len(registers))}
}

func (s *liveSet) clear() {
	for _, m := range s.members {
		s.has[m] = false
	}
	s.members, s.rows = s.members[:0], 0
}

func (s *liveSet) add(slot int) {
	if !s.has[slot] {
		s.has[slot] = true
		s.members = append(s.members, slot)
		s.rows += rowsOf(s.registers[slot].bits)
	}
}

func (s *liveSet) remove(slot int) {
	if s.has[slot] {
		s.has[slot] = false
		s.rows -= rowsOf(s.registers[slot].bits)
	}
}

// rowsOf returns the number of rows of a register; none for a predicate.
func rowsOf(bits int) int {
	switch {
	case bits == 1:
		return 0
	case bits <= 32:
		return 1
	}
	return bits / 32
}
