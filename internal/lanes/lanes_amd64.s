#include "go_asm.h"
#include "textflag.h"

// The low dwords of 16 qwords, and the high ones.
DATA halves<>+0x00(SB)/8, $0x0000000200000000
DATA halves<>+0x08(SB)/8, $0x0000000600000004
DATA halves<>+0x10(SB)/8, $0x0000000A00000008
DATA halves<>+0x18(SB)/8, $0x0000000E0000000C
DATA halves<>+0x20(SB)/8, $0x0000001200000010
DATA halves<>+0x28(SB)/8, $0x0000001600000014
DATA halves<>+0x30(SB)/8, $0x0000001A00000018
DATA halves<>+0x38(SB)/8, $0x0000001E0000001C
DATA halves<>+0x40(SB)/8, $0x0000000300000001
DATA halves<>+0x48(SB)/8, $0x0000000700000005
DATA halves<>+0x50(SB)/8, $0x0000000B00000009
DATA halves<>+0x58(SB)/8, $0x0000000F0000000D
DATA halves<>+0x60(SB)/8, $0x0000001300000011
DATA halves<>+0x68(SB)/8, $0x0000001700000015
DATA halves<>+0x70(SB)/8, $0x0000001B00000019
DATA halves<>+0x78(SB)/8, $0x0000001F0000001D
GLOBL halves<>(SB), RODATA|NOPTR, $128

DATA numbers<>+0x00(SB)/8, $0
DATA numbers<>+0x08(SB)/8, $1
DATA numbers<>+0x10(SB)/8, $2
DATA numbers<>+0x18(SB)/8, $3
DATA numbers<>+0x20(SB)/8, $4
DATA numbers<>+0x28(SB)/8, $5
DATA numbers<>+0x30(SB)/8, $6
DATA numbers<>+0x38(SB)/8, $7
GLOBL numbers<>(SB), RODATA|NOPTR, $64

DATA ascending<>+0x00(SB)/8, $0x0706050403020100
DATA ascending<>+0x08(SB)/8, $0x0F0E0D0C0B0A0908
DATA ascending<>+0x10(SB)/8, $0x1716151413121110
DATA ascending<>+0x18(SB)/8, $0x1F1E1D1C1B1A1918
GLOBL ascending<>(SB), RODATA|NOPTR, $32

// A stage of the network compares the keys of a and b with their partners in Z0 and Z1: the lanes of the mask get the greater, in c and d.
#define EXCHANGE(mask, a, b, c, d) \
	VPMINUD Z0, a, c \
	VPMINUD Z1, b, d \
	VPMAXUD Z0, a, mask, c \
	VPMAXUD Z1, b, mask, d

// HALF is the same for one vector.
#define HALF(mask, a, c) \
	VPMINUD Z0, a, c \
	VPMAXUD Z0, a, mask, c

// PART is the same but for the keys of b, which descend.
#define PART(mask, a, b, c, d) \
	VPMINUD Z0, a, c \
	VPMAXUD Z1, b, d \
	VPMAXUD Z0, a, mask, c \
	VPMINUD Z1, b, mask, d

// Partners within 128 bits, and across them.
#define NEAR(order, a, b) \
	VPSHUFD $order, a, Z0 \
	VPSHUFD $order, b, Z1

#define FAR(order, a, b) \
	VSHUFI64X2 $order, a, a, Z0 \
	VSHUFI64X2 $order, b, b, Z1

#define ONE(a, b) NEAR(0xB1, a, b)
#define TWO(a, b) NEAR(0x4E, a, b)
#define FOUR(a, b) FAR(0xB1, a, b)
#define EIGHT(a, b) FAR(0x4E, a, b)

#define LANES(lanes, mask) \
	MOVL $lanes, CX \
	KMOVW CX, mask

// BEFORE puts the keys beside those of Z6 and Z7 that come before in Z0 and Z1.
#define BEFORE \
	VALIGND $15, Z6, Z6, Z0 \
	VALIGND $15, Z6, Z7, Z1

// STARTS has a bit for each nonzero dword of two vectors in a register.
#define STARTS(a, b, to) \
	VPTESTMD a, a, K1 \
	VPTESTMD b, b, K2 \
	KUNPCKWD K1, K2, K1 \
	KMOVD K1, to \
	ORL $1, to \
	BZHIL R8, to, to

