package isa

// Row is one instruction form (or a line group of forms that differ only in modifiers) as the
// PTX manual writes it. A row is complete: what is not in it is not known anywhere else.
type Row struct {
	// Syntax is the manual's syntax line: "add{.rnd}{.ftz}{.sat}.f32 d, a, b".
	//
	// A modifier is a literal (".f32") unless Mods lists alternatives under its name without
	// the dot (".rnd" with Mods["rnd"]). Braces make it optional. After the first blank come the
	// operands, separated by commas: a name, "[a]" for an address, "[a, c]" for an address with
	// coordinates, "d|p" for a pair whose second half may be left out when written "d{|p}",
	// "{, c}" for an optional operand, "_" for the sink.
	Syntax string
	// Mods gives the alternatives of each named modifier, separated by blanks.
	Mods Mods
	// Types gives the type of every operand that is not of the instruction's own type:
	// "d:pred b:u32 a:wide". The instruction's own type is the chosen "type" modifier, or the
	// last type literal in Syntax. The words are those of ParseArgType.
	Types string
	Since Since
	// Need gives what the modifiers chosen in a form need beyond Since (f64 atomics: sm_60).
	Need func(*Form) Since
	// Until is the first PTX version and target that no longer have the row: a module that reaches
	// both is refused (vote without .sync: PTX 6.4 and sm_70). The zero value means "never".
	Until Since
	Unit  Unit
	Class Class
	// Op tells the engines how to run the row. Lane and Warp rows carry their semantics here;
	// the others (memory, control, synchronisation) are run by the engine from the Form.
	Op Op
	// Lane binds the modifiers of a form and returns its semantics for one lane (Op == OpLane).
	Lane func(*Form) LaneFunc
	// Warp binds a form and returns its semantics over the lanes of a warp (Op == OpWarp).
	Warp func(*Form) WarpFunc
	// Combine binds an atom, red or redux form and returns the value that replaces old in memory
	// (Op == OpAtom or OpRed).
	Combine func(*Form) CombineFunc
	// Carry tells whether the form reads or writes the condition code register CC.CF. The IR
	// passes it as the last source and the last destination, values 0 or 1.
	ReadsCarry, WritesCarry func(*Form) bool
	// Check reports, in one line, what makes an otherwise matching form illegal ("" when legal).
	Check func(*Form) string
	// Unsupported is the reason why a form that parses and checks cannot run ("" when it runs).
	Unsupported string
}

// Mods maps the name of a modifier group to its alternatives, separated by blanks:
// Mods{"rnd": ".rn .rz .rm .rp"}.
type Mods map[string]string

// Since tells which PTX version and which target introduced a row (PTX 14 is version 1.4,
// SM 90 is sm_90). Mod holds later dates of single modifiers. Arch marks forms that need an
// architecture-specific target such as sm_90a ("a") or family-specific ("f").
//
// On names the targets that have a form when that does not follow from one of them: "103a" is sm_103a alone, "100f"
// are sm_100 and later ones of its family with a suffix.
type Since struct {
	PTX, SM int
	Arch    string
	On      string
	Mod     map[string]Since
}

// Lane is what the semantics of one lane sees: bit patterns zero-extended from the register's
// width to 64 bits, predicates as 0 or 1, in operand order with vector operands flattened.
// A function writes Dst as full 64-bit values, sign-extended where the result type is signed;
// the engine cuts them to the width of the destination register.
type Lane struct {
	Src [16]uint64
	Dst [8]uint64
}

// LaneFunc computes the destinations of one lane from its sources. It is pure.
type LaneFunc func(l *Lane)

// Warp is what a warp-wide instruction (vote, shfl, match, redux, activemask, elect, ...) sees:
// operands as 32 lanes each. Values of lanes outside Active are undefined and must not be used.
type Warp struct {
	// Active holds the lanes that execute the instruction together, a bit a lane.
	Active uint32
	// Src and Dst are indexed by operand, then by lane.
	Src [24][32]uint64
	Dst [8][32]uint64
}

// WarpFunc computes the destinations of all active lanes. It is pure.
type WarpFunc func(w *Warp)

// CombineFunc returns what an atomic operation stores for the old value and its operands
// (c is the second operand of cas). Values are zero-extended bit patterns of the form's type.
type CombineFunc func(old, b, c uint64) uint64
