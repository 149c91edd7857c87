package simd

import (
	"maps"
	"strings"

	"silica/internal/ir"
	"silica/internal/isa"
)

// Compilers that do not know better access variables of a thread that have addresses with generic loads and stores. Where each way to such an access has made
// its address from that of local memory, it is one of local memory, which has machine code. Go still looks at the address that it has.

// stackAccesses returns the generic loads and stores of a function whose addresses are made from those of local memory.
func stackAccesses(f *ir.Func) map[int]bool {
	in := make([]map[int]bool, len(f.Blocks)) // rows with such addresses at the start of a block, nil where no way has been found
	if len(in) == 0 || !convertsLocal(f) {
		return nil
	}
	found := map[int]bool{}
	in[0] = map[int]bool{}
	for changed := true; changed; {
		changed = false
		clear(found)
		for i, block := range f.Blocks {
			if in[i] == nil {
				continue
			}
			rows := maps.Clone(in[i])
			for pc := block.Start; pc < block.End; pc++ {
				if x := &f.Code[pc]; (x.Op == isa.OpLoad || x.Op == isa.OpStore) && x.Addr.Space == isa.Generic && rows[x.Addr.Base.Slot] {
					found[pc] = true
				}
				passStack(&f.Code[pc], rows)
			}
			for _, to := range block.Succs {
				if to >= len(in) {
					continue
				}
				if in[to] == nil {
					in[to], changed = maps.Clone(rows), true
					continue
				}
				before := len(in[to])
				maps.DeleteFunc(in[to], func(row int, _ bool) bool { return !rows[row] })
				changed = changed || len(in[to]) != before
			}
		}
	}
	return found
}

func convertsLocal(f *ir.Func) bool {
	for i := range f.Code {
		if toGeneric(&f.Code[i]) {
			return true
		}
	}
	return false
}

// toGeneric tells whether an instruction makes a generic address of one of local memory.
func toGeneric(in *ir.Inst) bool {
	if in.Op != isa.OpCvta {
		return false
	}
	space, fromGeneric := isa.CvtaOf(in.Form)
	return space == isa.Local && !fromGeneric
}

// passStack takes the rows with addresses that are made from those of local memory to behind an instruction.
func passStack(in *ir.Inst, rows map[int]bool) {
	made := madeOfStack(in, rows)
	for _, d := range in.Dst {
		if d.Slot < 0 || d.Bits == 1 {
			continue
		}
		if made && d.Bits == 64 && (in.Guard.Slot < 0 || rows[d.Slot]) {
			rows[d.Slot] = true
			continue
		}
		for row := d.Slot; row < d.Slot+max(d.Bits/32, 1); row++ {
			delete(rows, row)
		}
	}
}

// madeOfStack tells whether what an instruction computes is made of one such address.
func madeOfStack(in *ir.Inst, rows map[int]bool) bool {
	is := func(i int) bool { return i < len(in.Src) && in.Src[i].Bits == 64 && rows[in.Src[i].Slot] }
	switch in.Op {
	case isa.OpCvta:
		return toGeneric(in)
	case isa.OpMov:
		return len(in.Src) == 1 && is(0)
	case isa.OpLane:
		switch name := in.Form.Name(); {
		case strings.HasPrefix(name, "add."), strings.HasPrefix(name, "or."):
			return is(0) != is(1)
		case strings.HasPrefix(name, "sub."):
			return is(0) && !is(1)
		case strings.HasPrefix(name, "selp."):
			return is(0) && is(1)
		case strings.HasPrefix(name, "mad."):
			return is(2)
		}
	}
	return false
}
