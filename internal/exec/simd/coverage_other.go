//go:build !amd64

package simd

// Kernels returns nothing: there is no machine code for this CPU.
func Kernels() map[string][]string { return nil }
