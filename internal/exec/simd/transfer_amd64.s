#include "textflag.h"

// Each function moves the lanes of consecutive warps between rows and memory as long as their patterns are uniform
// or contiguous and their addresses lie in the region; it returns how many warps it has done, or skipped
// for an empty mask. An address is (pattern.base + offset) & wrap; the region starts at address base,
// has size bytes and lies at host address start. Accesses are aligned to their size.
//
// SI patterns, R8 masks, DI row, R10 offset, R11 wrap, R12 base, R13 size, DX start, R9 warps left, AX warps done.
// BX holds the distance of lane 0's address (or of the common address) from base.

#define ARGUMENTS \
	MOVQ row+0(FP), DI; \
	MOVQ patterns+8(FP), SI; \
	MOVQ masks+16(FP), R8; \
	MOVQ offset+24(FP), R10; \
	MOVQ wrap+32(FP), R11; \
	MOVQ base+40(FP), R12; \
	MOVQ size+48(FP), R13; \
	MOVQ start+56(FP), DX; \
	MOVQ warps+64(FP), R9; \
	XORL AX, AX

// DISTANCE leaves for out unless the address is a multiple of bytes.
#define DISTANCE(bytes, out) \
	MOVQ 0(SI), BX; \
	ADDQ R10, BX; \
	ANDQ R11, BX; \
	TESTQ $(bytes-1), BX; \
	JNE  out; \
	SUBQ R12, BX

// COMMON leaves for out unless bytes at BX lie in the region.
#define COMMON(bytes, out) \
	CMPQ BX, R13; \
	JHI  out; \
	LEAQ bytes(BX), CX; \
	CMPQ CX, R13; \
	JHI  out

// LANES leaves for out unless the first to the last lane of the mask in R15 lie in the region.
#define LANES(bytes, out) \
	TZCNTL R15, CX; \
	LEAQ (BX)(CX*bytes), CX; \
	CMPQ CX, R13; \
	JHI  out; \
	LZCNTL R15, CX; \
	XORL $31, CX; \
	LEAQ bytes(BX)(CX*bytes), CX; \
	CMPQ CX, R13; \
	JHI  out

#define MASKS2 \
	KMOVD R15, K1; \
	KSHIFTRD $16, K1, K2

#define MASKS4 \
	KMOVD R15, K1; \
	KSHIFTRD $8, K1, K2; \
	KSHIFTRD $16, K1, K3; \
	KSHIFTRD $24, K1, K4

#define NEXT(rowbytes) \
	ADDQ $rowbytes, DI; \
	ADDQ $32, SI; \
	ADDQ $4, R8; \
	INCQ AX; \
	DECQ R9

// func load32(row unsafe.Pointer, patterns *pattern, masks *uint32, offset, wrap, base, size uint64, start unsafe.Pointer, warps int) (done int)
TEXT ·load32(SB), NOSPLIT, $0-80
	ARGUMENTS

load32warp:
	MOVL (R8), R15
	TESTL R15, R15
	JEQ  load32next
	DISTANCE(4, load32out)
	CMPQ 24(SI), $2
	JEQ  load32contiguous
	CMPQ 24(SI), $1
	JNE  load32out
	COMMON(4, load32out)
	MASKS2
	VPBROADCASTD (DX)(BX*1), Z0
	VMOVDQU32 Z0, K1, 0(DI)
	VMOVDQU32 Z0, K2, 64(DI)
	JMP  load32next

load32contiguous:
	LANES(4, load32out)
	ADDQ DX, BX
	CMPL R15, $-1
	JNE  load32masked
	VMOVDQU32 0(BX), Z0
	VMOVDQU32 64(BX), Z1
	VMOVDQU32 Z0, 0(DI)
	VMOVDQU32 Z1, 64(DI)
	JMP  load32next

