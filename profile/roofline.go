package profile

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"silica/gpu"
)

// Roofline is how fast a launch computes in one precision, beside what the GPU's arithmetic and each level of its memory allow: Nsight Compute's
// hierarchical roofline.
type Roofline struct {
	Precision string      `json:"precision"` // "fp64", "fp32", "fp16", or "tensor" with the type of the factors: "tensor f16"
	Work      float64     `json:"work"`      // operations; a multiply-add is two
	Achieved  float64     `json:"achieved"`  // operations a second
	Peak      float64     `json:"peak"`
	Levels    []RoofLevel `json:"levels"` // the nearest first
}

// RoofLevel is a level of memory under a roofline.
type RoofLevel struct {
	Name      string  `json:"name"`      // "L1", "L2", "DRAM"
	Bytes     float64 `json:"bytes"`     // that went through
	Bandwidth float64 `json:"bandwidth"` // bytes a second
	// Intensity is operations for each byte, and Ceiling what the bandwidth and the peak allow at it, in operations a second. Both are those of
	// no bytes at all when Bytes is 0: 0, and the peak.
	Intensity float64 `json:"intensity"`
	Ceiling   float64 `json:"ceiling"`
}

// Limit is the level whose ceiling is lowest, "" when that is the peak everywhere.
func (r *Roofline) Limit() string {
	least := slices.MinFunc(r.Levels, func(a, b RoofLevel) int { return cmp.Compare(a.Ceiling, b.Ceiling) })
	if least.Ceiling >= r.Peak {
		return ""
	}
	return least.Name
}

// Rooflines has one for each precision in which the launch computes, the one with the most work for its peak first; none without a time.
func (t *Totals) Rooflines() []Roofline {
	if t.Timing == nil || t.Timing.Nanoseconds == 0 {
		return nil
	}
	chip := float64(t.Device.SMs) * float64(t.Device.CoreHz)
	var out []Roofline
	add := func(precision string, work, perCycle float64) {
		if work == 0 || perCycle == 0 {
			return
		}
		r := Roofline{Precision: precision, Work: work, Achieved: work / t.Timing.Nanoseconds * 1e9, Peak: perCycle * chip}
		for _, l := range t.levels() {
			l.Ceiling = r.Peak
			if l.Bytes > 0 {
				l.Intensity = work / l.Bytes
				l.Ceiling = min(r.Peak, l.Intensity*l.Bandwidth)
			}
			r.Levels = append(r.Levels, l)
		}
		out = append(out, r)
	}
	flops := func(types []string) float64 {
		return float64(t.arithmetic(types, addition) + t.arithmetic(types, multiplication) + 2*t.arithmetic(types, fusion))
	}
	add("fp64", flops(double), 2*t.Device.FP64Lanes)
	add("fp32", flops(single), 2*t.Device.FP32Lanes)
	add("fp16", flops(half), 4*t.Device.FP16Lanes) // a lane has two
	products := t.products()
	for _, kind := range tensorKinds {
		rate := kind.rate * t.Device.TensorMACs
		if kind.name == "f64" {
			rate = t.Device.TensorMACs64
		}
		add("tensor "+kind.name, 2*products[kind.name], 2*rate)
	}
	slices.SortStableFunc(out, func(a, b Roofline) int { return cmp.Compare(b.Work/b.Peak, a.Work/a.Peak) })
	return out
}

// levels are what went through each level of memory. The L1 cache and shared memory give a register of a warp, 128 bytes, in a cycle
// (l1tex__lsu_writeback_active), L2 gives sectors (lts__lts2xbar_cycles_active), and DRAM reads and writes them (dram__bytes).
func (t *Totals) levels() []RoofLevel {
	const register = warpLanes * wordBytes
	m := t.Timing
	return []RoofLevel{
		{Name: "L1", Bytes: register * m.Writebacks, Bandwidth: t.Device.L1BytesPerCycle * float64(t.Device.SMs) * float64(t.Device.CoreHz)},
		{Name: "L2", Bytes: SectorBytes * (m.L2ReadHits + m.L2ReadMisses + m.L2Atomics), Bandwidth: t.Device.L2Bandwidth},
		{Name: "DRAM", Bytes: SectorBytes * (m.DRAMReads + m.DRAMWrites), Bandwidth: float64(t.Device.DRAMBytesPerSecond)},
	}
}

// tensorKinds are the types of factors of matrix products, with the rate of each beside that of f16.
var tensorKinds = []struct {
	name  string
	rate  float64
	types []string
}{
	{"f64", 0, []string{"f64"}}, // its rate differs from GPU to GPU
	{"tf32", 0.5, []string{"tf32"}},
	{"s8", 2, []string{"s8", "u8", "s4", "u4", "b1"}},
	{"f8", 2, []string{"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"}},
	{"f16", 1, nil},
}

var productShape = regexp.MustCompile(`\.m(\d+)n(\d+)k(\d+)(\.|$)`)

// products counts the multiply-adds of matrix products by the type of their factors.
func (t *Totals) products() map[string]float64 {
	out := map[string]float64{}
	for i := range t.Instructions {
		in := &t.Instructions[i]
		op := in.Opcode()
		shape := productShape.FindStringSubmatch(in.Name)
		if shape == nil || in.Warps == 0 || op != "mma" && op != "wgmma" && !strings.HasPrefix(in.Name, "wmma.mma") {
			continue
		}
		macs := float64(in.Warps)
		for _, extent := range shape[1:4] {
			n, _ := strconv.Atoi(extent)
			macs *= float64(n)
		}
		if op == "wgmma" {
			macs /= 4 // the warps of a warpgroup
		}
		out[productKind(in.Name)] += macs
	}
	return out
}

func productKind(name string) string {
	parts := strings.Split(name, ".")
	for _, k := range tensorKinds {
		for _, typ := range k.types {
			if slices.Contains(parts, typ) {
				return k.name
			}
		}
	}
	return "f16"
}

// tensorMACs are the multiply-adds of f16 matrices that an SM completes in a cycle, 0 when unknown.
func tensorMACs(g *gpu.GPU) float64 { return max(g.Rate.MMAF16, g.Rate.WGMMAF16) }

// l2Bandwidth is what L2 can give all SMs in a second: as it was counted, or what its slices give as the
// model has them.
func l2Bandwidth(g *gpu.GPU) float64 {
	hz := 1000 * float64(g.Clock.CoreKHz)
	if g.Rate.L2Bytes > 0 {
		return g.Rate.L2Bytes * hz
	}
	return g.Model.SliceRead * float64(g.Slices()) * g.Model.L2Clock * hz
}
