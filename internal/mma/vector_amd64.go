package mma

import "golang.org/x/sys/cpu"

// newVectorUnit returns the routines for this CPU, nil when it has none of the instructions they need.
func newVectorUnit() *vectorUnit {
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512BW {
		return &vectorUnit{widen: widen512, halves: halves512, narrow: narrow512, rows: rows512, pairs: pairs512}
	}
	return nil
}

//go:noescape
func widen512(values *float64, exponents *int32, floats *uint32, n int, least int32) (largest int32)

//go:noescape
func halves512(words *uint32, n int)

//go:noescape
func narrow512(words *uint32, sums *float64, n int)

//go:noescape
func pairs512(x *pairBlock)

//go:noescape
func rows512(x *block)
