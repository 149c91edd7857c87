#include "textflag.h"

// func transposeMatrix(to *[warpLanes]uint32, rows *[matrixRows]ptr)
//
// Pairs of rows are interleaved, which makes the dwords of the register; then those of a column are brought together.
TEXT ·transposeMatrix(SB), NOSPLIT, $0-16
	MOVQ to+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ 0(SI), AX
	MOVQ 8(SI), BX
	MOVQ 16(SI), CX
	MOVQ 24(SI), DX
	MOVQ 32(SI), R8
	MOVQ 40(SI), R9
	MOVQ 48(SI), R10
	MOVQ 56(SI), R11
	MOVOU (AX), X0
	MOVOU (BX), X1
	MOVOU (CX), X2
	MOVOU (DX), X3
	MOVOU (R8), X4
	MOVOU (R9), X5
	MOVOU (R10), X6
	MOVOU (R11), X7
	MOVO X0, X8
	MOVO X2, X9
	MOVO X4, X10
	MOVO X6, X11
	PUNPCKLWL X1, X0           // columns 0 to 3
	PUNPCKLWL X3, X2
	PUNPCKLWL X5, X4
	PUNPCKLWL X7, X6
	PUNPCKHWL X1, X8           // columns 4 to 7
	PUNPCKHWL X3, X9
	PUNPCKHWL X5, X10
	PUNPCKHWL X7, X11

#define COLUMNS(a, b, c, d, at) \
	MOVO a, X12 \
	MOVO c, X13 \
	PUNPCKLLQ b, a \
	PUNPCKLLQ d, c \
	PUNPCKHLQ b, X12 \
	PUNPCKHLQ d, X13 \
	MOVO a, X14 \
	MOVO X12, X1 \
	PUNPCKLQDQ c, a \
	PUNPCKHQDQ c, X14 \
	PUNPCKLQDQ X13, X12 \
	PUNPCKHQDQ X13, X1 \
	MOVOU a, (at+0)(DI) \
	MOVOU X14, (at+16)(DI) \
	MOVOU X12, (at+32)(DI) \
	MOVOU X1, (at+48)(DI)

	COLUMNS(X0, X2, X4, X6, 0)
	COLUMNS(X8, X9, X10, X11, 64)
	RET
