package profile

import (
	"slices"

	"silica/internal/isa"
)

// instructionMetrics counts executed instructions.
func instructionMetrics() []Metric {
	const section = InstructionStats
	metrics := []Metric{
		{Name: "smsp__inst_executed.avg", Label: "Avg. Executed Instructions Per Scheduler", Unit: "inst", Section: section, Tier: TierExact,
			PTX: true, Headline: true, value: perScheduler(executed)},
		{Name: "smsp__inst_executed.sum", Label: "Executed Instructions", Unit: "inst", Section: section, Tier: TierExact,
			PTX: true, Headline: true, value: whole(executed)},
		{Name: "smsp__inst_issued.avg", Label: "Avg. Issued Instructions Per Scheduler", Unit: "inst", Section: section, Tier: TierModelled, Headline: true,
			value: issued((*Totals).schedulers)},
		{Name: "smsp__inst_issued.sum", Label: "Issued Instructions", Unit: "inst", Section: section, Tier: TierModelled, Headline: true,
			NVProf: []string{"inst_issued"}, value: issued(func(*Totals) uint64 { return 1 })},
		{Name: "inst_executed", Label: "Instructions Executed", Unit: "inst", Section: SourceCounters, Tier: TierExact, PTX: true, Sites: true,
			value: whole(executed)},
		{Name: "thread_inst_executed", Label: "Thread Instructions Executed", Unit: "inst", Section: SourceCounters, Tier: TierExact, PTX: true,
			Sites: true, value: whole(func(t *Totals) uint64 { return t.All.Threads })},
		{Name: "thread_inst_executed_true", Label: "Predicated-On Thread Instructions Executed", Unit: "inst", Section: SourceCounters,
			Tier: TierExact, PTX: true, Sites: true, value: whole(func(t *Totals) uint64 { return t.All.PredOn })},
		{Name: "smsp__average_inst_executed_per_warp.ratio", Label: "Executed Instructions Per Warp", Unit: "inst/warp", Section: section,
			Tier: TierExact, PTX: true, NVProf: []string{"inst_per_warp"}, value: ratio(1, executed, (*Totals).warps)},
		{Name: "smsp__thread_inst_executed_per_inst_executed.ratio", Label: "Avg. Active Threads Per Warp", Section: WarpStateStats,
			Tier: TierExact, PTX: true, Headline: true,
			value: ratio(1, func(t *Totals) uint64 { return t.All.Threads }, executed)},
		{Name: "smsp__thread_inst_executed_per_inst_executed.pct", Label: "Active Threads Per Warp, Share", Unit: "%", Section: WarpStateStats,
			Tier: TierExact, PTX: true, NVProf: []string{"warp_execution_efficiency"},
			value: ratio(100./warpLanes, func(t *Totals) uint64 { return t.All.Threads }, executed)},
		{Name: "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", Label: "Avg. Not Predicated Off Threads Per Warp",
			Section: WarpStateStats, Tier: TierExact, PTX: true, Headline: true,
			value: ratio(1, func(t *Totals) uint64 { return t.All.PredOn }, executed)},
		{Name: "smsp__thread_inst_executed_pred_on_per_inst_executed.pct", Label: "Not Predicated Off Threads Per Warp, Share", Unit: "%",
			Section: WarpStateStats, Tier: TierExact, PTX: true, NVProf: []string{"warp_nonpred_execution_efficiency"},
			value: ratio(100./warpLanes, func(t *Totals) uint64 { return t.All.PredOn }, executed)},
	}
	metrics = append(metrics, arithmeticMetrics()...)
	metrics = append(metrics, classMetrics()...)
	return append(metrics, machineCodeMetrics()...)
}

func executed(t *Totals) uint64 { return t.All.Warps }

// issued makes a formula of the machine instructions of warps, for each of so many, of a launch that was timed.
func issued(of func(*Totals) uint64) func(*Totals) (float64, bool) {
	return func(t *Totals) (float64, bool) {
		n := of(t)
		return quotient(t.MachineInstructions, float64(n)), t.Timing != nil && n > 0
	}
}

