package ptx

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// Parse reads the text of a module. It knows the grammar only: names and types are Check's. The
// error is an Errors; parsing goes on at the next statement after an error.
func Parse(file string, src []byte) (*Module, error) {
	src = bytes.TrimRight(src, "\x00") // the driver API takes zero-terminated text
	p := &parser{src: string(src), mods: make(map[string][]string), module: &Module{File: file, AddressSize: 32}}
	p.errs.file = file
	p.lex = newLexer(p.src)
	p.next()
	p.items()
	return p.module, p.errs.err()
}

// parser turns tokens into a Module, by recursive descent with one token of lookahead.
//
// After an error it is failed: the current token is a tokenFailed, which nothing accepts, and next
// does nothing, so that all rules return and the statement loop can resume at the next statement.
type parser struct {
	src     string
	module  *Module
	lex     lexer
	tok     token // the current token
	prev    token // the one before
	stopped token // the token at which the parser failed
	open    int   // braces when it failed
	errs    errorList
	depth   int
	braces  int                 // open braces of vectors and initialisers in the current statement
	mods    map[string][]string // modifiers by their text
	scratch []string
}

func (p *parser) next() {
	if p.failed() {
		return
	}
	p.prev = p.tok
	p.tok = p.lex.next()
}

// after returns the token after the current one.
func (p *parser) after() token {
	lex := p.lex
	return lex.next()
}

func (p *parser) failed() bool { return p.tok.kind == tokenFailed }

// fail reports an error at the current token.
func (p *parser) fail(format string, args ...any) {
	if p.tok.kind == tokenBad {
		format, args = "%s", []any{p.tok.text}
	}
	p.failAt(p.tok.pos, format, args...)
}

func (p *parser) failAt(pos Pos, format string, args ...any) {
	if p.failed() {
		return
	}
	p.errs.add(pos, format, args...)
	p.stopped, p.open = p.tok, p.braces
	p.tok = token{kind: tokenFailed, pos: p.tok.pos}
	if p.errs.full() {
		p.stopped = token{kind: tokenEOF, pos: p.tok.pos}
	}
}

// at tells whether the current token is the operator, directive or word.
func (p *parser) at(text string) bool { return p.tok.is(text) }

// accept moves past the operator, directive or word if it is the current token.
func (p *parser) accept(text string) bool {
	if !p.at(text) {
		return false
	}
	p.next()
	return true
}

// expect moves past the operator or word, which must be there; where says where, for the message.
func (p *parser) expect(text, where string) {
	switch {
	case p.accept(text), p.failed():
	case p.tok.first && p.prev.kind != tokenEOF:
		p.fail("expected %q %s in line %d, found %s", text, where, p.prev.pos.Line, p.tok.describe())
	default:
		p.fail("expected %q %s, found %s", text, where, p.tok.describe())
	}
}

// enter counts a level of nesting and fails when there are too many.
func (p *parser) enter() bool {
	if p.depth >= maxDepth {
		p.fail("nested too deeply: at most %d levels", maxDepth)
		return false
	}
	p.depth++
	return true
}

func (p *parser) leave() { p.depth-- }

// name parses an identifier.
func (p *parser) name(what string) string {
	if p.tok.kind != tokenName {
		p.fail("expected %s, found %s", what, p.tok.describe())
		return ""
	}
	name := p.tok.text
	p.next()
	return name
}

// text parses a string and returns what stands between the quotes, escapes as written.
func (p *parser) text(what string) string {
	if p.tok.kind != tokenString {
		p.fail("expected %s in quotes, found %s", what, p.tok.describe())
		return ""
	}
	text := p.tok.text
	p.next()
	return text[1 : len(text)-1]
}

// number parses a constant integer of at least low.
func (p *parser) number(what string, low int64) int64 {
	pos := p.tok.pos
	if !p.startsExpression() {
		p.fail("expected %s, found %s", what, p.tok.describe())
	}
	return p.checkNumber(pos, p.expression(), what, low)
}

// bits parses a constant integer, signed or not, as its bits.
func (p *parser) bits(what string) uint64 {
	pos := p.tok.pos
	c := p.expression()
	if c.kind != ImmInt {
		p.failAt(pos, "%s must be an integer", what)
	}
	return c.bits
}

// tightNumber is number for a place where operators end the number: %r<N>.
func (p *parser) tightNumber(what string, low int64) int64 {
	pos := p.tok.pos
	return p.checkNumber(pos, p.unary(), what, low)
}

func (p *parser) checkNumber(pos Pos, c constant, what string, low int64) int64 {
	switch {
	case p.failed():
		return 0
	case c.kind != ImmInt:
		p.failAt(pos, "%s must be an integer", what)
	case c.unsigned && c.bits > math.MaxInt64:
		p.failAt(pos, "%s is too large", what)
	case int64(c.bits) < low:
		p.failAt(pos, "%s must be at least %d", what, low)
	}
	return int64(c.bits)
}

