#include "textflag.h"
#include "go_asm.h"
#include "step_amd64.h"

// func enter(m *machine, s *step)
TEXT ·enter(SB), NOSPLIT, $0-16
	MOVQ m+0(FP), R13
	MOVQ s+8(FP), R12
	MOVQ machine_frame(R13), R11
	LDMXCSR machine_control(R13)
	GOTO

// func resetControl()
TEXT ·resetControl(SB), NOSPLIT, $8-0
	MOVL $0x1f80, control-8(SP)
	LDMXCSR control-8(SP)
	VZEROUPPER
	RET

// func controlSteps() *[controlCount]uintptr
TEXT ·controlSteps(SB), NOSPLIT, $0-8
	LEAQ controlTable<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// Not read-only: a shared library's loader puts the addresses in.
DATA controlTable<>+0(SB)/8, $exit<>(SB)
DATA controlTable<>+8(SB)/8, $begin<>(SB)
DATA controlTable<>+16(SB)/8, $rendezvous<>(SB)
DATA controlTable<>+24(SB)/8, $guard<>(SB)
DATA controlTable<>+32(SB)/8, $branch<>(SB)
DATA controlTable<>+40(SB)/8, $jump<>(SB)
DATA controlTable<>+48(SB)/8, $control<>(SB)
DATA controlTable<>+56(SB)/8, $poll<>(SB)
DATA controlTable<>+64(SB)/8, $fence<>(SB)
DATA controlTable<>+72(SB)/8, $predMov<>(SB)
DATA controlTable<>+80(SB)/8, $predAnd<>(SB)
DATA controlTable<>+88(SB)/8, $predOr<>(SB)
DATA controlTable<>+96(SB)/8, $predXor<>(SB)
DATA controlTable<>+104(SB)/8, $voteAll<>(SB)
DATA controlTable<>+112(SB)/8, $voteAny<>(SB)
DATA controlTable<>+120(SB)/8, $voteUni<>(SB)
DATA controlTable<>+128(SB)/8, $observe<>(SB)
DATA controlTable<>+136(SB)/8, $native<>(SB)
DATA controlTable<>+144(SB)/8, $resume<>(SB)
DATA controlTable<>+152(SB)/8, $suspend<>(SB)
DATA controlTable<>+160(SB)/8, $products<>(SB)
DATA controlTable<>+168(SB)/8, $·loadRows(SB)
DATA controlTable<>+176(SB)/8, $·loadFragment(SB)
GLOBL controlTable<>(SB), NOPTR, $184

// The step is Go's.
TEXT exit<>(SB), NOSPLIT|NOFRAME, $0-0
	EXIT

// COUNT books the segment's y instructions: budget, and with counters the warps and threads at d.
#define COUNT \
	MOVL  step_y(R12), AX \
	SUBQ  AX, machine_budget(R13) \
	IMULQ machine_warps(R13), AX \
	ADDQ  AX, machine_executed(R13) \
	MOVQ  machine_counters(R13), BX \
	TESTQ BX, BX \
	JEQ   counted \
	MOVL  step_d(R12), CX \
	MOVQ  machine_warps(R13), AX \
	ADDQ  AX, (BX)(CX*1) \
	MOVQ  machine_threads(R13), AX \
	ADDQ  AX, 8(BX)(CX*1) \
counted:

// Begins a segment: x is its pc.
TEXT begin<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVL step_x(R12), AX
	CMPQ AX, machine_limit(R13)
	JCC  stop
	CMPQ machine_budget(R13), $0
	JLE  stop
	COUNT
	NEXT
stop:
	EXIT

// Begins the segment of a warp-synchronous instruction, which runs here when no warp's lanes are spread
// over several fragments.
TEXT rendezvous<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVL step_x(R12), AX
	CMPQ AX, machine_limit(R13)
	JCC  stop
	CMPQ machine_budget(R13), $0
	JLE  stop
	CMPQ machine_converged(R13), $0
	JEQ  stop
	COUNT
	NEXT
stop:
	EXIT

// Computes the lanes in which the predicate at a, with the bits of imm inverted, is true; without any it
// goes on at the target. Their number is added to the counter at x.
TEXT guard<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVL         step_a(R12), SI
	VPBROADCASTD step_imm(R12), Y1
	VPXOR        (R11)(SI*1), Y1, Y0
	VPAND        machine_masks(R13), Y0, Y0
	VMOVDQU      Y0, machine_guarded(R13)
	MOVQ         machine_counters(R13), BX
	TESTQ        BX, BX
	JNE          count
test:
	VPTEST Y0, Y0
	JEQ    none
	NEXT
none:
	MOVQ step_target(R12), R12
	GOTO
