package gpu

import "fmt"

// A GPU is the description of one graphics processor. Numbers that the data
// files leave out are zero; Known tells an unknown figure from a zero one.
//
// The tags of the fields are the only place where a figure is spelled: key is
// its JSON key within the section, name and unit are what people read, attr is
// the CUDA device attribute it answers, need marks the figures without
// which a description cannot be used, and borrow those that are taken to be like
// Hopper's where nobody measured them (see [GPU.Borrowed]).
type GPU struct {
	ID   string // name of the data file without its extension, such as "h200"
	Name string // name as the driver reports it, such as "NVIDIA H200"

	Chip       Chip       `key:"chip"`
	SM         SM         `key:"sm"`
	Clock      Clock      `key:"clock"`
	Memory     Memory     `key:"memory"`
	DRAM       DRAM       `key:"dram" borrow:"yes"`
	Limits     Limits     `key:"limits"`
	Rate       Rate       `key:"rate"`
	Latency    Latency    `key:"latency" borrow:"yes"`
	Throughput Throughput `key:"throughput"`
	Model      Model      `key:"model" borrow:"yes"`
	Link       Link       `key:"link"`
	Delay      Delay      `key:"delay"`

	// Attributes holds the CUDA device attributes that no other field answers,
	// by their name without CU_DEVICE_ATTRIBUTE_. Read them with Attribute.
	Attributes map[string]int

	figures map[string]figure // by path, such as "chip.sms"
}

// Chip is the silicon as a whole.
type Chip struct {
	Architecture      string     `key:"architecture" name:"architecture" need:"yes"`
	Die               string     `key:"die" name:"die"`
	ComputeCapability Capability `key:"compute_capability" name:"compute capability" need:"yes"`
	Year              int        `key:"year" name:"year"`
	Process           string     `key:"process" name:"process"`
	Transistors       int        `key:"transistors" name:"transistors"`

	SMs int `key:"sms" name:"SMs" attr:"MULTIPROCESSOR_COUNT" need:"yes"`
	// SMGroups gives the number of SMs in each group within which a cluster
	// must stay. Which SMs are disabled differs from board to board.
	SMGroups    []int `key:"sm_groups" name:"SMs by group that can hold a cluster"`
	Integrated  bool  `key:"integrated" name:"integrated" attr:"INTEGRATED"`
	CopyEngines int   `key:"copy_engines" name:"copy engines" attr:"ASYNC_ENGINE_COUNT"`
}

// SM is the structure of one streaming multiprocessor.
type SM struct {
	WarpSize             int `key:"warp_size" name:"warp size" unit:"thread" attr:"WARP_SIZE" need:"yes"`
	SubPartitions        int `key:"sub_partitions" name:"sub-partitions (one warp scheduler each)" need:"yes"`
	TensorCores          int `key:"tensor_cores" name:"tensor cores"`
	TensorCoreGeneration int `key:"tensor_core_generation" name:"tensor core generation"`
}

// Clock holds the highest clocks.
type Clock struct {
	CoreKHz   int `key:"core_khz" name:"SM clock" unit:"kHz" attr:"CLOCK_RATE" need:"yes"`
	MemoryKHz int `key:"memory_khz" name:"memory clock" unit:"kHz" attr:"MEMORY_CLOCK_RATE"`
}

