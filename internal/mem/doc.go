// Package mem is the memory of a device: global memory as allocations in one reserved address range, the
// host memory that kernels may reach beside it, the checks that keep a kernel inside them, and atomic
// operations. A device address is the host address of the same byte.
//
// Shared, local and parameter memory belong to an engine's blocks and are not here; what an access
// means (its space, type and alignment) is the engine's business.
package mem
