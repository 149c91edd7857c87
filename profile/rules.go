package profile

import (
	"fmt"
	"strings"

	"silica/internal/isa"
)

// The rules follow Nsight Compute's (BSD-licensed rule files) in what makes them fire and in their estimates, where
// these do not need a model of time.

// uncoalescedGlobal: more sectors than the bytes of each request need.
func uncoalescedGlobal(t *Totals, lines []Sum) (Finding, bool) {
	g := t.memory(Global)
	excess := over(g.Sectors, g.Ideal)
	share := percent(excess, g.Sectors)
	if share < 5 {
		return Finding{}, false
	}
	f := Finding{
		Rule: "UncoalescedGlobalAccess", Section: SourceCounters, Type: "OPT", Title: "Uncoalesced global accesses",
		Speedup: share, SpeedupType: "local",
		Message: fmt.Sprintf("%s of %s sectors of 32 bytes (%.0f %%) would not be moved if the lanes of a warp accessed neighbouring addresses: %.1f sectors a request where %.1f would do.",
			count(excess), count(g.Sectors), share, per(g.Sectors, g.Requests), per(g.Ideal, g.Requests)),
	}
	f.Places = worst(lines, func(s *Sum) uint64 { m := s.In(Global); return over(m.Sectors, m.Ideal) }, func(s *Sum) string {
		m := s.In(Global)
		return fmt.Sprintf("%.1f sectors a request, ideal %.1f; %.0f %% of the excess%s",
			per(m.Sectors, m.Requests), per(m.Ideal, m.Requests), percent(over(m.Sectors, m.Ideal), excess), stride(m))
	})
	f.Advice = globalAdvice(lines)
	return f, true
}

// stride tells how far apart neighbouring lanes access memory, when most requests agree.
func stride(m Traffic) string {
	if m.StrideVotes*2 <= m.Requests || m.Stride == 0 {
		return ""
	}
	return fmt.Sprintf("; neighbouring lanes are %d bytes apart", m.Stride)
}

// globalAdvice is about the line with the most excess.
func globalAdvice(lines []Sum) string {
	var top Traffic
	for i := range lines {
		if m := lines[i].In(Global); over(m.Sectors, m.Ideal) > over(top.Sectors, top.Ideal) {
			top = m
		}
	}
	step := max(top.Stride, -top.Stride)
	switch {
	case top.StrideVotes*2 <= top.Requests:
		return "The lanes of a warp go to scattered addresses. Reorder the data or the threads so that neighbouring threads use neighbouring elements, or bring the data through shared memory."
	case step >= 128:
		return fmt.Sprintf("Neighbouring threads are %d bytes apart, as if threadIdx.x walked down a column. Let threadIdx.x run along the dimension that is contiguous in memory: swap the roles of x and y in the index, or transpose a tile through shared memory.", step)
	}
	return fmt.Sprintf("Neighbouring threads are %d bytes apart. Store the fields of a structure in arrays of their own, or let each thread take elements blockDim.x apart instead of a run of its own.", step)
}

// uncoalescedShared: bank conflicts.
func uncoalescedShared(t *Totals, lines []Sum) (Finding, bool) {
	s := t.memory(Shared)
	excess := over(s.Wavefronts, s.IdealWavefronts)
	share := percent(excess, s.Wavefronts)
	if share < 5 {
		return Finding{}, false
	}
	f := Finding{
		Rule: "UncoalescedSharedAccess", Section: SourceCounters, Type: "OPT", Title: "Bank conflicts in shared memory",
		Speedup: share, SpeedupType: "local",
		Message: fmt.Sprintf("%s of %s wavefronts (%.0f %%) come from lanes of a warp that want different words of one bank: %.1f wavefronts a request where %.1f would do.",
			count(excess), count(s.Wavefronts), share, per(s.Wavefronts, s.Requests), per(s.IdealWavefronts, s.Requests)),
		Advice: "Pad the rows of the array by one element (tile[32][33]), or permute the columns (index ^ row), so that the lanes of a warp reach 32 different banks.",
	}
	f.Places = worst(lines, func(s *Sum) uint64 { m := s.In(Shared); return over(m.Wavefronts, m.IdealWavefronts) }, func(s *Sum) string {
		m := s.In(Shared)
		return fmt.Sprintf("%.1f-way conflict, ideal %.1f; %.0f %% of the excess%s", per(m.Wavefronts, m.Requests), per(m.IdealWavefronts, m.Requests),
			percent(over(m.Wavefronts, m.IdealWavefronts), excess), stride(m))
	})
	return f, true
}

