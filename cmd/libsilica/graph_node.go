package main

// #include <stdlib.h>
// #include <cuda_runtime_api.h>
// #include <cuda.h>
import "C"

import (
	"unsafe"

	"silica/driver"
)

// graphNodes are the functions of nodes that are newer, or rarer, than those of graphs.
var graphNodes = works{
	"cudaGraphMemcpyNodeGetParams":               ofNode(getMemcpyParams),
	"cudaGraphAddMemcpyNodeToSymbol":             addNode(toSymbolNode(4)),
	"cudaGraphAddMemcpyNodeFromSymbol":           addNode(fromSymbolNode(4)),
	"cudaGraphMemcpyNodeSetParamsToSymbol":       setNode(toSymbolNode(1)),
	"cudaGraphMemcpyNodeSetParamsFromSymbol":     setNode(fromSymbolNode(1)),
	"cudaGraphExecMemcpyNodeSetParamsToSymbol":   setExec(toSymbolNode(2)),
	"cudaGraphExecMemcpyNodeSetParamsFromSymbol": setExec(fromSymbolNode(2)),
	"cudaGraphEventRecordNodeGetEvent":           ofNode(getRecordedEvent),
	"cudaGraphEventRecordNodeSetEvent":           setNode(eventRecord(1)),
	"cudaGraphEventWaitNodeGetEvent":             ofNode(getAwaitedEvent),
	"cudaGraphEventWaitNodeSetEvent":             setNode(eventWait(1)),
	"cudaGraphKernelNodeGetAttribute":            ofNode(getKernelAttribute),
	"cudaGraphKernelNodeSetAttribute":            ofNode(setKernelAttribute),
	"cudaGraphKernelNodeCopyAttributes":          ofNode(copyKernelAttributes),
	"cudaGraphAddNode":                           addAnyNode(runtimeNodes, 0, 3),
	"cudaGraphAddNode_v2":                        addAnyNode(runtimeNodes, 3, 4),
	"cudaGraphNodeSetParams":                     setAnyNode(runtimeNodes),
	"cudaGraphExecNodeSetParams":                 setAnyExec(runtimeNodes),
	"cudaGraphConditionalHandleCreate":           createCondition(2),
}

// cuGraphNodes are those of the driver API that differ in more than their names.
var cuGraphNodes = works{
	"cuGraphMemcpyNodeGetParams":         ofNode(cuGetMemcpyParams),
	"cuGraphAddNode":                     addAnyNode(driverNodes, 0, 3),
	"cuGraphAddNode_v2":                  addAnyNode(driverNodes, 3, 4),
	"cuGraphNodeSetParams":               setAnyNode(driverNodes),
	"cuGraphExecNodeSetParams":           setAnyExec(driverNodes),
	"cuGraphConditionalHandleCreate":     cuCreateCondition,
	"cuGraphAddBatchMemOpNode":           addNode(argument(4, wordOperationsAt)),
	"cuGraphBatchMemOpNodeGetParams":     ofNode(getWordOperations),
	"cuGraphBatchMemOpNodeSetParams":     setNode(argument(1, wordOperationsAt)),
	"cuGraphExecBatchMemOpNodeSetParams": setExec(argument(2, wordOperationsAt)),
}

func toSymbolNode(i int) transfer {
	return func(c *context, a args) (driver.Operation, error) {
		return c.copyToSymbol(a.size(i), a.size(i+1), a.size(i+2), a.size(i+3), driver.CopyKind(a.int(i+4)))
	}
}

func fromSymbolNode(i int) transfer {
	return func(c *context, a args) (driver.Operation, error) {
		return c.copyFromSymbol(a.size(i), a.size(i+1), a.size(i+2), a.size(i+3), driver.CopyKind(a.int(i+4)))
	}
}

var errOtherNode = driver.Fail(driver.InvalidValue, "the node does something else")

// handleOf returns the handle of the first thing that fits, 0 when there is none.
func (c *context) handleOf(fits func(v any) bool) uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for h, v := range c.handles {
		if fits(v) {
			return h
		}
	}
	return 0
}

func (c *context) eventHandle(e *driver.Event) uint64 {
	return c.handleOf(func(v any) bool { return v == any(e) })
}

func getRecordedEvent(c *context, n *driver.Node, a args) error {
	o, ok := n.Operation().(driver.EventRecord)
	if !ok {
		return errOtherNode
	}
	return out(a, 1, c.eventHandle(o.Event))
}

