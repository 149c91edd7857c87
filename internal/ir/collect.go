package ir

import (
	"silica/internal/isa"
	"silica/ptx"
)

// frameAlign is the least alignment of a frame in local memory.
const frameAlign = 16

// A register is a virtual register of a function: while a function is lowered, Operand.Slot is an index
// into its registers. Rows takes their place at the end.
type register struct {
	bits int
	kind registerKind
	// index is the number in collector.consts or specials.
	index int
}

type registerKind uint8

const (
	variableRegister registerKind = iota // what instructions write
	constRegister
	specialRegister
	localBaseRegister
	localTopRegister
)

// registerKey names a register of the source: a declaration, the number in its set, the vector component.
type registerKey struct {
	variable  *ptx.Variable
	index     int
	component byte
}

// collector turns a function's statements into instructions over virtual registers, in source order.
// Branch targets are indices of that order.
type collector struct {
	*builder
	source    *ptx.Function
	entry     bool
	code      []Inst
	registers []register
	named     map[registerKey]int
	consts    []Const
	constAt   map[Const]int // register of a constant
	specials  []SpecialRow
	specialAt map[SpecialRow]int
	carry     int // register of CC.CF, -1 when unused
	base, top int // registers of the frame base and top, -1 when unused

	params, returns []Param
	// place holds the offset of each .param and .local variable.
	place     map[*ptx.Variable]Param
	callSpace int // bytes used so far for the parameters of calls
	localSize int

	// pool is where the operands of instructions are kept; dst and src are scratch memory for one.
	pool     []Operand
	dst, src []Operand

	labels  map[*ptx.Label]int
	jumps   []jump
	jump    *isa.Form        // of the jumps that lowering adds
	inst    *ptx.Instruction // being lowered
	hasAddr bool             // its Addr is taken
	loc     *Loc
	locs    map[[3]int]*Loc // the latest at each file, line and column
	err     error
}

// jump is a branch whose target is not known yet.
type jump struct {
	inst  int
	table int // in Targets, -1 for Target
	label *ptx.Label
}

func (b *builder) collect(f *ptx.Function, index int) (*collector, error) {
	c := &collector{
		builder: b, source: f, entry: index == 0,
		named: map[registerKey]int{}, constAt: map[Const]int{}, specialAt: map[SpecialRow]int{},
		carry: -1, base: -1, top: -1,
		place: map[*ptx.Variable]Param{}, labels: map[*ptx.Label]int{}, locs: map[[3]int]*Loc{},
	}
	c.placeParams()
	eachVariable(f.Body, func(v *ptx.Variable) {
		if v.Space == isa.Local {
			c.place[v] = c.allocate(paramOf(v))
		}
	})
	c.callSpace = c.localSize
	c.code = make([]Inst, 0, countInstructions(f.Body)+1)
	c.loadRegisterParams()
	c.block(f.Body)
	c.finish()
	return c, c.err
}

// countInstructions returns the number of instructions in a body.
func countInstructions(b *ptx.Block) (n int) {
	for _, st := range b.Body {
		switch st := st.(type) {
		case *ptx.Block:
			n += countInstructions(st)
		case *ptx.Instruction:
			n++
		}
	}
	return n
}

// fail keeps the first error.
func (c *collector) fail(pos ptx.Pos, format string, args ...any) {
	if c.err == nil {
		c.err = c.module.errorf(pos, format, args...)
	}
}

// allocate gives a variable its place after the others of the frame.
func (c *collector) allocate(p Param) Param {
	c.alignment = max(c.alignment, p.Align)
	p.Offset = alignUp(c.localSize, p.Align)
	c.localSize = p.Offset + p.Size
	return p
}

// block lowers the statements of a scope. The .param variables of a scope, which are those of a call,
// give their place to the next one.
func (c *collector) block(b *ptx.Block) {
	outer := c.callSpace
	for _, st := range b.Body {
		switch st := st.(type) {
		case *ptx.Block:
			c.block(st)
		case *ptx.Label:
			c.labels[st] = len(c.code)
		case *ptx.Variable:
			if st.Space == isa.ParamFunc || st.Space == isa.ParamEntry {
				c.place[st] = c.allocateCall(paramOf(st))
			}
		case *ptx.Loc:
			c.setLoc(st)
		case *ptx.Instruction:
			c.instruction(st)
		}
	}
	c.callSpace = outer
}