// GROUPS stores the keys of a vector at which groups begin.
#define GROUPS(keys, mask) \
	VPCOMPRESSD keys, mask, Z2 \
	VEXTRACTI64X4 $1, Z2, Y3 \
	VPMOVZXDQ Y2, Z2 \
	VPMOVZXDQ Y3, Z3 \
	VPADDQ Z9, Z2, Z2 \
	VPADDQ Z9, Z3, Z3 \
	VMOVDQU64 Z2, (R9) \
	VMOVDQU64 Z3, 64(R9)

// func sort(o *Order, addr *[Count]uint64, lanes uint32, k *Key, groups *[Count]uint64) (sorted uint32)
TEXT ·sort(SB), NOSPLIT, $0-44
	MOVQ o+0(FP), DI
	MOVQ addr+8(FP), SI
	MOVL lanes+16(FP), AX
	MOVQ k+24(FP), DX
	MOVQ groups+32(FP), R9

	// The keys of the lanes, in Z6 and Z7.
	MOVQ Key_Shift(DX), CX
	TZCNTL AX, BX
	MOVQ (SI)(BX*8), BX
	SHRQ CX, BX
	SHRQ $32, BX
	VPBROADCASTD BX, Z9
	VMOVQ CX, X8
	VMOVDQU64 (SI), Z0
	VMOVDQU64 64(SI), Z1
	VMOVDQU64 128(SI), Z2
	VMOVDQU64 192(SI), Z3
	VPSRLQ X8, Z0, Z0
	VPSRLQ X8, Z1, Z1
	VPSRLQ X8, Z2, Z2
	VPSRLQ X8, Z3, Z3
	VMOVDQU32 halves<>(SB), Z6
	VMOVDQU32 halves<>+64(SB), Z7
	VMOVDQA32 Z0, Z10
	VMOVDQA32 Z2, Z11
	VPERMT2D Z1, Z6, Z0
	VPERMT2D Z3, Z6, Z2
	VPERMT2D Z1, Z7, Z10
	VPERMT2D Z3, Z7, Z11
	KMOVW AX, K1
	SHRL $16, AX
	KMOVW AX, K2
	VPCMPEQD Z9, Z10, K1, K1
	VPCMPEQD Z9, Z11, K2, K2
	KUNPCKWD K1, K2, K3
	KMOVD K3, AX
	MOVL AX, sorted+40(FP)
	POPCNTL AX, R8
	MOVQ R8, Order_N(DI)
	VPBROADCASTD Key_Rotate(DX), Z8
	VPRORVD Z8, Z0, Z6
	VPRORVD Z8, Z2, Z7
	CMPL AX, $-1
	JEQ all

	// Side by side, behind them the last key of all.
	VMOVDQU8 ascending<>(SB), Y1
	VPCOMPRESSB Y1, K3, Y1
	VPMOVZXBD X1, Z0
	VEXTRACTI32X4 $1, Y1, X1
	VPMOVZXBD X1, Z1
	VPERMI2D Z7, Z6, Z0
	VPERMI2D Z7, Z6, Z1
	MOVL $-1, CX
	BZHIL R8, CX, CX
	KMOVW CX, K1
	SHRL $16, CX
	KMOVW CX, K2
	VPTERNLOGD $0xFF, Z6, Z6, Z6
	VMOVDQA32 Z6, Z7
	VMOVDQA32 Z0, K1, Z6
	VMOVDQA32 Z1, K2, Z7