func getAwaitedEvent(c *context, n *driver.Node, a args) error {
	o, ok := n.Operation().(driver.EventWait)
	if !ok {
		return errOtherNode
	}
	return out(a, 1, c.eventHandle(o.Event))
}

// arrayHandle returns the handle of an array, 0 for none.
func (c *context) arrayHandle(of *driver.Array) uint64 {
	if of == nil {
		return 0
	}
	return c.handleOf(func(v any) bool { x, ok := v.(*array); return ok && x.Array == of })
}

func texelBytes(x *driver.Array) uint64 {
	d := x.Descriptor()
	return uint64(d.TexelBytes())
}

func getMemcpyParams(c *context, n *driver.Node, a args) error {
	o, ok := n.Operation().(driver.MemoryCopy)
	if !ok {
		return errOtherNode
	}
	p, err := in[C.struct_cudaMemcpy3DParms](a, 1)
	if err != nil {
		return err
	}
	*p = C.struct_cudaMemcpy3DParms{kind: uint32(o.Kind)}
	width := o.Extent.Width
	if x := o.Src.In.Array; x != nil {
		width = o.Extent.Width / texelBytes(x)
	} else if x := o.Dst.In.Array; x != nil {
		width = o.Extent.Width / texelBytes(x)
	}
	p.extent = C.struct_cudaExtent{C.size_t(width), C.size_t(o.Extent.Height), C.size_t(o.Extent.Depth)}
	*(*uint64)(unsafe.Pointer(&p.srcArray)), *(*uint64)(unsafe.Pointer(&p.dstArray)) = c.arrayHandle(o.Src.In.Array), c.arrayHandle(o.Dst.In.Array)
	p.srcPos, p.srcPtr = position(o.Src, o.Extent)
	p.dstPos, p.dstPtr = position(o.Dst, o.Extent)
	return nil
}

// position returns a place as a position in an array, or pitched memory that begins there.
func position(p driver.Place, e driver.Extent) (at C.struct_cudaPos, memory C.struct_cudaPitchedPtr) {
	if x := p.In.Array; x != nil {
		at.x = C.size_t(p.In.X / texelBytes(x))
		at.y, at.z = C.size_t(p.In.Y), C.size_t(p.In.Z)
		return at, memory
	}
	*(*uint64)(unsafe.Pointer(&memory.ptr)) = p.Addr
	memory.pitch, memory.xsize, memory.ysize = C.size_t(max(p.Pitch, e.Width)), C.size_t(e.Width), C.size_t(e.Height)
	if p.Pitch != 0 && p.Slice != 0 {
		memory.ysize = C.size_t(p.Slice / p.Pitch)
	}
	return at, memory
}

func cuGetMemcpyParams(c *context, n *driver.Node, a args) error {
	o, ok := n.Operation().(driver.MemoryCopy)
	if !ok {
		return errOtherNode
	}
	p, err := in[C.CUDA_MEMCPY3D](a, 1)
	if err != nil {
		return err
	}
	*p = C.CUDA_MEMCPY3D{WidthInBytes: C.size_t(o.Extent.Width), Height: C.size_t(o.Extent.Height), Depth: C.size_t(o.Extent.Depth)}
	src, dst := c.sideOf(o.Src, o.Extent), c.sideOf(o.Dst, o.Extent)
	p.srcMemoryType, p.srcHost, p.srcDevice, p.srcPitch, p.srcHeight = src.kind, pointer(src.host), C.CUdeviceptr(src.device), src.pitch, src.height
	p.srcXInBytes, p.srcY, p.srcZ = src.x, src.y, src.z
	p.dstMemoryType, p.dstHost, p.dstDevice, p.dstPitch, p.dstHeight = dst.kind, pointer(dst.host), C.CUdeviceptr(dst.device), dst.pitch, dst.height
	p.dstXInBytes, p.dstY, p.dstZ = dst.x, dst.y, dst.z
	*(*uint64)(unsafe.Pointer(&p.srcArray)), *(*uint64)(unsafe.Pointer(&p.dstArray)) = src.array, dst.array
	return nil
}

