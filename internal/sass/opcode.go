package sass

import "silica/internal/isa"

// Opcode is one operation of the machine: a row of the table, the only place where it is spelt.
type Opcode struct {
	Name string
	Pipe isa.Unit
	// Latency is the number of cycles after which a result of fixed latency can be read; 0 where a scoreboard tells.
	Latency int
	// Middle tells whether an operand other than the first may come from the constant bank, the uniform registers or
	// the instruction itself.
	Middle bool
}

// opcodes is the table. Latencies are those of Hopper, measured with dependent chains.
var opcodes = []Opcode{
	{"FADD", isa.FMA, 4, true}, {"FMUL", isa.FMA, 4, true}, {"FFMA", isa.FMA, 4, true}, {"FSEL", isa.ALU, 4, true},
	{"FSETP", isa.ALU, 6, true}, {"FMNMX", isa.ALU, 4, true}, {"FCHK", isa.XU, 0, true}, {"FSET", isa.ALU, 4, true}, {"FSWZADD", isa.FMA, 4, false},
	{"IADD3", isa.ALU, 4, true}, {"VIADD", isa.FMA, 4, true}, {"IMAD", isa.FMA, 4, true}, {"LEA", isa.ALU, 4, true}, {"LOP3", isa.ALU, 4, true},
	{"SHF", isa.ALU, 4, true}, {"PRMT", isa.ALU, 4, true}, {"SEL", isa.ALU, 4, true}, {"ISETP", isa.ALU, 6, true}, {"IMNMX", isa.ALU, 4, true},
	{"VIMNMX", isa.ALU, 4, true}, {"VIADDMNMX", isa.ALU, 4, true}, {"IABS", isa.ALU, 4, true}, {"SGXT", isa.ALU, 4, true}, {"BMSK", isa.ALU, 4, true},
	{"POPC", isa.XU, 0, true}, {"FLO", isa.XU, 0, true}, {"BREV", isa.XU, 0, true}, {"IDP", isa.FMA, 4, true}, {"VABSDIFF", isa.ALU, 4, true},
	{"VABSDIFF4", isa.ALU, 4, true}, {"PLOP3", isa.ALU, 6, false}, {"P2R", isa.ALU, 6, false}, {"R2P", isa.ALU, 6, false},
	{"MOV", isa.ALU, 4, true}, {"CS2R", isa.ALU, 6, false}, {"S2R", isa.XU, 0, false}, {"S2UR", isa.XU, 0, false}, {"R2UR", isa.ALU, 0, false},
	{"HADD2", isa.FP16, 4, true}, {"HMUL2", isa.FP16, 4, true}, {"HFMA2", isa.FP16, 4, true}, {"HSETP2", isa.FP16, 6, true}, {"HMNMX2", isa.ALU, 4, true}, {"HSET2", isa.FP16, 4, true},
	{"DADD", isa.FP64, 8, true}, {"DMUL", isa.FP64, 8, true}, {"DFMA", isa.FP64, 8, true}, {"DSETP", isa.FP64, 8, true},
	{"MUFU", isa.XU, 0, true}, {"F2F", isa.XU, 0, true}, {"F2FP", isa.ALU, 4, true}, {"F2I", isa.XU, 0, true}, {"I2F", isa.XU, 0, true}, {"I2FP", isa.ALU, 4, true},
	{"F2IP", isa.ALU, 4, true}, {"I2I", isa.XU, 0, true}, {"I2IP", isa.ALU, 4, true}, {"FRND", isa.XU, 0, true},
	{"UIADD3", isa.Uniform, 10, true}, {"UIMAD", isa.Uniform, 10, true}, {"ULEA", isa.Uniform, 10, true}, {"ULOP3", isa.Uniform, 10, true}, {"USHF", isa.Uniform, 10, true},
	{"USEL", isa.Uniform, 10, true}, {"UISETP", isa.Uniform, 12, true}, {"UMOV", isa.Uniform, 10, true}, {"UPRMT", isa.Uniform, 10, true}, {"UP2UR", isa.Uniform, 12, false},
	{"UPOPC", isa.Uniform, 10, true}, {"UFLO", isa.Uniform, 10, true}, {"UBREV", isa.Uniform, 10, true}, {"USGXT", isa.Uniform, 10, true}, {"UPLOP3", isa.Uniform, 12, false},
	{"ULDC", isa.Uniform, 0, false}, {"LDC", isa.LSU, 0, false}, {"VOTEU", isa.Uniform, 0, false}, {"REDUX", isa.XU, 0, false}, {"CREDUX", isa.XU, 0, false},
	{"LDG", isa.LSU, 0, false}, {"STG", isa.LSU, 0, false}, {"LDS", isa.LSU, 0, false}, {"STS", isa.LSU, 0, false}, {"LDL", isa.LSU, 0, false}, {"STL", isa.LSU, 0, false},
	{"LD", isa.LSU, 0, false}, {"ST", isa.LSU, 0, false}, {"ATOM", isa.LSU, 0, false}, {"ATOMS", isa.LSU, 0, false}, {"ATOMG", isa.LSU, 0, false}, {"RED", isa.LSU, 0, false},
	{"REDG", isa.LSU, 0, false}, {"REDAS", isa.LSU, 0, false}, {"LDSM", isa.LSU, 0, false}, {"STSM", isa.LSU, 0, false}, {"LDGSTS", isa.LSU, 0, false}, {"CCTL", isa.LSU, 0, false},
	{"CCTLL", isa.LSU, 0, false}, {"CCTLT", isa.TEX, 0, false}, {"QSPC", isa.LSU, 0, false}, {"MATCH", isa.LSU, 0, false}, {"SHFL", isa.LSU, 0, false}, {"VOTE", isa.ALU, 6, false},
	{"MOVM", isa.LSU, 0, false}, {"SYNCS", isa.LSU, 0, false}, {"MEMBAR", isa.LSU, 0, false}, {"FENCE", isa.LSU, 0, false}, {"ERRBAR", isa.LSU, 0, false}, {"CGAERRBAR", isa.LSU, 0, false},
	{"LDGDEPBAR", isa.LSU, 0, false}, {"DEPBAR", isa.CBU, 0, false}, {"ARRIVES", isa.LSU, 0, false}, {"GETLMEMBASE", isa.LSU, 0, false}, {"STAS", isa.LSU, 0, false},
	{"TEX", isa.TEX, 0, false}, {"TLD", isa.TEX, 0, false}, {"TLD4", isa.TEX, 0, false}, {"TXQ", isa.TEX, 0, false}, {"TXD", isa.TEX, 0, false}, {"TMML", isa.TEX, 0, false},
	{"SULD", isa.TEX, 0, false}, {"SUST", isa.TEX, 0, false}, {"SURED", isa.TEX, 0, false}, {"SUATOM", isa.TEX, 0, false}, {"FOOTPRINT", isa.TEX, 0, false},
	{"HMMA", isa.Tensor, 0, false}, {"IMMA", isa.Tensor, 0, false}, {"BMMA", isa.Tensor, 0, false}, {"DMMA", isa.Tensor, 0, false}, {"QMMA", isa.Tensor, 0, false}, {"OMMA", isa.Tensor, 0, false},
	{"HGMMA", isa.Tensor, 0, false}, {"IGMMA", isa.Tensor, 0, false}, {"BGMMA", isa.Tensor, 0, false}, {"QGMMA", isa.Tensor, 0, false}, {"WARPGROUP", isa.Tensor, 0, false},
	{"WARPGROUPSET", isa.Tensor, 0, false}, {"UTCMMA", isa.Tensor, 0, false}, {"UTCBAR", isa.Tensor, 0, false}, {"LDTM", isa.Tensor, 0, false}, {"STTM", isa.Tensor, 0, false},
	{"UTMALDG", isa.TMA, 0, false}, {"UTMASTG", isa.TMA, 0, false}, {"UTMAREDG", isa.TMA, 0, false}, {"UTMAPF", isa.TMA, 0, false}, {"UTMACCTL", isa.TMA, 0, false}, {"UTMACMDFLUSH", isa.TMA, 0, false},
	{"UBLKCP", isa.TMA, 0, false}, {"UBLKRED", isa.TMA, 0, false}, {"UBLKPF", isa.TMA, 0, false},
	{"BRA", isa.CBU, 0, false}, {"BRX", isa.CBU, 0, false}, {"JMP", isa.CBU, 0, false}, {"EXIT", isa.CBU, 0, false}, {"CALL", isa.CBU, 0, false}, {"RET", isa.CBU, 0, false}, {"BSSY", isa.CBU, 0, false},
	{"BSYNC", isa.CBU, 0, false}, {"BREAK", isa.CBU, 0, false}, {"BMOV", isa.CBU, 0, false}, {"WARPSYNC", isa.CBU, 0, false}, {"YIELD", isa.CBU, 0, false}, {"NANOSLEEP", isa.CBU, 0, false},
	{"BPT", isa.CBU, 0, false}, {"KILL", isa.CBU, 0, false}, {"PREEXIT", isa.CBU, 0, false}, {"ACQBULK", isa.CBU, 0, false}, {"BAR", isa.ADU, 0, false}, {"B2R", isa.ADU, 0, false}, {"R2B", isa.ADU, 0, false},
	{"UCGABAR_ARV", isa.CBU, 0, false}, {"UCGABAR_WAIT", isa.CBU, 0, false}, {"ELECT", isa.CBU, 0, false}, {"USETMAXREG", isa.CBU, 0, false}, {"PMTRIG", isa.CBU, 0, false},
	{"CS2UR", isa.Uniform, 10, false}, {"LEPC", isa.CBU, 0, false}, {"RPCMOV", isa.CBU, 0, false}, {"LDGMC", isa.LSU, 0, false}, {"NOP", isa.NoUnit, 0, false},
}

// opcodeIndex finds rows by name.
var opcodeIndex = func() map[string]*Opcode {
	m := make(map[string]*Opcode, len(opcodes))
	for i := range opcodes {
		m[opcodes[i].Name] = &opcodes[i]
	}
	return m
}()

// Lookup returns the row of an opcode, nil when there is none.
func Lookup(name string) *Opcode { return opcodeIndex[name] }

// Opcodes returns the names of all rows.
func Opcodes() []string {
	out := make([]string, len(opcodes))
	for i := range opcodes {
		out[i] = opcodes[i].Name
	}
	return out
}
