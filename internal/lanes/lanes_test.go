package lanes

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// patterns are addresses of many kinds.
func pattern(r *rand.Rand) (addr [Count]uint64, lanes uint32, k Key) {
	size := r.Uint64N(6)
	k = Key{Shift: size, Coarse: 5 - size, Coarser: 7 - size}
	if r.IntN(3) == 0 {
		k = Key{Shift: 2, Rotate: 5, Coarse: 27, Coarser: 27}
	}
	lanes = ^uint32(0)
	switch r.IntN(4) {
	case 0:
		lanes = r.Uint32() | 1<<r.IntN(Count)
	case 1:
		lanes = 1 << r.IntN(Count)
	}
	base, span := r.Uint64()>>r.IntN(64), uint64(1)<<r.IntN(40)
	for lane := range addr {
		switch {
		case lane > 0 && r.IntN(8) == 0:
			addr[lane] = addr[r.IntN(lane)]
		case span < 4 || lane > 0 && r.IntN(2) == 0:
			addr[lane] = base + uint64(lane)<<(size+span%7)
		default:
			addr[lane] = base + r.Uint64N(span)
		}
		addr[lane] = addr[lane] >> size << size
	}
	if r.IntN(16) == 0 {
		addr[r.IntN(Count)] = ^uint64(0) >> size << size
	}
	return addr, lanes, k
}

// TestSort compares the machine code, where there is some, and the Go code with counting by maps.
func TestSort(t *testing.T) {
	type sorter func(*Order, *[Count]uint64, uint32, *Key, *[Count]uint64) uint32
	sorters := map[string]sorter{"go": (*Order).sort, "chosen": (*Order).Sort}
	r := rand.New(rand.NewPCG(1, 2))
	for range 50000 {
		addr, lanes, k := pattern(r)
		for name, sort := range sorters {
			var o Order
			var groups [Count]uint64
			sorted := sort(&o, &addr, lanes, &k, &groups)
			want, listed := count(&addr, sorted, &k)
			if bad := lanes &^ sorted; bad != 0 && addr[bits.TrailingZeros32(bad)]>>k.Shift>>32 == addr[bits.TrailingZeros32(lanes)]>>k.Shift>>32 {
				t.Fatalf("%s: %#x of lanes %#x of %#x, %+v are sorted", name, sorted, lanes, addr, k)
			}
			got := counts{
				o.N, bits.OnesCount32(o.Keys), bits.OnesCount32(o.Groups), bits.OnesCount32(o.Wide), Longest(o.Keys, o.N), Longest(o.Groups, o.N),
				Longest(o.Within, uint64(bits.OnesCount32(o.Keys))), o.Rounds(),
			}
			if got != want {
				t.Fatalf("%s: %+v, want %+v, of lanes %#x of %#x, %+v", name, got, want, lanes, addr, k)
			}
			if k.Rotate == 0 && sorted == lanes {
				var d Different
				if ok := d.Of(&addr, lanes, &k); !ok || d != (Different{uint32(want.keys), uint32(want.groups), uint32(want.wide)}) {
					t.Fatalf("%v, %+v are different, want %+v, of lanes %#x of %#x, %+v", ok, d, want, lanes, addr, k)
				}
			}
			for _, g := range groups[:got.groups] {
				if k.Rotate == 0 && !listed[g] {
					t.Fatalf("%s: group %#x of lanes %#x of %#x, %+v", name, g, lanes, addr, k)
				}
				delete(listed, g)
			}
		}
	}
}

type counts struct {
	n                                     uint64
	keys, groups, wide                    int
	lanesOfKey, lanesOfGroup, keysOfGroup uint64 // at most
	rounds                                uint64
}

