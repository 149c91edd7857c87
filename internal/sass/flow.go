package sass

import "slices"

// analyse finds dominators and loops.
func (g *graph) analyse() {
	order := g.reversePostOrder()
	g.dominators(order)
	g.findLoops(order)
}

// dominators follows Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm" (2001).
func (g *graph) dominators(order []*block) {
	for _, b := range order {
		b.idom = nil
	}
	entry := order[0]
	entry.idom = entry
	for changed := true; changed; {
		changed = false
		for _, b := range order[1:] {
			var d *block
			for _, p := range b.preds {
				if p.idom == nil {
					continue
				}
				if d == nil {
					d = p
				} else {
					d = intersect(d, p)
				}
			}
			if d != b.idom {
				b.idom, changed = d, true
			}
		}
	}
	for _, b := range g.blocks {
		b.begin, b.end = 0, 0
	}
	// In a walk of the tree a block lies behind those that dominate it and before their end. Blocks come after those that dominate them in
	// the order, so their sizes add up backwards and their places follow forwards.
	for _, b := range slices.Backward(order) {
		b.end++
		if b != entry {
			b.idom.end += b.end
		}
	}
	entry.begin = 1
	next := make([]int, len(order)) // where a block's next subtree begins
	for _, b := range order {
		if b != entry {
			b.begin = next[b.idom.order]
			next[b.idom.order] += b.end
		}
		next[b.order] = b.begin + 1
	}
	for _, b := range order {
		b.end += b.begin
	}
}

func intersect(a, b *block) *block {
	for a != b {
		for a.order > b.order {
			a = a.idom
		}
		for b.order > a.order {
			b = b.idom
		}
	}
	return a
}

// dominates tells whether every path to b goes through a.
func (a *block) dominates(b *block) bool {
	return a == b || a.begin > 0 && a.begin <= b.begin && b.begin < a.end
}

// findLoops finds the natural loops; loops of one head are one.
func (g *graph) findLoops(order []*block) {
	g.loops = nil
	for _, b := range order {
		b.loop = nil
	}
	for i := len(order) - 1; i >= 0; i-- { // inner heads first
		head := order[i]
		var l *loop
		for _, p := range head.preds {
			if p.reached && head.dominates(p) {
				if l == nil {
					l = &loop{head: head, blocks: map[*block]bool{head: true}}
				}
				l.add(p)
			}
		}
		if l == nil {
			continue
		}
		g.loops = append(g.loops, l)
		for b := range l.blocks {
			if b.loop == nil {
				b.loop = l
				continue
			}
			outermost := b.loop
			for outermost.outer != nil {
				outermost = outermost.outer
			}
			if outermost != l {
				outermost.outer = l
			}
		}
	}
	for _, l := range g.loops {
		for o := l; o != nil; o = o.outer {
			l.level++
		}
	}
}

func (l *loop) add(b *block) {
	if l.blocks[b] {
		return
	}
	l.blocks[b] = true
	for _, p := range b.preds {
		if p.reached {
			l.add(p)
		}
	}
}

// levels gives the number of loops around each block.
func (g *graph) levels() []int {
	out := make([]int, len(g.blocks))
	for i, b := range g.blocks {
		if b.loop != nil {
			out[i] = b.loop.level
		}
	}
	return out
}

// preheader is the block before a loop: the one predecessor of its head outside, else the head's dominator.
func (l *loop) preheader() *block {
	var out *block
	for _, p := range l.head.preds {
		if l.blocks[p] {
			continue
		}
		if out != nil {
			return l.head.idom
		}
		out = p
	}
	if out == nil {
		return l.head.idom
	}
	return out
}

// has tells whether the loop holds a block.
func (l *loop) has(b *block) bool { return l.blocks[b] }

// markUses finds what is needed for the effects of the function, and who reads what.
func (g *graph) markUses() {
	var mark func(*value)
	each := func(v *value, f func(*value)) {
		for _, a := range v.args {
			f(a)
		}
		if v.guard != nil {
			f(v.guard)
		}
		if v.old != nil {
			f(v.old)
		}
	}
	g.eachValue(func(v *value) { v.needed, v.uses, v.users = false, 0, nil })
	for _, v := range g.leaves {
		v.needed, v.uses, v.users = false, 0, nil
	}
	mark = func(v *value) {
		if v.needed {
			return
		}
		v.needed = true
		each(v, func(a *value) { mark(a) })
	}
	g.eachValue(func(v *value) {
		if v.effect() {
			mark(v)
		}
	})
	g.eachValue(func(v *value) {
		if v.needed {
			each(v, func(a *value) { a.uses++; a.users = append(a.users, v) })
		}
	})
}

