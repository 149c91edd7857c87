package isa

import (
	"fmt"
	"strconv"
	"strings"
)

// pattern is a row's Syntax, Mods and Types, parsed.
type pattern struct {
	row    *Row
	opcode string
	mods   []modNode
	// operands holds every list of operands that the optional ones allow, longest first.
	operands [][]operandPattern
	// own is the instruction's own type: a group's name ("type") or a literal (".f32").
	own string
	// known holds every modifier the row accepts somewhere.
	known map[string]bool
}

// modNode is a modifier of the syntax line, or an optional sequence of them.
type modNode struct {
	group    string   // name of the group, "" for a literal
	alts     []string // accepted spellings, with their dots
	optional bool
	seq      []modNode // of an optional sequence; then alts is nil
}

// operandPattern is one operand position.
type operandPattern struct {
	name string
	kind ArgKind
	arg  ArgType
	// pair is the second half of "d|p"; pairOptional that of "d{|p}".
	pair         *operandPattern
	pairOptional bool
	// inner holds what follows the base of an address: "[a, c]".
	inner []operandPattern
}

// ArgType is a word of Row.Types without the operand's name: a type, then flags, each after a colon.
//
// The type is "type" (the instruction's own), "wide" (twice its width), "bits" (the untyped type of its width),
// "pack" (a vector whose elements together have its width), "label", "func", "table", "list", the name
// of a modifier group that chose a type ("dtype"), or a type ("u32"). "*4" makes it a vector of four
// elements, "*vec" one of as many as the group vec chose (.v2), a scalar when it was left out, "*?" one
// of any number (the row's Check looks at Arg.Vector).
//
// The flags are r, w and rw (access), imm (a constant; imm=4|8|16 and imm=0..7 restrict it, also
// for operands that may be registers: const=4|8|16), reg (no constant), wider (a wider register is
// allowed, as for ld, st and cvt), sink (may be "_"), kept (may not, though elements
// of a vector or the other of a pair may), select=kind (may carry a video selector),
// minus (may be written -a), special (may be a special register), narrow (an address of 32 bits) and, last,
// when=.mod (the operand stands exactly when the modifier is written).
type ArgType struct {
	Base     string
	Vector   string
	Access   string
	Imm, Reg bool
	Wider    bool
	Sink     bool
	Kept     bool
	Select   string // kind of video selector allowed, or ""
	Minus    bool
	Special  bool
	When     string // a modifier, or ""
	// Narrow is set for addresses of 32 bits, those in tensor memory.
	Narrow bool
	// Allowed restricts constants when not nil.
	Allowed func(v uint64) bool
	// AllowedText spells Allowed: "4|8|16".
	AllowedText string
	// Each restricts the elements of a vector instead, one after the other: "0..3,0|1".
	Each []ArgType
}

// isVector tells whether the operand may be a vector.
func (t *ArgType) isVector() bool { return t.Vector != "" || t.Base == "pack" }

// ParseArgType parses a word of Row.Types after the operand's name and colon.
func ParseArgType(word string) (ArgType, error) {
	var t ArgType
	word, t.When, _ = strings.Cut(word, ":when=") // a modifier may hold colons
	parts := strings.Split(word, ":")
	t.Base, t.Vector, _ = strings.Cut(parts[0], "*")
	if t.Base == "" {
		return t, fmt.Errorf("%q names no type", word)
	}
	for _, flag := range parts[1:] {
		name, values, restricted := strings.Cut(flag, "=")
		switch name {
		case "r", "w", "rw":
			t.Access = name
		case "imm":
			t.Imm = true
		case "const":
		case "reg":
			t.Reg = true
		case "wider":
			t.Wider = true
		case "sink":
			t.Sink = true
		case "kept":
			t.Kept = true
		case "select":
			t.Select, restricted = values, false
		case "minus":
			t.Minus = true
		case "special":
			t.Special = true
		case "narrow":
			t.Narrow = true
		default:
			return t, fmt.Errorf("unknown flag %q in %q", flag, word)
		}
		if restricted {
			for _, list := range strings.Split(values, ",") {
				allowed, err := parseAllowed(list)
				if err != nil {
					return t, fmt.Errorf("%q: %w", word, err)
				}
				t.Each = append(t.Each, ArgType{Allowed: allowed, AllowedText: list})
			}
			if len(t.Each) == 1 {
				t.Allowed, t.AllowedText, t.Each = t.Each[0].Allowed, t.Each[0].AllowedText, nil
			}
		}
	}
	return t, nil
}

