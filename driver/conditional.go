package driver

import "sync/atomic"

// Condition is a value that kernels set and conditional nodes of graphs decide by.
type Condition struct {
	Handle uint64 // by which kernels know it
	graph  *Graph
	value  atomic.Uint32
	// initial is what it is when a graph begins, if assigned is set; else it stays.
	initial  uint32
	assigned bool
	used     bool // by its node; the graph's lock guards it
}

// NewCondition returns a condition for nodes of the graph. It is initial, and again whenever the graph is launched if assigned is set.
func (g *Graph) NewCondition(initial uint32, assigned bool) *Condition {
	c := &Condition{graph: g, initial: initial, assigned: assigned}
	c.value.Store(initial)
	s := g.device.system
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conditions = append(s.conditions, c)
	c.Handle = uint64(len(s.conditions))
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conditions = append(g.conditions, c)
	return c
}

// Condition returns the condition of a handle, nil when there is none.
func (s *System) Condition(handle uint64) *Condition {
	s.mu.Lock()
	defer s.mu.Unlock()
	if handle == 0 || handle > uint64(len(s.conditions)) {
		return nil
	}
	return s.conditions[handle-1]
}

// setConditional is a kernel's cudaGraphSetConditional; what is no handle has no effect.
func (c *call) setConditional() (uint64, error) {
	if condition := c.device().system.Condition(c.args[0]); condition != nil {
		condition.value.Store(uint32(c.args[1]))
	}
	return 0, nil
}

// Conditional runs graphs as the value of its condition says when its turn has come.
type Conditional struct {
	Condition *Condition
	Kind      ConditionalKind
	Bodies    []*Graph
}

// ConditionalKind tells how a conditional node decides, numbered as cudaGraphConditionalNodeType.
type ConditionalKind int

// The kinds.
const (
	If     ConditionalKind = 0 // runs the first graph once if the value is not 0, else the second if there is one
	While  ConditionalKind = 1 // runs its graph as long as the value is not 0
	Switch ConditionalKind = 2 // runs the graph with the value as its index, if there is one
)

// NewConditional returns an operation with empty graphs.
func (g *Graph) NewConditional(c *Condition, kind ConditionalKind, bodies int) (Conditional, error) {
	most := 1
	switch kind {
	case If:
		most = 2
	case Switch:
		most = bodies
	case While:
	default:
		return Conditional{}, Fail(InvalidValue, "there is no kind %d of conditional nodes", kind)
	}
	if bodies < 1 || bodies > most {
		return Conditional{}, Fail(InvalidValue, "a conditional node of kind %d with %d graphs", kind, bodies)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.graph != g || c.used {
		return Conditional{}, Fail(InvalidValue, "the condition is of another graph, or another node's")
	}
	o := Conditional{Condition: c, Kind: kind}
	for range bodies {
		body := g.device.NewGraph()
		body.Body = true
		o.Bodies = append(o.Bodies, body)
	}
	return o, nil
}

func (o Conditional) prepare(d *Device) (func() error, bool, error) { return nil, false, nil }

// ErrConditionUnused is the error of a graph with a condition that none of its nodes decides by.
var ErrConditionUnused = Fail(InvalidValue, "a condition of the graph has no node")

// checkConditions checks that each condition has its node, and what the graphs of conditional nodes do (CUDA Programming Guide,
// conditional graph nodes). The caller holds g.mu.
func (g *Graph) checkConditions() error {
	for _, c := range g.conditions {
		if !c.used {
			return ErrConditionUnused
		}
	}
	if !g.Body {
		return nil
	}
	for _, n := range g.nodes {
		switch n.operation.(type) {
		case KernelLaunch, MemoryCopy, MemorySet, Nothing, Subgraph, Conditional:
		default:
			return Fail(InvalidValue, "a graph of a conditional node does more than kernels, copies, fills and graphs do")
		}
	}
	return nil
}

// conditions returns those that a launch of the exec gives their first value.
func (x *GraphExec) conditions() (all []*Condition) {
	for _, s := range x.steps {
		if o, ok := s.operation.(Conditional); ok && o.Condition.assigned {
			all = append(all, o.Condition)
		}
		for _, b := range s.bodies {
			all = append(all, b.conditions()...)
		}
		if s.child != nil {
			all = append(all, s.child.conditions()...)
		}
	}
	return all
}

// branch runs the graphs of a conditional node. Graph is the activity with which the launch began.
func (s *step) branch(graph *Activity) error {
	o := s.operation.(Conditional)
	switch value := o.Condition.value.Load(); o.Kind {
	case If:
		if value != 0 {
			s.bodies[0].runNow(graph)
		} else if len(s.bodies) > 1 {
			s.bodies[1].runNow(graph)
		}
	case While:
		for value := value; value != 0 && s.bodies[0].device.Status() == nil; value = o.Condition.value.Load() {
			s.bodies[0].runNow(graph)
		}
	case Switch:
		if int(value) < len(s.bodies) {
			s.bodies[value].runNow(graph)
		}
	}
	return nil
}

// runNow runs a graph and returns when it has ended.
func (x *GraphExec) runNow(graph *Activity) {
	begin, end := &Task{}, &Task{}
	x.device.place(begin, nil)
	x.device.place(end, append(x.place(begin, graph), begin))
	end.Wait()
}
