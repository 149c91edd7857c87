package isa

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Shape is one operand as a program writes it, for Match.
type Shape struct {
	Kind ShapeKind
	// Type is the declared type of a register, Pred for %p, the special register's type, or the
	// type of an immediate (S64, U64, F32 for 0f literals, F64).
	Type Type
	// Value is the bits of an integer immediate.
	Value uint64
	// Negated is set for !p.
	Negated bool
	// Select is the selector or mask of a video operand: ".b0", ".h10", else ""; Minus is set for -a.
	Select string
	Minus  bool
	// Elems holds the elements of a vector, a pair (two), a list or what follows the base of an address.
	// A vector register named without a component (%v, %tid) is a ShapeVector of its components. The
	// Type of an address is that of its base register, NoType when the base is no register.
	Elems []Shape
}

// ShapeKind is the syntactic kind of an operand.
type ShapeKind uint8

// The kinds of operand shapes.
const (
	ShapeRegister ShapeKind = iota
	ShapeSpecial
	ShapeInteger
	ShapeFloat
	ShapeVariable // name of a variable: its address
	ShapeParam    // name of a .param variable
	ShapeAddress  // [..]; Elems holds the shapes after the base
	ShapeVector
	ShapePair
	ShapeList
	ShapeLabel
	ShapeFunc
	ShapeTable
	ShapeSink
)

// ErrNoRow is what a mismatch wraps when the opcode itself is unknown.
var ErrNoRow = errors.New("unknown instruction")

// Context is the module an instruction stands in.
type Context struct {
	PTX  int    // PTX version, 87 for 8.7
	SM   int    // target, 90 for sm_90
	Arch string // "a" for sm_90a, "f" for sm_100f, else ""
}

// Match returns the form that an instruction is: the row of the opcode that the modifiers and
// operands fit. Zero fields of ctx are not checked against the row's Since. An error is one line
// that tells what does not fit and what would; it wraps ErrNoRow when there is no such opcode.
//
// Modifiers are expected in the manual's order; when no row has them so, any order of the modifiers
// that are not types is accepted, and repeated flags, as ptxas does.
func Match(ctx Context, opcode string, mods []string, operands []Shape) (*Form, error) {
	patterns := rowIndex().byOpcode[opcode]
	if patterns == nil {
		return nil, fmt.Errorf("%w %q", ErrNoRow, opcode)
	}
	var worst mismatch
	for _, anyOrder := range []bool{false, true} {
		for _, p := range patterns {
			ordered, choice, ok := p.choose(mods, anyOrder)
			if !ok {
				continue
			}
			form := &Form{Row: p.row, Opcode: opcode, Mods: ordered, choice: choice}
			m := p.bind(form, operands)
			if m.stage == fits {
				m = checkForm(ctx, form)
			}
			if m.stage == fits && p.row.goneIn(ctx) {
				m = mismatch{stage: gone, text: goneText(ctx, p.row.Until, patterns, form)}
			}
			if m.stage == fits {
				return form, nil
			}
			if m.after(worst) {
				worst = m
			}
		}
		if worst.stage != 0 {
			return nil, errors.New(worst.text)
		}
	}
	return nil, errors.New(explainMods(stillIn(ctx, patterns), opcode, mods))
}

// mismatch is why a row whose modifiers fit is not the one, and how far the match came.
type mismatch struct {
	stage   int
	operand int
	vector  bool // the operand is a vector and may be one
	text    string
}

// The stages of a match.
const (
	operandCount = iota + 1
	operandType
	rowCheck
	introduced
	gone
	fits
)

// after tells whether m came further than n.
func (m mismatch) after(n mismatch) bool {
	if m.stage != n.stage || m.operand != n.operand {
		return m.stage > n.stage || m.stage == n.stage && m.operand > n.operand
	}
	return m.vector && !n.vector
}

// checkForm applies a row's Check and Since.
func checkForm(ctx Context, f *Form) mismatch {
	if f.Row.Check != nil {
		if text := f.Row.Check(f); text != "" {
			return mismatch{stage: rowCheck, text: f.Name() + ": " + text}
		}
	}
	if text := f.Row.Since.missing(ctx); text != "" {
		return mismatch{stage: introduced, text: f.Name() + " needs " + text}
	}
	if f.Row.Need != nil {
		if text := f.Row.Need(f).missing(ctx); text != "" {
			return mismatch{stage: introduced, text: f.Name() + " needs " + text}
		}
	}
	for _, m := range f.Mods {
		if text := f.Row.Since.Mod[m].missing(ctx); text != "" {
			return mismatch{stage: introduced, text: fmt.Sprintf("%s in %s needs %s", m, f.Name(), text)}
		}
	}
	return mismatch{stage: fits}
}