all:
	// Often they are in order.
	BEFORE
	VPCMPUD $1, Z0, Z6, K1
	VPCMPUD $1, Z1, Z7, K2
	LANES(0xFFFE, K3)
	KANDW K3, K1, K1
	KORTESTW K1, K2
	JEQ ordered
	VMOVDQA32 Z6, Z4
	VMOVDQA32 Z7, Z5
	CMPL R8, $16
	JHI network

	// Half the network for half the lanes.
	LANES(0x6666, K1)
	VPSHUFD $0xB1, Z4, Z0
	HALF(K1, Z4, Z6)
	LANES(0x3C3C, K2)
	VPSHUFD $0x4E, Z6, Z0
	HALF(K2, Z6, Z4)
	LANES(0x5A5A, K3)
	VPSHUFD $0xB1, Z4, Z0
	HALF(K3, Z4, Z6)
	LANES(0x0FF0, K1)
	VSHUFI64X2 $0xB1, Z6, Z6, Z0
	HALF(K1, Z6, Z4)
	LANES(0x33CC, K2)
	VPSHUFD $0x4E, Z4, Z0
	HALF(K2, Z4, Z6)
	LANES(0x55AA, K3)
	VPSHUFD $0xB1, Z6, Z0
	HALF(K3, Z6, Z4)
	LANES(0xFF00, K4)
	VSHUFI64X2 $0x4E, Z4, Z4, Z0
	HALF(K4, Z4, Z6)
	LANES(0xF0F0, K5)
	VSHUFI64X2 $0xB1, Z6, Z6, Z0
	HALF(K5, Z6, Z4)
	LANES(0xCCCC, K6)
	VPSHUFD $0x4E, Z4, Z0
	HALF(K6, Z4, Z6)
	LANES(0xAAAA, K7)
	VPSHUFD $0xB1, Z6, Z0
	HALF(K7, Z6, Z4)
	VMOVDQA32 Z4, Z6
	BEFORE
	JMP ordered

network:
	LANES(0x6666, K1)
	ONE(Z4, Z5)
	EXCHANGE(K1, Z4, Z5, Z6, Z7)

	LANES(0x3C3C, K2)
	TWO(Z6, Z7)
	EXCHANGE(K2, Z6, Z7, Z4, Z5)
	LANES(0x5A5A, K3)
	ONE(Z4, Z5)
	EXCHANGE(K3, Z4, Z5, Z6, Z7)

	LANES(0x0FF0, K1)
	FOUR(Z6, Z7)
	EXCHANGE(K1, Z6, Z7, Z4, Z5)
	LANES(0x33CC, K2)
	TWO(Z4, Z5)
	EXCHANGE(K2, Z4, Z5, Z6, Z7)
	LANES(0x55AA, K3)
	ONE(Z6, Z7)
	EXCHANGE(K3, Z6, Z7, Z4, Z5)

	LANES(0xFF00, K4)
	EIGHT(Z4, Z5)
	PART(K4, Z4, Z5, Z6, Z7)
	LANES(0xF0F0, K5)
	FOUR(Z6, Z7)
	PART(K5, Z6, Z7, Z4, Z5)
	LANES(0xCCCC, K6)
	TWO(Z4, Z5)
	PART(K6, Z4, Z5, Z6, Z7)
	LANES(0xAAAA, K7)
	ONE(Z6, Z7)
	PART(K7, Z6, Z7, Z4, Z5)

	VPMINUD Z4, Z5, Z6
	VPMAXUD Z4, Z5, Z7
	EIGHT(Z6, Z7)
	EXCHANGE(K4, Z6, Z7, Z4, Z5)
	FOUR(Z4, Z5)
	EXCHANGE(K5, Z4, Z5, Z6, Z7)
	TWO(Z6, Z7)
	EXCHANGE(K6, Z6, Z7, Z4, Z5)
	ONE(Z4, Z5)
	EXCHANGE(K7, Z4, Z5, Z6, Z7)

	BEFORE

ordered:
	VPXORD Z0, Z6, Z0
	VPXORD Z1, Z7, Z1
	STARTS(Z0, Z1, R10)
	VMOVQ Key_Coarser(DX), X8
	VPSRLD X8, Z0, Z2
	VPSRLD X8, Z1, Z3
	STARTS(Z2, Z3, R11)
	VMOVQ Key_Coarse(DX), X8
	VPSRLD X8, Z0, Z2
	VPSRLD X8, Z1, Z3
	STARTS(Z2, Z3, R12)
	MOVL R10, Order_Keys(DI)
	MOVL R11, Order_Wide(DI)
	MOVL R12, Order_Groups(DI)
	PEXTL R10, R12, R10
	MOVL R10, Order_Within(DI)
	TESTQ R9, R9
	JEQ done

	MOVQ $32, CX
	SUBQ Key_Coarse(DX), CX
	SHLQ CX, BX
	VPBROADCASTQ BX, Z9
	VPSRLD X8, Z6, Z6
	VPSRLD X8, Z7, Z7
	KMOVW R12, K1
	MOVL R12, CX
	SHRL $16, CX
	KMOVW CX, K2
	GROUPS(Z6, K1)
	MOVWLZX R12, CX
	POPCNTL CX, CX
	LEAQ (R9)(CX*8), R9
	GROUPS(Z7, K2)

