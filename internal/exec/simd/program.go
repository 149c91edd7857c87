package simd

import (
	"math"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
)

// gangWarps is the largest number of warps dispatched together.
const gangWarps = 8

// warpLanes is the number of lanes of a warp.
const warpLanes = 32

// program is a kernel prepared for gangs of a given number of warps: operands are byte offsets into
// the gang's rows, and every instruction has a handler. It is immutable.
type program struct {
	kernel *ir.Kernel
	warps  int // in a gang
	funcs  []*function
}

// function is an ir.Func with its instructions prepared.
type function struct {
	ir  *ir.Func
	ops []op
	// rows is the size of a frame's rows and preds that of its predicates, in bytes.
	rows, preds         int
	localBase, localTop operand
	starts              []bool // pcs at which a block starts, where fragments meet
	specials            []specialRow
	// patterns is the number of address patterns that instructions of a segment share.
	patterns int
}

// specialRow is a row that holds a special register. perBlock ones are the same in every lane of a block,
// the others the same in every block.
type specialRow struct {
	row      operand
	value    exec.Special
	perBlock bool
}

// op is one prepared instruction. Straight-line instructions have run, those that end a segment
// (branches, calls, barriers, warp-synchronous instructions) have control.
type op struct {
	// run executes the instruction for the fragment's lanes; it returns false to stop on a fault.
	run     func(g *gang, o *op) bool
	control func(g *gang, f *fragment, o *op)

	// The operands of a vector kernel: offsets from the bases[space] of the gang.
	kernel func(d, a, b, c, e ptr, mask *uint32, warps int)
	d      vectorOperand
	src    [4]vectorOperand

	guard       operand
	guardNegate bool
	dst, srcs   []operand
	lane        isa.LaneFunc
	warp        isa.WarpFunc
	matrix      exec.MatrixFunc
	mem         *memoryOp
	fn          *function
	inst        *ir.Inst
	pc          int
	// segmentEnd is the pc of the control instruction that ends the segment (or the first pc after a
	// segment that simply runs into the next).
	segmentEnd int
	memberMask int // index in srcs of a warp-synchronous instruction's mask, -1 without
	// together runs a warp-wide instruction for lanes of one warp; it returns false to stop on a fault.
	together func(g *gang, o *op, w int, active uint32) bool
}

// vectorOperand is an offset from one of the gang's bases: 0 rows, 1 predicates.
type vectorOperand struct {
	base   uint8
	offset int
}

// operand is a register of a lane: where it is and how wide.
type operand struct {
	offset int // bytes from the rows, or from the predicates when bits is 1; -1 when absent
	bits   int
	negate bool
}

func (p *program) operand(o ir.Operand) operand {
	switch {
	case o.Slot < 0:
		return operand{offset: -1, bits: o.Bits}
	case o.Bits == 1:
		return operand{offset: o.Slot * p.warps * 4, bits: 1, negate: o.Negate}
	}
	return operand{offset: o.Slot * p.warps * warpLanes * 4, bits: o.Bits}
}

func (p *program) operands(list []ir.Operand) []operand {
	out := make([]operand, len(list))
	for i, o := range list {
		out[i] = p.operand(o)
	}
	return out
}

func (o operand) vector() vectorOperand {
	v := vectorOperand{offset: o.offset}
	if o.bits == 1 {
		v.base = 1
	}
	return v
}

// prepare builds the program of k for gangs of the given number of warps.
func prepare(k *ir.Kernel, unit *vectorUnit, warps int) *program {
	p := &program{kernel: k, warps: warps}
	for _, f := range k.Funcs {
		p.funcs = append(p.funcs, p.function(f, unit))
	}
	return p
}

func (p *program) function(f *ir.Func, unit *vectorUnit) *function {
	fn := &function{
		ir: f, rows: f.Frame.Rows * p.warps * warpLanes * 4, preds: f.Frame.Preds * p.warps * 4,
		localBase: p.operand(f.Frame.LocalBase), localTop: p.operand(f.Frame.LocalTop),
	}
	for _, s := range f.Frame.Specials {
		if value, ok := exec.SpecialOf(s.Name); ok {
			r, _ := isa.Special(s.Name)
			fn.specials = append(fn.specials, specialRow{p.operand(s.Row), value, r.Varies < isa.PerWarp})
		}
	}
	fn.ops = make([]op, len(f.Code))
	for pc := range f.Code {
		p.instruction(&fn.ops[pc], fn, pc, unit)
	}
	p.segments(fn)
	p.sharePatterns(fn)
	return fn
}