// sideOf returns a place as a side of a CUDA_MEMCPY3D.
func (c *context) sideOf(p driver.Place, e driver.Extent) side {
	at, memory := position(p, e)
	s := side{pitch: memory.pitch, height: memory.ysize, y: at.y, z: at.z}
	switch kind := c.device.MemoryAt(p.Addr).Kind; {
	case p.In.Array != nil:
		s.kind, s.array, s.x = C.CU_MEMORYTYPE_ARRAY, c.arrayHandle(p.In.Array), C.size_t(p.In.X)
	case kind == driver.DeviceMemory || kind == driver.ManagedMemory:
		s.kind, s.device = C.CU_MEMORYTYPE_DEVICE, p.Addr
	default:
		s.kind, s.host = C.CU_MEMORYTYPE_HOST, p.Addr
	}
	return s
}

// nodeKinds read the parameters of those nodes that the two APIs describe in different ways.
type nodeKinds struct {
	kernel, copy, words func(c *context, p unsafe.Pointer) (driver.Operation, error)
}

var runtimeNodes = nodeKinds{
	kernel: func(c *context, p unsafe.Pointer) (driver.Operation, error) {
		return kernelAt(c, (*C.struct_cudaKernelNodeParams)(p))
	},
	copy: func(c *context, p unsafe.Pointer) (driver.Operation, error) {
		return memcpy3DAt(c, &(*C.struct_cudaMemcpyNodeParams)(p).copyParams)
	},
	words: func(*context, unsafe.Pointer) (driver.Operation, error) { return nil, errNodeType },
}

var driverNodes = nodeKinds{
	kernel: func(c *context, p unsafe.Pointer) (driver.Operation, error) {
		return cuKernelAt(c, (*C.CUDA_KERNEL_NODE_PARAMS)(p))
	},
	copy: func(c *context, p unsafe.Pointer) (driver.Operation, error) {
		return cuMemcpy3DAt(c, &(*C.CUDA_MEMCPY_NODE_PARAMS)(p).copyParams)
	},
	words: func(c *context, p unsafe.Pointer) (driver.Operation, error) {
		return wordOperationsAt(c, (*C.CUDA_BATCH_MEM_OP_NODE_PARAMS)(p))
	},
}

var errNodeType = driver.Fail(driver.InvalidValue, "there is no such type of nodes")

// nodeParams is what cudaGraphAddNode takes: a type and the parameters of such a node.
type nodeParams struct {
	kind      int32
	_         [3]int32
	parameter [29]uint64
	_         uint64
}

// operation returns what a node of the graph is to do.
func (p *nodeParams) operation(c *context, kinds nodeKinds, g *driver.Graph) (driver.Operation, error) {
	at := unsafe.Pointer(&p.parameter)
	handle := p.parameter[0]
	switch p.kind {
	case C.cudaGraphNodeTypeKernel:
		return kinds.kernel(c, at)
	case C.cudaGraphNodeTypeMemcpy:
		return kinds.copy(c, at)
	case C.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
		return kinds.words(c, at)
	case C.cudaGraphNodeTypeMemset:
		return memsetAt(c, (*C.struct_cudaMemsetParams)(at))
	case C.cudaGraphNodeTypeHost:
		return hostCallAt(c, (*C.struct_cudaHostNodeParams)(at))
	case C.cudaGraphNodeTypeEmpty:
		return driver.Nothing{}, nil
	case C.cudaGraphNodeTypeGraph:
		return c.subgraph(handle)
	case C.cudaGraphNodeTypeWaitEvent:
		e, err := get[*driver.Event](c, handle)
		return driver.EventWait{Event: e}, err
	case C.cudaGraphNodeTypeEventRecord:
		e, err := get[*driver.Event](c, handle)
		return driver.EventRecord{Event: e}, err
	case C.cudaGraphNodeTypeMemAlloc:
		return memoryAllocAt(c, (*C.struct_cudaMemAllocNodeParams)(at))
	case C.cudaGraphNodeTypeMemFree:
		return graphFree(handle), nil
	case C.cudaGraphNodeTypeConditional:
		return conditionalAt(c, g, (*C.struct_cudaConditionalNodeParams)(at))
	case C.cudaGraphNodeTypeExtSemaphoreSignal, C.cudaGraphNodeTypeExtSemaphoreWait:
		return nil, driver.Fail(driver.NotSupported, "nodes of external semaphores are not supported")
	}
	return nil, errNodeType
}

// results writes what a node that was added tells: the address of its memory, its graphs.
func (p *nodeParams) results(c *context, o driver.Operation) error {
	at := unsafe.Pointer(&p.parameter)
	switch o := o.(type) {
	case driver.MemoryAlloc:
		(*C.struct_cudaMemAllocNodeParams)(at).dptr = pointer(o.Address)
	case driver.Conditional:
		list := C.calloc(C.size_t(len(o.Bodies)), 8) // stays as long as the process: the program may keep it
		for i, b := range o.Bodies {
			unsafe.Slice((*uint64)(list), len(o.Bodies))[i] = c.graphHandle(b)
		}
		*(*unsafe.Pointer)(unsafe.Pointer(&(*C.struct_cudaConditionalNodeParams)(at).phGraph_out)) = list
	}
	return nil
}

