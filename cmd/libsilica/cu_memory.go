package main

// #include <cuda.h>
import "C"

import (
	"unsafe"

	"silica/driver"
)

var cuMemory = works{
	"cuMemAlloc_v2":                notCaptured(alloc),
	"cuMemAllocAsync":              cuMemAllocAsync,
	"cuMemAllocPitch_v2":           notCaptured(cuMemAllocPitch),
	"cuMemFree_v2":                 notCaptured(free),
	"cuMemFreeAsync":               freeAsync,
	"cuMemAllocHost_v2":            notCaptured(func(c *context, a args) error { return allocHost(c, a, 0) }),
	"cuMemHostAlloc":               notCaptured(func(c *context, a args) error { return allocHost(c, a, a.uint(2)) }),
	"cuMemFreeHost":                notCaptured(freeHostMemory),
	"cuMemHostRegister_v2":         notCaptured(hostRegister),
	"cuMemHostUnregister":          notCaptured(hostUnregister),
	"cuMemHostGetDevicePointer_v2": hostGetDevicePointer,
	"cuMemHostGetFlags":            hostGetFlags,
	"cuMemGetInfo_v2":              memGetInfo,
	"cuMemGetAddressRange_v2":      cuMemGetAddressRange,
	"cuPointerGetAttribute":        cuPointerGetAttribute,
	"cuPointerGetAttributes":       cuPointerGetAttributes,
	"cuPointerSetAttribute":        cuPointerSetAttribute,
}

var cuCopies = works{
	"cuMemcpy":               copyOf(driver.Default),
	"cuMemcpyAsync":          onStream(3, copyOfKind(driver.Default)),
	"cuMemcpyHtoD_v2":        copyOf(driver.HostToDevice),
	"cuMemcpyHtoDAsync_v2":   onStream(3, copyOfKind(driver.HostToDevice)),
	"cuMemcpyDtoH_v2":        copyOf(driver.DeviceToHost),
	"cuMemcpyDtoHAsync_v2":   onStream(3, copyOfKind(driver.DeviceToHost)),
	"cuMemcpyDtoD_v2":        copyOf(driver.DeviceToDevice),
	"cuMemcpyDtoDAsync_v2":   onStream(3, copyOfKind(driver.DeviceToDevice)),
	"cuMemcpyPeer":           legacy(cuMemcpyPeer),
	"cuMemcpyPeerAsync":      onStream(5, cuMemcpyPeer),
	"cuMemcpy2D_v2":          legacy(cuMemcpy2D),
	"cuMemcpy2DUnaligned_v2": legacy(cuMemcpy2D),
	"cuMemcpy2DAsync_v2":     onStream(1, cuMemcpy2D),
	"cuMemcpy3D_v2":          legacy(cuMemcpy3D),
	"cuMemcpy3DAsync_v2":     onStream(1, cuMemcpy3D),
	"cuMemcpy3DPeer":         legacy(cuMemcpy3D), // addresses and arrays tell the contexts
	"cuMemcpy3DPeerAsync":    onStream(1, cuMemcpy3D),
	"cuMemsetD8_v2":          legacy(cuMemset(1)),
	"cuMemsetD16_v2":         legacy(cuMemset(2)),
	"cuMemsetD32_v2":         legacy(cuMemset(4)),
	"cuMemsetD8Async":        onStream(3, cuMemset(1)),
	"cuMemsetD16Async":       onStream(3, cuMemset(2)),
	"cuMemsetD32Async":       onStream(3, cuMemset(4)),
	"cuMemsetD2D8_v2":        legacy(cuMemset2D(1)),
	"cuMemsetD2D16_v2":       legacy(cuMemset2D(2)),
	"cuMemsetD2D32_v2":       legacy(cuMemset2D(4)),
	"cuMemsetD2D8Async":      onStream(5, cuMemset2D(1)),
	"cuMemsetD2D16Async":     onStream(5, cuMemset2D(2)),
	"cuMemsetD2D32Async":     onStream(5, cuMemset2D(4)),
}

func cuMemAllocAsync(c *context, a args) error {
	if a.size(1) == 0 {
		return driver.Fail(driver.InvalidValue, "an allocation of 0 bytes")
	}
	return mallocAsync(c, a)
}

func cuMemAllocPitch(c *context, a args) error {
	if bytes := a.uint(4); bytes != 4 && bytes != 8 && bytes != 16 || a.size(2) == 0 || a.size(3) == 0 {
		return driver.Fail(driver.InvalidValue, "%d rows of %d bytes for accesses of %d bytes", a.size(3), a.size(2), bytes)
	}
	return mallocPitch(c, a)
}

// cuMemGetAddressRange leaves out what is not asked for.
func cuMemGetAddressRange(c *context, a args) error {
	m := c.device.MemoryAt(a.size(2))
	if m.Kind == driver.UnknownMemory || m.Ordinal != c.device.Ordinal && m.Ordinal != driver.OnHost {
		return driver.Fail(driver.NotFound, "nothing is allocated at 0x%x", a.size(2))
	}
	for i, value := range []uint64{m.Base, m.Size} {
		if a.size(i) != 0 {
			*(*uint64)(a.pointer(i)) = value
		}
	}
	return nil
}

