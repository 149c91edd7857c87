package sass

import (
	"maps"
	"slices"

	"silica/internal/isa"
)

// What ptxas takes out of branches, found with growing bodies: machine instructions of one side.
const (
	convertApart    = 8 // lanes may go apart at the branch
	convertTogether = 7 // all lanes go one way
)

// convert makes predicated instructions of short branches, inner ones first, and joins blocks that follow each other.
func (g *graph) convert() {
	g.shorten()
	for changed := true; changed; {
		changed = false
		g.join2()
		g.renumber()
		g.analyse()
		g.markUses()
		g.markUniform()
		trial := g.selectCode(g.fn.Name)
		touched := map[*block]bool{}
		for i := len(g.blocks) - 1; i >= 0; i-- {
			b := g.blocks[i]
			if !b.reached || b.gone || touched[b] {
				continue
			}
			around := append([]*block{b}, b.succs...)
			for _, s := range b.succs {
				around = append(around, s.succs...)
			}
			fresh := true
			for _, x := range around {
				fresh = fresh && !touched[x]
			}
			if fresh && g.convertBranch(b, trial) {
				changed = true
				for _, x := range around {
					touched[x] = true
				}
			}
		}
		g.replaceMerged()
	}
	g.drop()
}

// side is one way of a branch: a block that is run only by it, or nothing.
type side struct {
	block *block // nil when the way leads straight on
	guard bool   // the side is taken when the predicate is true
}

// convertBranch converts the branch of one block if it can.
func (g *graph) convertBranch(b *block, trial *Func) bool {
	if b.leave == nil || b.leave.op != opBranch || len(b.succs) != 2 || b.taken == nil || len(b.leave.args) == 0 {
		return false
	}
	other := b.succs[0]
	if other == b.taken {
		other = b.succs[1]
	}
	if other == b.taken {
		return false
	}
	taken := side{b.taken, !b.leave.guardNot}
	falls := side{other, b.leave.guardNot}
	var end *block
	switch {
	case len(falls.block.succs) == 1 && falls.block.succs[0] == taken.block:
		end, taken.block = taken.block, nil
	case len(taken.block.succs) == 1 && taken.block.succs[0] == falls.block:
		end, falls.block = falls.block, nil
	case len(taken.block.succs) == 1 && len(falls.block.succs) == 1 && taken.block.succs[0] == falls.block.succs[0]:
		end = taken.block.succs[0]
	default:
		return false
	}
	if exitOnly(end) || end == b {
		return false
	}
	limit := convertApart
	if b.leave.args[0].uniform {
		limit = convertTogether
	}
	for _, s := range []side{taken, falls} {
		if s.block != nil && !g.convertible(s.block, b, trial, limit) {
			return false
		}
	}
	g.predicate(b, end, taken, falls)
	return true
}

// convertible tells whether the instructions of a block can run under a predicate.
func (g *graph) convertible(s, from *block, trial *Func, limit int) bool {
	if len(s.preds) != 1 || s.preds[0] != from || len(s.phis) > 0 || s.loop != from.loop {
		return false
	}
	size := 0
	for _, in := range trial.Blocks[s.index].Code {
		if in.Op.Name != "BRA" {
			size++
		}
	}
	if size > limit {
		return false
	}
	for _, v := range s.values {
		if v == s.leave && v.op == opBranch && len(v.args) == 0 {
			continue
		}
		if v.guard != nil || v.op == opExit || v.op == opBranch || v.op == opCall || v.op == opGiven {
			return false
		}
		if v.op == opOther {
			switch v.inst.Op {
			case isa.OpLane, isa.OpMov, isa.OpBarrier, isa.OpSpecial:
			default:
				return false
			}
		}
	}
	return true
}

// predicate moves the sides of a branch into the block that ends with it.
func (g *graph) predicate(b, end *block, taken, falls side) {
	p := b.leave.args[0]
	b.values = without2(b.values, b.leave)
	for _, s := range []side{taken, falls} {
		if s.block == nil {
			continue
		}
		for _, v := range s.block.values {
			if v == s.block.leave {
				continue
			}
			v.block = b
			if v.op == opLoad || v.op == opStore || v.op == opOther && (v.bits == 0 || !v.pure()) {
				v.guard, v.guardNot = p, !s.guard
			}
			b.values = append(b.values, v)
		}
	}
	argOf := func(phi *value, s side) *value {
		from := s.block
		if from == nil {
			from = b
		}
		return phi.args[predecessorIndex(end, from)]
	}
	merged := map[*value]*value{}
	for _, phi := range end.phis {
		merged[phi] = g.mergedValue(b, phi, p, argOf(phi, taken), argOf(phi, falls), taken, falls)
	}
	g.rejoin(b, end, taken, falls, merged)
}

// mergedValue is the value that a phi has after both sides have run under their predicates.
func (g *graph) mergedValue(b *block, phi, p, x, y *value, taken, falls side) *value {
	if x == y {
		return x
	}
	under := func(v *value, s side, old *value) bool {
		if s.block == nil || v.leaf() || v.block != b || v.old != nil || v.op == opPhi || v.op == opResult || v.bits != phi.bits || v.bits == 1 || !onlyIn(v, phi, s.block) {
			return false
		}
		v.guard, v.guardNot, v.old = p, !s.guard, old
		return true
	}
	if y.block == b && contains(b.values, y) && falls.block != nil && !y.leaf() && under(y, falls, x) {
		return y
	}
	if x.block == b && contains(b.values, x) && taken.block != nil && under(x, taken, y) {
		// the old value has to be made first
		b.values = append(without2(b.values, x), x)
		return x
	}
	a, c := x, y
	if !taken.guard {
		a, c = c, a
	}
	v := g.newValue(opSelect, phi.bits, p, a, c)
	v.block, v.inst, v.pc = b, b.leave.inst, b.leave.pc
	b.values = append(b.values, v)
	return v
}

