package timing

import (
	"silica/internal/isa"
	"silica/internal/sass"
)

// Part is a part of the multiprocessor that executes instructions, as Nsight Compute's metrics sm__inst_executed_pipe_* name it.
type Part string

// The parts. PartShared is what the sub-cores share for double precision and matrices.
const (
	PartADU     Part = "adu" // addresses of constants, barriers and special registers
	PartALU     Part = "alu"
	PartCBU     Part = "cbu" // where lanes go apart and meet
	PartFMA     Part = "fma"
	PartFP64    Part = "fp64"
	PartLSU     Part = "lsu"
	PartTEX     Part = "tex"
	PartUniform Part = "uniform"
	PartXU      Part = "xu"
)

// texTurn is how many cycles the unit of textures is busy with an instruction, as an H200's counters have it.
const texTurn = 2

// part is which part executes an instruction, and for which part of a cycle the multiprocessor's are busy with it; "" for what no counter has. Which
// opcodes are counted where was found by solving the counters of the recorded kernels for it: VIADD is FMA's, UMOV, ULDC and branches are
// nobody's, the coordinates of a thread come through LSU, those of the block through ADU.
func (m *machine) part(op *operation) (p Part, cycles float64) {
	name, i, share := op.inst.Op.Name, &m.interval, 1/float64(m.subCores)
	switch op.inst.Op.Pipe {
	case isa.FMA:
		return PartFMA, i.fma * share
	case isa.ALU:
		return PartALU, i.alu * share
	case isa.FP64:
		return PartFP64, i.fp64 * share
	case isa.Uniform:
		if name == "UMOV" || op.inst.Op.Latency == 0 {
			return "", 0
		}
		return PartUniform, i.uniform * share
	case isa.TEX:
		return PartTEX, texTurn
	case isa.ADU:
		return PartADU, m.model.ADUInterval
	case isa.CBU:
		switch name {
		case "BSSY", "BSYNC", "EXIT", "YIELD", "BREAK", "WARPSYNC":
			return PartCBU, share
		}
		return "", 0
	}
	switch {
	case op.kind == constant:
		return PartADU, m.model.ADUInterval
	case op.kind == special && name == "S2R" && ofThread(op.inst):
		return PartLSU, 1
	case op.kind == special:
		return PartADU, m.model.ADUInterval
	case op.inst.Op.Pipe == isa.XU:
		return PartXU, op.interval * share
	case op.inst.Op.Pipe == isa.LSU && op.kind != fence && op.kind != commitAsync:
		return PartLSU, 1
	}
	return "", 0
}

// ofThread tells whether a special register is a coordinate of the thread in its block.
func ofThread(in *sass.Inst) bool {
	for _, s := range in.Src {
		switch s.Name {
		case "%tid.x", "%tid.y", "%tid.z", "%laneid":
			return true
		}
	}
	return false
}

// parts is for which part of the active cycles the parts of the multiprocessor are busy with the instructions that they executed.
func (c *core) parts(ops []*operation, cycles float64) map[Part]float64 {
	out := map[Part]float64{}
	for i, op := range ops {
		if p, each := c.m.part(op); p != "" {
			out[p] += each * float64(c.stats[i].issued) / cycles
		}
	}
	out[PartADU] += c.memory.indexBusy / cycles
	return out
}
