package ir

import (
	"slices"

	"silica/internal/isa"
	"silica/ptx"
)

// values appends the operands that op stands for: one, or the elements of a vector.
func (c *collector) values(list []Operand, op ptx.Operand, arg isa.Arg) []Operand {
	switch op := op.(type) {
	case *ptx.Vector:
		for _, e := range op.Elems {
			list = c.values(list, e, arg)
		}
		return list
	case *ptx.Immediate:
		return append(list, c.immediate(op, arg.Type))
	case *ptx.Name:
		return c.name(list, op, arg)
	}
	c.fail(c.inst.Pos, "operand %s of %s is not a value", arg.Name, c.inst.Opcode)
	return append(list, None)
}

// name appends the operands that a name stands for.
func (c *collector) name(list []Operand, n *ptx.Name, arg isa.Arg) []Operand {
	if n.Ref == nil {
		c.fail(n.Pos, "%s is not declared", n.Name)
		return append(list, None)
	}
	switch n.Ref.Kind {
	case ptx.SymSink:
		return append(list, Operand{Slot: -1, Bits: operandBits(arg.Type)})
	case ptx.SymRegister:
		return c.register(list, n)
	case ptx.SymSpecial:
		return c.specialRegister(list, n, arg)
	case ptx.SymVariable, ptx.SymParam, ptx.SymFunc:
		return append(list, c.addressConstant(n, operandBits(arg.Type)))
	}
	c.fail(n.Pos, "%s is not a value", n.Name)
	return append(list, None)
}

// register appends the virtual register of a name, or those of all components of a vector.
func (c *collector) register(list []Operand, n *ptx.Name) []Operand {
	v := n.Ref.Var
	bits := v.Type.Bits()
	components := []byte{n.Component}
	if v.Vector > 0 && n.Component == 0 {
		components = []byte("xyzw")[:min(v.Vector, 4)]
	}
	for _, component := range components {
		slot := c.registerOf(registerKey{v, n.Ref.Index, component}, bits)
		list = append(list, Operand{Slot: slot, Bits: bits, Negate: n.Negate})
	}
	return list
}

// operandBits is the width of the row that holds a constant of a type.
func operandBits(t isa.Type) int {
	switch bits := t.Bits(); {
	case bits == 0:
		return 32
	case bits == 1 && t == isa.Pred:
		return 1
	case bits <= 8:
		return 8
	default:
		return bits
	}
}

// immediate returns the operand of a constant.
func (c *collector) immediate(im *ptx.Immediate, t isa.Type) Operand {
	if t == isa.NoType {
		t = isa.B32
	}
	value, err := immediate(im, t)
	if err != nil {
		c.fail(im.Pos, "%v", err)
	}
	return c.constant(Const{Value: value}, operandBits(t))
}

// constant returns the operand of a constant of the given width. Equal constants of up to 32 bits share
// a row.
func (c *collector) constant(k Const, bits int) Operand {
	k.Row = Operand{Bits: bits}
	if bits == 8 || bits == 16 {
		k.Row.Bits = 32
	}
	slot, ok := c.constAt[k]
	if !ok {
		slot = len(c.registers)
		c.constAt[k] = slot
		c.registers = append(c.registers, register{bits: k.Row.Bits, kind: constRegister, index: len(c.consts)})
		c.consts = append(c.consts, k)
	}
	return Operand{Slot: slot, Bits: bits}
}

// addressConstant returns the operand of the address of a variable, parameter or function.
func (c *collector) addressConstant(n *ptx.Name, bits int) Operand {
	k, _, ok := c.symbolAddress(n)
	if !ok {
		return None
	}
	if n.Ref.Kind != ptx.SymFunc {
		k.Value = cut(k.Value+uint64(n.ByteOffset()), bits)
	}
	if k.Kind == ConstLocal {
		c.needFrame()
	}
	return c.constant(k, bits)
}

