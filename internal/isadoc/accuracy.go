package isadoc

import (
	"bytes"
	"fmt"
	"math"

	"silica/internal/fp"
)

// format is a floating-point format: the bits after the point of a normal number, the exponent of the least one, and how a
// number is written in it and read.
type format struct {
	bits, least int
	encode      func(x float64) uint64
	decode      func(b uint64) float64
}

var (
	f64 = format{52, -1022, math.Float64bits, math.Float64frombits}
	f32 = format{23, -126,
		func(x float64) uint64 { return uint64(math.Float32bits(float32(x))) },
		func(b uint64) float64 { return float64(math.Float32frombits(uint32(b))) }}
	f16  = half(fp.F16, 10, -14)
	bf16 = half(fp.BF16, 7, -126)
)

func half(f fp.Format, bits, least int) format {
	return format{bits, least,
		func(x float64) uint64 { return fp.Convert(fp.F32, f, f32.encode(x), fp.RN) },
		func(b uint64) float64 { return f32.decode(fp.Convert(f, fp.F32, b, fp.RN)) }}
}

// approximation is a function whose result is not correctly rounded, and what it approximates.
type approximation struct {
	name      string
	over      string // the range measured, in words
	low, high float64
	format    format // of the argument and the result
	fn        func(a uint64) uint64
	exact     func(x float64) float64
	// absolute measures against the ulp of 1 where the result comes near 0.
	absolute bool
}

func approximations() []approximation {
	single := func(f func(uint32) uint32) func(uint64) uint64 {
		return func(a uint64) uint64 { return uint64(f(uint32(a))) }
	}
	mode := func(f func(uint32, fp.Mode) uint32) func(uint64) uint64 {
		return func(a uint64) uint64 { return uint64(f(uint32(a), fp.RN)) }
	}
	ofOne := func(f func(a, b uint32, m fp.Mode) uint32) func(uint64) uint64 {
		return func(a uint64) uint64 { return uint64(f(0x3F800000, uint32(a), fp.RN)) }
	}
	double := func(m fp.Mode) func(uint64) uint64 {
		return func(a uint64) uint64 { return fp.RsqrtApprox64(a, m) }
	}
	short := func(f func(fp.Format, uint16) uint16, of fp.Format) func(uint64) uint64 {
		return func(a uint64) uint64 { return uint64(f(of, uint16(a))) }
	}
	rcp := func(x float64) float64 { return 1 / x }
	rsqrt := func(x float64) float64 { return 1 / math.Sqrt(x) }
	const most = math.MaxFloat32
	return []approximation{
		{"rcp.approx.f32", "1 to 2", 1, 2, f32, mode(fp.RcpApprox32), rcp, false},
		{"sqrt.approx.f32", "normal numbers", 0x1p-126, most, f32, mode(fp.SqrtApprox32), math.Sqrt, false},
		{"rsqrt.approx.f32", "normal numbers", 0x1p-126, most, f32, mode(fp.RsqrtApprox32), rsqrt, false},
		{"ex2.approx.f32", "-126 to 127", -126, 127, f32, mode(fp.Ex2Approx32), math.Exp2, false},
		{"lg2.approx.f32", "normal numbers but 0.5 to 2", 2, most, f32, mode(fp.Lg2Approx32), math.Log2, false},
		{"lg2.approx.f32", "0.5 to 2, in ulp of 1", 0.5, 2, f32, mode(fp.Lg2Approx32), math.Log2, true},
		{"sin.approx.f32", "-π to π, in ulp of 1", -math.Pi, math.Pi, f32, single(fp.SinApprox32), math.Sin, true},
		{"cos.approx.f32", "-π to π, in ulp of 1", -math.Pi, math.Pi, f32, single(fp.CosApprox32), math.Cos, true},
		{"tanh.approx.f32", "-10 to 10", -10, 10, f32, single(fp.TanhApprox32), math.Tanh, false},
		{"div.approx.f32 (of 1)", "2^-125 to 2^125", 0x1p-125, 0x1p125, f32, ofOne(fp.DivApprox32), rcp, false},
		{"div.full.f32 (of 1)", "2^-125 to 2^125", 0x1p-125, 0x1p125, f32, ofOne(fp.DivFull32), rcp, false},
		{"rcp.approx.ftz.f64", "1 to 2", 1, 2, f64, fp.RcpApprox64, rcp, false},
		{"rsqrt.approx.ftz.f64", "1 to 4", 1, 4, f64, double(fp.Ftz), rsqrt, false},
		{"rsqrt.approx.f64", "1 to 4", 1, 4, f64, double(fp.RN), rsqrt, false},
		{"ex2.approx.f16", "-14 to 15", -14, 15, f16, short(fp.Ex2Approx16, fp.F16), math.Exp2, false},
		{"ex2.approx.ftz.bf16", "-126 to 127", -126, 127, bf16, short(fp.Ex2Approx16, fp.BF16), math.Exp2, false},
		{"tanh.approx.f16", "-10 to 10", -10, 10, f16, short(fp.TanhApprox16, fp.F16), math.Tanh, false},
		{"tanh.approx.bf16", "-10 to 10", -10, 10, bf16, short(fp.TanhApprox16, fp.BF16), math.Tanh, false},
	}
}

