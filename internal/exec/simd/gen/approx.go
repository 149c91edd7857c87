package main

import "fmt"

// approximations are the instructions of the special function unit: a quadratic over a segment of the operand's
// fraction. The bodies follow internal/fp (sfu.go and approx.go), whose tables they read, bit for bit.
func approximations() []op {
	var ops []op
	for _, f := range flushes {
		add := func(name, table string, body ...[]string) {
			ops = append(ops, op{names: lines(name + f.ptx + ".f32"), shape: un(32), wide: true, float: true, control: f.control,
				prologue: lines("LEAQ silica∕internal∕fp·" + table + "(SB), R10"), body: join(body...)})
		}
		flushed := f.control != 0
		if flushed {
			add("rcp.approx", "rcpTable", take("a"), rcp, give)
			add("sqrt.approx", "sqrtTable", take("a"), sqrt, give)
			add("rsqrt.approx", "rsqrtTable", take("a"), rsqrt, give)
			add("ex2.approx", "exp2Table", take("a"), exp2, give)
			add("lg2.approx", "log2Table", take("a"), log2, give)
		} else {
			add("rcp.approx", "rcpTable", scaleOf("a", true), lines("VMULPS t8.half, a, t9.half"), rcp, lines("VMULPS t8.half, t3.half, d"))
			add("sqrt.approx", "sqrtTable", tinyScale("a"), sqrt, tinyResult("0x39800000"))
			add("rsqrt.approx", "rsqrtTable", tinyScale("a"), rsqrt, tinyResult("0x45800000"))
			add("ex2.approx", "exp2Table", lines("VPCMPUD $6, {d 0xc2fc0000}.half, a, K7", "VPCMPUD $2, {d 0xff800000}.half, a, K7, K7",
				"VMOVDQA32 a, t9.half", "VMULPS {d 0x3f000000}.half, a, K7, t9.half"), exp2, lines("VMULPS t3.half, t3.half, K7, t3.half"), give)
			add("lg2.approx", "log2Table", tinyScale("a"), log2, lines("VSUBPS {d 0x41c00000}.half, t3.half, K7, t3.half"), give)
		}
		turns := lines("VMULPS.RZ_SAE {d 0x3e22f983}, a.full, t9")
		add("sin.approx", "sineTable", turns, sine(0), give)
		add("cos.approx", "sineTable", turns, lines("VPANDD {d 0x7fffffff}.half, t9.half, t9.half"), sine(1), give)
		ops = append(ops, divisions(f.ptx, f.control, flushed)...)
	}
	return ops
}

func take(source string) []string { return lines("VMOVDQA32 " + source + ", t9.half") }

// give moves the result of a function to d.
var give = lines("VMOVDQA32 t3.half, d")

// canonicalHalf makes the NaNs of d, a half vector, canonical.
var canonicalHalf = lines("VCMPPS $3, d, d, K5", "VMOVDQA32 {d 0x7fffffff}.half, K5, d")

// scaleOf computes in t8 the factor that keeps a reciprocal in the unit's range: 2^24 for a source that is zero or
// a denormal, 1/4 for one whose reciprocal would be a denormal, else 1.
func scaleOf(source string, large bool) []string {
	body := lines("VPANDD {d 0x7fffffff}.half, "+source+", t7.half", "VMOVDQA32 {d 0x3f800000}.half, t8.half",
		"VPCMPUD $1, {d 0x00800000}.half, t7.half, K6", "VMOVDQA32 {d 0x4b800000}.half, K6, t8.half")
	if large {
		body = append(body, "VPCMPUD $6, {d 0x7e800000}.half, t7.half, K6", "VPCMPUD $2, {d 0x7f800000}.half, t7.half, K6, K6",
			"VMOVDQA32 {d 0x3e800000}.half, K6, t8.half")
	}
	return body
}

// tinyScale notes in K7 where the source is zero or a denormal and multiplies it by 2^24 there; tinyResult
// multiplies the result by a factor there.
func tinyScale(source string) []string {
	return lines("VPANDD {d 0x7fffffff}.half, "+source+", t7.half", "VPCMPUD $1, {d 0x00800000}.half, t7.half, K7",
		"VMOVDQA32 "+source+", t9.half", "VMULPS {d 0x4b800000}.half, "+source+", K7, t9.half")
}

