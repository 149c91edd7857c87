package profile

import (
	"strings"

	"silica/internal/isa"
)

// globalMoves are the movements to and from global memory as metric names spell them. The hardware's loads include
// asynchronous copies, other counters do not.
var globalMoves = []struct {
	name, label string
	moves       []movement
}{
	{"ld", "Loads", []movement{loads, copies}}, {"st", "Stores", []movement{stores}}, {"atom", "Atomics", []movement{atomics}},
	{"red", "Reductions", []movement{reductions}},
}

// memoryMetrics counts accesses to global, local and constant memory.
func memoryMetrics() []Metric {
	const section = MemoryWorkloadTables
	var out []Metric
	for _, o := range globalMoves {
		global := func(t *Totals) Traffic { return t.memory(Global, o.moves...) }
		requests := func(t *Totals) uint64 { return global(t).Requests }
		sectors := func(t *Totals) uint64 { g := global(t); return g.Sectors + g.ReplaySectors }
		out = append(out,
			Metric{Name: "l1tex__t_requests_pipe_lsu_mem_global_op_" + o.name + ".sum", Label: "Global " + o.label + " Requests",
				Section: section, Tier: TierExact, value: whole(requests)},
			Metric{Name: "l1tex__t_sectors_pipe_lsu_mem_global_op_" + o.name + ".sum", Label: "Global " + o.label + " Sectors", Unit: "sector",
				Section: section, Tier: TierExact, NVProf: transactions(o.name), value: whole(sectors)},
		)
		if move := o.moves[0]; move == loads || move == stores {
			out = append(out, directionMetrics(o.name, o.label, move)...)
		}
	}
	return append(out, []Metric{
		{Name: "smsp__inst_executed_op_global_red.sum", Label: "Global Reduction Instructions", Unit: "inst", Section: section, Tier: TierExact,
			value: whole(func(t *Totals) uint64 { return t.memory(Global, reductions).Requests })},
		{Name: "memory_l2_theoretical_sectors_global", Label: "L2 Theoretical Sectors Global", Unit: "sectors", Section: SourceCounters,
			Tier: TierExact, Sites: true, value: whole(func(t *Totals) uint64 { return t.memory(Global).Sectors })},
		{Name: "memory_l2_theoretical_sectors_global_ideal", Label: "L2 Theoretical Sectors Global Ideal", Unit: "sectors", Section: SourceCounters,
			Tier: TierExact, Sites: true, value: whole(func(t *Totals) uint64 { return t.memory(Global).Ideal })},
		{Name: "derived__memory_l2_theoretical_sectors_global_excessive", Label: "L2 Theoretical Sectors Global Excessive", Unit: "sector",
			Section: SourceCounters, Tier: TierExact, Headline: true, Sites: true,
			value: whole(func(t *Totals) uint64 { g := t.memory(Global); return g.Sectors - g.Ideal })},
		{Name: "memory_l1_tag_requests_global", Label: "L1 Tag Requests Global", Unit: "sectors", Section: SourceCounters, Tier: TierExact,
			Sites: true, value: whole(func(t *Totals) uint64 { return t.memory(Global).Lines })},
		{Name: "memory_l2_theoretical_sectors_local", Label: "L2 Theoretical Sectors Local", Unit: "sectors", Section: SourceCounters,
			Tier: TierExact, Sites: true, value: whole(func(t *Totals) uint64 { return t.memory(Local).Sectors })},
	}...)
}

func transactions(op string) []string {
	switch op {
	case "ld":
		return []string{"gld_transactions"}
	case "st":
		return []string{"gst_transactions"}
	}
	return nil
}