// Memory holds the sizes and widths of memories and caches.
type Memory struct {
	// Kind is the kind of the DRAM: the description of that name has its DRAM figures.
	Kind        string `key:"kind" name:"kind of memory"`
	GlobalBytes int    `key:"global_bytes" name:"global memory" unit:"byte" need:"yes"` // as cudaMemGetInfo totals it
	BusBits     int    `key:"bus_bits" name:"memory bus" unit:"bit" attr:"GLOBAL_MEMORY_BUS_WIDTH"`
	// Bandwidth is the peak the vendor states.
	Bandwidth  int  `key:"bandwidth" name:"memory bandwidth" unit:"byte/s"`
	ECC        bool `key:"ecc" name:"ECC" attr:"ECC_ENABLED"`
	Partitions int  `key:"partitions" name:"framebuffer partitions"`

	L2Bytes           int `key:"l2_bytes" name:"L2 cache" unit:"byte" attr:"L2_CACHE_SIZE" need:"yes"`
	L2Slices          int `key:"l2_slices" name:"L2 slices"`
	L2PersistingBytes int `key:"l2_persisting_bytes" name:"L2 for persisting accesses" unit:"byte" attr:"MAX_PERSISTING_L2_CACHE_SIZE"`

	// L1SharedBytes is the memory of one SM that L1 and shared memory divide.
	L1SharedBytes int `key:"l1_shared_bytes" name:"L1 and shared memory of an SM" unit:"byte" need:"yes"`
	// L1DataBytes is the largest footprint that was seen to hit L1 throughout.
	L1DataBytes     int `key:"l1_data_bytes" name:"L1 data that hits" unit:"byte"`
	LineBytes       int `key:"line_bytes" name:"cache line" unit:"byte" need:"yes"`
	SectorBytes     int `key:"sector_bytes" name:"sector" unit:"byte" need:"yes"`
	SharedBanks     int `key:"shared_banks" name:"shared memory banks" need:"yes"`
	SharedBankBytes int `key:"shared_bank_bytes" name:"shared memory bank width" unit:"byte" need:"yes"`

	ConstantBytes      int `key:"constant_bytes" name:"constant memory" unit:"byte" attr:"TOTAL_CONSTANT_MEMORY" need:"yes"`
	ConstantCacheBytes int `key:"constant_cache_bytes" name:"constant cache of an SM" unit:"byte"`
	// InstructionCacheBytes of straight code run at full rate, and up to
	// InstructionCacheOuterBytes at half of it.
	InstructionCacheBytes      int `key:"instruction_cache_bytes" name:"instruction cache, full rate" unit:"byte"`
	InstructionCacheOuterBytes int `key:"instruction_cache_outer_bytes" name:"instruction cache, half rate" unit:"byte"`
}

// DRAM holds how the memory is built: channels that work at the same time, each with banks, each of which has one row open. Times
// are named as in JEDEC's standards.
type DRAM struct {
	ChannelBits int `key:"channel_bits" name:"bus of a channel" unit:"bit" need:"yes"`
	SliceBits   int `key:"slice_bits" name:"bus of the memory of an L2 slice" unit:"bit" need:"yes"`
	Banks       int `key:"banks" name:"banks of a channel" need:"yes"`
	// RowRun is how many bytes that follow each other in memory are in one row of a channel.
	RowRun int `key:"row_run" name:"bytes in a row that follow each other" unit:"byte" need:"yes"`

	RAS  float64 `key:"t_ras" name:"tRAS, activation to precharge" unit:"ns" need:"yes"`
	RP   float64 `key:"t_rp" name:"tRP, precharge to activation" unit:"ns" need:"yes"`
	RRD  float64 `key:"t_rrd" name:"tRRD, activation to one of another bank" unit:"ns" need:"yes"`
	FAW  float64 `key:"t_faw" name:"tFAW, four activations" unit:"ns" need:"yes"`
	CCD  float64 `key:"t_ccd" name:"tCCD_L, access to a bank to the next" unit:"ns" need:"yes"`
	WTR  float64 `key:"t_wtr" name:"tWTR, write to read" unit:"ns" need:"yes"`
	RTW  float64 `key:"t_rtw" name:"tRTW, read to write" unit:"ns" need:"yes"`
	REFI float64 `key:"t_refi" name:"tREFI, refresh to the next" unit:"ns" need:"yes"`
	RFC  float64 `key:"t_rfc" name:"tRFC, refresh, as far as a channel stands still" unit:"ns" need:"yes"`
	// WriteBatch is how many writes of 64 bytes a channel makes before it turns to reads again.
	WriteBatch int `key:"write_batch" name:"writes before a channel reads again" need:"yes"`
}