done:
	VZEROUPPER
	RET

// NEAREST makes each lane of a minimum smaller where its key differs less from that of a lane of others, in four orders.
#define NEAREST(keys, others, minimum, minimum2) \
	VPXORD others, keys, Z0 \
	VPSHUFD $0x39, others, Z1 \
	VPMINUD Z0, minimum, minimum \
	VPXORD Z1, keys, Z1 \
	VPSHUFD $0x4E, others, Z2 \
	VPMINUD Z1, minimum2, minimum2 \
	VPXORD Z2, keys, Z2 \
	VPSHUFD $0x93, others, Z3 \
	VPMINUD Z2, minimum, minimum \
	VPXORD Z3, keys, Z3 \
	VPMINUD Z3, minimum2, minimum2

// FIRSTS counts the lanes of K1 and K2 whose keys in two vectors none before has; nearest tells which of the second are not in the first, all
// but for the bits that have been shifted out.
#define FIRSTS(low, high, nearest, count) \
	VPCONFLICTD low, Z0 \
	VPCONFLICTD high, Z1 \
	VPTESTNMD Z10, Z0, K1, K3 \
	VPTESTMD nearest, nearest, K2, K4 \
	VPTESTNMD Z11, Z1, K4, K4 \
	KUNPCKWD K3, K4, K3 \
	KMOVD K3, R10 \
	POPCNTL R10, R10 \
	MOVL R10, count

// func different(d *Different, addr *[Count]uint64, lanes uint32, k *Key) bool
TEXT ·different(SB), NOSPLIT, $0-33
	MOVQ d+0(FP), DI
	MOVQ addr+8(FP), SI
	MOVL lanes+16(FP), AX
	MOVQ k+24(FP), DX

	// The keys of the lanes, in Z6 and Z7.
	MOVQ Key_Shift(DX), CX
	TZCNTL AX, BX
	MOVQ (SI)(BX*8), BX
	SHRQ CX, BX
	VPBROADCASTD BX, Z8
	SHRQ $32, BX
	VPBROADCASTD BX, Z9
	VMOVQ CX, X5
	VMOVDQU64 (SI), Z0
	VMOVDQU64 64(SI), Z1
	VMOVDQU64 128(SI), Z2
	VMOVDQU64 192(SI), Z3
	VPSRLQ X5, Z0, Z0
	VPSRLQ X5, Z1, Z1
	VPSRLQ X5, Z2, Z2
	VPSRLQ X5, Z3, Z3
	VMOVDQU32 halves<>(SB), Z6
	VMOVDQU32 halves<>+64(SB), Z7
	VMOVDQA32 Z0, Z10
	VMOVDQA32 Z2, Z11
	VPERMT2D Z1, Z7, Z10
	VPERMT2D Z3, Z7, Z11
	VPERMI2D Z1, Z0, Z6
	VMOVDQU32 halves<>(SB), Z7
	VPERMI2D Z3, Z2, Z7
	KMOVW AX, K1
	MOVL AX, CX
	SHRL $16, CX
	KMOVW CX, K2
	VPCMPUD $4, Z9, Z10, K1, K3
	VPCMPUD $4, Z9, Z11, K2, K4
	KORTESTW K3, K4
	SETEQ ret+32(FP)

	// How much the keys of the second half differ from the nearest of the first, in Z4.
	VPTERNLOGD $0xFF, Z4, Z4, Z4
	VPBROADCASTD CX, Z11
	MOVWLZX AX, CX
	VPBROADCASTD CX, Z10
	TESTL CX, CX
	JEQ alone
	VMOVDQA32 Z4, Z5
	VMOVDQA32 Z6, K1, Z8 // in place of other lanes the first, which is one of the half
	NEAREST(Z7, Z8, Z4, Z5)
	VSHUFI64X2 $0x39, Z8, Z8, Z9
	NEAREST(Z7, Z9, Z4, Z5)
	VSHUFI64X2 $0x4E, Z8, Z8, Z9
	NEAREST(Z7, Z9, Z4, Z5)
	VSHUFI64X2 $0x93, Z8, Z8, Z9
	NEAREST(Z7, Z9, Z4, Z5)
	VPMINUD Z5, Z4, Z4

