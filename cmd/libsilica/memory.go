package main

// #include <stdlib.h>
// #include <cuda_runtime_api.h>
import "C"

import (
	"unsafe"

	"silica/driver"
)

var addresses = functions{
	"cudaPointerGetAttributes": pointerGetAttributes,
}

var memory = works{
	"cudaMalloc":               notCaptured(malloc),
	"cudaMallocAsync":          mallocAsync,
	"cudaMallocPitch":          notCaptured(mallocPitch),
	"cudaMalloc3D":             notCaptured(malloc3D),
	"cudaFree":                 notCaptured(free),
	"cudaFreeAsync":            freeAsync,
	"cudaMallocHost":           notCaptured(func(c *context, a args) error { return hostAlloc(c, a, 0) }),
	"cudaHostAlloc":            notCaptured(func(c *context, a args) error { return hostAlloc(c, a, a.uint(2)) }),
	"cudaFreeHost":             notCaptured(freeHostMemory),
	"cudaHostRegister":         notCaptured(hostRegister),
	"cudaHostUnregister":       notCaptured(hostUnregister),
	"cudaHostGetDevicePointer": hostGetDevicePointer,
	"cudaHostGetFlags":         hostGetFlags,
	"cudaMemGetInfo":           memGetInfo,
}

// notCaptured makes a function of one that captures forbid, as the thread's mode says.
func notCaptured(f work) work {
	return func(c *context, a args) error {
		if err := c.device.Unsafe(a.threadName(), driver.CaptureMode(a.thread.capture_mode)); err != nil {
			return err
		}
		return f(c, a)
	}
}

// withStream makes a function of one whose argument i names a stream and that works at once.
func withStream(i int, f work) work {
	return func(c *context, a args) error {
		if _, err := c.stream(a.stream(i)); err != nil {
			return err
		}
		return f(c, a)
	}
}

// malloc answers a null pointer for 0 bytes.
func malloc(c *context, a args) error {
	if a.size(1) == 0 {
		return out(a, 0, uint64(0))
	}
	return alloc(c, a)
}

func alloc(c *context, a args) error {
	return allocate(a, 0, func() (uint64, error) { return c.device.Alloc(a.size(1)) })
}

func free(c *context, a args) error { return c.device.Free(a.size(0)) }

// mallocAsync allocates at once, from the pool of the stream's device, or by a node of the graph that the stream is captured into. A
// null pointer stands for 0 bytes.
func mallocAsync(c *context, a args) error {
	s, err := c.stream(a.stream(2))
	if err != nil {
		return err
	}
	return c.mallocIn(s, a)
}

// mallocIn allocates in a stream's order.
func (c *context) mallocIn(s *driver.Stream, a args) error {
	if a.size(1) == 0 {
		return out(a, 0, uint64(0))
	}
	return allocate(a, 0, func() (uint64, error) {
		if s.Capture() == nil {
			return c.slotOf(driver.DeviceMemory).using.Load().Alloc(a.size(1))
		}
		o, err := s.Device.NewMemoryAlloc(a.size(1))
		if err != nil {
			return 0, err
		}
		return o.Address, s.Submit(o, false)
	})
}

// freeAsync gives memory back at its place in a stream's order.
func freeAsync(c *context, a args) error {
	addr := a.size(0)
	s, err := c.stream(a.stream(1))
	if err != nil || addr == 0 {
		return err
	}
	return s.Submit(driver.MemoryFree(addr), false)
}

// allocate writes the address that alloc returns to where argument i points, which is checked first.
func allocate(a args, i int, alloc func() (uint64, error)) error {
	p, err := in[uint64](a, i)
	if err != nil {
		return err
	}
	addr, err := alloc()
	if err == nil {
		*p = addr
	}
	return err
}

// pitchUnit is what the pitch of rows is a multiple of, in bytes: as an H200 answers.
const pitchUnit = 512

// pitched allocates rows of width bytes. Nothing is allocated when there are none.
func pitched(c *context, width, rows uint64) (addr, pitch uint64, err error) {
	pitch = (width + pitchUnit - 1) / pitchUnit * pitchUnit
	switch {
	case width == 0 || rows == 0:
		return 0, pitch, nil
	case pitch < width || rows > ^uint64(0)/pitch:
		return 0, 0, driver.Fail(driver.OutOfMemory, "%d rows of %d bytes", rows, width)
	}
	addr, err = c.device.Alloc(pitch * rows)
	return addr, pitch, err
}

func mallocPitch(c *context, a args) error {
	p, err := in[uint64](a, 1)
	if err != nil {
		return err
	}
	return allocate(a, 0, func() (addr uint64, err error) {
		addr, *p, err = pitched(c, a.size(2), a.size(3))
		return addr, err
	})
}

func malloc3D(c *context, a args) error {
	p, err := in[C.struct_cudaPitchedPtr](a, 0)
	if err != nil {
		return err
	}
	e := (*C.struct_cudaExtent)(a.pointer(1))
	if e.depth != 0 && e.height > ^C.size_t(0)/e.depth {
		return driver.Fail(driver.OutOfMemory, "%d slices of %d rows", e.depth, e.height)
	}
	addr, pitch, err := pitched(c, uint64(e.width), uint64(e.height*e.depth))
	if err != nil {
		return err
	}
	*(*uint64)(unsafe.Pointer(&p.ptr)) = addr
	p.pitch, p.xsize, p.ysize = C.size_t(pitch), e.width, e.height
	return nil
}

