package sass

import (
	"math/bits"
	"slices"
	"strings"

	"silica/internal/ir"
	"silica/internal/isa"
)

// simplify applies identities until none applies, and keeps one of equal values.
func (g *graph) simplify() {
	for round := 0; round < 8; round++ {
		f := folder{graph: g, same: map[*value]*value{}}
		f.run()
		if len(f.same) == 0 && !f.changed {
			return
		}
	}
}

type folder struct {
	*graph
	same    map[*value]*value // what a value was replaced by
	changed bool
	at      *value // being looked at
	added   []*value
}

// find follows replacements.
func (f *folder) find(v *value) *value {
	for f.same[v] != nil {
		next := f.same[v]
		if after := f.same[next]; after != nil {
			f.same[v] = after
		}
		v = next
	}
	return v
}

func (f *folder) run() {
	for _, b := range f.blocks {
		for _, v := range b.phis {
			if r := trivialPhi(v); r != nil {
				f.same[v] = r
			}
		}
		var out []*value
		for _, v := range b.values {
			for i := range v.args {
				v.args[i] = f.find(v.args[i])
			}
			f.at, f.added = v, nil
			if r := f.fold(v); r != nil && r != v {
				f.same[v] = r
			}
			out = append(out, f.added...)
			out = append(out, v)
		}
		b.values = out
	}
	f.numberValues()
	f.rewrite()
}

// rewrite puts replacements in and drops what was replaced.
func (f *folder) rewrite() {
	fix := func(v *value) {
		for i := range v.args {
			v.args[i] = f.find(v.args[i])
		}
		if v.guard != nil {
			v.guard = f.find(v.guard)
		}
		if v.old != nil {
			v.old = f.find(v.old)
		}
	}
	for _, b := range f.blocks {
		keep := func(list []*value) []*value {
			out := list[:0]
			for _, v := range list {
				if f.same[v] == nil {
					fix(v)
					out = append(out, v)
				}
			}
			return out
		}
		b.phis = keep(b.phis)
		b.values = keep(b.values)
	}
}

// trivialPhi returns the one value that a phi can have.
func trivialPhi(v *value) *value {
	var one *value
	for _, a := range v.args {
		if a == v || a == one {
			continue
		}
		if one != nil {
			return nil
		}
		one = a
	}
	return one
}

// make adds a value before the one being looked at.
func (f *folder) make(o op, bits int, typ isa.Type, args ...*value) *value {
	v := f.newValue(o, bits, args...)
	v.typ, v.inst, v.pc, v.block = typ, f.at.inst, f.at.pc, f.at.block
	f.added = append(f.added, v)
	f.changed = true
	if r := f.fold(v); r != nil && r != v {
		for i, a := range f.added {
			if a == v {
				f.added = append(f.added[:i], f.added[i+1:]...)
				break
			}
		}
		return r
	}
	return v
}

