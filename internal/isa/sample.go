package isa

import (
	"math/rand/v2"
	"strings"
)

// Operand is one operand of a sampled form: what a program may write there.
type Operand struct {
	// Arg is the operand as the form has it. Its Vector is 0 where a single value stands.
	Arg
	// Pair is the second half of an operand written d|p, nil when it is not written.
	Pair *Operand
	// Rule says what may stand here beside a register of the type.
	Rule ArgType
	// Inner are the operands in the brackets of an address, after its base.
	Inner []Operand
}

// sampleTries is how many combinations of modifiers Sample tries before it gives a row up.
const sampleTries = 64

// Sample returns a random form of the row that is legal in ctx, with its operands, or nil when it finds none.
// Every legal combination of modifiers and operands can come.
func (r *Row) Sample(ctx Context, random *rand.Rand) (*Form, []Operand) {
	p := r.pattern()
	if r.Since.missing(ctx) != "" || r.goneIn(ctx) {
		return nil, nil
	}
	for range sampleTries {
		mods := sampleMods(nil, p.mods, random)
		ordered, choice, ok := p.choose(mods, false)
		if !ok {
			continue
		}
		form := &Form{Row: r, Opcode: p.opcode, Mods: ordered, choice: choice}
		var lists [][]operandPattern
		for _, list := range p.operands {
			if whenText(form, list, p.operands[0]) == "" {
				lists = append(lists, list)
			}
		}
		if len(lists) == 0 {
			continue
		}
		if s := p.sampleOperands(ctx, form, lists[random.IntN(len(lists))], random); s != nil {
			return form, s
		}
	}
	return nil, nil
}

// pattern returns the row as it was parsed.
func (r *Row) pattern() *pattern {
	opcode, _, _ := strings.Cut(r.Syntax, " ")
	if end := strings.IndexAny(opcode, ".{"); end >= 0 {
		opcode = opcode[:end]
	}
	for _, p := range rowIndex().byOpcode[opcode] {
		if p.row == r {
			return p
		}
	}
	return nil
}

// sampleMods appends a random spelling of a modifier list.
func sampleMods(mods []string, nodes []modNode, random *rand.Rand) []string {
	for _, n := range nodes {
		switch {
		case n.optional && random.IntN(5) < 3:
		case n.seq != nil:
			mods = sampleMods(mods, n.seq, random)
		default:
			mods = append(mods, n.alts[random.IntN(len(n.alts))])
		}
	}
	return mods
}

// The lengths that fragments have, and those of the only fragment of a form.
var fragmentLengths = []int{1, 2, 4, 8}

// sampleOperands binds operands to form and returns them, nil when the form is not legal with them.
func (p *pattern) sampleOperands(ctx Context, form *Form, list []operandPattern, random *rand.Rand) []Operand {
	open := 0 // operands whose length only the row's Check knows
	for i := range list {
		if list[i].arg.Vector == "?" {
			open++
		}
	}
	lengths := fragmentLengths
	if open == 1 {
		lengths = make([]int, 128)
		for i := range lengths {
			lengths[i] = i + 1
		}
	}
	combinations := 1
	for range open {
		combinations *= len(lengths)
	}
	state := random.Uint64()
	for n := range combinations {
		choice := (n + int(state%uint64(combinations))) % combinations
		repeat := rand.New(rand.NewPCG(state, 1)) // the same operands but for their lengths
		operands := make([]Operand, len(list))
		var shapes []Shape
		for i := range list {
			length := 0
			if list[i].arg.Vector == "?" {
				length, choice = lengths[choice%len(lengths)], choice/len(lengths)
			}
			shape := p.sampleOperand(form, &list[i], &operands[i], length, repeat)
			shapes = append(shapes, shape)
		}
		if m := p.bind(form, shapes); m.stage != fits {
			return nil
		}
		switch m := checkForm(ctx, form); m.stage {
		case fits:
			takeArgs(operands, form.Args)
			return operands
		case rowCheck:
		default:
			return nil
		}
	}
	return nil
}

// takeArgs gives the operands the args that they were bound to.
func takeArgs(operands []Operand, args []Arg) {
	for i := range operands {
		operands[i].Arg, args = args[0], args[1:]
		if operands[i].Pair != nil {
			operands[i].Pair.Arg, args = args[0], args[1:]
		}
	}
}