// directionMetrics are the metrics that only loads and stores have.
func directionMetrics(name, label string, move movement) []Metric {
	const section = MemoryWorkloadTables
	global := func(t *Totals) Traffic { return t.memory(Global, move) }
	local := func(t *Totals) Traffic { return t.memory(Local, move) }
	requests := func(t *Totals) uint64 { return global(t).Requests }
	sectors := func(t *Totals) uint64 { return global(t).Sectors }
	unique := func(t *Totals) uint64 { return global(t).Unique }
	uniqueLocal := func(t *Totals) uint64 { return local(t).Unique }
	sectorsLocal := func(t *Totals) uint64 { return local(t).Sectors }
	// nvprof's names begin with gld and gst.
	nvprof := func(suffix string) []string { return []string{"g" + name + suffix} }
	full := func(*Totals) float64 { return sectorBytes }
	return []Metric{
		{Name: "smsp__sass_inst_executed_op_global_" + name + ".sum", Label: "Global " + label + " Instructions", Unit: "inst",
			Section: section, Tier: TierExact, value: whole(requests)},
		{Name: "smsp__inst_executed_op_global_" + name + ".sum", Label: "Global " + label + " Executed", Unit: "inst",
			Section: section, Tier: TierExact, value: whole(requests)},
		{Name: "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_" + name + ".ratio", Label: "Global " + label + " Sectors/Req",
			Unit: "sector/request", Section: section, Tier: TierExact, NVProf: nvprof("_transactions_per_request"),
			value: ratio(1, sectors, requests)},
		{Name: "smsp__sass_average_data_bytes_per_sector_mem_global_op_" + name + ".ratio", Label: "Global " + label + " Bytes/Sector",
			Unit: "byte/sector", Section: section, Tier: TierExact, value: ratio(1, unique, sectors)},
		{Name: "smsp__sass_average_data_bytes_per_sector_mem_global_op_" + name + ".pct", Label: "Global " + label + " Efficiency", Unit: "%",
			Section: section, Tier: TierExact, NVProf: nvprof("_efficiency"), value: ratio(100./sectorBytes, unique, sectors)},
		{Name: "smsp__sass_average_data_bytes_per_sector_mem_global_op_" + name + ".max_rate", Label: "Global " + label + " Bytes/Sector, Maximum",
			Unit: "byte/sector", Section: section, Tier: TierDevice, value: number(full)},
		{Name: "l1tex__t_bytes_pipe_lsu_mem_global_op_" + name + ".sum", Label: "Global " + label + " Bytes", Unit: "byte", Section: section,
			Tier: TierExact, value: whole(func(t *Totals) uint64 { return sectors(t) * sectorBytes })},
		{Name: "l1tex__t_requests_pipe_lsu_mem_local_op_" + name + ".sum", Label: "Local " + label + " Requests", Section: section,
			Tier: TierExact, value: whole(func(t *Totals) uint64 { return local(t).Parts })},
		{Name: "l1tex__t_sectors_pipe_lsu_mem_local_op_" + name + ".sum", Label: "Local " + label + " Sectors", Unit: "sector", Section: section,
			Tier: TierExact, value: whole(sectorsLocal)},
		{Name: "smsp__sass_inst_executed_op_local_" + name + ".sum", Label: "Local " + label + " Instructions", Unit: "inst", Section: section,
			Tier: TierExact, value: whole(func(t *Totals) uint64 { return local(t).Requests })},
		{Name: "smsp__inst_executed_op_local_" + name + ".sum", Label: "Local " + label + " Executed", Unit: "inst", Section: section,
			Tier: TierExact, value: whole(func(t *Totals) uint64 { return local(t).Requests })},
		{Name: "smsp__sass_average_data_bytes_per_sector_mem_local_op_" + name + ".ratio", Label: "Local " + label + " Bytes/Sector",
			Unit: "byte/sector", Section: section, Tier: TierExact, value: ratio(1, uniqueLocal, sectorsLocal)},
		{Name: "smsp__sass_average_data_bytes_per_sector_mem_local_op_" + name + ".pct", Label: "Local " + label + " Efficiency", Unit: "%",
			Section: section, Tier: TierExact, value: ratio(100./sectorBytes, uniqueLocal, sectorsLocal)},
	}
}

