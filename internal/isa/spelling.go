package isa

import "slices"

// Spelling is one way to write an instruction of a row: modifiers, and operands that go with them.
type Spelling struct {
	Row      *Row
	Opcode   string
	Mods     []string
	Operands []SpelledOperand
}

// SpelledOperand is an operand position of a spelling, with what may stand there.
type SpelledOperand struct {
	Arg
	// Constant is set where only a constant may stand, and Value is one that may.
	Constant bool
	Value    uint64
	// Pair is the second half of a pair, Inner what follows the base of an address.
	Pair  *SpelledOperand
	Inner []SpelledOperand
}

// Spellings returns ways to write instructions of the row that agree with its notation: about limit lists of
// modifiers, spread evenly over all of them, each with every list of operands that goes with it. A row's Check, Since
// and Need are not asked.
func (r *Row) Spellings(limit int) []Spelling {
	var spelled []Spelling
	for _, p := range rowIndex().byOpcode[r.opcode()] {
		if p.row != r {
			continue
		}
		total := countSpellings(p.mods)
		stride := max(1, total/max(limit, 1))
		if stride > 1 {
			stride |= 1 // most groups have an even number of alternatives
		}
		for i := 0; i < total; i += stride {
			mods, _ := spellingAt(p.mods, i)
			spelled = append(spelled, p.spell(mods)...)
		}
	}
	return spelled
}

// KnownMods returns every modifier that some row of an opcode takes, sorted.
func KnownMods(opcode string) []string {
	var mods []string
	for _, p := range rowIndex().byOpcode[opcode] {
		for m := range p.known {
			mods = append(mods, m)
		}
	}
	slices.Sort(mods)
	return slices.Compact(mods)
}

func (r *Row) opcode() string {
	for i, c := range r.Syntax {
		if c == '.' || c == '{' || c == ' ' {
			return r.Syntax[:i]
		}
	}
	return r.Syntax
}

// countSpellings returns the number of ways to write a list of modifiers.
func countSpellings(nodes []modNode) int {
	total := 1
	for _, n := range nodes {
		total *= n.ways()
	}
	return total
}

// ways returns the number of ways to write one position.
func (n modNode) ways() int {
	ways := len(n.alts)
	if n.seq != nil {
		ways = countSpellings(n.seq)
	}
	if n.optional {
		ways++
	}
	return ways
}

// spellingAt returns the i-th way to write a list of modifiers, and what is left of i.
func spellingAt(nodes []modNode, i int) (mods []string, rest int) {
	for _, n := range nodes {
		ways := n.ways()
		at := i % ways
		i /= ways
		switch {
		case n.optional && at == ways-1:
		case n.seq != nil:
			inner, _ := spellingAt(n.seq, at)
			mods = append(mods, inner...)
		default:
			mods = append(mods, n.alts[at])
		}
	}
	return mods, i
}

// spell returns the spellings that have the modifiers.
func (p *pattern) spell(mods []string) []Spelling {
	ordered, choice, ok := p.choose(mods, false)
	if !ok {
		return nil
	}
	form := &Form{Row: p.row, Opcode: p.opcode, Mods: ordered, choice: choice}
	var spelled []Spelling
	for _, list := range p.operands {
		if whenText(form, list, p.operands[0]) != "" {
			continue
		}
		s := Spelling{Row: p.row, Opcode: p.opcode, Mods: mods}
		for i := range list {
			s.Operands = append(s.Operands, p.spellOperand(form, &list[i]))
		}
		s.sizeVectors(form, list)
		spelled = append(spelled, s)
	}
	return spelled
}

// sizeVectors gives the vectors whose size only the row's Check knows sizes that it takes, if there are any.
func (s *Spelling) sizeVectors(f *Form, list []operandPattern) {
	var open []*int
	form := *f
	form.Args = nil
	for i := range s.Operands {
		form.Args = append(form.Args, s.Operands[i].Arg)
	}
	for i := range list {
		if list[i].arg.Vector == "?" {
			open = append(open, &form.Args[i].Vector)
		}
	}
	if len(open) == 0 || s.Row.Check == nil || !fitSizes(&form, open) {
		return
	}
	for i := range s.Operands {
		s.Operands[i].Vector = form.Args[i].Vector
	}
}

// fitSizes tries all sizes of the open vectors until the row takes the form.
func fitSizes(f *Form, open []*int) bool {
	if len(open) == 0 {
		return f.Row.Check(f) == ""
	}
	for _, size := range []int{1, 2, 4, 8, 16, 3} {
		*open[0] = size
		if fitSizes(f, open[1:]) {
			return true
		}
	}
	return false
}

// spellOperand resolves an operand position. A vector whose size is open gets two elements.
func (p *pattern) spellOperand(f *Form, o *operandPattern) SpelledOperand {
	example := Shape{Kind: ShapeVector}
	if o.arg.Base == "pack" || o.arg.Vector == "?" {
		example.Elems = make([]Shape, 2)
	}
	s := SpelledOperand{Arg: Arg{Name: o.name, Kind: o.kind, Write: o.arg.Access != "r", Read: o.arg.Access != "w"}}
	s.Type, s.Vector = p.argType(f, o.arg, &example)
	if o.arg.Imm {
		s.Constant = true
		for o.arg.Allowed != nil && !o.arg.Allowed(s.Value) {
			s.Value++
		}
	}
	for i := range o.inner {
		s.Inner = append(s.Inner, p.spellOperand(f, &o.inner[i]))
	}
	if o.pair != nil {
		pair := p.spellOperand(f, o.pair)
		s.Pair = &pair
	}
	return s
}
