package simd

import (
	"math/bits"
	"unsafe"
)

// vectorUnit is the machine code that a CPU can run: the kernels of instructions, and what the memory
// instructions need.
type vectorUnit struct {
	name    string
	kernels map[string]vectorKernel
	// patterns describes the addresses of rows of 64-bit lanes, a pattern a warp; warps with an empty
	// mask are left alone.
	patterns func(addr unsafe.Pointer, mask *uint32, stride uint64, warps int, out *pattern)
	// widen32 zero-extends rows of 32-bit lanes to rows of 64-bit lanes.
	widen32 func(dst, src unsafe.Pointer, warps int)
	// copy32 and copy64 copy the masked lanes of one warp between a row and contiguous memory, either
	// way. They touch no byte of a lane outside the mask.
	copy32, copy64 func(dst, src unsafe.Pointer, mask uint32)
	// fill32 and fill64 set the masked lanes of one warp's row to a value.
	fill32 func(dst unsafe.Pointer, value uint32, mask uint32)
	fill64 func(dst unsafe.Pointer, value uint64, mask uint32)
	// load32, load64, store32 and store64 move the lanes of consecutive warps between rows and memory while
	// the warps' patterns allow it, and return how many warps they have done.
	load32, load64, store32, store64 transfer
	// gather32 and gather64 load, scatter32 and scatter64 store the masked lanes of one warp's row, each lane at
	// its own host address: the lane's 64-bit address plus delta. Of lanes that store to one place the highest wins.
	gather32, gather64, scatter32, scatter64 func(row, addr unsafe.Pointer, delta uint64, mask uint32)
}

// transfer moves rows from or to a region of memory: size bytes at address base, at the host address start. A lane's
// address is (pattern address + offset) & wrap. It stops at the first warp that is not uniform (loads only) or
// contiguous, not aligned, or not wholly inside the region.
type transfer func(row unsafe.Pointer, patterns *pattern, masks *uint32, offset, wrap, base, size uint64, start unsafe.Pointer, warps int) (done int)

// noTransfer leaves every warp to the general way.
func noTransfer(unsafe.Pointer, *pattern, *uint32, uint64, uint64, uint64, uint64, unsafe.Pointer, int) int {
	return 0
}

// portableUnit works on every CPU and has no kernels: instructions run lane by lane.
func portableUnit() vectorUnit {
	return vectorUnit{
		name: "portable", patterns: patternsPortable, widen32: widen32Portable,
		copy32: copyPortable[uint32], copy64: copyPortable[uint64],
		fill32: fillPortable[uint32], fill64: fillPortable[uint64],
		load32: noTransfer, load64: noTransfer, store32: noTransfer, store64: noTransfer,
		gather32: gatherPortable[uint32], gather64: gatherPortable[uint64],
		scatter32: scatterPortable[uint32], scatter64: scatterPortable[uint64],
	}
}

// at returns lane i of the row at p.
func at[T uint32 | uint64](p unsafe.Pointer, i int) *T {
	return (*T)(unsafe.Add(p, i*int(unsafe.Sizeof(T(0)))))
}

func patternsPortable(addr unsafe.Pointer, mask *uint32, stride uint64, warps int, out *pattern) {
	masks, outs := unsafe.Slice(mask, warps), unsafe.Slice(out, warps)
	for w, m := range masks {
		if m == 0 {
			continue
		}
		row := (*[32]uint64)(unsafe.Add(addr, w*256))
		first := bits.TrailingZeros32(m)
		lane0 := row[first] - uint64(first)*stride
		p := pattern{base: row[first], high: row[first]}
		same, sequence := true, true
		for rest := m; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest)
			same = same && row[i] == row[first]
			sequence = sequence && row[i] == lane0+uint64(i)*stride
			p.base, p.high, p.bits = min(p.base, row[i]), max(p.high, row[i]), p.bits|row[i]
		}
		switch {
		case same:
			p = pattern{base: row[first], kind: uniform}
		case sequence:
			p = pattern{base: lane0, kind: contiguous}
		}
		outs[w] = p
	}
}

func widen32Portable(dst, src unsafe.Pointer, warps int) {
	for i := range warps * 32 {
		*at[uint64](dst, i) = uint64(*at[uint32](src, i))
	}
}

func copyPortable[T uint32 | uint64](dst, src unsafe.Pointer, mask uint32) {
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros32(mask)
		*at[T](dst, i) = *at[T](src, i)
	}
}

func fillPortable[T uint32 | uint64](dst unsafe.Pointer, value T, mask uint32) {
	for ; mask != 0; mask &= mask - 1 {
		*at[T](dst, bits.TrailingZeros32(mask)) = value
	}
}

func gatherPortable[T uint32 | uint64](row, addr unsafe.Pointer, delta uint64, mask uint32) {
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros32(mask)
		*at[T](row, i) = *hostAt[T](*at[uint64](addr, i) + delta)
	}
}

func scatterPortable[T uint32 | uint64](row, addr unsafe.Pointer, delta uint64, mask uint32) {
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros32(mask)
		*hostAt[T](*at[uint64](addr, i) + delta) = *at[T](row, i)
	}
}

// hostAt returns the value at a host address that was computed from one lane's address.
func hostAt[T uint32 | uint64](a uint64) *T { return *(**T)(unsafe.Pointer(&a)) }
