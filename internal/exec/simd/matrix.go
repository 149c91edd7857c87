package simd

import (
	"math/bits"

	"silica/internal/exec"
)

// matrix prepares an instruction that moves matrices between memory and the registers of a warp.
func (p *program) matrix(o *op) {
	o.matrix, o.together = exec.MatrixOf(o.inst.Form), matrixOnce
	m := p.asyncAddress(o.inst.Addr)
	m.space = o.inst.Addr.Space
	o.mem = &m
}

// matrixOnce moves the matrices of one warp.
func matrixOnce(g *gang, o *op, w int, active uint32) bool {
	io := &g.matrixIO
	io.Warp.Active, io.Space, io.Memory, io.Report = active, o.mem.space, asyncMemory{g}, nil
	for i, s := range o.srcs {
		g.readLanes(s, w, active, &io.Warp.Src[i])
	}
	for m := active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		io.Addr[lane] = g.laneAddress(o, w, lane)
	}
	if observer := g.block.worker.observer; observer != nil {
		io.Report = func(mask uint32, addr *[32]uint64, bytes int) {
			g.observed = *addr
			g.report(observer, o, w, mask, o.mem.space, bytes)
		}
	}
	if lane, fault := o.matrix(io); fault != nil {
		return g.raise(o, fault.Kind, w, lane, fault.Address, fault.Bytes, fault.Detail)
	}
	for i, d := range o.dst {
		g.writeLanes(d, w, active, &io.Warp.Dst[i])
	}
	return true
}
