package simd

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"silica/internal/isa"
	"silica/internal/mem"
)

// atomicOp is the prepared operation of an atom or red instruction.
type atomicOp struct {
	// global and shared combine in global memory and elsewhere: the units differ in denormals and NaNs.
	global, shared isa.CombineFunc
	wide           isa.Combine128Func
	// b and c are the operands, a piece each; c is empty but for cas.
	b, c []operand
	dst  []operand // empty for red
	// add32 marks integer additions of 32 bits, which run as one host instruction.
	add32 bool
}

func (p *program) atomic(o *op) {
	m, form := o.mem, o.inst.Form
	a := &atomicOp{
		global: isa.CombineIn(form, isa.Global), shared: isa.CombineIn(form, isa.Shared),
		wide: isa.Combine128(form), add32: form.Has(".add") && (form.Has(".u32") || form.Has(".s32")),
	}
	a.b = o.srcs[:m.count]
	if form.Has(".cas") {
		a.c = o.srcs[m.count : 2*m.count]
	}
	if o.inst.Op == isa.OpAtom {
		a.dst = o.dst
	}
	m.atomic = a
	m.polls = a.dst != nil && (form.Has(".cas") || form.Has(".exch"))
	o.run = runAtomic
}

// runAtomic performs the lanes' operations in lane order.
func runAtomic(g *gang, o *op) bool {
	masks, any := g.guard(o)
	if !any {
		return true
	}
	if m := o.mem; m.polls {
		g.block.polls++
	}
	g.observe(o, masks, nil)
	for w := range g.warps {
		for m := masks[w]; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			p, local, ok := g.locate(o, w, lane)
			if !ok {
				return false
			}
			if p == nil {
				g.atomicLocal(o, w, lane, local)
				continue
			}
			g.atomicLane(o, w, lane, p)
		}
	}
	return true
}

func (g *gang) atomicLane(o *op, w, lane int, p ptr) {
	m, a := o.mem, o.mem.atomic
	private := g.private(p)
	if a.wide != nil {
		g.atomicWide(o, w, lane, p)
		return
	}
	for i := range m.count {
		p := unsafe.Add(p, i*m.elem)
		b := g.read(a.b[i], w, lane)
		var c, old uint64
		if a.c != nil {
			c = g.read(a.c[i], w, lane)
		}
		switch {
		case private:
			old = mem.Load(p, m.elem)
			mem.Store(p, m.elem, a.shared(old, b, c))
		case a.add32:
			old = uint64(atomic.AddUint32((*uint32)(p), uint32(b)) - uint32(b))
		default:
			old = mem.Update(p, m.elem, a.global, b, c)
		}
		if a.dst != nil {
			g.write(a.dst[i], w, lane, old)
		}
	}
}

// private tells whether p points into the block's own shared memory, which only this goroutine uses.
func (g *gang) private(p ptr) bool {
	return uintptr(p)-uintptr(g.block.shared) < uintptr(g.block.sharedBytes)
}

func (g *gang) atomicWide(o *op, w, lane int, p ptr) {
	a := o.mem.atomic
	wide := func(regs []operand) (v [2]uint64) {
		if len(regs) > 0 {
			v[0], v[1] = g.read(regs[0], w, lane), g.read(regs[0].half(g.program), w, lane)
		}
		return v
	}
	old := g.block.launch.Memory.Update128(p, a.wide, wide(a.b), wide(a.c))
	if a.dst != nil && a.dst[0].offset >= 0 {
		g.write(a.dst[0], w, lane, old[0])
		g.write(a.dst[0].half(g.program), w, lane, old[1])
	}
}

// atomicLocal serves generic atomics that reach the thread's own memory.
func (g *gang) atomicLocal(o *op, w, lane int, addr uint64) {
	m, a := o.mem, o.mem.atomic
	if a.wide != nil {
		return
	}
	for i := range m.count {
		at := addr + uint64(i*m.elem)
		old := g.local.load(w, lane, at, m.elem)
		var c uint64
		if a.c != nil {
			c = g.read(a.c[i], w, lane)
		}
		g.local.store(w, lane, at, m.elem, a.shared(old, g.read(a.b[i], w, lane), c))
		if a.dst != nil {
			g.write(a.dst[i], w, lane, old)
		}
	}
}
