package profile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// What the rules about parts of the machine compare with, as Nsight Compute does.
const (
	lowPipe        = 0.2
	highPipe       = 0.6
	fullPipe       = 0.8
	busySM         = 0.8
	leastImbalance = 0.05
	leastDouble    = 0.15 // of the FP64 peak
	leastLine      = 0.1  // of all stalls
)

// scaled is an estimate that holds for a part of the launch's time: the whole of it without a time.
func (t *Totals) scaled(percent float64, part func(*Timing) float64) float64 {
	if t.Timing == nil {
		return percent
	}
	return percent * min(part(t.Timing), 1)
}

// whole is the type of an estimate that is scaled to the launch's time.
func (t *Totals) whole() SpeedupType {
	if t.Timing == nil {
		return LocalSpeedup
	}
	return GlobalSpeedup
}

// pipes are the parts of the SMs but for the issue of instructions, the busiest first, in parts of the active cycles.
func (t *Totals) pipes() []Constituent {
	var out []Constituent
	for _, c := range t.Breakdown() {
		if c.Memory || c.Label == "Issue" {
			continue
		}
		c.Share = quotient(c.Share, t.Timing.elapsedShare())
		out = append(out, c)
	}
	return out
}

// pipeNames say what runs on each pipe.
var pipeNames = map[string]string{
	"ALU": "integer additions, logic and comparisons", "FMA": "single-precision arithmetic and integer multiplication", "FP64": "double precision",
	"Tensor": "products of matrices", "XU": "special functions and conversions", "LSU": "loads and stores of global and shared memory, and shuffles",
	"ADU": "constants, barriers and special registers", "TEX": "textures", "Uniform": "what is the same in all threads of a warp",
}

// highPipeUtilization is about the pipe that is busiest.
func highPipeUtilization(t *Totals) []Advice {
	if t.Timing == nil || t.Timing.Instructions == 0 {
		return nil
	}
	pipes := t.pipes()
	first := pipes[0]
	share := first.Share / 100
	a := Advice{
		Rule: "HighPipeUtilization", Section: ComputeWorkloadAnalysis, Kind: Information, topic: "pipes", part: waiting,
		Figure: fmt.Sprintf("%s at %.0f %%", first.Label, first.Share),
	}
	says := fmt.Sprintf("The busiest pipe is %s (%s): it works in %.1f %% of the cycles in which SMs are active.", first.Label, pipeNames[first.Label], first.Share)
	switch {
	case share < lowPipe:
		// Nsight Compute takes it for an optimization; but it is a symptom, of which the rules about what warps wait for tell the cause.
		a.Title, a.Message = "All pipes are idle most of the time", says+" Too few warps go on at a time, or they wait too long."
		a.Change = "Look at what the warps wait for; a kernel with so little work for each byte or launch gains from being joined with others."
		a.Speedup, a.SpeedupType = 100*(1-share), LocalSpeedup
	case share > fullPipe:
		a.Title, a.Message = "A pipe is full", says+" It limits the kernel."
		a.Change = "Move work from it to others, or do less of it."
	case share > highPipe:
		a.Title, a.Message = "A pipe is well used", says
	default:
		return nil
	}
	return []Advice{a}
}

// slowPipe is about a pipe that is full while few instructions are issued: it takes several cycles for each.
func slowPipe(t *Totals) []Advice {
	if t.Timing == nil || t.Timing.Instructions == 0 {
		return nil
	}
	compute, _ := t.throughputs()
	issued := t.Timing.issue(t)
	first := t.pipes()[0]
	if first.Label == "LSU" || first.Share/100 < busySM || issued >= lowPipe {
		return nil
	}
	return []Advice{{
		Rule: "SlowPipeLimiter", Section: ComputeWorkloadAnalysis, Kind: Optimization, topic: "pipes", part: everything,
		Title:  "A slow pipe holds the others up",
		Figure: fmt.Sprintf("%s at %.0f %%, a scheduler issues in %.0f %% of the cycles", first.Label, first.Share, 100*issued),
		Message: fmt.Sprintf("The pipe %s (%s) works in %.0f %% of the cycles, while schedulers issue in %.0f %%: it takes several cycles for each instruction.",
			first.Label, pipeNames[first.Label], first.Share, 100*issued),
		Change:  "Do its work on faster pipes: single in place of double precision, fewer divisions, conversions and special functions, or tables of them.",
		Speedup: 100 * compute * (first.Share/100 - issued) / (first.Share / 100), SpeedupType: GlobalSpeedup,
	}}
}

