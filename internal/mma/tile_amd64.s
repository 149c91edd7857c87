#include "go_asm.h"
#include "textflag.h"

// func floats512(to *Row, register *Row, x *extraction) bool
TEXT ·floats512(SB), NOSPLIT, $0-25
	MOVQ to+0(FP), DI
	MOVQ register+8(FP), SI
	MOVQ x+16(FP), DX
	VMOVQ extraction_right(DX), X2
	VMOVQ extraction_left(DX), X3
	VMOVDQU32 (SI), Z0
	VMOVDQU32 64(SI), Z1
	VPSRLD X2, Z0, Z0
	VPSRLD X2, Z1, Z1
	VPSLLD X3, Z0, Z0
	VPSLLD X3, Z1, Z1
	MOVB $1, ret+24(FP)
	MOVL extraction_mask(DX), AX
	TESTL AX, AX
	JNE masked
	CMPQ extraction_narrow(DX), $0
	JEQ half

	MOVL $0x7F00, AX
	VPBROADCASTD AX, Z4
	VPANDD Z4, Z0, Z5
	VPANDD Z4, Z1, Z6
	VPCMPEQD Z4, Z5, K1        // NaN
	VPCMPEQD Z4, Z6, K2
	KORTESTW K1, K2
	SETEQ ret+24(FP)
	VPSRLD $1, Z5, Z5
	VPSRLD $1, Z6, Z6
	MOVL $0x8000, AX
	VPBROADCASTD AX, Z4
	VPANDD Z4, Z0, Z0
	VPANDD Z4, Z1, Z1
	VPORD Z5, Z0, Z0
	VPORD Z6, Z1, Z1

half:
	VPMOVDW Z0, Y0
	VPMOVDW Z1, Y1
	VCVTPH2PS Y0, Z0
	VCVTPH2PS Y1, Z1
	VBROADCASTSS extraction_scale(DX), Z4
	VMULPS Z4, Z0, Z0
	VMULPS Z4, Z1, Z1
	JMP done

masked:
	VPBROADCASTD AX, Z4
	VPANDD Z4, Z0, Z0
	VPANDD Z4, Z1, Z1

done:
	VMOVUPS Z0, (DI)
	VMOVUPS Z1, 64(DI)
	VZEROUPPER
	RET

// The columns 0, 2, 4 and 6 of a row of a register of B, for every quad.
DATA columns<>+0(SB)/8, $0x0000000800000000
DATA columns<>+8(SB)/8, $0x0000001800000010
DATA columns<>+16(SB)/8, $0x0000000800000000
DATA columns<>+24(SB)/8, $0x0000001800000010
DATA columns<>+32(SB)/8, $0x0000000800000000
DATA columns<>+40(SB)/8, $0x0000001800000010
DATA columns<>+48(SB)/8, $0x0000000800000000
DATA columns<>+56(SB)/8, $0x0000001800000010
GLOBL columns<>(SB), RODATA|NOPTR, $64

// POWER sets power to the power of two of value, at least Z2, 0 for zero. K4 gathers the lanes whose exponent is not
// near 0: Z3 is the lowest one, Z4 the span of those that are.
#define POWER(value, power) \
	VPANDD Z1, value, power \
	VPANDD Z5, value, Z6 \
	VPTESTMD Z6, Z6, K1 \
	VPSUBD Z3, power, Z6 \
	VPCMPUD $6, Z4, Z6, K1, K2 \
	KORW K2, K4, K4 \
	VPMAXUD.Z Z2, power, K1, power

// LIMITS loads the constants of POWER.
#define LIMITS(least, low, high) \
	MOVL $0x7F800000, AX \
	VPBROADCASTD AX, Z1 \
	VBROADCASTSS least, Z2 \
	MOVL $(low<<23), AX \
	VPBROADCASTD AX, Z3 \
	MOVL $((high-low)<<23), AX \
	VPBROADCASTD AX, Z4 \
	MOVL $0x7FFFFFFF, AX \
	VPBROADCASTD AX, Z5 \
	KXORW K4, K4, K4

// SPREAD stores the columns that index names of B's values in Z7 and Z8, and of their powers in Z9 and Z10.
#define SPREAD(index, at) \
	VMOVDQA64 index, Z12 \
	VMOVDQA64 index, Z13 \
	VPERMI2PS Z8, Z7, Z12 \
	VMOVUPS Z12, (tileGroup_bValues+at)(DI) \
	VPERMI2PS Z10, Z9, Z13 \
	VMOVUPS Z13, (tileGroup_bPowers+at)(DI)

