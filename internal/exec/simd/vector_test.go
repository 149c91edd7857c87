package simd

import (
	"math/bits"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
)

// TestRoutinesAgree compares the routines chosen for this CPU with the portable ones on random masks
// and on uniform, contiguous and scattered addresses.
func TestRoutinesAgree(t *testing.T) {
	unit, portable := detect(), portableUnit()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		var addr [3][32]uint64
		var mask [3]uint32
		stride := uint64(1) << rng.IntN(5)
		for w := range addr {
			mask[w] = rng.Uint32() & rng.Uint32()
			if rng.IntN(4) == 0 {
				mask[w] = ^uint32(0)
			}
			base := rng.Uint64() >> rng.IntN(40)
			kind := rng.IntN(3)
			for i := range addr[w] {
				switch {
				case mask[w]>>i&1 == 0 || kind == 0:
					addr[w][i] = rng.Uint64() >> rng.IntN(60)
				case kind == 1:
					addr[w][i] = base
				default:
					addr[w][i] = base + uint64(i)*stride
				}
			}
		}
		var got, want [3]pattern
		unit.patterns(unsafe.Pointer(&addr), &mask[0], stride, 3, &got[0])
		portable.patterns(unsafe.Pointer(&addr), &mask[0], stride, 3, &want[0])
		for w := range got {
			if got[w].kind != scattered {
				got[w].high, got[w].bits = 0, 0
			}
			if got[w] != want[w] {
				t.Fatalf("warp %d mask %08x addresses %x stride %d: %+v, portable %+v", w, mask[w], addr[w], stride, got[w], want[w])
			}
		}
	}
	for range 1000 {
		m := rng.Uint32()
		src, got, want := new([32]uint64), new([32]uint64), new([32]uint64)
		var places [32]uint64
		for i := range src {
			src[i], got[i], places[i] = rng.Uint64(), rng.Uint64(), uint64(rng.IntN(32)*8)
		}
		base := uint64(uintptr(unsafe.Pointer(src)))
		for name, f := range map[string][2]func(d unsafe.Pointer){
			"copy32": {func(d unsafe.Pointer) { unit.copy32(d, unsafe.Pointer(src), m) }, func(d unsafe.Pointer) { portable.copy32(d, unsafe.Pointer(src), m) }},
			"copy64": {func(d unsafe.Pointer) { unit.copy64(d, unsafe.Pointer(src), m) }, func(d unsafe.Pointer) { portable.copy64(d, unsafe.Pointer(src), m) }},
			"fill32": {func(d unsafe.Pointer) { unit.fill32(d, uint32(src[0]), m) }, func(d unsafe.Pointer) { portable.fill32(d, uint32(src[0]), m) }},
			"fill64": {func(d unsafe.Pointer) { unit.fill64(d, src[0], m) }, func(d unsafe.Pointer) { portable.fill64(d, src[0], m) }},
			"gather32": {
				func(d unsafe.Pointer) { unit.gather32(d, unsafe.Pointer(&places), base, m) },
				func(d unsafe.Pointer) { portable.gather32(d, unsafe.Pointer(&places), base, m) },
			},
			"gather64": {
				func(d unsafe.Pointer) { unit.gather64(d, unsafe.Pointer(&places), base, m) },
				func(d unsafe.Pointer) { portable.gather64(d, unsafe.Pointer(&places), base, m) },
			},
			"scatter32": {
				func(d unsafe.Pointer) {
					unit.scatter32(unsafe.Pointer(src), unsafe.Pointer(&places), uint64(uintptr(d)), m)
				},
				func(d unsafe.Pointer) {
					portable.scatter32(unsafe.Pointer(src), unsafe.Pointer(&places), uint64(uintptr(d)), m)
				},
			},
			"scatter64": {
				func(d unsafe.Pointer) {
					unit.scatter64(unsafe.Pointer(src), unsafe.Pointer(&places), uint64(uintptr(d)), m)
				},
				func(d unsafe.Pointer) {
					portable.scatter64(unsafe.Pointer(src), unsafe.Pointer(&places), uint64(uintptr(d)), m)
				},
			},
			"widen32": {func(d unsafe.Pointer) { unit.widen32(d, unsafe.Pointer(src), 1) }, func(d unsafe.Pointer) { portable.widen32(d, unsafe.Pointer(src), 1) }},
		} {
			*want = *got
			f[0](unsafe.Pointer(got))
			f[1](unsafe.Pointer(want))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s with mask %08x (%d lanes): %s", name, m, bits.OnesCount32(m), diff)
			}
		}
	}
}
