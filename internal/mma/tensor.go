package mma

import (
	"math"

	"silica/internal/fp"
)

// number is a factor as a tensor core sees it: a value and its exponent, which for a denormal is that of the smallest
// normal number. What is zero or not finite has an exponent that stands out.
type number struct {
	value    float64
	exponent int32
}

const (
	ofZero      = -1 << 12 // exponent of zero: far below that of every product
	ofNonfinite = 1 << 20  // exponent of infinities and NaNs: above all others, also when added to that of zero
)

// numberOf returns the number of a value, whose exponent is not below least.
func numberOf(x float64, least int32) number {
	switch biased := int32(math.Float64bits(x) >> 52 & 0x7FF); biased {
	case 0:
		return number{0, ofZero} // no element is a denormal double
	case 0x7FF:
		return number{x, ofNonfinite}
	default:
		return number{x, max(biased-1023, least)}
	}
}

// least returns the exponent of the smallest normal number of a floating-point type.
func (e Element) least() int32 {
	switch e {
	case F16, E5M2:
		return -14
	case E4M3:
		return -6
	case E3M2:
		return -2
	case E2M3, E2M1, E2M1Byte:
		return 0
	}
	return -126
}

// power returns 2^n.
func power(n int32) float64 { return math.Float64frombits(uint64(n+1023) << 52) }

// accumulation is how a tensor core adds up products: all are aligned to the largest exponent, that of a
// product being the sum of its factors', cut toward zero some bits below it, and added exactly.
type accumulation struct {
	// bits is the number of bits that are kept below the largest exponent.
	bits int32
	// steps is the number of parts of a row that are added one after the other, each to the sum so far.
	steps int
	// last adds C to the sum of the products in the end, rounding to nearest, instead of with them.
	last bool
	// short cuts the sum to fp8Bits bits of fraction.
	short bool
	c, d  Element // F16 or F32
	// mixed tells that C and D are of different types: C becomes an f32 first, and D is one before it becomes an f16.
	mixed bool
	// leastA, leastB and leastC are the least exponents of the factors and of C.
	leastA, leastB, leastC int32
}

// fp8Bits is the number of bits that warpgroup products of 8-bit floats keep, of the terms below the largest exponent
// and of an f32 result's fraction.
const fp8Bits = 13

// sum adds the products of a row and a column to c. The result is exact.
func (m *accumulation) sum(a, b []number, c number) float64 {
	largest := c.exponent
	b = b[:len(a)]
	for i := range a {
		largest = max(largest, a[i].exponent+b[i].exponent)
	}
	switch {
	case largest < ofZero/2:
		return 0
	case largest > ofNonfinite/2:
		x := c.value
		for i := range a {
			x += a[i].value * b[i].value
		}
		return x
	}
	scale := power(m.bits - largest)
	total := int64(c.value * scale)
	for i := range a {
		total += int64(a[i].value * b[i].value * scale)
	}
	return float64(total) * power(largest-m.bits)
}

// dot is arithmetic.dot.
func (m *accumulation) dot(a, b []number, c uint64) uint64 {
	var result uint64
	acc := number{0, ofZero}
	if !m.last {
		acc = numberOf(m.c.value(c), m.leastC)
	}
	part := len(a) / m.steps
	for step := range m.steps {
		if step > 0 {
			acc = numberOf(m.d.value(result), m.d.least())
		}
		result = m.round(m.sum(a[step*part:][:part], b[step*part:][:part], acc))
	}
	if m.last {
		return m.add(result, c)
	}
	return result
}

// round returns the element of a sum.
func (m *accumulation) round(x float64) uint64 {
	if m.short && x-x == 0 {
		x = math.Float64frombits(math.Float64bits(x) &^ (1<<(52-fp8Bits) - 1))
	}
	if m.mixed && m.d == F16 {
		return fp.Convert(fp.F32, fp.F16, F32.round(x), fp.RN)
	}
	return m.d.round(x)
}

// add adds C to the sum of the products.
func (m *accumulation) add(sum, c uint64) uint64 {
	if m.d == F16 {
		return uint64(fp.Add16(fp.F16, uint16(sum), uint16(c), fp.RN))
	}
	return uint64(fp.Add32(uint32(sum), uint32(c), fp.RN))
}

// round returns the element of a result: an f32 is cut toward zero, an f16 rounded to nearest even. There is no
// negative zero, and what an f32 can not hold is infinite.
func (e Element) round(x float64) uint64 {
	const nan32, nan16 = 0x7FFFFFFF, 0x7FFF
	if x != x {
		if e == F16 {
			return nan16
		}
		return nan32
	}
	nearest := float32(x)
	bits := math.Float32bits(nearest)
	if magnitude := math.Abs(x); math.Abs(float64(nearest)) > magnitude && magnitude < 0x1p128 {
		bits--
	}
	const minus32, minus16 = 0x80000000, 0x8000
	if e != F16 {
		if bits == minus32 {
			return 0
		}
		return uint64(bits)
	}
	if float64(math.Float32frombits(bits)) != x {
		bits |= 1 // so that the second rounding is as one of x itself
	}
	h := fp.Convert(fp.F32, fp.F16, uint64(bits), fp.RN)
	if h == minus16 {
		return 0
	}
	return h
}

// fp8Order puts those elements of a row first that the first of two steps over 8-bit floats sums: two of each four.
func fp8Order(i, n int) int { return i>>1&1*n/2 + i>>2<<1 + i&1 }
