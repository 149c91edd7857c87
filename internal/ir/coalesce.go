package ir

import (
	"slices"

	"silica/internal/isa"
)

// longestRange bounds the spans of the ranges that coalesce looks at, so that its time grows with the
// code and no faster.
const longestRange = 256

// coalesce joins the two registers of a move into one where they are never live at the same time: the
// moves that close a loop, mostly, as compilers write them for every value that goes around. The mov stays
// in the code, to be counted, with its destination dropped. Moves in inner loops are tried first.
func (v *virtual) coalesce(depth []int) {
	same := make([]int, len(v.registers)) // union-find
	for i := range same {
		same[i] = i
	}
	find := func(r int) int {
		for same[r] != r {
			same[r] = same[same[r]]
			r = same[r]
		}
		return r
	}
	for _, in := range v.moves(depth) {
		d, s := find(in.Dst[0].Slot), find(in.Src[0].Slot)
		all := v.ranges
		if d == s || len(all[d])+len(all[s]) > longestRange || all[d].overlaps(all[s]) {
			continue
		}
		all[d], all[s], same[s] = all[d].union(all[s]), nil, d
	}
	for pc := range v.Code {
		in := &v.Code[pc]
		in.eachSource(func(o *Operand) { o.Slot = find(o.Slot) })
		for i := range in.Dst {
			if in.Dst[i].Slot >= 0 {
				in.Dst[i].Slot = find(in.Dst[i].Slot)
			}
		}
		if isMove(in) && in.Dst[0].Slot == in.Src[0].Slot {
			in.Dst[0].Slot = -1
		}
	}
}

// isMove tells whether an instruction copies one register to another.
func isMove(in *Inst) bool {
	return in.Op == isa.OpMov && len(in.Dst) == 1 && len(in.Src) == 1 && in.Dst[0].Slot >= 0 && in.Src[0].Slot >= 0 &&
		in.Dst[0].Bits == in.Src[0].Bits && !in.Src[0].Negate
}

// moves returns the moves between registers that instructions write, those of inner loops first. depth is the
// number of loops around each block.
func (v *virtual) moves(depth []int) []*Inst {
	var byDepth [][]*Inst
	for b := range v.Blocks {
		for pc := v.Blocks[b].Start; pc < v.Blocks[b].End; pc++ {
			in := &v.Code[pc]
			if !isMove(in) || v.registers[in.Src[0].Slot].kind != variableRegister {
				continue
			}
			for len(byDepth) <= depth[b] {
				byDepth = append(byDepth, nil)
			}
			byDepth[depth[b]] = append(byDepth[depth[b]], in)
		}
	}
	slices.Reverse(byDepth)
	return slices.Concat(byDepth...)
}
