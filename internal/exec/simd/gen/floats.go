package main

import "fmt"

// The NVIDIA NaN of 32-bit results is 0x7fffffff whatever the inputs. VFIXUPIMMPS with this table keeps
// its destination (preset with the canonical NaN) where the result is a quiet or signalling NaN and takes the result elsewhere.
const nanTable = 0x11111100

var (
	canonicalNaN = join(dword(16, 0x7fffffff), dword(17, nanTable))
	// canonical moves the result in Z5 to Z4 with NaNs made canonical.
	canonical = lines("VMOVDQA64 Z16, Z4", "VFIXUPIMMPS $0, Z17, Z5, Z4")
)

// flushing sets flush-to-zero and denormals-are-zero around a kernel.
func flushing(o op) op {
	o.prologue = join(lines("STMXCSR saved-8(SP)", "MOVL saved-8(SP), R13", "ORL $0x8040, R13", "MOVL R13, changed-4(SP)", "LDMXCSR changed-4(SP)"), o.prologue)
	o.epilogue = lines("LDMXCSR saved-8(SP)")
	return o
}

var roundings = []struct{ ptx, evex string }{
	{"", ""}, {".rn", ""}, {".rz", ".RZ_SAE"}, {".rm", ".RD_SAE"}, {".rp", ".RU_SAE"},
}

var floatCompares = []struct {
	name string
	imm  int
}{
	{"eq", 0}, {"lt", 1}, {"le", 2}, {"gt", 14}, {"ge", 13}, {"ne", 12},
	{"equ", 8}, {"ltu", 9}, {"leu", 10}, {"gtu", 6}, {"geu", 5}, {"neu", 4}, {"num", 7}, {"nan", 3},
}

func floats32() []op {
	var ops []op
	add := func(o op) {
		o.prologue = join(o.prologue, canonicalNaN)
		o.body = join(o.body, canonical)
		ops = append(ops, o)
	}
	for _, r := range roundings {
		for _, ftz := range []string{"", ".ftz"} {
			wrap := func(o op) op { return o }
			if ftz != "" {
				wrap = flushing
			}
			name := func(op string) []string { return lines(op + r.ptx + ftz + ".f32") }
			add(wrap(op{names: name("add"), shape: bin(32), body: lines("VADDPS" + r.evex + " Z1, Z0, Z5")}))
			add(wrap(op{names: name("sub"), shape: bin(32), body: lines("VSUBPS" + r.evex + " Z1, Z0, Z5")}))
			add(wrap(op{names: name("mul"), shape: bin(32), body: lines("VMULPS" + r.evex + " Z1, Z0, Z5")}))
			if r.ptx == "" {
				continue
			}
			fma := lines("VMOVDQA64 Z2, Z5", "VFMADD231PS"+r.evex+" Z1, Z0, Z5")
			add(wrap(op{names: join(name("fma"), name("mad")), shape: tern(32), body: fma}))
			if r.ptx == ".rn" && ftz == "" {
				add(op{names: name("div"), shape: bin(32), body: lines("VDIVPS Z1, Z0, Z5")})
				add(op{names: name("sqrt"), shape: un(32), body: lines("VSQRTPS Z0, Z5")})
				add(op{names: name("rcp"), shape: un(32), prologue: dword(18, 0x3f800000), body: lines("VDIVPS Z0, Z18, Z5")})
			}
		}
	}
	for _, ftz := range []string{"", ".ftz"} {
		wrap := func(o op) op { return o }
		if ftz != "" {
			wrap = flushing
		}
		for _, c := range floatCompares {
			ops = append(ops, wrap(op{names: lines("setp." + c.name + ftz + ".f32"), shape: compare(32),
				body: lines(fmt.Sprintf("VCMPPS $%d, Z1, Z0, K4", c.imm))}))
		}
	}
	// A minimum is the other operand when one is a NaN: where a is a NaN take b, where b is, a.
	for _, m := range []struct{ name, inst string }{{"min", "VRANGEPS $4"}, {"max", "VRANGEPS $5"}} {
		add(op{names: lines(m.name + ".f32"), shape: bin(32), body: lines(
			"VCMPPS $3, Z0, Z0, K5", "VCMPPS $3, Z1, Z1, K6",
			"VBLENDMPS Z1, Z0, K5, Z6", "VBLENDMPS Z0, Z1, K6, Z7",
			m.inst+", Z7, Z6, Z5")})
	}
	return ops
}

