package simd

import (
	"strings"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/isa"
)

// lower emits the steps of an instruction that goes straight on.
func (b *builder) lower() {
	in := b.inst
	switch in.Op {
	case isa.OpLane:
		if !b.lowerLane() {
			b.goStep(runLanes).lane = in.Form.Row.Lane(in.Form)
		}
	case isa.OpMov:
		if !b.lowerMove() {
			o := b.goStep(runMove)
			o.width = isa.ParseType(in.Form.Get("type")).Bits() / max(len(in.Src), len(in.Dst), 1)
		}
	case isa.OpWarp, isa.OpBarrierWarp, isa.OpMatrix, isa.OpWarpgroup, isa.OpTensorMemory:
		if !b.lowerWarp() {
			b.together(b.goStep(runWarp))
		}
	case isa.OpAsync:
		b.lowerAsync()
	case isa.OpTexture:
		o := b.goStep(runWarp)
		o.texture, o.mem, o.together = exec.TextureOf(in.Form), b.address(in.Addr), textureLanes
	case isa.OpLoad, isa.OpStore, isa.OpAtom, isa.OpRed:
		b.lowerMemory()
	case isa.OpCvta:
		b.lowerCvta()
	case isa.OpFence:
		b.controlStep(controlFence, step{}, op{run: runFence})
	case isa.OpTrap:
		b.goStep(runTrap)
	case isa.OpAlloca:
		b.goStep(runAlloca)
	case isa.OpStackRestore:
		b.goStep(runStackRestore)
	case isa.OpNanosleep:
		b.poll()
		b.goStep(runNanosleep)
	case isa.OpPrefetch, isa.OpNop:
	case isa.OpSpecial:
		o := b.goStep(runSpecial)
		o.special, _ = exec.SpecialOf(in.Special)
		o.count = b.end - b.pc - 1
	default:
		b.goStep(runValue).value = valueOf(in)
	}
}

// poll emits the note that the lanes may be waiting for others.
func (b *builder) poll() { b.controlStep(controlPoll, step{}, op{run: runPoll}) }

// lanesOf is where in the machine the pointer to the masks of the instruction is.
func (b *builder) lanesOf() uint32 {
	if b.guarded {
		return uint32(unsafe.Offsetof(machine{}.guardedLanes))
	}
	return lanesOffset
}

func (b *builder) masksOffset() uint32 {
	if b.guarded {
		return uint32(unsafe.Offsetof(machine{}.guarded))
	}
	return uint32(unsafe.Offsetof(machine{}.masks))
}

// kernelStep emits a kernel on operands that it fits.
func (b *builder) kernelStep(k kernel, dst operand, srcs ...operand) {
	b.setControl(k.control)
	b.native(work{kind: computes, kernel: k, dst: dst, srcs: srcs}, b.stepOf(k, dst, srcs...), op{})
}

// stepOf returns the step of a kernel on operands.
func (b *builder) stepOf(k kernel, dst operand, srcs ...operand) step {
	s := step{code: k.code, d: uint32(dst.offset), lanes: b.lanesOf()}
	for i, at := range []*uint32{&s.a, &s.b, &s.c, &s.e} {
		if i < len(srcs) {
			*at = uint32(srcs[i].offset)
		}
	}
	return s
}

// try emits the kernel of a name if there is one that fits.
func (b *builder) try(name string, dst operand, srcs ...operand) bool {
	k, ok := b.unit.kernel(name, dst, srcs...)
	if ok {
		b.kernelStep(k, dst, srcs...)
	}
	return ok
}

// predicateStep emits a step on predicates: d = a op b.
func (b *builder) predicateStep(control int, d, a, c operand) {
	w, s := b.predicateWork(control, d, a, c)
	b.native(w, s, op{})
}

func (b *builder) predicateWork(control int, d, a, c operand) (work, step) {
	return work{kind: combines, control: control, dst: d, srcs: []operand{a, c}}, step{
		code: b.unit.controls[control], d: uint32(d.offset), a: uint32(a.offset), b: uint32(c.offset),
		imm: negation(a) | negation(c)<<32, lanes: b.masksOffset(),
	}
}

