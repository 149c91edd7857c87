package main

// #include <cuda_runtime_api.h>
import "C"

import (
	"unsafe"

	"silica/driver"
)

// managed are the functions of managed memory.
var managed = works{
	"cudaMallocManaged":         notCaptured(mallocManaged),
	"cudaMemPrefetchAsync":      uncaptured(3, "a prefetch", onStream(3, prefetch(func(a args) driver.Location { return locationOf(a.int(2)) }))),
	"cudaMemPrefetchAsync_v2":   uncaptured(4, "a prefetch", onStream(4, prefetch(func(a args) driver.Location { return locationAt(a.pointer(2)) }))),
	"cudaMemAdvise":             advise(func(a args) driver.Location { return locationOf(a.int(3)) }),
	"cudaMemAdvise_v2":          advise(func(a args) driver.Location { return locationAt(a.pointer(3)) }),
	"cudaStreamAttachMemAsync":  uncaptured(0, "attaching memory", attach),
	"cudaMemRangeGetAttribute":  rangeAttribute,
	"cudaMemRangeGetAttributes": rangeAttributes,
}

// cuManaged are the same functions of the driver API.
func cuManaged() works {
	all := works{"cuMemAllocManaged": notCaptured(allocManaged)}
	for _, name := range []string{"MemPrefetchAsync", "MemPrefetchAsync_v2", "MemAdvise", "MemAdvise_v2", "StreamAttachMemAsync", "MemRangeGetAttribute", "MemRangeGetAttributes"} {
		all["cu"+name] = managed["cuda"+name]
	}
	return all
}

func mallocManaged(c *context, a args) error {
	if a.size(1) == 0 {
		return out(a, 0, uint64(0))
	}
	return allocManaged(c, a)
}

func allocManaged(c *context, a args) error {
	if flags := a.uint(2); flags != C.cudaMemAttachGlobal && flags != C.cudaMemAttachHost {
		return driver.Fail(driver.InvalidValue, "managed memory with the flags 0x%x", flags)
	}
	return allocate(a, 0, func() (uint64, error) { return c.device.AllocManaged(a.size(1), a.uint(2)) })
}

// locationOf returns the location that a number stands for where a GPU is asked for.
func locationOf(number int) driver.Location {
	if number == C.cudaCpuDeviceId {
		return driver.Location{Kind: driver.OnHostMemory}
	}
	return driver.Location{Kind: driver.OnDevice, Ordinal: number}
}

// locationAt reads a cudaMemLocation or CUmemLocation.
func locationAt(p unsafe.Pointer) driver.Location {
	l := *(*C.struct_cudaMemLocation)(p)
	at := driver.Location{Kind: driver.LocationKind(l._type), Ordinal: int(l.id)}
	if at.Kind == driver.OnHostMemory || at.Kind == driver.OnNearestNode {
		at.Ordinal = 0
	}
	return at
}

func prefetch(to func(a args) driver.Location) transfer {
	return func(_ *context, a args) (driver.Operation, error) {
		return driver.Prefetch{Addr: a.size(0), Size: a.size(1), To: to(a)}, nil
	}
}

func advise(location func(a args) driver.Location) work {
	return func(c *context, a args) error {
		return c.device.Advise(a.size(0), a.size(1), driver.Advice(a.int(2)), location(a))
	}
}

// attach has no effect: the host may always use managed memory. A length of 0 stands for all of it.
func attach(c *context, a args) error {
	s, err := c.stream(a.size(0))
	if err != nil {
		return err
	}
	addr, length := a.size(1), a.size(2)
	m := c.device.MemoryAt(addr)
	switch flags := a.uint(3); {
	case flags != C.cudaMemAttachGlobal && flags != C.cudaMemAttachHost && flags != C.cudaMemAttachSingle:
		return driver.Fail(driver.InvalidValue, "there are no flags 0x%x", flags)
	case flags == C.cudaMemAttachSingle && s == c.device.LegacyStream():
		return driver.Fail(driver.InvalidValue, "memory can not be attached to the legacy stream")
	case m.Kind != driver.ManagedMemory || m.Base != addr || length != 0 && length != m.Size:
		return driver.Fail(driver.InvalidValue, "%d bytes at 0x%x are no allocation of managed memory", length, addr)
	}
	return s.Submit(driver.Nothing{}, false)
}

