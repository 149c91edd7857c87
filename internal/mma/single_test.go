package mma

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
)

// TestSinglesAgree compares products whose C is ahead of all terms, by as little as singles need and more, with those computed an element at a
// time: the greatest and least fractions, zeros of both signs, denormals, all exponents below the largest.
func TestSinglesAgree(t *testing.T) {
	if routines() == nil || !sumsSingles() {
		t.Log("this CPU has no sums of singles")
		return
	}
	r := rand.New(rand.NewPCG(5, 6))
	formats := map[Element]struct{ fraction, bias, least, most int }{F16: {10, 15, 0, 30}, BF16: {7, 127, 90, 140}}
	for _, s := range []Spec{
		{M: 16, N: 8, K: 16, A: F16}, {M: 16, N: 8, K: 8, A: F16}, {M: 16, N: 8, K: 16, A: BF16}, {M: 16, N: 8, K: 8, A: BF16},
		{M: 16, N: 16, K: 16, A: F16}, {M: 8, N: 32, K: 16, A: F16}, {M: 32, N: 8, K: 16, A: BF16},
	} {
		s.B, s.C, s.D = s.A, F32, F32
		p := MMA(s)
		if s.M*s.N != 16*8 {
			p = WMMA(s)
		}
		f, computed := formats[s.A], 0
		fraction := func(bits int) int { return []int{0, 1, 1<<bits - 1, 1 << (bits - 1), r.IntN(1 << bits)}[r.IntN(5)] }
		for range 600 {
			zeros, negative := r.IntN(3), r.IntN(3)
			var largest [2]int
			fill := func(rows []Row, largest *int) {
				*largest = f.least + 1 + r.IntN(f.most-f.least)
				for i := range rows {
					for lane := range lanes {
						for half := range 2 {
							exponent := max(*largest-r.IntN(1+r.IntN(20)), f.least)
							bits := exponent<<f.fraction | fraction(f.fraction)
							if zeros > 0 && r.IntN(4) == 0 || s.A == BF16 && exponent == 0 {
								bits = 0
							}
							if negative > 0 && r.IntN(3-negative+1) == 0 {
								bits |= 1 << 15
							}
							rows[i][lane] |= uint32(bits) << (16 * half)
						}
					}
				}
			}
			a, b := p.a.Registers(), p.b.Registers()
			rows := make([]Row, a+b+2*p.c.Registers())
			fill(rows[:a], &largest[0])
			fill(rows[a:a+b], &largest[1])
			product := largest[0] + largest[1] - 2*f.bias + singleBias
			first := max(product+aheadOfFour+r.IntN(3), 1)
			if first > mostExponent {
				continue
			}
			spread := 1 + r.IntN(min(30, mostExponent-first+1))
			c := rows[a+b:][:p.c.Registers()]
			for i := range c {
				for lane := range lanes {
					c[i][lane] = uint32(r.IntN(2)<<31 | (first+r.IntN(spread))<<23 | fraction(23))
				}
			}
			var src []Register
			placed := Placed{Product: p}
			for i := range rows {
				at := i * rowBytes
				if i >= a+b+len(c) {
					placed.Dst = append(placed.Dst, at)
					continue
				}
				placed.Src = append(placed.Src, at)
				src = append(src, Register{})
				for lane, v := range rows[i] {
					src[i][lane] = uint64(v)
				}
			}
			want, got := make([]Register, len(c)), make([]Register, len(c))
			p.run(&p.shape, src, want, 1<<lanes-1)
			x := NewScratch()
			if NewChain([]Placed{placed}).Run(x, unsafe.Pointer(&rows[0])) == 0 {
				continue
			}
			if x.a[0].factor.single == 1 && x.a[0].factor.full == 0 {
				computed++
			}
			for i, row := range rows[a+b+len(c):] {
				for lane, v := range row {
					got[i][lane] = uint64(v)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%d by %d by %d of %v: %s", s.M, s.N, s.K, s.A, diff)
			}
		}
		if computed < 100 {
			t.Errorf("%d by %d by %d of %v: %d products of singles", s.M, s.N, s.K, s.A, computed)
		}
	}
}
