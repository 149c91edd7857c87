package main

import "fmt"

// The AVX2 forms of the memory kernels: a row of 32-bit lanes is four vectors, one of 64-bit lanes eight.
// Accesses that are neither uniform nor side by side go lane by lane.

// laneMask makes register n the mask of vector v of a row with lanes of the given bytes, from the warp's mask in all
// dwords of Y5.
func (u *unit) laneMask(c *code, bytes, v, n int) {
	perVector := 32 / bytes
	var data []byte
	for lane := range perVector {
		word := numbers(4, 1<<(v*perVector+lane))
		for range bytes / 4 {
			data = append(data, word...)
		}
	}
	bits := u.constants.add(data)
	c.line("VPAND %s, Y5, Y%d", bits, n)
	c.line("VPCMPEQD %s, Y%d, Y%d", bits, n, n)
}

// patternAVX2 writes what pattern describes.
func (u *unit) patternAVX2(narrow bool) []byte {
	c := &code{}
	c.prologue("A")
	c.lines("MOVL step_x(R12), DX", "ADDQ machine_patterns(R13), DX", "VPBROADCASTD step_imm(R12), Y7")
	suffix, signs, size, scale := "Q", "VMOVMSKPD", 8, 2
	if narrow {
		suffix, signs, size, scale = "D", "VMOVMSKPS", 4, 1
	}
	lanes := 32 / size
	// Y6 holds the distances of a vector's lanes from its first, Y7 that of a vector from the next.
	multiply := map[bool]string{true: "VPMULLD", false: "VPMULUDQ"}[narrow]
	c.line("%s %s, Y7, Y6", multiply, u.constants.add(iota(lanes, size, 1)))
	c.line("VPBROADCAST%s %s, Y0", suffix, u.constants.add(numbers(size, lanes)))
	c.line("%s Y0, Y7, Y7", multiply)
	c.label("warp")
	c.lines("MOVL $-1, AX", "TESTQ R8, R8", "JEQ all", "MOVL (R8)(R14*1), AX", "TESTL AX, AX", "JEQ next")
	c.label("all")
	c.line("TZCNTL AX, CX")
	c.line("LEAQ (SI)(R9*%d), R11", scale)
	c.line("%s (R11)(CX*%d), BX", map[bool]string{true: "MOVL", false: "MOVQ"}[narrow], size)
	// compare leaves where an active lane of a vector differs from Y4.
	compare := func(v int, out string) {
		c.line("VPCMPEQ%s %d(R11), Y4, Y0", suffix, v*32)
		c.line("%s Y0, R10", signs)
		c.line("XORL $%d, R10", 1<<lanes-1)
		if v > 0 {
			c.line("SHLL $%d, R10", v*lanes)
		}
		c.lines("TESTL AX, R10", "JNE "+out)
	}
	broadcast := func(register string) {
		c.line("VMOVQ %s, X4", register)
		c.line("VPBROADCAST%s X4, Y4", suffix)
	}
	broadcast("BX")
	for v := range size {
		compare(v, "ascending")
	}
	c.lines("MOVQ BX, (DX)(R14*8)", "MOVQ $1, 8(DX)(R14*8)", "JMP next")
	c.label("ascending")
	c.lines("IMULQ step_imm(R12), CX", "MOVQ BX, DI", "SUBQ CX, DI") // lane 0's address if contiguous
	broadcast("DI")
	c.line("VPADD%s Y6, Y4, Y4", suffix)
	for v := range size {
		if v > 0 {
			c.line("VPADD%s Y7, Y4, Y4", suffix)
		}
		compare(v, "scattered")
	}
	c.lines("MOVQ DI, (DX)(R14*8)", "MOVQ $2, 8(DX)(R14*8)", "JMP next")
	c.label("scattered")
	c.line("MOVQ $0, 8(DX)(R14*8)")
	c.label("next")
	c.lines("NEXT_WARP", "JNE warp", "MOVQ machine_frame(R13), R11", "NEXT")
	return c.Bytes()
}

// broadcastMask puts the warp's mask in all dwords of Y5.
func (c *code) broadcastMask() { c.lines("VMOVD R10, X5", "VPBROADCASTD X5, Y5") }

// accessWriterAVX2 writes one kernel. In it R10 holds a warp's mask, DX the warps' patterns, BX the region, SI the row
// of addresses, DI the first register's row.
type accessWriterAVX2 struct{ accessWriter }

func (u *unit) accessKernelAVX2(x access) []byte {
	a := accessWriterAVX2{accessWriter{unit: u, access: x}}
	a.write()
	return a.Bytes()
}

