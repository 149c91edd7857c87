package main

import (
	"encoding/binary"
	"fmt"
	"log"

	"silica/internal/fp"
)

// approximations are the instructions of the special function unit: a quadratic over a segment of the operand's
// fraction. The bodies follow internal/fp (sfu.go and approx.go), bit for bit.
//
// Z2 holds the operand. A function first leaves the segment in t0, the place of 17 bits in t1, what is added to the
// exponent field of the value in t2, and the sign in t3. Interpolation leaves the value, cut to f32, in Z15, from
// which the result d is assembled; then come the operands that are special.
func approximations() []op {
	var ops []op
	for _, f := range flushes {
		add := func(name string, body ...[]string) {
			ops = append(ops, op{names: lines(name + f.ptx + ".f32"), shape: un(32), float: true, control: f.control, prologue: oddLanes, native: oddLanesNative, body: join(body...)})
		}
		if f.control != 0 {
			add("rcp.approx", operand, reciprocal)
			add("sqrt.approx", operand, root)
			add("rsqrt.approx", operand, inverseRoot)
			add("ex2.approx", operand, power)
			add("lg2.approx", operand, logarithm)
		} else {
			add("rcp.approx", operand, scale("K2", tiny), scale("K3", large("Z2")), reciprocal, rescale("K2", tiny), rescale("K3", large("")))
			add("sqrt.approx", operand, scale("K2", tiny), root, lines("VMULPS {d 0x39800000}, d, K2, d"))
			add("rsqrt.approx", operand, scale("K2", tiny), inverseRoot, lines("VMULPS {d 0x45800000}, d, K2, d"))
			// The square of the power of half the operand, where that of the operand is denormal.
			add("ex2.approx", operand, lines("VPCMPUD $6, {d 0xc2fc0000}, Z2, K2", "VMULPS {d 0x3f000000}, Z2, K2, Z2"),
				power, lines("VMULPS d, d, K2, d"))
			add("lg2.approx", operand, scale("K2", tiny), logarithm, lines("VSUBPS {d 0x41c00000}, d, K2, d"))
		}
		turns := lines("VMULPS.RZ_SAE {d 0x3e22f983}, a, Z2")
		add("sin.approx", turns, sine())
		add("cos.approx", turns, lines("VPANDD {d 0x7fffffff}, Z2, Z2"), sine("VPADDD {d 1}, t4, t4"))
		ops = append(ops, quotients(f.ptx, f.control)...)
	}
	return append(ops, op{names: lines("tanh.approx.f32"), shape: un(32), float: true, prologue: oddLanes, native: oddLanesNative, body: join(operand, hyperbolicTangent())})
}

// oddLanes has K4 hold every second lane.
var oddLanes = lines("MOVL $0xaaaa, AX", "KMOVW AX, K4")

var oddLanesNative = lines("KMOVW {m 0xaaaa}, K4")

// Classes of f32 as VFPCLASSPS tells them apart.
const (
	isNaN              = 0x81
	isZero             = 0x26 // or a denormal
	isDenormal         = 0x20
	isInfinite         = 0x18
	isPositiveInfinity = 0x08
	isNegative         = 0x50 // and no zero
)

// class finds in K5 the lanes in which the operand is of a class.
func class(classes int) string { return fmt.Sprintf("VFPCLASSPSZ $%#x, Z2, K5", classes) }

// where gives these lanes a value, whereSigned with the operand's sign.
func where(classes int, value string) []string {
	return lines(class(classes), "VMOVDQA32 "+value+", K5, d")
}

func whereSigned(classes int, value string) []string {
	return lines(class(classes), "VPANDD {d 0x80000000}, Z2, t0", "VPORD "+value+", t0, K5, d")
}

func whereZeroSigned(classes int) []string {
	return lines(class(classes), "VPANDD {d 0x80000000}, Z2, K5, d")
}

// factor is what the operands that a condition finds in a mask register, and then the results, are multiplied by.
type factor struct {
	find  func(mask string) []string
	value string
}

// tiny are zeros and denormals, large those that have a denormal reciprocal; NaNs stay what they are.
var tiny = factor{func(mask string) []string { return lines(fmt.Sprintf("VFPCLASSPSZ $%#x, Z2, %s", isZero, mask)) }, "{d 0x4b800000}"}