// workloadImbalance is about SMs that have nothing to do while others work.
func workloadImbalance(t *Totals) []Advice {
	if t.Timing == nil || t.Timing.Active == 0 {
		return nil
	}
	m := t.Timing
	estimate := (1 - m.ActiveAverage/m.Active) * m.ActiveAverage / m.Cycles
	if estimate < leastImbalance {
		return nil
	}
	return []Advice{{
		Rule: "WorkloadImbalance", Section: WorkloadDistribution, Kind: Optimization, topic: "imbalance", part: everything,
		Title:  "SMs with less work than others",
		Figure: fmt.Sprintf("%.0f %% of the busiest one's on average", 100*m.ActiveAverage/m.Active),
		Message: fmt.Sprintf("The busiest SM has warps in %s cycles, SMs on average in %s: blocks of the grid (%s on %d SMs) do not share out evenly.",
			thousands(uint64(m.Active)), thousands(uint64(m.ActiveAverage)), thousands(uint64(t.Grid.Count())), t.Device.SMs),
		Change:  fmt.Sprintf("Launch a multiple of %d blocks, or many small ones; let blocks loop over pieces of the work.", t.Device.SMs),
		Speedup: 100 * estimate, SpeedupType: GlobalSpeedup,
	}}
}

// cacheAccessPattern is about sectors of which threads use a part only, by the level of memory that suffers most.
func cacheAccessPattern(t *Totals) []Advice {
	if t.Timing == nil {
		return nil
	}
	m := t.Timing
	miss1 := quotient(m.L1Misses, m.L1Hits+m.L1Misses)
	miss2 := 1 - m.l2HitRate()/100
	dramThroughput := quotient(m.dramRate(), float64(t.Device.DRAMBytesPerSecond))
	var out []Advice
	for _, d := range []struct {
		what string
		move movement
	}{{"loads", loads}, {"stores", stores}} {
		g := t.memory(Global, d.move)
		used := each(g.Unique, g.Sectors)
		if g.Sectors == 0 || used <= 0 || used >= SectorBytes {
			continue
		}
		unused := 1 - used/SectorBytes
		passes, through := miss1, miss1*miss2
		if d.move == stores { // they go through L1
			passes, through = 1, 1
		}
		levels := []struct {
			name     string
			estimate float64
		}{
			{"the L1 cache", unused * m.Busy["lsu"]}, {"the L2 cache", unused * passes * m.L2Busy}, {"DRAM", unused * through * dramThroughput},
		}
		worst := slices.MaxFunc(levels, func(a, b struct {
			name     string
			estimate float64
		}) int {
			return cmp.Compare(a.estimate, b.estimate)
		})
		if worst.estimate < leastExcess/100. {
			continue
		}
		trouble := func(i *Instruction) float64 {
			if i.moves() != d.move {
				return 0
			}
			x := i.In(Global)
			return float64(x.Sectors*SectorBytes - min(x.Unique, x.Sectors*SectorBytes))
		}
		out = append(out, Advice{
			Rule: "MemoryCacheAccessPattern", Section: MemoryWorkloadTables, Kind: Optimization, topic: "coalescing", part: waiting,
			Title:  "Sectors of which " + d.what + " use a part",
			Figure: fmt.Sprintf("%.1f of %d bytes, which costs most in %s", used, SectorBytes, worst.name),
			Message: fmt.Sprintf("Of each sector of %d bytes that %s of global memory move, threads use %.1f. It costs most in %s.",
				SectorBytes, d.what, used, worst.name),
			Change:  t.coalesce(t.worst(trouble), t.worst(trouble).In(Global)),
			Speedup: 100 * worst.estimate, SpeedupType: GlobalSpeedup,
			Sites: t.sites(trouble, func(sum Sum, worst *Instruction) string {
				x := sum.In(Global)
				return fmt.Sprintf("%s %s of %d bytes of a sector", does(worst), short(each(x.Unique, x.Sectors)), SectorBytes)
			}),
		})
	}
	return out
}

