package mma

import (
	"math/rand/v2"
	"testing"
)

func BenchmarkProduct(b *testing.B) {
	for _, c := range []struct {
		name string
		spec Spec
	}{
		{"m16n8k16 f16 f32", Spec{M: 16, N: 8, K: 16, A: F16, B: F16, C: F32, D: F32}},
		{"m16n8k16 f16 f16", Spec{M: 16, N: 8, K: 16, A: F16, B: F16, C: F16, D: F16}},
		{"m16n8k8 tf32", Spec{M: 16, N: 8, K: 8, A: TF32, B: TF32, C: F32, D: F32}},
		{"m16n8k32 e4m3", Spec{M: 16, N: 8, K: 32, A: E4M3, B: E4M3, C: F32, D: F32}},
		{"m16n8k32 s8", Spec{M: 16, N: 8, K: 32, A: S8, B: S8, C: S32, D: S32}},
		{"m8n8k4 f64", Spec{M: 8, N: 8, K: 4, A: F64, B: F64, C: F64, D: F64}},
	} {
		p := MMA(c.spec)
		r := rand.New(rand.NewPCG(1, 2))
		src := make([]Register, p.a.Registers()+p.b.Registers()+p.c.Registers())
		for i := range src {
			for lane := range lanes {
				src[i][lane] = r.Uint64() &^ 0x4040_4040_4040_4040 // finite in every type
			}
		}
		dst := make([]Register, p.d.Registers())
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				p.Run(src, dst, ^uint32(0))
			}
		})
	}
}
