package main

import "fmt"

// scattered serves a warp whose lanes have any addresses: it checks those of all lanes, then gathers or
// scatters. Z0 on hold the distances from the region's start.
func (a *accessWriter) scattered() {
	a.lines("MOVQ region_size(BX), AX", fmt.Sprintf("SUBQ $%d, AX", a.bytes()), "JCS slow")
	if a.narrow {
		a.distancesNarrow()
	} else {
		a.distancesWide()
	}
	a.lines("MOVQ region_host(BX), CX")
	switch {
	case a.store && a.elem < 4:
		a.scatterBytes()
	case a.elem < 4:
		a.gatherBytes()
	default:
		a.registers(func(i int, at string) { a.gather(i, at) })
	}
}

func (a *accessWriter) distancesWide() {
	a.lines("VPBROADCASTQ AX, Z28", "VPBROADCASTQ region_start(BX), Z27", "VPBROADCASTQ step_imm(R12), Z26")
	for v := range 4 {
		a.line("KSHIFTRD $%d, K1, K%d", 8*v, v+2)
	}
	if a.bytes() > 1 {
		a.lines("VPXORQ Z29, Z29, Z29")
	}
	for v := range 4 {
		a.line("VPADDQ %d(SI)(R9*2), Z26, Z%d", v*64, v)
		if a.bytes() > 1 {
			a.line("VPORQ Z%d, Z29, K%d, Z29", v, v+2)
		}
		a.line("VPSUBQ Z27, Z%d, Z%d", v, v)
		a.line("VPCMPUQ $6, Z28, Z%d, K%d, K%d", v, v+2, v+2)
	}
	a.lines("KORB K2, K3, K2", "KORB K4, K5, K4", "KORTESTB K2, K4", "JNE slow")
	if a.bytes() > 1 {
		a.line("VPTESTMQ.BCST %s, Z29, K2", a.constants.add(numbers(8, a.bytes()-1)))
		a.lines("KORTESTB K2, K2", "JNE slow")
	}
}

func (a *accessWriter) distancesNarrow() {
	// The distances fit in 31 bits: a region of 32-bit addresses is a window of 16 MiB.
	a.lines("VPBROADCASTD AX, Z28", "VPBROADCASTD region_start(BX), Z27", "VPBROADCASTD step_imm(R12), Z26", "KSHIFTRD $16, K1, K3",
		"VPADDD (SI)(R9*1), Z26, Z0", "VPADDD 64(SI)(R9*1), Z26, Z1")
	if a.bytes() > 1 {
		mask := a.constants.add(numbers(4, a.bytes()-1))
		a.lines("VPTESTMD.BCST "+mask+", Z0, K1, K4", "VPTESTMD.BCST "+mask+", Z1, K3, K5", "KORTESTW K4, K5", "JNE slow")
	}
	a.lines("VPSUBD Z27, Z0, Z0", "VPSUBD Z27, Z1, Z1",
		"VPCMPUD $6, Z28, Z0, K1, K4", "VPCMPUD $6, Z28, Z1, K3, K5", "KORTESTW K4, K5", "JNE slow")
}

// gather moves element i between memory and a row. The memory is at CX, the distances in Z0 on.
func (a *accessWriter) gather(i int, at string) {
	index, lanes := "Q", 8
	if a.narrow {
		index = "D"
		if a.row() == 4 {
			lanes = 16
		}
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
	a.lines("TESTQ $3, CX", "JNE slow", "VPBROADCASTD "+a.constants.add(numbers(4, 3))+", Z26",
		"VPBROADCASTD "+a.constants.add(numbers(4, 1<<(8*a.elem)-1))+", Z27")
	vectors, lanes, size := 4, 8, "Y"
	if a.narrow {
		vectors, lanes, size = 2, 16, "Z"
	}
	for v := range vectors {
		a.line("KSHIFTRD $%d, K1, K2", v*lanes)
		a.line("KMOVW K2, K3")
		if a.narrow {
			a.line("VPANDD Z26, Z%d, Z10", v)
			a.line("VPXORD Z10, Z%d, Z%d", v, v)
			a.line("VPGATHERDD (CX)(Z%d*1), K2, Z9", v)
		} else {
			a.line("VPMOVQD Z%d, Y10", v)
			a.line("VPANDD Y26, Y10, Y10")
			a.line("VPMOVZXDQ Y10, Z11")
			a.line("VPXORQ Z11, Z%d, Z%d", v, v)
			a.line("VPGATHERQD (CX)(Z%d*1), K2, Y9", v)
		}
		a.line("VPSLLD $3, %s10, %s10", size, size)
		a.line("VPSRLVD %s10, %s9, %s9", size, size, size)
		a.line("VPANDD %s27, %s9, %s9", size, size, size)
		a.line("VMOVDQU32 %s9, K3, %d(DI)(R9*1)", size, v*lanes*4)
	}
}

// scatterBytes stores elements of one or two bytes, lane by lane.
func (a *accessWriter) scatterBytes() {
	move := map[int]string{1: "MOVB", 2: "MOVW"}[a.elem]
	a.line("SUBQ region_start(BX), CX") // the host's address for an address of zero
	a.line("LEAQ (DI)(R9*1), BX")
	if a.narrow {
		a.line("LEAQ (SI)(R9*1), R11")
	} else {
		a.line("LEAQ (SI)(R9*2), R11")
	}
	a.label("lane")
	a.line("TZCNTL R10, AX")
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