func count(addr *[Count]uint64, lanes uint32, k *Key) (c counts, listed map[uint64]bool) {
	keys, groups, wide, keysOf, rounds := map[uint32]uint64{}, map[uint32]uint64{}, map[uint32]bool{}, map[uint32]uint64{}, map[uint32]uint64{}
	listed = map[uint64]bool{}
	for ; lanes != 0; lanes &= lanes - 1 {
		a := addr[bits.TrailingZeros32(lanes)] >> k.Shift
		listed[a>>k.Coarse] = true
		key := bits.RotateLeft32(uint32(a), -int(k.Rotate))
		group := key >> k.Coarse
		if keys[key]++; keys[key] == 1 {
			keysOf[group]++
		}
		groups[group]++
		wide[key>>k.Coarser] = true
		c.n++
		c.lanesOfKey, c.lanesOfGroup, c.keysOfGroup = max(c.lanesOfKey, keys[key]), max(c.lanesOfGroup, groups[group]), max(c.keysOfGroup, keysOf[group])
		rounds[group] = max(rounds[group], keys[key])
	}
	for _, n := range rounds {
		c.rounds += n
	}
	c.keys, c.groups, c.wide = len(keys), len(groups), len(wide)
	return c, listed
}

// TestComparisons changes one lane of addresses that lie evenly, or as others do: it differs if the lane counts.
func TestComparisons(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		base, shift, lanes := r.Uint64(), []uint64{0, 1, 2, 3, 4, 5, 64}[r.IntN(7)], r.Uint32()
		var even, apart, as [Count]uint64
		for lane := range even {
			even[lane], apart[lane] = base+uint64(lane)<<shift, r.Uint64()
			as[lane] = base + apart[lane]
		}
		if !Evenly(&even, lanes, base, shift) || !Alike(&as, lanes, base, &apart) {
			t.Fatalf("base %#x, shift %d, lanes %#x: addresses differ", base, shift, lanes)
		}
		lane, by := r.IntN(Count), uint64(1)<<r.IntN(64)
		even[lane] ^= by
		as[lane] ^= by
		counts := lanes>>lane&1 != 0
		if Evenly(&even, lanes, base, shift) == counts || Alike(&as, lanes, base, &apart) == counts {
			t.Fatalf("base %#x, shift %d, lanes %#x: lane %d changed by %#x", base, shift, lanes, lane, by)
		}
	}
}

// TestMark compares the machine code with setting a bit for each lane.
func TestMark(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var addr [Count]uint64
		mask, base, span := r.Uint32()|r.Uint32()*uint32(r.IntN(2)), r.Uint64N(1<<40), uint64(1)<<r.IntN(24)
		if r.IntN(4) == 0 {
			mask = ^uint32(0)
		}
		if r.IntN(4) == 0 {
			base |= MapBytes - 1<<10
		}
		for lane := range addr {
			addr[lane] = base + r.Uint64N(span)
		}
		if mask == 0 {
			mask = 1 << r.IntN(Count)
		}
		first := addr[bits.TrailingZeros32(mask)] / MapBytes * MapBytes
		var padded [3]Map // what is beside must stay as it is
		var want Map
		others := uint32(0)
		for lane, a := range addr {
			switch {
			case mask>>lane&1 == 0:
			case a/MapBytes*MapBytes != first:
				others |= 1 << lane
			default:
				want[a%MapBytes/SectorBytes/64] |= 1 << (a / SectorBytes % 64)
			}
		}
		got := padded[1].Mark(first, &addr, mask)
		if got != others || padded != [3]Map{1: want} {
			t.Fatalf("lanes %#x are not marked as they should be, or %#x left instead of %#x, of %#x at %#x", mask, got, others, mask, addr)
		}
	}
}

func BenchmarkSort(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var addr, groups [Count]uint64
	for lane := range addr {
		addr[lane] = r.Uint64N(1<<20) * 4
	}
	k := Key{Shift: 2, Coarse: 3, Coarser: 5}
	var o Order
	b.Run("chosen", func(b *testing.B) {
		for b.Loop() {
			o.Sort(&addr, ^uint32(0), &k, &groups)
		}
	})
	b.Run("different", func(b *testing.B) {
		var d Different
		for b.Loop() {
			d.Of(&addr, ^uint32(0), &k)
		}
	})
	b.Run("go", func(b *testing.B) {
		for b.Loop() {
			o.sort(&addr, ^uint32(0), &k, &groups)
		}
	})
}