// atomicSerialisation: lanes of a warp that change one address come one after another.
func atomicSerialisation(t *Totals, lines []Sum) (Finding, bool) {
	serial := func(c Counts) (serial, requests uint64) {
		for _, m := range c.Memory {
			if m.Serial > 0 {
				serial, requests = serial+m.Serial, requests+m.Requests
			}
		}
		return serial, requests
	}
	var all Counts
	for i := range lines {
		all.add(&lines[i].Counts)
	}
	sum, requests := serial(all)
	depth := per(sum, requests)
	if depth < 2 {
		return Finding{}, false
	}
	f := Finding{
		Rule: "AtomicSerialisation", Section: SourceCounters, Type: "OPT", Title: "Atomics of a warp on one address",
		Speedup: 100 * (1 - 1/depth), SpeedupType: "local",
		Message: fmt.Sprintf("On average %.1f lanes of a warp change the same address in an atomic operation, and take turns.", depth),
		Advice:  "Combine within the warp first (__reduce_add_sync, or shuffles) and let one lane do the atomic; or give each warp or block a copy in shared memory and add the copies at the end.",
	}
	f.Places = worst(lines, func(s *Sum) uint64 { n, r := serial(s.Counts); return over(n, r) }, func(s *Sum) string {
		n, r := serial(s.Counts)
		return fmt.Sprintf("%.1f lanes an address", per(n, r))
	})
	return f, true
}

// threadDivergence: instructions that run with few lanes.
func threadDivergence(t *Totals, lines []Sum) (Finding, bool) {
	active, on := per(t.All.Threads, t.All.Warps), per(t.All.PredOn, t.All.Warps)
	if t.All.Warps == 0 || min(active, on) >= 24 {
		return Finding{}, false
	}
	f := Finding{
		Rule: "ThreadDivergence", Section: WarpStateStats, Type: "OPT", Title: "Warps run with few active lanes",
		Speedup: 100 * (1 - min(active, on)/32), SpeedupType: "local",
		Message: fmt.Sprintf("Of the 32 lanes of a warp %.1f are active in an instruction, and %.1f not predicated off; %s of %s branches diverged.",
			active, on, count(t.All.Divergent), count(t.branches().Warps)),
		Advice: "Let the condition depend on the warp rather than the lane (group the work by kind, use whole warps for each case), or make both sides short enough for predication.",
	}
	f.Places = worst(lines, func(s *Sum) uint64 { return s.Divergent }, func(s *Sum) string {
		return fmt.Sprintf("%s divergent branches", count(s.Divergent))
	})
	if len(f.Places) == 0 {
		f.Advice = "Give each block a multiple of 32 threads, and each thread work."
	}
	return f, true
}

func theoreticalOccupancy(t *Totals, _ []Sum) (Finding, bool) {
	o := t.Occupancy
	if o.Blocks == 0 || o.Percent >= 80 {
		return Finding{}, false
	}
	var names []string
	for _, r := range o.Limiters {
		names = append(names, r.String())
	}
	estimate := ""
	if t.Registers.Estimated {
		estimate = " (registers are an estimate)"
	}
	return Finding{
		Rule: "TheoreticalOccupancy", Section: OccupancySection, Type: "OPT", Title: "Few warps fit on an SM",
		Speedup: 100 - o.Percent, SpeedupType: "local",
		Message: fmt.Sprintf("Theoretical occupancy is %.1f %%: %d of %d warps, in %d blocks, limited by %s%s.",
			o.Percent, o.Warps, t.Device.WarpsPerSM, o.Blocks, strings.Join(names, ", and "), estimate),
		Advice: "The curves of the occupancy section tell which block size, registers or shared memory let more warps in. More warps hide latency; kernels with much work in each thread can do without.",
	}, true
}

