#include "go_asm.h"
#include "textflag.h"

// The dwords of columns 0, 2, 4, 6, 1, 3, 5 and 7 of lanes 0 and 1 of the quads of a register of B.
DATA ·spread+0(SB)/8, $0x0000000800000000
DATA ·spread+8(SB)/8, $0x0000001800000010
DATA ·spread+16(SB)/8, $0x0000000C00000004
DATA ·spread+24(SB)/8, $0x0000001C00000014
DATA ·spread+32(SB)/8, $0x0000000900000001
DATA ·spread+40(SB)/8, $0x0000001900000011
DATA ·spread+48(SB)/8, $0x0000000D00000005
DATA ·spread+56(SB)/8, $0x0000001D00000015
GLOBL ·spread(SB), RODATA|NOPTR, $64

// FORM loads what DX, a *wordForm, tells: the shift of the exponent in X16, its mask, the bits of a magnitude, the least exponent and that
// of zero in Z17 to Z20. Z21 and Z22 gather the least and the largest exponents.
#define FORM \
	VMOVQ wordForm_shift(DX), X16 \
	VPBROADCASTW wordForm_mask(DX), Z17 \
	MOVL $0x7FFF, AX \
	VPBROADCASTW AX, Z18 \
	VPBROADCASTW wordForm_least(DX), Z19 \
	MOVL $const_zeroExponent, AX \
	VPBROADCASTW AX, Z20 \
	VPTERNLOGD $0xFF, Z21, Z21, Z21 \
	VPXORD Z22, Z22, Z22

// EXPONENTS takes those of the words of raw.
#define EXPONENTS(raw, to) \
	VPSRLW X16, raw, to \
	VPTESTNMW Z18, raw, K1 \
	VPANDD Z17, to, to \
	VPMAXUW Z19, to, to \
	VMOVDQU16 Z20, K1, to \
	VPMINUW to, Z21, Z21 \
	VPMAXSW to, Z22, Z22

// FIT sets AX to whether all exponents were in the form's range.
#define FIT \
	VPBROADCASTW wordForm_low(DX), Z0 \
	VPBROADCASTW wordForm_high(DX), Z1 \
	VPCMPUW $1, Z0, Z21, K1 \
	VPCMPW $6, Z1, Z22, K2 \
	KORTESTD K1, K2 \
	SETEQ AX

// HALVES turns the low words of raw into f32.
#define HALVES(raw, to, low) \
	VPMOVDW raw, low \
	VCVTPH2PS low, to

// A16 decodes 16 lanes of a register of A.
#define A16(register, at, values) \
	VMOVDQU32 at(register), Z0 \
	EXPONENTS(Z0, Z1) \
	VMOVDQU32 Z1, (tileA_exponents+values)(DI) \
	VPSRLD $16, Z1, Z1 \
	VMOVDQU32 Z1, (tileA_exponents+values)(R8) \
	VPSRLD $16, Z0, Z2 \
	VPSLLD $16, Z0, Z3 \
	TESTB R10, R10 \
	JEQ 6(PC) \
	HALVES(Z0, Z3, Y3) \
	HALVES(Z2, Z4, Y4) \
	JMP 2(PC) \
	VPSLLD $16, Z2, Z4 \
	VMOVUPS Z3, (tileA_values+values)(DI) \
	VMOVUPS Z4, (tileA_values+values)(R8)

// func decodeA16(to *tileA, registers **Row, pairs int, x *wordForm) bool
TEXT ·decodeA16(SB), NOSPLIT, $0-33
	MOVQ to+0(FP), DI
	MOVQ registers+8(FP), SI
	MOVQ pairs+16(FP), CX
	MOVQ x+24(FP), DX
	FORM
	MOVBLZX wordForm_half(DX), R10
	IMUL3Q $tileA__size, CX, R8
	ADDQ DI, R8

