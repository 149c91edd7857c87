package timing

import (
	"slices"

	"silica/internal/ir"
	"silica/internal/isa"
)

// waits finds loops in which warps wait for another block: how often they go round depends on the order in which the engine ran the blocks, which is
// not the chip's. Of such a loop the model runs the last round alone.
type waits struct {
	kernel    *ir.Kernel
	footprint *Footprint
	found     bool // reads that may wait, in any warp
}

// longestRound is how many basic blocks a round of a waiting loop may enter.
const longestRound = 32

// without returns a warp's steps without those of all but the last round of each waiting loop.
func (v *waits) without(t *warpTrace) []step {
	first := slices.IndexFunc(t.steps, func(s step) bool { return v.polls(t, &s) })
	if first < 0 {
		return t.steps
	}
	v.found = true
	out, polled := slices.Clone(t.steps[:first]), 0
	for i := range t.steps[first:] {
		s := &t.steps[first+i]
		out = append(out, *s)
		if v.polls(t, s) {
			polled = len(out)
		}
		if len(out)-polled < longestRound {
			if n := v.again(t, out); n > 0 {
				out = out[:len(out)-n]
			}
		}
	}
	return out
}

// again tells how many steps are the last round of a waiting loop that did the same as the round before it, 0 for none.
func (v *waits) again(t *warpTrace, steps []step) int {
	last := len(steps) - 1
	for n := 1; n <= longestRound && last-n >= 0; n++ {
		if !t.alike(&steps[last], &steps[last-n]) {
			continue
		}
		polled := false
		for i := range n {
			a := &steps[last-i]
			if last-n-i < 0 || !t.alike(a, &steps[last-n-i]) || a.first >= 0 && !v.polls(t, a) {
				return 0
			}
			polled = polled || a.first >= 0
		}
		if polled {
			return n
		}
		return 0
	}
	return 0
}

// polls tells whether all that a step accesses is what it reads of memory that the launch writes, each time anew.
func (v *waits) polls(t *warpTrace, s *step) bool {
	if s.first < 0 {
		return false
	}
	for i := s.first; i >= 0; i = t.accesses[i].next {
		a := &t.accesses[i]
		in := &v.kernel.Funcs[s.function].Code[a.pc]
		if in.Op != isa.OpLoad || a.space != isa.Global || !anew(in.Form) {
			return false
		}
		if !v.footprint.written(a.base / sectorBytes) {
			return false
		}
	}
	return true
}

// anew tells whether a load sees what others store meanwhile.
func anew(f *isa.Form) bool {
	return f.Has(".volatile") || f.Has(".relaxed") || f.Has(".acquire")
}

// alike tells whether two steps do the same.
func (t *warpTrace) alike(a, b *step) bool {
	if a.function != b.function || a.block != b.block || a.mask != b.mask {
		return false
	}
	i, j := a.first, b.first
	for ; i >= 0 && j >= 0; i, j = t.accesses[i].next, t.accesses[j].next {
		x, y := t.accesses[i], t.accesses[j]
		if x.far >= 0 && y.far >= 0 && slices.Equal(t.far[x.far:x.far+32], t.far[y.far:y.far+32]) {
			x.far, y.far = 0, 0
		}
		x.next, y.next = 0, 0
		if x != y {
			return false
		}
	}
	return i < 0 && j < 0
}

// written tells whether the launch writes a sector.
func (f *Footprint) written(sector uint64) bool {
	p := f.pages[sector*sectorBytes>>pageShift]
	if p == nil {
		return false
	}
	u := &p[sector%pageSectors]
	return uint32(u.who.Load()) != 0 || u.what.Load()&changed != 0
}
