package sass

import (
	"fmt"
	"strings"

	"silica/internal/ir"
	"silica/internal/isa"
)

// translation turns one instruction of PTX into values.
type translation struct {
	*builder
	in   *ir.Inst
	pc   int
	args []*value
}

// typ is the type of the operand at a place in the form.
func (t *translation) typ(i int) isa.Type {
	if i < len(t.in.Form.Args) {
		return t.in.Form.Args[i].Type
	}
	return isa.NoType
}

func (t *translation) translate() {
	switch t.in.Op {
	case isa.OpMov:
		t.move()
	case isa.OpCvta:
		t.define(0, t.args[0])
	case isa.OpSpecial:
		t.define(0, t.effect(t.in.Special, width(t.in.Dst[0].Bits)))
	case isa.OpLoad:
		if t.passes(t.in) {
			t.loadParam()
		} else {
			t.load()
		}
	case isa.OpStore:
		if t.passes(t.in) {
			t.storeParam()
		} else {
			t.store()
		}
	case isa.OpCall:
		t.call()
	case isa.OpBranch, isa.OpBranchIndexed:
		t.leave(opBranch)
	case isa.OpRet, isa.OpExit:
		t.leave(opExit)
	case isa.OpLane:
		if !t.lane() {
			t.other()
		}
	default:
		t.other()
	}
}

// guard returns the predicate of the instruction.
func (t *translation) guard() (*value, bool) {
	if t.in.Guard.Slot < 0 {
		return nil, false
	}
	return t.read(t.block, variableOf(t.in.Guard)), t.in.Guard.Negate
}

// define gives a destination its value; under a guard it keeps the old one where the guard is false.
func (t *translation) define(i int, v *value) {
	d := t.in.Dst[i]
	if d.Slot < 0 {
		return
	}
	if p, not := t.guard(); p != nil {
		old := t.read(t.block, variableOf(d))
		a, b := v, old
		if not {
			a, b = b, a
		}
		if v.block == t.block && v.inst == t.in && !v.leaf() && v.old == nil && v.bits == old.bits && v.op != opNot {
			v.guard, v.guardNot, v.old = p, not, old
		} else {
			v = t.make(t.in, t.pc, opSelect, v.bits, isa.NoType, p, a, b)
		}
	}
	t.write(t.block, variableOf(d), v)
}

// effect appends an instruction that selection does not look into.
func (t *translation) effect(name string, bits int, args ...*value) *value {
	v := t.make(t.in, t.pc, opOther, bits, isa.NoType, args...)
	v.name = name
	return v
}

// move copies, packs and unpacks.
func (t *translation) move() {
	switch {
	case len(t.in.Src) == len(t.in.Dst):
		for i := range t.in.Dst {
			t.define(i, t.args[i])
		}
	case len(t.in.Src) == 2 && t.in.Dst[0].Bits == 64:
		t.define(0, t.make(t.in, t.pc, opPair, 64, isa.B64, t.args...))
	case len(t.in.Dst) == 2 && t.in.Src[0].Bits == 64:
		t.define(0, t.make(t.in, t.pc, opLow, 32, isa.B32, t.args[0]))
		t.define(1, t.make(t.in, t.pc, opHigh, 32, isa.B32, t.args[0]))
	case len(t.in.Src) == 2 && t.in.Dst[0].Bits == 32:
		t.define(0, t.effect("pack", 32, t.args...))
	case len(t.in.Dst) == 2 && t.in.Src[0].Bits == 32:
		t.define(0, t.make(t.in, t.pc, opLower, 32, isa.B32, t.args[0]))
		t.define(1, t.make(t.in, t.pc, opUpper, 32, isa.B32, t.args[0]))
	default:
		t.other()
	}
}

// address returns the base of a memory operand, nil when it is absolute.
func (t *translation) address(a ir.Addr) *value {
	if a.Base.Slot < 0 {
		return nil
	}
	return t.read(t.block, variableOf(a.Base))
}

// memory gives an access its address and guard.
func (t *translation) memory(v *value, data ...*value) {
	base := t.address(t.in.Addr)
	switch space := t.in.Addr.Space; {
	case base != nil:
	case space == isa.Local || space == isa.ParamFunc:
		base = t.leafOf(opSpecial, 32, 0, "frame")
	default:
		base = t.constant(0, 64)
	}
	v.args = append([]*value{base}, data...)
	v.imm = uint64(t.in.Addr.Offset)
	v.name = t.in.Form.Opcode
	if p, not := t.guard(); p != nil {
		v.guard, v.guardNot = p, not
	}
}

