package isa

// Op tells the engines how a row is run.
type Op uint8

// The operations. OpLane and OpWarp take their semantics from the row; the engine runs the rest.
const (
	OpNone           Op = iota // parses and checks only: the row has a reason in Unsupported
	OpLane                     // pure, per lane
	OpWarp                     // pure, across the lanes of a warp; waits for the lanes of its member mask when .sync
	OpMov                      // register move, also packing and unpacking of vectors
	OpSpecial                  // mov from a special register
	OpLoad                     // ld, ldu, ld.global.nc
	OpStore                    // st
	OpAtom                     // atom
	OpRed                      // red
	OpPrefetch                 // prefetch, prefetchu, discard, applypriority: address checked, no effect
	OpCvta                     // cvta, cvta.to
	OpIsspacep                 // isspacep
	OpMapa                     // mapa, getctarank (clusters)
	OpBranch                   // bra
	OpBranchIndexed            // brx.idx
	OpCall                     // call
	OpRet                      // ret
	OpExit                     // exit
	OpTrap                     // trap, brkpt
	OpBarrier                  // bar, barrier: sync, arrive, red
	OpBarrierWarp              // bar.warp.sync
	OpBarrierCluster           // barrier.cluster
	OpFence                    // fence, membar
	OpNanosleep                // nanosleep
	OpAlloca                   // alloca
	OpStackSave                // stacksave
	OpStackRestore             // stackrestore
	OpAsync                    // mbarrier, cp.async and other asynchronous copies, st.async, red.async
	OpMatrix                   // ldmatrix, stmatrix, wmma.load and wmma.store: matrices between memory and a warp
	OpWarpgroup                // wgmma.mma_async: products of matrices in shared memory and the registers of four warps
	OpTexture                  // tex, tld4, txq, istypep and the instructions on surfaces
	OpTensorMemory             // tcgen05.alloc, ld, st, tensormap.cp_fenceproxy: memory and a warp
	OpNop                      // pmevent, griddepcontrol and others that have no effect on results
	opCount
)

var opNames = [opCount]string{
	OpNone: "none", OpLane: "lane", OpWarp: "warp", OpMov: "mov", OpSpecial: "special", OpLoad: "load",
	OpStore: "store", OpAtom: "atom", OpRed: "red", OpPrefetch: "prefetch", OpCvta: "cvta",
	OpIsspacep: "isspacep", OpMapa: "mapa", OpBranch: "branch", OpBranchIndexed: "branch indexed",
	OpCall: "call", OpRet: "ret", OpExit: "exit", OpTrap: "trap", OpBarrier: "barrier",
	OpBarrierWarp: "barrier warp", OpBarrierCluster: "barrier cluster", OpFence: "fence",
	OpNanosleep: "nanosleep", OpAlloca: "alloca", OpStackSave: "stacksave",
	OpStackRestore: "stackrestore", OpAsync: "async", OpMatrix: "matrix", OpWarpgroup: "warpgroup",
	OpTexture: "texture", OpTensorMemory: "tensor memory", OpNop: "nop",
}

func (o Op) String() string { return opNames[o] }

// Unit is the functional unit that runs a row, under Nsight Compute's pipe names.
type Unit uint8

// The pipes of an SM as Nsight Compute names them.
const (
	NoUnit  Unit = iota
	ALU          // integer add, logic, compare, min/max
	FMA          // f32 add, multiply, fma, and 32-bit integer multiply
	FP16         // packed half arithmetic
	FP64         // double precision
	XU           // transcendental functions, conversions
	LSU          // loads, stores, atomics, shuffles
	TEX          // textures and surfaces
	CBU          // branches, barriers, convergence
	ADU          // address divergence unit: indirect branches, block barriers
	Uniform      // uniform datapath
	Tensor       // matrix instructions
	TMA          // bulk tensor copies
	unitCount
)

var unitNames = [unitCount]string{
	NoUnit: "none", ALU: "alu", FMA: "fma", FP16: "fp16", FP64: "fp64", XU: "xu", LSU: "lsu",
	TEX: "tex", CBU: "cbu", ADU: "adu", Uniform: "uniform", Tensor: "tensor", TMA: "tma",
}

func (u Unit) String() string { return unitNames[u] }

// Class is the instruction class that Nsight Compute counts thread instructions by
// (smsp__sass_thread_inst_executed_op_<class>_pred_on).
type Class uint8

// The classes of Nsight Compute's instruction statistics.
const (
	ClassMisc Class = iota
	ClassInteger
	ClassFP16
	ClassFP32
	ClassFP64
	ClassConversion
	ClassBit
	ClassControl
	ClassMemory
	ClassCommunication // inter-thread communication: shuffles, votes, barriers
	ClassUniform
	classCount
)

var classNames = [classCount]string{
	ClassMisc: "misc", ClassInteger: "integer", ClassFP16: "fp16", ClassFP32: "fp32", ClassFP64: "fp64",
	ClassConversion: "conversion", ClassBit: "bit", ClassControl: "control", ClassMemory: "memory",
	ClassCommunication: "inter_thread_communication", ClassUniform: "uniform",
}

func (c Class) String() string { return classNames[c] }
