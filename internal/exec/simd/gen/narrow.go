package main

import "fmt"

// resizes are the conversions between integers where at least one is narrower than 32 bits. A register of 16 bits,
// zero-extended in its row, also holds integers of 8.
func resizes() []op {
	var ops []op
	add := func(to []string, from string, dst, src int, body ...[]string) {
		var list []string
		for _, t := range to {
			list = append(list, "cvt."+t+"."+from)
		}
		ops = append(ops, op{names: list, shape: shape{dst, [4]int{src}}, body: join(body...)})
	}
	words, longs, shorts := lines("u32", "s32"), lines("u64", "s64"), lines("u16", "s16")
	add(words, "u8", 32, 16, lines("VPANDD {d 0xff}, a, d"))
	add(shorts, "u8", 16, 16, lines("VPANDD {d 0xff}, a, d"))
	add(longs, "u8", 64, 16, lines("VPANDD {d 0xff}.half, a, t0.half", "VPMOVZXDQ t0.half, d"))
	add(words, "s8", 32, 16, extended("d", 8))
	add(words, "s8", 32, 32, extended("d", 8))
	add(shorts, "s8", 16, 16, extended("d", 8), cut16)
	add(longs, "s8", 64, 16, extended("t0.half", 8), lines("VPMOVSXDQ t0.half, d"))
	add(longs, "s16", 64, 16, extended("t0.half", 16), lines("VPMOVSXDQ t0.half, d"))
	add(lines("s64"), "u16", 64, 16, lines("VPMOVZXDQ a, d"))
	for _, from := range join(words, longs, shorts) {
		src := map[string]int{"u16": 16, "s16": 16, "u32": 32, "s32": 32, "u64": 64, "s64": 64}[from]
		if src == 64 {
			low := lines("VPMOVQD a, d")
			add(shorts, from, 16, src, low, lines("VPANDD {d 0xffff}.half, d, d"))
			add(lines("u8"), from, 16, src, low, lines("VPANDD {d 0xff}.half, d, d"))
			add(lines("s8"), from, 16, src, low, lines("VPSLLD $24, d, d", "VPSRAD $8, d, d", "VPSRLD $16, d, d"))
			continue
		}
		add(lines("u8"), from, 16, src, lines("VPANDD {d 0xff}, a, d"))
		add(lines("s8"), from, 16, src, lines("VPSLLD $24, a, d", "VPSRAD $8, d, d", "VPSRLD $16, d, d"))
	}
	return ops
}

var cut16 = lines("VPANDD {d 0xffff}, d, d")

// extended extends the low bits of a by their sign.
func extended(to string, bits int) []string {
	return lines(fmt.Sprintf("VPSLLD $%d, a, %s", 32-bits, to), fmt.Sprintf("VPSRAD $%d, %s, %s", 32-bits, to, to))
}

// narrowFloats are the conversions between floats and integers of 8 and 16 bits, which go through 32 bits.
func narrowFloats() []op {
	var ops []op
	type integer struct {
		name           string
		load           []string // to t0 as 32 bits
		least, largest int32
		bits           int
	}
	integers := []integer{
		{"u8", lines("VPANDD {d 0xff}.half, a.half, t0.half"), 0, 1<<8 - 1, 8},
		{"s8", lines("VPSLLD $24, a.half, t0.half", "VPSRAD $24, t0.half, t0.half"), -1 << 7, 1<<7 - 1, 8},
		{"u16", lines("VMOVDQA64 a.half, t0.half"), 0, 1<<16 - 1, 16},
		{"s16", lines("VPSLLD $16, a.half, t0.half", "VPSRAD $16, t0.half, t0.half"), -1 << 15, 1<<15 - 1, 16},
	}
	for _, i := range integers {
		ops = append(ops,
			op{names: lines("cvt.rn.f32." + i.name), shape: shape{32, [4]int{16}}, wide: true, float: true, body: join(i.load, lines("VCVTDQ2PS t0.half, d"))},
			op{names: lines("cvt.rn.f64." + i.name), shape: shape{64, [4]int{16}}, float: true, body: join(i.load, lines("VCVTDQ2PD t0.half, d"))})
		for _, r := range []struct{ ptx, evex string }{{"rni", ".RN_SAE"}, {"rzi", ".RZ_SAE"}, {"rmi", ".RD_SAE"}, {"rpi", ".RU_SAE"}} {
			for _, f := range flushes {
				ops = append(ops, op{names: lines("cvt." + r.ptx + f.ptx + "." + i.name + ".f32"), shape: shape{16, [4]int{32}}, float: true, control: f.control, rare: true,
					body: lines("VCVTPS2DQ"+r.evex+" a, d", "VCMPPS $13, {d 0x4f000000}, a, K5", "VMOVDQA32 {d 0x7fffffff}, K5, d",
						"VCMPPS $7, a, a, K6", "VMOVDQA32.Z d, K6, d", // NaN
						fmt.Sprintf("VPMINSD {d %#x}, d, d", i.largest), fmt.Sprintf("VPMAXSD {d %#x}, d, d", uint32(i.least)), "VPANDD {d 0xffff}, d, d")})
			}
		}
	}
	return ops
}

