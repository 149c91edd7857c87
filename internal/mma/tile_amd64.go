package mma

import "golang.org/x/sys/cpu"

// newTileUnit returns the routines for this CPU, nil when it has none of the instructions they need.
func newTileUnit() *tileUnit {
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512BW {
		return &tileUnit{floats: floats512, group: group512, sum: sum512, halves: packHalves512}
	}
	return nil
}

//go:noescape
func floats512(to *Row, register *Row, x *extraction) bool

//go:noescape
func group512(groups *tileGroup, count int, least float32) bool

//go:noescape
func sum512(x *tileSum) bool

//go:noescape
func packHalves512(to *[2]Row, elements *[4]Row)
