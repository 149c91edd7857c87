package timing

import "silica/gpu"

// machine is a GPU as the model needs it: cycles are those of the multiprocessor's clock.
type machine struct {
	sms, subCores int
	hz            float64

	latency  latencies
	interval intervals

	lineBytes uint64
	l1Bytes   int // of L1, at the launch's split
	l2Bytes   int

	// Bytes in a cycle: from L2 to one multiprocessor, and of the whole chip.
	smBytes, l2Read, l2Write, dram float64
	// newWrite is how long a byte written to L2 that was not there keeps memory, beside one that is read: vecadd, saxpy and copies
	// take as long as their reads from memory and their writes one after the other.
	newWrite float64
	// atomicSectors is how many sectors the chip's L2 changes in a cycle.
	atomicSectors float64
	// Cycles from the start of one block on a multiprocessor to that of the next: at the beginning of a launch, and of each further
	// block; and for each warp.
	firstBlock, nextBlock, warpStart float64
}

// latencies are the cycles from an instruction to one that depends on it.
type latencies struct {
	fixed, pipeChange, fp64, imadWide, predicate int64
	xu, shuffle, redux, match                    int64
	shared, shared128, sharedAtomic              int64
	constant, constantMiss                       int64
	l1, l2, dram, texture, atomic, distributed   int64
	barrierBase, barrierWarp                     float64
	fenceBlock, fenceDevice, fenceSystem         int64
	branch, notTaken                             int64
	mma, wgmmaBase                               float64
}

// intervals are for how many cycles an instruction of a warp keeps the pipe of a sub-core.
type intervals struct {
	fma, imad, alu, fp64, xu, fp16, uniform, popc, convert float64
	mio                                                    float64 // load and store, shuffle, and others, of one sub-core
	macs                                                   map[string]float64
}

// What no data file has: found with the micro-benchmarks of the H200 that the comments name.
const (
	branchTaken   = 10 // loop: 29 cycles for a counted loop of one warp, of which 19 are its chain of instructions
	branchGoesOn  = 5  // stall count that ptxas gives a branch
	predicateWait = 13 // stall count that ptxas gives a comparison before a guard
	mioInterval   = 4  // lds_rate: 32 bytes a cycle of one sub-core
	queueDepth    = 8  // instructions that wait for the load and store unit, of one sub-core
	// launchCycles is by how much gpc__cycles_elapsed.max exceeds the cycles in which the busiest multiprocessor is active.
	launchCycles = 2900
	blockFirst   = 60   // block_placement: blocks that follow one another on an idle multiprocessor
	blockNext    = 158  // block_rate
	blockWarp    = 5.5  // block_rate: 178 cycles for 32 warps
	smToL2Bytes  = 64   // a sector's request and answer: two sectors a cycle
	codeMiss     = 650  // first fetch of code from memory
	sectorOfAtom = 35   // global_atomic_rate: distinct words, 557 lanes/ns
	atomLane     = 1.45 // global_atomic_rate: one word, 1.36 lanes/ns
)

// newMachine reads a GPU's figures; what a description lacks is that of Hopper.
func newMachine(g, hopper *gpu.GPU, sharedConfig int) *machine {
	or := func(x, estimate float64) float64 {
		if x > 0 {
			return x
		}
		return estimate
	}
	m := &machine{sms: g.Chip.SMs, subCores: g.SM.SubPartitions, hz: 1000 * float64(g.Clock.CoreKHz), lineBytes: uint64(g.Memory.LineBytes), l2Bytes: g.Memory.L2Bytes}
	l, h := g.Latency, hopper.Latency
	cycles := func(x, y float64) int64 { return int64(or(x, y) + 0.5) }
	m.latency = latencies{
		fixed: cycles(l.FP32, h.FP32), pipeChange: cycles(l.PipeChange, h.PipeChange), fp64: cycles(l.FP64, h.FP64), imadWide: 5,
		predicate: predicateWait,
		xu:        cycles(l.SFU, h.SFU), shuffle: cycles(l.Shuffle, h.Shuffle), redux: cycles(l.Redux, h.Redux), match: cycles(l.Match, h.Match),
		shared: cycles(l.SharedLoad, h.SharedLoad), shared128: cycles(l.SharedLoad128, h.SharedLoad128), sharedAtomic: cycles(l.SharedAtomic, h.SharedAtomic),
		constant: cycles(l.ConstantLoad, h.ConstantLoad) - 4, constantMiss: cycles(l.ConstantLoadMiss, h.ConstantLoadMiss) - 4,
		l1: cycles(l.L1Hit, h.L1Hit), l2: cycles(l.L2Hit, h.L2Hit), dram: cycles(l.DRAM, h.DRAM), texture: cycles(l.Texture, h.Texture),
		atomic: cycles(l.GlobalAtomic, h.GlobalAtomic), distributed: cycles(l.DistributedShared, h.DistributedShared),
		barrierBase: or(l.Barrier1Warp, h.Barrier1Warp), fenceBlock: cycles(l.FenceBlock, h.FenceBlock),
		fenceDevice: cycles(l.FenceDevice, h.FenceDevice), fenceSystem: cycles(l.FenceSystem, h.FenceSystem),
		branch: branchTaken, notTaken: branchGoesOn, mma: or(l.MMAF16, h.MMAF16), wgmmaBase: 50,
	}
	m.latency.barrierWarp = (or(l.Barrier32Warps, h.Barrier32Warps) - m.latency.barrierBase) / 31
	lanes := func(x, y float64) float64 { return 32 * float64(m.subCores) / or(x, y) }
	r, hr := g.Rate, hopper.Rate
	m.interval = intervals{
		fma: lanes(r.FP32, hr.FP32), imad: lanes(r.IMAD, hr.IMAD), alu: lanes(r.ALU, hr.ALU), fp64: lanes(r.FP64, hr.FP64), xu: lanes(r.SFU, hr.SFU),
		fp16: lanes(r.FP16x2, hr.FP16x2), popc: lanes(r.Popc, hr.Popc), convert: lanes(r.Convert, or(r.SFU, hr.Convert)), uniform: 2, mio: mioInterval,
		macs: map[string]float64{
			"f16": or(r.MMAF16, hr.MMAF16), "tf32": or(r.MMATF32, or(r.MMAF16, hr.MMAF16)/2), "s8": or(r.MMAS8, 2*or(r.MMAF16, hr.MMAF16)),
			"f64": or(r.MMAF64, hr.MMAF64*or(r.FP64, 1)/hr.FP64), "wgmma": or(r.WGMMAF16, hr.WGMMAF16),
		},
	}
	m.l1Bytes = g.Memory.L1SharedBytes - sharedConfig
	if d := g.Memory.L1DataBytes; d > 0 {
		m.l1Bytes = min(m.l1Bytes, d)
	}
	m.smBytes = smToL2Bytes
	m.l2Read = or(g.Throughput.L2Read/m.hz, smToL2Bytes/2*float64(m.sms))
	m.l2Write = or(g.Throughput.L2Write/m.hz, m.l2Read/2)
	m.dram = or(g.Throughput.DRAMRead, 0.95*float64(g.Memory.Bandwidth)) / m.hz
	m.newWrite = m.dram / m.l2Write
	m.atomicSectors = sectorOfAtom * float64(m.sms) / float64(hopper.Chip.SMs)
	m.firstBlock, m.nextBlock, m.warpStart = blockFirst, blockNext, blockWarp
	return m
}