// floats64 put b first: of two NaNs the chip returns b's, as the vector unit returns its first operand's.
func floats64() []op {
	var ops []op
	for _, r := range roundings {
		name := func(op string) []string { return lines(op + r.ptx + ".f64") }
		ops = append(ops,
			op{names: name("add"), shape: bin(64), body: lines("VADDPD" + r.evex + " Z0, Z1, Z4")},
			op{names: name("mul"), shape: bin(64), body: lines("VMULPD" + r.evex + " Z0, Z1, Z4")})
		if r.ptx != "" {
			// The unit chooses b, a, c; the chip b, c, a: where c is a NaN and b is none, take c.
			ops = append(ops, op{names: join(name("fma"), name("mad")), shape: tern(64), prologue: qword(16, 1<<51),
				body: lines("VMOVDQA64 Z1, Z4", "VFMADD132PD"+r.evex+" Z0, Z2, Z4",
					"VCMPPD $3, Z2, Z2, K5", "VCMPPD $7, Z1, Z1, K5, K5", "VPORQ Z16, Z2, K5, Z4")})
		}
	}
	ops = append(ops,
		op{names: lines("div.rn.f64"), shape: bin(64), body: lines("VDIVPD Z1, Z0, Z4")},
		op{names: lines("sqrt.rn.f64"), shape: un(64), body: lines("VSQRTPD Z0, Z4")})
	for _, c := range floatCompares {
		ops = append(ops, op{names: lines("setp." + c.name + ".f64"), shape: compare(64),
			body: lines(fmt.Sprintf("VCMPPD $%d, Z1, Z0, K4", c.imm))})
	}
	return ops
}

func conversions() []op {
	from32 := shape{64, [4]int{32}}
	from64 := shape{32, [4]int{64}}
	return []op{
		{names: lines("cvt.rn.f32.s32"), shape: un(32), body: lines("VCVTDQ2PS Z0, Z4")},
		{names: lines("cvt.rn.f32.u32"), shape: un(32), body: lines("VCVTUDQ2PS Z0, Z4")},
		{names: lines("cvt.rzi.s32.f32"), shape: un(32), prologue: join(dword(16, 0x4f000000), dword(17, 0x7fffffff)), body: lines(
			"VCVTTPS2DQ Z0, Z4",
			"VCMPPS $13, Z16, Z0, K5", "VMOVDQU32 Z17, K5, Z4", // a >= 2^31
			"VCMPPS $3, Z0, Z0, K6", "VPXORD Z5, Z5, Z5", "VMOVDQU32 Z5, K6, Z4")}, // NaN
		{names: lines("cvt.rzi.u32.f32"), shape: un(32), body: lines(
			"VCVTTPS2UDQ Z0, Z4", "VPXORD Z5, Z5, Z5",
			"VCMPPS $9, Z5, Z0, K5", "VMOVDQU32 Z5, K5, Z4")}, // below zero or NaN
		{names: names("cvt.rn.f64.%s", "s32"), shape: from32, body: lines("VCVTDQ2PD Y0, Z4")},
		{names: names("cvt.rn.f64.%s", "u32"), shape: from32, body: lines("VCVTUDQ2PD Y0, Z4")},
		{names: lines("cvt.rn.f64.s64"), shape: un(64), body: lines("VCVTQQ2PD Z0, Z4")},
		{names: lines("cvt.rn.f64.u64"), shape: un(64), body: lines("VCVTUQQ2PD Z0, Z4")},
		{names: lines("cvt.rn.f32.s64"), shape: from64, body: lines("VCVTQQ2PS Z0, Y4")},
		{names: lines("cvt.rn.f32.u64"), shape: from64, body: lines("VCVTUQQ2PS Z0, Y4")},
		{names: lines("cvt.f64.f32"), shape: from32, body: lines("VCVTPS2PD Y0, Z4")},
		{names: lines("cvt.rn.f32.f64"), shape: from64, body: lines("VCVTPD2PS Z0, Y4")},
		{names: lines("cvt.u32.u16"), shape: shape{32, [4]int{16}}, body: lines("VMOVDQA64 Z0, Z4")},
		{names: names("cvt.%s.s16", "s32", "u32"), shape: shape{32, [4]int{16}}, body: lines("VPSLLD $16, Z0, Z4", "VPSRAD $16, Z4, Z4")},
		{names: join(names("cvt.u16.%s", "u32", "s32"), names("cvt.s16.%s", "u32", "s32")), shape: shape{16, [4]int{32}}, prologue: dword(16, 0xffff), body: lines("VPANDD Z16, Z0, Z4")},
	}
}