pair:
	MOVQ (SI), BX
	MOVQ 8(SI), R9
	A16(BX, 0, 0)
	A16(BX, 64, 64)
	A16(R9, 0, 128)
	A16(R9, 64, 192)
	ADDQ $tileA__size, DI
	ADDQ $tileA__size, R8
	ADDQ $16, SI
	DECQ CX
	JNE pair
	FIT
	MOVB AX, ret+32(FP)
	VZEROUPPER
	RET

// B16 decodes two lanes of each quad of a register of B, whose words are in Z2.
#define B16(values, exponents) \
	EXPONENTS(Z2, Z3) \
	VPMOVDW Z3, (tileB_exponents+exponents)(DI) \
	VPSRLD $16, Z3, Z3 \
	VPMOVDW Z3, (tileB_exponents+exponents)(R8) \
	VPSRLD $16, Z2, Z4 \
	VPSLLD $16, Z2, Z3 \
	TESTB R10, R10 \
	JEQ 6(PC) \
	HALVES(Z2, Z3, Y3) \
	HALVES(Z4, Z4, Y4) \
	JMP 2(PC) \
	VPSLLD $16, Z4, Z4 \
	VMOVUPS Z3, (tileB_values+values)(DI) \
	VMOVUPS Z4, (tileB_values+values)(R8)

// SPREAD sets Z5 and Z6 to the dwords that lanes 0 and 1, and 2 and 3, of the quads are taken from.
#define SPREAD \
	VMOVDQU32 ·spread(SB), Z5 \
	MOVL $2, AX \
	VPBROADCASTD AX, Z6 \
	VPADDD Z5, Z6, Z6

// func decodeB16(to *tileB, registers **Row, count int, x *wordForm) bool
TEXT ·decodeB16(SB), NOSPLIT, $0-33
	MOVQ to+0(FP), DI
	MOVQ registers+8(FP), SI
	MOVQ count+16(FP), CX
	MOVQ x+24(FP), DX
	FORM
	SPREAD
	MOVBLZX wordForm_half(DX), R10
	IMUL3Q $tileB__size, CX, R8
	ADDQ DI, R8

register:
	MOVQ (SI), BX
	VMOVDQU32 (BX), Z0
	VMOVDQU32 64(BX), Z1
	VMOVDQA64 Z5, Z2
	VPERMI2D Z1, Z0, Z2
	B16(0, 0)
	VMOVDQA64 Z6, Z2
	VPERMI2D Z1, Z0, Z2
	B16(64, 32)
	ADDQ $tileB__size, DI
	ADDQ $tileB__size, R8
	ADDQ $8, SI
	DECQ CX
	JNE register
	FIT
	MOVB AX, ret+32(FP)
	VZEROUPPER
	RET

// FORM32 loads the constants of tf32: the bits that count in Z16, those of a magnitude in Z17, the exponent of zero in Z18. Z21 and Z22
// gather the least and the largest exponents.
#define FORM32 \
	MOVL $(0xFFFFFFFF-const_tf32Ignored), AX \
	VPBROADCASTD AX, Z16 \
	MOVL $(0x7FFFFFFF-const_tf32Ignored), AX \
	VPBROADCASTD AX, Z17 \
	MOVL $const_zeroExponent, AX \
	VPBROADCASTD AX, Z18 \
	VPTERNLOGD $0xFF, Z21, Z21, Z21 \
	VPXORD Z22, Z22, Z22

#define EXPONENTS32(value, to) \
	VPANDD Z17, value, to \
	VPTESTNMD to, to, K1 \
	VPSRLD $23, to, to \
	VMOVDQA32 Z18, K1, to \
	VPMINUD to, Z21, Z21 \
	VPMAXSD to, Z22, Z22

#define FIT32 \
	MOVL $const_lowExponent, AX \
	VPBROADCASTD AX, Z0 \
	MOVL $const_highExponent, AX \
	VPBROADCASTD AX, Z1 \
	VPCMPUD $1, Z0, Z21, K1 \
	VPCMPD $6, Z1, Z22, K2 \
	KORTESTW K1, K2 \
	SETEQ AX