count:
	MOVL    step_x(R12), CX
	VMOVQ   X0, AX
	POPCNTQ AX, AX
	ADDQ    AX, (BX)(CX*1)
	VPEXTRQ $1, X0, AX
	POPCNTQ AX, AX
	ADDQ    AX, (BX)(CX*1)
	VEXTRACTI128 $1, Y0, X2
	VMOVQ   X2, AX
	POPCNTQ AX, AX
	ADDQ    AX, (BX)(CX*1)
	VPEXTRQ $1, X2, AX
	POPCNTQ AX, AX
	ADDQ    AX, (BX)(CX*1)
	JMP     test

// Goes to the target when the predicate at a, with the bits of imm inverted, is true in all lanes, and on
// when it is in none. When lanes differ, Go splits the fragment. The counter at x gets the lanes that jump.
TEXT branch<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVL         step_a(R12), SI
	VPBROADCASTD step_imm(R12), Y1
	VPXOR        (R11)(SI*1), Y1, Y0
	VPTEST       machine_masks(R13), Y0
	JEQ          none
	JCS          all
	EXIT
all:
	MOVQ  machine_counters(R13), BX
	TESTQ BX, BX
	JEQ   go
	MOVL  step_x(R12), CX
	MOVQ  machine_threads(R13), AX
	ADDQ  AX, (BX)(CX*1)
go:
	MOVQ step_target(R12), R12
	GOTO
none:
	MOVQ step_next(R12), R12
	GOTO

TEXT jump<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ step_target(R12), R12
	GOTO

// Sets rounding and flushing for the steps that follow to imm.
TEXT control<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ    step_imm(R12), AX
	MOVQ    AX, machine_control(R13)
	LDMXCSR machine_control(R13)
	NEXT

// Notes that the fragment may be waiting for another thread.
TEXT poll<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ machine_pollCost(R13), AX
	SUBQ AX, machine_budget(R13)
	INCQ machine_polls(R13)
	NEXT

TEXT fence<>(SB), NOSPLIT|NOFRAME, $0-0
	MFENCE
	NEXT

// PREDICATES reads the predicate at a in Y0 and that at b in Y1, their bits inverted by the halves of imm,
// and the lanes in Y3. MERGE writes Y0 to the lanes of the predicate at d.
#define PREDICATES \
	MOVL         step_a(R12), SI \
	MOVL         step_b(R12), DX \
	MOVL         step_d(R12), DI \
	MOVL         step_lanes(R12), R8 \
	VPBROADCASTD step_imm(R12), Y0 \
	VPBROADCASTD (step_imm+4)(R12), Y1 \
	VPXOR        (R11)(SI*1), Y0, Y0 \
	VPXOR        (R11)(DX*1), Y1, Y1 \
	VMOVDQU      (R13)(R8*1), Y3

#define MERGE \
	VPAND   Y3, Y0, Y0 \
	VPANDN  (R11)(DI*1), Y3, Y3 \
	VPOR    Y3, Y0, Y0 \
	VMOVDQU Y0, (R11)(DI*1) \
	NEXT

TEXT predMov<>(SB), NOSPLIT|NOFRAME, $0-0
	PREDICATES
	MERGE

TEXT predAnd<>(SB), NOSPLIT|NOFRAME, $0-0
	PREDICATES
	VPAND Y1, Y0, Y0
	MERGE

TEXT predOr<>(SB), NOSPLIT|NOFRAME, $0-0
	PREDICATES
	VPOR Y1, Y0, Y0
	MERGE

TEXT predXor<>(SB), NOSPLIT|NOFRAME, $0-0
	PREDICATES
	VPXOR Y1, Y0, Y0
	MERGE

// Votes over the lanes of each warp.
TEXT voteAll<>(SB), NOSPLIT|NOFRAME, $0-0
	PREDICATES
	VPAND    Y3, Y0, Y0
	VPCMPEQD Y3, Y0, Y0
	MERGE

TEXT voteAny<>(SB), NOSPLIT|NOFRAME, $0-0
	PREDICATES
	VPAND    Y3, Y0, Y0
	VPXOR    Y2, Y2, Y2
	VPCMPEQD Y2, Y0, Y0
	VPCMPEQD Y2, Y2, Y2
	VPXOR    Y2, Y0, Y0
	MERGE

TEXT voteUni<>(SB), NOSPLIT|NOFRAME, $0-0
	PREDICATES
	VPAND    Y3, Y0, Y0
	VPXOR    Y2, Y2, Y2
	VPCMPEQD Y2, Y0, Y2
	VPCMPEQD Y3, Y0, Y0
	VPOR     Y2, Y0, Y0
	MERGE

