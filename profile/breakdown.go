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
}

// constituents are the parts that the model has, with the part of some cycles in which each is busy: those in which SMs are active, or all.
var constituents = []struct {
	name, label    string
	memory, active bool
	busy           func(*Totals) float64
}{
	{"sm__issue_active", "Issue", false, true, func(t *Totals) float64 { return t.Timing.issue(t) }},
	{"sm__pipe_alu_cycles_active", "ALU", false, true, func(t *Totals) float64 { return t.Timing.Busy["alu"] }},
	{"sm__pipe_fma_cycles_active", "FMA", false, true, func(t *Totals) float64 { return t.Timing.Busy["fma"] }},
	{"sm__pipe_fp64_cycles_active", "FP64", false, true, func(t *Totals) float64 { return t.Timing.Busy["fp64"] }},
	{"sm__pipe_tensor_cycles_active", "Tensor", false, true, func(t *Totals) float64 { return t.Timing.Busy["tensor"] }},
	{"sm__inst_executed_pipe_xu", "XU", false, true, func(t *Totals) float64 { return t.Timing.Busy["xu"] }},
	{"l1tex__data_pipe_lsu_wavefronts", "L1", true, true, func(t *Totals) float64 { return t.Timing.Busy["lsu"] }},
	{"lts__t_sectors", "L2", true, false, func(t *Totals) float64 { return t.Timing.L2Busy }},
	{"dram__cycles_active", "DRAM", true, false, func(t *Totals) float64 { return t.Timing.DRAMBusy }},
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
		out = append(out, Constituent{c.name + ".avg.pct_of_peak_sustained_elapsed", c.label, 100 * share, c.memory})
	}
	slices.SortStableFunc(out, func(a, b Constituent) int { return cmp.Compare(b.Share, a.Share) })
	return out
}

// throughputs are the parts of what the SMs and the memory system can do.
func (t *Totals) throughputs() (compute, memory float64) {
	for _, c := range t.Breakdown() {
		if c.Memory {
			memory = max(memory, c.Share/100)
		} else {
			compute = max(compute, c.Share/100)
		}
	}
	return compute, memory
}