// newHost returns new memory of the host, in pages of its own.
func newHost(size uint64) (uint64, error) {
	const page = 4096
	if size > ^uint64(0)-page {
		return 0, driver.Fail(driver.OutOfMemory, "%d bytes of host memory", size)
	}
	p := C.aligned_alloc(page, C.size_t((size+page-1)/page*page))
	if p == nil {
		return 0, driver.Fail(driver.OutOfMemory, "%d bytes of host memory", size)
	}
	return uint64(uintptr(p)), nil
}

func freeHost(addr uint64) { C.free(pointer(addr)) }

func hostAlloc(c *context, a args, flags uint32) error {
	if a.size(1) == 0 {
		return out(a, 0, uint64(0))
	}
	return allocHost(c, a, flags)
}

func allocHost(c *context, a args, flags uint32) error {
	if flags&^(C.cudaHostAllocPortable|C.cudaHostAllocMapped|C.cudaHostAllocWriteCombined) != 0 {
		return driver.Fail(driver.InvalidValue, "host memory with the flags 0x%x", flags)
	}
	if a.size(1) == 0 {
		return driver.Fail(driver.InvalidValue, "an allocation of 0 bytes")
	}
	// All memory is mapped where addresses are unified.
	return allocate(a, 0, func() (uint64, error) { return c.allocHost(a.size(1), flags|C.cudaHostAllocMapped) })
}

func freeHostMemory(c *context, a args) error {
	if a.size(0) == 0 {
		return nil
	}
	return c.freePinned(a.size(0))
}

func hostRegister(c *context, a args) error {
	p, size, flags := a.size(0), a.size(1), a.uint(2)
	const known = C.cudaHostRegisterPortable | C.cudaHostRegisterMapped | C.cudaHostRegisterIoMemory | C.cudaHostRegisterReadOnly
	switch m := c.device.MemoryAt(p); {
	case flags&^known != 0:
		return driver.Fail(driver.InvalidValue, "host memory with the flags 0x%x", flags)
	case m.Kind == driver.PinnedMemory || m.Kind == driver.DeviceMemory || m.Kind == driver.ManagedMemory:
		return driver.Fail(driver.InvalidValue, "the memory at 0x%x is known already", p)
	}
	return c.device.RegisterHost(a.pointer(0), driver.Memory{Kind: driver.RegisteredMemory, Size: size, Flags: flags | C.cudaHostRegisterMapped})
}

func hostUnregister(c *context, a args) error {
	if m := c.device.MemoryAt(a.size(0)); m.Kind != driver.UnknownMemory && (m.Kind != driver.RegisteredMemory || m.Base != a.size(0)) {
		return driver.Fail(driver.InvalidValue, "no registered memory begins at 0x%x", a.size(0))
	}
	return c.device.UnregisterHost(a.pointer(0))
}

// onHost returns the host memory at an address that the device knows.
func (c *context) onHost(addr uint64) (driver.Memory, error) {
	m := c.device.MemoryAt(addr)
	if m.Kind != driver.PinnedMemory && m.Kind != driver.RegisteredMemory {
		return m, driver.Fail(driver.InvalidValue, "0x%x is not in pinned or registered memory", addr)
	}
	return m, nil
}

// hostGetDevicePointer answers the same address: addresses are unified.
func hostGetDevicePointer(c *context, a args) error {
	if _, err := c.onHost(a.size(1)); err != nil {
		return err
	}
	if a.uint(2) != 0 {
		return driver.Fail(driver.InvalidValue, "flags are 0, not 0x%x", a.uint(2))
	}
	return out(a, 0, a.size(1))
}

func hostGetFlags(c *context, a args) error {
	m, err := c.onHost(a.size(1))
	if err != nil {
		return err
	}
	return out(a, 0, m.Flags)
}

// memGetInfo leaves out what is not asked for.
func memGetInfo(c *context, a args) error {
	free, total := c.device.MemInfo()
	for i, value := range []uint64{free, total} {
		if a.size(i) != 0 {
			*(*uint64)(a.pointer(i)) = value
		}
	}
	return nil
}

// pointerGetAttributes works after a fault too.
func pointerGetAttributes(l *library, a args) error {
	c, err := l.runtimeContext(a)
	if err != nil {
		return err
	}
	p, err := in[C.struct_cudaPointerAttributes](a, 0)
	if err != nil {
		return err
	}
	*p = C.struct_cudaPointerAttributes{}
	addr := a.size(1)
	devicePointer, hostPointer := (*uint64)(unsafe.Pointer(&p.devicePointer)), (*uint64)(unsafe.Pointer(&p.hostPointer))
	m := c.device.MemoryAt(addr)
	p.device = C.int(m.Ordinal)
	switch m.Kind {
	case driver.DeviceMemory:
		p._type, *devicePointer = C.cudaMemoryTypeDevice, addr
	case driver.ManagedMemory:
		p._type, *devicePointer, *hostPointer = C.cudaMemoryTypeManaged, addr, addr
	case driver.PinnedMemory, driver.RegisteredMemory:
		p._type, *hostPointer = C.cudaMemoryTypeHost, addr
		if c.reaches(m) {
			*devicePointer = addr
		}
	default:
		p._type, p.device, *hostPointer = C.cudaMemoryTypeUnregistered, C.cudaInvalidDeviceId, addr
	}
	return nil
}
