package isa

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestRowsAreComplete checks that every row says all that its readers need.
func TestRowsAreComplete(t *testing.T) {
	reserved := strings.Fields("type wide bits pack label func table list")
	for _, p := range patternsOf(t) {
		r := p.row
		fail := func(format string, args ...any) { t.Errorf("%s: %s", r.Syntax, fmt.Sprintf(format, args...)) }
		if r.Unit == NoUnit || r.Unit >= unitCount || r.Class >= classCount || r.Op >= opCount {
			fail("unit %d, class %d or op %d", r.Unit, r.Class, r.Op)
		}
		if r.Since.PTX < 10 {
			fail("introduced by PTX %d and sm_%d", r.Since.PTX, r.Since.SM)
		}
		if (r.Op == OpNone) != (r.Unsupported != "") {
			fail("op %s, unsupported %q", r.Op, r.Unsupported)
		}
		if (r.Op == OpLane) != (r.Lane != nil) || (r.Op == OpWarp) != (r.Warp != nil) {
			fail("op %s does not agree with its semantics", r.Op)
		}
		for _, n := range flatten(p.mods) {
			if len(n.alts) == 0 {
				fail("group %s has no alternatives", n.group)
			}
		}
		for name, alts := range r.Mods {
			for _, alt := range strings.Fields(alts) {
				if alt[0] != '.' {
					fail("alternative %q of %s has no dot", alt, name)
				}
			}
			for _, word := range reserved {
				if name == word && name != "type" {
					fail("the group %s is named like an operand word", name)
				}
			}
		}
	}
}

// patternsOf parses all rows afresh.
func patternsOf(t *testing.T) []*pattern {
	t.Helper()
	ix, err := buildIndex()
	if err != nil {
		t.Fatal(err)
	}
	var patterns []*pattern
	for _, list := range ix.byOpcode {
		patterns = append(patterns, list...)
	}
	if len(patterns) == 0 || len(patterns) != len(ix.rows) {
		t.Fatalf("%d patterns of %d rows", len(patterns), len(ix.rows))
	}
	return patterns
}

// TestEveryFormIsFound spells legal forms of every row and checks that Match finds each, by the same name,
// and that forms with semantics bind. Rows with very many combinations are sampled evenly.
func TestEveryFormIsFound(t *testing.T) {
	const limit = 2000
	forms := 0
	for _, p := range patternsOf(t) {
		combinations := spellings(p.mods)
		stride := len(combinations)/limit + 1
		legal := 0
		for i := 0; i < len(combinations); i += stride {
			n, err := findForms(p, combinations[i])
			if err != nil {
				t.Errorf("%s: %v", p.row.Syntax, err)
				break
			}
			legal += n
		}
		if legal == 0 && !strings.Contains(p.row.Types, "*?") { // only Check knows the size of such vectors
			t.Errorf("%s: no form is legal", p.row.Syntax)
		}
		forms += legal
	}
	if forms < 10000 {
		t.Errorf("only %d forms were found", forms)
	}
	t.Logf("%d forms", forms)
}

// spellings lists the ways to write a modifier list.
func spellings(nodes []modNode) [][]string {
	lists := [][]string{nil}
	for _, n := range nodes {
		var ends [][]string
		if n.seq != nil {
			ends = spellings(n.seq)
		}
		for _, alt := range n.alts {
			ends = append(ends, []string{alt})
		}
		if n.optional {
			ends = append(ends, nil)
		}
		var longer [][]string
		for _, list := range lists {
			for _, end := range ends {
				longer = append(longer, append(append([]string(nil), list...), end...))
			}
		}
		lists = longer
	}
	return lists
}

// findForms matches the modifiers with each operand list that goes with them and returns how many were legal.
func findForms(p *pattern, mods []string) (legal int, err error) {
	ordered, choice, ok := p.choose(mods, false)
	if !ok {
		return 0, fmt.Errorf("%v is not taken by its own row", mods)
	}
	form := &Form{Row: p.row, Opcode: p.opcode, Mods: ordered, choice: choice}
	for _, list := range p.operands {
		if whenText(form, list, p.operands[0]) != "" {
			continue
		}
		var shapes []Shape
		for i := range list {
			shapes = append(shapes, p.exampleOperand(form, &list[i]))
		}
		own := *form
		if m := p.bind(&own, shapes); m.stage != fits {
			return legal, fmt.Errorf("%s is not taken by its own row: %s", form.Name(), m.text)
		}
		if p.row.Check != nil && p.row.Check(&own) != "" {
			continue
		}
		legal++
		found, err := Match(Context{}, p.opcode, mods, shapes)
		if err != nil {
			return legal, err
		}
		if found.Name() != form.Name() {
			return legal, fmt.Errorf("%s is found as %s", form.Name(), found.Name())
		}
		for _, a := range found.Args {
			if a.Kind == ArgValue && a.Type == NoType && a.Name != "_" {
				return legal, fmt.Errorf("operand %s of %s has no type", a.Name, form.Name())
			}
		}
		if found.Row.Op == OpLane && found.Row.Lane(found) == nil {
			return legal, fmt.Errorf("%s has no semantics", form.Name())
		}
	}
	return legal, nil
}

