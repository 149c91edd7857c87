package sass

import (
	"fmt"
	"io"
	"strings"

	"silica/internal/ir"
)

// Fprint writes a program as text: each instruction with the PTX that it stands for, under the line of the source that this
// comes from.
func Fprint(w io.Writer, p *Program) {
	spilled := ""
	if stored, loaded := p.Spills(); stored+loaded > 0 {
		spilled = fmt.Sprintf(", spilled: %d bytes stored, %d loaded", stored, loaded)
	}
	fmt.Fprintf(w, "%s  // sm_%d, about %d registers%s; an estimate\n", p.Kernel.Name, p.Arch.SM, p.Registers, spilled)
	for f, fn := range p.Funcs {
		l := lister{w: w, files: p.Kernel.Module.Files, source: p.Kernel.Funcs[f]}
		if f > 0 {
			fmt.Fprintf(w, "%s\n", fn.Name)
		}
		for i, b := range fn.Blocks {
			fmt.Fprintf(w, "B%d:\n", i)
			for _, in := range b.Code {
				l.instruction(in)
			}
		}
	}
}

// lister writes the instructions of a function.
type lister struct {
	w      io.Writer
	files  map[int]string
	source *ir.Func
	line   ir.Loc
}

func (l *lister) instruction(in *Inst) {
	if in.PC < 0 {
		fmt.Fprintf(l.w, "    %s\n", in)
		return
	}
	from := &l.source.Code[in.PC]
	if loc := from.Loc; loc != nil && (loc.File != l.line.File || loc.Line != l.line.Line) {
		l.line = *loc
		fmt.Fprintf(l.w, "  # %s:%d\n", l.files[loc.File], loc.Line)
	}
	fmt.Fprintf(l.w, "    %-52s // %d: %s\n", in, from.Pos.Line, from.Form.Name())
}

// String is the instruction as nvdisasm writes it.
func (in *Inst) String() string {
	var b strings.Builder
	if in.Guard.Kind != NoOperand {
		fmt.Fprintf(&b, "@%s ", in.Guard)
	}
	b.WriteString(in.Name())
	var list []string
	for _, operands := range [][]Operand{in.Dst, in.Src} {
		for _, o := range operands {
			if !o.More {
				list = append(list, o.String())
			}
		}
	}
	if in.Callee != "" {
		list = append(list, in.Callee)
	}
	if in.Target >= 0 {
		list = append(list, fmt.Sprintf("B%d", in.Target))
	}
	if len(list) > 0 {
		b.WriteString(" " + strings.Join(list, ", "))
	}
	return b.String()
}

// String is the operand as nvdisasm writes it.
func (o Operand) String() string {
	s := ""
	switch o.Kind {
	case Register, UniformRegister:
		s = "R" + number32(o.Reg)
		if o.Kind == UniformRegister {
			s = "U" + s
		}
	case Predicate:
		s = "P" + number32(o.Reg)
		if o.Reg == -1 {
			s = "PT"
		}
		if o.Negate {
			return "!" + s
		}
		return s
	case Immediate:
		s = fmt.Sprintf("%#x", o.Value)
	case ConstantBank:
		s = fmt.Sprintf("c[%#x][%#x]", o.Bank, o.Value)
	case SpecialRegister:
		if s = o.Name; strings.HasPrefix(s, "%") {
			s = "SR_" + strings.ToUpper(s[1:])
		}
	case Address:
		wide := ""
		if o.Wide {
			wide = ".64"
		}
		var parts []string
		if o.Reg != -1 || o.Uniform == 0 {
			parts = append(parts, "R"+number32(o.Reg)+wide)
		}
		if o.Uniform != 0 {
			parts = append(parts, "UR"+number32(o.Uniform-1))
		}
		s = o.Name + "[" + strings.Join(parts, "+")
		if o.Value != 0 {
			s += fmt.Sprintf("%+#x", int64(o.Value))
		}
		s += "]"
	}
	if o.Absolute {
		s = "|" + s + "|"
	}
	if o.Negate {
		s = "-" + s
	}
	return s + o.Suffix
}

func number32(r int) string {
	switch r {
	case -1:
		return "Z"
	case stackRegister:
		return "1"
	}
	return fmt.Sprint(r)
}
