// A call finds R10 pointing at it, R8 at the Scratch and R9 at the registers. It may change every other register but R11 to R13, SP and BP. AX is
// 0 behind the last call, or points at the one that failed.

// POINT has register point at the rows that ref, a place, names.
#define POINT(ref, register) \
	MOVQ ref, register \
	MOVQ R9, AX \
	BTRQ $0, register \
	CMOVQCS R8, AX \
	ADDQ AX, register

// GOON goes on with the next call.
#define GOON \
	ADDQ $call__size, R10 \
	MOVQ call_code(R10), AX \
	JMP AX

#define FAIL \
	MOVQ R10, AX \
	RET
