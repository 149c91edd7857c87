package mma

import "golang.org/x/sys/cpu"

// newIntegerUnit returns the routines for this CPU, nil when it has none of the instructions they need.
func newIntegerUnit() *integerUnit {
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW {
		return &integerUnit{pairs: pairsOfBytes, bytes: bytesOfNibbles, spread: spreadPairs, sum: sumPairs}
	}
	return nil
}

//go:noescape
func pairsOfBytes(to *[2]Row, register *Row, signed bool)

//go:noescape
func bytesOfNibbles(to *[2]Row, register *Row, signed bool)

//go:noescape
func spreadPairs(to, from *Row)

//go:noescape
func sumPairs(x *integerSum)