// sharedMetrics counts the use of shared memory.
func sharedMetrics() []Metric {
	const section = MemoryWorkloadTables
	var out []Metric
	for _, o := range []struct {
		name, label  string
		own          []movement // what the instruction counters count
		moves        []movement
		instructions string
		nvprof       []string
	}{
		{"ld", "Loads", []movement{loads}, []movement{loads, matrices}, "smsp__sass_inst_executed_op_shared_ld.sum", []string{"shared_load_transactions"}},
		{"st", "Stores", []movement{stores}, []movement{stores}, "smsp__sass_inst_executed_op_shared_st.sum", []string{"shared_store_transactions"}},
		{"atom", "Atomics", []movement{atomics, reductions}, []movement{atomics, reductions}, "smsp__inst_executed_op_shared_atom.sum", nil},
	} {
		shared := func(t *Totals) Traffic { return t.memory(Shared, o.moves...) }
		requests := whole(func(t *Totals) uint64 { return t.memory(Shared, o.own...).Requests })
		out = append(out,
			Metric{Name: o.instructions, Label: "Shared " + o.label + " Instructions", Unit: "inst", Section: section, Tier: TierExact, value: requests},
			Metric{Name: "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" + o.name + ".sum", Label: "Shared " + o.label + " Wavefronts",
				Section: section, Tier: TierExact, NVProf: o.nvprof, value: whole(func(t *Totals) uint64 { return shared(t).PipeWavefronts })},
			Metric{Name: "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" + o.name + ".sum", Label: "Shared " + o.label + " Bank Conflicts",
				Section: section, Tier: TierExact, value: whole(func(t *Totals) uint64 { return shared(t).Conflicts })},
		)
		if o.name != "atom" {
			out = append(out, Metric{Name: "l1tex__t_requests_pipe_lsu_mem_shared_op_" + o.name + ".sum", Label: "Shared " + o.label + " Requests",
				Section: section, Tier: TierExact, value: requests})
		}
	}
	all := func(t *Totals) Traffic { return t.memory(Shared) }
	byName := func(prefix string, move movement) func(*Totals) (float64, bool) {
		return whole(func(t *Totals) uint64 {
			return t.count(func(i *Instruction) bool { return strings.HasPrefix(i.Name, prefix) && i.moves() == move }).Warps
		})
	}
	return append(out, []Metric{
		{Name: "smsp__inst_executed_op_ldsm.sum", Label: "Matrix Loads From Shared", Unit: "inst", Section: section, Tier: TierExact, PTX: true,
			value: byName("ldmatrix", matrices)},
		{Name: "smsp__inst_executed_op_shared_stsm.sum", Label: "Matrix Stores To Shared", Unit: "inst", Section: section, Tier: TierExact, PTX: true,
			value: byName("stmatrix", matrices)},
		{Name: "smsp__sass_inst_executed_op_shared_gmma.sum", Label: "Warpgroup Products", Unit: "inst", Section: section, Tier: TierExact, PTX: true,
			value: byName("wgmma.mma_async", products)},
		{Name: "smsp__inst_executed_op_ldgsts.sum", Label: "Asynchronous Copies", Unit: "inst", Section: section, Tier: TierExact, PTX: true,
			value: byName("cp.async.c", copies)},
		{Name: "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", Label: "Shared Wavefronts", Section: section, Tier: TierExact,
			value: whole(func(t *Totals) uint64 { return all(t).PipeWavefronts })},
		{Name: "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", Label: "Shared Bank Conflicts", Section: section, Tier: TierExact,
			value: whole(func(t *Totals) uint64 { return all(t).Conflicts })},
		{Name: "memory_l1_wavefronts_shared", Label: "L1 Wavefronts Shared", Unit: "sectors", Section: SourceCounters, Tier: TierExact, Sites: true,
			value: whole(func(t *Totals) uint64 { return all(t).Wavefronts })},
		{Name: "memory_l1_wavefronts_shared_ideal", Label: "L1 Wavefronts Shared Ideal", Unit: "sectors", Section: SourceCounters,
			Tier: TierExact, Sites: true, value: whole(func(t *Totals) uint64 { return all(t).IdealWavefronts })},
		{Name: "derived__memory_l1_wavefronts_shared_excessive", Label: "L1 Wavefronts Shared Excessive", Section: SourceCounters,
			Tier: TierExact, Headline: true, Sites: true,
			value: whole(func(t *Totals) uint64 { return all(t).Wavefronts - all(t).IdealWavefronts })},
		{Name: "derived__memory_l1_conflicts_shared_nway", Label: "L1 Conflicts Shared N-Way", Section: SourceCounters, Tier: TierExact, PTX: true,
			Sites: true, value: number((*Totals).conflictWays)},
		{Name: "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct", Label: "Shared Efficiency", Unit: "%", Section: section,
			Tier: TierExact, NVProf: []string{"shared_efficiency"},
			value: ratio(100./(banks*wordBytes), func(t *Totals) uint64 { return all(t).Bytes }, func(t *Totals) uint64 { return all(t).Wavefronts })},
	}...)
}