alone:
	FIRSTS(Z6, Z7, Z4, Different_Keys(DI))
	VMOVQ Key_Coarse(DX), X8
	VPSRLD X8, Z6, Z2
	VPSRLD X8, Z7, Z3
	VPSRLD X8, Z4, Z5
	FIRSTS(Z2, Z3, Z5, Different_Groups(DI))
	VMOVQ Key_Coarser(DX), X8
	VPSRLD X8, Z6, Z2
	VPSRLD X8, Z7, Z3
	VPSRLD X8, Z4, Z5
	FIRSTS(Z2, Z3, Z5, Different_Wide(DI))
	VZEROUPPER
	RET

// INMAP keeps those lanes of a mask whose addresses are in the map, and makes of them sectors behind its first.
#define INMAP(addresses, mask) \
	VPSUBQ Z8, addresses, addresses \
	VPCMPUQ $1, Z9, addresses, mask, mask \
	VPSRLQ $5, addresses, addresses

// BITS has a bit for each sector of lanes in 64 of them, and moves on to the next 64.
#define BITS \
	VPSLLVQ Z4, Z8, Z0 \
	VPSLLVQ Z5, Z8, Z1 \
	VPSLLVQ Z6, Z8, Z2 \
	VPSLLVQ Z7, Z8, Z3 \
	VPORQ Z0, Z1, Z0 \
	VPTERNLOGQ $0xFE, Z2, Z3, Z0 \
	VPSUBQ Z9, Z4, Z4 \
	VPSUBQ Z9, Z5, Z5 \
	VPSUBQ Z9, Z6, Z6 \
	VPSUBQ Z9, Z7, Z7 \
	VEXTRACTI64X4 $1, Z0, Y1 \
	VPOR Y0, Y1, Y0 \
	VEXTRACTI128 $1, Y0, X1 \
	VPOR X0, X1, X0 \
	VPSHUFD $0x4E, X0, X1 \
	VPOR X0, X1, X0 \
	VMOVQ X0, R8

// func mark(m *Map, first uint64, addr *[Count]uint64, lanes uint32) (others uint32)
TEXT ·mark(SB), NOSPLIT, $128-36
	MOVQ m+0(FP), DI
	MOVQ addr+16(FP), SI
	MOVL lanes+24(FP), AX
	VPBROADCASTQ first+8(FP), Z8
	MOVQ $const_MapBytes, CX
	VPBROADCASTQ CX, Z9
	KMOVD AX, K1
	KSHIFTRD $8, K1, K2
	KSHIFTRD $16, K1, K3
	KSHIFTRD $24, K1, K4
	VMOVDQU64 (SI), Z0
	VMOVDQU64 64(SI), Z1
	VMOVDQU64 128(SI), Z2
	VMOVDQU64 192(SI), Z3
	INMAP(Z0, K1)
	INMAP(Z1, K2)
	INMAP(Z2, K3)
	INMAP(Z3, K4)
	VPMOVQD Z0, sectors-128(SP)
	VPMOVQD Z1, sectors-96(SP)
	VPMOVQD Z2, sectors-64(SP)
	VPMOVQD Z3, sectors-32(SP)
	KUNPCKBW K1, K2, K5
	KUNPCKBW K3, K4, K6
	KUNPCKWD K5, K6, K5
	KMOVD K5, CX
	ANDNL AX, CX, BX
	MOVL BX, others+32(FP)

	// Most often all are in 256 sectors from those on that the first lane's is among.
	TZCNTL CX, BX
	MOVL sectors-128(SP)(BX*4), R9
	ANDL $~63, R9
	VPBROADCASTQ R9, Z10
	VPTERNLOGQ $0xFF, Z4, Z4, Z4
	VMOVDQA64 Z4, Z5
	VMOVDQA64 Z4, Z6
	VMOVDQA64 Z4, Z7
	VPSUBQ Z10, Z0, K1, Z4
	VPSUBQ Z10, Z1, K2, Z5
	VPSUBQ Z10, Z2, K3, Z6
	VPSUBQ Z10, Z3, K4, Z7
	MOVL $256, R8
	VPBROADCASTQ R8, Z11
	VPCMPUQ $5, Z11, Z4, K1, K1
	VPCMPUQ $5, Z11, Z5, K2, K2
	VPCMPUQ $5, Z11, Z6, K3, K3
	VPCMPUQ $5, Z11, Z7, K4, K4
	KORB K1, K2, K1
	KORB K3, K4, K3
	KORTESTB K1, K3
	JNE apart
	MOVL $1, R8
	VPBROADCASTQ R8, Z8
	MOVL $64, R8
	VPBROADCASTQ R8, Z9
	SHRL $6, R9
	LEAQ (DI)(R9*8), DI
	MOVL $4, CX