func blockSize(t *Totals, _ []Sum) (Finding, bool) {
	rest := t.Block.Count() % t.Device.WarpSize
	if rest == 0 {
		return Finding{}, false
	}
	warps := float64((t.Block.Count() + t.Device.WarpSize - 1) / t.Device.WarpSize)
	return Finding{
		Rule: "LaunchConfiguration", Section: LaunchStats, Type: "OPT", Title: "Block size is no multiple of the warp size",
		Speedup: 100 / warps * (1 - float64(rest)/float64(t.Device.WarpSize)), SpeedupType: "global",
		Message: fmt.Sprintf("Blocks of %d threads leave %d of 32 lanes of their last warp empty.", t.Block.Count(), t.Device.WarpSize-rest),
		Advice:  "Use a multiple of 32 threads, at least 128 in most cases, and guard the end of the data with an if.",
	}, true
}

func smallGrid(t *Totals, _ []Sum) (Finding, bool) {
	blocks := t.Grid.Count()
	if blocks >= t.Device.SMs {
		return Finding{}, false
	}
	return Finding{
		Rule: "LaunchConfiguration", Section: LaunchStats, Type: "OPT", Title: "The grid is too small for the GPU",
		Speedup: 100 * float64(t.Device.SMs-blocks) / float64(t.Device.SMs), SpeedupType: "global",
		Message: fmt.Sprintf("%d blocks leave %d of %d SMs without work.", blocks, t.Device.SMs-blocks, t.Device.SMs),
		Advice:  "Split the work into more blocks, or run other kernels at the same time in other streams.",
	}, true
}

func tailEffect(t *Totals, _ []Sum) (Finding, bool) {
	w := t.Waves
	if w.Full < 1 || w.Tail == 0 {
		return Finding{}, false
	}
	speedup := 100 / float64(1+w.Full)
	if speedup < 20 {
		return Finding{}, false
	}
	return Finding{
		Rule: "LaunchConfiguration", Section: LaunchStats, Type: "OPT", Title: "The last wave of blocks fills the GPU in part",
		Speedup: speedup, SpeedupType: "global",
		Message: fmt.Sprintf("%d blocks are %.2f waves: after %d full ones, %d blocks run while the rest of the GPU waits.", t.Grid.Count(), w.PerSM, w.Full, w.Tail),
		Advice:  "Choose a grid of whole waves, smaller blocks, or a loop over the data with as many blocks as fit at once.",
	}, true
}

func localMemory(t *Totals, lines []Sum) (Finding, bool) {
	l := t.memory(Local)
	if l.Requests == 0 {
		return Finding{}, false
	}
	f := Finding{
		Rule: "LocalMemory", Section: SourceCounters, Type: "OPT", Title: "Arrays in local memory",
		Speedup: percent(l.Requests, t.All.Warps), SpeedupType: "local",
		Message: fmt.Sprintf("%s requests go to local memory, which lies in device memory: %s sectors.", count(l.Requests), count(l.Sectors)),
		Advice:  "An array of a thread stays in registers only if every index is known when it is compiled: unroll the loops over it, or put it in shared memory.",
	}
	f.Places = worst(lines, func(s *Sum) uint64 { return s.In(Local).Requests }, func(s *Sum) string {
		return fmt.Sprintf("%s requests", count(s.In(Local).Requests))
	})
	return f, true
}