// Counts the accesses of full warps with the patterns at x, uniform ones at d and contiguous ones behind. Go reports all
// if there is another one.
TEXT observe<>(SB), NOSPLIT|NOFRAME, $0-0
	WARPS
	MOVQ machine_patterns(R13), BX
	MOVL step_x(R12), AX
	ADDQ AX, BX
	XORL SI, SI
	XORL DI, DI
warp:
	TESTQ R8, R8
	JEQ   full
	MOVL  (R8)(R14*1), AX
	TESTL AX, AX
	JEQ   next
	CMPL  AX, $-1
	JNE   other
full:
	MOVQ pattern_kind(BX), AX
	CMPQ AX, $1
	JEQ  uniform
	CMPQ AX, $2
	JNE  other
	INCQ DI
	JMP  next
uniform:
	INCQ SI
next:
	ADDQ $pattern__size, BX
	NEXT_WARP
	JNE  warp
	MOVQ machine_counters(R13), BX
	MOVL step_d(R12), CX
	ADDQ SI, (BX)(CX*1)
	ADDQ DI, 8(BX)(CX*1)
	NEXT
other:
	EXIT

// Begins a run that has no native code: goes on behind the step that resumes it.
TEXT native<>(SB), NOSPLIT|NOFRAME, $0-0
	ADDQ $(2*step__size), R12
	GOTO

// Native code of the step at AX asks Go, with all it has in machine.suspension, at BX.
TEXT suspend<>(SB), NOSPLIT|NOFRAME, $0-0
	VMOVDQU64 Z0, (suspension_vectors+0)(BX)
	VMOVDQU64 Z1, (suspension_vectors+64)(BX)
	VMOVDQU64 Z2, (suspension_vectors+128)(BX)
	VMOVDQU64 Z3, (suspension_vectors+192)(BX)
	VMOVDQU64 Z4, (suspension_vectors+256)(BX)
	VMOVDQU64 Z5, (suspension_vectors+320)(BX)
	VMOVDQU64 Z6, (suspension_vectors+384)(BX)
	VMOVDQU64 Z7, (suspension_vectors+448)(BX)
	VMOVDQU64 Z8, (suspension_vectors+512)(BX)
	VMOVDQU64 Z9, (suspension_vectors+576)(BX)
	VMOVDQU64 Z10, (suspension_vectors+640)(BX)
	VMOVDQU64 Z11, (suspension_vectors+704)(BX)
	VMOVDQU64 Z12, (suspension_vectors+768)(BX)
	VMOVDQU64 Z13, (suspension_vectors+832)(BX)
	VMOVDQU64 Z14, (suspension_vectors+896)(BX)
	VMOVDQU64 Z15, (suspension_vectors+960)(BX)
	VMOVDQU64 Z16, (suspension_vectors+1024)(BX)
	VMOVDQU64 Z17, (suspension_vectors+1088)(BX)
	VMOVDQU64 Z18, (suspension_vectors+1152)(BX)
	VMOVDQU64 Z19, (suspension_vectors+1216)(BX)
	VMOVDQU64 Z20, (suspension_vectors+1280)(BX)
	VMOVDQU64 Z21, (suspension_vectors+1344)(BX)
	VMOVDQU64 Z22, (suspension_vectors+1408)(BX)
	VMOVDQU64 Z23, (suspension_vectors+1472)(BX)
	VMOVDQU64 Z24, (suspension_vectors+1536)(BX)
	VMOVDQU64 Z25, (suspension_vectors+1600)(BX)
	VMOVDQU64 Z26, (suspension_vectors+1664)(BX)
	VMOVDQU64 Z27, (suspension_vectors+1728)(BX)
	VMOVDQU64 Z28, (suspension_vectors+1792)(BX)
	VMOVDQU64 Z29, (suspension_vectors+1856)(BX)
	VMOVDQU64 Z30, (suspension_vectors+1920)(BX)
	VMOVDQU64 Z31, (suspension_vectors+1984)(BX)
	KMOVQ K1, (suspension_masks+8)(BX)
	KMOVQ K2, (suspension_masks+16)(BX)
	KMOVQ K3, (suspension_masks+24)(BX)
	KMOVQ K4, (suspension_masks+32)(BX)
	KMOVQ K5, (suspension_masks+40)(BX)
	KMOVQ K6, (suspension_masks+48)(BX)
	KMOVQ K7, (suspension_masks+56)(BX)
	MOVQ CX, (suspension_registers+8)(BX)
	MOVQ DX, (suspension_registers+16)(BX)
	MOVQ SI, (suspension_registers+48)(BX)
	MOVQ DI, (suspension_registers+56)(BX)
	MOVQ R8, (suspension_registers+64)(BX)
	MOVQ R9, (suspension_registers+72)(BX)
	MOVQ R10, (suspension_registers+80)(BX)
	MOVQ R12, (suspension_registers+96)(BX)
	MOVQ R14, (suspension_registers+112)(BX)
	MOVQ R15, (suspension_registers+120)(BX)
	MOVQ $1, suspension_suspended(BX)
	MOVQ AX, R12
	EXIT