#define A32(register, at, values) \
	VPANDD at(register), Z16, Z0 \
	EXPONENTS32(Z0, Z1) \
	VMOVUPS Z0, (tileA_values+values)(DI) \
	VMOVDQU32 Z1, (tileA_exponents+values)(DI)

// func decodeA32(to *tileA, registers **Row, pairs int) bool
TEXT ·decodeA32(SB), NOSPLIT, $0-25
	MOVQ to+0(FP), DI
	MOVQ registers+8(FP), SI
	MOVQ pairs+16(FP), CX
	FORM32

pair:
	MOVQ (SI), BX
	MOVQ 8(SI), R9
	A32(BX, 0, 0)
	A32(BX, 64, 64)
	A32(R9, 0, 128)
	A32(R9, 64, 192)
	ADDQ $tileA__size, DI
	ADDQ $16, SI
	DECQ CX
	JNE pair
	FIT32
	MOVB AX, ret+24(FP)
	VZEROUPPER
	RET

#define B32(index, values, exponents) \
	VMOVDQA64 index, Z2 \
	VPERMI2D Z1, Z0, Z2 \
	EXPONENTS32(Z2, Z3) \
	VMOVUPS Z2, (tileB_values+values)(DI) \
	VPMOVDW Z3, (tileB_exponents+exponents)(DI)

// func decodeB32(to *tileB, registers **Row, count int) bool
TEXT ·decodeB32(SB), NOSPLIT, $0-25
	MOVQ to+0(FP), DI
	MOVQ registers+8(FP), SI
	MOVQ count+16(FP), CX
	FORM32
	SPREAD

register:
	MOVQ (SI), BX
	VPANDD (BX), Z16, Z0
	VPANDD 64(BX), Z16, Z1
	B32(Z5, 0, 0)
	B32(Z6, 64, 32)
	ADDQ $tileB__size, DI
	ADDQ $8, SI
	DECQ CX
	JNE register
	FIT32
	MOVB AX, ret+24(FP)
	VZEROUPPER
	RET

// The word of lane 0 of a quad, in all of them.
DATA first<>+0(SB)/8, $0x0100010001000100
DATA first<>+8(SB)/8, $0x0100010001000100
GLOBL first<>(SB), RODATA|NOPTR, $16

// LARGEST takes the largest exponent of the products of a column of A, in every lane of its quads, and a row of B.
#define LARGEST(column, index) \
	VPSHUFB index, Z4, Z5 \
	VBROADCASTI32X4 (tileB_exponents+16*column)(DX), Z6 \
	VPADDW Z6, Z5, Z5 \
	VPMAXSW Z5, Z0, Z0

// ALIGN takes the exponents of C's lanes into the largest ones. It sets the scale that leaves the bits of a sum before the point, and
// C's part of that. K4 gathers the lanes whose exponent is not near 0.
#define ALIGN(c, largest, scale, part) \
	VPSLLD $1, c, Z5 \
	VPTESTMD Z5, Z5, K1 \
	VPSRLD $24, Z5, Z5 \
	VPSUBD Z17, Z5, Z6 \
	VPCMPUD $6, Z18, Z6, K1, K2 \
	KORW K2, K4, K4 \
	VPMAXUD.Z Z19, Z5, K1, Z5 \
	VPADDD Z16, largest, largest \
	VPMAXSD Z5, largest, largest \
	VPMAXSD Z17, largest, largest \
	VPSUBD largest, Z20, scale \
	VPSLLD $23, scale, scale \
	VMULPS scale, c, part \
	VCVTTPS2DQ part, part

