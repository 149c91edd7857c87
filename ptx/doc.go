// Package ptx reads and writes PTX text: lexer, parser, syntax tree with a position on every
// node, checker against the rows of internal/isa, and printer.
//
// Parse accepts the whole PTX 9.0 grammar from ISA 1.0 text on; Check resolves names and types and
// gives every instruction its isa.Form. Both collect all errors with positions. What a program
// means lives in internal/isa (single instructions) and internal/ir (control flow, layout).
package ptx
