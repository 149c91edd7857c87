package sass

import "silica/internal/isa"

// uniformNames are the instructions that the uniform datapath has too: what they make is the same in all lanes when their sources are.
var uniformNames = map[string]string{
	"IADD3": "UIADD3", "IMAD": "UIMAD", "LEA": "ULEA", "LOP3": "ULOP3", "SHF": "USHF", "MOV": "UMOV", "S2R": "S2UR", "LDC": "ULDC",
}

// toUniform moves what the uniform datapath can compute there, where everything that reads it takes a uniform register: it frees a
// general one. uniform tells whether all values of a web are the same in all lanes.
func (fn *Func) toUniform(uniform func(web int) bool) {
	m := &mover{fn: fn, stays: map[int]bool{}, defs: map[int]int{}}
	fn.eachInst(m.define)
	for web, n := range m.defs {
		if fn.webs.words[web] > 2 || n > 1 && !uniform(web) {
			m.stays[web] = true
		}
	}
	for m.changed = true; m.changed; {
		m.changed = false
		fn.eachInst(m.check)
	}
	fn.eachInst(m.move)
	for _, b := range fn.Blocks {
		b.Code = withoutTwins(fn.banksLoaded(b.Code))
	}
}

// mover knows which webs stay in general registers.
type mover struct {
	fn      *Func
	defs    map[int]int // instructions that write each web
	stays   map[int]bool
	changed bool
}

// define counts what writes a web; it stays when that has no uniform form.
func (m *mover) define(in *Inst) {
	m.fn.each(Register, in.Dst, func(web int) {
		m.defs[web]++
		if _, ok := fixedNumber(web); ok || !movable(in) {
			m.stays[web] = true
		}
	})
}

// movable tells whether an instruction has a uniform form.
func movable(in *Inst) bool {
	if uniformNames[in.Op.Name] == "" || len(in.Dst) != 1 || len(in.Src) == 0 || in.Guard.Kind != NoOperand {
		return false
	}
	switch in.Op.Name {
	case "S2R":
		return uniformSpecial(in.Src[0].Name)
	case "LDC":
		return in.Src[0].Kind == ConstantBank && (in.Mods == "" || in.Mods == ".64" && in.Src[0].Bank == 0)
	case "IMAD":
		if in.Mods != "" && in.Mods != ".WIDE" && in.Mods != ".WIDE.U32" {
			return false
		}
	case "LEA":
		if in.Mods != "" && in.Mods != ".HI.X" {
			return false
		}
	case "SHF":
		if len(in.Src) != 3 {
			return false
		}
	}
	for _, o := range in.Src {
		if o.Kind == Predicate && o.Reg >= 0 {
			return false
		}
	}
	return true
}

// moves tells whether an operand names a web that moves.
func (m *mover) moves(o Operand) bool {
	if o.Kind != Register && o.Kind != Address || o.Reg < 0 {
		return false
	}
	web := m.fn.webs.find(o.Reg)
	return m.defs[web] > 0 && !m.stays[web]
}

func (m *mover) keep(o Operand) {
	m.stays[m.fn.webs.find(o.Reg)] = true
	m.changed = true
}

// check keeps what an instruction writes when it reads what does not move, and what it reads when it can not read it from a uniform register.
func (m *mover) check(in *Inst) {
	if len(in.Dst) == 1 && m.moves(in.Dst[0]) {
		for _, o := range in.Src {
			if o.Kind == Register && o.Reg >= 0 && !m.moves(o) {
				m.keep(in.Dst[0])
				return
			}
		}
		return
	}
	taken := false
	for i, o := range in.Src {
		if in.Op.Name == "LEA" && i > 1 {
			break // by how much it shifts
		}
		taken = taken || o.Kind == UniformRegister || o.Kind == ConstantBank || o.Kind == Immediate || o.Uniform > 0
	}
	for i, o := range in.Src {
		if !m.moves(o) {
			continue
		}
		if taken || !takesUniform(in, i) {
			m.keep(o)
			continue
		}
		taken = true
	}
}

// takesUniform tells whether an instruction can read its source i from a uniform register.
func takesUniform(in *Inst, i int) bool {
	switch in.Op.Name {
	case "IADD3", "IMAD", "LOP3", "ISETP":
		return i < 3
	case "LEA":
		return i == 1
	case "R2UR":
		return in.Src[i].Words < 2
	case "LDS", "STS", "ATOMS":
		return i == 0 && in.Src[0].Scale == 0
	}
	return in.Op.Middle && (i > 0 || len(in.Src) == 1)
}

// move renames an instruction that moves, and operands that do.
func (m *mover) move(in *Inst) {
	moved := len(in.Dst) == 1 && m.moves(in.Dst[0])
	for i := range in.Src {
		o := &in.Src[i]
		switch {
		case !m.moves(*o):
		case o.Kind == Address:
			o.Uniform, o.Reg = o.Reg, -1
		default:
			o.Kind = UniformRegister
			if i == 0 && len(in.Src) > 1 && !moved {
				in.Src[0], in.Src[1] = in.Src[1], in.Src[0]
				in.Mods = mirrored(in)
			}
		}
	}
	if in.Op.Name == "R2UR" && len(in.Src) == 1 && in.Src[0].Kind == UniformRegister {
		in.Op = Lookup("UMOV")
	}
	if moved {
		in.Op, in.Dst[0].Kind = Lookup(uniformNames[in.Op.Name]), UniformRegister
		if in.Op.Name == "UMOV" && in.Src[0].Kind == ConstantBank {
			in.Op = Lookup("ULDC")
		}
	}
}

// banksLoaded loads what the uniform datapath reads from constant memory, which is no operand there.
func (fn *Func) banksLoaded(code []*Inst) []*Inst {
	var out []*Inst
	loaded := map[Operand]Operand{}
	for _, in := range code {
		for i, o := range in.Src {
			if o.Kind != ConstantBank || in.Op.Pipe != isa.Uniform || in.Op.Name == "ULDC" {
				continue
			}
			from := Operand{Kind: ConstantBank, Bank: o.Bank, Value: o.Value, Words: o.Words}
			d, ok := loaded[from]
			if !ok {
				d = Operand{Kind: UniformRegister, Reg: fn.newRegister(o.Words), Words: o.Words}
				loaded[from] = d
				load := &Inst{Op: Lookup("ULDC"), Dst: []Operand{d}, Src: []Operand{from}, Target: -1, PC: -1}
				if o.Words == 2 {
					load.Mods = ".64"
				}
				out = append(out, load)
			}
			in.Src[i] = d
			in.Src[i].Part, in.Src[i].Negate = o.Part, o.Negate
		}
		out = append(out, in)
	}
	return out
}

// mirrored are the modifiers of an instruction whose first two sources change places.
func mirrored(in *Inst) string {
	if in.Op.Name == "ISETP" && len(in.Mods) > 3 {
		if other := map[string]string{".LT": ".GT", ".GT": ".LT", ".LE": ".GE", ".GE": ".LE"}[in.Mods[:3]]; other != "" {
			return other + in.Mods[3:]
		}
	}
	return in.Mods
}

// withoutTwins leaves out loads of a constant to a uniform register that holds it already.
func withoutTwins(code []*Inst) []*Inst {
	type load struct {
		reg  int
		from Operand
	}
	seen := map[load]bool{}
	var out []*Inst
	for _, in := range code {
		if in.Op.Name == "ULDC" && in.Mods == "" {
			l := load{in.Dst[0].Reg, in.Src[0]}
			if seen[l] {
				continue
			}
			seen[l] = true
		}
		out = append(out, in)
	}
	return out
}