func cuPointerGetAttribute(c *context, a args) error {
	return c.pointerAttribute(a.size(0), a.int(1), a.size(2))
}

// cuPointerGetAttributes answers zeros for what a pointer has not.
func cuPointerGetAttributes(c *context, a args) error {
	if a.size(1) == 0 || a.size(2) == 0 {
		return errNull
	}
	attributes := unsafe.Slice((*C.int)(a.pointer(1)), a.uint(0))
	data := unsafe.Slice((*uint64)(a.pointer(2)), a.uint(0))
	for i, attribute := range attributes {
		if err := c.pointerAttribute(data[i], int(attribute), a.size(3)); err != nil && data[i] >= lowestAddress {
			switch int(attribute) {
			case C.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, C.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
				*(*uint32)(pointer(data[i])) = 0
			default:
				*(*uint64)(pointer(data[i])) = 0
			}
		}
	}
	return nil
}

// cuPointerSetAttribute sets the one attribute that can be set. Calls without Async in their names wait for their end in any case.
func cuPointerSetAttribute(c *context, a args) error {
	value, err := in[uint32](a, 0)
	if err != nil {
		return err
	}
	m := c.device.MemoryAt(a.size(2))
	if a.int(1) != C.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || m.Kind == driver.UnknownMemory {
		return driver.Fail(driver.InvalidValue, "attribute %d of 0x%x can not be set", a.int(1), a.size(2))
	}
	c.device.SetSynchronous(m.Base, *value != 0)
	return nil
}

// pointerAttribute writes an attribute of the memory at addr.
func (c *context) pointerAttribute(data uint64, attribute int, addr uint64) error {
	if data < lowestAddress {
		return errNull
	}
	m := c.device.MemoryAt(addr)
	if m.Kind == driver.UnknownMemory {
		return driver.Fail(driver.InvalidValue, "nothing is allocated at 0x%x", addr)
	}
	p := pointer(data)
	host := m.Kind == driver.PinnedMemory || m.Kind == driver.RegisteredMemory
	switch attribute {
	case C.CU_POINTER_ATTRIBUTE_CONTEXT:
		*(*uint64)(p) = c.library.handleOf(m.Device)
	case C.CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		kind := uint32(C.CU_MEMORYTYPE_DEVICE)
		if host {
			kind = C.CU_MEMORYTYPE_HOST
		}
		*(*uint32)(p) = kind
	case C.CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		if !c.reaches(m) {
			return driver.Fail(driver.InvalidValue, "the device was given no access to the pool of 0x%x", addr)
		}
		*(*uint64)(p) = addr
	case C.CU_POINTER_ATTRIBUTE_HOST_POINTER:
		if m.Kind == driver.DeviceMemory {
			return driver.Fail(driver.InvalidValue, "the host has no address for 0x%x", addr)
		}
		*(*uint64)(p) = addr
	case C.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
		*(*uint32)(p) = 0
		if c.device.Synchronous(m.Base) {
			*(*uint32)(p) = 1
		}
	case C.CU_POINTER_ATTRIBUTE_BUFFER_ID:
		*(*uint64)(p) = m.Base // one allocation has one address
	case C.CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(*bool)(p) = m.Kind == driver.ManagedMemory
	case C.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(*int32)(p) = int32(m.Ordinal)
	case C.CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
		*(*bool)(p) = m.Kind == driver.DeviceMemory && m.Physical == nil && !m.Imported
	case C.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, C.CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		base, size := m.Base, m.Size
		if m.Physical != nil { // the reserved addresses
			base, size, _ = c.device.Reservation(addr)
		}
		if attribute == C.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR {
			size = base
		}
		*(*uint64)(p) = size
	case C.CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		handle := c.library.poolHandle(c.device.PoolAt(m.Base))
		if handle == 0 {
			return driver.Fail(driver.InvalidValue, "the memory at 0x%x is of no pool", addr)
		}
		*(*uint64)(p) = handle
	case C.CU_POINTER_ATTRIBUTE_MAPPED:
		*(*bool)(p) = true
	default:
		return driver.Fail(driver.InvalidValue, "there is no pointer attribute %d", attribute)
	}
	return nil
}

// copyOf makes a copy in the order of the legacy stream.
func copyOf(kind driver.CopyKind) work { return legacy(copyOfKind(kind)) }

func copyOfKind(kind driver.CopyKind) transfer {
	return func(_ *context, a args) (driver.Operation, error) {
		return bytesCopy(a.size(0), a.size(1), a.size(2), kind), nil
	}
}

// cuMemcpyPeer copies between contexts, which the addresses tell.
func cuMemcpyPeer(_ *context, a args) (driver.Operation, error) {
	return bytesCopy(a.size(0), a.size(2), a.size(4), driver.DeviceToDevice), nil
}

