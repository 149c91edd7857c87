package simd

import (
	"math/bits"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
)

// runKernel runs a vector kernel over the fragment's lanes.
func runKernel(g *gang, o *op) bool {
	o.kernel(g.at(o.d), g.at(o.src[0]), g.at(o.src[1]), g.at(o.src[2]), g.at(o.src[3]), g.mask, g.warps)
	return true
}

func runKernelGuarded(g *gang, o *op) bool {
	if masks, any := g.guard(o); any {
		o.kernel(g.at(o.d), g.at(o.src[0]), g.at(o.src[1]), g.at(o.src[2]), g.at(o.src[3]), &masks[0], g.warps)
	}
	return true
}

func (g *gang) at(v vectorOperand) ptr { return unsafe.Add(g.bases[v.base], v.offset) }

// runNothing runs an instruction that has no effect; a guard is looked at for the counts.
func runNothing(g *gang, o *op) bool {
	if o.guard.offset >= 0 {
		g.guard(o)
	}
	return true
}

// runLanes runs the row's semantics lane by lane.
func runLanes(g *gang, o *op) bool {
	masks, any := g.guard(o)
	if !any {
		return true
	}
	l := &g.laneIO
	for w := range g.warps {
		for m := masks[w]; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			for i := range o.srcs {
				l.Src[i] = g.read(o.srcs[i], w, lane)
			}
			o.lane(l)
			for i := range o.dst {
				g.write(o.dst[i], w, lane, l.Dst[i])
			}
		}
	}
	return true
}

// move chooses how a mov runs: a copying kernel, packing or unpacking 32-bit halves, or the general
// concatenation of bits.
func (p *program) move(o *op, unit *vectorUnit) {
	guarded := o.guard.offset >= 0
	switch {
	case len(o.dst) == 1 && len(o.srcs) == 1 && p.chooseKernel(o, unit, moveKernel(o.dst[0].bits)):
	case len(o.dst) == 1 && len(o.srcs) == 2 && p.chooseKernel(o, unit, "pack 32 32"):
	case !guarded && len(o.dst) == 2 && len(o.srcs) == 1 && unpackable(o) && unit.kernels["unpack low"].run != nil:
		low, high := unit.kernels["unpack low"].run, unit.kernels["unpack high"].run
		src, d0, d1 := o.srcs[0].vector(), o.dst[0], o.dst[1]
		o.run = func(g *gang, o *op) bool {
			if d0.offset >= 0 {
				low(g.at(d0.vector()), g.at(src), nil, nil, nil, g.mask, g.warps)
			}
			if d1.offset >= 0 {
				high(g.at(d1.vector()), g.at(src), nil, nil, nil, g.mask, g.warps)
			}
			return true
		}
	default:
		o.run = runMove
	}
}

func moveKernel(bits int) string {
	switch bits {
	case 16:
		return "mov 16"
	case 64:
		return "mov 64"
	}
	return "mov 32"
}

func unpackable(o *op) bool {
	return o.srcs[0].bits == 64 && o.dst[0].bits == 32 && o.dst[1].bits == 32
}

// runMove moves the bits of all sources, low first, to the destinations.
func runMove(g *gang, o *op) bool {
	masks, any := g.guard(o)
	if !any {
		return true
	}
	g.eachLane(masks, func(w, lane int) {
		var value [2]uint64
		at := 0
		for _, s := range o.srcs {
			width := s.bits
			value = insert(value, at, g.read(s, w, lane))
			if width == 128 {
				value = insert(value, at+64, g.read(s.half(g.program), w, lane))
			}
			at += width
		}
		at = 0
		for _, d := range o.dst {
			g.write(d, w, lane, extract(value, at))
			if d.bits == 128 && d.offset >= 0 {
				g.write(d.half(g.program), w, lane, extract(value, at+64))
			}
			at += d.bits
		}
	})
	return true
}

func insert(v [2]uint64, at int, bits uint64) [2]uint64 {
	if at >= 64 {
		v[1] |= bits << (at - 64)
		return v
	}
	v[0] |= bits << at
	if at > 0 {
		v[1] |= bits >> (64 - at)
	}
	return v
}

func extract(v [2]uint64, at int) uint64 {
	if at >= 64 {
		return v[1] >> (at - 64)
	}
	if at == 0 {
		return v[0]
	}
	return v[0]>>at | v[1]<<(64-at)
}

// engineLanes returns the handler of an instruction whose result depends on the launch or the frame.
func engineLanes(inst *ir.Inst) func(g *gang, o *op) bool {
	var value func(g *gang, o *op, w, lane int) uint64
	switch inst.Op {
	case isa.OpCvta:
		space, fromGeneric := isa.CvtaOf(inst.Form)
		window := exec.Window(space)
		if fromGeneric {
			window = -window
		}
		value = func(g *gang, o *op, w, lane int) uint64 { return g.read(o.srcs[0], w, lane) + window }
	case isa.OpIsspacep:
		space := isa.IsspacepOf(inst.Form)
		value = func(g *gang, o *op, w, lane int) uint64 {
			return boolBit(exec.InSpace(g.block.launch, 0, space, g.read(o.srcs[0], w, lane)))
		}
	case isa.OpMapa:
		rank, _ := isa.MapaOf(inst.Form)
		value = func(g *gang, o *op, w, lane int) uint64 {
			if rank {
				return 0 // the only block of its cluster
			}
			return g.read(o.srcs[0], w, lane)
		}
	case isa.OpSpecial:
		special, ok := exec.SpecialOf(inst.Special)
		if !ok {
			return runNothing
		}
		value = func(g *gang, o *op, w, lane int) uint64 { return special(g.place(w), lane) }
	case isa.OpStackSave:
		value = func(g *gang, o *op, w, lane int) uint64 { return g.read(o.fn.localTop, w, lane) }
	case isa.OpStackRestore:
		return func(g *gang, o *op) bool {
			masks, _ := g.guard(o)
			g.eachLane(masks, func(w, lane int) { g.write(o.fn.localTop, w, lane, g.read(o.srcs[0], w, lane)) })
			return true
		}
	case isa.OpAlloca:
		return runAlloca
	}
	return func(g *gang, o *op) bool {
		if masks, any := g.guard(o); any {
			g.eachLane(masks, func(w, lane int) { g.write(o.dst[0], w, lane, value(g, o, w, lane)) })
		}
		return true
	}
}

func boolBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// runAlloca takes size bytes at an alignment from the top of each lane's stack.
func runAlloca(g *gang, o *op) bool {
	masks, _ := g.guard(o)
	top := o.fn.localTop
	for w := range g.warps {
		for m := masks[w]; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			size, align := g.read(o.srcs[0], w, lane), uint64(8)
			if len(o.srcs) > 1 {
				align = max(align, g.read(o.srcs[1], w, lane))
			}
			start := (g.read(top, w, lane) + align - 1) &^ (align - 1)
			end := start + (size+7)&^7
			if size > uint64(g.local.limit) || !g.local.reserve(g.warps, int(end)) {
				return g.raise(o, exec.StackOverflow, w, lane, 0, 0, g.local.overflow())
			}
			g.write(top, w, lane, end)
			g.write(o.dst[0], w, lane, start)
		}
	}
	return true
}

func runTrap(g *gang, o *op) bool {
	masks, any := g.guard(o)
	if !any {
		return true
	}
	for w := range g.warps {
		if m := masks[w]; m != 0 {
			return g.raise(o, exec.Trap, w, bits.TrailingZeros32(m), 0, 0, "")
		}
	}
	return true
}