// arithmeticMetrics counts additions, multiplications and fused operations of threads, by precision.
func arithmeticMetrics() []Metric {
	count := func(name, label string, types, opcodes []string) Metric {
		return Metric{Name: "smsp__sass_thread_inst_executed_op_" + name + "_pred_on.sum", Label: label, Unit: "inst", Section: InstructionStats,
			Tier: TierExact, PTX: true, value: whole(func(t *Totals) uint64 { return t.arithmetic(types, opcodes) })}
	}
	flops := func(name, label, alias string, types []string) Metric {
		return Metric{Name: "smsp__sass_thread_inst_executed_ops_" + name + "_pred_on.sum", Label: label, Unit: "inst", Section: RooflineChart,
			Tier: TierExact, PTX: true, Headline: true, NVProf: []string{alias},
			value: whole(func(t *Totals) uint64 {
				return t.arithmetic(types, addition) + t.arithmetic(types, multiplication) + 2*t.arithmetic(types, fusion)
			})}
	}
	return []Metric{
		count("fadd", "FP32 Additions", single, addition),
		count("fmul", "FP32 Multiplications", single, multiplication),
		count("ffma", "FP32 Fused Multiply-Adds", single, fusion),
		count("dadd", "FP64 Additions", double, addition),
		count("dmul", "FP64 Multiplications", double, multiplication),
		count("dfma", "FP64 Fused Multiply-Adds", double, fusion),
		count("hadd", "FP16 Additions", half, addition),
		count("hmul", "FP16 Multiplications", half, multiplication),
		count("hfma", "FP16 Fused Multiply-Adds", half, fusion),
		flops("fadd_fmul_ffma", "FP32 Operations", "flop_count_sp", single),
		flops("dadd_dmul_dfma", "FP64 Operations", "flop_count_dp", double),
		flops("hadd_hmul_hfma", "FP16 Operations", "flop_count_hp", half),
		{Name: "derived__sm__sass_thread_inst_executed_op_ffma_pred_on_x2", Label: "Peak FP32 Operations", Unit: "thread", Section: RooflineChart,
			Tier: TierDevice, value: peak(2, func(d Device) float64 { return d.FP32Lanes })},
		{Name: "derived__sm__sass_thread_inst_executed_op_dfma_pred_on_x2", Label: "Peak FP64 Operations", Unit: "thread", Section: RooflineChart,
			Tier: TierDevice, value: peak(2, func(d Device) float64 { return d.FP64Lanes })},
	}
}

// The arithmetic instructions that count as floating-point operations, and the types of each precision.
var (
	addition       = []string{"add", "sub"}
	multiplication = []string{"mul"}
	fusion         = []string{"fma", "mad"}
	single         = []string{"f32", "f32x2"}
	double         = []string{"f64"}
	half           = []string{"f16", "f16x2", "bf16", "bf16x2"}
)

// arithmetic sums the operations of threads by instructions of some opcodes and types; an instruction on a pair does two.
func (t *Totals) arithmetic(types, opcodes []string) uint64 {
	n := uint64(0)
	for i := range t.Instructions {
		in := &t.Instructions[i]
		if typ := in.Type(); slices.Contains(opcodes, in.Opcode()) && slices.Contains(types, typ) {
			n += in.PredOn * uint64(isa.ParseType(typ).Pack())
		}
	}
	return n
}

// peak is the operations of the whole chip in a cycle.
func peak(operations float64, lanes func(Device) float64) func(*Totals) (float64, bool) {
	return func(t *Totals) (float64, bool) {
		n := lanes(t.Device)
		return operations * n * float64(t.Device.SMs), n > 0
	}
}

// classMetrics counts the instructions of threads by class.
func classMetrics() []Metric {
	var out []Metric
	for _, c := range []struct {
		class isa.Class
		label string
	}{
		{isa.ClassFP16, "FP16"}, {isa.ClassFP32, "FP32"}, {isa.ClassFP64, "FP64"}, {isa.ClassInteger, "Integer"}, {isa.ClassBit, "Bit"},
		{isa.ClassControl, "Control"}, {isa.ClassConversion, "Conversion"}, {isa.ClassMemory, "Memory"},
		{isa.ClassCommunication, "Inter-Thread Communication"}, {isa.ClassMisc, "Miscellaneous"},
	} {
		name := c.class.String()
		out = append(out, Metric{
			Name: "smsp__sass_thread_inst_executed_op_" + name + "_pred_on.sum", Label: c.label + " Thread Instructions", Unit: "inst",
			Section: InstructionStats, Tier: TierExact, PTX: true,
			value: whole(func(t *Totals) uint64 {
				return t.count(func(i *Instruction) bool { return i.Class == name }).PredOn
			}),
		})
	}
	return out
}

// machineCodeMetrics are about SASS instructions, which are not there.
func machineCodeMetrics() []Metric {
	const section = InstructionStats
	return []Metric{
		{Name: "sass__inst_executed_per_opcode", Label: "Executed Instruction Mix", Section: section, Tier: TierNone},
		{Name: "sass__inst_executed_per_opcode_category", Label: "Executed Instructions By Category", Section: section, Tier: TierNone},
		{Name: "sass__thread_inst_executed_true_per_opcode", Label: "Thread Instruction Mix", Section: section, Tier: TierNone},
		{Name: "sass__inst_executed_register_spilling", Label: "Register Spilling Instructions", Unit: "inst", Section: section, Tier: TierNone},
		{Name: "sass__inst_executed_register_spilling_op_read", Label: "Register Spilling Reads", Unit: "inst", Section: section, Tier: TierNone},
		{Name: "sass__inst_executed_register_spilling_op_write", Label: "Register Spilling Writes", Unit: "inst", Section: section, Tier: TierNone},
		{Name: "derived__local_spilling_requests", Label: "Local Spilling Requests", Section: section, Tier: TierNone},
		{Name: "derived__local_spilling_requests_pct", Label: "Local Spilling Requests, Share", Unit: "%", Section: section, Tier: TierNone},
	}
}
