package fp

import "math"

// The 16-bit operations work on F16 and BF16, round to nearest even and return the canonical NaN for
// every NaN result. They honour Ftz, Sat, Relu and, for Fma16, OOB. Those whose names end in x2 work
// on the two halves of a 32-bit value.

const (
	sign16 = 1 << 15
	// outOfBounds is the NaN, of either sign, that stands for an element outside a tensor.
	outOfBounds = 0x7FF7
)

// Add16 returns a + b.
func Add16(f Format, a, b uint16, m Mode) uint16 {
	return f.round16(addToOdd(f.operand16(a, m), f.operand16(b, m), m), m)
}

// Sub16 returns a - b.
func Sub16(f Format, a, b uint16, m Mode) uint16 { return Add16(f, a, b^sign16, m) }

// Mul16 returns a * b.
func Mul16(f Format, a, b uint16, m Mode) uint16 {
	return f.round16(f.operand16(a, m)*f.operand16(b, m), m)
}

// Fma16 returns a * b + c, rounded once.
func Fma16(f Format, a, b, c uint16, m Mode) uint16 {
	if m&OOB != 0 && (a&^sign16 == outOfBounds || b&^sign16 == outOfBounds) {
		return 0
	}
	product := f.operand16(a, m) * f.operand16(b, m) // exact: at most 22 bits
	return f.round16(addToOdd(product, f.operand16(c, m), m), m)
}

// Add16x2 returns a + b in each half.
func Add16x2(f Format, a, b uint32, m Mode) uint32 {
	return pair(Add16(f, low(a), low(b), m), Add16(f, high(a), high(b), m))
}

// Sub16x2 returns a - b in each half.
func Sub16x2(f Format, a, b uint32, m Mode) uint32 {
	return pair(Sub16(f, low(a), low(b), m), Sub16(f, high(a), high(b), m))
}

// Mul16x2 returns a * b in each half.
func Mul16x2(f Format, a, b uint32, m Mode) uint32 {
	return pair(Mul16(f, low(a), low(b), m), Mul16(f, high(a), high(b), m))
}

// Fma16x2 returns a * b + c in each half, rounded once.
func Fma16x2(f Format, a, b, c uint32, m Mode) uint32 {
	return pair(Fma16(f, low(a), low(b), low(c), m), Fma16(f, high(a), high(b), high(c), m))
}

func low(x uint32) uint16  { return uint16(x) }
func high(x uint32) uint16 { return uint16(x >> 16) }

// pair returns the 32-bit value of two halves.
func pair(low, high uint16) uint32 { return uint32(high)<<16 | uint32(low) }

// operand16 returns the value of a, flushed if m says so.
func (f Format) operand16(a uint16, m Mode) float64 {
	if m&Ftz != 0 {
		a = f.flush16(a)
	}
	return float64(math.Float32frombits(f.widen16(a)))
}

// flush16 returns a with a denormal replaced by zero of the same sign.
func (f Format) flush16(a uint16) uint16 {
	if uint64(a)&layouts[f].infinity() == 0 {
		return a & sign16
	}
	return a
}

// widen16 returns the f32 of the same value as a. A NaN stays some NaN.
func (f Format) widen16(a uint16) uint32 {
	if f == BF16 {
		return uint32(a) << 16
	}
	const rebias = (127 - 15) << 23
	sign, magnitude := uint32(a&sign16)<<16, uint32(a&^sign16)<<13
	switch {
	case magnitude >= 31<<23: // infinity and NaN: the exponent becomes all ones
		magnitude += 2 * rebias
	case magnitude >= 1<<23:
		magnitude += rebias
	default: // a denormal counts units of 2^-24
		magnitude = math.Float32bits(float32(magnitude>>13) * 0x1p-24)
	}
	return sign | magnitude
}

// round16 rounds x, exact or rounded to odd, to f under m.
func (f Format) round16(x float64, m Mode) uint16 {
	if m != RN {
		return uint16(f.fromFloat64(x, m))
	}
	if f == BF16 {
		return nearest16(x, 0x1p-126, 0x1p-81, 127, 7)
	}
	return nearest16(x, 0x1p-14, 0x1p28, 15, 10)
}

// nearest16 rounds x to nearest even in a 16-bit format of the given bias and fraction bits. The
// smallest normal value is least; the last place of shifter is the format's smallest denormal.
func nearest16(x, least, shifter float64, bias, fraction uint) uint16 {
	b := math.Float64bits(x)
	sign := uint16(b>>48) & sign16
	magnitude := math.Abs(x)
	switch {
	case x != x:
		return 0x7FFF
	case magnitude < least: // adding the shifter rounds to units of the smallest denormal
		return sign | uint16(math.Float64bits(magnitude+shifter))
	}
	lost := 52 - fraction
	b = b&^sign64 - uint64(1023-bias)<<52
	b += 1<<(lost-1) - 1 + b>>lost&1
	infinity := uint64(2*bias+1) << fraction
	return sign | uint16(min(b>>lost, infinity))
}
