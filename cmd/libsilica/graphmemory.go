package main

// #include <cuda_runtime_api.h>
import "C"

import "silica/driver"

// graphMemory are the functions of memory that graphs allocate and free.
var graphMemory = works{
	"cudaGraphAddMemAllocNode":       addMemoryAlloc,
	"cudaGraphAddMemFreeNode":        addNode(func(_ *context, a args) (driver.Operation, error) { return graphFree(a.size(4)), nil }),
	"cudaGraphMemAllocNodeGetParams": ofNode(getMemoryAlloc),
	"cudaGraphMemFreeNodeGetParams":  ofNode(getMemoryFree),
}

// graphMemoryOfDevices are those that ask a device.
var graphMemoryOfDevices = works{
	"cudaDeviceGetGraphMemAttribute": getGraphMemory,
	"cudaDeviceSetGraphMemAttribute": setGraphMemory,
	"cudaDeviceGraphMemTrim":         trimGraphMemory,
}

// cuGraphMemory are the same functions of the driver API.
func cuGraphMemory() works {
	all := works{}
	all.like(graphMemory)
	all.like(graphMemoryOfDevices)
	return all
}

func graphFree(addr uint64) driver.Operation {
	return driver.GraphFree{MemoryFree: driver.MemoryFree(addr)}
}

// addMemoryAlloc adds a node and tells the address of its memory in its parameters.
func addMemoryAlloc(c *context, a args) error {
	p, err := in[C.struct_cudaMemAllocNodeParams](a, 4)
	if err != nil {
		return err
	}
	var o driver.Operation
	if err := addNode(func(c *context, _ args) (_ driver.Operation, err error) {
		o, err = memoryAllocAt(c, p)
		return o, err
	})(c, a); err != nil {
		return err
	}
	p.dptr = pointer(o.(driver.MemoryAlloc).Address)
	return nil
}

func memoryAllocAt(c *context, p *C.struct_cudaMemAllocNodeParams) (driver.Operation, error) {
	pool := p.poolProps
	switch {
	case p.bytesize == 0 || pool.allocType != C.cudaMemAllocationTypePinned || pool.location._type != C.cudaMemLocationTypeDevice:
		return nil, driver.Fail(driver.InvalidValue, "an allocation of %d bytes that are not pinned on a device", p.bytesize)
	case !c.library.exists(int(pool.location.id)):
		return nil, driver.Fail(driver.InvalidValue, "there is no device %d", pool.location.id)
	case pool.handleTypes != C.cudaMemHandleTypeNone || int(pool.location.id) != c.device.Ordinal:
		return nil, driver.Fail(driver.NotSupported, "memory of a graph is for its process and device")
	}
	o, err := c.device.NewMemoryAlloc(uint64(p.bytesize))
	return o, err
}

func getMemoryAlloc(_ *context, n *driver.Node, a args) error {
	o, ok := n.Operation().(driver.MemoryAlloc)
	if !ok {
		return errOtherNode
	}
	p, err := in[C.struct_cudaMemAllocNodeParams](a, 1)
	if err != nil {
		return err
	}
	*p = C.struct_cudaMemAllocNodeParams{bytesize: C.size_t(o.Size), dptr: pointer(o.Address)}
	p.poolProps.allocType = C.cudaMemAllocationTypePinned
	p.poolProps.location._type, p.poolProps.location.id = C.cudaMemLocationTypeDevice, C.int(n.Graph.Device().Ordinal)
	return nil
}

func getMemoryFree(_ *context, n *driver.Node, a args) error {
	o, ok := n.Operation().(driver.GraphFree)
	if !ok {
		return errOtherNode
	}
	return out(a, 1, uint64(o.MemoryFree))
}

func getGraphMemory(c *context, a args) error {
	if !c.library.exists(a.int(0)) {
		return errDevice
	}
	used, usedHigh, reserved, reservedHigh := c.device.System().GraphMemory(a.int(0))
	values := map[int]uint64{
		C.cudaGraphMemAttrUsedMemCurrent: used, C.cudaGraphMemAttrUsedMemHigh: usedHigh,
		C.cudaGraphMemAttrReservedMemCurrent: reserved, C.cudaGraphMemAttrReservedMemHigh: reservedHigh,
	}
	value, ok := values[a.int(1)]
	if !ok {
		return driver.Fail(driver.InvalidValue, "there is no attribute %d", a.int(1))
	}
	return out(a, 2, value)
}

// setGraphMemory lets a highest value begin anew: only 0 can be set.
func setGraphMemory(c *context, a args) error {
	if !c.library.exists(a.int(0)) {
		return errDevice
	}
	p, err := in[uint64](a, 2)
	if err != nil {
		return err
	}
	used, reserved := a.int(1) == C.cudaGraphMemAttrUsedMemHigh, a.int(1) == C.cudaGraphMemAttrReservedMemHigh
	if *p != 0 || !used && !reserved {
		return driver.Fail(driver.InvalidValue, "attribute %d can not be set to %d", a.int(1), *p)
	}
	c.device.System().ResetGraphMemoryHigh(a.int(0), used, reserved)
	return nil
}

func trimGraphMemory(c *context, a args) error {
	if !c.library.exists(a.int(0)) {
		return errDevice
	}
	c.device.System().TrimGraphMemory(a.int(0))
	return nil
}
