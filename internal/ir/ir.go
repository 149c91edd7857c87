package ir

import (
	"silica/internal/isa"
	"silica/ptx"
)

// Module is a checked PTX module with its variables laid out.
type Module struct {
	Source *ptx.Module
	// Globals holds the .global and .const variables (also .extern ones, with Extern set).
	Globals []*Global
	// Entries names the kernels in source order.
	Entries []string
	// Files maps the index of a .file directive to its name.
	Files map[int]string

	functions  map[string]*ptx.Function // definitions before declarations
	aliases    map[string]string
	variables  map[string]*ptx.Variable // module level
	globalVars []*ptx.Variable          // what Globals was made of
	global     map[*ptx.Variable]int    // index in Globals
	addressed  []*ptx.Function          // functions whose address is taken, in source order
	openParam  Param                    // as much as calls may give a parameter of open size
	strings    map[string]string        // label in .debug_str to text
}

// Global is a variable in global or constant memory.
type Global struct {
	Name    string
	Space   isa.Space // Global or Const
	Linkage ptx.Linkage
	Size    int // bytes
	Align   int // bytes
	// Init holds the initial bytes; those up to Size that it leaves out are zero.
	Init    []byte
	Relocs  []Reloc
	Managed bool
	// Texture kinds (.texref, .samplerref, .surfref variables) keep their type here.
	Type isa.Type
	// Fields are the members that initialise a texture kind, by name; names of values stand for their numbers.
	Fields map[string]uint64
}

// Reloc asks the loader to add an address to the initial bytes of a Global.
type Reloc struct {
	Offset int // in the variable
	Bytes  int // width of the field
	Symbol SymbolRef
	Addend int64
	// Shift is the bit position of the byte chosen by a mask operator such as 0xff00(name); -1 for the whole address.
	Shift int
}

// SymbolRef names a Global (Func < 0) by its index in Module.Globals, or a function of the module by
// its name through Func.
type SymbolRef struct {
	Global int
	Func   string
}

// Kernel is one entry ready to run, with every function it can reach. It is immutable.
type Kernel struct {
	Name   string
	Module *Module
	// Funcs[0] is the entry.
	Funcs  []*Func
	Params []Param
	// ParamBytes is the size of the launch's parameter buffer.
	ParamBytes int
	// StaticShared is the size in bytes of the .shared variables the kernel reaches; dynamic shared
	// memory (.extern .shared) starts at DynamicSharedBase.
	StaticShared      int
	DynamicSharedBase int
	SharedVars        []SharedVar
	// MaxThreads is .maxntid, RequiredThreads .reqntid (zeros when absent).
	MaxThreads, RequiredThreads [3]int
	MinBlocks, MaxRegisters     int
	Cluster                     [3]int // .reqnctapercluster; zeros when absent
	MaxClusterBlocks            int    // .maxclusterrank; 0 when absent
	// Barriers is the number of named barriers used: highest constant number + 1, 16 when computed at run time.
	Barriers int
	// LiveRegisters estimates how many registers a thread would get from ptxas, from what is live at
	// once, at most MaxRegisters; see liveness.estimate. The limit that .minnctapersm sets depends on the
	// GPU's register file and is not applied.
	LiveRegisters int
	// Unsupported is not empty when an instruction can not run; each has its position and reason.
	Unsupported []Problem
}

// Problem is a diagnostic at a place in the source.
type Problem struct {
	Pos ptx.Pos
	Msg string
}

// Param is a parameter's place: in the launch's parameter buffer for a kernel, in the frame's local
// memory for a device function or a call.
type Param struct {
	Name   string
	Type   isa.Type
	Offset int // bytes
	Size   int // bytes
	Align  int // bytes
}

// SharedVar is a static shared variable's place in the block's shared memory.
type SharedVar struct {
	Name         string
	Offset, Size int // bytes
}

// Func is one function.
type Func struct {
	Name   string
	Index  int // in Kernel.Funcs
	Code   []Inst
	Blocks []Block
	Frame  Frame
	// Params and Returns are places in the frame's local memory (device functions only).
	Params, Returns []Param
	Pos             ptx.Pos
}

// Frame is what one activation of a function needs.
//
// A row is one 32-bit register of one warp: 32 lanes of 4 bytes. A 64-bit register takes two rows
// read as 32 lanes of 8 bytes, a 128-bit one takes four (low half first). Registers of 8 and 16 bits
// take a row, zero-extended. Predicates are bit masks, numbered apart. A row belongs either to registers of
// up to 32 bits or to wider ones, so that no lane's value ever lies over another lane's.
type Frame struct {
	Rows  int
	Preds int
	// Local is the size in bytes of the frame in per-thread local memory: .local variables and the
	// .param variables of calls and of the function itself.
	Local int
	// LocalBase and LocalTop are rows (b32) that hold each lane's frame base in local memory and the
	// first byte after what it has allocated. Both are Slot -1 when no instruction needs them
	// (then the base is 0). A call gives the callee LocalBase = caller's LocalTop and
	// LocalTop = LocalBase + Frame.Local.
	LocalBase, LocalTop Operand
	// Consts and Specials are rows to fill when the frame is made; instructions never write them.
	// Rows 0 to ConstRows-1 hold the constants that all warps of a launch share.
	ConstRows int
	Consts    []Const
	Specials  []SpecialRow
	// Zero lists the rows and predicates to clear when the frame is made: registers that may be read
	// before they are written. All other rows may hold anything.
	Zero []Operand
}

