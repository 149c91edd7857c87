package main

import "fmt"

// halfOrders are the instructions on the order and the sign of f16 and bf16, and fused products clamped at zero.
func halfOrders() []op {
	var ops []op
	formats := []struct {
		name     string
		infinity uint32
		pairs    func(s shape, compute func(of func(string) string) []string) []string
		widen    func(from, to string) []string
	}{
		{"f16", 0x7c00, f16Pairs, func(from, to string) []string {
			return lines("VPMOVDW "+from+", "+to+".half", "VCVTPH2PS "+to+".half, "+to)
		}},
		{"bf16", 0x7f80, bf16Pairs, func(from, to string) []string { return lines("VPSLLD $16, " + from + ", " + to) }},
	}
	for _, f := range formats {
		add := func(name string, s shape, compute func(of func(string) string) []string) {
			ops = append(ops,
				op{names: lines(name + "." + f.name + "x2"), shape: s, float: true, body: f.pairs(s, compute)},
				op{names: lines(name + "." + f.name), shape: narrow(s), float: true, body: f.pairs(s, compute)})
		}
		for _, m := range []struct {
			name string
			imm  int
		}{{"min", 4}, {"max", 5}} {
			add(m.name, bin(32), func(of func(string) string) []string {
				a, b := of("a"), of("b")
				return lines("VCMPPS $3, "+a+", "+a+", K5", "VCMPPS $3, "+b+", "+b+", K6", // where one is a NaN take the other
					"VPBLENDMD "+b+", "+a+", K5, t6", "VPBLENDMD "+a+", "+b+", K6, t7", fmt.Sprintf("VRANGEPS $%d, t7, t6, t9", m.imm))
			})
			add(m.name+".NaN", bin(32), func(of func(string) string) []string {
				operands := of("b") + ", " + of("a")
				return lines("VCMPPS $3, "+operands+", K5", fmt.Sprintf("VRANGEPS $%d, %s, t9", m.imm, operands), "VADDPS "+operands+", t6", "VMOVDQA32 t6, K5, t9")
			})
		}
		add("fma.rn.relu", tern(32), func(of func(string) string) []string {
			return append(toOdd(of("a"), of("b"), of("c")), "VFPCLASSPSZ $0x54, t9, K5", "VPXORD t9, t9, K5, t9") // -0 and below
		})
		for _, pair := range []bool{false, true} {
			name, s, repeat := f.name, un(16), uint32(1)
			if pair {
				name, s, repeat = f.name+"x2", un(32), 1<<16+1
			}
			if name == "f16x2" {
				continue // with the others
			}
			sign := func(opcode, change string) {
				ops = append(ops, op{names: lines(opcode + "." + name), shape: s, body: lines(change+", a, t9",
					fmt.Sprintf("VPANDD {d %#x}, t9, t0", 0x7fff*repeat), fmt.Sprintf("VPCMPUW $6, {d %#x}, t0, K5", f.infinity*(1<<16+1)),
					"VMOVDQU16 {d 0x7fff7fff}, K5, t9", "VMOVDQA64 t9, d")})
			}
			sign("neg", fmt.Sprintf("VPXORD {d %#x}", 0x8000*repeat))
			sign("abs", fmt.Sprintf("VPANDD {d %#x}", 0x7fff*repeat))
		}
		for _, c := range floatCompares {
			ops = append(ops, op{names: lines("setp." + c.name + "." + f.name), shape: compare(16), float: true,
				body: join(f.widen("a", "t0"), f.widen("b", "t1"), lines(fmt.Sprintf("VCMPPS $%d, t1, t0, d", c.imm)))})
		}
	}
	return ops
}

