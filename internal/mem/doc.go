// Package mem is the memory of a process' devices: a unified address space (Space) with the memory of each GPU in a reserved
// range of it (Physical) and the host memory that kernels may reach beside them. A Memory is the address space as the kernels of
// one context reach it: allocations, the checks that keep a kernel inside them, and atomic operations. A device address is
// the host address of the same byte, except in memory whose pages are tracked.
//
// Shared, local and parameter memory belong to an engine's blocks and are not here; what an access
// means (its space, type and alignment) is the engine's business.
package mem