func tinyResult(factor string) []string {
	return lines("VMULPS {d "+factor+"}.half, t3.half, K7, t3.half", "VMOVDQA32 t3.half, d")
}

// divisions are the divisions by a reciprocal.
func divisions(ftz string, control uint32, flushed bool) []op {
	var ops []op
	for _, form := range []struct {
		name  string
		large bool
	}{{"div.approx", false}, {"div.full", true}} {
		scale := scaleOf("b", form.large)
		if flushed {
			scale = lines("VMOVDQA32 {d 0x3f800000}.half, t8.half")
			if form.large {
				scale = join(lines("VPANDD {d 0x7fffffff}.half, b, t7.half"), scale, lines(
					"VPCMPUD $6, {d 0x7e800000}.half, t7.half, K6", "VPCMPUD $2, {d 0x7f800000}.half, t7.half, K6, K6",
					"VMOVDQA32 {d 0x3e800000}.half, K6, t8.half"))
			}
		}
		ops = append(ops, op{names: lines(form.name + ftz + ".f32"), shape: bin(32), wide: true, float: true, control: control,
			prologue: lines("LEAQ silica∕internal∕fp·rcpTable(SB), R10"),
			body: join(scale, lines("VMULPS t8.half, a, a", "VMULPS t8.half, b, t9.half"), rcp,
				lines("VMULPS t3.half, a, d"), canonicalHalf)})
	}
	return ops
}

// interpolate evaluates the table at R10 at the fraction of 23 bits in t0, of which the low placeBits are the
// place in a segment; more lines choose among tables by changing the segment t1. The value is in t3; t0 to t7
// and K5 change. See fp's truncatedSquare.
func interpolate(placeBits int, more ...string) []string {
	body := join(
		lines("VPANDD {d 0x7fffff}.half, t0.half, t0.half", fmt.Sprintf("VPSRLD $%d, t0.half, t1.half", placeBits)), more,
		lines(fmt.Sprintf("VPSLLD $%d, t0.half, t2.half", 32-placeBits), "VPSRLD $15, t2.half, t2.half",
			"VPMOVZXDQ t1.half, t1", "VPADDQ t1, t1, t1",
			"KXNORW K5, K5, K5", "VPGATHERQQ (R10)(t1*8), K5, t3",
			"KXNORW K5, K5, K5", "VPGATHERQQ 8(R10)(t1*8), K5, t4",
			"VPSRLD $9, t2.half, t6.half", "VPMULLD t6.half, t6.half, t5.half",
			"VPANDD {d 1}.half, t6.half, t7.half", "VPSUBD t7.half, t5.half, t5.half", "VPSRLD $1, t5.half, t5.half"))
	for k := 1; k <= 7; k++ {
		body = append(body, fmt.Sprintf("VPTESTMD.BCST {m %d}, t2.half, K5", 1<<(9-k)),
			fmt.Sprintf("VPSRLD $%d, t6.half, t7.half", k), "VPADDD t7.half, t5.half, K5, t5.half")
	}
	return join(body, lines("VPMOVZXDQ t2.half, t2", "VPMOVZXDQ t5.half, t5",
		"VPMULDQ t2, t4, t6", "VPSRLQ $32, t4, t4", "VPMULDQ t5, t4, t4", "VPADDQ t6, t3, t3", "VPADDQ t4, t3, t3"))
}

// truncate converts the value in t3 to f32 toward zero and multiplies it by a power of two, given as what
// is added to the exponent field: t2 plus a constant. What becomes smaller than a normal number is zero.
func truncate(constant uint32) []string {
	return lines("VCVTQQ2PS.RZ_SAE t3, t3.half", "VPADDD t2.half, t3.half, t3.half",
		fmt.Sprintf("VPADDD {d %#x}.half, t3.half, t3.half", constant),
		"VPCMPD $5, {d 0x00800000}.half, t3.half, K5", "VMOVDQA32.Z t3.half, K5, t3.half")
}

// field returns a power of two's exponent as an addend to the exponent field.
func field(exponent int) uint32 { return uint32(int32(exponent) << 23) }

// The functions below compute t3 from t9. They differ in what is exact or has no value: special applies
// the common cases, sign makes the result as negative as t9.

// sign ors the sign of t9 to t3.
var sign = lines("VPANDD {d 0x80000000}.half, t9.half, t0.half", "VPORD t0.half, t3.half, t3.half")

