package profile

import (
	"fmt"
	"slices"
	"strings"

	"silica/gpu"
)

// launchConfiguration is about the block size and the grid.
func launchConfiguration(t *Totals) []Advice {
	const leastTail = 20 // percent, as in Nsight Compute
	var out []Advice
	add := func(title, figure, message, change string, speedup float64) {
		out = append(out, Advice{
			Rule: "LaunchConfiguration", Section: LaunchStats, Kind: Optimization, topic: "launch " + title, part: everything,
			Title: title, Figure: figure, Message: message, Change: change, Speedup: speedup, SpeedupType: GlobalSpeedup,
		})
	}
	block, grid, sms := t.Block.Count(), t.Grid.Count(), t.Device.SMs
	if rest := block % warpLanes; rest != 0 {
		warps := (block + warpLanes - 1) / warpLanes
		last, sizes := fmt.Sprintf("the last of their %d warps", warps), fmt.Sprintf("%d or %d", block-rest, block-rest+warpLanes)
		if warps == 1 {
			last, sizes = "their only warp", "at least 32"
		}
		add("Block size is no multiple of 32", plural(block, "thread"),
			fmt.Sprintf("Blocks of %s leave %d of %d lanes of %s idle.", plural(block, "thread"), warpLanes-rest, warpLanes, last),
			fmt.Sprintf("Launch blocks of %s threads and let the kernel check its bounds.", sizes),
			100/float64(warps)*(1-float64(rest)/warpLanes))
	}
	switch w := t.Waves; {
	case grid < sms:
		add("Small grid", fmt.Sprintf("%d of %d SMs have nothing to do", sms-grid, sms),
			fmt.Sprintf("The grid has %s, fewer than the GPU's %d SMs: %d SMs have nothing to do.", plural(grid, "block"), sms, sms-grid),
			"Cut the work into more, smaller blocks, or run other kernels beside this one in streams.", 100*float64(sms-grid)/float64(sms))
	case w.Full >= 1 && w.Tail > 0:
		if wave := 100 / float64(1+w.Full); wave >= leastTail {
			// Nsight Compute's estimate is the whole wave's time; but what the last wave does has to be done, and a launch that waits for
			// memory does not wait longer for fewer blocks.
			estimate := t.missing(wave * (1 - w.TailPercent/100))
			add("Tail effect", fmt.Sprintf("a last wave fills %.0f%% of the GPU", w.TailPercent),
				fmt.Sprintf("After %s of blocks that fill the GPU, %s left for a last one that fills %.0f%% of it.",
					plural(w.Full, "wave"), are(w.Tail, "block"), w.TailPercent),
				fmt.Sprintf("Choose a grid of a multiple of %d blocks (%d SMs with %d blocks each), or a grid of that size whose blocks loop over the work.",
					sms*t.Occupancy.Blocks, sms, t.Occupancy.Blocks), estimate)
		}
	}
	return out
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func are(n int, what string) string {
	if n == 1 {
		return plural(n, what) + " is"
	}
	return plural(n, what) + " are"
}

// theoreticalOccupancy is about SMs that cannot hold as many warps as they have room for.
func theoreticalOccupancy(t *Totals) []Advice {
	const enough = 80 // percent, as in Nsight Compute
	o := t.Occupancy
	// What is never resident at once, because the grid ends before, is not kept out by anything.
	if o.Blocks == 0 || o.Percent >= enough || t.Waves.PerSM <= 1 {
		return nil
	}
	var limiters, changes []string
	for _, r := range t.Limiters() {
		limiters = append(limiters, r.String())
		if c := t.raise(r); c != "" {
			changes = append(changes, c)
		}
	}
	change := strings.Join(changes, " ")
	if change != "" {
		change += " More warps help only where the kernel waits for memory or other latencies."
	}
	return []Advice{{
		Rule: "TheoreticalOccupancy", Section: OccupancySection, Kind: Optimization, topic: "occupancy", part: issue,
		Title:  "Low theoretical occupancy",
		Figure: fmt.Sprintf("%d of %d warps, limited by %s", o.Warps, t.Device.WarpsPerSM, strings.Join(limiters, " and ")),
		Message: fmt.Sprintf("An SM holds %d of %d warps (%.0f%%), limited by %s.%s", o.Warps, t.Device.WarpsPerSM, o.Percent, strings.Join(limiters, " and "),
			estimateNote(t)),
		Change: change, Speedup: t.missing(100 - o.Percent), SpeedupType: t.whole(),
	}}
}

// Limiters are the resources that limit how many blocks are resident. What a block has of its own accord, such as a barrier, is no reason
// beside the most blocks that an SM has room for.
func (l *Launch) Limiters() []gpu.Resource {
	if slices.Contains(l.Occupancy.Limiters, gpu.BlockSlots) {
		return []gpu.Resource{gpu.BlockSlots}
	}
	return l.Occupancy.Limiters
}

// missing is the estimate of a rule about warps that are missing, in percent: no more than what schedulers do not use.
func (t *Totals) missing(percent float64) float64 {
	if t.Timing == nil {
		return percent
	}
	return min(100*t.unused(), percent)
}

func estimateNote(t *Totals) string {
	if t.Registers.Estimated {
		return fmt.Sprintf(" The %d registers a thread are an estimate.", t.Registers.PerThread)
	}
	return ""
}

// raise tells how one resource would have to change for more warps.
func (t *Totals) raise(r gpu.Resource) string {
	o := t.Occupancy
	switch r {
	case gpu.Registers:
		if p, ok := below(t.Curves.Registers, t.Registers.PerThread, o.Warps); ok {
			return fmt.Sprintf("With %d registers a thread (-maxrregcount or __launch_bounds__) it would hold %d warps (%.0f%%).", p.X, p.Warps, p.Percent)
		}
	case gpu.SharedMemory:
		if p, ok := below(t.Curves.Shared, t.StaticShared+t.DynamicShared, o.Warps); ok {
			return fmt.Sprintf("With %d bytes of shared memory a block it would hold %d warps (%.0f%%).", p.X, p.Warps, p.Percent)
		}
	case gpu.BlockSlots, gpu.Warps:
		if p, ok := best(t.Curves.BlockSize, o.Warps); ok {
			return fmt.Sprintf("With blocks of %d threads it would hold %d warps (%.0f%%).", p.X, p.Warps, p.Percent)
		}
	}
	return ""
}

// below returns the point with the largest X under x that has more than some warps.
func below(curve []gpu.Point, x, warps int) (gpu.Point, bool) {
	var out gpu.Point
	for _, p := range curve {
		if p.X < x && p.Warps > warps && p.X >= out.X {
			out = p
		}
	}
	return out, out.Warps > warps
}

// best returns the point with the most warps, if they are more than some.
func best(curve []gpu.Point, warps int) (gpu.Point, bool) {
	var out gpu.Point
	for _, p := range curve {
		if p.Warps > out.Warps {
			out = p
		}
	}
	return out, out.Warps > warps
}

// estimatedRegisters tells that occupancy rests on an estimate.
func estimatedRegisters(t *Totals) []Advice {
	if !t.Registers.Estimated {
		return nil
	}
	return []Advice{{
		Rule: "EstimatedRegisters", Section: OccupancySection, Kind: Information, topic: "registers", part: everything,
		Title:  "Registers are estimated",
		Figure: fmt.Sprintf("%d a thread", t.Registers.PerThread),
		Message: fmt.Sprintf("%d registers a thread is an estimate of what ptxas would take; ptxas -v tells the real number, --regs takes it.",
			t.Registers.PerThread),
	}}
}