// load makes a load: the value itself is the first element, the others are its results.
func (t *translation) load() {
	if t.in.Addr.Space == isa.ParamEntry && t.in.Addr.Base.Slot < 0 {
		bytes := uint64(t.in.Mem.Type.Bytes())
		for i := range t.in.Dst {
			t.define(i, t.leafOf(opParam, width(t.in.Dst[i].Bits), uint64(t.in.Addr.Offset)+uint64(i)*bytes, ""))
		}
		return
	}
	if at, ok := t.constantPlace(); ok {
		for i := range t.in.Dst {
			t.define(i, t.leafOf(opParam, width(t.in.Dst[i].Bits), at+uint64(i*t.in.Mem.Type.Bytes()), constantBank))
		}
		return
	}
	v := t.newValue(opLoad, width(t.in.Dst[0].Bits))
	t.memory(v)
	v.guard = nil
	t.emit(t.in, t.pc, v)
	t.results(v)
}

// constantBank names leaves that lie in the bank of .const variables and not in that of parameters.
const constantBank = "constant"

// constantPlace is where in the bank of .const variables whole registers lie that are loaded from a known place of a variable: they need no
// load of their own.
func (t *translation) constantPlace() (at uint64, ok bool) {
	base := t.address(t.in.Addr)
	if t.in.Addr.Space != isa.Const || base == nil || base.op != opGlobal || t.in.Mem.Type.Bytes() < 4 {
		return 0, false
	}
	for _, v := range t.kernel.Module.Globals {
		if v.Space != isa.Const {
			continue
		}
		align := uint64(max(v.Align, 1))
		at = (at + align - 1) / align * align
		if v.Name == base.name {
			return at + base.imm + uint64(t.in.Addr.Offset), true
		}
		at += uint64(v.Size)
	}
	return 0, false
}

// results defines all destinations of an instruction.
func (t *translation) results(v *value) {
	if p, not := t.guard(); p != nil {
		v.guard, v.guardNot = p, not
	}
	copies := t.copiesFrom()
	for i, d := range t.in.Dst {
		r := v
		if i >= copies {
			t.write(t.block, variableOf(d), t.leafOf(opUndef, width(d.Bits), 0, ""))
			continue
		}
		if i > 0 {
			r = t.make(t.in, t.pc, opResult, width(d.Bits), isa.NoType, v)
			r.imm = uint64(i)
			v.results = append(v.results, r)
		}
		if d.Slot < 0 {
			continue
		}
		if v.guard != nil {
			r.old = t.read(t.block, variableOf(d))
		}
		t.write(t.block, variableOf(d), r)
	}
}

// copiesFrom is from which of its registers on a fragment of wmma has nothing new: PTX gives one of halves eight registers for any shape, of
// which the machine fills as many as a lane has elements.
func (t *translation) copiesFrom() int {
	f := t.in.Form
	if f.Opcode != "wmma" || !f.Has(".load") || !f.Has(".f16") || f.Has(".c") {
		return len(t.in.Dst)
	}
	const lanes, perRegister = 32, 2
	var m, n, k int
	if _, err := fmt.Sscanf(f.Get("shape"), ".m%dn%dk%d", &m, &n, &k); err != nil {
		return len(t.in.Dst)
	}
	rows := m
	if f.Has(".b") {
		rows = n
	}
	return rows * k / lanes / perRegister
}

func (t *translation) store() {
	v := t.newValue(opStore, 0)
	t.memory(v, t.args...)
	t.emit(t.in, t.pc, v)
}

// leave ends the block.
func (t *translation) leave(o op) {
	v := t.newValue(o, 0)
	if p, not := t.guard(); p != nil {
		v.args, v.guardNot = []*value{p}, not
	}
	v.args = append(v.args, t.args...)
	if t.in.Op == isa.OpRet && t.fn.Index > 0 {
		v.call = t.convention
		v.args = append(v.args, t.words(t.fn.Returns, t.convention.results)...)
	}
	v.name = t.in.Form.Opcode
	t.emit(t.in, t.pc, v)
	t.block.leave = v
	if o == opBranch && t.in.Op == isa.OpBranch {
		t.block.taken = t.blockAt(t.in.Target)
	}
}

