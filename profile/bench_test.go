package profile

import (
	"testing"

	"silica/internal/exec"
	"silica/internal/isa"
)

// BenchmarkAccess is what listening costs for one access of a warp, by how its lanes lie.
func BenchmarkAccess(b *testing.B) {
	shapes := []struct {
		name string
		addr func(lane uint64) uint64
	}{
		{"uniform", func(uint64) uint64 { return 64 }},
		{"contiguous", func(l uint64) uint64 { return l * 4 }},
		{"rows", func(l uint64) uint64 { return l/16*4096 + l%16*4 }},
		{"strided", func(l uint64) uint64 { return l * 4096 }},
		{"random", func(l uint64) uint64 { return l * 0x9E3779B97F4A7C15 >> 44 &^ 3 }},
	}
	for _, space := range []struct {
		name   string
		space  isa.Space
		op     sharedOp
		atomic bool
	}{
		{"global", isa.Global, sharedLoad, false}, {"shared", isa.Shared, sharedLoad, false}, {"local", isa.Local, sharedLoad, false},
		{"atomic", isa.Global, sharedAtomic, true},
	} {
		for _, s := range shapes {
			x := exec.Access{Space: space.space, Mask: fullWarp, Addr: new([warpLanes]uint64), Bytes: 4, Times: 1}
			for lane := range x.Addr {
				x.Addr[lane] = s.addr(uint64(lane))
			}
			o := newObserver([][]site{{{shared: space.op, atomic: space.atomic}}}, 1)
			b.Run(space.name+"/"+s.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					o.Access(&x)
				}
			})
		}
	}
}
