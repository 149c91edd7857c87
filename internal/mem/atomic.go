package mem

import (
	"sync/atomic"
	"unsafe"
)

// Combine returns what an atomic operation stores for the old value and its operands.
type Combine = func(old, b, c uint64) uint64

// Load reads the 1, 2, 4 or 8 bytes at p, zero-extended. p must be aligned.
func Load(p unsafe.Pointer, bytes int) uint64 {
	switch bytes {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// Store writes the low 1, 2, 4 or 8 bytes of v at p. p must be aligned.
func Store(p unsafe.Pointer, bytes int, v uint64) {
	switch bytes {
	case 1:
		*(*uint8)(p) = uint8(v)
	case 2:
		*(*uint16)(p) = uint16(v)
	case 4:
		*(*uint32)(p) = uint32(v)
	default:
		*(*uint64)(p) = v
	}
}

// Update replaces the 2, 4 or 8 bytes at p by f(old, b, c) in one step and returns old. f may be
// called several times.
func Update(p unsafe.Pointer, bytes int, f Combine, b, c uint64) (old uint64) {
	switch bytes {
	case 2:
		return update16(p, f, b, c)
	case 4:
		word := (*uint32)(p)
		for {
			old := atomic.LoadUint32(word)
			if atomic.CompareAndSwapUint32(word, old, uint32(f(uint64(old), b, c))) {
				return uint64(old)
			}
		}
	}
	word := (*uint64)(p)
	for {
		old := atomic.LoadUint64(word)
		if atomic.CompareAndSwapUint64(word, old, f(old, b, c)) {
			return old
		}
	}
}

// update16 changes half of the 32-bit word around p.
func update16(p unsafe.Pointer, f Combine, b, c uint64) uint64 {
	word := (*uint32)(unsafe.Add(p, -int(uintptr(p)&2)))
	shift := uintptr(p) & 2 * 8
	for {
		old := atomic.LoadUint32(word)
		half := old >> shift & 0xFFFF
		changed := uint32(f(uint64(half), b, c))&0xFFFF<<shift | old&^(0xFFFF<<shift)
		if atomic.CompareAndSwapUint32(word, old, changed) {
			return uint64(half)
		}
	}
}

// Update128 replaces the 16 bytes at p (low half first) by f(old, b, c) in one step with respect to
// other calls of Update128, and returns old.
func (m *Memory) Update128(p unsafe.Pointer, f func(old, b, c [2]uint64) [2]uint64, b, c [2]uint64) (old [2]uint64) {
	lock := &m.stripes[uintptr(p)>>4%uintptr(len(m.stripes))]
	lock.Lock()
	defer lock.Unlock()
	pair := (*[2]uint64)(p)
	old = *pair
	*pair = f(old, b, c)
	return old
}

// The operations below are Update for the common cases of one instruction, without a call per try.
// Each returns the old value.

// Add32 adds v to the word at p.
func Add32(p unsafe.Pointer, v uint32) uint32 { return atomic.AddUint32((*uint32)(p), v) - v }

// Add64 adds v to the 64-bit word at p.
func Add64(p unsafe.Pointer, v uint64) uint64 { return atomic.AddUint64((*uint64)(p), v) - v }

// And32 masks the word at p with v.
func And32(p unsafe.Pointer, v uint32) uint32 { return atomic.AndUint32((*uint32)(p), v) }

// And64 masks the 64-bit word at p with v.
func And64(p unsafe.Pointer, v uint64) uint64 { return atomic.AndUint64((*uint64)(p), v) }

// Or32 sets the bits of v in the word at p.
func Or32(p unsafe.Pointer, v uint32) uint32 { return atomic.OrUint32((*uint32)(p), v) }

// Or64 sets the bits of v in the 64-bit word at p.
func Or64(p unsafe.Pointer, v uint64) uint64 { return atomic.OrUint64((*uint64)(p), v) }

// Exchange32 stores v in the word at p.
func Exchange32(p unsafe.Pointer, v uint32) uint32 { return atomic.SwapUint32((*uint32)(p), v) }

// Exchange64 stores v in the 64-bit word at p.
func Exchange64(p unsafe.Pointer, v uint64) uint64 { return atomic.SwapUint64((*uint64)(p), v) }

// CompareAndSwap32 stores v in the word at p when it holds compare.
func CompareAndSwap32(p unsafe.Pointer, compare, v uint32) uint32 {
	word := (*uint32)(p)
	for {
		if old := atomic.LoadUint32(word); old != compare || atomic.CompareAndSwapUint32(word, old, v) {
			return old
		}
	}
}

// CompareAndSwap64 stores v in the 64-bit word at p when it holds compare.
func CompareAndSwap64(p unsafe.Pointer, compare, v uint64) uint64 {
	word := (*uint64)(p)
	for {
		if old := atomic.LoadUint64(word); old != compare || atomic.CompareAndSwapUint64(word, old, v) {
			return old
		}
	}
}
