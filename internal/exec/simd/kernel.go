package simd

import "unsafe"

// vectorKernel is the machine code of one instruction over the rows of a gang.
type vectorKernel struct {
	// run computes d from the sources for the given number of warps. Pointers are to the first warp's
	// row; mask holds one word a warp, nil for all lanes.
	run   func(d, a, b, c, e unsafe.Pointer, mask *uint32, warps int)
	shape shape
}

// shape gives the width in bits of the operands a kernel works on: 1 for a predicate, 16 for a register
// that lives zero-extended in a 32-bit row, 32, 64, 0 for none.
type shape struct {
	d   uint8
	src [4]uint8
}
