#include "go_asm.h"
#include "textflag.h"

// func widen512(values *float64, exponents *int32, floats *uint32, n int, least int32) (largest int32)
TEXT ·widen512(SB), NOSPLIT, $0-44
	MOVQ values+0(FP), DI
	MOVQ exponents+8(FP), SI
	MOVQ floats+16(FP), DX
	MOVQ n+24(FP), CX
	MOVL $0x7FF, AX
	VPBROADCASTQ AX, Z5
	MOVL $1023, AX
	VPBROADCASTD AX, Y6
	VPXOR Y7, Y7, Y7
	MOVL least+32(FP), AX
	VPBROADCASTD AX, Y8
	MOVL $-1023, AX
	VPBROADCASTD AX, Y9

widen:
	VCVTPS2PD (DX), Z0
	VMOVUPD Z0, (DI)
	VPSRLQ $52, Z0, Z1
	VPANDQ Z5, Z1, Z1
	VPMOVQD Z1, Y2
	VPSUBD Y6, Y2, Y2
	VPCMPEQD Y9, Y2, K1        // zeros keep their exponent
	VPMAXSD Y8, Y2, Y3
	VMOVDQA32 Y2, K1, Y3
	VMOVDQU Y3, (SI)
	VPMAXSD Y2, Y7, Y7
	ADDQ $32, DX
	ADDQ $64, DI
	ADDQ $32, SI
	SUBQ $8, CX
	JNE widen
	VEXTRACTI128 $1, Y7, X0
	VPMAXSD X0, X7, X7
	VPSHUFD $0x4E, X7, X0
	VPMAXSD X0, X7, X7
	VPSHUFD $0xB1, X7, X0
	VPMAXSD X0, X7, X7
	VMOVD X7, AX
	MOVL AX, largest+40(FP)
	VZEROUPPER
	RET

// func halves512(words *uint32, n int)
TEXT ·halves512(SB), NOSPLIT, $0-16
	MOVQ words+0(FP), DI
	MOVQ n+8(FP), CX

halves:
	VMOVDQU32 (DI), Z0
	VPMOVDW Z0, Y0
	VCVTPH2PS Y0, Z0
	VMOVUPS Z0, (DI)
	ADDQ $64, DI
	SUBQ $16, CX
	JNE halves
	VZEROUPPER
	RET

// func narrow512(words *uint32, sums *float64, n int)
//
// The sums are cut to f32 with the last bit set where something was cut off, so that the second rounding is as one
// of the sums themselves.
TEXT ·narrow512(SB), NOSPLIT, $0-24
	MOVQ words+0(FP), DI
	MOVQ sums+8(FP), SI
	MOVQ n+16(FP), CX
	MOVL $1, AX
	VPBROADCASTD AX, Y7
	MOVL $0x8000, AX
	VPBROADCASTD AX, Y8
	VPXORD Y9, Y9, Y9

narrow:
	VMOVUPD (SI), Z0
	VCVTPD2PS.RZ_SAE Z0, Y1
	VCVTPS2PD Y1, Z2
	VCMPPD $4, Z0, Z2, K1
	VPORD Y7, Y1, K1, Y1
	VCVTPS2PH $0, Y1, X3
	VPMOVZXWD X3, Y3
	VPCMPEQD Y8, Y3, K2
	VMOVDQA32 Y9, K2, Y3       // no negative zero
	VMOVDQU Y3, (DI)
	ADDQ $64, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JNE narrow
	VZEROUPPER
	RET

// func rows512(x *block)
//
// R8 and R9 walk over a row of A, R10 and R11 over a column block of B. Z0 holds the largest exponents, Z2 the scale,
// Z3 its inverse, Z4 the sums.
TEXT ·rows512(SB), NOSPLIT, $0-8
	MOVQ x+0(FP), AX
	MOVQ block_aValues(AX), SI
	MOVQ block_aExponents(AX), DI
	MOVQ block_cValues(AX), R12
	MOVQ block_cExponents(AX), R13
	MOVQ block_sums(AX), R14
	MOVQ block_floats(AX), R15
	MOVQ block_rows(AX), BX
	MOVL block_bits(AX), CX
	ADDL $1023, CX
	VPBROADCASTD CX, Y16
	MOVL $1023, DX
	SUBL block_bits(AX), DX
	VPBROADCASTD DX, Y17
	MOVL $-600, DX             // below all exponents but those of zeros
	VPBROADCASTD DX, Y18
	MOVQ $0x7FFFFFFFFFFFFFFF, DX
	VPBROADCASTQ DX, Z19
	MOVQ $0x47F0000000000000, DX // 2^128
	VPBROADCASTQ DX, Z20
	MOVL $0x80000000, DX
	VPBROADCASTD DX, Y21
	VPXORD Y22, Y22, Y22

row:
	XORQ DX, DX                // column

