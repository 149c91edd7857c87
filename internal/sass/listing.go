package sass

import (
	"fmt"
	"io"

	"silica/internal/ir"
)

// Fprint writes a program as text like nvdisasm's: each instruction with the line and the instruction of PTX that it stands for, under the line
// of the source that this comes from. Lines have at most 80 columns where instructions allow it.
func Fprint(w io.Writer, p *Program) {
	fmt.Fprintf(w, "%s  // sm_%d, about %d registers; an estimate\n", p.Kernel.Name, p.Arch.SM, p.Registers)
	if stored, loaded := p.Spills(); stored+loaded > 0 {
		fmt.Fprintf(w, "  # spilled: %d bytes stored, %d loaded\n", stored, loaded)
	}
	label := 0
	for f, fn := range p.Funcs {
		if f > 0 {
			fmt.Fprintf(w, "%s:\n", fn.Name)
		}
		l := lister{w: w, files: p.Kernel.Module.Files, source: p.Kernel.Funcs[f], first: label}
		l.function(fn)
		label += len(fn.Blocks)
	}
}

// lister writes the instructions of a function.
type lister struct {
	w      io.Writer
	files  map[int]string
	source *ir.Func
	line   ir.Loc
	first  int // label of the first block
}

// function writes a function; a block that nothing names goes on from the one before.
func (l *lister) function(fn *Func) {
	named := map[int]bool{}
	fn.eachInst(func(in *Inst) { named[in.Target] = true })
	for i, b := range fn.Blocks {
		if named[i] {
			fmt.Fprintf(l.w, ".L_x_%d:\n", l.first+i)
		}
		for _, in := range b.Code {
			l.instruction(in)
		}
	}
}

// Columns of a line, and of its instruction.
const (
	columns     = 80
	instruction = 44
)

func (l *lister) instruction(in *Inst) {
	text := "    " + in.text(l.first)
	if in.PC < 0 {
		fmt.Fprintln(l.w, text)
		return
	}
	from := &l.source.Code[in.PC]
	if loc := from.Loc; loc != nil && (loc.File != l.line.File || loc.Line != l.line.Line) {
		l.line = *loc
		fmt.Fprintf(l.w, "  # %s:%d\n", l.files[loc.File], loc.Line)
	}
	text = fmt.Sprintf("%-*s // %d", instruction, text, from.Pos.Line)
	if whole := text + ": " + from.Form.Name(); len(whole) <= columns {
		text = whole
	}
	fmt.Fprintln(l.w, text)
}