// properties are the kinds of floats that testp tells, and selections by the sign of a flushed float.
func properties() []op {
	var ops []op
	for _, p := range []struct {
		name    string
		classes int
		not     bool
	}{
		{"finite", isNaN | isInfinite, true}, {"infinite", isInfinite, false}, {"number", isNaN, true}, {"notanumber", isNaN, false},
		{"normal", isNaN | isInfinite | isDenormal, true}, {"subnormal", isDenormal, false},
	} {
		for _, bits := range []int{32, 64} {
			body := lines(fmt.Sprintf("VFPCLASSP%cZ $%#x, a, d", "SD"[bits/64], p.classes))
			if p.not {
				body = append(body, "KNOTW d, d")
			}
			ops = append(ops, op{names: lines(fmt.Sprintf("testp.%s.f%d", p.name, bits)), shape: shape{1, [4]int{bits}}, float: true, body: body})
		}
	}
	for _, width := range []struct {
		bits  int
		types []string
	}{{16, lines("u16", "s16", "b16")}, {32, lines("u32", "s32", "b32", "f32")}, {64, lines("u64", "s64", "b64", "f64")}} {
		blend, zero := "VPBLENDMD a, b, K5, d", "t0"
		if width.bits == 64 {
			blend, zero = "VPBLENDMQ a, b, K5, d", "t0.half"
		}
		ops = append(ops, op{names: names("slct.ftz.%s.f32", width.types...), shape: shape{width.bits, [4]int{width.bits, width.bits, 32}},
			float: true, control: controlFlush, body: lines("VPXORD "+zero+", "+zero+", "+zero, "VCMPPS $13, "+zero+", c, K5", blend)})
	}
	return ops
}

// approximations64 are the special functions of the upper word of an f64: the value, cut to f32, is cut again. Z2 is
// that word.
func approximations64() []op {
	upper := lines("VPSRLQ $32, a, t0", "VPMOVQD t0, Y2", "VPSLLD $3, Z2, t1", "VPANDD {d 0x7fffff}, t1, t1", "VPSLLD $1, Z2, t2", "VPSRLD $21, t2, t2")
	// t2 is what is added to the value's exponent.
	result := lines("VPSRLD $3, Z15, t5", "VPSLLD $20, t2, t2", "VPADDD t2, t5, t5", "VPCMPD $5, {d 0x00100000}, t5, K5", "VMOVDQA32.Z t5, K5, t5")
	sign := lines("VPANDD {d 0x80000000}, Z2, t6", "VPANDD {d 0x7fffffff}, Z2, t7")
	zero := lines("VPCMPD $1, {d 0x00100000}, t7, K5", "VPORD {d 0x7ff00000}, t6, K5, t5")
	give := lines("VPMOVZXDQ t5.half, d", "VPSLLQ $32, d, d")
	rcp := join(upper, lines("VPSUBD t2, {d 1878}, t2", "VPSRLD $16, t1, t0", "VPSLLD $16, t1, t1", "VPSRLD $15, t1, t1"),
		interpolate("rcp", nil), result, sign, lines("VPORD t6, t5, t5"), zero, lines(
			"VPCMPEQD {d 0x7ff00000}, t7, K5", "VMOVDQA32 t6, K5, t5", "VPCMPD $6, {d 0x7ff00000}, t7, K5", "VMOVDQA32 {d 0x7fffffff}, K5, t5"), give)
	rsqrt := join(upper, lines("VPADDD {d 1}, t2, t2", "VPSLLD $6, t2, t4", "VPANDD {d 64}, t4, t4", "VPSRLD $1, t2, t2", "VPSUBD t2, {d 1367}, t2"),
		segment64, lines("VPADDD t4, t0, t0"), interpolate("rsqrt", nil), result, sign,
		// A power of four has an exact result.
		lines("VPTESTMD {d 0x00100000}, Z2, K5", "VPTESTNMD {d 0x000fffff}, Z2, K5, K5", "VPADDD {d 0x0a800000}, t2, K5, t5",
			"VPCMPEQD {d 0x7ff00000}, Z2, K5", "VPXORD t5, t5, K5, t5", "VPCMPUD $6, {d 0x7ff00000}, Z2, K5", "VMOVDQA32 {d 0x7fffffff}, K5, t5"),
		zero, give)
	return []op{
		{names: lines("rcp.approx.ftz.f64"), shape: un(64), float: true, prologue: oddLanes, body: rcp},
		{names: lines("rsqrt.approx.ftz.f64"), shape: un(64), float: true, prologue: oddLanes, body: rsqrt},
	}
}
