package ptx

import (
	"math"
	"strconv"
	"strings"
)

// maxDepth limits how deep expressions, initialisers and blocks may nest.
const maxDepth = 200

// constant is the value of a constant expression. By the manual's rules an integer is a 64-bit
// .s64 or .u64, a floating-point number is an f64, and a 0f literal stands alone.
type constant struct {
	kind     ImmediateKind
	bits     uint64
	unsigned bool
}

func signed(v int64) constant     { return constant{bits: uint64(v)} }
func unsigned(v uint64) constant  { return constant{bits: v, unsigned: true} }
func floating(v float64) constant { return constant{kind: ImmF64, bits: math.Float64bits(v)} }

func truth(v bool) constant {
	if v {
		return signed(1)
	}
	return signed(0)
}

func (c constant) float() float64 { return math.Float64frombits(c.bits) }

// immediate parses a constant expression.
func (p *parser) immediate() *Immediate {
	first := p.tok
	c := p.expression()
	text := p.src[first.start:max(p.prev.end, first.start)]
	if p.prev.start != first.start {
		text = canonicalExpression(text)
	}
	return &Immediate{Pos: first.pos, Text: text, Float: c.kind, Bits: c.bits, Unsigned: c.unsigned}
}

// canonicalExpression strips blanks and comments off an expression. A remainder operator keeps
// blanks around it: "%7" would be a name.
func canonicalExpression(text string) string {
	var b strings.Builder
	lex := newLexer(text)
	for t := lex.next(); t.kind != tokenEOF && t.kind != tokenBad; t = lex.next() {
		if t.text == "%" {
			b.WriteString(" % ")
		} else {
			b.WriteString(t.text)
		}
	}
	return b.String()
}

// startsExpression tells whether the token may begin a constant expression. Negated and negative
// registers begin like one; operand looks at them first.
func (p *parser) startsExpression() bool {
	switch p.tok.kind {
	case tokenInt, tokenF32, tokenF64, tokenReal:
		return true
	case tokenName:
		return p.tok.text == warpSize
	case tokenOp:
		switch p.tok.text {
		case "(", "-", "+", "!", "~":
			return true
		}
	}
	return false
}

// warpSize is the one predefined constant.
const warpSize = "WARP_SZ"

// expression parses a constant expression with C's precedence.
func (p *parser) expression() constant {
	if !p.enter() {
		return constant{}
	}
	defer p.leave()
	cond := p.binary(0)
	question := p.tok.pos
	if !p.accept("?") {
		return cond
	}
	yes := p.expression()
	p.expect(":", "between the two values of ?:")
	no := p.expression()
	if p.failed() {
		return constant{}
	}
	switch {
	case cond.kind != ImmInt:
		p.failAt(question, "the condition of ?: must be an integer")
	case yes.kind != no.kind || yes.kind == ImmF32:
		p.failAt(question, "both values of ?: must be integers, or both floating-point numbers")
	}
	yes.unsigned = yes.unsigned || no.unsigned
	no.unsigned = yes.unsigned
	if cond.bits != 0 {
		return yes
	}
	return no
}

// precedence holds the binary operators from the loosest to the tightest.
var precedence = [...][]string{
	{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
}

// binaryLevel returns the precedence of a binary operator, or -1.
func binaryLevel(t token) int {
	if t.kind != tokenOp {
		return -1
	}
	for level, operators := range precedence {
		for _, operator := range operators {
			if t.text == operator {
				return level
			}
		}
	}
	return -1
}

// binary parses operators of the precedence and tighter ones, by precedence climbing.
func (p *parser) binary(loosest int) constant {
	left := p.unary()
	for {
		operator := p.tok
		level := binaryLevel(operator)
		if level < loosest {
			return left
		}
		p.next()
		right := p.binary(level + 1)
		if p.failed() {
			return constant{}
		}
		value, message := apply(operator.text, left, right)
		if message != "" {
			p.failAt(operator.pos, "%s", message)
			return constant{}
		}
		left = value
	}
}

func (p *parser) unary() constant {
	if !p.enter() {
		return constant{}
	}
	defer p.leave()
	operator := p.tok
	switch {
	case p.accept("+"), p.accept("-"), p.accept("!"), p.accept("~"):
		value, message := applyUnary(operator.text, p.unary())
		if message != "" {
			p.failAt(operator.pos, "%s", message)
		}
		return value
	case p.accept("("):
		if cast := p.tok; cast.is(".s64") || cast.is(".u64") {
			p.next()
			p.expect(")", "after the type of a cast")
			value := p.unary()
			if value.kind != ImmInt {
				p.failAt(cast.pos, "a floating-point number cannot be cast")
			}
			value.unsigned = cast.text == ".u64"
			return value
		}
		value := p.expression()
		p.expect(")", "to close the expression")
		return value
	}
	return p.literal()
}

// literal parses a number or WARP_SZ.
func (p *parser) literal() constant {
	t := p.tok
	switch {
	case t.kind == tokenInt:
		p.next()
		return parseInteger(t.text)
	case t.kind == tokenF32:
		p.next()
		bits, _ := strconv.ParseUint(t.text[2:], 16, 32)
		return constant{kind: ImmF32, bits: bits}
	case t.kind == tokenF64:
		p.next()
		bits, _ := strconv.ParseUint(t.text[2:], 16, 64)
		return constant{kind: ImmF64, bits: bits}
	case t.kind == tokenReal:
		p.next()
		value, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			p.failAt(t.pos, "%s does not fit a double-precision number", t.text)
		}
		return floating(value)
	case t.is(warpSize):
		p.next()
		return signed(32)
	}
	p.fail("expected a constant, found %s", t.describe())
	return constant{}
}

