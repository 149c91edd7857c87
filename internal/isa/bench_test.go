package isa

import "testing"

func BenchmarkMatch(b *testing.B) {
	f32, r32 := reg(F32), reg(U32)
	address := Shape{Kind: ShapeAddress, Type: U64}
	for _, test := range []struct {
		opcode   string
		mods     []string
		operands []Shape
	}{
		{"add", []string{".s32"}, []Shape{r32, r32, r32}},
		{"fma", []string{".rn", ".f32"}, []Shape{f32, f32, f32, f32}},
		{"setp", []string{".lt", ".f32"}, []Shape{reg(Pred), f32, f32}},
		{"ld", []string{".global", ".nc", ".f32"}, []Shape{f32, address}},
		{"mov", []string{".u32"}, []Shape{r32, special(U32)}},
		{"mma", []string{".sync", ".aligned", ".m16n8k16", ".row", ".col", ".f32", ".bf16", ".bf16", ".f32"},
			[]Shape{vector(f32, f32, f32, f32), vector(r32, r32, r32, r32), vector(r32, r32), vector(f32, f32, f32, f32)}},
	} {
		b.Run(test.opcode, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Match(sm90, test.opcode, test.mods, test.operands); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLane(b *testing.B) {
	r32, b32, f32, p := reg(U32), reg(B32), reg(F32), reg(Pred)
	for _, test := range []struct {
		name     string
		operands []Shape
	}{
		{"add.u32", []Shape{r32, r32, r32}},
		{"mad.lo.s32", []Shape{r32, r32, r32, r32}},
		{"shl.b32", []Shape{r32, r32, r32}},
		{"lop3.b32", []Shape{r32, r32, r32, r32, imm(0x96)}},
		{"prmt.b32", []Shape{r32, r32, r32, r32}},
		{"setp.lt.s32", []Shape{p, r32, r32}},
		{"setp.lt.f32", []Shape{p, f32, f32}},
		{"selp.b32", []Shape{r32, r32, r32, p}},
		{"add.f32", []Shape{f32, f32, f32}},
		{"fma.rn.f32", []Shape{f32, f32, f32, f32}},
		{"fma.rn.f64", []Shape{reg(F64), reg(F64), reg(F64), reg(F64)}},
		{"add.f16x2", []Shape{b32, b32, b32}},
		{"max.f32", []Shape{f32, f32, f32}},
		{"ex2.approx.ftz.f32", []Shape{f32, f32}},
		{"cvt.u64.u32", []Shape{reg(U64), r32}},
		{"cvt.rn.f32.s32", []Shape{f32, r32}},
		{"cvt.rn.f16.f32", []Shape{reg(B16), f32}},
		{"div.rn.f32", []Shape{f32, f32, f32}},
	} {
		f, err := match(sm90, test.name, test.operands...)
		if err != nil {
			b.Fatal(err)
		}
		lane := f.Row.Lane(f)
		b.Run(test.name, func(b *testing.B) {
			var l Lane
			for i := range l.Src {
				l.Src[i] = 0x3f8ccccd + uint64(i)<<20
			}
			for b.Loop() {
				lane(&l)
			}
		})
	}
}
