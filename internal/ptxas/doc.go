// Package ptxas runs NVIDIA's assembler and disassembler, where they are on this machine: registers, spills and machine code as they will be.
// What is estimated without them is package sass's.
package ptxas
