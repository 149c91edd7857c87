package gpu

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// truth is where the recordings of an H200 lie, beside the project.
const truth = "../../shared/truth/h200"

// readTruth decodes one of the recordings, without which these tests fail.
func readTruth(t *testing.T, name string, into any) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(truth, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func TestTruthEveryLaunchHasItsOccupancy(t *testing.T) {
	var recorded struct {
		Cases []struct {
			ID            string
			Grid, Block   [3]int
			Cluster       [3]int
			DynamicShared int `json:"dynamic_shared"`
			Compile       struct {
				Registers    int
				Barriers     int
				StaticShared int `json:"static_shared"`
			} `json:"compile_sm_90"`
			Launch struct {
				Registers          int     `json:"registers_per_thread"`
				RegistersAllocated float64 `json:"registers_allocated_per_thread"`
				SharedAllocated    int     `json:"shared_per_block_allocated"`
				SharedConfig       int     `json:"shared_config_bytes"`
				BlocksPerSM        struct {
					Limit
					Resident int
				} `json:"blocks_per_sm"`
				Waves float64 `json:"waves_per_sm"`
			}
		}
	}
	readTruth(t, "cases.json", &recorded)
	if len(recorded.Cases) == 0 {
		t.Fatal("no cases")
	}
	g := mustLoad(t, "h200")
	for _, c := range recorded.Cases {
		o := mustOccupancy(t, g, Kernel{
			BlockSize:          c.Block[0] * c.Block[1] * c.Block[2],
			RegistersPerThread: c.Compile.Registers,
			StaticShared:       c.Compile.StaticShared,
			DynamicShared:      c.DynamicShared,
			Barriers:           c.Compile.Barriers,
		})
		waves := g.Waves(c.Grid[0]*c.Grid[1]*c.Grid[2], o).PerSM
		want := c.Launch
		if o.RegistersPerThread != want.Registers ||
			!nearly(o.RegistersPerThreadAllocated, want.RegistersAllocated) ||
			o.SharedPerBlock != want.SharedAllocated ||
			o.SharedConfig != want.SharedConfig ||
			o.Limit != want.BlocksPerSM.Limit ||
			o.Blocks != want.BlocksPerSM.Resident ||
			!nearly(waves, want.Waves) {
			t.Errorf("%s: %+v, %g waves\nwant %+v", c.ID, o, waves, want)
		}
	}
}

// nearly compares with a number that was written with six digits.
func nearly(a, b float64) bool { return math.Abs(a-b) <= 5e-6*math.Abs(b) }

func TestTruthDeviceAttributes(t *testing.T) {
	var recorded struct {
		Name        string
		TotalMemory int `json:"total_memory_bytes"`
		Attributes  map[string]int
		Profiler    map[string]int `json:"profiler_attributes"`
	}
	readTruth(t, "device.json", &recorded)
	g := mustLoad(t, "h200")
	if g.Name != recorded.Name || g.Memory.GlobalBytes != recorded.TotalMemory {
		t.Errorf("%q with %d bytes", g.Name, g.Memory.GlobalBytes)
	}
	if got, want := g.AttributeNames(), sortedKeys(recorded.Attributes); !slices.Equal(got, want) {
		t.Errorf("attributes %q, want %q", got, want)
	}
	for name, want := range recorded.Attributes {
		if got, known := g.Attribute(name); !known || got != want {
			t.Errorf("%s is %d (known: %t), want %d", name, got, known, want)
		}
	}
	for name, got := range map[string]int{
		"max_registers_per_thread":              g.Limits.RegistersPerThread,
		"max_warps_per_multiprocessor":          g.WarpsPerSM(),
		"max_warps_per_scheduler":               g.WarpsPerSM() / g.SM.SubPartitions,
		"num_schedulers_per_multiprocessor":     g.SM.SubPartitions,
		"fbp_count":                             g.Memory.Partitions,
		"l2s_count":                             g.Memory.L2Slices,
		"reserved_shared_memory_per_block":      g.Limits.SharedReservedPerBlock,
		"max_shared_memory_per_block_optin":     g.Limits.SharedPerBlockOptin,
		"max_blocks_per_multiprocessor":         g.Limits.BlocksPerSM,
		"max_registers_per_multiprocessor":      g.Limits.RegistersPerSM,
		"max_shared_memory_per_block":           g.Limits.SharedPerBlock,
		"max_threads_per_multiprocessor":        g.Limits.ThreadsPerSM,
		"single_to_double_precision_perf_ratio": int(g.Rate.FP32 / g.Rate.FP64),
	} {
		if want, ok := recorded.Profiler[name]; !ok || got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
}

func TestTruthLatenciesAndRates(t *testing.T) {
	var recorded struct {
		Summary struct {
			Latency   map[string]float64 `json:"latency_cycles"`
			Rate      map[string]float64 `json:"lane_operations_per_cycle"`
			Multiply  map[string]float64 `json:"multiply_adds_per_cycle"`
			Bandwidth map[string]float64 `json:"gb_per_s"`
			Blocks    float64            `json:"blocks_per_us"`
		}
	}
	readTruth(t, "micro.json", &recorded)
	g, s := mustLoad(t, "h200"), recorded.Summary
	for _, test := range []struct {
		name      string
		got, want float64
	}{
		{"FP32 latency", g.Latency.FP32, s.Latency["FADD FMUL FFMA"]},
		{"ALU latency", g.Latency.ALU, s.Latency["integer and logic on one pipe (IADD3, LOP3, SHF, PRMT, IMAD)"]},
		{"IMAD latency", g.Latency.IMAD, s.Latency["integer and logic on one pipe (IADD3, LOP3, SHF, PRMT, IMAD)"]},
		{"pipe change", g.Latency.PipeChange, s.Latency["pipe change (IMAD then LOP3, or back), each"]},
		{"IMAD.HI latency", g.Latency.IMADHi, s.Latency["IMAD.HI"]},
		{"FP64 latency", g.Latency.FP64, s.Latency["DADD DMUL DFMA"]},
		{"FP16 latency", g.Latency.FP16x2, s.Latency["HFMA2 and HFMA2.MMA alternating"]},
		{"compare and select", g.Latency.CompareSelect, s.Latency["compare then select"]},
		{"compare and predicate", g.Latency.ComparePredicate, s.Latency["compare then predicated instruction"]},
		{"compare and vote", g.Latency.CompareVote, s.Latency["compare then vote"]},
		{"SFU latency", g.Latency.SFU, s.Latency["MUFU"]},
		{"POPC latency", g.Latency.Popc, s.Latency["POPC FLO BREV"]},
		{"conversion pair", g.Latency.ConvertPair, s.Latency["F2I then I2FP"]},
		{"SHFL latency", g.Latency.Shuffle, s.Latency["SHFL"]},
		{"REDUX latency", g.Latency.Redux, s.Latency["REDUX and move"]},
		{"MATCH latency", g.Latency.Match, s.Latency["MATCH.ANY, 32 different values"]},
		{"mma latency", g.Latency.MMAF16, s.Latency["mma m16n8k16"]},
		{"LDS latency", g.Latency.SharedLoad, s.Latency["LDS"]},
		{"LDS.128 latency", g.Latency.SharedLoad128, s.Latency["LDS.128"]},
		{"conflict", g.Latency.SharedLoad + 31*g.Latency.SharedConflict, s.Latency["LDS 32-way conflict"]},
		{"shared atomic", g.Latency.SharedAtomic, s.Latency["shared atomic"]},
		{"constant", g.Latency.ConstantLoad, s.Latency["LDC hit and a shift"]},
		{"constant miss", g.Latency.ConstantLoadMiss, s.Latency["LDC beyond 2 KiB and a shift"]},
		{"L1 hit", g.Latency.L1Hit, s.Latency["L1 hit"]},
		{"L2 hit", g.Latency.L2Hit, s.Latency["L2 hit"]},
		{"DRAM", g.Latency.DRAM, s.Latency["DRAM, 256 MiB"]},
		{"texture", g.Latency.Texture, s.Latency["texture fetch"]},
		{"global atomic", g.Latency.GlobalAtomic, s.Latency["global atomic"]},
		{"distributed shared", g.Latency.DistributedShared, s.Latency["distributed shared memory"]},
		{"barrier of 8 warps", g.Latency.Barrier8Warps, s.Latency["bar.sync 8 warps"]},
		{"barrier of 32 warps", g.Latency.Barrier32Warps, s.Latency["bar.sync 32 warps"]},
		{"IMAD.HI rate", g.Rate.IMADHi, s.Rate["IMAD.HI"]},
		{"DP4A rate", g.Rate.DP4A, s.Rate["dp4a"]},
		{"conversion rate", g.Rate.Convert, s.Rate["F2I"]},
		{"POPC rate", g.Rate.Popc, s.Rate["POPC"]},
		{"REDUX rate", g.Rate.Redux, s.Rate["REDUX"]},
		{"MATCH rate", g.Rate.Match, s.Rate["MATCH.ANY"]},
		{"mma f16", g.Rate.MMAF16, s.Multiply["m16n8k16 f16 -> f32 mma"]},
		{"mma tf32", g.Rate.MMATF32, s.Multiply["m16n8k8 tf32 -> f32 mma"]},
		{"mma s8", g.Rate.MMAS8, s.Multiply["m16n8k32 s8 -> s32 mma"]},
		{"mma f64", g.Rate.MMAF64, s.Multiply["m16n8k16 f64 mma"]},
		{"wgmma f16", g.Rate.WGMMAF16, s.Multiply["m64n256k16 f16 -> f32 wgmma"]},
		{"L2 read", g.Throughput.L2Read, 1e9 * s.Bandwidth["L2 read"]},
		{"L2 write", g.Throughput.L2Write, 1e9 * s.Bandwidth["L2 write"]},
		{"DRAM read", g.Throughput.DRAMRead, 1e9 * s.Bandwidth["DRAM read"]},
		{"DRAM write", g.Throughput.DRAMWrite, 1e9 * s.Bandwidth["DRAM write"]},
		{"DRAM copy", g.Throughput.DRAMCopy, 1e9 * s.Bandwidth["DRAM copy"]},
		{"blocks", g.Throughput.Blocks, 1e6 * s.Blocks},
	} {
		if test.want == 0 || !nearly(test.got, test.want) {
			t.Errorf("%s is %g, want %g", test.name, test.got, test.want)
		}
	}
}