// fold returns a simpler value, or nil. It may change v in place.
func (f *folder) fold(v *value) *value {
	if v.guard != nil {
		return decided(v)
	}
	switch v.op {
	case opAdd, opMul, opAnd, opOr, opXor:
		if v.args[0].isConst() && !v.args[1].isConst() {
			v.args[0], v.args[1] = v.args[1], v.args[0]
		}
	}
	if r := f.constants(v); r != nil {
		return r
	}
	if r := f.known(v); r != nil {
		return r
	}
	switch v.op {
	case opAdd:
		return f.foldAdd(v)
	case opSub:
		if c := v.args[1]; c.isConst() {
			return f.make(opAdd, v.bits, v.typ, v.args[0], f.constant(-c.imm, v.bits))
		}
	case opMul:
		if x, y := v.args[0], v.args[1]; v.bits == 64 && zeroExtended(x) && zeroExtended(y) {
			return f.make(opMulWide, 64, isa.U32, f.make(opLow, 32, isa.U32, x), f.make(opLow, 32, isa.U32, y))
		}
		if c := v.args[1]; c.isConst() {
			switch {
			case c.imm == 0:
				return c
			case c.imm == 1:
				return v.args[0]
			case bits.OnesCount64(c.imm) == 1:
				return f.make(opShl, v.bits, v.typ, v.args[0], f.constant(uint64(bits.TrailingZeros64(c.imm)), 32))
			}
		}
	case opShl, opShr:
		if a, c := v.args[0], v.args[1]; v.op == opShl && c.isConst() && a.op == opAdd && a.guard == nil && a.args[1].isConst() && a.args[0].op == opPhi {
			return f.make(opAdd, v.bits, v.typ, f.make(opShl, v.bits, v.typ, a.args[0], c), f.constant(a.args[1].imm<<c.imm, v.bits))
		}
		if c := v.args[1]; c.isConst() && c.imm == 0 {
			return v.args[0]
		}
	case opMulHigh:
		if x, y := v.args[0], v.args[1]; x.isConst() && x.imm == 0 || y.isConst() && y.imm == 0 {
			return f.constant(0, v.bits)
		}
	case opAnd:
		if x, c := v.args[0], v.args[1]; v.bits == 64 && c.isConst() && x.op == opExtend && x.typ.Kind() != isa.Signed && x.guard == nil {
			return f.make(opExtend, 64, isa.U32, f.make(opAnd, 32, isa.U32, x.args[0], f.constant(c.imm, 32)))
		}
		if c := v.args[1]; c.isConst() && c.imm == f.constant(^uint64(0), v.bits).imm {
			return v.args[0]
		}
	case opOr, opXor:
		if c := v.args[1]; c.isConst() && c.imm == 0 && v.bits > 1 {
			return v.args[0]
		}
	case opPair:
		return f.foldPair(v)
	case opLoad, opStore:
		switch v.inst.Addr.Space {
		case isa.Shared, isa.Local, isa.Const, isa.ParamFunc: // a window of 32 bits
			if v.args[0].bits == 64 {
				v.args[0] = f.make(opLow, 32, isa.U32, v.args[0])
			}
		}
	case opLow, opHigh:
		return f.foldHalf(v)
	case opNot:
		if v.args[0].op == opNot {
			return v.args[0].args[0]
		}
	case opFloat:
		if v.name == "neg" && v.args[0].op == opFloat && v.args[0].name == "neg" {
			return v.args[0].args[0]
		}
	}
	return nil
}

// zeroExtended tells whether the high half of a value is zero.
func zeroExtended(v *value) bool {
	return v.op == opExtend && v.typ.Kind() != isa.Signed && v.guard == nil || v.isConst() && v.imm>>32 == 0
}

func (f *folder) foldAdd(v *value) *value {
	c := v.args[1]
	if !c.isConst() {
		return f.outward(v)
	}
	if c.imm == 0 {
		return v.args[0]
	}
	if a := v.args[0]; a.op == opAdd && a.args[1].isConst() && a.guard == nil && a.block.loop == v.block.loop { // else both would live through the loop
		return f.make(opAdd, v.bits, v.typ, a.args[0], f.constant(a.args[1].imm+c.imm, v.bits))
	}
	if a := v.args[0]; a.op == opShared {
		return f.leafOf(opShared, v.bits, a.imm+c.imm, "")
	}
	return nil
}

// outward takes a number out of a sum that makes an address, where the access can hold it.
func (f *folder) outward(v *value) *value {
	for i, a := range v.args {
		if a.op != opAdd || a.guard != nil || !a.args[1].isConst() || v.args[1-i].isConst() {
			continue
		}
		if v.bits == 64 || v.needed && onlyAddresses(v) {
			sum := f.make(opAdd, v.bits, v.typ, a.args[0], v.args[1-i])
			return f.make(opAdd, v.bits, v.typ, sum, a.args[1])
		}
	}
	return nil
}

