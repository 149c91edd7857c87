package driver

import (
	"reflect"
	"slices"
	"sync"
)

// GraphExec is a graph that can be launched. It is a copy: later changes of the graph do not change it.
type GraphExec struct {
	device *Device
	mu     sync.Mutex
	steps  []*step // each after those it waits for
	last   *Task   // the end of the latest launch
	memory execMemory
}

// step is a node of a GraphExec.
type step struct {
	node      *Node
	operation Operation
	work      func() error
	child     *GraphExec   // of a Subgraph
	bodies    []*GraphExec // of a Conditional
	before    []int        // indices of steps
	disabled  bool
}

// AutoFree lets a launch free what the one before allocated and nobody freed.
func (x *GraphExec) AutoFree() { x.memory.autoFree = true }

// Instantiate returns what can be launched.
func (g *Graph) Instantiate() (*GraphExec, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	nodes, err := g.sorted()
	if err == nil {
		err = g.checkConditions()
	}
	if err != nil {
		return nil, err
	}
	x := &GraphExec{device: g.device}
	index := map[*Node]int{}
	for i, n := range nodes {
		index[n] = i
		s := &step{node: n}
		for _, b := range n.before {
			s.before = append(s.before, index[b])
		}
		if f, ok := n.operation.(GraphFree); ok {
			s.before = append(s.before, allocationsOf(f, nodes[:i])...)
		}
		if err := s.set(g.device, n.operation); err != nil {
			return nil, err
		}
		x.steps = append(x.steps, s)
	}
	return x, x.takes(g)
}

// set gives a step its operation.
func (s *step) set(d *Device, o Operation) error {
	if g, ok := o.(Subgraph); ok {
		child, err := g.Instantiate()
		if err != nil {
			return err
		}
		s.operation, s.child = o, child
		return nil
	}
	if c, ok := o.(Conditional); ok {
		s.bodies = nil
		for _, g := range c.Bodies {
			body, err := g.Instantiate()
			if err != nil {
				return err
			}
			s.bodies = append(s.bodies, body)
		}
		s.operation = o
		return nil
	}
	work, err := d.inGraph(o)
	if err != nil {
		return err
	}
	s.operation, s.work = o, work
	return nil
}

// Launch puts the graph's work at the end of a stream. A launch waits for the one before it.
func (x *GraphExec) Launch(s *Stream) error {
	if err := s.Refuse("a launch of a graph"); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.begin(s); err != nil {
		return err
	}
	after := []*Task{x.last}
	var others []*Device
	if s == s.Device.legacyStream {
		others = x.others(s.Device)
	}
	for _, d := range others {
		t, err := d.legacyStream.Enqueue(nil)
		if err != nil {
			return err
		}
		after = append(after, t)
	}
	t := &Task{activity: s.Device.activity(GraphActivity), queue: s.queue}
	if conditions := x.conditions(); len(conditions) > 0 {
		t.work = func() error {
			for _, c := range conditions {
				c.value.Store(c.initial)
			}
			return nil
		}
	}
	begin, err := s.enqueue(t, after...)
	if err != nil {
		return err
	}
	if x.last, err = s.Enqueue(nil, x.place(begin, begin.activity)...); err != nil {
		return err
	}
	for _, d := range others {
		if _, err := d.legacyStream.Enqueue(nil, x.last); err != nil {
			return err
		}
	}
	return nil
}

// others returns the devices beside d that the graph's kernels and copies use. In the legacy stream a graph has its turn on all of
// them, as a copy between devices has.
func (x *GraphExec) others(d *Device) (all []*Device) {
	add := func(other *Device) {
		if other != nil && other != d && !slices.Contains(all, other) {
			all = append(all, other)
		}
	}
	if len(d.system.GPUs) == 1 {
		return nil
	}
	for _, s := range x.steps {
		switch o := s.operation.(type) {
		case KernelLaunch:
			add(o.Function.Module.device)
		case MemoryCopy:
			add(d.placed(o.Src))
			add(d.placed(o.Dst))
		}
	}
	return all
}

// place enters the steps as tasks after begin and returns those that no step waits for. The launch of the graph began with
// an activity, which is nil when nobody listens.
func (x *GraphExec) place(begin *Task, graph *Activity) (ends []*Task) {
	tasks := make([]*Task, len(x.steps))
	waited := make([]bool, len(x.steps))
	for i, s := range x.steps {
		after := []*Task{begin}
		for _, b := range s.before {
			after = append(after, tasks[b])
			waited[b] = true
		}
		t := &Task{}
		if !s.disabled {
			t = x.device.recorded(s.operation, s.work)
		}
		if s.bodies != nil && !s.disabled {
			t.work = func() error { return s.branch(graph) }
		}
		if t.activity != nil {
			t.activity.Graph = graph.ID
		}
		if s.child != nil && !s.disabled {
			start := &Task{}
			x.device.place(start, after)
			after = s.child.place(start, graph)
			after = append(after, start)
		}
		x.device.place(t, after)
		tasks[i] = t
	}
	for i, t := range tasks {
		if !waited[i] {
			ends = append(ends, t)
		}
	}
	return ends
}

// step returns the step of a node of the graph that x was made of.
func (x *GraphExec) step(n *Node) (*step, error) {
	for _, s := range x.steps {
		if s.node == n {
			return s, nil
		}
		for _, body := range s.bodies {
			if inner, err := body.step(n); err == nil {
				return inner, nil
			}
		}
	}
	return nil, Fail(InvalidValue, "the node is not of the graph that was instantiated")
}

// Set replaces what a node does in later launches by an operation of the same kind.
func (x *GraphExec) Set(n *Node, o Operation) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, err := x.step(n)
	if err != nil {
		return err
	}
	if reflect.TypeOf(o) != reflect.TypeOf(s.operation) {
		return Fail(InvalidValue, "the node does something else")
	}
	if w, ok := o.(WordOperations); ok && len(w) != len(s.operation.(WordOperations)) {
		return Fail(InvalidValue, "the node has %d operations on words, not %d", len(s.operation.(WordOperations)), len(w))
	}
	return s.set(x.device, o)
}

// Enable tells whether later launches run a node.
func (x *GraphExec) Enable(n *Node, enabled bool) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, err := x.step(n)
	if err != nil {
		return err
	}
	s.disabled = !enabled
	return nil
}

// Enabled returns what Enable set.
func (x *GraphExec) Enabled(n *Node) (bool, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, err := x.step(n)
	return err == nil && !s.disabled, err
}

// Mismatch tells why a graph can not replace another.
type Mismatch struct {
	// Topology is set when the graphs have other nodes or another order; else the operation of Node is of another kind.
	Topology bool
	Node     *Node
}

// Update takes over the operations of a graph that has the same nodes in the same order. mismatch is nil when it did.
func (x *GraphExec) Update(g *Graph) (mismatch *Mismatch, err error) {
	fresh, err := g.Instantiate()
	if err != nil {
		return nil, err
	}
	defer fresh.Destroy()
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(fresh.steps) != len(x.steps) {
		return &Mismatch{Topology: true}, nil
	}
	for i, s := range fresh.steps {
		old := x.steps[i]
		switch {
		case !slices.Equal(s.before, old.before):
			return &Mismatch{Topology: true, Node: s.node}, nil
		case reflect.TypeOf(s.operation) != reflect.TypeOf(old.operation):
			return &Mismatch{Node: s.node}, nil
		}
	}
	for i, s := range fresh.steps {
		old := x.steps[i]
		old.operation, old.work, old.child, old.bodies = s.operation, s.work, s.child, s.bodies
	}
	return nil, nil
}
