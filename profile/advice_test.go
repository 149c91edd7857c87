package profile

import (
	"math"
	"strings"
	"testing"

	"silica/gpu"
)

// quiet returns a launch on a machine of 4 SMs that no rule has anything to say about.
func quiet() *Launch {
	return &Launch{
		Name: "k", File: "k.ptx", Grid: Dim{8, 1, 1}, Block: Dim{128, 1, 1}, Cluster: Dim{1, 1, 1},
		Device: Device{Name: "test", SMs: 4, SubPartitions: 4, WarpSize: 32, WarpsPerSM: 64, L2BytesPerCycle: 256,
			FP32Lanes: 128, FP64Lanes: 2, XULanes: 16},
		Registers: Registers{PerThread: 32},
		Occupancy: gpu.Occupancy{Blocks: 16, Warps: 64, Percent: 100},
		Waves:     gpu.Waves{PerSM: 0.125, Tail: 8, TailPercent: 12.5},
		Files:     map[int]string{1: "k.cu", 2: "/usr/include/device_atomic_functions.hpp"},
		Functions: []string{"k"},
		Instructions: []Instruction{
			{Name: "add.s32", Op: "lane", Class: "integer", Line: 10, Source: &Location{File: 1, Line: 1}, Counts: Counts{Warps: 1000, Threads: 32000, PredOn: 32000}},
		},
	}
}

// with adds an instruction of line 7 of the source, executed by 100 warps.
func with(name, op, class string, bytes int, memory ...Traffic) func(*Launch) {
	return func(l *Launch) {
		l.Instructions = append(l.Instructions, Instruction{
			Name: name, Op: op, Class: class, Line: 20, Source: &Location{File: 1, Line: 7}, Bytes: bytes,
			Counts: Counts{Warps: 100, Threads: 3200, PredOn: 3200, Memory: memory},
		})
	}
}

// during gives the launch a time in which schedulers issue in 90 % of the active cycles, and changes that.
func during(change func(*Timing)) func(*Launch) {
	return func(l *Launch) {
		l.Timing = &Timing{
			Cycles: 1111.11, Active: 1000, ActiveAverage: 1000, Nanoseconds: 1000, Instructions: 3600, WarpCycles: 16000, States: map[string]float64{"selected": 3600},
			Busy: map[string]float64{"alu": 0.5}, Sampled: 1,
		}
		change(l.Timing)
	}
}