func (a *accessWriterAVX2) write() {
	a.prologue("DA")
	a.lines("MOVL step_x(R12), DX", "ADDQ machine_patterns(R13), DX",
		"MOVL step_y(R12), BX", "ADDQ machine_regions(R13), BX")
	a.warpMask(&a.code)
	a.lines("MOVQ 8(DX)(R14*8), AX", "CMPQ AX, $1", "JEQ uniform")
	if !a.store || a.elem >= 4 {
		a.line("JCS scattered")
		a.sideBySide()
	}
	a.label("scattered")
	a.lanewise()
	a.label("next")
	a.lines("NEXT_WARP", "JNE warp", "MOVQ machine_frame(R13), R11", "NEXT")
	a.label("uniform")
	a.offset("(DX)(R14*8)", "AX")
	a.inside("AX", a.bytes(), "slow")
	a.line("ADDQ region_host(BX), AX")
	if a.store {
		a.storeLast()
	} else {
		a.uniform()
	}
	a.line("JMP next")
	a.label("slow")
	a.lines("SHRQ $2, R14", "MOVQ R14, machine_warp(R13)", "EXIT")
}

// sideBySide serves a warp whose lanes' accesses lie side by side.
func (a *accessWriterAVX2) sideBySide() {
	a.offset("(DX)(R14*8)", "AX")
	if a.count > 1 {
		a.inside("AX", 32*a.bytes(), "scattered")
		a.lines("CMPL R10, $-1", "JNE scattered", "ADDQ region_host(BX), AX")
		a.transpose()
		a.line("JMP next")
		return
	}
	a.inside("AX", 32*a.bytes(), "partial")
	a.label("inside")
	a.line("ADDQ region_host(BX), AX")
	a.contiguous()
	a.line("JMP next")
	a.partial()
}

// contiguous copies between the memory at AX and a row.
func (a *accessWriterAVX2) contiguous() {
	rowAt := func(v int) string { return fmt.Sprintf("%d(DI)(R9*%d)", v*32, a.row()/4) }
	vectors := a.row()
	if a.elem < 4 {
		a.lines("CMPL R10, $-1", "JNE scattered")
		for v := range vectors {
			a.line("VPMOVZX%s %d(AX), Y0", map[int]string{1: "BD", 2: "WD"}[a.elem], v*8*a.elem)
			a.line("VMOVDQU Y0, %s", rowAt(v))
		}
		return
	}
	a.lines("CMPL R10, $-1", "JNE some")
	for v := range vectors {
		from, to := fmt.Sprintf("%d(AX)", v*32), rowAt(v)
		if a.store {
			from, to = to, from
		}
		a.line("VMOVDQU %s, Y0", from)
		a.line("VMOVDQU Y0, %s", to)
	}
	a.line("JMP next")
	a.label("some")
	a.broadcastMask()
	move := map[int]string{4: "VPMASKMOVD", 8: "VPMASKMOVQ"}[a.elem]
	for v := range vectors {
		from, to := fmt.Sprintf("%d(AX)", v*32), rowAt(v)
		if a.store {
			from, to = to, from
		}
		a.laneMask(&a.code, a.elem, v, 1)
		a.line("%s %s, Y1, Y0", move, from)
		a.line("%s Y0, Y1, %s", move, to)
	}
}

// transpose moves the elements of all 32 lanes between the memory at AX, where those of a lane lie side by side, and the
// rows of the registers.
func (a *accessWriterAVX2) transpose() {
	scale := a.row() / 4
	rows := []string{"DI", "R11", "R15", "CX"}
	for i, r := range rows[1:a.count] {
		a.line("MOVL step_%s(R12), %s", "bce"[i:i+1], r)
		a.line("ADDQ machine_frame(R13), %s", r)
	}
	row := func(i, v int) string { return fmt.Sprintf("%d(%s)(R9*%d)", v*32, rows[i], scale) }
	memory := func(at int) string { return fmt.Sprintf("%d(AX)", at) }
	for v := range a.row() {
		at := v * 32 * a.count
		switch {
		case a.count == 4 && a.store:
			for i := range 4 {
				a.line("VMOVDQU %s, Y%d", row(i, v), i)
			}
			a.transpose4()
			for i := range 4 {
				a.line("VMOVDQU X%d, %s", 4+i, memory(at+16*i))
				a.line("VEXTRACTI128 $1, Y%d, %s", 4+i, memory(at+64+16*i))
			}
		case a.count == 4:
			for i := range 4 {
				a.line("VMOVDQU %s, X%d", memory(at+16*i), i)
				a.line("VINSERTI128 $1, %s, Y%d, Y%d", memory(at+64+16*i), i, i)
			}
			a.transpose4()
			for i := range 4 {
				a.line("VMOVDQU Y%d, %s", 4+i, row(i, v))
			}
		case a.store: // the middle quarters of a vector change places before or after the halves are merged
			width := map[int]string{4: "DQ", 8: "QDQ"}[a.elem]
			for i := range 2 {
				a.line("VPERMQ $0xd8, %s, Y%d", row(i, v), i)
			}
			a.line("VPUNPCKL%s Y1, Y0, Y2", width)
			a.line("VPUNPCKH%s Y1, Y0, Y3", width)
			a.line("VMOVDQU Y2, %s", memory(at))
			a.line("VMOVDQU Y3, %s", memory(at+32))
		default:
			a.line("VMOVDQU %s, Y0", memory(at))
			a.line("VMOVDQU %s, Y1", memory(at+32))
			if a.elem == 4 {
				a.lines("VSHUFPS $0x88, Y1, Y0, Y2", "VSHUFPS $0xdd, Y1, Y0, Y3")
			} else {
				a.lines("VPUNPCKLQDQ Y1, Y0, Y2", "VPUNPCKHQDQ Y1, Y0, Y3")
			}
			for i := range 2 {
				a.line("VPERMQ $0xd8, Y%d, Y%d", 2+i, 2+i)
				a.line("VMOVDQU Y%d, %s", 2+i, row(i, v))
			}
		}
	}
}

