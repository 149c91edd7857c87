package mma

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestVectorUnitAgrees compares the vector unit with the sums of one element at a time, on any bits: denormals,
// zeros, wide ranges of exponents, and now and then infinities and NaNs, which the unit leaves alone.
func TestVectorUnitAgrees(t *testing.T) {
	if newVectorUnit() == nil {
		t.Log("this CPU has no vector unit")
		return
	}
	specs := []Spec{
		{M: 16, N: 8, K: 8, A: F16, B: F16, C: F32, D: F32},
		{M: 16, N: 8, K: 16, A: F16, B: F16, C: F16, D: F16},
		{M: 16, N: 8, K: 16, A: BF16, B: BF16, C: F32, D: F32},
		{M: 16, N: 8, K: 4, A: TF32, B: TF32, C: F32, D: F32},
		{M: 16, N: 8, K: 32, A: E4M3, B: E5M2, C: F32, D: F32},
		{M: 16, N: 8, K: 16, A: E5M2, B: E4M3, C: F16, D: F16},
		{M: 8, N: 8, K: 16, A: S8, B: U8, C: S32, D: S32, Saturate: true},
		{M: 16, N: 8, K: 32, A: U8, B: S8, C: S32, D: S32},
		{M: 16, N: 8, K: 64, A: S4, B: U4, C: S32, D: S32, Saturate: true},
		{M: 8, N: 8, K: 32, A: U4, B: S4, C: S32, D: S32},
	}
	wide := []Spec{
		{M: 16, N: 16, K: 16, A: F16, B: F16, C: F32, D: F16},
		{M: 8, N: 32, K: 16, A: F16, B: F16, C: F16, D: F32},
		{M: 32, N: 8, K: 16, A: BF16, B: BF16, C: F32, D: F32},
		{M: 16, N: 16, K: 8, A: TF32, B: TF32, C: F32, D: F32},
		{M: 8, N: 32, K: 16, A: S8, B: S8, C: S32, D: S32},
		{M: 32, N: 8, K: 16, A: U8, B: U8, C: S32, D: S32, Saturate: true},
	}
	var products []*Product
	for _, s := range specs {
		products = append(products, MMA(s))
	}
	for _, s := range wide {
		products = append(products, WMMA(s))
	}
	rapid.Check(t, func(t *rapid.T) {
		p := products[rapid.IntRange(0, len(products)-1).Draw(t, "product")]
		if !p.Chains() {
			t.Fatalf("%v by %v has no rows", p.a.Element, p.b.Element)
		}
		// Bits that stay clear keep most values finite.
		clearBits := rapid.SampledFrom([]uint64{0, 0x4040_4040, 0x6060_6060, 0x7878_7878, 0x7F7F_0000}).Draw(t, "clear")
		seed := rapid.Uint64().Draw(t, "seed")
		src := make([]Register, p.a.Registers()+p.b.Registers()+p.c.Registers())
		for i := range src {
			for lane := range lanes {
				seed = seed*6364136223846793005 + 1442695040888963407
				src[i][lane] = seed >> 32 &^ clearBits
			}
		}
		want, got := make([]Register, p.d.Registers()), make([]Register, p.d.Registers())
		p.run(&p.shape, src, want, 1<<lanes-1)
		runWarp(p, src, got)
		for r := range want {
			for lane := range lanes {
				if got[r][lane] != want[r][lane] {
					t.Fatalf("%v by %v: register %d, lane %d: 0x%x, want 0x%x", p.a.Element, p.b.Element, r, lane, got[r][lane], want[r][lane])
				}
			}
		}
	})
}