// conflictWays sums over the instructions how many wavefronts each execution takes.
func (t *Totals) conflictWays() float64 {
	sum := 0.0
	for i := range t.Instructions {
		sum += each(t.Instructions[i].In(Shared).Wavefronts, t.Instructions[i].Warps)
	}
	return sum
}

// branchMetrics counts branches and how they part the threads of a warp.
func branchMetrics() []Metric {
	const section = SourceCounters
	flow := func(t *Totals) uint64 {
		return t.count(func(i *Instruction) bool {
			return i.is(isa.OpBranch, isa.OpBranchIndexed, isa.OpCall, isa.OpRet, isa.OpExit)
		}).Warps
	}
	all := func(t *Totals) uint64 { return t.branches().Warps }
	divergent := func(t *Totals) uint64 { return t.branches().Divergent }
	return []Metric{
		{Name: "derived__smsp__inst_executed_op_branch_pct", Label: "Branch Instructions Ratio", Unit: "%", Section: section, Tier: TierExact,
			PTX: true, Headline: true, value: ratio(1, flow, executed)},
		{Name: "smsp__inst_executed_op_branch.sum", Label: "Branch Instructions", Unit: "inst", Section: section, Tier: TierExact, PTX: true,
			Headline: true, value: whole(flow)},
		{Name: "smsp__inst_executed_op_branch.avg", Label: "Avg. Branch Instructions", Unit: "inst", Section: section, Tier: TierExact, PTX: true,
			value: perScheduler(flow)},
		{Name: "smsp__sass_average_branch_targets_threads_uniform.pct", Label: "Branch Efficiency", Unit: "%", Section: section, Tier: TierExact,
			Headline: true, NVProf: []string{"branch_efficiency"},
			value: ratio(100, func(t *Totals) uint64 { return all(t) - divergent(t) }, all)},
		{Name: "smsp__sass_branch_targets_threads_divergent.avg", Label: "Avg. Divergent Branches", Unit: "branches", Section: section,
			Tier: TierExact, Headline: true, value: perScheduler(divergent)},
		{Name: "smsp__sass_branch_targets_threads_divergent.sum", Label: "Divergent Branches", Unit: "branches", Section: section,
			Tier: TierExact, value: whole(divergent)},
		{Name: "smsp__sass_branch_targets_threads_uniform.sum", Label: "Uniform Branches", Unit: "branches", Section: section,
			Tier: TierExact, value: whole(func(t *Totals) uint64 { return all(t) - divergent(t) })},
		{Name: "smsp__branch_targets_threads_divergent", Label: "Divergent Branch Targets", Unit: "branches", Section: section,
			Tier: TierExact, Sites: true, value: whole(divergent)},
	}
}
