package mma

import (
	"math"
	"math/rand/v2"
	"testing"

	"silica/internal/fp"
)

// bitsOf returns the bits of a small number in an element type.
func bitsOf(e Element, x float64) uint32 {
	format := map[Element]fp.Format{
		F16: fp.F16, BF16: fp.BF16, TF32: fp.TF32, E4M3: fp.E4M3, E5M2: fp.E5M2, F32: fp.F32,
		E2M3: fp.E2M3, E3M2: fp.E3M2, E2M1: fp.E2M1, E2M1Byte: fp.E2M1,
	}
	switch e {
	case S8, U8:
		return uint32(uint8(int8(x)))
	case S32:
		return uint32(int32(x))
	}
	bits := uint32(fp.Convert(fp.F64, format[e], math.Float64bits(x), fp.RN))
	if e == E2M1Byte {
		bits <<= 2
	}
	return bits
}

// numberIn returns the number that the bits of an element stand for.
func numberIn(e Element, bits uint32) float64 {
	switch e {
	case S8, U8, S32:
		return float64(e.integer(uint64(bits)))
	}
	return e.value(uint64(bits))
}

// TestProductsOfMatrices compares products of small integers, which are exact, with those of doubles: for all types, with and
// without scales, sparse and dense, with C, shifted and negated.
func TestProductsOfMatrices(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	small := func(e Element) uint32 {
		x := float64(r.IntN(5) - 2)
		if e == U8 {
			x = math.Abs(x)
		}
		return bitsOf(e, x)
	}
	for _, types := range [][3]Element{
		{F16, F16, F16}, {F16, F16, F32}, {BF16, BF16, F32}, {TF32, TF32, F32}, {E4M3, E5M2, F32}, {E2M3, E3M2, F16},
		{E2M1Byte, E4M3, F32}, {E2M1, E2M1, F32}, {S8, U8, S32}, {U8, S8, S32},
	} {
		for option := range 8 {
			m := Matrices{Rows: 32, Columns: 24, Depth: 32, A: types[0], B: types[1], D: types[2], Sparse: option&1 != 0}
			x := MatrixOperands{}
			if option&2 != 0 && m.D != S32 {
				m.NegateA, x.Shift = true, 1
			}
			if option&4 != 0 && m.D == F32 {
				m.Blocks, m.Scale = 2, UE8M0
			}
			perRow := m.Depth
			if m.Sparse {
				perRow /= 2
			}
			for i := range m.Rows * perRow {
				x.A = append(x.A, small(m.A))
				if m.Sparse { // one of each pair
					x.Kept = append(x.Kept, uint16(i%perRow*2+r.IntN(2)))
				}
			}
			for range m.Columns * m.Depth {
				x.B = append(x.B, small(m.B))
			}
			for range m.Rows * m.Columns {
				x.C = append(x.C, bitsOf(m.D, float64(2*r.IntN(20)-20)))
			}
			for range m.Rows * m.Blocks {
				x.ScaleA = append(x.ScaleA, uint8(126+r.IntN(3)))
			}
			for range m.Columns * m.Blocks {
				x.ScaleB = append(x.ScaleB, uint8(126+r.IntN(3)))
			}
			d := make([]uint32, m.Rows*m.Columns)
			m.Run(&x, d)
			for i, got := range d {
				row, column := i/m.Columns, i%m.Columns
				want := numberIn(m.D, x.C[i]) / float64(int(1)<<x.Shift)
				for j := range perRow {
					at := j
					if m.Sparse {
						at = int(x.Kept[row*perRow+j])
					}
					product := numberIn(m.A, x.A[row*perRow+j]) * numberIn(m.B, x.B[column*m.Depth+at])
					if m.NegateA {
						product = -product
					}
					if m.Blocks > 0 {
						block := at / (m.Depth / m.Blocks)
						product *= m.Scale.number(x.ScaleA[row*m.Blocks+block]).value * m.Scale.number(x.ScaleB[column*m.Blocks+block]).value
					}
					want += product
				}
				if numberIn(m.D, got) != want {
					t.Fatalf("%v by %v to %v, option %d: element %d is %v, want %v", m.A, m.B, m.D, option, i, numberIn(m.D, got), want)
				}
			}
		}
	}
}

// TestMatricesWithoutVectors compares the vector unit's sums of any finite numbers with those of one element at a time, and
// checks that infinities and NaNs get through.
func TestMatricesWithoutVectors(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	m := Matrices{Rows: 16, Columns: 16, Depth: 32, A: E5M2, B: E4M3, D: F32, Blocks: 2, Scale: UE8M0}
	x := MatrixOperands{A: make([]uint32, 16*32), B: make([]uint32, 16*32), C: make([]uint32, 16*16), ScaleA: make([]uint8, 32), ScaleB: make([]uint8, 32)}
	for i := range x.A {
		x.A[i], x.B[i] = r.Uint32()&0xBF, r.Uint32()&0xBF
	}
	for i := range x.C {
		x.C[i] = r.Uint32() &^ 0x4000_0000
	}
	for i := range x.ScaleA {
		x.ScaleA[i], x.ScaleB[i] = uint8(100+r.IntN(50)), uint8(100+r.IntN(50))
	}
	got := make([]uint32, 16*16)
	m.Run(&x, got)
	ar := kindSum(m.A, m.B, F32, F32)
	a, b := m.numbers(m.A, x.A, x.ScaleA, nil, false), m.numbers(m.B, x.B, x.ScaleB, nil, false)
	for i, v := range got {
		if want := ar.dot(a[i/16*32:][:32], b[i%16*32:][:32], uint64(x.C[i])); uint64(v) != want {
			t.Errorf("element %d is 0x%x, want 0x%x", i, v, want)
		}
	}
	x.ScaleA[0] = 0xFF
	m.Run(&x, got)
	for i, v := range got {
		if isNaN := v == 0x7FFFFFFF; isNaN != (i < 16) {
			t.Errorf("with a scale that is NaN element %d is 0x%x", i, v)
		}
	}
}
