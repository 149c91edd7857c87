package main

// #include <stdlib.h>
// #include <cuda_runtime_api.h>
// #include <cuda.h>
import "C"

import (
	"fmt"
	"os"
	"strings"
	"unsafe"

	"silica/driver"
	"silica/internal/cppname"
)

var graphs = works{
	"cudaGraphCreate":                 createGraph,
	"cudaGraphDestroy":                destroyGraph,
	"cudaGraphClone":                  cloneGraph,
	"cudaGraphAddKernelNode":          addNode(kernelNode),
	"cudaGraphAddMemcpyNode":          addNode(argument(4, memcpy3DAt)),
	"cudaGraphAddMemcpyNode1D":        addNode(memcpyNode(4)),
	"cudaGraphAddMemsetNode":          addNode(argument(4, memsetAt)),
	"cudaGraphAddHostNode":            addNode(argument(4, hostCallAt)),
	"cudaGraphAddChildGraphNode":      addNode(childGraph(4)),
	"cudaGraphAddEmptyNode":           addNode(func(*context, args) (driver.Operation, error) { return driver.Nothing{}, nil }),
	"cudaGraphAddEventRecordNode":     addNode(eventRecord(4)),
	"cudaGraphAddEventWaitNode":       addNode(eventWait(4)),
	"cudaGraphGetNodes":               ofGraph(listNodes((*driver.Graph).Nodes)),
	"cudaGraphGetRootNodes":           ofGraph(listNodes(rootNodes)),
	"cudaGraphNodeGetType":            ofNode(func(_ *context, n *driver.Node, a args) error { return out(a, 1, C.int(nodeType(n.Operation()))) }),
	"cudaGraphNodeFindInClone":        findInClone,
	"cudaGraphDestroyNode":            destroyNode,
	"cudaGraphKernelNodeGetParams":    ofNode(getKernelParams),
	"cudaGraphKernelNodeSetParams":    setNode(argument(1, kernelAt)),
	"cudaGraphMemcpyNodeSetParams":    setNode(argument(1, memcpy3DAt)),
	"cudaGraphMemcpyNodeSetParams1D":  setNode(memcpyNode(1)),
	"cudaGraphMemsetNodeGetParams":    ofNode(getMemsetParams),
	"cudaGraphMemsetNodeSetParams":    setNode(argument(1, memsetAt)),
	"cudaGraphHostNodeGetParams":      ofNode(getHostParams),
	"cudaGraphHostNodeSetParams":      setNode(argument(1, hostCallAt)),
	"cudaGraphChildGraphNodeGetGraph": ofNode(getChildGraph),
	"cudaGraphDebugDotPrint":          ofGraph(printGraph),
	"cudaUserObjectCreate":            createUserObject,
	"cudaUserObjectRetain":            userObjectOf(0, retainUserObject),
	"cudaUserObjectRelease":           userObjectOf(0, releaseUserObject),
	"cudaGraphRetainUserObject":       userObjectOf(1, graphRetains),
	"cudaGraphReleaseUserObject":      userObjectOf(1, graphReleases),
}

// graphHandles are the handles of what belongs to graphs: a node has one as long as its graph.
type graphHandles struct {
	graphs map[*driver.Graph]uint64
	nodes  map[*driver.Node]uint64
	params map[*driver.Node]unsafe.Pointer // memory of C for the parameters that were asked for
	list   unsafe.Pointer                  // memory of C for a list of nodes
	// objects are the references of graphs to objects of the program.
	objects map[*driver.Graph]references
}

func newGraphHandles() graphHandles {
	return graphHandles{
		graphs: map[*driver.Graph]uint64{}, nodes: map[*driver.Node]uint64{}, params: map[*driver.Node]unsafe.Pointer{},
		objects: map[*driver.Graph]references{},
	}
}

// free gives back the memory of C.
func (h *graphHandles) free() {
	for _, p := range h.params {
		C.free(p)
	}
	clear(h.params)
	C.free(h.list)
	h.list = nil
}

// graphHandle returns the handle of a graph.
func (c *context) graphHandle(g *driver.Graph) uint64 {
	c.mu.RLock()
	h, ok := c.graph.graphs[g]
	c.mu.RUnlock()
	if !ok {
		h = c.add(g)
		c.mu.Lock()
		c.graph.graphs[g] = h
		c.mu.Unlock()
	}
	return h
}

// nodeHandle returns the handle of a node, 0 for nil.
func (c *context) nodeHandle(n *driver.Node) uint64 {
	if n == nil {
		return 0
	}
	c.mu.RLock()
	h, ok := c.graph.nodes[n]
	c.mu.RUnlock()
	if !ok {
		h = c.add(n)
		c.mu.Lock()
		c.graph.nodes[n] = h
		c.mu.Unlock()
	}
	return h
}

// forgetNode ends the handle of a node.
func (c *context) forgetNode(n *driver.Node) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.handles, c.graph.nodes[n])
	delete(c.graph.nodes, n)
	C.free(c.graph.params[n])
	delete(c.graph.params, n)
}

// nodes returns the nodes of n handles at the address of argument i.
func (c *context) nodeList(a args, i int, n uint64) ([]*driver.Node, error) {
	if n == 0 {
		return nil, nil
	}
	if a.size(i) < lowestAddress {
		return nil, errNull
	}
	list := make([]*driver.Node, n)
	for k, h := range unsafe.Slice((*uint64)(a.pointer(i)), n) {
		var err error
		if list[k], err = get[*driver.Node](c, h); err != nil {
			return nil, errNode
		}
	}
	return list, nil
}

// What is no graph or node is a wrong value, and not a wrong handle.
var (
	errNode  = driver.Fail(driver.InvalidValue, "the handle is not that of a node")
	errGraph = driver.Fail(driver.InvalidValue, "the handle is not that of a graph")
)

// ofGraph makes a function of one whose first argument is a graph.
func ofGraph(f func(c *context, g *driver.Graph, a args) error) work {
	return func(c *context, a args) error {
		g, err := get[*driver.Graph](c, a.size(0))
		if err != nil {
			return errGraph
		}
		return f(c, g, a)
	}
}

// ofNode makes a function of one whose first argument is a node.
func ofNode(f func(c *context, n *driver.Node, a args) error) work {
	return func(c *context, a args) error {
		n, err := get[*driver.Node](c, a.size(0))
		if err != nil {
			return errNode
		}
		return f(c, n, a)
	}
}

func createGraph(c *context, a args) error {
	if a.uint(1) != 0 {
		return driver.Fail(driver.InvalidValue, "flags are 0, not 0x%x", a.uint(1))
	}
	return allocate(a, 0, func() (uint64, error) { return c.graphHandle(c.device.NewGraph()), nil })
}

func destroyGraph(c *context, a args) error {
	if g, err := get[*driver.Graph](c, a.size(0)); err == nil && g.Body {
		return driver.Fail(driver.InvalidValue, "the graph is that of a conditional node")
	}
	g, err := remove[*driver.Graph](c, a.size(0))
	if err != nil {
		return errGraph
	}
	for _, n := range g.Nodes() {
		c.forgetNode(n)
	}
	c.mu.Lock()
	delete(c.graph.graphs, g)
	g.Destroy()
	objects := c.graph.objects[g]
	delete(c.graph.objects, g)
	c.mu.Unlock()
	return c.release(objects)
}

func cloneGraph(c *context, a args) error {
	g, err := get[*driver.Graph](c, a.size(1))
	if err != nil {
		return errGraph
	}
	return allocate(a, 0, func() (uint64, error) {
		clone, err := g.Clone()
		if err != nil {
			return 0, err
		}
		objects := c.retained(g)
		c.mu.Lock()
		c.graph.objects[clone] = objects
		c.mu.Unlock()
		return c.graphHandle(clone), nil
	})
}

// addNode makes a function that adds a node: its arguments are where the node goes, the graph, the nodes before, how many, and
// what f reads.
func addNode(f transfer) work {
	return func(c *context, a args) error {
		g, err := get[*driver.Graph](c, a.size(1))
		if err != nil {
			return errGraph
		}
		before, err := c.nodeList(a, 2, a.size(3))
		if err != nil {
			return err
		}
		return allocate(a, 0, func() (uint64, error) {
			o, err := f(c, a)
			if err != nil {
				return 0, err
			}
			n, err := g.Add(orNothing(o), before)
			return c.nodeHandle(n), err
		})
	}
}