func large(source string) factor {
	return factor{func(mask string) []string {
		return lines("VPANDD {d 0x7fffffff}, "+source+", t0", "VPCMPUD $6, {d 0x7e800000}, t0, "+mask)
	}, "{d 0x3e800000}"}
}

func scale(mask string, f factor) []string {
	return append(f.find(mask), "VMULPS "+f.value+", Z2, "+mask+", Z2")
}

func rescale(mask string, f factor) []string {
	return lines("VMULPS " + f.value + ", d, " + mask + ", d")
}

// quotients are the divisions by a reciprocal, of both operands scaled.
func quotients(ftz string, control uint32) []op {
	divisor := lines("VMOVDQA32 b, Z2")
	both := func(mask string, f factor) []string {
		return append(scale(mask, f), "VMULPS "+f.value+", a, "+mask+", a")
	}
	var small []string
	if control == 0 {
		small = both("K2", tiny)
	}
	multiply := lines("VMULPS d, a, d", "VCMPPS $3, d, d, K5", "VMOVDQA32 {d 0x7fffffff}, K5, d")
	quotient := func(name string, scaled []string) op {
		return op{names: lines(name + ftz + ".f32"), shape: bin(32), float: true, control: control,
			prologue: oddLanes, native: oddLanesNative, body: join(divisor, scaled, small, reciprocal, multiply)}
	}
	return []op{quotient("div.approx", nil), quotient("div.full", both("K3", large("b")))}
}

// interpolate evaluates a function's quadratics, in 64-bit lanes: those of the even lanes, in Z15, and then those of
// the odd ones, in t5; more lines change these. Everything from t4 on changes, and Z3 and K5 to K7. See fp's
// truncatedSquare.
func interpolate(function string, more func(odd bool, value string) []string) []string {
	c, ok := fp.SpecialFunction(function)
	if !ok {
		log.Fatalf("no function %s", function)
	}
	body := lines("VPSRLD $9, t1, t5", "VPMADDWD t5, t5, t4", "VPSRLD $1, t4, t4")
	for k := 1; k <= 7; k++ {
		body = append(body, fmt.Sprintf("VPTESTMD.BCST {m %d}, t1, K5", 1<<(9-k)), fmt.Sprintf("VPSRLD $%d, t5, t6", k), "VPADDD t6, t4, K5, t4")
	}
	body = join(body, lines("VPTESTMD.BCST {m 32}, t0, K6", "VPTESTMD.BCST {m 64}, t0, K7"),
		lookUp(c.Low, "t5"), lookUp(c.High, "t6"), lookUp(c.Linear, "t7"), lookUp(c.Quadratic, "t8"))
	evaluate := func(value string) []string {
		return lines("VPMULDQ t7, t1, t9", "VPADDQ t9, "+value+", "+value, "VPMULDQ t8, t4, t9", "VPADDQ t9, "+value+", "+value)
	}
	if more == nil {
		more = func(bool, string) []string { return nil }
	}
	return join(body,
		lines("VPSLLQ $32, t6, t9", "VPBLENDMD t9, t5, K4, Z15"), evaluate("Z15"), more(false, "Z15"),
		lines("VCVTQQ2PS.RZ_SAE Z15, Y3",
			"VPSRLQ $32, t5, t5", "VMOVDQA32 t6, K4, t5",
			"VPSRLQ $32, t1, t1", "VPSRLQ $32, t4, t4", "VPSRLQ $32, t7, t7", "VPSRLQ $32, t8, t8"), evaluate("t5"), more(true, "t5"),
		lines("VCVTQQ2PS.RZ_SAE t5, t5.half",
			"VPUNPCKLDQ t5.half, Y3, t6.half", "VPUNPCKHDQ t5.half, Y3, t7.half", "VINSERTI64X4 $1, t7.half, t6, t6", "VSHUFI64X2 $0xd8, t6, t6, Z15"))
}

// lookUp takes the coefficients of the segments t0, of which K6 and K7 hold bits 5 and 6. Gathers would take several
// times as long on CPUs whose gathers are kept from leaking data.
func lookUp(column []uint32, to string) []string {
	half := func(first int) string { return vector(column[min(first, len(column)):min(first+16, len(column))]) }
	table := func(first int, to string) []string {
		return lines("VMOVDQU32 "+half(first)+", "+to, "VPERMT2D "+half(first+16)+", t0, "+to)
	}
	body := join(table(0, to), table(32, "Z3"), lines("VMOVDQA32 Z3, K6, "+to))
	if len(column) > 64 {
		body = join(body, table(64, "Z3"), table(96, "Z15"), lines("VMOVDQA32 Z15, K6, Z3", "VMOVDQA32 Z3, K7, "+to))
	}
	return body
}

