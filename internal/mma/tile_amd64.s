#include "go_asm.h"
#include "textflag.h"
#include "call_amd64.h"
#include "form_amd64.h"

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

// Of four dwords the low words, then the high ones.
DATA ·lowAndHigh+0(SB)/8, $0x0D0C090805040100
DATA ·lowAndHigh+8(SB)/8, $0x0F0E0B0A07060302
GLOBL ·lowAndHigh(SB), RODATA|NOPTR, $16

// Quadwords in the order in which the words of lowAndHigh become rows.
DATA ·rowsOfB+0(SB)/8, $0
DATA ·rowsOfB+8(SB)/8, $2
DATA ·rowsOfB+16(SB)/8, $1
DATA ·rowsOfB+24(SB)/8, $3
DATA ·rowsOfB+32(SB)/8, $4
DATA ·rowsOfB+40(SB)/8, $6
DATA ·rowsOfB+48(SB)/8, $5
DATA ·rowsOfB+56(SB)/8, $7
GLOBL ·rowsOfB(SB), RODATA|NOPTR, $64

// Columns 0, 2, 4, 6, 1, 3, 5, 7.
DATA ·evenAndOdd+0(SB)/8, $0x0705030106040200
DATA ·evenAndOdd+8(SB)/8, $0x8080808080808080
GLOBL ·evenAndOdd(SB), RODATA|NOPTR, $16

// The first byte of each half of 16 bytes, and of 8.
DATA halvesOf16<>+0(SB)/8, $0x0000000000000000
DATA halvesOf16<>+8(SB)/8, $0x0808080808080808
GLOBL halvesOf16<>(SB), RODATA|NOPTR, $16
DATA halvesOf8<>+0(SB)/8, $0x0000000000000000
DATA halvesOf8<>+8(SB)/8, $0x0404040404040404
GLOBL halvesOf8<>(SB), RODATA|NOPTR, $16

// Bytes 0 and 4, 1 and 5, 2 and 6, 3 and 7: rows as tileA has them.
DATA rowsOfA<>+0(SB)/8, $0x0000000000000000
DATA rowsOfA<>+8(SB)/8, $0x0404040404040404
DATA rowsOfA<>+16(SB)/8, $0x0101010101010101
DATA rowsOfA<>+24(SB)/8, $0x0505050505050505
DATA rowsOfA<>+32(SB)/8, $0x0202020202020202
DATA rowsOfA<>+40(SB)/8, $0x0606060606060606
DATA rowsOfA<>+48(SB)/8, $0x0303030303030303
DATA rowsOfA<>+56(SB)/8, $0x0707070707070707
GLOBL rowsOfA<>(SB), RODATA|NOPTR, $64

// The same where the even rows come first.
DATA evenRowsOfA<>+0(SB)/8, $0x0000000000000000
DATA evenRowsOfA<>+8(SB)/8, $0x0202020202020202
DATA evenRowsOfA<>+16(SB)/8, $0x0404040404040404
DATA evenRowsOfA<>+24(SB)/8, $0x0606060606060606
DATA evenRowsOfA<>+32(SB)/8, $0x0101010101010101
DATA evenRowsOfA<>+40(SB)/8, $0x0303030303030303
DATA evenRowsOfA<>+48(SB)/8, $0x0505050505050505
DATA evenRowsOfA<>+56(SB)/8, $0x0707070707070707
GLOBL evenRowsOfA<>(SB), RODATA|NOPTR, $64

// EXPONENTS takes those of the words of raw, and sets mask where they are not zero.
#define EXPONENTS(raw, to, mask) \
	VPSRLW X16, raw, to \
	VPTESTMW Z18, raw, mask \
	VPANDD Z17, to, to \
	VPMAXUW Z19, to, to \
	VPMINUW to, Z21, mask, Z21 \
	VPMAXUW to, Z22, mask, Z22 \
	VPADDW Z23, to, to \
	VPBLENDMW to, Z20, mask, to

// DECODED goes on where FIT was true, else with the next form.
#define DECODED \
	TESTB AX, AX \
	JEQ other \
	MOVWLZX elementForm_low(DX), CX \
	POINT(call_low(R10), BX) \
	MOVL CX, (BX) \
	GOON \
