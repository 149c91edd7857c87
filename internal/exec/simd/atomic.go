package simd

import (
	"unsafe"

	"silica/internal/exec"
	"silica/internal/isa"
)

// mostElements is how many an atomic operation has.
const mostElements = 8

// atomicOp is the prepared operation of an atom or red instruction.
type atomicOp struct {
	// global and shared perform one element in global memory and in a block's shared memory.
	global, shared exec.Atomic
	wide           isa.Combine128Func // of 128-bit elements, else nil
	dst, srcs      []operand
	elem, count    int
}

func (b *builder) atomic(m *memoryOp) *atomicOp {
	form := b.inst.Form
	a := &atomicOp{
		wide: isa.Combine128(form), dst: b.operands(b.inst.Dst), srcs: b.operands(b.inst.Src), elem: m.elem, count: m.count,
	}
	if a.wide == nil {
		a.global, a.shared = exec.AtomicOf(form, isa.Global), exec.AtomicOf(form, isa.Shared)
	}
	return a
}

// runAtomic performs the lanes' operations in lane order, each element on its own.
func runAtomic(g *gang, _ *fragment, o *op) int {
	a := o.mem.atomic
	return g.eachAccess(o, func(w, lane int, c cell, space isa.Space) *exec.Fault {
		do := a.global
		switch space {
		case isa.Global:
		case isa.Shared, isa.SharedCluster:
			do = a.shared
		default:
			return &exec.Fault{Kind: exec.IllegalAddress, Detail: "atomic operations work on global and shared memory"}
		}
		if a.wide != nil {
			g.atomicWide(a, w, lane, c)
			return nil
		}
		var operands [mostElements]uint64 // read first, as the result may be in the same registers
		for i := range max(a.count, min(len(a.srcs), 2)) {
			operands[i] = g.read(a.srcs[i], w, lane)
		}
		for i := range a.count {
			var second uint64
			if a.count == 1 {
				second = operands[1]
			}
			old := do(unsafe.Add(c.p, i*a.elem), operands[i], second)
			if i < len(a.dst) {
				g.write(a.dst[i], w, lane, old)
			}
		}
		return nil
	})
}

func (g *gang) atomicWide(a *atomicOp, w, lane int, c cell) {
	wide := func(o operand) [2]uint64 { return [2]uint64{g.read(o, w, lane), g.high(o, w, lane)} }
	var second [2]uint64
	if len(a.srcs) > 1 {
		second = wide(a.srcs[1])
	}
	old := g.worker.Memory.Update128(c.p, a.wide, wide(a.srcs[0]), second)
	if len(a.dst) > 0 {
		g.write128(a.dst[0], w, lane, old[0], old[1])
	}
}
