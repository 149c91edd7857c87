package profile

import (
	"fmt"
	"slices"
	"strings"

	"silica/internal/isa"
)

// threadDivergence is about warps that execute with few of their threads.
func threadDivergence(t *Totals) []Advice {
	const enough = 24 // threads, as in Nsight Compute
	active, on := each(t.All.Threads, t.All.Warps), each(t.All.PredOn, t.All.Warps)
	if t.All.Warps == 0 || on >= enough {
		return nil
	}
	lost := func(i *Instruction) float64 { return float64(i.Warps*warpLanes - i.PredOn) }
	branches := t.sites(func(i *Instruction) float64 {
		if !i.branches() {
			return 0
		}
		return float64(i.Divergent)
	}, func(sum Sum, _ *Instruction) string {
		all := t.count(func(i *Instruction) bool {
			file, line := t.place(i)
			return i.branches() && file == sum.File && line == sum.Line
		})
		return fmt.Sprintf("%s of %s branches part the threads of a warp", thousands(sum.Divergent), thousands(all.Warps))
	})
	if len(branches) == 0 {
		branches = t.sites(lost, func(sum Sum, _ *Instruction) string {
			return fmt.Sprintf("%.1f of %d threads take part", each(sum.PredOn, sum.Warps), warpLanes)
		})
	}
	change := "Let whole warps take the same way: make conditions depend on threadIdx.x / 32, sort the data by the way it takes, or give idle threads work."
	if t.branches().Divergent == 0 {
		change = "The blocks do not fill their warps, or single threads do all the work: choose a block size that is a multiple of 32, and share the work among the " +
			"threads of a warp."
	}
	return []Advice{{
		Rule: "ThreadDivergence", Section: WarpStateStats, Kind: Optimization, topic: "divergence", part: issue,
		Title:  "Few threads of each warp at work",
		Figure: fmt.Sprintf("%.1f of %d threads on average", on, warpLanes),
		Message: fmt.Sprintf("An instruction is executed by %.1f threads of a warp on average, and takes effect in %.1f of %d.",
			active, on, warpLanes),
		Change: change, SpeedupType: LocalSpeedup, Sites: branches,
		Speedup: t.scaled(100*(1-on/warpLanes), func(*Timing) float64 { compute, _ := t.throughputs(); return compute }),
	}}
}

// doublePrecision is about f64 arithmetic in a kernel whose data is f32.
func doublePrecision(t *Totals) []Advice {
	arithmetic := func(i *Instruction) bool { return i.Class == isa.ClassFP64.String() }
	double := t.count(arithmetic).PredOn
	memory := func(types ...string) uint64 {
		return t.count(func(i *Instruction) bool {
			return i.is(isa.OpLoad, isa.OpStore) && slices.Contains(types, i.Type()) && (i.In(Global).Requests > 0 || i.In(Shared).Requests > 0)
		}).PredOn
	}
	if double == 0 || memory("f32") == 0 || memory("f64") > 0 || t.Device.FP64Lanes == 0 || t.Device.FP32Lanes == 0 {
		return nil
	}
	slower := t.Device.FP32Lanes / t.Device.FP64Lanes
	return []Advice{{
		Rule: "DoublePrecision", Section: InstructionStats, Kind: Optimization, topic: "precision", part: fp64,
		Title:  "Double precision in single-precision code",
		Figure: fmt.Sprintf("%s f64 operations, %s times as slow", thousands(double), short(slower)),
		Message: fmt.Sprintf("Memory holds f32, but threads execute %s f64 instructions, which take %s times as long on %s.",
			thousands(double), short(slower), t.Device.Name),
		Change: "Write constants as floats (0.5f, not 0.5) and call the float functions (sqrtf, expf): one double operand makes the whole expression double.",
		// Single precision does the same work in 1/slower of the time.
		Speedup: 100 * (1 - 1/slower), SpeedupType: LocalSpeedup,
		Sites: t.sites(func(i *Instruction) float64 {
			if !arithmetic(i) {
				return 0
			}
			return float64(i.PredOn)
		}, func(sum Sum, worst *Instruction) string {
			return fmt.Sprintf("%s, executed by %s threads", worst.Name, thousands(sum.PredOn))
		}),
	}}
}

