package main

// halfFunctions are the special functions of f16 and bf16: the f32 function of each half, cut. Z31 keeps the result of
// the lower halves.
func halfFunctions() []op {
	// An f16 result from 2^16 on is infinite.
	toF16 := lines("VPCMPD $5, {d 0x47800000}, d, K5", "VPCMPD $2, {d 0x7f800000}, d, K5, K5", "VMOVDQA32 {d 0x7f800000}, K5, d", "VCVTPS2PH $3, d, t0.half", "VPMOVZXWD t0.half, d")
	formats := []struct {
		name, ex2         string
		low, high, narrow []string
	}{
		{"f16", "ex2.approx.", lines("VPMOVDW a, t0.half", "VCVTPH2PS t0.half, Z2"), lines("VPSRLD $16, a, t0", "VPMOVDW t0, t0.half", "VCVTPH2PS t0.half, Z2"), toF16},
		{"bf16", "ex2.approx.ftz.", lines("VPSLLD $16, a, Z2"), lines("VPANDD {d 0xffff0000}, a, Z2"), lines("VPSRLD $16, d, d")},
	}
	var ops []op
	for _, f := range formats {
		for _, g := range []struct {
			name string
			body []string
		}{{f.ex2, power}, {"tanh.approx.", hyperbolicTangent()}} {
			single := join(f.low, g.body, f.narrow)
			pair := join(single, lines("VMOVDQA32 d, Z31"), f.high, g.body, f.narrow, lines("VPSLLD $16, d, d", "VPORD Z31, d, d"))
			ops = append(ops,
				op{names: lines(g.name + f.name), shape: un(16), float: true, prologue: oddLanes, body: single},
				op{names: lines(g.name + f.name + "x2"), shape: un(32), float: true, prologue: oddLanes, body: pair})
		}
	}
	return ops
}