// Limits are what a launch and an SM can hold at most.
type Limits struct {
	ThreadsPerBlock int   `key:"threads_per_block" name:"threads per block" unit:"thread" attr:"MAX_THREADS_PER_BLOCK" need:"yes"`
	BlockDim        []int `key:"block_dim" name:"block dimensions (x, y, z)" unit:"thread" need:"yes"`
	GridDim         []int `key:"grid_dim" name:"grid dimensions (x, y, z)" unit:"block" need:"yes"`
	ThreadsPerSM    int   `key:"threads_per_sm" name:"threads per SM" unit:"thread" attr:"MAX_THREADS_PER_MULTIPROCESSOR" need:"yes"`
	BlocksPerSM     int   `key:"blocks_per_sm" name:"blocks per SM" unit:"block" attr:"MAX_BLOCKS_PER_MULTIPROCESSOR" need:"yes"`

	BarriersPerBlock int `key:"barriers_per_block" name:"barriers per block"`
	BarriersPerSM    int `key:"barriers_per_sm" name:"barriers per SM"`

	RegistersPerSM     int `key:"registers_per_sm" name:"registers per SM" attr:"MAX_REGISTERS_PER_MULTIPROCESSOR" need:"yes"`
	RegistersPerBlock  int `key:"registers_per_block" name:"registers per block" attr:"MAX_REGISTERS_PER_BLOCK" need:"yes"`
	RegistersPerThread int `key:"registers_per_thread" name:"registers per thread" need:"yes"`
	// RegistersPerThreadMin is what a launch takes even if the kernel uses fewer.
	RegistersPerThreadMin int `key:"registers_per_thread_min" name:"registers per thread, at least"`
	// RegisterUnit is the granule in which a warp is given registers.
	RegisterUnit int `key:"register_unit" name:"register allocation unit of a warp" need:"yes"`

	SharedPerSM int `key:"shared_per_sm" name:"shared memory per SM" unit:"byte" attr:"MAX_SHARED_MEMORY_PER_MULTIPROCESSOR" need:"yes"`
	// SharedPerBlock holds for kernels that did not opt in to more.
	SharedPerBlock         int `key:"shared_per_block" name:"shared memory per block" unit:"byte" attr:"MAX_SHARED_MEMORY_PER_BLOCK" need:"yes"`
	SharedPerBlockOptin    int `key:"shared_per_block_optin" name:"shared memory per block, opt-in" unit:"byte" attr:"MAX_SHARED_MEMORY_PER_BLOCK_OPTIN" need:"yes"`
	SharedReservedPerBlock int `key:"shared_reserved_per_block" name:"shared memory reserved per block" unit:"byte" attr:"RESERVED_SHARED_MEMORY_PER_BLOCK" need:"yes"`
	SharedUnit             int `key:"shared_unit" name:"shared memory allocation unit" unit:"byte" need:"yes"`
	// SharedCarveouts are the sizes that shared memory can take of
	// Memory.L1SharedBytes, ascending.
	SharedCarveouts []int `key:"shared_carveouts" name:"shared memory carve-outs" unit:"byte" need:"yes"`

	ClusterBlocks            int `key:"cluster_blocks" name:"blocks per cluster" unit:"block"`
	ClusterBlocksNonportable int `key:"cluster_blocks_nonportable" name:"blocks per cluster, non-portable" unit:"block"`
	ClusterBlocksPerSM       int `key:"cluster_blocks_per_sm" name:"blocks of clusters per SM" unit:"block"`
	ResidentGrids            int `key:"resident_grids" name:"resident grids"`
	LocalPerThread           int `key:"local_per_thread" name:"local memory per thread" unit:"byte"`
}