// lowerLane emits kernels for a row's scalar semantics; it reports false when there are none.
func (b *builder) lowerLane() bool {
	if !b.unit.hasCode() {
		return false
	}
	form := b.inst.Form
	dst, srcs := b.operands(b.inst.Dst), b.operands(b.inst.Src)
	if dropped(dst) {
		return true
	}
	switch form.Opcode {
	case "setp":
		return b.lowerSetp(dst, srcs)
	case "set":
		return b.lowerSet(dst, srcs)
	case "and", "or", "xor", "not":
		if dst[0].bits == 1 {
			return b.lowerLogic(form.Opcode, dst, srcs)
		}
	case "selp":
		if c := &srcs[2]; c.negate {
			srcs[0], srcs[1], c.negate = srcs[1], srcs[0], false
		}
	}
	if form.Row.WritesCarry != nil {
		return b.lowerCarry(dst, srcs)
	}
	if len(dst) == 1 && b.try(form.Name(), dst[0], srcs...) {
		return true
	}
	return form.Opcode == "cvt" && len(srcs) == 1 && b.lowerConversion(dst[0], srcs[0])
}

// dropped tells whether no destination is kept.
func dropped(dst []operand) bool {
	for _, d := range dst {
		if d.offset >= 0 {
			return false
		}
	}
	return true
}

var logicControls = map[string]int{"and": controlPredAnd, "or": controlPredOr, "xor": controlPredXor}

func (b *builder) lowerLogic(opcode string, dst, srcs []operand) bool {
	if opcode == "not" {
		srcs[0].negate = !srcs[0].negate
		b.predicateStep(controlPredMov, dst[0], srcs[0], srcs[0])
		return true
	}
	b.predicateStep(logicControls[opcode], dst[0], srcs[0], srcs[1])
	return true
}

// comparison returns the name of the kernel that compares for a set or setp.
func comparison(f *isa.Form) string {
	name := "setp" + f.Get("CmpOp")
	if f.Has(".ftz") {
		name += ".ftz"
	}
	return name + f.Get("type")
}

// lowerSetp compares, and unless the result alone is wanted combines it and its complement with a predicate.
func (b *builder) lowerSetp(dst, srcs []operand) bool {
	form := b.inst.Form
	combine := form.Get("BoolOp")
	k, ok := b.unit.kernel(comparison(form), b.test, srcs[:2]...)
	if !ok {
		return false
	}
	alone := len(dst) == 1 || dst[1].offset < 0
	if combine == "" && alone {
		b.kernelStep(k, dst[0], srcs[:2]...)
		return true
	}
	b.kernelStep(k, b.test, srcs[:2]...)
	results := []operand{b.test, {offset: b.test.offset, bits: 1, negate: true}}
	order := []int{0, 1}
	if combine != "" && dst[0].offset == srcs[2].offset {
		order = []int{1, 0} // the predicate is read before it is overwritten
	}
	for _, i := range order {
		switch {
		case i >= len(dst) || dst[i].offset < 0:
		case combine == "":
			b.predicateStep(controlPredMov, dst[i], results[i], results[i])
		default:
			b.predicateStep(logicControls[combine[1:]], dst[i], results[i], srcs[2])
		}
	}
	return true
}

// lowerSet compares and turns the predicate into a value.
func (b *builder) lowerSet(dst, srcs []operand) bool {
	form := b.inst.Form
	k, ok := b.unit.kernel(comparison(form), b.test, srcs[:2]...)
	name := "ones 32"
	if form.Get("dtype") == ".f32" {
		name = "one 32"
	}
	expand, fits := b.unit.kernel(name, dst[0], b.test)
	if !ok || !fits {
		return false
	}
	b.kernelStep(k, b.test, srcs[:2]...)
	if combine := form.Get("BoolOp"); combine != "" {
		b.predicateStep(logicControls[combine[1:]], b.test, b.test, srcs[2])
	}
	b.kernelStep(expand, dst[0], b.test)
	return true
}

