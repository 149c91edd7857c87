package simd

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
)

// builder turns the instructions of a function into steps.
type builder struct {
	*program
	*function
	*code
	unit     *vectorUnit
	observed bool // memory accesses are reported
	counted  bool // accesses that lie alike are counted, to be reported together
	entered  bool // entries of basic blocks are reported
	compiles bool // runs of steps are marked for native code

	inst    *ir.Inst // being lowered
	pc      int
	end     int     // of the segment
	first   int     // its first step
	guarded bool    // under a guard step
	control uint64  // MXCSR as the steps so far leave it
	before  uint64  // MXCSR before it was last set
	shared  shared  // patterns known in the segment
	test    operand // scratch predicate
	scratch [3]operand
	zero1   operand // a predicate that is false
	jumps   []jump
	onStack map[int]bool // generic accesses that are of local memory
	run     *run         // being collected; nil when the last step has no native code
}

// jump is a step whose goal is an instruction.
type jump struct {
	step, pc int
	next     bool // in step.next, not in target
}

// Scratch predicates come first in a frame: one for results on the way, and one that is always false.
const scratchPredicates, testPredicate = 2, 0

func newBuilder(p *program, fn *function, unit *vectorUnit) *builder {
	b := &builder{program: p, function: fn, unit: unit}
	frame := &fn.ir.Frame
	b.test, b.zero1 = operand{offset: testPredicate, bits: 1}, operand{offset: predicateBytes, bits: 1}
	fn.rows = ((scratchPredicates+frame.Preds)*predicateBytes + 63) &^ 63
	for i := range b.scratch {
		b.scratch[i] = operand{offset: fn.rows, bits: 64}
		fn.rows += b.scratch[i].size(p.warps)
	}
	if unit.encoder != nil && fn.index == 0 {
		fn.spare = fn.rows
		fn.rows += spareRows * p.warps * rowBytes
	}
	fn.size = fn.rows + frame.Rows*p.warps*rowBytes
	return b
}

// narrow returns scratch row i as a 32-bit row.
func (b *builder) narrow(i int) operand { return operand{offset: b.scratch[i].offset, bits: 32} }

func (b *builder) operand(o ir.Operand) operand { return b.place(o, b.warps) }

// place returns where an operand is in the frame of a gang of the given size.
func (f *function) place(o ir.Operand, warps int) operand {
	switch {
	case o.Slot < 0:
		return operand{offset: -1, bits: o.Bits}
	case o.Bits == 1:
		return operand{offset: (scratchPredicates + o.Slot) * predicateBytes, bits: 1, negate: o.Negate}
	}
	return operand{offset: f.rows + o.Slot*warps*rowBytes, bits: o.Bits}
}

func (b *builder) operands(list []ir.Operand) []operand {
	out := make([]operand, len(list))
	for i, o := range list {
		out[i] = b.operand(o)
	}
	return out
}

func (b *builder) build(who listeners) error {
	if err := b.frame(); err != nil {
		return err
	}
	b.segments = b.findSegments()
	b.observed, b.counted = who.observer, who.observer && who.together
	b.compiles = b.unit.encoder != nil
	b.emit(&b.plain)
	if who.tracer {
		b.compiles = false
		b.observed, b.counted, b.entered = true, false, true
		b.emit(&b.traced)
	}
	return nil
}

// emit makes the code of the function.
func (b *builder) emit(c *code) {
	b.code, b.jumps = c, nil
	b.loose = map[int]work{}
	b.entry = make([]int32, len(b.function.ir.Code))
	for i := range b.segments {
		b.segment(&b.segments[i])
	}
	b.endRun()
	b.link()
	b.chainProducts()
	b.codeMatrices()
}

// frame prepares what fills a frame.
func (b *builder) frame() error {
	frame := &b.function.ir.Frame
	b.localBase, b.localTop = b.operand(frame.LocalBase), b.operand(frame.LocalTop)
	b.movesTop = slices.ContainsFunc(b.function.ir.Code, func(in ir.Inst) bool { return in.Op == isa.OpAlloca || in.Op == isa.OpStackRestore })
	b.zero = b.operands(frame.Zero)
	for _, c := range frame.Consts {
		b.consts = append(b.consts, constRow{c, b.operand(c.Row)})
	}
	for _, s := range frame.Specials {
		value, ok := exec.SpecialOf(s.Name)
		if !ok {
			return fmt.Errorf("%s: special register %s is unknown", b.kernel.Name, s.Name)
		}
		perLane := strings.HasPrefix(s.Name, "%tid") || strings.HasPrefix(s.Name, "%lane") || s.Name == "%warpid"
		b.specials = append(b.specials, specialRow{b.operand(s.Row), value, perLane})
	}
	return nil
}

// constant returns a row of the frame that holds a value.
func (b *builder) constant(value uint64, bits int) operand {
	for _, c := range b.consts {
		if c.Kind == ir.ConstValue && c.Value == value && c.row.bits == bits {
			return c.row
		}
	}
	c := constRow{ir.Const{Value: value}, operand{offset: b.size, bits: bits}}
	b.size += c.row.size(b.warps)
	b.consts = append(b.consts, c)
	return c.row
}

