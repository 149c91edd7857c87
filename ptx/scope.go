package ptx

import (
	"fmt"
	"strings"

	"silica/internal/isa"
)

// scope holds the names declared in a module, in a function's head, or in a block.
type scope struct {
	parent *scope
	names  map[string]*Symbol
	// labels holds labels, tables and prototypes, which may be used before they stand.
	labels map[string]*Symbol
	// sets holds the parameterised variables %r<N> by prefix.
	sets map[string]*Symbol
	// outer remembers the names found in the scopes around this one.
	outer map[string]*Symbol
	// numbered holds the first single variable of each name that a set of the prefix would declare.
	numbered map[string][]numbered
}

// numbered is a variable whose name is a set's prefix and an index.
type numbered struct {
	index int
	sym   *Symbol
}

func newScope(parent *scope) *scope { return &scope{parent: parent} }

// put adds a key to a map that is made when first needed.
func put[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = make(map[string]V)
	}
	(*m)[key] = value
}

// splits calls yield for each way to read a name as the prefix and index of a parameterised
// variable: "%r12" is %r<13> and %r1<3>, but "%r02" is only %r0<3>.
func splits(name string, yield func(prefix string, index int) (more bool)) {
	const longest = 10 // digits: those of the largest register count
	index, unit := 0, 1
	for i := len(name) - 1; i > 0 && i >= len(name)-longest; i-- {
		c := name[i]
		if c < '0' || c > '9' {
			return
		}
		index += int(c-'0') * unit
		unit *= 10
		if c == '0' && i < len(name)-1 {
			continue
		}
		if !yield(name[:i], index) {
			return
		}
	}
}

// find returns the symbol of a name in this scope alone.
func (s *scope) find(name string) *Symbol {
	if sym := s.names[name]; sym != nil {
		return sym
	}
	if len(s.sets) > 0 {
		if sym := s.member(name); sym != nil {
			put(&s.names, name, sym)
			return sym
		}
	}
	return s.labels[name]
}

// member makes the symbol of an element of a parameterised variable.
func (s *scope) member(name string) (member *Symbol) {
	splits(name, func(prefix string, index int) bool {
		if set := s.sets[prefix]; set != nil && index < set.Var.Count {
			member = &Symbol{Name: name, Kind: set.Kind, Var: set.Var, Index: index}
		}
		return member == nil
	})
	return member
}

// resolve returns the symbol that a name stands for, from the innermost scope outwards. What the
// outer scopes hold does not change while an inner one is open.
func (s *scope) resolve(name string) *Symbol {
	if sym := s.find(name); sym != nil || s.parent == nil {
		return sym
	}
	if sym := s.outer[name]; sym != nil {
		return sym
	}
	sym := s.parent.resolve(name)
	if sym != nil {
		put(&s.outer, name, sym)
	}
	return sym
}

// declare adds a variable and returns the one of this scope that has the name already, if any.
func (s *scope) declare(sym *Symbol) (other *Symbol) {
	v := sym.Var
	if v != nil && v.Count > 0 {
		return s.declareSet(sym)
	}
	if other = s.find(sym.Name); other != nil {
		return other
	}
	put(&s.names, sym.Name, sym)
	splits(sym.Name, func(prefix string, index int) bool {
		put(&s.numbered, prefix, append(s.numbered[prefix], numbered{index, sym}))
		return true
	})
	return nil
}

func (s *scope) declareSet(sym *Symbol) (other *Symbol) {
	if other = s.sets[sym.Name]; other != nil {
		return other
	}
	for _, n := range s.numbered[sym.Name] {
		if n.index < sym.Var.Count {
			return n.sym
		}
	}
	if other = s.member(sym.Name + "0"); other != nil {
		return other
	}
	put(&s.sets, sym.Name, sym)
	return nil
}

// suggestion finds the declared name most like an unknown one and words it for the end of a message.
func (s *scope) suggestion(name string) string {
	var names []string
	for at := s; at != nil; at = at.parent {
		names = append(append(names, mapKeys(at.names)...), mapKeys(at.labels)...)
		for _, prefix := range mapKeys(at.sets) {
			rest, ok := strings.CutPrefix(name, prefix)
			if ok && rest != "" && strings.Trim(rest, "0123456789") == "" {
				return fmt.Sprintf(": %s<%d> ends at %s%d", prefix, at.sets[prefix].Var.Count, prefix, at.sets[prefix].Var.Count-1)
			}
		}
	}
	return suggest(name, names)
}

func mapKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}

// suggest words the candidate that is most like the name, or nothing when none is like it.
func suggest(name string, candidates []string) string {
	const shortest, longest = 3, 64
	if len(name) < shortest || len(name) > longest {
		return ""
	}
	best, bestDistance := "", 1+min(len(name)/3, 3)
	for _, candidate := range candidates {
		if d := len(candidate) - len(name); d > bestDistance || -d > bestDistance {
			continue
		}
		d := editDistance(name, candidate)
		if d < bestDistance || d == bestDistance && best != "" && candidate < best {
			best, bestDistance = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return "; is " + best + " meant?"
}

// editDistance returns the number of characters to insert, delete or replace to get from a to b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// describe names what a symbol is, with its place, for messages.
func (s *Symbol) describe() string {
	switch s.Kind {
	case SymRegister:
		return fmt.Sprintf("register of type .%s", s.Var.Type)
	case SymSpecial:
		return "special register"
	case SymVariable:
		return fmt.Sprintf("variable in .%s", s.Var.Space)
	case SymParam:
		return "parameter"
	case SymLabel:
		return "label"
	case SymFunc:
		return "function"
	case SymTable:
		return "table of targets"
	}
	return "sink"
}

// pos returns where the symbol is declared.
func (s *Symbol) pos() Pos {
	switch {
	case s.Var != nil:
		return s.Var.Pos
	case s.Func != nil:
		return s.Func.Pos
	case s.Label != nil:
		return s.Label.Pos
	case s.Table != nil:
		return s.Table.stmtPos()
	}
	return Pos{}
}

// symbolOf makes the symbol of a variable.
func symbolOf(v *Variable) *Symbol {
	sym := &Symbol{Name: v.Name, Kind: SymVariable, Var: v}
	switch v.Space {
	case isa.Reg:
		sym.Kind = SymRegister
	case isa.ParamEntry, isa.ParamFunc:
		sym.Kind = SymParam
	}
	return sym
}