// lowerCarry emits extended-precision additions: the carry out first, since the sum may overwrite a source.
func (b *builder) lowerCarry(dst, srcs []operand) bool {
	form := b.inst.Form
	width := "32"
	if dst[0].bits == 64 {
		width = "64"
	}
	reads := form.Row.ReadsCarry != nil
	opcode := form.Opcode // add, addc, sub, subc
	if c, ok := strings.CutPrefix(opcode, "mad"); ok {
		product := operand{offset: b.scratch[0].offset, bits: srcs[0].bits}
		if !b.try("mul"+form.Get("mode")+form.Get("type"), product, srcs[:2]...) {
			return false
		}
		opcode, srcs = "add"+c, append([]operand{product}, srcs[2:]...)
	}
	sum := opcode[:3] + " carry " + width
	if !reads {
		sum = opcode[:3] + form.Get("type")
	}
	carry, ok := b.unit.kernel("carry "+opcode+" "+width, b.test, srcs...)
	total, fits := b.unit.kernel(sum, operand{offset: 0, bits: dst[0].bits}, srcs...)
	if !ok || !fits {
		return false
	}
	writes := len(dst) > 1 && dst[1].offset >= 0
	if writes {
		b.kernelStep(carry, b.test, srcs...)
	}
	if dst[0].offset >= 0 {
		b.kernelStep(total, dst[0], srcs...)
	}
	if writes {
		b.predicateStep(controlPredMov, dst[1], b.test, b.test)
	}
	return true
}

// lowerMove emits moves of one register, and the packing and unpacking of halves.
func (b *builder) lowerMove() bool {
	if !b.unit.hasCode() {
		return false
	}
	dst, srcs := b.operands(b.inst.Dst), b.operands(b.inst.Src)
	switch {
	case dropped(dst):
		return true
	case len(dst) == 1 && len(srcs) == 1 && dst[0].bits == 1 && srcs[0].bits == 1:
		b.predicateStep(controlPredMov, dst[0], srcs[0], srcs[0])
		return true
	case len(dst) == 1 && len(srcs) == 1 && dst[0].bits == srcs[0].bits && dst[0].bits <= 64:
		return b.try("mov", dst[0], srcs[0])
	case len(dst) == 1 && len(srcs) == 2:
		return b.try("pack", dst[0], srcs...)
	case len(dst) == 2 && len(srcs) == 1 && srcs[0].bits == 2*dst[0].bits && dst[0].bits == dst[1].bits:
		return b.unpack(dst, srcs[0])
	}
	return false
}

// unpack emits the halves of src; the one that overwrites it comes last.
func (b *builder) unpack(dst []operand, src operand) bool {
	names := []string{"unpack low", "unpack high"}
	any := operand{bits: dst[0].bits}
	if _, ok := b.unit.kernel(names[0], any, src); !ok {
		return false
	}
	order := []int{0, 1}
	if dst[0].overlaps(src, b.warps) {
		order = []int{1, 0}
	}
	for _, i := range order {
		if dst[i].offset >= 0 {
			b.try(names[i], dst[i], src)
		}
	}
	return true
}

// lowerCvta adds the start of a space's window, or takes it away.
func (b *builder) lowerCvta() {
	in := b.inst
	space, fromGeneric := isa.CvtaOf(in.Form)
	window := exec.Window(space)
	if fromGeneric {
		window = -window
	}
	dst, src := b.operand(in.Dst[0]), b.operand(in.Src[0])
	switch {
	case b.unit.hasCode() && dst.offset < 0:
	case b.unit.hasCode() && window == 0 && dst.bits == src.bits && b.try("mov", dst, src):
	case b.unit.hasCode() && dst.bits == 64 && b.try("add.u64", dst, src, b.constant(window, 64)):
	default:
		b.goStep(runValue).value = func(g *gang, o *op, w, lane int) uint64 { return g.read(o.srcs[0], w, lane) + window }
	}
}

