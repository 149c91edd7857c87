package main

import "fmt"

// local writes the kernel that moves words between a row and local memory, whose word i is a row of the gang
// at i times machine.span. imm is the offset, y the bytes that have to be there, to which addresses are
// aligned. AVX2 leaves patterns other than uniform to Go.
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
