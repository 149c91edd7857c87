package mma

import (
	"encoding/binary"
	"sync"
	"unsafe"
)

// warpgroupTiles computes the tiles of a dense product of a warpgroup as products of 16 rows and 8 columns, whose factors lie in
// registers as those of mma.sync do.
type warpgroupTiles struct {
	*tileProduct
	of   *WarpgroupProduct
	slow func(x *WarpgroupFactors, tiles []Tile)
	pool sync.Pool // of *warpgroupTileScratch
	// columns decodes B, rows computes a tile.
	columns, rows *Chain
}

// warpgroupTileScratch is the Scratch, and what stands for the registers of a warp.
type warpgroupTileScratch struct {
	*Scratch
	*warpgroupRegisters
}

// warpgroupRegisters is the registers of the factors, the decoded columns of B, 8 each, and the registers of C and D of all tiles.
type warpgroupRegisters struct {
	a       [4]Row
	b       [mostColumns / 8][2]Row
	decoded [mostColumns / 8]decodedB
	c, d    [mostColumns / 2]Row
}

// mostColumns is the largest number of columns of a product of a warpgroup.
const mostColumns = 256

// tileWarpgroup returns how a product is computed tile by tile, nil where it can not.
func tileWarpgroup(p *WarpgroupProduct, m *accumulation) *warpgroupTiles {
	if p.Sparse {
		return nil
	}
	k := p.rowElements()
	t := tiled(&shape{
		a: factorA(p.A, TileRows, k, 4), b: factorB(p.B, 8, k, 2), c: accumulator(p.D, TileRows, 8), d: accumulator(p.D, TileRows, 8), batches: 1,
	}, m)
	if t == nil {
		return nil
	}
	w := &warpgroupTiles{tileProduct: t, of: p, slow: p.run, pool: sync.Pool{New: func() any {
		return &warpgroupTileScratch{NewScratch(), new(warpgroupRegisters)}
	}}}
	w.emitChains()
	return w
}

func (w *warpgroupTiles) emitChains() {
	var at warpgroupRegisters
	e, columns := &emitter{}, &emitter{}
	a := w.decodeA(e, place(unsafe.Offsetof(at.a)).rows(4))
	c, d := place(unsafe.Offsetof(at.c)), place(unsafe.Offsetof(at.d))
	registers := int(w.sum.d.Bits() / 8)
	for i := range w.of.N / 8 {
		b := place(unsafe.Offsetof(at.decoded) + uintptr(i)*unsafe.Sizeof(decodedB{}))
		w.emitB(columns, b, place(unsafe.Offsetof(at.b)+uintptr(i)*unsafe.Sizeof(at.b[i])).rows(2))
		w.tile(e, a, b, c.rows(registers), d.rows(registers))
		c, d = c+place(registers*rowBytes), d+place(registers*rowBytes)
	}
	w.columns, w.rows = columns.chain(), e.chain()
}

// run is WarpgroupProduct.Run. What elements far from 1 take part in is left to the other way.
func (w *warpgroupTiles) run(x *WarpgroupFactors, tiles []Tile) {
	s := w.pool.Get().(*warpgroupTileScratch)
	defer w.pool.Put(s)
	if !w.decodeColumns(s, x) {
		w.slow(x, tiles)
		return
	}
	for i := range tiles {
		if !w.tileOf(s, x, &tiles[i]) {
			w.slow(x, tiles[i:i+1])
		}
	}
}

// decodeColumns decodes B.
func (w *warpgroupTiles) decodeColumns(s *warpgroupTileScratch, x *WarpgroupFactors) bool {
	sign := w.b.signs(x.NegateB)
	registers := s.warpgroupRegisters
	for i := range w.of.N / 8 {
		columns := x.B[8*i*RowBytes:][:8*RowBytes]
		for r := range registers.b[i] {
			rowsOf(&registers.b[i][r], columns[r*RowBytes/2:], sign)
		}
	}
	return w.columns.Run(s.Scratch, unsafe.Pointer(registers)) > 0
}

// tileOf computes the tile of a warp; it returns false, having written nothing, where it can not.
func (w *warpgroupTiles) tileOf(s *warpgroupTileScratch, x *WarpgroupFactors, t *Tile) bool {
	sign := w.a.signs(x.NegateA)
	r := s.warpgroupRegisters
	for i := range r.a {
		rowsOf(&r.a[i], t.A[i%2*8*RowBytes+i/2*RowBytes/2:], sign)
	}
	for i := range t.D {
		if t.Accumulate {
			r.c[i] = *t.C[i]
		} else {
			r.c[i] = Row{}
		}
	}
	if w.rows.Run(s.Scratch, unsafe.Pointer(r)) == 0 {
		return false
	}
	for i, d := range t.D {
		*d = r.d[i]
	}
	return true
}

// rowsOf sets a register from half of 8 packed rows: a quad of lanes has a row of it.
func rowsOf(to *Row, packed []byte, sign uint32) {
	for row := range 8 {
		for i := range 4 {
			to[4*row+i] = binary.LittleEndian.Uint32(packed[row*RowBytes+4*i:]) ^ sign
		}
	}
}

// signs returns the bits of a register that negating its elements changes.
func (e Element) signs(negate bool) uint32 {
	word := uint32(e.sign(negate))
	for bits := e.Bits(); bits < 32; bits *= 2 {
		word |= word << bits
	}
	return word
}
