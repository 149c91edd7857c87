package main

import "fmt"

func moves() []op {
	return []op{
		{names: lines("mov"), shape: un(32), body: lines("VMOVDQA64 a, d")},
		{names: lines("mov"), shape: un(16), body: lines("VMOVDQA64 a, d")},
		{names: lines("mov"), shape: un(64), body: lines("VMOVDQA64 a, d")},
		{names: lines("pack"), shape: shape{64, [4]int{32, 32}},
			body: lines("VPMOVZXDQ a, a.full", "VPMOVZXDQ b, b.full", "VPSLLQ $32, b.full, b.full", "VPORQ b.full, a.full, d")},
		{names: lines("pack"), shape: shape{32, [4]int{16, 16}}, body: lines("VPSLLD $16, b, b", "VPORD b, a, d")},
		{names: lines("unpack low"), shape: shape{32, [4]int{64}}, body: lines("VPMOVQD a, d")},
		{names: lines("unpack high"), shape: shape{32, [4]int{64}}, body: lines("VPSRLQ $32, a, a", "VPMOVQD a, d")},
		{names: lines("unpack low"), shape: shape{16, [4]int{32}}, body: lines("VPANDD {d 0xffff}, a, d")},
		{names: lines("unpack high"), shape: shape{16, [4]int{32}}, body: lines("VPSRLD $16, a, d")},
		// What sign-extending loads leave to be done.
		{names: lines("extend 8"), shape: un(32), body: lines("VPSLLD $24, a, d", "VPSRAD $24, d, d")},
		{names: lines("extend 16"), shape: un(32), body: lines("VPSLLD $16, a, d", "VPSRAD $16, d, d")},
		{names: lines("extend 8"), shape: un(16), body: lines("VPSLLD $24, a, d", "VPSRAD $8, d, d", "VPSRLD $16, d, d")},
		{names: lines("zero"), shape: shape{64, [4]int{32}}, body: lines("VPMOVZXDQ a, d")},
		{names: lines("extend"), shape: shape{64, [4]int{32}}, body: lines("VPMOVSXDQ a, d")},
		// The value of a predicate in a row.
		{names: lines("ones 32"), shape: shape{32, [4]int{1}}, body: lines("VPTERNLOGD.Z $0xff, d, d, K3, d")},
		{names: lines("one 32"), shape: shape{32, [4]int{1}}, body: lines("VMOVDQA32.Z {d 0x3f800000}, K3, d")},
		{names: names("selp.%s", "u32", "s32", "b32", "f32"), shape: selectOf(32), body: lines("VPBLENDMD a, b, K3, d")},
		{names: names("selp.%s", "u16", "s16", "b16"), shape: selectOf(16), body: lines("VPBLENDMD a, b, K3, d")},
		{names: names("selp.%s", "u64", "s64", "b64", "f64"), shape: selectOf(64), body: lines("VPBLENDMQ a, b, K3, d")},
		{names: names("slct.%s.s32", "u32", "s32", "b32", "f32"), shape: tern(32), body: lines("VPMOVD2M c, K5", "VPBLENDMD b, a, K5, d")},
		{names: names("slct.%s.f32", "u32", "s32", "b32", "f32"), shape: tern(32), float: true,
			body: lines("VPXORD t0, t0, t0", "VCMPPS $13, t0, c, K5", "VPBLENDMD a, b, K5, d")},
	}
}

