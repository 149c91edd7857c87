package sass

import "silica/internal/ir"

// Program is a kernel as machine code.
type Program struct {
	Arch   Arch
	Kernel *ir.Kernel
	// Funcs are in the order of Kernel.Funcs.
	Funcs []*Func
	// Registers is the number of 32-bit registers that a thread gets, an estimate.
	Registers int
}

// Func is one function.
type Func struct {
	Name      string
	Blocks    []*Block
	webs      *webs
	registers numbers
	steps     []int        // the numbers of registers that are tried, see registerSteps
	diverges  bool         // its lanes may leave it one after the other
	taken     int          // registers of a thread that runs it
	spills    int          // registers made by spilling
	spilled   map[int]bool // which they are
}

// Block is a basic block of machine code.
type Block struct {
	// Source is the block of the ir function that this one runs as often as.
	Source int
	// Part and Entries describe a loop that was unrolled, of which Source is the body: this block runs for four of its runs (Part 4),
	// for two (2) or for one (1) of those that are left; Part 0 with Entries runs once for each run of those blocks.
	Part    int
	Apart   bool // lanes run the loop differently often
	Entries []int
	Code    []*Inst
	Succs   []int // in Func.Blocks
}

// Inst is one machine instruction.
type Inst struct {
	Op *Opcode
	// Mods are the modifiers with their dots: ".WIDE.U32".
	Mods     string
	Guard    Operand
	Dst, Src []Operand
	Target   int    // block that a branch goes to, -1 for none
	Callee   string // function that a call goes to, "" when a register tells
	// PC is the instruction in the ir function's code that this one stands for, -1 for what belongs to none.
	PC      int
	Barrier int   // which joins the lanes, of BSSY and BSYNC
	Table   uint8 // of LOP3: what it makes of three bits, 0 when not known
	Largest bool  // of minima and maxima
	Away    bool  // it is of a function of ptxas' that the kernel calls, whose code lies behind the kernel's
	Carry   int   // the predicate between the halves of sums of 64 bits
	// keeps tells that a register keeps its value where the guard is false.
	keeps bool
}

// Name is the opcode with its modifiers.
func (in *Inst) Name() string { return in.Op.Name + in.Mods }

// OperandKind tells what an operand is.
type OperandKind uint8

// The kinds of operands.
const (
	NoOperand OperandKind = iota
	Register
	UniformRegister
	Predicate
	Immediate
	ConstantBank // c[Bank][Value]
	Address      // [Reg + Value]
	SpecialRegister
)

// Operand is one operand of a machine instruction.
type Operand struct {
	Kind OperandKind
	// Reg is the number of the first register, a virtual one until registers are allocated, -1 for RZ, URZ or PT.
	Reg int
	// Words is the number of consecutive registers.
	Words int
	Value uint64
	Bank  int
	Name  string // special register, or of what an address is
	// Part is which of the registers of a value is named, the first or the second, until they have numbers.
	Part int
	// Suffix follows the operand.
	Suffix string
	// More tells that the operand is a further register of the one before it, which nvdisasm does not write.
	More bool
	// Negate and Absolute change what is read.
	Negate, Absolute bool
	// Scale is what the register of an address is multiplied by, 0 for one; Wide tells that it has 64 bits; Uniform is the number of the uniform register that is added, plus one, 0 for none.
	Scale   int
	Wide    bool
	Uniform int
}
