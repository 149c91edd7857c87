// Package simd is the default engine: a gang interpreter. It dispatches one instruction over up to
// eight warps of a block at once, with vector kernels in generated assembly for the common instructions
// and the rows' own semantics, lane by lane, for the rest.
//
// A gang's registers are row-major: row r of the frame holds 32 lanes of each of the gang's warps,
// contiguous, so that a kernel is one loop over memory. The kernels are written by gen (go generate)
// and chosen when the program starts, by CPU features; without AVX-512 every instruction takes the rows' semantics.
package simd

//go:generate go run ./gen
