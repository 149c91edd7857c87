// Package amd64 encodes the machine instructions that compiled kernels are made of: those of AVX-512 on vectors and masks by name, with
// operands in the order of Go's assembler, and the few on general registers that loops and addresses need.
//
// It knows neither what is compiled nor where the code will lie: references within the code are relative, and constants
// follow it. Encodings are those of Intel's manual, volume 2.
package amd64
