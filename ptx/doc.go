// Package ptx reads and writes PTX text: lexer, parser, syntax tree with a position on every
// node, checker against the rows of internal/isa, and printer.
//
// Parse accepts the whole grammar from ISA 1.0 text to what CUDA 13 emits; Check resolves names and
// types and gives every instruction its isa.Form; Load does both. They collect all errors with
// positions, and bound their time and stack by the length of the source. Print writes canonical text
// that parses to the same tree.
//
// The grammar and the rules for declarations, scopes, calls and targets live here. What an
// instruction is lives in internal/isa; what a program means, in internal/ir.
package ptx
