package sass

import (
	"slices"
	"strings"

	"silica/internal/isa"
)

// integer selects arithmetic of integers and bits.
func (s *selector) integer(v *value) {
	if v.bits == 64 {
		s.wide(v)
		return
	}
	d := s.dst(v)
	a := v.args
	switch v.op {
	case opAdd, opSub:
		s.add(v)
	case opMul:
		s.emit("IMAD", "", d, append(s.operands(a[0], a[1]), zero)...)
	case opMulHigh:
		s.emit("IMAD", ".HI"+unsigned(v.typ), d, append(s.operands(a[0], a[1]), zero)...)
	case opShl, opShr:
		s.shift(v)
	case opAnd, opOr, opXor, opNot:
		s.logic(v, truth)
	case opNeg:
		o := s.reg(a[0])
		o.Negate = true
		s.emit("IADD3", "", d, o, zero, zero)
	case opAbs:
		s.emit("IABS", "", d, s.reg(a[0]))
	case opMin, opMax:
		s.minMax(v)
	case opLow, opHigh, opLower:
		s.half(v)
	case opUpper:
		if readAsHalf(v) {
			s.half(v)
			return
		}
		s.emit("PRMT", "", d, append(s.operands(a[0]), Operand{Kind: Immediate, Value: 0x7632}, zero)...)
	default:
		s.emit("MOV", "", d, s.reg(a[0]))
	}
}

func unsigned(t isa.Type) string {
	if t.Kind() == isa.Signed {
		return ""
	}
	return ".U32"
}

// half takes a half of a pair: no instruction, the register is part of the pair. It is written as a move of no cost.
func (s *selector) half(v *value) {
	s.want[v.args[0]] = !v.args[0].leaf() || s.want[v.args[0]]
	if v.args[0].leaf() {
		s.reg(v.args[0])
	}
}

// readAsHalf tells whether all that reads v can take the upper half of a register: arithmetic of half precision.
func readAsHalf(v *value) bool {
	for _, u := range v.users {
		if u.op != opOther || u.inst == nil || !strings.HasPrefix(sequences().byName[u.name], "H") {
			return false
		}
	}
	return true
}

// folds tells whether v takes in its argument a, which then needs no instruction of its own for v.
func (s *selector) folds(v, a *value, o op) bool {
	return a.op == o && a.guard == nil && a.bits == v.bits && a.block != nil && s.near(v, a)
}

// near tells whether recomputing a in the place of v costs nothing more: a is not in an outer loop.
func (s *selector) near(v, a *value) bool { return a.block.loop == v.block.loop || a.uses == 1 }

// onlyAdds tells whether everything that reads a can take it in.
func onlyAdds(a *value) bool {
	for _, u := range a.users {
		if u.op != opAdd && u.op != opSub || u.bits != a.bits {
			return false
		}
	}
	return true
}

// add selects a 32-bit sum, with what it takes in.
func (s *selector) add(v *value) {
	d := s.dst(v)
	x, y := v.args[0], v.args[1]
	if s.rotate(v) {
		return
	}
	if v.op == opAdd {
		for i := 0; i < 2; i++ {
			if s.folds(v, x, opMul) && (x.uses == 1 || onlyAdds(x)) && !s.want[x] {
				s.emit("IMAD", "", d, s.operands(x.args[0], x.args[1], y)...)
				return
			}
			if s.folds(v, x, opShl) && x.args[1].isConst() && !y.isConst() && x.args[1].imm < 32 && !(x.uniform && x.uses > 1) {
				s.emit("LEA", "", d, append(s.operands(x.args[0], y), Operand{Kind: Immediate, Value: x.args[1].imm})...)
				return
			}
			if s.folds(v, x, opShr) && x.typ.Kind() != isa.Signed && x.args[1].isConst() && x.uses == 1 && !y.isConst() {
				s.emit("LEA", ".HI", d, append(s.operands(x.args[0], y), zero, Operand{Kind: Immediate, Value: 32 - x.args[1].imm})...)
				return
			}
			x, y = y, x
		}
		for i := 0; i < 2; i++ {
			if x.name == "shf.l.wrap.b32" && s.folds(v, x, opOther) && x.args[2].isConst() && x.uses == 1 && !y.isConst() {
				s.emit("LEA", ".HI", d, append(s.operands(x.args[0], y), s.reg(x.args[1]), Operand{Kind: Immediate, Value: x.args[2].imm})...)
				return
			}
			x, y = y, x
		}
		for i := 0; i < 2; i++ {
			if (s.folds(v, x, opAdd) || s.folds(v, x, opSub)) && x.uses == 1 && !s.want[x] {
				s.emit("IADD3", "", d, s.operands(numberLast(y, x.args[0], x.args[1])...)...)
				return
			}
			x, y = y, x
		}
	} else if s.folds(v, x, opAdd) && x.uses == 1 && !s.want[x] {
		list := numberLast(y, x.args[0], x.args[1])
		s.emit("IADD3", "", d, s.operands(list...)...).Src[slices.Index(list, y)].Negate = true
		return
	}
	list := numberLast(x, y)
	in := s.emit("IADD3", "", d, append(s.operands(list...), zero)...)
	in.Src[slices.Index(list, y)].Negate = v.op == opSub && x != y
}

// numberLast puts a first operand that need not be a register behind the others, as the first source has to be one: a number, or a
// parameter when there is no number.
func numberLast(list ...*value) []*value {
	first, number := list[0], false
	for _, a := range list[1:] {
		number = number || a.isConst()
	}
	if first.isConst() || inBank(first) && !number {
		return append(list[1:len(list):len(list)], first)
	}
	return list
}

