package driver

import (
	"slices"
	"sync"
)

// Graph is work of a device and the order that it needs. It is safe for concurrent use.
type Graph struct {
	device *Device
	mu     sync.Mutex
	nodes  []*Node
	exec   bool // there is an exec that has the graph's memory
	// Body is set for a graph of a conditional node, which ends with it.
	Body       bool
	conditions []*Condition
}

// Node is an operation of a graph.
type Node struct {
	Graph     *Graph
	operation Operation
	before    []*Node // nodes that have to end first, each once
	// edges is what the program says of dependencies on nodes of before; one that is not there has no data.
	edges  map[*Node]EdgeData
	source *Node // the node of which this is a clone
}

// EdgeData is what a program says of a dependency (cudaGraphEdgeData). A node may begin before another has ended where its ports
// say so; here it begins after.
type EdgeData struct{ FromPort, ToPort, Type byte }

// Programmatic is the type of a dependency on what a kernel does before its end.
const Programmatic = 1

// The ports of a kernel: its end, what it says by griddepcontrol.launch_dependents, its beginning.
const lastPort = 2

// NewGraph returns an empty graph.
func (d *Device) NewGraph() *Graph { return &Graph{device: d} }

// Device returns the device whose work it is.
func (g *Graph) Device() *Device { return g.device }

// Add puts an operation into the graph, after other nodes of it.
func (g *Graph) Add(o Operation, before []*Node) (*Node, error) {
	if _, err := g.device.inGraph(o); err != nil {
		return nil, err
	}
	if sub, ok := o.(Subgraph); ok && sub.hasMemory() {
		return nil, errGraphMemory
	}
	n := &Node{Graph: g, operation: o}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.checkMemory(o); err != nil {
		return nil, err
	}
	for _, b := range before {
		if b.Graph != g {
			return nil, errOtherGraph
		}
		if slices.Contains(n.before, b) {
			return nil, errTwice
		}
		n.before = append(n.before, b)
	}
	g.nodes = append(g.nodes, n)
	switch o := o.(type) {
	case MemoryAlloc:
		o.block.use(1)
	case Conditional:
		o.Condition.used = true
	}
	return n, nil
}

var (
	errOtherGraph = Fail(InvalidValue, "the node is of another graph")
	errTwice      = Fail(InvalidValue, "a dependency is given twice")
	errNoEdge     = Fail(InvalidValue, "there is no such dependency")
	errCycle      = Fail(InvalidValue, "the graph has a cycle")
	errEdgeData   = Fail(InvalidValue, "a dependency with data of a port or type that there is not")
)

// Remove takes a node and its dependencies out of the graph.
func (n *Node) Remove() error {
	g := n.Graph
	g.mu.Lock()
	defer g.mu.Unlock()
	switch n.operation.(type) {
	case MemoryAlloc, GraphFree:
		return errGraphMemory
	}
	isNode := func(o *Node) bool { return o == n }
	if c, ok := n.operation.(Conditional); ok {
		c.Condition.used = false
	}
	g.nodes = slices.DeleteFunc(g.nodes, isNode)
	for _, o := range g.nodes {
		o.before = slices.DeleteFunc(o.before, isNode)
		delete(o.edges, n)
	}
	return nil
}

// Order lets a node wait for an earlier one.
func (g *Graph) Order(earlier, later *Node, data EdgeData) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case !data.allowed(earlier, later):
		return errEdgeData
	case earlier.Graph != g || later.Graph != g:
		return errOtherGraph
	case earlier == later:
		return errCycle
	case slices.Contains(later.before, earlier):
		return errTwice
	}
	later.before = append(later.before, earlier)
	later.label(earlier, data)
	return nil
}

// allowed tells whether a dependency may have the data: only the beginning, or a part, of a kernel is awaited, and by a kernel alone.
func (e EdgeData) allowed(earlier, later *Node) bool {
	if e == (EdgeData{}) {
		return true
	}
	_, from := earlier.operation.(KernelLaunch)
	_, to := later.operation.(KernelLaunch)
	return from && e.ToPort == 0 && e.FromPort > 0 && e.FromPort <= lastPort && (e.Type == 0 && e.FromPort == lastPort || e.Type == Programmatic && to)
}