// Rate holds what one SM completes in a cycle: lanes (results of single
// threads) unless the unit says otherwise.
type Rate struct {
	FP32    float64 `key:"fp32" name:"FP32 add, multiply, multiply-add" unit:"lane/cycle" borrow:"yes"`
	FP64    float64 `key:"fp64" name:"FP64 add, multiply, multiply-add" unit:"lane/cycle" borrow:"yes"`
	FP16x2  float64 `key:"fp16x2" name:"packed FP16 pairs" unit:"lane/cycle" borrow:"yes"`
	ALU     float64 `key:"alu" name:"integer add, logic, compare" unit:"lane/cycle" borrow:"yes"`
	IMAD    float64 `key:"imad" name:"integer multiply-add" unit:"lane/cycle" borrow:"yes"`
	IMADHi  float64 `key:"imad_hi" name:"integer multiply-add, high half" unit:"lane/cycle"`
	DP4A    float64 `key:"dp4a" name:"dot product of four bytes" unit:"lane/cycle"`
	SFU     float64 `key:"sfu" name:"special functions" unit:"lane/cycle" borrow:"yes"`
	Convert float64 `key:"convert" name:"conversion between float and integer" unit:"lane/cycle"`
	Popc    float64 `key:"popc" name:"population count, find leading one" unit:"lane/cycle" borrow:"yes"`
	Shuffle float64 `key:"shuffle" name:"warp shuffle" unit:"lane/cycle"`
	Redux   float64 `key:"redux" name:"warp reduction" unit:"lane/cycle"`
	Match   float64 `key:"match" name:"warp match" unit:"lane/cycle"`
	Texture float64 `key:"texture" name:"texture fetch that hits L1" unit:"lane/cycle" borrow:"yes"`

	// Multiply-adds of dense matrices. The f16 figures accumulate in f32.
	MMAF16   float64 `key:"mma_f16" name:"mma, f16" unit:"multiply-add/cycle" borrow:"yes"`
	MMATF32  float64 `key:"mma_tf32" name:"mma, tf32" unit:"multiply-add/cycle"`
	MMAS8    float64 `key:"mma_s8" name:"mma, s8" unit:"multiply-add/cycle"`
	MMAF64   float64 `key:"mma_f64" name:"mma, f64" unit:"multiply-add/cycle"`
	WGMMAF16 float64 `key:"wgmma_f16" name:"wgmma, f16" unit:"multiply-add/cycle"`

	SharedBytes float64 `key:"shared_bytes" name:"shared memory" unit:"byte/cycle"`
	L1Bytes     float64 `key:"l1_bytes" name:"L1 hits" unit:"byte/cycle" borrow:"yes"`
	// L2Bytes is of the whole chip, from L2 to the SMs, in L2 cycles.
	L2Bytes float64 `key:"l2_bytes" name:"L2 reads of the whole chip" unit:"byte/cycle"`
}

// Latency holds, in SM cycles, how long after an instruction another that
// depends on it can issue, with nothing else running.
type Latency struct {
	FP32             float64 `key:"fp32" name:"FP32 add, multiply, multiply-add" unit:"cycle"`
	ALU              float64 `key:"alu" name:"integer add, logic" unit:"cycle"`
	IMAD             float64 `key:"imad" name:"integer multiply-add" unit:"cycle"`
	PipeChange       float64 `key:"pipe_change" name:"multiply-add pipe to ALU pipe, or back" unit:"cycle"`
	IMADHi           float64 `key:"imad_hi" name:"integer multiply-add, high half" unit:"cycle"`
	FP64             float64 `key:"fp64" name:"FP64 add, multiply, multiply-add" unit:"cycle"`
	FP16x2           float64 `key:"fp16x2" name:"packed FP16" unit:"cycle"`
	CompareSelect    float64 `key:"compare_select" name:"compare and select" unit:"cycle"`
	ComparePredicate float64 `key:"compare_predicate" name:"compare and predicated instruction" unit:"cycle"`
	CompareVote      float64 `key:"compare_vote" name:"compare and vote" unit:"cycle"`
	SFU              float64 `key:"sfu" name:"special functions" unit:"cycle"`
	Popc             float64 `key:"popc" name:"population count, find leading one" unit:"cycle"`
	ConvertPair      float64 `key:"convert_pair" name:"conversion to integer and back" unit:"cycle"`
	Shuffle          float64 `key:"shuffle" name:"warp shuffle" unit:"cycle"`
	Redux            float64 `key:"redux" name:"warp reduction and move" unit:"cycle"`
	Match            float64 `key:"match" name:"warp match, 32 different values" unit:"cycle"`
	MMAF16           float64 `key:"mma_f16" name:"mma m16n8k16, f16" unit:"cycle"`

	SharedLoad       float64 `key:"shared_load" name:"shared load" unit:"cycle"`
	SharedLoad128    float64 `key:"shared_load_128" name:"shared load of 128 bits" unit:"cycle"`
	SharedConflict   float64 `key:"shared_conflict" name:"each further way of a bank conflict" unit:"cycle"`
	SharedAtomic     float64 `key:"shared_atomic" name:"shared atomic" unit:"cycle"`
	ConstantLoad     float64 `key:"constant_load" name:"constant load and shift" unit:"cycle"`
	ConstantLoadMiss float64 `key:"constant_load_miss" name:"constant load beyond 2 KiB and shift" unit:"cycle"`
	L1Hit            float64 `key:"l1_hit" name:"global load, L1 hit" unit:"cycle"`
	L2Hit            float64 `key:"l2_hit" name:"global load, L2 hit" unit:"cycle"`
	DRAM             float64 `key:"dram" name:"global load, DRAM" unit:"cycle"`
	Texture          float64 `key:"texture" name:"texture fetch by index, L1 hit" unit:"cycle"`
	TextureSample    float64 `key:"texture_sample" name:"texture sample, L1 hit" unit:"cycle"`
	TextureFilter    float64 `key:"texture_filter" name:"filtering of a sample" unit:"cycle"`
	GlobalAtomic     float64 `key:"global_atomic" name:"global atomic" unit:"cycle"`
	// DistributedShared is a load from another block of the cluster.
	DistributedShared float64 `key:"distributed_shared" name:"distributed shared load" unit:"cycle"`

	Barrier1Warp   float64 `key:"barrier_1_warp" name:"block barrier, 1 warp" unit:"cycle"`
	Barrier8Warps  float64 `key:"barrier_8_warps" name:"block barrier, 8 warps" unit:"cycle"`
	Barrier32Warps float64 `key:"barrier_32_warps" name:"block barrier, 32 warps" unit:"cycle"`
	FenceBlock     float64 `key:"fence_block" name:"fence, block scope" unit:"cycle"`
	FenceDevice    float64 `key:"fence_device" name:"fence, device scope" unit:"cycle"`
	FenceSystem    float64 `key:"fence_system" name:"fence, system scope" unit:"cycle"`
}

