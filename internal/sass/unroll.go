package sass

import (
	"silica/internal/isa"
	"silica/ptx"
)

// Limits of what ptxas repeats, found with loops of growing bodies.
const (
	unrollFactor  = 4
	unrollPlain   = 21 // instructions of a loop that reads no memory
	unrollReading = 37 // of one that does
	// Of a loop with a known number of runs: all repetitions together; one, where it accesses memory and is repeated as often as
	// it runs; one, where it does so at most unrollFactor times.
	unrollCompletely = 20000
	unrollSmall      = 24
	unrollShort      = 48
)

// counter is how a loop counts: by adding step to phi until a comparison with bound fails.
type counter struct {
	phi, next, test *value
	step            int64
	runs            int // 0 when not known
}

// unroll repeats the bodies of innermost loops of one block that count.
func (g *graph) unroll() {
	kept := g.notUnrolled()
	trial := g.selectCode(g.fn.Name)
	for _, l := range g.loops {
		b := l.head
		if len(l.blocks) != 1 || b.taken != b || len(b.leave.args) == 0 || kept[b] || !g.repeats(b) {
			continue
		}
		c, ok := counting(b)
		if !ok {
			continue
		}
		size, reads := sizeOf(trial.Blocks[b.index])-g.fewerAccesses(b), readsMemory(b)
		switch limit := map[bool]int{true: unrollReading, false: unrollPlain}[reads]; {
		case c.runs > 0 && wholly(b, size, c.runs):
			g.unrollWhole(b, c.runs)
		case c.runs > 0 && size <= unrollShort && c.runs%unrollFactor == 0:
			g.unrollPart(b, l.preheader())
		case size <= limit:
			g.unrollPart(b, l.preheader())
		}
	}
	g.renumber()
}

// wholly tells whether all runs of a loop are written out.
func wholly(b *block, size, runs int) bool {
	switch {
	case size*runs > unrollCompletely:
		return false
	case !accesses(b) || size <= unrollSmall:
		return true
	}
	return size <= unrollShort && runs <= unrollFactor
}

// accesses tells whether a block loads or stores.
func accesses(b *block) bool {
	for _, v := range b.values {
		if v.needed && (v.op == opLoad || v.op == opStore) {
			return true
		}
	}
	return false
}

// notUnrolled lists the blocks that a pragma keeps from being unrolled.
func (g *graph) notUnrolled() map[*block]bool {
	out := map[*block]bool{}
	var lines []int
	var walk func(*ptx.Block)
	walk = func(b *ptx.Block) {
		for _, st := range b.Body {
			switch st := st.(type) {
			case *ptx.Block:
				walk(st)
			case *ptx.Pragma:
				for _, t := range st.Text {
					if t == "nounroll" {
						lines = append(lines, st.Pos.Line)
					}
				}
			}
		}
	}
	for _, d := range g.kernel.Module.Source.Decls {
		if f, ok := d.(*ptx.Function); ok && f.Body != nil && f.Name == g.fn.Name {
			walk(f.Body)
		}
	}
	for _, line := range lines {
		var best *block
		for _, b := range g.blocks {
			at := g.fn.Code[g.fn.Blocks[b.source].Start].Pos.Line
			if at >= line && (best == nil || at < g.fn.Code[g.fn.Blocks[best.source].Start].Pos.Line) {
				best = b
			}
		}
		if best != nil {
			out[best] = true
		}
	}
	return out
}

