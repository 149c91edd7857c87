package isa

import (
	"errors"
	"strings"
	"testing"
)

// reg, pred and imm build the shapes that tests write most.
func reg(t Type) Shape     { return Shape{Kind: ShapeRegister, Type: t} }
func imm(v int64) Shape    { return Shape{Kind: ShapeInteger, Type: S64, Value: uint64(v)} }
func float(t Type) Shape   { return Shape{Kind: ShapeFloat, Type: t} }
func special(t Type) Shape { return Shape{Kind: ShapeSpecial, Type: t} }
func vector(e ...Shape) Shape {
	return Shape{Kind: ShapeVector, Elems: e}
}
func pairOf(a, b Shape) Shape { return Shape{Kind: ShapePair, Elems: []Shape{a, b}} }

var (
	sink = Shape{Kind: ShapeSink}
	sm90 = Context{PTX: 87, SM: 90}
)

// match splits name into opcode and modifiers and matches it.
func match(ctx Context, name string, operands ...Shape) (*Form, error) {
	parts := strings.Split(name, ".")
	var mods []string
	for _, m := range parts[1:] {
		mods = append(mods, "."+m)
	}
	return Match(ctx, parts[0], mods, operands)
}

func TestMatchAccepts(t *testing.T) {
	r32, r64, r16 := reg(B32), reg(B64), reg(B16)
	for _, test := range []struct {
		name     string
		operands []Shape
		syntax   string // of the row found
		types    string // of the args
	}{
		{"add.u32", []Shape{reg(U32), reg(S32), imm(-1)}, "add.type d, a, b", "d:u32 a:u32 b:u32"},
		{"mov.s64", []Shape{r64, {Kind: ShapeVariable}}, "mov.type d, a", "d:s64 a:s64"},
		{"add.sat.s32", []Shape{r32, r32, r32}, "add.sat.s32 d, a, b", "d:s32 a:s32 b:s32"},
		{"mul.wide.u16", []Shape{r32, r16, imm(3)}, "mul.wide.type d, a, b", "d:u32 a:u16 b:u16"},
		{"mad.wide.s32", []Shape{r64, r32, r32, r64}, "mad.wide.type d, a, b, c", "d:s64 a:s32 b:s32 c:s64"},
		{"mov.u32", []Shape{r32, special(U32)}, "mov.type d, a", "d:u32 a:u32"},
		{"mov.u16", []Shape{r16, special(U32)}, "mov.type d, a", "d:u16 a:u16"},
		{"mov.b32", []Shape{r32, float(F32)}, "mov.type d, a", "d:b32 a:b32"},
		{"mov.pred", []Shape{reg(Pred), imm(-1)}, "mov.type d, a", "d:pred a:pred"},
		{"mov.b64", []Shape{r64, vector(r32, reg(F32))}, "mov.type d, a", "d:b64 a:b32*2"},
		{"mov.b64", []Shape{vector(r16, sink, r16, r16), reg(F64)}, "mov.type d, a", "d:b16*4 a:b64"},
		{"mov.b128", []Shape{vector(r64, r64), reg(B128)}, "mov.type d, a", "d:b64*2 a:b128"},
		{"mov.v4.u32", []Shape{vector(r32, r32, r32, r32), vector(special(U32), special(U32), special(U32), special(U32))}, "mov.vec.type d, a", "d:u32*4 a:u32*4"},
	} {
		f, err := match(sm90, test.name, test.operands...)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if f.Row.Syntax != test.syntax || f.Name() != test.name || argText(f) != test.types {
			t.Errorf("%s: row %q, name %q, args %q; want %q, %q", test.name, f.Row.Syntax, f.Name(), argText(f), test.syntax, test.types)
		}
	}
}

// What asks a form for its modifiers must not see in which order, and how often, they were written.
func TestModifiersAreInTheOrderOfTheRow(t *testing.T) {
	r32 := reg(B32)
	address := Shape{Kind: ShapeAddress, Type: U64}
	for _, test := range []struct {
		written, name string
		operands      []Shape
	}{
		{"add.sat.sat.s32", "add.sat.s32", []Shape{r32, r32, r32}},
		{"add.f32.ftz.rz", "add.rz.ftz.f32", []Shape{r32, r32, r32}},
		{"atom.add.global.u32.gpu", "atom.gpu.global.add.u32", []Shape{r32, address, r32}},
		{"cp.async.mbarrier.noinc.arrive.shared.b64", "cp.async.mbarrier.arrive.noinc.shared.b64", []Shape{address}},
	} {
		f, err := match(sm90, test.written, test.operands...)
		if err != nil {
			t.Errorf("%s: %v", test.written, err)
			continue
		}
		if f.Name() != test.name {
			t.Errorf("%s: %s, want %s", test.written, f.Name(), test.name)
		}
	}
}

