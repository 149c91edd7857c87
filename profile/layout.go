package profile

import (
	"slices"
	"strings"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
)

// layout gives each memory instruction of a kernel a place for its traffic, found by function and PC.
type layout struct {
	kernel *ir.Kernel
	sites  [][]site // [function][pc]
	slots  int
}

// site is what an observer needs to know of a memory instruction.
type site struct {
	// slot is the first place in the traffic. An instruction with a state space of its own has one; another one for
	// each of spaces.
	slot    int32
	generic bool
	atomic  bool
	writes  bool // to global memory
	shared  sharedOp
}

// spaces lists the spaces in the order of a generic instruction's slots.
var spaces = [...]Space{Global, Local, Shared, DShared, Const, Parameter}

// spaceIndices has the place of each space in spaces; any other is global memory.
var spaceIndices = [16]uint8{isa.Local: 1, isa.Shared: 2, isa.SharedCluster: 3, isa.Const: 4, isa.ParamEntry: 5, isa.ParamFunc: 5}

func spaceIndex(s isa.Space) int32 { return int32(spaceIndices[s%16]) }

func newLayout(k *ir.Kernel) *layout {
	p := &layout{kernel: k}
	for _, f := range k.Funcs {
		sites := make([]site, len(f.Code))
		for pc := range f.Code {
			s := &sites[pc]
			s.slot = -1
			if !accesses(f.Code[pc].Op) {
				continue
			}
			*s = newSite(f, &f.Code[pc])
			s.slot = int32(p.slots)
			p.slots++
			if s.generic {
				p.slots += len(spaces) - 1
			}
		}
		p.sites = append(p.sites, sites)
	}
	return p
}

// accesses tells whether instructions of an operation reach memory, so that engines may report it.
func accesses(op isa.Op) bool {
	switch op {
	case isa.OpLoad, isa.OpStore, isa.OpAtom, isa.OpRed, isa.OpAsync, isa.OpMatrix, isa.OpWarpgroup:
		return true
	}
	return false
}

func newSite(f *ir.Func, in *ir.Inst) site {
	return site{
		atomic:  in.Op == isa.OpAtom || in.Op == isa.OpRed,
		generic: in.Op == isa.OpAsync || in.Addr.Space == isa.Generic || in.Addr.Space == isa.SharedCluster,
		writes:  writes(in),
		shared:  sharedOpOf(f, in),
	}
}

// writes tells whether an instruction's accesses to global memory change it.
func writes(in *ir.Inst) bool {
	switch in.Op {
	case isa.OpLoad:
		return false
	case isa.OpMatrix:
		return in.Form.Has(".store")
	case isa.OpAsync:
		return strings.Contains(in.Form.Name(), ".global.shared") // to, from
	}
	return true
}

func sharedOpOf(f *ir.Func, in *ir.Inst) sharedOp {
	switch {
	case in.Op == isa.OpLoad, in.Op == isa.OpMatrix && in.Form.Has(".load"):
		return sharedLoad
	case in.Op == isa.OpStore, in.Op == isa.OpMatrix, in.Op == isa.OpAsync:
		// The rows of ldmatrix are read matrix by matrix, as if they were stored.
		return sharedStore
	case in.Op == isa.OpWarpgroup:
		return sharedProduct
	case in.Form.Has(".cas"):
		return sharedCAS
	case reduces(in) && in.Addr.Space == isa.Shared && in.Form.Has(".add") && in.Mem.Type.Kind() != isa.Float && addsOne(f, in):
		return sharedCount
	}
	return sharedAtomic
}

// reduces tells whether an atomic instruction needs no value back: machine code has a reduction for it.
func reduces(in *ir.Inst) bool {
	for _, d := range in.Dst {
		if d.Slot >= 0 {
			return false
		}
	}
	return in.Op == isa.OpRed || in.Op == isa.OpAtom
}

func addsOne(f *ir.Func, in *ir.Inst) bool {
	for _, c := range f.Frame.Consts {
		if c.Row.Slot == in.Src[0].Slot && c.Row.Bits != 1 {
			return c.Kind == ir.ConstValue && c.Value == 1
		}
	}
	return false
}

// movesData tells whether an instruction moves data between memory and elsewhere, as an mbarrier does not.
func movesData(in *ir.Inst) bool {
	return !strings.HasPrefix(in.Form.Name(), "mbarrier") &&
		slices.ContainsFunc(in.Form.Args, func(a isa.Arg) bool { return a.Kind == isa.ArgAddress })
}

// instructions returns the kernel's instructions with the counts of a launch. stats is nil when it failed.
func (p *layout) instructions(stats *exec.Stats, traffic []Traffic) []Instruction {
	var out []Instruction
	for _, f := range p.kernel.Funcs {
		var before *Location
		for pc := range f.Code {
			in := &f.Code[pc]
			if in.Synthetic {
				continue
			}
			i := describe(f, pc)
			if i.Source == nil {
				i.After = before
			} else {
				before = i.Source
			}
			if stats != nil {
				c := stats.Funcs[f.Index][pc]
				i.Warps, i.Threads, i.PredOn, i.Divergent = c.Warps, c.Threads, c.PredOn, c.Divergent
			}
			if accesses(in.Op) {
				i.Bytes = in.Mem.Bytes()
				i.Memory = p.sites[f.Index][pc].memory(in, traffic)
				i.Uncounted = i.PredOn > 0 && len(i.Memory) == 0 && movesData(in)
			}
			out = append(out, i)
		}
	}
	return out
}

// memory returns the traffic of an instruction.
func (s site) memory(in *ir.Inst, traffic []Traffic) []Traffic {
	var out []Traffic
	add := func(slot int32, space Space) {
		if t := traffic[slot]; t.Requests > 0 {
			t.Space = space
			out = append(out, t)
		}
	}
	if !s.generic {
		add(s.slot, spaces[spaceIndex(in.Addr.Space)])
		return out
	}
	for i, space := range spaces {
		add(s.slot+int32(i), space)
	}
	return out
}

// describe returns an instruction without counts.
func describe(f *ir.Func, pc int) Instruction {
	in := &f.Code[pc]
	op := in.Op
	if op == isa.OpAtom && reduces(in) && in.Addr.Space != isa.Shared {
		op = isa.OpRed
	}
	return Instruction{
		Function: f.Index, PC: pc, Name: in.Form.Name(), Op: op.String(), Class: in.Form.Row.Class.String(),
		Unit: in.Form.Row.Unit.String(), Line: in.Pos.Line, Source: location(in.Loc), ToExit: toExit(f, in),
	}
}

// toExit tells whether a branch of a kernel goes to the end of the kernel.
func toExit(f *ir.Func, in *ir.Inst) bool {
	if f.Index != 0 || in.Op != isa.OpBranch {
		return false
	}
	target := &f.Code[in.Target]
	return target.Guard.Slot < 0 && (target.Op == isa.OpRet || target.Op == isa.OpExit)
}

func location(l *ir.Loc) *Location {
	if l == nil {
		return nil
	}
	return &Location{File: l.File, Line: l.Line, Col: l.Col, Function: l.Function, Inlined: location(l.Inlined)}
}
