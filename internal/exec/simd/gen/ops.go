package main

import "fmt"

// op is one kernel: the instructions it serves, its shape, and the lines that compute Z4 (or K4 for a
// predicate) from Z0..Z3 (K3 holds a predicate source). Z5..Z15 are scratch, Z16..Z31 hold constants
// that the prologue sets.
type op struct {
	names              []string
	shape              shape
	prologue, epilogue []string
	body               []string
}

func (o op) emit(p printer) {
	for _, line := range o.body {
		p("%s", line)
	}
}

func un(bits int) shape       { return shape{bits, [4]int{bits}} }
func bin(bits int) shape      { return shape{bits, [4]int{bits, bits}} }
func tern(bits int) shape     { return shape{bits, [4]int{bits, bits, bits}} }
func compare(bits int) shape  { return shape{1, [4]int{bits, bits}} }
func selectOf(bits int) shape { return shape{bits, [4]int{bits, bits, 1}} }

func names(format string, alternatives ...string) []string {
	var out []string
	for _, a := range alternatives {
		out = append(out, fmt.Sprintf(format, a))
	}
	return out
}

func lines(l ...string) []string { return l }

// dword and qword set a constant register to the same value in every lane.
func dword(reg int, value uint32) []string {
	return lines(fmt.Sprintf("MOVL $0x%08x, R13", value), fmt.Sprintf("VPBROADCASTD R13, Z%d", reg))
}

func qword(reg int, value uint64) []string {
	return lines(fmt.Sprintf("MOVQ $0x%016x, R13", value), fmt.Sprintf("VPBROADCASTQ R13, Z%d", reg))
}

