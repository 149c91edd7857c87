package isa

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// instruction is one instruction line of a PTX file, with the shapes of its operands.
type instruction struct {
	text     string
	guard    string // "@%p" as written, "" when unguarded
	opcode   string
	mods     []string
	operands []Shape
	args     []string // the operands as written
}

// source reads instructions out of PTX text: enough of the language for recorded files, which are known
// to be right. The real parser, package ptx, imports this one.
type source struct {
	ctx     Context
	types   map[string]Type      // registers
	vectors map[string]int       // registers declared .v2 or .v4
	kinds   map[string]ShapeKind // variables, parameters, labels, functions, tables
	insts   []instruction
}

var (
	comments   = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	strayLoc   = regexp.MustCompile(`(?m)^\s*\.(loc|file)\b.*$`)
	strings_   = regexp.MustCompile(`"[^"\n]*"`)
	labelHead  = regexp.MustCompile(`^([\w$]+)\s*:\s*`)
	declName   = regexp.MustCompile(`([%\w$]+)(<\d+>)?\s*(\[[^]]*\])*\s*(=.*)?$`)
	vectorWord = regexp.MustCompile(`\.v([24])\s`)
	typeWord   = regexp.MustCompile(`\.(v[24]\s+\.)?([a-z]\w*)`)
)

// readSource reads PTX text.
func readSource(text string) *source {
	s := &source{types: map[string]Type{}, vectors: map[string]int{}, kinds: map[string]ShapeKind{}}
	text = strings_.ReplaceAllString(strayLoc.ReplaceAllString(comments.ReplaceAllString(text, ""), ""), `""`)
	for _, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		switch {
		case len(f) == 2 && f[0] == ".version":
			s.ctx.PTX, _ = strconv.Atoi(strings.Replace(f[1], ".", "", 1))
		case len(f) >= 2 && f[0] == ".target":
			target := strings.TrimPrefix(strings.TrimSuffix(f[1], ","), "sm_")
			s.ctx.Arch = strings.TrimLeft(target, "0123456789")
			s.ctx.SM, _ = strconv.Atoi(strings.TrimRight(target, "af"))
		}
	}
	// Two passes: labels and functions are used before they are declared.
	statements := splitStatements(text)
	for _, st := range statements {
		s.declare(st)
	}
	for _, st := range statements {
		s.statement(st)
	}
	return s
}

// splitStatements cuts text at semicolons and at the braces of scopes, keeping vectors whole.
func splitStatements(text string) []string {
	var out []string
	start, depth := 0, 0
	emit := func(end int) {
		if st := strings.TrimSpace(text[start:end]); st != "" {
			out = append(out, st)
		}
		start = end + 1
	}
	for i := 0; i < len(text); i++ {
		head := strings.TrimSpace(text[start:i])
		switch c := text[i]; {
		case c == ';':
			emit(i)
			depth = 0
		case c == '{' && depth == 0 && (head == "" || labelHead.ReplaceAllString(head, "") == "" || isFunction(head)):
			emit(i)
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == '}':
			emit(i)
		}
	}
	return out
}

func isFunction(head string) bool {
	return head[0] == '.' && (strings.Contains(head, ".entry") || strings.Contains(head, ".func"))
}

// declare notes the labels, functions, tables and module variables of a statement.
func (s *source) declare(st string) {
	for m := labelHead.FindStringSubmatch(st); m != nil; m = labelHead.FindStringSubmatch(st) {
		st = st[len(m[0]):]
		s.kinds[m[1]] = ShapeLabel
		if strings.HasPrefix(st, ".call") || strings.HasPrefix(st, ".branch") {
			s.kinds[m[1]] = ShapeTable
		}
	}
	if st != "" && isFunction(st) {
		body := st[strings.LastIndex(st, ".entry")+strings.LastIndex(st, ".func")+1:]
		body = body[strings.IndexAny(body, " \t\n(")+1:]
		if strings.HasPrefix(strings.TrimSpace(body), "(") {
			body = body[strings.Index(body, ")")+1:]
		}
		name, _, _ := strings.Cut(strings.TrimSpace(body), "(")
		s.kinds[strings.Fields(name)[0]] = ShapeFunc
	} else if strings.HasPrefix(st, ".") && !strings.HasPrefix(st, ".reg") && !strings.HasPrefix(st, ".alias") {
		s.variables(st)
	}
}

// variables notes what a declaration such as ".shared .align 4 .b8 a[4], b" declares.
func (s *source) variables(decl string) {
	decl, _, _ = strings.Cut(decl, "=")
	last := NoType
	for _, m := range typeWord.FindAllStringSubmatch(decl, -1) {
		if t := ParseType(m[2]); t != NoType {
			last = t
		}
	}
	for _, part := range strings.Split(decl, ",") {
		m := declName.FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			continue
		}
		switch {
		case strings.HasPrefix(decl, ".reg") && m[2] != "":
			n, _ := strconv.Atoi(m[2][1 : len(m[2])-1])
			for i := range n {
				s.types[m[1]+strconv.Itoa(i)] = last
			}
		case strings.HasPrefix(decl, ".reg"):
			s.types[m[1]] = last
			if v := vectorWord.FindStringSubmatch(decl); v != nil {
				s.vectors[m[1]], _ = strconv.Atoi(v[1])
			}
		case strings.HasPrefix(decl, ".param"):
			s.kinds[m[1]] = ShapeParam
		default:
			s.kinds[m[1]] = ShapeVariable
		}
	}
}

