package fp

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

var roundings = []Mode{RN, RZ, RM, RP, RNA}

// allValues returns every value of a format of at most 16 bits, or many of a wider one.
func allValues(f Format, r *rand.Rand, count int) []uint64 {
	var list []uint64
	if f.Width() <= 16 {
		for x := range uint64(1) << f.Width() {
			list = append(list, x)
		}
		return list
	}
	for range count {
		x := draw(f, r)
		list = append(list, x>>layouts[f].pad<<layouts[f].pad)
	}
	return list
}

// TestConvert compares conversions between every pair of formats with the oracle: all values of formats
// of at most 16 bits, random ones of the others.
func TestConvert(t *testing.T) {
	for from := range formatCount {
		for to := range formatCount {
			t.Run(from.String()+" to "+to.String(), func(t *testing.T) {
				r := newRand()
				for _, x := range allValues(from, r, 4000) {
					if !Finite.Has(from.Classify(x)) {
						continue
					}
					exact := exactOf(from, x)
					m := roundings[r.IntN(len(roundings))]
					if to == UE8M0 {
						m = []Mode{RZ, RP}[r.IntN(2)]
					}
					if m == RNA && to == TF32 {
						continue // works on bits: see TestTF32Away
					}
					m |= []Mode{0, 0, SatFinite, Relu, SatFinite | Relu}[r.IntN(5)]
					if got, want := Convert(from, to, x, m), oracle(to, exact, m); got != want {
						t.Fatalf("%x in mode %x: got %x, want %x", x, m, got, want)
					}
				}
			})
		}
	}
}

// TestConvertNearTies converts values about the middle between neighbours of the narrower format.
func TestConvertNearTies(t *testing.T) {
	for _, from := range []Format{F32, F64} {
		for _, to := range []Format{F16, BF16, TF32, F32, E4M3, E5M2, E2M3, E3M2, E2M1} {
			if from == to {
				continue
			}
			t.Run(from.String()+" to "+to.String(), func(t *testing.T) {
				r := newRand()
				lost := layouts[from].fraction - layouts[to].fraction
				for range 4000 {
					x := Convert(to, from, r.Uint64()>>(64-to.Width()), RN)
					if !Finite.Has(from.Classify(x)) {
						continue
					}
					x += 1<<(lost-1) + r.Uint64N(3) - 1
					if r.IntN(3) == 0 {
						x -= 1 << layouts[from].fraction // into the denormals
					}
					if !Finite.Has(from.Classify(x)) {
						continue
					}
					for _, m := range roundings[:4] {
						if got, want := Convert(from, to, x, m), oracle(to, exactOf(from, x), m); got != want {
							t.Fatalf("%x in mode %x: got %x, want %x", x, m, got, want)
						}
					}
				}
			})
		}
	}
}

// TestConvertWithFtzAndSat covers the flags that only f32 and the wide formats have.
func TestConvertWithFtzAndSat(t *testing.T) {
	r := newRand()
	for range 20000 {
		x := drawFinite(F64, r, 0)
		if r.IntN(2) == 0 {
			x = Convert(F32, F64, r.Uint64N(1<<24), RN) + r.Uint64N(3) - 1
		}
		m := roundings[r.IntN(4)] | []Mode{Ftz, Sat, Ftz | Sat}[r.IntN(3)]
		if got, want := Convert(F64, F32, x, m), oracle(F32, exactOf(F64, x), m); Finite.Has(F64.Classify(x)) && got != want {
			t.Fatalf("f64 %x to f32 in mode %x: got %x, want %x", x, m, got, want)
		}
	}
}