// anyConstant tells whether a register holds the same value in every lane.
func (b *builder) anyConstant(o operand) bool {
	for _, c := range b.consts {
		if c.Kind != ir.ConstLocal && c.row.offset == o.offset && c.row.bits == o.bits {
			return true
		}
	}
	return false
}

// isConstant tells whether a register holds the value in every lane.
func (b *builder) isConstant(o operand, value uint64) bool {
	for _, c := range b.consts {
		if c.Kind == ir.ConstValue && c.Value == value && c.row.offset == o.offset && c.row.bits == o.bits {
			return true
		}
	}
	return false
}

// steers tells whether an instruction ends a segment because it moves lanes, or waits.
func steers(op isa.Op) bool {
	switch op {
	case isa.OpBranch, isa.OpBranchIndexed, isa.OpCall, isa.OpRet, isa.OpExit, isa.OpBarrier, isa.OpBarrierCluster:
		return true
	}
	return false
}

// rendezvous tells whether an instruction waits for lanes of its warp. It is a segment of its own.
func rendezvous(in *ir.Inst) bool {
	switch in.Op {
	case isa.OpWarp, isa.OpBarrierWarp, isa.OpMatrix, isa.OpWarpgroup, isa.OpTensorMemory:
		waits, _ := isa.WarpSync(in.Form)
		return waits
	}
	return false
}

// findSegments cuts the code at the starts of blocks and where the next instruction is not the one after.
func (b *builder) findSegments() []segment {
	code := b.function.ir.Code
	starts := make([]bool, len(code)+1)
	for _, block := range b.function.ir.Blocks {
		starts[block.Start] = true
	}
	var out []segment
	start, counted := 0, 0
	for pc := range code {
		in := &code[pc]
		if !in.Synthetic {
			counted++
		}
		last := steers(in.Op) || rendezvous(in) || in.Next != pc+1 || starts[pc+1] || pc+1 == len(code) || rendezvous(&code[pc+1])
		if last {
			out = append(out, segment{start, pc + 1, b.counters, counted})
			b.counters += 16
			start, counted = pc+1, 0
		}
	}
	return out
}

// segment emits the steps of a segment.
func (b *builder) segment(s *segment) {
	code := b.function.ir.Code
	b.entry[s.start] = int32(len(b.steps))
	b.end = s.end
	b.control = defaultControl
	b.shared = newShared()
	b.begin(s)
	for pc := s.start; pc < s.end; pc++ {
		in := &code[pc]
		if steers(in.Op) || rendezvous(in) {
			b.setControl(defaultControl)
			b.inst, b.pc, b.first = in, pc, len(b.steps)
			if steers(in.Op) {
				b.steer()
			} else if b.meetsInCode() {
				b.lower()
			}
			b.finish()
			continue
		}
		if in.Guard.Slot < 0 {
			b.straight(pc)
			continue
		}
		end := b.guardedRun(pc, s.end)
		b.guardedSteps(pc, end)
		pc = end - 1
	}
	b.setControl(defaultControl)
	last := &code[s.end-1]
	if !steers(last.Op) && last.Next >= 0 && last.Next != s.end {
		b.jump(last.Next)
	}
}

// guardedSteps emits instructions under one guard. What comes behind runs whether they are skipped or not.
func (b *builder) guardedSteps(start, end int) {
	control := b.control
	guard := b.guardStep(start).index
	b.guarded = true
	for pc := start; pc < end; pc++ {
		b.guards[pc] = b.ops[guard].counter
		b.straight(pc)
	}
	b.guarded = false
	b.setControl(control)
	b.shared.leaveGuard()
	b.ops[guard].target = len(b.steps)
}

// guardedRun returns the end of the instructions from pc on that one guard step can serve.
func (b *builder) guardedRun(pc, end int) int {
	code := b.function.ir.Code
	guard := code[pc].Guard
	for ; pc < end; pc++ {
		in := &code[pc]
		if in.Guard != guard || steers(in.Op) || rendezvous(in) {
			return pc
		}
		for _, d := range in.Dst {
			if d.Bits == 1 && d.Slot == guard.Slot {
				return pc + 1
			}
		}
	}
	return pc
}

// straight emits an instruction that is not the last of its lanes' straight line.
func (b *builder) straight(pc int) {
	b.inst, b.pc, b.first = &b.function.ir.Code[pc], pc, len(b.steps)
	b.lower()
	b.finish()
	for _, d := range b.inst.Dst {
		b.shared.forget(b.operand(d), b.warps)
	}
}

// finish completes the steps of the instruction.
func (b *builder) finish() {
	for i := b.first; i < len(b.ops); i++ {
		b.ops[i].after = len(b.steps)
	}
}

// add appends a step without native code, with what Go knows of it.
func (b *builder) add(s step, o op) *op {
	b.endRun()
	return b.append(s, o)
}