load32masked:
	MASKS2
	VMOVDQU32.Z 0(BX), K1, Z0
	VMOVDQU32.Z 64(BX), K2, Z1
	VMOVDQU32 Z0, K1, 0(DI)
	VMOVDQU32 Z1, K2, 64(DI)

load32next:
	NEXT(128)
	JNE  load32warp

load32out:
	MOVQ AX, done+72(FP)
	VZEROUPPER
	RET

// func load64(row unsafe.Pointer, patterns *pattern, masks *uint32, offset, wrap, base, size uint64, start unsafe.Pointer, warps int) (done int)
TEXT ·load64(SB), NOSPLIT, $0-80
	ARGUMENTS

load64warp:
	MOVL (R8), R15
	TESTL R15, R15
	JEQ  load64next
	DISTANCE(8, load64out)
	MASKS4
	CMPQ 24(SI), $2
	JEQ  load64contiguous
	CMPQ 24(SI), $1
	JNE  load64out
	COMMON(8, load64out)
	VPBROADCASTQ (DX)(BX*1), Z0
	VMOVDQU64 Z0, K1, 0(DI)
	VMOVDQU64 Z0, K2, 64(DI)
	VMOVDQU64 Z0, K3, 128(DI)
	VMOVDQU64 Z0, K4, 192(DI)
	JMP  load64next

load64contiguous:
	LANES(8, load64out)
	ADDQ DX, BX
	VMOVDQU64.Z 0(BX), K1, Z0
	VMOVDQU64.Z 64(BX), K2, Z1
	VMOVDQU64.Z 128(BX), K3, Z2
	VMOVDQU64.Z 192(BX), K4, Z3
	VMOVDQU64 Z0, K1, 0(DI)
	VMOVDQU64 Z1, K2, 64(DI)
	VMOVDQU64 Z2, K3, 128(DI)
	VMOVDQU64 Z3, K4, 192(DI)

load64next:
	NEXT(256)
	JNE  load64warp

load64out:
	MOVQ AX, done+72(FP)
	VZEROUPPER
	RET

// func store32(row unsafe.Pointer, patterns *pattern, masks *uint32, offset, wrap, base, size uint64, start unsafe.Pointer, warps int) (done int)
TEXT ·store32(SB), NOSPLIT, $0-80
	ARGUMENTS

store32warp:
	MOVL (R8), R15
	TESTL R15, R15
	JEQ  store32next
	DISTANCE(4, store32out)
	CMPQ 24(SI), $2
	JNE  store32out
	LANES(4, store32out)
	ADDQ DX, BX
	MASKS2
	VMOVDQU32 0(DI), Z0
	VMOVDQU32 64(DI), Z1
	VMOVDQU32 Z0, K1, 0(BX)
	VMOVDQU32 Z1, K2, 64(BX)

store32next:
	NEXT(128)
	JNE  store32warp

store32out:
	MOVQ AX, done+72(FP)
	VZEROUPPER
	RET

// func store64(row unsafe.Pointer, patterns *pattern, masks *uint32, offset, wrap, base, size uint64, start unsafe.Pointer, warps int) (done int)
TEXT ·store64(SB), NOSPLIT, $0-80
	ARGUMENTS

store64warp:
	MOVL (R8), R15
	TESTL R15, R15
	JEQ  store64next
	DISTANCE(8, store64out)
	CMPQ 24(SI), $2
	JNE  store64out
	LANES(8, store64out)
	ADDQ DX, BX
	MASKS4
	VMOVDQU64 0(DI), Z0
	VMOVDQU64 64(DI), Z1
	VMOVDQU64 128(DI), Z2
	VMOVDQU64 192(DI), Z3
	VMOVDQU64 Z0, K1, 0(BX)
	VMOVDQU64 Z1, K2, 64(BX)
	VMOVDQU64 Z2, K3, 128(BX)
	VMOVDQU64 Z3, K4, 192(BX)

store64next:
	NEXT(256)
	JNE  store64warp

store64out:
	MOVQ AX, done+72(FP)
	VZEROUPPER
	RET
