package ptx

import "silica/internal/isa"

// Pos is a position in the source text; both numbers start at 1. The zero Pos is unknown.
type Pos struct{ Line, Col int }

// Module is one PTX source.
type Module struct {
	File    string // name used in messages
	Version Version
	Target  []string // as written: "sm_90", "texmode_independent", ...
	// VersionPos and TargetPos are where the two directives stand.
	VersionPos, TargetPos Pos
	// AddressSize is 32 or 64; 32 when the directive is missing.
	AddressSize int
	// Decls holds everything after the header in source order.
	Decls []Decl
}

// Version is the PTX ISA version of a .version directive.
type Version struct{ Major, Minor int }

// Decl is a module-level item: *Variable, *Function, *FileDirective, *Section, *Alias, *Pragma,
// *Prototype or *Loc.
type Decl interface{ declPos() Pos }

// Linkage is the linking directive of a declaration.
type Linkage string

// The linking directives.
const (
	Static  Linkage = ""
	Extern  Linkage = ".extern"
	Visible Linkage = ".visible"
	Weak    Linkage = ".weak"
	Common  Linkage = ".common"
)

// Variable declares a variable or a parameterised set of registers in some state space.
type Variable struct {
	Pos     Pos
	Linkage Linkage
	Space   isa.Space // Reg, SReg, Const, Global, Local, ParamEntry, ParamFunc, Shared, Tex
	Bank    int       // N of .const[N], as PTX up to 2.1 has it, else 0
	// Attributes holds .attribute(.managed), .attribute(.unified(a, b)) as written.
	Attributes []Attribute
	Align      int // bytes; 0 when not written
	Vector     int // 0, 2, 4 or 8
	Type       isa.Type
	Name       string
	// Count is N of a parameterised name "%r<N>", else 0.
	Count int
	// Dims are the array dimensions; -1 stands for "[]" until Check counts the initial values.
	Dims []int
	Init *Init
	// Ptr describes a kernel parameter's .ptr attribute.
	Ptr *Ptr
}

// Ptr is the ".ptr .space .align n" attribute of a kernel parameter.
type Ptr struct {
	Space isa.Space // Generic when not written
	Align int
}

// Attribute is one name of an .attribute list with its arguments.
type Attribute struct {
	Name string // ".managed", ".unified"
	Args []uint64
}

// Init is an initialiser: a list, or one value.
type Init struct {
	Pos  Pos
	List []*Init // not nil when written {...}
	// Field is the member of a texture, sampler or surface reference that this sets, else "". The
	// value of an enumeration member (nearest, clamp_to_border, ...) is the Name of an *AddressOf.
	Field string
	// Value is set when this is not a list: an *Immediate, or an *AddressOf.
	Value Operand
}

// AddressOf is a symbol's address in an initialiser: name, generic(name), name+offset, mask(name).
type AddressOf struct {
	Pos     Pos
	Name    string
	Offset  int64
	Generic bool
	// Mask selects a byte of the address: 0xff00(name). 0 when not written.
	Mask uint64
	Ref  *Symbol // the variable or function; Check fills it in
}

// Function is an .entry or .func, declared or defined.
type Function struct {
	Pos        Pos
	Linkage    Linkage
	Attributes []Attribute
	Entry      bool
	Name       string
	Returns    []*Variable
	Params     []*Variable
	Noreturn   bool
	Directives []FuncDirective
	Body       *Block // nil for a declaration
}

// FuncDirective is a performance-tuning or ABI directive of a function: .maxntid 256, .maxnreg 32,
// .minnctapersm 2, .reqntid 64, 1, 1, .reqnctapercluster 2, .maxclusterrank 8, .explicitcluster,
// .abi_preserve 4, ...
type FuncDirective struct {
	Pos  Pos
	Name string // with the dot
	Args []int
	Text []string // of .pragma
}

// Statement is what a body holds: *Block, *Label, *Instruction, *Variable, *Loc, *Pragma, *Section,
// *Prototype, *Targets.
type Statement interface{ stmtPos() Pos }

// Block is a { } scope.
type Block struct {
	Pos  Pos
	End  Pos // of the closing brace
	Body []Statement
}

// Label marks the statement after it.
type Label struct {
	Pos  Pos
	Name string
}

// Instruction is one instruction as written. Check fills in Form.
type Instruction struct {
	Pos    Pos
	Guard  *Guard
	Opcode string
	Mods   []string // with their dots: ".global", ".shared::cta", ".f32"
	// Operands are in source order; for call: results (*List), target, arguments (*List), table.
	Operands []Operand
	Form     *isa.Form
}

// Guard is @p or @!p.
type Guard struct {
	Pos    Pos
	Name   string
	Negate bool
	Ref    *Symbol // the predicate; Check fills it in
}

// Operand is *Name, *Immediate, *Address, *Vector, *Pair, *List, *AddressOf (initialisers only).
type Operand interface{ operandPos() Pos }

// Name is a register, variable, label, function, special register or the sink "_".
type Name struct {
	Pos    Pos
	Name   string // "%r1", "%tid.x", "buf", "_"
	Negate bool   // !p
	Minus  bool   // -a, of video instructions
	// Component is 'x' 'y' 'z' 'w' of a vector register, else 0. Special registers keep theirs in Name.
	Component byte
	// Offset is the constant of "buf+8" in bytes, Index that of "buf[2]" in elements.
	Offset int64
	Index  *int64
	// Half selects b0..b3, h0, h1 of a video instruction's operand: ".b0", ".h1", else "".
	Half string
	// Ref is what the name stands for; Check fills it in.
	Ref *Symbol
}

