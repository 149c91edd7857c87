package main

import "fmt"

// warpKernels returns the kernels that move values between the lanes of a warp. All lanes of the mask take part.
func (u *unit) warpKernels() []kernel {
	ballot := kernel{names: lines("ballot"), shape: shape{32, [4]int{1}}, code: u.ballot()}
	shuffle := u.shuffle
	if !u.avx512 {
		shuffle = u.shuffleAVX2
	}
	var out []kernel
	for _, mode := range []string{"up", "down", "bfly", "idx"} {
		out = append(out, kernel{names: lines("shuffle " + mode), shape: tern(32), code: shuffle(mode)})
	}
	return append(out, ballot)
}

func (c *code) endWarpLoop() {
	c.label("next")
	c.lines("NEXT_WARP", "JNE warp", "NEXT")
}

// shuffle gives d the a of the lane that b and c choose, and e whether it is in range; see isa's shuffleWarp.
func (u *unit) shuffle(mode string) []byte {
	c := &code{}
	c.prologue("DABCE")
	for h := range 2 {
		c.line("VMOVDQU32 %s, Z%d", u.constants.add(iota(32, 4, 1)[h*64:h*64+64]), 16+h)
	}
	c.line("VPBROADCASTD %s, Z18", u.constants.add(numbers(4, 31)))
	u.warpMask(c)
	c.line("KSHIFTRD $16, K1, K2")
	c.lines("VMOVDQU32.Z (SI)(R9*1), K1, Z0", "VMOVDQU32.Z 64(SI)(R9*1), K2, Z1")
	for h := range 2 {
		lane, from, inRange := fmt.Sprintf("Z%d", 16+h), fmt.Sprintf("Z%d", 2+h), fmt.Sprintf("K%d", 3+h)
		c.line("VPANDD %d(DX)(R9*1), Z18, Z8", 64*h)
		c.line("VMOVDQU32 %d(CX)(R9*1), Z9", 64*h)
		c.lines("VPSRLD $8, Z9, Z10", "VPANDD Z18, Z10, Z10", "VPANDD Z18, Z9, Z9", // segment, clamp
			"VMOVDQA32 Z10, Z11", "VPTERNLOGD $0xca, Z9, "+lane+", Z11") // the last lane in range
		switch mode {
		case "up":
			c.lines("VPSUBD Z8, "+lane+", "+from, "VPCMPD $5, Z11, "+from+", "+inRange)
		case "down":
			c.lines("VPADDD Z8, "+lane+", "+from, "VPCMPD $2, Z11, "+from+", "+inRange)
		case "bfly":
			c.lines("VPXORD Z8, "+lane+", "+from, "VPCMPD $2, Z11, "+from+", "+inRange)
		default:
			c.lines("VMOVDQA32 Z10, "+from, "VPTERNLOGD $0xca, Z8, "+lane+", "+from, "VPCMPD $2, Z11, "+from+", "+inRange)
		}
		c.lines("VPBLENDMD "+from+", "+lane+", "+inRange+", "+from, "VPERMI2D Z1, Z0, "+from)
	}
	c.lines("VMOVDQU32 Z2, K1, (DI)(R9*1)", "VMOVDQU32 Z3, K2, 64(DI)(R9*1)",
		"KUNPCKWD K3, K4, K3", "KANDD K1, K3, K3", "KMOVD (BX)(R14*1), K4", "KANDND K4, K1, K4", "KORD K4, K3, K3", "KMOVD K3, (BX)(R14*1)")
	c.endWarpLoop()
	return c.Bytes()
}

// shuffleAVX2 writes what shuffle describes, a vector after the other: each permutes all four of the row and chooses
// among them by two bits of the lane's number.
func (u *unit) shuffleAVX2(mode string) []byte {
	c := &code{}
	c.prologue("DABCE")
	c.line("VPBROADCASTD %s, Y12", u.constants.add(numbers(4, 31)))
	u.warpMask(c)
	c.broadcastMask()
	for v := range 4 { // lanes that are not active count as zero
		u.laneMask(c, 4, v, 4)
		c.line("VPMASKMOVD %d(SI)(R9*1), Y4, Y%d", v*32, v)
	}
	c.line("XORL R15, R15") // the lanes out of range
	for v := range 4 {
		c.line("VMOVDQU %s, Y6", u.constants.add(iota(32, 4, 1)[v*32:v*32+32]))
		c.line("VPAND %d(DX)(R9*1), Y12, Y7", v*32)
		c.line("VMOVDQU %d(CX)(R9*1), Y9", v*32)
		c.lines("VPSRLD $8, Y9, Y10", "VPAND Y12, Y10, Y10", "VPAND Y12, Y9, Y9", // segment, clamp
			"VPAND Y6, Y10, Y11", "VPANDN Y9, Y10, Y9", "VPOR Y9, Y11, Y9") // the last lane in range
		switch mode {
		case "up":
			c.lines("VPSUBD Y7, Y6, Y8", "VPCMPGTD Y8, Y9, Y9")
		case "down":
			c.lines("VPADDD Y7, Y6, Y8", "VPCMPGTD Y9, Y8, Y9")
		case "bfly":
			c.lines("VPXOR Y7, Y6, Y8", "VPCMPGTD Y9, Y8, Y9")
		default:
			c.lines("VPANDN Y7, Y10, Y8", "VPOR Y8, Y11, Y8", "VPCMPGTD Y9, Y8, Y9")
		}
		c.lines("VMOVMSKPS Y9, AX", fmt.Sprintf("SHLL $%d, AX", v*8), "ORL AX, R15",
			"VPBLENDVB Y9, Y6, Y8, Y8",
			"VPERMD Y0, Y8, Y6", "VPERMD Y1, Y8, Y7", "VPERMD Y2, Y8, Y9", "VPERMD Y3, Y8, Y10",
			"VPSLLD $28, Y8, Y11", "VBLENDVPS Y11, Y7, Y6, Y6", "VBLENDVPS Y11, Y10, Y9, Y9",
			"VPSLLD $27, Y8, Y11", "VBLENDVPS Y11, Y9, Y6, Y6")
		u.laneMask(c, 4, v, 4)
		c.line("VPMASKMOVD Y6, Y4, %d(DI)(R9*1)", v*32)
	}
	c.lines("NOTL R15", "ANDL R10, R15", "MOVL R10, AX", "NOTL AX", "ANDL (BX)(R14*1), AX", "ORL R15, AX", "MOVL AX, (BX)(R14*1)")
	c.endWarpLoop()
	return c.Bytes()
}

// ballot gives all lanes of d those of them in which the predicate a, inverted by imm, is true.
func (u *unit) ballot() []byte {
	c := &code{}
	c.prologue("DA")
	u.warpMask(c)
	c.lines("MOVL (SI)(R14*1), AX", "XORL step_imm(R12), AX", "ANDL R10, AX")
	if u.avx512 {
		c.lines("VPBROADCASTD AX, Z0", "KSHIFTRD $16, K1, K2", "VMOVDQU32 Z0, K1, (DI)(R9*1)", "VMOVDQU32 Z0, K2, 64(DI)(R9*1)")
	} else {
		c.lines("VMOVD AX, X0", "VPBROADCASTD X0, Y0")
		c.broadcastMask()
		for v := range 4 {
			u.laneMask(c, 4, v, 1)
			c.line("VPMASKMOVD Y0, Y1, %d(DI)(R9*1)", v*32)
		}
	}
	c.endWarpLoop()
	return c.Bytes()
}
