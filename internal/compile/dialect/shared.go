package dialect

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Variable is a variable of shared memory whose constructor does something. nvcc accepts it and leaves the constructor out: shared
// memory has no initial contents. clang refuses it.
type Variable struct {
	File string // absolute
	Line int
	Name string
}

var (
	colour     = regexp.MustCompile("\x1b\\[[0-9;]*[mK]")
	refused    = regexp.MustCompile(`(?m)^(.+?):(\d+):(\d+): error: initialization is not supported for __shared__ variables\n *\d+ \| (.*)$`)
	identifier = regexp.MustCompile(`^\w+`)
)

// Refused returns the variables that clang refuses in its messages. resolve makes absolute names of those in messages.
func Refused(messages string, resolve func(name string) string) (all []Variable) {
	for _, m := range refused.FindAllStringSubmatch(colour.ReplaceAllString(messages, ""), -1) {
		line, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		if column < 1 || column > len(m[4]) {
			continue
		}
		if name := identifier.FindString(m[4][column-1:]); name != "" {
			all = append(all, Variable{resolve(m[1]), line, name})
		}
	}
	return all
}

// uninitialized makes variables members of unions, which have no initializers: include/silica/shared.h. Uses become those of the
// member; in macros, of a reference to it.
func uninitialized(file, source string, tokens []token, variables []Variable) (edits []edit) {
	done := map[int]bool{}
	for _, v := range variables {
		if v.File != file {
			continue
		}
		for i, t := range tokens {
			if !t.is(v.Name) || 1+strings.Count(source[:t.start], "\n") != v.Line {
				continue
			}
			if d, ok := declarationAt(tokens, i); ok && !done[d.start] {
				done[d.start] = true
				edits = append(edits, d.edit(source))
				edits = append(edits, d.uses()...)
			}
		}
	}
	return edits
}

// A declaration is one of variables of shared memory: indices of tokens.
type declaration struct {
	tokens     []token
	start, end int // end is the semicolon
	qualifiers []token
	typ        []token
	variables  []declarator
}

type declarator struct {
	name   string
	extent []token // of an array, with its brackets
}

// withParenthesis are the qualifiers that have arguments.
var withParenthesis = []string{"alignas", "__align__", "__attribute__", "__builtin_align__"}

// declarationAt takes the declaration apart that declares the name at a token. It declines what is none of shared memory, and
// what has pointers, references or initializers.
func declarationAt(tokens []token, at int) (d declaration, ok bool) {
	s := &scanner{tokens: tokens}
	d.tokens = tokens
	boundary := func(t token) bool { return t.is(";") || t.is("{") || t.is("}") || t.kind == directive }
	for d.start = at; d.start > 0 && !boundary(tokens[d.start-1]); d.start-- {
	}
	for d.end = at; d.end < len(tokens) && !tokens[d.end].is(";"); d.end++ {
		if boundary(tokens[d.end]) {
			return d, false
		}
	}
	shared := false
	parts := [][]token{nil}
	for i := d.start; i < d.end; i++ {
		t := tokens[i]
		last := &parts[len(parts)-1]
		switch {
		case t.is(","):
			parts = append(parts, nil)
		case t.is("="):
			return d, false
		case len(parts) == 1 && (t.is("__shared__") || t.is("static") || t.is("[[") || slices.Contains(withParenthesis, t.text)):
			shared = shared || t.is("__shared__")
			end := i
			if t.is("[[") {
				end, _ = s.closeOf(i)
			} else if slices.Contains(withParenthesis, t.text) {
				end, _ = s.closeOf(i + 1)
			}
			if q := tokens[i : max(i, end)+1]; t.is("alignas") || t.is("[[") { // which C++ wants first
				d.qualifiers = slices.Concat(q, d.qualifiers)
			} else {
				d.qualifiers = append(d.qualifiers, q...)
			}
			i = max(i, end)
		case t.is("(") || t.is("[") || t.is("<") && len(parts) == 1:
			end, closed := s.closeOf(i)
			if !closed || end >= d.end {
				return d, false
			}
			*last = append(*last, tokens[i:end+1]...)
			i = end
		default:
			*last = append(*last, t)
		}
	}
	for _, p := range parts {
		name := slices.IndexFunc(p, func(t token) bool { return t.is("[") }) - 1
		if name < 0 {
			name = len(p) - 1
		}
		if name < 0 || p[name].kind != word || d.typ != nil && name != 0 {
			return d, false
		}
		if d.typ == nil {
			d.typ = p[:name]
		}
		d.variables = append(d.variables, declarator{p[name].text, p[name+1:]})
	}
	return d, shared && len(d.typ) > 0 && !d.typ[len(d.typ)-1].is("*") && !d.typ[len(d.typ)-1].is("&")
}

// beforeUses are the words that stand before an expression; what follows another word is a declaration.
var beforeUses = []string{"return", "case", "else", "do", "throw", "delete", "sizeof", "alignof", "typeid", "and", "or", "not", "xor", "in", "co_return", "co_yield"}

// uses renames the variables in the rest of their block, except where they are members of something or another variable begins.
func (d *declaration) uses() (edits []edit) {
	depth := 0
	for i := d.end + 1; i < len(d.tokens); i++ {
		t, before := d.tokens[i], d.tokens[i-1]
		switch {
		case t.is("{"):
			depth++
		case t.is("}"):
			depth--
		}
		if depth < 0 {
			break
		}
		named := slices.ContainsFunc(d.variables, func(v declarator) bool { return t.is(v.name) })
		other := i+1 < len(d.tokens) && d.tokens[i+1].is("::") || before.is(".") || before.is("->") || before.is("::") || before.kind == word && !slices.Contains(beforeUses, before.text)
		if named && !other {
			edits = append(edits, edit{t.end, t.end, "$shared.object"})
		}
	}
	return edits
}

// edit replaces the declaration, in the lines that it has.
func (d *declaration) edit(source string) edit {
	var b strings.Builder
	for _, v := range d.variables {
		object := v.name + "$shared"
		b.WriteString(join(d.qualifiers) + " ::silica::shared_object<" + join(append(slices.Clone(d.typ), v.extent...)) + "> " + object + "; ")
		b.WriteString("auto &" + v.name + " = " + object + ".object; ")
	}
	from, to := d.tokens[d.start].start, d.tokens[d.end].end
	b.WriteString(strings.Repeat("\n", strings.Count(source[from:to], "\n")))
	return edit{from, to, b.String()}
}