// TestConvertSpecials lists infinities, NaN and flags that are no matter of rounding.
func TestConvertSpecials(t *testing.T) {
	tests := []struct {
		from, to Format
		x        uint64
		m        Mode
		want     uint64
	}{
		{F32, F16, 0x7F800000, RN, 0x7C00},
		{F32, F16, 0xFF800000, RZ, 0xFC00},
		{F32, F16, 0xFF800000, SatFinite, 0xFBFF},
		{F32, F16, 0xFF800000, Relu, 0},
		{F32, F16, 0x7F800001, Relu, 0x7FFF},
		{F32, F16, 0xFFC00000, RN, 0x7FFF},
		{F32, F16, 0xFFC00000, Sat, 0},
		{F32, F16, 0x00000001, RP | Ftz, 0x0001},
		{F32, BF16, 0x00000001, RP | Ftz, 0},
		{F16, F32, 0x7C01, RN, 0x7FFFFFFF},
		{BF16, F32, 0xFF81, RN, 0xFF810000},
		{BF16, F32, 0xFF81, Ftz, 0x7FFFFFFF},
		{BF16, F32, 0x8001, Ftz, 0x80000000},
		{F32, F32, 0xFFA00001, RN, 0xFFA00001},
		{F64, F64, 0x7FF0000000000001, RN, 0x7FF0000000000001},
		{F64, F32, 0xFFF0000000000001, RN, 0xFFC00000},
		{F64, F32, 0x7FFFFFFFFFFFFFFF, RZ, 0x7FFFFFFF},
		{F64, F16, 0xFFF3333333333333, RN, 0xFECC},
		{F64, BF16, 0xFFF3333333333333, RN, 0xFFD9},
		{F64, F32, 0xFFF3333333333333, Sat, 0},
		{F32, F64, 0xFF800001, RN, 0xFFF8000020000000},
		{F32, F64, 0xFF800001, Ftz, 0x7FFFFFFFE0000000},
		{F32, F64, 0x80000001, Ftz, 0x8000000000000000},
		{F16, F64, 0xFC01, RN, 0xFFF8040000000000},
		{F32, E4M3, 0x7F800000, RN, 0x7E},
		{F32, E4M3, 0xFF800001, Relu, 0x7F},
		{F32, E5M2, 0xFF800000, SatFinite, 0xFB},
		{F32, E2M1, 0xFFC00000, RN, 0x7},
		{F32, E2M1, 0xFF800000, RN, 0xF},
		{F32, E3M2, 0x7FC00000, RN, 0x1F},
		{F32, UE8M0, 0x7F800000, RP, 0xFE},
		{F32, UE8M0, 0x7FC00000, RP, 0xFF},
		{F32, UE8M0, 0xC0000000, RZ, 0x80},
		{UE8M0, BF16, 0xFF, RN, 0x7FFF},
		{UE8M0, BF16, 0, RN, 0x0040},
		{E4M3, F16, 0xFF, RN, 0x7FFF},
		{E5M2, F16, 0xFC, RN, 0xFC00},
		{F32, TF32, 0xFFC12345, RN, 0x7FFFE000},
	}
	for _, c := range tests {
		if got := Convert(c.from, c.to, c.x, c.m); got != c.want {
			t.Errorf("%v %x to %v in mode %x: got %x, want %x", c.from, c.x, c.to, c.m, got, c.want)
		}
	}
}

// TestTF32Away has the rounding that works on the bits, NaN included.
func TestTF32Away(t *testing.T) {
	tests := []struct{ x, plain, saturated uint64 }{
		{0x3F801000, 0x3F802000, 0x3F802000},
		{0x3F800FFF, 0x3F800000, 0x3F800000},
		{0x807FFFFF, 0x80800000, 0x80800000},
		{0x7F7FFFFF, 0x7F800000, 0x7F7FE000},
		{0xFF800000, 0xFF800000, 0xFF7FE000},
		{0x7F800001, 0x7F800000, 0x7F7FE000},
		{0x7FFFFFFF, 0x7FFFE000, 0x7FFFC000},
	}
	for _, c := range tests {
		if got := Convert(F32, TF32, c.x, RNA); got != c.plain {
			t.Errorf("%x: got %x, want %x", c.x, got, c.plain)
		}
		if got := Convert(F32, TF32, c.x, RNA|SatFinite); got != c.saturated {
			t.Errorf("%x with satfinite: got %x, want %x", c.x, got, c.saturated)
		}
	}
}

// roundBig returns x rounded to an integer by m.
func roundBig(x *big.Float, m Mode) *big.Int {
	n, _ := x.Int(nil) // truncated
	rest := new(big.Float).Sub(x, new(big.Float).SetPrec(oraclePrecision).SetInt(n))
	rest.Abs(rest)
	away := false
	switch half := rest.Cmp(big.NewFloat(0.5)); m.Rounding() {
	case RN:
		away = half > 0 || half == 0 && n.Bit(0) != 0
	case RM, RP:
		away = rest.Sign() != 0 && (m.Rounding() == RM) == x.Signbit()
	}
	if away {
		step := int64(1)
		if x.Signbit() {
			step = -1
		}
		n.Add(n, big.NewInt(step))
	}
	return n
}

