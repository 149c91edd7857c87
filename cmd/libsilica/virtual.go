package main

// #include <cuda.h>
import "C"

import (
	"sync"
	"unsafe"

	"silica/driver"
)

// cuVirtual are the functions of virtual memory: physical memory without an address, addresses without memory, and mappings of the one
// to the other. They belong to the process: that there is no current context, or that it was destroyed, is no error of theirs in the
// driver API's description.
var cuVirtual = works{
	"cuMemGetAllocationGranularity":          allocationGranularity,
	"cuMemAddressReserve":                    reserveAddresses,
	"cuMemAddressFree":                       func(c *context, a args) error { return c.device.Unreserve(a.size(0), a.size(1)) },
	"cuMemCreate":                            createPhysical,
	"cuMemRelease":                           releasePhysical,
	"cuMemMap":                               mapPhysical,
	"cuMemUnmap":                             func(c *context, a args) error { return c.device.Unmap(a.size(0), a.size(1)) },
	"cuMemSetAccess":                         setAccess,
	"cuMemGetAccess":                         getAccess,
	"cuMemRetainAllocationHandle":            retainPhysical,
	"cuMemGetAllocationPropertiesFromHandle": physicalProperties,
	"cuMemExportToShareableHandle":           exportPhysical,
	"cuMemImportFromShareableHandle":         importPhysical,
}

// physicalMemory are the handles of physical memory, which belong to no context.
type physicalMemory struct {
	mu      sync.Mutex
	handles map[uint64]*driver.PhysicalMemory
	of      map[*driver.PhysicalMemory]uint64
}

// add returns the handle of memory: the same each time.
func (p *physicalMemory) add(l *library, m *driver.PhysicalMemory) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, ok := p.of[m]
	if !ok {
		h = l.newHandle()
		if p.of == nil {
			p.handles, p.of = map[uint64]*driver.PhysicalMemory{}, map[*driver.PhysicalMemory]uint64{}
		}
		p.handles[h], p.of[m] = m, h
	}
	return h
}

// get returns the memory of a handle. The properties of what nobody holds any more are known for ever.
func (p *physicalMemory) get(handle uint64) (*driver.PhysicalMemory, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.handles[handle]
	if m == nil {
		return nil, driver.Fail(driver.InvalidValue, "0x%x is no handle of memory", handle)
	}
	return m, nil
}

// held returns the memory of a handle that somebody holds.
func (c *context) held(handle uint64) (*driver.PhysicalMemory, error) {
	m, err := c.library.physical.get(handle)
	if err == nil && !m.Held() {
		err = driver.Fail(driver.InvalidValue, "the memory of the handle 0x%x was released", handle)
	}
	return m, err
}

// allocationGranularity answers for all memory alike, whatever its location.
func allocationGranularity(_ *context, a args) error {
	if _, err := in[C.CUmemAllocationProp](a, 1); err != nil {
		return err
	}
	if option := a.int(2); option != C.CU_MEM_ALLOC_GRANULARITY_MINIMUM && option != C.CU_MEM_ALLOC_GRANULARITY_RECOMMENDED {
		return driver.Fail(driver.InvalidValue, "there is no granularity %d", option)
	}
	return out(a, 0, uint64(driver.Granularity))
}

// reserveAddresses takes the wish for an address as a hint that it does not follow.
func reserveAddresses(c *context, a args) error {
	if a.size(4) != 0 {
		return driver.Fail(driver.InvalidValue, "flags are 0, not 0x%x", a.size(4))
	}
	return allocate(a, 0, func() (uint64, error) { return c.device.Reserve(a.size(1), a.size(2)) })
}

// ordinalOf returns the ordinal of a location of memory.
func ordinalOf(p *C.CUmemAllocationProp) (int, error) {
	switch p.location._type {
	case C.CU_MEM_LOCATION_TYPE_DEVICE:
		if p.location.id < 0 {
			return 0, errDevice
		}
		return int(p.location.id), nil
	case C.CU_MEM_LOCATION_TYPE_HOST, C.CU_MEM_LOCATION_TYPE_HOST_NUMA, C.CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
		return driver.OnHost, nil
	}
	return 0, driver.Fail(driver.InvalidValue, "there is no location of kind %d", p.location._type)
}

func createPhysical(c *context, a args) error {
	p, err := in[C.CUmemAllocationProp](a, 2)
	if err != nil {
		return err
	}
	const known = C.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
	switch {
	case a.size(3) != 0:
		return driver.Fail(driver.InvalidValue, "flags are 0, not 0x%x", a.size(3))
	case p._type != C.CU_MEM_ALLOCATION_TYPE_PINNED:
		return driver.Fail(driver.InvalidValue, "memory of type %d; it is pinned", p._type)
	case p.requestedHandleTypes&^known != 0:
		return driver.Fail(driver.NotSupported, "handles of the types 0x%x; there are file descriptors", p.requestedHandleTypes)
	}
	ordinal, err := ordinalOf(p)
	if err != nil {
		return err
	}
	return allocate(a, 0, func() (uint64, error) {
		m, err := c.device.System().NewPhysicalMemory(ordinal, a.size(1), p.requestedHandleTypes != 0)
		if err != nil {
			return 0, err
		}
		m.Compressible = p.allocFlags.compressionType == C.CU_MEM_ALLOCATION_COMP_GENERIC
		return c.library.physical.add(c.library, m), nil
	})
}

