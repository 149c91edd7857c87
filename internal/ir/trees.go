package ir

import (
	"slices"

	"silica/internal/isa"
)

// trees holds the dominator and post-dominator trees of a function's blocks.
type trees struct {
	// dominator is the immediate dominator of a block, -1 for the entry.
	dominator []int
	// enter and leave number the dominator tree: a dominates b when b's interval lies in a's.
	enter, leave []int
	// postDominator is the immediate post-dominator, the number of blocks for the exit.
	postDominator []int
}

// newTrees computes both trees.
func newTrees(fn *Func) *trees {
	n := len(fn.Blocks)
	succs := make([][]int, n)
	for i := range fn.Blocks {
		succs[i] = fn.Blocks[i].Succs
	}
	t := &trees{dominator: dominators(succs, 0)}
	t.number()
	t.postDominator = dominators(reverse(withExit(fn)), n)[:n]
	return t
}

// dominates tells whether every path to block b passes through block a.
func (t *trees) dominates(a, b int) bool { return t.enter[a] <= t.enter[b] && t.leave[b] <= t.leave[a] }

// number walks the dominator tree.
func (t *trees) number() {
	n := len(t.dominator)
	children := make([][]int, n)
	for b, d := range t.dominator {
		if d >= 0 {
			children[d] = append(children[d], b)
		}
	}
	t.enter, t.leave = make([]int, n), make([]int, n)
	clock := 0
	var walk func(int)
	walk = func(b int) {
		clock++
		t.enter[b] = clock
		for _, c := range children[b] {
			walk(c)
		}
		clock++
		t.leave[b] = clock
	}
	walk(0)
}

// withExit returns the successors of all blocks and of the exit, number len(fn.Blocks), to which ret, exit
// and trap lead. A loop without a way out gets an edge to the exit from its last block.
func withExit(fn *Func) [][]int {
	n := len(fn.Blocks)
	succs := make([][]int, n+1)
	for i := range fn.Blocks {
		b := &fn.Blocks[i]
		succs[i] = b.Succs
		switch fn.Code[b.End-1].Op {
		case isa.OpRet, isa.OpExit, isa.OpTrap:
			succs[i] = append(slices.Clone(b.Succs), n)
		}
	}
	preds := reverse(succs)
	reaches := make([]bool, n+1)
	var mark func(int)
	mark = func(i int) {
		if !reaches[i] {
			reaches[i] = true
			for _, p := range preds[i] {
				mark(p)
			}
		}
	}
	mark(n)
	for i := n - 1; i >= 0; i-- {
		if !reaches[i] {
			succs[i] = append(slices.Clone(succs[i]), n)
			mark(i)
		}
	}
	return succs
}

// reverse turns all edges around.
func reverse(succs [][]int) [][]int {
	preds := make([][]int, len(succs))
	for i, list := range succs {
		for _, s := range list {
			preds[s] = append(preds[s], i)
		}
	}
	return preds
}

// dominators returns the immediate dominator of every node that root reaches, -1 for root. It is the
// semi-NCA algorithm (Georgiadis, "Linear-time algorithms for dominators and related problems", 2005).
func dominators(succs [][]int, root int) []int {
	n := len(succs)
	d := semiNCA{succs: succs, number: make([]int, n)}
	for i := range d.number {
		d.number[i] = -1
	}
	d.walk(root, -1)
	d.ancestor = slices.Clone(d.parent)
	preds := reverse(succs)
	for i := len(d.order) - 1; i > 0; i-- {
		semi := d.parent[i]
		for _, p := range preds[d.order[i]] {
			if v := d.number[p]; v >= 0 {
				semi = min(semi, d.semi[d.least(v, i+1)])
			}
		}
		d.semi[i] = semi
	}
	idom := make([]int, n)
	for i := range idom {
		idom[i] = -1
	}
	byNumber := make([]int, len(d.order))
	for i := 1; i < len(d.order); i++ {
		v := d.parent[i]
		for v > d.semi[i] {
			v = byNumber[v]
		}
		byNumber[i] = v
		idom[d.order[i]] = d.order[v]
	}
	return idom
}

// semiNCA is the state of dominators. All slices but the first two are indexed by depth-first number.
type semiNCA struct {
	succs  [][]int
	number []int // of a node, -1 when not reached
	order  []int // node
	parent []int // in the depth-first tree
	semi   []int // semidominator
	// label is the vertex of least semidominator on the compressed path from a vertex to its ancestor.
	label, ancestor []int
	path            []int
}

// walk numbers the nodes depth first.
func (d *semiNCA) walk(n, parent int) {
	number := len(d.order)
	d.number[n] = number
	d.order = append(d.order, n)
	d.parent = append(d.parent, parent)
	d.semi = append(d.semi, number)
	d.label = append(d.label, number)
	for _, s := range d.succs[n] {
		if d.number[s] < 0 {
			d.walk(s, number)
		}
	}
}

// least returns the vertex of least semidominator among v and its ancestors numbered linked or above,
// and compresses the path it took.
func (d *semiNCA) least(v, linked int) int {
	if d.ancestor[v] < linked {
		return d.label[v]
	}
	d.path = d.path[:0]
	for d.ancestor[v] >= linked {
		d.path = append(d.path, v)
		v = d.ancestor[v]
	}
	for i := len(d.path) - 1; i >= 0; i-- {
		above := v
		v = d.path[i]
		d.ancestor[v] = d.ancestor[above]
		if d.semi[d.label[above]] < d.semi[d.label[v]] {
			d.label[v] = d.label[above]
		}
	}
	return d.label[v]
}
