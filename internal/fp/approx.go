package fp

import "math"

// The approximate functions stay within the error that an H200 shows, against the exact result. They
// return its very bits for zeros, infinities, NaN and operands outside the domain. Except where said
// otherwise the result is the exact one rounded to nearest. They honour Ftz.

const tooLarge32 = 0x7E800000 // 2^126, past which a reciprocal is denormal

// RcpApprox32 returns about 1 / a.
func RcpApprox32(a uint32, m Mode) uint32 { return round32(1/operand32(a, m), m) }

// SqrtApprox32 returns about the square root of a.
func SqrtApprox32(a uint32, m Mode) uint32 { return round32(math.Sqrt(operand32(a, m)), m) }

// RsqrtApprox32 returns about 1 over the square root of a; an infinity of a's sign for zero.
func RsqrtApprox32(a uint32, m Mode) uint32 { return round32(1/math.Sqrt(operand32(a, m)), m) }

// DivApprox32 returns about a / b. The chip multiplies by a reciprocal that is zero for a divisor
// above 2^126.
func DivApprox32(a, b uint32, m Mode) uint32 {
	x, y := operand32(a, m), operand32(b, m)
	if b&^sign32 > tooLarge32 && b&^sign32 < infinity32 {
		return round32(x*math.Copysign(0, y), m)
	}
	return round32(x/y, m)
}

// DivFull32 returns about a / b over the whole range.
func DivFull32(a, b uint32, m Mode) uint32 { return round32(operand32(a, m)/operand32(b, m), m) }

// Ex2Approx32 returns about 2 to the power a.
func Ex2Approx32(a uint32, m Mode) uint32 { return round32(math.Exp2(operand32(a, m)), m) }

// Lg2Approx32 returns about the binary logarithm of a.
func Lg2Approx32(a uint32, m Mode) uint32 {
	// math.Log2 loses the digits of results near zero.
	return round32(math.Log(operand32(a, m))*(1/math.Ln2), m)
}

// TanhApprox32 returns about the hyperbolic tangent of a.
func TanhApprox32(a uint32) uint32 { return round32(math.Tanh(operand32(a, RN)), RN) }

// SinApprox32 returns about the sine of a.
func SinApprox32(a uint32, m Mode) uint32 {
	turn, quarter := angle(a)
	return round32(sinQuarters(turn, quarter), m)
}

// CosApprox32 returns about the cosine of a.
func CosApprox32(a uint32, m Mode) uint32 {
	turn, quarter := angle(a)
	return round32(sinQuarters(turn, quarter+1), m)
}

// angle returns the angle a as the chip sees it: a times an f32 near 1 / (2 pi), rounded toward zero
// to f32 and flushed. It is given in radians from -pi/4 to pi/4 beyond a number of quarter turns, of
// which only the low two bits matter.
func angle(a uint32) (radians float64, quarters int) {
	const turnsPerRadian = 0x3E22F983
	turns := float64(math.Float32frombits(Mul32(a, turnsPerRadian, RZ|Ftz)))
	turns -= math.Copysign(math.Trunc(math.Abs(turns)), turns)
	nearest := math.RoundToEven(4 * turns)
	return 2 * math.Pi * (turns - nearest/4), int(nearest)
}

// sinQuarters returns the sine of an angle of some radians and quarter turns.
func sinQuarters(radians float64, quarters int) float64 {
	switch quarters & 3 {
	case 0:
		return math.Sin(radians)
	case 1:
		return math.Cos(radians)
	case 2:
		return -math.Sin(radians)
	default:
		return -math.Cos(radians)
	}
}

// RcpApprox64 returns about 1 / a, as rcp.approx.ftz.f64 does: from the high word of a, with a low
// word of zero.
func RcpApprox64(a uint64) uint64 {
	return highWord(func(x float64) float64 { return 1 / x }, a)
}

// RsqrtApprox64 returns about 1 over the square root of a. With Ftz it works from the high word of a,
// and the low word is zero.
func RsqrtApprox64(a uint64, m Mode) uint64 {
	if m&Ftz != 0 {
		return highWord(func(x float64) float64 { return 1 / math.Sqrt(x) }, a)
	}
	r := 1 / math.Sqrt(math.Float64frombits(a))
	if r != r {
		return pickNaN64(a)
	}
	return math.Float64bits(r)
}

// highWord applies f to the high word of a, flushed, and returns the high word of the result,
// flushed.
func highWord(f func(float64) float64, a uint64) uint64 {
	const highWordNaN, mask = 0x7FFFFFFF00000000, 0xFFFFFFFF00000000
	r := f(math.Float64frombits(F64.flush(a & mask)))
	if r != r {
		return highWordNaN
	}
	return F64.flush(math.Float64bits(r)) & mask
}

// Ex2Approx16 returns about 2 to the power a.
func Ex2Approx16(f Format, a uint16, m Mode) uint16 {
	return f.round16(math.Exp2(f.operand16(a, m)), m)
}

// TanhApprox16 returns about the hyperbolic tangent of a.
func TanhApprox16(f Format, a uint16) uint16 {
	return f.round16(math.Tanh(f.operand16(a, RN)), RN)
}

// Ex2Approx16x2 returns about 2 to the power of each half.
func Ex2Approx16x2(f Format, a uint32, m Mode) uint32 {
	return pair(Ex2Approx16(f, low(a), m), Ex2Approx16(f, high(a), m))
}

// TanhApprox16x2 returns about the hyperbolic tangent of each half.
func TanhApprox16x2(f Format, a uint32) uint32 {
	return pair(TanhApprox16(f, low(a)), TanhApprox16(f, high(a)))
}