// ByteOffset returns what the name adds to the address of its variable.
func (n *Name) ByteOffset() int64 {
	if n.Index == nil {
		return n.Offset
	}
	v := n.Ref.Var
	return n.Offset + *n.Index*int64(v.Type.Bytes()*max(v.Vector, 1))
}

// Symbol is a declared name. One Symbol exists for each declaration in each scope, so that two
// registers of the same name in different scopes differ.
type Symbol struct {
	Name string
	Kind SymbolKind
	Var  *Variable // registers (with Index for %r<N>) and variables
	// Index is the number within a parameterised set, else 0.
	Index int
	Func  *Function
	Label *Label
	Table Statement // *Targets or *Prototype
}

// SymbolKind tells what a name stands for.
type SymbolKind uint8

// The kinds of symbols.
const (
	SymRegister SymbolKind = iota
	SymSpecial
	SymVariable
	SymParam
	SymLabel
	SymFunc
	SymTable
	SymSink
)

// Immediate is a constant, after folding of constant expressions.
type Immediate struct {
	Pos Pos
	// Text is the literal or expression as written.
	Text string
	// Float tells which of the two values holds: F32 and F64 literals keep their bits.
	Float ImmediateKind
	// Bits holds an integer (two's complement), the bits of a 0f literal, or of a 0d or decimal
	// literal as f64.
	Bits uint64
	// Unsigned tells an integer that has type .u64 by the manual's rules.
	Unsigned bool
}

// ImmediateKind tells how an Immediate was written.
type ImmediateKind uint8

// The kinds of immediates.
const (
	ImmInt ImmediateKind = iota
	ImmF32               // 0fXXXXXXXX
	ImmF64               // 0dXXXXXXXXXXXXXXXX or decimal
)

// Address is [base+offset], [base], [imm], or [base, {coords}] of textures and tensors.
type Address struct {
	Pos Pos
	// Bare is set for the element "buf[2]", which stands for its address without brackets around it.
	Bare   bool
	Base   Operand // *Name or *Immediate
	Offset int64
	// Index is the register of "[base][reg]" forms such as tcgen05; nil otherwise.
	Rest []Operand // what follows a comma inside the brackets
	// Mask etc. of early forms such as "c[1][4]" keep the bank here; -1 when not written.
	Bank int
}

// Vector is {a, b, ...}.
type Vector struct {
	Pos   Pos
	Elems []Operand
}

// Pair is d|p.
type Pair struct {
	Pos   Pos
	Left  Operand
	Right Operand
}

// List is (a, b, ...) of a call.
type List struct {
	Pos   Pos
	Elems []Operand
}

// Loc is a .loc directive, with the inlining of PTX 7.2 when present.
type Loc struct {
	Pos             Pos
	File, Line, Col int
	// Function is the label (and offset) of .function_name; "" when absent.
	Function       string
	FunctionOffset int
	// InlinedAt is the .inlined_at position; nil when absent.
	InlinedAt *Loc
}

// FileDirective is .file index "name" [, timestamp, size].
type FileDirective struct {
	Pos        Pos
	Index      int
	Name       string
	Time, Size int64
}

// Section is .section name { ... }: debug data, kept as its text lines.
type Section struct {
	Pos   Pos
	Name  string
	Lines []SectionLine
}

// SectionLine is a label or a data line of a section.
type SectionLine struct {
	Label  string
	Type   string   // ".b8"
	Values []string // as written
}

// Pragma is .pragma "text", ...;
type Pragma struct {
	Pos  Pos
	Text []string
}

// Alias is .alias a, b;
type Alias struct {
	Pos          Pos
	Name, Target string
}

// Prototype is label: .callprototype (returns) _ (params);
type Prototype struct {
	Pos      Pos
	Name     string
	Returns  []*Variable
	Params   []*Variable
	Noreturn bool
	// Directives holds the .abi_preserve directives of PTX 9.0.
	Directives []FuncDirective
}

// Targets is label: .branchtargets a, b; or label: .calltargets f, g;
type Targets struct {
	Pos   Pos
	Name  string
	Calls bool // .calltargets
	Names []*Name
}

func (v *Variable) declPos() Pos      { return v.Pos }
func (f *Function) declPos() Pos      { return f.Pos }
func (f *FileDirective) declPos() Pos { return f.Pos }
func (s *Section) declPos() Pos       { return s.Pos }
func (a *Alias) declPos() Pos         { return a.Pos }
func (p *Pragma) declPos() Pos        { return p.Pos }
func (p *Prototype) declPos() Pos     { return p.Pos }
func (l *Loc) declPos() Pos           { return l.Pos }

func (b *Block) stmtPos() Pos       { return b.Pos }
func (l *Label) stmtPos() Pos       { return l.Pos }
func (i *Instruction) stmtPos() Pos { return i.Pos }
func (v *Variable) stmtPos() Pos    { return v.Pos }
func (l *Loc) stmtPos() Pos         { return l.Pos }
func (p *Pragma) stmtPos() Pos      { return p.Pos }
func (s *Section) stmtPos() Pos     { return s.Pos }
func (p *Prototype) stmtPos() Pos   { return p.Pos }
func (t *Targets) stmtPos() Pos     { return t.Pos }

func (n *Name) operandPos() Pos      { return n.Pos }
func (i *Immediate) operandPos() Pos { return i.Pos }
func (a *Address) operandPos() Pos   { return a.Pos }
func (v *Vector) operandPos() Pos    { return v.Pos }
func (p *Pair) operandPos() Pos      { return p.Pos }
func (l *List) operandPos() Pos      { return l.Pos }
func (a *AddressOf) operandPos() Pos { return a.Pos }
