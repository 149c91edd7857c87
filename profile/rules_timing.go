package profile

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// What the rules about time compare with, as Nsight Compute does.
const (
	highThroughput  = 0.8
	lowThroughput   = 0.6
	unbalanced      = 0.1
	enoughIssued    = 0.6
	fewIssued       = 0.8
	muchStalled     = 0.3
	occupancyMissed = 10 // points
)

// bottleneck says what the launch's time goes into.
func bottleneck(t *Totals) []Advice {
	if t.Timing == nil {
		return nil
	}
	compute, memory := t.throughputs()
	a := Advice{Rule: "SOLBottleneck", Section: SpeedOfLight, Kind: Information, topic: "bottleneck"}
	a.Figure = fmt.Sprintf("SMs at %.0f %%, memory at %.0f %% of their peak", 100*compute, 100*memory)
	busiest := t.Breakdown()[0]
	switch {
	case max(compute, memory) >= highThroughput:
		a.Title = "Much of the machine is used"
		a.Message = a.Figure + ". To get faster, the kernel has to do less, or move work from what is busiest to the rest."
	case compute < lowThroughput && memory < lowThroughput && t.Waves.PerSM < 1:
		a.Title = "A grid too small for the GPU"
		a.Message = fmt.Sprintf("%s: the grid of %s fills %.2f of what the GPU holds at once.", a.Figure, plural(t.Grid.Count(), "block"), t.Waves.PerSM)
	case compute < lowThroughput && memory < lowThroughput:
		a.Title = "Time goes into waiting"
		a.Message = a.Figure + ": warps wait for results rather than for a part of the machine. Look at what they wait for."
	case compute > memory+unbalanced:
		a.Title = "Computing takes the time"
		a.Message = a.Figure + ": the SMs' pipes are busier than memory."
	case memory > compute+unbalanced:
		a.Title = "Memory takes the time"
		a.Message = a.Figure + ": the way to memory is busier than the SMs."
	default:
		a.Title = "Computing and memory are balanced"
		a.Message = a.Figure + ": to get faster, reduce both."
	}
	a.Message += fmt.Sprintf(" Busiest is %s (%s), at %.0f %%.", busiest.Label, busiest.Name, busiest.Share)
	return []Advice{a}
}

// unused is the part of the issue slots that nothing uses, and that nothing else forbids to use.
func (t *Totals) unused() float64 {
	compute, memory := t.throughputs()
	return max(0, min(1-t.Timing.issue(t), 1-max(compute, memory)))
}

// issueSlots is about schedulers that have nothing to issue.
func issueSlots(t *Totals) []Advice {
	if t.Timing == nil || t.Timing.issue(t) >= enoughIssued || t.Timing.Instructions == 0 {
		return nil
	}
	m := t.Timing
	eligible := quotient(m.States["selected"]+m.States["not_selected"], m.Active) / float64(t.Device.SubPartitions)
	return []Advice{{
		Rule: "IssueSlotUtilization", Section: SchedulerStats, Kind: Optimization, topic: "stalls", part: symptom, Title: "Schedulers with nothing to issue",
		Figure: fmt.Sprintf("an instruction every %.1f cycles", quotient(1, m.issue(t))),
		Message: fmt.Sprintf("Each scheduler issues an instruction every %.1f cycles. Of its %.1f warps, %.2f can go on in a cycle on average.",
			quotient(1, m.issue(t)), m.warps()/float64(t.Device.SubPartitions), eligible),
		Change:  "Have more warps resident, or give each warp more independent work between the instructions that it waits for.",
		Speedup: 100 * t.unused(), SpeedupType: LocalSpeedup,
	}}
}

// remedy is what warps wait for, and what to do about it.
type remedy struct{ what, change string }

