package isa

import "silica/internal/fp"

// floatFunctionRows holds division, roots and the transcendental functions of f32 and f64. Before
// PTX 1.4 the modifiers that choose between an approximation and a rounding could be left out.
func floatFunctionRows() []Row {
	fermi := Since{PTX: 14, SM: 20}
	since := Since{PTX: 14, SM: 10}
	approx := func(syntax string, fn func(a uint32, m fp.Mode) uint32) Row {
		return f32Row(syntax, since, XU, unary32(fn))
	}
	old := func(syntax string, fn func(a uint32, m fp.Mode) uint32) Row {
		flushed := func(a uint32, _ fp.Mode) uint32 { return fn(a, fp.Ftz) }
		return f32Row(syntax, first, XU, unary32(flushed)).before(14, 10)
	}

	return []Row{
		f32Row("div.approx{.ftz}.f32 d, a, b", since, XU, binary32(fp.DivApprox32)),
		f32Row("div.full{.ftz}.f32 d, a, b", since, XU, binary32(fp.DivFull32)),
		f32Row("div.rnd{.ftz}.f32 d, a, b", fermi, XU, binary32(fp.Div32)),
		f32Row("div.f32 d, a, b", first, XU, binary32(func(a, b uint32, _ fp.Mode) uint32 { return fp.DivFull32(a, b, fp.Ftz) })).before(14, 10),
		f64Row("div.rnd.f64 d, a, b", binary64(fp.Div64)),
		f64Row("div.f64 d, a, b", binary64(fp.Div64)).before(14, 10),

		approx("rcp.approx{.ftz}.f32 d, a", fp.RcpApprox32),
		f32Row("rcp.rnd{.ftz}.f32 d, a", fermi, XU, unary32(fp.Rcp32)),
		old("rcp.f32 d, a", fp.RcpApprox32),
		f64Row("rcp.rnd.f64 d, a", unary64(fp.Rcp64)),
		f64Row("rcp.approx.ftz.f64 d, a", unary64(anyMode(fp.RcpApprox64))),
		f64Row("rcp.f64 d, a", unary64(fp.Rcp64)).before(14, 10),

		approx("sqrt.approx{.ftz}.f32 d, a", fp.SqrtApprox32),
		f32Row("sqrt.rnd{.ftz}.f32 d, a", fermi, XU, unary32(fp.Sqrt32)),
		old("sqrt.f32 d, a", fp.SqrtApprox32),
		f64Row("sqrt.rnd.f64 d, a", unary64(fp.Sqrt64)),
		f64Row("sqrt.f64 d, a", unary64(fp.Sqrt64)).before(14, 10),

		approx("rsqrt.approx{.ftz}.f32 d, a", fp.RsqrtApprox32),
		old("rsqrt.f32 d, a", fp.RsqrtApprox32),
		f64Row("rsqrt.approx{.ftz}.f64 d, a", unary64(fp.RsqrtApprox64)),
		approx("sin.approx{.ftz}.f32 d, a", anyMode(fp.SinApprox32)),
		old("sin.f32 d, a", anyMode(fp.SinApprox32)),
		approx("cos.approx{.ftz}.f32 d, a", anyMode(fp.CosApprox32)),
		old("cos.f32 d, a", anyMode(fp.CosApprox32)),
		approx("lg2.approx{.ftz}.f32 d, a", fp.Lg2Approx32),
		old("lg2.f32 d, a", fp.Lg2Approx32),
		approx("ex2.approx{.ftz}.f32 d, a", fp.Ex2Approx32),
		old("ex2.f32 d, a", fp.Ex2Approx32),
		f32Row("tanh.approx.f32 d, a", Since{PTX: 70, SM: 75}, XU, unary32(anyMode(fp.TanhApprox32))),
	}
}