// TestRules checks for each rule that it fires, its estimate, the place it names and what it says to change.
func TestRules(t *testing.T) {
	load := func(m Traffic) func(*Launch) { return with("ld.global.f32", "load", "memory", 4, m) }
	for _, c := range []struct {
		name    string
		change  func(*Launch)
		rule    string // "" when none fires
		speedup float64
		says    string // in Change or Message
	}{
		{"nothing", func(*Launch) {}, "", 0, ""},
		{"coalesced", load(Traffic{Space: Global, Requests: 100, Sectors: 400, Ideal: 400, Contiguous: 100}), "", 0, ""},
		{"column", load(Traffic{Space: Global, Requests: 100, Sectors: 3200, Ideal: 400, Stride: 4096, StrideVotes: 100}),
			"UncoalescedGlobalAccess", 87.5, "its neighbour 4096 bytes further on"},
		{"structure", load(Traffic{Space: Global, Requests: 100, Sectors: 1600, Ideal: 400, Stride: 16, StrideVotes: 100}),
			"UncoalescedGlobalAccess", 75, "4 of every 16 bytes"},
		{"misaligned", load(Traffic{Space: Global, Requests: 100, Sectors: 500, Ideal: 400, Contiguous: 100}), "UncoalescedGlobalAccess", 20, "boundary"},
		{"idle threads", load(Traffic{Space: Global, Requests: 100, Sectors: 400, Ideal: 100, Contiguous: 100}), "UncoalescedGlobalAccess", 75, "some of them take no part"},
		{"a few that are scattered", load(Traffic{Space: Global, Requests: 100, Sectors: 450, Ideal: 390, Contiguous: 50}), "UncoalescedGlobalAccess", 100 * 60. / 450, "unrelated"},
		{"pieces of rows", func(l *Launch) {
			load(Traffic{Space: Global, Requests: 100, Sectors: 500, Ideal: 400, Stride: 4, StrideVotes: 100})(l)
			l.Block = Dim{16, 16, 1}
		}, "UncoalescedGlobalAccess", 20, "Make blocks a multiple of 32 threads wide"},
		{"pieces", load(Traffic{Space: Global, Requests: 100, Sectors: 500, Ideal: 400, Stride: 4, StrideVotes: 100}), "UncoalescedGlobalAccess", 20, "the index jumps within the warp"},
		{"random", load(Traffic{Space: Global, Requests: 100, Sectors: 3200, Ideal: 400}), "UncoalescedGlobalAccess", 87.5, "unrelated"},
		{"fragment", with("wmma.load.a.sync.aligned.row.m16n16k16.f16", "matrix", "memory", 0,
			Traffic{Space: Global, Requests: 100, Sectors: 800, Ideal: 400, Stride: 1024, StrideVotes: 100}), "UncoalescedGlobalAccess", 50, "load fragments from there"},
		{"reuse", func(l *Launch) {
			load(Traffic{Space: Global, Requests: 1e5, Sectors: 4e5, Ideal: 4e5, Lines: 1e5, Contiguous: 1e5})(l)
			l.Footprint.Read = 1e3 * 32
		}, "DataReuse", 100 * (1 - (32e3/256)/(1e5/4)), "400 times on average"},
		{"streaming", func(l *Launch) {
			load(Traffic{Space: Global, Requests: 1e5, Sectors: 4e5, Ideal: 4e5, Lines: 1e5, Contiguous: 1e5})(l)
			l.Footprint.Read = 4e5 * 32
		}, "", 0, ""},
		{"bank stride", with("ld.shared.f32", "load", "memory", 4,
			Traffic{Space: Shared, Requests: 100, Wavefronts: 3200, IdealWavefronts: 100, PipeWavefronts: 3200, Conflicts: 3100, Stride: 128, StrideVotes: 100}),
			"UncoalescedSharedAccess", 96.875, "tile[32][33]"},
		{"conflicts of stores", with("st.shared.f32", "store", "memory", 4,
			Traffic{Space: Shared, Requests: 100, Wavefronts: 200, IdealWavefronts: 100, PipeWavefronts: 200, Conflicts: 100}),
			"SharedMemoryConflicts", 50, "2-way bank conflict"},
		{"atomics", with("red.global.add.u32", "red", "memory", 4, Traffic{Space: Global, Requests: 100, Sectors: 100, Ideal: 100, Serial: 3200, Uniform: 100}),
			"AtomicSerialization", 96.875, "Combine the values"},
		{"constants", with("ld.const.f32", "load", "memory", 4, Traffic{Space: Const, Requests: 100, Words: 400}), "ConstantDivergence", 75, "4 different words"},
		{"local", with("ld.local.f32", "load", "memory", 4, Traffic{Space: Local, Requests: 100, Sectors: 400, Ideal: 400, Parts: 100}), "LocalMemory", 100, "unroll"},
		{"divergence", func(l *Launch) {
			l.Instructions[0].Threads, l.Instructions[0].PredOn = 16000, 16000
			with("bra", "branch", "control", 0)(l)
			l.Instructions[1].Divergent, l.Instructions[1].Threads, l.Instructions[1].PredOn = 90, 1600, 1600
		}, "ThreadDivergence", 50, "90 of 100 branches"},
		{"idle lanes", func(l *Launch) { l.Instructions[0].Threads, l.Instructions[0].PredOn = 1000, 1000 }, "ThreadDivergence", 96.875, "share the work"},
		{"double", func(l *Launch) {
			load(Traffic{Space: Global, Requests: 100, Sectors: 400, Ideal: 400, Contiguous: 100})(l)
			with("fma.rn.f64", "lane", "fp64", 0)(l)
		}, "DoublePrecision", 100 * (1 - 1./64), "64 times as long"},
		{"not fused", func(l *Launch) { with("mul.f32", "lane", "fp32", 0)(l); with("add.f32", "lane", "fp32", 0)(l) }, "FPInstructions", 50, "one expression"},
		{"nothing to fuse", with("mul.f32", "lane", "fp32", 0), "", 0, ""},
		{"division", with("rem.u64", "lane", "integer", 0), "IntegerDivision", 100 * 13400. / 14400, "32-bit unsigned"},
		{"odd block", func(l *Launch) { l.Block = Dim{100, 1, 1} }, "LaunchConfiguration", 100. / 4 * (1 - 4./32), "96 or 128 threads"},
		{"small grid", func(l *Launch) { l.Grid = Dim{3, 1, 1} }, "LaunchConfiguration", 25, "1 SMs have nothing to do"},
		{"tail", func(l *Launch) {
			l.Grid, l.Waves = Dim{65, 1, 1}, gpu.Waves{PerSM: 1.02, Full: 1, Tail: 1, TailPercent: 1.6}
		}, "LaunchConfiguration", 49.2,
			"a multiple of 64 blocks"},
		{"tail of a launch that is short of something else", func(l *Launch) {
			l.Grid, l.Waves = Dim{65, 1, 1}, gpu.Waves{PerSM: 1.02, Full: 1, Tail: 1, TailPercent: 1.6}
			during(func(*Timing) {})(l)
		}, "LaunchConfiguration", 10, "a multiple of 64 blocks"},
		{"block of one thread", func(l *Launch) { l.Block = Dim{1, 1, 1} }, "LaunchConfiguration", 96.875, "Launch blocks of at least 32 threads"},
		{"block that is odd", func(l *Launch) { l.Block = Dim{100, 1, 1} }, "LaunchConfiguration", 100. / 4 * (1 - 4./32), "Launch blocks of 96 or 128 threads"},
		{"a limit that no launch comes to", func(l *Launch) {
			l.Occupancy = gpu.Occupancy{Blocks: 4, Warps: 16, Percent: 25, Limiters: []gpu.Resource{gpu.Registers}}
		}, "", 0, ""},
		{"blocks that have barriers", func(l *Launch) {
			l.Occupancy = gpu.Occupancy{Blocks: 4, Warps: 16, Percent: 25, Limiters: []gpu.Resource{gpu.BlockSlots, gpu.SharedMemory, gpu.Barriers}}
			l.Waves = gpu.Waves{PerSM: 2, Full: 2}
		}, "TheoreticalOccupancy", 75, "limited by blocks."},
		{"spills", func(l *Launch) {
			l.Registers = Registers{PerThread: 32, Estimated: true, SpillStores: 8, SpillLoads: 12, Limit: 32}
		}, "RegisterSpilling", 0, "instructions for 8 bytes of stores and 12 of loads"},
		{"registers that functions save", func(l *Launch) {
			l.Registers = Registers{PerThread: 24, Estimated: true, SpillStores: 8, SpillLoads: 12}
		}, "RegisterSpilling", 0, "Let the compiler inline them"},
		{"spills that warps wait for", func(l *Launch) {
			l.Registers = Registers{PerThread: 32, Estimated: true, SpillStores: 8, SpillLoads: 12, Limit: 32}
			during(func(m *Timing) {
				m.Instructions, m.States["long_scoreboard"] = 400, 8000
				m.Code = []TimedInstruction{{PC: -1, Text: "LDL R4, [R1]", On: -1}, {PC: 0, States: map[string]float64{"long_scoreboard": 8000}, On: 0}}
			})(l)
		}, "RegisterSpilling", 50, "add.s32 waits for registers that were spilled"},
		{"occupancy", func(l *Launch) {
			l.Occupancy = gpu.Occupancy{Blocks: 4, Warps: 16, Percent: 25, Limiters: []gpu.Resource{gpu.Registers}}
			l.Registers.PerThread = 128
			l.Waves = gpu.Waves{PerSM: 2, Full: 2}
			l.Curves.Registers = []gpu.Point{{X: 64, Warps: 32, Percent: 50}, {X: 128, Warps: 16, Percent: 25}}
		}, "TheoreticalOccupancy", 75, "With 64 registers a thread"},
		{"estimate", func(l *Launch) { l.Registers.Estimated = true }, "EstimatedRegisters", 0, "--regs"},
		{"uncounted", func(l *Launch) {
			with("cp.async.bulk.tensor", "async", "memory", 0)(l)
			l.Instructions[1].Uncounted = true
		}, "UncountedAccesses", 0, "cp.async.bulk.tensor"},
		{"textures", with("tex.2d.v4.f32.f32", "texture", "memory", 0), "TextureFetches", 0, "requests to textures"},
		{"query of a texture", with("txq.width.b32", "texture", "memory", 0), "", 0, ""},
		{"nothing to say of a time", during(func(*Timing) {}), "SOLBottleneck", 0, "Busiest is Issue (sm__issue_active.avg.pct_of_peak_sustained_elapsed), at 81 %."},
		{"a full pipe", during(func(m *Timing) { m.Busy["alu"] = 0.95 }), "HighPipeUtilization", 0, "ALU (integer additions, logic and comparisons)"},
		{"idle pipes", during(func(m *Timing) { m.Busy["alu"] = 0.1 }), "HighPipeUtilization", 90, "it works in 10.0 % of the cycles"},
		{"a slow pipe", during(func(m *Timing) { m.Busy["fp64"], m.Instructions = 0.9, 400 }), "SlowPipeLimiter", 100 * 0.81 * (0.9 - 0.1) / 0.9, "FP64 (double precision)"},
		{"imbalance", during(func(m *Timing) { m.ActiveAverage = 500 }), "WorkloadImbalance", 100 * 0.5 * 500 / 1111.11, "multiple of 4 blocks"},
		{"unused bytes in L2", func(l *Launch) {
			load(Traffic{Space: Global, Requests: 100, Sectors: 3200, Ideal: 400, Unique: 12800, Stride: 4096, StrideVotes: 100})(l)
			during(func(m *Timing) { m.L1Misses, m.L1Hits, m.L2Busy = 80, 20, 0.5 })(l)
		}, "MemoryCacheAccessPattern", 100 * (1 - 4./32) * 0.8 * 0.5, "costs most in the L2 cache"},
		{"one value for all", func(l *Launch) {
			load(Traffic{Space: Global, Requests: 100, Sectors: 100, Ideal: 100, Unique: 400, Uniform: 100})(l)
			during(func(m *Timing) { m.Busy["lsu"] = 0.9 })(l)
		}, "MemoryCacheAccessPattern", 100 * (1 - 4./32) * 0.9, "All threads of a warp read the same 4 bytes"},
		{"one place for all", func(l *Launch) {
			with("st.global.f32", "store", "memory", 4, Traffic{Space: Global, Requests: 100, Sectors: 100, Ideal: 100, Unique: 400, Uniform: 100})(l)
			during(func(m *Timing) { m.Busy["lsu"] = 0.9 })(l)
		}, "MemoryCacheAccessPattern", 100 * (1 - 4./32) * 0.9, "Let one thread of them do it"},
		{"uncoalesced for a part of the time", func(l *Launch) {
			load(Traffic{Space: Global, Requests: 100, Sectors: 3200, Ideal: 400, Stride: 4096, StrideVotes: 100})(l)
			during(func(*Timing) {})(l)
		}, "UncoalescedGlobalAccess", 87.5 * 0.9, "4096 bytes further on"},
		{"arithmetic", func(l *Launch) {
			with("fma.rn.f64", "lane", "fp64", 0)(l)
			l.Device.CoreHz, l.Device.FP64Lanes = 1e9, 2
			during(func(m *Timing) { m.Nanoseconds, m.Busy["fp64"] = 500, 0.8 })(l)
		}, "SOLFPRoofline", 100 * 0.8 * (1 - 2./128) * 0.8, "64 times as high"},
		{"few warps that wait for nothing", func(l *Launch) {
			during(func(*Timing) {})(l)
			l.Occupancy = gpu.Occupancy{Blocks: 4, Warps: 16, Percent: 25, Limiters: []gpu.Resource{gpu.Registers}}
			l.Waves = gpu.Waves{PerSM: 2, Full: 2}
		}, "TheoreticalOccupancy", 10, "limited by"},
		{"waiting for special registers", during(func(m *Timing) {
			m.Instructions, m.States["short_scoreboard"] = 400, 8000
			m.Code = []TimedInstruction{{PC: -1, Text: "S2R R0, SR_TID.X", On: -1}, {PC: 0, States: map[string]float64{"short_scoreboard": 8000}, On: 0}}
		}), "CPIStall", 50, "waiting for special registers, such as threadIdx"},
		{"waiting for shared memory", during(func(m *Timing) {
			m.Instructions, m.States["short_scoreboard"] = 400, 8000
			m.Code = []TimedInstruction{{PC: -1, Text: "@!P0 LDS.128 R0, [R1]", On: -1}, {PC: 0, States: map[string]float64{"short_scoreboard": 8000}, On: 0}}
		}), "CPIStall", 50, "waiting for shared memory"},
		{"a line", during(func(m *Timing) {
			m.Code = []TimedInstruction{{PC: 0, States: map[string]float64{"long_scoreboard": 90, "wait": 10, "selected": 50}, On: -1}}
		}), "CPIStall", 0, "90% of its waiting is for data from global, local or texture memory (long_scoreboard)"},
		{"failed", func(l *Launch) { l.Error = "illegal address"; l.Grid = Dim{1, 1, 1} }, "", 0, ""},
	} {
		l := quiet()
		c.change(l)
		var found *Advice
		all := l.Totals().Advice()
		for i := range all {
			if all[i].Rule == c.rule && found == nil {
				found = &all[i]
			}
		}
		switch {
		case c.rule == "" && len(all) > 0:
			t.Errorf("%s: %+v", c.name, all)
		case c.rule == "":
		case found == nil:
			t.Errorf("%s: %s does not fire: %+v", c.name, c.rule, all)
		case math.Abs(found.Speedup-c.speedup) > 1e-3:
			t.Errorf("%s: estimate %v, want %v", c.name, found.Speedup, c.speedup)
		default:
			text := found.Message + found.Change
			for _, s := range found.Sites {
				text += s.Detail
			}
			if !strings.Contains(text, c.says) {
				t.Errorf("%s: %q does not say %q", c.name, text, c.says)
			}
			if found.Title == "" || found.Figure == "" || found.Section == "" || (found.Speedup > 0) != (found.SpeedupType != "") {
				t.Errorf("%s: incomplete: %+v", c.name, *found)
			}
		}
	}
}

