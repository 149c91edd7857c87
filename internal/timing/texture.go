package timing

import (
	"math/bits"
	"slices"
)

// What the texture unit does in a cycle, as an H200's counters of wavefronts and its rates show: it takes a request of four lanes, or of eight
// where instructions name texels by their number, reads a sector of each of the four places that one has in a line, or for four lanes all of two lines, filters 64 bytes of texels, and
// writes 32 bytes of results. It filters texels of more than 8 bytes for two lanes at a time, half of each and then the other.
const (
	sampledLanes, indexedLanes = 4, 8
	resultBytes, filteredBytes = 32, 64
	gatheredBytes              = 16 // of a lane's result
	wideTexel                  = 8
)

// texture samples a texture, or accesses a surface; it returns when the unit begins with it, and when its result is there.
func (u *memory) texture(w *warp, op *operation, list []int32, from float64) (begin float64, ready int64) {
	begin = max(u.tex, from)
	lanes, latency := sampledLanes, op.latency
	if byIndex(op.inst) {
		lanes = indexedLanes
	} else if len(list) > 1 {
		latency += u.m.latency.textureFilter
	}
	passes := 1
	if len(list) > 1 && lanes == sampledLanes && w.trace.accesses[list[0]].bytes > wideTexel && op.inst.Op.Name != "TLD4" {
		lanes, passes = lanes/2, 2
	}
	took := 0.0
	u.missing = u.missing[:0]
	for first := 0; first < 32; first += lanes {
		u.request(w, list, uint32(1<<lanes-1)<<first)
		if len(u.sectors) == 0 {
			continue
		}
		took += u.textureTurn(op, int(w.trace.accesses[list[0]].bytes), len(list), lanes)
		for range passes {
			for _, s := range u.sectors {
				u.lookUp(op, s, &ready)
			}
		}
	}
	took = max(took, 1)
	u.tex = begin + took
	u.texBusy += took
	slices.Sort(u.missing)
	u.sectors = append(u.sectors[:0], slices.Compact(u.missing)...)
	u.byLine(func(line []uint64) {
		switch op.inst.Op.Name {
		case "SUST":
			u.keep(begin, line, false)
			w.drained = max(w.drained, int64(u.chip.store(begin, line, false)))
		case "SURED", "SUATOM":
			for _, s := range line {
				back, sent := u.chip.change(begin, s, 1, false)
				ready, w.drained = max(ready, back), max(w.drained, sent)
			}
		default:
			start := u.under(begin + took)
			u.tex = max(u.tex, start)
			at := u.chip.fetch(start, line, w.block.index, true)
			u.came(at)
			l := u.l1.find(line[0]/lineSectors, true)
			for _, s := range line {
				l.ready[s%lineSectors] = at
			}
			ready = max(ready, at)
		}
	})
	return begin, max(ready-u.m.latency.l1, int64(begin+took)-1) + latency
}

// request finds the sectors that some lanes reach, in order.
func (u *memory) request(w *warp, list []int32, lanes uint32) {
	u.sectors = u.sectors[:0]
	for _, i := range list {
		a := &w.trace.accesses[i]
		for m := a.mask & lanes; m != 0; m &= m - 1 {
			addr := w.trace.address(a, bits.TrailingZeros32(m))
			for s := addr / sectorBytes; s <= (addr+uint64(a.bytes)-1)/sectorBytes; s++ {
				if !contains(u.sectors, s) {
					u.sectors = append(u.sectors, s)
				}
			}
		}
	}
	slices.Sort(u.sectors)
}

// textureTurn is for how long the unit is busy with a request of so many lanes, which read some texels each.
func (u *memory) textureTurn(op *operation, bytes, texels, lanes int) float64 {
	var at [lineSectors]int
	for _, s := range u.sectors {
		at[s%lineSectors]++
	}
	reads, result := float64(slices.Max(at[:])), bytes
	if lanes != indexedLanes {
		reads = min(reads, float64(u.lines())/2)
	}
	if op.inst.Op.Name == "TLD4" {
		result = gatheredBytes
	}
	return max(1, reads, float64(lanes*result)/resultBytes, float64(lanes*texels*bytes)/filteredBytes)
}

// lookUp looks for a sector of a request in L1, and puts it among those that are missing. What is written goes to L2.
func (u *memory) lookUp(op *operation, sector uint64, ready *int64) {
	n := &u.chip.counts
	switch op.inst.Op.Name {
	case "SUST", "SURED", "SUATOM":
		u.missing = append(u.missing, sector)
		return
	}
	l := u.l1.find(sector/lineSectors, false)
	switch {
	case l != nil && l.ready[sector%lineSectors] != 0:
		*ready = max(*ready, l.ready[sector%lineSectors])
		n.textureHits++
	case contains(u.missing, sector):
		n.textureHits++
	default:
		u.missing = append(u.missing, sector)
		n.textureMisses++
	}
}
