package simd

import (
	"sync"
	"sync/atomic"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
	"silica/internal/mma"
)

// program is a kernel prepared for gangs of a given number of warps: lists of steps for each function. But for
// native code that hot steps get, it is immutable.
type program struct {
	kernel   *ir.Kernel
	unit     *vectorUnit
	who      listeners
	warps    int // in a gang
	funcs    []*function
	regions  int // regions that memory instructions use
	patterns int // address patterns that a segment has at most
	// multiplies tells that products of matrices need a scratch.
	multiplies bool

	// threshold is how many warp instructions make the program hot, 0 when native code is none of it.
	threshold uint64
	executed  atomic.Uint64
	hot       atomic.Bool
	text      text
	idle      sync.Pool // of clusters
	notes     notes
	wholes    [2]wholeState // without counts, and with
}

// function is an ir.Func prepared to run.
type function struct {
	ir    *ir.Func
	index int
	// plain is for blocks that nobody follows, traced for those that have a Tracer; it is empty when none can.
	plain, traced code
	segments      []segment

	size                int // bytes of a frame
	rows                int // where the rows begin in it
	spare               int // where those begin that native code of the whole kernel may use
	localBase, localTop operand
	movesTop            bool // some lanes' frames grow: alloca
	zero                []operand
	consts              []constRow
	specials            []specialRow
	counters            int // bytes
	// guards holds the counter of lanes with a true guard of each guarded instruction; that of warps whose lanes go different ways is behind
	// that of a branch.
	guards map[int]int
}

// code is what runs a function.
type code struct {
	steps []step
	ops   []op    // of the steps
	entry []int32 // first step of the segment that begins at a pc
	runs  []*run
	flow  []flowWork // all that native code of runs can do, in order
	// loose is what native code of the whole kernel can do besides, by the step that does it otherwise.
	loose map[int]work
}

// listeners tells who listens to a launch: an Observer to all blocks, with accesses reported together or not, a Tracer to some.
type listeners struct{ observer, together, tracer bool }

// segment is a straight line of instructions, ir.Func.Code[start:end], that run for the same lanes.
type segment struct{ start, end, counter, counted int }

// constRow is a row with the same value in every lane, but for a frame's base in local memory.
type constRow struct {
	ir.Const
	row operand
}

// specialRow is a row that holds a special register. perLane ones are the same in every block, the others the same in
// every lane of a block.
type specialRow struct {
	row     operand
	value   exec.Special
	perLane bool
}

// op is what Go knows of a step.
type op struct {
	// run runs the step and returns the step to go on at, or stop.
	run    func(g *gang, f *fragment, o *op) int
	inst   *ir.Inst
	fn     *function
	pc     int
	index  int // of the step
	after  int // first step behind the instruction
	target int // of steps that go elsewhere

	guard     operand // absent when unguarded
	guarded   bool    // a guard step has computed the lanes
	dst       []operand
	srcs      []operand
	mem       *memoryOp
	native    *run // of a step that is its native code
	coded     bool // machine code makes the access in a known region
	reports   bool // tells of an access
	formed    bool // machine code has formed the addresses to report
	counted   bool // machine code counts accesses that lie alike
	pattern   int  // of the addresses to report
	again     bool // Go makes an access that stopped anew, for all lanes
	lane      isa.LaneFunc
	warp      isa.WarpFunc
	product   *mma.Product
	products  int        // that are run together, from this one on
	chain     *mma.Chain // computes these
	alone     *mma.Chain // computes the product
	matrix    exec.MatrixFunc
	warpgroup exec.WarpgroupFunc
	async     *asyncOp
	texture   exec.TextureFunc
	// together runs an instruction across lanes of each warp that are all there; false on a fault. It is nil when
	// waiting is all the instruction does.
	together func(g *gang, o *op, lanes *masks) bool
	value    func(g *gang, o *op, w, lane int) uint64
	special  exec.Special
	barrier  isa.Barrier
	uniform  bool        // all lanes name the same barrier
	move     *matrixMove // of matrices to the register file itself
	step     *matrixStep // the same by machine code; nil where that can not
	callee   operand     // holds the address of an indirect call
	member   int         // source that names the lanes of the warp to wait for, -1 for all
	width    int         // bits of one part of a packed move
	count    int         // instructions of the segment that the step begins; of a special register: behind it in its segment
	counter  int         // where counts go, in bytes
	block    int         // that begins with the instruction
	enters   bool        // tells of that
}

// stop ends the turn of a fragment: it waits, ended, split or faulted.
const stop = -1

// prepare builds the program of k for gangs of the given number of warps.
func prepare(k *ir.Kernel, unit *vectorUnit, warps int, who listeners) (*program, error) {
	p := &program{kernel: k, unit: unit, who: who, warps: warps, regions: firstRegion, patterns: 1}
	onStack := make([]map[int]bool, len(k.Funcs))
	if unit.hasCode() {
		onStack = stackAccesses(k)
	}
	for i, f := range k.Funcs {
		fn := &function{ir: f, index: i, guards: map[int]int{}}
		b := newBuilder(p, fn, unit)
		b.onStack = onStack[i]
		if err := b.build(who); err != nil {
			return nil, err
		}
		p.funcs = append(p.funcs, fn)
	}
	p.expectHeat()
	return p, nil
}
