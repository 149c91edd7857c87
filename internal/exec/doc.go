// Package exec is the contract between a program and what runs it: Launch, Engine, Fault, and the
// observations an engine offers (instruction counts, memory accesses, and the path of warps). The engines are exec/ref (scalar, the
// oracle) and exec/simd (the default); exec/exectest holds the tests that both must pass.
//
// What both engines need and neither owns lives here too: special registers, the system functions that
// kernels call (printf, malloc, assert), atomic operations, barrier objects and asynchronous copies, moves of
// matrices and products of warpgroups, tensor memory and its instructions (tcgen05*.go), the address windows, the
// placement of a module's variables, and the checks of a launch. How a kernel is scheduled and where its registers
// are is each engine's own business.
package exec