columns:
	// The largest exponent of the products and C.
	MOVQ DI, R8
	MOVQ block_bExponents(AX), R10
	LEAQ (R10)(DX*4), R10
	MOVQ block_columns(AX), R9
	VMOVDQU (R13)(DX*4), Y0
	MOVQ block_depth(AX), CX

exponents:
	VPBROADCASTD (R8), Y1
	VPADDD (R10), Y1, Y1
	VPMAXSD Y1, Y0, Y0
	ADDQ $4, R8
	LEAQ (R10)(R9*4), R10
	DECQ CX
	JNE exponents
	VPMAXSD Y18, Y0, Y0
	VPSUBD Y0, Y16, Y2
	VPMOVSXDQ Y2, Z2
	VPSLLQ $52, Z2, Z2
	VPADDD Y0, Y17, Y3
	VPMOVSXDQ Y3, Z3
	VPSLLQ $52, Z3, Z3

	// The products and C, scaled and cut to integers.
	MOVQ SI, R8
	MOVQ block_bValues(AX), R11
	LEAQ (R11)(DX*8), R11
	VMULPD (R12)(DX*8), Z2, Z4
	VCVTTPD2QQ Z4, Z4
	MOVQ block_depth(AX), CX

values:
	VBROADCASTSD (R8), Z5
	VMULPD (R11), Z5, Z5
	VMULPD Z2, Z5, Z5
	VCVTTPD2QQ Z5, Z5
	VPADDQ Z5, Z4, Z4
	ADDQ $8, R8
	LEAQ (R11)(R9*8), R11
	DECQ CX
	JNE values
	VCVTQQ2PD Z4, Z4
	VMULPD Z3, Z4, Z4
	VMOVUPD Z4, (R14)(DX*8)
	VCVTPD2PS.RZ_SAE Z4, Y6
	VPANDQ Z19, Z4, Z5
	VCMPPD $13, Z20, Z5, K1
	VCVTPD2PS Z4, K1, Y6       // infinity
	VPCMPEQD Y21, Y6, K2
	VMOVDQA32 Y22, K2, Y6      // no negative zero
	VMOVUPS Y6, (R15)(DX*4)

	ADDQ $8, DX
	CMPQ DX, R9
	JLT columns

	MOVQ block_stride(AX), CX
	LEAQ (SI)(CX*8), SI
	LEAQ (DI)(CX*4), DI
	LEAQ (R12)(R9*8), R12
	LEAQ (R13)(R9*4), R13
	LEAQ (R14)(R9*8), R14
	LEAQ (R15)(R9*4), R15
	DECQ BX
	JNE row
	VZEROUPPER
	RET

// func pairs512(x *pairBlock)
//
// R8 walks over a row of A, R10 over a column block of B; Z0 and Z1 hold the sums of 32 columns, or Y0 those of 8 of the rest.
TEXT ·pairs512(SB), NOSPLIT, $0-8
	MOVQ x+0(FP), AX
	MOVQ pairBlock_a(AX), SI
	MOVQ pairBlock_b(AX), DI
	MOVQ pairBlock_sums(AX), R14
	MOVQ pairBlock_rows(AX), BX
	MOVQ pairBlock_columns(AX), R9
	MOVQ pairBlock_depth(AX), R13
	MOVQ R9, R12
	ANDQ $-32, R12             // columns by 32

row:
	XORQ DX, DX                // column
	CMPQ DX, R12
	JGE rest

columns:
	MOVQ SI, R8
	LEAQ (DI)(DX*4), R10
	MOVQ R13, CX
	VMOVDQU32 (R14)(DX*4), Z0
	VMOVDQU32 64(R14)(DX*4), Z1

pair:
	VPBROADCASTD (R8), Z4
	VPMADDWD (R10), Z4, Z5
	VPMADDWD 64(R10), Z4, Z6
	VPADDD Z5, Z0, Z0
	VPADDD Z6, Z1, Z1
	ADDQ $4, R8
	LEAQ (R10)(R9*4), R10
	DECQ CX
	JNE pair
	VMOVDQU32 Z0, (R14)(DX*4)
	VMOVDQU32 Z1, 64(R14)(DX*4)
	ADDQ $32, DX
	CMPQ DX, R12
	JLT columns

rest:
	CMPQ DX, R9
	JGE next
	MOVQ SI, R8
	LEAQ (DI)(DX*4), R10
	MOVQ R13, CX
	VMOVDQU (R14)(DX*4), Y0

pairOfRest:
	VPBROADCASTD (R8), Y4
	VPMADDWD (R10), Y4, Y5
	VPADDD Y5, Y0, Y0
	ADDQ $4, R8
	LEAQ (R10)(R9*4), R10
	DECQ CX
	JNE pairOfRest
	VMOVDQU Y0, (R14)(DX*4)
	ADDQ $8, DX
	JMP rest

next:
	LEAQ (SI)(R13*4), SI
	LEAQ (R14)(R9*4), R14
	DECQ BX
	JNE row
	VZEROUPPER
	RET
