package main

// halves are the instructions on f16 and bf16. Operands are widened to f32, where a sum, difference or product
// rounded to nearest and then to the half is what rounding once gives, since f32 has more than twice the
// bits. A fused product and sum is rounded to odd first: toward zero, with the last bit set when it is not
// exact.
//
// The pairs of a vector of 32-bit lanes are widened by halves of the vector, in the order in which they lie. A
// single half is a pair whose upper one is +0.
func halves() []op {
	var ops []op
	for _, i := range []struct {
		name    string
		shape   shape
		compute func(of func(string) string) []string
	}{
		{"add", bin(32), func(of func(string) string) []string { return lines("VADDPS " + of("b") + ", " + of("a") + ", t9") }},
		{"sub", bin(32), func(of func(string) string) []string { return lines("VSUBPS " + of("b") + ", " + of("a") + ", t9") }},
		{"mul", bin(32), func(of func(string) string) []string { return lines("VMULPS " + of("b") + ", " + of("a") + ", t9") }},
		{"fma.rn", tern(32), func(of func(string) string) []string { return toOdd(of("a"), of("b"), of("c")) }},
	} {
		names := func(t string) []string {
			out := lines(i.name + "." + t)
			if i.name != "fma.rn" {
				out = append(out, i.name+".rn."+t)
			}
			return out
		}
		ops = append(ops,
			op{names: names("f16x2"), shape: i.shape, float: true, body: f16Pairs(i.shape, i.compute)},
			op{names: names("f16"), shape: narrow(i.shape), float: true, body: f16Pairs(i.shape, i.compute)},
			op{names: names("bf16x2"), shape: i.shape, float: true, body: bf16Pairs(i.shape, i.compute)},
			op{names: names("bf16"), shape: narrow(i.shape), float: true, body: bf16Pairs(i.shape, i.compute)})
	}
	return append(ops,
		op{names: lines("cvt.f32.f16"), shape: shape{32, [4]int{16}}, float: true, body: join(lines("VPMOVDW a, t0.half", "VCVTPH2PS t0.half, t9"), canonical)},
		op{names: lines("cvt.rn.f16.f32"), shape: shape{16, [4]int{32}}, float: true, body: join(
			lines("VMOVDQA64 a, t9"), canonical, lines("VCVTPS2PH $0, d, t0.half", "VPMOVZXWD t0.half, d"))},
		op{names: lines("cvt.f32.bf16"), shape: shape{32, [4]int{16}}, body: lines("VPSLLD $16, a, d")},
		op{names: lines("cvt.rn.bf16.f32"), shape: shape{16, [4]int{32}}, float: true, body: join(lines("VMOVDQA64 a, t9"), bf16Of, lines("VPSRLD $16, d, d"))},
		op{names: lines("cvt.rn.f16x2.f32"), shape: bin(32), float: true, body: join(
			lines("VMOVDQA64 a, t9"), canonical, lines("VCVTPS2PH $0, d, t0.half", "VPMOVZXWD t0.half, t0", "VMOVDQA64 b, t9"),
			canonical, lines("VCVTPS2PH $0, d, t1.half", "VPMOVZXWD t1.half, d", "VPSLLD $16, t0, t0", "VPORD t0, d, d"))},
		op{names: lines("cvt.rn.bf16x2.f32"), shape: bin(32), float: true, body: join(
			lines("VMOVDQA64 a, t9"), bf16Of, lines("VPANDD {d 0xffff0000}, d, t0", "VMOVDQA64 b, t9"),
			bf16Of, lines("VPSRLD $16, d, d", "VPORD t0, d, d"))},
		op{names: lines("neg.f16x2"), shape: un(32), float: true, body: signPairs("VPXORD {d 0x80008000}, a, t9")},
		op{names: lines("abs.f16x2"), shape: un(32), float: true, body: signPairs("VPANDD {d 0x7fff7fff}, a, t9")},
	)
}

// narrow returns the shape with 16-bit operands.
func narrow(s shape) shape {
	s.dst = 16
	for i := range s.src {
		if s.src[i] != 0 {
			s.src[i] = 16
		}
	}
	return s
}

// toOdd computes a*b+c rounded to odd in t9: it is not exact where rounding up and down differ.
func toOdd(a, b, c string) []string {
	return lines("VMOVDQA64 "+c+", t9", "VFMADD231PS.RZ_SAE "+b+", "+a+", t9",
		"VMOVDQA64 "+c+", t8", "VFMADD231PS.RU_SAE "+b+", "+a+", t8",
		"VMOVDQA64 "+c+", t7", "VFMADD231PS.RD_SAE "+b+", "+a+", t7",
		"VCMPPS $4, t8, t7, K5", "VPORD {d 1}, t9, K5, t9")
}

// f16Pairs widens the sources, the low half of a vector to t0, t1 and t2, computes, and does the same with the
// high half.
func f16Pairs(s shape, compute func(of func(string) string) []string) []string {
	wide := map[string]string{"a": "t0", "b": "t1", "c": "t2"}
	of := func(source string) string { return wide[source] }
	var body []string
	for half := range 2 {
		for i, source := range []string{"a", "b", "c"} {
			switch {
			case s.src[i] == 0:
			case half == 0:
				body = append(body, "VCVTPH2PS "+source+".half, "+wide[source])
			default:
				body = append(body, "VEXTRACTI64X4 $1, "+source+", t3.half", "VCVTPH2PS t3.half, "+wide[source])
			}
		}
		body = join(body, compute(of), canonical)
		if half == 0 {
			body = append(body, "VCVTPS2PH $0, d, t4.half")
		} else {
			body = append(body, "VCVTPS2PH $0, d, t3.half", "VINSERTI64X4 $1, t3.half, t4, d")
		}
	}
	return body
}

// bf16Of rounds the f32 in t9 to the upper half of d; the lower half is undefined.
var bf16Of = lines(
	"VPSRLD $16, t9, d", "VPANDD {d 1}, d, d", "VPADDD {d 0x7fff}, d, d", "VPADDD t9, d, d",
	"VCMPPS $3, t9, t9, K5", "VMOVDQA32 {d 0x7fffffff}, K5, d")

// bf16Pairs computes with the upper halves of the lanes, then with the lower ones.
func bf16Pairs(s shape, compute func(of func(string) string) []string) []string {
	wide := map[string]string{"a": "t0", "b": "t1", "c": "t2"}
	of := func(source string) string { return wide[source] }
	var body []string
	for half := range 2 {
		for i, source := range []string{"a", "b", "c"} {
			switch {
			case s.src[i] == 0:
			case half == 0:
				body = append(body, "VPANDD {d 0xffff0000}, "+source+", "+wide[source])
			default:
				body = append(body, "VPSLLD $16, "+source+", "+wide[source])
			}
		}
		body = join(body, compute(of), bf16Of)
		if half == 0 {
			body = append(body, "VPANDD {d 0xffff0000}, d, t4")
		} else {
			body = append(body, "VPSRLD $16, d, d", "VPORD t4, d, d")
		}
	}
	return body
}

// signPairs changes signs and then makes the NaNs of pairs canonical: those whose magnitude is above infinity.
func signPairs(change string) []string {
	return lines(change, "VPANDD {d 0x7fff7fff}, t9, t0", "VPCMPUW $6, {d 0x7c007c00}, t0, K5",
		"VMOVDQU16 {d 0x7fff7fff}, K5, t9", "VMOVDQA64 t9, d")
}
