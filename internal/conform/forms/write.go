package forms

import (
	"fmt"
	"strings"

	"silica/internal/isa"
)

// registerTypes are the types that registers are declared with.
var registerTypes = [...]isa.Type{
	isa.Pred, isa.B16, isa.B32, isa.B64, isa.B128, isa.U8, isa.U16, isa.U32, isa.U64, isa.S8, isa.S16, isa.S32, isa.S64,
	isa.B8, isa.F16, isa.F16x2, isa.F32, isa.F64,
}

// registersEach is the number of registers declared of each type.
const registersEach = 80

// Header returns the lines before an instruction of a module for a target and PTX version ("sm_90a", 87): every
// name that an instruction of this package uses is declared there.
func Header(target string, version int) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version %d.%d\n.target %s\n.address_size 64\n", version/10, version%10, target)
	b.WriteString(".global .align 16 .b8 gv[256];\n.shared .align 16 .b8 sv[256];\n.const .align 16 .b8 cv[256];\n")
	b.WriteString(".visible .entry k(.param .align 16 .b8 par[256])\n{\n.local .align 16 .b8 lv[256];\n")
	if version >= 20 {
		b.WriteString(".param .align 16 .b8 out[256];\n")
	}
	for _, t := range registerTypes {
		if t == isa.B128 && version < 83 || (t == isa.F16 || t == isa.F16x2) && version < 42 {
			continue
		}
		fmt.Fprintf(&b, ".reg .%s %s<%d>;\n", t, prefix(t), registersEach)
	}
	b.WriteString("TAB: .branchtargets L1, L2;\nL1:\nL2:\n")
	return b.String()
}

// Footer ends a module that Header has begun.
const Footer = "ret;\n}\n"

func prefix(t isa.Type) string { return "%" + t.String() + "_" }

// register returns the name of the i-th register that holds a value of type t.
func register(t isa.Type, i int) string {
	for _, declared := range registerTypes {
		if t == declared {
			return fmt.Sprint(prefix(t), i)
		}
	}
	for _, declared := range registerTypes {
		if declared.Kind() == isa.Untyped && declared.Bits() >= t.Bits() && declared.Bits() >= 8 {
			if declared.Bits() == 128 || declared.Bits() <= 64 && declared.Bits() == max(8, t.Bits()) {
				return fmt.Sprint(prefix(declared), i)
			}
		}
	}
	return fmt.Sprint(prefix(isa.B32), i)
}

// Instruction is an instruction in text, in parts that may be changed.
type Instruction struct {
	Opcode   string
	Mods     []string
	Operands []string
}

// String returns the instruction with its semicolon.
func (in Instruction) String() string {
	s := in.Opcode + strings.Join(in.Mods, "")
	if len(in.Operands) > 0 {
		s += " " + strings.Join(in.Operands, ", ")
	}
	return s + ";"
}

// writer writes the operands of one instruction, each with registers of its own.
type writer struct {
	spelling *isa.Spelling
	next     int
}

// Write returns a spelling as text.
func Write(s *isa.Spelling) Instruction {
	w := writer{spelling: s}
	in := Instruction{Opcode: s.Opcode, Mods: s.Mods}
	for i := range s.Operands {
		in.Operands = append(in.Operands, w.operand(&s.Operands[i]))
	}
	return in
}

func (w *writer) operand(o *isa.SpelledOperand) string {
	text := w.single(o)
	if o.Pair != nil {
		text += "|" + w.single(o.Pair)
	}
	return text
}

func (w *writer) single(o *isa.SpelledOperand) string {
	switch o.Kind {
	case isa.ArgAddress:
		text := w.address()
		for i := range o.Inner {
			text += ", " + w.operand(&o.Inner[i])
		}
		return "[" + text + "]"
	case isa.ArgLabel:
		return "L1"
	case isa.ArgTable:
		return "TAB"
	case isa.ArgFunc:
		return "f"
	case isa.ArgList:
		return "(" + w.register(isa.B32) + ")"
	}
	switch {
	case o.Name == "_":
		return "_"
	case o.Constant:
		return fmt.Sprint(o.Value)
	case o.Vector == 0:
		return w.register(o.Type)
	}
	var elements []string
	for range o.Vector {
		elements = append(elements, w.register(o.Type))
	}
	return "{" + strings.Join(elements, ",") + "}"
}

func (w *writer) register(t isa.Type) string {
	w.next++
	return register(t, w.next-1)
}

// address returns the base of an address in the space that the instruction names.
func (w *writer) address() string {
	for _, m := range w.spelling.Mods {
		switch m {
		case ".param::func":
			return "out"
		case ".param", ".param::entry":
			if w.spelling.Opcode == "st" {
				return "out"
			}
			return "par"
		}
	}
	w.next++
	return fmt.Sprintf("%%u64_%d", registersEach-w.next)
}
