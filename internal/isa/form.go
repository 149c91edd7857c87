package isa

// Form is a row with its modifiers chosen and its operands typed: what an instruction in a
// program is. Forms are immutable and may be shared.
type Form struct {
	Row *Row
	// Opcode and Mods spell the instruction: "add", [".rn", ".f32"]. The modifiers are in the row's order, each once,
	// whatever order they were written in.
	Opcode string
	Mods   []string
	// Args has one entry for each operand written, in order; a pair d|p has two, a vector has one.
	Args []Arg

	choice map[string]string // modifier group -> chosen alternative
}

// Arg is one operand of a form.
type Arg struct {
	Name   string // as in the row's syntax: "d", "a"
	Kind   ArgKind
	Type   Type
	Vector int // elements when written {a, b, ...}, else 0
	Write  bool
	Read   bool
	Select string // selector or mask of a video operand, as written: ".b0", ".h10"
	Minus  bool   // a video operand written -a, which the form's semantics negate
	Inner  []Arg  // what follows the base inside the brackets of an address
}

// ArgKind is what an operand position takes.
type ArgKind uint8

// The kinds of operand positions.
const (
	ArgValue   ArgKind = iota // register, immediate, special register or address of a variable
	ArgAddress                // [a]
	ArgLabel                  // a branch target
	ArgFunc                   // a function, or a register with its address
	ArgList                   // call arguments or results
	ArgTable                  // a .branchtargets, .calltargets or .callprototype label
	argKindCount
)

// Get returns the alternative chosen for the modifier group name ("rnd" gives ".rn"), or "".
func (f *Form) Get(name string) string { return f.choice[name] }

// Has tells whether the instruction was written with the modifier (".ftz").
func (f *Form) Has(mod string) bool {
	for _, m := range f.Mods {
		if m == mod {
			return true
		}
	}
	return false
}

// Name returns the instruction with its modifiers in the row's order: "add.rn.f32".
func (f *Form) Name() string {
	s := f.Opcode
	for _, m := range f.Mods {
		s += m
	}
	return s
}

// Source returns where the values of the operand that the row calls name begin among those that the form reads, vectors
// flattened, and how many they are; 0 when it was not written. Names inside the brackets of an address count too.
func (f *Form) Source(name string) (start, count int) {
	for _, a := range f.Args {
		for _, v := range append([]Arg{a}, a.Inner...) {
			if v.Kind != ArgValue || !v.Read {
				continue
			}
			n := max(v.Vector, 1)
			if v.Name == name {
				return start, n
			}
			start += n
		}
	}
	return start, 0
}