// goneIn tells whether a module of ctx no longer has the row.
func (r *Row) goneIn(ctx Context) bool {
	return r.Until.PTX != 0 && ctx.PTX >= r.Until.PTX && ctx.SM >= r.Until.SM
}

// stillIn returns the patterns that a module of ctx has.
func stillIn(ctx Context, patterns []*pattern) []*pattern {
	return slices.DeleteFunc(slices.Clone(patterns), func(p *pattern) bool { return p.row.goneIn(ctx) })
}

// goneText tells what a form that no longer exists needs from the rows that do.
func goneText(ctx Context, until Since, patterns []*pattern, f *Form) string {
	text := f.Name() + " no longer exists"
	if rest := stillIn(ctx, patterns); len(rest) > 0 {
		text = explainMods(rest, f.Opcode, f.Mods)
	}
	if until.PTX > 10 {
		text += fmt.Sprintf(" from .version %d.%d on", until.PTX/10, until.PTX%10)
	}
	if until.SM > 10 {
		text += fmt.Sprintf(" from .target sm_%d on", until.SM)
	}
	return text
}

// missing returns what ctx lacks (".target sm_100 or later"), or "".
func (s Since) missing(ctx Context) string {
	switch {
	case ctx.SM != 0 && !s.targetFits(ctx):
		switch {
		case s.On != "":
			return ".target " + onText(s.On)
		case s.Arch == "a" && s.SM == 90:
			return ".target sm_90a"
		case s.SM == 90 && s.Arch == "f":
			return ".target sm_90a or a later one with a suffix"
		case s.Arch != "":
			return fmt.Sprintf(".target sm_%d%s or a later one with the suffix", s.SM, s.Arch)
		}
		return fmt.Sprintf(".target sm_%d or later", s.SM)
	case ctx.PTX != 0 && ctx.PTX < s.PTX:
		return fmt.Sprintf(".version %d.%d or later", s.PTX/10, s.PTX%10)
	}
	return ""
}

// targetFits applies the rules of architecture-specific (a) and family-specific (f) targets: what sm_90a
// adds exists there only, what a later one adds exists on its later architecture-specific siblings too.
func (s Since) targetFits(ctx Context) bool {
	if s.On != "" {
		return slices.ContainsFunc(strings.Fields(s.On), func(target string) bool { return onTarget(target, ctx) })
	}
	switch s.Arch {
	case "a":
		return ctx.Arch == "a" && (ctx.SM == s.SM || s.SM > 90 && ctx.SM > s.SM)
	case "f":
		return ctx.Arch != "" && ctx.SM >= s.SM
	}
	return ctx.SM >= s.SM
}

// onTarget tells whether a module of ctx has what a target of Since.On has.
func onTarget(target string, ctx Context) bool {
	digits := strings.TrimRight(target, "af")
	sm, _ := strconv.Atoi(digits)
	if target[len(digits):] == "a" {
		return ctx.Arch == "a" && (ctx.SM == sm || renamed[ctx.SM] == sm)
	}
	return ctx.Arch != "" && family(ctx.SM) == family(sm) && (ctx.SM >= sm || renamed[ctx.SM] >= sm)
}

// renamed holds the targets that have another number since PTX 9.0.
var renamed = map[int]int{101: 110}

// family returns what the targets of a family have in common: sm_103 and sm_100 are of one, sm_101 and sm_110 of
// another (PTX ISA, "Family-specific features").
func family(sm int) int {
	if later, ok := renamed[sm]; ok {
		sm = later
	}
	return sm / 10
}

