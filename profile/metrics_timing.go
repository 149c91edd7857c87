package profile

import "silica/internal/timing"

// stallReasons are the states of a warp: as metric names spell them, as Nsight Compute's page does, and nvprof's name of the
// share of time.
var stallReasons = []struct{ name, label, nvprof string }{
	{"barrier", "Stall Barrier", "stall_sync"}, {"branch_resolving", "Stall Branch Resolving", ""}, {"dispatch_stall", "Stall Dispatch Stall", ""},
	{"drain", "Stall Drain", ""}, {"gmma", "Stall GMMA", ""}, {"imc_miss", "Stall IMC Miss", "stall_constant_memory_dependency"},
	{"lg_throttle", "Stall LG Throttle", "stall_memory_throttle"}, {"long_scoreboard", "Stall Long Scoreboard", "stall_memory_dependency"},
	{"math_pipe_throttle", "Stall Math Pipe Throttle", "stall_pipe_busy"}, {"membar", "Stall Membar", ""}, {"mio_throttle", "Stall MIO Throttle", ""},
	{"misc", "Stall Misc", "stall_other"}, {"no_instruction", "Stall No Instruction", "stall_inst_fetch"},
	{"not_selected", "Stall Not Selected", "stall_not_selected"}, {"selected", "Selected", ""},
	{"short_scoreboard", "Stall Short Scoreboard", "stall_exec_dependency"}, {"sleeping", "Stall Sleeping", ""},
	{"tex_throttle", "Stall Tex Throttle", "stall_texture"}, {"wait", "Stall Wait", ""},
}