// parseAllowed parses "4|8|16", "0..255", "24..256/8" (every eighth from 24 on) or "x16" (a multiple of 16).
func parseAllowed(s string) (func(uint64) bool, error) {
	if n, ok := strings.CutPrefix(s, "x"); ok {
		m, err := strconv.ParseUint(n, 0, 64)
		if err != nil || m == 0 {
			return nil, fmt.Errorf("bad multiple %q", s)
		}
		return func(v uint64) bool { return v%m == 0 }, nil
	}
	type span struct{ low, high, step int64 }
	var spans []span
	for part := range strings.SplitSeq(s, "|") {
		limits, step, stepped := strings.Cut(part, "/")
		low, high, ranged := strings.Cut(limits, "..")
		if !ranged {
			high = low
		}
		if !stepped {
			step = "1"
		}
		l, err1 := strconv.ParseInt(low, 0, 64)
		h, err2 := strconv.ParseInt(high, 0, 64)
		n, err3 := strconv.ParseInt(step, 0, 64)
		if err1 != nil || err2 != nil || err3 != nil || l > h || n < 1 {
			return nil, fmt.Errorf("bad constants %q", s)
		}
		spans = append(spans, span{l, h, n})
	}
	return func(v uint64) bool {
		for _, s := range spans {
			if n := int64(v); s.low <= n && n <= s.high && (n-s.low)%s.step == 0 {
				return true
			}
		}
		return false
	}, nil
}

// parsePattern parses a row's notation.
func parsePattern(row *Row) (*pattern, error) {
	p := &pattern{row: row, known: map[string]bool{}}
	head, tail, _ := strings.Cut(row.Syntax, " ")
	end := strings.IndexAny(head, ".{")
	if end < 0 {
		end = len(head)
	}
	p.opcode = head[:end]
	mods, rest, err := parseMods(head[end:], row.Mods)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", row.Syntax, err)
	}
	if rest != "" {
		return nil, fmt.Errorf("%s: %q after the modifiers", row.Syntax, rest)
	}
	p.mods = mods
	p.note(mods)

	words := map[string]ArgType{}
	for word := range strings.FieldsSeq(row.Types) {
		name, spec, ok := strings.Cut(word, ":")
		if !ok {
			return nil, fmt.Errorf("%s: type word %q has no colon", row.Syntax, word)
		}
		t, err := ParseArgType(spec)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", row.Syntax, err)
		}
		words[name] = t
	}
	nodes, rest, err := parseOperands(tail)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", row.Syntax, err)
	}
	if rest != "" {
		return nil, fmt.Errorf("%s: %q after the operands", row.Syntax, rest)
	}
	p.operands = expand(nodes)
	for _, list := range p.operands {
		for i := range list {
			list[i].resolve(words, i == 0)
		}
	}
	return p, nil
}

// note collects the modifiers a row knows and finds its own type.
func (p *pattern) note(mods []modNode) {
	for _, n := range mods {
		p.note(n.seq)
		for _, alt := range n.alts {
			p.known[alt] = true
		}
		switch {
		case n.group == "type":
			p.own = "type"
		case n.group == "" && len(n.alts) == 1 && p.own != "type" && ParseType(n.alts[0]) != NoType:
			p.own = n.alts[0]
		}
	}
}

// parseMods parses modifiers up to the end or a closing brace.
func parseMods(s string, groups Mods) (nodes []modNode, rest string, err error) {
	for s != "" && s[0] != '}' {
		switch s[0] {
		case '.':
			end := 1
			for end < len(s) && !strings.ContainsRune(".{}", rune(s[end])) {
				end++
			}
			name := s[1:end]
			node := modNode{alts: []string{s[:end]}}
			if alts, ok := groups[name]; ok {
				node = modNode{group: name, alts: strings.Fields(alts)}
			}
			nodes = append(nodes, node)
			s = s[end:]
		case '{':
			seq, after, err := parseMods(s[1:], groups)
			if err != nil {
				return nil, "", err
			}
			if after == "" || len(seq) == 0 {
				return nil, "", fmt.Errorf("unbalanced or empty braces at %q", s)
			}
			if len(seq) == 1 && seq[0].seq == nil {
				seq[0].optional = true
				nodes = append(nodes, seq[0])
			} else {
				nodes = append(nodes, modNode{seq: seq, optional: true})
			}
			s = after[1:]
		default:
			return nil, "", fmt.Errorf("modifier expected at %q", s)
		}
	}
	return nodes, s, nil
}

// operandNode is an operand of the syntax line, or an optional sequence of them.
type operandNode struct {
	operand operandPattern
	seq     []operandNode // of an optional sequence
}

