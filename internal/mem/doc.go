// Package mem is the memory of a device: global memory as allocations in one reserved range, with the
// checks that keep a kernel inside them, and atomic operations on it. Shared, local and parameter
// memory belong to an engine's blocks and use the same access helpers.
package mem
