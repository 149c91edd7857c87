#include "go_asm.h"
#include "textflag.h"
#include "call_amd64.h"
#include "form_amd64.h"

// SCANNED takes the exponents of 32 words.
#define SCANNED(words) \
	VMOVDQU16 words, Z0 \
	VPSRLW X16, Z0, Z1 \
	VPTESTMW Z18, Z0, K1 \
	VPANDD Z17, Z1, Z1 \
	VPMAXUW Z19, Z1, Z1 \
	VPMINUW Z1, Z21, K1, Z21 \
	VPMAXUW Z1, Z22, K1, Z22

// Finds the form of a factor whose registers hold two elements a lane, option so many; it is to be decoded by who needs it.
TEXT ·scan16(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ call_forms(R10), DX

form:
	FORM(0, 0)
	LEAQ call_from(R10), SI
	MOVL call_option(R10), CX

register:
	POINT(0(SI), BX)
	SCANNED((BX))
	SCANNED(64(BX))
	ADDQ $8, SI
	DECL CX
	JNE register
	FIT
	TESTB AX, AX
	JEQ other
	VEXTRACTI64X4 $1, Z22, Y0
	VPMAXUW Y22, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPMAXUW X1, X0, X0
	VPTERNLOGD $0x55, X0, X0, X0 // the least of what is inverted
	VPHMINPOSUW X0, X0
	VMOVD X0, CX
	XORL $0xFFFF, CX
	MOVWLZX CX, CX
	MOVWLZX elementForm_low(DX), SI
	CMPL CX, SI
	CMOVLCS SI, CX
	POINT(call_low(R10), BX)
	MOVL SI, decoding_low(BX)
	MOVL CX, decoding_high(BX)
	MOVQ $0, decoding_full(BX)
	MOVQ R10, decoding_decode(BX)
	MOVQ DX, decoding_form(BX)
	GOON

other:
	CMPB elementForm_last(DX), $0
	JNE fail
	ADDQ $elementForm__size, DX
	JMP form

fail:
	FAIL

// Each of four numbers four times.
DATA fourTimes<>+0(SB)/8, $0
DATA fourTimes<>+8(SB)/8, $0
DATA fourTimes<>+16(SB)/8, $0x0000000100000001
DATA fourTimes<>+24(SB)/8, $0x0000000100000001
DATA fourTimes<>+32(SB)/8, $0x0000000200000002
DATA fourTimes<>+40(SB)/8, $0x0000000200000002
DATA fourTimes<>+48(SB)/8, $0x0000000300000003
DATA fourTimes<>+56(SB)/8, $0x0000000300000003
GLOBL fourTimes<>(SB), RODATA|NOPTR, $64

// FLOATS turns the words of Z0 into f32: of even columns in Z1, of odd ones in Z2.
#define FLOATS \
	CMPB elementForm_half(DX), $0 \
	JEQ 7(PC) \
	VPSRLD $16, Z0, Z2 \
	VPMOVDW Z0, Y1 \
	VPMOVDW Z2, Y2 \
	VCVTPH2PS Y1, Z1 \
	VCVTPH2PS Y2, Z2 \
	JMP 3(PC) \
	VPSLLD $16, Z0, Z1 \
	VPANDD Z28, Z0, Z2

// COLUMNS stores four columns of a block of rows, each a little greater, that are every second one from one on.
#define COLUMNS(floats, to) \
	VRANGEPS $3, Z29, floats, floats \
	VPORD Z30, floats, floats \
	VPERMILPS $0x00, floats, Z3 \
	VPERMILPS $0x55, floats, Z4 \
	VPERMILPS $0xAA, floats, Z5 \
	VPERMILPS $0xFF, floats, Z6 \
	VMOVUPS Z3, to(DI) \
	VMOVUPS Z4, (to+512)(DI) \
	VMOVUPS Z5, (to+1024)(DI) \
	VMOVUPS Z6, (to+1536)(DI)

// SIGNS_OF expands the signs of eight rows, of which the bytes in X0 and X1 are those of the first eight columns and of the others.
#define SIGNS_OF(to) \
	VPUNPCKLBW X1, X0, X0 \
	VPMOVZXWD X0, Y0 \
	VPERMD Z0, Z7, Z1 \
	VPERMD Z0, Z8, Z2 \
	VMOVDQU32 Z1, (singleA_signs+to)(R15) \
	VMOVDQU32 Z2, (singleA_signs+to+64)(R15)

// Decodes A, whose factor is at BX, to singles.
TEXT singleA16<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVL $1, decoding_single(BX)
	MOVQ decoding_form(BX), DX
	LEAQ decoding__size(BX), R15
	MOVQ decoding_decode(BX), SI
	MOVQ call_count(SI), CX
	ADDQ $call_from, SI
	MOVL $0xFFFF0000, AX
	VPBROADCASTD AX, Z28
	MOVL $const_tiny, AX
	VPBROADCASTD AX, Z29
	MOVL $1, AX
	VPBROADCASTD AX, Z30
	MOVQ R15, DI
	LEAQ singleA_masks(R15), R14
	MOVQ $0, 16(R14)
	MOVQ $0, 24(R14)

pair:
	POINT(0(SI), BX)
	VMOVDQU32 (BX), Z0
	VPMOVW2M Z0, K1
	FLOATS
	COLUMNS(Z1, 0)
	COLUMNS(Z2, 256)
	VMOVDQU32 64(BX), Z0
	VPMOVW2M Z0, K2
	KUNPCKDQ K1, K2, K1
	KMOVQ K1, (R14)
	FLOATS
	COLUMNS(Z1, 64)
	COLUMNS(Z2, 320)
	POINT(8(SI), BX)
	VMOVDQU32 (BX), Z0
	VPMOVW2M Z0, K1
	FLOATS
	COLUMNS(Z1, 128)
	COLUMNS(Z2, 384)
	VMOVDQU32 64(BX), Z0
	VPMOVW2M Z0, K2
	KUNPCKDQ K1, K2, K1
	KMOVQ K1, 8(R14)
	FLOATS
	COLUMNS(Z1, 192)
	COLUMNS(Z2, 448)
	ADDQ $2048, DI
	ADDQ $16, SI
	ADDQ $16, R14
	DECQ CX
	JNE pair

	VMOVDQU32 fourTimes<>(SB), Z7
	MOVL $4, AX
	VPBROADCASTD AX, Z8
	VPADDD Z7, Z8, Z8
	VMOVQ singleA_masks(R15), X0
	VMOVQ (singleA_masks+16)(R15), X1
	SIGNS_OF(0)
	VMOVQ (singleA_masks+8)(R15), X0
	VMOVQ (singleA_masks+24)(R15), X1
	SIGNS_OF(128)
	RET

// ROWS stores four rows of B, from two lanes of each quad.
#define ROWS(index, at) \
	VMOVDQA64 index, Z2 \
	VPERMI2D Z1, Z0, Z2 \
	VPSHUFB Z10, Z2, Z2 \
	VPERMQ Z2, Z11, Z2 \
	VEXTRACTI64X4 $1, Z2, Y3 \
	CMPB elementForm_half(DX), $0 \
	JEQ 4(PC) \
	VCVTPH2PS Y2, Z2 \
	VCVTPH2PS Y3, Z3 \
	JMP 5(PC) \
	VPMOVZXWD Y2, Z2 \
	VPMOVZXWD Y3, Z3 \
	VPSLLD $16, Z2, Z2 \
	VPSLLD $16, Z3, Z3 \
	VRANGEPS $3, Z29, Z2, Z2 \
	VRANGEPS $3, Z29, Z3, Z3 \
	VMOVUPS Z2, at(DI) \
	VMOVUPS Z3, (at+64)(DI)

// Decodes B, whose factor is at BX, to singles.
TEXT singleB16<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVL $1, decoding_single(BX)
	MOVQ decoding_form(BX), DX
	LEAQ decoding__size(BX), R15
	MOVQ decoding_decode(BX), SI
	MOVQ call_count(SI), CX
	ADDQ $call_from, SI
	SPREAD
	VBROADCASTI32X4 ·lowAndHigh(SB), Z10
	VMOVDQU32 ·rowsOfB(SB), Z11
	VMOVDQU32 ·evenAndOdd(SB), X8
	MOVL $const_tiny, AX
	VPBROADCASTD AX, Z29
	MOVQ R15, DI
	LEAQ singleB_masks(R15), R14
	MOVQ $0, 8(R14)

register:
	POINT(0(SI), BX)
	VMOVDQU32 (BX), Z0
	VMOVDQU32 64(BX), Z1
	VPMOVW2M Z0, K1
	VPMOVW2M Z1, K2
	KUNPCKDQ K1, K2, K1
	KMOVQ K1, (R14)
	ROWS(Z5, 0)
	ROWS(Z6, 128)
	ADDQ $256, DI
	ADDQ $8, SI
	ADDQ $8, R14
	DECQ CX
	JNE register
	VMOVQ singleB_masks(R15), X0
	VMOVQ (singleB_masks+8)(R15), X1
	VPSHUFB X8, X0, X0
	VPSHUFB X8, X1, X1
	VPUNPCKLBW X1, X0, X0
	VPMOVZXWD X0, Y0
	VMOVDQU32 Y0, singleB_signs(R15)
	RET

// IN_RANGE sets bits of K2 where C does not have an exponent from that of Z30 on, and to the largest that is computed. Z29 gathers the least C, doubled.
#define IN_RANGE(c) \
	VMOVDQU32 c, Z0 \
	VPADDD Z0, Z0, Z0 \
	VPMINUD Z0, Z29, Z29 \
	VPSUBD Z30, Z0, Z0 \
	VPCMPUD $6, Z31, Z0, K2 \
	KORW K2, K1, K1

// START sets what a sum begins with, and the sum to that and one for each negative term.
#define START(c, signsA, signsB, begin, sum) \
	VMOVDQU32 c, begin \
	VPTERNLOGD $0xEA, Z29, Z28, begin \
	VPSUBD Z27, begin, begin \
	VPXORD signsA(DI), signsB, sum \
	VPOPCNTD sum, sum \
	VPADDD begin, sum, sum

// TERMS adds the products of a column of A and a row of B.
#define TERMS(k) \
	VBROADCASTF32X4 (32*k)(DX), Z16 \
	VBROADCASTF32X4 (32*k+16)(DX), Z17 \
	VMOVUPS (256*k)(DI), Z18 \
	VMOVUPS (256*k+64)(DI), Z19 \
	VMOVUPS (256*k+128)(DI), Z20 \
	VMOVUPS (256*k+192)(DI), Z21 \
	VFMADD231PS.RD_SAE Z16, Z18, Z0 \
	VFMADD231PS.RD_SAE Z17, Z18, Z1 \
	VFMADD231PS.RD_SAE Z16, Z19, Z2 \
	VFMADD231PS.RD_SAE Z17, Z19, Z3 \
	VFMADD231PS.RD_SAE Z16, Z20, Z4 \
	VFMADD231PS.RD_SAE Z17, Z20, Z5 \
	VFMADD231PS.RD_SAE Z16, Z21, Z6 \
	VFMADD231PS.RD_SAE Z17, Z21, Z7

// FINISHED adds C to the sum of the terms, and cuts that.
#define FINISHED(c, begin, sum) \
	VSUBPS begin, sum, sum \
	VADDPS.RZ_SAE c, sum, sum

// BEGINNING sets what sums begin with, and the sum of all terms to zero.
#define BEGINNING(c, begin, total) \
	VMOVDQU32 c, begin \
	VPTERNLOGD $0xEA, Z29, Z28, begin \
	VPSUBD Z27, begin, begin \
	VPXORD total, total, total

// AGAIN is START for the terms whose bits Z28 has.
#define AGAIN(signsA, signsB, begin, sum) \
	VMOVDQA32 signsB, sum \
	VPTERNLOGD $0x48, signsA(CX), Z28, sum \
	VPOPCNTD sum, sum \
	VPADDD begin, sum, sum

// TERMS_OF_PIECE is TERMS.
#define TERMS_OF_PIECE(k) \
	VBROADCASTF32X4 (32*k)(DX), Z24 \
	VBROADCASTF32X4 (32*k+16)(DX), Z25 \
	VMOVUPS (256*k)(DI), Z26 \
	VMOVUPS (256*k+64)(DI), Z27 \
	VFMADD231PS.RD_SAE Z24, Z26, Z0 \
	VFMADD231PS.RD_SAE Z25, Z26, Z1 \
	VFMADD231PS.RD_SAE Z24, Z27, Z2 \
	VFMADD231PS.RD_SAE Z25, Z27, Z3 \
	VMOVUPS (256*k+128)(DI), Z26 \
	VMOVUPS (256*k+192)(DI), Z27 \
	VFMADD231PS.RD_SAE Z24, Z26, Z4 \
	VFMADD231PS.RD_SAE Z25, Z26, Z5 \
	VFMADD231PS.RD_SAE Z24, Z27, Z6 \
	VFMADD231PS.RD_SAE Z25, Z27, Z7

// TAKEN adds the sum of some terms to that of all.
#define TAKEN(begin, sum, total) \
	VSUBPS begin, sum, sum \
	VADDPS sum, total, total

// Sums a tile whose factors are to be decoded first. Where C is so much greater than all products that it alone tells what terms are cut to, and
// so many bits stay below it that the sum of the cut terms is exact in an f32, singles are summed, all of them or four at a time.
TEXT ·sumEither(SB), NOSPLIT|NOFRAME, $0-0
	POINT(call_lowA(R10), DI)
	POINT(call_lowB(R10), DX)
	CMPL call_single(R10), $0
	JEQ double
	MOVL decoding_high(DI), CX
	ADDL decoding_high(DX), CX
	ADDL call_bias(R10), CX
	ADDL $(const_aheadOfFour+1), CX
	CMPL CX, $const_mostExponent
	JGT double
	SHLL $24, CX
	VPBROADCASTD CX, Z30
	MOVL $(const_mostExponent<<24+0xFFFFFF), AX
	SUBL CX, AX
	VPBROADCASTD AX, Z31
	VPTERNLOGD $0xFF, Z29, Z29, Z29
	KXORW K1, K1, K1
	POINT(call_from+0(R10), SI)
	IN_RANGE((SI))
	KTESTW K1, K1
	JNE double
	IN_RANGE(64(SI))
	POINT(call_from+8(R10), SI)
	IN_RANGE((SI))
	IN_RANGE(64(SI))
	POINT(call_from+16(R10), SI)
	IN_RANGE((SI))
	IN_RANGE(64(SI))
	POINT(call_from+24(R10), SI)
	IN_RANGE((SI))
	IN_RANGE(64(SI))
	KTESTW K1, K1
	JNE double
	MOVL $((const_ahead-const_aheadOfFour)<<24), AX
	VPBROADCASTD AX, Z31
	VPADDD Z31, Z30, Z30
	VPCMPUD $1, Z30, Z29, K1
	KMOVW K1, CX               // not 0 where four terms at a time are summed

	MOVQ CX, Scratch_pieces(R8)
	MOVQ DI, BX
	CMPL decoding_single(BX), $0
	JNE decodedA
	CALL singleA16<>(SB)

decodedA:
	POINT(call_lowB(R10), BX)
	CMPL decoding_single(BX), $0
	JNE decodedB
	CALL singleB16<>(SB)

decodedB:
	POINT(call_lowA(R10), DI)
	POINT(call_lowB(R10), DX)
	ADDQ $decoding__size, DI
	ADDQ $decoding__size, DX
	VBROADCASTI32X4 singleB_signs(DX), Z30
	VBROADCASTI32X4 (singleB_signs+16)(DX), Z31
	CMPQ Scratch_pieces(R8), $0
	JNE pieces
	MOVL $0x7F800000, AX
	VPBROADCASTD AX, Z28
	MOVL $0x00400000, AX
	VPBROADCASTD AX, Z29
	MOVL $(2<<23), AX
	VPBROADCASTD AX, Z27
	POINT(call_from+0(R10), SI)
	POINT(call_from+8(R10), BX)
	POINT(call_from+16(R10), R14)
	POINT(call_from+24(R10), R15)
	START((SI), singleA_signs, Z30, Z8, Z0)
	START((BX), singleA_signs, Z31, Z9, Z1)
	START(64(SI), singleA_signs+64, Z30, Z10, Z2)
	START(64(BX), singleA_signs+64, Z31, Z11, Z3)
	START((R14), singleA_signs+128, Z30, Z12, Z4)
	START((R15), singleA_signs+128, Z31, Z13, Z5)
	START(64(R14), singleA_signs+192, Z30, Z14, Z6)
	START(64(R15), singleA_signs+192, Z31, Z15, Z7)
	MOVQ call_count(R10), CX

terms:
	TERMS(0)
	TERMS(1)
	TERMS(2)
	TERMS(3)
	ADDQ $1024, DI
	ADDQ $128, DX
	DECQ CX
	JNE terms

	VMOVUPS (SI), Z16
	VMOVUPS (BX), Z17
	VMOVUPS 64(SI), Z18
	VMOVUPS 64(BX), Z19
	VMOVUPS (R14), Z20
	VMOVUPS (R15), Z21
	VMOVUPS 64(R14), Z22
	VMOVUPS 64(R15), Z23
	FINISHED(Z16, Z8, Z0)
	FINISHED(Z17, Z9, Z1)
	FINISHED(Z18, Z10, Z2)
	FINISHED(Z19, Z11, Z3)
	FINISHED(Z20, Z12, Z4)
	FINISHED(Z21, Z13, Z5)
	FINISHED(Z22, Z14, Z6)
	FINISHED(Z23, Z15, Z7)
	JMP results

pieces:
	MOVL $0x7F800000, AX
	VPBROADCASTD AX, Z28
	MOVL $0x00400000, AX
	VPBROADCASTD AX, Z29
	MOVL $(2<<23), AX
	VPBROADCASTD AX, Z27
	POINT(call_from+0(R10), SI)
	POINT(call_from+8(R10), BX)
	POINT(call_from+16(R10), R14)
	POINT(call_from+24(R10), R15)
	BEGINNING((SI), Z8, Z16)
	BEGINNING((BX), Z9, Z17)
	BEGINNING(64(SI), Z10, Z18)
	BEGINNING(64(BX), Z11, Z19)
	BEGINNING((R14), Z12, Z20)
	BEGINNING((R15), Z13, Z21)
	BEGINNING(64(R14), Z14, Z22)
	BEGINNING(64(R15), Z15, Z23)
	MOVL $15, AX
	VPBROADCASTD AX, Z28
	MOVQ DI, CX
	MOVQ call_count(R10), AX

piece:
	AGAIN(singleA_signs, Z30, Z8, Z0)
	AGAIN(singleA_signs, Z31, Z9, Z1)
	AGAIN(singleA_signs+64, Z30, Z10, Z2)
	AGAIN(singleA_signs+64, Z31, Z11, Z3)
	AGAIN(singleA_signs+128, Z30, Z12, Z4)
	AGAIN(singleA_signs+128, Z31, Z13, Z5)
	AGAIN(singleA_signs+192, Z30, Z14, Z6)
	AGAIN(singleA_signs+192, Z31, Z15, Z7)
	VPSLLD $4, Z28, Z28
	TERMS_OF_PIECE(0)
	TERMS_OF_PIECE(1)
	TERMS_OF_PIECE(2)
	TERMS_OF_PIECE(3)
	TAKEN(Z8, Z0, Z16)
	TAKEN(Z9, Z1, Z17)
	TAKEN(Z10, Z2, Z18)
	TAKEN(Z11, Z3, Z19)
	TAKEN(Z12, Z4, Z20)
	TAKEN(Z13, Z5, Z21)
	TAKEN(Z14, Z6, Z22)
	TAKEN(Z15, Z7, Z23)
	ADDQ $1024, DI
	ADDQ $128, DX
	DECQ AX
	JNE piece

	VMOVUPS (SI), Z0
	VMOVUPS (BX), Z1
	VMOVUPS 64(SI), Z2
	VMOVUPS 64(BX), Z3
	VMOVUPS (R14), Z4
	VMOVUPS (R15), Z5
	VMOVUPS 64(R14), Z6
	VMOVUPS 64(R15), Z7
	VADDPS.RZ_SAE Z16, Z0, Z0
	VADDPS.RZ_SAE Z17, Z1, Z1
	VADDPS.RZ_SAE Z18, Z2, Z2
	VADDPS.RZ_SAE Z19, Z3, Z3
	VADDPS.RZ_SAE Z20, Z4, Z4
	VADDPS.RZ_SAE Z21, Z5, Z5
	VADDPS.RZ_SAE Z22, Z6, Z6
	VADDPS.RZ_SAE Z23, Z7, Z7

results:
	POINT(call_results+0(R10), SI)
	POINT(call_results+8(R10), BX)
	POINT(call_results+16(R10), R14)
	POINT(call_results+24(R10), R15)
	VMOVUPS Z0, (SI)
	VMOVUPS Z1, (BX)
	VMOVUPS Z2, 64(SI)
	VMOVUPS Z3, 64(BX)
	VMOVUPS Z4, (R14)
	VMOVUPS Z5, (R15)
	VMOVUPS Z6, 64(R14)
	VMOVUPS Z7, 64(R15)
	GOON

double:
	CMPL decoding_full(DI), $0
	JNE groupsA
	MOVL $1, decoding_full(DI)
	MOVQ decoding_form(DI), DX
	MOVQ decoding_decode(DI), SI
	CALL ·groupsA16(SB)

groupsA:
	POINT(call_lowB(R10), BX)
	CMPL decoding_full(BX), $0
	JNE groupsB
	MOVL $1, decoding_full(BX)
	MOVQ decoding_form(BX), DX
	MOVQ decoding_decode(BX), SI
	CALL ·groupsB16(SB)

groupsB:
	JMP ·sumTile(SB)