// Throughput holds what the whole chip was seen to sustain, per second.
type Throughput struct {
	L2Read       float64 `key:"l2_read" name:"L2 read" unit:"byte/s"`
	L2Write      float64 `key:"l2_write" name:"L2 write" unit:"byte/s"`
	DRAMRead     float64 `key:"dram_read" name:"DRAM read" unit:"byte/s"`
	DRAMWrite    float64 `key:"dram_write" name:"DRAM write" unit:"byte/s"`
	DRAMCopy     float64 `key:"dram_copy" name:"DRAM copy, read and written" unit:"byte/s"`
	Blocks       float64 `key:"blocks" name:"blocks started" unit:"block/s"`
	GraphKernels float64 `key:"graph_kernels" name:"dependent empty kernels of a graph" unit:"kernel/s"`
}

// Model holds what the model of the machine takes beside rates and latencies, in
// SM cycles and for one SM unless a name or unit says otherwise.
type Model struct {
	Launch float64 `key:"launch" name:"launch, beyond the cycles of the busiest SM" unit:"cycle"`
	// Spread is how much longer the busiest SM of many takes than they do on average, when all have the same to do.
	Spread     float64 `key:"spread" name:"busiest SM, beyond the average" unit:"cycle"`
	FirstBlock float64 `key:"first_block" name:"start of a block to the next, at first" unit:"cycle"`
	NextBlock  float64 `key:"next_block" name:"start of a block to the next, later" unit:"cycle"`
	WarpStart  float64 `key:"warp_start" name:"start of a warp to the next" unit:"cycle"`

	BranchTaken    float64 `key:"branch_taken" name:"branch that is taken" unit:"cycle"`
	BranchNotTaken float64 `key:"branch_not_taken" name:"branch that is not taken" unit:"cycle"`
	// Reconverge is what a warp waits for where its lanes meet, beyond the stall count.
	Reconverge float64 `key:"reconverge" name:"lanes that meet" unit:"cycle"`
	Call       float64 `key:"call" name:"call or return, until its target is known" unit:"cycle"`
	Guard      float64 `key:"guard" name:"comparison and guard" unit:"cycle"`
	IMADWide   float64 `key:"imad_wide" name:"integer multiply-add, wide result" unit:"cycle"`
	WGMMA      float64 `key:"wgmma" name:"wgmma, beyond its multiply-adds" unit:"cycle"`
	Uniform    float64 `key:"uniform" name:"uniform instruction to the next" unit:"cycle"`
	// Results of the uniform datapath are there for itself after UniformResult, for other pipes after UniformVector, for addresses after
	// UniformAddress; constants that it loads after UniformConstant.
	UniformResult   float64 `key:"uniform_result" name:"uniform result to a uniform instruction" unit:"cycle"`
	UniformVector   float64 `key:"uniform_vector" name:"uniform result to another instruction" unit:"cycle"`
	UniformAddress  float64 `key:"uniform_address" name:"uniform result to an address" unit:"cycle"`
	UniformConstant float64 `key:"uniform_constant" name:"uniform constant to an instruction" unit:"cycle"`
	Sleep           float64 `key:"sleep" name:"nanosleep" unit:"cycle"`
	// Special is how long a warp keeps from loading and storing after it has read a special register.
	Special        float64 `key:"special" name:"special register to a load" unit:"cycle"`
	BarrierArrival float64 `key:"barrier_arrival" name:"arrival of a warp at a barrier" unit:"cycle"`

	// The first instructions are on their way when blocks start, and are there after InstructionStart.
	InstructionStart float64 `key:"instruction_start" name:"instruction fetch of a launch's beginning" unit:"cycle"`
	// InstructionPrefetch are the lines that come with one that was missing.
	InstructionMiss     float64 `key:"instruction_miss" name:"instruction fetch from memory" unit:"cycle"`
	InstructionPrefetch int     `key:"instruction_prefetch" name:"instruction lines of a fetch"`

	// InstructionNear and InstructionFar are the sizes of the instruction caches, InstructionFarLine and InstructionL2Line the times in which
	// a line of 128 bytes comes after another from the far one, and from L2.
	InstructionNear    int     `key:"instruction_near" name:"near instruction cache" unit:"byte" need:"yes"`
	InstructionFar     int     `key:"instruction_far" name:"far instruction cache" unit:"byte" need:"yes"`
	InstructionFarLine float64 `key:"instruction_far_line" name:"instruction line from the far cache to the next" unit:"cycle"`
	InstructionL2Line  float64 `key:"instruction_l2_line" name:"instruction line from L2 to the next" unit:"cycle"`

	// LSUQueue is how many instructions of a sub-partition wait for the load and store unit.
	LSUQueue    int     `key:"lsu_queue" name:"instructions that wait for load and store" unit:"instruction" need:"yes"`
	LSUInterval float64 `key:"lsu_interval" name:"load or store of a sub-partition to the next" unit:"cycle"`
	// ADUInterval is how long the SM's unit for constants, barriers and special registers is busy with an instruction of a warp.
	ADUInterval float64 `key:"adu_interval" name:"constant load or special register to the next" unit:"cycle"`
	// StoreBacklog is how long stores are on their way to L2 before the load and store unit takes no more.
	StoreBacklog float64 `key:"store_backlog" name:"stores on their way to L2" unit:"cycle"`
	// StoreWindow is how many lines with stores wait to be sent to L2 so that others to the same sectors join them.
	StoreWindow int `key:"store_window" name:"stores that others may join" unit:"line"`
	L1Ways      int `key:"l1_ways" name:"ways of L1" need:"yes"`
	// ConstantCache is the size of the cache of constants that are loaded, ConstantCacheLine that of its lines.
	ConstantCache     int `key:"constant_cache" name:"constant cache" unit:"byte" need:"yes"`
	ConstantCacheLine int `key:"constant_cache_line" name:"line of the constant cache" unit:"byte" need:"yes"`
	// ConstantWord is the delay of each further word of an access, ConstantBusy how long the cache is busy with one.
	ConstantLine int     `key:"constant_line" name:"line of the constant cache" unit:"byte" need:"yes"`
	ConstantWord float64 `key:"constant_word" name:"constant load, each further word" unit:"cycle"`
	ConstantBusy float64 `key:"constant_busy" name:"constant cache, each word" unit:"cycle"`
	// SharedAtomic is what an atomic operation takes beside a load, SharedAtomicLeast the least.
	SharedAtomic      float64 `key:"shared_atomic" name:"shared atomic, beside a load"`
	SharedAtomicLeast float64 `key:"shared_atomic_least" name:"shared atomic, at least" unit:"cycle"`

	// The crossbar takes so much a cycle from L2 to an SM and back, and from L2 to the SMs of a GPC together. These send so many lines to be stored,
	// or parts of one.
	L2Port      float64 `key:"l2_port" name:"L2 to an SM" unit:"byte/cycle" need:"yes"`
	L2StorePort float64 `key:"l2_store_port" name:"SM to L2" unit:"byte/cycle" need:"yes"`
	GroupPort   float64 `key:"group_port" name:"L2 to the SMs of a GPC" unit:"byte/cycle" need:"yes"`
	GroupStores float64 `key:"group_stores" name:"SMs of a GPC to L2" unit:"line/cycle" need:"yes"`
	// L2Clock is the clock of L2 beside that of the SMs. In each of its cycles a slice takes a request, gives
	// SliceRead bytes and takes SliceWrite, from SMs and memory.
	L2Clock    float64 `key:"l2_clock" name:"clock of L2, beside the SMs'" need:"yes"`
	SliceRead  float64 `key:"slice_read" name:"reads of an L2 slice" unit:"byte/L2 cycle" need:"yes"`
	SliceWrite float64 `key:"slice_write" name:"writes of an L2 slice, and what comes from DRAM" unit:"byte/L2 cycle" need:"yes"`
	// L2Far is how much later data comes from the half of L2 that is farther from an SM.
	L2Far float64 `key:"l2_far" name:"L2, far half after the near one" unit:"cycle"`
	// L2Useful is the part of L2 that holds a kernel's data.
	L2Useful float64 `key:"l2_useful" name:"part of L2 that holds data"`
	// L2Halves is in how many parts L2 is: each asks the part that is next to a piece of memory, and keeps a copy.
	L2Halves int `key:"l2_halves" name:"parts of L2 that keep copies" need:"yes"`
	// L2Merge is how many requests of a group of SMs for a sector become one on the way to L2, L2MergeChance the chance of each.
	L2Merge       float64 `key:"l2_merge" name:"requests of SMs that become one at L2, at most"`
	L2MergeChance float64 `key:"l2_merge_chance" name:"request that becomes one with another SM's"`
	// L2Dirty and L2Partial are the parts of L2 whose lines may be written, and written in part. Beyond the latter they are read
	// from memory; L2Filled is the part of these sectors that are written back.
	L2Dirty   float64 `key:"l2_dirty" name:"part of L2 that is written"`
	L2Partial float64 `key:"l2_partial" name:"part of L2 whose lines are written in part"`
	L2Filled  float64 `key:"l2_filled" name:"sectors written in part that go back to DRAM"`
	// LaunchSectors is what a launch reads from memory beside its code, ForeignSectors what a profiler leaves in L2 to be written.
	LaunchSectors  float64 `key:"launch_sectors" name:"launch, read from DRAM" unit:"sector"`
	ForeignSectors float64 `key:"foreign_sectors" name:"written before a profiled launch, still in L2" unit:"sector"`
	// L2Queue and DRAMQueue are the service times that make the delays of a queue.
	L2Queue   float64 `key:"l2_queue" name:"queue before L2, service" unit:"cycle"`
	DRAMQueue float64 `key:"dram_queue" name:"queue before DRAM, service" unit:"cycle"`
	// DRAMSpread is the standard deviation of the time that a run of memory takes to answer.
	DRAMSpread float64 `key:"dram_spread" name:"time of DRAM, standard deviation" unit:"cycle"`
	// Follower is the part of the way to memory that an SM saves, on average, which asks for a sector after another did.
	Follower float64 `key:"follower" name:"way to DRAM saved by another SM's miss"`

	AtomicSectors float64 `key:"atomic_sectors" name:"atomics at L2" unit:"sector/cycle" need:"yes"`
	// A slice of L2 is busy with each further lane of the most wanted word of an atomic operation for AtomicLane; floats of one word take
	// AtomicFloat times as long.
	AtomicLane  float64 `key:"atomic_lane" name:"atomic at a slice of L2, each further lane of a word" unit:"L2 cycle" need:"yes"`
	AtomicFloat float64 `key:"atomic_float" name:"atomic on floats of a word, beside integers" need:"yes"`
	// AtomicPending is how many atomic operations of an SM, on different words or of different lanes, are on their way before nothing else is sent.
	AtomicPending int `key:"atomic_pending" name:"atomics of an SM under way" need:"yes"`
}