// parseInteger returns the value of an integer literal: signed unless it needs the 64th bit or ends
// in U. A literal of more than 64 bits is the largest one, as the assembler has it.
func parseInteger(text string) constant {
	digits, suffixed := strings.CutSuffix(text, "U")
	base := 10
	switch {
	case len(digits) > 2 && digits[1]|0x20 == 'x':
		digits, base = digits[2:], 16
	case len(digits) > 2 && digits[1]|0x20 == 'b':
		digits, base = digits[2:], 2
	case digits[0] == '0':
		base = 8
	}
	bits, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		bits = math.MaxUint64
	}
	return constant{bits: bits, unsigned: suffixed || bits > math.MaxInt64}
}

// applyUnary returns the value of a unary operator, or what is wrong.
func applyUnary(operator string, c constant) (constant, string) {
	switch {
	case c.kind == ImmF32:
		return c, "a 0f literal stands alone: write the bits of the value, or use a decimal number"
	case operator == "+":
		return c, ""
	case operator == "-" && c.kind == ImmF64:
		return floating(-c.float()), ""
	case operator == "-":
		return constant{bits: -c.bits, unsigned: c.unsigned}, ""
	case c.kind != ImmInt:
		return c, operator + " needs an integer"
	case operator == "!":
		return truth(c.bits == 0), ""
	}
	return unsigned(^c.bits), ""
}

// apply returns the value of a binary operator by the rules for constant expressions in the PTX
// manual (section 4.5.6), or what is wrong.
func apply(operator string, a, b constant) (constant, string) {
	switch {
	case a.kind == ImmF32 || b.kind == ImmF32:
		return a, "a 0f literal stands alone: use 0d or decimal numbers in expressions"
	case a.kind != b.kind:
		return a, operator + " needs two integers or two floating-point numbers"
	case a.kind == ImmF64:
		return applyFloat(operator, a.float(), b.float())
	}
	return applyInteger(operator, a, b)
}

func applyFloat(operator string, a, b float64) (constant, string) {
	switch operator {
	case "+":
		return floating(a + b), ""
	case "-":
		return floating(a - b), ""
	case "*":
		return floating(a * b), ""
	case "/":
		return floating(a / b), ""
	case "<":
		return truth(a < b), ""
	case ">":
		return truth(a > b), ""
	case "<=":
		return truth(a <= b), ""
	case ">=":
		return truth(a >= b), ""
	case "==":
		return truth(a == b), ""
	case "!=":
		return truth(a != b), ""
	}
	return constant{}, operator + " needs integers"
}

func applyInteger(operator string, a, b constant) (constant, string) {
	// The usual arithmetic conversions: unsigned when either operand is.
	usual := constant{unsigned: a.unsigned || b.unsigned}
	switch operator {
	case "+":
		usual.bits = a.bits + b.bits
	case "-":
		usual.bits = a.bits - b.bits
	case "*":
		usual.bits = a.bits * b.bits
	case "&":
		usual.bits = a.bits & b.bits
	case "|":
		usual.bits = a.bits | b.bits
	case "^":
		usual.bits = a.bits ^ b.bits
	case "/", "%":
		switch {
		case b.bits == 0:
			return a, "division by zero"
		case operator == "%": // operands unsigned, result .s64
			return signed(int64(a.bits % b.bits)), ""
		case usual.unsigned:
			usual.bits = a.bits / b.bits
		default:
			usual.bits = uint64(int64(a.bits) / int64(b.bits))
		}
	case "<<": // a count of 64 and more shifts everything out, as Go's does
		return constant{bits: a.bits << b.bits, unsigned: a.unsigned}, ""
	case ">>":
		if a.unsigned {
			return unsigned(a.bits >> b.bits), ""
		}
		return signed(int64(a.bits) >> b.bits), ""
	case "<":
		return truth(less(a, b, usual.unsigned)), ""
	case ">":
		return truth(less(b, a, usual.unsigned)), ""
	case "<=":
		return truth(!less(b, a, usual.unsigned)), ""
	case ">=":
		return truth(!less(a, b, usual.unsigned)), ""
	case "==":
		return truth(a.bits == b.bits), ""
	case "!=":
		return truth(a.bits != b.bits), ""
	case "&&":
		return truth(a.bits != 0 && b.bits != 0), ""
	case "||":
		return truth(a.bits != 0 || b.bits != 0), ""
	}
	return usual, ""
}

func less(a, b constant, unsigned bool) bool {
	if unsigned {
		return a.bits < b.bits
	}
	return int64(a.bits) < int64(b.bits)
}