// onlyAddresses tells whether a value is only used to reach memory, perhaps with an offset.
func onlyAddresses(v *value) bool {
	for _, u := range v.users {
		switch {
		case (u.op == opLoad || u.op == opStore) && u.args[0] == v:
		case slices.Contains(u.args[:len(u.memoryOperands())], v):
		case u.op == opAdd && u.args[1].isConst() && onlyAddresses(u):
		default:
			return false
		}
	}
	return len(v.users) > 0
}

// foldHalf simplifies a half of 64 bits.
func (f *folder) foldHalf(v *value) *value {
	a := v.args[0]
	if a.guard != nil {
		return nil
	}
	low := v.op == opLow
	half := func(x *value) *value { return f.make(opLow, 32, isa.U32, x) }
	switch {
	case a.op == opShared && low, a.op == opSpecial && a.name == "frame" && low:
		return f.leafOf(a.op, 32, a.imm, a.name)
	case a.op == opGlobal && low && v.inst != nil && constantVariable(f.kernel, a.name):
		return f.constant(a.imm, 32) // its place in constant bank 3
	case a.isConst() && low:
		return f.constant(a.imm, 32)
	case a.isConst():
		return f.constant(a.imm>>32, 32)
	case a.op == opPair && low:
		return a.args[0]
	case a.op == opPair:
		return a.args[1]
	case a.op == opExtend && low:
		return a.args[0]
	case a.op == opExtend && a.typ.Kind() == isa.Unsigned:
		return f.constant(0, 32)
	case a.op == opParam && a.bits == 64:
		off := a.imm
		if !low {
			off += 4
		}
		return f.leafOf(opParam, 32, off, a.name)
	case !low:
		return nil
	case a.op == opMulWide:
		return f.make(opMul, 32, isa.U32, a.args...)
	case a.op == opAdd || a.op == opSub || a.op == opMul || a.op == opAnd || a.op == opOr || a.op == opXor:
		return f.make(a.op, 32, isa.U32, half(a.args[0]), half(a.args[1]))
	case a.op == opShl && a.args[1].isConst() && a.args[1].imm < 32:
		return f.make(opShl, 32, isa.U32, half(a.args[0]), a.args[1])
	case a.op == opShr && a.bits == 64 && a.args[1].isConst() && a.args[1].imm >= 32 && a.args[1].imm < 64:
		typ := isa.U32
		if a.typ.Kind() == isa.Signed {
			typ = isa.S32
		}
		return f.make(opShr, 32, typ, f.make(opHigh, 32, isa.U32, a.args[0]), f.constant(a.args[1].imm-32, 32))
	}
	return nil
}

// foldPair simplifies a pair of the halves of one value.
func (f *folder) foldPair(v *value) *value {
	low, high := v.args[0], v.args[1]
	switch {
	case low.op == opLow && high.op == opHigh && low.args[0] == high.args[0] && low.guard == nil && high.guard == nil && low.args[0].bits == 64:
		return low.args[0]
	case low.op == opParam && high.op == opParam && low.bits == 32 && high.bits == 32 && low.name == high.name && low.imm+4 == high.imm && low.imm%8 == 0:
		return f.leafOf(opParam, 64, low.imm, low.name)
	}
	return nil
}

// constantVariable tells whether a name is a variable in constant memory.
func constantVariable(k *ir.Kernel, name string) bool {
	for _, v := range k.Module.Globals {
		if v.Name == name {
			return v.Space == isa.Const
		}
	}
	return false
}

// constants computes integer operations on numbers.
func (f *folder) constants(v *value) *value {
	if len(v.args) == 0 || len(v.args) > 2 || v.bits == 1 || v.op == opPhi {
		return nil
	}
	for _, a := range v.args {
		if !a.isConst() {
			return nil
		}
	}
	x := v.args[0].imm
	var y uint64
	if len(v.args) == 2 {
		y = v.args[1].imm
	}
	switch v.op {
	case opAdd:
		x += y
	case opSub:
		x -= y
	case opMul:
		x *= y
	case opAnd:
		x &= y
	case opOr:
		x |= y
	case opXor:
		x ^= y
	case opShl:
		x <<= min(y, 63)
	case opNot:
		x = ^x
	case opNeg:
		x = -x
	case opExtend:
		if v.typ.Kind() == isa.Signed {
			x = uint64(int64(int32(x)))
		}
	case opMulWide:
		if v.typ.Kind() == isa.Signed {
			x = uint64(int64(int32(x)) * int64(int32(y)))
		} else {
			x *= y
		}
	case opPair:
		x |= y << 32
	default:
		return nil
	}
	return f.constant(x, v.bits)
}