// fusedOperations is about additions and multiplications that could be one operation.
func fusedOperations(t *Totals) []Advice {
	const least = 0.1 // of the operations, as in Nsight Compute
	var out []Advice
	for _, p := range []struct {
		name  string
		types []string
		part  part
		pipe  string
	}{{"FP32", single, fp32, "fma"}, {"FP64", double, fp64, "fp64"}} {
		fused := t.arithmetic(p.types, fusion)
		sums, products := t.arithmetic(p.types, addition), t.arithmetic(p.types, multiplication)
		// Nsight Compute counts all of them; here only those that have a partner.
		apart := 2 * min(sums, products)
		ratio := each(apart, fused+sums+products) / 2
		if ratio <= least {
			continue
		}
		out = append(out, Advice{
			Rule: "FPInstructions", Section: InstructionStats, Kind: Optimization, topic: "fused " + p.name, part: p.part,
			Title:  p.name + " operations that are not fused",
			Figure: fmt.Sprintf("%s could be pairs", thousands(apart)),
			Message: fmt.Sprintf("Threads execute %s fused %s operations, %s additions and %s multiplications; pairs of those could be one instruction.",
				thousands(fused), p.name, thousands(sums), thousands(products)),
			Change:      "Write a*b+c in one expression (or fma), and leave -fmad on.",
			SpeedupType: LocalSpeedup,
			Speedup:     t.scaled(100*ratio, func(m *Timing) float64 { return m.Busy[p.pipe] }),
			Sites: t.sites(func(i *Instruction) float64 {
				if !slices.Contains(p.types, i.Type()) || !slices.Contains(slices.Concat(addition, multiplication), i.Opcode()) {
					return 0
				}
				return float64(i.PredOn)
			}, func(sum Sum, worst *Instruction) string {
				return fmt.Sprintf("%s, executed by %s threads", worst.Name, thousands(sum.PredOn))
			}),
		})
	}
	return out
}

// What an integer division costs in issue slots of an SM: 128 lanes a cycle over the 8.98 and 0.958 divisions that an
// H200 was seen to do.
const (
	division32Slots = 14
	division64Slots = 134
)

// integerDivision is about divisions and remainders of integers, which have no instruction of their own.
func integerDivision(t *Totals) []Advice {
	const least = 10 // percent of the issue slots
	slots := func(i *Instruction) float64 {
		if op := i.Opcode(); op != "div" && op != "rem" || strings.HasPrefix(i.Type(), "f") {
			return 0
		}
		if strings.HasSuffix(i.Type(), "64") {
			return float64(i.Warps) * division64Slots
		}
		return float64(i.Warps) * division32Slots
	}
	sum, count := 0.0, uint64(0)
	for i := range t.Instructions {
		if n := slots(&t.Instructions[i]); n > 0 {
			sum += n
			count += t.Instructions[i].Warps
		}
	}
	part := 100 * sum / (float64(t.All.Warps-count) + sum)
	if count == 0 || part < least {
		return nil
	}
	return []Advice{{
		Rule: "IntegerDivision", Section: InstructionStats, Kind: Optimization, topic: "division", part: issue,
		Title:  "Integer division",
		Figure: fmt.Sprintf("about %.0f%% of the issue slots", part),
		Message: fmt.Sprintf("%s of the warps' %s instructions divide integers by a value not known when compiling. Each stands for %d issue slots (%d for 64 bits, "+
			"as measured on an H200), about %.0f%% of all.", thousands(count), thousands(t.All.Warps), division32Slots, division64Slots, part),
		Change: "Make the divisor a compile-time constant, best a power of two; use 32-bit unsigned types for indices; carry quotient and remainder along in the loop " +
			"instead of dividing anew.",
		Speedup: t.scaled(part, func(m *Timing) float64 { return m.issue(t) }), SpeedupType: LocalSpeedup,
		Sites: t.sites(slots, func(sum Sum, worst *Instruction) string {
			return fmt.Sprintf("%s, executed by %s warps", worst.Name, thousands(sum.Warps))
		}),
	}}
}

// uncountedAccesses warns when accesses are missing from the counts.
func uncountedAccesses(t *Totals) []Advice {
	if len(t.uncounted) == 0 {
		return nil
	}
	return []Advice{{
		Rule: "UncountedAccesses", Section: MemoryWorkloadTables, Kind: Warning, topic: "uncounted", part: everything,
		Title:   "Some accesses are not counted",
		Figure:  strings.Join(t.uncounted, ", "),
		Message: "The accesses of " + strings.Join(t.uncounted, ", ") + " are not in the counts; memory metrics have no value.",
	}}
}