// onlyIn tells whether nothing but a phi and the instructions of a block read a value.
func onlyIn(v, phi *value, b *block) bool {
	for _, u := range v.users {
		if u != phi && !contains(b.values, u) {
			return false
		}
	}
	return true
}

// rejoin makes end the only successor.
func (g *graph) rejoin(b, end *block, taken, falls side, merged map[*value]*value) {
	drop := map[*block]bool{}
	for _, s := range []side{taken, falls} {
		if s.block != nil {
			drop[s.block] = true
			s.block.preds, s.block.succs, s.block.values, s.block.leave = nil, nil, nil, nil
			s.block.gone = true
		}
	}
	var preds []*block
	place := -1
	for i, p := range end.preds {
		if drop[p] || p == b {
			if place < 0 {
				place = i
				preds = append(preds, b)
			}
			continue
		}
		preds = append(preds, p)
	}
	final := map[*value]*value{}
	var phis []*value
	for _, phi := range end.phis {
		var args []*value
		done := false
		for i, p := range end.preds {
			if drop[p] || p == b {
				if !done {
					args, done = append(args, merged[phi]), true
				}
				continue
			}
			args = append(args, phi.args[i])
		}
		phi.args = args
		if len(args) == 1 {
			final[phi] = args[0]
		} else {
			phis = append(phis, phi)
		}
	}
	end.phis = phis
	end.preds = preds
	b.succs, b.leave, b.taken = []*block{end}, nil, nil
	maps.Copy(g.replaced, final)
}

func without2(list []*value, v *value) []*value {
	var out []*value
	for _, x := range list {
		if x != v {
			out = append(out, x)
		}
	}
	return out
}

// replaceMerged puts what phis have become in their place: all at once, as many branches are converted in a pass.
func (g *graph) replaceMerged() {
	for k, v := range g.replaced { // phis may stand for each other
		for g.replaced[v] != nil {
			v = g.replaced[v]
		}
		g.replaced[k] = v
	}
	if len(g.replaced) > 0 {
		nowhere := &block{}
		g.replace(nowhere, g.replaced)
	}
	clear(g.replaced)
}

// shorten lets a branch go straight to where the block that it falls into does nothing but go: to the head of its loop, or where no value waits.
func (g *graph) shorten() {
	for _, via := range g.blocks[1:] {
		if len(via.preds) != 1 || len(via.succs) != 1 || len(via.phis) > 0 || len(via.values) > 1 || len(via.values) == 1 && via.values[0] != via.leave ||
			via.leave != nil && (via.leave.op != opBranch || len(via.leave.args) > 0) {
			continue
		}
		from, to := via.preds[0], via.succs[0]
		if from.leave == nil || from.leave.op != opBranch || from.taken == nil || from.taken == via || len(from.succs) != 2 || slices.Contains(from.succs, to) ||
			to == via || exitOnly(to) || len(to.phis) > 0 && !(to.dominates(from) && from.loop != nil && from.loop.head == to) {
			continue
		}
		from.succs[slices.Index(from.succs, via)] = to
		to.preds[slices.Index(to.preds, via)] = from
		for i, o := range g.origin {
			if o == via {
				g.origin[i] = from
			}
		}
		via.gone, via.values, via.preds, via.succs, via.leave = true, nil, nil, nil, nil
	}
	g.drop()
}

// join2 appends a block to the one before it where that is its only way in and out.
func (g *graph) join2() {
	for _, b := range g.blocks {
		for len(b.succs) == 1 && !b.gone {
			s := b.succs[0]
			if s == b || len(s.preds) != 1 || s == g.blocks[0] || b.leave != nil && b.leave.op != opBranch || exitOnly(s) || len(s.entries) > 0 || len(b.entries) > 0 || b.calls() {
				break
			}
			if b.leave != nil {
				b.values = without2(b.values, b.leave)
			}
			for _, phi := range s.phis {
				g.replaced[phi] = phi.args[0]
			}
			for _, v := range s.values {
				v.block = b
			}
			b.values = append(b.values, s.values...)
			b.leave, b.taken, b.succs, b.tail = s.leave, s.taken, s.succs, s.tail
			for _, next := range s.succs {
				for i, p := range next.preds {
					if p == s {
						next.preds[i] = b
					}
				}
			}
			for i, o := range g.origin {
				if o == s {
					g.origin[i] = b
				}
			}
			s.gone, s.values, s.phis, s.preds, s.succs, s.leave = true, nil, nil, nil, nil, nil
		}
	}
	g.replaceMerged()
	g.drop()
}

// calls tells whether a block ends with a call: what follows it is a block of its own.
func (b *block) calls() bool { return len(b.values) > 0 && b.values[len(b.values)-1].op == opCall }

// drop takes blocks that are gone out of the layout.
func (g *graph) drop() {
	var out []*block
	for _, b := range g.blocks {
		if !b.gone {
			out = append(out, b)
		}
	}
	g.blocks = out
	g.renumber()
}
