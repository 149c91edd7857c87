package ref

import (
	"math/bits"

	"silica/internal/exec"
	"silica/internal/isa"
)

// warpgroup is what products of warpgroups use and need not allocate.
type warpgroup struct {
	product exec.Warpgroup
	rows    []row
}

// executeWarpgroup computes the part of a warpgroup's product that a warp has.
func executeWarpgroup(w *warp, f *fragment, s *step, active uint32) {
	x := &w.worker.scratch
	g := &x.warpgroup
	if g.rows == nil || len(g.rows) < len(s.Src)+len(s.Dst) {
		g.rows = make([]row, len(s.Src)+len(s.Dst))
	}
	p := exec.WarpgroupWarp{Index: w.index % exec.WarpgroupWarps, Active: active}
	for i, o := range s.Src {
		r := &g.rows[i]
		if o.Bits == 32 {
			lanes(active, func(lane int) { r[lane] = uint32(w.get(f, o, lane)) })
		}
		p.Src, p.First = append(p.Src, (*[32]uint32)(r)), append(p.First, w.get(f, o, bits.TrailingZeros32(active)))
	}
	for i := range s.Dst {
		p.Dst = append(p.Dst, (*[32]uint32)(&g.rows[len(s.Src)+i]))
	}
	m := &g.product
	m.Memory, m.Warps, m.Report = asyncMemory{w, &x.views[s.view], firstLane(active)}, []exec.WarpgroupWarp{p}, nil
	if w.observed() {
		m.Report = func(_ int, mask uint32, addr *[32]uint64, bytes int) {
			x.formed = *addr
			w.observe(f, s, isa.Shared, mask, bytes)
		}
	}
	if _, fault := s.warpgroup(m); fault != nil {
		w.fail(f, firstLane(active), fault)
		return
	}
	for i, o := range s.Dst {
		lanes(active, func(lane int) { w.set(f, o, lane, uint64(p.Dst[i][lane])) })
	}
}
