package profile

import "cmp"

// Machine is how a kernel fares on a GPU: what a comparison of GPUs shows of it.
type Machine struct {
	GPU      string `json:"gpu"`
	Launches int    `json:"launches"`
	Grid     Dim    `json:"grid"`
	Block    Dim    `json:"block"`
	// Error tells why there are no figures.
	Error       string  `json:"error,omitempty"`
	Nanoseconds float64 `json:"duration_ns"`
	All         float64 `json:"all_launches_ns"` // the durations of all launches that this one stands for
	Cycles      float64 `json:"cycles"`
	// Limiter is the constituent of the throughputs that is busiest, in percent.
	Limiter       string  `json:"limiter"`
	LimiterShare  float64 `json:"limiter_pct"`
	SM            float64 `json:"sm_throughput_pct"`
	Memory        float64 `json:"memory_throughput_pct"`
	Theoretical   float64 `json:"theoretical_occupancy_pct"`
	Achieved      float64 `json:"achieved_occupancy_pct"`
	TopStall      string  `json:"top_stall"`
	TopStallShare float64 `json:"top_stall_pct"` // of the warps' time
	DRAM          float64 `json:"dram_pct"`
	L2            float64 `json:"l2_pct"`
	L1            float64 `json:"l1_pct"`
	L1Hits        float64 `json:"l1_hit_rate_pct"`
	L2Hits        float64 `json:"l2_hit_rate_pct"`
	DRAMBytes     float64 `json:"dram_bytes"`
	Registers     int     `json:"registers_per_thread"`
	Waves         float64 `json:"waves_per_sm"`
}

// Machine sums a launch up for a comparison.
func (t *Totals) Machine() Machine {
	m := Machine{
		GPU: t.Device.ID, Launches: 1, Grid: t.Grid, Block: t.Block, Error: t.Error, Theoretical: t.Occupancy.Percent, Registers: t.Registers.PerThread,
		Waves: t.Waves.PerSM,
	}
	if t.Timing == nil {
		if m.Error == "" {
			m.Error = cmp.Or(t.Untimed, "the model of the machine had nothing to look at")
		}
		return m
	}
	m.Nanoseconds, m.All, m.Cycles = t.Timing.Nanoseconds, t.Timing.Nanoseconds, t.Timing.Cycles
	parts := t.Breakdown()
	m.Limiter, m.LimiterShare = parts[0].Label, parts[0].Share
	for _, p := range parts {
		switch p.Label {
		case "DRAM":
			m.DRAM = p.Share
		case "L2":
			m.L2 = p.Share
		case "L1":
			m.L1 = p.Share
		}
	}
	compute, memory := t.throughputs()
	m.SM, m.Memory = 100*compute, 100*memory
	m.Achieved = 100 * quotient(t.Timing.warps(), float64(t.Device.WarpsPerSM))
	stall, share := t.Timing.TopStall()
	m.TopStall, m.TopStallShare = stall, 100*share
	m.L1Hits = 100 * quotient(t.Timing.L1Hits, t.Timing.L1Hits+t.Timing.L1Misses)
	m.L2Hits = t.Timing.l2HitRate()
	m.DRAMBytes = SectorBytes * (t.Timing.DRAMReads + t.Timing.DRAMWrites)
	return m
}
