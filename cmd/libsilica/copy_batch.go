package main

// #include <cuda_runtime_api.h>
import "C"

import (
	"unsafe"

	"silica/driver"
)

// batches are the functions that submit many copies, or moves of managed memory, in one call. What the attributes of copies say,
// where memory lies and when sources are read, allows more than is done here: copies follow each other in the stream's order.
var batches = works{
	"cudaMemcpyBatchAsync":                copyBatch(7, 8),
	"cudaMemcpy3DBatchAsync":              copy3DBatch(2, 3, 4),
	"cudaMemPrefetchBatchAsync":           prefetchBatch(true),
	"cudaMemDiscardBatchAsync":            prefetchBatch(false),
	"cudaMemDiscardAndPrefetchBatchAsync": prefetchBatch(true),
}

var cuBatches = works{
	"cuMemcpyBatchAsync":                copyBatch(7, 8),
	"cuMemcpyBatchAsync_v2":             copyBatch(-1, 7),
	"cuMemcpy3DBatchAsync":              copy3DBatch(2, 3, 4),
	"cuMemcpy3DBatchAsync_v2":           copy3DBatch(-1, 2, 3),
	"cuMemPrefetchBatchAsync":           batches["cudaMemPrefetchBatchAsync"],
	"cuMemDiscardBatchAsync":            batches["cudaMemDiscardBatchAsync"],
	"cuMemDiscardAndPrefetchBatchAsync": batches["cudaMemDiscardAndPrefetchBatchAsync"],
}

// list returns the n values at the address of argument i.
func list[T any](a args, i int, n uint64) ([]T, error) {
	if a.size(i) < lowestAddress || n == 0 || n > mostInBatch {
		return nil, driver.Fail(driver.InvalidValue, "argument %d is a list of %d values at 0x%x", i+1, n, a.size(i))
	}
	return unsafe.Slice((*T)(a.pointer(i)), n), nil
}

// mostInBatch is more than any program can list.
const mostInBatch = 1 << 32

// setFailed tells which of a batch was refused; all values stand for the whole of it. A negative argument is none.
func setFailed(a args, i int, which uint64) {
	if i >= 0 && a.size(i) >= lowestAddress {
		*(*uint64)(a.pointer(i)) = which
	}
}

// preferOverlap is the flag by which copies had better run beside kernels: cudaMemcpyFlagPreferOverlapWithCompute.
const preferOverlap = 1

const allOfBatch = ^uint64(0)

// ofBatch returns the stream of a batch. The default streams have none.
func (c *context) ofBatch(a args, i int) (*driver.Stream, error) {
	if h := a.size(i); h == streamDefault || h == streamLegacy {
		return nil, driver.Fail(driver.InvalidValue, "a batch in the default stream")
	}
	s, err := c.stream(a.stream(i))
	if err == nil && s.Capture() != nil {
		return nil, driver.Fail(driver.StreamCaptureUnsupported, "a batch in a stream that is captured")
	}
	return s, err
}

// copyBatch makes a function whose arguments are lists of destinations, sources and sizes, how many there are, lists of attributes and
// of the first copy of each, how many, where to tell which copy was refused, and a stream.
func copyBatch(failed, stream int) work {
	return func(c *context, a args) error {
		setFailed(a, failed, allOfBatch)
		s, err := c.ofBatch(a, stream)
		if err != nil {
			return err
		}
		n := a.size(3)
		dsts, err := list[uint64](a, 0, n)
		if err != nil {
			return err
		}
		srcs, err := list[uint64](a, 1, n)
		if err != nil {
			return err
		}
		sizes, err := list[uint64](a, 2, n)
		if err != nil {
			return err
		}
		attributes, err := list[C.struct_cudaMemcpyAttributes](a, 4, a.size(6))
		if err != nil {
			return err
		}
		firsts, err := list[uint64](a, 5, a.size(6))
		if err != nil {
			return err
		}
		for i, first := range firsts {
			if first >= n || i == 0 && first != 0 || i > 0 && first <= firsts[i-1] {
				return driver.Fail(driver.InvalidValue, "attributes %d begin with copy %d of %d: the first with copy 0, each after the one before", i, first, n)
			}
			if err := checkAccessOrder(attributes[i].srcAccessOrder); err != nil {
				return err
			}
			if attributes[i].flags > preferOverlap {
				return driver.Fail(driver.InvalidValue, "a copy with the flags 0x%x", attributes[i].flags)
			}
		}
		for i := range sizes {
			if sizes[i] == 0 {
				err = driver.Fail(driver.InvalidValue, "a copy of 0 bytes")
			} else {
				err = s.Submit(bytesCopy(dsts[i], srcs[i], sizes[i], driver.Default), false)
			}
			if err != nil {
				setFailed(a, failed, uint64(i))
				return err
			}
		}
		return nil
	}
}

func checkAccessOrder(order uint32) error {
	if order < C.cudaMemcpySrcAccessOrderStream || order > C.cudaMemcpySrcAccessOrderAny {
		return driver.Fail(driver.InvalidValue, "there is no order %d of accesses to a source", order)
	}
	return nil
}