// rooflineRule says how near arithmetic is to its peaks, and warns of much double precision.
func rooflineRule(t *Totals) []Advice {
	lines := t.Rooflines()
	if len(lines) == 0 {
		return nil
	}
	var reached []string
	for i := range lines {
		text := fmt.Sprintf("%.0f %% of the %s peak", 100*lines[i].Achieved/lines[i].Peak, lines[i].Precision)
		if limit := lines[i].Limit(); limit != "" {
			text += ", of which " + limit + " allows less"
		}
		reached = append(reached, text)
	}
	a := Advice{
		Rule: "SOLFPRoofline", Section: RooflineChart, Kind: Information, topic: "roofline", part: fp64, Title: "Arithmetic beside its peaks",
		Figure: reached[0], Message: "The kernel reaches " + strings.Join(reached, "; ") + ".",
	}
	var double *Roofline
	for i := range lines {
		if lines[i].Precision == "fp64" {
			double = &lines[i]
		}
	}
	single := 2 * t.Device.FP32Lanes * float64(t.Device.SMs) * float64(t.Device.CoreHz)
	if double != nil && double.Achieved/double.Peak > leastDouble && single > double.Peak {
		a.Kind, a.Title = Optimization, "Much double precision"
		a.Change = "Compute in single precision what does not need more; the GPU's peak in it is " + short(single/double.Peak) + " times as high."
		a.Speedup, a.SpeedupType = 100*double.Achieved/double.Peak*(1-double.Peak/single)*min(t.Timing.Busy["fp64"], 1), GlobalSpeedup
	}
	return []Advice{a}
}

// hotStalls names the lines at which warps wait most, with what they wait for there.
func hotStalls(t *Totals) []Advice {
	if t.Timing == nil || t.Timing.WarpCycles == 0 {
		return nil
	}
	states := map[key]map[string]float64{}
	all := 0.0
	for i := range t.Timing.Code {
		in := &t.Timing.Code[i]
		k := key{in.Function, in.PC}
		if states[k] == nil {
			states[k] = map[string]float64{}
		}
		for state, n := range in.States {
			if state != "selected" {
				states[k][state] += n
				all += n
			}
		}
	}
	stalls := func(i *Instruction) float64 {
		sum := 0.0
		for _, n := range states[key{i.Function, i.PC}] {
			sum += n
		}
		return sum
	}
	top := func(i *Instruction) (state string, part float64) {
		s := states[key{i.Function, i.PC}]
		for _, name := range slices.Sorted(maps.Keys(s)) {
			if s[name] > s[state] {
				state = name
			}
		}
		return state, quotient(s[state], stalls(i))
	}
	sites := t.sites(stalls, func(_ Sum, worst *Instruction) string {
		state, part := top(worst)
		return fmt.Sprintf("%s: %.0f%% of its waiting is for %s (%s)", worst.Name, 100*part, remedies[state].what, state)
	})
	sites = slices.DeleteFunc(sites, func(s Site) bool { return s.Share < 100*leastLine })
	if len(sites) == 0 {
		return nil
	}
	return []Advice{{
		Rule: "CPIStall", Section: SourceCounters, Kind: Information, topic: "hot stalls", part: waiting, Title: "Where warps wait",
		Figure:  fmt.Sprintf("%s is responsible for %.0f%%", sites[0], sites[0].Share),
		Message: fmt.Sprintf("%s is responsible for %.0f%% of all the time in which warps wait.", sites[0], sites[0].Share),
		Sites:   sites,
	}}
}
