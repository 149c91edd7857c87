package main

import "fmt"

// longIntegers are the less simple instructions on 64-bit integers, and sums that saturate.
func longIntegers() []op {
	ones := "VPTERNLOGQ $0xff, t9, t9, t9"
	carry := lines("VPCMPUQ $1, a, t0, K5", "VPCMPEQQ t9, t0, K3, K6", "KORW K5, K6, d")
	pair := shape{64, [4]int{64, 64, 1}}
	carryOut := shape{1, [4]int{64, 64, 1}}
	field := shape{64, [4]int{64, 32, 32}}
	to32 := shape{32, [4]int{64}}
	high := lines("VPSRAQ $63, a, t0", "VPANDQ b, t0, t0", "VPSUBQ t0, d, d", "VPSRAQ $63, b, t0", "VPANDQ a, t0, t0", "VPSUBQ t0, d, d")
	find := lines("VPLZCNTQ t1, t2", "VPMOVQD t2, d", "VPSUBD d, {d 63}.half, d")
	findShift := lines("VPLZCNTQ t1, t2", "VPTESTNMQ t1, t1, K5", "VPMOVQD t2, d", "VPTERNLOGD $0xff, d, d, K5, d")
	unsigned, signed := lines("VMOVDQA64 a, t1"), lines("VPSRAQ $63, a, t0", "VPXORQ t0, a, t1")
	// Where a sum overflows, the largest value of the sign of a.
	saturate := lines("VPMOVD2M t1, K5", "VPSRAD $31, a, t0", "VPXORD {d 0x7fffffff}, t0, K5, d")
	ops := []op{
		{names: lines("mad.hi.s64"), shape: tern(64), body: join(mulHigh64, high, lines("VPADDQ c, d, d"))},
		{names: lines("add carry 64"), shape: pair, body: lines(ones, "VPADDQ b, a, d", "VPSUBQ t9, d, K3, d")},
		{names: lines("sub carry 64"), shape: pair, body: lines(ones, "VPXORQ t9, b, b", "VPADDQ b, a, d", "VPSUBQ t9, d, K3, d")},
		{names: lines("carry addc 64"), shape: carryOut, body: join(lines(ones, "VPADDQ b, a, t0"), carry)},
		{names: lines("carry subc 64"), shape: carryOut, body: join(lines(ones, "VPXORQ t9, b, b", "VPADDQ b, a, t0"), carry)},
		{names: lines("sad.u64"), shape: tern(64), body: lines("VPMAXUQ b, a, t0", "VPMINUQ b, a, t1", "VPSUBQ t1, t0, d", "VPADDQ c, d, d")},
		{names: lines("sad.s64"), shape: tern(64), body: lines("VPMAXSQ b, a, t0", "VPMINSQ b, a, t1", "VPSUBQ t1, t0, d", "VPADDQ c, d, d")},
		{names: lines("cnot.b64"), shape: un(64), body: lines("VPTESTNMQ a, a, K5", "VMOVDQA64.Z {q 1}, K5, d")},
		{names: lines("bfind.u64"), shape: to32, body: join(unsigned, find)},
		{names: lines("bfind.s64"), shape: to32, body: join(signed, find)},
		{names: lines("bfind.shiftamt.u64"), shape: to32, body: join(unsigned, findShift)},
		{names: lines("bfind.shiftamt.s64"), shape: to32, body: join(signed, findShift)},
		{names: lines("brev.b64"), shape: un(64), body: join(reverseBytesBits, lines("VPSHUFB {x 07060504030201000f0e0d0c0b0a0908}, a, d"))},
		{names: lines("bfe.u64"), shape: field, body: lines("VPMOVZXDQ b, t0", "VPMOVZXDQ c, t1",
			"VPSRLVQ t0, a, d", "VPSLLVQ t1, {q 1}, t1", "VPSUBQ {q 1}, t1, t1", "VPANDQ t1, d, d")},
		{names: lines("bfe.s64"), shape: field, body: lines("VPMOVZXDQ b, t0", "VPMINUQ {q 63}, t0, t0", "VPMOVZXDQ c, t1",
			"VPSUBQ t0, {q 64}, t2", "VPMINUQ t2, t1, t3", // the bits there are, the length
			"VPSUBQ t3, t2, t2", "VPSUBQ t3, {q 64}, t3",
			"VPSLLVQ t2, a, d", "VPSRAVQ t3, d, d", "VPTESTMQ t1, t1, K5", "VMOVDQA64.Z d, K5, d")},
		{names: lines("bfi.b64"), shape: shape{64, [4]int{64, 64, 32, 32}}, body: lines("VPMOVZXDQ c, t0", "VPMOVZXDQ e, t1",
			"VPSLLVQ t1, {q 1}, t1", "VPSUBQ {q 1}, t1, t1", "VPSLLVQ t0, t1, t1", // the field's mask
			"VPSLLVQ t0, a, d", "VPTERNLOGQ $0xe4, t1, b, d")},
		{names: names("slct.%s.s32", "u64", "s64", "b64", "f64"), shape: shape{64, [4]int{64, 64, 32}}, body: lines("VPMOVD2M c, K5", "VPBLENDMQ b, a, K5, d")},
		{names: names("slct.%s.f32", "u64", "s64", "b64", "f64"), shape: shape{64, [4]int{64, 64, 32}}, float: true,
			body: lines("VPXORD t0.half, t0.half, t0.half", "VCMPPS $13, t0.half, c, K5", "VPBLENDMQ a, b, K5, d")},
		{names: lines("add.sat.s32"), shape: bin(32), body: join(lines("VPADDD b, a, d", "VPXORD a, d, t1", "VPXORD b, d, t2", "VPANDD t2, t1, t1"), saturate)},
		{names: lines("sub.sat.s32"), shape: bin(32), body: join(lines("VPSUBD b, a, d", "VPXORD a, d, t1", "VPXORD b, a, t2", "VPANDD t2, t1, t1"), saturate)},
	}
	for _, mode := range []string{".clamp", ".wrap"} {
		limit := lines("VPMINUD {d 32}, b, t1")
		if mode == ".wrap" {
			limit = lines("VPANDD {d 31}, a, a", "VPANDD {d 31}, b, t1")
		}
		ops = append(ops, op{names: lines("bmsk" + mode + ".b32"), shape: bin(32), body: join(limit, lines(
			"VPSLLVD t1, {d 1}, t1", "VPSUBD {d 1}, t1, t1", "VPSLLVD a, t1, d"))})
	}
	return ops
}

