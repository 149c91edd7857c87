package main

import "fmt"

// canonical makes NaNs canonical: the NVIDIA NaN of 32-bit results is 0x7fffffff whatever the inputs.
// VFIXUPIMMPS with this table keeps its destination where the result t9 is a quiet or signalling NaN and takes the
// result elsewhere.
var canonical = lines("VMOVDQA64 {d 0x7fffffff}, d", "VFIXUPIMMPS $0, {d 0x11111100}, t9, d")

// saturated clamps t9 to [+0, 1]; the maximum of a NaN and zero is the second one.
var saturated = lines("VPXORD t8, t8, t8", "VMAXPS t8, t9, d", "VMINPS {d 0x3f800000}, d, d")

var roundings = []struct {
	ptx, evex string
	control   uint32 // of MXCSR, where the instruction does not say it
}{
	{"", "", 0}, {".rn", "", 0}, {".rz", ".RZ_SAE", 0x6000}, {".rm", ".RD_SAE", 0x2000}, {".rp", ".RU_SAE", 0x4000},
}

var floatCompares = []struct {
	name string
	imm  int
}{
	{"eq", 0}, {"lt", 1}, {"le", 2}, {"gt", 14}, {"ge", 13}, {"ne", 12},
	{"equ", 8}, {"ltu", 9}, {"leu", 10}, {"gtu", 6}, {"geu", 5}, {"neu", 4}, {"num", 7}, {"nan", 3},
}

// flushes are the two ways to treat denormals.
var flushes = []struct {
	ptx     string
	control uint32
}{{"", 0}, {".ftz", controlFlush}}

func floats32() []op {
	var ops []op
	for _, r := range roundings {
		for _, f := range flushes {
			// add adds an instruction that computes t9, with and without .sat.
			add := func(shape shape, saturates bool, mnemonics []string, body ...string) {
				var plain, clamped []string
				for _, m := range mnemonics {
					plain = append(plain, m+r.ptx+f.ptx+".f32")
					clamped = append(clamped, m+r.ptx+f.ptx+".sat.f32")
				}
				ops = append(ops, op{names: plain, shape: shape, float: true, control: f.control, rare: r.control != 0, body: join(body, canonical)})
				if saturates {
					ops = append(ops, op{names: clamped, shape: shape, float: true, control: f.control, rare: true, body: join(body, saturated)})
				}
			}
			add(bin(32), true, lines("add"), "VADDPS"+r.evex+" b, a, t9")
			add(bin(32), true, lines("sub"), "VSUBPS"+r.evex+" b, a, t9")
			add(bin(32), true, lines("mul"), "VMULPS"+r.evex+" b, a, t9")
			if r.ptx == "" {
				continue
			}
			add(tern(32), true, lines("fma", "mad"), "VMOVDQA64 c, t9", "VFMADD231PS"+r.evex+" b, a, t9")
			add(bin(32), false, lines("div"), "VDIVPS"+r.evex+" b, a, t9")
			add(un(32), false, lines("sqrt"), "VSQRTPS"+r.evex+" a, t9")
			add(un(32), false, lines("rcp"), "VDIVPS"+r.evex+" a, {d 0x3f800000}, t9")
		}
	}
	return append(ops, signs32()...)
}

// signs32 are the instructions on the sign and the order of f32.
func signs32() []op {
	var ops []op
	for _, f := range flushes {
		add := func(name string, shape shape, body ...string) {
			ops = append(ops, op{names: lines(name + f.ptx + ".f32"), shape: shape, float: true, control: f.control, body: join(body, canonical)})
		}
		// Adding -0 changes nothing but flushes.
		add("neg", un(32), "VADDPS {d 0x80000000}, a, t9", "VPXORD {d 0x80000000}, t9, t9")
		add("abs", un(32), "VADDPS {d 0x80000000}, a, t9", "VPANDD {d 0x7fffffff}, t9, t9")
		for _, m := range []struct {
			name string
			imm  int
		}{{"min", 4}, {"max", 5}} {
			// The extreme of a NaN and a number is the number: where a is a NaN take b, where b is, a.
			// Operands go through an addition of -0, which flushes; VRANGEPS does not.
			flush := lines()
			if f.control != 0 {
				flush = lines("VADDPS {d 0x80000000}, a, a", "VADDPS {d 0x80000000}, b, b")
			}
			number := lines("VCMPPS $3, a, a, K5", "VCMPPS $3, b, b, K6",
				"VPBLENDMD b, a, K5, t6", "VPBLENDMD a, b, K6, t7", fmt.Sprintf("VRANGEPS $%d, t7, t6, t9", m.imm))
			add(m.name, bin(32), join(flush, number)...)
			// A NaN operand gives a NaN: the sum of the operands, which is one.
			nan := lines("VCMPPS $3, b, a, K5", fmt.Sprintf("VRANGEPS $%d, b, a, t9", m.imm), "VADDPS b, a, t6", "VMOVDQA32 t6, K5, t9")
			ops = append(ops, op{names: lines(m.name + f.ptx + ".NaN.f32"), shape: bin(32), float: true, control: f.control, body: join(flush, nan, canonical)})
		}
	}
	return append(ops, op{names: lines("copysign.f32"), shape: bin(32), body: lines("VMOVDQA64 {d 0x80000000}, d", "VPTERNLOGD $0xca, b, a, d")})
}

