package fp

import "testing"

// Operands for the benchmarks: ordinary numbers of f32.
func benchOperands() (list [1024]uint32) {
	r := newRand()
	for i := range list {
		list[i] = 0x3F000000 + r.Uint32N(1<<25) | r.Uint32()&sign32
	}
	return list
}

var sink uint64

// benchmark32 times a function of up to three f32 operands.
func benchmark32(b *testing.B, f func(x, y, z uint32) uint32) {
	x := benchOperands()
	var sum uint32
	for i := 0; b.Loop(); i++ {
		sum += f(x[i&1023], x[(i+1)&1023], x[(i+7)&1023])
	}
	sink = uint64(sum)
}

func BenchmarkAdd32(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 { return Add32(x, y, RN) })
}

func BenchmarkAdd32Ftz(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 { return Add32(x, y, Ftz) })
}

func BenchmarkAdd32TowardZero(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 { return Add32(x, y, RZ) })
}

func BenchmarkMul32(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 { return Mul32(x, y, RN) })
}

func BenchmarkFma32(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 { return Fma32(x, y, z, RN) })
}

func BenchmarkFma32Ftz(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 { return Fma32(x, y, z, Ftz) })
}

func BenchmarkDiv32(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 { return Div32(x, y, RN) })
}

func BenchmarkMin32(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 { return Min32(x, y, RN) })
}

func BenchmarkFma64(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 {
		return uint32(Fma64(uint64(x)<<32, uint64(y)<<32, uint64(z)<<32, RN))
	})
}

func BenchmarkFma16(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 {
		return uint32(Fma16(F16, uint16(x>>8), uint16(y>>8), uint16(z>>8), RN))
	})
}

func BenchmarkF32ToF16(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 { return uint32(Convert(F32, F16, uint64(x), RN)) })
}

func BenchmarkF16ToF32(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 { return uint32(Convert(F16, F32, uint64(x&0x3FFF), RN)) })
}

func BenchmarkF32ToF64(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 { return uint32(Convert(F32, F64, uint64(x), RN) >> 32) })
}

func BenchmarkF32ToS32(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 { return uint32(FloatToInt(F32, S32, uint64(x), RZ)) })
}

func BenchmarkS32ToF32(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 { return uint32(IntToFloat(S32, F32, uint64(x), RN)) })
}

func BenchmarkU64ToF32(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 { return uint32(IntToFloat(U64, F32, uint64(x)<<20, RN)) })
}

func BenchmarkEx2Approx32(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 { return Ex2Approx32(x, Ftz) })
}

func BenchmarkSinApprox32(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 { return SinApprox32(x) })
}

func BenchmarkCompare32(b *testing.B) {
	benchmark32(b, func(x, y, z uint32) uint32 { return uint32(Compare32(x, y, RN)) })
}