func (b *builder) blockAt(pc int) *block {
	for i, blk := range b.fn.Blocks {
		if blk.Start == pc {
			return b.blocks[i]
		}
	}
	return nil
}

// other makes an instruction that has no op of its own.
func (t *translation) other() {
	bits := 0
	if len(t.in.Dst) > 0 {
		bits = width(t.in.Dst[0].Bits)
	}
	args := t.args
	for _, a := range append([]ir.Addr{t.in.Addr}, t.in.MoreAddrs...) {
		if base := t.address(a); base != nil && t.usesAddress() {
			args = append([]*value{base}, args...)
		}
	}
	v := t.effect(t.in.Form.Name(), bits, args...)
	v.typ = t.lastType()
	v.imm = uint64(t.in.Addr.Offset)
	t.results(v)
}

// usesAddress tells whether the instruction has a memory operand.
func (t *translation) usesAddress() bool { return t.in.Addr.Base.Slot >= 0 || len(t.in.MoreAddrs) > 0 }

// lastType is the instruction's own type.
func (t *translation) lastType() isa.Type {
	for i := len(t.in.Form.Mods) - 1; i >= 0; i-- {
		if ty := isa.ParseType(t.in.Form.Mods[i]); ty != isa.NoType {
			return ty
		}
	}
	return isa.NoType
}

// integerOps are the binary operations on integers that differ only in the op.
var integerOps = map[string]op{
	"add": opAdd, "sub": opSub, "and": opAnd, "or": opOr, "xor": opXor, "shl": opShl, "shr": opShr, "min": opMin, "max": opMax,
}

// lane translates an instruction of single lanes; ok is false when it has no op of its own.
func (t *translation) lane() (ok bool) {
	f, typ := t.in.Form, t.lastType()
	if len(t.in.Dst) == 0 || typ == isa.NoType && f.Opcode != "cvt" || f.Has(".sat") || f.Has(".cc") {
		return false
	}
	bits := width(t.in.Dst[0].Bits)
	var v *value
	switch kind := typ.Kind(); {
	case typ.Pack() > 1:
		return false
	case f.Opcode == "cvt":
		v = t.convert()
	case f.Opcode == "setp":
		return t.compare()
	case f.Opcode == "selp":
		v = t.make(t.in, t.pc, opSelect, bits, typ, t.args[2], t.args[0], t.args[1])
	case kind == isa.Float && (typ == isa.F32 || typ == isa.F64):
		v = t.float(typ, bits)
	case kind == isa.Float, f.Row.Class == isa.ClassFP16:
		return false
	default:
		v = t.integer(typ, bits)
	}
	if v == nil {
		return false
	}
	t.define(0, v)
	return true
}

// integer translates arithmetic of integers and bits.
func (t *translation) integer(typ isa.Type, bits int) *value {
	f := t.in.Form
	if o, ok := integerOps[f.Opcode]; ok && len(t.args) == 2 && !f.Has(".relu") {
		return t.make(t.in, t.pc, o, bits, typ, t.args...)
	}
	unary := map[string]op{"not": opNot, "neg": opNeg, "abs": opAbs, "cnot": opNone}
	if o := unary[f.Opcode]; o != opNone {
		return t.make(t.in, t.pc, o, bits, typ, t.args...)
	}
	switch f.Opcode {
	case "mul", "mad":
		return t.multiply(typ, bits)
	case "div", "rem":
		return t.divide(typ, bits)
	}
	return nil
}

// divide splits a division of 32 bits into the reciprocal of the divisor, which divisions may share, and the rest.
func (t *translation) divide(typ isa.Type, bits int) *value {
	if typ.Bits() != 32 {
		return nil
	}
	r := t.effect("reciprocal."+typ.String(), 32, t.args[1])
	return t.effect("quotient."+t.in.Form.Name(), bits, append(append([]*value(nil), t.args...), r)...)
}

// multiply translates mul and mad.
func (t *translation) multiply(typ isa.Type, bits int) *value {
	o := opMul
	switch {
	case t.in.Form.Has(".wide") && typ.Bits() == 32:
		o = opMulWide
	case t.in.Form.Has(".wide"): // 16 by 16 bits
	case t.in.Form.Has(".hi"):
		o = opMulHigh
	}
	if o == opMulHigh && typ.Bits() != 32 {
		return nil
	}
	v := t.make(t.in, t.pc, o, bits, typ, t.args[0], t.args[1])
	if len(t.args) == 3 {
		v = t.make(t.in, t.pc, opAdd, bits, typ, v, t.args[2])
	}
	return v
}

