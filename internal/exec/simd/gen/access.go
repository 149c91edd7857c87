package main

import "fmt"

// accessWriter writes one kernel. In it R10 and K1 hold a warp's mask, DX the warps' patterns, BX the
// region, SI the row of addresses, DI the first register's row. Values of register i in vector v of a
// row pass through Z(count*v+i).
type accessWriter struct {
	code
	*unit
	access
}

func (u *unit) accessKernel(x access) []byte {
	a := accessWriter{unit: u, access: x}
	a.write()
	return a.Bytes()
}

func (a *accessWriter) write() {
	a.prologue("DA")
	a.lines("MOVL step_x(R12), DX", "ADDQ machine_patterns(R13), DX",
		"MOVL step_y(R12), BX", "ADDQ machine_regions(R13), BX",
		"MOVL $-1, R10", "KMOVD R10, K1")
	a.permutations()
	a.wholeWarps()
	a.label("warp")
	a.lines("TESTQ R8, R8", "JEQ all", "MOVL (R8)(R14*1), R10", "TESTL R10, R10", "JEQ next", "KMOVD R10, K1")
	a.label("all")
	a.masks()
	a.lines("MOVQ 8(DX)(R14*8), AX", fmt.Sprintf("CMPQ AX, $%d", patternContiguous), "JEQ contiguous", "JHI halves",
		fmt.Sprintf("CMPQ AX, $%d", patternUniform), "JEQ uniform")
	a.label("scattered")
	a.scattered()
	a.label("next")
	a.lines("NEXT_WARP", "JNE warp", "MOVQ machine_frame(R13), R11", "NEXT")
	a.label("contiguous")
	a.contiguous()
	a.label("uniform")
	a.uniform()
	a.label("halves")
	a.halves()
	a.label("slow")
	a.lines("SHRQ $2, R14", "MOVQ R14, machine_warp(R13)", "EXIT")
}

// vectors is the number of vectors of a row, memory the bytes of memory that the lanes of a vector take side by side.
func (a access) vectors() int { return 32 * a.row() / 64 }
func (a access) memory() int  { return 32 * a.bytes() / a.vectors() }

func (a access) move() string {
	if a.row() == 8 {
		return "VMOVDQU64"
	}
	return "VMOVDQU32"
}

// masks puts the warp's mask in parts, one for each vector of a row: K1 on.
func (a *accessWriter) masks() {
	for v := 1; v < a.vectors(); v++ {
		a.line("KSHIFTRD $%d, K1, K%d", v*32/a.vectors(), v+1)
	}
}