// dotProducts sum the products of the bytes of two words.
func dotProducts() []op {
	var ops []op
	shift := map[string]string{"u32": "VPSRLD", "s32": "VPSRAD"}
	// field takes n bits of a register from bit at on.
	field := func(typ, from string, at, n int, to string) []string {
		return lines(fmt.Sprintf("VPSLLD $%d, %s, %s", 32-at-n, from, to), fmt.Sprintf("%s $%d, %s, %s", shift[typ], 32-n, to, to))
	}
	for _, a := range []string{"u32", "s32"} {
		for _, b := range []string{"u32", "s32"} {
			body := lines("VMOVDQA64 c, d")
			for i := range 4 {
				body = join(body, field(a, "a", 8*i, 8, "t0"), field(b, "b", 8*i, 8, "t1"), lines("VPMULLD t1, t0, t0", "VPADDD t0, d, d"))
			}
			ops = append(ops, op{names: lines("dp4a." + a + "." + b), shape: tern(32), body: body})
			for half, mode := range []string{"lo", "hi"} {
				body := lines("VMOVDQA64 c, d")
				for i := range 2 {
					body = join(body, field(a, "a", 16*i, 16, "t0"), field(b, "b", 16*half+8*i, 8, "t1"), lines("VPMULLD t1, t0, t0", "VPADDD t0, d, d"))
				}
				ops = append(ops, op{names: lines("dp2a." + mode + "." + a + "." + b), shape: tern(32), body: body})
			}
		}
	}
	return ops
}

// longConversions are those of floats to integers of 64 bits and of f64 to unsigned ones.
func longConversions() []op {
	var ops []op
	from32 := shape{64, [4]int{32}}
	from64 := shape{32, [4]int{64}}
	for _, r := range []struct{ ptx, evex string }{{"rni", ".RN_SAE"}, {"rzi", ".RZ_SAE"}, {"rmi", ".RD_SAE"}, {"rpi", ".RU_SAE"}} {
		add := func(ftz, to, from string, control uint32, shape shape, body ...string) {
			ops = append(ops, op{names: lines("cvt." + r.ptx + ftz + "." + to + "." + from), shape: shape, float: true, control: control, rare: true, body: body})
		}
		for _, f := range flushes {
			add(f.ptx, "s64", "f32", f.control, from32, "VCVTPS2QQ"+r.evex+" a, d",
				"VCMPPS $13, {d 0x5f000000}.half, a, K5", "VMOVDQA64 {q 0x7fffffffffffffff}, K5, d") // a >= 2^63
			add(f.ptx, "u64", "f32", f.control, from32, "VCVTPS2UQQ"+r.evex+" a, d", "VPXORD t0.half, t0.half, t0.half",
				"VCMPPS $5, t0.half, a, K5", "VMOVDQA64.Z d, K5, d", // not below zero
				"VCMPPS $3, a, a, K5", "VMOVDQA64 {q 0x8000000000000000}, K5, d")
		}
		add("", "s64", "f64", 0, un(64), "VCVTPD2QQ"+r.evex+" a, d",
			"VCMPPD $13, {q 0x43e0000000000000}, a, K5", "VMOVDQA64 {q 0x7fffffffffffffff}, K5, d")
		add("", "u64", "f64", 0, un(64), "VCVTPD2UQQ"+r.evex+" a, d", "VPXORQ t0, t0, t0",
			"VCMPPD $5, t0, a, K5", "VMOVDQA64.Z d, K5, d",
			"VCMPPD $3, a, a, K5", "VMOVDQA64 {q 0x8000000000000000}, K5, d")
		add("", "u32", "f64", 0, from64, "VCVTPD2UDQ"+r.evex+" a, d", "VPXORQ t0, t0, t0",
			"VCMPPD $5, t0, a, K5", "VMOVDQA32.Z d, K5, d",
			"VCMPPD $3, a, a, K5", "VMOVDQA32 {d 0x80000000}.half, K5, d")
	}
	return ops
}
