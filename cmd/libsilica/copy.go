package main

// #include <cuda_runtime_api.h>
import "C"

import (
	"unsafe"

	"silica/driver"
)

var copies = works{
	"cudaMemcpyPeer":        legacy(memcpyPeer),
	"cudaMemcpyPeerAsync":   onStream(5, memcpyPeer),
	"cudaMemcpy":            legacy(memcpy),
	"cudaMemcpyAsync":       onStream(4, memcpy),
	"cudaMemcpy2D":          legacy(memcpy2D),
	"cudaMemcpy2DAsync":     onStream(7, memcpy2D),
	"cudaMemcpy3D":          legacy(memcpy3D),
	"cudaMemcpy3DAsync":     onStream(1, memcpy3D),
	"cudaMemcpy3DPeer":      legacy(memcpy3DPeer),
	"cudaMemcpy3DPeerAsync": onStream(1, memcpy3DPeer),
	"cudaMemset":            legacy(memset),
	"cudaMemsetAsync":       onStream(3, memset),
	"cudaMemset2D":          legacy(memset2D),
	"cudaMemset2DAsync":     onStream(5, memset2D),
	"cudaMemset3D":          legacy(memset3D),
	"cudaMemset3DAsync":     onStream(3, memset3D),
}

var symbols = works{
	"cudaMemcpyToSymbol":        legacy(memcpyToSymbol),
	"cudaMemcpyToSymbolAsync":   onStream(5, memcpyToSymbol),
	"cudaMemcpyFromSymbol":      legacy(memcpyFromSymbol),
	"cudaMemcpyFromSymbolAsync": onStream(5, memcpyFromSymbol),
	"cudaGetSymbolAddress":      getSymbolAddress,
	"cudaGetSymbolSize":         getSymbolSize,
}

// A transfer reads the operation that the arguments of a C function describe; nil is none.
type transfer func(c *context, a args) (driver.Operation, error)

// legacy makes a function of a transfer in the default stream, which waits for its end.
func legacy(f transfer) work {
	return func(c *context, a args) error {
		s, err := c.stream(a.streamOf(streamDefault))
		if err != nil {
			return err
		}
		return submit(c, a, f, s, true)
	}
}

// onStream makes a function of a transfer in the stream that argument i names.
func onStream(i int, f transfer) work {
	return func(c *context, a args) error {
		s, err := c.stream(a.stream(i))
		if err != nil {
			return err
		}
		return submit(c, a, f, s, false)
	}
}

func submit(c *context, a args, f transfer, s *driver.Stream, wait bool) error {
	o, err := f(c, a)
	if err != nil || o == nil {
		return err
	}
	return s.Submit(o, wait)
}

// bytesCopy is a copy of n bytes.
func bytesCopy(dst, src, n uint64, kind driver.CopyKind) driver.MemoryCopy {
	return driver.MemoryCopy{Dst: driver.Place{Addr: dst}, Src: driver.Place{Addr: src}, Extent: driver.Extent{Width: n, Height: 1, Depth: 1}, Kind: kind}
}

func memcpy(_ *context, a args) (driver.Operation, error) {
	return bytesCopy(a.size(0), a.size(1), a.size(2), driver.CopyKind(a.int(3))), nil
}

// memcpyPeer copies between devices, which the addresses tell.
func memcpyPeer(c *context, a args) (driver.Operation, error) {
	if !c.library.exists(a.int(1)) || !c.library.exists(a.int(3)) {
		return nil, errDevice
	}
	return bytesCopy(a.size(0), a.size(2), a.size(4), driver.DeviceToDevice), nil
}

func memcpy2D(_ *context, a args) (driver.Operation, error) {
	dst := driver.Place{Addr: a.size(0), Pitch: a.size(1)}
	src := driver.Place{Addr: a.size(2), Pitch: a.size(3)}
	return driver.MemoryCopy{Dst: dst, Src: src, Extent: driver.Extent{Width: a.size(4), Height: a.size(5), Depth: 1}, Kind: driver.CopyKind(a.int(6))}, nil
}

// memcpy3D is what cudaMemcpy3D reads.
var memcpy3D = argument(0, memcpy3DAt)

func memcpy3DAt(c *context, p *C.struct_cudaMemcpy3DParms) (driver.Operation, error) {
	if p.srcArray != nil || p.dstArray != nil {
		return c.copy3DArrays(p)
	}
	return copy3D(p.dstPtr, p.dstPos, p.srcPtr, p.srcPos, p.extent, driver.CopyKind(p.kind))
}

func memcpy3DPeer(c *context, a args) (driver.Operation, error) {
	p, err := in[C.struct_cudaMemcpy3DPeerParms](a, 0)
	switch {
	case err != nil:
		return nil, err
	case !c.library.exists(int(p.srcDevice)) || !c.library.exists(int(p.dstDevice)):
		return nil, errDevice
	}
	if p.srcArray != nil || p.dstArray != nil {
		return c.copy3DArrays(&C.struct_cudaMemcpy3DParms{
			srcArray: p.srcArray, srcPos: p.srcPos, srcPtr: p.srcPtr, dstArray: p.dstArray, dstPos: p.dstPos, dstPtr: p.dstPtr,
			extent: p.extent, kind: C.cudaMemcpyDeviceToDevice,
		})
	}
	return copy3D(p.dstPtr, p.dstPos, p.srcPtr, p.srcPos, p.extent, driver.DeviceToDevice)
}

