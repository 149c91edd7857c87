package timing

import (
	"strconv"
	"strings"

	"silica/internal/ir"
	"silica/internal/isa"
	"silica/internal/sass"
)

// kind is what the model does for an instruction.
type kind uint8

const (
	arithmetic kind = iota // a pipe with a fixed latency
	variable               // a pipe whose result a scoreboard announces
	constant               // LDC, ULDC
	special                // S2R
	load                   // from global, local or generic memory
	store
	globalAtomic // of global memory, with a result or without
	sharedLoad   // LDS, LDSM
	sharedStore  // STS, STSM
	sharedAtomic
	exchange // SHFL and others that go through the load and store unit
	copyAsync
	commitAsync
	waitAsync
	barrier
	clusterArrive
	clusterWait
	fence
	branch
	reconverge // BSYNC
	invalidate // CCTL.IVALL
	exit
	mma
	groupMMA
	groupWait
	texture
	bulk // TMA
	transaction
	sleep
	nothing
)

// pipe is a pipe of a sub-core.
type pipe uint8

const (
	pipeFMA pipe = iota
	pipeIMAD
	pipeALU
	pipeFP64
	pipeXU
	pipeTensor
	pipeUniform
	pipeMIO
	pipeTEX
	pipes
)

// fragmentRows is how many rows of a matrix a warp reads for a register of its fragment: four lanes a row.
const fragmentRows = 8

// Registers of a warp, in one array: general, uniform, predicates.
const (
	uniformBase   = 256
	predicateBase = uniformBase + 64
	registers     = predicateBase + 16
)

// operation is a machine instruction as the model sees it.
type operation struct {
	inst *sass.Inst
	kind kind
	pipe pipe
	// interval is how long the pipe of the sub-core is kept, latency when the results can be read.
	interval float64
	latency  int64
	dst, src []uint16
	guard    int16 // predicate register, -1 for none
	bytes    int   // of a lane, memory instructions
	lines    int   // 8x8 matrices of LDSM and the like
	pc       int32 // of the ir instruction, -1 for none
	slot     int16 // which of the block's memory instructions, by pc; -1 for none
	turn     int16 // of how many with the same pc this is the first, second, ...
	id       int32 // in the program
	bypass   bool  // of L1
	rows     int   // of a matrix that it reads of those of its ir instruction, which loads a fragment from global memory; 0 for others
	groups   int   // waitAsync: that may be pending
	spill    bool  // a register that was spilled, at offset
	offset   int
	indexed  bool // constant: by a register
	constant bool // it reads a constant as it is issued, of a bank at an offset
	bank     int
	adu      bool     // it goes through the unit of addresses
	operands []uint16 // arithmetic: the general registers that it reads, by place
}

// block is a basic block of machine code.
type block struct {
	code     []operation
	part     int
	repeated bool            // it belongs to a loop that was unrolled
	slots    map[int32]int16 // by pc
	turns    []int16         // by slot: how many instructions have it
}

// code is a function: the machine blocks that stand for each of the ir function's.
type code struct {
	blocks [][]*block
	// homes is, for a block of the ir that has no machine block, the one whose machine block has its instructions; -1 for none.
	homes []int
}

// decode prepares a program. ops lists all operations by their id.
func decode(p *sass.Program, m *machine) (functions []code, ops []*operation) {
	for f, fn := range p.Funcs {
		c := code{blocks: make([][]*block, len(p.Kernel.Funcs[f].Blocks))}
		for _, b := range fn.Blocks {
			out := &block{part: b.Part, repeated: len(b.Entries) > 0, slots: map[int32]int16{}, code: make([]operation, 0, len(b.Code))}
			for _, in := range b.Code {
				op := m.operation(in)
				op.id = int32(len(ops))
				if op.kind == load && in.PC >= 0 && p.Kernel.Funcs[f].Code[in.PC].Op == isa.OpMatrix {
					op.rows = fragmentRows * max(op.bytes/4, 1)
				}
				if op.accesses() && in.PC >= 0 {
					s, ok := out.slots[op.pc]
					if !ok {
						s = int16(len(out.turns))
						out.slots[op.pc] = s
						out.turns = append(out.turns, 0)
					}
					op.slot, op.turn = s, out.turns[s]
					out.turns[s]++
				}
				out.code = append(out.code, op)
				ops = append(ops, &out.code[len(out.code)-1])
			}
			if len(out.code) > 0 {
				c.blocks[b.Source] = append(c.blocks[b.Source], out)
			}
		}
		c.homes = homes(p.Kernel.Funcs[f], fn)
		functions = append(functions, c)
	}
	return functions, ops
}

