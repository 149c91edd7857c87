package isa

import "silica/internal/fp"

// halfRows holds arithmetic on f16 and bf16 and pairs of them.
func halfRows() []Row {
	const halves, brains = ".f16 .f16x2", ".bf16 .bf16x2"
	maxwell := Since{PTX: 42, SM: 53}
	turing := Since{PTX: 70, SM: 75}
	ampere := Since{PTX: 70, SM: 80}
	hopper := Since{PTX: 78, SM: 90}
	row := func(syntax, types string, since Since, lane func(*Form) LaneFunc) Row {
		return Row{Syntax: syntax, Mods: Mods{"rnd": ".rn", "type": types}, Since: since, Unit: FP16, Class: ClassFP16, Op: OpLane, Lane: lane}
	}
	approx := func(syntax, types string, since Since, h half1) Row {
		r := row(syntax, types, since, h.lane)
		r.Unit = XU
		return r
	}
	extremes := ampere
	extremes.Mod = map[string]Since{".xorsign": {PTX: 72, SM: 86}}
	add, sub, mul, fma := half2{fp.Add16, fp.Add16x2}, half2{fp.Sub16, fp.Sub16x2}, half2{fp.Mul16, fp.Mul16x2}, half3{fp.Fma16, fp.Fma16x2}
	abs, neg := half1{fp.Abs16, fp.Abs16x2}, half1{fp.Neg16, fp.Neg16x2}
	least, most := half2{fp.Min16, fp.Min16x2}, half2{fp.Max16, fp.Max16x2}
	ex2, tanh := half1{anyModeHalf(fp.Ex2Approx16), anyModeHalf(fp.Ex2Approx16x2)}, half1{anyModeHalf(fp.TanhApprox16), anyModeHalf(fp.TanhApprox16x2)}
	return []Row{
		row("add{.rnd}{.ftz}{.sat}.type d, a, b", halves, maxwell, add.lane),
		row("add{.rnd}.type d, a, b", brains, hopper, add.lane),
		row("sub{.rnd}{.ftz}{.sat}.type d, a, b", halves, maxwell, sub.lane),
		row("sub{.rnd}.type d, a, b", brains, hopper, sub.lane),
		row("mul{.rnd}{.ftz}{.sat}.type d, a, b", halves, maxwell, mul.lane),
		row("mul{.rnd}.type d, a, b", brains, hopper, mul.lane),
		row("fma.rnd{.ftz}{.sat}.type d, a, b, c", halves, maxwell, fma.lane),
		row("fma.rnd{.ftz}.relu.type d, a, b, c", halves, ampere, fma.lane),
		row("fma.rnd{.relu}.type d, a, b, c", brains, ampere, fma.lane),
		row("fma.rnd.oob{.relu}.type d, a, b, c", halves+" "+brains, Since{PTX: 81, SM: 90}, fma.lane),
		row("neg{.ftz}.type d, a", halves, Since{PTX: 60, SM: 53}, neg.lane),
		row("neg.type d, a", brains, ampere, neg.lane),
		row("abs{.ftz}.type d, a", halves, Since{PTX: 65, SM: 53}, abs.lane),
		row("abs.type d, a", brains, ampere, abs.lane),
		row("min{.ftz}{.NaN}{.xorsign.abs}.type d, a, b", halves, extremes, least.lane),
		row("min{.NaN}{.xorsign.abs}.type d, a, b", brains, extremes, least.lane),
		row("max{.ftz}{.NaN}{.xorsign.abs}.type d, a, b", halves, extremes, most.lane),
		row("max{.NaN}{.xorsign.abs}.type d, a, b", brains, extremes, most.lane),
		approx("tanh.approx.type d, a", halves, turing, tanh),
		approx("tanh.approx.type d, a", brains, hopper, tanh),
		approx("ex2.approx.type d, a", halves, turing, ex2),
		approx("ex2.approx.ftz.type d, a", brains, hopper, ex2),
	}
}
