package mma

import (
	"math"

	"silica/internal/fp"
)

// small returns the number that the bits of a float of 4 or 6 bits stand for.
func (e Element) small(b uint64) float64 {
	format, mask := fp.E2M1, uint64(0xF)
	switch e {
	case E2M3:
		format, mask = fp.E2M3, 0x3F
	case E3M2:
		format, mask = fp.E3M2, 0x3F
	case E2M1Byte:
		b >>= 2
	}
	return float64(math.Float32frombits(uint32(fp.Convert(format, fp.F32, b&mask, fp.RN))))
}

// InByte returns the element type of e where each element has a byte of its own.
func (e Element) InByte() Element {
	if e == E2M1 {
		return E2M1Byte
	}
	return e
}

// ScaleType is a type of the scales of blocks of a factor.
type ScaleType uint8

// The types of scales.
const (
	UE8M0 ScaleType = iota // powers of two, from 2^-127 to 2^127
	UE4M3                  // e4m3 without a sign
)

// number returns the number that a scale stands for; it may be NaN.
func (t ScaleType) number(b uint8) number {
	switch {
	case t == UE4M3:
		return numberOf(E4M3.value(uint64(b&0x7F)), E4M3.least())
	case b == 0xFF:
		return number{math.NaN(), ofNonfinite}
	}
	return number{math.Ldexp(1, int(b)-127), int32(b) - 127}
}

// times returns the number multiplied by a scale, which is exact; the exponents add up.
func (n number) times(scale number) number {
	switch x := n.value * scale.value; {
	case x == 0:
		return number{0, ofZero}
	case x-x != 0:
		return number{x, ofNonfinite}
	default:
		return number{x, n.exponent + scale.exponent}
	}
}

// kindSum is how the products with a kind (.kind::f8f6f4 and on, and all of the fifth-generation tensor cores) are summed: as
// an H200 sums f16. All products of an instruction, scaled, and C are aligned to the largest exponent, cut toward
// zero 25 bits below it and added exactly; an f32 result is cut toward zero, an f16 rounded to nearest.
func kindSum(a, b, c, d Element) *accumulation {
	return &accumulation{bits: 25, steps: 1, c: c, d: d, leastA: a.least(), leastB: b.least(), leastC: c.least()}
}