other: \
	CMPB elementForm_last(DX), $0 \
	JNE fail \
	ADDQ $elementForm__size, DX \
	JMP form \
fail: \
	FAIL

// SIGNS sets positive and negative, of the words that are not zero as K1 and K2 tell of raw and raw2, to those above and below zero.
#define SIGNS(raw, raw2, positive, negative) \
	VPMOVW2M raw, K3 \
	VPMOVW2M raw2, K4 \
	KUNPCKDQ K1, K2, K1 \
	KUNPCKDQ K3, K4, K3 \
	KMOVQ K1, positive \
	KMOVQ K3, negative \
	ANDQ positive, negative \
	XORQ negative, positive

// SIGNS32 is SIGNS of dwords, of which there are half as many.
#define SIGNS32(raw, raw2, positive, negative) \
	VPMOVD2M raw, K3 \
	VPMOVD2M raw2, K4 \
	KUNPCKWD K1, K2, K1 \
	KUNPCKWD K3, K4, K3 \
	KMOVD K1, positive \
	KMOVD K3, negative \
	ANDL positive, negative \
	XORL negative, positive

// OVERB stores the exponents of a column of A for all columns of B.
#define OVERB(index, to) \
	VPSHUFB index, Z4, Z5 \
	VMOVDQU32 Z5, to

// ROW stores eight elements of a row of A, as doubles and with a little added to magnitudes.
#define ROW(to) \
	VCVTPS2PD Y5, Z5 \
	VMULPD Z31, Z5, Z5 \
	VMOVUPD Y5, (tileA_values+to)(DI) \
	VEXTRACTF64X4 $1, Z5, (tileA__size+tileA_values+to)(DI)

#define HALFROW(row, to) \
	VCVTPH2PS (16*row)(BX), Y5 \
	ROW(32*row+to)

#define BFLOATROW(row, to) \
	VPMOVZXWD (16*row)(BX), Y5 \
	VPSLLD $16, Y5, Y5 \
	ROW(32*row+to)

#define EIGHT(row, to) \
	row(0, to) \
	row(1, to) \
	row(2, to) \
	row(3, to) \
	row(4, to) \
	row(5, to) \
	row(6, to) \
	row(7, to)

// BITS stores the bits of eight rows for all columns of B, those of four columns of A each.
#define BITS(bits, to) \
	VPBROADCASTQ bits, Z5 \
	VPSHUFB Z8, Z5, Z5 \
	VPSRLW $4, Z5, Z6 \
	VPANDD Z9, Z5, Z5 \
	VPANDD Z9, Z6, Z6 \
	VMOVDQU32 Z5, to(DI) \
	VMOVDQU32 Z6, (tileA__size+to)(DI)

// A16 decodes eight rows of a register of A, from half 0 or 1 of the tile's.
#define A16(half) \
	VMOVDQU32 (BX), Z0 \
	VMOVDQU32 64(BX), Z1 \
	EXPONENTS(Z0, Z2, K1) \
	EXPONENTS(Z1, Z3, K2) \
	SIGNS(Z0, Z1, R14, R15) \
	VPACKSSWB Z3, Z2, Z4 \
	OVERB(Z24, (tileA_exponents+64*half)(DI)) \
	OVERB(Z25, (tileA_exponents+128+64*half)(DI)) \
	OVERB(Z26, (tileA_exponents+256+64*half)(DI)) \
	OVERB(Z27, (tileA_exponents+384+64*half)(DI)) \
	OVERB(Z28, (tileA__size+tileA_exponents+64*half)(DI)) \
	OVERB(Z29, (tileA__size+tileA_exponents+128+64*half)(DI)) \
	OVERB(Z30, (tileA__size+tileA_exponents+256+64*half)(DI)) \
	OVERB(Z10, (tileA__size+tileA_exponents+384+64*half)(DI)) \
	BITS(R14, (tileA_positive+64*half)) \
	BITS(R15, (tileA_negative+64*half))

// Decodes count pairs of registers of A that hold two elements a lane: two groups each.
TEXT decodeA16<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ call_forms(R10), DX

form:
	MOVQ R10, SI
	CALL ·groupsA16(SB)
	FIT
	DECODED