const operandNameEnd = ",{}|[]() "

// parseOperands parses operands up to the end or a closing bracket.
func parseOperands(s string) (nodes []operandNode, rest string, err error) {
	for s != "" {
		switch {
		case s[0] == ',' || s[0] == ' ':
			s = s[1:]
		case s[0] == '}' || s[0] == ']' || s[0] == ')':
			return nodes, s, nil
		case strings.HasPrefix(s, "{!}"):
			s = s[3:] // predicates may be negated everywhere
		case s[0] == '{':
			seq, after, err := parseOperands(s[1:])
			if err != nil {
				return nil, "", err
			}
			if !strings.HasPrefix(after, "}") || len(seq) == 0 {
				return nil, "", fmt.Errorf("unbalanced or empty braces at %q", s)
			}
			nodes = append(nodes, operandNode{seq: seq})
			s = after[1:]
		case s[0] == '[' || s[0] == '(':
			inner, after, err := parseOperands(s[1:])
			if err != nil {
				return nil, "", err
			}
			closing := map[byte]string{'[': "]", '(': ")"}[s[0]]
			if !strings.HasPrefix(after, closing) || len(inner) == 0 || inner[0].seq != nil {
				return nil, "", fmt.Errorf("unbalanced or empty brackets at %q", s)
			}
			op := operandPattern{name: inner[0].operand.name, kind: ArgAddress}
			if s[0] == '(' {
				op.kind = ArgList
			}
			for _, n := range inner[1:] {
				if n.seq != nil {
					return nil, "", fmt.Errorf("optional part inside brackets at %q", s)
				}
				op.inner = append(op.inner, n.operand)
			}
			nodes = append(nodes, operandNode{operand: op})
			s = after[1:]
		default:
			var op operandPattern
			if op, s, err = parseValue(s); err != nil {
				return nil, "", err
			}
			nodes = append(nodes, operandNode{operand: op})
		}
	}
	return nodes, s, nil
}

// parseValue parses "d", "d|p" or "d{|p}".
func parseValue(s string) (op operandPattern, rest string, err error) {
	name := func() string {
		end := strings.IndexAny(s, operandNameEnd)
		if end < 0 {
			end = len(s)
		}
		n := s[:end]
		s = s[end:]
		return n
	}
	op.name = name()
	switch {
	case op.name == "":
		return op, s, fmt.Errorf("operand expected at %q", s)
	case strings.HasPrefix(s, "|"):
		s = s[1:]
		op.pair = &operandPattern{name: name()}
	case strings.HasPrefix(s, "{|"):
		s = s[2:]
		op.pair, op.pairOptional = &operandPattern{name: name()}, true
		if !strings.HasPrefix(s, "}") {
			return op, s, fmt.Errorf("unbalanced braces at %q", s)
		}
		s = s[1:]
	}
	if op.pair != nil && op.pair.name == "" {
		return op, s, fmt.Errorf("second half of the pair expected at %q", s)
	}
	return op, s, nil
}

// expand returns the operand lists that nodes allow, longest first.
func expand(nodes []operandNode) [][]operandPattern {
	lists := [][]operandPattern{nil}
	for _, n := range nodes {
		ends := [][]operandPattern{{n.operand}}
		if n.seq != nil {
			ends = append(expand(n.seq), nil)
		}
		var longer [][]operandPattern
		for _, end := range ends {
			for _, list := range lists {
				longer = append(longer, append(append([]operandPattern(nil), list...), end...))
			}
		}
		lists = longer
	}
	return lists
}

// resolve gives an operand its type word and its kind. The first operand is written when it is a
// value named d, p or q; the second half of a pair is written like its first.
func (o *operandPattern) resolve(words map[string]ArgType, first bool) {
	word, ok := words[o.name]
	if !ok {
		word.Base = "type"
	}
	switch word.Base {
	case "label":
		o.kind = ArgLabel
	case "func":
		o.kind = ArgFunc
	case "table":
		o.kind = ArgTable
	case "list":
		o.kind = ArgList
	}
	if word.Access == "" {
		word.Access = "r"
		if first && o.kind == ArgValue && (o.name == "d" || o.name == "p" || o.name == "q") {
			word.Access = "w"
		}
	}
	o.arg = word
	for i := range o.inner {
		o.inner[i].resolve(words, false)
	}
	if o.pair != nil {
		pair := *o.pair
		pair.resolve(words, false)
		pair.arg.Access = word.Access
		pair.arg.Sink, o.arg.Sink = !pair.arg.Kept, !word.Kept
		o.pair = &pair
	}
}