// floats64 put b first: of two NaNs the chip returns b's, as the vector unit returns its first operand's.
func floats64() []op {
	var ops []op
	for _, r := range roundings {
		add := func(shape shape, mnemonics []string, body ...string) {
			var names []string
			for _, m := range mnemonics {
				names = append(names, m+r.ptx+".f64")
			}
			ops = append(ops, op{names: names, shape: shape, float: true, rare: r.control != 0, body: body})
		}
		add(bin(64), lines("add"), "VADDPD"+r.evex+" a, b, d")
		add(bin(64), lines("mul"), "VMULPD"+r.evex+" a, b, d")
		// a - b is -b + a, but a NaN of b keeps its sign.
		add(bin(64), lines("sub"), "VCMPPD $7, b, b, K5", "VPXORQ {q 0x8000000000000000}, b, K5, b", "VADDPD"+r.evex+" a, b, d")
		if r.ptx != "" {
			// The unit chooses b, a, c; the chip b, c, a: where c is a NaN and b is none, take c.
			add(tern(64), lines("fma", "mad"), "VMOVDQA64 b, d", "VFMADD132PD"+r.evex+" a, c, d",
				"VCMPPD $3, c, c, K5", "VCMPPD $7, b, b, K5, K5", "VPORQ {q 0x0008000000000000}, c, K5, d")
			add(bin(64), lines("div"), "VDIVPD"+r.evex+" b, a, d")
			add(un(64), lines("sqrt"), "VSQRTPD"+r.evex+" a, d")
			add(un(64), lines("rcp"), "VDIVPD"+r.evex+" a, {q 0x3ff0000000000000}, d")
		}
	}
	quiet := "VPORQ {q 0x0008000000000000}, a, K5, d"
	return append(ops,
		op{names: lines("neg.f64"), shape: un(64), float: true, body: lines("VCMPPD $3, a, a, K5", "VPXORQ {q 0x8000000000000000}, a, d", quiet)},
		op{names: lines("abs.f64"), shape: un(64), float: true, body: lines("VCMPPD $3, a, a, K5", "VPANDQ {q 0x7fffffffffffffff}, a, d", quiet)},
		op{names: lines("copysign.f64"), shape: bin(64), body: lines("VMOVDQA64 {q 0x8000000000000000}, d", "VPTERNLOGQ $0xca, b, a, d")},
		extreme64("min", 4), extreme64("max", 5))
}

// extreme64 gives of two NaNs b with its quiet bit set, and else a number.
func extreme64(name string, imm int) op {
	return op{names: lines(name + ".f64"), shape: bin(64), float: true, body: lines(
		"VCMPPD $3, a, a, K5", "VCMPPD $3, b, b, K6",
		"VPBLENDMQ b, a, K5, t6", "VPBLENDMQ t6, b, K6, t7", fmt.Sprintf("VRANGEPD $%d, t7, t6, d", imm),
		"VPORQ {q 0x0008000000000000}, b, t8", "KANDW K5, K6, K5", "VMOVDQA64 t8, K5, d")}
}