// ROW stores the even and the odd columns of a row, and turns to the next.
#define ROW(row) \
	SPREAD(Z14, 128*row) \
	VPADDD Z16, Z14, Z15 \
	SPREAD(Z15, 128*row+64) \
	VPADDD Z17, Z14, Z14

// func group512(groups *tileGroup, count int, least float32) bool
TEXT ·group512(SB), NOSPLIT, $0-25
	MOVQ groups+0(FP), DI
	MOVQ count+8(FP), CX
	LIMITS(least+16(FP), 67, 187)
	MOVL $4, AX
	VPBROADCASTD AX, Z16
	MOVL $1, AX
	VPBROADCASTD AX, Z17

group:
	VMOVUPS tileGroup_aValues(DI), Z7
	POWER(Z7, Z9)
	VMOVUPS Z9, tileGroup_aPowers(DI)
	VMOVUPS (tileGroup_aValues+64)(DI), Z7
	POWER(Z7, Z9)
	VMOVUPS Z9, (tileGroup_aPowers+64)(DI)
	VMOVUPS (tileGroup_aValues+128)(DI), Z7
	POWER(Z7, Z9)
	VMOVUPS Z9, (tileGroup_aPowers+128)(DI)
	VMOVUPS (tileGroup_aValues+192)(DI), Z7
	POWER(Z7, Z9)
	VMOVUPS Z9, (tileGroup_aPowers+192)(DI)
	VMOVUPS tileGroup_b(DI), Z7
	POWER(Z7, Z9)
	VMOVUPS (tileGroup_b+64)(DI), Z8
	POWER(Z8, Z10)
	VMOVDQU32 columns<>(SB), Z14
	ROW(0)
	ROW(1)
	ROW(2)
	ROW(3)
	ADDQ $tileGroup__size, DI
	DECQ CX
	JNE group
	KTESTW K4, K4
	SETEQ ret+24(FP)
	VZEROUPPER
	RET

// LARGEST takes the largest power of the products of a column of A, in every lane of its quads, and a row of B.
#define LARGEST(column, even, odd) \
	VPERMILPS $(85*column), Z7, Z8 \
	VMULPS (tileGroup_bPowers+128*column)(DI), Z8, Z9 \
	VMULPS (tileGroup_bPowers+128*column+64)(DI), Z8, Z10 \
	VPMAXSD Z9, even, even \
	VPMAXSD Z10, odd, odd

// PRODUCTS adds the same products, scaled and cut.
#define PRODUCTS(column) \
	VPERMILPS $(85*column), Z7, Z8 \
	VMULPS (tileGroup_bValues+128*column)(DI), Z8, Z9 \
	VMULPS (tileGroup_bValues+128*column+64)(DI), Z8, Z10 \
	VMULPS Z13, Z9, Z9 \
	VMULPS Z14, Z10, Z10 \
	VCVTTPS2DQ Z9, Z9 \
	VCVTTPS2DQ Z10, Z10 \
	VPADDD Z9, Z17, Z17 \
	VPADDD Z10, Z18, Z18

// RESULT stores the sums of lanes 0 to 7: the integers low and high times the power of two that largest is, less the bits.
#define RESULT(low, high, largest, to) \
	VCVTDQ2PD low, Z8 \
	VCVTDQ2PD high, Z9 \
	VADDPD Z9, Z8, Z8 \
	VCVTPS2PD largest, Z9 \
	VMULPD Z20, Z9, Z9 \
	VMULPD Z9, Z8, Z8 \
	VCVTPD2PS.RZ_SAE Z8, Y9 \
	VCVTPS2PD Y9, Z10 \
	VCMPPD $4, Z8, Z10, K1 \
	VPORD Y21, Y9, K1, Y9 \
	VMOVUPS Y9, to

// func sum512(x *tileSum) bool
//
// BX and R8 walk over C and the sums, R9 over the rows of A, 16 lanes at a time; DI over the groups. The largest powers of even columns
// are in Z11, those of odd ones in Z12, their scales in Z13 and Z14. Z15 and Z16 hold the sums of C and of every second
// group, Z17 and Z18 those of the others: 32 bits are enough for each.
TEXT ·sum512(SB), NOSPLIT, $0-9
	MOVQ x+0(FP), SI
	LIMITS(tileSum_least(SI), 27, 227)
	MOVQ tileSum_c(SI), BX
	MOVQ tileSum_sums(SI), R8
	MOVL tileSum_bits(SI), DX
	MOVL DX, AX
	ADDL $254, AX
	SHLL $23, AX
	VPBROADCASTD AX, Z19       // 2^bits, from which a power is taken
	MOVL $1023, AX
	SUBL DX, AX
	SHLQ $52, AX
	VPBROADCASTQ AX, Z20       // 2^-bits
	MOVL tileSum_sticky(SI), AX
	VPBROADCASTD AX, Z21
	MOVL $(27<<23), AX
	VPBROADCASTD AX, Z22       // 2^-100, where all is zero
	XORQ R9, R9

