package mma

import (
	"math"
	"math/bits"

	"silica/internal/fp"
)

// fmaChain is how f64 is added up: one fused multiply-add after the other, from C on.
func fmaChain(mode fp.Mode) *arithmetic[uint64] {
	same := func(bits uint64) uint64 { return bits }
	return &arithmetic[uint64]{decodeA: same, decodeB: same, dot: func(a, b []uint64, c uint64) uint64 {
		for i := range a {
			c = fp.Fma64(a[i], b[i], c, mode)
		}
		return c
	}}
}

// fmaThenAdd is how the f16 product of the first tensor cores runs on later GPUs: f32 fused multiply-adds
// from zero on, then C is added. When D is f16 they begin with C.
func fmaThenAdd(c, d Element) *arithmetic[uint32] {
	widen := func(e Element) func(uint64) uint32 {
		return func(bits uint64) uint32 { return math.Float32bits(float32(e.value(bits))) }
	}
	addend := widen(c)
	return &arithmetic[uint32]{decodeA: widen(F16), decodeB: widen(F16), dot: func(a, b []uint32, c uint64) uint64 {
		var sum uint32
		if d == F16 {
			sum = addend(c)
		}
		for i := range a {
			sum = fp.Fma32(a[i], b[i], sum, fp.RN)
		}
		if d == F16 {
			return fp.Convert(fp.F32, fp.F16, uint64(sum), fp.RN)
		}
		return uint64(fp.Add32(sum, addend(c), fp.RN))
	}}
}

// integers adds up products of integers in 32 bits, which wrap around or saturate.
func integers(a, b Element, saturate bool) *arithmetic[int32] {
	decode := func(e Element) func(uint64) int32 {
		return func(bits uint64) int32 { return e.integer(bits) }
	}
	return &arithmetic[int32]{decodeA: decode(a), decodeB: decode(b), dot: func(a, b []int32, c uint64) uint64 {
		sum := int64(int32(c))
		b = b[:len(a)]
		for i := range a {
			sum += int64(a[i] * b[i])
		}
		if saturate {
			sum = min(max(sum, math.MinInt32), math.MaxInt32)
		}
		return uint64(uint32(sum))
	}}
}

// bitMatches counts the bits that an operation sets, 32 at once: fragments of single bits hold words.
func bitMatches(and bool) *arithmetic[uint32] {
	decode := func(bits uint64) uint32 { return uint32(bits) }
	return &arithmetic[uint32]{decodeA: decode, decodeB: decode, dot: func(a, b []uint32, c uint64) uint64 {
		sum := uint32(c)
		for i := range a {
			word := a[i] ^ b[i]
			if and {
				word = a[i] & b[i]
			}
			sum += uint32(bits.OnesCount32(word))
		}
		return uint64(sum)
	}}
}