// homes finds where the instructions of each block of the ir are.
func homes(f *ir.Func, fn *sass.Func) []int {
	out := make([]int, len(f.Blocks))
	for i := range out {
		out[i] = -1
	}
	blockOf := make([]int, len(f.Code))
	for i, b := range f.Blocks {
		for pc := b.Start; pc < b.End; pc++ {
			blockOf[pc] = i
		}
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Code {
			if in.PC >= 0 && in.PC < len(blockOf) && out[blockOf[in.PC]] < 0 {
				out[blockOf[in.PC]] = b.Source
			}
		}
	}
	return out
}

// accesses tells whether an operation has accesses in the recording.
func (op *operation) accesses() bool {
	switch op.kind {
	case constant:
		return op.indexed
	case load, store, globalAtomic, sharedLoad, sharedStore, sharedAtomic, copyAsync, texture, bulk, transaction:
		return true
	}
	return false
}

var kinds = map[string]kind{
	"LDC": constant, "ULDC": constant, "S2R": special, "S2UR": special, "CS2R": special, "B2R": special,
	"LDG": load, "LD": load, "LDL": load, "STG": store, "ST": store, "STL": store,
	"ATOM": globalAtomic, "ATOMG": globalAtomic, "RED": globalAtomic, "REDG": globalAtomic,
	"LDS": sharedLoad, "LDSM": sharedLoad, "STS": sharedStore, "STSM": sharedStore, "ATOMS": sharedAtomic, "REDAS": sharedAtomic, "STAS": sharedStore,
	"SHFL": exchange, "MATCH": exchange, "MOVM": exchange, "QSPC": exchange,
	"LDGSTS": copyAsync, "LDGDEPBAR": commitAsync, "DEPBAR": waitAsync,
	"BAR": barrier, "UCGABAR_ARV": clusterArrive, "UCGABAR_WAIT": clusterWait,
	"MEMBAR": fence, "FENCE": fence, "BRA": branch, "BRX": branch, "BSYNC": reconverge, "JMP": branch, "CALL": branch, "RET": branch, "EXIT": exit,
	"HMMA": mma, "IMMA": mma, "BMMA": mma, "DMMA": mma, "QMMA": mma, "OMMA": mma,
	"HGMMA": groupMMA, "IGMMA": groupMMA, "BGMMA": groupMMA, "QGMMA": groupMMA, "WARPGROUP": groupWait,
	"UTMALDG": bulk, "UTMASTG": bulk, "UTMAREDG": bulk, "UBLKCP": bulk, "UBLKRED": bulk, "SYNCS": transaction, "NANOSLEEP": sleep, "NOP": nothing,
}