// Does what the call at SI, a decodeA16, is for; DX points at the form.
TEXT ·groupsA16(SB), NOSPLIT|NOFRAME, $0-0
	MOVL $1, AX
	VPBROADCASTB AX, Z11
	VBROADCASTI32X4 halvesOf16<>(SB), Z24
	VPADDB Z11, Z24, Z25
	VPADDB Z11, Z25, Z26
	VPADDB Z11, Z26, Z27
	VPADDB Z11, Z27, Z28
	VPADDB Z11, Z28, Z29
	VPADDB Z11, Z29, Z30
	VPADDB Z11, Z30, Z10
	VMOVDQU32 rowsOfA<>(SB), Z8
	MOVL $15, AX
	VPBROADCASTB AX, Z9
	MOVQ $const_above, AX
	VPBROADCASTQ AX, Z31
	FORM(const_zeroOfA, 1)
	POINT(call_to(SI), DI)
	MOVQ call_count(SI), CX
	ADDQ $call_from, SI

pair:
	POINT(0(SI), BX)
	A16(0)
	CMPB elementForm_half(DX), $0
	JEQ bfloats
	EIGHT(HALFROW, 0)
	POINT(8(SI), BX)
	A16(1)
	EIGHT(HALFROW, 256)

next:
	ADDQ $(2*tileA__size), DI
	ADDQ $16, SI
	DECQ CX
	JNE pair
	RET

bfloats:
	EIGHT(BFLOATROW, 0)
	POINT(8(SI), BX)
	A16(1)
	EIGHT(BFLOATROW, 256)
	JMP next

// DOUBLES stores two rows of B from eight floats each.
#define DOUBLES(to) \
	VCVTPS2PD Y3, Z4 \
	VMOVUPD Z4, to(DI) \
	VEXTRACTF64X4 $1, Z3, Y3 \
	VCVTPS2PD Y3, Z4 \
	VMOVUPD Z4, (to+64)(DI)

// B16 decodes four rows of B, from two lanes of each quad.
#define B16(index, at) \
	VMOVDQA64 index, Z2 \
	VPERMI2D Z1, Z0, Z2 \
	VPSHUFB Z10, Z2, Z2 \
	VPERMQ Z2, Z11, Z2 \
	EXPONENTS(Z2, Z3, K1) \
	VPMOVWB Z3, (at+tileB_exponents)(DI) \
	CMPB elementForm_half(DX), $0 \
	JEQ 10(PC) \
	VCVTPH2PS Y2, Z3 \
	DOUBLES(at+tileB_values) \
	VEXTRACTI64X4 $1, Z2, Y2 \
	VCVTPH2PS Y2, Z3 \
	JMP 11(PC) \
	VPMOVZXWD Y2, Z3 \
	VPSLLD $16, Z3, Z3 \
	DOUBLES(at+tileB_values) \
	VEXTRACTI64X4 $1, Z2, Y2 \
	VPMOVZXWD Y2, Z3 \
	VPSLLD $16, Z3, Z3 \
	DOUBLES(at+tileB_values+128)

// OFCOLUMNS stores four bits of each column, twice.
#define OFCOLUMNS(bits, to) \
	VMOVQ bits, X3 \
	VPSHUFB X8, X3, X3 \
	VPSRLW $4, X3, X4 \
	VPANDD X9, X3, X3 \
	VPANDD X9, X4, X4 \
	VMOVQ X3, to(DI) \
	VMOVQ X4, (tileB__size+to)(DI)

// Decodes count registers of B that hold two elements a lane: two groups each.
TEXT decodeB16<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ call_forms(R10), DX

form:
	MOVQ R10, SI
	CALL ·groupsB16(SB)
	FIT
	DECODED

// Does what the call at SI, a decodeB16, is for; DX points at the form.
TEXT ·groupsB16(SB), NOSPLIT|NOFRAME, $0-0
	SPREAD
	VBROADCASTI32X4 ·lowAndHigh(SB), Z10
	VMOVDQU32 ·rowsOfB(SB), Z11
	VMOVDQU32 ·evenAndOdd(SB), X8
	MOVL $15, AX
	VPBROADCASTB AX, X9
	FORM(const_zeroOfB, 0)
	POINT(call_to(SI), DI)
	MOVQ call_count(SI), CX
	ADDQ $call_from, SI

