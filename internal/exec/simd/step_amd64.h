// Machine code of a step finds R12 pointing at its step, R13 at the machine and R11 at the running
// fragment's frame. It may change every other register but SP and BP.

// NEXT goes on with the step that follows.
#define NEXT \
	ADDQ $step__size, R12 \
	MOVQ step_code(R12), AX \
	JMP  AX

// GOTO goes on with the step at R12.
#define GOTO \
	MOVQ step_code(R12), AX \
	JMP  AX

// EXIT returns to Go, which runs the step at R12. Rounding and flushing are the default outside of steps.
#define EXIT \
	MOVQ R12, machine_stopped(R13) \
	VZEROUPPER \
	LDMXCSR machine_defaultControl(R13) \
	RET

// POINT_D to POINT_E point a register at the row of an operand of the step.
#define POINT_D \
	MOVL step_d(R12), DI \
	ADDQ R11, DI
#define POINT_A \
	MOVL step_a(R12), SI \
	ADDQ R11, SI
#define POINT_B \
	MOVL step_b(R12), DX \
	ADDQ R11, DX
#define POINT_C \
	MOVL step_c(R12), CX \
	ADDQ R11, CX
#define POINT_E \
	MOVL step_e(R12), BX \
	ADDQ R11, BX

// WARPS begins with the first warp: R8 points at the masks of the warps (nil for all lanes), R9 counts
// bytes of 32-bit rows and R14 bytes of masks and predicates.
#define WARPS \
	MOVL step_lanes(R12), R8 \
	MOVQ (R13)(R8*1), R8 \
	XORL R9, R9 \
	XORL R14, R14

// NEXT_WARP goes on to the next warp and compares with the end.
#define NEXT_WARP \
	ADDQ $128, R9 \
	ADDQ $4, R14 \
	CMPQ R9, machine_span(R13)

// MEETS begins one or more instructions across lanes, the last of which is at pc x: it goes to stop, for Go to begin them, where not all lanes of the
// warps that run are there.
#define MEETS \
	MOVL  step_x(R12), AX \
	CMPQ  AX, machine_limit(R13) \
	JCC   stop \
	CMPQ  machine_budget(R13), $0 \
	JLE   stop \
	CMPQ  machine_converged(R13), $0 \
	JEQ   stop \
	MOVQ  machine_lanes(R13), BX \
	XORL  R9, R9 \
	TESTQ BX, BX \
	JEQ   met \
lanes: \
	MOVL (BX)(R9*4), AX \
	INCL AX \
	CMPL AX, $1 \
	JHI  stop \
	INCQ R9 \
	CMPQ R9, $const_gangWarps \
	JNE  lanes \
met:

// BOOK books the y instructions that MEETS has begun, with counters the warps and threads at d and behind it.
#define BOOK \
	MOVL  step_y(R12), DX \
	MOVQ  DX, AX \
	SUBQ  AX, machine_budget(R13) \
	IMULQ machine_warps(R13), AX \
	ADDQ  AX, machine_executed(R13) \
	MOVQ  machine_counters(R13), BX \
	TESTQ BX, BX \
	JEQ   booked \
	MOVL  step_d(R12), CX \
count: \
	MOVQ  machine_warps(R13), AX \
	ADDQ  AX, (BX)(CX*1) \
	MOVQ  machine_threads(R13), AX \
	ADDQ  AX, 8(BX)(CX*1) \
	ADDQ  $16, CX \
	DECQ  DX \
	JNE   count \
booked:

// UNLESS_EMPTY goes to next where no lanes run of the warp that R9 counts bytes of 32-bit rows to.
#define UNLESS_EMPTY \
	MOVQ  machine_lanes(R13), BX \
	TESTQ BX, BX \
	JEQ   full \
	MOVQ  R9, AX \
	SHRQ  $5, AX \
	CMPL  (BX)(AX*1), $0 \
	JEQ   next \
full:
