package exec

import (
	"encoding/binary"
	"fmt"
	"maps"

	"silica/internal/ir"
	"silica/internal/isa"
)

// Polling is a lane that runs, for what it does next to be foreseen without running it.
type Polling struct {
	Kernel *ir.Kernel
	Func   *ir.Func
	PC     int
	Read   func(o ir.Operand) uint64 // what a register holds
	Memory BlockMemory
}

// Wait is a wait for the phase of an mbarrier object that has not ended.
type Wait struct {
	PC      int    // of the instruction that tests it
	Address uint64 // as the instruction forms it
	Object  BarrierObject
}

// Says tells what the wait is for, and where: "for the mbarrier at 0x40 of shared memory (…), at k.cu:12:5".
func (w *Wait) Says(k *ir.Kernel, fn *ir.Func) string {
	place := fmt.Sprintf("shared address 0x%x", w.Address)
	if isa.SpaceOf(w.Address) == isa.Shared {
		place = fmt.Sprintf("address 0x%x", w.Address)
	}
	b := &w.Object
	return fmt.Sprintf("for the mbarrier at %s (phase %d lacks %d of %d arrivals, %d bytes), at %s",
		place, b.Phase, b.Pending, b.Expected, b.Bytes, Position(k, fn, w.PC))
}

// mostForeseen bounds the instructions that Follow foresees.
const mostForeseen = 1 << 10

// register names a register of a lane: rows of different widths are different registers.
type register struct{ slot, bits int }

// foreseen is what a lane's registers will hold that it writes.
type foreseen struct {
	*Polling
	written map[register]uint64
	pc      int
	wait    *Wait // the last in vain
}

// Follow foresees what the lane does while nobody changes the shared memory of its cluster. wait is an mbarrier that it
// tests in vain, nil when it comes to none. forever tells that it comes back to where it was, with the same in its
// registers, having read nothing but registers and mbarriers: it never leaves the loop. Where another instruction
// might do something else (a load, a clock, a call), forever is false.
func (p *Polling) Follow() (wait *Wait, forever bool) {
	s := &foreseen{Polling: p, written: map[register]uint64{}, pc: p.PC}
	var anchor map[register]uint64
	at := -1
	for n := range mostForeseen {
		if s.pc == at && maps.Equal(anchor, s.written) {
			return s.wait, s.wait != nil
		}
		if n&(n-1) == 0 { // a loop is found from a place in it, a while after its registers have settled
			at, anchor = s.pc, maps.Clone(s.written)
		}
		if !s.step() {
			break
		}
	}
	return s.wait, false
}

// Tests returns an mbarrier that the lane tests in vain: that which Follow comes to, else one of the loop that it is in.
func (p *Polling) Tests() *Wait {
	if wait, _ := p.Follow(); wait != nil {
		return wait
	}
	start, end := LoopCode(p.Func, p.PC)
	for pc := start; pc < end; pc++ {
		in := &p.Func.Code[pc]
		s := &foreseen{Polling: p, written: map[register]uint64{}, pc: pc}
		if in.Op == isa.OpAsync && s.test(in) && s.wait != nil {
			return s.wait
		}
	}
	return nil
}

func (s *foreseen) read(o ir.Operand) uint64 {
	v, ok := s.written[register{o.Slot, o.Bits}]
	if !ok {
		return s.Read(o)
	}
	if o.Negate {
		v ^= 1
	}
	return v
}

func (s *foreseen) write(o ir.Operand, v uint64) {
	if o.Slot >= 0 {
		s.written[register{o.Slot, o.Bits}] = v & (1<<(o.Bits-1)<<1 - 1)
	}
}

// step foresees an instruction; false when what it does is not known.
func (s *foreseen) step() bool {
	in := &s.Func.Code[s.pc]
	next := in.Next
	if in.Guard.Slot < 0 || s.read(in.Guard) != 0 {
		if in.Op == isa.OpBranch {
			next = in.Target
		} else if !s.execute(in) {
			return false
		}
	}
	s.pc = next
	return next >= 0
}

func (s *foreseen) execute(in *ir.Inst) bool {
	for _, list := range [][]ir.Operand{in.Src, in.Dst} {
		for _, o := range list {
			if o.Bits > 64 {
				return false
			}
		}
	}
	switch in.Op {
	case isa.OpNop, isa.OpFence, isa.OpNanosleep:
		return true
	case isa.OpLane:
		var l isa.Lane
		for i, o := range in.Src {
			l.Src[i] = s.read(o)
		}
		in.Form.Row.Lane(in.Form)(&l)
		for i, o := range in.Dst {
			s.write(o, l.Dst[i])
		}
		return true
	case isa.OpMov:
		if len(in.Src) != 1 || len(in.Dst) != 1 {
			return false
		}
		s.write(in.Dst[0], s.read(in.Src[0]))
		return true
	case isa.OpCvta:
		space, fromGeneric := isa.CvtaOf(in.Form)
		offset := Window(space)
		if fromGeneric {
			offset = -offset
		}
		s.write(in.Dst[0], s.read(in.Src[0])+offset)
		return true
	case isa.OpAsync:
		return s.test(in)
	}
	return false
}

// test foresees a test of an mbarrier.
func (s *foreseen) test(in *ir.Inst) bool {
	if !in.Form.Has(".try_wait") && !in.Form.Has(".test_wait") {
		return false
	}
	addr := uint64(in.Addr.Offset)
	if in.Addr.Base.Slot >= 0 {
		addr += s.read(in.Addr.Base)
		if in.Addr.Base.Bits == 32 {
			addr = uint64(uint32(addr))
		}
	}
	space := isa.Generic
	if list := spaces(in.Form); len(list) > 0 {
		space = list[0]
	}
	if space == isa.Generic && isa.SpaceOf(addr) != isa.Shared {
		return false
	}
	word, fault := s.Memory.Bytes(space, addr, 8, 8)
	if fault != nil {
		return false
	}
	a := Async{Addr: []uint64{addr}, Dst: make([]uint64, 1), Memory: s.Memory}
	for _, o := range in.Src {
		a.Src = append(a.Src, s.read(o))
	}
	if fault := AsyncOf(in.Form)(&a); fault != nil {
		return false
	}
	s.write(in.Dst[0], a.Dst[0])
	if a.Dst[0] == 0 {
		s.wait = &Wait{PC: s.pc, Address: addr, Object: DecodeBarrier(binary.LittleEndian.Uint64(word))}
	}
	return true
}

// Patience tells when a cluster that only polls is to be looked at: after turns of doubling number, so that it costs
// little where the cluster waits for others.
type Patience struct{ turns int }

// Turn notes a turn of the cluster, and tells whether it is to be looked at.
func (p *Patience) Turn(polled bool) bool {
	if !polled {
		p.turns = 0
		return false
	}
	p.turns++
	return p.turns >= 4 && p.turns&(p.turns-1) == 0
}
