package profile

// launchMetrics describes the launch and what the driver gives it.
func launchMetrics() []Metric {
	const (
		section = LaunchStats
		perSM   = 2 // SMs of a TPC, since Volta
		stack   = 1024
	)
	return []Metric{
		{Name: "launch__block_size", Label: "Block Size", Section: section, Tier: TierDevice, Headline: true,
			value: whole(func(t *Totals) int { return t.Block.Count() })},
		{Name: "launch__block_dim_x", Label: "Block Dimension X", Unit: "block", Section: section, Tier: TierDevice,
			value: whole(func(t *Totals) int { return t.Block.X })},
		{Name: "launch__block_dim_y", Label: "Block Dimension Y", Unit: "block", Section: section, Tier: TierDevice,
			value: whole(func(t *Totals) int { return t.Block.Y })},
		{Name: "launch__block_dim_z", Label: "Block Dimension Z", Unit: "block", Section: section, Tier: TierDevice,
			value: whole(func(t *Totals) int { return t.Block.Z })},
		{Name: "launch__cluster_size", Label: "Cluster Size", Section: section, Tier: TierDevice, Headline: true,
			value: whole(func(t *Totals) int { return t.cluster().Count() })},
		{Name: "launch__cluster_dim_x", Label: "Cluster Dimension X", Section: section, Tier: TierDevice,
			value: whole(func(t *Totals) int { return t.cluster().X })},
		{Name: "launch__cluster_dim_y", Label: "Cluster Dimension Y", Section: section, Tier: TierDevice,
			value: whole(func(t *Totals) int { return t.cluster().Y })},
		{Name: "launch__cluster_dim_z", Label: "Cluster Dimension Z", Section: section, Tier: TierDevice,
			value: whole(func(t *Totals) int { return t.cluster().Z })},
		{Name: "launch__func_cache_config", Label: "Function Cache Configuration", Section: section, Tier: TierDevice, Headline: true,
			text: func(*Totals) string { return "CachePreferNone" }},
		{Name: "launch__grid_size", Label: "Grid Size", Section: section, Tier: TierDevice, Headline: true,
			value: whole(func(t *Totals) int { return t.Grid.Count() })},
		{Name: "launch__grid_dim_x", Label: "Grid Dimension X", Section: section, Tier: TierDevice,
			value: whole(func(t *Totals) int { return t.Grid.X })},
		{Name: "launch__grid_dim_y", Label: "Grid Dimension Y", Section: section, Tier: TierDevice,
			value: whole(func(t *Totals) int { return t.Grid.Y })},
		{Name: "launch__grid_dim_z", Label: "Grid Dimension Z", Section: section, Tier: TierDevice,
			value: whole(func(t *Totals) int { return t.Grid.Z })},
		{Name: "launch__registers_per_thread", Label: "Registers Per Thread", Unit: "register/thread", Section: section, Tier: TierDevice,
			Headline: true, Registers: true, value: whole(func(t *Totals) int { return t.Occupancy.RegistersPerThread })},
		{Name: "launch__registers_per_thread_allocated", Label: "Registers Per Thread Allocated", Unit: "register/thread",
			Section: section, Tier: TierDevice, Registers: true,
			value: number(func(t *Totals) float64 { return t.Occupancy.RegistersPerThreadAllocated })},
		{Name: "launch__shared_mem_config_size", Label: "Shared Memory Configuration Size", Unit: "byte", Section: section, Tier: TierDevice,
			Headline: true, Registers: true, value: whole(func(t *Totals) int { return t.Occupancy.SharedConfig })},
		{Name: "launch__shared_mem_per_block_driver", Label: "Driver Shared Memory Per Block", Unit: "byte/block", Section: section,
			Tier: TierDevice, Headline: true, value: whole(func(t *Totals) int { return t.Device.SharedReserved })},
		{Name: "launch__shared_mem_per_block_dynamic", Label: "Dynamic Shared Memory Per Block", Unit: "byte/block", Section: section,
			Tier: TierDevice, Headline: true, value: whole(func(t *Totals) int { return t.DynamicShared })},
		{Name: "launch__shared_mem_per_block_static", Label: "Static Shared Memory Per Block", Unit: "byte/block", Section: section,
			Tier: TierDevice, Headline: true, value: whole(func(t *Totals) int { return t.StaticShared })},
		{Name: "launch__shared_mem_per_block", Label: "Shared Memory Per Block", Unit: "byte/block", Section: section, Tier: TierDevice,
			value: whole(func(t *Totals) int { return t.StaticShared + t.DynamicShared + t.Device.SharedReserved })},
		{Name: "launch__shared_mem_per_block_allocated", Label: "Shared Memory Per Block Allocated", Unit: "byte/block", Section: section,
			Tier: TierDevice, value: whole(func(t *Totals) int { return t.Occupancy.SharedPerBlock })},
		{Name: "launch__sm_count", Label: "# SMs", Unit: "SM", Section: section, Tier: TierDevice, Headline: true,
			value: whole(func(t *Totals) int { return t.Device.SMs })},
		{Name: "launch__stack_size", Label: "Stack Size", Section: section, Tier: TierDevice, Headline: true,
			value: whole(func(*Totals) int { return stack })},
		{Name: "launch__thread_count", Label: "Threads", Unit: "thread", Section: section, Tier: TierDevice, Headline: true,
			value: whole(func(t *Totals) int { return t.Grid.Count() * t.Block.Count() })},
		{Name: "launch__tpc_count", Label: "# TPCs", Section: section, Tier: TierDevice, Headline: true,
			value: whole(func(t *Totals) int { return t.Device.SMs / perSM })},
		{Name: "launch__waves_per_multiprocessor", Label: "Waves Per SM", Section: section, Tier: TierDevice, Headline: true, Registers: true,
			value: number(func(t *Totals) float64 { return t.Waves.PerSM })},
		{Name: "launch__barrier_count", Label: "Barriers", Section: section, Tier: TierDevice,
			value: whole(func(t *Totals) int { return t.Barriers })},
		{Name: "device__attribute_multiprocessor_count", Label: "Multiprocessors", Section: section, Tier: TierDevice,
			value: whole(func(t *Totals) int { return t.Device.SMs })},
		{Name: "device__attribute_warp_size", Label: "Warp Size", Section: section, Tier: TierDevice,
			value: whole(func(t *Totals) int { return t.Device.WarpSize })},
		{Name: "device__attribute_max_warps_per_multiprocessor", Label: "Warps Per Multiprocessor", Section: section, Tier: TierDevice,
			value: whole(func(t *Totals) int { return t.Device.WarpsPerSM })},
		{Name: "device__attribute_num_schedulers_per_multiprocessor", Label: "Schedulers Per Multiprocessor", Section: section, Tier: TierDevice,
			value: whole(func(t *Totals) int { return t.Device.SubPartitions })},
		{Name: "device__attribute_clock_rate", Label: "SM Clock, kHz", Section: section, Tier: TierDevice,
			value: whole(func(t *Totals) int64 { return t.Device.CoreHz / 1000 })},
		{Name: "device__attribute_l2_cache_size", Label: "L2 Cache Size", Unit: "byte", Section: section, Tier: TierDevice,
			value: whole(func(t *Totals) int { return t.Device.L2Bytes })},
	}
}