// shortIntegers are what is left of the instructions on short integers.
func shortIntegers() []op {
	signed := lines("VPSLLD $16, a, a", "VPSRAD $16, a, a", "VPSLLD $16, b, b", "VPSRAD $16, b, b")
	return []op{
		{names: lines("abs.s16"), shape: un(16), body: join(lines("VPSLLD $16, a, d", "VPSRAD $16, d, d", "VPABSD d, d"), cut16)},
		{names: lines("mul.hi.u16"), shape: bin(16), body: lines("VPMULLD b, a, d", "VPSRLD $16, d, d")},
		{names: lines("mul.hi.s16"), shape: bin(16), body: join(signed, lines("VPMULLD b, a, d", "VPSRLD $16, d, d"))},
		{names: lines("mad.hi.u16"), shape: tern(16), body: join(lines("VPMULLD b, a, d", "VPSRLD $16, d, d", "VPADDD c, d, d"), cut16)},
		{names: lines("mad.hi.s16"), shape: tern(16), body: join(signed, lines("VPMULLD b, a, d", "VPSRLD $16, d, d", "VPADDD c, d, d"), cut16)},
		{names: lines("sad.u16"), shape: tern(16), body: join(lines("VPSUBD b, a, d", "VPABSD d, d", "VPADDD c, d, d"), cut16)},
		{names: lines("sad.s16"), shape: tern(16), body: join(signed, lines("VPSUBD b, a, d", "VPABSD d, d", "VPADDD c, d, d"), cut16)},
		{names: names("slct.%s.s32", "u16", "s16", "b16"), shape: shape{16, [4]int{16, 16, 32}}, body: lines("VPMOVD2M c, K5", "VPBLENDMD b, a, K5, d")},
		{names: names("slct.%s.f32", "u16", "s16", "b16"), shape: shape{16, [4]int{16, 16, 32}}, float: true,
			body: lines("VPXORD t0, t0, t0", "VCMPPS $13, t0, c, K5", "VPBLENDMD a, b, K5, d")},
		// Pairs.
		{names: names("add.%s", "u16x2", "s16x2"), shape: bin(32), body: lines("VPADDW b, a, d")},
		{names: lines("min.u16x2"), shape: bin(32), body: lines("VPMINUW b, a, d")},
		{names: lines("max.u16x2"), shape: bin(32), body: lines("VPMAXUW b, a, d")},
		{names: lines("min.s16x2"), shape: bin(32), body: lines("VPMINSW b, a, d")},
		{names: lines("max.s16x2"), shape: bin(32), body: lines("VPMAXSW b, a, d")},
		{names: lines("min.relu.s16x2"), shape: bin(32), body: lines("VPXORD t0, t0, t0", "VPMINSW b, a, d", "VPMAXSW t0, d, d")},
		{names: lines("max.relu.s16x2"), shape: bin(32), body: lines("VPXORD t0, t0, t0", "VPMAXSW b, a, d", "VPMAXSW t0, d, d")},
		{names: lines("min.relu.s32"), shape: bin(32), body: lines("VPXORD t0, t0, t0", "VPMINSD b, a, d", "VPMAXSD t0, d, d")},
		{names: lines("max.relu.s32"), shape: bin(32), body: lines("VPXORD t0, t0, t0", "VPMAXSD b, a, d", "VPMAXSD t0, d, d")},
	}
}
