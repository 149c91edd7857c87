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

	slices int // of L2
	dram   dramTimes
	model  gpu.Model
}

// latencies are the cycles from an instruction to one that depends on it.
type latencies struct {
	fixed, pipeChange, fp64, imadWide, predicate int64
	xu, shuffle, redux, match                    int64
	shared, shared128, sharedAtomic              int64
	constant, constantMiss                       int64
	l1, l2, dram, atomic, distributed            int64
	texture, textureSample, textureFilter        int64
	barrierBase, barrierWarp                     float64
	fenceBlock, fenceDevice, fenceSystem         int64
	branch, notTaken, call, reconverge           int64
	uniform, uniformVector, uniformAddress       int64
	uniformConstant                              int64
	mma, wgmmaBase                               float64
}

// intervals are for how many cycles an instruction of a warp keeps the pipe of a sub-core.
type intervals struct {
	fma, imad, alu, fp64, xu, fp16, uniform, popc, convert float64
	mio                                                    float64 // load and store, shuffle, textures and others
	macs                                                   map[string]float64
}

// newMachine reads a GPU's figures for a launch that gives shared memory so many bytes.
func newMachine(g *gpu.GPU, sharedConfig int) *machine {
	m := &machine{
		sms: g.Chip.SMs, subCores: g.SM.SubPartitions, hz: 1000 * float64(g.Clock.CoreKHz), lineBytes: uint64(g.Memory.LineBytes), l2Bytes: g.Memory.L2Bytes,
		model: g.Model,
	}
	l := g.Latency
	m.latency = latencies{
		fixed: cycles(l.FP32), pipeChange: cycles(l.PipeChange), fp64: cycles(l.FP64), imadWide: cycles(g.Model.IMADWide), predicate: cycles(g.Model.Guard),
		xu: cycles(l.SFU), shuffle: cycles(l.Shuffle), redux: cycles(l.Redux), match: cycles(l.Match),
		shared: cycles(l.SharedLoad), shared128: cycles(l.SharedLoad128), sharedAtomic: cycles(l.SharedAtomic),
		constant: cycles(l.ConstantLoad) - shift, constantMiss: cycles(l.ConstantLoadMiss) - shift,
		l1: cycles(l.L1Hit), l2: cycles(l.L2Hit), dram: cycles(l.DRAM), texture: cycles(l.Texture), textureSample: cycles(l.TextureSample), textureFilter: cycles(l.TextureFilter),
		atomic: cycles(l.GlobalAtomic), distributed: cycles(l.DistributedShared),
		barrierBase: l.Barrier1Warp, barrierWarp: (l.Barrier32Warps - l.Barrier1Warp) / 31,
		fenceBlock: cycles(l.FenceBlock), fenceDevice: cycles(l.FenceDevice), fenceSystem: cycles(l.FenceSystem),
		uniform: cycles(g.Model.UniformResult), uniformVector: cycles(g.Model.UniformVector), uniformAddress: cycles(g.Model.UniformAddress),
		uniformConstant: cycles(g.Model.UniformConstant),
		branch:          cycles(g.Model.BranchTaken), notTaken: cycles(g.Model.BranchNotTaken), reconverge: cycles(g.Model.Reconverge), call: cycles(g.Model.Call), mma: l.MMAF16, wgmmaBase: g.Model.WGMMA,
	}
	r := g.Rate
	lanes := func(rate float64) float64 { return 32 * float64(m.subCores) / or(rate, 1) }
	f16 := or(r.MMAF16, 1)
	m.interval = intervals{
		fma: lanes(r.FP32), imad: lanes(r.IMAD), alu: lanes(r.ALU), fp64: lanes(r.FP64), xu: lanes(r.SFU),
		fp16: lanes(r.FP16x2), popc: lanes(r.Popc), convert: lanes(or(r.Convert, r.SFU)), uniform: g.Model.Uniform, mio: g.Model.LSUInterval,
		macs: map[string]float64{
			"f16": f16, "tf32": or(r.MMATF32, f16/2), "s8": or(r.MMAS8, 2*f16), "f64": or(r.MMAF64, 2*or(r.FP64, 1)), "wgmma": or(r.WGMMAF16, f16),
		},
	}
	m.l1Bytes = g.Memory.L1SharedBytes - sharedConfig
	if d := g.Memory.L1DataBytes; d > 0 {
		m.l1Bytes = min(m.l1Bytes, d)
	}
	m.slices, m.dram = g.Slices(), newDRAMTimes(g, m.hz)
	return m
}

// fromUniform is how much later than for the uniform datapath itself its result is there for an operation.
func (l *latencies) fromUniform(op, writer *operation) int64 {
	switch {
	case writer.pipe != pipeUniform || writer.constant || op.pipe == pipeUniform:
		return 0
	case op.pipe == pipeMIO, op.pipe == pipeTEX:
		return l.uniformAddress - l.uniform
	}
	return l.uniformVector - l.uniform
}

// shift is the instruction that stands behind a constant in the measured latency.
const shift = 4

// cycles are whole ones.
func cycles(x float64) int64 { return int64(x + 0.5) }

// or is a figure, or an estimate where it is unknown.
func or(x, estimate float64) float64 {
	if x > 0 {
		return x
	}
	return estimate
}
