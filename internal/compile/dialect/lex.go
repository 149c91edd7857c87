package dialect

import "strings"

// kind is the kind of a token.
type kind uint8

const (
	punctuation kind = iota // one character, or <<< >>> :: ... && || -> [[ ]]
	word                    // identifier, keyword
	literal                 // number, string, character
	directive               // a preprocessor line, with its continuations
)

// token is a token of C++: text[start:end].
type token struct {
	kind       kind
	text       string
	start, end int
}

func (t token) is(text string) bool { return t.text == text && t.kind != literal }

// lex returns the tokens of a source, without comments. What is not closed ends with the source.
func lex(source string) (tokens []token) {
	lineStart := true
	for i := 0; i < len(source); {
		start := i
		k := punctuation
		switch c := source[i]; {
		case c == '\n':
			lineStart = true
			i++
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f':
			i++
			continue
		case strings.HasPrefix(source[i:], "\\\n"):
			i += 2
			continue
		case strings.HasPrefix(source[i:], "//"):
			i = endOfLine(source, i)
			continue
		case strings.HasPrefix(source[i:], "/*"):
			i = after(source, i+2, "*/")
			continue
		case c == '#' && lineStart:
			i = endOfDirective(source, i)
			k = directive
		case c == '"' || c == '\'':
			i = endOfQuoted(source, i)
			k = literal
		case isLetter(c):
			for i < len(source) && (isLetter(source[i]) || isDigit(source[i])) {
				i++
			}
			k = word
			if i < len(source) && (source[i] == '"' || source[i] == '\'') && isPrefix(source[start:i]) {
				k = literal
				if strings.HasSuffix(source[start:i], "R") {
					i = endOfRaw(source, i)
				} else {
					i = endOfQuoted(source, i)
				}
			}
		case isDigit(c) || c == '.' && i+1 < len(source) && isDigit(source[i+1]):
			i = endOfNumber(source, i)
			k = literal
		default:
			i += lengthOfPunctuation(source[i:])
		}
		lineStart = false
		tokens = append(tokens, token{k, source[start:i], start, i})
	}
	return tokens
}

// longPunctuation is what the rest of the package wants to see as one token.
var longPunctuation = []string{"<<<", ">>>", "...", "::", "&&", "||", "->", "[[", "]]"}

func lengthOfPunctuation(s string) int {
	for _, p := range longPunctuation {
		if strings.HasPrefix(s, p) {
			return len(p)
		}
	}
	return 1
}

func isLetter(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isPrefix tells whether a word before a quote belongs to the literal.
func isPrefix(s string) bool {
	switch s {
	case "R", "L", "u", "U", "u8", "LR", "uR", "UR", "u8R":
		return true
	}
	return false
}

// after returns the place after the next end, the end of the source when there is none.
func after(source string, i int, end string) int {
	if at := strings.Index(source[min(i, len(source)):], end); at >= 0 {
		return i + at + len(end)
	}
	return len(source)
}

// endOfLine returns the place of the line's end.
func endOfLine(source string, i int) int {
	if at := strings.IndexByte(source[i:], '\n'); at >= 0 {
		return i + at
	}
	return len(source)
}

// endOfDirective returns the end of a preprocessor line, which a backslash continues, as does a comment.
func endOfDirective(source string, i int) int {
	for i < len(source) {
		switch {
		case strings.HasPrefix(source[i:], "/*"):
			i = after(source, i+2, "*/")
		case strings.HasPrefix(source[i:], "//"):
			return endOfLine(source, i)
		case strings.HasPrefix(source[i:], "\\\r\n"):
			i += 3
		case strings.HasPrefix(source[i:], "\\\n"):
			i += 2
		case source[i] == '\n':
			return i
		case source[i] == '"':
			i = endOfQuoted(source, i)
		default:
			i++
		}
	}
	return i
}

// endOfQuoted returns the end of a literal between quotes, which ends with its line at the latest.
func endOfQuoted(source string, i int) int {
	quote := source[i]
	for i++; i < len(source); i++ {
		switch source[i] {
		case quote:
			return i + 1
		case '\n':
			return i
		case '\\':
			i++
		}
	}
	return len(source)
}

// endOfRaw returns the end of R"delimiter(...)delimiter".
func endOfRaw(source string, i int) int {
	open := strings.IndexByte(source[i:], '(')
	if open < 0 {
		return len(source)
	}
	return after(source, i+open, ")"+source[i+1:i+open]+`"`)
}

func endOfNumber(source string, i int) int {
	for ; i < len(source); i++ {
		c := source[i]
		exponent := (c == '+' || c == '-') && strings.IndexByte("eEpP", source[i-1]) >= 0
		if !isLetter(c) && !isDigit(c) && c != '.' && c != '\'' && !exponent {
			break
		}
	}
	return i
}
