package main

import "fmt"

// warpKernels returns the kernels that move values between the lanes of a warp. All lanes of the mask take part.
func (u *unit) warpKernels() []kernel {
	ballot := kernel{names: lines("ballot"), shape: shape{32, [4]int{1}}, code: u.ballot()}
	if !u.avx512 {
		return []kernel{ballot}
	}
	var out []kernel
	for _, mode := range []string{"up", "down", "bfly", "idx"} {
		out = append(out, kernel{names: lines("shuffle " + mode), shape: tern(32), code: u.shuffle(mode)})
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
