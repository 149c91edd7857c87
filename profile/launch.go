package profile

import (
	"silica/gpu"
	"silica/internal/cppname"
	"silica/internal/exec"
	"silica/internal/sass"
)

// Launch is what one kernel launch did. It is plain data: Write and Read keep all of it.
type Launch struct {
	ID int `json:"id"` // in the order of launching, from 0
	// Context and GridID tell launches apart on a timeline: the device in the order of opening, 0 when nobody counts, and
	// what %gridid reads.
	Context int    `json:"context"`
	GridID  uint64 `json:"grid_id"`
	Kernel  string `json:"kernel"` // mangled name
	Name    string `json:"name"`   // readable name, without parameters
	File    string `json:"file"`   // of the PTX
	Error   string `json:"error,omitempty"`
	// From is where a kernel launched this one, nil when the host did.
	From *Origin `json:"launched_from,omitempty"`

	Grid          Dim    `json:"grid"`
	Block         Dim    `json:"block"`
	Cluster       Dim    `json:"cluster"` // {1,1,1} without clusters
	StaticShared  int    `json:"static_shared"`
	DynamicShared int    `json:"dynamic_shared"` // bytes
	Barriers      int    `json:"barriers"`
	Device        Device `json:"device"`

	Registers Registers     `json:"registers"`
	Occupancy gpu.Occupancy `json:"occupancy"`
	Waves     gpu.Waves     `json:"waves"`
	Curves    Curves        `json:"curves"`

	// Files names the source files that Location.File counts.
	Files     map[int]string `json:"files,omitempty"`
	Functions []string       `json:"functions"`
	Footprint Footprint      `json:"footprint"`
	// MachineInstructions is how many instructions of its modelled machine code warps execute; 0 where that is not known for the GPU.
	MachineInstructions float64 `json:"machine_instructions,omitempty"`
	// Timing is what the model of the machine says, nil when it was not asked or knows no machine code for the GPU.
	Timing *Timing `json:"timing,omitempty"`
	// Untimed tells why the model says nothing of a GPU that it was asked about, "" when it could.
	Untimed string `json:"untimed,omitempty"`
	// Instructions holds every instruction of the kernel and of what it calls, in code order. Counts are
	// missing when the launch failed.
	Instructions []Instruction `json:"instructions"`
}

// Origin is a launch in a kernel.
type Origin struct {
	Launch int    `json:"launch"` // ID of the kernel's launch, -1 when that is not in the profile
	Name   string `json:"name"`   // the kernel, readable
	File   string `json:"file,omitempty"`
	Line   int    `json:"line"` // of the source, or of the PTX when File is empty
}

// originOf describes where a launch came from. ids holds launches by their grid's identifier.
func originOf(o *exec.Origin, ids map[uint64]int) *Origin {
	if o == nil {
		return nil
	}
	out := &Origin{Launch: -1, Name: cppname.Short(o.Kernel.Name)}
	if id, ok := ids[o.GridID]; ok {
		out.Launch = id
	}
	inst := o.Inst()
	out.Line = inst.Pos.Line
	if l := inst.Loc; l != nil {
		out.File, out.Line = o.Kernel.Module.Files[l.File], l.Line
	}
	return out
}

// newLaunch describes a launch, without its instructions and occupancy.
func newLaunch(g *gpu.GPU, o Options, p *sass.Program, l *exec.Launch) *Launch {
	k := l.Kernel
	out := &Launch{
		Kernel: k.Name, Name: cppname.Short(k.Name), File: k.Module.Source.File,
		Grid: Dim(l.Grid), Block: Dim(l.Block), Cluster: Dim(l.Cluster),
		StaticShared: k.StaticShared, DynamicShared: l.DynamicShared, Barriers: k.Barriers, Device: deviceOf(g),
		Registers: Registers{PerThread: o.Registers}, Files: k.Module.Files,
	}
	switch {
	case o.Registers != 0:
	case p != nil:
		out.Registers = Registers{PerThread: p.Registers, Estimated: true, Limit: p.RegisterLimit()}
		out.Registers.SpillStores, out.Registers.SpillLoads = p.Spills()
	default:
		out.Registers = Registers{PerThread: k.LiveRegisters, Estimated: true}
	}
	for _, f := range k.Funcs {
		out.Functions = append(out.Functions, f.Name)
	}
	return out
}

// usage is what an SM needs for the launch.
func (l *Launch) usage() gpu.Kernel {
	return gpu.Kernel{
		BlockSize: l.Block.Count(), RegistersPerThread: l.Registers.PerThread, StaticShared: l.StaticShared,
		DynamicShared: l.DynamicShared, Barriers: l.Barriers,
	}
}

