#include "go_asm.h"
#include "textflag.h"
#include "call_amd64.h"

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

// Turns count registers of four bytes a lane into f16s, two a lane in rows of to and two in those four rows on. The option tells that they are e4m3.
TEXT ·halvesOfBytes(SB), NOSPLIT|NOFRAME, $0-0
	POINT(call_to(R10), DI)
	LEAQ call_from(R10), DX
	MOVQ call_count(R10), CX
	MOVL call_option(R10), BX
	VBROADCASTI32X4 pairs<>(SB), Z6
	VBROADCASTI32X4 pairs<>+16(SB), Z7
	MOVL $0x7F00, AX
	VPBROADCASTW AX, Z17
	MOVL $0x8000, AX
	VPBROADCASTW AX, Z18
	MOVL $0x43800000, AX       // 256: the bias of an f16 is greater by 8
	VPBROADCASTD AX, Z19
	KXORD K4, K4, K4

register:
	POINT(0(DX), SI)
	MOVQ $2, R14

lanes:
	VMOVDQU32 (SI), Z0
	VPSHUFB Z6, Z0, Z1
	VPSHUFB Z7, Z0, Z2
	TESTL BX, BX
	JEQ store
	E4M3(Z1, Y1)
	E4M3(Z2, Y2)

store:
	VMOVDQU32 Z1, (DI)
	VMOVDQU32 Z2, (4*const_rowBytes)(DI)
	ADDQ $64, SI
	ADDQ $64, DI
	DECQ R14
	JNE lanes
	ADDQ $8, DX
	DECQ CX
	JNE register
	KORTESTD K4, K4
	JNE fail
	GOON

fail:
	FAIL

// HALVES turns the low words of raw into f32.
#define HALVES(raw, to, low) \
	VPMOVDW raw, low \
	VCVTPH2PS low, to

// WIDEN turns 16 lanes of a register of f16s into f32: of even columns and of odd ones.
#define WIDEN(register, from, to) \
	VMOVDQU32 from(register), Z0 \
	VPSRLD $16, Z0, Z1 \
	HALVES(Z0, Z0, Y0) \
	HALVES(Z1, Z1, Y1) \
	VMOVUPS Z0, to(DI) \
	VMOVUPS Z1, (to+128)(DI)

// Turns two registers of f16s into four rows of f32s.
TEXT ·widenRows(SB), NOSPLIT|NOFRAME, $0-0
	POINT(call_to(R10), DI)
	POINT(call_from+0(R10), BX)
	WIDEN(BX, 0, 0)
	WIDEN(BX, 64, 64)
	POINT(call_from+8(R10), BX)
	WIDEN(BX, 0, 256)
	WIDEN(BX, 64, 320)
	GOON

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

// Turns four rows of f32s into two registers of f16s, with what the option gives for negative zeros.
TEXT ·packRows(SB), NOSPLIT|NOFRAME, $0-0
	POINT(call_a(R10), SI)
	MOVL $0x8000, AX
	VPBROADCASTW AX, Z2
	VPBROADCASTW call_option(R10), Z3
	POINT(call_results+0(R10), DI)
	PACK(0, 128, 0)
	PACK(64, 192, 64)
	POINT(call_results+8(R10), DI)
	PACK(256, 384, 0)
	PACK(320, 448, 64)
	GOON

// ADDED adds 16 lanes.
#define ADDED(at) \
	VMOVUPS at(DX), Z0 \
	VADDPS at(BX), Z0, Z0 \
	VMOVUPS Z0, at(DI) \
	VSUBPS Z0, Z0, Z0 \
	VPTESTMD Z0, Z0, K1 \
	KORW K1, K4, K4

// Adds registers of f32 to rows; it fails where a sum is not finite.
TEXT ·addRows(SB), NOSPLIT|NOFRAME, $0-0
	POINT(call_a(R10), DX)
	POINT(call_to(R10), DI)
	LEAQ call_from(R10), SI
	KXORW K4, K4, K4
	MOVQ $4, CX

register:
	POINT(0(SI), BX)
	ADDED(0)
	ADDED(64)
	ADDQ $8, SI
	ADDQ $128, DX
	ADDQ $128, DI
	DECQ CX
	JNE register
	KTESTW K4, K4
	JNE fail
	GOON

fail:
	FAIL

// Sets count registers to those given, but for the bits of the option.
TEXT ·copyRows(SB), NOSPLIT|NOFRAME, $0-0
	LEAQ call_from(R10), SI
	LEAQ call_results(R10), DI
	MOVQ call_count(R10), CX
	VPBROADCASTD call_option(R10), Z2

register:
	POINT(0(SI), BX)
	POINT(0(DI), DX)
	VPANDND (BX), Z2, Z0
	VPANDND 64(BX), Z2, Z1
	VMOVDQU32 Z0, (DX)
	VMOVDQU32 Z1, 64(DX)
	ADDQ $8, SI
	ADDQ $8, DI
	DECQ CX
	JNE register
	GOON