// PRODUCTS adds the products of a column of A and a row of B, scaled and cut.
#define PRODUCTS(column) \
	VPERMILPS $(85*column), Z0, Z4 \
	VBROADCASTF32X4 (tileB_values+32*column)(DX), Z5 \
	VBROADCASTF32X4 (tileB_values+32*column+16)(DX), Z6 \
	VMULPS Z4, Z5, Z5 \
	VMULPS Z4, Z6, Z6 \
	VMULPS Z9, Z5, Z5 \
	VMULPS Z10, Z6, Z6 \
	VCVTTPS2DQ Z5, Z5 \
	VCVTTPS2DQ Z6, Z6 \
	VPADDD Z5, Z13, Z13 \
	VPADDD Z6, Z14, Z14

// RESULT stores the sums of 16 lanes, cut to f32; Z4 is where the sum was cut.
#define RESULT(sum, largest, to) \
	VCVTDQ2PS.RZ_SAE sum, Z5 \
	VCVTPS2DQ Z5, Z6 \
	VPCMPD $4, sum, Z6, K1 \
	VPORD Z22, Z5, K1, Z5 \
	VPSUBD Z21, largest, Z6 \
	VPSLLD $23, Z6, Z6 \
	VMULPS Z6, Z5, Z5 \
	VMOVUPS Z5, to

// WIDE stores the sums of 8 lanes whose two parts together may not fit 32 bits.
#define WIDE(products, part, largest, to) \
	VCVTDQ2PD products, Z4 \
	VCVTDQ2PD part, Z5 \
	VADDPD Z5, Z4, Z4 \
	VCVTPD2PS.RZ_SAE Z4, Y5 \
	VCVTPS2PD Y5, Z6 \
	VCMPPD $4, Z4, Z6, K1 \
	VPORD Y22, Y5, K1, Y5 \
	VPSUBD Y21, largest, Y6 \
	VPSLLD $23, Y6, Y6 \
	VMULPS Y6, Y5, Y5 \
	VMOVUPS Y5, to

// func sum512(x *tileSum) bool
//
// R9 walks over the rows of A, BX and R8 over the registers of C and the sums, R12 over their lanes; DI and DX over the groups. Of even columns, and of odd
// ones, Z1 and Z2 are the largest exponents, Z9 and Z10 the scales, Z11 and Z12 the parts of C, Z13 and Z14 the sums of the
// products: 32 bits are enough for those of 16, as a factor is less than 2 - 2^-10.
TEXT ·sum512(SB), NOSPLIT, $0-9
	MOVQ x+0(FP), SI
	MOVQ tileSum_c(SI), BX
	MOVQ tileSum_sums(SI), R8
	VPBROADCASTD tileSum_bias(SI), Z16
	MOVL $27, AX
	VPBROADCASTD AX, Z17       // the least exponent of C
	MOVL $200, AX
	VPBROADCASTD AX, Z18       // and their span
	VPBROADCASTD tileSum_least(SI), Z19
	MOVL tileSum_bits(SI), AX
	VPBROADCASTD AX, Z21
	ADDL $254, AX
	VPBROADCASTD AX, Z20
	VPBROADCASTD tileSum_sticky(SI), Z22
	VBROADCASTI32X4 first<>(SB), Z24
	MOVL $0x04040404, AX
	VPBROADCASTD AX, Z27
	VPADDB Z27, Z24, Z25
	VPADDB Z27, Z25, Z26
	VPADDB Z27, Z26, Z27
	MOVL $const_noExponent, AX
	VPBROADCASTW AX, Z28
	KXORW K4, K4, K4
	XORQ R9, R9
	XORQ R12, R12

rows:
	MOVQ tileSum_a(SI), DI
	MOVQ tileSum_b(SI), DX
	MOVQ tileSum_count(SI), CX
	VMOVDQA64 Z28, Z0