// fill is the occupancy of launches of one usage, and what it would be otherwise.
type fill struct {
	gpu.Occupancy
	Curves
}

// fillOf computes a fill. A launch that ran has figures that make sense, so there are no errors.
func fillOf(g *gpu.GPU, k gpu.Kernel) (f fill) {
	occupancy, err := g.Occupancy(k)
	if err != nil {
		f.Impossible = err.Error()
		return f
	}
	f.Occupancy = occupancy
	for _, c := range []struct {
		points *[]gpu.Point
		curve  func(gpu.Kernel) ([]gpu.Point, error)
	}{
		{&f.BlockSize, g.OccupancyByBlockSize}, {&f.Curves.Registers, g.OccupancyByRegisters},
		{&f.Curves.Shared, g.OccupancyByShared}, {&f.Curves.Barriers, g.OccupancyByBarriers},
	} {
		if points, err := c.curve(k); err == nil {
			*c.points = points
		}
	}
	return f
}

// occupy sets the occupancy of a launch. That of launches alike is computed once.
func (c *Collector) occupy(g *gpu.GPU, l *Launch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := usage{g, l.usage()}
	f := c.fills[key]
	if f == nil {
		computed := fillOf(g, key.kernel)
		f = &computed
		c.fills[key] = f
	}
	l.Occupancy, l.Curves = f.Occupancy, f.Curves
	if f.Impossible == "" {
		l.Waves = g.Waves(l.Grid.Count(), f.Occupancy)
	}
}

// usage is what launches need of a GPU.
type usage struct {
	gpu    *gpu.GPU
	kernel gpu.Kernel
}

func deviceOf(g *gpu.GPU) Device {
	return Device{
		ID: g.ID, Name: g.Name, Capability: g.Chip.ComputeCapability.String(), SMs: g.Chip.SMs,
		SubPartitions: g.SM.SubPartitions, WarpSize: g.SM.WarpSize, WarpsPerSM: g.WarpsPerSM(),
		CoreHz: int64(g.Clock.CoreKHz) * 1000, MemoryHz: int64(g.Clock.MemoryKHz) * 1000, L2Bytes: g.Memory.L2Bytes, L2Slices: g.Slices(),
		SharedReserved: g.Limits.SharedReservedPerBlock, L2BytesPerCycle: g.Rate.L2Bytes,
		DRAMBytesPerSecond: g.Memory.Bandwidth,
		FP32Lanes:          g.Rate.FP32, FP64Lanes: g.Rate.FP64, XULanes: g.Rate.SFU,
		FP16Lanes: g.Rate.FP16x2, TensorMACs: tensorMACs(g), TensorMACs64: g.Rate.MMAF64, L1BytesPerCycle: g.Rate.L1Bytes, L2Bandwidth: l2Bandwidth(g),
	}
}

// Dim is an extent in x, y and z.
type Dim struct {
	X int `json:"x"`
	Y int `json:"y"`
	Z int `json:"z"`
}

// Count returns x*y*z.
func (d Dim) Count() int { return d.X * d.Y * d.Z }

// Device is what metrics and rules need to know of the GPU.
type Device struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	Capability    string `json:"compute_capability"`
	SMs           int    `json:"sms"`
	SubPartitions int    `json:"sub_partitions"` // of an SM: its warp schedulers
	WarpSize      int    `json:"warp_size"`
	WarpsPerSM    int    `json:"warps_per_sm"`
	CoreHz        int64  `json:"core_hz"`
	MemoryHz      int64  `json:"memory_hz"` // 0 when unknown
	L2Bytes       int    `json:"l2_bytes"`
	L2Slices      int    `json:"l2_slices"`
	// SharedReserved is what the system takes of a block's shared memory, in bytes.
	SharedReserved int `json:"shared_reserved"`
	// DRAMBytesPerSecond is the vendor's peak, 0 when unknown.
	DRAMBytesPerSecond int `json:"dram_bytes_per_second,omitempty"`
	// L2BytesPerCycle is what the whole chip reads from L2 in a cycle, 0 when unknown. So are the rates below, in lanes
	// an SM completes in a cycle.
	L2BytesPerCycle float64 `json:"l2_bytes_per_cycle,omitempty"`
	FP32Lanes       float64 `json:"fp32_lanes,omitempty"`
	FP64Lanes       float64 `json:"fp64_lanes,omitempty"`
	XULanes         float64 `json:"xu_lanes,omitempty"`
	FP16Lanes       float64 `json:"fp16_lanes,omitempty"` // of pairs
	// TensorMACs are multiply-adds of f16 matrices, TensorMACs64 those of f64, that an SM completes in a cycle.
	TensorMACs   float64 `json:"tensor_macs,omitempty"`
	TensorMACs64 float64 `json:"tensor_macs_f64,omitempty"`
	// L1BytesPerCycle is what an SM reads from L1 and shared memory in a cycle, L2Bandwidth what all SMs read from L2 in a second.
	L1BytesPerCycle float64 `json:"l1_bytes_per_cycle,omitempty"`
	L2Bandwidth     float64 `json:"l2_bytes_per_second,omitempty"`
}

