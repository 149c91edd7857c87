package dialect

import (
	"regexp"
	"slices"
)

// qualifiers are the words that make code run on the device: CUDA's, and the macros that stand for them.
type qualifiers map[string]string

const (
	deviceCode = "__device__"
	kernels    = "__global__"
)

// macro is a macro's definition.
type macro struct {
	name   string
	params []string
	body   []token // at their places in the source
}

// definition matches a #define: the name, the parameters and the body.
var definition = regexp.MustCompile(`^#\s*define\s+(\w+)(\([^)]*\))?([^\0]*)`)

// macroOf reads a preprocessor line.
func macroOf(t token) (m macro, ok bool) {
	at := definition.FindStringSubmatchIndex(t.text)
	if t.kind != directive || at == nil {
		return m, false
	}
	m.name = t.text[at[2]:at[3]]
	if at[4] >= 0 {
		for _, p := range lex(t.text[at[4]:at[5]]) {
			m.params = append(m.params, p.text)
		}
	}
	for _, b := range lex(t.text[at[6]:at[7]]) {
		b.start, b.end = b.start+t.start+at[6], b.end+t.start+at[6]
		m.body = append(m.body, b)
	}
	return m, true
}

// add enters the macros that stand for a qualifier.
func (q qualifiers) add(macros []macro) {
	for _, m := range macros {
		for _, w := range m.body {
			if meaning, ok := q[w.text]; ok && w.kind == word && !slices.ContainsFunc(m.body, func(t token) bool { return t.is("{") }) {
				q[m.name] = meaning
			}
		}
	}
}

// used adds to the names that stand in device code those that stand in the bodies of their macros.
func used(names map[string]bool, macros []macro) {
	for grown := true; grown; {
		grown = false
		for _, m := range macros {
			if !names[m.name] {
				continue
			}
			for _, w := range m.body {
				if w.kind == word && !names[w.text] {
					names[w.text], grown = true, true
				}
			}
		}
	}
}

// site is a launch from device code: indices of tokens.
type site struct {
	callee     int  // the kernel's name
	param      bool // which is a parameter of a macro
	open       int  // <<<
	close      int  // >>>
	arguments  int  // (
	noArgument bool
}

// scanner finds kernels and launches from device code in the tokens of a source.
type scanner struct {
	tokens     []token
	qualifiers qualifiers
	kernels    []kernel
	sites      []site
	names      map[string]bool // words of device code
	addresses  []int           // words in the arguments of calls that take kernels
}

// takeKernels are the calls of the device runtime that take the address of a kernel.
var takeKernels = map[string]bool{
	"cudaGetParameterBufferV2": true, "cudaLaunchDevice": true, "cudaFuncGetAttributes": true,
	"cudaOccupancyMaxActiveBlocksPerMultiprocessor": true, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": true,
}

// place is what the scanner knows of where it is.
type place struct {
	braces     []brace // those that are open
	device     bool    // a qualifier was seen, whose body has not begun
	start      int     // the first token of the declaration
	conditions []place // at each open #if
}

// brace is what an open brace holds.
type brace struct {
	device bool // code that runs on the device
	block  bool // or a class: what is not of a namespace
}

// inside returns what the innermost open brace holds.
func (p *place) inside() brace {
	if len(p.braces) == 0 {
		return brace{}
	}
	return p.braces[len(p.braces)-1]
}

func (p *place) onDevice() bool { return p.inside().device }

// ofNamespace tells whether the brace at a token, of what begins at another, opens a namespace or a linkage.
func (s *scanner) ofNamespace(start, open int) bool {
	if s.at(start).is("extern") {
		return s.at(start+1).kind == literal && start+2 == open
	}
	return s.at(start).is("namespace") || s.at(start).is("inline") && s.at(start+1).is("namespace")
}

func (s *scanner) scan() {
	var at place
	parens := 0
	for i, t := range s.tokens {
		switch {
		case t.kind == directive:
			at.condition(t.text)
			if !at.device && parens == 0 {
				at.start = i + 1
			}
		case t.kind == word:
			if at.onDevice() {
				s.names[t.text] = true
			}
			if takeKernels[t.text] && at.onDevice() && s.at(i+1).is("(") {
				s.addressesIn(i + 1)
			}
			meaning := s.qualifiers[t.text]
			if meaning == "" {
				break
			}
			if in := at.inside(); meaning == kernels && (in.device || !in.block) {
				if k, ok := s.kernelAt(at.start, i); ok {
					k.block = in.block
					s.kernels = append(s.kernels, k)
				}
			}
			at.device = true
		case t.is("("):
			parens++
		case t.is(")"):
			parens--
		case t.is("{"):
			at.braces = append(at.braces, brace{at.device || at.onDevice(), at.inside().block || !s.ofNamespace(at.start, i)})
			at.device = false
			at.start = i + 1
		case t.is("}"):
			was := at.onDevice()
			if n := len(at.braces); n > 0 {
				at.braces = at.braces[:n-1]
			}
			// After the braces of a member's initialiser, the body is still to come.
			next := s.at(i + 1)
			at.device = was && !at.onDevice() && (next.is("{") || next.is(",") && parens == 0)
			if !at.device {
				at.start = i + 1
			}
		case t.is(";"):
			if parens <= 0 || len(at.braces) == 0 {
				at.device = false
				parens = 0
			}
			at.start = i + 1
		case t.is("<<<") && at.onDevice():
			if l, ok := s.siteAt(i); ok {
				s.sites = append(s.sites, l)
			}
		}
	}
}