// Goes on in native code where Go was asked.
TEXT resume<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ machine_suspension(R13), BX
	VMOVDQU64 (suspension_vectors+0)(BX), Z0
	VMOVDQU64 (suspension_vectors+64)(BX), Z1
	VMOVDQU64 (suspension_vectors+128)(BX), Z2
	VMOVDQU64 (suspension_vectors+192)(BX), Z3
	VMOVDQU64 (suspension_vectors+256)(BX), Z4
	VMOVDQU64 (suspension_vectors+320)(BX), Z5
	VMOVDQU64 (suspension_vectors+384)(BX), Z6
	VMOVDQU64 (suspension_vectors+448)(BX), Z7
	VMOVDQU64 (suspension_vectors+512)(BX), Z8
	VMOVDQU64 (suspension_vectors+576)(BX), Z9
	VMOVDQU64 (suspension_vectors+640)(BX), Z10
	VMOVDQU64 (suspension_vectors+704)(BX), Z11
	VMOVDQU64 (suspension_vectors+768)(BX), Z12
	VMOVDQU64 (suspension_vectors+832)(BX), Z13
	VMOVDQU64 (suspension_vectors+896)(BX), Z14
	VMOVDQU64 (suspension_vectors+960)(BX), Z15
	VMOVDQU64 (suspension_vectors+1024)(BX), Z16
	VMOVDQU64 (suspension_vectors+1088)(BX), Z17
	VMOVDQU64 (suspension_vectors+1152)(BX), Z18
	VMOVDQU64 (suspension_vectors+1216)(BX), Z19
	VMOVDQU64 (suspension_vectors+1280)(BX), Z20
	VMOVDQU64 (suspension_vectors+1344)(BX), Z21
	VMOVDQU64 (suspension_vectors+1408)(BX), Z22
	VMOVDQU64 (suspension_vectors+1472)(BX), Z23
	VMOVDQU64 (suspension_vectors+1536)(BX), Z24
	VMOVDQU64 (suspension_vectors+1600)(BX), Z25
	VMOVDQU64 (suspension_vectors+1664)(BX), Z26
	VMOVDQU64 (suspension_vectors+1728)(BX), Z27
	VMOVDQU64 (suspension_vectors+1792)(BX), Z28
	VMOVDQU64 (suspension_vectors+1856)(BX), Z29
	VMOVDQU64 (suspension_vectors+1920)(BX), Z30
	VMOVDQU64 (suspension_vectors+1984)(BX), Z31
	KMOVQ (suspension_masks+8)(BX), K1
	KMOVQ (suspension_masks+16)(BX), K2
	KMOVQ (suspension_masks+24)(BX), K3
	KMOVQ (suspension_masks+32)(BX), K4
	KMOVQ (suspension_masks+40)(BX), K5
	KMOVQ (suspension_masks+48)(BX), K6
	KMOVQ (suspension_masks+56)(BX), K7
	MOVQ (suspension_registers+8)(BX), CX
	MOVQ (suspension_registers+16)(BX), DX
	MOVQ (suspension_registers+48)(BX), SI
	MOVQ (suspension_registers+56)(BX), DI
	MOVQ (suspension_registers+64)(BX), R8
	MOVQ (suspension_registers+72)(BX), R9
	MOVQ (suspension_registers+80)(BX), R10
	MOVQ (suspension_registers+96)(BX), R12
	MOVQ (suspension_registers+112)(BX), R14
	MOVQ (suspension_registers+120)(BX), R15
	JMP  R10

// Computes the y products of the chain that begins at imm, the last of which is at pc x. Go goes on where one fails. Then the target is next.
TEXT products<>(SB), NOSPLIT|NOFRAME, $0-0
	MEETS
	BOOK
	LDMXCSR machine_defaultControl(R13)
	XORL R9, R9
warp:
	UNLESS_EMPTY
	MOVQ  R9, machine_saved(R13)
	ADDQ  R11, R9
	MOVQ  machine_scratch(R13), R8
	MOVQ  step_imm(R12), R10
	MOVQ  (R10), AX
	CALL  AX
	MOVQ  machine_saved(R13), R9
	TESTQ AX, AX
	JNE   failed
next:
	ADDQ $128, R9
	CMPQ R9, machine_span(R13)
	JNE  warp
	LDMXCSR machine_control(R13)
	MOVQ step_next(R12), R12
	GOTO
failed:
	MOVQ AX, machine_failed(R13)
	SHRQ $7, R9
	MOVQ R9, machine_warp(R13)
stop:
	EXIT