// orNothing is the operation of a transfer that has nothing to do.
func orNothing(o driver.Operation) driver.Operation {
	if o == nil {
		return driver.Nothing{}
	}
	return o
}

// setNode makes a function that replaces what the node of argument 0 does.
func setNode(f transfer) work {
	return ofNode(func(c *context, n *driver.Node, a args) error {
		o, err := f(c, a)
		if err != nil {
			return err
		}
		if nodeType(o) != nodeType(n.Operation()) {
			return errOtherNode
		}
		return n.Set(withAttributes(n.Operation(), o))
	})
}

// argument makes a transfer of one whose parameters are where argument i points.
func argument[T any](i int, f func(c *context, p *T) (driver.Operation, error)) transfer {
	return func(c *context, a args) (driver.Operation, error) {
		p, err := in[T](a, i)
		if err != nil {
			return nil, err
		}
		return f(c, p)
	}
}

// kernelNode is what cudaGraphAddKernelNode reads.
var kernelNode = argument(4, kernelAt)

func kernelAt(c *context, p *C.struct_cudaKernelNodeParams) (driver.Operation, error) {
	f, err := c.function(uint64(uintptr(p._func)))
	if err != nil {
		return nil, err
	}
	l := launch{
		grid: dim3At(&p.gridDim), block: dim3At(&p.blockDim), shared: uint64(p.sharedMemBytes),
		arguments: uint64(uintptr(unsafe.Pointer(p.kernelParams))), buffer: uint64(uintptr(unsafe.Pointer(p.extra))),
	}
	return l.operation(f)
}

func memcpyNode(i int) transfer {
	return func(_ *context, a args) (driver.Operation, error) {
		return bytesCopy(a.size(i), a.size(i+1), a.size(i+2), driver.CopyKind(a.int(i+3))), nil
	}
}

func memsetAt(_ *context, p *C.struct_cudaMemsetParams) (driver.Operation, error) {
	size := uint64(p.elementSize)
	if size != 1 && size != 2 && size != 4 {
		return nil, driver.Fail(driver.InvalidValue, "elements have 1, 2 or 4 bytes, not %d", size)
	}
	return driver.MemorySet{
		Dst: driver.Place{Addr: uint64(uintptr(p.dst)), Pitch: uint64(p.pitch)}, Value: uint32(p.value), Bytes: size,
		Extent: driver.Extent{Width: uint64(p.width) * size, Height: uint64(p.height), Depth: 1},
	}, nil
}

func getMemsetParams(_ *context, n *driver.Node, a args) error {
	o, ok := n.Operation().(driver.MemorySet)
	if !ok {
		return errOtherNode
	}
	p, err := in[C.struct_cudaMemsetParams](a, 1)
	if err != nil {
		return err
	}
	*p = C.struct_cudaMemsetParams{
		dst: pointer(o.Dst.Addr), pitch: C.size_t(o.Dst.Pitch), value: C.uint(o.Value), elementSize: C.uint(o.Bytes),
		width: C.size_t(o.Extent.Width / o.Bytes), height: C.size_t(o.Extent.Height),
	}
	return nil
}

func hostCallAt(_ *context, p *C.struct_cudaHostNodeParams) (driver.Operation, error) {
	if p.fn == nil {
		return nil, errNull
	}
	return driver.HostCall{Host: hostFunction{uint64(uintptr(unsafe.Pointer(p.fn))), uint64(uintptr(p.userData))}}, nil
}

func getHostParams(_ *context, n *driver.Node, a args) error {
	o, ok := n.Operation().(driver.HostCall)
	if !ok {
		return errOtherNode
	}
	p, err := in[[2]uint64](a, 1)
	if err != nil {
		return err
	}
	f, _ := o.Host.(hostFunction)
	*p = [2]uint64{f.function, f.data}
	return nil
}

func childGraph(i int) transfer {
	return func(c *context, a args) (driver.Operation, error) { return c.subgraph(a.size(i)) }
}

