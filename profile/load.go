package profile

import (
	"fmt"
	"time"
)

// part is a part of the machine that a kernel keeps busy.
type part string

const (
	issue      part = "instruction issue"
	l1         part = "the L1 cache and shared memory"
	l2         part = "the way to the L2 cache"
	dram       part = "DRAM"
	fp64       part = "the FP64 pipe"
	fp32       part = "the FP32 pipe"
	atomic     part = "atomic operations"
	constant   part = "the constant cache"
	memory     part = "memory"     // whichever of L1, L2 and DRAM is busiest: fewer sectors spare all three
	everything part = "everything" // what concerns all parts alike
	waiting    part = "waiting"    // what follows from other things, which weigh more
	symptom    part = "symptom"    // what other rules tell the reasons of: it stands behind them
)

// Load tells how many cycles each part of the machine needs at least for what the kernel asked of it, at its peak rate, with
// the work spread evenly over all SMs and caches that are empty at first and large enough then. It is a lower bound from
// counts and no time; it serves to compare parts.
type Load struct {
	Cycles map[part]float64
}

// Load computes the lower bounds of the launch.
func (t *Totals) Load() Load {
	sms := float64(t.Device.SMs)
	global, local, shared := t.memory(Global), t.memory(Local), t.memory(Shared)
	constants := t.memory(Const)
	sectors := float64(global.Sectors + global.ReplaySectors + local.Sectors)
	l := Load{Cycles: map[part]float64{
		issue: float64(t.All.Warps) / (sms * float64(t.Device.SubPartitions)),
		// A cycle serves one line, at most four sectors, or one wavefront.
		l1: (max(sectors/(lineBytes/sectorBytes), float64(global.Lines)) + float64(shared.Wavefronts)) / sms,
		// The lanes of an atomic operation that want one address come one a cycle.
		atomic:   float64(global.Serial+shared.Serial) / sms,
		constant: float64(constants.Words) / sms,
	}}
	if rate := t.Device.L2BytesPerCycle; rate > 0 {
		// What is read comes from L2 at least once; what is written goes there each time.
		through := t.memory(Global, stores, atomics, reductions)
		l.Cycles[l2] = (float64(t.Footprint.Read) + sectorBytes*float64(through.Sectors+through.ReplaySectors)) / rate
	}
	if rate := t.Device.DRAMBytesPerSecond; rate > 0 {
		l.Cycles[dram] = float64(t.Footprint.Read+t.Footprint.Written) / float64(rate) * float64(t.Device.CoreHz)
	}
	lanes := func(class string) float64 {
		return float64(t.count(func(i *Instruction) bool { return i.Class == class }).Warps) * warpLanes / sms
	}
	if rate := t.Device.FP32Lanes; rate > 0 {
		l.Cycles[fp32] = lanes("fp32") / rate
	}
	if rate := t.Device.FP64Lanes; rate > 0 {
		l.Cycles[fp64] = lanes("fp64") / rate
	}
	return l
}

// Time is how long the launch takes by the model of the machine; without it, how long it takes at least at the GPU's clock: the time of
// the part which needs most cycles.
func (t *Totals) Time() time.Duration {
	if t.Timing != nil {
		return time.Duration(t.Timing.Nanoseconds)
	}
	load := t.Load()
	first, _ := load.busiest()
	return time.Duration(load.Cycles[first] / float64(t.Device.CoreHz) * 1e9)
}

// parts lists the parts in a fixed order.
var parts = []part{issue, l1, l2, dram, fp32, fp64, atomic, constant}

// busiest returns the two parts that need most cycles.
func (l Load) busiest() (first, second part) {
	for _, p := range parts {
		switch {
		case first == "" || l.Cycles[p] > l.Cycles[first]:
			first, second = p, first
		case second == "" || l.Cycles[p] > l.Cycles[second]:
			second = p
		}
	}
	return first, second
}

// weights returns each part's cycles as a share of the busiest part's.
func (l Load) weights() map[part]float64 {
	first, _ := l.busiest()
	out := map[part]float64{everything: 1, waiting: 0.5, symptom: 0}
	for _, p := range parts {
		out[p] = 0
		if most := l.Cycles[first]; most > 0 {
			out[p] = l.Cycles[p] / most
		}
	}
	out[memory] = max(out[l1], out[l2], out[dram])
	return out
}

// sentence tells which part is busiest.
func (l Load) sentence() string {
	first, second := l.busiest()
	most, next := l.Cycles[first], l.Cycles[second]
	switch {
	case most == 0:
		return "Nothing was executed."
	case next == 0:
		return fmt.Sprintf("By counts at peak rates, only %s is busy.", first)
	case most < 1.25*next:
		return fmt.Sprintf("By counts at peak rates, the busiest parts are %s and %s, about alike.", first, second)
	}
	return fmt.Sprintf("By counts at peak rates, the busiest part is %s, %.1f times as long as %s.", first, most/next, second)
}