// allocateCall gives a parameter of a call its place.
func (c *collector) allocateCall(p Param) Param {
	c.alignment = max(c.alignment, p.Align)
	p.Offset = alignUp(c.callSpace, p.Align)
	c.callSpace = p.Offset + p.Size
	c.localSize = max(c.localSize, c.callSpace)
	return p
}

// finish ends the function with a ret where control can run off its end, and resolves branches.
func (c *collector) finish() {
	needsRet := len(c.code) == 0 || !ends(&c.code[len(c.code)-1])
	for _, at := range c.labels {
		needsRet = needsRet || at == len(c.code)
	}
	if needsRet {
		c.inst = &ptx.Instruction{Pos: c.source.Body.End, Opcode: "ret"}
		c.storeRegisterResults(None)
		c.emit(Inst{Form: c.form("ret", nil), Op: isa.OpRet, Guard: None, Addr: Addr{Base: None}})
	}
	c.jump = c.form("bra", nil, isa.Shape{Kind: isa.ShapeLabel})
	for _, j := range c.jumps {
		at, ok := c.labels[j.label]
		switch in := &c.code[j.inst]; {
		case !ok:
			c.fail(in.Pos, "label %s is not in the function %s", j.label.Name, c.source.Name)
		case j.table < 0:
			in.Target = at
		default:
			in.Targets[j.table] = at
		}
	}
}

// ends tells whether control never passes to the instruction after in.
func ends(in *Inst) bool { return in.Guard.Slot < 0 && leaves(in.Op) }

// leaves tells whether an operation sends the lanes that run it elsewhere.
func leaves(op isa.Op) bool {
	switch op {
	case isa.OpBranch, isa.OpBranchIndexed, isa.OpRet, isa.OpExit, isa.OpTrap:
		return true
	}
	return false
}

// emit appends an instruction at the current source position.
func (c *collector) emit(in Inst) {
	in.Pos, in.Loc, in.Target = c.inst.Pos, c.loc, -1
	in.Dst, in.Src = c.keep(in.Dst), c.keep(in.Src)
	c.code = append(c.code, in)
}

// keep copies a list of operands into the pool.
func (c *collector) keep(list []Operand) []Operand {
	const block = 1024
	n := len(list)
	if n == 0 {
		return nil
	}
	if len(c.pool)+n > cap(c.pool) {
		c.pool = make([]Operand, 0, max(block, n))
	}
	c.pool = append(c.pool, list...)
	return c.pool[len(c.pool)-n : len(c.pool) : len(c.pool)]
}

// form returns the form of an instruction that lowering adds.
func (c *collector) form(opcode string, mods []string, operands ...isa.Shape) *isa.Form {
	f, err := isa.Match(isa.Context{}, opcode, mods, operands)
	if err != nil {
		c.fail(c.inst.Pos, "%v", err)
	}
	return f
}

// instruction lowers one instruction.
func (c *collector) instruction(in *ptx.Instruction) {
	c.inst, c.hasAddr = in, false
	if in.Form == nil {
		c.fail(in.Pos, "the module was not checked")
		return
	}
	out := Inst{Form: in.Form, Op: in.Form.Row.Op, Guard: c.guard(in.Guard), Addr: Addr{Base: None}}
	out.Dst, out.Src = c.dst[:0], c.src[:0]
	if reason := in.Form.Row.Unsupported; reason != "" || out.Op == isa.OpNone {
		c.problem(in.Pos, "%s: %s", in.Form.Name(), reason)
	}
	switch out.Op {
	case isa.OpCall:
		c.call(out, in)
		return
	case isa.OpSpecial:
		c.movSpecial(out, in)
		return
	case isa.OpRet:
		c.storeRegisterResults(out.Guard)
	case isa.OpLoad, isa.OpStore, isa.OpAtom, isa.OpRed, isa.OpPrefetch:
		out.Mem = isa.AccessOf(in.Form)
	case isa.OpCvta:
		if space, _ := isa.CvtaOf(in.Form); space == isa.Global || space == isa.Const {
			out.Op = isa.OpMov // these addresses map to themselves
		}
	case isa.OpAlloca, isa.OpStackSave, isa.OpStackRestore:
		c.needFrame()
	}
	c.operands(&out, in)
	c.carryFlag(&out)
	c.countBarriers(&out)
	c.emit(out)
	c.dst, c.src = out.Dst, out.Src
}

