package ptx

import "fmt"

// tokenKind classifies a token.
type tokenKind uint8

const (
	tokenEOF    tokenKind = iota
	tokenName             // name of an opcode, register, variable, label, ...: %r1, $L__BB0_2, add, _
	tokenDot              // directive, type or modifier, with its dot: .global, .shared::cta, .2d
	tokenInt              // integer literal
	tokenF32              // 0fXXXXXXXX
	tokenF64              // 0dXXXXXXXXXXXXXXXX
	tokenReal             // decimal floating-point literal
	tokenString           // string with its quotes
	tokenOp               // operator or punctuation
	tokenBad              // what is no token; the text is the message
	tokenFailed           // never lexed: what the parser sees while it skips a faulty statement
)

// token is one lexical element. Its text is a part of the source.
type token struct {
	kind  tokenKind
	first bool // first token of its line
	start int  // offset of the first byte
	end   int  // offset after the last byte
	pos   Pos
	text  string
}

func (t token) is(text string) bool {
	return t.text == text && (t.kind == tokenOp || t.kind == tokenDot || t.kind == tokenName)
}

// describe names the token in an error message.
func (t token) describe() string {
	const longest = 40
	switch {
	case t.kind == tokenEOF:
		return "end of file"
	case len(t.text) > longest:
		return fmt.Sprintf("%q...", t.text[:longest])
	case t.kind == tokenString:
		return t.text
	}
	return fmt.Sprintf("%q", t.text)
}

// lexer cuts PTX source into tokens. It never fails: what it cannot read is a tokenBad.
type lexer struct {
	src       string
	at        int // offset of the next byte
	line      int
	lineStart int // offset of the first byte of the line
	fresh     bool
}

func newLexer(src string) lexer { return lexer{src: src, line: 1, fresh: true} }

// class holds the character classes of the bytes.
var class = func() (c [256]uint8) {
	for b := range 256 {
		switch {
		case '0' <= b && b <= '9':
			c[b] = classWord | classDigit
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', b == '_', b == '$':
			c[b] = classWord | classStart
		case b == '%':
			c[b] = classStart
		}
	}
	return c
}()

const (
	classWord  = 1 << iota // may follow in a name
	classStart             // may start a name
	classDigit
)

func (l *lexer) peek(n int) byte {
	if l.at+n < len(l.src) {
		return l.src[l.at+n]
	}
	return 0
}

// here returns the position of the byte at offset, which is on the current line.
func (l *lexer) here(offset int) Pos { return Pos{l.line, offset - l.lineStart + 1} }

func (l *lexer) newline() {
	l.line++
	l.lineStart = l.at
	l.fresh = true
}

// next returns the next token.
func (l *lexer) next() token {
	if bad, ok := l.skipBlank(); !ok {
		return bad
	}
	t := token{first: l.fresh, start: l.at, pos: l.here(l.at)}
	l.fresh = false
	if l.at >= len(l.src) {
		t.end = l.at
		return t
	}
	var message string
	t.kind, message = l.scan()
	t.end = l.at
	t.text = l.src[t.start:t.end]
	if message != "" {
		t.kind, t.text = tokenBad, message
	}
	return t
}

// skipBlank skips white space, comments and the line markers of a C preprocessor. It returns false
// and an error token when a comment does not end or a line holds another preprocessor directive.
func (l *lexer) skipBlank() (bad token, ok bool) {
	for l.at < len(l.src) {
		switch c := l.src[l.at]; {
		case c == '\n':
			l.at++
			l.newline()
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			l.at++
		case c == '/' && l.peek(1) == '/':
			l.skipLine()
		case c == '/' && l.peek(1) == '*':
			bad = token{kind: tokenBad, first: l.fresh, start: l.at, pos: l.here(l.at), text: "comment is not closed: expected \"*/\""}
			if !l.skipComment() {
				bad.end = l.at
				return bad, false
			}
		case c == '#' && l.fresh:
			bad = token{kind: tokenBad, first: true, start: l.at, pos: l.here(l.at)}
			bad.text = "preprocessor directives are not expanded: run a C preprocessor first"
			if !l.skipMarker() {
				bad.end = l.at
				return bad, false
			}
		default:
			return token{}, true
		}
	}
	return token{}, true
}

func (l *lexer) skipLine() {
	for l.at < len(l.src) && l.src[l.at] != '\n' {
		l.at++
	}
}

// skipComment skips a /* */ comment and tells whether it ended.
func (l *lexer) skipComment() bool {
	l.at += 2
	for l.at < len(l.src) {
		switch {
		case l.src[l.at] == '*' && l.peek(1) == '/':
			l.at += 2
			return true
		case l.src[l.at] == '\n':
			l.at++
			l.line++
			l.lineStart = l.at
		default:
			l.at++
		}
	}
	return false
}

// skipMarker skips a preprocessor line and tells whether it was a mere line marker (# 1 "file",
// #line 1 "file", #pragma).
func (l *lexer) skipMarker() bool {
	start := l.at + 1
	l.skipLine()
	rest := l.src[start:l.at]
	i := 0
	for i < len(rest) && (rest[i] == ' ' || rest[i] == '\t') {
		i++
	}
	word := i
	for i < len(rest) && class[rest[i]]&classWord != 0 {
		i++
	}
	switch directive := rest[word:i]; directive {
	case "", "line", "pragma", "ident":
		return true
	default:
		return class[directive[0]]&classDigit != 0
	}
}