func conversions() []op {
	from32 := shape{64, [4]int{32}}
	from64 := shape{32, [4]int{64}}
	ops := []op{
		{names: lines("cvt.f64.f32"), shape: from32, float: true, body: lines("VCVTPS2PD a, d")},
		{names: lines("cvt.ftz.f64.f32"), shape: from32, float: true, control: controlFlush,
			body: lines("VCMPPS $3, a, a, K5", "VMOVDQA32 {d 0x7fffffff}.half, K5, a", "VCVTPS2PD a, d")},
		{names: join(lines("cvt.u32.u16"), lines("cvt.s32.u16")), shape: shape{32, [4]int{16}}, body: lines("VMOVDQA64 a, d")},
		{names: names("cvt.%s.s16", "s32", "u32"), shape: shape{32, [4]int{16}}, body: lines("VPSLLD $16, a, d", "VPSRAD $16, d, d")},
		{names: join(names("cvt.u16.%s", "u32", "s32"), names("cvt.s16.%s", "u32", "s32")), shape: shape{16, [4]int{32}}, body: lines("VPANDD {d 0xffff}, a, d")},
		{names: join(names("cvt.u32.%s", "u8"), names("cvt.s32.%s", "u8")), shape: un(32), body: lines("VPANDD {d 0xff}, a, d")},
		{names: names("cvt.u64.%s", "u16"), shape: shape{64, [4]int{16}}, body: lines("VPMOVZXDQ a, d")},
	}
	for _, r := range roundings[1:] {
		add := func(name string, shape shape, body ...string) {
			ops = append(ops, op{names: lines("cvt" + r.ptx + name), shape: shape, float: true, rare: r.control != 0, body: body})
		}
		add(".f32.s32", un(32), "VCVTDQ2PS"+r.evex+" a, d")
		add(".f32.u32", un(32), "VCVTUDQ2PS"+r.evex+" a, d")
		add(".f64.s32", from32, "VCVTDQ2PD a, d")
		add(".f64.u32", from32, "VCVTUDQ2PD a, d")
		add(".f64.s64", un(64), "VCVTQQ2PD"+r.evex+" a, d")
		add(".f64.u64", un(64), "VCVTUQQ2PD"+r.evex+" a, d")
		add(".f32.s64", from64, "VCVTQQ2PS"+r.evex+" a, d")
		add(".f32.u64", from64, "VCVTUQQ2PS"+r.evex+" a, d")
		add(".f32.f64", from64, "VCVTPD2PS"+r.evex+" a, d")
	}
	for _, r := range []struct {
		ptx, evex string
		imm       int // of VRNDSCALE
	}{{"rni", ".RN_SAE", 0}, {"rzi", ".RZ_SAE", 3}, {"rmi", ".RD_SAE", 1}, {"rpi", ".RU_SAE", 2}} {
		for _, f := range flushes {
			add := func(to, from string, shape shape, body ...string) {
				ops = append(ops, op{names: lines("cvt." + r.ptx + f.ptx + "." + to + "." + from), shape: shape, float: true, control: f.control, body: body})
			}
			add("s32", "f32", un(32), "VCVTPS2DQ"+r.evex+" a, d",
				"VCMPPS $13, {d 0x4f000000}, a, K5", "VMOVDQA32 {d 0x7fffffff}, K5, d", // a >= 2^31
				"VCMPPS $7, a, a, K6", "VMOVDQA32.Z d, K6, d") // NaN
			add("u32", "f32", un(32), "VCVTPS2UDQ"+r.evex+" a, d", "VPXORD t0, t0, t0",
				"VCMPPS $13, t0, a, K5", "VMOVDQA32.Z d, K5, d") // below zero or NaN
			add("f32", "f32", un(32), join(lines("VADDPS {d 0x80000000}, a, a", fmt.Sprintf("VRNDSCALEPS $%d, a, t9", r.imm)), canonical)...)
			if f.ptx != "" {
				continue
			}
			add("f64", "f64", un(64), fmt.Sprintf("VRNDSCALEPD $%d, a, d", r.imm))
			add("s32", "f64", from64, "VCVTPD2DQ"+r.evex+" a, d", "VPXORQ t0, t0, t0", "VCMPPD $14, t0, a, K5",
				"VPCMPEQD {d 0x80000000}.half, d, K5, K5", "VMOVDQA32 {d 0x7fffffff}.half, K5, d") // too large
		}
	}
	for _, f := range flushes {
		ops = append(ops, op{names: lines("cvt" + f.ptx + ".sat.f32.f32"), shape: un(32), float: true, control: f.control,
			body: join(lines("VADDPS {d 0x80000000}, a, t9"), saturated)})
	}
	return ops
}