register:
	POINT(0(SI), BX)
	VMOVDQU32 (BX), Z0
	VMOVDQU32 64(BX), Z1
	VPTESTMW Z18, Z0, K1
	VPTESTMW Z18, Z1, K2
	SIGNS(Z0, Z1, R14, R15)
	OFCOLUMNS(R14, tileB_positive)
	OFCOLUMNS(R15, tileB_negative)
	B16(Z5, 0)
	B16(Z6, tileB__size)
	ADDQ $(2*tileB__size), DI
	ADDQ $8, SI
	DECQ CX
	JNE register
	RET

// FORM32 loads the constants of tf32: the bits that count in Z16, those of a magnitude in Z17, an exponent's code for zero and what is to
// be added to others in Z18 and Z19. Z21 and Z22 gather the least and the largest exponents.
#define FORM32(zero, first) \
	MOVL $(0xFFFFFFFF-const_tf32Ignored), AX \
	VPBROADCASTD AX, Z16 \
	MOVL $(0x7FFFFFFF-const_tf32Ignored), AX \
	VPBROADCASTD AX, Z17 \
	MOVL $zero, AX \
	VPBROADCASTD AX, Z18 \
	MOVWLZX elementForm_low(DX), BX \
	MOVL $first, AX \
	SUBL BX, AX \
	VPBROADCASTD AX, Z19 \
	VPTERNLOGD $0xFF, Z21, Z21, Z21 \
	VPXORD Z22, Z22, Z22

#define EXPONENTS32(value, to, mask) \
	VPANDD Z17, value, to \
	VPTESTMD to, to, mask \
	VPSRLD $23, to, to \
	VPMINUD to, Z21, mask, Z21 \
	VPMAXUD to, Z22, mask, Z22 \
	VPADDD Z19, to, to \
	VPBLENDMD to, Z18, mask, to

#define FIT32 \
	MOVWLZX elementForm_low(DX), AX \
	VPBROADCASTD AX, Z0 \
	MOVWLZX elementForm_high(DX), AX \
	VPBROADCASTD AX, Z1 \
	VPCMPUD $1, Z0, Z21, K1 \
	VPCMPUD $6, Z1, Z22, K2 \
	KORTESTW K1, K2 \
	SETEQ AX

// NIBBLES sets bits to those of the even nibbles in bytes, followed by those of the odd ones.
#define NIBBLES(bits) \
	MOVQ bits, AX \
	SHRQ $4, AX \
	ANDL $0x0F0F0F0F, bits \
	ANDL $0x0F0F0F0F, AX \
	SHLQ $32, AX \
	ORQ AX, bits

// BITS32 is BITS of four columns of A.
#define BITS32(bits, to) \
	NIBBLES(bits) \
	VPBROADCASTQ bits, Z5 \
	VPSHUFB Z8, Z5, Z5 \
	VMOVDQU32 Z5, to(DI)

#define ROWS32(value, low, to) \
	VCVTPS2PD low, Z5 \
	VMULPD Z31, Z5, Z5 \
	VMOVUPD Z5, to(DI) \
	VEXTRACTF64X4 $1, value, low \
	VCVTPS2PD low, Z5 \
	VMULPD Z31, Z5, Z5 \
	VMOVUPD Z5, (to+64)(DI)

#define A32(half) \
	VPANDD (BX), Z16, Z0 \
	VPANDD 64(BX), Z16, Z1 \
	EXPONENTS32(Z0, Z2, K1) \
	EXPONENTS32(Z1, Z3, K2) \
	SIGNS32(Z0, Z1, R14, R15) \
	VPACKSSDW Z3, Z2, Z4 \
	VPACKSSWB Z4, Z4, Z4 \
	OVERB(Z24, (tileA_exponents+64*half)(DI)) \
	OVERB(Z25, (tileA_exponents+128+64*half)(DI)) \
	OVERB(Z26, (tileA_exponents+256+64*half)(DI)) \
	OVERB(Z27, (tileA_exponents+384+64*half)(DI)) \
	BITS32(R14, (tileA_positive+64*half)) \
	BITS32(R15, (tileA_negative+64*half)) \
	ROWS32(Z0, Y0, (tileA_values+256*half)) \
	ROWS32(Z1, Y1, (tileA_values+256*half+128))

