package ptx

import (
	"encoding/binary"
	"errors"
	"strings"

	"silica/internal/isa"
)

// Load parses and checks the text of a module. The error is an Errors.
func Load(file string, src []byte) (*Module, error) {
	m, err := Parse(file, src)
	if err == nil {
		err = Check(m)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Check resolves the names of a parsed module, checks declarations and types, and gives every
// instruction its form. The error is an Errors.
//
// The rules are those of the PTX manual and of ptxas: what it refuses is refused, at the same line.
// A name must be declared before it is used, except for labels.
func Check(m *Module) error {
	c := &checker{module: m, scope: newScope(nil), forms: make(map[string]*isa.Form), defined: make(map[string]*Function), files: map[int]*FileDirective{}}
	c.errs.file = m.File
	c.context()
	for _, d := range m.Decls {
		if c.errs.full() {
			break
		}
		switch d := d.(type) {
		case *Variable:
			c.moduleVariable(d)
		case *Function:
			c.function(d)
		case *Alias:
			c.alias(d)
		case *FileDirective:
			if before := c.files[d.Index]; before != nil {
				c.errs.add(d.Pos, "file number %d is given twice: first in line %d", d.Index, before.Pos.Line)
			}
			c.files[d.Index] = d
		case *Prototype:
			c.prototype(d)
			c.declareLabel(&Symbol{Name: d.Name, Kind: SymTable, Table: d})
		}
	}
	return c.errs.err()
}

// checker walks a module once, in source order.
type checker struct {
	module  *Module
	errs    errorList
	ctx     isa.Context
	scope   *scope
	defined map[string]*Function // functions with a body
	files   map[int]*FileDirective
	// guesses counts the names for which a similar one was looked for.
	guesses int
	// constBytes is the size of the constant variables by bank.
	constBytes map[int]int64
	// forms holds the forms found, by opcode, modifiers and operands as key spells them.
	forms map[string]*isa.Form
	key   []byte
	// shapes is scratch memory for the operands of one instruction.
	shapes []isa.Shape
}

// newShapes returns n zero shapes that live as long as the current instruction.
func (c *checker) newShapes(n int) []isa.Shape {
	used := len(c.shapes)
	if used+n > cap(c.shapes) {
		const least = 256
		c.shapes, used = make([]isa.Shape, 0, max(least, n)), 0
	}
	c.shapes = c.shapes[:used+n]
	list := c.shapes[used : used+n : used+n]
	clear(list)
	return list
}

// declare adds a symbol to the current scope and reports a name that is taken.
func (c *checker) declare(sym *Symbol) {
	if _, _, special := lookupSpecial(sym.Name); special && sym.Name[0] == '%' {
		c.errs.add(sym.pos(), "%s is a special register", sym.Name)
		return
	}
	if other := c.scope.declare(sym); other != nil {
		c.duplicate(sym, other)
	}
}

func (c *checker) declareLabel(sym *Symbol) {
	if other := c.scope.labels[sym.Name]; other != nil {
		c.duplicate(sym, other)
		return
	}
	put(&c.scope.labels, sym.Name, sym)
}

func (c *checker) duplicate(sym, other *Symbol) {
	c.errs.add(sym.pos(), "%s is declared twice in this scope: first in line %d", sym.Name, other.pos().Line)
}

// open starts a scope inside the current one, and returns what ends it.
func (c *checker) open() (end func()) {
	outer := c.scope
	c.scope = newScope(outer)
	return func() { c.scope = outer }
}

// block checks the statements of a { } scope.
func (c *checker) block(b *Block) {
	defer c.open()()
	for _, s := range b.Body {
		switch s := s.(type) {
		case *Label:
			c.declareLabel(&Symbol{Name: s.Name, Kind: SymLabel, Label: s})
		case *Targets:
			c.declareLabel(&Symbol{Name: s.Name, Kind: SymTable, Table: s})
		case *Prototype:
			c.declareLabel(&Symbol{Name: s.Name, Kind: SymTable, Table: s})
		}
	}
	for _, s := range b.Body {
		if c.errs.full() {
			return
		}
		switch s := s.(type) {
		case *Block:
			c.block(s)
		case *Variable:
			c.localVariable(s)
		case *Instruction:
			c.instruction(s)
		case *Targets:
			c.targets(s)
		case *Prototype:
			c.prototype(s)
		}
	}
}

// targets resolves the labels of .branchtargets or the functions of .calltargets.
func (c *checker) targets(t *Targets) {
	want, what := SymLabel, "a label"
	if t.Calls {
		want, what = SymFunc, "a function"
	}
	for _, n := range t.Names {
		switch {
		case !c.name(n):
		case n.Ref.Kind != want:
			c.errs.add(n.Pos, "%s is a %s, not %s", n.Name, n.Ref.describe(), what)
		case t.Calls && n.Ref.Func.Entry:
			c.errs.add(n.Pos, "an .entry cannot be called: %s is one", n.Name)
		case t.Calls && t.Names[0].Ref != nil && !sameSignature(t.Names[0].Ref.Func, n.Ref.Func):
			c.errs.add(n.Pos, "%s has other parameters than %s", n.Name, t.Names[0].Name)
		}
	}
}

// name resolves a name and tells whether it stands for something. What is unknown is reported.
func (c *checker) name(n *Name) bool {
	if n.Ref = c.lookup(n.Name); n.Ref == nil {
		c.undeclared(n.Pos, n.Name)
		return false
	}
	return true
}

// lookup returns the symbol of a name: declared, special register or sink.
func (c *checker) lookup(name string) *Symbol {
	if sym := c.scope.resolve(name); sym != nil {
		return sym
	}
	if name == "_" {
		return sink
	}
	if len(name) > 0 && name[0] == '%' {
		if _, _, ok := lookupSpecial(name); ok {
			sym := &Symbol{Name: name, Kind: SymSpecial}
			put(&c.moduleScope().names, name, sym)
			return sym
		}
	}
	return nil
}

// sink is what _ stands for everywhere.
var sink = &Symbol{Name: "_", Kind: SymSink}

func (c *checker) moduleScope() *scope {
	s := c.scope
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// undeclared reports an unknown name, with the reason when it is clear.
func (c *checker) undeclared(pos Pos, name string) {
	for _, d := range c.module.Decls {
		switch d := d.(type) {
		case *Function:
			if d.Name == name {
				c.errs.add(pos, "function %s is declared later, in line %d: a declaration must come first", name, d.Pos.Line)
				return
			}
		case *Variable:
			if d.Name == name {
				c.errs.add(pos, "variable %s is declared later, in line %d: a declaration must come first", name, d.Pos.Line)
				return
			}
		}
	}
	hint := ""
	const maxGuesses = 10 // looking for a similar name takes time when there are many
	if c.guesses++; c.guesses <= maxGuesses {
		hint = c.scope.suggestion(name)
		if hint == "" && name[0] == '%' {
			base, _, _ := strings.Cut(name, ".")
			hint = suggest(base, isa.SpecialNames())
		}
	}
	c.errs.add(pos, "%s is not declared%s", name, hint)
}

// instruction checks the guard, the operands and the form of an instruction.
func (c *checker) instruction(in *Instruction) {
	ok := c.guard(in.Guard)
	c.shapes = c.shapes[:0]
	operands, good := c.shapesOf(in.Operands)
	if !ok || !good {
		c.checkOpcode(in)
		return
	}
	form, err := c.match(in, operands)
	if err != nil {
		c.errs.add(in.Pos, "%s", err)
		return
	}
	in.Form = form
	c.semantics(in)
}

// checkOpcode reports an unknown opcode of an instruction whose operands are faulty already.
func (c *checker) checkOpcode(in *Instruction) {
	if isa.Lookup(in.Opcode) == nil {
		c.errs.add(in.Pos, "%s %q", isa.ErrNoRow, in.Opcode)
	}
}

// guard resolves the predicate of @p.
func (c *checker) guard(g *Guard) bool {
	if g == nil {
		return true
	}
	g.Ref = c.lookup(g.Name)
	switch {
	case g.Ref == nil:
		c.undeclared(g.Pos, g.Name)
	case g.Ref.Kind != SymRegister || g.Ref.Var.Type != isa.Pred:
		c.errs.add(g.Pos, "a guard needs a predicate: %s is a %s", g.Name, g.Ref.describe())
	default:
		return true
	}
	return false
}

// match finds the form of an instruction, from the forms found before when it was seen already.
func (c *checker) match(in *Instruction, operands []isa.Shape) (*isa.Form, error) {
	c.key = append(c.key[:0], in.Opcode...)
	for _, m := range in.Mods {
		c.key = append(c.key, m...)
	}
	for i := range operands {
		c.key = appendShape(c.key, &operands[i])
	}
	if form, ok := c.forms[string(c.key)]; ok {
		return form, nil
	}
	form, err := isa.Match(c.ctx, in.Opcode, in.Mods, operands)
	if errors.Is(err, isa.ErrNoRow) {
		return nil, errors.New(err.Error() + suggest(in.Opcode, opcodes()))
	}
	if err == nil {
		c.forms[string(c.key)] = form
	}
	return form, err
}

// opcodes lists the opcodes of the instruction set.
func opcodes() []string {
	var list []string
	for _, row := range isa.Rows() {
		opcode, _, _ := strings.Cut(row.Syntax, " ")
		list = append(list, opcode[:strings.IndexAny(opcode+".", ".{")])
	}
	return list
}

// appendShape spells a shape so that equal text means an equal shape.
func appendShape(key []byte, s *isa.Shape) []byte {
	key = append(key, ' ', byte(s.Kind), byte(s.Type))
	if s.Negated {
		key = append(key, '!')
	}
	if s.Kind == isa.ShapeInteger {
		key = binary.LittleEndian.AppendUint64(key, s.Value)
	}
	key = append(key, s.Select...)
	if s.Elems != nil {
		key = append(key, '(')
		for i := range s.Elems {
			key = appendShape(key, &s.Elems[i])
		}
		key = append(key, ')')
	}
	return key
}
