package mma

import (
	"math/rand/v2"
	"testing"
	"unsafe"
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
				src[i][lane] = r.Uint64()&^0x4040_4040_4040_4040 | 0x3030_3030_3030_3030 // finite in every type, and not far from 1
			}
		}
		dst := make([]Register, p.d.Registers())
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				p.Run(src, dst, ^uint32(0))
			}
		})
		if !p.Chains() {
			continue
		}
		rows := make([]Row, len(src)+len(dst))
		placed := Placed{Product: p}
		for i := range rows {
			if i >= len(src) {
				placed.Dst = append(placed.Dst, i*rowBytes)
				continue
			}
			placed.Src = append(placed.Src, i*rowBytes)
			for lane, v := range src[i] {
				rows[i][lane] = uint32(v)
			}
		}
		x, chain := NewScratch(), NewChain([]Placed{placed})
		b.Run(c.name+" rows", func(b *testing.B) {
			for b.Loop() {
				if chain.Run(x, unsafe.Pointer(&rows[0])) == 0 {
					b.Fatal("the elements are not for tiles")
				}
			}
			b.ReportMetric(2*float64(c.spec.M*c.spec.N*c.spec.K*b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		})
	}
}

func BenchmarkWarpgroup(b *testing.B) {
	for _, c := range []struct {
		name string
		spec Spec
	}{
		{"m64n256k16 f16 f32", Spec{M: 64, N: 256, K: 16, A: F16, B: F16, D: F32}},
		{"m64n256k16 f16 f16", Spec{M: 64, N: 256, K: 16, A: F16, B: F16, D: F16}},
		{"m64n256k32 sparse f16", Spec{M: 64, N: 256, K: 32, A: F16, B: F16, D: F32, Sparse: true}},
		{"m64n256k8 tf32", Spec{M: 64, N: 256, K: 8, A: TF32, B: TF32, D: F32}},
		{"m64n256k32 e4m3", Spec{M: 64, N: 256, K: 32, A: E4M3, B: E4M3, D: F32}},
		{"m64n256k32 s8", Spec{M: 64, N: 256, K: 32, A: S8, B: S8, D: S32}},
		{"m64n256k256 b1", Spec{M: 64, N: 256, K: 256, A: B1, B: B1, D: S32, And: true}},
	} {
		p := Warpgroup(c.spec)
		r := rand.New(rand.NewPCG(1, 2))
		x := &WarpgroupFactors{B: make([]byte, c.spec.N*p.ColumnBytes())}
		for i := range x.B {
			x.B[i] = byte(r.Uint32())&^0x40 | 0x30 // not far from 1 in every type
		}
		tiles := make([]Tile, 4)
		for i := range tiles {
			t := &tiles[i]
			for j := range t.A {
				t.A[j] = byte(r.Uint32())&^0x40 | 0x30
			}
			t.Accumulate, t.Meta = true, new([lanes]uint32)
			for lane := range t.Meta {
				t.Meta[lane] = 0x44444444
			}
			for range c.spec.N * c.spec.D.Bits() / 64 {
				t.C, t.D = append(t.C, new([lanes]uint32)), append(t.D, new([lanes]uint32))
			}
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				p.Run(x, tiles)
			}
			b.ReportMetric(2*64*float64(c.spec.N)*float64(c.spec.K)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