// operation decodes one instruction.
func (m *machine) operation(in *sass.Inst) operation {
	op := operation{inst: in, guard: -1, pc: int32(in.PC), slot: -1}
	op.kind = kinds[in.Op.Name]
	if in.Guard.Kind == sass.Predicate && in.Guard.Reg >= 0 {
		op.guard = int16(predicateBase + in.Guard.Reg)
	}
	for _, d := range in.Dst {
		op.dst = appendRegisters(op.dst, d)
	}
	for _, s := range in.Src {
		op.src = appendRegisters(op.src, s)
	}
	l, i := &m.latency, &m.interval
	op.pipe, op.interval, op.latency = pipeALU, i.alu, l.fixed
	switch in.Op.Pipe {
	case isa.FMA:
		op.pipe, op.interval = pipeFMA, i.fma
		if in.Op.Name == "IMAD" || in.Op.Name == "IDP" || in.Op.Name == "VIADD" {
			op.pipe, op.interval = pipeIMAD, i.imad
			if strings.Contains(in.Mods, ".WIDE") || strings.Contains(in.Mods, ".HI") {
				op.latency = l.imadWide
			}
		}
	case isa.FP16:
		op.pipe, op.interval = pipeFMA, i.fp16
	case isa.FP64:
		op.pipe, op.interval, op.latency = pipeFP64, i.fp64, l.fp64
	case isa.XU:
		op.pipe, op.interval, op.latency = pipeXU, i.xu, l.xu
		switch in.Op.Name {
		case "REDUX", "CREDUX":
			op.latency = l.redux
		case "POPC", "FLO", "BREV":
			op.interval = i.popc
		case "F2I", "I2F", "F2F", "FRND", "I2I":
			op.interval = i.convert
		}
		if op.kind == arithmetic {
			op.kind = variable
		}
	case isa.Uniform:
		op.pipe, op.interval, op.latency = pipeUniform, i.uniform, l.uniform
	case isa.LSU, isa.TEX, isa.TMA:
		op.pipe, op.interval = pipeMIO, i.mio
		if op.kind == arithmetic {
			op.kind = exchange
		}
		if in.Op.Pipe == isa.TEX {
			op.kind, op.pipe, op.latency = texture, pipeTEX, l.textureSample
			if byIndex(in) {
				op.latency = l.texture
			}
		}
	case isa.Tensor:
		op.pipe = pipeTensor
		if op.kind == mma || op.kind == groupMMA {
			m.tensor(&op)
		}
	case isa.CBU, isa.ADU, isa.NoUnit:
		op.interval = 1
		if op.kind == arithmetic {
			op.kind = nothing
		}
	}
	switch op.kind {
	case special:
		op.latency = l.shared
		if in.Op.Pipe == isa.XU {
			op.pipe, op.interval = pipeMIO, 2
		}
	case constant:
		op.latency = l.constant
		if op.pipe == pipeUniform && len(op.src) == 0 {
			op.kind, op.latency = arithmetic, l.uniformConstant
		}
	case exchange:
		op.latency = l.shuffle
		if in.Op.Name == "MATCH" {
			op.latency, op.interval = l.match, float64(l.match)/2
		}
	case arithmetic:
		if in.Op.Latency > 4 && op.pipe == pipeALU {
			op.latency = l.fixed
		}
	case waitAsync:
		op.groups = immediate(in)
	}
	if in.Op.Name == "CCTL" && strings.Contains(in.Mods, ".IVALL") {
		op.kind = invalidate
	}
	op.bytes = width(in)
	if in.Spills() {
		op.spill = true
		for _, o := range append(in.Dst, in.Src...) {
			if o.Kind == sass.Address {
				op.offset = int(o.Value)
			}
		}
	}
	if p, _ := m.part(&op); p == PartADU {
		op.adu = op.kind == special || op.kind == constant
	}
	if op.kind == arithmetic && (op.pipe == pipeFMA || op.pipe == pipeIMAD || op.pipe == pipeALU) {
		for _, s := range in.Src {
			r := noRegister
			if s.Kind == sass.Register && s.Reg >= 0 {
				r = uint16(s.Reg)
			}
			op.operands = append(op.operands, r)
		}
	}
	op.indexed = op.kind == constant && len(op.src) > 0
	if op.kind == arithmetic || op.kind == variable {
		for _, s := range in.Src {
			if s.Kind == sass.ConstantBank {
				op.constant, op.bank, op.offset = true, s.Bank, int(s.Value)
			}
		}
	}
	op.bypass = strings.Contains(in.Mods, ".STRONG") || strings.Contains(in.Mods, ".BYPASS")
	if op.kind == sharedLoad && in.Op.Name == "LDSM" {
		op.bytes, op.lines = 4, matrices(in.Mods)
	}
	return op
}