// registers calls each for the registers of the access with where the warp's row in it is, without a distance.
func (a *accessWriter) registers(each func(i int, at string)) {
	index := fmt.Sprintf("(R9*%d)", a.row()/4)
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

// readRows and writeRows move the vectors of all registers; with a mask writeRows leaves other lanes alone.
func (a *accessWriter) readRows() {
	a.registers(func(i int, at string) {
		for v := range a.vectors() {
			a.line("VMOVDQU64 %d%s, Z%d", v*64, at, a.count*v+i)
		}
	})
}

func (a *accessWriter) writeRows(masked bool) {
	a.registers(func(i int, at string) {
		for v := range a.vectors() {
			k := ""
			if masked {
				k = fmt.Sprintf("K%d, ", v+1)
			}
			a.line("%s Z%d, %s%d%s", a.move(), a.count*v+i, k, v*64, at)
		}
	})
}

// offset puts the distance of an address from the region's start in a register and checks its alignment.
func (a *accessWriter) offset(place, register string) {
	a.lines("MOVQ "+place+", "+register, "ADDQ step_imm(R12), "+register)
	if a.narrow {
		a.line("MOVL %s, %s", register, register)
	}
	if a.bytes() > 1 {
		a.lines(fmt.Sprintf("TESTQ $%d, %s", a.bytes()-1, register), "JNE slow")
	}
	a.line("SUBQ region_start(BX), " + register)
}

// inside goes elsewhere unless the region has the given bytes from the offset in a register on.
func (a *accessWriter) inside(register string, bytes int, elsewhere string) {
	a.lines("MOVQ region_size(BX), CX", fmt.Sprintf("SUBQ $%d, CX", bytes), "JCS "+elsewhere, "CMPQ "+register+", CX", "JHI "+elsewhere)
}

// wholeWarps serves warps as long as all their lanes run and have one address or lie side by side, well inside the
// region. R11 is the distance from a base to an offset in the region, R15 the region's place, CX the last offset
// that leaves room for a warp.
func (a *accessWriter) wholeWarps() {
	a.lines("TESTQ R8, R8", "JNE warp", "MOVQ region_size(BX), CX", fmt.Sprintf("SUBQ $%d, CX", 32*a.bytes()), "JCS warp",
		"MOVQ region_start(BX), AX")
	if a.bytes() > 1 {
		a.lines(fmt.Sprintf("TESTQ $%d, AX", a.bytes()-1), "JNE warp")
	}
	a.lines("MOVQ region_host(BX), R15")
	a.distance()
	a.label("wholeWarp")
	a.lines("MOVQ (DX)(R14*8), AX", "ADDQ R11, AX")
	if a.narrow {
		a.line("MOVL AX, AX")
	}
	a.lines("CMPQ AX, CX", "JHI warp")
	if a.bytes() > 1 {
		a.lines(fmt.Sprintf("TESTB $%d, AL", a.bytes()-1), "JNE warp")
	}
	a.lines("ADDQ R15, AX", fmt.Sprintf("CMPQ 8(DX)(R14*8), $%d", patternContiguous), "JNE notContiguous")
	if a.store {
		a.readRows()
	}
	for v := range a.vectors() {
		a.contiguousVector(v, "AX", v*a.memory(), "")
	}
	if !a.store {
		a.label("wholeRows")
		a.writeRows(false)
	}
	a.distance()
	a.lines("NEXT_WARP", "JNE wholeWarp", "MOVQ machine_frame(R13), R11", "NEXT")
	a.label("notContiguous")
	if a.store {
		a.line("JMP warp")
		return
	}
	a.lines(fmt.Sprintf("CMPQ 8(DX)(R14*8), $%d", patternUniform), "JNE warp")
	a.broadcast(0, a.vectors(), "AX")
	a.line("JMP wholeRows")
}

// distance computes what registers overwrites for wholeWarps.
func (a *accessWriter) distance() {
	if a.narrow {
		a.lines("MOVQ step_imm(R12), R11", "SUBL region_start(BX), R11")
		return
	}
	a.lines("MOVQ step_imm(R12), R11", "SUBQ region_start(BX), R11")
}

// contiguous serves a warp whose lanes' accesses lie side by side.
func (a *accessWriter) contiguous() {
	a.offset("(DX)(R14*8)", "AX")
	partial := "scattered"
	if a.count == 1 {
		partial = "partial"
	}
	a.inside("AX", 32*a.bytes(), partial)
	a.label("inside")
	a.line("ADDQ region_host(BX), AX")
	if a.store {
		if a.count > 1 {
			a.lines("CMPL R10, $-1", "JNE scattered") // lanes in between must not be written
		}
		a.readRows()
	}
	for v := range a.vectors() {
		a.contiguousVector(v, "AX", v*a.memory(), fmt.Sprintf("K%d, ", v+1))
	}
	if !a.store {
		a.writeRows(true)
	}
	a.line("JMP next")
	if a.count > 1 {
		return
	}
	a.partial()
}

// partial serves a warp whose lanes that are not active may lie outside.
func (a *accessWriter) partial() {
	a.label("partial")
	a.lines("TZCNTL R10, CX", "BSRL R10, R11", "INCL R11", "SUBL CX, R11") // first lane, lanes
	if a.elem > 1 {
		shift := map[int]int{2: 1, 4: 2, 8: 3}[a.elem]
		a.lines(fmt.Sprintf("SHLQ $%d, CX", shift), fmt.Sprintf("SHLQ $%d, R11", shift))
	}
	a.lines("ADDQ AX, CX", "NEGQ R11", "ADDQ region_size(BX), R11", "JCC slow", "CMPQ CX, R11", "JHI slow", "JMP inside")
}

// contiguousVector moves the elements of the lanes of vector v, side by side from a distance to a pointer on. With a
// mask only those of its lanes are touched, when the lanes have one element each.
func (a *accessWriter) contiguousVector(v int, pointer string, at int, mask string) {
	memory := fmt.Sprintf("%d(%s)", at, pointer)
	zero := ""
	if mask != "" {
		zero = ".Z"
	}
	narrowing := map[int]string{1: "DB", 2: "DW"}[a.elem]
	widening := map[int]string{1: "BD", 2: "WD"}[a.elem]
	switch {
	case a.count > 1 && a.store:
		a.interleave(v, pointer, at)
	case a.count > 1:
		a.deinterleave(v, pointer, at)
	case a.store && narrowing != "":
		a.line("VPMOV%s Z%d, %s%s", narrowing, v, mask, memory)
	case a.store:
		a.line("%s Z%d, %s%s", a.move(), v, mask, memory)
	case widening != "" && mask != "":
		a.line("VPMOVZX%s.Z %s, K%d, Z%d", widening, memory, v+1, v)
	case widening != "":
		a.line("VPMOVZX%s %s, Z%d", widening, memory, v)
	case mask != "":
		a.line("%s%s %s, K%d, Z%d", a.move(), zero, memory, v+1, v)
	default:
		a.line("%s %s, Z%d", a.move(), memory, v)
	}
}

// permutations loads the index vectors of interleave and deinterleave.
func (a *accessWriter) permutations() {
	n := 64 / a.elem
	low, high := make([]int, n), make([]int, n)
	switch {
	case a.count == 1:
		return
	case a.store:
		for i := range n {
			low[i] = i/2 + i%2*n
			high[i] = low[i] + n/2
		}
	case a.count == 2:
		for i := range n {
			low[i], high[i] = 2*i, 2*i+1
		}
	default: // the first two elements of eight lanes, and the last two
		for i := range 8 {
			low[i], low[i+8] = 4*i, 4*i+1
			high[i], high[i+8] = 4*i+2, 4*i+3
		}
	}
	a.line("VMOVDQU64 %s, Z16", a.constants.add(numbers(a.elem, low...)))
	a.line("VMOVDQU64 %s, Z17", a.constants.add(numbers(a.elem, high...)))
	if a.store && a.count == 4 {
		a.line("VMOVDQU64 %s, Z19", a.constants.add(numbers(8, 0, 8, 1, 9, 2, 10, 3, 11)))
		a.line("VMOVDQU64 %s, Z20", a.constants.add(numbers(8, 4, 12, 5, 13, 6, 14, 7, 15)))
	}
}

// permute is the instruction that picks elements of two vectors.
func (a access) permute() string { return map[int]string{4: "VPERMT2D", 8: "VPERMT2Q"}[a.elem] }

// deinterleave loads the elements of the lanes of vector v.
func (a *accessWriter) deinterleave(v int, pointer string, at int) {
	z := a.count * v
	if a.count == 2 {
		a.line("VMOVDQU64 %d(%s), Z%d", at, pointer, z)
		a.line("VMOVDQU64 %d(%s), Z18", at+64, pointer)
		a.line("VMOVDQA64 Z%d, Z%d", z, z+1)
		a.line("%s Z18, Z16, Z%d", a.permute(), z)
		a.line("%s Z18, Z17, Z%d", a.permute(), z+1)
		return
	}
	for h := range 2 {
		a.line("VMOVDQU64 %d(%s), Z%d", at+h*128, pointer, 18+2*h)
		a.line("VMOVDQU64 %d(%s), Z22", at+h*128+64, pointer)
		a.line("VMOVDQA64 Z%d, Z%d", 18+2*h, 19+2*h)
		a.line("VPERMT2D Z22, Z16, Z%d", 18+2*h)
		a.line("VPERMT2D Z22, Z17, Z%d", 19+2*h)
	}
	for i := range 4 { // the same halves of what eight lanes each gave
		a.line("VSHUFI64X2 $%#x, Z%d, Z%d, Z%d", []int{0x44, 0xee}[i%2], 20+i/2, 18+i/2, z+i)
	}
}

// interleave stores the elements of the lanes of vector v.
func (a *accessWriter) interleave(v int, pointer string, at int) {
	z := a.count * v
	if a.count == 2 {
		a.line("VMOVDQA64 Z%d, Z18", z)
		a.line("%s Z%d, Z16, Z18", a.permute(), z+1)
		a.line("%s Z%d, Z17, Z%d", a.permute(), z+1, z)
		a.line("VMOVDQU64 Z18, %d(%s)", at, pointer)
		a.line("VMOVDQU64 Z%d, %d(%s)", z, at+64, pointer)
		return
	}
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
		a.line("VMOVDQU64 Z25, %d(%s)", at+h*128, pointer)
		a.line("VMOVDQU64 Z%d, %d(%s)", 21+h, at+h*128+64, pointer)
	}
}

