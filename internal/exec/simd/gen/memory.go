package main

import (
	"encoding/binary"
	"fmt"
)

// The memory kernels serve the accesses of a gang, a warp at a time, as long as they are legal; at the first
// warp whose access needs a closer look they return to Go, with the warp's number in machine.warp.
//
// What they know of the addresses is in the entry x of machine.patterns, by warp: the kind and a base, see
// pattern in memory.go. imm is added to every address. All bytes have to lie in the region y of
// machine.regions.

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
	pattern := u.pattern
	if !u.avx512 {
		pattern = u.patternAVX2
	}
	out := []kernel{
		{names: lines("pattern 32"), code: pattern(true)}, {names: lines("pattern 64"), code: pattern(false)},
		{names: lines("local load at 64"), code: u.local(false, false)}, {names: lines("local store at 64"), code: u.local(true, false)},
		{names: lines("local load at 32"), code: u.local(false, true)}, {names: lines("local store at 32"), code: u.local(true, true)},
	}
	for _, shape := range []struct{ elem, count int }{{1, 1}, {2, 1}, {4, 1}, {8, 1}, {4, 2}, {4, 4}, {8, 2}} {
		for _, store := range []bool{false, true} {
			for _, narrow := range []bool{false, true} {
				a := accessWriter{unit: u, access: access{store, narrow, shape.elem, shape.count}}
				a.write()
				out = append(out, kernel{names: lines(a.title()), code: a.Bytes()})
			}
		}
	}
	return out
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

// pattern writes the kernel that describes the addresses in the row a of each warp: a pattern is 16 bytes. The
// distance of neighbouring lanes that counts as contiguous is in imm.
func (u *unit) pattern(narrow bool) []byte {
	c := &code{}
	c.prologue("A")
	c.line("MOVL step_x(R12), DX")
	c.line("ADDQ machine_patterns(R13), DX")
	c.line("MOVQ step_imm(R12), R10")
	suffix, vectors := "Q", 4
	if narrow {
		suffix, vectors = "D", 2
	}
	multiply := "VPMULL" + suffix
	size := 4
	if !narrow {
		size = 8
	}
	c.line("VPBROADCAST%s R10, Z20", suffix)
	for v := range vectors {
		lanes := 32 / vectors
		ascending := iota(32, size, 1)[v*lanes*size : (v+1)*lanes*size]
		c.line("%s %s, Z20, Z%d", multiply, u.constants.add(ascending), 16+v)
	}
	c.label("warp")
	c.lines("MOVL $-1, AX", "TESTQ R8, R8", "JEQ all", "MOVL (R8)(R14*1), AX", "TESTL AX, AX", "JEQ next")
	c.label("all")
	c.line("TZCNTL AX, CX")
	if narrow {
		c.lines("LEAQ (SI)(R9*1), R11", "MOVL (R11)(CX*4), BX")
	} else {
		c.lines("LEAQ (SI)(R9*2), R11", "MOVQ (R11)(CX*8), BX")
	}
	for v := range vectors {
		c.line("VMOVDQU64 %d(R11), Z%d", v*64, v)
	}
	c.line("VPBROADCAST%s BX, Z4", suffix)
	u.allEqual(c, narrow, func(v int) string { return "Z4" })
	c.lines("ANDL AX, R11", "CMPL AX, R11", "JEQ uniform")
	c.lines("IMULQ R10, CX", "MOVQ BX, DI", "SUBQ CX, DI") // lane 0's address if contiguous
	c.line("VPBROADCAST%s DI, Z5", suffix)
	for v := range vectors {
		c.line("VPADD%s Z5, Z%d, Z%d", suffix, 16+v, 6+v)
	}
	u.allEqual(c, narrow, func(v int) string { return fmt.Sprintf("Z%d", 6+v) })
	c.lines("ANDL AX, R11", "CMPL AX, R11", "JEQ contiguous",
		"MOVQ $0, 8(DX)(R14*4)", "JMP next")
	c.label("uniform")
	c.lines("MOVQ BX, (DX)(R14*4)", "MOVQ $1, 8(DX)(R14*4)", "JMP next")
	c.label("contiguous")
	c.lines("MOVQ DI, (DX)(R14*4)", "MOVQ $2, 8(DX)(R14*4)")
	c.label("next")
	c.lines("NEXT_WARP", "JNE warp",
		"MOVQ machine_frame(R13), R11", "NEXT")
	return c.Bytes()
}