// addAnyNode makes a function that adds a node of any type: its arguments are where the node goes, the graph, the nodes before, the
// data of these dependencies unless data is 0, how many, and the parameters.
func addAnyNode(kinds nodeKinds, data, count int) work {
	return func(c *context, a args) error {
		g, err := get[*driver.Graph](c, a.size(1))
		if err != nil {
			return errGraph
		}
		before, err := c.nodeList(a, 2, a.size(count))
		if err != nil {
			return err
		}
		p, err := in[nodeParams](a, count+1)
		if err != nil {
			return err
		}
		return allocate(a, 0, func() (uint64, error) {
			o, err := p.operation(c, kinds, g)
			if err != nil {
				return 0, err
			}
			o = orNothing(o)
			n, err := g.Add(o, nil)
			if err != nil {
				return 0, err
			}
			for i, d := range edgeData(a, data, uint64(len(before))) {
				if err := g.Order(before[i], n, d); err != nil {
					return 0, removing(n, err)
				}
			}
			return c.nodeHandle(n), p.results(c, o)
		})
	}
}

// removing takes a node back whose dependencies are wrong.
func removing(n *driver.Node, err error) error {
	_ = n.Remove() // one that has memory stays, and does no harm
	return err
}

func setAnyNode(kinds nodeKinds) work {
	return ofNode(func(c *context, n *driver.Node, a args) error {
		p, err := in[nodeParams](a, 1)
		if err != nil {
			return err
		}
		return setNode(p.replacement(kinds, n))(c, a)
	})
}

func setAnyExec(kinds nodeKinds) work {
	return ofExec(func(c *context, _ *graphExec, a args) error {
		n, err := get[*driver.Node](c, a.size(1))
		if err != nil {
			return errNode
		}
		p, err := in[nodeParams](a, 2)
		if err != nil {
			return err
		}
		return setExec(p.replacement(kinds, n))(c, a)
	})
}

// replacement is what a node is to do from now on. Memory and conditions are a node's as long as it is there.
func (p *nodeParams) replacement(kinds nodeKinds, n *driver.Node) transfer {
	return func(c *context, _ args) (driver.Operation, error) {
		if int(p.kind) != nodeType(n.Operation()) {
			return nil, errOtherNode
		}
		switch p.kind {
		case C.cudaGraphNodeTypeConditional:
			return nil, driver.Fail(driver.NotSupported, "what conditional nodes do can not be changed")
		case C.cudaGraphNodeTypeMemAlloc, C.cudaGraphNodeTypeMemFree:
			return nil, driver.Fail(driver.InvalidValue, "what nodes of memory do can not be changed")
		}
		o, err := p.operation(c, kinds, n.Graph)
		return orNothing(o), err
	}
}

// createCondition makes a function that returns the handle of a condition of the graph of argument 1; its first value and flags are
// arguments i and i+1.
func createCondition(i int) work {
	return func(c *context, a args) error {
		g, err := get[*driver.Graph](c, a.size(1))
		if err != nil {
			return errGraph
		}
		if a.uint(i+1)&^C.cudaGraphCondAssignDefault != 0 {
			return driver.Fail(driver.InvalidValue, "a condition with the flags 0x%x", a.uint(i+1))
		}
		return allocate(a, 0, func() (uint64, error) {
			return g.NewCondition(a.uint(i), a.uint(i+1)&C.cudaGraphCondAssignDefault != 0).Handle, nil
		})
	}
}

// cuCreateCondition takes a context, too, which is not left out.
func cuCreateCondition(c *context, a args) error {
	if a.size(2) == 0 {
		return errNoContext
	}
	return createCondition(3)(c, a)
}

func conditionalAt(c *context, g *driver.Graph, p *C.struct_cudaConditionalNodeParams) (driver.Operation, error) {
	condition := c.device.System().Condition(uint64(p.handle))
	if condition == nil {
		return nil, driver.Fail(driver.InvalidValue, "0x%x is not the handle of a condition", p.handle)
	}
	o, err := g.NewConditional(condition, driver.ConditionalKind(p._type), int(p.size))
	return o, err
}