exponents:
	VMOVDQU32 tileA_exponents(DI)(R9*1), Z4
	LARGEST(0, Z24)
	LARGEST(1, Z25)
	LARGEST(2, Z26)
	LARGEST(3, Z27)
	ADDQ $tileA__size, DI
	ADDQ $tileB__size, DX
	DECQ CX
	JNE exponents

	VPUNPCKLWD Z0, Z0, Z1
	VPUNPCKHWD Z0, Z0, Z2
	VPSRAD $16, Z1, Z1
	VPSRAD $16, Z2, Z2
	MOVQ (BX), R10
	MOVQ 8(BX), R11
	VMOVUPS (R10)(R12*1), Z7
	VMOVUPS (R11)(R12*1), Z8
	ALIGN(Z7, Z1, Z9, Z11)
	ALIGN(Z8, Z2, Z10, Z12)
	VPXORD Z13, Z13, Z13
	VPXORD Z14, Z14, Z14
	MOVQ tileSum_a(SI), DI
	MOVQ tileSum_b(SI), DX
	MOVQ tileSum_count(SI), CX

values:
	VMOVUPS tileA_values(DI)(R9*1), Z0
	PRODUCTS(0)
	PRODUCTS(1)
	PRODUCTS(2)
	PRODUCTS(3)
	ADDQ $tileA__size, DI
	ADDQ $tileB__size, DX
	DECQ CX
	JNE values

	MOVQ (R8), R10
	MOVQ 8(R8), R11
	VPADDD Z11, Z13, Z7
	VPADDD Z12, Z14, Z8
	VMOVDQA64 Z13, Z4
	VMOVDQA64 Z14, Z5
	VPTERNLOGD $0x24, Z11, Z7, Z4 // the sign of the sum is that of neither part
	VPTERNLOGD $0x24, Z12, Z8, Z5
	VPORD Z4, Z5, Z4
	VPMOVD2M Z4, K1
	KORTESTW K1, K1
	JNE wide
	RESULT(Z7, Z1, (R10)(R12*1))
	RESULT(Z8, Z2, (R11)(R12*1))

next:
	ADDQ $64, R9
	XORQ $64, R12
	JNE same
	ADDQ $16, BX               // c0 and c1 are done
	ADDQ $16, R8

same:
	CMPQ R9, $256
	JNE rows
	KTESTW K4, K4
	SETEQ ret+8(FP)
	VZEROUPPER
	RET

wide:
	WIDE(Y13, Y11, Y1, (R10)(R12*1))
	WIDE(Y14, Y12, Y2, (R11)(R12*1))
	VEXTRACTI64X4 $1, Z13, Y13
	VEXTRACTI64X4 $1, Z14, Y14
	VEXTRACTI64X4 $1, Z11, Y11
	VEXTRACTI64X4 $1, Z12, Y12
	VEXTRACTI64X4 $1, Z1, Y1
	VEXTRACTI64X4 $1, Z2, Y2
	WIDE(Y13, Y11, Y1, 32(R10)(R12*1))
	WIDE(Y14, Y12, Y2, 32(R11)(R12*1))
	JMP next

// E4M3 turns bytes in the high halves of words into f16.
#define E4M3(words, low) \
	VPANDD Z17, words, Z4 \
	VPCMPEQW Z17, Z4, K1 \
	KORD K1, K4, K4 \
	VPSRLW $1, Z4, Z4 \
	VPTERNLOGD $0xF8, Z18, words, Z4 \
	VEXTRACTI64X4 $1, Z4, Y5 \
	VCVTPH2PS Y4, Z4 \
	VCVTPH2PS Y5, Z5 \
	VMULPS Z19, Z4, Z4 \
	VMULPS Z19, Z5, Z5 \
	VCVTPS2PH $0, Z4, low \
	VCVTPS2PH $0, Z5, Y5 \
	VINSERTI64X4 $1, Y5, words, words

// The bytes 0 and 1, and 2 and 3, of each dword, each in the high half of a word.
DATA pairs<>+0(SB)/8, $0x0580048001800080
DATA pairs<>+8(SB)/8, $0x0D800C8009800880
DATA pairs<>+16(SB)/8, $0x0780068003800280
DATA pairs<>+24(SB)/8, $0x0F800E800B800A80
GLOBL pairs<>(SB), RODATA|NOPTR, $32

