package mma

import "golang.org/x/sys/cpu"

// newTileUnit returns the routines for this CPU, nil when it has none of the instructions they need.
func newTileUnit() *tileUnit {
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512BW {
		return &tileUnit{
			halves: halvesOfBytes, decodeA16: decodeA16, decodeB16: decodeB16, decodeA32: decodeA32, decodeB32: decodeB32,
			sum: sum512, widen: widenHalves, pack: packHalves, add: addRows,
		}
	}
	return nil
}

//go:noescape
func halvesOfBytes(low, high, register *Row, e4m3 bool) bool

//go:noescape
func decodeA16(to *tileA, registers **Row, pairs int, x *elementForm) bool

//go:noescape
func decodeB16(to *tileB, registers **Row, count int, x *elementForm) bool

//go:noescape
func decodeA32(to *tileA, registers **Row, pairs int, x *elementForm) bool

//go:noescape
func decodeB32(to *tileB, registers **Row, count int, x *elementForm) bool

//go:noescape
func sum512(x *tileSum) bool

//go:noescape
func widenHalves(to *[4]Row, registers **Row)

//go:noescape
func packHalves(to *[2]Row, elements *[4]Row, minusZero uint32)

//go:noescape
func addRows(to, sums *[4]Row, registers **Row) bool
