package simd

import (
	"math/bits"

	"silica/internal/exec"
	"silica/internal/isa"
)

// warpgroup is what products of warpgroups use and need not allocate.
type warpgroup struct {
	product exec.Warpgroup
	warps   [exec.WarpgroupWarps]exec.WarpgroupWarp
	numbers [exec.WarpgroupWarps]int // in the gang
}

// warpgroupLanes computes the products of the warps that are there, those of a warpgroup together. They read and write the
// register file itself.
func warpgroupLanes(g *gang, o *op, lanes *masks) bool {
	x := &g.worker.warpgroup
	n := 0
	for w, active := range lanes {
		if active == 0 {
			continue
		}
		if n > 0 && (g.firstWarp+w)/exec.WarpgroupWarps != (g.firstWarp+x.numbers[0])/exec.WarpgroupWarps {
			if !g.multiply(o, n) {
				return false
			}
			n = 0
		}
		x.numbers[n] = w
		g.warpgroupWarp(o, w, active, &x.warps[n])
		n++
	}
	return n == 0 || g.multiply(o, n)
}

// warpgroupWarp sets the operands of a warp.
func (g *gang) warpgroupWarp(o *op, w int, active uint32, to *exec.WarpgroupWarp) {
	to.Index, to.Active = (g.firstWarp+w)%exec.WarpgroupWarps, active
	to.Src, to.Dst, to.First = to.Src[:0], to.Dst[:0], to.First[:0]
	for _, s := range o.srcs {
		to.Src, to.First = append(to.Src, g.row32(s, w)), append(to.First, g.read(s, w, bits.TrailingZeros32(active)))
	}
	for _, d := range o.dst {
		to.Dst = append(to.Dst, g.row32(d, w))
	}
}

// row32 returns the lanes of warp w of a register of 32 bits, nil for others.
func (g *gang) row32(o operand, w int) *[warpLanes]uint32 {
	if o.bits != 32 || o.offset < 0 {
		return nil
	}
	return (*[warpLanes]uint32)(g.row(o, w))
}

// multiply computes the product of the first n warps.
func (g *gang) multiply(o *op, n int) bool {
	x := &g.worker.warpgroup
	m := &x.product
	m.Memory, m.Warps, m.Report = asyncMemory{g}, x.warps[:n], nil
	if g.observed() {
		m.Report = func(warp int, mask uint32, addr *[warpLanes]uint64, bytes int) {
			w := x.numbers[warp]
			g.worker.addresses[w] = *addr
			g.report(o, w, isa.Shared, mask, &g.worker.addresses[w], bytes)
		}
	}
	if warp, fault := o.warpgroup(m); fault != nil {
		w := x.numbers[warp]
		g.fail(o, w, bits.TrailingZeros32(x.warps[warp].Active), fault)
		return false
	}
	return true
}