rows:
	VMOVUPS (BX), Z23
	VMOVUPS 128(BX), Z24
	POWER(Z23, Z11)
	POWER(Z24, Z12)
	VPMAXSD Z22, Z11, Z11
	VPMAXSD Z22, Z12, Z12
	VMOVDQA64 Z11, Z15
	VMOVDQA64 Z12, Z16
	MOVQ tileSum_groups(SI), DI
	MOVQ tileSum_count(SI), CX

powers:
	VMOVUPS tileGroup_aPowers(DI)(R9*1), Z7
	LARGEST(0, Z11, Z12)
	LARGEST(1, Z15, Z16)
	LARGEST(2, Z11, Z12)
	LARGEST(3, Z15, Z16)
	ADDQ $tileGroup__size, DI
	DECQ CX
	JNE powers
	VPMAXSD Z15, Z11, Z11
	VPMAXSD Z16, Z12, Z12
	VPSUBD Z11, Z19, Z13
	VPSUBD Z12, Z19, Z14
	VMULPS Z13, Z23, Z15
	VMULPS Z14, Z24, Z16
	VCVTTPS2DQ Z15, Z15
	VCVTTPS2DQ Z16, Z16
	VPXORD Z17, Z17, Z17
	VPXORD Z18, Z18, Z18
	MOVQ tileSum_groups(SI), DI
	MOVQ tileSum_count(SI), CX

values:
	VMOVUPS tileGroup_aValues(DI)(R9*1), Z7
	PRODUCTS(0)
	PRODUCTS(1)
	PRODUCTS(2)
	PRODUCTS(3)
	VMOVDQA64 Z17, Z9          // the other sums have their turn
	VMOVDQA64 Z15, Z17
	VMOVDQA64 Z9, Z15
	VMOVDQA64 Z18, Z10
	VMOVDQA64 Z16, Z18
	VMOVDQA64 Z10, Z16
	ADDQ $tileGroup__size, DI
	DECQ CX
	JNE values

	RESULT(Y15, Y17, Y11, 0(R8))
	RESULT(Y16, Y18, Y12, 128(R8))
	VEXTRACTF64X4 $1, Z15, Y15
	VEXTRACTF64X4 $1, Z16, Y16
	VEXTRACTF64X4 $1, Z17, Y17
	VEXTRACTF64X4 $1, Z18, Y18
	VEXTRACTF64X4 $1, Z11, Y11
	VEXTRACTF64X4 $1, Z12, Y12
	RESULT(Y15, Y17, Y11, 32(R8))
	RESULT(Y16, Y18, Y12, 160(R8))
	ADDQ $64, R9
	ADDQ $64, BX
	ADDQ $64, R8
	CMPQ R9, $128              // c0 and c1 are done
	JNE next
	ADDQ $128, BX
	ADDQ $128, R8

next:
	CMPQ R9, $256
	JNE rows
	KTESTW K4, K4
	SETEQ ret+8(FP)
	VZEROUPPER
	RET

// PACK stores 16 lanes of a register: of even columns and odd ones.
#define PACK(even, odd, at) \
	VMOVUPS even(SI), Z0 \
	VMOVUPS odd(SI), Z1 \
	VCVTPS2PH $0, Z0, Y0 \
	VCVTPS2PH $0, Z1, Y1 \
	VPMOVZXWD Y0, Z0 \
	VPMOVZXWD Y1, Z1 \
	VPSLLD $16, Z1, Z1 \
	VPORD Z1, Z0, Z0 \
	VMOVDQU32 Z0, at(DI)

// func packHalves512(to *[2]Row, elements *[4]Row)
TEXT ·packHalves512(SB), NOSPLIT, $0-16
	MOVQ to+0(FP), DI
	MOVQ elements+8(FP), SI
	PACK(0, 128, 0)
	PACK(64, 192, 64)
	PACK(256, 384, 128)
	PACK(320, 448, 192)
	VZEROUPPER
	RET
