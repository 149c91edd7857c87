package main

import "fmt"

// local writes the kernel that moves words between a row and local memory, whose word i is a row of the gang
// at i times machine.span. imm is the offset, y the bytes that have to be there, to which addresses are
// aligned.
func (u *unit) local(store, narrow bool) []byte {
	c := &code{}
	c.prologue("DA")
	c.lines("MOVL step_x(R12), DX", "ADDQ machine_patterns(R13), DX")
	u.warpMask(c)
	c.lines("CMPQ 8(DX)(R14*8), $1", "JNE scattered",
		"MOVQ (DX)(R14*8), AX", "ADDQ step_imm(R12), AX")
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
	c.localScattered(store, narrow)
	c.label("slow")
	c.lines("SHRQ $2, R14", "MOVQ R14, machine_warp(R13)", "EXIT")
	return c.Bytes()
}

// localScattered moves the words of lanes at different offsets, lane by lane. At one that needs a closer look the lanes
// left are in machine.rest. R11 is the last offset, BX what its bits must not be, R15 the warp's first word.
func (c *code) localScattered(store, narrow bool) {
	c.lines("MOVL step_y(R12), BX", "MOVQ machine_localBytes(R13), R11", "SUBQ BX, R11", "JCS slow", "DECQ BX",
		"MOVQ machine_local(R13), R15", "ADDQ R9, R15", "ADDQ R9, DI")
	if narrow {
		c.line("ADDQ R9, SI")
	} else {
		c.line("LEAQ (SI)(R9*2), SI")
	}
	c.label("lane")
	c.line("TZCNTL R10, CX")
	if narrow {
		c.lines("MOVL (SI)(CX*4), AX", "ADDL step_imm(R12), AX")
	} else {
		c.lines("MOVQ (SI)(CX*8), AX", "ADDQ step_imm(R12), AX")
	}
	c.lines("TESTQ BX, AX", "JNE slowLane", "CMPQ AX, R11", "JHI slowLane", "SHRQ $2, AX", "IMULQ machine_span(R13), AX", "ADDQ R15, AX")
	if store {
		c.lines("MOVL (DI)(CX*4), R8", "MOVL R8, (AX)(CX*4)")
	} else {
		c.lines("MOVL (AX)(CX*4), R8", "MOVL R8, (DI)(CX*4)")
	}
	c.lines("BLSRL R10, R10", "JNE lane", "MOVL $-1, R10",
		"MOVL step_lanes(R12), R8", "MOVQ (R13)(R8*1), R8", "MOVQ machine_frame(R13), R11",
		"MOVL step_a(R12), SI", "ADDQ R11, SI", "MOVL step_d(R12), DI", "ADDQ R11, DI", "JMP next")
	c.label("slowLane")
	c.line("MOVL R10, machine_rest(R13)")
}