func integers32() []op {
	ones := "VPTERNLOGD $0xff, t9, t9, t9"
	return []op{
		{names: names("add.%s", "u32", "s32"), shape: bin(32), body: lines("VPADDD b, a, d")},
		{names: names("sub.%s", "u32", "s32"), shape: bin(32), body: lines("VPSUBD b, a, d")},
		{names: names("mul.lo.%s", "u32", "s32"), shape: bin(32), body: lines("VPMULLD b, a, d")},
		{names: names("mad.lo.%s", "u32", "s32"), shape: tern(32), body: lines("VPMULLD b, a, d", "VPADDD c, d, d")},
		{names: lines("mul.hi.u32"), shape: bin(32), body: mulHigh("VPMULUDQ")},
		{names: lines("mul.hi.s32"), shape: bin(32), body: mulHigh("VPMULDQ")},
		{names: lines("mad.hi.u32"), shape: tern(32), body: join(mulHigh("VPMULUDQ"), lines("VPADDD c, d, d"))},
		{names: lines("mad.hi.s32"), shape: tern(32), body: join(mulHigh("VPMULDQ"), lines("VPADDD c, d, d"))},
		{names: lines("mul24.lo.u32"), shape: bin(32), body: lines("VPANDD {d 0xffffff}, a, a", "VPANDD {d 0xffffff}, b, b", "VPMULLD b, a, d")},
		{names: lines("mul24.lo.s32"), shape: bin(32), body: join(extend24, lines("VPMULLD b, a, d"))},
		{names: lines("mad24.lo.u32"), shape: tern(32), body: lines("VPANDD {d 0xffffff}, a, a", "VPANDD {d 0xffffff}, b, b", "VPMULLD b, a, d", "VPADDD c, d, d")},
		{names: lines("mad24.lo.s32"), shape: tern(32), body: join(extend24, lines("VPMULLD b, a, d", "VPADDD c, d, d"))},
		{names: lines("sad.u32"), shape: tern(32), body: lines("VPMAXUD b, a, t0", "VPMINUD b, a, t1", "VPSUBD t1, t0, d", "VPADDD c, d, d")},
		{names: lines("sad.s32"), shape: tern(32), body: lines("VPMAXSD b, a, t0", "VPMINSD b, a, t1", "VPSUBD t1, t0, d", "VPADDD c, d, d")},
		{names: lines("min.u32"), shape: bin(32), body: lines("VPMINUD b, a, d")},
		{names: lines("max.u32"), shape: bin(32), body: lines("VPMAXUD b, a, d")},
		{names: lines("min.s32"), shape: bin(32), body: lines("VPMINSD b, a, d")},
		{names: lines("max.s32"), shape: bin(32), body: lines("VPMAXSD b, a, d")},
		{names: lines("abs.s32"), shape: un(32), body: lines("VPABSD a, d")},
		{names: lines("neg.s32"), shape: un(32), body: lines("VPXORD t0, t0, t0", "VPSUBD a, t0, d")},
		{names: lines("and.b32"), shape: bin(32), body: lines("VPANDD b, a, d")},
		{names: lines("and.b16"), shape: bin(16), body: lines("VPANDD b, a, d")},
		{names: lines("or.b32"), shape: bin(32), body: lines("VPORD b, a, d")},
		{names: lines("or.b16"), shape: bin(16), body: lines("VPORD b, a, d")},
		{names: lines("xor.b32"), shape: bin(32), body: lines("VPXORD b, a, d")},
		{names: lines("xor.b16"), shape: bin(16), body: lines("VPXORD b, a, d")},
		{names: lines("not.b32"), shape: un(32), body: lines(ones, "VPXORD t9, a, d")},
		{names: lines("cnot.b16"), shape: un(16), body: lines("VPTESTNMD a, a, K5", "VMOVDQA32.Z {d 1}, K5, d")},
		{names: lines("cnot.b32"), shape: un(32), body: lines("VPTESTNMD a, a, K5", "VMOVDQA32.Z {d 1}, K5, d")},
		{names: lines("shl.b32"), shape: bin(32), body: lines("VPSLLVD b, a, d")},
		{names: names("shr.%s", "u32", "b32"), shape: bin(32), body: lines("VPSRLVD b, a, d")},
		{names: lines("shr.s32"), shape: bin(32), body: lines("VPSRAVD b, a, d")},
		// The chip's condition code: whether an addition carries out.
		{names: lines("carry add 32"), shape: compare(32), body: lines("VPADDD b, a, t0", "VPCMPUD $1, a, t0, d")},
		{names: lines("carry addc 32"), shape: shape{1, [4]int{32, 32, 1}}, body: join(lines(ones, "VPADDD b, a, t0"), carryIn)},
		{names: lines("carry sub 32"), shape: compare(32), body: lines("VPCMPUD $5, b, a, d")},
		{names: lines("carry subc 32"), shape: shape{1, [4]int{32, 32, 1}}, body: join(lines(ones, "VPXORD t9, b, b", "VPADDD b, a, t0"), carryIn)},
		{names: lines("add carry 32"), shape: shape{32, [4]int{32, 32, 1}}, body: lines("VPADDD b, a, d", ones, "VPSUBD t9, d, K3, d")},
		{names: lines("sub carry 32"), shape: shape{32, [4]int{32, 32, 1}}, body: lines(ones, "VPXORD t9, b, b", "VPADDD b, a, d", "VPSUBD t9, d, K3, d")},
	}
}