// Link is the way between the GPU and its host. CopyTime and MigrationTime make times of it.
type Link struct {
	Generation int `key:"pcie_generation" name:"PCIe generation"`
	Lanes      int `key:"pcie_lanes" name:"PCIe lanes"`
	// Efficiency is what a copy reaches of the rate on the wire.
	Efficiency float64 `key:"pcie_efficiency" name:"share of the PCIe rate that copies reach"`
	ToDevice   float64 `key:"to_device" name:"copy to device, pinned memory" unit:"byte/s"`
	ToHost     float64 `key:"to_host" name:"copy to host, pinned memory" unit:"byte/s"`
	// Copies of pageable memory go through a buffer of the driver; the host's processor and memory set their pace.
	PageableToDevice float64 `key:"pageable_to_device" name:"copy to device, pageable memory" unit:"byte/s"`
	PageableToHost   float64 `key:"pageable_to_host" name:"copy to host, pageable memory" unit:"byte/s"`
	PrefetchToDevice float64 `key:"prefetch_to_device" name:"managed memory, prefetch to device" unit:"byte/s"`
	PrefetchToHost   float64 `key:"prefetch_to_host" name:"managed memory, prefetch to host" unit:"byte/s"`
	FaultToDevice    float64 `key:"fault_to_device" name:"managed memory, page faults of the device" unit:"byte/s"`
	FaultToHost      float64 `key:"fault_to_host" name:"managed memory, page faults of the host" unit:"byte/s"`
}

