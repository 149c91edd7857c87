package main

import (
	"fmt"
	"strings"
)

// scattered serves a warp whose lanes have any addresses: it checks those of all lanes, then moves their elements. Z0
// on hold the distances from the region's start.
func (a *accessWriter) scattered() {
	a.lines("MOVQ region_size(BX), AX", fmt.Sprintf("SUBQ $%d, AX", a.bytes()), "JCS slow")
	if a.narrow {
		a.distancesNarrow()
	} else {
		a.distancesWide()
	}
	if !a.store {
		a.loadLanes()
		return
	}
	if a.fills128() {
		a.lines("CMPL R10, $-1", "JNE scatter")
		a.storePieces()
		a.line("JMP next")
		a.label("scatter")
	}
	a.line("MOVQ region_host(BX), CX")
	if a.elem < 4 {
		a.scatterBytes()
	} else {
		a.registers(func(i int, at string) { a.scatter(i, at) })
	}
}

// fills128 tells whether a lane moves four elements of 32 bits, which one instruction can move.
func (a access) fills128() bool { return a.elem == 4 && a.count == 4 }

// pieces calls each for the lanes of a half of a warp: with the piece of a vector that is the lane's, of Z26 to Z29, and its place in memory. The
// host's address for an address of zero is in a register.
func (a *accessWriter) pieces(half int, host string, each func(vector, piece int, at string)) {
	for lane := range 16 {
		address := fmt.Sprintf("%d(SI)(R9*%d)", (16*half+lane)*a.address(), a.address()/4)
		if a.narrow {
			a.lines("MOVL "+address+", AX", "ADDL step_imm(R12), AX")
		} else {
			a.line("MOVQ %s, AX", address)
		}
		each(lane%4, lane/4, "("+host+")(AX*1)")
	}
}

// turn turns each four elements of four vectors by four: the first of all in the first, and so on.
func (a *accessWriter) turn(from, to int) {
	for i, half := range []string{"L", "H"} {
		a.line("VPUNPCK%sDQ Z%d, Z%d, Z%d", half, from+1, from, 22+i)
		a.line("VPUNPCK%sDQ Z%d, Z%d, Z%d", half, from+3, from+2, 24+i)
	}
	for i := range 4 {
		a.line("VPUNPCK%sQDQ Z%d, Z%d, Z%d", []string{"L", "H"}[i%2], 24+i/2, 22+i/2, to+i)
	}
}

// loadPieces loads all elements of each lane at once, for a whole warp. The host's address is in CX.
func (a *accessWriter) loadPieces() {
	for half := range 2 {
		a.pieces(half, "CX", func(vector, piece int, at string) {
			if piece == 0 {
				a.line("VMOVDQU32 %s, X%d", at, 26+vector)
				return
			}
			a.line("VINSERTI32X4 $%d, %s, Z%d, Z%d", piece, at, 26+vector, 26+vector)
		})
		a.turn(26, 4*half)
	}
	a.writeRows(false)
}

// storePieces stores all elements of each lane at once, the lowest lane first, for a whole warp.
func (a *accessWriter) storePieces() {
	a.readRows()
	a.lines("MOVQ region_host(BX), R15", "SUBQ region_start(BX), R15")
	if !a.narrow {
		a.line("ADDQ step_imm(R12), R15")
	}
	for half := range 2 {
		a.turn(4*half, 26)
		a.pieces(half, "R15", func(vector, piece int, at string) {
			if piece == 0 {
				a.line("VMOVDQU32 X%d, %s", 26+vector, at)
				return
			}
			a.line("VEXTRACTI32X4 $%d, Z%d, %s", piece, 26+vector, at)
		})
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

// loadLanes loads lane by lane: gather instructions take longer since they were mended. AX is a lane's address, CX
// the host's for an address of zero.
func (a *accessWriter) loadLanes() {
	a.lines("MOVQ region_host(BX), CX", "SUBQ region_start(BX), CX")
	if !a.narrow {
		a.line("ADDQ step_imm(R12), CX")
	}
	rows := []string{"DI", "R11", "R15", "BX"}
	for i, r := range rows[1:a.count] {
		a.lines("MOVL step_"+"bce"[i:i+1]+"(R12), "+r, "ADDQ machine_frame(R13), "+r)
	}
	a.lines("CMPL R10, $-1", "JNE some")
	if a.fills128() {
		a.loadPieces()
	} else {
		for lane := range 32 {
			a.loadLane(rows, fmt.Sprintf("%d(SI)(R9*%%d)", lane*a.address()), func(row string) string {
				return fmt.Sprintf("%d(%s)(R9*%d)", lane*a.row(), row, a.row()/4)
			})
		}
	}
	a.line("JMP loaded")
	// R8 is the lane: the masks are found again.
	a.label("some")
	a.line("LEAQ (SI)(R9*%d), SI", a.address()/4)
	for _, r := range rows[:a.count] {
		a.line("LEAQ (%s)(R9*%d), %s", r, a.row()/4, r)
	}
	a.label("lane")
	a.line("TZCNTL R10, R8")
	a.loadLane(rows, fmt.Sprintf("(SI)(R8*%d)", a.address()), func(row string) string {
		return fmt.Sprintf("(%s)(R8*%d)", row, a.row())
	})
	a.lines("BLSRL R10, R10", "JNE lane", "MOVL step_lanes(R12), R8", "MOVQ (R13)(R8*1), R8",
		"MOVL step_a(R12), SI", "ADDQ machine_frame(R13), SI", "MOVL step_d(R12), DI", "ADDQ machine_frame(R13), DI")
	a.label("loaded")
	if a.count > 1 { // DX and BX served
		a.lines("MOVL step_x(R12), DX", "ADDQ machine_patterns(R13), DX", "MOVL step_y(R12), BX", "ADDQ machine_regions(R13), BX")
	}
}

// loadLane loads the elements of a lane whose address is at a place.
func (a *accessWriter) loadLane(rows []string, address string, at func(row string) string) {
	if strings.Contains(address, "%d") {
		address = fmt.Sprintf(address, a.address()/4)
	}
	if a.narrow {
		a.lines("MOVL "+address+", AX", "ADDL step_imm(R12), AX")
	} else {
		a.line("MOVQ %s, AX", address)
	}
	load := map[int]string{1: "MOVBLZX", 2: "MOVWLZX", 4: "MOVL", 8: "MOVQ"}[a.elem]
	store := map[int]string{4: "MOVL", 8: "MOVQ"}[a.row()]
	for i := range a.count {
		register := "DX"
		if i == a.count-1 {
			register = "AX"
		}
		a.line("%s %d(CX)(AX*1), %s", load, i*a.elem, register)
		a.line("%s %s, %s", store, register, at(rows[i]))
	}
}

// address returns the bytes of a lane's address in its row.
func (a access) address() int {
	if a.narrow {
		return 4
	}
	return 8
}

// scatter stores element i of a row. The memory is at CX, the distances in Z0 on.
func (a *accessWriter) scatter(i int, at string) {
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
		a.line("KSHIFTRD $%d, K1, K2", v*lanes)
		a.line("%s %d%s, %s", a.move(), v*lanes*a.row(), at, value)
		a.line("VPSCATTER%s%s %s, K2, %d(CX)(%s*1)", index, elem, value, i*a.elem, distances)
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