// label keeps the data of a dependency. The caller holds the graph's lock.
func (n *Node) label(earlier *Node, data EdgeData) {
	if data == (EdgeData{}) {
		return
	}
	if n.edges == nil {
		n.edges = map[*Node]EdgeData{}
	}
	n.edges[earlier] = data
}

// Unorder undoes Order of the same data.
func (g *Graph) Unorder(earlier, later *Node, data EdgeData) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(later.before, earlier)
	if later.Graph != g || i < 0 || later.edges[earlier] != data {
		return errNoEdge
	}
	later.before = slices.Delete(later.before, i, i+1)
	delete(later.edges, earlier)
	return nil
}

// Edge returns the data of the dependency on an earlier node.
func (n *Node) Edge(earlier *Node) EdgeData {
	n.Graph.mu.Lock()
	defer n.Graph.mu.Unlock()
	return n.edges[earlier]
}

// Nodes returns the nodes in the order in which they came.
func (g *Graph) Nodes() []*Node {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.nodes)
}

// Before returns the nodes that a node waits for.
func (n *Node) Before() []*Node {
	n.Graph.mu.Lock()
	defer n.Graph.mu.Unlock()
	return slices.Clone(n.before)
}

// After returns the nodes that wait for a node.
func (n *Node) After() []*Node {
	n.Graph.mu.Lock()
	defer n.Graph.mu.Unlock()
	var after []*Node
	for _, o := range n.Graph.nodes {
		if slices.Contains(o.before, n) {
			after = append(after, o)
		}
	}
	return after
}

// Operation returns what a node does.
func (n *Node) Operation() Operation {
	n.Graph.mu.Lock()
	defer n.Graph.mu.Unlock()
	return n.operation
}

// Set replaces what a node does by an operation of the same kind.
func (n *Node) Set(o Operation) error {
	if _, err := n.Graph.device.inGraph(o); err != nil {
		return err
	}
	n.Graph.mu.Lock()
	defer n.Graph.mu.Unlock()
	n.operation = o
	return nil
}

// Clone returns a copy of the graph.
func (g *Graph) Clone() (*Graph, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.blocks()) > 0 || g.frees() {
		return nil, errGraphMemory
	}
	clone := &Graph{device: g.device}
	clones := map[*Node]*Node{}
	for _, n := range g.nodes {
		if _, ok := n.operation.(Conditional); ok {
			return nil, Fail(NotSupported, "a graph with conditional nodes has no clones, and is no child")
		}
		clones[n] = &Node{Graph: clone, operation: n.operation, source: n}
		clone.nodes = append(clone.nodes, clones[n])
	}
	for _, n := range g.nodes {
		for _, b := range n.before {
			clones[n].before = append(clones[n].before, clones[b])
			clones[n].label(clones[b], n.edges[b])
		}
	}
	return clone, nil
}

// CloneOf returns the node of the graph that is a clone of n, nil when there is none.
func (g *Graph) CloneOf(n *Node) *Node {
	for _, o := range g.Nodes() {
		if o.source == n {
			return o
		}
	}
	return nil
}

// sorted returns the nodes so that each comes after those it waits for. The caller holds g.mu.
func (g *Graph) sorted() ([]*Node, error) {
	waiting := map[*Node]int{}
	after := map[*Node][]*Node{}
	var list []*Node
	for _, n := range g.nodes {
		waiting[n] = len(n.before)
		for _, b := range n.before {
			after[b] = append(after[b], n)
		}
		if len(n.before) == 0 {
			list = append(list, n)
		}
	}
	for i := 0; i < len(list); i++ {
		for _, n := range after[list[i]] {
			if waiting[n]--; waiting[n] == 0 {
				list = append(list, n)
			}
		}
	}
	if len(list) < len(g.nodes) {
		return nil, errCycle
	}
	return list, nil
}

// Subgraph is a graph that runs as a node of another.
type Subgraph struct{ *Graph }

func (o Subgraph) prepare(*Device) (func() error, bool, error) { return nil, false, nil }

// EventRecord lets an event happen.
type EventRecord struct{ *Event }

func (o EventRecord) prepare(*Device) (func() error, bool, error) {
	return func() error { o.happen(); return nil }, false, nil
}

// EventWait waits for an event: for its latest record when the node's turn has come.
type EventWait struct{ *Event }

func (o EventWait) prepare(*Device) (func() error, bool, error) {
	return o.Synchronize, false, nil
}
