package fp

import "math"

// The approximate functions give what an H200 gives. Each f32 function is one operation of the special
// function unit. Without Ftz, operands that the unit would flush, or whose results it would, are scaled
// before, and the result after, as the assembler of CUDA 13 does it.

const (
	minNormal32   = 0x00800000
	quarter32     = 0x3E800000
	upscale32     = 0x4B800000 // 2^24
	tooLarge32    = 0x7E800000 // 2^126, past which a reciprocal is denormal
	perRadian32   = 0x3E22F983 // a little under 1 / (2 pi)
	lowestExp2x32 = 0xC2FC0000 // -126, below which a power of two is denormal
)

// isTiny32 reports whether a is zero or a denormal that m does not flush.
func isTiny32(a uint32, m Mode) bool { return m&Ftz == 0 && a&^sign32 < minNormal32 }

// isTooLarge32 reports whether the reciprocal of a, a number, is denormal.
func isTooLarge32(a uint32) bool { return a&^sign32 > tooLarge32 && a&^sign32 <= infinity32 }

// RcpApprox32 returns about 1 / a.
func RcpApprox32(a uint32, m Mode) uint32 {
	switch {
	case isTiny32(a, m):
		return Mul32(upscale32, single.rcp(Mul32(a, upscale32, RN)), RN)
	case m&Ftz == 0 && isTooLarge32(a):
		return Mul32(quarter32, single.rcp(Mul32(a, quarter32, RN)), RN)
	default:
		return single.rcp(a)
	}
}

// SqrtApprox32 returns about the square root of a.
func SqrtApprox32(a uint32, m Mode) uint32 {
	if isTiny32(a, m) {
		const downscale = 0x39800000 // 2^-12
		return Mul32(sfuSqrt(Mul32(a, upscale32, RN)), downscale, RN)
	}
	return sfuSqrt(a)
}

// RsqrtApprox32 returns about 1 over the square root of a; an infinity of a's sign for zero.
func RsqrtApprox32(a uint32, m Mode) uint32 {
	if isTiny32(a, m) {
		const rootUpscale = 0x45800000 // 2^12
		return Mul32(single.rsqrt(Mul32(a, upscale32, RN)), rootUpscale, RN)
	}
	return single.rsqrt(a)
}

// DivApprox32 returns about a / b: a times a reciprocal that is zero for a divisor above 2^126.
func DivApprox32(a, b uint32, m Mode) uint32 {
	if isTiny32(b, m) {
		a, b = Mul32(a, upscale32, RN), Mul32(b, upscale32, RN)
	}
	return Mul32(a, single.rcp(b), m)
}

// DivFull32 returns about a / b over the whole range.
func DivFull32(a, b uint32, m Mode) uint32 {
	if isTooLarge32(b) {
		a, b = Mul32(a, quarter32, m), Mul32(b, quarter32, m)
	}
	return DivApprox32(a, b, m)
}

// Ex2Approx32 returns about 2 to the power a.
func Ex2Approx32(a uint32, m Mode) uint32 {
	if m&Ftz == 0 && a > lowestExp2x32 && a <= sign32|infinity32 {
		const half = 0x3F000000
		r := sfuExp2(Mul32(a, half, RN))
		return Mul32(r, r, RN)
	}
	return sfuExp2(a)
}

// Lg2Approx32 returns about the binary logarithm of a.
func Lg2Approx32(a uint32, m Mode) uint32 {
	if isTiny32(a, m) {
		const twentyFour = 0x41C00000
		return Sub32(sfuLog2(Mul32(a, upscale32, RN)), twentyFour, RN)
	}
	return sfuLog2(a)
}

// TanhApprox32 returns about the hyperbolic tangent of a.
func TanhApprox32(a uint32) uint32 { return sfuTanh(a) }

// SinApprox32 returns about the sine of a, the same with and without .ftz.
func SinApprox32(a uint32) uint32 { return sfuSine(Mul32(a, perRadian32, RZ), 0) }

// CosApprox32 returns about the cosine of a, the same with and without .ftz.
func CosApprox32(a uint32) uint32 { return sfuSine(Mul32(a, perRadian32, RZ)&^sign32, 1) }

// RcpApprox64 returns about 1 / a: a result of the high word of a, with a low word of zero.
func RcpApprox64(a uint64) uint64 { return uint64(double.rcp(uint32(a>>32))) << 32 }

// RsqrtApprox64 returns about 1 over the square root of a. With Ftz it is a result of the high word of
// a, with a low word of zero; without, it is refined from that.
func RsqrtApprox64(a uint64, m Mode) uint64 {
	if m&Ftz != 0 {
		return uint64(double.rsqrt(uint32(a>>32))) << 32
	}
	switch {
	case isNaN64(a):
		return a | quiet64
	case a&^sign64 == 0:
		return a | infinity64
	case a&sign64 != 0:
		return invalid64
	case a == infinity64:
		return 0
	}
	x := math.Float64frombits(a)
	if a < minNormal64 {
		return math.Float64bits(refinedRsqrt(x*0x1p54) * 0x1p27)
	}
	return math.Float64bits(refinedRsqrt(x))
}

// refinedRsqrt returns 1 over the square root of x, a normal number, by the assembler's one step from
// the unit's estimate.
func refinedRsqrt(x float64) float64 {
	y := math.Float64frombits(RsqrtApprox64(math.Float64bits(x), Ftz))
	e := math.FMA(x, -(y * y), 1)
	return math.FMA(math.FMA(e, 0.375, 0.5), y*e, y)
}

// Ex2Approx16 returns about 2 to the power a. A denormal f16 result is kept, one of bf16 flushed.
func Ex2Approx16(f Format, a uint16) uint16 {
	r := sfuExp2(f.widen16(a))
	if f == F16 && r >= 0x47800000 && r < infinity32 { // 2^16
		r = infinity32
	}
	return f.truncate16(r)
}

// TanhApprox16 returns about the hyperbolic tangent of a.
func TanhApprox16(f Format, a uint16) uint16 { return f.truncate16(sfuTanh(f.widen16(a))) }

// truncate16 rounds an f32 toward zero.
func (f Format) truncate16(a uint32) uint16 { return uint16(Convert(F32, f, uint64(a), RZ)) }

// Ex2Approx16x2 returns about 2 to the power of each half.
func Ex2Approx16x2(f Format, a uint32) uint32 {
	return pair(Ex2Approx16(f, low(a)), Ex2Approx16(f, high(a)))
}

// TanhApprox16x2 returns about the hyperbolic tangent of each half.
func TanhApprox16x2(f Format, a uint32) uint32 {
	return pair(TanhApprox16(f, low(a)), TanhApprox16(f, high(a)))
}
