package main

// #include <stdlib.h>
// #include <cuda_runtime_api.h>
import "C"

import (
	"errors"
	"unsafe"

	"silica/driver"
)

var graphExecs = works{
	"cudaGraphInstantiate":                 instantiate,
	"cudaGraphInstantiateWithFlags":        instantiate,
	"cudaGraphInstantiateWithParams":       instantiateWithParams,
	"cudaGraphExecGetFlags":                ofExec(func(_ *context, x *graphExec, a args) error { return out(a, 1, x.flags) }),
	"cudaGraphExecKernelNodeSetParams":     setExec(argument(2, kernelAt)),
	"cudaGraphExecMemcpyNodeSetParams":     setExec(argument(2, memcpy3DAt)),
	"cudaGraphExecMemcpyNodeSetParams1D":   setExec(memcpyNode(2)),
	"cudaGraphExecMemsetNodeSetParams":     setExec(argument(2, memsetAt)),
	"cudaGraphExecHostNodeSetParams":       setExec(argument(2, hostCallAt)),
	"cudaGraphExecChildGraphNodeSetParams": setExec(childGraph(2)),
	"cudaGraphExecEventRecordNodeSetEvent": setExec(eventRecord(2)),
	"cudaGraphExecEventWaitNodeSetEvent":   setExec(eventWait(2)),
	"cudaGraphExecUpdate":                  ofExec(updateExec),
	"cudaGraphNodeSetEnabled":              ofExec(setEnabled),
	"cudaGraphNodeGetEnabled":              ofExec(getEnabled),
	"cudaGraphUpload":                      ofExec(func(c *context, _ *graphExec, a args) error { _, err := c.stream(a.stream(1)); return err }),
	"cudaGraphLaunch":                      uncaptured(1, "a launch of a graph", ofExec(launchGraph)),
	"cudaGraphExecDestroy":                 destroyExec,
	"cudaStreamBeginCapture":               ofStream(beginCapture),
	"cudaStreamBeginCaptureToGraph":        beginCaptureToGraph,
	"cudaStreamEndCapture":                 endCapture,
	"cudaStreamIsCapturing":                ofStream(isCapturing),
	"cudaThreadExchangeStreamCaptureMode":  exchangeCaptureMode,
}

// graphExec is a graph that can be launched.
type graphExec struct {
	*driver.GraphExec
	flags   uint64
	objects references
}

// ofExec makes a function of one whose first argument is what was instantiated.
func ofExec(f func(c *context, x *graphExec, a args) error) work {
	return func(c *context, a args) error {
		owner, err := c.library.ownerOf(c, a.size(0)) // a graph may be launched in a stream of another context
		if err != nil {
			return errGraph
		}
		x, err := get[*graphExec](owner, a.size(0))
		if err != nil {
			return errGraph
		}
		return f(c, x, a)
	}
}

const instantiateFlags = C.cudaGraphInstantiateFlagAutoFreeOnLaunch | C.cudaGraphInstantiateFlagUpload |
	C.cudaGraphInstantiateFlagUseNodePriority

func instantiate(c *context, a args) error {
	return allocate(a, 0, func() (uint64, error) { return c.instantiate(a.size(1), a.size(2)) })
}

func (c *context) instantiate(graph, flags uint64) (uint64, error) {
	g, err := get[*driver.Graph](c, graph)
	if err != nil {
		return 0, errGraph
	}
	switch {
	case flags&C.cudaGraphInstantiateFlagDeviceLaunch != 0:
		return 0, driver.Fail(driver.NotSupported, "graphs that kernels launch are not supported")
	case flags&^instantiateFlags != 0:
		return 0, driver.Fail(driver.InvalidValue, "there are no instantiation flags 0x%x", flags)
	}
	x, err := g.Instantiate()
	if err != nil {
		return 0, err
	}
	if flags&C.cudaGraphInstantiateFlagAutoFreeOnLaunch != 0 {
		x.AutoFree()
	}
	return c.add(&graphExec{x, flags, c.retained(g)}), nil
}

func instantiateWithParams(c *context, a args) error {
	p, err := in[C.struct_cudaGraphInstantiateParams_st](a, 2)
	if err != nil {
		return err
	}
	p.errNode_out = nil
	p.result_out = C.cudaGraphInstantiateSuccess
	err = allocate(a, 0, func() (uint64, error) { return c.instantiate(a.size(1), uint64(p.flags)) })
	switch {
	case errors.Is(err, driver.ErrConditionUnused):
		p.result_out = C.cudaGraphInstantiateConditionalHandleUnused
	case err != nil:
		p.result_out = C.cudaGraphInstantiateError
	}
	return err
}

// setExec makes a function that replaces what the node of argument 1 does in later launches.
func setExec(f transfer) work {
	return ofExec(func(c *context, x *graphExec, a args) error {
		n, err := get[*driver.Node](c, a.size(1))
		if err != nil {
			return errNode
		}
		o, err := f(c, a)
		if err != nil {
			return err
		}
		return x.Set(n, withAttributes(n.Operation(), o))
	})
}