// transpose4 transposes the halves of Y0 to Y3, four by four 32-bit numbers each, to Y4 to Y7.
func (c *code) transpose4() {
	c.lines("VPUNPCKLDQ Y1, Y0, Y8", "VPUNPCKHDQ Y1, Y0, Y9", "VPUNPCKLDQ Y3, Y2, Y10", "VPUNPCKHDQ Y3, Y2, Y11",
		"VPUNPCKLQDQ Y10, Y8, Y4", "VPUNPCKHQDQ Y10, Y8, Y5", "VPUNPCKLQDQ Y11, Y9, Y6", "VPUNPCKHQDQ Y11, Y9, Y7")
}

// uniform loads the elements at AX to all lanes.
func (a *accessWriterAVX2) uniform() {
	a.broadcastMask()
	a.registers(func(i int, at string) {
		memory := fmt.Sprintf("%d(AX)", i*a.elem)
		switch a.elem {
		case 1:
			a.lines("MOVBLZX "+memory+", CX", "VMOVD CX, X0", "VPBROADCASTD X0, Y0")
		case 2:
			a.lines("MOVWLZX "+memory+", CX", "VMOVD CX, X0", "VPBROADCASTD X0, Y0")
		case 4:
			a.line("VPBROADCASTD %s, Y0", memory)
		case 8:
			a.line("VPBROADCASTQ %s, Y0", memory)
		}
		for v := range a.row() {
			a.laneMask(&a.code, a.row(), v, 1)
			a.line("VMOVDQU %d%s, Y2", v*32, at)
			a.lines("VPBLENDVB Y1, Y0, Y2, Y2")
			a.line("VMOVDQU Y2, %d%s", v*32, at)
		}
	})
}

// lanewise checks the addresses of all lanes and then moves their elements.
func (a *accessWriterAVX2) lanewise() {
	address := func(register string) {
		if a.narrow {
			a.lines("LEAQ (SI)(R9*1), R11", "MOVL (R11)(CX*4), "+register, "ADDL step_imm(R12), "+register)
		} else {
			a.lines("LEAQ (SI)(R9*2), R11", "MOVQ (R11)(CX*8), "+register, "ADDQ step_imm(R12), "+register)
		}
	}
	a.lines("MOVQ region_size(BX), AX", fmt.Sprintf("SUBQ $%d, AX", a.bytes()), "JCS slow", "MOVL R10, DI")
	a.label("check")
	a.line("TZCNTL DI, CX")
	address("R15")
	if a.bytes() > 1 {
		a.lines(fmt.Sprintf("TESTQ $%d, R15", a.bytes()-1), "JNE slow")
	}
	a.lines("SUBQ region_start(BX), R15", "CMPQ R15, AX", "JHI slow", "BLSRL DI, DI", "JNE check")
	a.lines("MOVL step_d(R12), DI", "ADDQ machine_frame(R13), DI")
	a.label("lane")
	a.line("TZCNTL R10, CX")
	address("AX")
	a.lines("SUBQ region_start(BX), AX", "ADDQ region_host(BX), AX")
	load := map[int]string{1: "MOVBLZX", 2: "MOVWLZX", 4: "MOVL", 8: "MOVQ"}[a.elem]
	store := map[int]string{1: "MOVB", 2: "MOVW", 4: "MOVL", 8: "MOVQ"}[a.elem]
	whole := map[int]string{4: "MOVL", 8: "MOVQ"}[a.row()]
	a.registers(func(i int, at string) {
		memory := fmt.Sprintf("%d(AX)", i*a.elem)
		a.line("LEAQ %s, R11", at)
		value := fmt.Sprintf("(R11)(CX*%d)", a.row())
		if a.store {
			a.line("%s %s, R15", whole, value)
			a.line("%s R15, %s", store, memory)
			return
		}
		a.line("%s %s, R15", load, memory)
		a.line("%s R15, %s", whole, value)
	})
	a.lines("BLSRL R10, R10", "JNE lane", "MOVL $-1, R10")
}

// copyRow writes the masked move of a row of 32-bit lanes.
func (u *unit) copyRow(c *code, from, to func(v int) string) {
	c.broadcastMask()
	for v := range 4 {
		u.laneMask(c, 4, v, 1)
		c.line("VMOVDQU %s, Y0", from(v))
		c.line("VPMASKMOVD Y0, Y1, %s", to(v))
	}
}