// Decodes count pairs of registers of A that hold a tf32 a lane: a group each.
TEXT decodeA32<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ call_forms(R10), DX
	MOVL $1, AX
	VPBROADCASTB AX, Z11
	VBROADCASTI32X4 halvesOf8<>(SB), Z24
	VPADDB Z11, Z24, Z25
	VPADDB Z11, Z25, Z26
	VPADDB Z11, Z26, Z27
	VMOVDQU32 evenRowsOfA<>(SB), Z8
	MOVQ $const_above, AX
	VPBROADCASTQ AX, Z31

form:
	FORM32(const_zeroOfA, 1)
	POINT(call_to(R10), DI)
	LEAQ call_from(R10), SI
	MOVQ call_count(R10), CX

pair:
	POINT(0(SI), BX)
	A32(0)
	POINT(8(SI), BX)
	A32(1)
	ADDQ $tileA__size, DI
	ADDQ $16, SI
	DECQ CX
	JNE pair
	FIT32
	DECODED

#define B32(index, values, exponents) \
	VMOVDQA64 index, Z3 \
	VPERMI2D Z1, Z0, Z3 \
	EXPONENTS32(Z3, Z2, K1) \
	VPMOVDB Z2, (tileB_exponents+exponents)(DI) \
	DOUBLES(tileB_values+values)

// Decodes count registers of B that hold a tf32 a lane: a group each.
TEXT decodeB32<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ call_forms(R10), DX
	SPREAD

form:
	FORM32(const_zeroOfB, 0)
	POINT(call_to(R10), DI)
	LEAQ call_from(R10), SI
	MOVQ call_count(R10), CX

register:
	POINT(0(SI), BX)
	VPANDD (BX), Z16, Z0
	VPANDD 64(BX), Z16, Z1
	VPTESTMD Z17, Z0, K1
	VPTESTMD Z17, Z1, K2
	SIGNS32(Z0, Z1, R14, R15)
	NIBBLES(R14)
	NIBBLES(R15)
	MOVQ R14, tileB_positive(DI)
	MOVQ R15, tileB_negative(DI)
	B32(Z5, 0, 0)
	B32(Z6, 128, 16)
	ADDQ $tileB__size, DI
	ADDQ $8, SI
	DECQ CX
	JNE register
	FIT32
	DECODED

// The bits that are set in four.
DATA bitsSet<>+0(SB)/8, $0x0302020102010100
DATA bitsSet<>+8(SB)/8, $0x0403030203020201
GLOBL bitsSet<>(SB), RODATA|NOPTR, $16

// Words 0 to 7 of 128 bits, each at the top of a quadword.
DATA tops<>+0(SB)/8, $0x0100808080808080
DATA tops<>+8(SB)/8, $0x0302808080808080
DATA tops<>+16(SB)/8, $0x0504808080808080
DATA tops<>+24(SB)/8, $0x0706808080808080
DATA tops<>+32(SB)/8, $0x0908808080808080
DATA tops<>+40(SB)/8, $0x0B0A808080808080
DATA tops<>+48(SB)/8, $0x0D0C808080808080
DATA tops<>+56(SB)/8, $0x0F0E808080808080
GLOBL tops<>(SB), RODATA|NOPTR, $64

// Rows 0 and 1 of two vectors of four rows of four floats each.
DATA twoRows<>+0(SB)/8, $0x0000000100000000
DATA twoRows<>+8(SB)/8, $0x0000000300000002
DATA twoRows<>+16(SB)/8, $0x0000001100000010
DATA twoRows<>+24(SB)/8, $0x0000001300000012
DATA twoRows<>+32(SB)/8, $0x0000000500000004
DATA twoRows<>+40(SB)/8, $0x0000000700000006
DATA twoRows<>+48(SB)/8, $0x0000001500000014
DATA twoRows<>+56(SB)/8, $0x0000001700000016
GLOBL twoRows<>(SB), RODATA|NOPTR, $64