var (
	extend24 = lines("VPSLLD $8, a, a", "VPSRAD $8, a, a", "VPSLLD $8, b, b", "VPSRAD $8, b, b")
	// carryIn adds the carry K3 to the sum t0 of a and another and says whether either addition carries out.
	carryIn = lines("VPCMPUD $1, a, t0, K5", "VPCMPEQD t9, t0, K3, K6", "KORW K5, K6, d")
)

// mulHigh multiplies even and odd dwords apart and merges the high halves.
func mulHigh(multiply string) []string {
	return lines(
		multiply+" b, a, t0", "VPSRLQ $32, t0, d",
		"VPSRLQ $32, a, t1", "VPSRLQ $32, b, t2",
		multiply+" t2, t1, t0", "VPANDQ {q 0xffffffff00000000}, t0, t0", "VPORQ t0, d, d")
}

// bits32 are the instructions that look at single bits and bytes.
func bits32() []op {
	return []op{
		{names: lines("popc.b32"), shape: un(32), body: lines("VPOPCNTD a, d")},
		{names: lines("clz.b32"), shape: un(32), body: lines("VPLZCNTD a, d")},
		// 31 minus the leading zeros is -1 for zero, as wanted.
		{names: lines("bfind.u32"), shape: un(32), body: lines("VPLZCNTD a, d", "VPSUBD d, {d 31}, d")},
		{names: lines("bfind.s32"), shape: un(32), body: lines("VPSRAD $31, a, t0", "VPXORD t0, a, a", "VPLZCNTD a, d", "VPSUBD d, {d 31}, d")},
		{names: lines("bfind.shiftamt.u32"), shape: un(32), body: shiftAmount},
		{names: lines("bfind.shiftamt.s32"), shape: un(32), body: join(lines("VPSRAD $31, a, t0", "VPXORD t0, a, a"), shiftAmount)},
		{names: lines("brev.b32"), shape: un(32), body: join(reverseBytesBits, lines("VPSHUFB {x 03020100070605040b0a09080f0e0d0c}, a, d"))},
		{names: lines("shf.l.wrap.b32"), shape: tern(32), body: lines("VMOVDQA64 b, d", "VPSHLDVD c, a, d")},
		{names: lines("shf.r.wrap.b32"), shape: tern(32), body: lines("VMOVDQA64 a, d", "VPSHRDVD c, b, d")},
		{names: lines("shf.l.clamp.b32"), shape: tern(32), body: lines(
			"VPMINUD {d 32}, c, c", "VPSUBD c, {d 32}, t0", "VPSLLVD c, b, d", "VPSRLVD t0, a, t1", "VPORD t1, d, d")},
		{names: lines("shf.r.clamp.b32"), shape: tern(32), body: lines(
			"VPMINUD {d 32}, c, c", "VPSUBD c, {d 32}, t0", "VPSRLVD c, a, d", "VPSLLVD t0, b, t1", "VPORD t1, d, d")},
		{names: lines("bfe.u32"), shape: tern(32), body: lines(
			"VPANDD {d 0xff}, b, t0", "VPANDD {d 0xff}, c, t1",
			"VPSRLVD t0, a, d", "VPSLLVD t1, {d 1}, t1", "VPSUBD {d 1}, t1, t1", "VPANDD t1, d, d")},
		{names: lines("bfe.s32"), shape: tern(32), body: lines(
			"VPANDD {d 0xff}, b, t0", "VPMINUD {d 31}, t0, t0", "VPANDD {d 0xff}, c, t1",
			"VPSUBD t0, {d 32}, t2", "VPMINUD t2, t1, t3", // the bits there are, the length
			"VPSUBD t3, t2, t2", "VPSUBD t3, {d 32}, t3",
			"VPSLLVD t2, a, d", "VPSRAVD t3, d, d", "VPTESTMD t1, t1, K5", "VMOVDQA32.Z d, K5, d")},
		{names: lines("bfi.b32"), shape: quad(32), body: lines(
			"VPANDD {d 0xff}, c, t0", "VPANDD {d 0xff}, e, t1",
			"VPSLLVD t1, {d 1}, t1", "VPSUBD {d 1}, t1, t1", "VPSLLVD t0, t1, t1", // the field's mask
			"VPSLLVD t0, a, d", "VPTERNLOGD $0xe4, t1, b, d")},
		lop3(),
		prmt(),
	}
}

var shiftAmount = lines("VPLZCNTD a, d", "VPTESTNMD a, a, K5", "VPTERNLOGD $0xff, t0, t0, t0", "VMOVDQA32 t0, K5, d")