// sampleOperand chooses what stands at a position.
func (p *pattern) sampleOperand(f *Form, o *operandPattern, out *Operand, length int, random *rand.Rand) Shape {
	if o.pair != nil && (!o.pairOptional || random.IntN(2) == 0) {
		out.Pair = &Operand{}
		second := p.sampleSingle(f, o.pair, out.Pair, 0, random)
		return Shape{Kind: ShapePair, Elems: []Shape{p.sampleSingle(f, o, out, length, random), second}}
	}
	return p.sampleSingle(f, o, out, length, random)
}

func (p *pattern) sampleSingle(f *Form, o *operandPattern, out *Operand, length int, random *rand.Rand) Shape {
	out.Rule = o.arg
	out.Arg = Arg{Name: o.name, Kind: o.kind, Write: o.arg.Access != "r", Read: o.arg.Access != "w"}
	switch o.kind {
	case ArgAddress:
		s := Shape{Kind: ShapeAddress, Type: B64}
		out.Inner = make([]Operand, len(o.inner))
		for i := range o.inner {
			s.Elems = append(s.Elems, p.sampleSingle(f, &o.inner[i], &out.Inner[i], max(1, length), random))
		}
		return s
	case ArgLabel:
		return Shape{Kind: ShapeLabel}
	case ArgFunc:
		return Shape{Kind: ShapeFunc}
	case ArgTable:
		return Shape{Kind: ShapeTable}
	case ArgList:
		return Shape{Kind: ShapeList}
	}
	if o.name == "_" {
		return Shape{Kind: ShapeSink}
	}
	s := Shape{Kind: ShapeVector}
	switch {
	case o.arg.Base == "pack":
		s.Elems = make([]Shape, 2+2*random.IntN(2))
	case o.arg.Vector == "?" && length > 0:
		s.Elems = make([]Shape, length)
	}
	typ, n := p.argType(f, o.arg, &s)
	out.Type, out.Vector = typ, n
	element := Shape{Kind: ShapeRegister, Type: typ}
	if o.arg.Select != "" && (o.arg.Select == "scalar" || random.IntN(2) == 0) {
		element.Select = o.arg.sampleSelector(random)
	}
	element.Minus = o.arg.Minus && random.IntN(4) == 0
	if o.arg.Imm {
		element = Shape{Kind: ShapeInteger, Value: o.arg.SampleConstant(random)}
	}
	if n == 0 {
		return element
	}
	s.Elems = nil
	for range n {
		s.Elems = append(s.Elems, element)
	}
	return s
}

// SampleConstant returns a random constant that the operand takes, a small one.
func (t *ArgType) SampleConstant(random *rand.Rand) uint64 {
	v := random.Uint64N(16)
	if t.Allowed == nil {
		return v
	}
	const below = 512 // every rule allows one of these
	for start := random.Uint64N(below); ; start++ {
		if v := start % below; t.Allowed(v) {
			return v
		}
	}
}

// sampleSelector returns a random selector or mask of a video operand, "" now and then where it may be left out.
func (t *ArgType) sampleSelector(random *rand.Rand) string {
	digits := func(prefix string, count, below int) string {
		for range count {
			prefix += string(rune('0' + random.IntN(below)))
		}
		return prefix
	}
	switch t.Select {
	case "scalar":
		return [...]string{"", digits(".b", 1, 4), digits(".h", 1, 2)}[random.IntN(3)]
	case "half":
		return digits(".h", 2, 4)
	case "byte":
		return digits(".b", 4, 8)
	case "halfmask":
		return [...]string{".h0", ".h1", ".h10"}[random.IntN(3)]
	}
	mask := ""
	for part := 3; part >= 0; part-- {
		if random.IntN(2) == 0 || mask == "" && part == 0 {
			mask += string(rune('0' + part))
		}
	}
	return ".b" + mask
}

// Spells tells whether the modifiers are a way to write those of the row.
func (r *Row) Spells(mods []string) bool {
	_, _, ok := r.pattern().choose(mods, false)
	return ok
}
