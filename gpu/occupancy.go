package gpu

import "fmt"

// A Kernel is what occupancy depends on: a launch of a compiled kernel.
type Kernel struct {
	BlockSize          int // threads
	RegistersPerThread int // as the compiler reports them
	StaticShared       int // bytes per block
	DynamicShared      int // bytes per block; more than 48 KiB is taken as opted in to
	Barriers           int // named barriers the kernel uses, as the compiler reports them

	// Carveout is the preference the program states for the L1/shared split.
	Carveout Carveout
	// SharedConfig fixes the split at that many bytes of shared memory, unless
	// one block needs more. 0 leaves it to Carveout.
	SharedConfig int
}

// Occupancy is how many blocks and warps of a kernel one SM holds, and why not
// more. Every figure is exact: it follows from the limits of the GPU by the
// rules of the hardware and the driver.
type Occupancy struct {
	RegistersPerThread          int     // launch__registers_per_thread
	RegistersPerThreadAllocated float64 // launch__registers_per_thread_allocated: those of whole warps, by thread
	SharedPerBlock              int     // launch__shared_mem_per_block_allocated, in bytes
	SharedConfig                int     // launch__shared_mem_config_size: shared memory's part of the SM, in bytes
	WarpsPerBlock               int

	// Limit holds, for each resource, the blocks that would fit if it were the
	// only one: launch__occupancy_limit_*.
	Limit Limit

	Blocks  int     // resident on an SM: the least of the limits
	Warps   int     // sm__maximum_warps_avg_per_active_cycle
	Percent float64 // sm__maximum_warps_per_active_cycle_pct: of the warps an SM can hold

	// Limiters are the resources whose limits are the least: more than one on
	// a tie.
	Limiters []Resource
	// Impossible says why no block fits, when Blocks is 0.
	Impossible string
}

// Limit counts blocks per SM by the resource that limits them.
type Limit struct {
	Blocks    int // what an SM can hold of blocks of any kind
	Registers int
	Shared    int // as Blocks when the kernel takes no shared memory
	Warps     int
	Barriers  int // as Blocks when the GPU's number of barriers is unknown
}

// A Resource can limit occupancy.
type Resource int

// The resources in the order in which profilers list them.
const (
	BlockSlots Resource = iota
	Registers
	SharedMemory
	Warps
	Barriers
)

// Resources returns all resources.
func Resources() []Resource { return []Resource{BlockSlots, Registers, SharedMemory, Warps, Barriers} }

func (r Resource) String() string {
	return [...]string{"blocks", "registers", "shared memory", "warps", "barriers"}[r]
}

// MarshalText and UnmarshalText write and read a resource by its name.
func (r Resource) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText is the inverse of MarshalText.
func (r *Resource) UnmarshalText(text []byte) error {
	for _, known := range Resources() {
		if known.String() == string(text) {
			*r = known
			return nil
		}
	}
	return fmt.Errorf("there is no resource %q", text)
}

// Of returns the limit that r sets.
func (l Limit) Of(r Resource) int {
	return [...]int{l.Blocks, l.Registers, l.Shared, l.Warps, l.Barriers}[r]
}

// maxPart bounds the figures of a kernel, so that nothing overflows.
const maxPart = 1 << 31

// Occupancy returns how much of k an SM of g holds. The error is about a
// kernel that makes no sense, such as one with a negative size; for one that
// makes sense but does not fit, the result says why.
func (g *GPU) Occupancy(k Kernel) (Occupancy, error) {
	for _, part := range []struct {
		name  string
		value int
		least int
	}{
		{"block size", k.BlockSize, 1},
		{"registers per thread", k.RegistersPerThread, 0},
		{"static shared memory", k.StaticShared, 0},
		{"dynamic shared memory", k.DynamicShared, 0},
		{"barriers", k.Barriers, 0},
		{"shared memory configuration", k.SharedConfig, 0},
	} {
		if part.value < part.least || part.value > maxPart {
			return Occupancy{}, fmt.Errorf("occupancy: %s of %d is not between %d and 2^31", part.name, part.value, part.least)
		}
	}
	if k.Carveout < DriverChoice || k.Carveout > PreferPercent(100) {
		return Occupancy{}, fmt.Errorf("occupancy: a carve-out preference is 0 to 100 percent, not %d", k.Carveout-PreferPercent(0))
	}

	limits := g.Limits
	o := Occupancy{
		RegistersPerThread: max(k.RegistersPerThread, limits.RegistersPerThreadMin, 1),
		SharedPerBlock:     roundUp(k.StaticShared+k.DynamicShared+limits.SharedReservedPerBlock, limits.SharedUnit),
		WarpsPerBlock:      ceilDiv(k.BlockSize, g.SM.WarpSize),
	}
	o.RegistersPerThreadAllocated = float64(g.registersPerWarp(o)*o.WarpsPerBlock) / float64(k.BlockSize)
	o.Limit = Limit{
		Blocks:    limits.BlocksPerSM,
		Registers: g.registerLimit(o),
		Warps:     g.WarpsPerSM() / o.WarpsPerBlock,
		Barriers:  limits.BlocksPerSM,
	}
	if k.BlockSize > limits.ThreadsPerBlock {
		o.Limit.Warps = 0
	}
	if k.Barriers > 0 && limits.BarriersPerSM > 0 {
		o.Limit.Barriers = min(limits.BlocksPerSM, limits.BarriersPerSM/k.Barriers)
	}
	if limits.BarriersPerBlock > 0 && k.Barriers > limits.BarriersPerBlock {
		o.Limit.Barriers = 0
	}

	o.SharedConfig = g.sharedConfig(k, o)
	switch {
	case k.StaticShared+k.DynamicShared > limits.SharedPerBlockOptin:
		o.Limit.Shared = 0
	case o.SharedPerBlock == 0:
		o.Limit.Shared = limits.BlocksPerSM
	default:
		o.Limit.Shared = o.SharedConfig / o.SharedPerBlock
	}

	o.Blocks = o.Limit.Blocks
	for _, r := range Resources() {
		o.Blocks = min(o.Blocks, o.Limit.Of(r))
	}
	for _, r := range Resources() {
		if o.Limit.Of(r) == o.Blocks {
			o.Limiters = append(o.Limiters, r)
		}
	}
	o.Warps = o.Blocks * o.WarpsPerBlock
	o.Percent = 100 * float64(o.Warps) / float64(g.WarpsPerSM())
	if o.Blocks == 0 {
		o.Impossible = g.whyImpossible(k, o)
	}
	return o, nil
}

