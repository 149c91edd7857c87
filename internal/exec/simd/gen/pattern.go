package main

import "fmt"

// The kinds of patterns, as in step.go.
const (
	patternScattered  = 0
	patternUniform    = 1
	patternContiguous = 2
	patternHalves     = 4
)

// pattern writes the kernel that describes the addresses in the row a of each warp, in patterns of 32 bytes.
// The distance of neighbouring lanes that counts as contiguous is in imm.
func (u *unit) pattern(narrow bool) []byte {
	w := patternWriter{unit: u, suffix: "Q", size: 8}
	if narrow {
		w.suffix, w.size = "D", 4
	}
	w.write()
	return w.Bytes()
}

// patternWriter writes one kernel. In it R8 points at the masks, DX at the patterns, SI at the row; R10 is the
// distance, AX a warp's mask, R11 its row. Z0 on hold the addresses, Z16 on the distances of lanes from lane 0.
type patternWriter struct {
	code
	*unit
	suffix string // of instructions
	size   int    // bytes of an address
}

// vectors is how many vectors the addresses of a warp take.
func (w *patternWriter) vectors() int { return 32 * w.size / 64 }

func (w *patternWriter) write() {
	w.prologue("A")
	w.lines("MOVL step_x(R12), DX", "ADDQ machine_patterns(R13), DX", "MOVQ step_imm(R12), R10",
		"TZCNTL R10, AX", "VMOVQ AX, X20") // a power of two
	ascending := iota(32, w.size, 1)
	for v := range w.vectors() {
		w.line("VMOVDQU64 %s, Z%d", w.constants.add(ascending[v*64:v*64+64]), 16+v)
		w.line("VPSLL%s X20, Z%d, Z%d", w.suffix, 16+v, 16+v)
	}
	w.label("warp")
	w.line("LEAQ (SI)(R9*%d), R11", w.size/4)
	w.lines("TESTQ R8, R8", "JEQ whole", "MOVL (R8)(R14*1), AX", "TESTL AX, AX", "JEQ next")
	w.label("any")
	for v := range w.vectors() {
		w.line("VMOVDQU64 %d(R11), Z%d", v*64, v)
	}
	w.line("TZCNTL AX, CX")
	w.test("", 0, w.vectors(), "AX")
	w.halves()
	w.label("uniform")
	w.lines("MOVQ BX, (DX)(R14*8)", fmt.Sprintf("MOVQ $%d, 8(DX)(R14*8)", patternUniform), "JMP next")
	w.label("contiguous")
	w.lines("MOVQ BX, (DX)(R14*8)", fmt.Sprintf("MOVQ $%d, 8(DX)(R14*8)", patternContiguous), "JMP next")
	w.label("scattered")
	w.line("MOVQ $%d, 8(DX)(R14*8)", patternScattered)
	w.label("next")
	w.lines("NEXT_WARP", "JNE warp", "MOVQ machine_frame(R13), R11", "NEXT")
	w.whole()
}

// whole serves a warp all lanes of which run: the first two lanes tell what it may be, or the first two of each half.
func (w *patternWriter) whole() {
	w.label("whole")
	w.likely("Whole", 0, "wholeHalves")
	w.differences(0, w.vectors(), true)
	w.lines("JEQ contiguous", "JMP wholeHalves")
	w.label("uniformWhole")
	w.differences(0, w.vectors(), false)
	w.line("JEQ uniform")
	w.label("wholeHalves")
	w.line("MOVQ $%d, 8(DX)(R14*8)", patternHalves)
	half := w.vectors() / 2
	for h := range 2 {
		suffix := []string{"WholeLow", "WholeHigh"}[h]
		w.likely(suffix, h*half, "scattered")
		w.differences(h*half, half, true)
		w.lines("JNE scattered", fmt.Sprintf("ORQ $%d, 8(DX)(R14*8)", 1<<h), "JMP done"+suffix)
		w.label("uniform" + suffix)
		w.differences(h*half, half, false)
		w.line("JNE scattered")
		w.label("done" + suffix)
		w.line("MOVQ BX, %d(DX)(R14*8)", 16*h)
	}
	w.line("JMP next")
}

