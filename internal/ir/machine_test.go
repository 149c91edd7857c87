package ir

import (
	"fmt"
	"hash/fnv"

	"silica/internal/isa"
)

// machine runs one lane of a function with made-up semantics: what an instruction computes is a hash of its
// text, its sources and the time. Two codes that compute the same leave the same trace.
type machine struct {
	code []Inst
	next func(pc int) int
	read func(Operand) value
	// write stores a destination; it is not called for dropped ones.
	write func(Operand, value)

	trace []uint64
	time  int
}

// value is the bits of a register of up to 128 bits.
type value [4]uint32

// run executes up to a number of instructions.
func (m *machine) run(limit int) {
	for pc := 0; pc >= 0 && m.time < limit; {
		pc = m.step(pc, &m.code[pc])
	}
}

func (m *machine) step(pc int, in *Inst) (next int) {
	next = m.next(pc)
	gather := in.Synthetic && in.Op == isa.OpBranch
	if in.Guard.Slot >= 0 && m.read(in.Guard)[0] == 0 {
		m.record(gather, fmt.Sprint(in.Pos, "skipped"))
		return next
	}
	first := value{}
	text := fmt.Sprint(in.Pos, in.Form.Name(), in.Special, in.Addr.Space)
	for _, a := range append([]Addr{in.Addr}, in.MoreAddrs...) {
		address := uint64(a.Offset)
		if a.Base.Slot >= 0 {
			v := m.read(a.Base)
			address += uint64(v[1])<<32 + uint64(v[0])
		}
		text += fmt.Sprint(" ", address)
	}
	for _, s := range in.Src {
		if s.Slot >= 0 {
			text += fmt.Sprint(" ", m.read(s))
		}
	}
	if len(in.Src) > 0 {
		first = m.read(in.Src[0])
	}
	event := m.record(gather, text)
	for i, d := range in.Dst {
		if d.Slot < 0 {
			continue
		}
		v := value{uint32(event) * uint32(2*i+1), uint32(event >> 32), uint32(event >> 16), uint32(event >> 8)}
		if in.Op == isa.OpMov && len(in.Dst) == 1 && len(in.Src) == 1 {
			v = first
		}
		m.write(d, v)
	}
	switch in.Op {
	case isa.OpBranch:
		return in.Target
	case isa.OpBranchIndexed:
		return in.Targets[int(first[0])%len(in.Targets)]
	case isa.OpRet, isa.OpExit, isa.OpTrap:
		return -1
	}
	return next
}

// record adds an event to the trace, unless it belongs to a jump that lowering added.
func (m *machine) record(gather bool, text string) uint64 {
	if gather {
		return 0
	}
	h := fnv.New64a()
	fmt.Fprint(h, text, m.time)
	m.time++
	m.trace = append(m.trace, h.Sum64())
	return h.Sum64()
}

// narrow keeps the bits of a register.
func narrow(v value, bits int) value {
	switch {
	case bits < 32:
		return value{v[0] & (1<<bits - 1)}
	case bits == 32:
		return value{v[0]}
	case bits == 64:
		return value{v[0], v[1]}
	}
	return v
}

// constantValue is the value that a constant's row starts with.
func constantValue(k Const) value {
	v := k.Value
	if k.Kind != ConstValue && k.Kind != ConstShared {
		v += uint64(k.Kind)<<40 + uint64(k.Symbol)<<20
	}
	return value{uint32(v), uint32(v >> 32)}
}

// specialValue is the value that a special register's row starts with.
func specialValue(name string) value {
	h := fnv.New64a()
	fmt.Fprint(h, name)
	return value{uint32(h.Sum64()), uint32(h.Sum64() >> 32)}
}

// sourceMachine runs code in source order over virtual registers, which start as zero.
func sourceMachine(c *collector) *machine {
	values := make([]value, len(c.registers))
	for i, r := range c.registers {
		switch r.kind {
		case constRegister:
			values[i] = narrow(constantValue(c.consts[r.index]), r.bits)
		case specialRegister:
			values[i] = narrow(specialValue(c.specials[r.index].Name), r.bits)
		}
	}
	return &machine{
		code: c.code,
		next: func(pc int) int { return pc + 1 },
		read: func(o Operand) value {
			v := narrow(values[o.Slot], o.Bits)
			if o.Negate {
				v[0] ^= 1
			}
			return v
		},
		write: func(o Operand, v value) { values[o.Slot] = narrow(v, o.Bits) },
	}
}

// rowMachine runs the final code over rows, which start as rubbish but for those of Frame.Zero.
func rowMachine(fn *Func) *machine {
	rows, preds := make([]uint32, fn.Frame.Rows), make([]uint32, fn.Frame.Preds)
	for i := range rows {
		rows[i] = 0xdead0000 + uint32(i)
	}
	for i := range preds {
		preds[i] = uint32(i) & 1
	}
	write := func(o Operand, v value) {
		if o.Bits == 1 {
			preds[o.Slot] = v[0] & 1
			return
		}
		v = narrow(v, o.Bits)
		copy(rows[o.Slot:o.Slot+rowsOf(o.Bits)], v[:])
	}
	for _, z := range fn.Frame.Zero {
		write(z, value{})
	}
	for _, k := range fn.Frame.Consts {
		write(k.Row, constantValue(k))
	}
	for _, s := range fn.Frame.Specials {
		write(s.Row, specialValue(s.Name))
	}
	for _, o := range []Operand{fn.Frame.LocalBase, fn.Frame.LocalTop} {
		if o.Slot >= 0 {
			write(o, value{})
		}
	}
	return &machine{
		code: fn.Code,
		next: func(pc int) int { return fn.Code[pc].Next },
		read: func(o Operand) (v value) {
			if o.Bits == 1 {
				v[0] = preds[o.Slot]
				if o.Negate {
					v[0] ^= 1
				}
				return v
			}
			copy(v[:], rows[o.Slot:o.Slot+rowsOf(o.Bits)])
			return narrow(v, o.Bits)
		},
		write: write,
	}
}