// Const is a row with the same value in every lane, or a predicate (Row.Bits is 1).
type Const struct {
	Row Operand
	// Value is the bits, or the addend when the value is an address.
	Value uint64
	// Kind tells what is added to Value when the kernel is loaded.
	Kind ConstKind
	// Symbol is the index in Module.Globals (ConstGlobal) or in Kernel.Funcs (ConstFunc).
	Symbol int
}

// ConstKind tells what a Const stands for.
type ConstKind uint8

// The kinds of constants.
const (
	ConstValue  ConstKind = iota
	ConstGlobal           // Value + address of a global variable
	ConstFunc             // FuncAddress of a function
	ConstLocal            // Value + the lane's LocalBase: address of a .local variable
	ConstShared           // Value itself: address of a .shared variable, in its window
)

// SpecialRow is a row (or a predicate) that holds a special register which does not change while a
// block runs, cut to Row.Bits.
type SpecialRow struct {
	Row  Operand
	Name string // "%tid.x"
}

// FuncAddress is the address that taking the address of Kernel.Funcs[i] gives.
func FuncAddress(i int) uint64 { return 0x8000 + uint64(i)*16 }

// FuncOfAddress inverts FuncAddress; ok is false for any other value.
func FuncOfAddress(a uint64, funcs int) (i int, ok bool) {
	i = int(a-0x8000) / 16
	return i, a >= 0x8000 && a%16 == 0 && i < funcs
}

// entryAddresses is where the addresses of kernels begin: outside of every window and of global memory.
const entryAddresses = 0x0800_0000

// EntryAddress is the address that taking the address of Module.Entries[i] gives, in every kernel of the module.
func EntryAddress(i int) uint64 { return entryAddresses + uint64(i)*16 }

// EntryAt inverts EntryAddress; ok is false for any other value.
func (m *Module) EntryAt(addr uint64) (name string, ok bool) {
	i := (addr - entryAddresses) / 16
	if addr < entryAddresses || addr%16 != 0 || i >= uint64(len(m.Entries)) {
		return "", false
	}
	return m.Entries[i], true
}

// Block is a basic block: Code[Start:End]. Blocks are in layout order; a call ends one.
type Block struct {
	Start, End int
	Succs      []int
	// PostDominator is the immediate post-dominator's block number, len(Blocks) for the exit.
	PostDominator int
}

// Inst is one instruction. Operands are rows; nothing is looked up by name.
type Inst struct {
	Form  *isa.Form
	Op    isa.Op
	Guard Operand // predicate; Slot -1 when unguarded
	// Dst and Src are in the order of the form's operands, vectors flattened; the condition code
	// comes last. A destination with Slot -1 is dropped (its Bits stay): the sink "_", a value
	// that nothing reads, or that of a mov which copy propagation or coalescing made superfluous. A source
	// of a store with Slot -1 is an element that is not written.
	// A destination may be the same register as a source, in any position. Two different registers
	// share a row only where one lane's single destination takes over a source of the same width:
	// OpLane, OpMov and OpCvta with one Dst. Memory operands are in Addr, not in Src; what follows a
	// comma inside their brackets (coordinates) is in Src.
	Dst, Src []Operand
	Addr     Addr
	// MoreAddrs holds the second and further memory operands (cp.async).
	MoreAddrs []Addr
	Mem       isa.Access // ld, st, atom, red, prefetch
	// Target is the code index a branch goes to; Targets those of brx.idx.
	Target  int
	Targets []int
	// Next is the code index that follows when the instruction does not branch away: the one after it,
	// or another where the layout moved that; -1 after an unguarded bra, brx.idx, ret, exit and trap.
	Next int
	// Synthetic marks what lowering added: a jump at the end of a loop with several back edges, where
	// its lanes gather before they go around again, and the moves of parameters passed in registers.
	// It runs like any other instruction and counts as none.
	Synthetic bool
	Call      *Call
	// Special names the special register of an OpSpecial instruction.
	Special string
	Pos     ptx.Pos
	Loc     *Loc // nil without line information
}

// Operand is a register row (or a predicate number) of the frame.
type Operand struct {
	Slot int
	// Bits is 1 (predicate), 8, 16, 32, 64 or 128: the width of the register, which may be wider than
	// the form's operand type; of a constant or special row, the width of the operand type.
	Bits int
	// Negate inverts a predicate on reading.
	Negate bool
}

// None is the absent operand.
var None = Operand{Slot: -1}

// Addr is base + offset in a state space. Base.Slot is -1 for an absolute address. Addresses in the spaces
// Local and ParamFunc are those of the thread's local memory: the base includes the frame's.
type Addr struct {
	Space  isa.Space
	Base   Operand
	Offset int64
}

// Call describes a call instruction.
type Call struct {
	// Func is the index of a direct callee, -1 for an indirect call (address in Target) or a system call.
	Func   int
	Target Operand
	// Candidates lists the functions an indirect call may reach: .calltargets, or every function whose
	// address is taken and that fits the prototype.
	Candidates []int
	// System names what the engine provides for an external function; see SystemFunction.
	System string
	// Args and Results are places in the caller's frame in local memory.
	Args, Results []Param
}

// Loc is a source position; Inlined is the call site when the code was inlined.
type Loc struct {
	File, Line, Col int
	Function        string // name of the inlined function, "" when not inlined
	Inlined         *Loc
}