// allEqual compares Z0 on with other vectors and puts the equal lanes in R11.
func (u *unit) allEqual(c *code, narrow bool, other func(v int) string) {
	if narrow {
		c.line("VPCMPEQD %s, Z0, K1", other(0))
		c.line("VPCMPEQD %s, Z1, K2", other(1))
		c.lines("KUNPCKWD K1, K2, K1", "KMOVD K1, R11")
		return
	}
	for v := range 4 {
		c.line("VPCMPEQQ %s, Z%d, K%d", other(v), v, v+1)
	}
	c.lines("KUNPCKBW K1, K2, K1", "KUNPCKBW K3, K4, K3", "KUNPCKWD K1, K3, K1", "KMOVD K1, R11")
}

// accessWriter writes one kernel. In it R10 and K1 hold a warp's mask, DX the warps' patterns, BX the
// region, SI the row of addresses, DI the first register's row.
type accessWriter struct {
	code
	*unit
	access
}

func (a *accessWriter) write() {
	a.prologue("DA")
	a.lines("MOVL step_x(R12), DX", "ADDQ machine_patterns(R13), DX",
		"MOVL step_y(R12), BX", "ADDQ machine_regions(R13), BX")
	a.warpMask(&a.code)
	a.lines("MOVQ 8(DX)(R14*4), AX", "CMPQ AX, $1", "JEQ uniform", "JCS scattered")
	a.contiguous()
	a.label("next")
	a.lines("NEXT_WARP", "JNE warp", "MOVQ machine_frame(R13), R11", "NEXT")
	a.label("uniform")
	a.uniform()
	a.line("JMP next")
	a.label("scattered")
	a.scattered()
	a.line("JMP next")
	a.label("slow")
	a.lines("SHRQ $2, R14", "MOVQ R14, machine_warp(R13)", "EXIT")
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

// start puts the address of the warp's pattern in AX, less where the region starts, and checks its alignment.
func (a *accessWriter) start() {
	a.lines("MOVQ (DX)(R14*4), AX", "ADDQ step_imm(R12), AX")
	if a.narrow {
		a.line("MOVL AX, AX")
	}
	if a.bytes() > 1 {
		a.lines(fmt.Sprintf("TESTQ $%d, AX", a.bytes()-1), "JNE slow")
	}
	a.line("SUBQ region_start(BX), AX")
}

// registers calls each for the registers of the access with a pointer to the warp's row in it.
func (a *accessWriter) registers(each func(i int, at string)) {
	index := "(R9*1)"
	if a.row() == 8 {
		index = "(R9*2)"
	}
	for i := range a.count {
		pointer := "DI"
		if i > 0 {
			a.line("MOVL step_%s(R12), R11", "_bce"[i:i+1])
			a.line("ADDQ machine_frame(R13), R11")
			pointer = "R11"
		}
		each(i, "("+pointer+")"+index)
	}
}

// vectors is the number of vectors of a row.
func (a *accessWriter) vectors() int { return 32 * a.row() / 64 }

// masks puts the warp's mask in parts, one for each vector of a row: K1 on.
func (a *accessWriter) masks() {
	lanes := 32 / a.vectors()
	for v := 1; v < a.vectors(); v++ {
		a.line("KSHIFTRD $%d, K1, K%d", v*lanes, v+1)
	}
}

func (a *accessWriter) move() string {
	if a.row() == 8 {
		return "VMOVDQU64"
	}
	return "VMOVDQU32"
}

// contiguous serves a warp whose lanes' accesses lie side by side.
func (a *accessWriter) contiguous() {
	if !a.avx512 && a.store && a.elem < 4 {
		a.line("JMP scattered")
		return
	}
	a.start()
	span := 32 * a.bytes()
	a.lines("MOVQ region_size(BX), CX", fmt.Sprintf("SUBQ $%d, CX", span), "JCS partial", "CMPQ AX, CX", "JHI partial")
	a.label("inside")
	a.line("ADDQ region_host(BX), AX")
	if a.count > 1 {
		if a.store || !a.avx512 {
			a.lines("CMPL R10, $-1", "JNE scattered") // lanes in between must not be written
		}
		switch {
		case !a.avx512:
			a.transpose()
		case a.store:
			a.interleave()
		default:
			a.deinterleave()
		}
		a.line("JMP next")
		a.label("partial")
		a.line("JMP scattered")
		return
	}
	if a.avx512 {
		a.contiguousScalar()
	} else {
		a.contiguousAVX2()
	}
	a.line("JMP next")
	// The lanes that are not active may lie outside.
	a.label("partial")
	a.lines("TZCNTL R10, CX", "LZCNTL R10, R11", "NEGL R11", "ADDL $32, R11", "SUBL CX, R11") // first lane, lanes
	if a.elem > 1 {
		shift := map[int]int{2: 1, 4: 2, 8: 3}[a.elem]
		a.lines(fmt.Sprintf("SHLQ $%d, CX", shift), fmt.Sprintf("SHLQ $%d, R11", shift))
	}
	a.lines("ADDQ AX, CX", "NEGQ R11", "ADDQ region_size(BX), R11", "JCC slow", "CMPQ CX, R11", "JHI slow", "JMP inside")
}

// contiguousScalar copies between the memory at AX and a row.
func (a *accessWriter) contiguousScalar() {
	a.masks()
	for v := range a.vectors() {
		memory := fmt.Sprintf("%d(AX)", v*64*a.elem/a.row())
		rowAt := fmt.Sprintf("%d(DI)(R9*%d)", v*64, a.row()/4)
		k := fmt.Sprintf("K%d", v+1)
		narrowing := map[int]string{1: "DB", 2: "DW"}[a.elem]
		widening := map[int]string{1: "BD", 2: "WD"}[a.elem]
		switch {
		case narrowing != "" && a.store:
			a.line("VMOVDQU32 %s, Z0", rowAt)
			a.line("VPMOV%s Z0, %s, %s", narrowing, k, memory)
		case widening != "":
			a.line("VPMOVZX%s.Z %s, %s, Z0", widening, memory, k)
			a.line("VMOVDQU32 Z0, %s, %s", k, rowAt)
		case a.store:
			a.line("%s %s, Z0", a.move(), rowAt)
			a.line("%s Z0, %s, %s", a.move(), k, memory)
		default:
			a.line("%s.Z %s, %s, Z0", a.move(), memory, k)
			a.line("%s Z0, %s, %s", a.move(), k, rowAt)
		}
	}
}

// deinterleave loads the elements of 32 lanes, side by side at AX.
func (a *accessWriter) deinterleave() {
	a.masks()
	perVector := 64 / a.elem
	even, odd := make([]int, perVector), make([]int, perVector)
	for i := range perVector {
		even[i], odd[i] = 2*i, 2*i+1
	}
	permute := map[int]string{4: "VPERMT2D", 8: "VPERMT2Q"}[a.elem]
	if a.count == 2 {
		a.line("VMOVDQU64 %s, Z16", a.constants.add(numbers(a.elem, even...)))
		a.line("VMOVDQU64 %s, Z17", a.constants.add(numbers(a.elem, odd...)))
		for v := range a.vectors() {
			a.line("VMOVDQU64 %d(AX), Z%d", v*128, 2*v)
			a.line("VMOVDQU64 %d(AX), Z18", v*128+64)
			a.line("VMOVDQA64 Z%d, Z%d", 2*v, 2*v+1)
			a.line("%s Z18, Z16, Z%d", permute, 2*v)
			a.line("%s Z18, Z17, Z%d", permute, 2*v+1)
		}
		a.registers(func(i int, at string) {
			for v := range a.vectors() {
				a.line("%s Z%d, K%d, %d%s", a.move(), 2*v+i, v+1, v*64, at)
			}
		})
		return
	}
	// Four elements: the first two of eight lanes from two vectors, and the last two, then halves.
	first, last := make([]int, 16), make([]int, 16)
	for i := range 8 {
		first[i], first[i+8] = 4*i, 4*i+1
		last[i], last[i+8] = 4*i+2, 4*i+3
	}
	a.line("VMOVDQU64 %s, Z16", a.constants.add(numbers(4, first...)))
	a.line("VMOVDQU64 %s, Z17", a.constants.add(numbers(4, last...)))
	for v := range 2 {
		for h := range 2 {
			a.line("VMOVDQU64 %d(AX), Z%d", v*256+h*128, 18+2*h)
			a.line("VMOVDQU64 %d(AX), Z22", v*256+h*128+64)
			a.line("VMOVDQA64 Z%d, Z%d", 18+2*h, 19+2*h)
			a.line("VPERMT2D Z22, Z16, Z%d", 18+2*h)
			a.line("VPERMT2D Z22, Z17, Z%d", 19+2*h)
		}
		for i := range 4 {
			a.line("VSHUFI64X2 $%#x, Z%d, Z%d, Z%d", []int{0x44, 0xee}[i%2], 20+i/2, 18+i/2, 4*v+i)
		}
	}
	a.registers(func(i int, at string) {
		for v := range 2 {
			a.line("VMOVDQU32 Z%d, K%d, %d%s", 4*v+i, v+1, v*64, at)
		}
	})
}

// interleave stores the elements of all 32 lanes, side by side at AX.
func (a *accessWriter) interleave() {
	perVector := 64 / a.elem
	low, high := make([]int, perVector), make([]int, perVector)
	for i := range perVector {
		low[i] = i/2 + i%2*perVector
		high[i] = low[i] + perVector/2
	}
	permute := map[int]string{4: "VPERMT2D", 8: "VPERMT2Q"}[a.elem]
	a.line("VMOVDQU64 %s, Z16", a.constants.add(numbers(a.elem, low...)))
	a.line("VMOVDQU64 %s, Z17", a.constants.add(numbers(a.elem, high...)))
	// Z(8v+i) is vector v of register i.
	a.registers(func(i int, at string) {
		for v := range a.vectors() {
			a.line("VMOVDQU64 %d%s, Z%d", v*64, at, a.count*v+i)
		}
	})
	if a.count == 2 {
		for v := range a.vectors() {
			a.line("VMOVDQA64 Z%d, Z18", 2*v)
			a.line("%s Z%d, Z16, Z18", permute, 2*v+1)
			a.line("%s Z%d, Z17, Z%d", permute, 2*v+1, 2*v)
			a.line("VMOVDQU64 Z18, %d(AX)", v*128)
			a.line("VMOVDQU64 Z%d, %d(AX)", 2*v, v*128+64)
		}
		return
	}
	pairs := numbers(8, 0, 8, 1, 9, 2, 10, 3, 11)
	pairsHigh := numbers(8, 4, 12, 5, 13, 6, 14, 7, 15)
	a.line("VMOVDQU64 %s, Z19", a.constants.add(pairs))
	a.line("VMOVDQU64 %s, Z20", a.constants.add(pairsHigh))
	for v := range 2 {
		z := 4 * v
		// Z21, Z22: lanes 0-7 and 8-15 of elements 0 and 1; Z23, Z24: of 2 and 3.
		for i := range 2 {
			a.line("VMOVDQA64 Z%d, Z%d", z+2*i, 21+2*i)
			a.line("VPERMT2D Z%d, Z16, Z%d", z+2*i+1, 21+2*i)
			a.line("VMOVDQA64 Z%d, Z%d", z+2*i, 22+2*i)
			a.line("VPERMT2D Z%d, Z17, Z%d", z+2*i+1, 22+2*i)
		}
		for h := range 2 {
			a.line("VMOVDQA64 Z%d, Z25", 21+h)
			a.line("VPERMT2Q Z%d, Z19, Z25", 23+h)
			a.line("VPERMT2Q Z%d, Z20, Z%d", 23+h, 21+h)
			a.line("VMOVDQU64 Z25, %d(AX)", v*256+h*128)
			a.line("VMOVDQU64 Z%d, %d(AX)", 21+h, v*256+h*128+64)
		}
	}
}

// uniform serves a warp whose lanes have one address. Of a store the last lane's value stays.
func (a *accessWriter) uniform() {
	a.start()
	a.lines("MOVQ region_size(BX), CX", fmt.Sprintf("SUBQ $%d, CX", a.bytes()), "JCS slow", "CMPQ AX, CX", "JHI slow",
		"ADDQ region_host(BX), AX")
	if a.store {
		a.line("BSRL R10, R10")
		a.registers(func(i int, at string) {
			a.line("LEAQ %s, CX", at)
			move := map[int]string{1: "MOVB", 2: "MOVW", 4: "MOVL", 8: "MOVQ"}[a.elem]
			load := map[int]string{1: "MOVL", 2: "MOVL", 4: "MOVL", 8: "MOVQ"}[a.elem]
			a.line("%s (CX)(R10*%d), CX", load, a.row())
			a.line("%s CX, %d(AX)", move, i*a.elem)
		})
		a.line("MOVL $-1, R10")
		return
	}
	if !a.avx512 {
		a.uniformAVX2()
		return
	}
	a.masks()
	a.registers(func(i int, at string) {
		memory := fmt.Sprintf("%d(AX)", i*a.elem)
		switch a.elem {
		case 1:
			a.line("MOVBLZX %s, CX", memory)
			a.line("VPBROADCASTD CX, Z0")
		case 2:
			a.line("MOVWLZX %s, CX", memory)
			a.line("VPBROADCASTD CX, Z0")
		case 4:
			a.line("VPBROADCASTD %s, Z0", memory)
		case 8:
			a.line("VPBROADCASTQ %s, Z0", memory)
		}
		for v := range a.vectors() {
			a.line("%s Z0, K%d, %d%s", a.move(), v+1, v*64, at)
		}
	})
}

// scattered serves a warp whose lanes have any addresses: it checks those of all lanes, then gathers or
// scatters. Z0 on hold the distances from the region's start.
func (a *accessWriter) scattered() {
	if !a.avx512 {
		a.lanewise()
		return
	}
	a.lines("MOVQ region_size(BX), AX", fmt.Sprintf("SUBQ $%d, AX", a.bytes()), "JCS slow")
	if a.narrow {
		a.scatteredNarrow()
	} else {
		a.scatteredWide()
	}
	a.lines("MOVQ region_host(BX), CX")
	switch {
	case a.store && a.elem < 4:
		a.storeBytes()
	case a.elem < 4:
		a.gatherBytes()
	default:
		a.registers(func(i int, at string) { a.gather(i, at) })
	}
}

// addressVectors is how many vectors the distances take.
func (a *accessWriter) addressVectors() int {
	if a.narrow {
		return 2
	}
	return 4
}

func (a *accessWriter) scatteredWide() {
	a.lines("VPBROADCASTQ AX, Z18", "VPBROADCASTQ region_start(BX), Z17", "VPBROADCASTQ step_imm(R12), Z16")
	for v := range 4 {
		a.line("KSHIFTRD $%d, K1, K%d", 8*v, v+2)
	}
	if a.bytes() > 1 {
		a.lines("VPXORQ Z20, Z20, Z20")
	}
	for v := range 4 {
		a.line("VPADDQ %d(SI)(R9*2), Z16, Z%d", v*64, v)
		if a.bytes() > 1 {
			a.line("VPORQ Z%d, Z20, K%d, Z20", v, v+2)
		}
		a.line("VPSUBQ Z17, Z%d, Z%d", v, v)
		a.line("VPCMPUQ $6, Z18, Z%d, K%d, K%d", v, v+2, v+2)
	}
	a.lines("KORB K2, K3, K2", "KORB K4, K5, K4", "KORTESTB K2, K4", "JNE slow")
	if a.bytes() > 1 {
		a.line("VPTESTMQ.BCST %s, Z20, K2", a.constants.add(numbers(8, a.bytes()-1)))
		a.lines("KORTESTB K2, K2", "JNE slow")
	}
}

func (a *accessWriter) scatteredNarrow() {
	// The distances fit in 31 bits: a region of 32-bit addresses is a window of 16 MiB.
	a.lines("VPBROADCASTD AX, Z18", "VPBROADCASTD region_start(BX), Z17", "VPBROADCASTD step_imm(R12), Z16", "KSHIFTRD $16, K1, K3",
		"VPADDD (SI)(R9*1), Z16, Z0", "VPADDD 64(SI)(R9*1), Z16, Z1")
	if a.bytes() > 1 {
		mask := a.constants.add(numbers(4, a.bytes()-1))
		a.lines("VPTESTMD.BCST "+mask+", Z0, K1, K4", "VPTESTMD.BCST "+mask+", Z1, K3, K5", "KORTESTW K4, K5", "JNE slow")
	}
	a.lines("VPSUBD Z17, Z0, Z0", "VPSUBD Z17, Z1, Z1",
		"VPCMPUD $6, Z18, Z0, K1, K4", "VPCMPUD $6, Z18, Z1, K3, K5", "KORTESTW K4, K5", "JNE slow")
}

// gather moves element i between memory and a row. The memory is at CX, the distances in Z0 on.
func (a *accessWriter) gather(i int, at string) {
	index, lanes := "Q", 8
	if a.narrow && a.row() == 4 {
		index, lanes = "D", 16
	} else if a.narrow {
		index = "D"
	}
	elem := map[int]string{4: "D", 8: "Q"}[a.row()]
	for v := range 32 / lanes {
		distances := fmt.Sprintf("Z%d", v)
		if index == "D" && lanes == 8 { // half a vector of distances
			distances = fmt.Sprintf("Y%d", v/2)
			if v%2 == 1 {
				a.line("VEXTRACTI64X4 $1, Z%d, Y8", v/2)
				distances = "Y8"
			}
		}
		value := "Z9"
		if lanes*a.row() == 32 {
			value = "Y9"
		}
		memory := fmt.Sprintf("%d(CX)(%s*1)", i*a.elem, distances)
		place := fmt.Sprintf("%d%s", v*lanes*a.row(), at)
		a.line("KSHIFTRD $%d, K1, K2", v*lanes)
		if a.store {
			a.line("%s %s, %s", a.move(), place, value)
			a.line("VPSCATTER%s%s %s, K2, %s", index, elem, value, memory)
			continue
		}
		a.line("KMOVW K2, K3")
		a.line("VPGATHER%s%s %s, K2, %s", index, elem, memory, value)
		a.line("%s %s, K3, %s", a.move(), value, place)
	}
}

// gatherBytes loads elements of one or two bytes by the words around them.
func (a *accessWriter) gatherBytes() {
	a.lines("TESTQ $3, CX", "JNE slow", "VPBROADCASTD "+a.constants.add(numbers(4, 3))+", Z19",
		"VPBROADCASTD "+a.constants.add(numbers(4, 1<<(8*a.elem)-1))+", Z20")
	for v := range a.addressVectors() {
		lanes, values := 16, "Z9"
		if !a.narrow {
			lanes, values = 8, "Y9"
		}
		a.line("KSHIFTRD $%d, K1, K2", v*lanes)
		a.line("KMOVW K2, K3")
		if a.narrow {
			a.line("VPANDD Z19, Z%d, Z10", v)
			a.line("VPXORD Z10, Z%d, Z%d", v, v)
			a.line("VPGATHERDD (CX)(Z%d*1), K2, Z9", v)
		} else {
			a.line("VPMOVQD Z%d, Y10", v)
			a.line("VPANDD Y19, Y10, Y10")
			a.line("VPMOVZXDQ Y10, Z11")
			a.line("VPXORQ Z11, Z%d, Z%d", v, v)
			a.line("VPGATHERQD (CX)(Z%d*1), K2, Y9", v)
		}
		size := values[:1]
		a.line("VPSLLD $3, %s10, %s10", size, size)
		a.line("VPSRLVD %s10, %s9, %s9", size, size, size)
		a.line("VPANDD %s20, %s9, %s9", size, size, size)
		a.line("VMOVDQU32 %s9, K3, %d(DI)(R9*1)", size, v*lanes*4)
	}
}

// storeBytes stores elements of one or two bytes, lane by lane.
func (a *accessWriter) storeBytes() {
	move := map[int]string{1: "MOVB", 2: "MOVW"}[a.elem]
	a.line("LEAQ (DI)(R9*1), BX")
	if a.narrow {
		a.line("LEAQ (SI)(R9*1), R11")
	} else {
		a.line("LEAQ (SI)(R9*2), R11")
	}
	// CX is the host's address for the region's first address.
	a.line("MOVL step_y(R12), AX")
	a.line("ADDQ machine_regions(R13), AX")
	a.line("SUBQ region_start(AX), CX")
	a.label("lane")
	a.lines("TZCNTL R10, AX")
	a.line("MOVL (BX)(AX*4), SI")
	if a.narrow {
		a.lines("MOVL (R11)(AX*4), AX", "ADDL step_imm(R12), AX")
	} else {
		a.lines("MOVQ (R11)(AX*8), AX", "ADDQ step_imm(R12), AX")
	}
	a.line("%s SI, (CX)(AX*1)", move)
	a.lines("LEAL -1(R10), AX", "ANDL AX, R10", "JNE lane",
		"MOVL $-1, R10",
		"MOVL step_a(R12), SI", "ADDQ machine_frame(R13), SI",
		"MOVL step_y(R12), BX", "ADDQ machine_regions(R13), BX")
}

// local writes the kernel that moves words between a row and local memory, whose word i is a row of the gang
// at i times machine.span. imm is the offset, y the bytes that have to be there, to which addresses are
// aligned. AVX2 leaves patterns other than uniform to Go.
func (u *unit) local(store, narrow bool) []byte {
	c := &code{}
	c.prologue("DA")
	c.lines("MOVL step_x(R12), DX", "ADDQ machine_patterns(R13), DX")
	u.warpMask(c)
	c.lines("CMPQ 8(DX)(R14*4), $1", "JNE scattered",
		"MOVQ (DX)(R14*4), AX", "ADDQ step_imm(R12), AX")
	if narrow {
		c.line("MOVL AX, AX")
	}
	c.lines("MOVL step_y(R12), BX", "LEAQ -1(BX), CX", "TESTQ CX, AX", "JNE slow",
		"MOVQ machine_localBytes(R13), CX", "SUBQ BX, CX", "JCS slow", "CMPQ AX, CX", "JHI slow",
		"SHRQ $2, AX", "IMULQ machine_span(R13), AX", "ADDQ R9, AX", "ADDQ machine_local(R13), AX")
	memory := func(v int) string { return fmt.Sprintf("%d(AX)", v*32) }
	row := func(v int) string { return fmt.Sprintf("%d(DI)(R9*1)", v*32) }
	if u.avx512 {
		c.line("KSHIFTRD $16, K1, K2")
	}
	switch {
	case !u.avx512 && store:
		u.copyRow(c, row, memory)
	case !u.avx512:
		u.copyRow(c, memory, row)
	case store:
		c.lines("VMOVDQU32 (DI)(R9*1), Z0", "VMOVDQU32 64(DI)(R9*1), Z1", "VMOVDQU32 Z0, K1, (AX)", "VMOVDQU32 Z1, K2, 64(AX)")
	default:
		c.lines("VMOVDQU32 (AX), Z0", "VMOVDQU32 64(AX), Z1", "VMOVDQU32 Z0, K1, (DI)(R9*1)", "VMOVDQU32 Z1, K2, 64(DI)(R9*1)")
	}
	c.label("next")
	c.lines("NEXT_WARP", "JNE warp", "NEXT")

	c.label("scattered")
	if u.avx512 {
		u.localScattered(c, store, narrow)
	}
	c.label("slow")
	c.lines("SHRQ $2, R14", "MOVQ R14, machine_warp(R13)", "EXIT")
	return c.Bytes()
}

// localScattered moves the words of lanes at different offsets.
func (u *unit) localScattered(c *code, store, narrow bool) {
	c.line("KSHIFTRD $16, K1, K2")
	c.lines("MOVQ machine_localBytes(R13), AX", "MOVL step_y(R12), BX", "SUBQ BX, AX", "JCS slow",
		"VPBROADCASTQ AX, Z18", "DECQ BX", "VPBROADCASTQ BX, Z19", "VPXORQ Z20, Z20, Z20",
		"MOVQ machine_span(R13), AX", "VPBROADCASTQ AX, Z17", "MOVQ machine_local(R13), CX", "ADDQ R9, CX")
	for v := range 4 {
		c.line("KSHIFTRD $%d, K1, K%d", 8*v, v+2)
	}
	if narrow {
		c.line("VPBROADCASTD step_imm(R12), Y16")
	} else {
		c.line("VPBROADCASTQ step_imm(R12), Z16")
	}
	for v := range 4 {
		if narrow {
			c.line("VPADDD %d(SI)(R9*1), Y16, Y%d", v*32, v)
			c.line("VPMOVZXDQ Y%d, Z%d", v, v)
		} else {
			c.line("VPADDQ %d(SI)(R9*2), Z16, Z%d", v*64, v)
		}
		c.line("VPORQ Z%d, Z20, K%d, Z20", v, v+2)
		c.line("VPCMPUQ $6, Z18, Z%d, K%d, K%d", v, v+2, v+2)
	}
	c.lines("KORB K2, K3, K2", "KORB K4, K5, K4", "KORTESTB K2, K4", "JNE slow")
	c.lines("VPTESTMQ Z19, Z20, K2", "KORTESTB K2, K2", "JNE slow")
	for v := range 4 {
		c.line("VPSRLQ $2, Z%d, Z%d", v, v)
		c.line("VPMULUDQ Z17, Z%d, Z%d", v, v)
		c.line("VPADDQ %s, Z%d, Z%d", u.constants.add(iota(32, 8, 4)[v*64:v*64+64]), v, v)
		c.line("KSHIFTRD $%d, K1, K2", 8*v)
		if store {
			c.line("VMOVDQU32 %d(DI)(R9*1), Y9", v*32)
			c.line("VPSCATTERQD Y9, K2, (CX)(Z%d*1)", v)
		} else {
			c.line("KMOVW K2, K3")
			c.line("VPGATHERQD (CX)(Z%d*1), K2, Y9", v)
			c.line("VMOVDQU32 Y9, K3, %d(DI)(R9*1)", v*32)
		}
	}
	c.line("JMP next")
}
