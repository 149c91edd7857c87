package isadoc

import (
	"bytes"
	"fmt"
	"math"

	"silica/internal/fp"
)

// approximation is a function whose result is not correctly rounded, and what it approximates.
type approximation struct {
	name  string
	over  string // the range measured, in words
	low   float32
	high  float32
	fn    func(a uint32) uint32
	exact func(x float64) float64
	// absolute measures against the ulp of 1 where the result comes near 0.
	absolute bool
}

func approximations() []approximation {
	mode := func(f func(uint32, fp.Mode) uint32) func(uint32) uint32 {
		return func(a uint32) uint32 { return f(a, fp.RN) }
	}
	const most = math.MaxFloat32
	return []approximation{
		{"rcp.approx.f32", "1 to 2", 1, 2, mode(fp.RcpApprox32), func(x float64) float64 { return 1 / x }, false},
		{"sqrt.approx.f32", "normal numbers", 0x1p-126, most, mode(fp.SqrtApprox32), math.Sqrt, false},
		{"rsqrt.approx.f32", "normal numbers", 0x1p-126, most, mode(fp.RsqrtApprox32), func(x float64) float64 { return 1 / math.Sqrt(x) }, false},
		{"ex2.approx.f32", "-126 to 127", -126, 127, mode(fp.Ex2Approx32), math.Exp2, false},
		{"lg2.approx.f32", "normal numbers but 0.5 to 2", 2, most, mode(fp.Lg2Approx32), math.Log2, false},
		{"lg2.approx.f32", "0.5 to 2, in ulp of 1", 0.5, 2, mode(fp.Lg2Approx32), math.Log2, true},
		{"sin.approx.f32", "-π to π, in ulp of 1", -math.Pi, math.Pi, fp.SinApprox32, math.Sin, true},
		{"cos.approx.f32", "-π to π, in ulp of 1", -math.Pi, math.Pi, fp.CosApprox32, math.Cos, true},
		{"tanh.approx.f32", "-10 to 10", -10, 10, fp.TanhApprox32, math.Tanh, false},
		{"div.approx.f32 (of 1)", "2^-125 to 2^125", 0x1p-125, 0x1p125, func(a uint32) uint32 { return fp.DivApprox32(0x3F800000, a, fp.RN) }, func(x float64) float64 { return 1 / x }, false},
		{"div.full.f32 (of 1)", "2^-125 to 2^125", 0x1p-125, 0x1p125, func(a uint32) uint32 { return fp.DivFull32(0x3F800000, a, fp.RN) }, func(x float64) float64 { return 1 / x }, false},
	}
}

// writeAccuracy measures the approximate functions at points spread evenly over the bit patterns of a range.
func writeAccuracy(b *bytes.Buffer) {
	b.WriteString(`
## Approximate functions

These give the bits that the H200 gives, by models of its units; the recorded cases and internal/fp check that. Their error against
the function itself, computed in double precision, is measured when this file is written, in units in the last place of the f32 result.

| function | range | largest error | mean error |
| --- | --- | --- | --- |
`)
	for _, a := range approximations() {
		largest, mean := a.measure()
		fmt.Fprintf(b, "| `%s` | %s | %.2f | %.2f |\n", a.name, a.over, largest, mean)
	}
}

// measure returns the largest and the mean error in ulp.
func (a *approximation) measure() (largest, mean float64) {
	const points = 1 << 17
	low, high := ordered(a.low), ordered(a.high)
	for i := range int64(points) {
		x := fromOrdered(low + (high-low)*i/(points-1))
		want := a.exact(float64(x))
		got := float64(math.Float32frombits(a.fn(math.Float32bits(x))))
		ulp := math.Ldexp(1, max(math.Ilogb(want), -126)-23)
		if a.absolute {
			ulp = 0x1p-23
		}
		e := math.Abs(got-want) / ulp
		largest, mean = max(largest, e), mean+e/points
	}
	return largest, mean
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
