package ir

import "silica/internal/isa"

// definition is where a virtual register gets its value.
type definition struct {
	count     int
	block, pc int
	guarded   bool
}

// position is a place in the code.
type position struct{ block, pc int }

// propagateCopies lets the readers of a copy read what was copied: a constant, a special register or
// another register. It applies where copy and original are each written once, without a guard, and the
// copy dominates the reader, so that both hold the same value there. The mov stays in the code, to be
// counted; its destination is dropped when nobody reads it any more.
func propagateCopies(fn *Func, c *collector, t *trees) {
	registers := c.registers
	defs := definitions(fn, len(registers))
	source := make([]Operand, len(registers)) // what a register copies; Slot -1 for nothing
	for i := range source {
		source[i] = None
	}
	copies := 0
	for b := range fn.Blocks {
		for pc := fn.Blocks[b].Start; pc < fn.Blocks[b].End; pc++ {
			in := &fn.Code[pc]
			if in.Op != isa.OpMov || in.Guard.Slot >= 0 || len(in.Dst) != 1 || len(in.Src) != 1 {
				continue
			}
			d, s := in.Dst[0], in.Src[0]
			if d.Slot < 0 || s.Slot < 0 || d.Slot == s.Slot || d.Bits != s.Bits || s.Negate || defs[d.Slot].count != 1 {
				continue
			}
			if registers[s.Slot].kind == variableRegister && !defs[s.Slot].dominates(position{b, pc}, t) {
				continue
			}
			source[d.Slot] = s
			copies++
		}
	}
	if copies == 0 {
		return
	}
	for b := range fn.Blocks {
		for pc := fn.Blocks[b].Start; pc < fn.Blocks[b].End; pc++ {
			in := &fn.Code[pc]
			in.eachSource(func(o *Operand) {
				for source[o.Slot].Slot >= 0 && defs[o.Slot].dominates(position{b, pc}, t) {
					o.Slot = source[o.Slot].Slot
				}
			})
			c.foldBase(&in.Addr)
			for i := range in.MoreAddrs {
				c.foldBase(&in.MoreAddrs[i])
			}
		}
	}
}

// foldBase makes an address whose base is a known number absolute.
func (c *collector) foldBase(a *Addr) {
	if a.Base.Slot < 0 || c.registers[a.Base.Slot].kind != constRegister {
		return
	}
	if k := c.consts[c.registers[a.Base.Slot].index]; k.Kind == ConstValue || k.Kind == ConstShared {
		a.Base, a.Offset = None, a.Offset+int64(k.Value)
	}
}

// definitions finds where registers are written.
func definitions(fn *Func, registers int) []definition {
	defs := make([]definition, registers)
	for b := range fn.Blocks {
		for pc := fn.Blocks[b].Start; pc < fn.Blocks[b].End; pc++ {
			in := &fn.Code[pc]
			for _, d := range in.Dst {
				if d.Slot >= 0 {
					defs[d.Slot] = definition{defs[d.Slot].count + 1, b, pc, in.Guard.Slot >= 0}
				}
			}
		}
	}
	return defs
}

// dominates tells whether d is a register's only definition, always takes place, and comes before p on
// every path.
func (d definition) dominates(p position, t *trees) bool {
	switch {
	case d.count != 1 || d.guarded:
		return false
	case d.block == p.block:
		return d.pc < p.pc
	}
	return t.dominates(d.block, p.block)
}

// eachSource calls visit for every register that an instruction reads.
func (in *Inst) eachSource(visit func(*Operand)) {
	if in.Guard.Slot >= 0 {
		visit(&in.Guard)
	}
	for i := range in.Src {
		if in.Src[i].Slot >= 0 {
			visit(&in.Src[i])
		}
	}
	if in.Addr.Base.Slot >= 0 {
		visit(&in.Addr.Base)
	}
	for i := range in.MoreAddrs {
		if in.MoreAddrs[i].Base.Slot >= 0 {
			visit(&in.MoreAddrs[i].Base)
		}
	}
	if in.Call != nil && in.Call.Target.Slot >= 0 {
		visit(&in.Call.Target)
	}
}
