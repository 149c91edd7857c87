#include "textflag.h"
#include "go_asm.h"
#include "step_amd64.h"

// The words of the first four columns of eight rows of eight words, and what is added for the others.
DATA columns<>+0(SB)/8, $0x0018001000080000
DATA columns<>+8(SB)/8, $0x0038003000280020
DATA columns<>+16(SB)/8, $0x0019001100090001
DATA columns<>+24(SB)/8, $0x0039003100290021
DATA columns<>+32(SB)/8, $0x001A0012000A0002
DATA columns<>+40(SB)/8, $0x003A0032002A0022
DATA columns<>+48(SB)/8, $0x001B0013000B0003
DATA columns<>+56(SB)/8, $0x003B0033002B0023
GLOBL columns<>(SB), RODATA|NOPTR, $64

// COLUMNS sets Z30 and Z31 to the words of the columns.
#define COLUMNS \
	VMOVDQU16 columns<>(SB), Z30 \
	MOVL $4, AX \
	VPBROADCASTW AX, Z31 \
	VPADDW Z30, Z31, Z31

// TRANSPOSED stores the columns of the rows in Z0 and Z1.
#define TRANSPOSED \
	VMOVDQA64 Z30, Z2 \
	VMOVDQA64 Z31, Z3 \
	VPERMI2W Z1, Z0, Z2 \
	VPERMI2W Z1, Z0, Z3 \
	VMOVDQU16 Z2, (DI) \
	VMOVDQU16 Z3, 64(DI)

// ADDRESSES takes eight addresses in vector, sets bits of K1 for those that are not legal, and stores where the bytes are in host memory.
#define ADDRESSES(vector, at) \
	VPTESTMQ Z20, vector, K2 \
	VPSUBQ Z21, vector, Z4 \
	VPCMPUQ $6, Z22, Z4, K3 \
	VPADDQ Z23, Z4, Z4 \
	VMOVDQU64 Z4, at(SI) \
	KORW K2, K1, K1 \
	KORW K3, K1, K1

#define NARROW(at) \
	VPADDD (4*at)(DX), Y24, Y5 \
	VPMOVZXDQ Y5, Z5 \
	ADDRESSES(Z5, 8*at)

#define WIDE(at) \
	VPADDQ (8*at)(DX), Z24, Z5 \
	ADDRESSES(Z5, 8*at)

// ROW copies row r of a matrix.
#define ROW(r) \
	MOVQ (8*r)(SI), AX \
	VMOVDQU (AX), X0 \
	VMOVDQU X0, (16*r)(DI)

#define FOUR_ROWS(r, to, low) \
	MOVQ (8*r)(SI), AX \
	MOVQ (8*r+8)(SI), BX \
	VMOVDQU (AX), low \
	VINSERTI32X4 $1, (BX), to, to \
	MOVQ (8*r+16)(SI), AX \
	MOVQ (8*r+24)(SI), BX \
	VINSERTI32X4 $2, (AX), to, to \
	VINSERTI32X4 $3, (BX), to, to

// Loads matrices as imm, a *matrixStep, tells (ldmatrix): lanes give the address of each row.
TEXT ·loadRows(SB), NOSPLIT|NOFRAME, $0-0
	MEETS
	MOVQ step_imm(R12), R10
	MOVL step_e(R12), CX
	ADDQ machine_regions(R13), CX
	MOVQ region_size(CX), AX
	SUBQ $16, AX
	JCS  stop
	VPBROADCASTQ AX, Z22
	VPBROADCASTQ region_start(CX), Z21
	VPBROADCASTQ region_host(CX), Z23
	MOVL $15, AX
	VPBROADCASTQ AX, Z20
	VPBROADCASTQ matrixStep_offset(R10), Z24
	CMPL matrixStep_narrow(R10), $0
	JEQ  wideOffset
	VPBROADCASTD matrixStep_offset(R10), Z24
wideOffset:
	COLUMNS
	XORL R9, R9
warp:
	UNLESS_EMPTY
	MOVL step_a(R12), DX
	ADDQ R11, DX
	MOVQ machine_addresses(R13), SI
	MOVQ matrixStep_count(R10), CX
	KXORW K1, K1, K1
	CMPL matrixStep_narrow(R10), $0
	JEQ  wide
	ADDQ R9, DX
	NARROW(0)
	CMPQ CX, $1
	JEQ  formed
	NARROW(8)
	CMPQ CX, $2
	JEQ  formed
	NARROW(16)
	NARROW(24)
	JMP  formed
wide:
	LEAQ (DX)(R9*2), DX
	WIDE(0)
	CMPQ CX, $1
	JEQ  formed
	WIDE(8)
	CMPQ CX, $2
	JEQ  formed
	WIDE(16)
	WIDE(24)
formed:
	KTESTW K1, K1
	JNE  stop
	LEAQ matrixStep_registers(R10), DX
matrix:
	MOVQ matrixRegister_to(DX), DI
	ADDQ R9, DI
	ADDQ R11, DI
	CMPL matrixStep_transposed(R10), $0
	JNE  transposed
	ROW(0)
	ROW(1)
	ROW(2)
	ROW(3)
	ROW(4)
	ROW(5)
	ROW(6)
	ROW(7)
	JMP  stored
transposed:
	FOUR_ROWS(0, Z0, X0)
	FOUR_ROWS(4, Z1, X1)
	TRANSPOSED