// TestTermsAtTheCut compares products whose terms have few bits, often at the last bit that is kept and just below: multiples of it and
// others, of both signs, zeros of both signs and denormals.
func TestTermsAtTheCut(t *testing.T) {
	if routines() == nil {
		t.Log("this CPU has no tile unit")
		return
	}
	layouts := map[Element]struct{ exponent, fraction, ignored int }{
		F16: {5, 10, 0}, BF16: {8, 7, 0}, TF32: {8, 23, 13}, E4M3: {4, 3, 0}, E5M2: {5, 2, 0}, F32: {8, 23, 0},
	}
	r := rand.New(rand.NewPCG(7, 8))
	element := func(e Element) uint64 {
		l := layouts[e]
		bias := 1<<(l.exponent-1) - 1
		least := 1
		if l.exponent == 8 { // of which tiles take those near 1
			least = bias - 14
		}
		exponent := []int{0, least, bias, bias + 1, bias - 1 - r.IntN(min(bias-1, 14))}[r.IntN(5)]
		fraction := []int{0, 0, 1 << l.ignored, 1 << (l.fraction - 1), 1<<l.fraction - 1}[r.IntN(5)]
		if e == F32 {
			exponent = []int{0, bias, bias + 1, bias - r.IntN(8)}[r.IntN(4)]
		}
		if exponent == 0 && e != F16 && e != E4M3 && e != E5M2 {
			fraction = 0
		}
		return uint64(r.IntN(2))<<(l.exponent+l.fraction) | uint64(exponent)<<l.fraction | uint64(fraction)
	}
	fill := func(to []Register, e Element) {
		for i := range to {
			for lane := range lanes {
				for at := 0; at < 32; at += e.Bits() {
					to[i][lane] |= element(e) << at
				}
			}
		}
	}
	for _, s := range []Spec{
		{M: 16, N: 8, K: 8, A: F16, B: F16, C: F32, D: F32}, {M: 16, N: 8, K: 16, A: F16, B: F16, C: F32, D: F32},
		{M: 16, N: 8, K: 16, A: F16, B: F16, C: F16, D: F16}, {M: 16, N: 8, K: 16, A: BF16, B: BF16, C: F32, D: F32},
		{M: 16, N: 8, K: 8, A: TF32, B: TF32, C: F32, D: F32}, {M: 16, N: 8, K: 4, A: TF32, B: TF32, C: F32, D: F32},
		{M: 16, N: 8, K: 32, A: E4M3, B: E5M2, C: F32, D: F32}, {M: 16, N: 8, K: 16, A: E5M2, B: E4M3, C: F16, D: F16},
	} {
		p, fast := MMA(s), 0
		for range 300 {
			a, b := p.a.Registers(), p.b.Registers()
			src := make([]Register, a+b+p.c.Registers())
			fill(src[:a], s.A)
			fill(src[a:][:b], s.B)
			fill(src[a+b:], s.C)
			want, got := make([]Register, p.d.Registers()), make([]Register, p.d.Registers())
			p.run(&p.shape, src, want, 1<<lanes-1)
			if !runRows(p, src, got) {
				continue
			}
			fast++
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%v by %v to %v: %s", s.A, s.B, s.D, diff)
			}
		}
		if fast == 0 {
			t.Errorf("%v by %v to %v: never computed by tiles", s.A, s.B, s.D)
		}
	}
}

// TestDoublesAgree compares products of f64 with those of one element at a time, on any bits.
func TestDoublesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom([]Spec{{M: 8, N: 8, K: 4}, {M: 16, N: 8, K: 4}, {M: 16, N: 8, K: 8}, {M: 16, N: 8, K: 16}}).Draw(t, "shape")
		s.A, s.B, s.C, s.D = F64, F64, F64, F64
		p := MMA(s)
		plain := bind(p.shape, fmaChain(s.Mode))
		keep := ^rapid.SampledFrom([]uint64{0, 0x7000 << 48, 0x7FE0 << 48, 0x0FF0 << 48}).Draw(t, "clear")
		src := make([]Register, p.a.Registers()+p.b.Registers()+p.c.Registers())
		seed := rapid.Uint64().Draw(t, "seed")
		for i := range src {
			for lane := range lanes {
				seed = seed*6364136223846793005 + 1442695040888963407
				src[i][lane] = seed & keep
			}
		}
		active := rapid.SampledFrom([]uint32{1<<lanes - 1, 1, 0x0000_FFFF}).Draw(t, "active")
		want, got := make([]Register, p.d.Registers()), make([]Register, p.d.Registers())
		plain.Run(src, want, active)
		p.Run(src, got, active)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// runWarp computes a product of a whole warp as the default engine does.
func runWarp(p *Product, src, dst []Register) {
	if !p.Chains() || !runRows(p, src, dst) {
		p.Run(src, dst, 1<<lanes-1)
	}
}

// runRows computes a product by a chain, of which D has the registers of C where that is possible.
func runRows(p *Product, src, dst []Register) bool {
	rows := make([]Row, len(src)+len(dst))
	place := Placed{Product: p}
	for i := range rows {
		if i < len(src) {
			for lane, v := range src[i] {
				rows[i][lane] = uint32(v)
			}
			place.Src = append(place.Src, i*rowBytes)
		} else if place.Dst = append(place.Dst, i*rowBytes); len(dst) == p.c.Registers() {
			place.Dst[i-len(src)] = (p.Factors() + i - len(src)) * rowBytes
		}
	}
	before := slices.Clone(rows)
	if NewChain([]Placed{place}).Run(NewScratch(), unsafe.Pointer(&rows[0])) == 0 {
		if !slices.Equal(rows, before) {
			panic("a product that failed has changed registers")
		}
		return false
	}
	for i := range dst {
		for lane, v := range rows[place.Dst[i]/rowBytes] {
			dst[i][lane] = uint64(v)
		}
	}
	return true
}