// TestOrder checks that what the kernel spends most on stands first, and that one topic stands there once.
func TestOrder(t *testing.T) {
	l := quiet()
	with("ld.shared.f32", "load", "memory", 4, Traffic{Space: Shared, Requests: 1e6, Wavefronts: 32e6, IdealWavefronts: 1e6, PipeWavefronts: 32e6, Conflicts: 31e6})(l)
	with("mul.f32", "lane", "fp32", 0)(l)
	with("sub.f32", "lane", "fp32", 0)(l)
	l.Grid = Dim{3, 1, 1}
	top := Top(l.Totals().Advice(), 3)
	var rules []string
	for _, a := range top {
		rules = append(rules, a.Rule)
	}
	if got := strings.Join(rules, " "); got != "UncoalescedSharedAccess LaunchConfiguration FPInstructions" {
		t.Errorf("order: %s", got)
	}
	verdict := strings.Join(l.Totals().Verdict(l.Totals().Advice()), "\n")
	if !strings.Contains(verdict, "k.cu:7") || !strings.Contains(verdict, "L1") {
		t.Errorf("verdict: %s", verdict)
	}
}

// TestOwnPlace attributes code inlined from CUDA's headers to the line that uses it, and other inlined code to its own line.
func TestOwnPlace(t *testing.T) {
	l := quiet()
	use := &Location{File: 1, Line: 5}
	for _, c := range []struct {
		file string
		want int
	}{
		{"/usr/local/cuda/include/sm_30_intrinsics.hpp", 5},
		{"device_atomic_functions.hpp", 5},
		{"/cache/include/silica/atomics.h", 5},
		{"mma.hpp", 5},
		{"cooperative_groups/details/sync.h", 5},
		{"helpers.cuh", 9},
		{"cuda_utils.h", 9},
		{"my_math_functions.h", 9},
	} {
		l.Files[3] = c.file
		if got := l.ownPlace(&Location{File: 3, Line: 9, Function: "f", Inlined: use}); got.Line != c.want {
			t.Errorf("%s: line %d, want %d", c.file, got.Line, c.want)
		}
	}
}

// What compilers join from several lines stands at the line before it.
func TestPlaceOfJoinedCode(t *testing.T) {
	l := quiet()
	if file, line := l.place(&Instruction{Line: 30, After: &Location{File: 1, Line: 7}}); file != "k.cu" || line != 7 {
		t.Errorf("%s:%d", file, line)
	}
	if file, line := l.place(&Instruction{Line: 30}); file != "k.ptx" || line != 30 {
		t.Errorf("without lines: %s:%d", file, line)
	}
}