func copy3D(dst C.struct_cudaPitchedPtr, dstPos C.struct_cudaPos, src C.struct_cudaPitchedPtr, srcPos C.struct_cudaPos,
	e C.struct_cudaExtent, kind driver.CopyKind) (driver.Operation, error) {
	if e.width == 0 || e.height == 0 || e.depth == 0 {
		return nil, nil
	}
	if e.depth > 1 && (srcPos.y+e.height > src.ysize || dstPos.y+e.height > dst.ysize) {
		return nil, driver.Fail(driver.InvalidPitchValue, "slices of %d rows in memory with slices of %d and %d rows", e.height, dst.ysize, src.ysize)
	}
	return driver.MemoryCopy{Dst: place(dst, dstPos), Src: place(src, srcPos), Extent: extent(e), Kind: kind}, nil
}

// copy3DArrays copies an extent of which a side is an array: it is in texels then, and so are positions in arrays.
func (c *context) copy3DArrays(p *C.struct_cudaMemcpy3DParms) (driver.Operation, error) {
	o := driver.MemoryCopy{
		Dst: place(p.dstPtr, p.dstPos), Src: place(p.srcPtr, p.srcPos), Extent: extent(p.extent), Kind: driver.CopyKind(p.kind),
	}
	for _, side := range [...]struct {
		array C.cudaArray_t
		pos   C.struct_cudaPos
		place *driver.Place
	}{{p.srcArray, p.srcPos, &o.Src}, {p.dstArray, p.dstPos, &o.Dst}} {
		if side.array == nil {
			continue
		}
		handle := uint64(uintptr(unsafe.Pointer(side.array)))
		x, err := c.arrayOf(handle)
		if err != nil {
			return nil, err
		}
		d := x.Descriptor()
		texel := uint64(d.TexelBytes())
		o.Extent.Width = uint64(p.extent.width) * texel
		if *side.place, err = c.inArray(handle, uint64(side.pos.x)*texel, uint64(side.pos.y), uint64(side.pos.z)); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// place returns a position in pitched memory.
func place(p C.struct_cudaPitchedPtr, at C.struct_cudaPos) driver.Place {
	slice := uint64(p.pitch) * uint64(p.ysize)
	return driver.Place{
		Addr:  uint64(uintptr(p.ptr)) + uint64(at.z)*slice + uint64(at.y)*uint64(p.pitch) + uint64(at.x),
		Pitch: uint64(p.pitch), Slice: slice,
	}
}

func extent(e C.struct_cudaExtent) driver.Extent {
	return driver.Extent{Width: uint64(e.width), Height: uint64(e.height), Depth: uint64(e.depth)}
}

func memset(_ *context, a args) (driver.Operation, error) {
	return driver.MemorySet{Dst: driver.Place{Addr: a.size(0)}, Value: a.uint(1), Bytes: 1, Extent: driver.Extent{Width: a.size(2), Height: 1, Depth: 1}}, nil
}

func memset2D(_ *context, a args) (driver.Operation, error) {
	e := driver.Extent{Width: a.size(3), Height: a.size(4), Depth: 1}
	return driver.MemorySet{Dst: driver.Place{Addr: a.size(0), Pitch: a.size(1)}, Value: a.uint(2), Bytes: 1, Extent: e}, nil
}

func memset3D(_ *context, a args) (driver.Operation, error) {
	p, e := *(*C.struct_cudaPitchedPtr)(a.pointer(0)), *(*C.struct_cudaExtent)(a.pointer(2))
	return driver.MemorySet{Dst: place(p, C.struct_cudaPos{}), Value: a.uint(1), Bytes: 1, Extent: extent(e)}, nil
}

// part returns the address of count bytes at an offset of a variable.
func (c *context) part(symbol, count, offset uint64) (uint64, error) {
	addr, size, err := c.variable(symbol)
	if err != nil {
		return 0, err
	}
	if offset > size || count > size-offset {
		return 0, driver.Fail(driver.InvalidValue, "%d bytes at offset %d of a variable of %d bytes", count, offset, size)
	}
	return addr + offset, nil
}

func memcpyToSymbol(c *context, a args) (driver.Operation, error) {
	return c.copyToSymbol(a.size(0), a.size(1), a.size(2), a.size(3), driver.CopyKind(a.int(4)))
}

func (c *context) copyToSymbol(symbol, src, count, offset uint64, kind driver.CopyKind) (driver.Operation, error) {
	addr, err := c.part(symbol, count, offset)
	if err != nil {
		return nil, err
	}
	if kind == driver.DeviceToHost || kind == driver.HostToHost {
		return nil, driver.Fail(driver.InvalidMemcpyDirection, "a copy of kind %d to a variable of the device", kind)
	}
	return bytesCopy(addr, src, count, kind), nil
}

func memcpyFromSymbol(c *context, a args) (driver.Operation, error) {
	return c.copyFromSymbol(a.size(0), a.size(1), a.size(2), a.size(3), driver.CopyKind(a.int(4)))
}

func (c *context) copyFromSymbol(dst, symbol, count, offset uint64, kind driver.CopyKind) (driver.Operation, error) {
	addr, err := c.part(symbol, count, offset)
	if err != nil {
		return nil, err
	}
	if kind == driver.HostToDevice || kind == driver.HostToHost {
		return nil, driver.Fail(driver.InvalidMemcpyDirection, "a copy of kind %d from a variable of the device", kind)
	}
	return bytesCopy(dst, addr, count, kind), nil
}

func getSymbolAddress(c *context, a args) error {
	return allocate(a, 0, func() (uint64, error) {
		addr, _, err := c.variable(a.size(1))
		return addr, err
	})
}

func getSymbolSize(c *context, a args) error {
	return allocate(a, 0, func() (uint64, error) {
		_, size, err := c.variable(a.size(1))
		return size, err
	})
}