stored:
	ADDQ $64, SI
	ADDQ $matrixRegister__size, DX
	DECQ CX
	JNE  matrix
next:
	ADDQ $128, R9
	CMPQ R9, machine_span(R13)
	JNE  warp
	BOOK
	MOVQ step_next(R12), R12
	GOTO
stop:
	EXIT

// EQUAL32 and EQUAL64 go to stop where not all lanes of the register at DX hold the value in AX.
#define EQUAL32 \
	VPBROADCASTD AX, Z0 \
	VPCMPEQD (DX), Z0, K1 \
	VPCMPEQD 64(DX), Z0, K2 \
	KANDW K1, K2, K1 \
	KORTESTW K1, K1 \
	JCC stop

#define EQUAL64 \
	VPBROADCASTQ AX, Z0 \
	VPCMPEQQ (DX), Z0, K1 \
	VPCMPEQQ 64(DX), Z0, K2 \
	VPCMPEQQ 128(DX), Z0, K3 \
	VPCMPEQQ 192(DX), Z0, K4 \
	KANDB K1, K2, K1 \
	KANDB K3, K4, K3 \
	KANDB K1, K3, K1 \
	KORTESTB K1, K1 \
	JCC stop

// Loads matrices as imm, a *matrixStep, tells (wmma.load): all lanes give the address of the fragment's memory, and the distance of its rows.
TEXT ·loadFragment(SB), NOSPLIT|NOFRAME, $0-0
	MEETS
	MOVQ step_imm(R12), R10
	COLUMNS
	XORL R9, R9
warp:
	UNLESS_EMPTY
	MOVQ matrixStep_stride(R10), R14
	TESTQ R14, R14
	JNE  constant
	MOVL step_b(R12), DX
	ADDQ R11, DX
	ADDQ R9, DX
	MOVL (DX), R14
	MOVL R14, AX
	EQUAL32
	CMPQ R14, $(1<<24)
	JHI  stop
	ADDQ R14, R14
constant:
	MOVL step_a(R12), DX
	ADDQ R11, DX
	CMPL matrixStep_narrow(R10), $0
	JEQ  wide
	ADDQ R9, DX
	MOVL (DX), AX
	EQUAL32
	ADDL matrixStep_offset(R10), AX
	JMP  formed
wide:
	LEAQ (DX)(R9*2), DX
	MOVQ (DX), AX
	EQUAL64
	ADDQ matrixStep_offset(R10), AX
formed:
	TESTB $1, AL
	JNE  stop
	MOVL step_e(R12), CX
	ADDQ machine_regions(R13), CX
	MOVQ matrixStep_rows(R10), DX      // all but one
	IMULQ R14, DX
	ADDQ matrixStep_bytes(R10), DX
	MOVQ region_size(CX), BX
	SUBQ DX, BX
	JCS  stop
	SUBQ region_start(CX), AX
	CMPQ AX, BX
	JHI  stop
	ADDQ region_host(CX), AX
	MOVQ AX, R15
	LEAQ (R14)(R14*2), BX              // three rows
	LEAQ matrixStep_registers(R10), DX
	MOVQ matrixStep_count(R10), CX
matrix:
	MOVQ matrixRegister_to(DX), DI
	ADDQ R9, DI
	ADDQ R11, DI
	MOVQ matrixRegister_same(DX), SI
	TESTQ SI, SI
	JNE  same
	MOVQ matrixRegister_row(DX), SI
	IMULQ R14, SI
	ADDQ matrixRegister_column(DX), SI
	ADDQ R15, SI
	LEAQ (SI)(R14*4), AX
	VMOVDQU (SI), X0
	VMOVDQU (AX), X1
	CMPL matrixStep_transposed(R10), $0
	JNE  transposed
	VMOVDQU (SI)(R14*1), X2
	VMOVDQU (SI)(R14*2), X3
	VMOVDQU (SI)(BX*1), X4
	VMOVDQU (AX)(R14*1), X5
	VMOVDQU (AX)(R14*2), X6
	VMOVDQU (AX)(BX*1), X7
	VMOVDQU X0, (DI)
	VMOVDQU X2, 16(DI)
	VMOVDQU X3, 32(DI)
	VMOVDQU X4, 48(DI)
	VMOVDQU X1, 64(DI)
	VMOVDQU X5, 80(DI)
	VMOVDQU X6, 96(DI)
	VMOVDQU X7, 112(DI)
	JMP  stored
transposed:
	VINSERTI32X4 $1, (SI)(R14*1), Z0, Z0
	VINSERTI32X4 $1, (AX)(R14*1), Z1, Z1
	VINSERTI32X4 $2, (SI)(R14*2), Z0, Z0
	VINSERTI32X4 $2, (AX)(R14*2), Z1, Z1
	VINSERTI32X4 $3, (SI)(BX*1), Z0, Z0
	VINSERTI32X4 $3, (AX)(BX*1), Z1, Z1
	TRANSPOSED
	JMP  stored
same:
	ADDQ R9, SI
	ADDQ R11, SI
	VMOVDQU32 (SI), Z0
	VMOVDQU32 64(SI), Z1
	VMOVDQU32 Z0, (DI)
	VMOVDQU32 Z1, 64(DI)
stored:
	ADDQ $matrixRegister__size, DX
	DECQ CX
	JNE  matrix
next:
	ADDQ $128, R9
	CMPQ R9, machine_span(R13)
	JNE  warp
	BOOK
	MOVQ step_next(R12), R12
	GOTO
stop:
	EXIT
