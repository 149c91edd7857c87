// Package isadoc writes docs/isa.md: every instruction with its forms, who runs it and how it is tested. What it says comes from the
// rows of internal/isa, the kernels of exec/simd, the recorded cases and the generator of random programs; the accuracy of the
// approximate functions is measured. Nothing about an instruction is written here.
package isadoc

//go:generate go run ./gen