// LARGEST takes the largest exponents of the products of a column of A and a row of B.
#define LARGEST(column) \
	VPBROADCASTQ (tileB_exponents+8*column)(DX), Z4 \
	VPADDB (tileA_exponents+128*column)(DI), Z4, Z5 \
	VPADDB (tileA_exponents+128*column+64)(DI), Z4, Z6 \
	VPMAXSB Z5, Z0, Z0 \
	VPMAXSB Z6, Z1, Z1

// NEGATIVE counts the negative products of a group in eight rows.
#define NEGATIVE(at, sum) \
	VPANDD (tileA_positive+at)(DI), Z7, Z9 \
	VPTERNLOGD $0xF8, (tileA_negative+at)(DI), Z8, Z9 \
	VPSHUFB Z9, Z10, Z9 \
	VPADDB Z9, sum, sum

// ALIGN takes C's lanes at of four rows, the largest exponents of the products and how many of these are negative. It stores the words
// at the top of their sums' accumulators, the counts with C's, and C in rows of eight columns.
#define ALIGN(at, chunk, unpack, exponents, counts) \
	VMOVUPS at(SI), Z11 \
	VMOVUPS at(BX), Z12 \
	unpack Z13, exponents, Z4 \
	unpack Z13, counts, Z5 \
	VPCMPW $6, Z13, Z4, K1 \
	VPADDW.Z Z16, Z4, K1, Z4 \
	VPSLLD $1, Z11, Z6 \
	VPSLLD $1, Z12, Z7 \
	VPSRLD $24, Z6, Z6 \
	VPSRLD $24, Z7, Z7 \
	VPACKUSDW Z7, Z6, Z6 \
	VPTESTMW Z6, Z6, K1 \
	VPMAXUW Z19, Z6, K1, Z6 \
	VPMAXUW Z6, Z4, Z4 \
	VPMAXUW Z4, Z14, Z14 \
	VPSLLW $4, Z4, Z4 \
	VPADDW Z17, Z4, Z4 \
	VMOVDQU32 Z4, (Scratch_tops+64*chunk)(R8) \
	VCMPPS $1, Z13, Z11, K1 \
	VCMPPS $1, Z13, Z12, K2 \
	VPMOVM2D K1, Z6 \
	VPMOVM2D K2, Z7 \
	VPACKSSDW Z7, Z6, Z6 \
	VPSUBW Z6, Z5, Z5 \
	VMOVDQU32 Z5, (Scratch_negative+64*chunk)(R8) \
	VMOVDQA64 Z18, Z6 \
	VMOVDQA64 Z20, Z7 \
	VPERMI2D Z12, Z11, Z6 \
	VPERMI2D Z12, Z11, Z7 \
	VMOVDQU32 Z6, (Scratch_rows+128*chunk)(R8) \
	VMOVDQU32 Z7, (Scratch_rows+128*chunk+64)(R8)

// BEGIN sets the accumulators of a row.
#define BEGIN(row, sum) \
	VBROADCASTI32X4 (Scratch_tops+16*row)(R8), sum \
	VPSHUFB Z16, sum, sum \
	VMOVDQU64 sum, (Scratch_begin+64*row)(R8) \
	VPMOVZXWQ (Scratch_negative+16*row)(R8), Z17 \
	VCVTPS2PD (Scratch_rows+32*row)(R8), Z18 \
	VPADDQ Z17, sum, sum \
	VFMADD231PD.RD_SAE Z18, Z19, sum

// PRODUCTS adds those of an element of A and a row of B.
#define PRODUCTS(at, element, sum) \
	VBROADCASTSD at(DI), element \
	VFMADD231PD.RD_SAE element, Z16, sum

#define COLUMN(column) \
	VMOVUPD (tileB_values+64*column)(DX), Z16 \
	PRODUCTS(tileA_values+8*column+0, Z17, Z0) \
	PRODUCTS(tileA_values+8*column+32, Z18, Z1) \
	PRODUCTS(tileA_values+8*column+64, Z19, Z2) \
	PRODUCTS(tileA_values+8*column+96, Z20, Z3) \
	PRODUCTS(tileA_values+8*column+128, Z21, Z4) \
	PRODUCTS(tileA_values+8*column+160, Z22, Z5) \
	PRODUCTS(tileA_values+8*column+192, Z23, Z6) \
	PRODUCTS(tileA_values+8*column+224, Z24, Z7) \
	PRODUCTS(tileA_values+8*column+256, Z25, Z8) \
	PRODUCTS(tileA_values+8*column+288, Z26, Z9) \
	PRODUCTS(tileA_values+8*column+320, Z27, Z10) \
	PRODUCTS(tileA_values+8*column+352, Z28, Z11) \
	PRODUCTS(tileA_values+8*column+384, Z29, Z12) \
	PRODUCTS(tileA_values+8*column+416, Z30, Z13) \
	PRODUCTS(tileA_values+8*column+448, Z31, Z14) \
	PRODUCTS(tileA_values+8*column+480, Z17, Z15)

