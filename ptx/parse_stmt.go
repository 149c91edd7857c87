package ptx

import (
	"slices"
	"strings"
)

// block parses { statements }.
func (p *parser) block() *Block {
	b := &Block{Pos: p.tok.pos}
	if !p.enter() {
		return b
	}
	defer p.leave()
	p.next()
	for !p.at("}") {
		if p.failed() {
			return b
		}
		if p.tok.kind == tokenEOF || p.startsFunction() {
			p.unclosed(b)
			return b
		}
		start, depth := p.tok, p.depth
		p.braces = 0
		b.Body = p.statement(b.Body)
		if p.failed() {
			p.depth = depth
			p.resumeBlock(start)
		}
	}
	b.End = p.tok.pos
	p.next()
	return b
}

// unclosed reports that the brace of a block is missing, once for the innermost block.
func (p *parser) unclosed(b *Block) {
	n := len(p.errs.list)
	if p.prev.kind == tokenBad || n > 0 && p.errs.list[n-1].Pos == p.tok.pos {
		return // the reason is reported already
	}
	p.errs.add(p.tok.pos, "expected \"}\" to close the \"{\" of line %d, found %s", b.Pos.Line, p.tok.describe())
}

// startsFunction tells whether a line starts a function: inside a body, a brace must be missing.
func (p *parser) startsFunction() bool {
	switch {
	case !p.tok.first:
		return false
	case p.at(".visible"), p.at(".weak"):
		next := p.after()
		return next.is(".entry") || next.is(".func")
	}
	return p.at(".entry") || p.at(".func")
}

// resumeBlock moves to where the next statement may start: after a semicolon, at a brace, or at
// what looks like a statement at the start of a line. It moves past at least one token when start
// is the current one.
func (p *parser) resumeBlock(start token) {
	p.tok = p.stopped
	open := p.open
	if p.at("{") && p.tok.start == start.start { // a block that is nested too deeply
		p.skipBraces()
		return
	}
	for p.tok.kind != tokenEOF {
		switch {
		case p.at(";"):
			p.next()
			return
		case p.at("{") && p.tok.first && !p.continues():
			return
		case p.at("{"):
			open++
		case p.at("}") && open <= 0:
			return
		case p.at("}"):
			open--
		case p.tok.first && p.tok.start > start.start && p.startsStatement():
			return
		}
		p.next()
	}
}

// skipBraces moves past a block.
func (p *parser) skipBraces() {
	for open := 0; p.tok.kind != tokenEOF; {
		switch {
		case p.at("{"):
			open++
		case p.at("}"):
			open--
		}
		p.next()
		if open == 0 {
			return
		}
	}
}

// continues tells whether the token before leaves something open.
func (p *parser) continues() bool {
	switch p.prev.text {
	case ",", "(", "[", "{", "|", "+", "-", "=":
		return true
	}
	return false
}

func (p *parser) startsStatement() bool {
	switch p.tok.kind {
	case tokenName:
		return !p.continues()
	case tokenDot:
		switch p.tok.text {
		case ".reg", ".param", ".local", ".shared", ".global", ".const", ".loc", ".pragma", ".section", ".entry", ".func",
			".visible", ".weak", ".extern":
			return true
		}
	}
	return p.at("@") || p.at("@@")
}

// statement parses one statement and appends what it makes.
func (p *parser) statement(body []Statement) []Statement {
	pos := p.tok.pos
	switch {
	case p.accept(";"):
		return body
	case p.at("{"):
		return append(body, p.block())
	case p.at("@"):
		return append(body, p.guarded())
	case p.at("@@"):
		return append(body, p.dwarf())
	case p.at(".loc"):
		return append(body, p.loc())
	case p.at(".pragma"):
		return append(body, p.pragma())
	case p.at(".section"):
		return append(body, p.section())
	case p.tok.kind == tokenName:
		name := p.tok
		p.next()
		if p.accept(":") {
			return append(body, p.labelled(name))
		}
		return append(body, p.instruction(name, nil))
	case p.tok.kind == tokenDot:
		for _, v := range p.variables(pos, p.linkage()) {
			body = append(body, v)
		}
		return body
	}
	p.fail("expected an instruction, a label or a declaration, found %s", p.tok.describe())
	return body
}