// subgraph returns the operation that runs a clone of the graph of a handle.
func (c *context) subgraph(handle uint64) (driver.Operation, error) {
	g, err := get[*driver.Graph](c, handle)
	if err != nil {
		return nil, errGraph
	}
	clone, err := g.Clone()
	return driver.Subgraph{Graph: clone}, err
}

func getChildGraph(c *context, n *driver.Node, a args) error {
	o, ok := n.Operation().(driver.Subgraph)
	if !ok {
		return errOtherNode
	}
	return out(a, 1, c.graphHandle(o.Graph))
}

// nodeEvent returns the event of a node; a null pointer is a wrong value, and no wrong handle.
func (c *context) nodeEvent(handle uint64) (*driver.Event, error) {
	if handle == 0 {
		return nil, errNull
	}
	return get[*driver.Event](c, handle)
}

func eventRecord(i int) transfer {
	return func(c *context, a args) (driver.Operation, error) {
		e, err := c.nodeEvent(a.size(i))
		return driver.EventRecord{Event: e}, err
	}
}

func eventWait(i int) transfer {
	return func(c *context, a args) (driver.Operation, error) {
		e, err := c.nodeEvent(a.size(i))
		return driver.EventWait{Event: e}, err
	}
}

// listNodes makes a function that lists nodes: argument 1 is where they go, argument 2 points to how many there is room for,
// and gets how many there are. Nodes that do not exist are null.
func listNodes[T any](list func(T) []*driver.Node) func(c *context, of T, a args) error {
	return func(c *context, of T, a args) error {
		nodes := list(of)
		count, err := in[uint64](a, 2)
		if err != nil {
			return err
		}
		if a.size(1) == 0 {
			*count = uint64(len(nodes))
			return nil
		}
		handles := unsafe.Slice((*uint64)(a.pointer(1)), *count)
		clear(handles)
		for i, n := range nodes[:min(len(nodes), len(handles))] {
			handles[i] = c.nodeHandle(n)
		}
		*count = min(*count, uint64(len(nodes)))
		return nil
	}
}

func rootNodes(g *driver.Graph) []*driver.Node {
	var roots []*driver.Node
	for _, n := range g.Nodes() {
		if len(n.Before()) == 0 {
			roots = append(roots, n)
		}
	}
	return roots
}

func findInClone(c *context, a args) error {
	n, err := get[*driver.Node](c, a.size(1))
	if err != nil {
		return errNode
	}
	g, err := get[*driver.Graph](c, a.size(2))
	if err != nil {
		return errGraph
	}
	clone := g.CloneOf(n)
	if clone == nil {
		return driver.Fail(driver.InvalidValue, "the graph has no clone of the node")
	}
	return out(a, 0, c.nodeHandle(clone))
}

func destroyNode(c *context, a args) error {
	n, err := get[*driver.Node](c, a.size(0))
	if err != nil {
		return errNode
	}
	if err := n.Remove(); err != nil {
		return err
	}
	c.forgetNode(n)
	return nil
}

// kernelOf returns the launch of a kernel node.
func kernelOf(n *driver.Node) (driver.KernelLaunch, error) {
	o, ok := n.Operation().(driver.KernelLaunch)
	if !ok {
		return o, errOtherNode
	}
	return o, nil
}

func getKernelParams(c *context, n *driver.Node, a args) error {
	o, err := kernelOf(n)
	if err != nil {
		return err
	}
	p, err := in[C.struct_cudaKernelNodeParams](a, 1)
	if err != nil {
		return err
	}
	host, ok := c.hostOf(o.Function)
	if !ok {
		return driver.Fail(driver.InvalidDeviceFunction, "no function of the host stands for the kernel")
	}
	dim := func(d driver.Dim3) C.struct_dim3 { return C.struct_dim3{C.uint(d.X), C.uint(d.Y), C.uint(d.Z)} }
	*p = C.struct_cudaKernelNodeParams{
		_func: pointer(host), gridDim: dim(o.Launch.Grid), blockDim: dim(o.Launch.Block), sharedMemBytes: C.uint(o.Launch.Shared),
		kernelParams: (*unsafe.Pointer)(c.parameters(n, o)),
	}
	return nil
}