// func halvesOfBytes(low, high, register *Row, e4m3 bool) bool
TEXT ·halvesOfBytes(SB), NOSPLIT, $0-33
	MOVQ low+0(FP), DI
	MOVQ high+8(FP), R8
	MOVQ register+16(FP), SI
	MOVBLZX e4m3+24(FP), BX
	VBROADCASTI32X4 pairs<>(SB), Z6
	VBROADCASTI32X4 pairs<>+16(SB), Z7
	MOVL $0x7F00, AX
	VPBROADCASTW AX, Z17
	MOVL $0x8000, AX
	VPBROADCASTW AX, Z18
	MOVL $0x43800000, AX       // 256: the bias of an f16 is greater by 8
	VPBROADCASTD AX, Z19
	KXORD K4, K4, K4
	MOVQ $2, CX

lanes:
	VMOVDQU32 (SI), Z0
	VPSHUFB Z6, Z0, Z1
	VPSHUFB Z7, Z0, Z2
	TESTB BX, BX
	JEQ store
	E4M3(Z1, Y1)
	E4M3(Z2, Y2)

store:
	VMOVDQU32 Z1, (DI)
	VMOVDQU32 Z2, (R8)
	ADDQ $64, SI
	ADDQ $64, DI
	ADDQ $64, R8
	DECQ CX
	JNE lanes
	KORTESTD K4, K4
	SETEQ ret+32(FP)
	VZEROUPPER
	RET

// WIDEN turns 16 lanes of a register of f16s into f32: of even columns and of odd ones.
#define WIDEN(register, from, to) \
	VMOVDQU32 from(register), Z0 \
	VPSRLD $16, Z0, Z1 \
	HALVES(Z0, Z0, Y0) \
	HALVES(Z1, Z1, Y1) \
	VMOVUPS Z0, to(DI) \
	VMOVUPS Z1, (to+128)(DI)

// func widenHalves(to *[4]Row, registers **Row)
TEXT ·widenHalves(SB), NOSPLIT, $0-16
	MOVQ to+0(FP), DI
	MOVQ registers+8(FP), SI
	MOVQ (SI), BX
	WIDEN(BX, 0, 0)
	WIDEN(BX, 64, 64)
	MOVQ 8(SI), BX
	WIDEN(BX, 0, 256)
	WIDEN(BX, 64, 320)
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
	VPCMPEQW Z2, Z0, K1 \
	VMOVDQU16 Z3, K1, Z0 \
	VMOVDQU32 Z0, at(DI)

// func packHalves(to *[2]Row, elements *[4]Row, minusZero uint32)
TEXT ·packHalves(SB), NOSPLIT, $0-20
	MOVQ to+0(FP), DI
	MOVQ elements+8(FP), SI
	MOVL $0x8000, AX
	VPBROADCASTW AX, Z2
	MOVL minusZero+16(FP), AX
	VPBROADCASTW AX, Z3
	PACK(0, 128, 0)
	PACK(64, 192, 64)
	PACK(256, 384, 128)
	PACK(320, 448, 192)
	VZEROUPPER
	RET

// ADD adds 16 lanes.
#define ADD(at) \
	VMOVUPS at(DX), Z0 \
	VADDPS at(BX), Z0, Z0 \
	VMOVUPS Z0, at(DI) \
	VSUBPS Z0, Z0, Z0 \
	VPTESTMD Z0, Z0, K1 \
	KORW K1, K4, K4

// func addRows(to, sums *[4]Row, registers **Row) bool
TEXT ·addRows(SB), NOSPLIT, $0-25
	MOVQ to+0(FP), DI
	MOVQ sums+8(FP), DX
	MOVQ registers+16(FP), SI
	KXORW K4, K4, K4
	MOVQ $4, CX

register:
	MOVQ (SI), BX
	ADD(0)
	ADD(64)
	ADDQ $8, SI
	ADDQ $128, DX
	ADDQ $128, DI
	DECQ CX
	JNE register
	KTESTW K4, K4
	SETEQ ret+24(FP)
	VZEROUPPER
	RET