// operands lowers all operands by the form's arguments, of which a pair has two.
func (c *collector) operands(out *Inst, in *ptx.Instruction) {
	args := in.Form.Args
	next := func(op ptx.Operand) {
		if len(args) == 0 {
			c.fail(in.Pos, "%s has more operands than its form", in.Form.Name())
			return
		}
		c.operand(out, op, args[0])
		args = args[1:]
	}
	for _, op := range in.Operands {
		if p, ok := op.(*ptx.Pair); ok {
			next(p.Left)
			next(p.Right)
		} else {
			next(op)
		}
	}
}

func (c *collector) operand(out *Inst, op ptx.Operand, arg isa.Arg) {
	switch arg.Kind {
	case isa.ArgAddress:
		c.address(out, op, arg)
	case isa.ArgLabel:
		if n, ok := op.(*ptx.Name); ok && n.Ref != nil && n.Ref.Label != nil {
			c.jumps = append(c.jumps, jump{len(c.code), -1, n.Ref.Label})
		}
	case isa.ArgTable:
		c.table(out, op)
	default:
		values := c.values(nil, op, arg)
		if arg.Write {
			out.Dst = append(out.Dst, values...)
		}
		if arg.Read {
			out.Src = append(out.Src, values...)
		}
	}
}

// table enters the targets of a brx.idx.
func (c *collector) table(out *Inst, op ptx.Operand) {
	n, ok := op.(*ptx.Name)
	if !ok || n.Ref == nil {
		return
	}
	t, ok := n.Ref.Table.(*ptx.Targets)
	if !ok {
		return
	}
	out.Targets = make([]int, len(t.Names))
	for i, target := range t.Names {
		if target.Ref != nil && target.Ref.Label != nil {
			c.jumps = append(c.jumps, jump{len(c.code), i, target.Ref.Label})
		}
	}
}

// carryFlag passes the condition code register as the last source and destination.
func (c *collector) carryFlag(out *Inst) {
	row := out.Form.Row
	reads := row.ReadsCarry != nil && row.ReadsCarry(out.Form)
	writes := row.WritesCarry != nil && row.WritesCarry(out.Form)
	if !reads && !writes {
		return
	}
	if c.carry < 0 {
		c.carry = c.newRegister(1)
	}
	cc := Operand{Slot: c.carry, Bits: 1}
	if reads {
		out.Src = append(out.Src, cc)
	}
	if writes {
		out.Dst = append(out.Dst, cc)
	}
}

// countBarriers keeps the number of named barriers.
func (c *collector) countBarriers(out *Inst) {
	if out.Op != isa.OpBarrier || len(out.Src) == 0 || out.Src[0].Slot < 0 {
		return
	}
	k := c.kernel
	if r := c.registers[out.Src[0].Slot]; r.kind == constRegister {
		k.Barriers = max(k.Barriers, int(c.consts[r.index].Value)+1)
	} else {
		k.Barriers = 16
	}
}

// newRegister returns a fresh virtual register.
func (c *collector) newRegister(bits int) int {
	c.registers = append(c.registers, register{bits: bits})
	return len(c.registers) - 1
}

// guard lowers @p or @!p.
func (c *collector) guard(g *ptx.Guard) Operand {
	if g == nil {
		return None
	}
	if g.Ref == nil || g.Ref.Var == nil {
		c.fail(g.Pos, "%s is no predicate register", g.Name)
		return None
	}
	return Operand{Slot: c.registerOf(registerKey{g.Ref.Var, g.Ref.Index, 0}, 1), Bits: 1, Negate: g.Negate}
}

// registerOf returns the virtual register of a name.
func (c *collector) registerOf(key registerKey, bits int) int {
	r, ok := c.named[key]
	if !ok {
		r = c.newRegister(bits)
		c.named[key] = r
	}
	return r
}

// needFrame asks for the rows of the frame's base and top.
func (c *collector) needFrame() {
	if c.base < 0 {
		c.base, c.top = len(c.registers), len(c.registers)+1
		c.registers = append(c.registers, register{bits: 32, kind: localBaseRegister}, register{bits: 32, kind: localTopRegister})
	}
}

// frameBase returns the operand that is added to offsets in the frame: None in an entry, whose frame
// starts at address 0.
func (c *collector) frameBase() Operand {
	if c.entry {
		return None
	}
	c.needFrame()
	return Operand{Slot: c.base, Bits: 32}
}