// labelled parses what follows a label: a table of targets, a prototype, or nothing.
func (p *parser) labelled(name token) Statement {
	switch {
	case p.at(".callprototype"):
		return p.prototype(name.pos, name.text)
	case p.at(".branchtargets"), p.at(".calltargets"):
		t := &Targets{Pos: name.pos, Name: name.text, Calls: p.at(".calltargets")}
		p.next()
		for {
			n := &Name{Pos: p.tok.pos}
			n.Name = p.name("a target")
			t.Names = append(t.Names, n)
			if !p.accept(",") {
				p.expect(";", "after a list of targets")
				return t
			}
		}
	}
	return &Label{Pos: name.pos, Name: name.text}
}

// guarded parses @p or @!p and the instruction after it.
func (p *parser) guarded() *Instruction {
	g := &Guard{Pos: p.tok.pos}
	p.next()
	g.Negate = p.accept("!")
	g.Name = p.name("a predicate")
	opcode := p.tok
	p.name("an instruction after a guard")
	in := p.instruction(opcode, g)
	in.Pos = g.Pos
	return in
}

// instruction parses the modifiers and operands after an opcode, up to the semicolon.
func (p *parser) instruction(opcode token, guard *Guard) *Instruction {
	in := &Instruction{Pos: opcode.pos, Guard: guard, Opcode: opcode.text}
	bank := p.modifiers(in)
	if !p.at(";") {
		for !p.failed() {
			in.Operands = append(in.Operands, p.operand(in.Opcode == "call"))
			if !p.accept(",") {
				break
			}
		}
	}
	p.expect(";", "after the instruction")
	for i, operand := range in.Operands {
		if n, ok := operand.(*Name); ok && n.Index != nil && (in.Opcode == "ld" || in.Opcode == "st") {
			in.Operands[i] = &Address{Pos: n.Pos, Bare: true, Base: n, Bank: -1}
		}
		if a, ok := operand.(*Address); ok && bank >= 0 {
			a.Bank, bank = bank, -1
		}
	}
	return in
}

// maxModifiers is more than any instruction has.
const maxModifiers = 32

// modifiers parses the modifiers after an opcode and returns the bank of .const[bank], or -1.
// Equal modifiers share one slice.
func (p *parser) modifiers(in *Instruction) (bank int) {
	bank = -1
	first := p.tok
	p.scratch = p.scratch[:0]
	for p.tok.kind == tokenDot {
		if len(p.scratch) == maxModifiers {
			p.fail("too many modifiers: at most %d", maxModifiers)
			return bank
		}
		p.scratch = append(p.scratch, p.tok.text)
		p.next()
		if p.prev.text == ".const" && p.at("[") && p.tok.start == p.prev.end {
			p.next()
			bank = int(p.number("a constant bank", 0))
			p.expect("]", "after a constant bank")
		}
	}
	if len(p.scratch) == 0 || p.failed() {
		return bank
	}
	key := p.src[first.start:p.prev.end]
	mods, ok := p.mods[key]
	if !ok {
		mods = slices.Clone(p.scratch)
		p.mods[key] = mods
	}
	in.Mods = mods
	return bank
}

// operand parses one operand, or the two of a pair. In a call, parentheses hold lists of arguments.
func (p *parser) operand(call bool) Operand {
	pos := p.tok.pos
	if call && p.at("(") {
		return p.list()
	}
	operand := p.single()
	if !p.accept("|") {
		return operand
	}
	return &Pair{Pos: pos, Left: operand, Right: p.single()}
}

