package sass

import (
	"silica/internal/ir"
	"silica/internal/isa"
)

// op is what a value of the graph computes. The graph is static single assignment: a value is written once.
type op uint8

const (
	opNone op = iota
	// Leaves have no place in a block: selection puts them where they are wanted.
	opConst   // imm
	opShared  // address of shared memory, imm is the offset
	opGlobal  // address of a variable, which the loader knows
	opSpecial // special register, name
	opParam   // kernel parameter, imm is the offset in the parameter buffer, or in the constant bank that name tells
	opUndef

	opPhi
	opAdd // integers of 32 and 64 bits
	opSub
	opMul
	opMulWide // 32 by 32 to 64 bits; signed or not by typ
	opMulHigh
	opShl
	opShr // arithmetic when typ is signed
	opAnd
	opOr
	opXor
	opNot
	opNeg
	opAbs
	opMin
	opMax
	opSelect  // predicate, value if true, value if false
	opCompare // name is the comparison; typ the type compared
	opExtend  // 32 to 64 bits, signed or not by typ
	opLow     // low half of 64 bits
	opHigh    // high half of 64 bits
	opPair    // two halves
	opLower   // low half of 32 bits; the rest is anything
	opUpper   // high half of 32 bits
	opFloat   // name is add, mul, fma, neg, abs, min, max; typ the type
	opLoad
	opStore
	opResult // a further result of args[0]
	opOther  // any other instruction
	opBranch // args[0] is the predicate
	opExit   // ret, exit; args[0] the predicate, if any, then the words that a function gives back
	opCall   // args are the words that are passed, then the address of an unknown callee
	opGiven  // a word that a caller or callee left in register imm, at the beginning of its block
)

// value is one value, or one instruction that has none.
type value struct {
	id   int
	op   op
	bits int // of the result: 0, 1, 32, 64, 128
	typ  isa.Type
	name string
	imm  uint64
	args []*value
	// guard is the predicate under which an instruction runs, negated when guardNot; old what its result is otherwise.
	guard    *value
	guardNot bool
	old      *value
	inst     *ir.Inst
	call     *convention // of opCall
	pc       int         // of inst
	block    *block
	// uses counts the values that read this one, among those that are needed.
	uses    int
	users   []*value
	needed  bool
	uniform bool // the same in all lanes of a warp
	results []*value
	// width is the number of bytes of an access that was made of several, 0 for one as PTX has it; first is the place of the load's own
	// result among those of its elements.
	width, first int
}

// bytes is what a lane moves in an access.
func (v *value) bytes() int {
	if v.width > 0 {
		return v.width
	}
	return v.inst.Mem.Bytes()
}

// leaf tells whether a value belongs to no block.
func (v *value) leaf() bool { return v.op >= opConst && v.op <= opUndef }

// isConst tells whether v is a number.
func (v *value) isConst() bool { return v.op == opConst }

// block is a basic block of the graph.
type block struct {
	index        int // in layout order
	source       int // the block of the ir function that it runs as often as
	values, phis []*value
	preds, succs []*block
	// leave ends the block: a branch or exit, nil when control falls through.
	leave   *value
	taken   *block // where leave goes
	idom    *block
	begin   int // in a walk of the dominator tree, from 1 on; what it dominates lies before end
	end     int
	loop    *loop
	order   int // in reverse post-order
	sealed  bool
	defs    map[variable]*value
	open    map[variable]*value
	reached bool
	// part and entries tell how often a block of an unrolled loop runs: see Block.
	tail    int // the block of the ir function that leave comes from
	gone    bool
	apart   bool // see Block
	part    int
	entries []*block
	meets   bool // lanes that went apart meet here
	split   bool // lanes may come one after the other
}

// loop is a natural loop.
type loop struct {
	head   *block
	blocks map[*block]bool
	outer  *loop
	level  int
}

// graph is one function.
type graph struct {
	arch   Arch
	kernel *ir.Kernel
	fn     *ir.Func
	plan   *plan
	// convention is how the function is called.
	convention *convention
	blocks     []*block // in layout order
	origin     []*block // of each block of the ir function, where it begins
	count      int
	leaves     map[leafKey]*value
	loops      []*loop
	// replaced are the phis that are gone while branches are converted, with what stands for them.
	replaced map[*value]*value
}

type leafKey struct {
	op   op
	imm  uint64
	bits int
	name string
}

func (g *graph) newValue(o op, bits int, args ...*value) *value {
	g.count++
	return &value{id: g.count, op: o, bits: bits, args: args, pc: -1}
}

// leafOf returns the one value of a leaf.
func (g *graph) leafOf(o op, bits int, imm uint64, name string) *value {
	k := leafKey{o, imm, bits, name}
	v := g.leaves[k]
	if v == nil {
		v = g.newValue(o, bits)
		v.imm, v.name = imm, name
		g.leaves[k] = v
	}
	return v
}

func (g *graph) constant(imm uint64, bits int) *value {
	if bits <= 32 {
		imm &= 1<<max(bits, 1) - 1
	}
	return g.leafOf(opConst, bits, imm, "")
}

// frame is the size of what a function keeps in local memory: its variables, and the parameters that are not in registers.
func (g *graph) frame() int {
	for _, c := range g.fn.Frame.Consts {
		if c.Kind == ir.ConstLocal {
			return g.fn.Frame.Local
		}
	}
	for i := range g.fn.Code {
		in := &g.fn.Code[i]
		memory := in.Op == isa.OpLoad || in.Op == isa.OpStore
		if memory && (in.Addr.Space == isa.Local || in.Addr.Space == isa.ParamFunc && !g.passes(in)) {
			return g.fn.Frame.Local
		}
	}
	return 0
}
