// Package sass lowers a kernel of package ir to machine code like ptxas -O3 makes, for a given architecture: which
// instructions run how often, which registers they take, what an access moves. The code is a model: it is never encoded or run.
//
// Lower goes down one pass a file:
//
//	build, translate  the ir function as a graph of values, each written once
//	flow              dominators, loops, needed and uniform values
//	fold              identities, and one of equal values
//	merge             neighbouring accesses become one
//	convert           short branches become predicates
//	unroll            how often a loop's body is repeated
//	select            values to machine instructions (integer, memory, float, control)
//	leaf              where constants, parameters and special registers are loaded
//	registers         how many registers are live at once
//	listing           text
//
// Counts turns the executions of ir instructions into those of machine instructions. Everything here is learnt from
// what ptxas 13.0 does with programs, and is an estimate.
package sass
