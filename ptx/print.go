package ptx

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"silica/internal/isa"
)

// Print writes the module as canonical PTX text: one statement a line, declarations one by one,
// constants as the source has them. Parsing the text gives the same tree, positions aside.
// The error is the writer's.
func Print(w io.Writer, m *Module) error {
	b := bufio.NewWriter(w)
	p := &printer{w: b}
	p.module(m)
	return b.Flush()
}

// Format returns what Print writes.
func Format(m *Module) []byte {
	var b bytes.Buffer
	_ = Print(&b, m) // a bytes.Buffer takes everything
	return b.Bytes()
}

// printer writes the parts of a tree. Errors stay in the bufio.Writer until Flush.
type printer struct {
	w      *bufio.Writer
	indent int
}

func (p *printer) str(parts ...string) {
	for _, s := range parts {
		p.w.WriteString(s)
	}
}

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(p.w, format, args...) }

// line starts a line.
func (p *printer) line() {
	for range p.indent {
		p.w.WriteByte('\t')
	}
}

// separated writes items with commas between them.
func separated[T any](p *printer, items []T, write func(T)) {
	for i, item := range items {
		if i > 0 {
			p.str(", ")
		}
		write(item)
	}
}

func (p *printer) module(m *Module) {
	p.printf(".version %d.%d\n", m.Version.Major, m.Version.Minor)
	if len(m.Target) > 0 {
		p.str(".target ", strings.Join(m.Target, ", "), "\n")
	}
	if m.AddressSize != 32 || m.Version.number() >= 23 {
		p.printf(".address_size %d\n", m.AddressSize)
	}
	var last Decl
	for _, d := range m.Decls {
		if last == nil || spaced(d) || spaced(last) || reflect.TypeOf(d) != reflect.TypeOf(last) {
			p.str("\n")
		}
		p.decl(d)
		last = d
	}
}

// spaced tells whether blank lines stand around a declaration.
func spaced(d Decl) bool {
	switch d := d.(type) {
	case *Function:
		return d.Body != nil
	case *Section:
		return true
	}
	return false
}

func (p *printer) decl(d Decl) {
	switch d := d.(type) {
	case *Variable:
		p.variable(d)
		p.str(";\n")
	case *Function:
		p.function(d)
	case *FileDirective:
		p.printf(".file %d \"%s\"", d.Index, d.Name)
		if d.Time != 0 || d.Size != 0 {
			p.printf(", %d, %d", d.Time, d.Size)
		}
		p.str("\n")
	case *Section:
		p.section(d)
	case *Alias:
		p.str(".alias ", d.Name, ", ", d.Target, ";\n")
	case *Pragma:
		p.pragma(d)
	case *Prototype:
		p.prototype(d)
	case *Loc:
		p.loc(d)
	}
}

func (p *printer) section(s *Section) {
	if s.Name == dwarfSection {
		for _, line := range s.Lines {
			p.line()
			p.str(dwarfSection, " ", line.Values[0], "\n")
		}
		return
	}
	p.line()
	p.str(".section ", s.Name, "\n")
	p.line()
	p.str("{\n")
	for _, line := range s.Lines {
		if line.Label != "" {
			p.str(line.Label, ":\n")
			continue
		}
		p.line()
		p.str("\t", line.Type, " ", strings.Join(line.Values, ", "), "\n")
	}
	p.line()
	p.str("}\n")
}

func (p *printer) pragma(g *Pragma) {
	p.line()
	p.pragmaText(g.Text)
	p.str(";\n")
}

func (p *printer) pragmaText(text []string) {
	p.str(".pragma ")
	separated(p, text, func(s string) { p.str("\"", s, "\"") })
}

