#include "go_asm.h"
#include "textflag.h"
#include "call_amd64.h"

// Turns four bytes a lane into two rows of pairs; the option tells that they are signed.
TEXT pairsOfBytes<>(SB), NOSPLIT|NOFRAME, $0-0
	POINT(call_to(R10), DI)
	POINT(call_from(R10), SI)
	MOVL call_option(R10), BX
	MOVQ $2, CX

lanes:
	VMOVDQU32 (SI), Z0
	VPSLLW $8, Z0, Z1
	TESTL BX, BX
	JEQ unsigned
	VPSRAW $8, Z1, Z1
	VPSRAW $8, Z0, Z0
	JMP store

unsigned:
	VPSRLW $8, Z1, Z1
	VPSRLW $8, Z0, Z0

store:
	VMOVDQU32 Z1, (DI)
	VMOVDQU32 Z0, 128(DI)
	ADDQ $64, SI
	ADDQ $64, DI
	DECQ CX
	JNE lanes
	GOON

// Turns eight integers of four bits a lane into two rows of bytes; the option tells that they are signed.
TEXT bytesOfNibbles<>(SB), NOSPLIT|NOFRAME, $0-0
	POINT(call_to(R10), DI)
	POINT(call_from(R10), SI)
	MOVL call_option(R10), BX
	MOVL $0x0F0F0F0F, AX
	VPBROADCASTD AX, Z2
	MOVL $0x08080808, AX
	VPBROADCASTD AX, Z3
	MOVQ $2, CX

lanes:
	VMOVDQU32 (SI), Z0
	VPSRLD $4, Z0, Z1
	VPANDD Z2, Z0, Z0
	VPANDD Z2, Z1, Z1
	TESTL BX, BX
	JEQ store
	VPXORD Z3, Z0, Z0          // adds 8 to the number, of four bits
	VPXORD Z3, Z1, Z1
	VPSUBB Z3, Z0, Z0
	VPSUBB Z3, Z1, Z1

store:
	VMOVDQU32 Z0, (DI)
	VMOVDQU32 Z1, 128(DI)
	ADDQ $64, SI
	ADDQ $64, DI
	DECQ CX
	JNE lanes
	GOON

// Puts a row of pairs of B in the order that sumPairs takes it.
TEXT spreadPairs<>(SB), NOSPLIT|NOFRAME, $0-0
	POINT(call_to(R10), DI)
	POINT(call_from(R10), SI)
	VMOVDQU32 (SI), Z0
	VMOVDQU32 64(SI), Z1
	VMOVDQU32 ·spread(SB), Z2
	MOVL $2, AX
	VPBROADCASTD AX, Z3
	VPADDD Z2, Z3, Z3          // lanes 2 and 3
	VPERMI2D Z1, Z0, Z2
	VPERMI2D Z1, Z0, Z3
	VMOVDQU32 Z2, (DI)
	VMOVDQU32 Z3, 64(DI)
	GOON

// PAIRS adds the products of a lane of the quads of A and its column of B: for the even columns, and for the odd ones.
#define PAIRS(lane) \
	VPSHUFD $(85*lane), Z4, Z5 \
	VBROADCASTI32X4 (32*lane)(DI), Z6 \
	VBROADCASTI32X4 (32*lane+16)(DI), Z7 \
	VPMADDWD Z6, Z5, Z6 \
	VPMADDWD Z7, Z5, Z7 \
	VPADDD Z6, Z0, Z0 \
	VPADDD Z7, Z1, Z1

// ADDED adds the sums to 16 lanes of a register of C.
#define ADDED(sum, register) \
	POINT((call_from+register)(R10), R14) \
	POINT((call_results+register)(R10), R15) \
	VMOVDQU32 (R14)(DX*1), Z2 \
	VPADDD Z2, sum, Z3 \
	TESTL BX, BX \
	JEQ 7(PC) \
	VPXORD Z2, Z3, Z4 \
	VPXORD sum, Z3, Z5 \
	VPANDD Z4, Z5, Z4 \
	VPMOVD2M Z4, K1            /* the sum has the sign of neither */ \
	VPSRAD $31, Z2, Z5 \
	VPXORD Z8, Z5, K1, Z3 \
	VMOVDQU32 Z3, (R15)(DX*1)

// Adds the products of count rows of pairs to two registers of C: 8 rows and 8 columns. The option is to limit the sums to 32 bits, which wrap around otherwise.
TEXT sumPairs<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVL call_option(R10), BX
	MOVL $0x7FFFFFFF, CX
	VPBROADCASTD CX, Z8
	XORQ DX, DX

lanes:
	POINT(call_a(R10), SI)
	POINT(call_b(R10), DI)
	MOVQ call_count(R10), CX
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1

row:
	VMOVDQU32 (SI)(DX*1), Z4
	PAIRS(0)
	PAIRS(1)
	PAIRS(2)
	PAIRS(3)
	ADDQ $128, SI
	ADDQ $128, DI
	DECQ CX
	JNE row

	ADDED(Z0, 0)
	ADDED(Z1, 8)
	ADDQ $64, DX
	CMPQ DX, $128
	JNE lanes
	GOON

// func pairRoutines() *[integerRoutineCount]uintptr
TEXT ·pairRoutines(SB), NOSPLIT, $0-8
	LEAQ routineTable<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// Not read-only: a shared library's loader puts the addresses in.
DATA routineTable<>+0(SB)/8, $pairsOfBytes<>(SB)
DATA routineTable<>+8(SB)/8, $bytesOfNibbles<>(SB)
DATA routineTable<>+16(SB)/8, $spreadPairs<>(SB)
DATA routineTable<>+24(SB)/8, $sumPairs<>(SB)
GLOBL routineTable<>(SB), NOPTR, $32
