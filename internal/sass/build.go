package sass

import (
	"silica/internal/ir"
	"silica/internal/isa"
)

// variable is a register of the ir function: its row (or predicate) and width.
type variable struct{ slot, bits int }

func variableOf(o ir.Operand) variable { return variable{o.Slot, o.Bits} }

// builder turns a function into a graph, by Braun et al., "Simple and efficient construction of static single
// assignment form" (2013).
type builder struct {
	*graph
	fixed map[variable]*value // constants and special registers
	block *block
}

// newGraph builds the graph of a function.
func newGraph(p *plan, fn *ir.Func, arch Arch) *graph {
	g := &graph{arch: arch, kernel: p.kernel, plan: p, fn: fn, leaves: map[leafKey]*value{}, replaced: map[*value]*value{}}
	b := builder{graph: g, fixed: map[variable]*value{}}
	b.frame()
	b.edges()
	b.enter()
	for _, blk := range g.reversePostOrder() {
		b.fill(blk)
	}
	return g
}

// frame enters the rows that instructions never write.
func (b *builder) frame() {
	for _, c := range b.fn.Frame.Consts {
		var v *value
		switch c.Kind {
		case ir.ConstGlobal, ir.ConstFunc:
			v = b.leafOf(opGlobal, width(c.Row.Bits), c.Value, b.symbol(c))
		case ir.ConstShared:
			v = b.constant(c.Value, width(c.Row.Bits))
			if b.arch.sharedWindow() {
				v = b.leafOf(opShared, width(c.Row.Bits), c.Value, "")
			}
		case ir.ConstLocal:
			v = b.leafOf(opSpecial, width(c.Row.Bits), c.Value, "frame")
		default:
			v = b.constant(c.Value, width(c.Row.Bits))
		}
		b.fixed[variableOf(c.Row)] = v
		if c.Row.Bits <= 32 && c.Row.Bits > 1 { // registers of fewer bits are read as wide as the instruction has them
			for _, bits := range []int{8, 16, 32} {
				b.fixed[variable{c.Row.Slot, bits}] = v
			}
		}
	}
	for _, s := range b.fn.Frame.Specials {
		b.fixed[variableOf(s.Row)] = b.special(s.Name, width(s.Row.Bits))
	}
	for _, base := range []ir.Operand{b.fn.Frame.LocalBase, b.fn.Frame.LocalTop} {
		if base.Slot >= 0 {
			b.fixed[variableOf(base)] = b.leafOf(opSpecial, width(base.Bits), 0, "frame")
		}
	}
}

func (b *builder) symbol(c ir.Const) string {
	if c.Kind == ir.ConstFunc {
		return b.kernel.Funcs[c.Symbol].Name
	}
	return b.kernel.Module.Globals[c.Symbol].Name
}

// special returns a special register; the block's and the grid's extents are in the constant bank.
func (b *builder) special(name string, bits int) *value {
	v := b.leafOf(opSpecial, bits, 0, name)
	return v
}

// width is the width of the machine registers that hold a register of PTX.
func width(bits int) int {
	if bits == 1 || bits > 32 {
		return bits
	}
	return 32
}

// edges makes the blocks.
func (b *builder) edges() {
	for i := range b.fn.Blocks {
		b.blocks = append(b.blocks, &block{index: i, source: i, tail: i, defs: map[variable]*value{}, open: map[variable]*value{}})
	}
	b.origin = append(b.origin, b.blocks...)
	for i, blk := range b.fn.Blocks {
		from := b.blocks[i]
		for _, s := range blk.Succs {
			if s >= len(b.blocks) {
				continue
			}
			to := b.blocks[s]
			from.succs = append(from.succs, to)
			to.preds = append(to.preds, from)
		}
	}
}