// vector is the operand of 16 words in memory, which zeros complete.
func vector(words []uint32) string {
	var data [64]byte
	for i, w := range words {
		binary.LittleEndian.PutUint32(data[4*i:], w)
	}
	return fmt.Sprintf("{v %x}", data)
}

// assemble multiplies the value by the power of two; a result smaller than a normal number is zero.
var assemble = lines("VPADDD t2, Z15, d", "VPCMPD $5, {d 0x00800000}, d, K5", "VMOVDQA32.Z d, K5, d", "VPORD t3, d, d")

// field is a power of two as what is added to the exponent field.
func field(exponent int) string { return fmt.Sprintf("{d %#x}", uint32(int32(exponent)<<23)) }

var (
	operand = lines("VMOVDQA32 a, Z2")
	// segment64 takes one of 64 segments and the place from the fraction t1.
	segment64 = lines("VPSRLD $17, t1, t0", "VPSLLD $15, t1, t1", "VPSRLD $15, t1, t1")
	positive  = "VPXORD t3, t3, t3"
	takeSign  = "VPANDD {d 0x80000000}, Z2, t3"
	fraction  = "VPANDD {d 0x7fffff}, Z2, t1"
	nan       = "{d 0x7fffffff}"
	infinity  = "{d 0x7f800000}"
)

var reciprocal = join(
	lines("VPANDD {d 0x7f800000}, Z2, t2", "VPSUBD t2, "+field(127-41)+", t2", takeSign, fraction,
		"VPSRLD $16, t1, t0", "VPSLLD $16, t1, t1", "VPSRLD $15, t1, t1"),
	interpolate("rcp", nil), assemble, whereSigned(isZero, infinity), whereZeroSigned(isInfinite), where(isNaN, nan))

// halfExponent leaves half of the exponent, rounded down, plus 64 in the exponent field of t2, and a segment in the
// half of the table that its parity chooses.
var halfExponent = join(
	lines("VPANDD {d 0x7f800000}, Z2, t2", "VPADDD {d 0x00800000}, t2, t2", "VPSRLD $23, t2, t4", "VPSLLD $6, t4, t4", "VPANDD {d 64}, t4, t4",
		"VPSRLD $1, t2, t2", "VPANDD {d 0x7f800000}, t2, t2", positive, fraction),
	segment64, lines("VPADDD t4, t0, t0"))

var (
	inverseRoot = join(halfExponent, lines("VPSUBD t2, "+field(64-41)+", t2"), interpolate("rsqrt", nil), assemble,
		// A power of four has an exact result.
		lines("VPTESTMD {d 0x00800000}, Z2, K5", "VPTESTNMD {d 0x7fffff}, Z2, K5, K5", "VPADDD "+field(127+41)+", t2, K5, d"),
		where(isPositiveInfinity, "t3"), where(isNaN|isNegative, nan), whereSigned(isZero, infinity))
	root = join(halfExponent, lines("VPADDD "+field(-40-64)+", t2, t2"), interpolate("sqrt", nil), assemble,
		where(isPositiveInfinity, infinity), where(isNaN|isNegative, nan), whereZeroSigned(isZero))
)

// fixed leaves the operand's magnitude in units of 2^-(23+more), cut to 32 bits, in t1 and its exponent plus more
// in t2.
func fixed(more int) []string {
	return lines("VPSLLD $1, Z2, t2", "VPSRLD $24, t2, t2", fmt.Sprintf("VPSUBD {d %d}, t2, t2", 127-more),
		fraction, "VPORD {d 0x00800000}, t1, t1",
		"VPXORD t4, t4, t4", "VPSUBD t2, t4, t4", "VPSLLVD t2, t1, t0", "VPSRLVD t4, t1, t1", "VPORD t0, t1, t1")
}

