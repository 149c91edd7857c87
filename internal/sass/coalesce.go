package sass

import (
	"slices"
	"sort"
)

// coalescer decides which sources of phis share the phi's register: those that are not alive together with it, or with what shares
// it already. The others are copied where the phi's block is entered.
type coalescer struct {
	blocks []*block
	parent map[*value]*value
	class  map[*value]*class // by the value that stands for it
	alive  map[*value]life
	place  map[*value]int
}

// class is the values that share a register: where each is made, and where they are alive when a block begins.
type class struct {
	members     []*value
	made, alive map[*block][]*value
}

// life is where a value is alive: at the beginnings and at the ends of which blocks.
type life struct{ in, out map[*block]bool }

// coalesce joins the phis of a graph and their sources, those of inner loops first, and in each phi what comes around the loop first.
func (g *graph) coalesce() *coalescer {
	c := &coalescer{blocks: g.blocks, parent: map[*value]*value{}, class: map[*value]*class{}, alive: map[*value]life{}, place: map[*value]int{}}
	var order []*block
	for _, b := range g.blocks {
		for i, v := range b.values {
			c.place[v] = i
		}
		if b.reached && len(b.phis) > 0 {
			order = append(order, b)
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return order[i].level() > order[j].level() })
	for _, b := range order {
		ways := make([]int, len(b.preds))
		for i := range ways {
			ways[i] = i
		}
		sort.SliceStable(ways, func(i, j int) bool { return b.preds[ways[i]].level() > b.preds[ways[j]].level() })
		for _, way := range ways {
			for _, phi := range b.phis {
				if phi.needed && way < len(phi.args) {
					c.join(phi, phi.args[way])
				}
			}
		}
	}
	return c
}

// level is the number of loops around a block.
func (b *block) level() int {
	if b.loop == nil {
		return 0
	}
	return b.loop.level
}

func (c *coalescer) find(v *value) *value {
	for c.parent[v] != nil {
		next := c.parent[v]
		if after := c.parent[next]; after != nil {
			c.parent[v] = after
		}
		v = next
	}
	return v
}

// classOf is the class of a value that stands for it.
func (c *coalescer) classOf(v *value) *class {
	if c.class[v] == nil {
		k := &class{members: []*value{v}, made: map[*block][]*value{v.block: {v}}, alive: map[*block][]*value{}}
		for b := range c.life(v).in {
			k.alive[b] = []*value{v}
		}
		c.class[v] = k
	}
	return c.class[v]
}

// share tells whether a phi and one of its sources have one register.
func (c *coalescer) share(phi, a *value) bool { return c.find(phi) == c.find(a) }

// join gives a phi and one of its sources one register if it can.
func (c *coalescer) join(phi, a *value) {
	x, y := c.find(phi), c.find(a)
	if x == y || a.leaf() || a.bits != phi.bits {
		return
	}
	small, large := c.classOf(x), c.classOf(y)
	if len(small.members) > len(large.members) {
		x, y, small, large = y, x, large, small
	}
	for _, v := range small.members {
		if c.meets(v, large) {
			return
		}
	}
	large.members = append(large.members, small.members...)
	for b, list := range small.made {
		large.made[b] = append(large.made[b], list...)
	}
	for b, list := range small.alive {
		large.alive[b] = append(large.alive[b], list...)
	}
	c.parent[x] = y
	delete(c.class, x)
}

// meets tells whether a value is alive when one of a class is made, or the other way round.
func (c *coalescer) meets(v *value, k *class) bool {
	any := func(list []*value) bool {
		return slices.ContainsFunc(list, func(w *value) bool { return c.interfere(v, w) })
	}
	if any(k.made[v.block]) || any(k.alive[v.block]) {
		return true
	}
	for b := range c.life(v).in {
		if any(k.made[b]) {
			return true
		}
	}
	return false
}

// interfere tells whether one value is alive when the other is made.
func (c *coalescer) interfere(v, w *value) bool { return c.outlives(v, w) || c.outlives(w, v) }

// outlives tells whether v was made before w, and is still read after it.
func (c *coalescer) outlives(v, w *value) bool {
	b := w.block
	l := c.life(v)
	if w.op == opPhi {
		return l.in[b] || v.op == opPhi && v.block == b
	}
	if !l.in[b] && (v.block != b || v.op != opPhi && c.place[v] > c.place[w]) {
		return false
	}
	if l.out[b] {
		return true
	}
	for _, u := range v.users {
		if u != w && u.op != opPhi && u.block == b && c.place[u] > c.place[w] && (u == b.leave || !reorders(u, w)) {
			return true
		}
	}
	return false
}

// life finds where a value is alive, from what reads it backwards. What a phi reads is alive at the end of the block that it comes from.
func (c *coalescer) life(v *value) life {
	l, ok := c.alive[v]
	if ok {
		return l
	}
	l = life{map[*block]bool{}, map[*block]bool{}}
	c.alive[v] = l
	var entered func(b *block)
	leaves := func(b *block) {
		if !l.out[b] {
			l.out[b] = true
			entered(b)
		}
	}
	entered = func(b *block) {
		if b == v.block || l.in[b] {
			return
		}
		l.in[b] = true
		for _, p := range b.preds {
			if p.reached {
				leaves(p)
			}
		}
	}
	for _, u := range v.users {
		if u.op != opPhi {
			entered(u.block)
			continue
		}
		for i, a := range u.args {
			if a == v && i < len(u.block.preds) {
				leaves(u.block.preds[i])
			}
		}
	}
	return l
}

// reorders tells whether the scheduler can put a reader of the old value before the new one is made.
func reorders(u, a *value) bool {
	seen := map[*value]bool{}
	var depends func(v *value, n int) bool
	depends = func(v *value, n int) bool {
		if v == a {
			return true
		}
		if n == 0 || seen[v] || v.block != a.block {
			return false
		}
		seen[v] = true
		for _, x := range v.args {
			if depends(x, n-1) {
				return true
			}
		}
		return false
	}
	return !depends(u, 12)
}
