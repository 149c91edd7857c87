package simd

import (
	"math/bits"
)

// controlWarp runs a warp-synchronous instruction once all lanes of its member mask, or of the warp, that still
// live have arrived. Lanes usually arrive together; else the fragment waits.
func controlWarp(g *gang, f *fragment, o *op) {
	if masks, any := g.guard(o); !any {
		f.pc = o.next()
		return
	} else if rest := g.remaining(f, masks); !empty(rest) {
		split := g.split(f, rest)
		split.pc = o.next()
		g.point(f)
	}
	if !g.membersHere(f, o) {
		f.state, f.arrival = atWarpSync, o
		g.releaseWarpSync()
		return
	}
	if o.together != nil && !runWarp(g, o) {
		return
	}
	f.pc = o.next()
}

// membersHere tells whether every lane named by the member masks of f's lanes is in f or has exited.
func (g *gang) membersHere(f *fragment, o *op) bool {
	for w := range g.warps {
		if f.masks[w] != 0 && g.members(f, o, w)&g.live[w]&^f.masks[w] != 0 {
			return false
		}
	}
	return true
}

// members returns the union of the member masks that f's lanes of warp w name; all lanes when the instruction
// names none.
func (g *gang) members(f *fragment, o *op, w int) uint32 {
	if o.memberMask < 0 {
		return ^uint32(0)
	}
	var union uint32
	for m := f.masks[w]; m != 0; m &= m - 1 {
		mask := uint32(g.read(o.srcs[o.memberMask], w, bits.TrailingZeros32(m)))
		if union |= mask; mask == ^uint32(0) {
			break
		}
	}
	return union
}

// releaseWarpSync lets waiting fragments go on when the lanes they wait for have all arrived at some
// warp-synchronous instruction, at the same one or (in divergent code) at others. Fragments at the same
// instruction become one.
func (g *gang) releaseWarpSync() {
	for i := 0; i < len(g.fragments); i++ {
		f := g.fragments[i]
		if f.state != atWarpSync {
			continue
		}
		var together [gangWarps]uint32
		for _, other := range g.fragments {
			if other.state == atWarpSync {
				for w := range together {
					together[w] |= other.masks[w]
				}
			}
		}
		g.point(f)
		complete := true
		for w := range g.warps {
			if f.masks[w] != 0 && g.members(f, f.arrival, w)&g.live[w]&^together[w] != 0 {
				complete = false
			}
		}
		if !complete {
			continue
		}
		f.state = ready
		for j := len(g.fragments) - 1; j > i; j-- {
			if other := g.fragments[j]; other.state == atWarpSync && other.meets(f) {
				for w := range f.masks {
					f.masks[w] |= other.masks[w]
				}
				g.fragments = append(g.fragments[:j], g.fragments[j+1:]...)
				g.free = append(g.free, other)
			}
		}
		g.point(f)
		if f.arrival.together != nil && !runWarp(g, f.arrival) {
			return
		}
		f.pc = f.arrival.next()
	}
}

// runWarp runs an instruction over the active lanes of each warp. With a member mask, the lanes of a
// warp that name different masks run apart.
func runWarp(g *gang, o *op) bool {
	masks, any := g.guard(o)
	if !any {
		return true
	}
	for w := range g.warps {
		for left := masks[w]; left != 0; {
			active := left
			if o.memberMask >= 0 {
				named := uint32(g.read(o.srcs[o.memberMask], w, bits.TrailingZeros32(left)))
				if lane := uint32(1) << bits.TrailingZeros32(left); named&lane == 0 {
					named |= lane // undefined by the manual; the lane runs alone or with the members
				}
				active &= named
			}
			left &^= active
			if !o.together(g, o, w, active) {
				return false
			}
		}
	}
	return true
}

// warpOnce runs the row's semantics over lanes of one warp.
func warpOnce(g *gang, o *op, w int, active uint32) bool {
	io := &g.warpIO
	io.Active = active
	for i, s := range o.srcs {
		g.readLanes(s, w, active, &io.Src[i])
	}
	o.warp(io)
	for i, d := range o.dst {
		g.writeLanes(d, w, active, &io.Dst[i])
	}
	return true
}

// readLanes reads a register in the active lanes of a warp.
func (g *gang) readLanes(o operand, w int, active uint32, to *[warpLanes]uint64) {
	if active == ^uint32(0) && o.bits > 1 && o.bits < 64 {
		for lane, v := range (*[warpLanes]uint32)(g.row(o, w)) {
			to[lane] = uint64(v)
		}
		return
	}
	for m := active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		to[lane] = g.read(o, w, lane)
	}
}

// writeLanes sets a register in the active lanes of a warp.
func (g *gang) writeLanes(o operand, w int, active uint32, from *[warpLanes]uint64) {
	if active == ^uint32(0) && o.bits == 32 && o.offset >= 0 {
		to := (*[warpLanes]uint32)(g.row(o, w))
		for lane, v := range from {
			to[lane] = uint32(v)
		}
		return
	}
	for m := active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		g.write(o, w, lane, from[lane])
	}
}