func (p *program) instruction(o *op, fn *function, pc int, unit *vectorUnit) {
	inst := &fn.ir.Code[pc]
	*o = op{
		fn: fn, inst: inst, pc: pc, guard: p.operand(inst.Guard), guardNegate: inst.Guard.Negate,
		dst: p.operands(inst.Dst), srcs: p.operands(inst.Src), memberMask: -1,
	}
	switch inst.Op {
	case isa.OpLane:
		if o.unread() {
			o.run = runNothing
		} else if !p.chooseKernel(o, unit, inst.Form.Name()) {
			o.lane, o.run = inst.Form.Row.Lane(inst.Form), runLanes
		}
	case isa.OpMov:
		if o.unread() {
			o.run = runNothing
		} else {
			p.move(o, unit)
		}
	case isa.OpCvta, isa.OpIsspacep, isa.OpMapa, isa.OpSpecial, isa.OpAlloca, isa.OpStackSave, isa.OpStackRestore:
		o.run = engineLanes(inst)
	case isa.OpLoad, isa.OpStore, isa.OpAtom, isa.OpRed, isa.OpPrefetch:
		p.memory(o, unit)
	case isa.OpWarp:
		o.warp, o.together = inst.Form.Row.Warp(inst.Form), warpOnce
		o.sync()
	case isa.OpBarrierWarp:
		o.sync()
	case isa.OpMatrix:
		p.matrix(o)
		o.sync()
	case isa.OpBranch:
		o.control = controlBranch
	case isa.OpBranchIndexed:
		o.control = controlBranchIndexed
	case isa.OpCall:
		o.control = controlCall
	case isa.OpRet:
		o.control = controlRet
	case isa.OpExit:
		o.control = controlExit
	case isa.OpTrap:
		o.run = runTrap
	case isa.OpAsync:
		o.run = p.async(inst)
	case isa.OpBarrier:
		o.control = controlBarrier
	default: // fences, nops, nanosleep: nothing that a result depends on
		o.run = runNothing
	}
}

// sync makes a warp-wide instruction wait for the lanes it needs.
func (o *op) sync() {
	waits, member := isa.WarpSync(o.inst.Form)
	if o.memberMask = member; waits {
		o.control = controlWarp
	} else {
		o.run = runWarp
	}
}

// unread tells that no destination is ever read: the instruction is only counted.
func (o *op) unread() bool {
	for _, d := range o.dst {
		if d.offset >= 0 {
			return false
		}
	}
	return true
}

// chooseKernel gives o the vector kernel of the named instruction when there is one and the operands
// have its shape.
func (p *program) chooseKernel(o *op, unit *vectorUnit, name string) bool {
	k, ok := unit.kernels[name]
	if !ok || len(o.dst) != 1 || o.dst[0].offset < 0 || !fits(o.dst[0], k.shape.d) {
		return false
	}
	n := 0
	for ; n < len(o.srcs); n++ {
		if n == 4 || !fits(o.srcs[n], k.shape.src[n]) || o.srcs[n].negate {
			return false
		}
		o.src[n] = o.srcs[n].vector()
	}
	if n < 4 && k.shape.src[n] != 0 {
		return false
	}
	o.kernel, o.d = k.run, o.dst[0].vector()
	o.run = runKernel
	if o.guard.offset >= 0 {
		o.run = runKernelGuarded
	}
	return true
}

// fits tells whether a register has the width a kernel works on.
func fits(o operand, bits uint8) bool { return bits != 0 && o.bits == int(bits) }

// segments finds where straight-line runs end: at control instructions, at branch targets and where
// the layout's successor is not the next instruction.
func (p *program) segments(fn *function) {
	fn.starts = make([]bool, len(fn.ops)+1)
	for _, b := range fn.ir.Blocks {
		fn.starts[b.Start] = true
	}
	end := len(fn.ops)
	for pc := len(fn.ops) - 1; pc >= 0; pc-- {
		o := &fn.ops[pc]
		switch {
		case o.control != nil || o.inst.Next != pc+1:
			end = pc
			if o.control == nil {
				end = pc + 1
			}
		case fn.starts[pc+1]:
			end = pc + 1
		}
		o.segmentEnd = end
	}
}

// next is where the instruction continues when it does not branch.
func (o *op) next() int {
	if o.inst.Next < 0 {
		return math.MaxInt
	}
	return o.inst.Next
}
