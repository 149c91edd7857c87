package main

import "fmt"

// fill writes the kernel that gives the lanes of a row the value imm.
func (u *unit) fill(bits int) []byte {
	c := &code{}
	c.prologue("D")
	u.warpMask(c)
	bytes := bits / 8
	suffix, scale := "D", bytes/4
	if bits == 64 {
		suffix = "Q"
	}
	if u.avx512 {
		c.line("VPBROADCAST%s step_imm(R12), Z0", suffix)
		vectors := bytes / 2
		for v := range vectors {
			k := "K1"
			if v > 0 {
				k = "K2"
				c.line("KSHIFTRD $%d, K1, K2", v*32/vectors)
			}
			c.line("VMOVDQU%d Z0, %s, %d(DI)(R9*%d)", bits, k, v*64, scale)
		}
	} else {
		c.line("VPBROADCAST%s step_imm(R12), Y0", suffix)
		c.broadcastMask()
		for v := range bytes {
			u.laneMask(c, bytes, v, 1)
			c.line("VPMASKMOV%s Y0, Y1, %d(DI)(R9*%d)", suffix, v*32, scale)
		}
	}
	c.endWarpLoop()
	return c.Bytes()
}

// fillKernels returns the kernels of fill.
func (u *unit) fillKernels() []kernel {
	var out []kernel
	for _, bits := range []int{32, 64} {
		out = append(out, kernel{names: lines(fmt.Sprintf("fill %d", bits)), code: u.fill(bits)})
	}
	return out
}
