package sass

import "silica/internal/isa"

// wide selects arithmetic on 64 bits.
func (s *selector) wide(v *value) {
	d := s.dst(v)
	a := v.args
	pair := func(name, low, high string, args ...*value) {
		l, h := parts(args)
		s.emit(name, low, d, s.operands(l...)...)
		s.emit(name, high, d, s.operands(h...)...)
	}
	switch v.op {
	case opAdd:
		s.addWide(v)
	case opSub:
		for _, mods := range []string{"", ".X"} {
			s.emit("IADD3", mods, d, s.operands(a...)...).Src[1].Negate = true
		}
	case opMulWide:
		s.emit("IMAD", ".WIDE"+unsigned(v.typ), d, append(s.operands(a[0], a[1]), zero)...)
	case opMul:
		s.mulWide64(v)
	case opShl, opShr:
		s.shiftWide(v)
	case opAnd, opOr, opXor, opNot:
		if s.rotate(v) {
			return
		}
		for half := 0; half < 2; half++ {
			if v.op != opNot && a[1].isConst() {
				c := uint32(a[1].imm >> (32 * half))
				if c == 0 && v.op != opAnd || c == ^uint32(0) && v.op == opAnd {
					continue // the half stays
				}
			}
			in := s.emit("LOP3", ".LUT", d, s.operands(a...)...)
			in.Table, in.Dst[0].Part = table(v, a), half
		}
	case opNeg:
		pair("IADD3", "", ".X", a...)
	case opAbs:
		pair("IADD3", "", ".X", a...)
		s.emit("SEL", "", d, s.operands(a...)...)
		s.emit("SEL", "", d, s.operands(a...)...)
	case opMin, opMax:
		p := s.temp(1)
		s.emit("ISETP", ".LT.U32.AND", p, s.operands(a...)...)
		s.emit("ISETP", ".LT"+unsigned(v.typ)+".AND.EX", p, s.operands(a...)...)
		pair("SEL", "", "", a...)
	case opExtend:
		s.extend(v)
	case opPair:
		for i, x := range a {
			if x.leaf() || x.uses > 1 {
				s.emit("MOV", "", d, s.moved(x)).Dst[0].Part = i
			} else {
				s.reg(x)
			}
		}
	default:
		s.emit("MOV", "", d, s.reg(a[0]))
	}
}

// extend makes 64 bits of 32; the low half stays where it is.
func (s *selector) extend(v *value) {
	o := s.operands(v.args[0])
	if v.typ.Kind() == isa.Signed {
		s.emit("SHF", ".R.S32.HI", s.dst(v), zero, Operand{Kind: Immediate, Value: 31}, o[0])
		return
	}
	s.emit("MOV", "", s.dst(v), zero, o[0])
}

// addWide selects a 64-bit sum with the product or shift that it takes in.
func (s *selector) addWide(v *value) {
	d := s.dst(v)
	x, y := v.args[0], v.args[1]
	if s.rotate(v) {
		return
	}
	for i := 0; i < 2; i++ {
		if x.op == opMulWide && x.guard == nil {
			s.emit("IMAD", ".WIDE"+unsigned(x.typ), d, s.operandsWide(x.args[0], x.args[1], y)...)
			return
		}
		if x.op == opShl && x.guard == nil && x.args[1].isConst() && s.near(v, x) && (x.uses == 1 || x.args[0].op == opExtend) && x.args[1].imm < 32 {
			e := x.args[0]
			if e.op == opExtend && e.typ.Kind() != isa.Signed {
				e = e.args[0]
			}
			shift := Operand{Kind: Immediate, Value: x.args[1].imm}
			s.emit("LEA", "", d, append(s.operands(e, y), shift)...)
			s.emit("LEA", ".HI.X", d, append(s.operands(e, y), shift)...)
			return
		}
		x, y = y, x
	}
	for i := 0; i < 2; i++ {
		if x.op == opAdd && x.guard == nil && x.uses == 1 && !s.want[x] && s.near(v, x) {
			low, high := parts(numberLast(y, x.args[0], x.args[1]))
			s.emit("IADD3", "", d, s.operands(low...)...)
			s.emit("IADD3", ".X", d, s.operands(high...)...)
			return
		}
		x, y = y, x
	}
	low, high := parts(numberLast(x, y))
	s.emit("IADD3", "", d, s.operands(low...)...)
	for i, a := range high {
		if a.onlyHigh() && a.uses == 1 {
			s.emit("LEA", ".HI.X.SX32", d, s.operands(a.args[0], high[1-i])...)
			return
		}
	}
	s.emit("IADD3", ".X", d, s.operands(high...)...)
}

