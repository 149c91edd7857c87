// Package exec is the contract between a program and what runs it: Launch, Engine, Fault, and the
// observations an engine offers (instruction counts and memory accesses). The engines are exec/ref (scalar, the
// oracle) and exec/simd (the default). What both need and neither owns - special registers, printf
// formatting, limits - lives here too.
package exec