// limits returns the least and the greatest value of an integer type.
func limits(i Int) (least, greatest *big.Int) {
	one := big.NewInt(1)
	if i.Signed() {
		greatest = new(big.Int).Lsh(one, uint(i.Width()-1))
		return new(big.Int).Neg(greatest), new(big.Int).Sub(greatest, one)
	}
	return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, uint(i.Width())), one)
}

// TestFloatToInt compares every pair of types with exact arithmetic, all values of the 16-bit formats.
func TestFloatToInt(t *testing.T) {
	for _, from := range []Format{F16, BF16, F32, F64} {
		for to := U8; to <= S64; to++ {
			r := newRand()
			least, greatest := limits(to)
			values := allValues(from, r, 4000)
			for range 4000 { // about the integers of the type
				n := r.Uint64() >> r.IntN(64)
				values = append(values, IntToFloat([]Int{U64, S64}[r.IntN(2)], from, n, RN)+r.Uint64N(3)-1)
			}
			for _, x := range values {
				if !Finite.Has(from.Classify(x)) {
					continue
				}
				m := roundings[r.IntN(4)]
				want := roundBig(exactOf(from, x), m)
				if want.Cmp(least) < 0 {
					want = least
				}
				if want.Cmp(greatest) > 0 {
					want = greatest
				}
				bits := want.Uint64()
				if want.Sign() < 0 {
					bits = uint64(want.Int64())
				}
				if got := FloatToInt(from, to, x, m); got != bits {
					t.Fatalf("%v %x to int type %d in mode %x: got %x, want %x", from, x, to, m, got, bits)
				}
			}
		}
	}
}

// TestFloatToIntSpecials has infinities, NaN and flushing.
func TestFloatToIntSpecials(t *testing.T) {
	tests := []struct {
		from Format
		to   Int
		x    uint64
		m    Mode
		want uint64
	}{
		{F32, S32, 0x7F800000, RZ, 0x7FFFFFFF},
		{F32, S32, 0xFF800000, RZ, 0xFFFFFFFF80000000},
		{F32, U32, 0xFF800000, RN, 0},
		{F32, S32, 0x7FC00000, RZ, 0},
		{F32, U64, 0x7FC00000, RZ, 0x8000000000000000},
		{F16, S64, 0xFE00, RZ, 0x8000000000000000},
		{F64, U8, 0x7FF8000000000000, RZ, 0x80},
		{F64, S8, 0x7FF8000000000000, RZ, 0xFFFFFFFFFFFFFF80},
		{F64, U32, 0xFFF8000000000000, RZ, 0x80000000},
		{F32, S32, 0x00000001, RP, 1},
		{F32, S32, 0x00000001, RP | Ftz, 0},
		{F32, S32, 0x80000001, RM, 0xFFFFFFFFFFFFFFFF},
		{F32, S32, 0x80000001, RM | Ftz, 0},
	}
	for _, c := range tests {
		if got := FloatToInt(c.from, c.to, c.x, c.m); got != c.want {
			t.Errorf("%v %x to int type %d in mode %x: got %x, want %x", c.from, c.x, c.to, c.m, got, c.want)
		}
	}
}

// TestIntToFloat compares every pair of types with the oracle.
func TestIntToFloat(t *testing.T) {
	for from := U8; from <= S64; from++ {
		for _, to := range []Format{F16, BF16, F32, F64} {
			r := newRand()
			for range 5000 {
				x := r.Uint64() >> r.IntN(64)
				if r.IntN(3) == 0 { // long runs of zeros, for ties
					x = 1<<r.IntN(64) + 1<<r.IntN(64) + r.Uint64N(3) - 1
				}
				unused := 64 - from.Width()
				exact := new(big.Float).SetPrec(oraclePrecision).SetUint64(x << unused >> unused)
				if from.Signed() {
					exact.SetInt64(int64(x<<unused) >> unused)
				}
				m := roundings[r.IntN(4)] | []Mode{0, Sat}[r.IntN(2)]
				if got, want := IntToFloat(from, to, x, m), oracle(to, exact, m); got != want {
					t.Fatalf("int type %d %x to %v in mode %x: got %x, want %x", from, x, to, m, got, want)
				}
			}
		}
	}
}