// reverseBytesBits reverses the bits of each byte of a.
var reverseBytesBits = lines(
	"VPANDD {d 0x0f0f0f0f}, a, t0", "VPSRLD $4, a, t1", "VPANDD {d 0x0f0f0f0f}, t1, t1",
	"VPSHUFB t0, {x 0008040c020a060e0109050d030b070f}, t0",
	"VPSHUFB t1, {x 0008040c020a060e0109050d030b070f}, t1", "VPSLLD $4, t0, t0", "VPORD t1, t0, a")

// lop3 takes a row of its look-up table in e: the table is the same in every lane, so its eight bits become
// eight all-ones or all-zeros constants, and seven bit selections by c, b and a pick the result.
func lop3() op {
	o := op{names: lines("lop3.b32"), shape: quad(32), prologue: lines("MOVL (BX), R10")}
	for i := range 8 {
		o.prologue = append(o.prologue, "MOVL R10, AX", fmt.Sprintf("SHLL $%d, AX", 31-i), "SARL $31, AX", fmt.Sprintf("VPBROADCASTD AX, Z%d", 16+i))
	}
	// choose(d, bit, one, zero): d = bit ? one : zero, with d preloaded with bit.
	choose := func(d, bit, one, zero string) []string {
		return lines(fmt.Sprintf("VMOVDQA64 %s, %s", bit, d), fmt.Sprintf("VPTERNLOGD $0xca, %s, %s, %s", zero, one, d))
	}
	// One branch after the other, to need few registers; e is free.
	o.body = join(
		choose("d", "c", "Z17", "Z16"), choose("t0", "c", "Z19", "Z18"), choose("t1", "b", "t0", "d"),
		choose("d", "c", "Z21", "Z20"), choose("t0", "c", "Z23", "Z22"), choose("e", "b", "t0", "d"),
		choose("d", "a", "e", "t1"))
	return o
}

// prmt picks four of the eight bytes of b:a by the nibbles of c; bit 3 of a nibble asks for the byte's sign.
func prmt() op {
	return op{names: lines("prmt.b32"), shape: tern(32), body: lines(
		// One selector a byte.
		"VPANDD {d 0xffff}, c, t0", "VPSLLD $8, t0, t1", "VPORD t1, t0, t0", "VPANDD {d 0x00ff00ff}, t0, t0",
		"VPSLLD $4, t0, t1", "VPORD t1, t0, t0",
		"VPANDD {d 0x03030303}, t0, t1", "VPADDD {x 0000000004040404080808080c0c0c0c}, t1, t1",
		"VPSHUFB t1, a, t2", "VPSHUFB t1, b, t3",
		"VPSLLD $5, t0, t1", "VPMOVB2M t1, K5", "VPBLENDMB t3, t2, K5, d",
		"VPXORD t3, t3, t3", "VPCMPGTB d, t3, K6", "VPMOVM2B K6, t3",
		"VPSLLD $4, t0, t1", "VPMOVB2M t1, K5", "VPBLENDMB t3, d, K5, d")}
}

