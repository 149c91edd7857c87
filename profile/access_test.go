package profile

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"silica/internal/exec"
	"silica/internal/isa"
	"silica/internal/lanes"
)

// recordedAccess is an instruction of testdata/access.json.
type recordedAccess struct {
	Instruction string    `json:"instruction"`
	Space       Space     `json:"space"`
	Op          string    `json:"op"`
	Bytes       uint64    `json:"bytes"`
	Sectors     []uint64  `json:"sectors"`
	Ideal       []uint64  `json:"ideal"`
	Lines       []uint64  `json:"lines"`
	Requests    []uint64  `json:"requests"`
	Wavefronts  []uint64  `json:"wavefronts"`
	Pipe        []uint64  `json:"pipe"`
	Conflicts   []uint64  `json:"conflicts"`
	PerSector   []float64 `json:"bytes_per_sector"`
}

// TestAccessesAsRecorded compares every count of one warp's accesses with what Nsight Compute gave on an H200.
func TestAccessesAsRecorded(t *testing.T) {
	data, err := os.ReadFile("testdata/access.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Patterns [][]int64        `json:"patterns"`
		Rows     []recordedAccess `json:"rows"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	ops := map[string]sharedOp{"load": sharedLoad, "store": sharedStore, "atomic": sharedAtomic, "cas": sharedCAS}
	compared := 0
	for _, r := range file.Rows {
		for p, pattern := range file.Patterns {
			got := observeOne(r, ops[r.Op], pattern)
			check := func(what string, want []uint64, got uint64) {
				if p >= len(want) {
					return
				}
				if compared++; got != want[p] {
					t.Errorf("%s pattern %d: %s %d, want %d", r.Instruction, p, what, got, want[p])
				}
			}
			switch r.Space {
			case Shared:
				check("wavefronts", r.Wavefronts, got.Wavefronts)
				check("ideal", r.Ideal, got.IdealWavefronts)
				check("pipe", r.Pipe, got.PipeWavefronts)
				check("conflicts", r.Conflicts, got.Conflicts)
			default:
				check("sectors", r.Sectors, got.Sectors)
				check("ideal", r.Ideal, got.Ideal)
				check("lines", r.Lines, got.Lines)
				check("requests", r.Requests, got.Parts)
				if p < len(r.PerSector) {
					per := math.Round(float64(got.Unique)/float64(got.Sectors)*100) / 100
					if compared++; math.Abs(per-r.PerSector[p]) > 0.005 {
						t.Errorf("%s pattern %d: %g bytes a sector, want %g", r.Instruction, p, per, r.PerSector[p])
					}
				}
			}
		}
	}
	if compared < 10000 {
		t.Fatalf("only %d counts compared", compared)
	}
}

// observeOne returns the counts of one access of an instruction. Element 0 lies 4096 bytes into a buffer.
func observeOne(r recordedAccess, op sharedOp, pattern []int64) Traffic {
	space := map[Space]isa.Space{Global: isa.Global, Shared: isa.Shared, Local: isa.Local}[r.Space]
	o := newObserver([][]site{{{shared: op, atomic: op == sharedAtomic || op == sharedCAS}}}, 1)
	x := exec.Access{Space: space, Addr: new([warpLanes]uint64), Bytes: int(r.Bytes), Times: 1}
	for lane, element := range pattern {
		if element >= 0 {
			x.Addr[lane] = 4096 + uint64(element)*r.Bytes
			x.Mask |= 1 << lane
		}
	}
	o.Access(&x)
	return o.traffic[0]
}

// TestFigures checks the figures of NVIDIA's guides: coalescing in the best practices guide, banks in the programming
// guide, and what a user measured of 128-bit loads with ncu.
func TestFigures(t *testing.T) {
	lane := func(f func(lane int) int64) []int64 {
		p := make([]int64, warpLanes)
		for i := range p {
			p[i] = f(i)
		}
		return p
	}
	stride := func(n int64) []int64 { return lane(func(l int) int64 { return int64(l) * n }) }
	for _, c := range []struct {
		name    string
		space   Space
		bytes   uint64
		pattern []int64
		count   func(Traffic) uint64
		want    uint64
	}{
		{"aligned", Global, 4, stride(1), sectorsOf, 4},
		{"permuted", Global, 4, lane(func(l int) int64 { return int64(l * 5 % 32) }), sectorsOf, 4},
		{"offset by one", Global, 4, lane(func(l int) int64 { return int64(l) + 1 }), sectorsOf, 5},
		{"offset by a sector", Global, 4, lane(func(l int) int64 { return int64(l) + 8 }), sectorsOf, 4},
		{"stride 2", Global, 4, stride(2), sectorsOf, 8},
		{"stride 2 of ideal", Global, 4, stride(2), func(t Traffic) uint64 { return t.Ideal }, 4},
		{"stride 32", Global, 4, stride(32), sectorsOf, 32},
		{"one word", Global, 4, stride(0), sectorsOf, 1},
		{"64 bits", Global, 8, stride(1), sectorsOf, 8},
		{"128 bits", Global, 16, stride(1), sectorsOf, 16},
		{"bank stride 1", Shared, 4, stride(1), wavefrontsOf, 1},
		{"bank stride 2", Shared, 4, stride(2), wavefrontsOf, 2},
		{"bank stride 3", Shared, 4, stride(3), wavefrontsOf, 1},
		{"bank stride 32", Shared, 4, stride(32), wavefrontsOf, 32},
		{"bank stride 33", Shared, 4, stride(33), wavefrontsOf, 1},
		{"random permutation", Shared, 4, lane(func(l int) int64 { return int64(l * 11 % 32) }), wavefrontsOf, 1},
		{"broadcast to five", Shared, 4, lane(func(l int) int64 { return []int64{5, int64(l)}[min(max(l-2, 0)/5, 1)] }), wavefrontsOf, 1},
		{"two broadcasts", Shared, 4, lane(func(l int) int64 { return int64(l/16) * 7 }), wavefrontsOf, 1},
		{"128-bit row", Shared, 16, stride(1), wavefrontsOf, 4},
		{"128-bit column", Shared, 16, stride(8), wavefrontsOf, 32},
		{"128-bit broadcast", Shared, 16, stride(0), wavefrontsOf, 2},
	} {
		if got := c.count(observeOne(recordedAccess{Space: c.space, Bytes: c.bytes}, sharedLoad, c.pattern)); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func sectorsOf(t Traffic) uint64    { return t.Sectors }
func wavefrontsOf(t Traffic) uint64 { return t.Wavefronts }

// TestAtomics checks how lanes that want one address are counted.
func TestAtomics(t *testing.T) {
	same := make([]int64, warpLanes)
	pairs := make([]int64, warpLanes)
	for i := range pairs {
		pairs[i] = int64(i / 2)
	}
	for _, c := range []struct {
		name            string
		pattern         []int64
		serial, sectors uint64
	}{
		{"one address", same, 32, 32}, // 131072 sectors of 4096 requests in atomic_sum_one
		{"pairs", pairs, 2, 4},
	} {
		got := observeOne(recordedAccess{Space: Global, Bytes: 4}, sharedAtomic, c.pattern)
		if sectors := got.Sectors + got.ReplaySectors; got.Serial != c.serial || sectors != c.sectors {
			t.Errorf("%s: serial %d, %d sectors, want %d, %d", c.name, got.Serial, sectors, c.serial, c.sectors)
		}
	}
}

// TestFootprint counts each sector once, however it is touched.
func TestFootprint(t *testing.T) {
	var s sectorSet
	s.span(0, 128)                          // a line
	s.span(64, 4)                           // within it
	s.span(lanes.MapBytes-32, 64)           // over the border of two pages
	s.enter(1<<37/sectorBytes, []uint64{0}) // far away
	var o sectorSet
	o.span(96, 64) // one sector of the line, and the next
	s.merge(&o)
	if got, want := s.bytes(), uint64((4+2+1+1)*sectorBytes); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}

// TestLanesOfFootprint enters accesses whose lanes are in one page or in several, at once and one sector after the other.
func TestLanesOfFootprint(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var together, alone sectorSet
		var addr [warpLanes]uint64
		mask, span := r.Uint32()|1<<r.IntN(warpLanes), uint64(1)<<r.IntN(40)
		for lane := range addr {
			addr[lane] = 1<<40 + r.Uint64N(span)
			if mask>>lane&1 != 0 {
				alone.enter(0, []uint64{addr[lane] / sectorBytes})
			}
		}
		together.enterLanes(access{addr: &addr, mask: mask, size: 1})
		want := alone.bytes()
		if got := together.bytes(); got != want {
			t.Fatalf("%d bytes, want %d, of lanes %#x of %#x", got, want, mask, addr)
		}
		if together.merge(&alone); together.bytes() != want {
			t.Fatalf("other sectors of lanes %#x of %#x", mask, addr)
		}
	}
}

// TestMemo observes accesses through one observer and through a fresh one each: what is kept of one access must not change
// what the next one counts.
func TestMemo(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	spaces := []isa.Space{isa.Global, isa.Shared, isa.Local, isa.Const}
	for _, op := range []sharedOp{sharedLoad, sharedStore, sharedAtomic, sharedCAS} {
		for _, size := range []int{1, 2, 4, 8, 16} {
			sites := [][]site{{{generic: true, shared: op, atomic: op >= sharedAtomic}}}
			kept := newObserver(sites, len(spaces)+2)
			fresh := make([]Traffic, len(kept.traffic))
			var footprint sectorSet
			var addr [warpLanes]uint64
			for range 2000 {
				switch rng.IntN(4) {
				case 0: // another form
					for lane := range addr {
						addr[lane] = 1<<20 + uint64(rng.IntN(200)*size)
					}
				case 1: // the same form elsewhere
					by := uint64(rng.IntN(100) * size)
					for lane := range addr {
						addr[lane] += by
					}
				}
				x := exec.Access{Space: spaces[rng.IntN(len(spaces))], Mask: ^uint32(0), Addr: &addr, Bytes: size, Times: 1}
				if rng.IntN(3) == 0 {
					x.Mask = rng.Uint32() | 1
				}
				kept.Access(&x)
				o := newObserver(sites, len(kept.traffic))
				o.Access(&x)
				for i := range fresh {
					fresh[i].add(&o.traffic[i])
				}
				footprint.merge(&o.read)
			}
			for i := range fresh {
				fresh[i].Stride, fresh[i].StrideVotes = kept.traffic[i].Stride, kept.traffic[i].StrideVotes
			}
			if diff := cmp.Diff(fresh, kept.traffic); diff != "" {
				t.Fatalf("op %d of %d bytes: fresh and kept differ:\n%s", op, size, diff)
			}
			if fresh, kept := footprint.bytes(), kept.read.bytes(); fresh != kept {
				t.Fatalf("op %d of %d bytes: footprint %d, kept %d", op, size, fresh, kept)
			}
		}
	}
}

// TestBulkCopies counts runs of bytes longer than any load: whole sectors and wavefronts, whatever their length.
func TestBulkCopies(t *testing.T) {
	var addr [32]uint64
	for i := range addr {
		addr[i] = uint64(0x10010 + i*8192)
	}
	for _, c := range []struct {
		space isa.Space
		mask  uint32
		bytes int
		want  Traffic
		reads uint64 // bytes of global memory
	}{
		{isa.Global, 1, 64, Traffic{Requests: 1, Threads: 1, Bytes: 64, Unique: 64, Sectors: 3, Ideal: 2, Lines: 1}, 96},
		{isa.Global, 1, 5000, Traffic{Requests: 1, Threads: 1, Bytes: 5000, Unique: 5000, Sectors: 157, Ideal: 157, Lines: 40}, 5024},
		{isa.Global, 0x101, 1024, Traffic{Requests: 1, Threads: 2, Bytes: 2048, Unique: 2048, Sectors: 66, Ideal: 64, Lines: 18}, 2112},
		{isa.Shared, 4, 1024, Traffic{Requests: 1, Threads: 1, Bytes: 1024, Wavefronts: 8, IdealWavefronts: 8}, 0},
		{isa.Shared, ^uint32(0), 144, Traffic{Requests: 1, Threads: 32, Bytes: 32 * 144, Wavefronts: 64, IdealWavefronts: 64}, 0},
		{isa.SharedCluster, 1, 96 << 10, Traffic{Requests: 1, Threads: 1, Bytes: 96 << 10, Wavefronts: 768, IdealWavefronts: 768}, 0},
	} {
		o := newObserver([][]site{{{}}}, 1)
		o.Access(&exec.Access{Space: c.space, Mask: c.mask, Addr: &addr, Bytes: c.bytes, Times: 1})
		if diff := cmp.Diff(c.want, o.traffic[0]); diff != "" {
			t.Errorf("%v, lanes 0x%x, %d bytes: %s", c.space, c.mask, c.bytes, diff)
		}
		if got := o.read.bytes(); got != c.reads {
			t.Errorf("%v, %d bytes: %d bytes of sectors were read, want %d", c.space, c.bytes, got, c.reads)
		}
	}
}
