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

// addresses writes the kernel that puts the addresses of all lanes, the row a and imm, at machine.addresses.
func (u *unit) addresses(narrow bool) []byte {
	c := &code{}
	c.prologue("A")
	c.line("MOVQ machine_addresses(R13), DI")
	vector, vectors := "Z", 4
	half := "Y"
	if !u.avx512 {
		vector, vectors, half = "Y", 8, "X"
	}
	if narrow {
		c.line("VPBROADCASTD step_imm(R12), %s0", half)
	} else {
		c.line("VPBROADCASTQ step_imm(R12), %s0", vector)
	}
	c.label("warp")
	for v := range vectors {
		at := v * 256 / vectors
		if narrow {
			c.line("VPADDD %d(SI)(R9*1), %s0, %s1", at/2, half, half)
			c.line("VPMOVZXDQ %s1, %s1", half, vector)
		} else {
			c.line("VPADDQ %d(SI)(R9*2), %s0, %s1", at, vector, vector)
		}
		c.line("VMOVDQU%s %s1, %d(DI)(R9*2)", map[bool]string{true: "64"}[u.avx512], vector, at)
	}
	c.lines("NEXT_WARP", "JNE warp", "NEXT")
	return c.Bytes()
}

// fillKernels returns the kernels of fill and addresses.
func (u *unit) fillKernels() []kernel {
	out := []kernel{
		{names: lines("addresses at 64"), code: u.addresses(false)},
		{names: lines("addresses at 32"), code: u.addresses(true)},
	}
	for _, bits := range []int{32, 64} {
		out = append(out, kernel{names: lines(fmt.Sprintf("fill %d", bits)), code: u.fill(bits)})
	}
	return out
}