func integers64() []op {
	shift := shape{64, [4]int{64, 32}}
	ones := "VPTERNLOGD $0xff, t9, t9, t9"
	return []op{
		{names: names("add.%s", "u64", "s64"), shape: bin(64), body: lines("VPADDQ b, a, d")},
		{names: names("sub.%s", "u64", "s64"), shape: bin(64), body: lines("VPSUBQ b, a, d")},
		{names: names("mul.lo.%s", "u64", "s64"), shape: bin(64), body: lines("VPMULLQ b, a, d")},
		{names: names("mad.lo.%s", "u64", "s64"), shape: tern(64), body: lines("VPMULLQ b, a, d", "VPADDQ c, d, d")},
		{names: lines("mul.hi.u64"), shape: bin(64), body: mulHigh64},
		{names: lines("mul.hi.s64"), shape: bin(64), body: join(mulHigh64, lines(
			"VPSRAQ $63, a, t0", "VPANDQ b, t0, t0", "VPSUBQ t0, d, d", "VPSRAQ $63, b, t0", "VPANDQ a, t0, t0", "VPSUBQ t0, d, d"))},
		{names: lines("mad.hi.u64"), shape: tern(64), body: join(mulHigh64, lines("VPADDQ c, d, d"))},
		{names: lines("min.u64"), shape: bin(64), body: lines("VPMINUQ b, a, d")},
		{names: lines("max.u64"), shape: bin(64), body: lines("VPMAXUQ b, a, d")},
		{names: lines("min.s64"), shape: bin(64), body: lines("VPMINSQ b, a, d")},
		{names: lines("max.s64"), shape: bin(64), body: lines("VPMAXSQ b, a, d")},
		{names: lines("abs.s64"), shape: un(64), body: lines("VPABSQ a, d")},
		{names: lines("neg.s64"), shape: un(64), body: lines("VPXORQ t0, t0, t0", "VPSUBQ a, t0, d")},
		{names: lines("and.b64"), shape: bin(64), body: lines("VPANDQ b, a, d")},
		{names: lines("or.b64"), shape: bin(64), body: lines("VPORQ b, a, d")},
		{names: lines("xor.b64"), shape: bin(64), body: lines("VPXORQ b, a, d")},
		{names: lines("not.b64"), shape: un(64), body: lines(ones, "VPXORQ t9, a, d")},
		{names: lines("shl.b64"), shape: shift, body: lines("VPMOVZXDQ b, t0", "VPSLLVQ t0, a, d")},
		{names: names("shr.%s", "u64", "b64"), shape: shift, body: lines("VPMOVZXDQ b, t0", "VPSRLVQ t0, a, d")},
		{names: lines("shr.s64"), shape: shift, body: lines("VPMOVZXDQ b, t0", "VPSRAVQ t0, a, d")},
		{names: lines("popc.b64"), shape: shape{32, [4]int{64}}, body: lines("VPOPCNTQ a, t0", "VPMOVQD t0, d")},
		{names: lines("clz.b64"), shape: shape{32, [4]int{64}}, body: lines("VPLZCNTQ a, t0", "VPMOVQD t0, d")},
		{names: lines("carry add 64"), shape: compare(64), body: lines("VPADDQ b, a, t0", "VPCMPUQ $1, a, t0, d")},
		{names: lines("carry sub 64"), shape: compare(64), body: lines("VPCMPUQ $5, b, a, d")},
	}
}

// mulHigh64 is the schoolbook product of 32-bit halves.
var mulHigh64 = lines(
	"VPSRLQ $32, a, t0", "VPSRLQ $32, b, t1",
	"VPMULUDQ b, a, t2", "VPMULUDQ b, t0, t3", "VPMULUDQ t1, a, t4", "VPMULUDQ t1, t0, d",
	"VPSRLQ $32, t2, t2", "VPADDQ t2, t3, t3",
	"VPANDQ {q 0xffffffff}, t3, t2", "VPADDQ t2, t4, t4",
	"VPSRLQ $32, t3, t3", "VPSRLQ $32, t4, t4", "VPADDQ t3, d, d", "VPADDQ t4, d, d")

func widening() []op {
	wide := shape{64, [4]int{32, 32}}
	wideAdd := shape{64, [4]int{32, 32, 64}}
	unsigned := lines("VPMOVZXDQ a, a.full", "VPMOVZXDQ b, b.full", "VPMULUDQ b.full, a.full, d")
	signed := lines("VPMOVSXDQ a, a.full", "VPMOVSXDQ b, b.full", "VPMULDQ b.full, a.full, d")
	plus := lines("VPADDQ c, d, d")
	return []op{
		{names: lines("mul.wide.u32"), shape: wide, body: unsigned},
		{names: lines("mul.wide.s32"), shape: wide, body: signed},
		{names: lines("mad.wide.u32"), shape: wideAdd, body: join(unsigned, plus)},
		{names: lines("mad.wide.s32"), shape: wideAdd, body: join(signed, plus)},
		{names: names("cvt.%s.u32", "u64", "s64"), shape: shape{64, [4]int{32}}, body: lines("VPMOVZXDQ a, d")},
		{names: names("cvt.%s.s32", "u64", "s64"), shape: shape{64, [4]int{32}}, body: lines("VPMOVSXDQ a, d")},
		{names: join(names("cvt.u32.%s", "u64", "s64"), names("cvt.s32.%s", "u64", "s64")), shape: shape{32, [4]int{64}}, body: lines("VPMOVQD a, d")},
	}
}

