package mma

import (
	"testing"

	"pgregory.net/rapid"
)

// TestWarpgroupVectorUnitAgrees compares tiles of the vector unit with those of one element at a time, on any bits and
// metadata.
func TestWarpgroupVectorUnitAgrees(t *testing.T) {
	if newVectorUnit() == nil {
		t.Log("this CPU has no vector unit")
		return
	}
	types := []Spec{
		{A: F16, B: F16, D: F32, K: 16}, {A: F16, B: F16, D: F16, K: 16}, {A: BF16, B: BF16, D: F32, K: 16}, {A: TF32, B: TF32, D: F32, K: 8},
		{A: E4M3, B: E5M2, D: F32, K: 32}, {A: E5M2, B: E4M3, D: F16, K: 32},
		{A: S8, B: U8, D: S32, K: 32}, {A: U8, B: S8, D: S32, K: 32, Saturate: true},
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(types).Draw(t, "types")
		s.M, s.N = 64, 8*rapid.IntRange(1, 32).Draw(t, "n/8")
		if s.Sparse = rapid.Bool().Draw(t, "sparse"); s.Sparse {
			s.K *= 2
		}
		fast := Warpgroup(s)
		plain, _ := newWarpgroup(s)
		keep := ^rapid.SampledFrom([]uint64{0, 0x4040_4040, 0x6060_6060, 0x7878_7878, 0x7F7F_0000}).Draw(t, "clear")
		seed := rapid.Uint64().Draw(t, "seed")
		word := func() uint32 {
			seed = seed*6364136223846793005 + 1442695040888963407
			return uint32(seed >> 32 & keep)
		}
		x := &WarpgroupFactors{B: make([]byte, s.N*fast.ColumnBytes()), NegateA: s.D != S32 && rapid.Bool().Draw(t, "negate a"), NegateB: s.D != S32 && rapid.Bool().Draw(t, "negate b")}
		for i := range x.B {
			x.B[i] = byte(word())
		}
		var a [TileRows * RowBytes]byte
		for i := range a {
			a[i] = byte(word())
		}
		var meta [lanes]uint32
		for lane := range meta {
			meta[lane] = word()
		}
		registers := s.N / 2
		if s.D == F16 {
			registers = s.N / 4
		}
		c, got, want := make([]*[lanes]uint32, registers), make([]*[lanes]uint32, registers), make([]*[lanes]uint32, registers)
		for i := range c {
			c[i], got[i], want[i] = new([lanes]uint32), new([lanes]uint32), new([lanes]uint32)
			for lane := range lanes {
				c[i][lane] = word()
			}
		}
		tile := Tile{A: a, Accumulate: rapid.Bool().Draw(t, "accumulate"), C: c, D: got, Meta: &meta}
		fast.Run(x, []Tile{tile})
		tile.D = want
		plain.Run(x, []Tile{tile})
		for i := range want {
			if *got[i] != *want[i] {
				t.Fatalf("%v by %v: register %d is %x, want %x", s.A, s.B, i, *got[i], *want[i])
			}
		}
	})
}