// timingMetrics are the metrics that depend on time or on the contents of caches. Their values come from the model of the machine;
// those without a formula have none.
func timingMetrics() []Metric {
	var out []Metric
	for _, group := range []struct {
		section  SectionID
		headline bool
		metrics  [][3]string // name, label, unit
	}{
		{SpeedOfLight, true, [][3]string{
			{"sm__throughput.avg.pct_of_peak_sustained_elapsed", "Compute (SM) Throughput", "%"},
			{"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "Memory Throughput", "%"},
			{"gpu__time_duration.sum", "Duration", "ns"},
			{"gpc__cycles_elapsed.max", "Elapsed Cycles", "cycle"},
			{"sm__cycles_active.avg", "SM Active Cycles", "cycle"},
			{"gpc__cycles_elapsed.avg.per_second", "SM Frequency", "hz"},
			{"dram__cycles_elapsed.avg.per_second", "DRAM Frequency", "hz"},
			{"l1tex__throughput.avg.pct_of_peak_sustained_active", "L1/TEX Cache Throughput", "%"},
			{"lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2 Cache Throughput", "%"},
			{"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "DRAM Throughput", "%"},
		}},
		{ComputeWorkloadAnalysis, true, [][3]string{
			{"sm__inst_executed.avg.per_cycle_active", "Executed Ipc Active", "inst/cycle"},
			{"sm__inst_executed.avg.per_cycle_elapsed", "Executed Ipc Elapsed", "inst/cycle"},
			{"sm__inst_issued.avg.per_cycle_active", "Issued Ipc Active", "inst/cycle"},
			{"sm__inst_issued.avg.pct_of_peak_sustained_elapsed", "Issue Slots Busy", "%"},
			{"sm__instruction_throughput.avg.pct_of_peak_sustained_elapsed", "SM Busy", "%"},
		}},
		{ComputeWorkloadAnalysis, false, [][3]string{
			{"sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active", "ALU Pipe", "%"},
			{"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", "FMA Pipe", "%"},
			{"sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active", "FP64 Pipe", "%"},
			{"sm__pipe_shared_cycles_active.avg.pct_of_peak_sustained_active", "Shared Pipe", "%"},
			{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "Tensor Pipe", "%"},
			{"sm__inst_executed_pipe_adu.avg.pct_of_peak_sustained_active", "ADU Instructions", "%"},
			{"sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", "ALU Instructions", "%"},
			{"sm__inst_executed_pipe_cbu.avg.pct_of_peak_sustained_active", "CBU Instructions", "%"},
			{"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", "FMA Instructions", "%"},
			{"sm__inst_executed_pipe_fp16.avg.pct_of_peak_sustained_active", "FP16 Instructions", "%"},
			{"sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active", "FP64 Instructions", "%"},
			{"sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active", "LSU Instructions", "%"},
			{"sm__inst_executed_pipe_tex.avg.pct_of_peak_sustained_active", "TEX Instructions", "%"},
			{"sm__inst_executed_pipe_uniform.avg.pct_of_peak_sustained_active", "Uniform Instructions", "%"},
			{"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", "XU Instructions", "%"},
		}},
		{MemoryWorkloadAnalysis, true, [][3]string{
			{"dram__bytes.sum.per_second", "Memory Throughput", "byte/s"},
			{"gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed", "Mem Busy", "%"},
			{"l1tex__t_sector_hit_rate.pct", "L1/TEX Hit Rate", "%"},
			{"gpu__compute_memory_request_throughput.avg.pct_of_peak_sustained_elapsed", "Max Bandwidth", "%"},
			{"lts__t_sector_hit_rate.pct", "L2 Hit Rate", "%"},
			{"sm__memory_throughput.avg.pct_of_peak_sustained_elapsed", "Mem Pipes Busy", "%"},
		}},
		{MemoryWorkloadTables, false, [][3]string{
			{"l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "Global Loads Hit Rate", "%"},
			{"l1tex__t_sector_pipe_lsu_mem_global_op_st_hit_rate.pct", "Global Stores Hit Rate", "%"},
			{"l1tex__t_sector_pipe_lsu_mem_local_op_ld_hit_rate.pct", "Local Loads Hit Rate", "%"},
			{"l1tex__t_sector_pipe_lsu_mem_local_op_st_hit_rate.pct", "Local Stores Hit Rate", "%"},
			{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "Global Loads Sector Hits", "sector"},
			{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", "Global Loads Sector Misses", "sector"},
			{"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum", "Global Stores Sector Hits", "sector"},
			{"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_miss.sum", "Global Stores Sector Misses", "sector"},
			{"l1tex__t_sector_pipe_tex_mem_texture_op_tex_hit_rate.pct", "Texture Hit Rate", "%"},
			{"l1tex__t_sectors_pipe_tex_mem_texture.sum", "Texture Sectors", "sector"},
			{"l1tex__t_sectors_pipe_tex_mem_texture_lookup_hit.sum", "Texture Sector Hits", "sector"},
			{"l1tex__t_sectors_pipe_tex_mem_texture_lookup_miss.sum", "Texture Sector Misses", "sector"},
			{"l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum", "Global Loads Wavefronts", ""},
			{"l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_st.sum", "Global Stores Wavefronts", ""},
			{"l1tex__m_xbar2l1tex_read_sectors.avg.pct_of_peak_sustained_elapsed", "L2 To L1 Returns", "%"},
			{"l1tex__m_l1tex2xbar_req_cycles_active.avg.pct_of_peak_sustained_elapsed", "L1 To L2 Requests", "%"},
			{"l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed", "LSU Input", "%"},
			{"l1tex__data_bank_reads.avg.pct_of_peak_sustained_elapsed", "Data Bank Reads", "%"},
			{"l1tex__data_bank_writes.avg.pct_of_peak_sustained_elapsed", "Data Bank Writes", "%"},
			{"lts__t_requests_srcunit_tex.sum", "L2 Requests From L1/TEX", "request"},
			{"lts__t_sectors_srcunit_tex.sum", "L2 Sectors From L1/TEX", "sector"},
			{"lts__t_sectors.sum", "L2 Sectors", "sector"},
			{"lts__t_sectors.avg", "L2 Sectors Of A Slice", "sector"},
			{"lts__t_sectors.max", "L2 Sectors Of The Busiest Slice", "sector"},
			{"lts__t_sectors.min", "L2 Sectors Of The Idlest Slice", "sector"},
			{"lts__t_sectors_op_read.sum", "L2 Read Sectors", "sector"},
			{"lts__t_sectors_op_write.sum", "L2 Written Sectors", "sector"},
			{"dram__bytes_read.sum", "DRAM Bytes Read", "byte"},
			{"dram__bytes_write.sum", "DRAM Bytes Written", "byte"},
			{"dram__sectors_read.sum", "DRAM Sectors Read", "sector"},
			{"dram__sectors_write.sum", "DRAM Sectors Written", "sector"},
		}},
		{SchedulerStats, true, [][3]string{
			{"smsp__issue_active.avg.pct_of_peak_sustained_active", "One or More Eligible", "%"},
			{"smsp__issue_active.avg.per_cycle_active", "Issued Warp Per Scheduler", ""},
			{"smsp__issue_inst0.avg.pct_of_peak_sustained_active", "No Eligible", "%"},
			{"smsp__warps_active.avg.per_cycle_active", "Active Warps Per Scheduler", "warp"},
			{"smsp__warps_eligible.avg.per_cycle_active", "Eligible Warps Per Scheduler", "warp"},
		}},
		{WarpStateStats, true, [][3]string{
			{"smsp__average_warp_latency_per_inst_issued.ratio", "Warp Cycles Per Issued Instruction", "cycle"},
			{"smsp__average_warps_active_per_inst_executed.ratio", "Warp Cycles Per Executed Instruction", "cycle"},
		}},
		{WorkloadDistribution, true, [][3]string{
			{"dram__cycles_active.avg", "Average DRAM Active Cycles", "cycle"},
			{"dram__cycles_elapsed.sum", "Total DRAM Elapsed Cycles", "cycle"},
			{"l1tex__cycles_active.avg", "Average L1 Active Cycles", "cycle"},
			{"l1tex__cycles_elapsed.sum", "Total L1 Elapsed Cycles", "cycle"},
			{"lts__cycles_active.avg", "Average L2 Active Cycles", "cycle"},
			{"lts__cycles_elapsed.sum", "Total L2 Elapsed Cycles", "cycle"},
			{"sm__cycles_elapsed.sum", "Total SM Elapsed Cycles", "cycle"},
			{"smsp__cycles_active.avg", "Average SMSP Active Cycles", "cycle"},
			{"smsp__cycles_elapsed.sum", "Total SMSP Elapsed Cycles", "cycle"},
		}},
	} {
		for _, m := range group.metrics {
			out = append(out, Metric{Name: m[0], Label: m[1], Unit: m[2], Section: group.section, Tier: TierModelled, Headline: group.headline,
				NVProf: timingAliases[m[0]], value: timed(timingFormulas[m[0]])})
		}
	}
	for _, r := range stallReasons {
		share := Metric{Name: "smsp__warp_issue_stalled_" + r.name + "_per_warp_active.pct", Label: r.label + ", Share", Unit: "%",
			Section: WarpStateStats, Tier: TierModelled,
			value: timed(func(t *Timing, _ *Totals) float64 { return 100 * quotient(t.States[r.name], t.WarpCycles) })}
		if r.nvprof != "" {
			share.NVProf = []string{r.nvprof}
		}
		out = append(out, Metric{Name: "smsp__average_warps_issue_stalled_" + r.name + "_per_issue_active.ratio", Label: r.label, Unit: "inst",
			Section: WarpStateStats, Tier: TierModelled,
			value: timed(func(t *Timing, _ *Totals) float64 { return quotient(t.States[r.name], t.Instructions) })}, share)
	}
	return out
}

// timingAliases are nvprof's names of metrics that depend on time.
var timingAliases = map[string][]string{
	"smsp__warps_eligible.avg.per_cycle_active":              {"eligible_warps_per_cycle"},
	"sm__inst_executed.avg.per_cycle_elapsed":                {"ipc"},
	"sm__inst_issued.avg.per_cycle_active":                   {"issued_ipc"},
	"sm__inst_issued.avg.pct_of_peak_sustained_elapsed":      {"issue_slot_utilization"},
	"dram__bytes_read.sum":                                   {"dram_read_bytes"},
	"dram__bytes_write.sum":                                  {"dram_write_bytes"},
	"dram__sectors_read.sum":                                 {"dram_read_transactions"},
	"dram__sectors_write.sum":                                {"dram_write_transactions"},
	"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": {"dram_utilization"},
	"l1tex__t_sector_hit_rate.pct":                           {"tex_cache_hit_rate"},
	"l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct": {"global_hit_rate"},
}

// timed makes a formula of what the model of the machine says.
func timed(f func(*Timing, *Totals) float64) func(*Totals) (float64, bool) {
	if f == nil {
		return nil
	}
	return func(t *Totals) (float64, bool) {
		if t.Timing == nil {
			return 0, false
		}
		return f(t.Timing, t), true
	}
}

func quotient(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// The peaks of throughputs are those of the GPU's description; parts of the machine are busy in a part of the cycles in which the SM is active.
var timingFormulas = map[string]func(*Timing, *Totals) float64{
	"gpu__time_duration.sum":              func(t *Timing, _ *Totals) float64 { return t.Nanoseconds },
	"gpc__cycles_elapsed.max":             func(t *Timing, _ *Totals) float64 { return t.Cycles },
	"sm__cycles_active.avg":               func(t *Timing, _ *Totals) float64 { return t.ActiveAverage },
	"gpc__cycles_elapsed.avg.per_second":  func(_ *Timing, l *Totals) float64 { return float64(l.Device.CoreHz) },
	"dram__cycles_elapsed.avg.per_second": func(_ *Timing, l *Totals) float64 { return float64(l.Device.MemoryHz) },

	"sm__throughput.avg.pct_of_peak_sustained_elapsed": func(_ *Timing, l *Totals) float64 { compute, _ := l.throughputs(); return 100 * compute },
	"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": func(_ *Timing, l *Totals) float64 {
		_, memory := l.throughputs()
		return 100 * memory
	},
	"l1tex__throughput.avg.pct_of_peak_sustained_active": func(t *Timing, l *Totals) float64 {
		return 100 * max(t.DataPipe, t.Executed["lsu"], t.Busy["tex"], quotient(t.xbarRequests(l), t.elapsedShare()))
	},
	"lts__throughput.avg.pct_of_peak_sustained_elapsed": func(t *Timing, _ *Totals) float64 { return 100 * t.L2Busy },
	"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": func(t *Timing, l *Totals) float64 {
		return 100 * quotient(t.dramRate(), float64(l.Device.DRAMBytesPerSecond))
	},

	"sm__inst_executed.avg.per_cycle_active":                         func(t *Timing, _ *Totals) float64 { return t.ipc() },
	"sm__inst_executed.avg.per_cycle_elapsed":                        func(t *Timing, _ *Totals) float64 { return t.ipc() * t.elapsedShare() },
	"sm__inst_issued.avg.per_cycle_active":                           func(t *Timing, _ *Totals) float64 { return t.ipc() },
	"sm__inst_issued.avg.pct_of_peak_sustained_elapsed":              func(t *Timing, l *Totals) float64 { return 100 * t.issue(l) * t.elapsedShare() },
	"sm__instruction_throughput.avg.pct_of_peak_sustained_elapsed":   sums(instructionThroughput),
	"sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active":    busy("alu"),
	"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active":    busy("fma"),
	"sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active":   busy("fp64"),
	"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active": busy("tensor"),
	"sm__pipe_shared_cycles_active.avg.pct_of_peak_sustained_active": func(t *Timing, _ *Totals) float64 {
		return 100 * (t.Busy["fp64"] + t.Busy["tensor"])
	},
	"sm__inst_executed_pipe_adu.avg.pct_of_peak_sustained_active":     executes("adu"),
	"sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active":     executes("alu"),
	"sm__inst_executed_pipe_cbu.avg.pct_of_peak_sustained_active":     executes("cbu"),
	"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active":     executes("fma"),
	"sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active":    executes("fp64"),
	"sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active":     executes("lsu"),
	"sm__inst_executed_pipe_tex.avg.pct_of_peak_sustained_active":     executes("tex"),
	"sm__inst_executed_pipe_uniform.avg.pct_of_peak_sustained_active": executes("uniform"),
	"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active":      executes("xu"),

	"dram__bytes.sum.per_second":                                               func(t *Timing, _ *Totals) float64 { return t.dramRate() },
	"l1tex__t_sector_hit_rate.pct":                                             func(t *Timing, _ *Totals) float64 { return t.L1HitRate() },
	"lts__t_sector_hit_rate.pct":                                               func(t *Timing, _ *Totals) float64 { return t.l2HitRate() },
	"sm__memory_throughput.avg.pct_of_peak_sustained_elapsed":                  sums(smMemoryThroughput),
	"gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed":  sums(accessThroughput),
	"gpu__compute_memory_request_throughput.avg.pct_of_peak_sustained_elapsed": sums(requestThroughput),
	"l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed":                  func(t *Timing, _ *Totals) float64 { return 100 * t.Executed["lsu"] * t.elapsedShare() },
	"l1tex__m_l1tex2xbar_req_cycles_active.avg.pct_of_peak_sustained_elapsed":  func(t *Timing, l *Totals) float64 { return 100 * t.xbarRequests(l) },
	"l1tex__m_xbar2l1tex_read_sectors.avg.pct_of_peak_sustained_elapsed": func(t *Timing, l *Totals) float64 {
		return 100 * quotient(t.L1Misses+t.TextureMisses, sectorsFromL2*t.Cycles*float64(l.Device.SMs))
	},
	"l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct": func(t *Timing, _ *Totals) float64 {
		return 100 * quotient(t.L1Hits-t.LocalHits, t.L1Hits+t.L1Misses-t.LocalHits-t.LocalMisses)
	},
	"l1tex__t_sector_pipe_lsu_mem_local_op_ld_hit_rate.pct":      func(t *Timing, _ *Totals) float64 { return 100 * quotient(t.LocalHits, t.LocalHits+t.LocalMisses) },
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum":  func(t *Timing, _ *Totals) float64 { return t.L1Hits - t.LocalHits },
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum": func(t *Timing, _ *Totals) float64 { return t.L1Misses - t.LocalMisses },
	"l1tex__t_sector_pipe_tex_mem_texture_op_tex_hit_rate.pct": func(t *Timing, _ *Totals) float64 {
		return 100 * quotient(t.TextureHits, t.TextureHits+t.TextureMisses)
	},
	"l1tex__t_sector_pipe_lsu_mem_global_op_st_hit_rate.pct":     func(t *Timing, _ *Totals) float64 { return 100 * quotient(t.StoreHits, t.StoreHits+t.StoreMisses) },
	"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum":  func(t *Timing, _ *Totals) float64 { return t.StoreHits },
	"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_miss.sum": func(t *Timing, _ *Totals) float64 { return t.StoreMisses },
	"l1tex__t_sector_pipe_lsu_mem_local_op_st_hit_rate.pct": func(t *Timing, _ *Totals) float64 {
		return 100 * quotient(t.LocalStoreHits, t.LocalStoreHits+t.LocalStoreMisses)
	},
	"l1tex__t_sectors_pipe_tex_mem_texture.sum":             func(t *Timing, _ *Totals) float64 { return t.TextureHits + t.TextureMisses },
	"l1tex__t_sectors_pipe_tex_mem_texture_lookup_hit.sum":  func(t *Timing, _ *Totals) float64 { return t.TextureHits },
	"l1tex__t_sectors_pipe_tex_mem_texture_lookup_miss.sum": func(t *Timing, _ *Totals) float64 { return t.TextureMisses },
	"lts__t_requests_srcunit_tex.sum":                       func(t *Timing, _ *Totals) float64 { return t.L2ReadRequests + t.L2WriteRequests + t.L2Atomics },
	"lts__t_sectors.sum":                                    func(t *Timing, _ *Totals) float64 { return t.l2Sectors() + t.L2Fabric },
	"lts__t_sectors.avg":                                    func(t *Timing, l *Totals) float64 { return t.sliceSectors(l) },
	"lts__t_sectors.max":                                    func(t *Timing, l *Totals) float64 { return t.sliceSectors(l) * t.SliceMost },
	"lts__t_sectors.min":                                    func(t *Timing, l *Totals) float64 { return t.sliceSectors(l) * t.SliceLeast },
	"lts__t_sectors_op_read.sum":                            func(t *Timing, _ *Totals) float64 { return t.L2ReadHits + t.L2ReadMisses },
	"lts__t_sectors_srcunit_tex.sum":                        func(t *Timing, _ *Totals) float64 { return t.l2Sectors() },
	"lts__t_sectors_op_write.sum":                           func(t *Timing, _ *Totals) float64 { return t.L2Writes },
	"dram__bytes_read.sum":                                  func(t *Timing, _ *Totals) float64 { return SectorBytes * t.DRAMReads },
	"dram__bytes_write.sum":                                 func(t *Timing, _ *Totals) float64 { return SectorBytes * t.DRAMWrites },
	"dram__sectors_read.sum":                                func(t *Timing, _ *Totals) float64 { return t.DRAMReads },
	"dram__sectors_write.sum":                               func(t *Timing, _ *Totals) float64 { return t.DRAMWrites },

	"smsp__issue_active.avg.pct_of_peak_sustained_active": func(t *Timing, l *Totals) float64 { return 100 * t.issue(l) },
	"smsp__issue_active.avg.per_cycle_active":             func(t *Timing, l *Totals) float64 { return t.issue(l) },
	"smsp__issue_inst0.avg.pct_of_peak_sustained_active":  func(t *Timing, l *Totals) float64 { return 100 * (1 - t.issue(l)) },
	"smsp__warps_active.avg.per_cycle_active":             func(t *Timing, l *Totals) float64 { return t.warps() / float64(l.Device.SubPartitions) },
	"smsp__warps_eligible.avg.per_cycle_active": func(t *Timing, l *Totals) float64 {
		return quotient(t.States["selected"]+t.States["not_selected"], t.Active) / float64(l.Device.SubPartitions)
	},
	"smsp__average_warp_latency_per_inst_issued.ratio":   func(t *Timing, _ *Totals) float64 { return quotient(t.WarpCycles, t.Instructions) },
	"smsp__average_warps_active_per_inst_executed.ratio": func(t *Timing, _ *Totals) float64 { return quotient(t.WarpCycles, t.Instructions) },
}

// sums is the throughput of the busiest of its constituents.
func sums(of throughput) func(*Timing, *Totals) float64 {
	return func(_ *Timing, l *Totals) float64 { return 100 * l.throughput(of) }
}

func executes(part timing.Part) func(*Timing, *Totals) float64 {
	return func(t *Timing, _ *Totals) float64 { return 100 * t.Executed[part] }
}

// sectorsFromL2 is how many sectors L1 takes from L2 in a cycle, as an H200's percentages have it.
const sectorsFromL2 = 4

// xbarRequests is the part of the cycles in which L1 sends requests to L2: one in a cycle that reads, or a sector that is written, and a cycle more for
// which bytes are, where sectors are not whole.
func (t *Timing) xbarRequests(l *Totals) float64 {
	return quotient(t.L2ReadRequests+t.L2Writes+t.L2PartialRequests+t.L2Atomics, t.Cycles*float64(l.Device.SMs))
}

func busy(pipe string) func(*Timing, *Totals) float64 {
	return func(t *Timing, _ *Totals) float64 { return 100 * t.Busy[pipe] }
}

// elapsedShare is the part of the launch in which an SM is active, on average.
func (t *Timing) elapsedShare() float64 { return quotient(t.ActiveAverage, t.Cycles) }

// ipc is the instructions in an active cycle of an SM.
func (t *Timing) ipc() float64 { return quotient(t.Instructions, t.Active) }

// issue is the part of the active cycles in which a scheduler issues.
func (t *Timing) issue(l *Totals) float64 { return t.ipc() / float64(l.Device.SubPartitions) }

// warps is how many warps an SM has, on average, while it is active.
func (t *Timing) warps() float64 { return quotient(t.WarpCycles, t.Active) }

// L1HitRate is the part of the sectors that L1 is asked for, in percent, that it has, or whose line it has when they are stored. Atomic operations pass.
func (t *Timing) L1HitRate() float64 {
	hits := t.L1Hits + t.TextureHits + t.StoreHits + t.LocalStoreHits
	return 100 * quotient(hits, hits+t.L1Misses+t.TextureMisses+t.StoreMisses+t.LocalStoreMisses+t.L2Atomics)
}

// l2HitRate is the part of the sectors that L2 is asked for, in percent, that it has.
func (t *Timing) l2HitRate() float64 {
	return 100 * quotient(t.L2ReadHits+t.L2Writes+t.L2Atomics, t.l2Sectors())
}

// sliceSectors are the sectors of the average slice of L2.
func (t *Timing) sliceSectors(l *Totals) float64 {
	return quotient(t.l2Sectors()+t.L2Fabric, float64(l.Device.L2Slices))
}

func (t *Timing) l2Sectors() float64 { return t.L2ReadHits + t.L2ReadMisses + t.L2Writes + t.L2Atomics }

// dramRate is the bytes that memory moves in a second.
func (t *Timing) dramRate() float64 {
	return quotient(SectorBytes*(t.DRAMReads+t.DRAMWrites), t.Nanoseconds) * 1e9
}