// statement reads declarations of a body and appends instructions.
func (s *source) statement(st string) {
	for m := labelHead.FindStringSubmatch(st); m != nil; m = labelHead.FindStringSubmatch(st) {
		st = st[len(m[0]):]
	}
	switch {
	case st == "":
	case isFunction(st):
		for _, p := range regexp.MustCompile(`\.(param|reg)[^,()]*`).FindAllString(st, -1) {
			s.variables(strings.TrimSpace(p))
		}
	case st[0] == '.' && !strings.HasPrefix(st, ".alias"):
		s.variables(st)
	case st[0] == '.':
	default:
		s.instruction(st)
	}
}

func (s *source) instruction(st string) {
	in := instruction{text: st}
	if st[0] == '@' {
		in.guard, st, _ = strings.Cut(st, " ")
		st = strings.TrimSpace(st)
	}
	head, rest := st, ""
	if i := strings.IndexAny(st, " \t\n{[("); i >= 0 {
		head, rest = st[:i], strings.TrimSpace(st[i:])
	}
	parts := strings.Split(head, ".")
	in.opcode = parts[0]
	for _, m := range parts[1:] {
		in.mods = append(in.mods, "."+m)
	}
	in.args = splitArgs(rest)
	for _, a := range in.args {
		in.operands = append(in.operands, s.shape(a))
	}
	s.insts = append(s.insts, in)
}

// splitArgs cuts at the commas outside brackets.
func splitArgs(text string) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) || text[i] == ',' && depth == 0:
			if a := strings.TrimSpace(text[start:i]); a != "" {
				out = append(out, a)
			}
			start = i + 1
		case strings.IndexByte("[{(", text[i]) >= 0:
			depth++
		case strings.IndexByte("]})", text[i]) >= 0:
			depth--
		}
	}
	return out
}

func (s *source) shapes(texts []string) []Shape {
	var out []Shape
	for _, t := range texts {
		out = append(out, s.shape(t))
	}
	return out
}

func (s *source) shape(a string) Shape {
	if i := strings.IndexByte(a, '|'); i > 0 {
		return Shape{Kind: ShapePair, Elems: s.shapes([]string{a[:i], a[i+1:]})}
	}
	switch inner := a[1:max(1, len(a)-1)]; a[0] {
	case '[':
		parts := splitArgs(inner)
		base, _, _ := strings.Cut(parts[0], "+")
		return Shape{Kind: ShapeAddress, Type: s.types[strings.TrimSpace(base)], Elems: s.shapes(parts[1:])}
	case '{':
		return Shape{Kind: ShapeVector, Elems: s.shapes(splitArgs(inner))}
	case '(':
		return Shape{Kind: ShapeList, Elems: s.shapes(splitArgs(inner))}
	case '!':
		sh := s.shape(a[1:])
		sh.Negated = true
		return sh
	}
	if a == "_" {
		return Shape{Kind: ShapeSink}
	}
	if len(a) > 2 && a[0] == '0' && strings.ContainsRune("fFdD", rune(a[1])) {
		v, _ := strconv.ParseUint(a[2:], 16, 64)
		if len(a) == 10 {
			return Shape{Kind: ShapeFloat, Type: F32, Value: v}
		}
		return Shape{Kind: ShapeFloat, Type: F64, Value: v}
	}
	if strings.HasPrefix(a, "-%") {
		sh := s.shape(a[1:])
		sh.Minus = true
		return sh
	}
	if a[0] == '-' || a[0] >= '0' && a[0] <= '9' {
		a = strings.TrimSuffix(a, "U")
		if v, err := strconv.ParseInt(a, 0, 64); err == nil {
			return Shape{Kind: ShapeInteger, Type: S64, Value: uint64(v)}
		}
		if v, err := strconv.ParseUint(a, 0, 64); err == nil {
			return Shape{Kind: ShapeInteger, Type: U64, Value: v}
		}
		v, _ := strconv.ParseFloat(a, 64)
		return Shape{Kind: ShapeFloat, Type: F64, Value: math.Float64bits(v)}
	}
	base, component, _ := strings.Cut(a, ".")
	if t, ok := s.types[base]; ok {
		sh := Shape{Kind: ShapeRegister, Type: t}
		switch n := s.vectors[base]; {
		case n > 0 && component == "":
			return Shape{Kind: ShapeVector, Elems: slices.Repeat([]Shape{sh}, n)}
		case n == 0 && component != "":
			sh.Select = "." + component
		}
		return sh
	}
	if a[0] == '%' {
		r, _ := Special(a)
		sh := Shape{Kind: ShapeSpecial, Type: r.Type}
		if r.Vector && component == "" {
			return Shape{Kind: ShapeVector, Elems: []Shape{sh, sh, sh, sh}}
		}
		return sh
	}
	base, _, _ = strings.Cut(a, "+")
	kind, ok := s.kinds[strings.TrimSpace(base)]
	if !ok {
		kind = ShapeVariable
	}
	return Shape{Kind: kind}
}

// sharedFiles lists files beside the project that tests read; they must be there.
func sharedFiles(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files match ../shared/%s: the recorded data is missing", pattern)
	}
	return files
}

func readShared(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