// remedies say what each state of a warp comes from, and what to do about it.
var remedies = map[string]remedy{
	"long_scoreboard":    {"data from global, local or texture memory", "Load earlier, and more at a time, before the data is used; keep in shared memory or registers what is used again; have more warps resident."},
	"short_scoreboard":   {"shared memory, special functions or shuffles", "Avoid bank conflicts; read more at a time (float4); put independent work between the load and its use."},
	"wait":               {"results of arithmetic", "Give each thread several independent chains of operations, or have more warps resident."},
	"barrier":            {"the other warps of the block at a barrier", "Share the work more evenly among warps, use fewer barriers or smaller blocks."},
	"mio_throttle":       {"room in the queue of shared memory and shuffles", "Make fewer and wider accesses to shared memory; keep values in registers."},
	"lg_throttle":        {"room in the queue of global memory", "Make fewer and wider accesses: float4 for neighbouring elements, and coalesced ones."},
	"tex_throttle":       {"room in the queue of textures", "Fetch less, or load from global memory instead."},
	"math_pipe_throttle": {"a pipe that is busy", "Use the other pipes too: fewer conversions, divisions and double precision."},
	"membar":             {"memory fences", "Use fences of a smaller scope, and fewer of them."},
	"branch_resolving":   {"branches", "Unroll loops; replace short branches by selects."},
	"no_instruction":     {"instructions from memory", "Make the code smaller: unroll less; launch more work at a time."},
	"not_selected":       {"their turn: others of the scheduler's warps went first", ""},
	"dispatch_stall":     {"registers of one bank", "Use the values of a product again while they are at hand; the compiler numbers registers."},
	"drain":              {"stores to leave the SM at the end of a warp", "Write less, and coalesced; let a thread do more before it ends."},
	"sleeping":           {"nanosleep", "Sleep for shorter."},
	"imc_miss":           {"constants that were not in the cache", "Read neighbouring constants."},
	"gmma":               {"products of a warpgroup", "Keep several products under way."},
}

// shortWaits say what short_scoreboard is about, by the instructions that are waited for.
var shortWaits = []struct {
	opcodes []string
	remedy  remedy
}{
	{[]string{"LDS", "LDSM", "ATOMS", "STS"}, remedy{"shared memory", "Avoid bank conflicts; read more at a time (float4); put independent work between the load and its use."}},
	{[]string{"MUFU", "I2F", "F2I", "F2F", "FRND", "I2FP", "F2FP"},
		remedy{"special functions and conversions", "Use fewer of them, or put independent work between one and the use of its result."}},
	{[]string{"SHFL", "MATCH", "REDUX", "VOTE"},
		remedy{"shuffles", "Let each thread combine more before threads exchange values, or put independent work between a shuffle and the use of its result."}},
	{[]string{"S2R", "S2UR", "CS2R"},
		remedy{"special registers, such as threadIdx", "They are read when a warp starts: let threads do more, and launch fewer of them."}},
}

// remedy says what warps wait for in a state, and what to do about it.
func (t *Totals) remedy(state string) (r remedy, known bool) {
	r, known = remedies[state]
	if state != "short_scoreboard" {
		return r, known
	}
	cycles := make([]float64, len(shortWaits))
	most := 0
	for i := range t.Timing.Code {
		in := &t.Timing.Code[i]
		if in.On < 0 {
			continue
		}
		opcode := t.Timing.Code[in.On].opcode()
		for k := range shortWaits {
			if slices.Contains(shortWaits[k].opcodes, opcode) {
				cycles[k] += in.States[state]
			}
			if cycles[k] > cycles[most] {
				most = k
			}
		}
	}
	if cycles[most] > 0 {
		r = shortWaits[most].remedy
	}
	return r, known
}

