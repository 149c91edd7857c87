package profile

import (
	"math/rand/v2"
	"testing"

	"silica/internal/exec"
	"silica/internal/isa"
)

// TestSpansCountAsTheirAccesses compares spans with each of their accesses alone.
func TestSpansCountAsTheirAccesses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, space := range []isa.Space{isa.Global, isa.Shared} {
		together, alone := newObserver([][]site{{{}}}, 1), newObserver([][]site{{{}}}, 1)
		for range 5000 {
			size := 1 << r.IntN(4)
			x := exec.Span{Mask: ^uint32(0), Times: 1 + r.Uint64N(70), Step: uint64(int64((r.IntN(200) - 100) * size))}
			if r.IntN(3) == 0 {
				x.Mask = []uint32{1 << r.IntN(32), r.Uint32()&r.Uint32() | 1, 0xffff, 0xffff0000, 0x00ff00ff, r.Uint32() << 16, 0x0f0f0f0f}[r.IntN(7)]
				if x.Mask == 0 {
					continue
				}
			}
			x.Base[0] = 1<<30 + uint64(r.IntN(64)*size)
			x.Base[1] = x.Base[0] + []uint64{0, 16 * uint64(size), 4000, uint64(r.IntN(100) * size)}[r.IntN(4)]
			x.Contiguous = [2]bool{r.IntN(2) > 0, r.IntN(2) > 0}
			a := exec.Access{Space: space, Bytes: size, Times: 1, Spans: []exec.Span{x}}
			before, was := together.traffic[0], alone.traffic[0]
			together.Access(&a)
			addr := x.Addresses(size)
			for range x.Times {
				alone.Access(&exec.Access{Space: space, Bytes: size, Times: 1, Mask: x.Mask, Addr: &addr})
				for lane := range addr {
					addr[lane] += x.Step
				}
			}
			got, want := together.traffic[0], alone.traffic[0]
			got.Stride, got.StrideVotes, want.Stride, want.StrideVotes = 0, 0, 0, 0
			if got != want {
				t.Fatalf("%s, %d bytes, %+v:\n%+v\n%+v, before\n%+v\n%+v", space, size, x, got, want, before, was)
			}
			if got, want := together.read.bytes(), alone.read.bytes(); got != want {
				t.Fatalf("%s, %d bytes, %+v: %d bytes touched, want %d", space, size, x, got, want)
			}
		}
	}
}

// TestUnitsCountAsTheirAccesses compares lists of accesses, which come again at other places, with each of them alone.
func TestUnitsCountAsTheirAccesses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, space := range []isa.Space{isa.Global, isa.Shared} {
		together, alone := newObserver([][]site{{{}}}, 1), newObserver([][]site{{{}}}, 1)
		lists := make([][][32]uint64, 70) // more than are kept
		for i := range lists {
			lists[i] = make([][32]uint64, 1+r.IntN(8))
			for unit := range lists[i] {
				first, row, column := r.Uint64N(64)*16, r.Uint64N(300)*16, r.Uint64N(3)*4
				for lane := range lists[i][unit] {
					lists[i][unit][lane] = first + uint64(lane/4)*row + uint64(lane%4)*column
				}
			}
		}
		for range 3000 {
			units, base := lists[r.IntN(len(lists))], 1<<30+r.Uint64N(1000)*32
			together.Access(&exec.Access{Space: space, Bytes: 4, Times: 1, Units: units, Base: base})
			for _, addr := range units {
				for lane := range addr {
					addr[lane] += base
				}
				alone.Access(&exec.Access{Space: space, Bytes: 4, Times: 1, Mask: fullWarp, Addr: &addr})
			}
			if got, want := together.traffic[0], alone.traffic[0]; got != want {
				t.Fatalf("%s, %d accesses:\n%+v\n%+v", space, len(units), got, want)
			}
			if got, want := together.read.bytes(), alone.read.bytes(); got != want {
				t.Fatalf("%s, %d accesses: %d bytes touched, want %d", space, len(units), got, want)
			}
		}
	}
}
