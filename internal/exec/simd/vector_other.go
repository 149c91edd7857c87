//go:build !amd64

package simd

func detect() vectorUnit { return portableUnit() }
