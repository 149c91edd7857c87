// Package ir is a kernel as the engines see it: functions of straight instruction arrays over
// register rows, with branch targets resolved, blocks laid out so that a block's immediate
// post-dominator comes after everything it post-dominates, and all constants and special registers
// that do not change during a launch placed in rows of their own.
//
// NewModule lays out a module's variables; Module.Kernel lowers one entry with the functions it
// reaches. Lowering goes down one pass a file:
//
//	reach      what the entry can call, the shared variables it uses
//	collect    names to virtual registers, statements to instructions (operand, call, special, loc)
//	flow       blocks and the edges between them
//	layout     their order
//	trees      dominators and post-dominators
//	copies     readers of a copy read what was copied
//	liveness   what is live where; registers estimates what ptxas would allocate
//	ranges     the same by register
//	coalesce   the two registers of a move become one
//	rows       virtual registers to rows (space)
//
// The package reads package ptx's tree and isa's forms; it knows nothing of engines, memory contents
// or GPUs.
package ir
