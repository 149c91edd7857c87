package sass

import (
	"strings"

	"silica/internal/isa"
)

// named are the operands that nvdisasm writes: of registers that go together only the first.
func (in *Inst) named() (dst, src []Operand) {
	dst, src = withoutMore(in.Dst), withoutMore(in.Src)
	switch name := in.Op.Name; name {
	case "LD", "LDG", "LDS", "LDL", "LDSM":
		dst, src = dst[:min(1, len(dst))], addressed(name, src)[:min(1, len(src))]
	case "ST", "STG", "STS", "STL":
		src = addressed(name, src)
		src = src[:min(2, len(src))]
	case "LDGSTS":
		src = src[:min(2, len(src))]
		if len(src) == 2 { // where to is written first
			src = []Operand{src[1], src[0]}
		}
	case "HMMA", "IMMA", "BMMA", "DMMA":
		dst, src = dst[:min(1, len(dst))], in.matrices(dst, src)
	case "NOP", "BSSY", "BSYNC", "MEMBAR", "ERRBAR", "CGAERRBAR", "UCGABAR_ARV", "UCGABAR_WAIT", "CCTL", "FENCE", "LDGDEPBAR":
		dst, src = nil, nil
	case "S2R":
		if len(src) > 0 && src[0].Kind != SpecialRegister { // of a recorded sequence, where a lane's place in a matrix begins
			src = []Operand{{Kind: SpecialRegister, Name: "%laneid"}}
		}
	case "CS2R":
		dst = dst[:min(1, len(dst))]
	}
	return dst, src
}

func withoutMore(list []Operand) []Operand {
	var out []Operand
	for _, o := range list {
		if !o.More {
			out = append(out, o)
		}
	}
	return out
}

// addressed are the sources of an access, its address first. In recorded sequences that is a register.
func addressed(name string, src []Operand) []Operand {
	for i, o := range src {
		if o.Kind == Address {
			return src[i:]
		}
	}
	if len(src) == 0 || src[0].Kind != Register {
		return src
	}
	a := Operand{Kind: Address, Reg: src[0].Reg, Words: src[0].Words}
	if a.Wide = name == "LD" || name == "ST" || name == "LDG" || name == "STG"; a.Wide {
		a.Words = 2
	}
	return append([]Operand{a}, src[1:]...)
}

// matrices are the first registers of the three matrices of a product. The third has as many as the result; the first has twice those of the
// second where it has 16 rows.
func (in *Inst) matrices(dst, src []Operand) []Operand {
	rest := len(src) - len(dst)
	parts := 2
	if strings.HasPrefix(in.Mods, ".16") {
		parts = 3
	}
	if rest < parts || len(src) < 3 {
		return src
	}
	out := []Operand{src[0], src[rest-rest/parts], src[rest]}
	for i, o := range out {
		if o.Kind == Immediate && o.Value == 0 {
			out[i] = zero
		}
	}
	return out
}

// withCarry tells whether an instruction is one of two that add or shift 64 bits, and whether it takes what the other hands over.
func (in *Inst) withCarry() (hands, takes bool) {
	if len(in.Dst) == 0 || in.Dst[0].Words != 2 || in.Op.Pipe == isa.Uniform {
		return false, false
	}
	switch in.Op.Name {
	case "IADD3":
		return in.Mods == "", in.Mods == ".X"
	case "LEA":
		return in.Mods == "", strings.HasPrefix(in.Mods, ".HI.X")
	}
	return false, false
}

// nameCarries chooses the predicates between the halves of sums of 64 bits, which are one value until here: P6 and downwards, those that the
// function does not use.
func (f *Func) nameCarries() {
	used := map[int]bool{}
	for _, b := range f.Blocks {
		for _, in := range b.Code {
			for _, list := range [][]Operand{in.Dst, in.Src, {in.Guard}} {
				for _, o := range list {
					if o.Kind == Predicate {
						used[o.Reg] = true
					}
				}
			}
		}
	}
	for _, b := range f.Blocks {
		open := map[int]int{} // by the register that the sum is in
		for _, in := range b.Code {
			hands, takes := in.withCarry()
			switch {
			case takes:
				if p, ok := open[in.Dst[0].Reg]; ok {
					in.Carry = p
					delete(open, in.Dst[0].Reg)
				}
			case hands:
				in.Carry = freeCarry(used, open)
				open[in.Dst[0].Reg] = in.Carry
			}
		}
	}
}

// lastPredicate is the highest that is not PT.
const lastPredicate = 6

func freeCarry(used map[int]bool, open map[int]int) int {
	taken := map[int]bool{}
	for _, p := range open {
		taken[p] = true
	}
	for p := lastPredicate; p >= 0; p-- {
		if !used[p] && !taken[p] {
			return p
		}
	}
	return lastPredicate
}