// Delay holds what calls and operations take at least.
type Delay struct {
	LaunchCall float64 `key:"launch_call" name:"call that launches a kernel" unit:"ns"`
	CopyCall   float64 `key:"copy_call" name:"call that submits a copy" unit:"ns"`
	SetCall    float64 `key:"set_call" name:"call that submits a fill" unit:"ns"`
	EventCall  float64 `key:"event_call" name:"call that records an event" unit:"ns"`
	AllocCall  float64 `key:"alloc_call" name:"call that allocates memory" unit:"ns"`
	FreeCall   float64 `key:"free_call" name:"call that frees memory" unit:"ns"`
	Call       float64 `key:"call" name:"any other call" unit:"ns"`

	// Start is from the end of a call to the start of its work on an idle GPU, with the way back of the news of its end.
	Start            float64 `key:"start" name:"from a call to its work and back" unit:"ns"`
	Kernel           float64 `key:"kernel" name:"empty kernel in a stream" unit:"ns"`
	ToDevice         float64 `key:"to_device" name:"small copy to device, pinned memory" unit:"ns"`
	ToHost           float64 `key:"to_host" name:"small copy to host, pinned memory" unit:"ns"`
	PageableToDevice float64 `key:"pageable_to_device" name:"small copy to device, pageable memory" unit:"ns"`
	PageableToHost   float64 `key:"pageable_to_host" name:"small copy to host, pageable memory" unit:"ns"`
	Copy             float64 `key:"copy" name:"small copy within the device" unit:"ns"`
	Set              float64 `key:"set" name:"small fill" unit:"ns"`
	Prefetch         float64 `key:"prefetch" name:"small prefetch of managed memory" unit:"ns"`
	FaultDevice      float64 `key:"fault_device" name:"page fault of a kernel" unit:"ns"`
	FaultHost        float64 `key:"fault_host" name:"page fault of the host" unit:"ns"`
}

// A Capability is a compute capability such as 9.0.
type Capability struct{ Major, Minor int }

func (c Capability) String() string { return fmt.Sprintf("%d.%d", c.Major, c.Minor) }

// SM is the number of the architecture: 90 for 9.0.
func (c Capability) SM() int { return 10*c.Major + c.Minor }

// AtLeast reports whether c is the capability major.minor or a later one.
func (c Capability) AtLeast(major, minor int) bool {
	return c.Major > major || c.Major == major && c.Minor >= minor
}

// Slices is the number of L2 slices that are in use.
func (g *GPU) Slices() int { return max(g.Memory.BusBits/g.DRAM.SliceBits, 1) }

// Channels is the number of channels of memory.
func (g *GPU) Channels() int { return max(g.Memory.BusBits/g.DRAM.ChannelBits, 1) }

// WarpsPerSM is the number of warps that an SM can hold.
func (g *GPU) WarpsPerSM() int { return g.Limits.ThreadsPerSM / g.SM.WarpSize }

// Cores is the number of FP32 lanes of the whole chip, which vendors call
// cores, or 0 when it is unknown.
func (g *GPU) Cores() int { return g.Chip.SMs * int(g.Rate.FP32) }
