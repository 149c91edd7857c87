package sass

import (
	"strings"

	"silica/internal/isa"
)

// isAtomic tells whether an instruction changes memory in one step.
func isAtomic(v *value) bool {
	return v.inst != nil && (v.inst.Op == isa.OpAtom || v.inst.Op == isa.OpRed) && len(v.args) > 0
}

// counts tells whether an atomic adds one to a word of shared memory and nobody reads what was there: an instruction that counts the
// lanes of each word does that from Ampere on.
func (s *selector) counts(v *value) bool {
	if !isAtomic(v) || s.arch.SM < 80 || s.want[v] || v.inst.Addr.Space != isa.Shared || len(v.args) != 2 || !v.args[1].isConst() {
		return false
	}
	f := v.inst.Form
	switch {
	case v.typ != isa.U32 && v.typ != isa.S32:
		return false
	case f.Has(".add"):
		return v.args[1].imm == 1
	}
	return f.Has(".inc") && uint32(v.args[1].imm) == ^uint32(0)
}

// count selects such an instruction.
func (s *selector) count(v *value) {
	s.emit("ATOMS", ".POPC.INC.32", Operand{}, s.scaledOperand(v.args[0], int64(v.imm), isa.Shared))
}

// reduced is the sequence that combines the operands of a warp's lanes for one atomic addition, from Ampere on.
var reduced = strings.Fields("S2R VOTEU.ANY UFLO.U32 ISETP.EQ.U32.AND REDUX.SUM MOV")

// atomic chooses how an atomic operation is made. What was recorded had the same address and operand in all lanes, which ptxas combines
// before one lane changes memory; operands that differ are added up by REDUX, and where addresses differ or only one lane comes there is
// nothing to combine.
func (s *selector) atomic(v *value, names []string) []string {
	if !isAtomic(v) {
		return names
	}
	unread := v.inst.Op == isa.OpRed || !s.want[v]
	if rest, ok := strings.CutPrefix(v.name, "atom."); ok && unread {
		if code, ok := sequences().find("red." + rest); ok {
			names = strings.Fields(code)
		}
	}
	combined, last := false, ""
	for _, n := range names {
		combined = combined || strings.HasPrefix(n, "VOTE") || strings.HasPrefix(n, "REDUX")
		if changesMemory(n) {
			last = n
		}
	}
	switch {
	case !combined:
		return names
	case !v.args[0].uniform || oneLane(v.block):
		var out []string
		for _, n := range names {
			if changesMemory(n) {
				out = append(out, n)
			}
		}
		return out
	case unread && s.arch.SM >= 80 && v.inst.Form.Has(".add") && len(v.args) == 2 && !v.args[1].uniform:
		return append(reduced[:len(reduced):len(reduced)], last)
	}
	return names
}

// changesMemory tells whether a machine instruction is an atomic operation.
func changesMemory(name string) bool {
	return strings.HasPrefix(name, "ATOM") || strings.HasPrefix(name, "RED") && !strings.HasPrefix(name, "REDUX")
}

// oneLane tells whether a block is only run by a lane whose number was compared with one number.
func oneLane(b *block) bool {
	for ; b.idom != nil && b.idom != b; b = b.idom {
		from := b.idom
		if from.leave == nil || from.leave.op != opBranch || len(from.leave.args) == 0 || len(b.preds) != 1 {
			continue
		}
		test, not := from.leave.args[0], from.leave.guardNot
		for test.op == opNot {
			test, not = test.args[0], !not
		}
		if test.op != opCompare || !test.args[1].isConst() || test.args[0].name != "%tid.x" && test.args[0].name != "%laneid" {
			continue
		}
		taken := from.taken == b
		if test.name == "eq" && taken != not || test.name == "ne" && taken == not {
			return true
		}
	}
	return false
}
