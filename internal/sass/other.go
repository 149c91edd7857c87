package sass

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"silica/internal/isa"
)

// recorded is what ptxas makes of single instructions: a line is the machine instructions, a tab, and the forms that become them.
//
//go:embed sequences.txt
var recorded string

// sequenceTable finds what forms become.
type sequenceTable struct {
	byName   map[string]string
	byOpcode map[string][]string // names of forms, in order
}

// sequences reads the recorded table.
var sequences = sync.OnceValue(func() sequenceTable {
	t := sequenceTable{map[string]string{}, map[string][]string{}}
	for _, line := range strings.Split(recorded, "\n") {
		code, forms, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		for _, name := range strings.Fields(forms) {
			t.byName[name] = strings.TrimPrefix(code, "-")
			opcode, _, _ := strings.Cut(name, ".")
			t.byOpcode[opcode] = append(t.byOpcode[opcode], name)
		}
	}
	return t
})

// internals are the sequences of what lowering adds, and of instructions that are part of another here.
var internals = map[string]string{
	"reciprocal.u32": "I2F.U32.RP MUFU.RCP IADD3 F2I.FTZ.U32.TRUNC.NTZ IMAD IMAD.HI.U32 MOV",
	"reciprocal.s32": "IABS I2F.RP MUFU.RCP IADD3 F2I.FTZ.U32.TRUNC.NTZ IMAD IMAD.HI.U32 MOV MOV",
	"extend":         "PRMT", "pack": "PRMT", "%laneid": "S2R", "unroll guard": "ISETP.GT.AND BRA ISETP.GT.AND PLOP3.LUT BRA", "unroll test": "ISETP.GT.AND BRA PLOP3.LUT ISETP.GT.AND BRA",
}

// called are the instructions of the functions that ptxas lets 64-bit divisions call, with those that decide on the call and return from it: a
// reciprocal with two corrections, a product, and two corrections of the quotient. Operands of 32 bits take a shorter way, which only their values tell.
var called = map[string]string{
	"div.u64": decision + quotient64, "rem.u64": decision + quotient64,
	"div.s64": decision + absolute64 + quotient64 + absolute64, "rem.s64": decision + absolute64 + quotient64 + absolute64,
}

const (
	decision   = " LOP3 ISETP BSSY BRA"
	absolute64 = " IADD3 IADD3.X SEL SEL"
	correction = " IMAD.WIDE.U32 IMAD IADD3 IMAD IMAD.HI.U32 IADD3.X IMAD.WIDE.U32 IMAD IMAD.HI.U32 IMAD.HI.U32 IADD3 IADD3.X IADD3.X"
	compare64  = " ISETP IADD3 ISETP IADD3.X SEL SEL"
	quotient64 = " I2F.U64.RP MUFU.RCP VIADD F2I.U64.TRUNC" + correction + correction + " IMAD.HI.U32 IMAD.WIDE.U32 IMAD IMAD.HI.U32 IMAD.HI.U32 IADD3 IADD3.X" +
		" IMAD.WIDE.U32 IMAD.X IMAD IADD3 IMAD IADD3.X" + compare64 + compare64 + " ISETP ISETP SEL SEL MOV"
)

// find returns what a form becomes: what was recorded, or what was recorded for the form of the same opcode that shares most
// modifiers; ok is false when nothing of that opcode was recorded.
func (t sequenceTable) find(name string) (code string, ok bool) {
	if code, ok := t.byName[name]; ok {
		return code, true
	}
	opcode, mods, _ := strings.Cut(name, ".")
	wanted := map[string]bool{}
	for _, m := range strings.Split(mods, ".") {
		wanted[m] = true
	}
	best := -1 << 20
	for _, n := range t.byOpcode[opcode] {
		score := 0
		if o := operation(n); o != "" && !wanted[o] {
			score -= 1 << 10
		}
		for _, m := range strings.Split(n[len(opcode):], ".") {
			switch {
			case wanted[m]:
				score += 3
			case m != "":
				score--
			}
		}
		if score > best {
			best, code = score, t.byName[n]
		}
	}
	return code, best > -1<<20
}

// operation is what an atomic form does to memory, "" for other forms.
func operation(name string) string {
	opcode, mods, _ := strings.Cut(name, ".")
	if opcode != "atom" && opcode != "red" {
		return ""
	}
	for _, m := range strings.Split(mods, ".") {
		switch m {
		case "add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas":
			return m
		}
	}
	return ""
}

// withoutResult are the opcodes of atomics whose result nobody reads.
var withoutResult = map[string]string{"ATOMG": "REDG", "ATOM": "RED"}