// single parses one operand.
func (p *parser) single() Operand {
	pos := p.tok.pos
	switch {
	case p.at("{"):
		return p.vector()
	case p.at("["):
		return p.address()
	case p.tok.kind == tokenName && p.tok.text != warpSize:
		n := p.reference()
		if p.at("[") {
			n.Index = p.index()
		}
		n.Offset = p.offset(0)
		return n
	case (p.at("!") || p.at("-")) && p.signsName():
		negate := p.at("!")
		p.next()
		n := p.reference()
		n.Pos, n.Negate, n.Minus = pos, negate, !negate
		return n
	case p.startsExpression():
		return p.immediate()
	}
	p.fail("expected an operand, found %s", p.tok.describe())
	return &Name{Pos: pos}
}

// index parses the [n] of an element of an array.
func (p *parser) index() *int64 {
	p.next()
	pos := p.tok.pos
	n := p.number("an index", 0)
	if n > maxOffset {
		p.failAt(pos, "an index must be at most %d", maxOffset)
	}
	p.expect("]", "after an index")
	return &n
}

// signsName tells whether a name follows the current ! or -.
func (p *parser) signsName() bool {
	t := p.after()
	return t.kind == tokenName && t.text != warpSize
}

// reference parses a name and the component or selector after it.
func (p *parser) reference() *Name {
	n := &Name{Pos: p.tok.pos}
	first := p.tok
	n.Name = p.name("a name")
	if p.tok.kind != tokenDot || p.tok.start != p.prev.end {
		return n
	}
	suffix := p.tok
	p.next()
	switch {
	case isSelector(suffix.text):
		n.Half = suffix.text
	case len(suffix.text) != 2 || !strings.Contains("xyzwrgba", suffix.text[1:]):
		p.failAt(suffix.pos, "%s selects nothing: expected .x, .y, .z, .w, or .b0 to .b3, .h0, .h1", suffix.text)
	case isSpecialVector(n.Name):
		n.Name = p.src[first.start:suffix.end]
	default:
		n.Component = "xyzwxyzw"[strings.IndexByte("xyzwrgba", suffix.text[1])]
	}
	return n
}

// isSelector tells whether the suffix selects bytes or halves for a video instruction: .b0, .h1,
// .h32, .b7531.
func isSelector(suffix string) bool {
	if len(suffix) < 3 || suffix[1] != 'b' && suffix[1] != 'h' || len(suffix) > 6 {
		return false
	}
	for _, c := range []byte(suffix[2:]) {
		if c < '0' || c > '7' {
			return false
		}
	}
	return true
}

// vector parses {a, b, ...}.
func (p *parser) vector() Operand {
	v := &Vector{Pos: p.tok.pos}
	if !p.enter() {
		return v
	}
	defer p.leave()
	p.next()
	p.braces++
	v.Elems = p.operands("}")
	p.expect("}", "after the elements of a vector")
	p.braces--
	return v
}

// list parses (a, b, ...) of a call.
func (p *parser) list() Operand {
	l := &List{Pos: p.tok.pos}
	p.next()
	l.Elems = p.operands(")")
	p.expect(")", "after arguments")
	return l
}

// operands parses operands separated by commas, up to the closing token.
func (p *parser) operands(end string) (list []Operand) {
	for !p.failed() && !p.at(end) {
		list = append(list, p.operand(false))
		if !p.accept(",") {
			break
		}
	}
	return list
}

// address parses [base], [base + offset] and [base, rest...].
func (p *parser) address() Operand {
	a := &Address{Pos: p.tok.pos, Bank: -1}
	if !p.enter() {
		return a
	}
	defer p.leave()
	p.next()
	switch {
	case p.tok.kind == tokenName && p.tok.text != warpSize:
		a.Base = p.reference()
		a.Offset = p.offset(0)
	case p.startsExpression():
		a.Base = p.immediate()
	default:
		p.fail("expected an address, found %s", p.tok.describe())
	}
	if p.accept(",") {
		a.Rest = p.operands("]")
	}
	p.expect("]", "after an address")
	return a
}