func rangeAttribute(c *context, a args) error {
	return c.rangeAttribute(a.size(0), a.size(1), a.int(2), a.size(3), a.size(4))
}

func rangeAttributes(c *context, a args) error {
	n := a.size(3)
	if n == 0 || a.size(0) < lowestAddress || a.size(1) < lowestAddress || a.size(2) < lowestAddress {
		return errNull
	}
	data, sizes := unsafe.Slice((*uint64)(a.pointer(0)), n), unsafe.Slice((*uint64)(a.pointer(1)), n)
	for i, attribute := range unsafe.Slice((*C.int)(a.pointer(2)), n) {
		if err := c.rangeAttribute(data[i], sizes[i], int(attribute), a.size(4), a.size(5)); err != nil {
			return err
		}
	}
	return nil
}

// rangeAttribute writes what was said of all pages of a range of managed memory.
func (c *context) rangeAttribute(data, size uint64, attribute int, addr, count uint64) error {
	if data < lowestAddress {
		return errNull
	}
	if attribute == C.cudaMemRangeAttributeAccessedBy && (size == 0 || size%4 != 0) || attribute != C.cudaMemRangeAttributeAccessedBy && size != 4 {
		return driver.Fail(driver.InvalidValue, "%d bytes for attribute %d", size, attribute)
	}
	all, err := c.device.Advised(addr, count)
	if err != nil {
		return err
	}
	to := unsafe.Slice((*int32)(pointer(data)), size/4)
	switch attribute {
	case C.cudaMemRangeAttributeReadMostly:
		to[0] = 1
		for _, a := range all {
			if !a.ReadMostly {
				to[0] = 0
			}
		}
	case C.cudaMemRangeAttributeAccessedBy:
		for i := range to {
			to[i] = C.cudaInvalidDeviceId
		}
		n := 0
		for _, l := range all[0].AccessedBy {
			everywhere := true
			for _, a := range all[1:] {
				everywhere = everywhere && contains(a.AccessedBy, l)
			}
			if everywhere && n < len(to) {
				to[n] = numberOf(l)
				n++
			}
		}
	case C.cudaMemRangeAttributePreferredLocation, C.cudaMemRangeAttributePreferredLocationId, C.cudaMemRangeAttributePreferredLocationType:
		to[0] = locationAttribute(attribute == C.cudaMemRangeAttributePreferredLocationType, all, func(a driver.Advised) driver.Location { return a.Preferred })
	case C.cudaMemRangeAttributeLastPrefetchLocation, C.cudaMemRangeAttributeLastPrefetchLocationId, C.cudaMemRangeAttributeLastPrefetchLocationType:
		to[0] = locationAttribute(attribute == C.cudaMemRangeAttributeLastPrefetchLocationType, all, func(a driver.Advised) driver.Location { return a.Prefetched })
	default:
		return driver.Fail(driver.InvalidValue, "there is no attribute %d", attribute)
	}
	return nil
}

func contains(list []driver.Location, l driver.Location) bool {
	for _, o := range list {
		if o == l {
			return true
		}
	}
	return false
}

// locationAttribute returns the kind or the number of a location that is the same for all pages.
func locationAttribute(kind bool, all []driver.Advised, of func(driver.Advised) driver.Location) int32 {
	l := of(all[0])
	for _, a := range all[1:] {
		if of(a) != l {
			l = driver.Location{}
		}
	}
	if kind {
		return int32(l.Kind)
	}
	return numberOf(l)
}

// numberOf returns the number of a location: a GPU's ordinal, or what stands for the host and for none.
func numberOf(l driver.Location) int32 {
	switch l.Kind {
	case driver.OnDevice:
		return int32(l.Ordinal)
	case driver.Nowhere:
		return C.cudaInvalidDeviceId
	}
	return C.cudaCpuDeviceId
}
