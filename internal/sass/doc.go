// Package sass lowers a kernel of package ir to machine code like ptxas -O3 makes, for a given architecture: which
// instructions run how often, which registers they take, what an access moves. The code is a model: it is never encoded or run.
//
// Lower goes down one pass a file:
//
//	calls             who calls whom, and which registers parameters are in
//	build, translate  the ir function as a graph of values, each written once
//	passing           words of parameters, calls and returns
//	flow              dominators, loops, needed and uniform values
//	fold              identities, and one of equal values
//	convert           short branches become predicates
//	unroll            how often a loop's body is repeated
//	merge             neighbouring accesses become one
//	select            values to machine instructions (integer, wide, memory, float, control, fragment, other)
//	leaf              where constants, parameters and special registers are loaded
//	uniform           what the uniform datapath computes
//	registers         the webs of virtual registers, and which are live where
//	schedule          the order in a block, under a limit of registers; compact that in which few are live
//	rematerialise     what is cheap is made anew rather than kept, under that limit
//	allocate          numbers of registers
//	spill             what does not fit lives in local memory
//	frames            what functions save on the stack, and return addresses
//	halves            which register of a pair is named
//	named             which operands are written, and predicates between halves of sums
//	listing, format   text
//
// Counts turns the executions of ir instructions into those of machine instructions. Everything here is learnt from
// what ptxas 13.0 does with programs, and is an estimate. sequences.txt holds what it makes of single instructions: go generate records
// it anew, with ptxas and nvdisasm on the path.
package sass

//go:generate go run ./gen
