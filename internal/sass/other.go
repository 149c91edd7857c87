package sass

import (
	"strings"

	"silica/internal/isa"
)

// sequences holds what ptxas makes of instructions that selection does not look into, by the beginning of their names.
var sequences = map[string]string{
	"shfl.sync": "SHFL", "vote.sync.ballot": "VOTE", "vote.sync": "VOTE", "activemask": "VOTE", "bar.sync": "BAR", "barrier.sync": "BAR", "bar.warp.sync": "WARPSYNC",
	"rcp.approx.ftz.f32": "MUFU", "rcp.approx.f32": "FSETP FMUL MUFU FMUL", "rsqrt.approx.f32": "FSETP FMUL MUFU FMUL", "sqrt.approx.f32": "FSETP FMUL MUFU FMUL",
	"ex2.approx.f32": "FSETP FMUL MUFU FMUL", "ex2.approx.ftz.f32": "MUFU", "lg2.approx.f32": "FSETP FMUL MUFU FADD", "sin.approx": "FMUL MUFU", "cos.approx": "FMUL MUFU",
	"div.rn.f32": "MUFU FCHK FFMA FFMA FFMA FFMA FFMA BRA", "div.approx.f32": "FSETP FMUL FMUL MUFU FMUL", "rcp.rn.f32": "IADD3 LOP3 ISETP BRA MUFU FFMA FADD FFMA",
	"sqrt.rn.f32": "IADD3 MUFU ISETP BRA FMUL FMUL FFMA FFMA", "cvt": "F2F", "atom.global": "ATOMG", "atom.shared": "ATOMS", "red.global": "REDG", "red.shared": "ATOMS", "atom": "ATOM", "red": "RED",
	"mma.sync.aligned.m16n8k16": "HMMA", "ldmatrix": "LDSM", "cp.async.ca": "LDGSTS", "cp.async.cg": "LDGSTS", "cp.async.commit_group": "LDGDEPBAR", "cp.async.wait_group": "DEPBAR", "cp.async.wait_all": "LDGDEPBAR DEPBAR",
	"membar": "MEMBAR", "fence": "MEMBAR", "popc": "POPC", "clz": "FLO IADD3", "bfind": "FLO", "brev": "BREV", "prmt": "PRMT", "shf": "SHF", "bfe": "SHF SGXT", "bfi": "BMSK SHF LOP3", "lop3": "LOP3",
	"unroll guard": "ISETP BRA ISETP PLOP3 BRA", "unroll test": "ISETP BRA PLOP3 ISETP BRA",
	"rem.s32": "IABS I2F MUFU IADD3 F2I IADD3 IMAD IMAD IMAD IABS IMAD ISETP IADD3 ISETP IADD3 IADD3 ISETP LOP3 ISETP",
	"tex":     "TEX", "extend": "PRMT", "%laneid": "S2R", "cvt.rn.f32.s32": "I2FP", "cvt.rn.f32.u32": "I2FP", "slct": "SEL", "sad": "VABSDIFF", "dp4a": "IDP", "testp": "FSETP",
}

// withoutResult are the opcodes of atomics whose result nobody reads.
var withoutResult = map[string]string{"ATOMG": "REDG", "ATOM": "RED"}

// other selects an instruction of the table.
func (s *selector) other(v *value) {
	names := strings.Fields(s.sequence(v))
	if v.inst != nil && v.inst.Op == isa.OpAtom && !s.want[v] {
		if reduced, ok := withoutResult[names[0]]; ok {
			names[0] = reduced
		}
	}
	src := make([]Operand, 0, len(v.args))
	for i, a := range v.args {
		switch {
		case a.bits == 1:
			src = append(src, s.predicate(a, false))
		case a.isConst() && i > 0:
			src = append(src, Operand{Kind: Immediate, Value: a.imm})
		default:
			src = append(src, s.reg(a))
		}
	}
	for i, n := range names {
		d := Operand{}
		switch {
		case i < len(names)-1:
			d = s.temp(32)
		case v.bits > 0:
			d = s.dst(v)
		}
		s.emit(n, "", d, src...)
		if d.Kind != NoOperand {
			src = []Operand{d}
		}
	}
}

// sequence finds what an instruction becomes: the entry with the longest name that its own begins with, else one
// instruction of its unit.
func (s *selector) sequence(v *value) string {
	best := ""
	for name := range sequences {
		if strings.HasPrefix(v.name, name) && len(name) > len(best) {
			best = name
		}
	}
	if best != "" {
		return sequences[best]
	}
	if v.inst == nil {
		return "MOV"
	}
	return unitOpcodes[v.inst.Form.Row.Unit]
}

// unitOpcodes stand for an instruction of a unit when nothing better is known.
var unitOpcodes = map[isa.Unit]string{
	isa.NoUnit: "NOP", isa.ALU: "LOP3", isa.FMA: "FFMA", isa.FP16: "HFMA2", isa.FP64: "DFMA", isa.XU: "MUFU", isa.LSU: "LDS", isa.TEX: "TEX",
	isa.CBU: "NOP", isa.ADU: "BAR", isa.Uniform: "UMOV", isa.Tensor: "HMMA", isa.TMA: "UBLKCP",
}
