package main

// integerDivisions go through f64, or f32 for 16 bits, whose quotients cut to an integer are exact when the
// operands are: a quotient that is no integer is further below the next one than rounding reaches. A zero
// divisor gives all ones.
func integerDivisions() []op {
	zero := "VPTESTNMD b, b, K6"
	ones := "VPTERNLOGD $0xff, d, d, K6, d"
	product := lines("VPMULLD b, d, t0", "VPSUBD t0, a, d")

	unsigned := lines(zero, "VCVTUDQ2PD a, t0", "VCVTUDQ2PD b, t1", "VDIVPD.RZ_SAE t1, t0, t0", "VCVTTPD2UDQ t0, d")
	signed := lines(zero, "VCVTDQ2PD a, t0", "VCVTDQ2PD b, t1", "VDIVPD.RZ_SAE t1, t0, t0", "VCVTTPD2DQ t0, d")
	halfProduct := lines("VPMULLD b, d, t0.half", "VPSUBD t0.half, a, d")
	add32 := func(name string, body ...[]string) op {
		return op{names: lines(name), shape: bin(32), wide: true, body: join(body...)}
	}

	cut := "VPANDD {d 0xffff}, d, d"
	extend := lines("VPSLLD $16, a, a", "VPSRAD $16, a, a", "VPSLLD $16, b, b", "VPSRAD $16, b, b")
	short := lines(zero, "VCVTDQ2PS a, t0", "VCVTDQ2PS b, t1", "VDIVPS.RZ_SAE t1, t0, t0", "VCVTTPS2DQ t0, d")
	add16 := func(name string, body ...[]string) op {
		return op{names: lines(name), shape: bin(16), body: join(append(body, lines(ones, cut))...)}
	}

	return []op{
		add32("div.u32", unsigned, lines(ones)),
		add32("rem.u32", unsigned, halfProduct, lines(ones)),
		add32("div.s32", signed, lines(ones)),
		add32("rem.s32", signed, halfProduct, lines(ones)),
		add16("div.u16", short), add16("rem.u16", short, product),
		add16("div.s16", extend, short), add16("rem.s16", extend, short, product),
		{names: lines("div.u64"), shape: bin(64), body: join(lines("VMOVDQA64 a, t8", "VMOVDQA64 b, t9"), divide64, lines("VMOVDQA64 t0, d"), ones64)},
		{names: lines("rem.u64"), shape: bin(64), body: join(lines("VMOVDQA64 a, t8", "VMOVDQA64 b, t9"), divide64, lines("VMOVDQA64 t1, d"), ones64)},
		{names: lines("div.s64"), shape: bin(64), body: join(lines("VPABSQ a, t8", "VPABSQ b, t9"), divide64,
			lines("VPXORQ b, a, t2", "VPMOVQ2M t2, K5", "VPXORQ t2, t2, t2", "VMOVDQA64 t0, d", "VPSUBQ t0, t2, K5, d"), ones64)},
		{names: lines("rem.s64"), shape: bin(64), body: join(lines("VPABSQ a, t8", "VPABSQ b, t9"), divide64,
			lines("VPMOVQ2M a, K5", "VPXORQ t2, t2, t2", "VMOVDQA64 t1, d", "VPSUBQ t1, t2, K5, d"), ones64)},
	}
}

// ones64 is the result of a division by zero.
var ones64 = lines("VPTESTNMQ b, b, K6", "VPTERNLOGQ $0xff, d, d, K6, d")

// divide64 leaves the quotient of t8 and t9, without sign, in t0 and the remainder in t1. Every estimate rounds the
// quotient down; the second is of the remainder of the first and at most one too small.
var divide64 = lines(
	"VCVTUQQ2PD.RU_SAE t9, t7",
	"VCVTUQQ2PD.RZ_SAE t8, t0", "VDIVPD.RZ_SAE t7, t0, t0", "VCVTTPD2UQQ t0, t0",
	"VPMULLQ t9, t0, t1", "VPSUBQ t1, t8, t1",
	"VCVTUQQ2PD.RZ_SAE t1, t2", "VDIVPD.RZ_SAE t7, t2, t2", "VCVTTPD2UQQ t2, t2",
	"VPADDQ t2, t0, t0", "VPMULLQ t9, t2, t2", "VPSUBQ t2, t1, t1",
	"VPCMPUQ $5, t9, t1, K5", "VPSUBQ t9, t1, K5, t1", "VPTERNLOGQ $0xff, t2, t2, t2", "VPSUBQ t2, t0, K5, t0")