func (g *GPU) registersPerWarp(o Occupancy) int {
	return roundUp(o.RegistersPerThread*g.SM.WarpSize, g.Limits.RegisterUnit)
}

// registerLimit counts the blocks for which there are registers. A warp's
// registers lie in one sub-partition, and the warps of a block are dealt out
// evenly, so a block must fit as if its warps were a multiple of the
// sub-partitions.
func (g *GPU) registerLimit(o Occupancy) int {
	perWarp, parts := g.registersPerWarp(o), g.SM.SubPartitions
	if o.RegistersPerThread > g.Limits.RegistersPerThread ||
		roundUp(o.WarpsPerBlock, parts) > g.Limits.RegistersPerBlock/perWarp {
		return 0
	}
	return g.Limits.RegistersPerSM / parts / perWarp * parts / o.WarpsPerBlock
}

// whyImpossible explains why not even one block of k fits.
func (g *GPU) whyImpossible(k Kernel, o Occupancy) string {
	limits := g.Limits
	switch {
	case k.BlockSize > limits.ThreadsPerBlock:
		return fmt.Sprintf("a block of %d threads; at most %d fit in a block", k.BlockSize, limits.ThreadsPerBlock)
	case o.RegistersPerThread > limits.RegistersPerThread:
		return fmt.Sprintf("%d registers per thread; a thread has at most %d", o.RegistersPerThread, limits.RegistersPerThread)
	case o.Limit.Registers == 0:
		return fmt.Sprintf("%d warps of %d registers each, dealt out over %d sub-partitions, need %d registers; a block has at most %d",
			o.WarpsPerBlock, g.registersPerWarp(o), g.SM.SubPartitions,
			roundUp(o.WarpsPerBlock, g.SM.SubPartitions)*g.registersPerWarp(o), limits.RegistersPerBlock)
	case o.Limit.Shared == 0:
		return fmt.Sprintf("%d bytes of shared memory; a block has at most %d", k.StaticShared+k.DynamicShared, limits.SharedPerBlockOptin)
	case o.Limit.Barriers == 0:
		return fmt.Sprintf("%d barriers; a block has at most %d", k.Barriers, limits.BarriersPerBlock)
	}
	return fmt.Sprintf("a block of %d threads; an SM holds at most %d", k.BlockSize, limits.ThreadsPerSM)
}

// Waves tells how a grid fills the GPU: how often all SMs are filled with
// blocks, and what is left for the last time.
type Waves struct {
	PerSM float64 // launch__waves_per_multiprocessor
	Full  int     // waves that fill every SM
	Tail  int     // blocks of the last wave, if it does not
	// TailPercent is how much of the GPU the last wave fills, 100 without a tail.
	TailPercent float64
}

// Waves returns how a grid of that many blocks fills g at an occupancy. It is
// zero when no block fits.
func (g *GPU) Waves(blocks int, o Occupancy) Waves {
	slots := g.Chip.SMs * o.Blocks
	if slots == 0 {
		return Waves{}
	}
	w := Waves{PerSM: float64(blocks) / float64(slots), Full: blocks / slots, Tail: blocks % slots, TailPercent: 100}
	if w.Tail > 0 {
		w.TailPercent = 100 * float64(w.Tail) / float64(slots)
	}
	return w
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

func roundUp(a, unit int) int { return ceilDiv(a, unit) * unit }