// uniform serves a warp whose lanes have one address. Of a store the last lane's value stays.
func (a *accessWriter) uniform() {
	a.offset("(DX)(R14*8)", "AX")
	a.inside("AX", a.bytes(), "slow")
	a.line("ADDQ region_host(BX), AX")
	if !a.store {
		a.broadcast(0, a.vectors(), "AX")
		a.writeRows(true)
		a.line("JMP next")
		return
	}
	a.storeLast()
	a.line("JMP next")
}

// storeLast stores the last lane's elements at AX.
func (a *accessWriter) storeLast() {
	a.line("BSRL R10, R10")
	a.registers(func(i int, at string) {
		a.line("LEAQ %s, CX", at)
		move := map[int]string{1: "MOVB", 2: "MOVW", 4: "MOVL", 8: "MOVQ"}[a.elem]
		load := map[int]string{4: "MOVL", 8: "MOVQ"}[a.row()]
		a.line("%s (CX)(R10*%d), CX", load, a.row())
		a.line("%s CX, %d(AX)", move, i*a.elem)
	})
	a.line("MOVL $-1, R10")
}

// broadcast gives the lanes of vectors the elements at a pointer.
func (a *accessWriter) broadcast(first, vectors int, pointer string) {
	for i := range a.count {
		memory := fmt.Sprintf("%d(%s)", i*a.elem, pointer)
		z := a.count*first + i
		switch a.elem {
		case 1:
			a.lines("MOVBLZX "+memory+", R11", fmt.Sprintf("VPBROADCASTD R11, Z%d", z))
		case 2:
			a.lines("MOVWLZX "+memory+", R11", fmt.Sprintf("VPBROADCASTD R11, Z%d", z))
		case 4:
			a.line("VPBROADCASTD %s, Z%d", memory, z)
		case 8:
			a.line("VPBROADCASTQ %s, Z%d", memory, z)
		}
		for v := 1; v < vectors; v++ {
			a.line("VMOVDQA64 Z%d, Z%d", z, z+a.count*v)
		}
	}
}

