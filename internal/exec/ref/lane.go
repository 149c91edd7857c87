package ref

import (
	"sync/atomic"

	"silica/internal/exec"
	"silica/internal/isa"
	"silica/internal/mem"
)

// scratch is what a worker's instructions use and need not allocate.
type scratch struct {
	lane      isa.Lane
	warp      isa.Warp
	matrix    exec.Matrix
	warpgroup warpgroup
	async     exec.AsyncLog
	formed    [32]uint64 // addresses as an instruction forms them
	address   [32]uint64 // offsets in their spaces
	views     []mem.View // one for each memory instruction
	fence     uint32
	texture   exec.Texture
	reached   exec.Reached
}

func newScratch(g *grid) scratch {
	s := scratch{views: make([]mem.View, g.program.memory)}
	for i := range s.views {
		s.views[i] = g.Memory.View()
	}
	return s
}

// executeLane runs a row's scalar semantics lane by lane.
func executeLane(w *warp, f *fragment, s *step, active uint32) {
	l := &w.worker.scratch.lane
	var src [len(l.Src)]column
	var dst [len(l.Dst)]column
	for i, o := range s.Src {
		src[i] = w.column(f, o)
	}
	for i, o := range s.Dst {
		dst[i] = w.column(f, o)
	}
	for mask := active; mask != 0; mask &= mask - 1 {
		lane := firstLane(mask)
		for i := range s.Src {
			l.Src[i] = src[i].get(lane)
		}
		s.lane(l)
		for i := range s.Dst {
			dst[i].set(lane, l.Dst[i])
		}
	}
}

// executeWarp runs a row's semantics across the active lanes.
func executeWarp(w *warp, f *fragment, s *step, active uint32) {
	x := &w.worker.scratch.warp
	x.Active = active
	for i, o := range s.Src {
		lanes(active, func(lane int) { x.Src[i][lane] = w.get(f, o, lane) })
	}
	s.warp(x)
	for i, o := range s.Dst {
		lanes(active, func(lane int) { w.set(f, o, lane, x.Dst[i][lane]) })
	}
}

// executeMov moves registers, packs a vector into one or unpacks one into a vector.
func executeMov(w *warp, f *fragment, s *step, active uint32) {
	lanes(active, func(lane int) {
		switch {
		case len(s.Src) == len(s.Dst):
			var v [4][2]uint64 // all are read before one is written
			for i, o := range s.Src {
				v[i] = [2]uint64{w.get(f, o, lane), w.high(f, o, lane)}
			}
			for i, o := range s.Dst {
				w.set128(f, o, lane, v[i][0], v[i][1])
			}
		case len(s.Dst) == 1:
			var v [2]uint64
			for i, o := range s.Src {
				at := i * s.width
				v[at/64] |= w.get(f, o, lane) & (1<<(s.width-1)<<1 - 1) << (at % 64)
			}
			w.set128(f, s.Dst[0], lane, v[0], v[1])
		default:
			v := [2]uint64{w.get(f, s.Src[0], lane), w.high(f, s.Src[0], lane)}
			for i, o := range s.Dst {
				at := i * s.width
				w.set(f, o, lane, v[at/64]>>(at%64)&(1<<(s.width-1)<<1-1))
			}
		}
	})
}

func executeSpecial(w *warp, f *fragment, s *step, active uint32) {
	lanes(active, func(lane int) { w.set(f, s.Dst[0], lane, s.special(&w.place, lane)) })
}

func executeCvta(w *warp, f *fragment, s *step, active uint32) {
	space, fromGeneric := isa.CvtaOf(s.Form)
	offset := exec.Window(space)
	if fromGeneric {
		offset = -offset
	}
	lanes(active, func(lane int) { w.set(f, s.Dst[0], lane, w.get(f, s.Src[0], lane)+offset) })
}

func executeIsspacep(w *warp, f *fragment, s *step, active uint32) {
	space := isa.IsspacepOf(s.Form)
	lanes(active, func(lane int) {
		w.set(f, s.Dst[0], lane, bit(exec.InSpace(w.worker.Launch, w.block.rank, space, w.get(f, s.Src[0], lane))))
	})
}

// executeMapa gives the address of a byte of shared memory in another block of the cluster, or the rank
// of the block that an address belongs to.
func executeMapa(w *warp, f *fragment, s *step, active uint32) {
	rank, space := isa.MapaOf(s.Form)
	var window uint64
	if space == isa.Generic {
		window = isa.SharedWindow
	}
	lanes(active, func(lane int) {
		owner, offset := exec.SharedOwner(w.get(f, s.Src[0], lane)-window, w.block.rank)
		if rank {
			w.set(f, s.Dst[0], lane, uint64(owner))
		} else {
			w.set(f, s.Dst[0], lane, window+exec.SharedAddress(int(w.get(f, s.Src[1], lane)), offset))
		}
	})
}

func executeTrap(w *warp, f *fragment, s *step, active uint32) {
	w.fail(f, firstLane(active), &exec.Fault{Kind: exec.Trap})
}

// executeFence orders the accesses of this goroutine with those of others.
func executeFence(w *warp, _ *fragment, _ *step, _ uint32) {
	atomic.AddUint32(&w.worker.scratch.fence, 1)
}

// executeNanosleep lets the warp's clock go on by the longest time that a lane asks for.
func executeNanosleep(w *warp, f *fragment, s *step, active uint32) {
	var longest uint64
	lanes(active, func(lane int) { longest = max(longest, w.get(f, s.Src[0], lane)) })
	w.place.Cycles += uint64(float64(longest) * w.worker.Machine.ClockHz / 1e9)
}

func executeNothing(*warp, *fragment, *step, uint32) {}

// stackAlign is the least alignment of what alloca returns.
const stackAlign = 8

func executeAlloca(w *warp, f *fragment, s *step, active uint32) {
	top := f.frame.fn.ir.Frame.LocalTop
	lanes(active, func(lane int) {
		align := uint64(stackAlign)
		if len(s.Src) > 1 {
			align = max(align, w.get(f, s.Src[1], lane))
		}
		start := roundUp(w.get(f, top, lane), align)
		size := w.get(f, s.Src[0], lane)
		if limit := uint64(w.worker.Machine.LocalPerThread); size > limit || start+size > limit {
			w.fail(f, lane, &exec.Fault{Kind: exec.StackOverflow, Detail: w.stackDetail(start + size)})
			return
		}
		w.set(f, top, lane, roundUp(start+size, stackAlign))
		w.set(f, s.Dst[0], lane, start)
	})
}

func executeStackSave(w *warp, f *fragment, s *step, active uint32) {
	lanes(active, func(lane int) { w.set(f, s.Dst[0], lane, w.get(f, f.frame.fn.ir.Frame.LocalTop, lane)) })
}

func executeStackRestore(w *warp, f *fragment, s *step, active uint32) {
	lanes(active, func(lane int) { w.set(f, f.frame.fn.ir.Frame.LocalTop, lane, w.get(f, s.Src[0], lane)) })
}

func roundUp(n, align uint64) uint64 { return (n + align - 1) &^ (align - 1) }
