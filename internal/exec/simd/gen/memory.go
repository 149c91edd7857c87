package main

import (
	"encoding/binary"
	"fmt"
)

// The memory kernels serve the accesses of a gang, a warp at a time, as long as they are legal; at the first
// warp whose access needs a closer look they return to Go, with the warp's number in machine.warp.
//
// What they know of the addresses is in the entry x of machine.patterns, by warp: see pattern in step.go. imm is
// added to every address. All bytes have to lie in the region y of machine.regions.

// access is a load or store of count elements.
type access struct {
	store  bool
	narrow bool // addresses have 32 bits
	elem   int  // bytes of an element: 1, 2 and 4 in 32-bit rows, 8 in 64-bit rows
	count  int
}

func (a access) bytes() int { return a.elem * a.count }

// row returns the bytes of a lane in a register's row.
func (a access) row() int { return max(a.elem, 4) }

func (a access) title() string {
	name, width := "load", 64
	if a.store {
		name = "store"
	}
	if a.narrow {
		width = 32
	}
	return fmt.Sprintf("%s %dx%d at %d", name, a.elem, a.count, width)
}

// memoryKernels returns the kernels of accesses and those that find patterns.
func (u *unit) memoryKernels() []kernel {
	pattern, write := u.pattern, u.accessKernel
	if !u.avx512 {
		pattern, write = u.patternAVX2, u.accessKernelAVX2
	}
	out := []kernel{
		{names: lines("pattern 32"), code: pattern(true)}, {names: lines("pattern 64"), code: pattern(false)},
		{names: lines("local load at 64"), code: u.local(false, false)}, {names: lines("local store at 64"), code: u.local(true, false)},
		{names: lines("local load at 32"), code: u.local(false, true)}, {names: lines("local store at 32"), code: u.local(true, true)},
	}
	for _, shape := range []struct{ elem, count int }{{1, 1}, {2, 1}, {4, 1}, {8, 1}, {4, 2}, {4, 4}, {8, 2}} {
		for _, store := range []bool{false, true} {
			for _, narrow := range []bool{false, true} {
				a := access{store, narrow, shape.elem, shape.count}
				out = append(out, kernel{names: lines(a.title()), code: write(a)})
			}
		}
	}
	return append(out, u.fillKernels()...)
}

// warpMask begins the loop over the warps that have lanes; R10, and K1 of AVX-512, hold the mask.
func (u *unit) warpMask(c *code) {
	mask := func() {
		if u.avx512 {
			c.line("KMOVD R10, K1")
		}
	}
	c.line("MOVL $-1, R10")
	mask()
	c.label("warp")
	c.lines("TESTQ R8, R8", "JEQ all", "MOVL (R8)(R14*1), R10", "TESTL R10, R10", "JEQ next")
	mask()
	c.label("all")
}

// iota returns n ascending numbers of the given width, times a factor, as data.
func iota(n, bytes, factor int) []byte {
	var data []byte
	for i := range n {
		v := binary.LittleEndian.AppendUint64(nil, uint64(i*factor))
		data = append(data, v[:bytes]...)
	}
	return data
}

// numbers returns numbers of the given width as data.
func numbers(bytes int, list ...int) []byte {
	var data []byte
	for _, n := range list {
		v := binary.LittleEndian.AppendUint64(nil, uint64(n))
		data = append(data, v[:bytes]...)
	}
	return data
}
