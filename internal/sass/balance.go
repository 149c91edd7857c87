package sass

import "silica/internal/isa"

// balance moves work from the arithmetic pipe to that of multiply-adds, as ptxas does: a move, a shift to the left by a number and a
// sum of two registers are multiply-adds by a number. Both pipes take a warp's instruction in two cycles; one that can go to
// either goes to the pipe that is free first. Volta and later have the pipes apart.
func (fn *Func) balance() {
	for _, b := range fn.Blocks {
		alu, fma, cycle := 0, 0, 0
		for _, in := range b.Code {
			if fma <= alu && in.Op.Pipe == isa.ALU {
				in.multiply()
			}
			switch {
			case in.Op.Pipe == isa.ALU:
				cycle = max(cycle, alu)
				alu = cycle + 2
			case in.Op.Name == "IMAD":
				cycle = max(cycle, fma)
				fma = cycle + 2
			}
			cycle++
		}
	}
}

// multiply makes an instruction a multiply-add, if it has an equal one.
func (in *Inst) multiply() {
	imad, one := Lookup("IMAD"), Operand{Kind: Immediate, Value: 1}
	switch name := in.Name(); {
	case name == "MOV" && len(in.Src) == 1 && in.Src[0].Kind != UniformRegister:
		in.Op, in.Mods, in.Src = imad, ".MOV.U32", []Operand{zero, zero, in.Src[0]}
	case name == "SHF.L.U32" && len(in.Src) == 3 && in.Src[1].Kind == Immediate && in.Src[1].Value < 32 && in.Src[0].Kind == Register:
		in.Op, in.Mods, in.Src = imad, ".SHL.U32", []Operand{in.Src[0], {Kind: Immediate, Value: 1 << in.Src[1].Value}, zero}
	case name == "IADD3" && len(in.Dst) == 1 && len(in.Src) == 3 && in.Src[0].Kind == Register && in.Src[1].Kind == Register && isZero(in.Src[2]):
		in.Op, in.Mods, in.Src = imad, ".IADD", []Operand{in.Src[0], one, in.Src[1]}
	}
}

// isZero tells whether an operand is RZ.
func isZero(o Operand) bool { return o.Kind == Register && o.Reg < 0 }