func (p *printer) loc(l *Loc) {
	p.line()
	p.printf(".loc %d %d %d", l.File, l.Line, l.Col)
	for at := l; at != nil; at = at.InlinedAt {
		if at != l {
			p.printf(", inlined_at %d %d %d", at.File, at.Line, at.Col)
		}
		if at.Function != "" {
			p.str(", function_name ", at.Function)
		}
		if at.FunctionOffset != 0 {
			p.printf("+%d", at.FunctionOffset)
		}
	}
	p.str("\n")
}

// spaceDirective returns a space as a declaration names it.
func spaceDirective(s isa.Space) string {
	if s == isa.ParamFunc {
		s = isa.ParamEntry
	}
	return "." + s.String()
}

// variable writes a declaration without the semicolon.
func (p *printer) variable(v *Variable) {
	p.line()
	if v.Linkage != Static {
		p.str(string(v.Linkage), " ")
	}
	p.str(spaceDirective(v.Space))
	if v.Bank != 0 {
		p.printf("[%d]", v.Bank)
	}
	p.attributes(v.Attributes)
	if v.Align != 0 {
		p.printf(" .align %d", v.Align)
	}
	if v.Vector != 0 {
		p.printf(" .v%d", v.Vector)
	}
	p.str(" .", v.Type.String())
	if v.Ptr != nil {
		p.str(" .ptr")
		if v.Ptr.Space != isa.Generic {
			p.str(" ", spaceDirective(v.Ptr.Space))
		}
		if v.Ptr.Align != 0 {
			p.printf(" .align %d", v.Ptr.Align)
		}
	}
	p.str(" ", v.Name)
	if v.Count != 0 {
		p.printf("<%d>", v.Count)
	}
	for _, n := range v.Dims {
		if n < 0 {
			p.str("[]")
		} else {
			p.printf("[%d]", n)
		}
	}
	if v.Init != nil {
		p.str(" = ")
		p.init(v.Init)
	}
}

func (p *printer) attributes(attributes []Attribute) {
	if len(attributes) == 0 {
		return
	}
	p.str(" .attribute(")
	separated(p, attributes, func(a Attribute) {
		p.str(a.Name)
		if len(a.Args) > 0 {
			p.str("(")
			separated(p, a.Args, func(n uint64) { p.str(strconv.FormatUint(n, 10)) })
			p.str(")")
		}
	})
	p.str(")")
}

func (p *printer) init(i *Init) {
	if i.Field != "" {
		p.str(i.Field, " = ")
	}
	if i.List == nil {
		p.operand(i.Value)
		return
	}
	p.str("{")
	separated(p, i.List, p.init)
	p.str("}")
}

func (p *printer) function(f *Function) {
	if f.Linkage != Static {
		p.str(string(f.Linkage), " ")
	}
	if f.Entry {
		p.str(".entry")
	} else {
		p.str(".func")
	}
	p.attributes(f.Attributes)
	if f.Returns != nil {
		p.str(" ")
		p.parameters(f.Returns)
	}
	p.str(" ", f.Name)
	p.parameters(f.Params)
	p.functionDirectives(f.Directives, f.Noreturn)
	if f.Body == nil {
		p.str(";\n")
		return
	}
	p.str("\n")
	p.block(f.Body)
}

// parameters writes a list of parameters: on one line when there are at most two.
func (p *printer) parameters(params []*Variable) {
	p.str("(")
	indent := p.indent
	defer func() { p.indent = indent }()
	if p.indent = 0; len(params) <= 2 {
		separated(p, params, p.variable)
		p.str(")")
		return
	}
	p.indent = 1
	for i, v := range params {
		if i > 0 {
			p.str(",")
		}
		p.str("\n")
		p.variable(v)
	}
	p.str("\n)")
}

func (p *printer) functionDirectives(directives []FuncDirective, noreturn bool) {
	if noreturn {
		p.str(" .noreturn")
	}
	for _, d := range directives {
		p.str(" ")
		if d.Text != nil {
			p.pragmaText(d.Text)
			p.str(";")
			continue
		}
		p.str(d.Name)
		if len(d.Args) > 0 {
			p.str(" ")
			separated(p, d.Args, func(n int) { p.str(strconv.Itoa(n)) })
		}
	}
}

