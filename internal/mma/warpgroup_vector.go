package mma

import "sync"

const exponent32 = 0x7F800000

// warpgroupScratch holds the decoded matrices of a tile, and B. A sparse A is spread out, with zeros where
// nothing is kept.
type warpgroupScratch struct {
	a, b, c decoded
	sums    []float64
	d       []uint32
	index   []uint8
}

// vectoriseWarpgroup lets a vectorUnit compute the tiles of a product. Those with infinities or NaNs are left to p's own
// way.
func vectoriseWarpgroup(p *WarpgroupProduct, m *accumulation, unit *vectorUnit) func(x *WarpgroupFactors, tiles []Tile) {
	slow := p.run
	k := p.ColumnBytes() * 8 / p.B.Bits()
	pool := &sync.Pool{New: func() any {
		return &warpgroupScratch{
			a: newDecoded(TileRows * k), b: newDecoded(k * p.N), c: newDecoded(TileRows * p.N),
			sums: make([]float64, TileRows*p.N), d: make([]uint32, TileRows*p.N), index: make([]uint8, p.rowElements()),
		}
	}}
	return func(x *WarpgroupFactors, tiles []Tile) {
		s := pool.Get().(*warpgroupScratch)
		defer pool.Put(s)
		if s.decodeB(p, m, unit, x) >= nonfinite {
			slow(x, tiles)
			return
		}
		for i := range tiles {
			if t := &tiles[i]; !s.tile(p, m, unit, x, t, k) {
				slow(x, tiles[i:i+1])
			}
		}
	}
}

// decodeB decodes B, which becomes row after row.
func (s *warpgroupScratch) decodeB(p *WarpgroupProduct, m *accumulation, unit *vectorUnit, x *WarpgroupFactors) (largest int32) {
	n, k := p.N, p.ColumnBytes()*8/p.B.Bits()
	sign := uint32(p.B.sign(x.NegateB))
	for column := range n {
		packed := x.B[column*p.ColumnBytes():][:p.ColumnBytes()]
		for i := range k {
			s.b.words[i*n+column] = uint32(p.B.element(packed, i)) ^ sign
		}
	}
	return unit.decode(p.B, &s.b, m.leastB)
}

// tile computes a tile; it returns false when A or C is not finite, or metadata name a column twice.
func (s *warpgroupScratch) tile(p *WarpgroupProduct, m *accumulation, unit *vectorUnit, x *WarpgroupFactors, t *Tile, k int) bool {
	n, half := p.N, p.D == F16
	sign := uint32(p.A.sign(x.NegateA))
	clear(s.a.words)
	for row := range TileRows {
		packed := t.A[row*RowBytes:][:RowBytes]
		if p.Sparse {
			t.kept(newSparsity(p.A, len(s.index)), row, s.index)
			for i, at := range s.index {
				if i%2 == 1 && at == s.index[i-1] { // no place in a spread row
					return false
				}
				s.a.words[row*k+int(at)] = uint32(p.A.element(packed, i)) ^ sign
			}
			continue
		}
		for i := range k {
			s.a.words[row*k+i] = uint32(p.A.element(packed, i)) ^ sign
		}
	}
	clear(s.c.words)
	if t.Accumulate {
		t.gather(s.c.words, n, half)
	}
	if unit.decode(p.A, &s.a, m.leastA) >= nonfinite || unit.decode(p.D, &s.c, m.leastC) >= nonfinite {
		return false
	}
	unit.rows(&block{
		aValues: &s.a.values[0], aExponents: &s.a.exponents[0], bValues: &s.b.values[0], bExponents: &s.b.exponents[0],
		cValues: &s.c.values[0], cExponents: &s.c.exponents[0], sums: &s.sums[0], floats: &s.d[0],
		rows: TileRows, columns: n, depth: k, stride: k, bits: m.bits,
	})
	switch {
	case half:
		unit.narrow(&s.d[0], &s.sums[0], len(s.sums))
	case m.short:
		for i, d := range s.d {
			if d&exponent32 == 0 {
				s.d[i] = uint32(m.round(s.sums[i])) // counts its bits of fraction from the first that is set
			} else {
				s.d[i] = d &^ (1<<(23-fp8Bits) - 1)
			}
		}
	}
	t.scatter(s.d, n, half)
	return true
}