// meetsInCode tells whether a warp-synchronous instruction has machine code for the case that all lanes of
// its warps are there: its member mask has to name all of them.
func (b *builder) meetsInCode() bool {
	in := b.inst
	if !b.unit.hasCode() || in.Guard.Slot >= 0 {
		return false
	}
	_, member := isa.WarpSync(in.Form)
	return member >= 0 && b.isConstant(b.operand(in.Src[member]), 1<<warpLanes-1) && (in.Op == isa.OpBarrierWarp || b.hasWarpKernel())
}

// together binds what an instruction across the lanes of a warp does once they are there.
func (b *builder) together(o *op) {
	switch form := b.inst.Form; {
	case b.inst.Op == isa.OpMatrix:
		b.bindMatrix(o)
	case b.inst.Op == isa.OpWarpgroup:
		o.warpgroup, o.together = exec.WarpgroupOf(form), warpgroupLanes
	case b.inst.Op == isa.OpTensorMemory:
		o.async, o.together = b.tensorOp(), tensorLanes
	case form.Row.Warp != nil:
		o.warp, o.together = form.Row.Warp(form), acrossLanes
		if r := reductionOf(form); r != nil && o.srcs[0].bits == 32 && o.dst[0].bits == 32 && o.dst[0].offset >= 0 {
			o.together = r.run
		}
		b.bindProduct(o)
	}
}

// lowerWarp emits an instruction that works across the lanes of a warp, for the lanes that are there.
func (b *builder) lowerWarp() bool {
	if !b.unit.hasCode() {
		return false
	}
	if b.inst.Op == isa.OpBarrierWarp {
		return true
	}
	w, s, ok := b.warpWork()
	if ok && w.kind != stepped {
		b.native(w, s, op{})
	}
	return ok
}

func (b *builder) hasWarpKernel() bool {
	_, _, ok := b.warpWork()
	return ok
}

// warpWork returns what native code does for an instruction across lanes, and its step; stepped where there is nothing to do, false when there is no
// machine code.
func (b *builder) warpWork() (w work, s step, ok bool) {
	form := b.inst.Form
	dst, srcs := b.operands(b.inst.Dst), b.operands(b.inst.Src)
	switch form.Opcode {
	case "shfl":
		mode := form.Get("mode")[1:]
		k, ok := b.unit.kernel("shuffle "+mode, operand{bits: 32}, srcs[:3]...)
		if !ok {
			return w, s, false
		}
		d, inRange := dst[0], b.test
		if d.offset < 0 {
			d = b.narrow(0)
		}
		if len(dst) > 1 && dst[1].offset >= 0 {
			inRange = dst[1]
		}
		srcs = []operand{srcs[0], srcs[1], srcs[2], inRange}
		return work{kind: exchanges, mode: mode, dst: d, srcs: srcs}, b.stepOf(k, d, srcs...), true
	case "vote", "activemask":
		if dst[0].offset < 0 {
			return w, s, true
		}
		vote := operand{offset: b.zero1.offset, bits: 1, negate: true}
		if form.Opcode == "vote" {
			vote = srcs[0]
		}
		if control, ok := voteControls[form.Get("mode")]; ok && form.Opcode == "vote" && dst[0].bits == 1 {
			w, s = b.predicateWork(control, dst[0], vote, vote)
			return w, s, true
		}
		k, ok := b.unit.kernel("ballot", dst[0], operand{bits: 1})
		s = b.stepOf(k, dst[0], vote)
		s.imm = negation(vote)
		return work{kind: exchanges, mode: ballot, dst: dst[0], srcs: []operand{vote}}, s, ok
	}
	return w, s, false
}

// ballot is the mode of an exchange that gives all lanes the bits of a predicate.
const ballot = "ballot"

var voteControls = map[string]int{".all": controlVoteAll, ".any": controlVoteAny, ".uni": controlVoteUni}