// eachValue visits the values in layout order, phis first.
func (g *graph) eachValue(f func(*value)) {
	for _, b := range g.blocks {
		for _, v := range b.phis {
			f(v)
		}
		for _, v := range b.values {
			f(v)
		}
	}
}

// effect tells whether an instruction does more than compute its value.
func (v *value) effect() bool {
	switch v.op {
	case opStore, opBranch, opExit, opCall:
		return true
	case opLoad:
		return v.inst.Mem.Order != ""
	case opOther:
		return v.inst == nil || v.bits == 0 || !v.pure()
	}
	return false
}

// pure tells whether an instruction without an op of its own can be left out when nothing reads its values.
func (v *value) pure() bool {
	switch v.inst.Op.String() {
	case "lane", "mov", "special", "isspacep", "mapa", "texture", "cvta":
		return true
	case "warp":
		return false
	}
	return false
}

// markUniform finds the values that are the same in all lanes of a warp, and the blocks where lanes meet that went apart.
func (g *graph) markUniform() {
	g.eachValue(func(v *value) { v.uniform = true })
	for _, v := range g.leaves {
		v.uniform = v.op != opSpecial || uniformSpecial(v.name)
	}
	for _, b := range g.blocks {
		b.meets = false
	}
	for changed := true; changed; {
		changed = false
		g.eachValue(func(v *value) {
			if v.uniform && !g.stillUniform(v) {
				v.uniform, changed = false, true
			}
		})
		for _, b := range g.blocks {
			if b.leave == nil || len(b.succs) < 2 || len(b.leave.args) == 0 || b.leave.args[0].uniform {
				continue
			}
			if g.markJoins(b) {
				changed = true
			}
		}
	}
}

// markSplit finds the blocks that lanes may come to one after the other: those on the ways of a branch that not all take alike, up to where they meet. Lanes
// that only leave part from none.
func (g *graph) markSplit() {
	for _, b := range g.blocks {
		b.split = false
	}
	for _, b := range g.blocks {
		if b.leave == nil || b.leave.op != opBranch || len(b.succs) < 2 || b.leave.args[0].uniform || g.join(b) == nil {
			continue
		}
		for _, x := range g.influenced(b) {
			x.split = true
		}
	}
}

// join is where the ways from a branch meet, nil when that is the exit.
func (g *graph) join(b *block) *block {
	if p := g.fn.Blocks[b.tail].PostDominator; p < len(g.origin) {
		return g.origin[p]
	}
	return nil
}

// markJoins marks the blocks where the ways from a branch meet; it tells whether there are new ones.
func (g *graph) markJoins(b *block) (changed bool) {
	inside := map[*block]bool{b: true}
	list := g.influenced(b)
	for _, x := range list {
		inside[x] = true
	}
	if end := g.join(b); end != nil {
		list = append(list, end)
	}
	for _, x := range list {
		ways := 0
		for _, p := range x.preds {
			if inside[p] && p.reached && !x.dominates(p) {
				ways++
			}
		}
		if ways > 1 && !x.meets {
			x.meets, changed = true, true
		}
	}
	return changed
}

// influenced lists the blocks between a branch and where its ways meet.
func (g *graph) influenced(b *block) []*block {
	end := g.join(b)
	var out []*block
	seen := map[*block]bool{}
	var visit func(*block)
	visit = func(x *block) {
		if seen[x] || x == end {
			return
		}
		seen[x] = true
		out = append(out, x)
		for _, s := range x.succs {
			visit(s)
		}
	}
	for _, s := range b.succs {
		visit(s)
	}
	return out
}

func (g *graph) stillUniform(v *value) bool {
	switch v.op {
	case opGiven:
		return false
	case opLoad:
		if v.inst.Addr.Space.String() != "const" {
			return false
		}
	case opOther:
		if v.inst.Op.String() != "lane" && !uniformSpecial(v.name) {
			return false
		}
	case opPhi:
		if v.block.meets {
			return false
		}
	}
	for _, a := range v.args {
		if !a.uniform {
			return false
		}
	}
	return (v.guard == nil || v.guard.uniform) && (v.old == nil || v.old.uniform)
}

// uniformSpecial tells whether a special register is the same in all lanes of a warp.
func uniformSpecial(name string) bool {
	switch name {
	case "%ctaid.x", "%ctaid.y", "%ctaid.z", "%ntid.x", "%ntid.y", "%ntid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z",
		"%cluster_ctarank", "%cluster_ctaid.x", "%cluster_nctaid.x", "%cluster_nctarank", "%clusterid.x", "%nclusterid.x", "frame":
		return true
	}
	return false
}