// addressesIn notes the words in the parenthesis at a token.
func (s *scanner) addressesIn(open int) {
	close, _ := s.closeOf(open)
	for i := open + 1; i < close; i++ {
		if s.tokens[i].kind == word {
			s.addresses = append(s.addresses, i)
		}
	}
}

// conditional matches a directive that begins, changes or ends what is compiled on a condition.
var conditional = regexp.MustCompile(`^#\s*(if|elif|else|endif)`)

// condition follows the preprocessor: each branch of a condition begins in the place where the first does.
func (p *place) condition(text string) {
	m := conditional.FindStringSubmatch(text)
	n := len(p.conditions)
	switch {
	case m == nil:
	case m[1] == "if":
		p.conditions = append(p.conditions, place{braces: slices.Clone(p.braces), device: p.device, start: p.start})
	case n == 0:
	case m[1] == "endif":
		p.conditions = p.conditions[:n-1]
	default:
		p.braces, p.device, p.start = slices.Clone(p.conditions[n-1].braces), p.conditions[n-1].device, p.conditions[n-1].start
	}
}

// at returns a token, one that is nothing beyond the ends.
func (s *scanner) at(i int) token {
	if i < 0 || i >= len(s.tokens) {
		return token{kind: directive}
	}
	return s.tokens[i]
}

// siteAt takes the launch at <<< apart.
func (s *scanner) siteAt(open int) (l site, ok bool) {
	l = site{open: open, callee: open - 1}
	if s.at(l.callee).is(">") || s.at(l.callee).is(">>>") {
		l.callee = s.beforeAngle(l.callee)
	}
	if s.at(l.callee).kind != word {
		return l, false
	}
	depth := 0
	for i := open + 1; i < len(s.tokens); i++ {
		switch t := s.tokens[i]; {
		case t.is("(") || t.is("[") || t.is("{"):
			depth++
		case t.is(")") || t.is("]") || t.is("}"):
			depth--
		case t.is(";") || t.kind == directive || depth < 0:
			return l, false
		case t.is(">>>") && depth == 0 && s.at(i+1).is("("):
			l.close, l.arguments = i, i+1
			l.noArgument = s.at(i + 2).is(")")
			return l, true
		}
	}
	return l, false
}

// angles returns by how much a token opens angle brackets, negative when it closes them.
func angles(t token) int {
	switch {
	case t.is("<"):
		return 1
	case t.is(">"):
		return -1
	case t.is(">>>"):
		return -3
	}
	return 0
}

// beforeAngle returns the token before the < that the > at close belongs to.
func (s *scanner) beforeAngle(close int) int {
	depth := 0
	for i := close; i >= 0; i-- {
		t := s.tokens[i]
		if t.is(")") {
			i = s.openOf(i)
			continue
		}
		depth -= angles(t)
		if depth == 0 {
			return i - 1
		}
		if t.is(";") || t.is("{") || t.kind == directive {
			break
		}
	}
	return -1
}

// openOf returns the ( of the ) at i.
func (s *scanner) openOf(i int) int {
	for depth := 0; i >= 0; i-- {
		switch {
		case s.tokens[i].is(")"):
			depth++
		case s.tokens[i].is("("):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

// closeOf returns the token that closes the bracket, brace or angle at i; ok is false when there is none.
func (s *scanner) closeOf(i int) (int, bool) {
	switch {
	case s.at(i).is("<"):
		depth := 0
		for ; i < len(s.tokens); i++ {
			if t := s.tokens[i]; t.is("(") || t.is("{") {
				end, ok := s.closeOf(i)
				if !ok {
					return 0, false
				}
				i = end
				continue
			}
			if depth += angles(s.tokens[i]); depth <= 0 {
				return i, true
			}
		}
		return 0, false
	}
	depth := 0
	for ; i < len(s.tokens); i++ {
		switch t := s.tokens[i]; {
		case t.is("(") || t.is("[") || t.is("{"):
			depth++
		case t.is("[["):
			depth += 2
		case t.is("]]"):
			depth -= 2
		case t.is(")") || t.is("]") || t.is("}"):
			depth--
		}
		if depth <= 0 {
			return i, true
		}
	}
	return 0, false
}
