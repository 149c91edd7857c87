// Package ref is the reference engine: it runs a kernel one warp-instruction at a time and one lane after
// the other through the scalar semantics of the instruction rows. It is the oracle for the other engines,
// so it prefers the plain way to the fast one.
//
// A warp is a set of fragments: lanes that are at the same place of the program. The fragment with the
// deepest call and the lowest program counter runs first, so that others, which wait further on, are met
// and joined; one that only spins gives way to the others. Warps take turns in a block, and blocks take
// turns on a worker when all a block's warps spin.
//
// Files: engine (launch and workers), program (a kernel prepared), cluster and block (what is resident),
// warp and fragment (scheduling), lane, memory, async, control, warpsync, barrier (the instructions).
package ref
