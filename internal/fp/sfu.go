package fp

import "math/bits"

// The special function unit evaluates all functions the same way: the top bits of the operand's
// fraction choose a segment, the next 17 bits are a place in it, and a quadratic gives the result, which
// is truncated. This is a model of the unit of an H200 that gives its very bits for every operand.

// segment is a quadratic over a place in units of 2^-17 of the segment's length.
type segment struct {
	constant          int64
	linear, quadratic int32
}

// at returns the value at a place of 17 bits.
func (s *segment) at(place uint32) int64 {
	return s.constant + int64(s.linear)*int64(place) + int64(s.quadratic)*int64(truncatedSquare(place))
}

// truncatedSquare returns the square of x, of 17 bits, in units of 2^19, as the unit's squarer forms it:
// the sum of the products of two bits of x that are a unit or more each, a square of a bit once and two
// different bits twice. The smaller products are left out.
func truncatedSquare(x uint32) uint32 {
	upper := x >> 9 // only the square of its lowest bit is too small
	return (upper*upper-upper&1)>>1 +
		-(x>>8&1)&(upper>>1) +
		-(x>>7&1)&(upper>>2) +
		-(x>>6&1)&(upper>>3) +
		-(x>>5&1)&(upper>>4) +
		-(x>>4&1)&(upper>>5) +
		-(x>>3&1)&(upper>>6) +
		-(x>>2&1)&(upper>>7)
}

// interpolate evaluates a table at a fraction of 23 bits, of which the low ones, placeBits of them and
// at least 16, are the place in a segment.
func interpolate(table []segment, fraction uint32, placeBits uint) int64 {
	place := fraction << (32 - placeBits) >> (32 - 17)
	return table[fraction>>placeBits].at(place)
}

// word is a 32-bit operand of the unit: an f32 or the high word of an f64.
type word struct {
	fraction uint // bits
	bias     int
}

var (
	single = word{23, 127}
	double = word{20, 1023}
)

// The same patterns are infinity and the NaN result in both words, but for the exponent's width.
func (w word) infinity() uint32 { return uint32(2*w.bias+1) << w.fraction }

// split returns the sign, the exponent, which is -bias for zeros and denormals and bias+1 for infinities
// and NaN, and the fraction as 23 bits.
func (w word) split(a uint32) (negative bool, exponent int, fraction uint32) {
	magnitude := a &^ sign32
	return a&sign32 != 0, int(magnitude>>w.fraction) - w.bias, magnitude << (23 - w.fraction) & (1<<23 - 1)
}

// truncate returns (-1)^negative * value * 2^scale rounded toward zero and flushed.
func (w word) truncate(negative bool, value uint64, scale int) uint32 {
	sign := uint32(0)
	if negative {
		sign = sign32
	}
	length := bits.Len64(value)
	exponent := length - 1 + scale + w.bias
	if value == 0 || exponent <= 0 {
		return sign
	}
	fraction := uint32(value<<(64-length)>>(63-w.fraction)) & (1<<w.fraction - 1)
	return sign | uint32(exponent)<<w.fraction | fraction
}

// rcp returns 1/a.
func (w word) rcp(a uint32) uint32 {
	negative, exponent, fraction := w.split(a)
	switch {
	case exponent == -w.bias:
		return a&sign32 | w.infinity()
	case exponent > w.bias && fraction != 0:
		return nan32
	case exponent > w.bias:
		return a & sign32
	}
	return w.truncate(negative, uint64(interpolate(rcpTable[:], fraction, 16)), -41-exponent)
}

// rsqrt returns 1/sqrt(a).
func (w word) rsqrt(a uint32) uint32 {
	negative, exponent, fraction := w.split(a)
	switch {
	case exponent == -w.bias:
		return a&sign32 | w.infinity()
	case negative, exponent > w.bias && fraction != 0:
		return nan32
	case exponent > w.bias:
		return 0
	case exponent&1 == 0 && fraction == 0: // a power of four
		return uint32(w.bias-exponent/2) << w.fraction
	}
	table := parityHalf(rsqrtTable[:], exponent)
	return w.truncate(false, uint64(interpolate(table, fraction, 17)), -41-exponent>>1)
}