// byIndex tells whether a texture instruction names texels by their number, as surfaces' do.
func byIndex(in *sass.Inst) bool {
	return in.Op.Name != "TEX" && in.Op.Name != "TLD4" && in.Op.Name != "TXD"
}

func appendRegisters(list []uint16, o sass.Operand) []uint16 {
	base := 0
	switch o.Kind {
	case sass.Predicate:
		base = predicateBase
	case sass.UniformRegister:
		base = uniformBase
	case sass.Register, sass.Address:
	default:
		return list
	}
	if o.Kind == sass.Address && o.Uniform > 0 {
		list = append(list, uint16(uniformBase+min(o.Uniform-1, 63)))
	}
	if o.Reg < 0 {
		return list
	}
	words := max(o.Words, 1)
	if o.Kind == sass.Address && o.Wide {
		words = 2
	}
	for w := range words {
		if n := base + o.Reg + w; n < registers {
			list = append(list, uint16(n))
		}
	}
	return list
}

// width is what one lane moves, by the modifiers.
func width(in *sass.Inst) (bytes int) {
	bytes = 4
	for mod := range strings.SplitSeq(in.Mods, ".") {
		switch mod {
		case "64":
			bytes = 8
		case "128":
			bytes = 16
		case "U8", "S8":
			bytes = 1
		case "U16", "S16":
			bytes = 2
		}
	}
	return bytes
}

// matrices is how many 8x8 matrices an LDSM moves.
func matrices(mods string) int {
	switch {
	case strings.HasSuffix(mods, ".4"):
		return 4
	case strings.HasSuffix(mods, ".2"):
		return 2
	}
	return 1
}

// immediate is the first immediate operand.
func immediate(in *sass.Inst) int {
	for _, s := range in.Src {
		if s.Kind == sass.Immediate {
			return int(s.Value)
		}
	}
	return 0
}

// tensor sets how long a matrix product takes. Shapes are in the modifiers: .16816 is m16n8k16, .64x128x16 is m64n128k16.
func (m *machine) tensor(op *operation) {
	mods, kind := op.inst.Mods, "f16"
	switch op.inst.Op.Name {
	case "IMMA", "BMMA", "QMMA":
		kind = "s8"
	case "DMMA":
		kind = "f64"
	}
	if strings.Contains(mods, ".TF32") {
		kind = "tf32"
	}
	macs, latency := 2048.0, m.latency.mma
	for mod := range strings.SplitSeq(mods, ".") {
		if a, rest, ok := strings.Cut(mod, "x"); ok {
			if b, c, ok := strings.Cut(rest, "x"); ok {
				rows, _ := strconv.Atoi(a)
				columns, _ := strconv.Atoi(b)
				depth, _ := strconv.Atoi(c)
				macs = float64(rows*columns*depth) / 4
				op.interval = macs / (m.interval.macs["wgmma"] / float64(m.subCores))
				op.latency = int64(m.latency.wgmmaBase + op.interval)
				return
			}
		}
		if n, err := strconv.Atoi(mod); err == nil && n > 100 {
			macs = shape(mod)
		}
	}
	op.interval = macs / (m.interval.macs[kind] / float64(m.subCores))
	if kind == "f16" && macs <= 1024 {
		latency *= 0.7
	}
	op.latency = int64(max(latency, op.interval+latency/2))
}

// shape is the product of the extents in a shape such as 16816 or 884.
func shape(mod string) float64 {
	extents := []string{"16", "8", "256", "128", "64", "32", "4"}
	macs := 1.0
	for mod != "" {
		found := false
		for _, e := range extents {
			if strings.HasPrefix(mod, e) {
				n, _ := strconv.Atoi(e)
				macs, mod, found = macs*float64(n), mod[len(e):], true
				break
			}
		}
		if !found {
			return 2048
		}
	}
	return macs
}