// opcode is the machine instruction's name without guard, modifiers and operands.
func (i *TimedInstruction) opcode() string {
	words := strings.Fields(i.Text)
	if len(words) > 1 && strings.HasPrefix(words[0], "@") {
		words = words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	name, _, _ := strings.Cut(words[0], ".")
	return name
}

// stalled is about what warps wait for, one advice for each state that takes much of their time.
func stalled(t *Totals) []Advice {
	if t.Timing == nil || t.Timing.issue(t) >= fewIssued || t.Timing.WarpCycles == 0 {
		return nil
	}
	m := t.Timing
	var out []Advice
	for _, state := range slices.Sorted(maps.Keys(m.States)) {
		part := m.States[state] / m.WarpCycles
		remedy, known := t.remedy(state)
		if !known || part <= muchStalled || state == "not_selected" || state == "long_scoreboard" && t.spillsTake(m.States[state]) {
			continue
		}
		out = append(out, Advice{
			Rule: "CPIStall", Section: WarpStateStats, Kind: Optimization, topic: "stalls", part: waiting, Title: "Warps wait for " + remedy.what,
			Figure: fmt.Sprintf("%.0f %% of their time (%s)", 100*part, state),
			Message: fmt.Sprintf("Between two instructions a warp takes %.1f cycles, %.1f of them waiting for %s (stall %s).",
				quotient(m.WarpCycles, m.Instructions), m.States[state]/m.Instructions, remedy.what, state),
			Change: remedy.change, Speedup: 100 * min(t.unused(), part), SpeedupType: GlobalSpeedup,
			Sites: t.waits(state),
		})
	}
	return out
}

// key names an instruction of the PTX.
type key struct{ function, pc int }

// waits are the places at which warps wait in a state, with the instruction whose result they wait for.
func (t *Totals) waits(state string) []Site {
	cycles, on := map[key]float64{}, map[key]int{}
	for i := range t.Timing.Code {
		in := &t.Timing.Code[i]
		k := key{in.Function, in.PC}
		if in.On >= 0 && in.States[state] > cycles[k] {
			on[k] = in.On
		}
		cycles[k] += in.States[state]
	}
	return t.sites(func(i *Instruction) float64 { return cycles[key{i.Function, i.PC}] }, func(sum Sum, worst *Instruction) string {
		detail := worst.Name
		at, ok := on[key{worst.Function, worst.PC}]
		if !ok {
			return detail
		}
		producer := &t.Timing.Code[at]
		for i := range t.Instructions {
			if p := &t.Instructions[i]; p.Function == producer.Function && p.PC == producer.PC && p != worst {
				detail += fmt.Sprintf(" waits for %s", p.Name)
				if place := t.ownPlace(p.Source); place != nil && place.Line != sum.Line {
					detail += fmt.Sprintf(" of line %d", place.Line)
				}
			}
		}
		return detail
	})
}

// achievedOccupancy is about warps that are fewer than could be resident, of a grid that fills the GPU.
func achievedOccupancy(t *Totals) []Advice {
	if t.Timing == nil || t.Occupancy.Warps == 0 || t.Waves.PerSM < 1 {
		return nil
	}
	achieved := 100 * t.Timing.warps() / float64(t.Device.WarpsPerSM)
	if t.Occupancy.Percent-achieved <= occupancyMissed {
		return nil
	}
	return []Advice{{
		Rule: "AchievedOccupancy", Section: OccupancySection, Kind: Optimization, topic: "occupancy", part: waiting, Title: "Fewer warps than fit",
		Figure:  fmt.Sprintf("%.0f %% of %.0f %%", achieved, t.Occupancy.Percent),
		Message: fmt.Sprintf("%.0f %% of the warps that an SM can hold are resident on average; %.0f %% fit.", achieved, t.Occupancy.Percent),
		Change:  "Give all blocks and warps about the same work, and launch enough blocks to fill the GPU several times.",
		Speedup: t.missing(100 * (t.Occupancy.Percent - achieved) / t.Occupancy.Percent), SpeedupType: GlobalSpeedup,
	}}
}

// timeSentence says how long the launch takes and what is busiest.
func (t *Totals) timeSentence() string {
	compute, memory := t.throughputs()
	return fmt.Sprintf("By the model, %s on %s (%s cycles at %s GHz): SMs at %.0f %%, memory at %.0f %% of their peak.", Elapsed(t.Timing.Nanoseconds), t.Device.Name,
		thousands(uint64(t.Timing.Cycles)), short2(float64(t.Device.CoreHz)/1e9), 100*compute, 100*memory)
}

// Simulation says what the model looked at: "caches empty at first; 8 of 8 blocks of one SM simulated, which do alike".
func (t *Totals) Simulation() string {
	m := t.Timing
	caches := "caches empty at first"
	if m.Warm {
		caches = "caches as earlier launches left them"
	}
	blocks := (t.Grid.Count() + t.Device.SMs - 1) / t.Device.SMs // of the busiest SM
	text := fmt.Sprintf("%s; %d of %s of one SM simulated", caches, m.Simulated, plural(blocks, "block"))
	switch {
	case t.Grid.Count() < 2:
		return text
	case m.Deviation < 0.0005:
		return text + ", which do alike"
	}
	more := float64(m.Simulated) / float64(blocks) / m.Sampled
	return text + fmt.Sprintf(", of which the busiest SM has %.0f %% of the work (standard deviation of so many blocks: %.1f %%)", 100*more, 100*m.Deviation)
}

// short2 writes a number with two decimals at most.
func short2(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }
