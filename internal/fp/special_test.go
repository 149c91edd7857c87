package fp

import (
	"math"
	"testing"
)

// Operands of the tables below.
const (
	inf32, ninf32, snan32 = 0x7F800000, 0xFF800000, 0xFF800001
	inf64, ninf64         = 0x7FF0000000000000, 0xFFF0000000000000
	snanA, snanB, snanC   = 0x7FF000000000000A, 0xFFF000000000000B, 0x7FF000000000000C
	qnanA, qnanB, qnanC   = 0x7FF800000000000A, 0xFFF800000000000B, 0x7FF800000000000C
	two64                 = 0x4000000000000000
)

// TestNaN64 has which NaN each f64 operation passes on, and the invalid operations.
func TestNaN64(t *testing.T) {
	tests := []struct {
		name      string
		got, want uint64
	}{
		{"add of two", Add64(snanA, snanB, RN), qnanB},
		{"add of the first", Add64(snanA, two64, RZ), qnanA},
		{"sub of two", Sub64(snanA, snanB, RM), qnanB},
		{"mul of two", Mul64(snanA, snanB, RN), qnanB},
		{"fma of three", Fma64(snanA, snanB, snanC, RN), qnanB},
		{"fma of a and c", Fma64(snanA, two64, snanC, RN), qnanC},
		{"fma of a", Fma64(snanA, two64, two64, RP), qnanA},
		{"div of two", Div64(snanA, snanB, RN), qnanA},
		{"div of the second", Div64(two64, snanB, RN), qnanB},
		{"rcp", Rcp64(snanA, RN), qnanA},
		{"sqrt", Sqrt64(snanB, RN), qnanB},
		{"min of two", Min64(snanA, snanB), qnanB},
		{"max of one", Max64(snanA, two64), two64},
		{"min of one", Min64(two64, snanB), two64},
		{"abs", Abs64(snanB), qnanB},
		{"neg", Neg64(snanA), qnanA},
		{"copysign", CopySign64(snanB, snanA), snanA | sign64},
		{"infinity less infinity", Add64(inf64, ninf64, RN), invalid64},
		{"zero times infinity", Mul64(0, inf64, RP), invalid64},
		{"zero times infinity plus NaN", Fma64(0, inf64, snanC, RN), qnanC},
		{"zero over zero", Div64(0, 0, RN), invalid64},
		{"root of a negative", Sqrt64(two64|sign64, RN), invalid64},
		{"rsqrt.approx of a negative", RsqrtApprox64(two64|sign64, RN), invalid64},
		{"rsqrt.approx of NaN", RsqrtApprox64(snanB, RN), qnanB},
		{"rsqrt.approx.ftz of NaN", RsqrtApprox64(qnanB, Ftz), 0x7FFFFFFF00000000},
		{"rcp.approx.ftz of NaN", RcpApprox64(qnanB), 0x7FFFFFFF00000000},
		{"rcp.approx.ftz sees the high word only", RcpApprox64(snanA), 0},
	}
	for _, c := range tests {
		if c.got != c.want {
			t.Errorf("%s: got %016x, want %016x", c.name, c.got, c.want)
		}
	}
}

// TestSpecials32 has NaN, infinities, zeros and flags of f32 operations.
func TestSpecials32(t *testing.T) {
	tests := []struct {
		name      string
		got, want uint32
	}{
		{"add of NaN", Add32(snan32, one32, RN), nan32},
		{"add of NaN toward zero", Add32(snan32, one32, RZ), nan32},
		{"add of NaN saturated", Add32(snan32, one32, Sat), 0},
		{"infinity less infinity", Sub32(inf32, inf32, RP), nan32},
		{"infinity plus one down", Add32(inf32, one32, RM), inf32},
		{"cancellation", Sub32(one32, one32, RN), 0},
		{"cancellation down", Sub32(one32, one32, RM), sign32},
		{"negative zeros", Add32(sign32, sign32, RN), sign32},
		{"saturated negative zero", Add32(sign32, sign32, Sat), 0},
		{"saturated above one", Add32(one32, one32, Sat|RP), one32},
		{"overflow toward zero", Add32(0x7F7FFFFF, 0x7F7FFFFF, RZ), 0x7F7FFFFF},
		{"negative overflow up", Mul32(0xFF7FFFFF, 0x7F7FFFFF, RP), 0xFF7FFFFF},
		{"negative overflow down", Mul32(0xFF7FFFFF, 0x7F7FFFFF, RM), ninf32},
		{"flushed operand", Add32(0x007FFFFF, 0x80000001, Ftz), 0},
		{"flushed negative result", Mul32(0x80800000, 0x3F000000, Ftz), sign32},
		{"tiny before and after rounding", Mul32(0x00800000, 0x3F7FFFFF, Ftz), 0},
		{"tiny after rounding up", Fma32(0x00FFFFFF, 0x3F000000, 0, Ftz|RP), 0},
		{"normal after rounding up", Fma32(0x00800001, 0x3F7FFFFE, 0, Ftz|RP), 0x00800000},
		{"normal after rounding to nearest", Fma32(0x00800001, 0x3F7FFFFE, 0, Ftz), 0x00800000},
		{"tiny after rounding down", Fma32(0x00800001, 0x3F7FFFFE, 0, Ftz|RM), 0},
		{"zero times infinity", Fma32(0, ninf32, one32, RN), nan32},
		{"halfway product", Fma32(0x3F800800, 0x3F800800, 0, RN), 0x3F801000},
		{"halfway product and a little more", Fma32(0x3F800800, 0x3F800800, 0x19000000, RN), 0x3F801001},
		{"halfway product and a little less", Fma32(0x3F800800, 0x3F800800, 0x99000000, RN), 0x3F801000},
		{"one over zero", Div32(one32, sign32, RZ), ninf32},
		{"zero over zero", Div32(0, 0, RN), nan32},
		{"one over infinity up", Div32(one32, inf32, RP), 0},
		{"root of negative zero", Sqrt32(sign32, RM), sign32},
		{"root of a negative", Sqrt32(0xBF800000, RN), nan32},
		{"root of infinity", Sqrt32(inf32, RP), inf32},
		{"abs of NaN", Abs32(snan32, RN), nan32},
		{"neg of NaN", Neg32(nan32, RN), nan32},
		{"neg flushed", Neg32(1, Ftz), sign32},
		{"abs flushed", Abs32(0x80000001, Ftz), 0},
		{"copysign", CopySign32(sign32, snan32), snan32},
	}
	for _, c := range tests {
		if c.got != c.want {
			t.Errorf("%s: got %08x, want %08x", c.name, c.got, c.want)
		}
	}
}

// TestSpecials16 has NaN and flags of the 16-bit operations.
func TestSpecials16(t *testing.T) {
	tests := []struct {
		name      string
		got, want uint16
	}{
		{"f16 add of NaN", Add16(F16, 0xFC01, 0x3C00, RN), 0x7FFF},
		{"bf16 add of NaN", Add16(BF16, 0xFF81, 0x3F80, RN), 0x7FFF},
		{"f16 sub saturated", Sub16(F16, 0x3C00, 0xBC00, Sat), 0x3C00},
		{"f16 NaN saturated", Mul16(F16, 0x7C01, 0x3C00, Sat), 0},
		{"f16 NaN with relu", Fma16(F16, 0x7C01, 0x3C00, 0, Relu), 0x7FFF},
		{"f16 negative with relu", Fma16(F16, 0xBC00, 0x3C00, 0, Relu), 0},
		{"bf16 overflow", Mul16(BF16, 0x7F7F, 0x4000, RN), 0x7F80},
		{"f16 denormals", Add16(F16, 0x0001, 0x0001, RN), 0x0002},
		{"f16 denormals flushed", Add16(F16, 0x0001, 0x8001, Ftz), 0x0000},
		{"f16 fma keeps what a product loses", Fma16(F16, 0x3C01, 0x3C01, 0xBC02, RN), 0x0010},
		{"out of bounds factor", Fma16(F16, 0xFFF7, 0x3C00, 0x4000, OOB), 0},
		{"out of bounds factor and NaN", Fma16(BF16, 0x3F80, 0x7FF7, 0x7FFF, OOB|Relu), 0},
		{"out of bounds addend", Fma16(BF16, 0x3F80, 0x3F80, 0x7FF7, OOB), 0x7FFF},
		{"out of bounds factor without the flag", Fma16(BF16, 0x7FF7, 0x3F80, 0, RN), 0x7FFF},
		{"f16 abs of NaN", Abs16(F16, 0xFE00, RN), 0x7FFF},
		{"bf16 neg", Neg16(BF16, 0x0001, RN), 0x8001},
		{"ex2 overflow", Ex2Approx16(F16, 0x4C00), 0x7C00},
	}
	for _, c := range tests {
		if c.got != c.want {
			t.Errorf("%s: got %04x, want %04x", c.name, c.got, c.want)
		}
	}
}

// TestMinMax has zeros, NaN and modifiers.
func TestMinMax(t *testing.T) {
	tests := []struct {
		name      string
		got, want uint32
	}{
		{"min of zeros", Min32(0, sign32, RN), sign32},
		{"max of zeros", Max32(sign32, 0, RN), 0},
		{"NaN yields", Min32(nan32, one32, RN), one32},
		{"NaN yields as second", Max32(one32, snan32, RN), one32},
		{"two NaN", Min32(snan32, snan32, RN), nan32},
		{"NaN propagates", Max32(one32, snan32, PropagateNaN), nan32},
		{"flushed", Min32(0x80000001, one32, Ftz), sign32},
		{"xorsign.abs", Min32(0xC0000000, 0x3F800000, XorSignAbs), 0xBF800000},
		{"xorsign.abs of negatives", Max32(0xC0000000, 0xBF800000, XorSignAbs), 0x40000000},
		{"xorsign.abs with NaN", Max32(snan32, one32, XorSignAbs), 0xBF800000},
		{"xorsign.abs with NaN propagated", Max32(snan32, one32, XorSignAbs|PropagateNaN), nan32},
		{"abs", Min32(0xC0000000, 0xBF800000, Abs), 0x3F800000},
		{"min of three", Min32x3(0x40000000, 0xBF800000, one32, RN), 0xBF800000},
		{"max of three with NaN", Max32x3(snan32, nan32, one32, RN), one32},
		{"max of three with NaN propagated", Max32x3(one32, 0x40000000, nan32, PropagateNaN), nan32},
		{"f16x2", Min16x2(F16, 0x3C00BC00, 0x40003C00, RN), 0x3C00BC00},
		{"bf16x2", Max16x2(BF16, 0x7FC03F80, 0x0000C000, RN), 0x00003F80},
		{"f16 min of zeros", uint32(Min16(F16, 0, 0x8000, RN)), 0x8000},
	}
	for _, c := range tests {
		if c.got != c.want {
			t.Errorf("%s: got %08x, want %08x", c.name, c.got, c.want)
		}
	}
}

// TestOperators checks each comparison operator against each relation.
func TestOperators(t *testing.T) {
	relations := []struct {
		a, b uint32
		is   Relation
	}{
		{one32, 0x40000000, Less}, {one32, one32, Equal}, {0, sign32, Equal}, {0x40000000, one32, Greater},
		{snan32, one32, Unordered}, {nan32, nan32, Unordered},
	}
	want := map[Relation]string{ // whether true of less, equal, greater, unordered
		EQ: "0100", NE: "1010", LT: "1000", LE: "1100", GT: "0010", GE: "0110", NUM: "1110",
		EQU: "0101", NEU: "1011", LTU: "1001", LEU: "1101", GTU: "0011", GEU: "0111", NAN: "0001",
	}
	if len(want) != 14 {
		t.Errorf("%d operators, want 14 different ones", len(want))
	}
	for _, c := range relations {
		if got := Compare32(c.a, c.b, RN); got != c.is {
			t.Errorf("%08x and %08x: got relation %d, want %d", c.a, c.b, got, c.is)
		}
		a, b := Convert(F32, F64, uint64(c.a), RN), Convert(F32, F64, uint64(c.b), RN)
		if got := Compare64(a, b); got != c.is {
			t.Errorf("%016x and %016x: got relation %d, want %d", a, b, got, c.is)
		}
	}
	for operator, truth := range want {
		for i, relation := range []Relation{Less, Equal, Greater, Unordered} {
			if got := operator.Has(relation); got != (truth[i] == '1') {
				t.Errorf("operator %d of relation %d is %v", operator, relation, got)
			}
		}
	}
	if got := Compare32(1, 0, Ftz); got != Equal {
		t.Errorf("a flushed denormal and zero: relation %d", got)
	}
	if got := Compare16(F16, 1, 0, RN); got != Greater {
		t.Errorf("an f16 denormal and zero: relation %d", got)
	}
	if got := Compare16(BF16, 0x3F80, 0x7FC0, RN); got != Unordered {
		t.Errorf("bf16 one and NaN: relation %d", got)
	}
}

// TestClassify has one value of every kind and format with that kind.
func TestClassify(t *testing.T) {
	tests := []struct {
		f    Format
		x    uint64
		want Class
	}{
		{F32, 0, Normal}, {F32, sign32, Normal}, {F32, 1, Subnormal}, {F32, 0x807FFFFF, Subnormal},
		{F32, 0x00800000, Normal}, {F32, 0xFF7FFFFF, Normal}, {F32, ninf32, Infinite}, {F32, snan32, NotANumber},
		{F64, 1, Subnormal}, {F64, ninf64, Infinite}, {F64, snanA, NotANumber}, {F64, sign64, Normal},
		{F16, 0x83FF, Subnormal}, {BF16, 0x7F80, Infinite}, {TF32, 0x7F802000, NotANumber},
		{E4M3, 0x7E, Normal}, {E4M3, 0xFF, NotANumber}, {E5M2, 0x7C, Infinite}, {E2M1, 0xF, Normal},
		{UE8M0, 0, Normal}, {UE8M0, 0xFF, NotANumber},
	}
	for _, c := range tests {
		if got := c.f.Classify(c.x); got != c.want {
			t.Errorf("%v %x: class %d, want %d", c.f, c.x, got, c.want)
		}
	}
	if !Number.Has(Infinite) || Finite.Has(Infinite) || Number.Has(NotANumber) || !Finite.Has(Subnormal) {
		t.Error("the properties finite and number do not hold of their kinds")
	}
}

// TestFlushingThreshold walks f32 products across the smallest normal value and compares each with the
// oracle, in every rounding.
func TestFlushingThreshold(t *testing.T) {
	for _, m := range roundings[:4] {
		for a := uint32(0x00FFFFF0); a < 0x01000010; a++ {
			for b := uint32(0x3EFFFFF0); b < 0x3F000010; b++ {
				exact := product(exactOf(F32, uint64(a)), exactOf(F32, uint64(b)))
				want := uint32(oracle(F32, exact, m|Ftz))
				if got := Mul32(a, b, m|Ftz); got != want {
					t.Fatalf("%08x * %08x in mode %x: got %08x, want %08x", a, b, m, got, want)
				}
			}
		}
	}
}

// TestRcp32OfPowers checks that reciprocals of powers of two are exact, flushed or not.
func TestRcp32OfPowers(t *testing.T) {
	for exponent := -149; exponent <= 127; exponent++ {
		a := math.Float32bits(float32(math.Ldexp(1, exponent)))
		want := math.Float32bits(float32(math.Ldexp(1, -exponent)))
		if got := RcpApprox32(a, RN); got != want {
			t.Errorf("rcp.approx of 2^%d: got %08x, want %08x", exponent, got, want)
		}
		if exponent < -126 {
			want = inf32
		}
		if exponent > 126 {
			want = 0
		}
		if got := RcpApprox32(a, Ftz); got != want {
			t.Errorf("rcp.approx.ftz of 2^%d: got %08x, want %08x", exponent, got, want)
		}
	}
}