func (s *selector) shift(v *value) {
	name := ".L.U32"
	if v.op == opShr {
		name = ".R.U32.HI"
		if v.typ.Kind() == isa.Signed {
			name = ".R.S32.HI"
		}
	}
	s.emit("SHF", name, s.dst(v), append(s.operands(v.args[0], v.args[1]), zero)...)
}

// minMax selects extremes; Hopper adds along the way.
func (s *selector) minMax(v *value) {
	if s.arch.SM < 90 {
		s.emit("IMNMX", unsigned(v.typ), s.dst(v), s.operands(v.args[0], v.args[1])...).Largest = v.op == opMax
		return
	}
	x, y := v.args[0], v.args[1]
	for i := 0; i < 2; i++ {
		if s.folds(v, x, opAdd) && x.uses == 1 && !s.want[x] {
			s.emit("VIADDMNMX", unsigned(v.typ), s.dst(v), s.operands(x.args[0], x.args[1], y)...)
			return
		}
		x, y = y, x
	}
	s.emit("VIMNMX", unsigned(v.typ), s.dst(v), s.operands(v.args[0], v.args[1])...).Largest = v.op == opMax
}

// logic selects LOP3 over up to three sources; p is a predicate to write, too.
func (s *selector) logic(v *value, p Operand) {
	if p.Reg < 0 && s.flags[v] == nil && s.rotate(v) {
		return
	}
	sources := s.logicSources(v)
	in := s.emit("LOP3", ".LUT", s.dst(v), s.operands(sources...)...)
	in.Table = table(v, sources)
	if p.Reg >= 0 {
		in.Dst = append(in.Dst, p)
	}
	if f := s.flags[v]; f != nil {
		in.Dst = append(in.Dst, s.dst(f))
	}
}

func isLogic(v *value) bool {
	switch v.op {
	case opAnd, opOr, opXor, opNot:
		return v.bits == 32 && v.guard == nil
	}
	return false
}

// table is what a tree of logic operations makes of each combination of the bits of its sources.
func table(v *value, sources []*value) uint8 {
	for i, a := range sources {
		if a == v {
			return [...]uint8{0xf0, 0xcc, 0xaa}[i]
		}
	}
	switch v.op {
	case opNot:
		return ^table(v.args[0], sources)
	case opAnd:
		return table(v.args[0], sources) & table(v.args[1], sources)
	case opOr:
		return table(v.args[0], sources) | table(v.args[1], sources)
	case opXor:
		return table(v.args[0], sources) ^ table(v.args[1], sources)
	}
	return 0
}

// logicSources lists the at most three values that a tree of logic operations reads.
func (s *selector) logicSources(v *value) []*value {
	sources := append([]*value(nil), v.args...)
	for next := sources; next != nil; next = s.takenIn(v, sources) {
		sources = next
	}
	if len(sources) > 0 && sources[0].isConst() && len(sources) > 1 {
		sources[0], sources[1] = sources[1], sources[0]
	}
	return sources
}

// takenIn replaces one operation among the sources of v by what it reads, or two together where one alone would leave too many; nil when none can be.
func (s *selector) takenIn(v *value, sources []*value) []*value {
	var inner []*value
	for _, a := range sources {
		if isLogic(a) && (a.uses == 1 || a.op == opNot) && !s.want[a] && a.block != nil && s.near(v, a) {
			inner = append(inner, a)
		}
	}
	for i, a := range inner {
		for _, b := range inner[i:] {
			var next []*value
			for _, x := range sources {
				if x != a && x != b {
					next = append(next, x)
				}
			}
			for _, x := range append(slices.Clone(a.args), b.args...) {
				if !contains(next, x) {
					next = append(next, x)
				}
			}
			if len(next) <= 3 {
				return next
			}
		}
	}
	return nil
}

func contains(list []*value, v *value) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// compare selects a comparison.
func (s *selector) compare(v *value) {
	if f := s.flagOf(v); f != nil {
		if f.uses == 1 && !s.want[f] {
			sources := s.logicSources(f)
			in := s.emit("LOP3", ".LUT", s.dst(v), s.operands(sources...)...)
			in.Table = table(f, sources)
			in.Dst[0].Kind = Predicate
			return
		}
		if s.flags[f] == nil && f.block == v.block {
			s.flags[f] = v
			s.want[f] = true
			return
		}
	}
	s.compareInto(s.dst(v), v, truth)
}

// flagOf returns the logic operation whose result a comparison compares with zero.
func (s *selector) flagOf(v *value) *value {
	if (v.name == "eq" || v.name == "ne") && v.args[1].isConst() && v.args[1].imm == 0 && isLogic(v.args[0]) && v.typ.Bits() == 32 && v.guard == nil {
		return v.args[0]
	}
	return nil
}

// compareInto selects a comparison combined with another predicate.
func (s *selector) compareInto(d Operand, v *value, with Operand) {
	mods := "." + upper(v.name)
	switch {
	case v.typ == isa.F32:
		s.emit("FSETP", mods+".AND", d, append(s.floatOperands(v.args[0], v.args[1]), with)...)
	case v.typ == isa.F64:
		s.emit("DSETP", mods+".AND", d, append(s.floatOperands(v.args[0], v.args[1]), with)...)
	case v.typ.Bits() == 64:
		s.emit("ISETP", mods+".U32.AND", d, append(s.operands(v.args[0], v.args[1]), with)...)
		s.emit("ISETP", mods+unsigned(v.typ)+".AND.EX", d, append(s.operands(v.args[0], v.args[1]), d)...)
	default:
		s.emit("ISETP", mods+unsigned(v.typ)+".AND", d, append(s.operands(v.args[0], v.args[1]), with)...)
	}
}

func upper(name string) string {
	b := []byte(name)
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}
