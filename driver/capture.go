package driver

import (
	"slices"
	"sync"
)

// CaptureMode tells which calls are refused while a stream is captured, numbered as cudaStreamCaptureMode.
type CaptureMode int

// The modes.
const (
	CaptureGlobal      CaptureMode = 0
	CaptureThreadLocal CaptureMode = 1
	CaptureRelaxed     CaptureMode = 2
)

// Capture turns what is submitted to streams into a graph.
type Capture struct {
	ID     uint64 // different for each capture of a device
	Mode   CaptureMode
	Thread uintptr // names the thread of the program that began it
	Graph  *Graph
	Into   bool // the graph was there before: who ends the capture has it

	origin *Stream

	mu      sync.Mutex
	invalid bool
	// front holds, for each stream that takes part, the nodes that its next one waits for.
	front map[*Stream][]*Node
}

// BeginCapture lets what is submitted to the stream become nodes of graph, or of a new one when it is nil, after the nodes
// before.
// Thread names the thread of the program that begins it.
func (s *Stream) BeginCapture(mode CaptureMode, thread uintptr, graph *Graph, before []*Node) error {
	switch {
	case s == s.Device.legacyStream:
		return Fail(StreamCaptureUnsupported, "the legacy stream can not be captured")
	case s.capturing() != nil:
		return Fail(IllegalState, "the stream is captured already")
	}
	into := graph != nil
	if !into {
		graph = s.Device.NewGraph()
	}
	c := &Capture{
		ID: s.Device.captureIDs.Add(1), Mode: mode, Thread: thread, Graph: graph, Into: into, origin: s, front: map[*Stream][]*Node{s: slices.Clone(before)},
	}
	s.capture.Store(c)
	s.Device.system.captures.Add(1)
	if s.Order == Blocking {
		s.Device.blockingCaptures.Add(1)
	}
	return nil
}

// EndCapture ends the capture that began with the stream and returns its graph. A thread that did not begin it ends it too, and
// gets the graph only in relaxed mode.
func (s *Stream) EndCapture(thread uintptr) (*Graph, error) {
	c := s.capturing()
	switch {
	case c == nil:
		return nil, Fail(IllegalState, "the stream is not captured: cudaStreamBeginCapture begins a capture")
	case c.origin != s:
		return nil, Fail(StreamCaptureUnmatched, "the capture began with another stream")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for joined := range c.front {
		joined.capture.Store(nil)
	}
	s.Device.system.captures.Add(-1)
	if s.Order == Blocking {
		s.Device.blockingCaptures.Add(-1)
	}
	switch {
	case c.Mode != CaptureRelaxed && c.Thread != thread:
		return nil, Fail(StreamCaptureWrongThread, "another thread began the capture")
	case c.invalid:
		return nil, Fail(StreamCaptureInvalidated, "an earlier call made the capture invalid")
	case !c.joined():
		return nil, Fail(StreamCaptureUnjoined, "a stream that took part in the capture was not joined to the one it began with")
	}
	return c.Graph, nil
}

// joined tells whether the stream with which the capture began waits for all others.
func (c *Capture) joined() bool {
	done := map[*Node]bool{}
	var visit func(n *Node)
	visit = func(n *Node) {
		if !done[n] {
			done[n] = true
			for _, b := range n.Before() {
				visit(b)
			}
		}
	}
	for _, n := range c.front[c.origin] {
		visit(n)
	}
	for _, nodes := range c.front {
		for _, n := range nodes {
			if !done[n] {
				return false
			}
		}
	}
	return true
}

// Capture returns the capture that the stream takes part in, nil when it takes part in none.
func (s *Stream) Capture() *Capture { return s.capturing() }

func (s *Stream) capturing() *Capture { return s.capture.Load() }

// Invalid tells whether a call that is not allowed made the capture invalid.
func (c *Capture) Invalid() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.invalid
}

// invalidate ends the use of the capture with an error.
func (c *Capture) invalidate(err *Error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.invalid = true
	return err
}

// add makes an operation of a stream a node.
func (c *Capture) add(s *Stream, o Operation) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.invalid {
		return Fail(StreamCaptureInvalidated, "an earlier call made the capture invalid")
	}
	if f, ok := o.(MemoryFree); ok {
		o = GraphFree{f}
	}
	n, err := c.Graph.Add(o, c.front[s])
	if err != nil {
		if _, ok := o.(GraphFree); !ok {
			c.invalid = true
		}
		return err
	}
	c.front[s] = []*Node{n}
	return nil
}

