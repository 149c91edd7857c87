package ir

import (
	"container/heap"
	"slices"
)

// layout orders the nodes. The engines run the fragment of a warp with the lowest pc first and merge
// fragments that meet, so the order decides where lanes come together again:
//
//   - A loop is contiguous, its header first: lanes that leave it wait behind it for the others.
//   - Apart from back edges every edge leads forward, so that a block's immediate post-dominator comes
//     after all blocks between the two.
//   - A loop whose back edges do not all start in its last block gets a gather: a last block that all
//     of them pass through. Lanes that continue early wait there for the rest of the iteration, where
//     a jump straight to the header would let them run ahead.
//
// Among the orders that do this it keeps to the source. It is Bourdoncle's weak topological order
// ("Efficient chaotic iteration strategies with widenings", 1993): the strongly connected components of
// the graph, each laid out the same way after its header's incoming edges are taken away. Irreducible
// loops take their first entry in source order as header.
func (f *flow) layout() {
	nodes := make([]int, len(f.nodes))
	for i := range nodes {
		nodes[i] = i
	}
	slices.SortFunc(nodes, func(a, b int) int { return f.nodes[a].start - f.nodes[b].start })
	l := layouter{
		flow:      f,
		preds:     make([][]int, len(nodes)),
		region:    make([]int, len(nodes)),
		number:    make([]int, len(nodes)),
		low:       make([]int, len(nodes)),
		component: make([]int, len(nodes)),
	}
	for i := range f.nodes {
		f.nodes[i].successors(func(s int) { l.preds[s] = append(l.preds[s], i) })
	}
	f.order = l.arrange(nodes, -1, make([]int, 0, len(nodes)))
}

// layouter is the state of layout.
type layouter struct {
	*flow
	preds [][]int
	// region is the innermost region being laid out that a node is in; regions counts them.
	region  []int
	regions int
	// number and low are Tarjan's, component the result; all valid within one region.
	number, low, component []int
	stack                  []int
	visited, found         int // nodes numbered and components found in the region
}

// arrange appends the layout of one region: nodes, in source order, of which header (unless -1) comes
// first and is entered by back edges only.
func (l *layouter) arrange(nodes []int, header int, order []int) []int {
	l.regions++
	region := l.regions
	for _, n := range nodes {
		l.region[n], l.number[n], l.component[n] = region, 0, -1
	}
	components := l.components(nodes, header)
	headers := make([]int, len(components))
	for c, members := range components {
		headers[c] = l.headerOf(members)
	}
	for _, c := range l.topological(components, nodes, header) {
		members := components[c]
		if len(members) == 1 && !l.loopsToItself(members[0], header) {
			order = append(order, members[0])
			continue
		}
		first := len(order)
		for _, m := range members {
			l.nodes[m].depth++
		}
		order = l.arrange(members, headers[c], order)
		if g := l.gather(order[first:], headers[c]); g >= 0 {
			order = append(order, g)
		}
	}
	return order
}

// forward calls visit for the successors of n in its region, back edges to the header left out.
func (l *layouter) forward(n, header int, visit func(int)) {
	l.nodes[n].successors(func(s int) {
		if s != header && l.region[s] == l.region[n] {
			visit(s)
		}
	})
}

// loopsToItself tells whether n, which is not the header of the region, is a loop of one block.
func (l *layouter) loopsToItself(n, header int) (loops bool) {
	if n != header {
		l.nodes[n].successors(func(s int) { loops = loops || s == n })
	}
	return loops
}

// components returns the strongly connected components of a region, members in source order.
func (l *layouter) components(nodes []int, header int) [][]int {
	l.visited, l.found = 0, 0
	for _, n := range nodes {
		if l.number[n] == 0 {
			l.connect(n, header)
		}
	}
	components := make([][]int, l.found)
	for _, n := range nodes {
		components[l.component[n]] = append(components[l.component[n]], n)
	}
	return components
}

// connect is Tarjan's algorithm from n.
func (l *layouter) connect(n, header int) {
	l.visited++
	l.number[n], l.low[n] = l.visited, l.visited
	l.stack = append(l.stack, n)
	l.forward(n, header, func(s int) {
		switch {
		case l.number[s] == 0:
			l.connect(s, header)
			l.low[n] = min(l.low[n], l.low[s])
		case l.component[s] < 0:
			l.low[n] = min(l.low[n], l.number[s])
		}
	})
	if l.low[n] != l.number[n] {
		return
	}
	for {
		top := l.stack[len(l.stack)-1]
		l.stack = l.stack[:len(l.stack)-1]
		l.component[top] = l.found
		if top == n {
			break
		}
	}
	l.found++
}

// headerOf returns the first member in source order that is entered from outside.
func (l *layouter) headerOf(members []int) int {
	for _, m := range members {
		if m == 0 {
			return m
		}
		for _, p := range l.preds[m] {
			if l.region[p] != l.region[m] || l.component[p] != l.component[m] {
				return m
			}
		}
	}
	return members[0]
}

// topological orders the components of a region so that all edges lead forward, as close to source order
// as can be.
func (l *layouter) topological(components [][]int, nodes []int, header int) []int {
	incoming := make([]int, len(components))
	cross := func(n int, visit func(component int)) {
		l.forward(n, header, func(s int) {
			if l.component[s] != l.component[n] {
				visit(l.component[s])
			}
		})
	}
	for _, n := range nodes {
		cross(n, func(c int) { incoming[c]++ })
	}
	var ready intHeap // by the source position of the first member
	first := map[int]int{}
	push := func(c int) {
		position := l.nodes[components[c][0]].start
		first[position] = c
		heap.Push(&ready, position)
	}
	for c := range components {
		if incoming[c] == 0 {
			push(c)
		}
	}
	order := make([]int, 0, len(components))
	for len(ready) > 0 {
		c := first[heap.Pop(&ready).(int)]
		order = append(order, c)
		for _, n := range components[c] {
			cross(n, func(s int) {
				if incoming[s]--; incoming[s] == 0 {
					push(s)
				}
			})
		}
	}
	return order
}

// gather adds a gather to a loop that needs one and returns it, or -1. loop is in layout order.
func (l *layouter) gather(loop []int, header int) int {
	var latches []int
	for _, n := range loop {
		l.nodes[n].successors(func(s int) {
			if s == header && (len(latches) == 0 || latches[len(latches)-1] != n) {
				latches = append(latches, n)
			}
		})
	}
	if len(latches) == 1 && latches[0] == loop[len(loop)-1] {
		return -1
	}
	g := len(l.nodes)
	for _, n := range latches {
		l.nodes[n].redirect(header, g)
	}
	l.nodes = append(l.nodes, node{jumps: []int{header}, fall: -1, gather: true, depth: l.nodes[header].depth})
	l.region = append(l.region, 0)
	return g
}

// intHeap is a heap of ints, the least first.
type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push and Pop are for package heap.
func (h *intHeap) Push(x any) { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
