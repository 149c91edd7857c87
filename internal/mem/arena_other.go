//go:build !linux

package mem

import "unsafe"

// maxArena bounds the memory of a device where address space can not be reserved without committing it.
const maxArena = 4 << 30

// reserve allocates size bytes, at most maxArena, and returns how many.
func reserve(_, size uint64) (unsafe.Pointer, uint64, error) {
	size = min(size, maxArena)
	return unsafe.Pointer(unsafe.SliceData(make([]byte, size))), size, nil
}

// release does nothing: the garbage collector frees the memory.
func release(unsafe.Pointer, uint64) error { return nil }

// discard does nothing: the pages stay committed.
func discard(unsafe.Pointer, uint64) {}

// zero makes size bytes at p zero.
func zero(p unsafe.Pointer, size uint64) { clear(unsafe.Slice((*byte)(p), size)) }

func pageSize() uint64 { return 4096 }