// RESULT stores the sums of a row, cut to f32.
#define RESULT(row, sum, sumLow, sumLowest, even, odd) \
	VSUBPD (Scratch_begin+64*row)(R8), sum, sum \
	VCVTPD2PS.RZ_SAE sum, sumLow \
	VMOVUPS sumLowest, even \
	VEXTRACTF128 $1, sumLow, odd

// STICKY is RESULT with the last bit set where the sum was cut.
#define STICKY(row, sum, sumLow, sumLowest, even, odd) \
	VSUBPD (Scratch_begin+64*row)(R8), sum, sum \
	VCVTPD2PS.RZ_SAE sum, Y16 \
	VCVTPS2PD Y16, Z17 \
	VCMPPD $4, sum, Z17, K1 \
	VPORD Y18, Y16, K1, Y16 \
	VMOVUPS X16, even \
	VEXTRACTF32X4 $1, Y16, odd

#define RESULTS(store) \
	store(0, Z0, Y0, X0, 0(SI), 0(BX)) \
	store(1, Z1, Y1, X1, 16(SI), 16(BX)) \
	store(2, Z2, Y2, X2, 32(SI), 32(BX)) \
	store(3, Z3, Y3, X3, 48(SI), 48(BX)) \
	store(4, Z4, Y4, X4, 64(SI), 64(BX)) \
	store(5, Z5, Y5, X5, 80(SI), 80(BX)) \
	store(6, Z6, Y6, X6, 96(SI), 96(BX)) \
	store(7, Z7, Y7, X7, 112(SI), 112(BX)) \
	store(8, Z8, Y8, X8, 0(R14), 0(R15)) \
	store(9, Z9, Y9, X9, 16(R14), 16(R15)) \
	store(10, Z10, Y10, X10, 32(R14), 32(R15)) \
	store(11, Z11, Y11, X11, 48(R14), 48(R15)) \
	store(12, Z12, Y12, X12, 64(R14), 64(R15)) \
	store(13, Z13, Y13, X13, 80(R14), 80(R15)) \
	store(14, Z14, Y14, X14, 96(R14), 96(R15)) \
	store(15, Z15, Y15, X15, 112(R14), 112(R15))

// Sums a step of a tile.
TEXT ·sumTile(SB), NOSPLIT|NOFRAME, $0-0
	// Of all elements of D, bytes of eight rows each, in the order of tileA: Z0 and Z1 are the largest exponents of products, Z2 and Z3 count negative ones.
	POINT(call_a(R10), DI)
	POINT(call_b(R10), DX)
	MOVQ call_count(R10), CX
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VBROADCASTI32X4 bitsSet<>(SB), Z10