// hostOf returns the function of the host that stands for a kernel.
func (c *context) hostOf(f *driver.Function) (uint64, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for host, g := range c.functions {
		if g == f {
			return host, true
		}
	}
	return 0, false
}

// parameters returns the address of an array of addresses, one for each parameter of a kernel node. The memory is the node's.
func (c *context) parameters(n *driver.Node, o driver.KernelLaunch) unsafe.Pointer {
	params, values := o.Function.Kernel.Params, o.Launch.Params
	c.mu.Lock()
	defer c.mu.Unlock()
	C.free(c.graph.params[n])
	p := C.calloc(1, C.size_t(8*len(params)+len(values)+1))
	c.graph.params[n] = p
	start := unsafe.Add(p, 8*len(params))
	copy(unsafe.Slice((*byte)(start), len(values)), values)
	for i, param := range params {
		*(*uint64)(unsafe.Add(p, 8*i)) = uint64(uintptr(start)) + uint64(param.Offset)
	}
	return p
}

// nodeType numbers an operation as cudaGraphNodeType and CUgraphNodeType do.
func nodeType(o driver.Operation) int {
	switch o.(type) {
	case driver.KernelLaunch:
		return C.cudaGraphNodeTypeKernel
	case driver.MemoryCopy:
		return C.cudaGraphNodeTypeMemcpy
	case driver.MemorySet:
		return C.cudaGraphNodeTypeMemset
	case driver.HostCall:
		return C.cudaGraphNodeTypeHost
	case driver.Subgraph:
		return C.cudaGraphNodeTypeGraph
	case driver.EventWait:
		return C.cudaGraphNodeTypeWaitEvent
	case driver.EventRecord:
		return C.cudaGraphNodeTypeEventRecord
	case driver.MemoryAlloc:
		return C.cudaGraphNodeTypeMemAlloc
	case driver.GraphFree:
		return C.cudaGraphNodeTypeMemFree
	case driver.WordOperations:
		return C.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP
	case driver.Conditional:
		return C.cudaGraphNodeTypeConditional
	}
	return C.cudaGraphNodeTypeEmpty
}

var nodeTypeNames = map[int]string{
	C.cudaGraphNodeTypeKernel: "KERNEL", C.cudaGraphNodeTypeMemcpy: "MEMCPY", C.cudaGraphNodeTypeMemset: "MEMSET",
	C.cudaGraphNodeTypeHost: "HOST", C.cudaGraphNodeTypeGraph: "GRAPH", C.cudaGraphNodeTypeWaitEvent: "WAIT EVENT",
	C.cudaGraphNodeTypeEventRecord: "EVENT RECORD", C.cudaGraphNodeTypeMemAlloc: "MEM ALLOC", C.cudaGraphNodeTypeMemFree: "MEM FREE", C.cudaGraphNodeTypeEmpty: "EMPTY",
	C.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: "BATCH MEM OP", C.cudaGraphNodeTypeConditional: "CONDITIONAL",
}

// printGraph writes the graph as text for Graphviz.
func printGraph(_ *context, g *driver.Graph, a args) error {
	if a.size(1) < lowestAddress {
		return errNull
	}
	var text strings.Builder
	text.WriteString("digraph graph_1 {\n")
	numbers := map[*driver.Node]int{}
	for i, n := range g.Nodes() {
		numbers[n] = i
		label := nodeTypeNames[nodeType(n.Operation())]
		if o, err := kernelOf(n); err == nil {
			label = fmt.Sprintf("%s\\n%s\\ngrid %v, block %v", label, cppname.Short(o.Function.Kernel.Name), o.Launch.Grid, o.Launch.Block)
		}
		fmt.Fprintf(&text, "\tnode_%d [shape=\"box\" label=\"%d\\n%s\"];\n", i, i, label)
	}
	for _, n := range g.Nodes() {
		for _, b := range n.Before() {
			fmt.Fprintf(&text, "\tnode_%d -> node_%d;\n", numbers[b], numbers[n])
		}
	}
	text.WriteString("}\n")
	if err := os.WriteFile(C.GoString((*C.char)(a.pointer(1))), []byte(text.String()), 0o666); err != nil {
		return driver.Fail(driver.OperatingSystem, "%v", err)
	}
	return nil
}