// parityHalf returns the half of a square root's table for even or odd exponents.
func parityHalf(table []segment, exponent int) []segment {
	if exponent&1 != 0 {
		return table[64:]
	}
	return table[:64]
}

// sfuSqrt returns the square root of an f32.
func sfuSqrt(a uint32) uint32 {
	negative, exponent, fraction := single.split(a)
	switch {
	case exponent == -single.bias:
		return a & sign32
	case negative, exponent > single.bias && fraction != 0:
		return nan32
	case exponent > single.bias:
		return a
	}
	table := parityHalf(sqrtTable[:], exponent)
	return single.truncate(false, uint64(interpolate(table, fraction, 17)), -40+exponent>>1)
}

// sfuExp2 returns 2^a for an f32. Of a negative operand that is no integer the unit inverts the bits.
func sfuExp2(a uint32) uint32 {
	negative, exponent, fraction := single.split(a)
	switch {
	case exponent > single.bias && fraction != 0:
		return nan32
	case exponent >= 7 && negative:
		return 0
	case exponent >= 7:
		return infinity32
	}
	fixed := int(scale(fraction|1<<23, exponent)) // in units of 2^-23
	switch {
	case negative && fixed&(1<<23-1) == 0:
		fixed = -fixed
	case negative:
		fixed = ^fixed
	}
	value := interpolate(exp2Table[:], uint32(fixed)&(1<<23-1), 17)
	return single.truncate(false, uint64(value), -40+fixed>>23)
}

// scale returns n * 2^exponent truncated; the exponent is below 40.
func scale(n uint32, exponent int) uint64 {
	if exponent < 0 {
		return uint64(n) >> -exponent
	}
	return uint64(n) << exponent
}

// sfuLog2 returns the binary logarithm of an f32. The sum of the exponent and the logarithm of the
// fraction has 36 fraction bits; of a negative one the unit inverts them.
func sfuLog2(a uint32) uint32 {
	negative, exponent, fraction := single.split(a)
	switch {
	case exponent == -single.bias:
		return sign32 | infinity32
	case exponent > single.bias && fraction != 0, negative:
		return nan32
	case exponent > single.bias:
		return a
	case exponent == 0 && fraction == 0:
		return 0
	}
	sum := (int64(exponent)<<41 + interpolate(log2Table[:], fraction, 17)) >> 5
	if sum < 0 {
		return single.truncate(true, uint64(^sum), -36)
	}
	return single.truncate(false, uint64(sum), -36)
}

// sfuSine returns the sine of an f32 in turns and some quarter turns more. The unit keeps 25 bits of the
// fraction of a turn, and goes through every second quarter backwards by inverting them.
func sfuSine(a, quarters uint32) uint32 {
	negative, exponent, fraction := single.split(a)
	if exponent > single.bias {
		return nan32
	}
	turn := uint32(0) // in units of 2^-25
	if exponent < 23 {
		turn = uint32(scale(fraction|1<<23, exponent+2))
	}
	quarters += turn >> 23
	if quarters&1 != 0 {
		turn = ^turn
	}
	value := interpolate(sineTable[:], turn&(1<<23-1), 17)
	return single.truncate(negative != (quarters&2 != 0), uint64(value), -41)
}

// sfuTanh returns the hyperbolic tangent of an f32.
func sfuTanh(a uint32) uint32 {
	negative, exponent, fraction := single.split(a)
	switch {
	case exponent > single.bias && fraction != 0:
		return nan32
	case exponent < -8:
		return a
	case exponent > 2:
		return a&sign32 | one32
	}
	binade := &tanhBinades[exponent+8]
	value := interpolate(tanhTable[binade.first:], fraction, binade.placeBits)
	return single.truncate(negative, uint64(value), -40+exponent)
}

// tanhBinades tells for the binades of x from 2^-8 to 4 where they begin in tanhTable, and how many low
// bits of the fraction are the place in a segment.
var tanhBinades = [11]struct{ first, placeBits uint }{
	{0, 23}, {1, 23}, {2, 23}, {3, 22}, {5, 22}, {7, 21}, {11, 21}, {15, 21}, {19, 20}, {27, 19}, {43, 20},
}
