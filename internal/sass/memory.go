package sass

import (
	"fmt"
	"slices"

	"silica/internal/ir"
	"silica/internal/isa"
)

// reach is how far the offset of a memory operand goes: it has 24 bits with the sign.
const reach = 1 << 23

// place splits an address into a base and an offset that the instruction holds.
func (s *selector) place(base *value, offset int64) (*value, int64) {
	for base.op == opAdd && base.guard == nil && base.args[1].isConst() {
		c := int64(base.args[1].imm)
		if base.bits == 32 {
			c = int64(int32(base.args[1].imm))
		}
		if sum := offset + c; sum >= reach || sum < -reach {
			break
		}
		offset += c
		base = base.args[0]
	}
	return base, offset
}

// address reads the memory operand of a load or store, which adds the address of a shared variable itself.
func (s *selector) address(v *value) Operand {
	base, offset := s.place(v.args[0], int64(v.imm))
	x, u := s.uniformPart(base)
	if u == nil || v.inst.Addr.Space != isa.Shared {
		return s.scaledOperand(base, offset, v.inst.Addr.Space)
	}
	o := s.memoryOperand(x, offset, isa.Shared)
	o.Uniform = s.middle(u).Reg
	return o
}

// memoryOperands lists where an instruction without an op of its own reaches memory: args[i] is the base of the i-th.
func (v *value) memoryOperands() []ir.Addr {
	if v.op != opOther || v.inst == nil || isFragment(v) {
		return nil
	}
	switch v.inst.Op {
	case isa.OpAtom, isa.OpRed, isa.OpMatrix:
	case isa.OpAsync:
		if v.inst.Form.Row.Unit != isa.LSU {
			return nil
		}
	default:
		return nil
	}
	var out []ir.Addr
	for i := len(v.inst.MoreAddrs) - 1; i >= 0; i-- {
		out = append(out, v.inst.MoreAddrs[i])
	}
	out = append(out, v.inst.Addr)
	return slices.DeleteFunc(out, func(a ir.Addr) bool { return a.Base.Slot < 0 })
}

// scaledOperand is memoryOperand for accesses and atomics, which before Hopper shift an index of shared memory themselves.
func (s *selector) scaledOperand(base *value, offset int64, space isa.Space) Operand {
	base, offset = s.place(base, offset)
	if space != isa.Shared || s.arch.sharedWindow() || base.op != opShl || base.guard != nil || !base.args[1].isConst() || s.want[base] {
		return s.memoryOperand(base, offset, space)
	}
	index, shift := base.args[0], base.args[1].imm
	if shift < 2 || shift > 4 || index.isConst() || inBank(index) {
		return s.memoryOperand(base, offset, space)
	}
	o := s.memoryOperand(index, 0, space)
	o.Value, o.Scale = o.Value<<shift+uint64(offset), 1<<shift
	return o
}

// memoryOperand reads a memory operand with a base and an offset from it.
func (s *selector) memoryOperand(base *value, offset int64, space isa.Space) Operand {
	base, offset = s.place(base, offset)
	o := Operand{Kind: Address, Reg: -1, Words: 1, Value: uint64(offset), Wide: base.bits == 64}
	if (space == isa.Global || space == isa.Generic) && s.arch.descriptor() != 0 {
		o.Name = fmt.Sprintf("desc[UR%d]", s.globalDescriptor)
	}
	switch {
	case base.isConst() && space == isa.Shared && s.arch.sharedWindow():
		base = s.leafOf(opShared, 32, 0, "")
	case base.isConst() && (space == isa.Local || space == isa.ParamFunc):
		o.Reg, o.Value, o.Wide = stackRegister, uint64(uint32(o.Value+base.imm)), false
		return o
	case base.isConst():
		o.Value += base.imm
		return o
	case base.op == opSpecial && base.name == "frame":
		o.Reg, o.Value, o.Wide = stackRegister, uint64(uint32(o.Value+base.imm)), false
		return o
	}
	r := s.reg(base)
	if r.Kind == UniformRegister {
		o.Uniform = r.Reg
		return o
	}
	o.Reg, o.Words = r.Reg, r.Words
	return o
}

// further adds the registers of further results.
func (s *selector) further(in *Inst, v *value) {
	for _, r := range v.results {
		if r.needed {
			in.Dst = append(in.Dst, s.dst(r))
		}
	}
}

// uniformPart splits a sum with the address of a shared variable, which an access adds itself.
func (s *selector) uniformPart(base *value) (rest, uniform *value) {
	if base.op != opAdd || base.guard != nil || s.want[base] || base.block != s.block {
		return nil, nil
	}
	for i, a := range base.args {
		x := base.args[1-i]
		if a.op != opShared || !s.arch.sharedWindow() || x.leaf() || x.op == opShl && x.uses == 1 || x.op == opMul && x.uses == 1 {
			continue
		}
		return x, a
	}
	return nil, nil
}

// stackRegister stands for R1, which points to the thread's frame in local memory.
const stackRegister = -2

// accessNames are the opcodes of loads and stores by space.
var accessNames = map[isa.Space][2]string{
	isa.Global: {"LDG", "STG"}, isa.Shared: {"LDS", "STS"}, isa.Local: {"LDL", "STL"}, isa.ParamFunc: {"LDL", "STL"},
	isa.Const: {"LDC", ""}, isa.ParamEntry: {"LDC", ""}, isa.Generic: {"LD", "ST"}, isa.SharedCluster: {"LD", "ST"},
}

// access selects a load or store.
func (s *selector) access(v *value) {
	m := v.inst.Mem
	names := accessNames[v.inst.Addr.Space]
	name := names[0]
	if v.op == opStore {
		name = names[1]
	}
	bits := v.bytes() * 8
	mods := ""
	if name == "LDG" || name == "STG" || name == "LD" || name == "ST" {
		mods = ".E"
	}
	switch {
	case bits < 32:
		sign := "U"
		if m.Type.Kind() == isa.Signed {
			sign = "S"
		}
		mods += fmt.Sprintf(".%s%d", sign, bits)
	case bits > 32:
		mods += fmt.Sprintf(".%d", bits)
	}
	addr := s.address(v)
	if v.op == opLoad {
		s.further(s.emit(name, mods, s.dst(v), addr), v)
		return
	}
	src := []Operand{addr}
	for _, a := range v.args[1:] {
		src = append(src, s.reg(a))
	}
	s.emit(name, mods, Operand{}, src...)
}