// other selects an instruction of the table.
func (s *selector) other(v *value) {
	if isWarpgroup(v) {
		s.warpgroup(v)
		return
	}
	names := s.shared(v, strings.Fields(s.sequence(v)))
	names = s.atomic(v, s.withoutDummies(v, names))
	if s.counts(v) {
		s.count(v)
		return
	}
	src := make([]Operand, 0, len(v.args))
	places := v.memoryOperands()
	for i, a := range v.args {
		switch {
		case len(names) == 1 && names[0] == "NOP": // which reads nothing
		case i < len(places) && isAtomic(v):
			src = append(src, s.scaledOperand(a, places[i].Offset, places[i].Space))
		case i < len(places):
			src = append(src, s.memoryOperand(a, places[i].Offset, places[i].Space))
		case a.bits == 1:
			src = append(src, s.predicate(a, false))
		case a.isConst() && a.imm != 0 && v.inst != nil && (v.inst.Op == isa.OpAtom || v.inst.Op == isa.OpRed):
			d := s.temp(32)
			s.emit("MOV", "", d, Operand{Kind: Immediate, Value: a.imm})
			src = append(src, d)
		case inBank(a) && convertsAlone(v, names):
			src = append(src, s.middle(a))
		case a.isConst() && (i > 0 || v.inst != nil && v.inst.Op == isa.OpNop):
			src = append(src, Operand{Kind: Immediate, Value: a.imm})
		default:
			src = append(src, s.reg(a))
		}
	}
	switch {
	case isFragment(v):
		s.fragment(v, names, src)
		return
	case isProduct(v, names):
		s.product(v, names, src)
		return
	}
	inputs, away := len(src), len(strings.Fields(called[v.name]))
	for i, n := range names {
		d := Operand{}
		switch {
		case i < len(names)-1:
			d = s.temp(32)
		case v.bits > 0 && (s.want[v] || !isAtomic(v)):
			d = s.dst(v)
		}
		opcode, mods, _ := strings.Cut(n, ".")
		if mods != "" {
			mods = "." + mods
		}
		if r, ok := withoutResult[opcode]; ok && v.inst != nil && v.inst.Op == isa.OpAtom && !s.want[v] {
			opcode = r
		}
		from := src
		if Lookup(opcode).Pipe != isa.LSU {
			from = src[min(len(places), len(src)):]
		}
		in := s.emit(opcode, mods, d, from...)
		in.Away = i >= len(names)-away
		if n == "BRA" || i == 0 && !slices.Contains(names, "BRA") {
			s.slowPath(in, v)
		}
		if i == len(names)-1 {
			s.further(in, v)
		}
		if d.Kind != NoOperand {
			if len(src) == 1 && !refines(v) {
				inputs = 0
			}
			src = append(src[:inputs:inputs], d)
		}
	}
}

// slowPaths are the registers that ptxas' functions for operands out of the ordinary take beside those operands, with which divisions and roots are
// finished: seldom run, their callers have to leave room for them.
var slowPaths = map[string]int{
	"div.rn.f32": 8, "rcp.rn.f32": 8, "sqrt.rn.f32": 6, "div.rn.f64": 17, "rcp.rn.f64": 7, "sqrt.rn.f64": 13,
	"div.s64": 15, "rem.s64": 15, "div.u64": 11, "rem.u64": 11,
}

// lanesApart are the registers for a shuffle whose lanes may come one after the other, which is made aside, beside value and result: the mask, the
// lane and the clamp, and before Hopper what is left of them and a return address.
func (a Arch) lanesApart() int {
	if a.SM >= 90 {
		return 4
	}
	return 2
}

// slowPath lets an instruction overwrite the registers of what it goes to for operands out of the ordinary, and for lanes that went apart.
func (s *selector) slowPath(in *Inst, v *value) {
	n := slowPaths[strings.ReplaceAll(v.name, ".ftz", "")]
	if in.Op.Name == "SHFL" && v.block.split {
		n = s.arch.lanesApart()
	}
	for range n {
		o := s.temp(32)
		o.More = true
		in.Dst = append(in.Dst, o)
	}
}

// convertsAlone tells whether an instruction of one source becomes one machine instruction that reads it from wherever it is.
func convertsAlone(v *value, names []string) bool {
	if len(v.args) != 1 || len(names) != 1 {
		return false
	}
	opcode, _, _ := strings.Cut(names[0], ".")
	return Lookup(opcode) != nil && Lookup(opcode).Middle
}

