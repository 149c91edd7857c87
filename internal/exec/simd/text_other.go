//go:build !linux

package simd

// mapText makes no code executable here: hot steps stay those of the kernels.
func mapText([]byte) ([]byte, error) { return nil, errNoText }

func unmapText([]byte) {}
