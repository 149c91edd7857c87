package gpu

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readTable reads a CSV file of testdata: the records by column name.
func readTable(t *testing.T, name string) []record {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comment = '#'
	rows, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var records []record
	for _, row := range rows[1:] {
		r := record{t: t, text: map[string]string{}}
		for i, column := range rows[0] {
			r.text[column] = row[i]
		}
		records = append(records, r)
	}
	if len(records) == 0 {
		t.Fatalf("%s has no records", name)
	}
	return records
}

type record struct {
	t    *testing.T
	text map[string]string
}

func (r record) number(column string) int {
	r.t.Helper()
	number, err := strconv.Atoi(r.text[column])
	if err != nil {
		r.t.Fatalf("column %s: %v", column, err)
	}
	return number
}

func mustLoad(t testing.TB, name string) *GPU {
	t.Helper()
	g, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func mustOccupancy(t testing.TB, g *GPU, k Kernel) Occupancy {
	t.Helper()
	o, err := g.Occupancy(k)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOccupancyOfLaunchesOnH200(t *testing.T) {
	g := mustLoad(t, "h200")
	for _, r := range readTable(t, "h200_launches.csv") {
		k := Kernel{
			BlockSize:          r.number("threads"),
			RegistersPerThread: r.number("registers"),
			StaticShared:       r.number("static"),
			DynamicShared:      r.number("dynamic"),
			Barriers:           r.number("barriers"),
		}
		if percent := r.number("carveout"); percent >= 0 {
			k.Carveout = PreferPercent(percent)
		}
		o := mustOccupancy(t, g, k)
		want := Limit{
			Blocks:    r.number("limit_blocks"),
			Registers: r.number("limit_registers"),
			Shared:    r.number("limit_shared"),
			Warps:     r.number("limit_warps"),
			Barriers:  r.number("limit_barriers"),
		}
		if diff := cmp.Diff(want, o.Limit); diff != "" || o.SharedConfig != r.number("config") || o.Warps != r.number("warps") {
			t.Errorf("%+v: shared configuration %d, want %s; warps %d, want %s; limits (-want +got)\n%s",
				k, o.SharedConfig, r.text["config"], o.Warps, r.text["warps"], diff)
		}
	}
}

func TestSharedConfigurationInPublishedReports(t *testing.T) {
	for _, r := range readTable(t, "reports.csv") {
		g := mustLoad(t, r.text["gpu"])
		o := mustOccupancy(t, g, Kernel{
			BlockSize:          r.number("threads"),
			RegistersPerThread: r.number("registers"),
			StaticShared:       r.number("static"),
			DynamicShared:      r.number("dynamic"),
		})
		if o.SharedConfig != r.number("config") {
			t.Errorf("%v: shared configuration %d", r.text, o.SharedConfig)
		}
	}
}

func TestActiveBlocksOnH200(t *testing.T) {
	g := mustLoad(t, "h200")
	for _, r := range readTable(t, "h200_active_blocks.csv") {
		k := Kernel{BlockSize: r.number("threads"), RegistersPerThread: r.number("registers"), DynamicShared: r.number("dynamic")}
		if o := mustOccupancy(t, g, k); o.Blocks != r.number("blocks") {
			t.Errorf("%+v: %d blocks, want %s", k, o.Blocks, r.text["blocks"])
		}
	}
}

func TestMaxPotentialBlockSizeOnH200(t *testing.T) {
	g := mustLoad(t, "h200")
	for _, r := range readTable(t, "h200_block_size.csv") {
		k := Kernel{RegistersPerThread: r.number("registers"), DynamicShared: r.number("dynamic")}
		size, grid, err := g.MaxPotentialBlockSize(k, r.number("limit"), nil)
		if err != nil || size != r.number("threads") || grid != r.number("grid") {
			t.Errorf("%v: block size %d, grid %d, error %v", r.text, size, grid, err)
		}
	}
}

func TestMaxPotentialBlockSizeAsksForSharedMemory(t *testing.T) {
	g := mustLoad(t, "h200")
	size, grid, err := g.MaxPotentialBlockSize(Kernel{RegistersPerThread: 32}, 0, func(blockSize int) int { return blockSize * 228 })
	if err != nil || size != 992 || grid != g.Chip.SMs {
		t.Errorf("block size %d, grid %d, error %v", size, grid, err)
	}
}

func TestAvailableDynamicSharedOnH200(t *testing.T) {
	g := mustLoad(t, "h200")
	for _, r := range readTable(t, "h200_available_shared.csv") {
		k := Kernel{BlockSize: r.number("threads"), RegistersPerThread: r.number("registers")}
		bytes, err := g.AvailableDynamicShared(k, r.number("blocks"))
		if err != nil {
			bytes = -1
		}
		if bytes != r.number("dynamic") {
			t.Errorf("%v: %d bytes, error %v", r.text, bytes, err)
		}
	}
}

func TestMaxActiveClustersOnH200(t *testing.T) {
	g := mustLoad(t, "h200")
	for _, r := range readTable(t, "h200_clusters.csv") {
		k := Kernel{BlockSize: r.number("threads"), DynamicShared: r.number("dynamic")}
		clusters, err := g.MaxActiveClusters(k, r.number("cluster"))
		if err != nil || clusters != r.number("clusters") {
			t.Errorf("%v: %d clusters, error %v", r.text, clusters, err)
		}
	}
}

func TestMaxActiveClustersIsUnknownOrRefused(t *testing.T) {
	for _, test := range []struct {
		gpu           string
		clusterBlocks int
		want          string
	}{
		{"a100", 2, "has no clusters"},
		{"h100", 2, "are unknown"},
		{"h200", 17, "1 to 16 blocks"},
		{"h200", 0, "1 to 16 blocks"},
	} {
		_, err := mustLoad(t, test.gpu).MaxActiveClusters(Kernel{BlockSize: 128}, test.clusterBlocks)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, clusters of %d: error %v", test.gpu, test.clusterBlocks, err)
		}
	}
}

// The graphs of Nsight Compute index block sizes by 16 threads, and shared
// memory by 512 bytes with what is reserved for a block.
func TestCurvesEqualGraphsOfNsightCompute(t *testing.T) {
	g := mustLoad(t, "h200")
	graphs := map[string]struct {
		curve func(*GPU, Kernel) ([]Point, error)
		index func(x int) int
	}{
		"register_count":  {(*GPU).OccupancyByRegisters, func(x int) int { return x }},
		"block_size":      {(*GPU).OccupancyByBlockSize, func(x int) int { return x / 16 }},
		"shared_mem_size": {(*GPU).OccupancyByShared, func(x int) int { return (x + 1024) / 512 }},
		"barrier_count":   {(*GPU).OccupancyByBarriers, func(x int) int { return x }},
	}
	for _, r := range readTable(t, "h200_graphs.csv") {
		k := Kernel{
			BlockSize:          r.number("threads"),
			RegistersPerThread: r.number("registers"),
			DynamicShared:      r.number("dynamic"),
			Barriers:           r.number("barriers"),
		}
		k.SharedConfig = mustOccupancy(t, g, k).SharedConfig
		graph := graphs[r.text["graph"]]
		points, err := graph.curve(g, k)
		if err != nil {
			t.Fatal(err)
		}
		want := graphValues(t, r)
		if r.text["graph"] == "shared_mem_size" {
			// The graph counts what is reserved against the limit of a block.
			points = slices.DeleteFunc(points, func(p Point) bool { return p.X+1024 > g.Limits.SharedPerBlockOptin })
		}
		for _, p := range points {
			if i := graph.index(p.X); p.Warps != want[i] {
				t.Errorf("%v at %d: %d warps, want %d", r.text, p.X, p.Warps, want[i])
			}
		}
	}
}

// graphValues expands "index:value index:value" to a value for every index.
func graphValues(t *testing.T, r record) []int {
	t.Helper()
	values := make([]int, r.number("points"))
	for _, change := range strings.Fields(r.text["warps"]) {
		at, value, _ := strings.Cut(change, ":")
		from, err1 := strconv.Atoi(at)
		to, err2 := strconv.Atoi(value)
		if err1 != nil || err2 != nil {
			t.Fatalf("graph has %q", change)
		}
		for i := from; i < len(values); i++ {
			values[i] = to
		}
	}
	return values
}

func TestSharedCurveLetsTheDriverChoose(t *testing.T) {
	g := mustLoad(t, "h200")
	points, err := g.OccupancyByShared(Kernel{BlockSize: 256, RegistersPerThread: 32})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(points, func(p Point) bool { return p.X == 28160 })
	if want := (Point{28160, 8, 64, 100}); points[i] != want {
		t.Errorf("%+v, want %+v", points[i], want)
	}
	if want := (Point{28672, 7, 56, 87.5}); points[i+1] != want {
		t.Errorf("%+v, want %+v", points[i+1], want)
	}
}

func TestOccupancyGoldenNumbers(t *testing.T) {
	a10g := mustLoad(t, filepath.Join("testdata", "a10g.json"))
	for _, test := range []struct {
		name     string
		gpu      *GPU
		kernel   Kernel
		grid     int
		limit    Limit
		percent  float64
		waves    float64
		limiters []Resource
	}{
		{"copy_blocked on a T4", mustLoad(t, "t4"), Kernel{BlockSize: 256, RegistersPerThread: 32}, 1024,
			Limit{Blocks: 16, Registers: 8, Shared: 16, Warps: 4, Barriers: 16}, 100, 6.40, []Resource{Warps}},
		{"sgemm 128x32 on capability 8.6", a10g, Kernel{BlockSize: 256, RegistersPerThread: 57, StaticShared: 16384}, 774,
			Limit{Blocks: 16, Registers: 4, Shared: 5, Warps: 6, Barriers: 16}, 66.67, 2.42, []Resource{Registers}},
		{"registers and warps tie", mustLoad(t, "a100"), Kernel{BlockSize: 256, RegistersPerThread: 32}, 864,
			Limit{Blocks: 32, Registers: 8, Shared: 32, Warps: 8, Barriers: 32}, 100, 1, []Resource{Registers, Warps}},
	} {
		o := mustOccupancy(t, test.gpu, test.kernel)
		waves := test.gpu.Waves(test.grid, o).PerSM
		if o.Limit != test.limit || math.Abs(o.Percent-test.percent) > 0.005 || math.Abs(waves-test.waves) > 0.005 || !slices.Equal(o.Limiters, test.limiters) {
			t.Errorf("%s: %+v, %g waves", test.name, o, waves)
		}
	}
}

// The most shared memory a block can have fits one block.
func TestLargestSharedMemoryFitsOneBlock(t *testing.T) {
	for _, name := range Names() {
		g := mustLoad(t, name)
		k := Kernel{BlockSize: 128, DynamicShared: g.Limits.SharedPerBlockOptin}
		if o := mustOccupancy(t, g, k); o.Blocks != 1 || o.SharedConfig != g.Limits.SharedPerSM {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

func TestImpossibleLaunchesAreExplained(t *testing.T) {
	g := mustLoad(t, "h200")
	for _, test := range []struct {
		kernel Kernel
		want   string
	}{
		{Kernel{BlockSize: 1025}, "a block of 1025 threads; at most 1024 fit in a block"},
		{Kernel{BlockSize: 32, RegistersPerThread: 256}, "256 registers per thread; a thread has at most 255"},
		{Kernel{BlockSize: 1024, RegistersPerThread: 65}, "32 warps of 2304 registers each, dealt out over 4 sub-partitions, need 73728 registers; a block has at most 65536"},
		{Kernel{BlockSize: 288, RegistersPerThread: 194}, "9 warps of 6400 registers each, dealt out over 4 sub-partitions, need 76800 registers; a block has at most 65536"},
		{Kernel{BlockSize: 32, DynamicShared: 232449}, "232449 bytes of shared memory; a block has at most 232448"},
		{Kernel{BlockSize: 32, Barriers: 17}, "17 barriers; a block has at most 16"},
	} {
		o := mustOccupancy(t, g, test.kernel)
		if o.Blocks != 0 || o.Warps != 0 || o.Impossible != test.want {
			t.Errorf("%+v: %d blocks, %q, want %q", test.kernel, o.Blocks, o.Impossible, test.want)
		}
		if w := g.Waves(100, o); w != (Waves{}) {
			t.Errorf("%+v: waves %+v", test.kernel, w)
		}
	}
}

func TestSenselessKernelsAreErrors(t *testing.T) {
	g := mustLoad(t, "h200")
	for _, k := range []Kernel{
		{},
		{BlockSize: -1},
		{BlockSize: 32, RegistersPerThread: -1},
		{BlockSize: 32, StaticShared: -1},
		{BlockSize: 32, DynamicShared: -1},
		{BlockSize: 32, DynamicShared: 1 << 40},
		{BlockSize: 32, Barriers: -1},
		{BlockSize: 32, Carveout: PreferPercent(101)},
		{BlockSize: 32, Carveout: -1},
		{BlockSize: 32, SharedConfig: -1},
	} {
		if o, err := g.Occupancy(k); err == nil {
			t.Errorf("%+v: %+v", k, o)
		}
	}
}

func TestWavesAndTail(t *testing.T) {
	g := mustLoad(t, "h200")
	o := mustOccupancy(t, g, Kernel{BlockSize: 1024, RegistersPerThread: 16, DynamicShared: 122880})
	for _, test := range []struct {
		grid int
		want Waves
	}{
		{1, Waves{PerSM: 1.0 / 132, Full: 0, Tail: 1, TailPercent: 100.0 / 132}},
		{132, Waves{PerSM: 1, Full: 1, Tail: 0, TailPercent: 100}},
		{165, Waves{PerSM: 1.25, Full: 1, Tail: 33, TailPercent: 25}},
	} {
		if got := g.Waves(test.grid, o); got != test.want {
			t.Errorf("grid of %d: %+v, want %+v", test.grid, got, test.want)
		}
	}
}

func TestResourceNames(t *testing.T) {
	want := []string{"blocks", "registers", "shared memory", "warps", "barriers"}
	for r := BlockSlots; r <= Barriers; r++ {
		if r.String() != want[r] {
			t.Errorf("resource %d is %q", int(r), r)
		}
	}
}