// notNumber gives the NaN where t9 is one, and with negative where t9 is below zero.
func notNumber(negative bool) []string {
	compare := "VCMPPS $3, t9.half, t9.half, K5"
	if negative {
		compare = "VPCMPUD $6, {d 0x7f800000}.half, t9.half, K5"
	}
	return lines(compare, "VMOVDQA32 {d 0x7fffffff}.half, K5, t3.half")
}

// infinite replaces the result where t9 is +infinity, zero where its exponent field is 0.
func infinite(result string) []string {
	return lines("VPCMPEQD {d 0x7f800000}.half, t9.half, K5", "VMOVDQA32 "+result+", K5, t3.half")
}

func zero(result string) []string {
	return lines("VPTESTNMD {d 0x7f800000}.half, t9.half, K5", "VMOVDQA32 "+result+", K5, t3.half")
}

// exponentHalf computes in t2 the half of t9's exponent, rounded down, and in t8 0 for an odd and 64 for an
// even exponent field, whose exponent is odd.
var exponentHalf = lines("VPSRLD $23, t9.half, t2.half", "VPANDD {d 0xff}.half, t2.half, t2.half",
	"VPSLLD $6, t2.half, t8.half", "VPANDND {d 64}.half, t8.half, t8.half",
	"VPSUBD {d 127}.half, t2.half, t2.half", "VPSRAD $1, t2.half, t2.half")

var (
	rcp = join(lines("VMOVDQA32 t9.half, t0.half"), interpolate(16),
		// The exponent is -41 less the operand's.
		lines("VPANDD {d 0x7f800000}.half, t9.half, t0.half", "VPXORD t2.half, t2.half, t2.half", "VPSUBD t0.half, t2.half, t2.half"),
		truncate(field(127-41)), lines("VPANDD {d 0x7f800000}.half, t9.half, t0.half", "VPCMPEQD {d 0x7f800000}.half, t0.half, K5",
			"KNOTB K5, K5", "VMOVDQA32.Z t3.half, K5, t3.half"),
		zero("{d 0x7f800000}.half"), sign, notNumber(false))

	rsqrt = join(exponentHalf, lines("VMOVDQA32 t9.half, t0.half"),
		saveHalf(interpolate(17, "VPADDD t8.half, t1.half, t1.half")),
		lines("VPXORD t0.half, t0.half, t0.half", "VPSUBD t2.half, t0.half, t2.half", "VPSLLD $23, t2.half, t2.half"),
		truncate(field(-41)), rsqrtExact, infinite("t0.half"), notNumber(true), zeroSigned)

	sqrt = join(exponentHalf, lines("VMOVDQA32 t9.half, t0.half"),
		saveHalf(interpolate(17, "VPADDD t8.half, t1.half, t1.half")),
		lines("VPSLLD $23, t2.half, t2.half"), truncate(field(-40)),
		infinite("t9.half"), notNumber(true),
		lines("VPANDD {d 0x80000000}.half, t9.half, t0.half"), zero("t0.half"))

	exp2 = join(lines(
		// fixed = (fraction | 2^23) * 2^exponent, truncated
		"VPANDD {d 0x7fffff}.half, t9.half, t0.half", "VPORD {d 0x800000}.half, t0.half, t0.half",
		"VPSRLD $23, t9.half, t1.half", "VPANDD {d 0xff}.half, t1.half, t1.half", "VPSUBD {d 127}.half, t1.half, t1.half",
		"VPXORD t2.half, t2.half, t2.half", "VPSUBD t1.half, t2.half, t2.half",
		"VPSLLVD t1.half, t0.half, t3.half", "VPSRLVD t2.half, t0.half, t0.half", "VPORD t3.half, t0.half, t0.half",
		"VPSRAD $31, t9.half, t1.half", "VPXORD t1.half, t0.half, t2.half",
		"VPMOVD2M t9.half, K5", "VPTESTNMD {d 0x7fffff}.half, t0.half, K5, K5", "VPSUBD t1.half, t2.half, K5, t2.half",
		"VMOVDQA32 t2.half, t0.half", "VMOVDQA32 t2.half, t8.half"),
		interpolate(17), lines("VPANDD {d 0xff800000}.half, t8.half, t2.half"), truncate(field(-40)),
		// From 2^7 on the result is infinite or zero.
		lines("VPSRAD $31, t9.half, t0.half", "VPANDND {d 0x7f800000}.half, t0.half, t0.half",
			"VPANDD {d 0x7fffffff}.half, t9.half, t1.half", "VPCMPUD $5, {d 0x43000000}.half, t1.half, K5", "VMOVDQA32 t0.half, K5, t3.half"),
		notNumber(false))

	log2 = join(lines("VMOVDQA32 t9.half, t0.half"), interpolate(17), lines(
		"VPSRLD $23, t9.half, t2.half", "VPSUBD {d 127}.half, t2.half, t2.half", "VPMOVSXDQ t2.half, t2",
		"VPSLLQ $41, t2, t2", "VPADDQ t2, t3, t3", "VPSRAQ $5, t3, t3",
		"VPSRAQ $63, t3, t1", "VPXORQ t1, t3, t3", "VPMOVQD t1, t1.half", "VPSLLD $31, t1.half, t1.half",
		"VPXORD t2.half, t2.half, t2.half"), truncate(field(-36)),
		lines("VPORD t1.half, t3.half, t3.half",
			"VPCMPEQD {d 0x3f800000}.half, t9.half, K5", "VPXORD t0.half, t0.half, t0.half", "VMOVDQA32 t0.half, K5, t3.half"),
		infinite("t9.half"), notNumber(true), zero("{d 0xff800000}.half"))
)

