package gpu

import "slices"

// A rule is a relation between figures that every GPU has. A figure that is
// unknown breaks no rule.
type rule struct {
	path string // the figure to blame
	want string
	ok   func(*GPU) bool
}

var rules = []rule{
	{"sm.warp_size", "32", func(g *GPU) bool { return g.SM.WarpSize == 32 }},
	{"sm.sub_partitions", "at most 64", func(g *GPU) bool { return g.SM.SubPartitions <= 64 }},
	{"chip.sms", "at most 65536", func(g *GPU) bool { return g.Chip.SMs <= 65536 }},
	{"chip.sm_groups", "a list that adds up to chip.sms", func(g *GPU) bool {
		return sum(g.Chip.SMGroups) == g.Chip.SMs && !slices.Contains(g.Chip.SMGroups, 0)
	}},
	{"memory.sector_bytes", "a divisor of memory.line_bytes", func(g *GPU) bool { return g.Memory.LineBytes%g.Memory.SectorBytes == 0 }},
	{"memory.bandwidth", "more than 0", func(g *GPU) bool { return g.Memory.Bandwidth > 0 }},
	{"memory.bus_bits", "from 8 to 65536", func(g *GPU) bool { return g.Memory.BusBits >= 8 && g.Memory.BusBits <= 1<<16 }},
	{"rate.l1_bytes", "more than 0", func(g *GPU) bool { return g.Rate.L1Bytes > 0 }},
	{"clock.memory_khz", "more than 0", func(g *GPU) bool { return g.Clock.MemoryKHz > 0 }},
	{"model.constant_cache_line", "at most model.constant_cache", func(g *GPU) bool { return g.Model.ConstantCacheLine <= g.Model.ConstantCache }},
	{"model.constant_cache", "at most 1048576", func(g *GPU) bool { return g.Model.ConstantCache <= 1<<20 }},
	{"dram.banks", "at most 1024", func(g *GPU) bool { return g.DRAM.Banks <= 1<<10 }},
	{"dram.t_rfc", "less than half of dram.t_refi", func(g *GPU) bool { return g.DRAM.RFC < g.DRAM.REFI/2 }},
	{"limits.threads_per_sm", "a multiple of sm.warp_size, at most 65536", func(g *GPU) bool {
		return g.Limits.ThreadsPerSM%g.SM.WarpSize == 0 && g.Limits.ThreadsPerSM <= 65536
	}},
	{"limits.threads_per_block", "at most limits.threads_per_sm", func(g *GPU) bool { return g.Limits.ThreadsPerBlock <= g.Limits.ThreadsPerSM }},
	{"limits.blocks_per_sm", "at most limits.threads_per_sm", func(g *GPU) bool { return g.Limits.BlocksPerSM <= g.Limits.ThreadsPerSM }},
	{"limits.block_dim", "three numbers above 0", func(g *GPU) bool { return isDim(g.Limits.BlockDim) }},
	{"limits.grid_dim", "three numbers above 0", func(g *GPU) bool { return isDim(g.Limits.GridDim) }},
	{"limits.registers_per_sm", "a multiple of limits.register_unit for each sub-partition", func(g *GPU) bool {
		return g.Limits.RegistersPerSM%(g.SM.SubPartitions*g.Limits.RegisterUnit) == 0
	}},
	{"limits.register_unit", "at most 65536", func(g *GPU) bool { return g.Limits.RegisterUnit <= 65536 }},
	{"limits.registers_per_block", "at most limits.registers_per_sm", func(g *GPU) bool { return g.Limits.RegistersPerBlock <= g.Limits.RegistersPerSM }},
	{"limits.registers_per_thread", "at most 1024", func(g *GPU) bool { return g.Limits.RegistersPerThread <= 1024 }},
	{"limits.registers_per_thread_min", "at most limits.registers_per_thread", func(g *GPU) bool {
		return g.Limits.RegistersPerThreadMin <= g.Limits.RegistersPerThread
	}},
	{"limits.shared_per_sm", "at most memory.l1_shared_bytes", func(g *GPU) bool { return g.Limits.SharedPerSM <= g.Memory.L1SharedBytes }},
	{"limits.shared_per_block", "at most limits.shared_per_block_optin", func(g *GPU) bool { return g.Limits.SharedPerBlock <= g.Limits.SharedPerBlockOptin }},
	{"limits.shared_per_block_optin", "at most limits.shared_per_sm less limits.shared_reserved_per_block", func(g *GPU) bool {
		return g.Limits.SharedPerBlockOptin+g.Limits.SharedReservedPerBlock <= g.Limits.SharedPerSM
	}},
	{"limits.shared_carveouts", "an ascending list that ends with limits.shared_per_sm", func(g *GPU) bool {
		sizes := g.Limits.SharedCarveouts
		return len(sizes) > 0 && slices.IsSorted(sizes) && sizes[len(sizes)-1] == g.Limits.SharedPerSM
	}},
	{"limits.shared_unit", "a divisor of limits.shared_per_sm", func(g *GPU) bool { return g.Limits.SharedPerSM%g.Limits.SharedUnit == 0 }},
	{"limits.cluster_blocks_nonportable", "at least limits.cluster_blocks", func(g *GPU) bool {
		return g.Limits.ClusterBlocksNonportable >= g.Limits.ClusterBlocks
	}},
}

// mayBeZero lists the needed figures for which 0 is a sound value.
var mayBeZero = []string{"limits.shared_reserved_per_block"}

// validate reports the first figure that is missing or impossible. A missing
// one is blamed on start, the beginning of the file.
func (g *GPU) validate(start position) error {
	for _, f := range fields {
		figure, known := g.figures[f.path]
		switch {
		case !f.needed:
		case !known:
			return start.errorf(`figure %q is missing in %q: give it, or inherit a GPU that has it, such as "h200"`, f.key, f.section)
		case figure.value.IsZero() && !slices.Contains(mayBeZero, f.path):
			return figure.pos.errorf("%s is impossible: it must be more than 0", f.path)
		}
	}
	for _, r := range rules {
		figure, known := g.figures[r.path]
		switch {
		case !known || r.ok(g):
		case figure.pos.file != start.file:
			return start.errorf("%s, inherited from %s, is impossible with the figures given here: it must be %s", r.path, figure.pos.file, r.want)
		default:
			return figure.pos.errorf("%s is impossible: it must be %s", r.path, r.want)
		}
	}
	return nil
}

func isDim(dim []int) bool { return len(dim) == 3 && !slices.Contains(dim, 0) }

func sum(numbers []int) int {
	total := 0
	for _, n := range numbers {
		total += n
	}
	return total
}