// float translates f32 and f64 arithmetic that is one machine instruction.
func (t *translation) float(typ isa.Type, bits int) *value {
	f := t.in.Form
	name := f.Opcode
	args := t.args
	switch name {
	case "add", "mul", "fma", "neg", "abs":
	case "min", "max":
		if len(args) != 2 || typ == isa.F64 {
			return nil
		}
	case "mad":
		name = "fma"
	case "sub":
		name = "add"
		args = []*value{args[0], t.negated(typ, bits, args[1])}
	default:
		return nil
	}
	for _, m := range []string{".rz", ".rm", ".rp"} {
		if f.Has(m) {
			return nil
		}
	}
	v := t.make(t.in, t.pc, opFloat, bits, typ, args...)
	v.name = name
	return v
}

func (t *translation) negated(typ isa.Type, bits int, a *value) *value {
	v := t.make(t.in, t.pc, opFloat, bits, typ, a)
	v.name = "neg"
	return v
}

// compare translates setp, with its combination.
func (t *translation) compare() bool {
	f := t.in.Form
	typ := t.typ(len(t.in.Dst)) // of the first source
	if t.in.Form.Args[0].Type == isa.NoType {
		typ = t.lastType()
	}
	if typ == isa.NoType {
		typ = t.lastType()
	}
	if typ.Kind() == isa.Float && typ != isa.F32 && typ != isa.F64 || typ.Pack() > 1 || len(t.in.Dst) > 2 {
		return false
	}
	v := t.make(t.in, t.pc, opCompare, 1, typ, t.args[0], t.args[1])
	v.name = strings.TrimPrefix(f.Mods[0], ".")
	var first *value = v
	if len(t.args) == 3 {
		o := opAnd
		switch {
		case f.Has(".or"):
			o = opOr
		case f.Has(".xor"):
			o = opXor
		}
		first = t.make(t.in, t.pc, o, 1, isa.NoType, v, t.args[2])
	}
	t.define(0, first)
	if len(t.in.Dst) == 2 && t.in.Dst[1].Slot >= 0 {
		t.define(1, t.make(t.in, t.pc, opNot, 1, isa.NoType, v))
	}
	return true
}

// convert translates conversions between integers that only move bits; nil for others.
func (t *translation) convert() *value {
	f := t.in.Form
	to, from := t.typ(0), t.typ(1)
	integer := func(k isa.Kind) bool { return k == isa.Signed || k == isa.Unsigned }
	if !integer(to.Kind()) || !integer(from.Kind()) || f.Has(".sat") {
		return nil
	}
	a := t.args[0]
	switch {
	case to.Bits() == 64 && from.Bits() == 64:
		return a
	case to.Bits() == 64:
		if from.Bits() < 32 {
			a = t.narrow(from, a)
		}
		return t.make(t.in, t.pc, opExtend, 64, from, a)
	case from.Bits() == 64 && to.Bits() == 32:
		return t.make(t.in, t.pc, opLow, 32, to, a)
	case from.Bits() == 64:
		return t.narrow(to, t.make(t.in, t.pc, opLow, 32, to, a))
	case to.Bits() < from.Bits():
		if len(t.in.Dst) > 0 && t.in.Dst[0].Bits <= to.Bits() {
			return a // the upper bits are nobody's
		}
		return t.narrow(to, a)
	case from.Bits() < 32 && to.Bits() > from.Bits():
		return t.narrow(from, a)
	}
	return a
}

// narrow keeps the low bits of a, extended by the type.
func (t *translation) narrow(typ isa.Type, a *value) *value {
	if typ.Kind() == isa.Unsigned {
		if a.op == opLoad && a.inst.Mem.Type.Bits() <= typ.Bits() && a.inst.Mem.Type.Kind() != isa.Signed {
			return a
		}
		return t.make(t.in, t.pc, opAnd, 32, isa.U32, a, t.constant(1<<typ.Bits()-1, 32))
	}
	if a.op == opLoad && a.inst.Mem.Type == typ {
		return a
	}
	v := t.make(t.in, t.pc, opOther, 32, typ, a)
	v.name = "extend"
	return v
}