func releasePhysical(c *context, a args) error {
	m, err := c.library.physical.get(a.size(0))
	if err != nil {
		return err
	}
	_, err = m.Release()
	return err
}

func mapPhysical(c *context, a args) error {
	if a.size(4) != 0 {
		return driver.Fail(driver.InvalidValue, "flags are 0, not 0x%x", a.size(4))
	}
	m, err := c.held(a.size(3))
	if err != nil {
		return err
	}
	return c.device.Map(a.size(0), a.size(1), a.size(2), m)
}

// setAccess takes a list of locations and what they may do. What the host may do is no question here.
func setAccess(c *context, a args) error {
	if a.size(2) == 0 || a.size(3) == 0 {
		return errNull
	}
	rights := map[int]driver.Access{}
	for _, d := range unsafe.Slice((*C.CUmemAccessDesc)(a.pointer(2)), a.size(3)) {
		access := driver.Access(d.flags)
		if access != driver.NoAccess && access != driver.ReadOnly && access != driver.ReadWrite {
			return driver.Fail(driver.InvalidValue, "there is no access 0x%x", d.flags)
		}
		switch d.location._type {
		case C.CU_MEM_LOCATION_TYPE_DEVICE:
			if !c.library.exists(int(d.location.id)) {
				return driver.Fail(driver.InvalidValue, "there is no device %d", d.location.id)
			}
			rights[int(d.location.id)] = access
		case C.CU_MEM_LOCATION_TYPE_HOST, C.CU_MEM_LOCATION_TYPE_HOST_NUMA:
		default:
			return driver.Fail(driver.InvalidValue, "there is no location of kind %d", d.location._type)
		}
	}
	return c.device.SetAccess(a.size(0), a.size(1), rights)
}

func getAccess(c *context, a args) error {
	flags, err := in[uint64](a, 0)
	if err != nil {
		return err
	}
	l, err := in[C.CUmemLocation](a, 1)
	if err != nil {
		return err
	}
	ordinal := driver.OnHost
	if l._type == C.CU_MEM_LOCATION_TYPE_DEVICE {
		if ordinal = int(l.id); !c.library.exists(ordinal) {
			return errDevice
		}
	}
	access, err := c.device.AccessAt(a.size(2), ordinal)
	*flags = uint64(access)
	return err
}

func retainPhysical(c *context, a args) error {
	return allocate(a, 0, func() (uint64, error) {
		m := c.device.MemoryAt(a.size(1)).Physical
		if m == nil {
			return 0, driver.Fail(driver.InvalidValue, "nothing is mapped at 0x%x", a.size(1))
		}
		m.Hold()
		return c.library.physical.add(c.library, m), nil
	})
}

func physicalProperties(c *context, a args) error {
	m, err := c.library.physical.get(a.size(1))
	if err != nil {
		return err
	}
	p, err := in[C.CUmemAllocationProp](a, 0)
	if err != nil {
		return err
	}
	*p = C.CUmemAllocationProp{_type: C.CU_MEM_ALLOCATION_TYPE_PINNED}
	p.location._type, p.location.id = C.CU_MEM_LOCATION_TYPE_DEVICE, C.int(m.Ordinal)
	if m.Ordinal == driver.OnHost {
		p.location._type, p.location.id = C.CU_MEM_LOCATION_TYPE_HOST, 0
	}
	if m.Exportable {
		p.requestedHandleTypes = C.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
	}
	if m.Compressible {
		p.allocFlags.compressionType = C.CU_MEM_ALLOCATION_COMP_GENERIC
	}
	return nil
}

func exportPhysical(c *context, a args) error {
	m, err := c.held(a.size(1))
	switch {
	case err != nil:
		return err
	case a.int(2) != C.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || a.size(3) != 0:
		return driver.Fail(driver.InvalidValue, "a handle of type %d with the flags 0x%x; want a file descriptor and no flags", a.int(2), a.size(3))
	case a.size(0) < lowestAddress:
		return errNull
	}
	descriptor, err := m.Export()
	if err != nil {
		return err
	}
	return out(a, 0, C.int(descriptor))
}

// importPhysical takes a descriptor in the place of a pointer.
func importPhysical(c *context, a args) error {
	if a.int(2) != C.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR {
		return driver.Fail(driver.InvalidValue, "a handle of type %d; want a file descriptor", a.int(2))
	}
	return allocate(a, 0, func() (uint64, error) {
		m, err := c.device.System().ImportPhysicalMemory(c.device.Ordinal, a.int(1))
		if err != nil {
			return 0, err
		}
		return c.library.physical.add(c.library, m), nil
	})
}