// exampleOperand makes an operand that fits a position.
func (p *pattern) exampleOperand(f *Form, o *operandPattern) Shape {
	if o.pair != nil {
		return pairOf(p.exampleSingle(f, o), p.exampleSingle(f, o.pair))
	}
	return p.exampleSingle(f, o)
}

func (p *pattern) exampleSingle(f *Form, o *operandPattern) Shape {
	switch o.kind {
	case ArgAddress:
		s := Shape{Kind: ShapeAddress, Type: B64}
		if o.arg.Narrow {
			s.Type = B32
		}
		for i := range o.inner {
			s.Elems = append(s.Elems, p.exampleOperand(f, &o.inner[i]))
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
		return sink
	}
	example := Shape{Kind: ShapeVector}
	if o.arg.Base == "pack" || o.arg.Vector == "?" {
		example.Elems = make([]Shape, 2)
	}
	typ, n := p.argType(f, o.arg, &example)
	element := reg(typ)
	if o.arg.Select == "scalar" && o.arg.Access == "w" {
		element.Select = ".b1" // the forms that merge
	}
	if o.arg.Imm {
		element = imm(0)
		for o.arg.Allowed != nil && !o.arg.Allowed(element.Value) {
			element.Value++
		}
	}
	if n == 0 {
		return element
	}
	example.Elems = nil
	for range n {
		example.Elems = append(example.Elems, element)
	}
	return example
}

// TestMatchSurvivesAnything gives every opcode random modifiers and operands: Match returns a form or one line.
func TestMatchSurvivesAnything(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var mods []string
	for mod := range rowIndex().mods {
		mods = append(mods, mod)
	}
	slices.Sort(mods)
	var opcodes []string
	for opcode := range rowIndex().byOpcode {
		opcodes = append(opcodes, opcode)
	}
	slices.Sort(opcodes)
	kinds := []Shape{reg(U32), reg(F64), reg(Pred), imm(0), float(F32), special(U32), sink, vector(reg(B32), sink), vector(),
		pairOf(reg(Pred), reg(U32)), {Kind: ShapeAddress, Type: U64}, {Kind: ShapeAddress, Elems: []Shape{vector()}},
		{Kind: ShapeLabel}, {Kind: ShapeFunc}, {Kind: ShapeTable}, {Kind: ShapeList}, {Kind: ShapeVariable}}
	refused := 0
	for range 20000 {
		opcode := opcodes[random.IntN(len(opcodes))]
		own := rowIndex().byOpcode[opcode]
		known := slices.Sorted(maps.Keys(own[random.IntN(len(own))].known))
		var written []string
		for range random.IntN(8) {
			if len(known) > 0 && random.IntN(8) > 0 {
				written = append(written, known[random.IntN(len(known))])
			} else {
				written = append(written, mods[random.IntN(len(mods))])
			}
		}
		var operands []Shape
		for range random.IntN(6) {
			operands = append(operands, kinds[random.IntN(len(kinds))])
		}
		_, err := Match(sm90, opcode, written, operands)
		if err == nil {
			continue
		}
		refused++
		if text := err.Error(); text == "" || strings.Contains(text, "\n") || strings.Contains(text, "%!") {
			t.Errorf("%s%v: error %q", opcode, written, text)
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

// TestMatchEndsOnManyModifiers gives an opcode with many optional modifiers all of them at once.
func TestMatchEndsOnManyModifiers(t *testing.T) {
	for opcode, patterns := range rowIndex().byOpcode {
		all := map[string]bool{}
		for _, p := range patterns {
			maps.Copy(all, p.known)
		}
		mods := slices.Sorted(maps.Keys(all))
		mods = append(mods, mods...)
		for _, n := range []int{maxMods, len(mods)} {
			if _, err := Match(sm90, opcode, mods[:min(n, len(mods))], nil); err == nil && len(all) > 8 {
				t.Errorf("%s with all its modifiers is taken", opcode)
			}
		}
	}
}