// Registers is the number of registers of a thread that occupancy counts with.
type Registers struct {
	PerThread int `json:"per_thread"`
	// Estimated is set when the number is that of our machine code, or what is live at once, and was not given.
	Estimated bool `json:"estimated"`
	// SpillStores and SpillLoads are the bytes of a thread's registers that the machine code stores in local memory and loads again, because a
	// limit leaves it too few or functions save them for their callers: an estimate, of instructions and not of how often they are executed, as ptxas -v says it.
	SpillStores int `json:"spill_stores,omitempty"`
	SpillLoads  int `json:"spill_loads,omitempty"`
	// Limit is the most registers that the kernel allows itself, with -maxrregcount or __launch_bounds__; 0 for none.
	Limit int `json:"limit,omitempty"`
}

// Curves tells how occupancy would change with one figure of the launch.
type Curves struct {
	BlockSize []gpu.Point `json:"block_size,omitempty"`
	Registers []gpu.Point `json:"registers,omitempty"`
	Shared    []gpu.Point `json:"shared,omitempty"`
	Barriers  []gpu.Point `json:"barriers,omitempty"`
}

// Instruction is one PTX instruction with its counts over the launch.
type Instruction struct {
	Function int       `json:"function"` // in Launch.Functions
	PC       int       `json:"pc"`       // in the function's code
	Name     string    `json:"name"`     // as written: "ld.global.f32"
	Op       string    `json:"op"`       // what it does: "load", "store", "atom", "red", "branch", "barrier"
	Class    string    `json:"class"`    // of Nsight Compute's instruction statistics: "integer", "fp32"
	Unit     string    `json:"unit"`     // the pipe: "alu", "lsu"
	Line     int       `json:"line"`     // of the PTX
	Source   *Location `json:"source,omitempty"`
	// After is the place of the instructions before, for one that has none of its own: compilers join code of several lines.
	After *Location `json:"after,omitempty"`
	// Bytes is what each lane moves, for a memory instruction.
	Bytes int `json:"bytes,omitempty"`
	// ToExit marks a branch to the kernel's end: machine code has a predicated EXIT in its place.
	ToExit bool `json:"to_exit,omitempty"`
	// Uncounted marks an instruction that reached memory, where the engine did not tell where.
	Uncounted bool `json:"uncounted,omitempty"`

	Counts
}

// Location is a place in a source file.
type Location struct {
	File int `json:"file"` // in Launch.Files
	Line int `json:"line"`
	Col  int `json:"col,omitempty"`
	// Function is the function the code was inlined from, "" when it was not; Inlined is where it was inlined.
	Function string    `json:"function,omitempty"`
	Inlined  *Location `json:"inlined,omitempty"`
}

// Counts is how often something was executed, and what memory it reached.
type Counts struct {
	Warps   uint64 `json:"warps,omitempty"`   // inst_executed: executions by a warp
	Threads uint64 `json:"threads,omitempty"` // thread_inst_executed: lanes active
	PredOn  uint64 `json:"pred_on,omitempty"` // thread_inst_executed_true: lanes active with the guard true
	// Divergent counts the executions of a branch whose lanes went different ways.
	Divergent uint64 `json:"divergent,omitempty"`
	// Memory has one entry for each space reached.
	Memory []Traffic `json:"memory,omitempty"`
}

// add adds the counts of o.
func (c *Counts) add(o *Counts) {
	c.Warps += o.Warps
	c.Threads += o.Threads
	c.PredOn += o.PredOn
	c.Divergent += o.Divergent
	for i := range o.Memory {
		c.in(o.Memory[i].Space).add(&o.Memory[i])
	}
}

// in returns the traffic of a space, which it adds if there was none.
func (c *Counts) in(space Space) *Traffic {
	for i := range c.Memory {
		if c.Memory[i].Space == space {
			return &c.Memory[i]
		}
	}
	c.Memory = append(c.Memory, Traffic{Space: space})
	return &c.Memory[len(c.Memory)-1]
}