func (b *builder) append(s step, o op) *op {
	o.fn, o.index = b.function, len(b.steps)
	if b.inst != nil {
		o.inst, o.pc = b.inst, b.pc
	}
	o.guarded = b.guarded
	b.steps = append(b.steps, s)
	b.ops = append(b.ops, o)
	return &b.ops[len(b.ops)-1]
}

// goStep appends a step that only Go runs.
func (b *builder) goStep(run func(g *gang, f *fragment, o *op) int) *op {
	var s step
	if b.unit.hasCode() {
		s.code = b.unit.controls[controlExit]
	}
	return b.add(s, b.goOp(run))
}

// goOp returns what Go knows of a step of the instruction.
func (b *builder) goOp(run func(g *gang, f *fragment, o *op) int) op {
	return op{run: run, guard: b.operand(b.inst.Guard), dst: b.operands(b.inst.Dst), srcs: b.operands(b.inst.Src), member: -1}
}

// controlStep appends a step of the control table that Go can run as well.
func (b *builder) controlStep(control int, s step, o op) *op {
	if b.unit.hasCode() {
		s.code = b.unit.controls[control]
	}
	return b.add(s, o)
}

func (b *builder) begin(s *segment) {
	b.inst, b.pc = &b.function.ir.Code[s.start], s.start
	n := s.end - s.start
	st := step{d: uint32(s.counter), x: uint32(s.start), y: uint32(n)}
	o := op{run: runBegin, count: n, counter: s.counter}
	o.block, o.enters = b.blockAt(s.start)
	control := controlBegin
	if rendezvous(b.inst) {
		control, o.run = controlRendezvous, runRendezvous
		_, o.member = isa.WarpSync(b.inst.Form)
		o.guard, o.dst, o.srcs = b.operand(b.inst.Guard), b.operands(b.inst.Dst), b.operands(b.inst.Src)
		b.together(&o)
		if !b.meetsInCode() {
			control = controlExit
			if b.compiles {
				b.waitsLoosely()
			}
		}
	}
	o.after = len(b.steps) + 1
	b.controlStep(control, st, o)
	if o.enters && control != controlExit {
		b.goStep(runEnter).block = o.block
	}
}

// waitsLoosely notes what native code of the whole kernel does for an instruction across lanes that the next step leaves to Go.
func (b *builder) waitsLoosely() {
	if w, _, ok := b.warpWork(); ok && w.kind != stepped {
		w.step = len(b.steps)
		b.loose[w.step] = w
	}
}

// blockAt returns the basic block that begins with the instruction at pc, and whether to tell of one.
func (b *builder) blockAt(pc int) (block int, enters bool) {
	if !b.entered {
		return 0, false
	}
	return slices.BinarySearchFunc(b.function.ir.Blocks, pc, func(block ir.Block, pc int) int { return block.Start - pc })
}

// negation returns what the bits of a predicate are inverted with.
func negation(o operand) uint64 {
	if o.negate {
		return math.MaxUint32
	}
	return 0
}

// guardStep emits the guard of the instruction at pc and those behind it.
func (b *builder) guardStep(pc int) *op {
	b.inst, b.pc = &b.function.ir.Code[pc], pc
	guard, counter := b.operand(b.inst.Guard), b.guardCounter()
	s := step{a: uint32(guard.offset), imm: negation(guard), x: uint32(counter)}
	if b.unit.hasCode() {
		s.code = b.unit.controls[controlGuard]
	}
	o := b.native(work{kind: guards, srcs: []operand{guard}, counter: counter}, s, op{run: runGuard, guard: guard, counter: counter})
	o.after = o.index + 1
	return o
}

// jump emits a step that goes to an instruction.
func (b *builder) jump(pc int) {
	b.jumps = append(b.jumps, jump{len(b.steps), pc, false})
	b.controlStep(controlJump, step{}, op{run: runJump})
}

// setControl emits a change of rounding and flushing when it is needed.
func (b *builder) setControl(control uint64) {
	if control == 0 || control == b.control {
		return
	}
	b.before, b.control = b.control, control
	if b.unit.hasCode() {
		b.native(work{kind: setsControl, imm: control}, step{code: b.unit.controls[controlSetControl], imm: control}, op{})
	}
}

// link puts the addresses of steps in the steps that go elsewhere.
func (b *builder) link() {
	for _, j := range b.jumps {
		goal := int(b.entry[j.pc])
		if j.next {
			b.steps[j.step].next = b.stepAddress(goal)
			continue
		}
		b.ops[j.step].target = goal
		b.steps[j.step].target = b.stepAddress(goal)
	}
	for i := range b.ops {
		if o := &b.ops[i]; o.target > 0 && b.steps[i].target == 0 {
			b.steps[i].target = b.stepAddress(o.target)
		}
	}
}

func (b *builder) stepAddress(step int) uintptr { return uintptr(unsafe.Pointer(&b.steps[step])) }