// TestRoundToIntegral compares with exact arithmetic, all values of the 16-bit formats.
func TestRoundToIntegral(t *testing.T) {
	for _, f := range []Format{F16, BF16, F32, F64} {
		r := newRand()
		for _, x := range allValues(f, r, 20000) {
			if !Finite.Has(f.Classify(x)) {
				continue
			}
			for _, m := range roundings[:4] {
				exact := new(big.Float).SetPrec(oraclePrecision).SetInt(roundBig(exactOf(f, x), m))
				if exact.Sign() == 0 && exactOf(f, x).Signbit() {
					exact.Neg(exact)
				}
				if got, want := RoundToIntegral(f, x, m), oracle(f, exact, m); got != want {
					t.Fatalf("%v %x in mode %x: got %x, want %x", f, x, m, got, want)
				}
			}
		}
	}
	tests := []struct {
		f    Format
		x    uint64
		m    Mode
		want uint64
	}{
		{F32, 0xFFA00001, RN, 0x7FFFFFFF},
		{F32, 0xFFA00001, RN | Sat, 0},
		{F32, 0xFF800000, RZ, 0xFF800000},
		{F32, 0x7F800000, RZ | Sat, 0x3F800000},
		{F32, 0x00000001, RP, 0x3F800000},
		{F32, 0x00000001, RP | Ftz, 0},
		{F64, 0xFFF0000000000001, RN, 0xFFF8000000000001},
	}
	for _, c := range tests {
		if got := RoundToIntegral(c.f, c.x, c.m); got != c.want {
			t.Errorf("%v %x in mode %x: got %x, want %x", c.f, c.x, c.m, got, c.want)
		}
	}
}

// TestPacked has the order of packed values and the saturation of packed integers.
func TestPacked(t *testing.T) {
	tests := []struct {
		name      string
		got, want uint32
	}{
		{"f16x2 from f32", ConvertPair(F32, F16, 0x3F800000, 0xC0000000, RN), 0x3C00C000},
		{"e4m3x2 from f32", ConvertPair(F32, E4M3, 0x3F800000, 0xC0000000, SatFinite), 0x38C0},
		{"e2m3x2 from f32", ConvertPair(F32, E2M3, 0x3F800000, 0xC0000000, SatFinite), 0x0830},
		{"e2m1x2 from f32", ConvertPair(F32, E2M1, 0x3F800000, 0xC0000000, SatFinite), 0x2C},
		{"f16x2 from e5m2x2", ConvertX2(E5M2, F16, 0x3CC0, RN), 0x3C00C000},
		{"e5m2x2 from f16x2", ConvertX2(F16, E5M2, 0x3C00C000, SatFinite), 0x3CC0},
		{"f16x2 from e2m1x2", ConvertX2(E2M1, F16, 0x2C, RN), 0x3C00C000},
		{"bf16x2 from ue8m0x2", ConvertX2(UE8M0, BF16, 0x7F80, RN), 0x3F804000},
		{"u16 below zero and above", PackInts(-1, 70000, 0xDEADBEEF, 16, false), 0x0000FFFF},
		{"s16 below and above", PackInts(-40000, 40000, 0xDEADBEEF, 16, true), 0x80007FFF},
		{"u8 above c", PackInts(300, -3, 0xDEADBEEF, 8, false), 0xBEEFFF00},
		{"s4", PackInts(-100, 100, 0x12345678, 4, true), 0x34567887},
		{"u2", PackInts(2, 9, 0xF0000001, 2, false), 0x0000001B},
		{"s2", PackInts(-9, 9, 0, 2, true), 0x9},
	}
	for _, c := range tests {
		if c.got != c.want {
			t.Errorf("%s: got %08x, want %08x", c.name, c.got, c.want)
		}
	}
}

// TestFormats has the facts of every format.
func TestFormats(t *testing.T) {
	want := map[Format]struct {
		name  string
		width int
		nan   uint64
	}{
		F16: {"f16", 16, 0x7FFF}, BF16: {"bf16", 16, 0x7FFF}, TF32: {"tf32", 32, 0x7FFFE000},
		F32: {"f32", 32, 0x7FFFFFFF}, F64: {"f64", 64, 0xFFF8000000000000},
		E4M3: {"e4m3", 8, 0x7F}, E5M2: {"e5m2", 8, 0x7F}, E2M3: {"e2m3", 6, 0x1F}, E3M2: {"e3m2", 6, 0x1F},
		E2M1: {"e2m1", 4, 7}, UE8M0: {"ue8m0", 8, 0xFF},
	}
	for f := range formatCount {
		w, found := want[f]
		if !found || f.String() != w.name || f.Width() != w.width || f.NaN() != w.nan {
			t.Errorf("format %d is %q of %d bits with NaN %x, want %+v", f, f, f.Width(), f.NaN(), w)
		}
	}
	if formatCount.String() != "invalid format" {
		t.Errorf("a format past the last is named %q", formatCount)
	}
}