// scan moves past one token and returns its kind, and a message when it is malformed.
func (l *lexer) scan() (tokenKind, string) {
	c := l.src[l.at]
	switch {
	case class[c]&classStart != 0:
		if c == '%' && class[l.peek(1)]&classWord == 0 {
			break
		}
		l.at++
		l.skipWord()
		return tokenName, ""
	case class[c]&classDigit != 0:
		return l.scanNumber()
	case c == '.':
		next := class[l.peek(1)]
		glued := l.at > 0 && class[l.src[l.at-1]]&classWord != 0
		switch {
		case next&classDigit != 0 && !glued:
			return l.scanNumber()
		case next&classWord != 0:
			l.at++
			l.skipWord()
			for l.peek(0) == ':' && l.peek(1) == ':' && class[l.peek(2)]&classWord != 0 {
				l.at += 2
				l.skipWord()
			}
			return tokenDot, ""
		}
	case c == '"':
		return l.scanString()
	}
	return l.scanOperator()
}

func (l *lexer) skipWord() {
	for l.at < len(l.src) && class[l.src[l.at]]&classWord != 0 {
		l.at++
	}
}

func (l *lexer) scanString() (tokenKind, string) {
	l.at++
	for l.at < len(l.src) {
		switch l.src[l.at] {
		case '"':
			l.at++
			return tokenString, ""
		case '\n':
			return tokenBad, "string is not closed on its line: expected '\"'"
		case '\\':
			if l.peek(1) != '\n' {
				l.at++
			}
		}
		l.at++
	}
	l.at = min(l.at, len(l.src))
	return tokenBad, "string is not closed: expected '\"'"
}

// scanOperator moves past an operator or a character that nothing starts with.
func (l *lexer) scanOperator() (tokenKind, string) {
	c, next := l.src[l.at], l.peek(1)
	switch {
	case c == '<' && (next == '<' || next == '='),
		c == '>' && (next == '>' || next == '='),
		(c == '=' || c == '!') && next == '=',
		(c == '&' || c == '|') && next == c,
		c == '@' && next == '@':
		l.at += 2
		return tokenOp, ""
	}
	l.at++
	switch c {
	case '(', ')', '[', ']', '{', '}', ',', ';', ':', '?', '=', '@', '!', '~', '+', '-', '*', '/', '%', '<', '>', '&', '^', '|':
		return tokenOp, ""
	}
	if c < ' ' || c > '~' {
		return tokenBad, fmt.Sprintf("character 0x%02x does not belong in PTX", c)
	}
	return tokenBad, fmt.Sprintf("character %q does not belong in PTX here", c)
}

// scanNumber moves past a literal: decimal, 0x, 0b or octal integer with optional U, 0f and 0d
// bit patterns, or a decimal floating-point number.
func (l *lexer) scanNumber() (tokenKind, string) {
	start := l.at
	kind, message := tokenInt, ""
	if l.src[l.at] == '0' {
		switch l.peek(1) | 0x20 {
		case 'x':
			return l.scanDigits(2, tokenInt, isHex, "a hexadecimal literal is 0x and hexadecimal digits")
		case 'b':
			return l.scanDigits(2, tokenInt, isBinary, "a binary literal is 0b and digits 0 and 1")
		case 'f':
			return l.scanBits(8, tokenF32, "a single-precision literal is 0f and 8 hexadecimal digits")
		case 'd':
			return l.scanBits(16, tokenF64, "a double-precision literal is 0d and 16 hexadecimal digits")
		}
	}
	l.skipDecimal()
	if l.peek(0) == '.' {
		kind = tokenReal
		l.at++
		l.skipDecimal()
	}
	if l.peek(0)|0x20 == 'e' {
		n := 1
		if sign := l.peek(1); sign == '+' || sign == '-' {
			n = 2
		}
		if class[l.peek(n)]&classDigit != 0 {
			kind = tokenReal
			l.at += n
			l.skipDecimal()
		}
	}
	if kind == tokenInt && l.src[start] == '0' {
		for _, c := range []byte(l.src[start:l.at]) {
			if c > '7' {
				message = "a literal that starts with 0 is octal: digits 0 to 7"
			}
		}
	}
	if kind == tokenInt && l.peek(0) == 'U' {
		l.at++
	}
	if class[l.peek(0)]&classWord != 0 {
		l.skipWord()
		message = "malformed number: expected digits, optionally U, or a decimal fraction"
	}
	return kind, message
}

func (l *lexer) skipDecimal() {
	for l.at < len(l.src) && class[l.src[l.at]]&classDigit != 0 {
		l.at++
	}
}

// scanDigits moves past a prefix, digits of one kind and an optional U.
func (l *lexer) scanDigits(prefix int, kind tokenKind, digit func(byte) bool, want string) (tokenKind, string) {
	l.at += prefix
	start := l.at
	for digit(l.peek(0)) {
		l.at++
	}
	none := l.at == start
	if l.peek(0) == 'U' {
		l.at++
	}
	if none || class[l.peek(0)]&classWord != 0 {
		l.skipWord()
		return kind, "malformed number: " + want
	}
	return kind, ""
}

// scanBits moves past 0f or 0d and the hexadecimal digits of a bit pattern.
func (l *lexer) scanBits(digits int, kind tokenKind, want string) (tokenKind, string) {
	l.at += 2
	start := l.at
	for isHex(l.peek(0)) {
		l.at++
	}
	if l.at-start != digits || class[l.peek(0)]&classWord != 0 {
		l.skipWord()
		return kind, "malformed number: " + want
	}
	return kind, ""
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func isBinary(c byte) bool { return c == '0' || c == '1' }