// onText names targets: "sm_100f or a later one of its family, or sm_110a".
func onText(on string) string {
	var names []string
	for _, target := range strings.Fields(on) {
		name := "sm_" + target
		if strings.HasSuffix(target, "f") {
			name += " or a later one of its family"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", or ")
}

// choose matches written modifiers against the pattern. It returns them in the pattern's order, each once, and the
// alternative chosen for each group.
func (p *pattern) choose(mods []string, anyOrder bool) (ordered []string, choice map[string]string, ok bool) {
	for _, m := range mods {
		if !p.known[m] {
			return nil, nil, false
		}
	}
	if len(mods) > maxMods {
		return nil, nil, false
	}
	c := chooser{mods: mods, anyOrder: anyOrder}
	if !c.match(p.mods) {
		return nil, nil, false
	}
	choice = make(map[string]string, len(c.chosen))
	for _, pick := range c.chosen {
		ordered = append(ordered, pick.mod)
		if pick.group != "" {
			choice[pick.group] = pick.mod
		}
	}
	return ordered, choice, true
}

// maxMods is more than the modifiers of any instruction; the chooser has a bit for each.
const maxMods = 32

// chooser is the state of a backtracking match over modifiers.
type chooser struct {
	mods     []string
	used     uint32 // bit i: mods[i] is taken
	anyOrder bool
	chosen   []struct{ group, mod string } // in the pattern's order; group is empty for a literal
}

func (c *chooser) match(nodes []modNode) bool {
	if len(nodes) == 0 {
		return c.complete()
	}
	node, rest := nodes[0], nodes[1:]
	if node.seq != nil {
		return c.match(append(append([]modNode(nil), node.seq...), rest...)) || c.match(rest)
	}
	if i := c.candidate(node); i >= 0 {
		before := len(c.chosen)
		c.used |= 1 << i
		c.chosen = append(c.chosen, struct{ group, mod string }{node.group, c.mods[i]})
		if c.match(rest) {
			return true
		}
		c.used &^= 1 << i
		c.chosen = c.chosen[:before]
	}
	return node.optional && c.match(rest)
}

// candidate returns the modifier that may stand at the node, or -1: the next one, or in any order the first that
// fits, with types, layouts, and .ws and .sp among themselves in order.
func (c *chooser) candidate(node modNode) int {
	for i, m := range c.mods {
		switch {
		case c.used>>i&1 == 1:
		case slices.Contains(node.alts, m):
			return i
		case !c.anyOrder || ordered(m, node.alts[0]):
			return -1
		}
	}
	return -1
}

// ordered tells whether ptxas takes two modifiers in the manual's order only.
func ordered(a, b string) bool {
	return ParseType(a) != NoType && ParseType(b) != NoType || isLayout(a) && isLayout(b) || isVariant(a) && isVariant(b)
}

func isLayout(mod string) bool  { return mod == ".row" || mod == ".col" }
func isVariant(mod string) bool { return mod == ".ws" || mod == ".sp" }

// complete tells whether every modifier is taken; with any order, repetitions of a flag count as taken.
func (c *chooser) complete() bool {
	for i, m := range c.mods {
		if c.used>>i&1 == 0 && !(c.anyOrder && repeatable(m) && slices.Contains(c.mods[:i], m)) {
			return false
		}
	}
	return true
}

// repeatable tells whether ptxas lets a modifier stand twice.
func repeatable(mod string) bool {
	switch mod {
	case ".NaN", ".approx", ".cc", ".relu", ".sat", ".satfinite", ".shiftamt", ".sync", ".uni":
		return true
	}
	return false
}

// bind checks operands against the pattern and fills in the form's Args.
func (p *pattern) bind(f *Form, operands []Shape) mismatch {
	var worst mismatch
	for _, list := range p.operands {
		if text := whenText(f, list, p.operands[0]); text != "" {
			if m := (mismatch{stage: operandCount, operand: 1, text: text}); m.after(worst) && len(list) == len(operands) {
				worst = m
			}
			continue
		}
		if len(list) != len(operands) {
			continue
		}
		args := make([]Arg, 0, len(operands)+1)
		m := mismatch{stage: fits}
		for i := range list {
			text := ""
			if args, text = p.bindOperand(f, args, &list[i], &operands[i]); text != "" {
				m = mismatch{stage: operandType, operand: i, vector: operands[i].Kind == ShapeVector && list[i].arg.isVector(), text: text}
				break
			}
		}
		if m.stage == fits {
			f.Args = args
			return m
		}
		if m.after(worst) {
			worst = m
		}
	}
	if worst.stage == 0 {
		worst = mismatch{stage: operandCount, text: p.countText(f, len(operands))}
	}
	return worst
}

// whenText tells what is wrong with a list of operands of which some depend on a modifier, or "".
func whenText(f *Form, list, all []operandPattern) string {
	for i := range all {
		o := &all[i]
		stands := slices.ContainsFunc(list, func(x operandPattern) bool { return x.name == o.name })
		switch when := o.arg.When; {
		case when == "" || stands == f.Has(when):
		case stands:
			return fmt.Sprintf("operand %s of %s needs the modifier %s", o.name, f.Name(), when)
		default:
			return fmt.Sprintf("%s with %s needs the operand %s", f.Name(), when, o.name)
		}
	}
	return ""
}

func (p *pattern) countText(f *Form, found int) string {
	var counts []string
	for i := len(p.operands) - 1; i >= 0; i-- {
		counts = append(counts, fmt.Sprint(len(p.operands[i])))
	}
	counts = slices.Compact(counts)
	longest := p.operands[0]
	names := make([]string, len(longest))
	for i := range longest {
		names[i] = longest[i].String()
	}
	s := "s"
	if len(counts) == 1 && counts[0] == "1" {
		s = ""
	}
	text := fmt.Sprintf("%s takes %s operand%s", f.Name(), strings.Join(counts, " or "), s)
	if len(names) > 0 {
		text += " (" + strings.Join(names, ", ") + ")"
	}
	return fmt.Sprintf("%s, found %d", text, found)
}

func (o *operandPattern) String() string {
	switch {
	case o.kind == ArgAddress:
		s := "[" + o.name
		for i := range o.inner {
			s += ", " + o.inner[i].String()
		}
		return s + "]"
	case o.kind == ArgList:
		return "(" + o.name + ")"
	case o.pair != nil && o.pairOptional:
		return o.name + "{|" + o.pair.name + "}"
	case o.pair != nil:
		return o.name + "|" + o.pair.name
	}
	return o.name
}

// bindOperand checks one written operand and appends its Arg, two for a pair.
func (p *pattern) bindOperand(f *Form, args []Arg, o *operandPattern, s *Shape) ([]Arg, string) {
	switch {
	case o.pair != nil && s.Kind == ShapePair:
		args, text := p.bindSingle(f, args, o, &s.Elems[0])
		if text != "" {
			return nil, text
		}
		return p.bindSingle(f, args, o.pair, &s.Elems[1])
	case o.pair != nil && !o.pairOptional:
		return nil, fmt.Sprintf("operand %s of %s: a pair %s|%s is wanted, found %s", o.name, f.Name(), o.name, o.pair.name, s.describe())
	case s.Kind == ShapePair:
		return nil, fmt.Sprintf("operand %s of %s: a pair is not allowed", o.name, f.Name())
	}
	return p.bindSingle(f, args, o, s)
}

func (p *pattern) bindSingle(f *Form, args []Arg, o *operandPattern, s *Shape) ([]Arg, string) {
	arg := Arg{Name: o.name, Kind: o.kind, Write: o.arg.Access != "r", Read: o.arg.Access != "w", Select: s.Select, Minus: s.Minus && o.arg.Minus}
	arg.Type, arg.Vector = p.argType(f, o.arg, s)
	check := operandCheck{row: p.row, opcode: p.opcode, arg: &arg, rule: &o.arg}
	if text := check.shape(s); text != "" {
		return nil, fmt.Sprintf("operand %s of %s: %s", o.name, f.Name(), text)
	}
	if o.kind == ArgAddress {
		if len(o.inner) != len(s.Elems) {
			return nil, fmt.Sprintf("operand %s of %s: %s is wanted", o.name, f.Name(), o)
		}
		for i := range o.inner {
			var text string
			if arg.Inner, text = p.bindSingle(f, arg.Inner, &o.inner[i], &s.Elems[i]); text != "" {
				return nil, text
			}
		}
	}
	return append(args, arg), ""
}

// argType resolves a type word for a form, and the number of vector elements (0 for a scalar).
func (p *pattern) argType(f *Form, word ArgType, s *Shape) (Type, int) {
	own := ParseType(p.own)
	if p.own == "type" {
		own = ParseType(f.choice["type"])
	}
	n := 0
	if word.Vector == "?" {
		n = len(s.Elems)
	} else if word.Vector != "" {
		digits := word.Vector
		if _, ok := p.row.Mods[word.Vector]; ok {
			digits = strings.Trim(f.choice[word.Vector], ".vxd") // .v4, .x4, .4d
		}
		n, _ = strconv.Atoi(digits)
	}
	switch word.Base {
	case "type":
		return own, n
	case "wide":
		return own.wide(), n
	case "bits":
		return bitsType(own.Bits()), n
	case "pack":
		if n := len(s.Elems); n == 2 || n == 4 {
			return bitsType(own.Bits() / n), n
		}
		return NoType, 2
	case "label", "func", "table", "list":
		return NoType, 0
	}
	if _, ok := p.row.Mods[word.Base]; ok {
		if t := ParseType(f.choice[word.Base]); t != NoType {
			return t, n
		}
		return own, n
	}
	return ParseType(word.Base), n
}

// wide returns the type of twice the width, NoType when there is none.
func (t Type) wide() Type {
	switch t {
	case U16:
		return U32
	case S16:
		return S32
	case U32:
		return U64
	case S32:
		return S64
	case U64, S64, B64:
		return B128
	case B16:
		return B32
	case B32:
		return B64
	}
	return NoType
}

// bitsType returns the untyped type of a width, NoType when there is none.
func bitsType(bits int) Type {
	switch bits {
	case 8:
		return B8
	case 16:
		return B16
	case 32:
		return B32
	case 64:
		return B64
	case 128:
		return B128
	}
	return NoType
}