// items parses everything.
func (p *parser) items() {
	if !p.at(".version") {
		p.fail("a module starts with .version, found %s", p.tok.describe())
		p.resumeModule(token{})
	}
	for p.tok.kind != tokenEOF {
		start := p.tok
		p.braces = 0
		p.moduleItem()
		if p.failed() {
			p.resumeModule(start)
		}
	}
}

// resumeModule moves to where the next module-level item may start: after a semicolon or a closing
// brace, or at a directive that starts a line. It moves past at least one token when start is the
// current one.
func (p *parser) resumeModule(start token) {
	p.tok, p.depth = p.stopped, 0
	depth := p.open
	for p.tok.kind != tokenEOF {
		switch {
		case p.at("{"):
			depth++
		case p.at("}"):
			if depth--; depth <= 0 {
				p.next()
				return
			}
		case depth > p.open:
		case p.at(";"):
			p.next()
			return
		case p.tok.first && p.tok.start > start.start && p.startsModuleItem():
			return
		}
		p.next()
	}
}

func (p *parser) startsModuleItem() bool {
	switch p.tok.text {
	case ".version", ".target", ".address_size", ".entry", ".func", ".file", ".section", ".alias", ".pragma",
		".extern", ".visible", ".weak", ".common", ".global", ".const", ".shared":
		return true
	}
	return false
}

// moduleItem parses one directive, declaration or function.
func (p *parser) moduleItem() {
	m := p.module
	pos := p.tok.pos
	switch {
	case p.accept(";"):
	case p.accept(".version"):
		p.version(pos)
	case p.accept(".target"):
		p.heads(pos, ".target")
		p.target()
	case p.accept(".address_size"):
		p.heads(pos, ".address_size")
		m.AddressSize = int(p.number("the address size", 0))
		if m.AddressSize != 32 && m.AddressSize != 64 {
			p.failAt(pos, ".address_size must be 32 or 64")
		}
	case p.at("@@"):
		m.Decls = append(m.Decls, p.dwarf())
	case p.at("}"):
		p.errs.add(pos, "\"}\" closes nothing")
		for p.accept("}") {
		}
	case p.tok.kind == tokenName:
		m.Decls = append(m.Decls, p.modulePrototype())
	default:
		m.Decls = append(m.Decls, p.declaration()...)
	}
}

// heads refuses a directive of the module behind a declaration.
func (p *parser) heads(pos Pos, directive string) {
	if len(p.module.Decls) > 0 {
		p.failAt(pos, "%s belongs at the head of the module, before any declaration", directive)
	}
}

// version parses what follows .version: 8.7. The lexer sees a decimal fraction.
func (p *parser) version(pos Pos) {
	m := p.module
	major, minor, ok := strings.Cut(p.tok.text, ".")
	v := Version{parseDecimal(major), parseDecimal(minor)}
	if p.tok.kind != tokenReal || !ok || v.Major < 0 || v.Minor < 0 {
		p.fail("expected a version such as 8.7, found %s", p.tok.describe())
		return
	}
	p.next()
	if m.Version != (Version{}) {
		p.failAt(pos, "a module has one .version: it is in line %d", m.VersionPos.Line)
	}
	m.Version = v
	m.VersionPos = pos
}

// parseDecimal returns the value of at most 3 decimal digits, or -1.
func parseDecimal(digits string) int {
	if len(digits) == 0 || len(digits) > 3 {
		return -1
	}
	n := 0
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// target parses what follows .target. A module may have several; they add up.
func (p *parser) target() {
	m := p.module
	m.TargetPos = p.tok.pos
	for {
		name := p.name("a target such as sm_90")
		if p.failed() {
			return
		}
		if !slices.Contains(m.Target, name) {
			m.Target = append(m.Target, name)
		}
		if !p.accept(",") {
			return
		}
	}
}

// declaration parses what starts with a directive at module level.
func (p *parser) declaration() []Decl {
	pos := p.tok.pos
	switch p.tok.text {
	case ".file":
		return []Decl{p.file()}
	case ".section":
		return []Decl{p.section()}
	case ".loc":
		return []Decl{p.loc()}
	case ".pragma":
		return []Decl{p.pragma()}
	case ".alias":
		p.next()
		a := &Alias{Pos: pos, Name: p.name("a function")}
		p.expect(",", "between an alias and its function")
		a.Target = p.name("a function")
		p.expect(";", "after .alias")
		return []Decl{a}
	}
	linkage := p.linkage()
	if p.at(".entry") || p.at(".func") {
		return []Decl{p.function(pos, linkage)}
	}
	var decls []Decl
	for _, v := range p.variables(pos, linkage) {
		decls = append(decls, v)
	}
	return decls
}

// modulePrototype parses label: .callprototype at module level.
func (p *parser) modulePrototype() Decl {
	pos := p.tok.pos
	name := p.tok.text
	p.next()
	if !p.accept(":") || !p.at(".callprototype") {
		p.failAt(pos, "expected a declaration, found %q", name)
		return &Prototype{}
	}
	return p.prototype(pos, name)
}
