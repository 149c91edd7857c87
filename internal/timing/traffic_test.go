package timing_test

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"silica/gpu"
)

// TestMemoryTraffic compares the sectors of memory with what an H200's counters showed of the same kernels: testdata/memory.csv was
// recorded with Nsight Compute 2025.3 on an H200, driver 580, CUDA 13.0, with 1056 blocks of 256 threads and empty caches.
func TestMemoryTraffic(t *testing.T) {
	text, err := os.ReadFile("testdata/memory.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		var n [4]int
		for i := range n {
			if n[i], err = strconv.Atoi(row[1+i]); err != nil {
				t.Fatal(err)
			}
		}
		r := simulate(t, setup{kernel: row[0], n: n[0] | n[1]<<32, grid: 1056, block: 256, bytes: 4 * n[0] * n[1]})
		reads := 0.01
		if row[0] == "stores" { // what completes lines that are written in part
			reads = 0.25
		}
		near := func(got float64, want int, part float64) bool {
			return math.Abs(got-float64(want)) <= part*float64(want)+200
		}
		if !near(r.Traffic.DRAMReads, n[2], reads) || !near(r.Traffic.DRAMWrites, n[3], 0.35) {
			t.Errorf("%s of %d words at a stride of %d: reads %.0f and writes %.0f sectors, the H200 %d and %d", row[0], n[0], n[1], r.Traffic.DRAMReads,
				r.Traffic.DRAMWrites, n[2], n[3])
		}
	}
}

// What the code and the launch itself read from memory is known to a few sectors.
func TestMemoryOfTheLaunch(t *testing.T) {
	r := simulate(t, setup{kernel: "stores", n: 32768 | 1<<32, grid: 1056, block: 256})
	if got := r.Traffic.DRAMReads; got < 80 || got > 112 {
		t.Errorf("a kernel that only stores reads %.0f sectors, the H200's 80 to 112", got)
	}
}

// Of requests of several multiprocessors for the same some go together: of 132 that load the same, an H200 lets four go at once.
func TestRequestsMerge(t *testing.T) {
	same := simulate(t, setup{kernel: "chase", n: 4, grid: 132, block: 32})
	merged := same.Traffic.L2Merged / same.Traffic.L1Misses
	if merged < 0.7 || merged > 0.76 {
		t.Errorf("%.2f of the sectors came with another multiprocessor's, of an H200 0.74", merged)
	}
	if apart := simulate(t, setup{kernel: "loads", n: 132*32 | 1<<32, grid: 132, block: 32}); apart.Traffic.L2Merged != 0 {
		t.Errorf("%.0f sectors that nobody else loads were merged", apart.Traffic.L2Merged)
	}
}

// Blocks of a cluster take turns; what each of them loads is its own.
func TestBlocksOfClustersAreToldApart(t *testing.T) {
	const sectors = 64 * 64 / 8 * 5
	r := simulate(t, setup{kernel: "cluster", n: 5, grid: 64, block: 64})
	if tr := r.Traffic; tr.L2Merged != 0 || math.Abs(tr.L1Misses-sectors) > 1 || math.Abs(tr.L2ReadHits+tr.L2ReadMisses-sectors) > 1 {
		t.Errorf("of %d sectors %.0f missed L1, L2 was asked for %.0f, and %.0f were merged", sectors, tr.L1Misses, tr.L2ReadHits+tr.L2ReadMisses, tr.L2Merged)
	}
}

// Scattered accesses take longer than as many that lie together: each needs a row of its own.
func TestRowsOfMemory(t *testing.T) {
	const pieces = 1 << 18
	last := 0.0
	for _, stride := range []int{16, 64, 256} { // words: all of a row, and one piece of 64 bytes of it
		r := simulate(t, setup{kernel: "loads", n: pieces | stride<<32, grid: 1056, block: 256, bytes: 4 * pieces * stride})
		if r.Elapsed < last {
			t.Errorf("%d pieces %d words apart take %.0f cycles, those that are nearer %.0f", pieces, stride, r.Elapsed, last)
		}
		if stride == 64 && r.Elapsed < 1.15*last {
			t.Errorf("%d pieces of as many rows take %.0f cycles, of a quarter of the rows %.0f", pieces, r.Elapsed, last)
		}
		last = r.Elapsed * 0.97 // beyond a row, no stride is worse
	}
}

// A launch takes as long as the multiprocessor that has most to do, whether the first or another.
func TestUnevenBlocks(t *testing.T) {
	alone := simulate(t, setup{kernel: "uneven", n: 1 << 14, grid: 1, block: 32, warm: true})
	for _, long := range []int{0, 77} {
		r := simulate(t, setup{kernel: "uneven", n: 1<<14 | long<<32, grid: 132, block: 32, warm: true})
		if math.Abs(r.Active/alone.Active-1) > 0.1 {
			t.Errorf("with block %d the longest: %.0f cycles, it alone takes %.0f", long, r.Active, alone.Active)
		}
		if r.Deviation < 0.1 || r.ActiveAverage > 0.2*r.Active {
			t.Errorf("with block %d the longest: deviation %.3f, %.0f of %.0f cycles on average", long, r.Deviation, r.ActiveAverage, r.Active)
		}
	}
}

// No launch moves more bytes in its time than the GPU's memory can.
func TestMemoryHasTime(t *testing.T) {
	const words = 1 << 20
	for _, name := range []string{"t4", "a10", "rtx4090", "jetson-orin", "h200"} {
		g, err := gpu.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, kernel := range []string{"loads", "stores", "updates"} {
			r := simulate(t, setup{kernel: kernel, gpu: name, n: words | 1<<32, grid: 1056, block: 256, bytes: 4 * words})
			bytes := 32 * (r.Traffic.DRAMReads + r.Traffic.DRAMWrites)
			if rate := bytes / r.Duration.Seconds(); rate > 1.01*float64(g.Memory.Bandwidth) || r.DRAMBusy > 1 {
				t.Errorf("%s of %s moves %.0f GB/s, %.0f %% of its memory's time", kernel, name, rate/1e9, 100*r.DRAMBusy)
			}
		}
	}
}