// Front returns the nodes that the stream's next one waits for.
func (c *Capture) Front(s *Stream) []*Node {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.front[s])
}

// SetFront replaces, or extends, the nodes that the stream's next one waits for.
func (c *Capture) SetFront(s *Stream, nodes []*Node, extend bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !extend {
		c.front[s] = nil
	}
	c.join(s, nodes)
}

// join lets the stream's next node wait for more nodes. The caller holds c.mu.
func (c *Capture) join(s *Stream, nodes []*Node) {
	for _, n := range nodes {
		if !slices.Contains(c.front[s], n) {
			c.front[s] = append(c.front[s], n)
		}
	}
}

// wait lets a stream wait for an event that was recorded in the capture. A stream that is not captured takes part from now on.
func (c *Capture) wait(s *Stream, nodes []*Node) error {
	switch other := s.capturing(); {
	case s == s.Device.legacyStream:
		return c.invalidate(Fail(StreamCaptureImplicit, "the legacy stream can not wait for an event of a capture"))
	case other != nil && other != c:
		return c.invalidate(Fail(StreamCaptureMerge, "the stream takes part in another capture"))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.invalid {
		return Fail(StreamCaptureInvalidated, "an earlier call made the capture invalid")
	}
	s.capture.Store(c)
	c.front[s] = slices.Clone(c.front[s]) // which takes part, if there are no nodes too
	c.join(s, nodes)
	return nil
}

// Unsafe returns the error of a call that may wait for a device, such as an allocation, while a stream of any is captured in a mode
// that forbids it, nil when none is: by the thread itself in another mode than relaxed, or, unless the thread's own mode is
// CaptureThreadLocal, by any thread in global mode. A thread in relaxed mode may do anything.
func (d *Device) Unsafe(thread uintptr, mode CaptureMode) error {
	if mode == CaptureRelaxed || d.system.captures.Load() == 0 {
		return nil
	}
	for _, device := range d.system.all() {
		if err := device.unsafe(thread, mode); err != nil {
			return err
		}
	}
	return nil
}

// unsafe is Unsafe as far as streams of the device are captured.
func (d *Device) unsafe(thread uintptr, mode CaptureMode) error {
	d.order.Lock()
	defer d.order.Unlock()
	for s := range d.streams {
		c := s.capturing()
		switch {
		case c == nil || c.Mode == CaptureRelaxed:
		case c.Thread == thread:
			return c.invalidate(Fail(StreamCaptureUnsupported, "the call is not allowed while its thread captures a stream in a mode that is not relaxed"))
		case c.Mode == CaptureGlobal && mode == CaptureGlobal:
			return c.invalidate(Fail(StreamCaptureUnsupported, "the call is not allowed while a stream is captured in global mode"))
		}
	}
	return nil
}

// refuse returns the error of waiting for the device's work while a stream is captured.
func (d *Device) refuse() error {
	d.order.Lock()
	defer d.order.Unlock()
	for s := range d.streams {
		if c := s.capturing(); c != nil {
			return c.invalidate(Fail(StreamCaptureUnsupported, "waiting for a device is not allowed while one of its streams is captured"))
		}
	}
	return nil
}

// Refuse returns the error of a call that a captured stream does not allow, nil when the stream is not captured.
func (s *Stream) Refuse(call string) error {
	if c := s.capturing(); c != nil {
		return c.invalidate(Fail(StreamCaptureUnsupported, "%s is not allowed while the stream is captured", call))
	}
	return nil
}

// Implicit returns the error of asking for the capture of the legacy stream while a stream is captured that it would wait for.
func (s *Stream) Implicit() error {
	if s == s.Device.legacyStream && s.Device.blockingCaptures.Load() > 0 {
		return Fail(StreamCaptureImplicit, "the legacy stream would wait for a stream that is captured")
	}
	return nil
}

// refuse is Refuse for what would also wait for captured streams in the legacy stream.
func (s *Stream) refuse(call string) error {
	if err := s.Refuse(call); err != nil {
		return err
	}
	if s == s.Device.legacyStream && s.Device.blockingCaptures.Load() > 0 {
		return s.Device.implicit()
	}
	return nil
}

// implicit returns the error of work of the legacy stream, which would wait for streams that are captured. No such capture
// leads to a graph any more.
func (d *Device) implicit() error {
	d.order.Lock()
	defer d.order.Unlock()
	err := Fail(StreamCaptureImplicit, "the legacy stream would wait for a stream that is captured")
	for s := range d.streams {
		if c := s.capturing(); c != nil && c.origin.Order == Blocking {
			c.invalidate(err)
		}
	}
	return err
}