near:
	BITS
	TESTQ R8, R8
	JEQ none
	ORQ R8, (DI)

none:
	ADDQ $8, DI
	DECL CX
	JNE near
	VZEROUPPER
	RET

apart:
	VZEROUPPER
	CMPL CX, $-1
	JNE some
	XORL BX, BX

each:
	MOVL sectors-128(SP)(BX*4), R8
	MOVL sectors-124(SP)(BX*4), R10
	MOVL R8, R9
	SHRL $6, R9
	MOVQ (DI)(R9*8), R11
	BTSQ R8, R11
	MOVQ R11, (DI)(R9*8)
	MOVL R10, R9
	SHRL $6, R9
	MOVQ (DI)(R9*8), R11
	BTSQ R10, R11
	MOVQ R11, (DI)(R9*8)
	ADDL $2, BX
	CMPL BX, $32
	JNE each
	RET

some:
	TZCNTL CX, BX
	MOVL sectors-128(SP)(BX*4), R8
	MOVL R8, R9
	SHRL $6, R9
	MOVQ (DI)(R9*8), R11
	BTSQ R8, R11
	MOVQ R11, (DI)(R9*8)
	BLSRL CX, CX
	JNE some
	RET

// LANESOF puts the lanes of AX in masks of eight.
#define LANESOF \
	KMOVD AX, K1 \
	KSHIFTRD $8, K1, K2 \
	KSHIFTRD $16, K1, K3 \
	KSHIFTRD $24, K1, K4

// NONE tells whether no bit of the masks is set.
#define NONE(result) \
	KORB K1, K2, K1 \
	KORB K3, K4, K3 \
	KORTESTB K1, K3 \
	SETEQ result \
	VZEROUPPER

// func evenly(addr *[Count]uint64, lanes uint32, base, shift uint64) bool
TEXT ·evenly(SB), NOSPLIT, $0-33
	MOVQ addr+0(FP), SI
	MOVL lanes+8(FP), AX
	VPBROADCASTQ base+16(FP), Z0
	VMOVQ shift+24(FP), X4
	MOVQ $8, CX
	VPBROADCASTQ CX, Z5
	VPSLLQ X4, Z5, Z5
	VMOVDQU64 numbers<>(SB), Z1
	VPSLLQ X4, Z1, Z1
	VPADDQ Z0, Z1, Z0
	VPADDQ Z0, Z5, Z1
	VPADDQ Z1, Z5, Z2
	VPADDQ Z2, Z5, Z3
	LANESOF
	VPCMPUQ $4, (SI), Z0, K1, K1
	VPCMPUQ $4, 64(SI), Z1, K2, K2
	VPCMPUQ $4, 128(SI), Z2, K3, K3
	VPCMPUQ $4, 192(SI), Z3, K4, K4
	NONE(ret+32(FP))
	RET

// func alike(addr *[Count]uint64, lanes uint32, base uint64, apart *[Count]uint64) bool
TEXT ·alike(SB), NOSPLIT, $0-33
	MOVQ addr+0(FP), SI
	MOVL lanes+8(FP), AX
	MOVQ apart+24(FP), DX
	VPBROADCASTQ base+16(FP), Z4
	VPADDQ (DX), Z4, Z0
	VPADDQ 64(DX), Z4, Z1
	VPADDQ 128(DX), Z4, Z2
	VPADDQ 192(DX), Z4, Z3
	LANESOF
	VPCMPUQ $4, (SI), Z0, K1, K1
	VPCMPUQ $4, 64(SI), Z1, K2, K2
	VPCMPUQ $4, 128(SI), Z2, K3, K3
	VPCMPUQ $4, 192(SI), Z3, K4, K4
	NONE(ret+32(FP))
	RET