// decided is what a value under a predicate that is known to be false is instead; where the predicate is true, the value loses it.
func decided(v *value) *value {
	if !v.guard.isConst() || v.op == opResult || len(v.results) > 0 {
		return nil
	}
	if (v.guard.imm != 0) != v.guardNot {
		v.guard, v.old = nil, nil
		return nil
	}
	return v.old // nil where nothing was written
}

// known computes comparisons, choices and conversions of numbers, as ptxas does; arithmetic of floating-point numbers it leaves as it is.
func (f *folder) known(v *value) *value {
	for _, a := range v.args {
		if !a.isConst() {
			if v.op == opSelect && v.args[0].isConst() {
				break
			}
			return nil
		}
	}
	switch {
	case v.op == opSelect && v.args[0].isConst():
		return v.args[2-v.args[0].imm]
	case v.op == opNot && v.bits == 1:
		return f.constant(1-v.args[0].imm, 1)
	case v.op == opCompare, v.op == opOther && v.bits > 0 && v.inst != nil && v.inst.Op == isa.OpLane && v.inst.Form.Opcode == "cvt" && v.name == v.inst.Form.Name():
		return f.execute(v)
	}
	return nil
}

// execute runs the instruction of PTX that a value comes from, on numbers.
func (f *folder) execute(v *value) *value {
	if v.inst == nil || v.inst.Form.Opcode != "cvt" && (v.inst.Form.Opcode != "setp" || len(v.inst.Src) != 2) || len(v.args) != len(v.inst.Src) {
		return nil
	}
	lane := isa.Lane{}
	for i, a := range v.args {
		lane.Src[i] = a.imm
	}
	v.inst.Form.Row.Lane(v.inst.Form)(&lane)
	return f.constant(lane.Dst[0], v.bits)
}

// number identifies a computation.
type number struct {
	op      op
	bits    int
	typ     isa.Type
	name    string
	imm     uint64
	a, b, c *value
}

// numberValues keeps the first of equal values where it dominates the others.
func (f *folder) numberValues() {
	seen := map[number][]*value{}
	for _, b := range f.reversePostOrder() {
		for _, v := range b.values {
			if f.same[v] != nil || v.guard != nil || len(v.args) == 0 || len(v.args) > 3 {
				continue
			}
			switch v.op {
			case opOther:
				if !strings.HasPrefix(v.name, "reciprocal.") {
					continue
				}
			case opLoad, opStore, opBranch, opExit, opCall, opResult, opPhi:
				continue
			}
			n := number{op: v.op, bits: v.bits, typ: v.typ, name: v.name, imm: v.imm, a: f.find(v.args[0])}
			if signless(v.op) {
				n.typ = isa.NoType
			}
			if len(v.args) > 1 {
				n.b = f.find(v.args[1])
			}
			if len(v.args) > 2 {
				n.c = f.find(v.args[2])
			}
			found := false
			for _, old := range seen[n] {
				if old.block.dominates(v.block) {
					f.same[v], found = old, true
					break
				}
			}
			if !found {
				seen[n] = append(seen[n], v)
			}
		}
	}
}

// signless tells whether the type does not matter beyond the width.
func signless(o op) bool {
	switch o {
	case opAdd, opSub, opMul, opShl, opAnd, opOr, opXor, opNot, opNeg, opSelect, opPair, opLow, opHigh, opLower, opUpper:
		return true
	}
	return false
}
