// Package simd is the default engine: a gang interpreter. It runs one instruction over up to eight warps of
// a block at once, with vector kernels in generated assembly for the common instructions and the rows' own
// semantics, lane by lane, for the rest.
//
// A gang's registers are row-major: a 32-bit register is 32 lanes of each of the gang's warps, contiguous, so
// that a kernel is one loop over memory. A kernel is prepared (builder, lower*) as a list of steps for each
// of its functions. Machine code runs the steps one after the other, jumping from kernel to kernel, through
// uniform branches and around loops; it returns to Go at a step that it has no code for, that needs a
// closer look (an access that may not be legal), or that splits lanes. Go runs such a step and goes on.
//
// Lanes at the same place of the program are a fragment, as in exec/ref but over the warps of a gang; the rules of
// which runs first are the same, so that counts are.
//
// The kernels are written by gen (go generate) for each vector unit, AVX-512 and AVX2, and chosen when the program
// starts, by CPU features; the portable unit has none and leaves every step to Go. Instructions have one body for
// both units, which gen rewrites for AVX2. AVX2 has no kernels of the approximate functions, of 64-bit division and
// of conversions between floats and 64-bit integers: these run in Go there.
//
// On AVX-512 a program that has run long enough gets native code for its runs: straight lines of steps, in one or more of which a warp's values
// stay in vector registers. A run begins with a step that does nothing until it is the native code, so that steps and native code do the
// same, change places between any two runs, and share all that is around: segments, counts, branches, what is left to Go. Native
// code takes the bodies of the kernels from the table that gen writes and encodes them with package amd64; it takes one warp after the other and
// the lanes of a warp together, instruction by instruction. Addresses that are expected to lie side by side or to be one are checked, and
// then one load or store serves half a warp; others are accessed lane by lane, and what is not in the known region is asked of
// Go, which finds all registers of the native code in the worker's suspension. Where somebody observes accesses native code
// writes them down in the worker's journal, of which Go tells when native code returns; accesses of a group that may be reported together are
// tallied while each is as far from the one before, by native code where all lanes make them, by Go from the journal where some do.
//
// A kernel of one function, without memory of its threads, gets native code as a whole, once its program is hot, for launches that nobody follows or
// limits; a form of it of its own counts: it runs block after block and warp after warp, from the start to the end or a barrier, without steps. Code for all lanes of a
// warp keeps values in registers from segment to segment, reads parameters where they are, and has registers of 32 bits in place of the addresses that
// follow from them; where lanes part it leaves their values in the frame and the lanes in masks, and
// code for some lanes runs one segment after the other, the lowest first, as fragments do, until all are together again. What it has no code for
// (atomic operations, the rarer instructions) are steps that it runs for its warp alone. A warp that takes long (it may wait for another), or whose lanes wait for
// each other at an instruction across lanes and have not all come, is left to the engine, as fragments.
//
// Files: engine (launch and workers), program (a kernel prepared), builder and lower* (preparing; packed and local: accesses of several small elements and of parts of words, stack: generic accesses of local memory), step (what Go
// and machine code share), unit* (machine code of this CPU), block (what is resident), gang and fragment
// (registers, scheduling), native (runs and when they are compiled), compiler, plan, values, body, access (native
// code of a run: the frame of it, what is known beforehand, registers, elementwise instructions, memory), wide (accesses of several elements), flow, derive, flowcode, stream, flowcount, whole (whole kernels: what is known of them,
// what need not be computed, their native code, stores past the caches, how workers run it), exchange, call (instructions across lanes, and steps that whole kernels run for a warp), crew, keep (the goroutines of launches, and blocks that they leave to others), journal, journalcode (what native code tells of its accesses), suspension (what native code asks Go), text (where it
// lies), product, matrix (products of matrices and loads of them), control, warpsync, barrier, memory, atomic, alu, system (the steps that Go runs).
package simd

//go:generate go run ./gen