func join(parts ...[]string) []string {
	var out []string
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func allOps() []op {
	var ops []op
	for _, group := range [][]op{moves(), integers32(), integers64(), widening(), integers16(), floats32(), floats64(), conversions()} {
		ops = append(ops, group...)
	}
	return ops
}

// moveName names the kernel that copies registers of a width, whatever type the mov names.
func moveName(bits int) string { return fmt.Sprintf("mov %d", bits) }

func moves() []op {
	return []op{
		{names: lines(moveName(16)), shape: un(16), body: lines("VMOVDQA64 Z0, Z4")},
		{names: lines(moveName(32)), shape: un(32), body: lines("VMOVDQA64 Z0, Z4")},
		{names: lines(moveName(64)), shape: un(64), body: lines("VMOVDQA64 Z0, Z4")},
		{names: lines("pack 32 32"), shape: shape{64, [4]int{32, 32}}, body: lines("VPMOVZXDQ Y0, Z0", "VPMOVZXDQ Y1, Z1", "VPSLLQ $32, Z1, Z1", "VPORQ Z1, Z0, Z4")},
		{names: lines("unpack low"), shape: shape{32, [4]int{64}}, body: lines("VPMOVQD Z0, Y4")},
		{names: lines("unpack high"), shape: shape{32, [4]int{64}}, body: lines("VPSRLQ $32, Z0, Z0", "VPMOVQD Z0, Y4")},
		{names: names("selp.%s", "u32", "s32", "b32", "f32"), shape: selectOf(32), body: lines("VPBLENDMD Z0, Z1, K3, Z4")},
		{names: names("selp.%s", "u16", "s16", "b16"), shape: selectOf(16), body: lines("VPBLENDMD Z0, Z1, K3, Z4")},
		{names: names("selp.%s", "u64", "s64", "b64", "f64"), shape: selectOf(64), body: lines("VPBLENDMQ Z0, Z1, K3, Z4")},
	}
}

func integers32() []op {
	ones := lines("VPTERNLOGD $0xff, Z16, Z16, Z16")
	ops := []op{
		{names: names("add.%s", "u32", "s32"), shape: bin(32), body: lines("VPADDD Z1, Z0, Z4")},
		{names: names("sub.%s", "u32", "s32"), shape: bin(32), body: lines("VPSUBD Z1, Z0, Z4")},
		{names: names("mul.lo.%s", "u32", "s32"), shape: bin(32), body: lines("VPMULLD Z1, Z0, Z4")},
		{names: names("mad.lo.%s", "u32", "s32"), shape: tern(32), body: lines("VPMULLD Z1, Z0, Z4", "VPADDD Z2, Z4, Z4")},
		{names: lines("mul.hi.u32"), shape: bin(32), prologue: highDwords, body: mulHigh("VPMULUDQ")},
		{names: lines("mul.hi.s32"), shape: bin(32), prologue: highDwords, body: mulHigh("VPMULDQ")},
		{names: lines("min.u32"), shape: bin(32), body: lines("VPMINUD Z1, Z0, Z4")},
		{names: lines("max.u32"), shape: bin(32), body: lines("VPMAXUD Z1, Z0, Z4")},
		{names: lines("min.s32"), shape: bin(32), body: lines("VPMINSD Z1, Z0, Z4")},
		{names: lines("max.s32"), shape: bin(32), body: lines("VPMAXSD Z1, Z0, Z4")},
		{names: lines("abs.s32"), shape: un(32), body: lines("VPABSD Z0, Z4")},
		{names: lines("neg.s32"), shape: un(32), body: lines("VPXORD Z5, Z5, Z5", "VPSUBD Z0, Z5, Z4")},
		{names: lines("and.b32"), shape: bin(32), body: lines("VPANDD Z1, Z0, Z4")},
		{names: lines("and.b16"), shape: bin(16), body: lines("VPANDD Z1, Z0, Z4")},
		{names: lines("or.b32"), shape: bin(32), body: lines("VPORD Z1, Z0, Z4")},
		{names: lines("or.b16"), shape: bin(16), body: lines("VPORD Z1, Z0, Z4")},
		{names: lines("xor.b32"), shape: bin(32), body: lines("VPXORD Z1, Z0, Z4")},
		{names: lines("xor.b16"), shape: bin(16), body: lines("VPXORD Z1, Z0, Z4")},
		{names: lines("not.b32"), shape: un(32), prologue: ones, body: lines("VPXORD Z16, Z0, Z4")},
		{names: lines("shl.b32"), shape: bin(32), body: lines("VPSLLVD Z1, Z0, Z4")},
		{names: names("shr.%s", "u32", "b32"), shape: bin(32), body: lines("VPSRLVD Z1, Z0, Z4")},
		{names: lines("shr.s32"), shape: bin(32), body: lines("VPSRAVD Z1, Z0, Z4")},
		{names: lines("popc.b32"), shape: un(32), body: lines("VPOPCNTD Z0, Z4")},
		{names: lines("clz.b32"), shape: un(32), body: lines("VPLZCNTD Z0, Z4")},
		{names: lines("shf.l.wrap.b32"), shape: tern(32), body: lines("VMOVDQA64 Z1, Z4", "VPSHLDVD Z2, Z0, Z4")},
		{names: lines("shf.r.wrap.b32"), shape: tern(32), body: lines("VMOVDQA64 Z0, Z4", "VPSHRDVD Z2, Z1, Z4")},
		{names: lines("bfe.u32"), shape: tern(32), prologue: bitFieldConstants, body: lines(
			"VPANDD Z16, Z1, Z5", "VPANDD Z16, Z2, Z6",
			"VPSRLVD Z5, Z0, Z4", "VPSLLVD Z6, Z17, Z6", "VPSUBD Z17, Z6, Z6", "VPANDD Z6, Z4, Z4")},
		{names: lines("bfi.b32"), shape: shape{32, [4]int{32, 32, 32, 32}}, prologue: bitFieldConstants, body: lines(
			"VPANDD Z16, Z2, Z5", "VPANDD Z16, Z3, Z6",
			"VPSLLVD Z6, Z17, Z6", "VPSUBD Z17, Z6, Z6", "VPSLLVD Z5, Z6, Z6", // the field's mask
			"VPSLLVD Z5, Z0, Z4", "VPTERNLOGD $0xe4, Z6, Z1, Z4")},
		lop3(),
	}
	for _, c := range integerCompares {
		ops = append(ops,
			op{names: names("setp."+c.signed+".%s", "s32"), shape: compare(32), body: lines(fmt.Sprintf("VPCMPD $%d, Z1, Z0, K4", c.imm))},
			op{names: names("setp."+c.unsigned+".%s", "u32"), shape: compare(32), body: lines(fmt.Sprintf("VPCMPUD $%d, Z1, Z0, K4", c.imm))},
			op{names: names("setp."+c.signed+".%s", "s64"), shape: compare(64), body: lines(fmt.Sprintf("VPCMPQ $%d, Z1, Z0, K4", c.imm))},
			op{names: names("setp."+c.unsigned+".%s", "u64"), shape: compare(64), body: lines(fmt.Sprintf("VPCMPUQ $%d, Z1, Z0, K4", c.imm))})
		if c.signed != c.unsigned {
			ops[len(ops)-3].names = append(ops[len(ops)-3].names, "setp."+c.signed+".u32")
			ops[len(ops)-1].names = append(ops[len(ops)-1].names, "setp."+c.signed+".u64")
		}
		if c.signed == "eq" || c.signed == "ne" {
			ops[len(ops)-3].names = append(ops[len(ops)-3].names, "setp."+c.signed+".b32")
			ops[len(ops)-1].names = append(ops[len(ops)-1].names, "setp."+c.signed+".b64")
		}
	}
	return ops
}

var integerCompares = []struct {
	signed, unsigned string
	imm              int
}{
	{"eq", "eq", 0}, {"lt", "lo", 1}, {"le", "ls", 2}, {"ne", "ne", 4}, {"ge", "hs", 5}, {"gt", "hi", 6},
}

var (
	bitFieldConstants = join(dword(16, 0xff), dword(17, 1))
	// highDwords selects the odd dwords of a vector in K5.
	highDwords = lines("MOVL $0xaaaa, R13", "KMOVW R13, K5")
)

// mulHigh multiplies even and odd dwords apart and merges the high halves.
func mulHigh(multiply string) []string {
	return lines(
		multiply+" Z1, Z0, Z5", "VPSRLQ $32, Z5, Z4",
		"VPSRLQ $32, Z0, Z6", "VPSRLQ $32, Z1, Z7",
		multiply+" Z7, Z6, Z5", "VMOVDQU32 Z5, K5, Z4")
}

// lop3 takes a row of its look-up table in e: the table is the same in every lane, so the prologue
// spreads its eight bits to eight all-ones or all-zeros constants, and seven bit selections
// by c, b and a pick the result.
func lop3() op {
	o := op{names: lines("lop3.b32"), shape: shape{32, [4]int{32, 32, 32, 32}}, prologue: lines("MOVL (BX), R14")}
	for i := range 8 {
		o.prologue = append(o.prologue, "MOVL R14, R13")
		if i > 0 {
			o.prologue = append(o.prologue, fmt.Sprintf("SHRL $%d, R13", i))
		}
		o.prologue = append(o.prologue, "ANDL $1, R13", "NEGL R13", fmt.Sprintf("VPBROADCASTD R13, Z%d", 16+i))
	}
	// choose(d, bit, one, zero): d = bit ? one : zero, with d preloaded with bit.
	choose := func(d, bit, one, zero int) []string {
		return lines(fmt.Sprintf("VMOVDQA64 Z%d, Z%d", bit, d), fmt.Sprintf("VPTERNLOGD $0xca, Z%d, Z%d, Z%d", zero, one, d))
	}
	o.body = join(
		choose(5, 2, 17, 16), choose(6, 2, 19, 18), choose(7, 2, 21, 20), choose(8, 2, 23, 22),
		choose(9, 1, 6, 5), choose(10, 1, 8, 7),
		choose(4, 0, 10, 9))
	return o
}

func integers64() []op {
	ones := lines("VPTERNLOGD $0xff, Z16, Z16, Z16")
	shift := shape{64, [4]int{64, 32}}
	return []op{
		{names: names("add.%s", "u64", "s64"), shape: bin(64), body: lines("VPADDQ Z1, Z0, Z4")},
		{names: names("sub.%s", "u64", "s64"), shape: bin(64), body: lines("VPSUBQ Z1, Z0, Z4")},
		{names: names("mul.lo.%s", "u64", "s64"), shape: bin(64), body: lines("VPMULLQ Z1, Z0, Z4")},
		{names: names("mad.lo.%s", "u64", "s64"), shape: tern(64), body: lines("VPMULLQ Z1, Z0, Z4", "VPADDQ Z2, Z4, Z4")},
		{names: lines("min.u64"), shape: bin(64), body: lines("VPMINUQ Z1, Z0, Z4")},
		{names: lines("max.u64"), shape: bin(64), body: lines("VPMAXUQ Z1, Z0, Z4")},
		{names: lines("min.s64"), shape: bin(64), body: lines("VPMINSQ Z1, Z0, Z4")},
		{names: lines("max.s64"), shape: bin(64), body: lines("VPMAXSQ Z1, Z0, Z4")},
		{names: lines("abs.s64"), shape: un(64), body: lines("VPABSQ Z0, Z4")},
		{names: lines("neg.s64"), shape: un(64), body: lines("VPXORQ Z5, Z5, Z5", "VPSUBQ Z0, Z5, Z4")},
		{names: lines("and.b64"), shape: bin(64), body: lines("VPANDQ Z1, Z0, Z4")},
		{names: lines("or.b64"), shape: bin(64), body: lines("VPORQ Z1, Z0, Z4")},
		{names: lines("xor.b64"), shape: bin(64), body: lines("VPXORQ Z1, Z0, Z4")},
		{names: lines("not.b64"), shape: un(64), prologue: ones, body: lines("VPXORQ Z16, Z0, Z4")},
		{names: lines("shl.b64"), shape: shift, body: lines("VPMOVZXDQ Y1, Z1", "VPSLLVQ Z1, Z0, Z4")},
		{names: names("shr.%s", "u64", "b64"), shape: shift, body: lines("VPMOVZXDQ Y1, Z1", "VPSRLVQ Z1, Z0, Z4")},
		{names: lines("shr.s64"), shape: shift, body: lines("VPMOVZXDQ Y1, Z1", "VPSRAVQ Z1, Z0, Z4")},
		{names: lines("popc.b64"), shape: shape{32, [4]int{64}}, body: lines("VPOPCNTQ Z0, Z4", "VPMOVQD Z4, Y4")},
		{names: lines("clz.b64"), shape: shape{32, [4]int{64}}, body: lines("VPLZCNTQ Z0, Z4", "VPMOVQD Z4, Y4")},
	}
}

func widening() []op {
	wide := shape{64, [4]int{32, 32}}
	wideAdd := shape{64, [4]int{32, 32, 64}}
	return []op{
		{names: lines("mul.wide.u32"), shape: wide, body: lines("VPMOVZXDQ Y0, Z0", "VPMOVZXDQ Y1, Z1", "VPMULUDQ Z1, Z0, Z4")},
		{names: lines("mul.wide.s32"), shape: wide, body: lines("VPMOVSXDQ Y0, Z0", "VPMOVSXDQ Y1, Z1", "VPMULDQ Z1, Z0, Z4")},
		{names: lines("mad.wide.u32"), shape: wideAdd, body: lines("VPMOVZXDQ Y0, Z0", "VPMOVZXDQ Y1, Z1", "VPMULUDQ Z1, Z0, Z4", "VPADDQ Z2, Z4, Z4")},
		{names: lines("mad.wide.s32"), shape: wideAdd, body: lines("VPMOVSXDQ Y0, Z0", "VPMOVSXDQ Y1, Z1", "VPMULDQ Z1, Z0, Z4", "VPADDQ Z2, Z4, Z4")},
		{names: names("cvt.%s.u32", "u64", "s64"), shape: shape{64, [4]int{32}}, body: lines("VPMOVZXDQ Y0, Z4")},
		{names: names("cvt.%s.s32", "u64", "s64"), shape: shape{64, [4]int{32}}, body: lines("VPMOVSXDQ Y0, Z4")},
		{names: join(names("cvt.u32.%s", "u64", "s64"), names("cvt.s32.%s", "u64", "s64")), shape: shape{32, [4]int{64}}, body: lines("VPMOVQD Z0, Y4")},
	}
}

// integers16 run on zero-extended 16-bit values in 32-bit rows.
func integers16() []op {
	low := dword(16, 0xffff)
	cut := lines("VPANDD Z16, Z4, Z4")
	ops := []op{
		{names: names("add.%s", "u16", "s16"), shape: bin(16), prologue: low, body: join(lines("VPADDD Z1, Z0, Z4"), cut)},
		{names: names("sub.%s", "u16", "s16"), shape: bin(16), prologue: low, body: join(lines("VPSUBD Z1, Z0, Z4"), cut)},
		{names: names("mul.lo.%s", "u16", "s16"), shape: bin(16), prologue: low, body: join(lines("VPMULLD Z1, Z0, Z4"), cut)},
		{names: names("mad.lo.%s", "u16", "s16"), shape: tern(16), prologue: low, body: join(lines("VPMULLD Z1, Z0, Z4", "VPADDD Z2, Z4, Z4"), cut)},
		{names: lines("mul.wide.u16"), shape: shape{32, [4]int{16, 16}}, body: lines("VPMULLD Z1, Z0, Z4")},
		{names: lines("mul.wide.s16"), shape: shape{32, [4]int{16, 16}}, body: lines(
			"VPSLLD $16, Z0, Z5", "VPSRAD $16, Z5, Z5", "VPSLLD $16, Z1, Z6", "VPSRAD $16, Z6, Z6", "VPMULLD Z6, Z5, Z4")},
	}
	for _, c := range integerCompares {
		unsigned := names("setp."+c.unsigned+".%s", "u16")
		if c.signed != c.unsigned {
			unsigned = append(unsigned, "setp."+c.signed+".u16")
		}
		if c.signed == "eq" || c.signed == "ne" {
			unsigned = append(unsigned, "setp."+c.signed+".b16")
		}
		ops = append(ops,
			op{names: unsigned, shape: compare(16), body: lines(fmt.Sprintf("VPCMPUD $%d, Z1, Z0, K4", c.imm))},
			op{names: names("setp."+c.signed+".%s", "s16"), shape: compare(16), body: lines(
				"VPSLLD $16, Z0, Z5", "VPSLLD $16, Z1, Z6", fmt.Sprintf("VPCMPD $%d, Z6, Z5, K4", c.imm))})
	}
	return ops
}