// integers16 run on zero-extended 16-bit values in 32-bit rows.
func integers16() []op {
	cut := "VPANDD {d 0xffff}, d, d"
	signed := lines("VPSLLD $16, a, a", "VPSRAD $16, a, a", "VPSLLD $16, b, b", "VPSRAD $16, b, b")
	return []op{
		{names: names("add.%s", "u16", "s16"), shape: bin(16), body: lines("VPADDD b, a, d", cut)},
		{names: names("sub.%s", "u16", "s16"), shape: bin(16), body: lines("VPSUBD b, a, d", cut)},
		{names: names("mul.lo.%s", "u16", "s16"), shape: bin(16), body: lines("VPMULLD b, a, d", cut)},
		{names: names("mad.lo.%s", "u16", "s16"), shape: tern(16), body: lines("VPMULLD b, a, d", "VPADDD c, d, d", cut)},
		{names: lines("min.u16"), shape: bin(16), body: lines("VPMINUD b, a, d")},
		{names: lines("max.u16"), shape: bin(16), body: lines("VPMAXUD b, a, d")},
		{names: lines("min.s16"), shape: bin(16), body: join(signed, lines("VPMINSD b, a, d", cut))},
		{names: lines("max.s16"), shape: bin(16), body: join(signed, lines("VPMAXSD b, a, d", cut))},
		{names: lines("neg.s16"), shape: un(16), body: lines("VPXORD t0, t0, t0", "VPSUBD a, t0, d", cut)},
		{names: lines("not.b16"), shape: un(16), body: lines("VPXORD {d 0xffff}, a, d")},
		{names: lines("shl.b16"), shape: shape{16, [4]int{16, 32}}, body: lines("VPSLLVD b, a, d", cut)},
		{names: lines("shr.u16", "shr.b16"), shape: shape{16, [4]int{16, 32}}, body: lines("VPSRLVD b, a, d")},
		{names: lines("shr.s16"), shape: shape{16, [4]int{16, 32}}, body: lines("VPSLLD $16, a, a", "VPSRAD $16, a, a", "VPSRAVD b, a, d", cut)},
		{names: lines("mul.wide.u16"), shape: shape{32, [4]int{16, 16}}, body: lines("VPMULLD b, a, d")},
		{names: lines("mul.wide.s16"), shape: shape{32, [4]int{16, 16}}, body: join(signed, lines("VPMULLD b, a, d"))},
		{names: lines("mad.wide.u16"), shape: shape{32, [4]int{16, 16, 32}}, body: lines("VPMULLD b, a, d", "VPADDD c, d, d")},
		{names: lines("mad.wide.s16"), shape: shape{32, [4]int{16, 16, 32}}, body: join(signed, lines("VPMULLD b, a, d", "VPADDD c, d, d"))},
	}
}

var integerCompares = []struct {
	signed, unsigned string
	imm              int
}{
	{"eq", "eq", 0}, {"lt", "lo", 1}, {"le", "ls", 2}, {"ne", "ne", 4}, {"ge", "hs", 5}, {"gt", "hi", 6},
}

// compares are the comparisons of setp and set, named by setp.
func compares() []op {
	var ops []op
	for _, c := range integerCompares {
		for _, width := range []struct {
			bits   int
			suffix string
		}{{16, "D"}, {32, "D"}, {64, "Q"}} {
			unsigned := []string{fmt.Sprintf("setp.%s.u%d", c.unsigned, width.bits)}
			if c.signed != c.unsigned {
				unsigned = append(unsigned, fmt.Sprintf("setp.%s.u%d", c.signed, width.bits))
			} else {
				unsigned = append(unsigned, fmt.Sprintf("setp.%s.b%d", c.signed, width.bits))
			}
			var extend []string
			if width.bits == 16 {
				extend = lines("VPSLLD $16, a, a", "VPSLLD $16, b, b")
			}
			ops = append(ops,
				op{names: unsigned, shape: compare(width.bits), body: lines(fmt.Sprintf("VPCMPU%s $%d, b, a, d", width.suffix, c.imm))},
				op{names: lines(fmt.Sprintf("setp.%s.s%d", c.signed, width.bits)), shape: compare(width.bits),
					body: join(extend, lines(fmt.Sprintf("VPCMP%s $%d, b, a, d", width.suffix, c.imm)))})
		}
	}
	for _, c := range floatCompares {
		body := lines(fmt.Sprintf("VCMPPS $%d, b, a, d", c.imm))
		ops = append(ops,
			op{names: lines("setp." + c.name + ".f32"), shape: compare(32), float: true, body: body},
			op{names: lines("setp." + c.name + ".ftz.f32"), shape: compare(32), float: true, control: controlFlush, body: body},
			op{names: lines("setp." + c.name + ".f64"), shape: compare(64), float: true, body: lines(fmt.Sprintf("VCMPPD $%d, b, a, d", c.imm))})
	}
	return ops
}
