package simd

import (
	"maps"
	"slices"
	"strings"

	"silica/internal/ir"
	"silica/internal/isa"
)

// Compilers that do not know better access variables of a thread that have addresses with generic loads and stores. Where each way to such an access has made
// its address from that of local memory, it is one of local memory, which has machine code. Functions are told such addresses in parameters: those that
// every call of the kernel gives one are made from them too. Go still looks at the address that an access has.

// stackFinder finds the generic accesses of a kernel's functions whose addresses are made from those of local memory.
type stackFinder struct {
	funcs []*ir.Func
	found []map[int]bool
	// given are the parameters of each function, by their offsets, that calls give such addresses; all, until a call does not.
	given   []map[int]bool
	changed bool
}

// stackAccesses returns the accesses of each function of a kernel.
func stackAccesses(k *ir.Kernel) []map[int]bool {
	s := &stackFinder{funcs: k.Funcs, found: make([]map[int]bool, len(k.Funcs)), given: make([]map[int]bool, len(k.Funcs))}
	if !slices.ContainsFunc(k.Funcs, convertsLocal) {
		return s.found
	}
	for i, f := range k.Funcs {
		s.found[i], s.given[i] = map[int]bool{}, map[int]bool{}
		for _, p := range f.Params {
			s.given[i][p.Offset] = i > 0 && p.Size == 8
		}
	}
	for s.changed = true; s.changed; {
		s.changed = false
		for i := range s.funcs {
			s.function(i)
		}
	}
	return s.found
}

// function finds the accesses of one function.
func (s *stackFinder) function(number int) {
	f, found := s.funcs[number], s.found[number]
	in := make([]map[int]bool, len(f.Blocks)) // rows with such addresses at the start of a block, nil where no way has been found
	if len(in) == 0 {
		return
	}
	in[0] = map[int]bool{}
	for offset, given := range s.given[number] {
		if given {
			in[0][parameterSlot(offset)] = true
		}
	}
	for changed := true; changed; {
		changed = false
		clear(found)
		for i, block := range f.Blocks {
			if in[i] == nil {
				continue
			}
			rows := maps.Clone(in[i])
			for pc := block.Start; pc < block.End; pc++ {
				x := &f.Code[pc]
				if (x.Op == isa.OpLoad || x.Op == isa.OpStore) && x.Addr.Space == isa.Generic && rows[x.Addr.Base.Slot] {
					found[pc] = true
				}
				if x.Op == isa.OpCall {
					s.call(x.Call, rows)
				}
				passStack(x, rows)
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
}

// call takes note of what a call gives a function.
func (s *stackFinder) call(c *ir.Call, rows map[int]bool) {
	callees := c.Candidates
	if c.Func >= 0 {
		callees = []int{c.Func}
	}
	for _, callee := range callees {
		for i, p := range s.funcs[callee].Params {
			if given := s.given[callee]; given[p.Offset] && (i >= len(c.Args) || !rows[parameterSlot(c.Args[i].Offset)]) {
				given[p.Offset], s.changed = false, true
			}
		}
	}
}

// parameterSlot names the place of a parameter or an argument in a frame, like a row.
func parameterSlot(offset int) int { return -2 - offset }

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
	if in.Op == isa.OpStore && in.Addr.Space == isa.ParamFunc && len(in.Src) == 1 && in.Guard.Slot < 0 {
		rows[parameterSlot(int(in.Addr.Offset))] = in.Src[0].Bits == 64 && rows[in.Src[0].Slot]
	}
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
	case isa.OpLoad:
		return in.Addr.Space == isa.ParamFunc && len(in.Dst) == 1 && rows[parameterSlot(int(in.Addr.Offset))]
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
