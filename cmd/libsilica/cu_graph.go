package main

// #include <cuda.h>
import "C"

import (
	"maps"
	"strings"
	"unsafe"

	"silica/driver"
)

// cuGraphs are the functions of graphs and captures. Those that are not here work as the runtime API's of their name.
func cuGraphs() works {
	all := works{
		"cuGraphAddKernelNode_v2":           addNode(argument(4, cuKernelAt)),
		"cuGraphKernelNodeGetParams_v2":     ofNode(cuGetKernelParams),
		"cuGraphKernelNodeSetParams_v2":     setNode(argument(1, cuKernelAt)),
		"cuGraphExecKernelNodeSetParams_v2": setExec(argument(2, cuKernelAt)),
		"cuGraphAddMemcpyNode":              addNode(argument(4, cuMemcpy3DAt)),
		"cuGraphMemcpyNodeSetParams":        setNode(argument(1, cuMemcpy3DAt)),
		"cuGraphExecMemcpyNodeSetParams":    setExec(argument(2, cuMemcpy3DAt)),
	}
	maps.Copy(all, cuGraphNodes)
	all.like(graphs)
	all.like(graphExecs)
	all.like(graphEdges)
	all.like(graphNodes)
	return all
}

// like adds those functions of the driver API that work as functions of the runtime API do, and differ from them in the prefix
// and the version of their names alone.
func (all works) like(runtime works) {
	for name, f := range runtime {
		for _, version := range []string{"", "_v2"} {
			if version != "" && runtime[name+version] != nil {
				continue
			}
			name := "cu" + strings.TrimPrefix(name, "cuda") + version
			if all[name] == nil && isDeclared(name) {
				all[name] = f
			}
		}
	}
}

func cuKernelAt(c *context, p *C.CUDA_KERNEL_NODE_PARAMS) (driver.Operation, error) {
	handle := uint64(uintptr(unsafe.Pointer(p._func)))
	if handle == 0 {
		handle = uint64(uintptr(unsafe.Pointer(p.kern)))
	}
	if owner, err := c.library.ownerOf(c, handle); err == nil && owner != nil {
		c = owner // a graph may have kernels of several devices
	}
	k, err := c.kernel(handle)
	if err != nil {
		return nil, err
	}
	l := launch{
		grid:      driver.Dim3{X: int(p.gridDimX), Y: int(p.gridDimY), Z: int(p.gridDimZ)},
		block:     driver.Dim3{X: int(p.blockDimX), Y: int(p.blockDimY), Z: int(p.blockDimZ)},
		shared:    uint64(p.sharedMemBytes),
		arguments: uint64(uintptr(unsafe.Pointer(p.kernelParams))), buffer: uint64(uintptr(unsafe.Pointer(p.extra))),
	}
	return l.operation(k.Function)
}

func cuGetKernelParams(c *context, n *driver.Node, a args) error {
	o, err := kernelOf(n)
	if err != nil {
		return err
	}
	p, err := in[C.CUDA_KERNEL_NODE_PARAMS](a, 1)
	if err != nil {
		return err
	}
	grid, block := o.Launch.Grid, o.Launch.Block
	*p = C.CUDA_KERNEL_NODE_PARAMS{
		gridDimX: C.uint(grid.X), gridDimY: C.uint(grid.Y), gridDimZ: C.uint(grid.Z),
		blockDimX: C.uint(block.X), blockDimY: C.uint(block.Y), blockDimZ: C.uint(block.Z),
		sharedMemBytes: C.uint(o.Launch.Shared), kernelParams: (*unsafe.Pointer)(c.parameters(n, o)),
	}
	*(*uint64)(unsafe.Pointer(&p._func)) = c.kernelHandle(o.Function)
	return nil
}
