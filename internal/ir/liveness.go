package ir

import "math/bits"

// liveness tells which virtual registers hold a value that may still be read, at the borders of blocks. Only
// registers that live across a border have a number in its sets. Lanes are independent of each other,
// so liveness over the control flow graph is enough for divergent code too. A guarded write keeps the
// old value in the lanes whose guard is false: it does not end the life of that value.
type liveness struct {
	fn        *Func
	registers []register
	crossing  []int // registers that some block reads before writing
	number    []int // register to index in crossing, -1
	in, out   []bitset
}

// newLiveness solves the data-flow equations.
func newLiveness(fn *Func, registers []register) *liveness {
	l := &liveness{fn: fn, registers: registers, number: make([]int, len(registers))}
	l.findCrossing()
	n := len(fn.Blocks)
	l.in, l.out = make([]bitset, n), make([]bitset, n)
	written := make([]bitset, n)
	for b := range fn.Blocks {
		l.in[b], l.out[b], written[b] = newBitset(len(l.crossing)), newBitset(len(l.crossing)), newBitset(len(l.crossing))
		l.summarise(b, l.in[b], written[b])
	}
	preds := make([][]int, n)
	for b := range fn.Blocks {
		for _, s := range fn.Blocks[b].Succs {
			preds[s] = append(preds[s], b)
		}
	}
	queued := make([]bool, n)
	var queue []int
	for b := range fn.Blocks {
		queue, queued[b] = append(queue, b), true
	}
	for len(queue) > 0 { // from the last block to the first
		b := queue[len(queue)-1]
		queue, queued[b] = queue[:len(queue)-1], false
		for _, s := range fn.Blocks[b].Succs {
			l.out[b].addAll(l.in[s])
		}
		if !l.in[b].addAllBut(l.out[b], written[b]) {
			continue
		}
		for _, p := range preds[b] {
			if !queued[p] {
				queue, queued[p] = append(queue, p), true
			}
		}
	}
	return l
}

// findCrossing numbers the registers that a block reads before it writes them.
func (l *liveness) findCrossing() {
	written := make([]int, len(l.registers)) // block + 1
	for i := range l.number {
		l.number[i] = -1
	}
	l.eachInst(func(b int, in *Inst) {
		in.eachSource(func(o *Operand) {
			if l.tracks(o.Slot) && written[o.Slot] != b+1 && l.number[o.Slot] < 0 {
				l.number[o.Slot] = len(l.crossing)
				l.crossing = append(l.crossing, o.Slot)
			}
		})
		if in.Guard.Slot < 0 {
			for _, d := range in.Dst {
				if d.Slot >= 0 {
					written[d.Slot] = b + 1
				}
			}
		}
	})
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

// summarise finds what a block reads before writing and what it writes in all lanes.
func (l *liveness) summarise(b int, read, written bitset) {
	for pc := l.fn.Blocks[b].Start; pc < l.fn.Blocks[b].End; pc++ {
		in := &l.fn.Code[pc]
		in.eachSource(func(o *Operand) {
			if n := l.number[o.Slot]; n >= 0 && !written.has(n) {
				read.add(n)
			}
		})
		if in.Guard.Slot >= 0 {
			continue
		}
		for _, d := range in.Dst {
			if d.Slot >= 0 && l.number[d.Slot] >= 0 {
				written.add(l.number[d.Slot])
			}
		}
	}
}

// backward walks a block from its end, calling before for each instruction with the registers that live
// after it, and keeping live up to date.
func (l *liveness) backward(b int, live *liveSet, visit func(pc int, in *Inst)) {
	live.clear()
	l.out[b].each(func(n int) { live.add(l.crossing[n]) })
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

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) has(n int) bool { return s[n/64]>>(n%64)&1 != 0 }
func (s bitset) add(n int)      { s[n/64] |= 1 << (n % 64) }

func (s bitset) addAll(t bitset) {
	for i := range s {
		s[i] |= t[i]
	}
}

// addAllBut adds the members of t that are not in but, and tells whether s grew.
func (s bitset) addAllBut(t, but bitset) (grew bool) {
	for i := range s {
		more := t[i] &^ but[i] &^ s[i]
		s[i] |= more
		grew = grew || more != 0
	}
	return grew
}

// each calls visit for the members in rising order.
func (s bitset) each(visit func(int)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			visit(i*64 + bits.TrailingZeros64(w))
		}
	}
}
