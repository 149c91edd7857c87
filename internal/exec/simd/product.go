package simd

import (
	"encoding/binary"

	"silica/internal/exec"
	"silica/internal/isa"
	"silica/internal/mma"
)

const allLanes = 1<<warpLanes - 1

// productLanes computes products of matrices on the register file itself where it can.
func productLanes(g *gang, o *op, lanes *masks) bool {
	x := &g.worker.product
	for w, active := range lanes {
		if active == 0 {
			continue
		}
		if active == allLanes {
			src, dst := x.src[:len(o.srcs)], x.dst[:len(o.dst)]
			for i, s := range o.srcs {
				src[i] = g.row32(s, w)
			}
			for i, d := range o.dst {
				dst[i] = g.row32(d, w)
			}
			if o.product.RunRows(src, dst) {
				continue
			}
		}
		one := masks{}
		one[w] = active
		acrossLanes(g, o, &one)
	}
	return true
}

// product is what products use and need not allocate.
type product struct {
	src [len(isa.Warp{}.Src)]*mma.Row
	dst [len(isa.Warp{}.Dst)]*mma.Row
}

// bindProduct binds a product of matrices whose operands are all in registers of 32 bits.
func (b *builder) bindProduct(o *op) {
	p := isa.ProductOf(b.inst.Form)
	if p == nil || !p.HasRows() {
		return
	}
	for _, r := range append(b.operands(b.inst.Dst), b.operands(b.inst.Src)...) {
		if r.bits != 32 || r.offset < 0 {
			return
		}
	}
	o.product, o.together = p, productLanes
}

// loadMatrixLanes loads 8x8 matrices of 16-bit elements to the register file itself where it can.
func loadMatrixLanes(g *gang, o *op, lanes *masks) bool {
	for w, active := range lanes {
		switch {
		case active == 0:
		case active == allLanes && !g.observed() && g.loadMatrices(o, w):
		case !g.matrix(o, w, active):
			return false
		}
	}
	return true
}

// loadMatrices is exec.Matrix's load for a whole warp. It returns false where a row's address is not legal.
func (g *gang) loadMatrices(o *op, w int) bool {
	addr := &g.worker.matrixIO.Addr
	g.addresses(o.mem, w, allLanes, addr)
	memory := asyncMemory{g}
	const rows, rowBytes = 8, 16
	var loaded [4 * rows][]byte
	for i := range rows * len(o.dst) {
		b, fault := memory.Bytes(o.mem.space, addr[i], rowBytes, rowBytes)
		if fault != nil {
			return false
		}
		loaded[i] = b
	}
	for m, d := range o.dst {
		to := g.row32(d, w)
		if to == nil {
			continue
		}
		for r, b := range loaded[m*rows:][:rows] {
			if !o.transposed {
				quad := to[4*r:][:4]
				for i := range quad {
					quad[i] = binary.LittleEndian.Uint32(b[4*i:])
				}
				continue
			}
			halves := (*[2 * warpLanes]uint16)(ptr(to))
			for c := range rows {
				halves[rows*c+r] = binary.LittleEndian.Uint16(b[2*c:])
			}
		}
	}
	return true
}

// bindMatrix binds a move of matrices between memory and registers.
func (b *builder) bindMatrix(o *op) {
	form := b.inst.Form
	o.matrix, o.mem, o.together = exec.MatrixOf(form), b.address(b.inst.Addr), matrixLanes
	if form.Opcode == "ldmatrix" && form.Has(".b16") {
		o.transposed, o.together = form.Has(".trans"), loadMatrixLanes
	}
}