// repeats tells whether every instruction of a block may be repeated. Before Hopper loads of matrices are not.
func (g *graph) repeats(b *block) bool {
	for _, v := range b.values {
		if v.op == opLoad && (v.inst.Addr.Space == isa.Const || v.inst.Addr.Space == isa.Local) {
			return false
		}
		if v.op != opOther {
			continue
		}
		switch v.inst.Op {
		case isa.OpLane, isa.OpMov, isa.OpWarp, isa.OpBarrier, isa.OpBarrierWarp, isa.OpAtom, isa.OpRed, isa.OpTexture:
		case isa.OpMatrix:
			if g.arch.SM < 90 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// counting recognises the counter of a loop of one block.
func counting(b *block) (counter, bool) {
	test := b.leave.args[0]
	not := b.leave.guardNot
	for test.op == opNot {
		test, not = test.args[0], !not
	}
	if test.op != opCompare || test.typ.Bits() != 32 || test.typ.Kind() == isa.Float || test.block != b {
		return counter{}, false
	}
	next, bound := test.args[0], test.args[1]
	if bound.block == b {
		next, bound = bound, next
	}
	if bound.block == b || next.op != opAdd || !next.args[1].isConst() || next.guard != nil {
		return counter{}, false
	}
	phi := next.args[0]
	if phi.op != opPhi || phi.block != b {
		return counter{}, false
	}
	c := counter{phi: phi, next: next, test: test, step: int64(int32(next.args[1].imm))}
	self := predecessorIndex(b, b)
	if self < 0 || phi.args[self] != next {
		return counter{}, false
	}
	first := phi.args[1-self]
	if len(phi.args) == 2 && first.isConst() && bound.isConst() {
		c.runs = countRuns(int64(int32(first.imm)), c.step, int64(int32(bound.imm)), test.name, not)
	}
	return c, true
}

// countRuns simulates a counter; 0 when it does not end soon.
func countRuns(i, step, bound int64, name string, not bool) int {
	for n := 1; n <= 4096; n++ {
		i += step
		var more bool
		switch name {
		case "lt", "lo":
			more = i < bound
		case "le", "ls":
			more = i <= bound
		case "gt", "hi":
			more = i > bound
		case "ge", "hs":
			more = i >= bound
		case "ne":
			more = i != bound
		case "eq":
			more = i == bound
		}
		if more == not {
			return n
		}
	}
	return 0
}

// readsMemory tells whether a block reads global or shared memory.
func readsMemory(b *block) bool {
	for _, v := range b.values {
		if v.op == opLoad && v.needed && (v.inst.Addr.Space == isa.Global || v.inst.Addr.Space == isa.Shared) {
			return true
		}
	}
	return false
}

// sizeOf is how many instructions a block has; products of matrices, arithmetic of doubles, barriers and what takes no unit do not count.
func sizeOf(b *Block) int {
	n := 0
	for _, in := range b.Code {
		switch in.Op.Pipe {
		case isa.Tensor, isa.FP64, isa.ADU, isa.NoUnit:
		default:
			n++
		}
	}
	return n
}

// copyBody appends a copy of a block's values to another block. phis gives what the block's phis stand for in it.
func (g *graph) copyBody(to, from *block, phis map[*value]*value) map[*value]*value {
	m := map[*value]*value{}
	for k, v := range phis {
		m[k] = v
	}
	at := func(v *value) *value {
		if v == nil {
			return nil
		}
		if n := m[v]; n != nil {
			return n
		}
		return v
	}
	for _, v := range from.values {
		if v == from.leave {
			continue
		}
		n := *v
		g.count++
		n.id, n.block, n.results = g.count, to, nil
		n.args = make([]*value, len(v.args))
		for i, a := range v.args {
			n.args[i] = at(a)
		}
		n.guard, n.old = at(v.guard), at(v.old)
		m[v] = &n
		if v.op == opResult {
			n.args[0].results = append(n.args[0].results, &n)
		}
		to.values = append(to.values, &n)
	}
	return m
}

// unrollWhole replaces a loop by all of its runs: the block itself keeps the last one.
func (g *graph) unrollWhole(b *block, runs int) {
	self := predecessorIndex(b, b)
	original := &block{values: b.values, leave: b.leave}
	now := map[*value]*value{}
	for _, p := range b.phis {
		now[p] = p.args[1-self]
	}
	b.values = nil
	var last map[*value]*value
	for i := 0; i < runs; i++ {
		last = g.copyBody(b, original, now)
		now = g.nextPhis(b, self, last)
	}
	// What the loop computed is what its last run did.
	final := map[*value]*value{}
	for _, v := range original.values {
		final[v] = last[v]
	}
	for _, p := range b.phis {
		final[p] = last[p]
	}
	b.phis = nil
	b.leave, b.taken = nil, nil
	b.preds = append(b.preds[:self:self], b.preds[self+1:]...)
	b.succs = without(b.succs, b)
	b.entries = b.preds
	g.replace(b, final)
}

func without(list []*block, b *block) []*block {
	var out []*block
	for _, x := range list {
		if x != b {
			out = append(out, x)
		}
	}
	return out
}

// nextPhis is what the phis are in the run after the one that m describes.
func (g *graph) nextPhis(b *block, self int, m map[*value]*value) map[*value]*value {
	out := map[*value]*value{}
	for _, p := range b.phis {
		a := p.args[self]
		if n := m[a]; n != nil {
			a = n
		}
		out[p] = a
	}
	return out
}

// replace puts other values in the place of some, outside of a block.
func (g *graph) replace(b *block, m map[*value]*value) {
	at := func(v *value) *value {
		if n := m[v]; n != nil {
			return n
		}
		return v
	}
	for _, other := range g.blocks {
		for _, list := range [][]*value{other.phis, other.values} {
			if other == b {
				continue
			}
			for _, v := range list {
				for i := range v.args {
					v.args[i] = at(v.args[i])
				}
				if v.guard != nil {
					v.guard = at(v.guard)
				}
				if v.old != nil {
					v.old = at(v.old)
				}
			}
		}
	}
}

// unrollPart puts a loop of four runs and a block of two before a loop, which keeps the runs that are left.
func (g *graph) unrollPart(b, before *block) {
	self := predecessorIndex(b, b)
	if len(b.preds) != 2 {
		return
	}
	outside := b.preds[1-self]
	main := g.insertBefore(b, unrollFactor)
	pair := g.insertBefore(b, unrollFactor/2)
	now := map[*value]*value{}
	for _, p := range b.phis {
		n := g.newValue(opPhi, p.bits)
		n.block = main
		n.args = []*value{p.args[1-self], nil}
		main.phis = append(main.phis, n)
		now[p] = n
	}
	first := now
	var last map[*value]*value
	for i := 0; i < unrollFactor; i++ {
		last = g.copyBody(main, b, now)
		now = g.nextPhis(b, self, last)
	}
	for _, p := range b.phis {
		first[p].args[1] = now[p]
	}
	apart := !b.leave.args[0].uniform
	main.apart, pair.apart, b.apart = apart, apart, apart
	leave := *b.leave
	g.count++
	leave.id, leave.block, leave.args = g.count, main, append([]*value(nil), b.leave.args...)
	leave.args[0] = last[b.leave.args[0]]
	main.values = append(main.values, &leave)
	main.leave, main.taken = &leave, main
	g.overhead(pair, b, "unroll test")
	for i := 0; i < unrollFactor/2; i++ {
		last = g.copyBody(pair, b, now)
		now = g.nextPhis(b, self, last)
	}
	for _, p := range b.phis {
		p.args[1-self] = now[p]
	}
	g.overheadBefore(outside, b)
	for i, s := range outside.succs {
		if s == b {
			outside.succs[i] = main
		}
	}
	if outside.taken == b {
		outside.taken = main
	}
	main.preds, main.succs = []*block{outside, main}, []*block{main, pair}
	pair.preds, pair.succs = []*block{main}, []*block{b}
	b.preds[1-self] = pair
	main.entries, pair.entries, b.entries = []*block{outside}, []*block{outside}, []*block{outside}
	b.part = 1
	g.origin[b.source] = main
}

// overhead adds what chooses between the loops.
func (g *graph) overhead(to, b *block, name string) {
	v := g.newValue(opOther, 0)
	v.name, v.inst, v.pc, v.block = name, b.leave.inst, b.leave.pc, to
	to.values = append(to.values, v)
}

// overheadBefore adds what is done once before the loops.
func (g *graph) overheadBefore(to, b *block) {
	v := g.newValue(opOther, 0)
	v.name, v.inst, v.pc, v.block = "unroll guard", b.leave.inst, b.leave.pc, to
	if to.leave == nil {
		to.values = append(to.values, v)
		return
	}
	last := len(to.values) - 1
	to.values = append(to.values[:last:last], v, to.values[last])
}

// insertBefore makes a block that runs for some of the runs of another.
func (g *graph) insertBefore(b *block, part int) *block {
	n := &block{source: b.source, tail: b.tail, part: part, defs: map[variable]*value{}, open: map[variable]*value{}}
	for i, x := range g.blocks {
		if x == b {
			g.blocks = append(g.blocks[:i:i], append([]*block{n}, g.blocks[i:]...)...)
			break
		}
	}
	return n
}

// renumber sets the places of blocks in the layout.
func (g *graph) renumber() {
	for i, b := range g.blocks {
		b.index = i
	}
}