// cluster returns the dimensions of a cluster as Nsight Compute gives them: zeros when the launch has none.
func (t *Totals) cluster() Dim {
	if t.Cluster.Count() == 1 {
		return Dim{}
	}
	return t.Cluster
}

// occupancyMetrics tells how much of the kernel an SM holds.
func occupancyMetrics() []Metric {
	const section = OccupancySection
	return []Metric{
		{Name: "launch__occupancy_limit_blocks", Label: "Block Limit SM", Unit: "block", Section: section, Tier: TierDevice, Headline: true,
			value: whole(func(t *Totals) int { return t.Occupancy.Limit.Blocks })},
		{Name: "launch__occupancy_limit_registers", Label: "Block Limit Registers", Unit: "block", Section: section, Tier: TierDevice,
			Headline: true, Registers: true, value: whole(func(t *Totals) int { return t.Occupancy.Limit.Registers })},
		{Name: "launch__occupancy_limit_shared_mem", Label: "Block Limit Shared Mem", Unit: "block", Section: section, Tier: TierDevice,
			Headline: true, Registers: true, value: whole(func(t *Totals) int { return t.Occupancy.Limit.Shared })},
		{Name: "launch__occupancy_limit_warps", Label: "Block Limit Warps", Unit: "block", Section: section, Tier: TierDevice, Headline: true,
			value: whole(func(t *Totals) int { return t.Occupancy.Limit.Warps })},
		{Name: "launch__occupancy_limit_barriers", Label: "Block Limit Barriers", Unit: "block", Section: section, Tier: TierDevice, Headline: true,
			value: whole(func(t *Totals) int { return t.Occupancy.Limit.Barriers })},
		{Name: "sm__maximum_warps_avg_per_active_cycle", Label: "Theoretical Active Warps per SM", Unit: "warp", Section: section,
			Tier: TierDevice, Headline: true, Registers: true, value: whole(func(t *Totals) int { return t.Occupancy.Warps })},
		{Name: "sm__maximum_warps_per_active_cycle_pct", Label: "Theoretical Occupancy", Unit: "%", Section: section, Tier: TierDevice,
			Headline: true, Registers: true, value: number(func(t *Totals) float64 { return t.Occupancy.Percent })},
		{Name: "sm__warps_active.avg.pct_of_peak_sustained_active", Label: "Achieved Occupancy", Unit: "%", Section: section, Tier: TierModelled,
			Headline: true, NVProf: []string{"achieved_occupancy"},
			value: timed(func(t *Timing, l *Totals) float64 { return 100 * t.warps() / float64(l.Device.WarpsPerSM) })},
		{Name: "sm__warps_active.avg.per_cycle_active", Label: "Achieved Active Warps Per SM", Unit: "warp", Section: section, Tier: TierModelled,
			Headline: true, value: timed(func(t *Timing, _ *Totals) float64 { return t.warps() })},
		{Name: "smsp__maximum_warps_avg_per_active_cycle", Label: "Theoretical Warps Per Scheduler", Unit: "warp", Section: section,
			Tier: TierDevice, Registers: true,
			value: number(func(t *Totals) float64 { return float64(t.Occupancy.Warps) / float64(t.Device.SubPartitions) })},
		{Name: "smsp__warps_active.avg.peak_sustained", Label: "GPU Maximum Warps Per Scheduler", Unit: "warp", Section: section, Tier: TierDevice,
			value: number(func(t *Totals) float64 { return float64(t.Device.WarpsPerSM) / float64(t.Device.SubPartitions) })},
	}
}