exponents:
	LARGEST(0)
	LARGEST(1)
	LARGEST(2)
	LARGEST(3)
	VPBROADCASTQ tileB_negative(DX), Z7
	VPBROADCASTQ tileB_positive(DX), Z8
	NEGATIVE(0, Z2)
	NEGATIVE(64, Z3)
	ADDQ $tileA__size, DI
	ADDQ $tileB__size, DX
	DECQ CX
	JNE exponents

	// Words of four rows each.
	VPXORD Z13, Z13, Z13
	VPXORD Z14, Z14, Z14 // the largest of all exponents
	POINT(call_lowA(R10), SI)
	POINT(call_lowB(R10), BX)
	MOVL (SI), SI
	ADDL (BX), SI
	ADDL call_bias(R10), SI
	VPBROADCASTW SI, Z16
	MOVL $948, AX
	SUBL call_bits(R10), AX
	SHLL $4, AX
	ADDL $8, AX
	VPBROADCASTW AX, Z17
	VMOVDQU32 twoRows<>(SB), Z18
	VPBROADCASTW call_least(R10), Z19
	MOVL $8, AX
	VPBROADCASTD AX, Z20
	VPADDD Z18, Z20, Z20
	POINT(call_from+0(R10), SI)
	POINT(call_from+8(R10), BX)
	ALIGN(0, 0, VPUNPCKLBW, Z0, Z2)
	ALIGN(64, 1, VPUNPCKHBW, Z0, Z2)
	POINT(call_from+16(R10), SI)
	POINT(call_from+24(R10), BX)
	ALIGN(0, 2, VPUNPCKLBW, Z1, Z3)
	ALIGN(64, 3, VPUNPCKHBW, Z1, Z3)
	MOVL $const_mostExponent, AX
	VPBROADCASTW AX, Z4
	VPCMPUW $6, Z4, Z14, K4
	KTESTD K4, K4
	JNE fail

	// Doubles of one row each.
	VMOVDQU32 tops<>(SB), Z16
	MOVQ $const_above, AX
	VPBROADCASTQ AX, Z19
	BEGIN(0, Z0)
	BEGIN(1, Z1)
	BEGIN(2, Z2)
	BEGIN(3, Z3)
	BEGIN(4, Z4)
	BEGIN(5, Z5)
	BEGIN(6, Z6)
	BEGIN(7, Z7)
	BEGIN(8, Z8)
	BEGIN(9, Z9)
	BEGIN(10, Z10)
	BEGIN(11, Z11)
	BEGIN(12, Z12)
	BEGIN(13, Z13)
	BEGIN(14, Z14)
	BEGIN(15, Z15)
	POINT(call_a(R10), DI)
	POINT(call_b(R10), DX)
	MOVQ call_count(R10), CX

values:
	COLUMN(0)
	COLUMN(1)
	COLUMN(2)
	COLUMN(3)
	ADDQ $tileA__size, DI
	ADDQ $tileB__size, DX
	DECQ CX
	JNE values

	POINT(call_results+0(R10), SI)
	POINT(call_results+8(R10), BX)
	POINT(call_results+16(R10), R14)
	POINT(call_results+24(R10), R15)
	MOVL call_option(R10), AX
	TESTL AX, AX
	JNE sticky
	RESULTS(RESULT)
	GOON

fail:
	FAIL

sticky:
	VPBROADCASTD AX, Z18
	RESULTS(STICKY)
	GOON

// The last call.
TEXT end<>(SB), NOSPLIT|NOFRAME, $0-0
	XORL AX, AX
	RET

// func runCalls(first *call, x *Scratch, registers unsafe.Pointer) (failed *call)
TEXT ·runCalls(SB), NOSPLIT, $0-32
	MOVQ first+0(FP), R10
	MOVQ x+8(FP), R8
	MOVQ registers+16(FP), R9
	MOVQ call_code(R10), AX
	CALL AX
	VZEROUPPER
	MOVQ AX, failed+24(FP)
	RET

// func tileRoutines() *[routineCount]uintptr
TEXT ·tileRoutines(SB), NOSPLIT, $0-8
	LEAQ routineTable<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// Not read-only: a shared library's loader puts the addresses in.
DATA routineTable<>+0(SB)/8, $end<>(SB)
DATA routineTable<>+8(SB)/8, $decodeA16<>(SB)
DATA routineTable<>+16(SB)/8, $decodeB16<>(SB)
DATA routineTable<>+24(SB)/8, $decodeA32<>(SB)
DATA routineTable<>+32(SB)/8, $decodeB32<>(SB)
DATA routineTable<>+40(SB)/8, $·halvesOfBytes(SB)
DATA routineTable<>+48(SB)/8, $·sumTile(SB)
DATA routineTable<>+56(SB)/8, $·widenRows(SB)
DATA routineTable<>+64(SB)/8, $·packRows(SB)
DATA routineTable<>+72(SB)/8, $·addRows(SB)
DATA routineTable<>+80(SB)/8, $·copyRows(SB)
DATA routineTable<>+88(SB)/8, $·scan16(SB)
DATA routineTable<>+96(SB)/8, $·sumEither(SB)
GLOBL routineTable<>(SB), NOPTR, $104
