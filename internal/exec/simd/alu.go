package simd

import (
	"math/bits"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
)

// runLanes runs a row's semantics lane by lane.
func runLanes(g *gang, _ *fragment, o *op) int {
	l := &g.worker.laneIO
	for w, lanes := range g.lanesOf(o) {
		for ; lanes != 0; lanes &= lanes - 1 {
			lane := bits.TrailingZeros32(lanes)
			for i := range o.srcs {
				l.Src[i] = g.read(o.srcs[i], w, lane)
			}
			o.lane(l)
			for i := range o.dst {
				g.write(o.dst[i], w, lane, l.Dst[i])
			}
		}
	}
	return o.after
}

// runMove moves registers, packs a vector into one or unpacks one into a vector.
func runMove(g *gang, _ *fragment, o *op) int {
	part := uint64(1)<<(o.width-1)<<1 - 1
	g.eachLane(g.lanesOf(o), func(w, lane int) {
		switch {
		case len(o.srcs) == len(o.dst):
			var v [4][2]uint64 // all are read before one is written
			for i, s := range o.srcs {
				v[i] = [2]uint64{g.read(s, w, lane), g.high(s, w, lane)}
			}
			for i, d := range o.dst {
				g.write128(d, w, lane, v[i][0], v[i][1])
			}
		case len(o.dst) == 1:
			var v [2]uint64
			for i, s := range o.srcs {
				at := i * o.width
				v[at/64] |= g.read(s, w, lane) & part << (at % 64)
			}
			g.write128(o.dst[0], w, lane, v[0], v[1])
		default:
			v := [2]uint64{g.read(o.srcs[0], w, lane), g.high(o.srcs[0], w, lane)}
			for i, d := range o.dst {
				at := i * o.width
				g.write(d, w, lane, v[at/64]>>(at%64)&part)
			}
		}
	})
	return o.after
}

// runValue gives each lane what o.value returns.
func runValue(g *gang, _ *fragment, o *op) int {
	g.eachLane(g.lanesOf(o), func(w, lane int) { g.write(o.dst[0], w, lane, o.value(g, o, w, lane)) })
	return o.after
}

// runSpecial reads a special register that may change while a block runs, as clocks do. All lanes of the gang have the same.
func runSpecial(g *gang, _ *fragment, o *op) int {
	p := g.placeOf(0)
	p.Cycles = g.cycles(o)
	g.fillRow(o.dst[0], o.special(p, 0), g.lanesOf(o))
	return o.after
}

// valueOf returns the result of an instruction that depends on the launch or the frame.
func valueOf(in *ir.Inst) func(g *gang, o *op, w, lane int) uint64 {
	switch in.Op {
	case isa.OpIsspacep:
		space := isa.IsspacepOf(in.Form)
		return func(g *gang, o *op, w, lane int) uint64 {
			return bit(exec.InSpace(g.worker.Launch, g.block.rank, space, g.read(o.srcs[0], w, lane)))
		}
	case isa.OpMapa:
		return mapa(in)
	case isa.OpStackSave:
		return func(g *gang, o *op, w, lane int) uint64 { return g.read(o.fn.localTop, w, lane) }
	}
	return nil
}

// mapa gives the address of a byte of shared memory in another block of the cluster, or the rank of the
// block that an address belongs to.
func mapa(in *ir.Inst) func(g *gang, o *op, w, lane int) uint64 {
	rank, space := isa.MapaOf(in.Form)
	var window uint64
	if space == isa.Generic {
		window = isa.SharedWindow
	}
	return func(g *gang, o *op, w, lane int) uint64 {
		owner, offset := exec.SharedOwner(g.read(o.srcs[0], w, lane)-window, g.block.rank)
		if rank {
			return uint64(owner)
		}
		return window + exec.SharedAddress(int(g.read(o.srcs[1], w, lane)), offset)
	}
}

func runTrap(g *gang, _ *fragment, o *op) int {
	lanes := g.lanesOf(o)
	if isEmpty(lanes) { // native code of the run before has found the lanes of the guard, and goes on whether there are any
		return o.after
	}
	w, lane := firstLane(lanes)
	return g.fail(o, w, lane, &exec.Fault{Kind: exec.Trap})
}

// runNanosleep lets the gang's clock go on by the longest time that a lane asks for.
func runNanosleep(g *gang, _ *fragment, o *op) int {
	var longest uint64
	g.eachLane(g.lanesOf(o), func(w, lane int) { longest = max(longest, g.read(o.srcs[0], w, lane)) })
	g.slept += uint64(float64(longest) * g.worker.Machine.ClockHz / 1e9)
	return o.after
}

// stackAlign is the least alignment of what alloca returns.
const stackAlign = 8

// runAlloca takes size bytes at an alignment from the top of each lane's stack.
func runAlloca(g *gang, _ *fragment, o *op) int {
	top := o.fn.localTop
	for w, lanes := range g.lanesOf(o) {
		for ; lanes != 0; lanes &= lanes - 1 {
			lane := bits.TrailingZeros32(lanes)
			align := uint64(stackAlign)
			if len(o.srcs) > 1 {
				align = max(align, g.read(o.srcs[1], w, lane))
			}
			start := roundUp(g.read(top, w, lane), align)
			size := g.read(o.srcs[0], w, lane)
			if limit := uint64(g.worker.Machine.LocalPerThread); size > limit || start+size > limit {
				return g.fail(o, w, lane, &exec.Fault{Kind: exec.StackOverflow, Detail: g.stackDetail(start + size)})
			}
			g.write(top, w, lane, roundUp(start+size, stackAlign))
			g.write(o.dst[0], w, lane, start)
		}
	}
	return o.after
}

func runStackRestore(g *gang, _ *fragment, o *op) int {
	g.eachLane(g.lanesOf(o), func(w, lane int) { g.write(o.fn.localTop, w, lane, g.read(o.srcs[0], w, lane)) })
	return o.after
}

func roundUp(n, align uint64) uint64 { return (n + align - 1) &^ (align - 1) }