// likely goes on when the first two lanes from a vector on are neighbours, to the label uniform with a suffix when they
// have one address, else to neither.
func (w *patternWriter) likely(suffix string, first int, neither string) {
	move := map[int]string{4: "MOVL", 8: "MOVQ"}[w.size]
	operation := move[3:]
	w.line("%s %d(R11), BX", move, first*64)
	w.line("%s %d(R11), CX", move, first*64+w.size)
	w.line("VPBROADCAST%s BX, Z4", w.suffix)
	w.lines("SUB"+operation+" BX, CX", "JEQ uniform"+suffix, "CMP"+operation+" CX, R10", "JNE "+neither)
}

// differences compares addresses, less the distances from the first lane, with Z4: the flags say whether they are equal.
func (w *patternWriter) differences(first, vectors int, ascending bool) {
	for v := range vectors {
		at := fmt.Sprintf("%d(R11)", (first+v)*64)
		if ascending {
			w.line("VMOVDQU64 %s, Z%d", at, v)
			w.line("VPSUB%s Z%d, Z%d, Z%d", w.suffix, 16+v, v, v)
			at = fmt.Sprintf("Z%d", v)
		}
		if v == 0 {
			w.line("VPXORQ %s, Z4, Z5", at)
		} else {
			w.line("VPTERNLOGQ $0xf6, %s, Z4, Z5", at) // what has differed, or differs
		}
	}
	w.lines("VPTESTMQ Z5, Z5, K1", "KORTESTB K1, K1")
}

// test goes to the labels uniform and contiguous, with a suffix, when the lanes of a mask, from vector first on, have
// one address or neighbouring ones; BX is then the base. CX holds the number of the first of these lanes, counted
// from there.
func (w *patternWriter) test(suffix string, first, vectors int, mask string) {
	w.line("MOV%s %d(R11)(CX*%d), BX", map[int]string{4: "L", 8: "Q"}[w.size], first*64, w.size)
	w.line("VPBROADCAST%s BX, Z4", w.suffix)
	w.compare(first, vectors, func(v int) string { return "Z4" })
	w.lines("ANDL "+mask+", DI", "CMPL DI, "+mask, "JEQ uniform"+suffix)
	w.lines("IMULQ R10, CX", "SUBQ CX, BX", fmt.Sprintf("VPBROADCAST%s BX, Z5", w.suffix)) // lane 0's address
	for v := range vectors {
		w.line("VPADD%s Z5, Z%d, Z%d", w.suffix, 16+v, 6+v)
	}
	w.compare(first, vectors, func(v int) string { return fmt.Sprintf("Z%d", 6+v) })
	w.lines("ANDL "+mask+", DI", "CMPL DI, "+mask, "JEQ contiguous"+suffix)
}

// compare compares vectors of addresses with others and puts the equal lanes in DI.
func (w *patternWriter) compare(first, vectors int, other func(v int) string) {
	for v := range vectors {
		w.line("VPCMPEQ%s %s, Z%d, K%d", w.suffix, other(v), first+v, v+1)
	}
	lanes := 64 / w.size
	for n := vectors; n > 1; n /= 2 { // K1 on: pairs of masks in one
		unpack := map[int]string{8: "KUNPCKBW", 16: "KUNPCKWD"}[lanes]
		for v := range n / 2 {
			w.line("%s K%d, K%d, K%d", unpack, 2*v+1, 2*v+2, v+1)
		}
		lanes *= 2
	}
	w.line("KMOVD K1, DI")
}

// halves tests the halves of a warp apart.
func (w *patternWriter) halves() {
	half := w.vectors() / 2
	w.line("MOVQ $%d, 8(DX)(R14*8)", patternHalves)
	w.lines("MOVL AX, R15", "ANDL $0xffff, R15", "JEQ second", "TZCNTL R15, CX")
	w.test("Low", 0, half, "R15")
	w.line("JMP scattered")
	w.label("contiguousLow")
	w.line("ORQ $1, 8(DX)(R14*8)")
	w.label("uniformLow")
	w.line("MOVQ BX, (DX)(R14*8)")
	w.label("second")
	w.lines("SHRL $16, AX", "JEQ next", "TZCNTL AX, CX")
	w.test("High", half, half, "AX")
	w.line("JMP scattered")
	w.label("contiguousHigh")
	w.line("ORQ $2, 8(DX)(R14*8)")
	w.label("uniformHigh")
	w.lines("MOVQ BX, 16(DX)(R14*8)", "JMP next")
}