// writeAccuracy measures the approximate functions.
func writeAccuracy(b *bytes.Buffer) {
	b.WriteString(`
## Approximate functions

These give the bits that the H200 gives, by models of its units; the recorded cases and internal/fp check that. Their error against
the function itself, computed in double precision, is measured when this file is written, in units in the last place of the result.
Of f64 the unit computes the high word alone, so the error is also given as a part of the result.

| function | range | largest error | mean error |
| --- | --- | --- | --- |
`)
	for _, a := range approximations() {
		largest, mean := a.measure()
		relative := ""
		if largest > 1e6 {
			relative = fmt.Sprintf(" (2^%.1f)", math.Log2(largest)-float64(a.format.bits))
		}
		fmt.Fprintf(b, "| `%s` | %s | %s%s | %s |\n", a.name, a.over, ulps(largest), relative, ulps(mean))
	}
}

func ulps(n float64) string {
	if n > 1e6 {
		return fmt.Sprintf("%.2g", n)
	}
	return fmt.Sprintf("%.2f", n)
}

// measure returns the largest and the mean error in ulp.
func (a *approximation) measure() (largest, mean float64) {
	const points = 1 << 17
	for i := range int64(points) {
		bits := a.format.encode(a.point(i, points-1))
		want := a.exact(a.format.decode(bits))
		got := a.format.decode(a.fn(bits))
		ulp := math.Ldexp(1, max(math.Ilogb(want), a.format.least)-a.format.bits)
		if a.absolute {
			ulp = math.Ldexp(1, -a.format.bits)
		}
		e := math.Abs(got-want) / ulp
		largest, mean = max(largest, e), mean+e/points
	}
	return largest, mean
}

// point returns point i of n: those of f64, of which a range has few exponents, evenly spaced, others evenly over the
// bit patterns of f32.
func (a *approximation) point(i, n int64) float64 {
	if a.format.bits == f64.bits {
		return a.low + (a.high-a.low)*float64(i)/float64(n)
	}
	low, high := ordered(float32(a.low)), ordered(float32(a.high))
	return float64(fromOrdered(low + (high-low)*i/n))
}

// ordered places a float on the line of all floats, fromOrdered takes it back.
func ordered(f float32) int64 {
	b := int64(math.Float32bits(f))
	if b>>31 != 0 {
		return -(b & 0x7FFFFFFF)
	}
	return b
}

func fromOrdered(n int64) float32 {
	if n < 0 {
		return -math.Float32frombits(uint32(-n))
	}
	return math.Float32frombits(uint32(n))
}