// parts are what the instructions for the two halves of a result read: of a value of 32 bits made longer, the first reads that value.
func parts(args []*value) (low, high []*value) {
	for _, a := range args {
		switch {
		case a.op == opExtend && a.guard == nil && a.typ.Kind() != isa.Signed:
			low, high = append(low, a.args[0]), append(high, a.args[0])
		case a.onlyHigh():
			low, high = append(low, a.args[0]), append(high, a)
		default:
			low, high = append(low, a), append(high, a)
		}
	}
	return low, high
}

// mostReaders is up to how many readers of a value are looked at each time that it is read.
const mostReaders = 64

// onlyHigh tells whether a value is 32 bits with their sign in front, of which all readers take the halves apart: the low one stays where
// it is.
func (v *value) onlyHigh() bool {
	if v.op != opExtend || v.guard != nil || v.typ.Kind() != isa.Signed || v.args[0].leaf() || len(v.users) > mostReaders {
		return false
	}
	for _, u := range v.users {
		switch {
		case u.op == opMul && u.bits == 64 || u.op == opSub:
		case u.op == opAdd && u.args[0].op != opMulWide && u.args[1].op != opMulWide:
		default:
			return false
		}
		if u.args[0] == u.args[1] {
			return false
		}
	}
	return true
}

// rotate selects the sum or union of two shifts that together shift two words past each other.
func (s *selector) rotate(v *value) bool {
	if v.op != opAdd && v.op != opOr && v.op != opXor {
		return false
	}
	for i, left := range v.args {
		right := v.args[1-i]
		if left.op != opShl || right.op != opShr || right.typ.Kind() == isa.Signed || left.guard != nil || right.guard != nil ||
			!left.args[1].isConst() || !right.args[1].isConst() || left.args[1].imm+right.args[1].imm != uint64(v.bits) || s.want[left] || s.want[right] {
			continue
		}
		for j := 0; j < v.bits/32; j++ {
			s.emit("SHF", ".L.W.U32.HI", s.dst(v), s.reg(left.args[0]), Operand{Kind: Immediate, Value: left.args[1].imm}, s.reg(right.args[0]))
		}
		return true
	}
	return false
}

// operandsWide reads the sources of IMAD.WIDE, whose sum is a pair of registers before constant operands came back.
func (s *selector) operandsWide(a, b, c *value) []Operand {
	if s.arch.loadsConstants() {
		return append(s.operands(a, b), s.reg(c))
	}
	if inBank(c) {
		return []Operand{s.reg(a), s.reg(b), s.bank(c)}
	}
	return append(s.operands(a, b), s.reg(c))
}

func (s *selector) mulWide64(v *value) {
	d := s.dst(v)
	x, y := v.args[0], v.args[1]
	for _, u := range x.users {
		if u.name == "mul.hi.u64" && u.needed && len(u.args) == 2 && (u.args[0] == x && u.args[1] == y || u.args[0] == y && u.args[1] == x) {
			s.reg(x) // the sequence of the high half makes the low half
			return
		}
	}
	low, high := parts([]*value{x, y})
	s.emit("IMAD", ".WIDE.U32", d, s.operands(low...)...)
	s.emit("IMAD", "", d, s.operands(high[0], low[1])...)
	if !(y.isConst() && y.imm>>32 == 0) {
		s.emit("IMAD", "", d, s.operands(low[0], high[1])...)
	}
}

func (s *selector) shiftWide(v *value) {
	d := s.dst(v)
	x, n := v.args[0], v.args[1]
	if n.isConst() && n.imm >= 32 {
		s.emit("SHF", ".L.U32", d, s.operands(x, n)...)
		return
	}
	if v.op == opShl {
		s.emit("SHF", ".L.U64.HI", d, s.operands(x, n)...)
		s.emit("SHF", ".L.U32", d, s.operands(x, n)...)
		return
	}
	s.emit("SHF", ".R.U64", d, s.operands(x, n)...)
	s.emit("SHF", ".R"+map[bool]string{true: ".S32", false: ".U32"}[v.typ.Kind() == isa.Signed]+".HI", d, s.operands(x, n)...)
}