// symbolAddress returns the address of what a name stands for, in its own state space, without the
// name's offset.
func (c *collector) symbolAddress(n *ptx.Name) (Const, isa.Space, bool) {
	if n.Ref.Kind == ptx.SymFunc {
		f := c.module.function(n.Name)
		if f.Entry {
			if f.Body == nil {
				c.problem(n.Pos, "the address of kernel %s, which has no body", n.Name)
			}
			return Const{Value: EntryAddress(slices.Index(c.module.Entries, f.Name))}, isa.Generic, true
		}
		i, ok := c.index[f]
		if !ok {
			c.problem(n.Pos, "the address of %s, which has no body", n.Name)
		}
		return Const{Kind: ConstFunc, Symbol: i}, isa.Generic, true
	}
	v := n.Ref.Var
	if p, ok := c.place[v]; ok {
		space := isa.ParamFunc
		if v.Space == isa.Local {
			space = isa.Local
		}
		if c.entry {
			return Const{Value: uint64(p.Offset)}, space, true
		}
		return Const{Kind: ConstLocal, Value: uint64(p.Offset)}, space, true
	}
	if offset, ok := c.entryParams[v]; ok {
		return Const{Value: uint64(offset)}, isa.ParamEntry, true
	}
	v = c.module.variable(v)
	if offset, ok := c.shared[v]; ok {
		return Const{Kind: ConstShared, Value: uint64(offset)}, isa.Shared, true
	}
	if i, ok := c.module.globalIndex(v); ok {
		return Const{Kind: ConstGlobal, Symbol: i}, c.module.Globals[i].Space, true
	}
	c.fail(n.Pos, "%s has no address", n.Name)
	return Const{}, isa.Generic, false
}

// address lowers a memory operand: the first of an instruction is its Addr.
func (c *collector) address(out *Inst, op ptx.Operand, arg isa.Arg) {
	a, ok := op.(*ptx.Address)
	if !ok {
		c.fail(out.Pos, "an address in brackets is wanted")
		return
	}
	first := !c.hasAddr
	c.hasAddr = true
	addr := Addr{Base: None, Offset: a.Offset}
	if first {
		addr.Space = c.accessSpace(out)
	}
	switch base := a.Base.(type) {
	case *ptx.Immediate:
		addr.Offset += int64(base.Bits)
	case *ptx.Name:
		c.addressBase(&addr, base)
	}
	if first {
		out.Addr = addr
		out.Mem.Space = addr.Space
	} else {
		out.MoreAddrs = append(out.MoreAddrs, addr)
	}
	for i, r := range a.Rest {
		out.Src = c.values(out.Src, r, arg.Inner[i])
	}
}

// accessSpace returns the space that the instruction's modifiers name, as far as they tell.
func (c *collector) accessSpace(out *Inst) isa.Space {
	space := isa.AccessOf(out.Form).Space
	switch {
	case space != isa.ParamEntry || out.Form.Has(".param::entry"):
		return space
	case !c.entry || out.Op == isa.OpStore:
		return isa.ParamFunc
	}
	return space
}

// addressBase enters a base register or variable. A variable is reached in its own space, whose
// addresses are known but for those of global memory and of a device function's frame.
func (c *collector) addressBase(addr *Addr, n *ptx.Name) {
	if n.Ref == nil {
		c.fail(n.Pos, "%s is not declared", n.Name)
		return
	}
	if n.Ref.Kind == ptx.SymRegister {
		addr.Base = c.register(nil, n)[0]
		addr.Offset += n.Offset
		return
	}
	k, space, ok := c.symbolAddress(n)
	if !ok {
		return
	}
	if addr.Space == isa.Generic || addr.Space == isa.ParamEntry || addr.Space == isa.ParamFunc {
		addr.Space = space
	}
	addr.Offset += n.ByteOffset()
	switch k.Kind {
	case ConstValue, ConstShared:
		addr.Offset += int64(k.Value)
	case ConstLocal:
		addr.Offset += int64(k.Value)
		addr.Base = c.frameBase()
	default:
		addr.Base = c.constant(k, c.module.addressBits())
	}
}