// withoutDummies selects the loads that are never executed which ptxas puts before a group of asynchronous copies, and leaves them out of
// the sequence of a copy.
func (s *selector) withoutDummies(v *value, names []string) []string {
	if len(names) == 0 || !strings.HasPrefix(names[len(names)-1], "LDGSTS") {
		return names
	}
	first := true
	for _, o := range v.block.values {
		if o == v {
			break
		}
		if o.op == opOther && o.inst != nil && o.inst.Form.Opcode == v.inst.Form.Opcode {
			first = o.inst.Op != v.inst.Op
		}
	}
	for len(names) > 1 && names[0] == "LDS" {
		names = names[1:]
		if first {
			in := s.emit("LDS", "", zero, Operand{Kind: Address, Reg: -1, Words: 1})
			in.Guard = truth
			in.Guard.Negate = true
		}
	}
	return names
}

// never tells whether an instruction is never executed, though issued.
func (in *Inst) never() bool {
	return in.Guard.Kind == Predicate && in.Guard.Reg < 0 && in.Guard.Negate
}

// refines tells whether a sequence comes back to its source, as corrections of a first estimate do: what is approximate is scaled, estimated
// and scaled back.
func refines(v *value) bool { return !strings.Contains(v.name, ".approx") }

// shared leaves out what the loads and stores of matrices of a function do once: the place of a lane in a matrix.
func (s *selector) shared(v *value, names []string) []string {
	if !isFragment(v) {
		return names
	}
	if !s.lanePlaced {
		s.lanePlaced = true
		return names
	}
	var out []string
	for i, n := range names {
		access := false
		for _, later := range names[i:] {
			switch op, _, _ := strings.Cut(later, "."); op {
			case "LD", "ST", "LDS", "STS", "LDG", "STG", "LDSM", "MOVM":
				access = true
			}
		}
		switch op, _, _ := strings.Cut(n, "."); {
		case op == "LEA", op == "LD", op == "ST", op == "LDS", op == "STS", op == "LDG", op == "STG", op == "LDSM", op == "MOVM", !access:
			out = append(out, n)
		}
	}
	return out
}

// sequence finds what an instruction becomes; when nothing like it was recorded, one instruction of its unit.
func (s *selector) sequence(v *value) string {
	if code, ok := internals[v.name]; ok {
		return code
	}
	if name, ok := strings.CutPrefix(v.name, "quotient."); ok {
		return withoutReciprocal(sequences().byName[name], internals["reciprocal."+v.inst.Form.Get("type")[1:]])
	}
	if strings.HasPrefix(v.name, "%") {
		return "S2R"
	}
	if v.inst == nil {
		return "MOV"
	}
	if code, ok := sequences().find(v.name); ok {
		return code + called[v.name]
	}
	if v.inst.Op == isa.OpTexture {
		return textureOpcode(v.inst.Form)
	}
	return unitOpcodes[v.inst.Form.Row.Unit]
}

// textureOpcode is the opcode of an instruction on textures or surfaces: texels that are named by their number are loaded, others sampled.
func textureOpcode(f *isa.Form) string {
	switch f.Opcode {
	case "tld4":
		return "TLD4"
	case "suld":
		return "SULD"
	case "sust":
		return "SUST"
	case "sured":
		return "SURED"
	case "txq", "suq", "istypep":
		return "TXQ"
	}
	switch {
	case f.Get("ctype") == ".s32":
		return "TLD"
	case f.Has(".grad"):
		return "TXD"
	}
	return "TEX"
}

// withoutReciprocal is the sequence of a division without the instructions that make the reciprocal: one fewer of each opcode.
func withoutReciprocal(whole, reciprocal string) string {
	left := map[string]int{}
	for _, n := range strings.Fields(reciprocal) {
		op, _, _ := strings.Cut(n, ".")
		left[sameWork(op)]++
	}
	var out []string
	for _, n := range strings.Fields(whole) {
		op, _, _ := strings.Cut(n, ".")
		if op = sameWork(op); left[op] > 0 && len(out) == 0 || left[op] > 0 && op != "IADD3" {
			left[op]--
			continue
		}
		out = append(out, n)
	}
	return strings.Join(out, " ")
}

// sameWork names opcodes that ptxas uses for one another alike.
func sameWork(op string) string {
	switch op {
	case "VIADD":
		return "IADD3"
	case "HFMA2":
		return "MOV"
	}
	return op
}

// unitOpcodes stand for an instruction of a unit when nothing better is known.
var unitOpcodes = map[isa.Unit]string{
	isa.NoUnit: "NOP", isa.ALU: "LOP3", isa.FMA: "FFMA", isa.FP16: "HFMA2", isa.FP64: "DFMA", isa.XU: "MUFU", isa.LSU: "LDS", isa.TEX: "TEX",
	isa.CBU: "NOP", isa.ADU: "BAR", isa.Uniform: "UMOV", isa.Tensor: "HMMA", isa.TMA: "UBLKCP",
}
