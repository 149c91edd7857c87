package mma

import (
	"encoding/binary"
	"sync"
)

// warpgroupTiles computes the tiles of a dense product of a warpgroup as products of 16 rows and 8 columns, whose factors lie in
// registers as those of mma.sync do.
type warpgroupTiles struct {
	*tileProduct
	of   *WarpgroupProduct
	slow func(x *WarpgroupFactors, tiles []Tile)
	pool sync.Pool // of *warpgroupTileScratch
}

// warpgroupTileScratch holds the decoded columns of B, the registers of one factor, and those of a tile's D.
type warpgroupTileScratch struct {
	*Scratch
	b         []decodedB // of 8 columns each
	registers [4]Row
	rows      [4]*Row
	d         []*Row // of all tiles, until all are computed
}

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
	return &warpgroupTiles{tileProduct: t, of: p, slow: p.run, pool: sync.Pool{New: func() any {
		rows := make([]Row, p.N/8*p.D.Bits()/8)
		s := &warpgroupTileScratch{Scratch: NewScratch(), b: make([]decodedB, p.N/8), d: make([]*Row, len(rows))}
		for i := range s.rows {
			s.rows[i] = &s.registers[i]
		}
		for i := range s.d {
			s.d[i] = &rows[i]
		}
		return s
	}}}
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
	for i := range s.b {
		columns := x.B[8*i*RowBytes:][:8*RowBytes]
		for r := range 2 {
			rowsOf(&s.registers[r], columns[r*RowBytes/2:], sign)
		}
		if !w.groupsOfB(s.Scratch, &s.b[i], s.rows[:2]) {
			return false
		}
	}
	return true
}

// tileOf computes the tile of a warp; it returns false, having written nothing, where it can not.
func (w *warpgroupTiles) tileOf(s *warpgroupTileScratch, x *WarpgroupFactors, t *Tile) bool {
	sign := w.a.signs(x.NegateA)
	for r := range s.registers {
		rowsOf(&s.registers[r], t.A[r%2*8*RowBytes+r/2*RowBytes/2:], sign)
	}
	s.Forget()
	if !w.decodeA(s.Scratch, s.rows[:]) {
		return false
	}
	registers := w.sum.d.Bits() / 8
	c := []*Row{&noRow, &noRow, &noRow, &noRow}
	for i := range s.b {
		if t.Accumulate {
			c = t.C[i*registers:]
		}
		if !w.tile(s.Scratch, &s.b[i], c[:registers], s.d[registers*i:][:registers]) {
			return false
		}
	}
	for i, d := range t.D {
		*d = *s.d[i]
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
