// Package randptx writes random PTX programs and compares what engines make of them.
//
// Generate makes a program from a seed. Its instructions come from the rows of internal/isa by their own syntax and types, so that a
// new row of a known operation is covered at once; this package knows only what an operation needs around it (an address
// inside memory, a barrier object, a warp whose lanes are all there). Programs have one result by construction: no races,
// no accesses out of bounds, no lanes missing where an instruction waits for them.
//
// Compare runs a program on several engines and tells the first difference; Minimize removes lines as long as there is one.
package randptx