func (p *printer) prototype(t *Prototype) {
	p.str(t.Name, ": .callprototype ")
	if t.Returns != nil {
		p.parameters(t.Returns)
		p.str(" ")
	}
	p.str("_ ")
	p.parameters(t.Params)
	p.functionDirectives(t.Directives, t.Noreturn)
	p.str(";\n")
}

func (p *printer) block(b *Block) {
	p.line()
	p.str("{\n")
	p.indent++
	for _, s := range b.Body {
		p.statement(s)
	}
	p.indent--
	p.line()
	p.str("}\n")
}

func (p *printer) statement(s Statement) {
	switch s := s.(type) {
	case *Block:
		p.block(s)
	case *Label:
		p.str(s.Name, ":\n")
	case *Instruction:
		p.line()
		p.instruction(s)
		p.str(";\n")
	case *Variable:
		p.variable(s)
		p.str(";\n")
	case *Loc:
		p.loc(s)
	case *Pragma:
		p.pragma(s)
	case *Section:
		p.section(s)
	case *Prototype:
		p.prototype(s)
	case *Targets:
		directive := ": .branchtargets "
		if s.Calls {
			directive = ": .calltargets "
		}
		p.str(s.Name, directive)
		separated(p, s.Names, func(n *Name) { p.str(n.Name) })
		p.str(";\n")
	}
}

// instruction writes an instruction without the semicolon.
func (p *printer) instruction(in *Instruction) {
	if in.Guard != nil {
		p.str("@")
		if in.Guard.Negate {
			p.str("!")
		}
		p.str(in.Guard.Name, " ")
	}
	p.str(in.Opcode)
	for _, m := range in.Mods {
		p.str(m)
		if bank := in.bank(); m == ".const" && bank >= 0 {
			p.printf("[%d]", bank)
		}
	}
	if len(in.Operands) > 0 {
		p.str(" ")
	}
	separated(p, in.Operands, p.operand)
}

// bank returns the constant bank of the instruction's addresses, or -1.
func (in *Instruction) bank() int {
	for _, o := range in.Operands {
		if a, ok := o.(*Address); ok && a.Bank >= 0 {
			return a.Bank
		}
	}
	return -1
}

func (p *printer) operand(o Operand) {
	switch o := o.(type) {
	case *Name:
		p.name(o)
	case *Immediate:
		p.str(o.Text)
	case *Address:
		if o.Bare {
			p.operand(o.Base)
			return
		}
		p.str("[")
		p.operand(o.Base)
		p.offset(o.Offset)
		for _, rest := range o.Rest {
			p.str(", ")
			p.operand(rest)
		}
		p.str("]")
	case *Vector:
		p.str("{")
		separated(p, o.Elems, p.operand)
		p.str("}")
	case *Pair:
		p.operand(o.Left)
		p.str("|")
		p.operand(o.Right)
	case *List:
		p.str("(")
		separated(p, o.Elems, p.operand)
		p.str(")")
	case *AddressOf:
		p.addressOf(o)
	}
}

func (p *printer) name(n *Name) {
	switch {
	case n.Negate:
		p.str("!")
	case n.Minus:
		p.str("-")
	}
	p.str(n.Name, n.Half)
	if n.Component != 0 {
		p.str(".", string(n.Component))
	}
	if n.Index != nil {
		p.printf("[%d]", *n.Index)
	}
	p.offset(n.Offset)
}

func (p *printer) addressOf(a *AddressOf) {
	if a.Mask != 0 {
		p.printf("0x%x(", a.Mask)
		defer p.str(")")
	}
	if a.Generic {
		p.str("generic(", a.Name, ")")
	} else {
		p.str(a.Name)
	}
	p.offset(a.Offset)
}

func (p *printer) offset(n int64) {
	if n != 0 {
		p.printf("+%d", n)
	}
}
