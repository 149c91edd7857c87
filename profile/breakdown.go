package profile

import (
	"cmp"
	"slices"
)

// Constituent is one of the parts of the machine whose throughputs make those of the section Speed Of Light: the largest is the throughput.
type Constituent struct {
	Name  string  `json:"name"`  // as Nsight Compute's breakdown has it
	Label string  `json:"label"` // as tables have it
	Share float64 `json:"pct"`   // of what it can do in the launch's cycles
	// Memory tells the parts of the memory system from those of the SMs.
	Memory bool `json:"memory"`
	sum    throughput
}

// throughput is a figure that is the largest of its constituents'.
type throughput uint8

// The throughputs: an SM's instructions and its accesses make the SM's, what is accessed and what is asked for the memory system's.
const (
	instructionThroughput throughput = iota
	smMemoryThroughput
	accessThroughput
	requestThroughput
)

// constituents are the parts that the model has, with the part of some cycles in which each is busy: those in which SMs are active, or all. What
// belongs to which throughput was found in the metrics that Nsight Compute recorded on an H200, of which each sum equals one.
var constituents = []struct {
	name, label string
	sum         throughput
	active      bool
	busy        func(*Totals) float64
}{
	{"sm__issue_active", "Issue", instructionThroughput, true, func(t *Totals) float64 { return t.Timing.issue(t) }},
	{"sm__pipe_alu_cycles_active", "ALU", instructionThroughput, true, func(t *Totals) float64 { return t.Timing.Busy["alu"] }},
	{"sm__pipe_fma_cycles_active", "FMA", instructionThroughput, true, func(t *Totals) float64 { return t.Timing.Busy["fma"] }},
	{"sm__pipe_fp64_cycles_active", "FP64", instructionThroughput, true, func(t *Totals) float64 { return t.Timing.Busy["fp64"] }},
	{"sm__pipe_tensor_cycles_active", "Tensor", instructionThroughput, true, func(t *Totals) float64 { return t.Timing.Busy["tensor"] }},
	{"sm__inst_executed_pipe_xu", "XU", instructionThroughput, true, func(t *Totals) float64 { return t.Timing.Busy["xu"] }},
	{"sm__inst_executed_pipe_uniform", "Uniform", instructionThroughput, true, func(t *Totals) float64 { return t.Timing.Executed["uniform"] }},
	{"sm__inst_executed_pipe_lsu", "LSU", smMemoryThroughput, true, func(t *Totals) float64 { return t.Timing.Executed["lsu"] }},
	{"sm__inst_executed_pipe_adu", "ADU", smMemoryThroughput, true, func(t *Totals) float64 { return t.Timing.Executed["adu"] }},
	{"sm__inst_executed_pipe_tex", "TEX", smMemoryThroughput, true, func(t *Totals) float64 { return t.Timing.Executed["tex"] }},
	{"l1tex__data_pipe_lsu_wavefronts", "L1", accessThroughput, true, func(t *Totals) float64 { return t.Timing.DataPipe }},
	{"lts__t_sectors", "L2", accessThroughput, false, func(t *Totals) float64 { return t.Timing.L2Busy }},
	{"l1tex__lsuin_requests", "L1 input", requestThroughput, true, func(t *Totals) float64 { return t.Timing.Executed["lsu"] }},
	{"l1tex__lsu_writeback_active", "L1 results", requestThroughput, false, func(t *Totals) float64 {
		return quotient(t.Timing.Writebacks, t.Timing.Cycles*float64(t.Device.SMs))
	}},
	{"dram__cycles_active", "DRAM", requestThroughput, false, func(t *Totals) float64 { return t.Timing.DRAMBusy }},
}

// Breakdown lists the constituents of the throughputs of SMs and memory, the busiest first; none without a time.
func (t *Totals) Breakdown() []Constituent {
	if t.Timing == nil {
		return nil
	}
	var out []Constituent
	for _, c := range constituents {
		share := c.busy(t)
		if c.active {
			share = min(share, 1) * t.Timing.elapsedShare()
		}
		out = append(out, Constituent{
			Name: c.name + ".avg.pct_of_peak_sustained_elapsed", Label: c.label, Share: 100 * share,
			Memory: c.sum == accessThroughput || c.sum == requestThroughput, sum: c.sum,
		})
	}
	slices.SortStableFunc(out, func(a, b Constituent) int { return cmp.Compare(b.Share, a.Share) })
	return out
}

// throughputs are the parts of what the SMs and the memory system can do.
func (t *Totals) throughputs() (compute, memory float64) {
	return max(t.throughput(instructionThroughput), t.throughput(smMemoryThroughput)), max(t.throughput(accessThroughput), t.throughput(requestThroughput))
}

// throughput is the share of the busiest of a throughput's constituents.
func (t *Totals) throughput(of throughput) float64 {
	for _, c := range t.Breakdown() {
		if c.sum == of {
			return c.Share / 100
		}
	}
	return 0
}