var power = join(fixed(0),
	// Minus an integer, or the inverted bits.
	lines("VPMOVD2M Z2, K5", "VPTESTNMD {d 0x7fffff}, t1, K5, K6", "VPTERNLOGD $0x55, t1, t1, K5, t1", "VPADDD {d 1}, t1, K6, t1",
		"VPANDD {d 0xff800000}, t1, t2", "VPADDD "+field(-40)+", t2, t2", "VPANDD {d 0x7fffff}, t1, t1", positive),
	segment64, interpolate("ex2", nil), assemble,
	lines("VPANDD {d 0x7fffffff}, Z2, t0", "VPCMPD $5, {d 0x43000000}, t0, K5", "VMOVDQA32 "+infinity+", K5, d", // 2^7
		"VPMOVD2M Z2, K6", "KANDW K5, K6, K5", "VMOVDQA32 t3, K5, d"),
	where(isNaN, nan))

// logarithm adds the exponent to the value, in units of 2^-41, and inverts the 36 bits of a negative sum. It has the
// exponents in t3 until Z1 has collected the signs of the sums.
var logarithm = join(
	lines("VPSLLD $1, Z2, t3", "VPSRLD $24, t3, t3", "VPSUBD {d 127}, t3, t3", fraction, "VPBROADCASTD {m 0xee000000}, t2"), // 2^-36
	segment64,
	interpolate("lg2", func(odd bool, value string) []string {
		exponent, signs := lines("VPSLLQ $41, t3, t9"), lines("VMOVDQA32 t9, Z1")
		if odd {
			exponent, signs = lines("VPSRLQ $32, t3, t9", "VPSLLQ $41, t9, t9"), lines("VMOVDQA32 t9, K4, Z1")
		}
		return join(exponent, lines("VPADDQ t9, "+value+", "+value, "VPSRAQ $5, "+value+", "+value, "VPSRAQ $63, "+value+", t9", "VPXORQ t9, "+value+", "+value), signs)
	}),
	lines("VPANDD {d 0x80000000}, Z1, t3"), assemble,
	lines("VPCMPEQD {d 0x3f800000}, Z2, K5", "VPXORD d, d, K5, d"), // one
	where(isPositiveInfinity, infinity), where(isNaN|isNegative, nan), where(isZero, "{d 0xff800000}"))

// sine computes the sine of Z2 turns; more lines change the number of quarter turns in t4.
func sine(more ...string) []string {
	return join(fixed(2), lines("VPCMPD $5, {d 25}, t2, K5", "VPXORD t1, t1, K5, t1"), // whole turns
		lines("VPSRLD $23, t1, t4"), more, lines(
			"VPTESTMD {d 1}, t4, K5", "VPTERNLOGD $0x55, t1, t1, K5, t1", // every second quarter is gone through backwards
			"VPSLLD $30, t4, t3", "VPXORD Z2, t3, t3", "VPANDD {d 0x80000000}, t3, t3",
			"VPANDD {d 0x7fffff}, t1, t1", "VPBROADCASTD {m 0xeb800000}, t2"),
		segment64, interpolate("sin", nil), assemble, where(isNaN|isInfinite, nan))
}

// hyperbolicTangent finds the segment by the binade, from 2^-8 on.
func hyperbolicTangent() []string {
	first, placeBits := fp.TanhBinades()
	return join(lines(
		"VPSLLD $1, Z2, Z1", "VPSRLD $24, Z1, Z1", "VPSUBD {d 119}, Z1, Z1", "VPCMPUD $2, {d 10}, Z1, K7",
		"VPERMD "+vector(first)+", Z1, t5", "VPERMD "+vector(placeBits)+", Z1, t6",
		"VPANDD.Z {d 0x7fffff}, Z2, K7, t1", takeSign,
		"VPSRLVD t6, t1, t0", "VPADDD t5, t0, t0",
		"VPSUBD t6, {d 32}, t6", "VPSLLVD t6, t1, t1", "VPSRLD $15, t1, t1",
		"VPSLLD $23, Z1, t2", "VPADDD "+field(-40-8)+", t2, t2"),
		interpolate("tanh", nil), assemble,
		lines("VPCMPD $6, {d 10}, Z1, K5", "VPORD {d 0x3f800000}, t3, K5, d", // 8 and above
			"VPMOVD2M Z1, K5", "VMOVDQA32 Z2, K5, d"), // below 2^-8
		where(isNaN, nan))
}