func argText(f *Form) string {
	var words []string
	for _, a := range f.Args {
		w := a.Name + ":" + a.Type.String()
		if a.Vector > 0 {
			w += "*" + string(rune('0'+a.Vector))
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

func TestMatchRefuses(t *testing.T) {
	r32, r64, f32 := reg(B32), reg(B64), reg(F32)
	for _, test := range []struct {
		name     string
		operands []Shape
		want     string
	}{
		{"frobnicate.u32", nil, `unknown instruction "frobnicate"`},
		{"add.sat.u32", []Shape{r32, r32, r32}, "modifier .sat does not apply to .u32 in add"},
		{"add.xyz.u32", []Shape{r32, r32, r32}, "unknown modifier .xyz in add.xyz.u32"},
		{"mul.u16", []Shape{r32, r32, r32}, "mul.u16 needs one of .lo .hi .wide"},
		{"mov.u8", []Shape{r32, r32}, "mov does not take the type .u8 (.pred .b16 .b32 .b64 .b128 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64)"},
		{"add.u32", []Shape{r32, r32}, "add.u32 takes 3 operands (d, a, b), found 2"},
		{"add.u32", []Shape{imm(5), r32, r32}, "operand d of add.u32: a register to write is wanted, found the constant 5"},
		{"add.u32", []Shape{r32, r64, r32}, "operand a of add.u32: register of type .b64 where .u32 is wanted"},
		{"add.u32", []Shape{r32, r32, reg(F32)}, "operand b of add.u32: register of type .f32 where .u32 is wanted"},
		{"add.u32", []Shape{r32, special(U32), r32}, "operand a of add.u32: a special register is not allowed; only mov and cvt read them"},
		{"mov.u32", []Shape{special(U32), imm(1)}, "operand d of mov.u32: a special register can not be written"},
		{"mov.u32", []Shape{r32, float(F64)}, "operand a of mov.u32: a floating-point constant where .u32 is wanted"},
		{"mov.b64", []Shape{r64, vector(r32, r32, r32)}, "operand a of mov.b64: a vector of 2 or 4 is wanted, found a vector of 3"},
		{"mov.b32", []Shape{r32, vector(r32, r32)}, "operand a of mov.b32: element 0: register of type .b32 where .b16 is wanted"},
		{"cvt.u32.u64.u32", []Shape{r32, r32}, "cvt has no form with types .u32.u64.u32"},
		{"mov.b32", []Shape{r32, r64}, "operand a of mov.b32: register of type .b64 where .b32 is wanted"},
		{"mul.wide.u64", []Shape{r64, r64, r64}, "modifier .wide does not apply to .u64 in mul: one of .lo .hi is wanted"},
		{"fma.f32", []Shape{f32, f32, f32, f32}, "fma.f32 needs a rounding modifier (.rn .rz .rm .rp)"},
		{"mad.f32", []Shape{f32, f32, f32, f32}, "mad.f32 needs a rounding modifier (.rn .rz .rm .rp) from .target sm_20 on"},
		{"div.f32", []Shape{f32, f32, f32}, "div.f32 needs one of .approx .full .rn .rz .rm .rp from .version 1.4 on"},
		{"rcp.approx.f64", []Shape{r64, r64}, "rcp.approx.f64 needs .ftz"},
		{"tanh.approx.ftz.f32", []Shape{f32, f32}, "modifier .ftz does not apply to .f32 in tanh"},
		{"fma.rn.sat.relu.f16x2", []Shape{r32, r32, r32, r32}, "modifiers .sat and .relu can not be combined in fma.rn.sat.relu.f16x2"},
		{"fma.rn.sat.bf16", nil, "modifier .sat does not apply to .bf16 in fma"},
		{"add.f32", []Shape{f32, f32, reg(F64)}, "operand b of add.f32: register of type .f64 where .f32 is wanted"},
		{"add.f32", []Shape{f32, f32, imm(1)}, "operand b of add.f32: the constant 1 where .f32 is wanted"},
		{"add.f32x2", []Shape{r64, r64, r64}, "add.f32x2 needs .target sm_100 or later"},
		{"min.f32", []Shape{f32, f32, f32, f32}, "min.f32 needs .target sm_100 or later"},
		{"setp.lt.b32", []Shape{reg(Pred), r32, r32}, "modifier .lt does not apply to .b32 in setp: one of .eq .ne is wanted"},
		{"setp.eq.bf16", []Shape{pairOf(reg(Pred), reg(Pred)), reg(B16), reg(B16)}, "operand p of setp.eq.bf16: a pair is not allowed"},
		{"selp.b32", []Shape{r32, r32, r32, r32}, "operand c of selp.b32: register of type .b32 where .pred is wanted"},
		{"lop3.b32", []Shape{r32, r32, r32, r32, imm(256)}, "operand immLut of lop3.b32: the constant 256 is not one of 0..255"},
		{"setmaxnreg.inc.sync.aligned.u32", []Shape{imm(30)}, "operand count of setmaxnreg.inc.sync.aligned.u32: the constant 30 is not a multiple of 8 in 24..256"},
		{"lop3.b32", []Shape{r32, r32, r32, r32, r32}, "operand immLut of lop3.b32: an integer constant is wanted, found register of type .b32"},
		{"cvt.sat.s32.u16", []Shape{r32, reg(U16)}, "cvt.sat.s32.u16: modifier .sat does not apply: .s32 holds every .u16"},
		{"cvt.rn.s32.f32", []Shape{r32, f32}, "modifier .rn does not apply to .s32.f32 in cvt: a rounding modifier (.rni .rzi .rmi .rpi) is wanted"},
		{"cvt.tf32.f32", []Shape{r32, f32}, "cvt.tf32.f32 needs a rounding modifier (.rna .rn .rz)"},
		{"cvt.rn.satfinite.tf32.f32", []Shape{r32, f32}, ".satfinite in cvt.rn.satfinite.tf32.f32 needs .target sm_100 or later"},
		{"vadd.u32.u32.u32", []Shape{r32, {Kind: ShapeRegister, Type: U32, Select: ".b4"}, r32}, "operand a of vadd.u32.u32.u32: the selector .b4 is not allowed"},
	} {
		_, err := match(sm90, test.name, test.operands...)
		if err == nil {
			t.Errorf("%s: accepted, want %q", test.name, test.want)
		} else if err.Error() != test.want {
			t.Errorf("%s: %q, want %q", test.name, err, test.want)
		}
		if strings.HasPrefix(test.want, "unknown instruction") != errors.Is(err, ErrNoRow) {
			t.Errorf("%s: %v wraps ErrNoRow: %v", test.name, err, errors.Is(err, ErrNoRow))
		}
	}
}