// doublePrecision: f64 arithmetic beside more of f32, usually a literal without its f.
func doublePrecision(t *Totals, lines []Sum) (Finding, bool) {
	of := func(class isa.Class) uint64 {
		return t.count(func(i *Instruction) bool { return i.Class == class.String() }).PredOn
	}
	double, single := of(isa.ClassFP64), of(isa.ClassFP32)
	if double == 0 || single < double || t.Device.FP64Lanes == 0 || t.Device.FP32Lanes == 0 {
		return Finding{}, false
	}
	ratio := t.Device.FP32Lanes / t.Device.FP64Lanes
	cost := float64(double) * ratio
	f := Finding{
		Rule: "DoublePrecision", Section: InstructionStats, Type: "OPT", Title: "Double precision in single-precision code",
		Speedup: 100 * (cost - float64(double)) / (cost + float64(single)), SpeedupType: "local",
		Message: fmt.Sprintf("%s f64 operations stand beside %s f32 ones; the GPU does f64 at 1/%.0f of the rate.", count(double), count(single), ratio),
		Advice:  "A literal such as 2.0 is a double and makes the whole expression one: write 2.0f, and sqrtf, expf for the functions.",
	}
	f.Places = places(t, func(i *Instruction) bool { return i.Class == isa.ClassFP64.String() }, "f64 operations")
	return f, true
}

// unfusedArithmetic: additions and multiplications that could be one instruction.
func unfusedArithmetic(t *Totals, _ []Sum) (Finding, bool) {
	of := func(opcodes ...string) uint64 {
		return t.count(func(i *Instruction) bool {
			if i.Type() != "f32" {
				return false
			}
			for _, o := range opcodes {
				if i.Opcode() == o {
					return true
				}
			}
			return false
		}).PredOn
	}
	plain, fused := of("add", "sub", "mul"), of("fma", "mad")
	share := percent(plain, plain+fused) / 2
	if fused == 0 || share <= 10 {
		return Finding{}, false
	}
	return Finding{
		Rule: "FPInstructions", Section: InstructionStats, Type: "INF", Title: "Additions and multiplications that are not fused",
		Speedup: share, SpeedupType: "local",
		Message: fmt.Sprintf("%s f32 operations are fused multiply-adds, %s are single ones.", count(fused), count(plain)),
		Advice:  "Pairs of a multiplication and an addition that depends on it run as one instruction; write them in one expression, and leave contraction on.",
	}, true
}

func integerDivision(t *Totals, _ []Sum) (Finding, bool) {
	divides := func(i *Instruction) bool {
		return (i.Opcode() == "div" || i.Opcode() == "rem") && strings.ContainsAny(i.Type()+" ", "us")
	}
	c := t.count(divides)
	if percent(c.Warps, t.All.Warps) < 1 {
		return Finding{}, false
	}
	f := Finding{
		Rule: "IntegerDivision", Section: InstructionStats, Type: "OPT", Title: "Integer divisions in the kernel's loop",
		Message: fmt.Sprintf("%s warps execute an integer division or remainder, for which the GPU runs some 20 instructions.", count(c.Warps)),
		Advice:  "Divide by constants or powers of two, use unsigned numbers, or carry the quotient along instead of dividing anew.",
	}
	f.Places = places(t, divides, "divisions")
	return f, true
}

// places returns the lines of the instructions that which picks, the most executed first.
func places(t *Totals, which func(*Instruction) bool, what string) []Place {
	only := Launch{File: t.File, Files: t.Files}
	for i := range t.Instructions {
		if which(&t.Instructions[i]) {
			only.Instructions = append(only.Instructions, t.Instructions[i])
		}
	}
	lines := only.BySource()
	if len(lines) == 0 {
		lines = only.ByPTX()
	}
	return worst(lines, func(s *Sum) uint64 { return s.PredOn }, func(s *Sum) string { return count(s.PredOn) + " " + what })
}

// count writes a number with separators of thousands.
func count(n uint64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