// reversePostOrder numbers the blocks that are reached, those first that come first.
func (g *graph) reversePostOrder() []*block {
	var order []*block
	for _, blk := range g.blocks {
		blk.reached = false
	}
	var visit func(*block)
	visit = func(blk *block) {
		blk.reached = true
		for i := len(blk.succs) - 1; i >= 0; i-- {
			if !blk.succs[i].reached {
				visit(blk.succs[i])
			}
		}
		order = append(order, blk)
	}
	if len(g.blocks) > 0 {
		visit(g.blocks[0])
	}
	for i, j := 0, len(order)-1; i < j; i, j = i+1, j-1 {
		order[i], order[j] = order[j], order[i]
	}
	for i, blk := range order {
		blk.order = i
	}
	return order
}

// fill adds the instructions of a block.
func (b *builder) fill(blk *block) {
	ready := true
	for _, p := range blk.preds {
		ready = ready && (!p.reached || p.defs == nil || p.filled())
	}
	if ready {
		b.seal(blk)
	}
	b.block = blk
	source := b.fn.Blocks[blk.source]
	for pc := source.Start; pc < source.End; pc++ {
		b.instruction(&b.fn.Code[pc], pc)
	}
	blk.open[variable{-1, 0}] = nil // marks the block as filled
	for _, s := range blk.succs {
		done := true
		for _, p := range s.preds {
			done = done && (p.filled() || !p.reached)
		}
		if done {
			b.seal(s)
		}
	}
}

func (blk *block) filled() bool {
	_, ok := blk.open[variable{-1, 0}]
	return ok
}

// seal completes the phis of a block whose predecessors are all filled.
func (b *builder) seal(blk *block) {
	if blk.sealed {
		return
	}
	blk.sealed = true
	for k, phi := range blk.open {
		if phi != nil {
			b.complete(blk, k, phi)
		}
	}
}

func (b *builder) complete(blk *block, k variable, phi *value) {
	for _, p := range blk.preds {
		phi.args = append(phi.args, b.read(p, k))
	}
}

func (b *builder) write(blk *block, k variable, v *value) { blk.defs[k] = v }

// read returns what a variable holds at the end of what is known of a block.
func (b *builder) read(blk *block, k variable) *value {
	if v := b.fixed[k]; v != nil {
		return v
	}
	if v := blk.defs[k]; v != nil {
		return v
	}
	var v *value
	switch {
	case !blk.sealed:
		v = b.phi(blk, k)
		blk.open[k] = v
	case len(blk.preds) == 0:
		v = b.leafOf(opUndef, width(k.bits), 0, "")
	case len(blk.preds) == 1:
		v = b.read(blk.preds[0], k)
	default:
		v = b.phi(blk, k)
		b.write(blk, k, v)
		b.complete(blk, k, v)
	}
	b.write(blk, k, v)
	return v
}

func (b *builder) phi(blk *block, k variable) *value {
	v := b.newValue(opPhi, width(k.bits))
	v.block = blk
	blk.phis = append(blk.phis, v)
	return v
}

// emit appends a value to the current block.
func (b *builder) emit(in *ir.Inst, pc int, v *value) *value {
	v.inst, v.pc, v.block = in, pc, b.block
	b.block.values = append(b.block.values, v)
	return v
}

// make appends a pure value.
func (b *builder) make(in *ir.Inst, pc int, o op, bits int, typ isa.Type, args ...*value) *value {
	v := b.newValue(o, bits, args...)
	v.typ = typ
	return b.emit(in, pc, v)
}

// instruction adds one instruction.
func (b *builder) instruction(in *ir.Inst, pc int) {
	args := make([]*value, len(in.Src))
	for i, s := range in.Src {
		args[i] = b.operand(in, pc, s)
	}
	t := translation{builder: b, in: in, pc: pc, args: args}
	t.translate()
}

// operand reads a source.
func (b *builder) operand(in *ir.Inst, pc int, o ir.Operand) *value {
	if o.Slot < 0 {
		return b.leafOf(opUndef, width(o.Bits), 0, "")
	}
	v := b.read(b.block, variableOf(o))
	if o.Negate {
		n := b.make(in, pc, opNot, 1, isa.NoType, v)
		return n
	}
	return v
}