func cuMemcpy2D(c *context, a args) (driver.Operation, error) {
	p, err := in[C.CUDA_MEMCPY2D](a, 0)
	if err != nil {
		return nil, err
	}
	src := side{p.srcMemoryType, uint64(uintptr(p.srcHost)), uint64(p.srcDevice), arrayHandle(p.srcArray), p.srcXInBytes, p.srcY, 0, p.srcPitch, 0}
	dst := side{p.dstMemoryType, uint64(uintptr(p.dstHost)), uint64(p.dstDevice), arrayHandle(p.dstArray), p.dstXInBytes, p.dstY, 0, p.dstPitch, 0}
	return c.copySides(dst, src, driver.Extent{Width: uint64(p.WidthInBytes), Height: uint64(p.Height), Depth: 1})
}

// cuMemcpy3D is what cuMemcpy3D reads.
var cuMemcpy3D = argument(0, cuMemcpy3DAt)

func cuMemcpy3DAt(c *context, p *C.CUDA_MEMCPY3D) (driver.Operation, error) {
	if p.srcLOD != 0 || p.dstLOD != 0 {
		return nil, driver.Fail(driver.InvalidValue, "a copy of mipmap levels %d and %d, which are 0", p.srcLOD, p.dstLOD)
	}
	src := side{p.srcMemoryType, uint64(uintptr(p.srcHost)), uint64(p.srcDevice), arrayHandle(p.srcArray), p.srcXInBytes, p.srcY, p.srcZ, p.srcPitch, p.srcHeight}
	dst := side{p.dstMemoryType, uint64(uintptr(p.dstHost)), uint64(p.dstDevice), arrayHandle(p.dstArray), p.dstXInBytes, p.dstY, p.dstZ, p.dstPitch, p.dstHeight}
	return c.copySides(dst, src, driver.Extent{Width: uint64(p.WidthInBytes), Height: uint64(p.Height), Depth: uint64(p.Depth)})
}

// copySides copies an extent between the sides of a CUDA_MEMCPY2D or CUDA_MEMCPY3D.
func (c *context) copySides(dst, src side, e driver.Extent) (driver.Operation, error) {
	to, toDevice, err := dst.place(c, e)
	if err != nil {
		return nil, err
	}
	from, fromDevice, err := src.place(c, e)
	if err != nil {
		return nil, err
	}
	kind := driver.Default
	switch {
	case fromDevice && toDevice:
		kind = driver.DeviceToDevice
	case fromDevice:
		kind = driver.DeviceToHost
	case toDevice:
		kind = driver.HostToDevice
	}
	return driver.MemoryCopy{Dst: to, Src: from, Extent: e, Kind: kind}, nil
}

// side is one side of a CUDA_MEMCPY2D or CUDA_MEMCPY3D.
type side struct {
	kind          C.CUmemorytype
	host, device  uint64
	array         uint64
	x, y, z       C.size_t
	pitch, height C.size_t // 0 where rows or slices have no gaps
}

func arrayHandle(a C.CUarray) uint64 { return uint64(uintptr(unsafe.Pointer(a))) }

// place returns where the side is, and whether that has to be memory the device knows.
func (s side) place(c *context, e driver.Extent) (p driver.Place, onDevice bool, err error) {
	p.Pitch = uint64(s.pitch)
	if p.Pitch == 0 {
		p.Pitch = e.Width
	}
	p.Slice = p.Pitch * uint64(s.height)
	if s.height == 0 {
		p.Slice = p.Pitch * e.Height
	}
	switch s.kind {
	case C.CU_MEMORYTYPE_HOST:
		p.Addr = s.host
	case C.CU_MEMORYTYPE_DEVICE:
		p.Addr, onDevice = s.device, true
	case C.CU_MEMORYTYPE_UNIFIED:
		p.Addr = s.device
	case C.CU_MEMORYTYPE_ARRAY:
		p, err = c.inArray(s.array, uint64(s.x), uint64(s.y), uint64(s.z))
		return p, true, err
	default:
		return p, false, driver.Fail(driver.InvalidValue, "there is no memory type %d", s.kind)
	}
	p.Addr += uint64(s.z)*p.Slice + uint64(s.y)*p.Pitch + uint64(s.x)
	return p, onDevice, nil
}

// cuMemset fills elements of some bytes.
func cuMemset(bytes uint64) transfer {
	return func(_ *context, a args) (driver.Operation, error) {
		n := a.size(2)
		if n > ^uint64(0)/bytes {
			return nil, driver.Fail(driver.InvalidValue, "%d elements of %d bytes", n, bytes)
		}
		return driver.MemorySet{Dst: driver.Place{Addr: a.size(0)}, Value: a.uint(1), Bytes: bytes, Extent: driver.Extent{Width: n * bytes, Height: 1, Depth: 1}}, nil
	}
}

func cuMemset2D(bytes uint64) transfer {
	return func(_ *context, a args) (driver.Operation, error) {
		n := a.size(3)
		if n > ^uint64(0)/bytes {
			return nil, driver.Fail(driver.InvalidValue, "%d elements of %d bytes", n, bytes)
		}
		e := driver.Extent{Width: n * bytes, Height: a.size(4), Depth: 1}
		return driver.MemorySet{Dst: driver.Place{Addr: a.size(0), Pitch: a.size(1)}, Value: a.uint(2), Bytes: bytes, Extent: e}, nil
	}
}