func updateExec(c *context, x *graphExec, a args) error {
	g, err := get[*driver.Graph](c, a.size(1))
	if err != nil {
		return errGraph
	}
	mismatch, err := x.Update(g)
	if err != nil {
		return err
	}
	result := C.cudaGraphExecUpdateResultInfo{result: C.cudaGraphExecUpdateSuccess}
	if mismatch != nil {
		result.result = C.cudaGraphExecUpdateErrorNodeTypeChanged
		if mismatch.Topology {
			result.result = C.cudaGraphExecUpdateErrorTopologyChanged
		}
		*(*uint64)(unsafe.Pointer(&result.errorNode)) = c.nodeHandle(mismatch.Node)
	}
	if a.size(2) != 0 {
		*(*C.cudaGraphExecUpdateResultInfo)(a.pointer(2)) = result
	}
	if mismatch != nil {
		return driver.Fail(driver.GraphExecUpdateFailure, "the graph has other nodes, or another order")
	}
	return nil
}

func setEnabled(c *context, x *graphExec, a args) error {
	n, err := get[*driver.Node](c, a.size(1))
	if err != nil {
		return errNode
	}
	return x.Enable(n, a.uint(2) != 0)
}

func getEnabled(c *context, x *graphExec, a args) error {
	n, err := get[*driver.Node](c, a.size(1))
	if err != nil {
		return errNode
	}
	enabled, err := x.Enabled(n)
	if err != nil {
		return err
	}
	value := C.uint(0)
	if enabled {
		value = 1
	}
	return out(a, 2, value)
}

func launchGraph(c *context, x *graphExec, a args) error {
	s, err := c.stream(a.stream(1))
	if err != nil {
		return err
	}
	return x.Launch(s)
}

// destroyExec ends the use of a graph; a launch goes on, and where objects of the program may be destroyed it is waited for.
func destroyExec(c *context, a args) error {
	x, err := remove[*graphExec](c, a.size(0))
	if err != nil {
		return errGraph
	}
	x.Destroy()
	if len(x.objects) == 0 {
		return nil
	}
	return errors.Join(c.device.Synchronize(), c.release(x.objects))
}

// captureMode checks a mode.
func captureMode(mode int) (driver.CaptureMode, error) {
	if mode < C.cudaStreamCaptureModeGlobal || mode > C.cudaStreamCaptureModeRelaxed {
		return 0, driver.Fail(driver.InvalidValue, "there is no capture mode %d", mode)
	}
	return driver.CaptureMode(mode), nil
}

func beginCapture(s *driver.Stream, a args) error {
	mode, err := captureMode(a.int(1))
	if err != nil {
		return err
	}
	return s.BeginCapture(mode, a.threadName(), nil, nil)
}

func beginCaptureToGraph(c *context, a args) error {
	s, err := c.stream(a.stream(0))
	if err != nil {
		return err
	}
	g, err := get[*driver.Graph](c, a.size(1))
	if err != nil {
		return errGraph
	}
	before, err := c.nodeList(a, 2, a.size(4))
	if err != nil {
		return err
	}
	mode, err := captureMode(a.int(5))
	if err != nil {
		return err
	}
	return s.BeginCapture(mode, a.threadName(), g, before)
}

// endCapture answers a null pointer for a capture that failed. A capture into a graph that was there needs no answer.
func endCapture(c *context, a args) error {
	s, err := c.stream(a.stream(0))
	if err != nil {
		return err
	}
	if capture := s.Capture(); capture != nil && capture.Into && a.size(1) == 0 {
		_, err := s.EndCapture(a.threadName())
		return err
	}
	p, err := in[uint64](a, 1)
	if err != nil {
		return err
	}
	*p = 0
	g, err := s.EndCapture(a.threadName())
	if err != nil {
		return err
	}
	*p = c.graphHandle(g)
	return nil
}

func isCapturing(s *driver.Stream, a args) error {
	if err := s.Implicit(); err != nil {
		return err
	}
	return out(a, 1, C.int(captureStatus(s)))
}

func captureStatus(s *driver.Stream) int {
	switch c := s.Capture(); {
	case c == nil:
		return C.cudaStreamCaptureStatusNone
	case c.Invalid():
		return C.cudaStreamCaptureStatusInvalidated
	}
	return C.cudaStreamCaptureStatusActive
}

// keep puts handles into memory of C, followed by as many zeros, and returns its address.
func (c *context) keep(handles []uint64) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	C.free(c.graph.list)
	c.graph.list = C.calloc(C.size_t(2*len(handles)+1), 8)
	copy(unsafe.Slice((*uint64)(c.graph.list), len(handles)), handles)
	return uint64(uintptr(c.graph.list))
}

// exchangeCaptureMode sets the thread's mode, which may let it do what a capture in global mode forbids, and answers the one
// before.
func exchangeCaptureMode(_ *context, a args) error {
	p, err := in[C.int](a, 0)
	if err != nil {
		return err
	}
	if _, err := captureMode(int(*p)); err != nil {
		return err
	}
	*p, a.thread.capture_mode = a.thread.capture_mode, *p
	return nil
}
