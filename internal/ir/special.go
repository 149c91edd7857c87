package ir

import (
	"silica/internal/isa"
	"silica/ptx"
)

// isDynamic tells whether a special register must be read when the instruction runs.
func isDynamic(name string) bool {
	r, _ := isa.Special(name)
	return r.Varies == isa.Dynamic
}

// specialRegister appends the operands of a special register: one, or the components of a vector.
func (c *collector) specialRegister(list []Operand, n *ptx.Name, arg isa.Arg) []Operand {
	if arg.Vector == 0 {
		return append(list, c.specialOperand(n.Name, operandBits(arg.Type)))
	}
	for _, component := range []string{".x", ".y", ".z", ".w"}[:min(arg.Vector, 4)] {
		list = append(list, c.specialOperand(n.Name+component, operandBits(arg.Type)))
	}
	return list
}

// specialOperand returns the row of a special register that does not change while a block runs. One that
// does is read by an instruction of its own.
func (c *collector) specialOperand(name string, bits int) Operand {
	if isDynamic(name) {
		result := Operand{Slot: c.newRegister(bits), Bits: bits}
		t := isa.U32
		if bits == 64 {
			t = isa.U64
		}
		to, from := isa.Shape{Kind: isa.ShapeRegister, Type: t}, isa.Shape{Kind: isa.ShapeSpecial, Type: t}
		c.emit(Inst{
			Form: c.form("mov", []string{"." + t.String()}, to, from), Op: isa.OpSpecial, Special: name,
			Guard: None, Addr: Addr{Base: None}, Synthetic: true, Dst: []Operand{result},
		})
		return result
	}
	s := SpecialRow{Row: Operand{Bits: bits}, Name: name}
	slot, ok := c.specialAt[s]
	if !ok {
		slot = len(c.registers)
		c.specialAt[s] = slot
		c.registers = append(c.registers, register{bits: bits, kind: specialRegister, index: len(c.specials)})
		c.specials = append(c.specials, s)
	}
	return Operand{Slot: slot, Bits: bits}
}

// movSpecial lowers a mov from a special register: a plain move from the row that holds it, unless it has to
// be read when the instruction runs.
func (c *collector) movSpecial(out Inst, in *ptx.Instruction) {
	n, ok := in.Operands[len(in.Operands)-1].(*ptx.Name)
	if !ok || !isDynamic(n.Name) {
		out.Op = isa.OpMov
		c.operands(&out, in)
	} else {
		out.Special = n.Name
		out.Dst = c.values(nil, in.Operands[0], in.Form.Args[0])
	}
	c.emit(out)
}