// copy3DBatch makes a function whose arguments are how many copies there are, their list, where to tell which was refused, flags and a
// stream.
func copy3DBatch(failed, flags, stream int) work {
	return func(c *context, a args) error {
		setFailed(a, failed, allOfBatch)
		s, err := c.ofBatch(a, stream)
		if err != nil {
			return err
		}
		ops, err := list[C.struct_cudaMemcpy3DBatchOp](a, 1, a.size(0))
		if err != nil {
			return err
		}
		if a.size(flags) != 0 {
			return driver.Fail(driver.InvalidValue, "flags are 0, not 0x%x", a.size(flags))
		}
		for i := range ops {
			o, err := c.batched(&ops[i])
			if err == nil {
				err = s.Submit(o, false)
			}
			if err != nil {
				setFailed(a, failed, uint64(i))
				return err
			}
		}
		return nil
	}
}

// batched returns a copy of a batch. Extents, offsets and lengths are in elements: those of an array that is a side, else bytes.
func (c *context) batched(op *C.struct_cudaMemcpy3DBatchOp) (driver.Operation, error) {
	if err := checkAccessOrder(op.srcAccessOrder); err != nil {
		return nil, err
	}
	sides := [2]*C.struct_cudaMemcpy3DOperand{&op.dst, &op.src}
	element := uint64(1)
	for _, s := range sides {
		if s._type != C.cudaMemcpyOperandTypeArray {
			continue
		}
		x, err := get[*array](c, operandWords(s)[0])
		if err != nil {
			return nil, err
		}
		element = texelBytes(x.Array)
	}
	o := driver.MemoryCopy{Extent: extent(op.extent), Kind: driver.Default}
	o.Extent.Width *= element
	if o.Extent.Width == 0 || o.Extent.Height == 0 || o.Extent.Depth == 0 {
		return nil, driver.Fail(driver.InvalidValue, "a copy of an empty extent")
	}
	for i, place := range [2]*driver.Place{&o.Dst, &o.Src} {
		var err error
		if *place, err = c.operand(sides[i], element, o.Extent); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// operandWords are an operand's pointer, length of rows and height of layers, or array and offset.
func operandWords(o *C.struct_cudaMemcpy3DOperand) *[4]uint64 {
	return (*[4]uint64)(unsafe.Pointer(&o.op))
}

func (c *context) operand(o *C.struct_cudaMemcpy3DOperand, element uint64, e driver.Extent) (driver.Place, error) {
	w := operandWords(o)
	switch o._type {
	case C.cudaMemcpyOperandTypePointer:
		p := driver.Place{Addr: w[0], Pitch: w[1] * element}
		if p.Pitch == 0 {
			p.Pitch = e.Width
		}
		rows := w[2]
		if rows == 0 {
			rows = e.Height
		}
		p.Slice = p.Pitch * rows
		return p, nil
	case C.cudaMemcpyOperandTypeArray:
		return c.inArray(w[0], w[1]*element, w[2], w[3])
	}
	return driver.Place{}, driver.Fail(driver.InvalidValue, "there is no operand of type %d", o._type)
}

// prefetchBatch makes a function whose arguments are lists of addresses and sizes, how many there are, for prefetches lists of locations
// and of the first range of each and how many, flags and a stream. The contents of what is discarded are undefined until they are
// written, and so may stay.
func prefetchBatch(prefetches bool) work {
	flags := 3
	if prefetches {
		flags = 6
	}
	return func(c *context, a args) error {
		s, err := c.ofBatch(a, flags+1)
		if err != nil {
			return err
		}
		n := a.size(2)
		addresses, err := list[uint64](a, 0, n)
		if err != nil {
			return err
		}
		sizes, err := list[uint64](a, 1, n)
		if err != nil {
			return err
		}
		if a.size(flags) != 0 {
			return driver.Fail(driver.InvalidValue, "flags are 0, not 0x%x", a.size(flags))
		}
		var locations []C.struct_cudaMemLocation
		var firsts []uint64
		if prefetches {
			if locations, err = list[C.struct_cudaMemLocation](a, 3, a.size(5)); err != nil {
				return err
			}
			if firsts, err = list[uint64](a, 4, a.size(5)); err != nil {
				return err
			}
			for i, first := range firsts {
				if first >= n || i == 0 && first != 0 || i > 0 && first <= firsts[i-1] {
					return driver.Fail(driver.InvalidValue, "location %d begins with range %d of %d: the first with range 0, each after the one before", i, first, n)
				}
			}
		}
		at := 0
		for i := range addresses {
			if m := c.device.MemoryAt(addresses[i]); m.Kind != driver.ManagedMemory || sizes[i] == 0 || sizes[i] > m.Base+m.Size-addresses[i] {
				return driver.Fail(driver.InvalidValue, "%d bytes at 0x%x are not in managed memory", sizes[i], addresses[i])
			}
			if !prefetches {
				continue
			}
			for at+1 < len(firsts) && firsts[at+1] <= uint64(i) {
				at++
			}
			if at := locations[at]; at._type == C.cudaMemLocationTypeDevice && !c.library.exists(int(at.id)) {
				return driver.Fail(driver.InvalidValue, "there is no device %d", at.id)
			}
			if err := s.Submit(driver.Prefetch{Addr: addresses[i], Size: sizes[i], To: locationAt(unsafe.Pointer(&locations[at]))}, false); err != nil {
				return err
			}
		}
		return nil
	}
}