// saveHalf keeps t2, which interpolate changes, in the high half of t8, whose low half it reads.
func saveHalf(body []string) []string {
	return join(lines("VINSERTI64X4 $1, t2.half, t8, t8"), body, lines("VEXTRACTI64X4 $1, t8, t2.half"))
}

// rsqrtExact gives a power of four its exact root: with an odd exponent field and no fraction, the
// exponent field is 127 less the half of the exponent, which t2 has negated and in place. t0 becomes zero.
var rsqrtExact = lines("VPTESTMD {d 0x00800000}.half, t9.half, K5", "VPTESTNMD {d 0x007fffff}.half, t9.half, K5, K5",
	"VPADDD {d 0x3f800000}.half, t2.half, K5, t3.half", "VPXORD t0.half, t0.half, t0.half")

// zeroSigned gives an infinity of the operand's sign for zero.
var zeroSigned = lines("VPANDD {d 0x80000000}.half, t9.half, t0.half", "VPORD {d 0x7f800000}.half, t0.half, t0.half",
	"VPTESTNMD {d 0x7f800000}.half, t9.half, K5", "VMOVDQA32 t0.half, K5, t3.half")

// sine computes the sine of t9 turns and some quarter turns more.
func sine(quarters int) []string {
	return join(lines(
		// t0 = turn in units of 2^-25: (fraction | 2^23) * 2^(exponent+2), below 2^23 turns
		"VPANDD {d 0x7fffff}.half, t9.half, t0.half", "VPORD {d 0x800000}.half, t0.half, t0.half",
		"VPSRLD $23, t9.half, t1.half", "VPANDD {d 0xff}.half, t1.half, t1.half",
		"VPCMPUD $1, {d 150}.half, t1.half, K5", "VPSUBD {d 125}.half, t1.half, t1.half",
		"VPXORD t2.half, t2.half, t2.half", "VPSUBD t1.half, t2.half, t2.half",
		"VPSLLVD t1.half, t0.half, t3.half", "VPSRLVD t2.half, t0.half, t0.half", "VPORD t3.half, t0.half, t0.half",
		"VMOVDQA32.Z t0.half, K5, t0.half",
		"VPSRLD $23, t0.half, t8.half", fmt.Sprintf("VPADDD {d %d}.half, t8.half, t8.half", quarters),
		"VPTESTMD {d 1}.half, t8.half, K5", "VPTERNLOGD $0x55, t0.half, t0.half, K5, t0.half"),
		interpolate(17), lines("VPXORD t2.half, t2.half, t2.half"), truncate(field(-41)),
		lines("VPSLLD $30, t8.half, t0.half", "VPXORD t9.half, t0.half, t0.half", "VPANDD {d 0x80000000}.half, t0.half, t0.half",
			"VPORD t0.half, t3.half, t3.half",
			"VPANDD {d 0x7f800000}.half, t9.half, t0.half", "VPCMPEQD {d 0x7f800000}.half, t0.half, K5", "VMOVDQA32 {d 0x7fffffff}.half, K5, t3.half"))
}