// halves serves a warp each half of which has one address or lies side by side. Both are checked before anything
// moves: what is amiss is left to the code for scattered lanes. AX and R15 point to the halves.
func (a *accessWriter) halves() {
	half := a.vectors() / 2
	if a.store {
		// Only halves that lie side by side.
		a.lines(fmt.Sprintf("CMPQ 8(DX)(R14*8), $%d", patternHalves+3), "JNE scattered", "CMPL R10, $-1", "JNE scattered")
	}
	for h, register := range []string{"AX", "R15"} {
		a.halfOffset(h, register)
	}
	a.lines("ADDQ region_host(BX), AX", "ADDQ region_host(BX), R15")
	if a.store {
		a.readRows()
	}
	for h, register := range []string{"AX", "R15"} {
		if !a.store {
			a.lines(fmt.Sprintf("TESTQ $%d, 8(DX)(R14*8)", 1<<h), fmt.Sprintf("JEQ uniform%d", h))
		}
		for v := range half {
			a.contiguousVector(half*h+v, register, v*a.memory(), "")
		}
		if !a.store {
			a.line("JMP done%d", h)
			a.label(fmt.Sprintf("uniform%d", h))
			a.broadcast(half*h, half, register)
			a.label(fmt.Sprintf("done%d", h))
		}
	}
	if !a.store {
		a.writeRows(true)
	}
	a.line("JMP next")
}

// halfOffset puts the offset of a half in a register and checks that the region has what its lanes, active or not,
// would access. A half without active lanes has no offset.
func (a *accessWriter) halfOffset(h int, register string) {
	mask, place := "$0xffff", "(DX)(R14*8)"
	if h == 1 {
		mask, place = "$0xffff0000", "16(DX)(R14*8)"
	}
	a.lines("TESTL "+mask+", R10", "JEQ scattered")
	a.offset(place, register)
	a.lines("MOVQ region_size(BX), CX", fmt.Sprintf("SUBQ $%d, CX", 16*a.bytes()), "JCS scattered", "CMPQ "+register+", CX", "JHI scattered")
}
