package sass

import "strings"

// nameHalves tells which half of a pair of registers the instructions of a sequence name that compute 64 bits in two steps: the low one first, but for
// shifts to the left.
func nameHalves(seq []*Inst) {
	written := map[int]int{}
	for _, in := range seq {
		if in.wholePairs() || in.Op.Name == "MOV" && len(in.Dst) > 0 && in.Dst[0].Part == 1 { // which has been named
			continue
		}
		upper := strings.Contains(in.Mods, ".X") || strings.Contains(in.Mods, ".EX") || in.Mods == ".L.U64.HI"
		if len(in.Dst) > 0 && in.Dst[0].Words == 2 {
			upper = upper || written[in.Dst[0].Reg] == 1 || in.Dst[0].Part == 1
			if in.Mods == ".L.U32" && in.Op.Name == "SHF" {
				upper = false
			}
			written[in.Dst[0].Reg]++
		}
		for _, list := range [][]Operand{in.Dst, in.Src} {
			for i := range list {
				switch o := &list[i]; {
				case upper && o.Words == 2 && o.Kind != Address:
					o.Part = 1
				case upper && o.Kind == Immediate && in.Op.Name != "SHF" && in.Op.Name != "LEA":
					o.Value >>= 32
				}
			}
		}
	}
}

// half is which register of a pair a value of 32 bits lies in, 0 for one that lies alone.
func (v *value) half() int {
	if v.op == opHigh && v.guard == nil && !v.args[0].leaf() && !v.args[0].onlyHigh() {
		return 1
	}
	if len(v.users) == 1 && v.uses == 1 && !v.leaf() {
		if pair := v.users[0]; pair.op == opPair && pair.args[1] == v {
			return 1
		}
	}
	return 0
}

// wholePairs tells whether an instruction names pairs of registers as one operand.
func (in *Inst) wholePairs() bool {
	switch in.Op.Name {
	case "CS2R", "CALL", "RET", "LEPC":
		return true
	case "IADD3", "SEL", "LOP3", "MOV", "LEA", "SHF", "ISETP", "UIADD3", "ULEA", "ULOP3", "USHF", "UMOV", "USEL":
		return false
	}
	return true
}
