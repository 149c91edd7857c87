// Package fp is the floating-point arithmetic of PTX, bit for bit as an NVIDIA H200 does it.
//
// Every function maps bit patterns to a bit pattern: no state, no allocation, no error. What an
// instruction form spells with modifiers is one Mode value (rounding, .ftz, .sat, .relu, ...), and
// what it spells with a type is one Format (f16, bf16, tf32, f32, f64 and the 8, 6 and 4-bit types)
// or one Int (u8 to s64).
//
// Here live arithmetic, minimum and maximum, comparison, classification, conversion between every
// pair of formats and to and from integers, the packed forms, and the approximate functions; with
// them NaN canonicalisation, denormal flushing and saturation.
//
// Not here: integer arithmetic, the accumulation of matrix instructions, and the spelling of
// instructions, which is the instruction set's.
//
// The common forms (round to nearest, no modifier) run on the host's own arithmetic; every other
// one computes the exact value, or one rounded to odd with at least two spare bits, and rounds it
// once.
package fp
