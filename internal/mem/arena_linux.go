package mem

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve maps size bytes that are committed as they are touched, at the address base when it is free; in large pages where the system has some, since
// kernels go through memory in more places at a time than a CPU knows small pages.
func reserve(base, size uint64) (unsafe.Pointer, uint64, error) {
	p, err := unix.MmapPtr(-1, 0, unsafe.Add(unsafe.Pointer(nil), base), uintptr(size),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err == nil {
		_ = unix.Madvise(unsafe.Slice((*byte)(p), size), unix.MADV_HUGEPAGE)
	}
	return p, size, err
}

// release unmaps what reserve mapped at p.
func release(p unsafe.Pointer, size uint64) error { return unix.MunmapPtr(p, uintptr(size)) }

// discard tells the system that the contents of size bytes at p are no longer wanted. The memory stays
// usable, so a failure costs memory and nothing else.
func discard(p unsafe.Pointer, size uint64) {
	_ = unix.Madvise(unsafe.Slice((*byte)(p), size), unix.MADV_DONTNEED)
}

// zero makes size bytes of whole pages at p zero, and gives the pages back where the system can.
func zero(p unsafe.Pointer, size uint64) {
	b := unsafe.Slice((*byte)(p), size)
	if unix.Madvise(b, unix.MADV_DONTNEED) != nil {
		clear(b)
	}
}

func pageSize() uint64 { return uint64(os.Getpagesize()) }
