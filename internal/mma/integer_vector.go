package mma

import (
	"math"
	"sync"
)

// pairBlock is a product of matrices of integers of 16 bits: rows of A by columns of B, a multiple of 8, added to sums, row after
// row. A word holds two neighbours of a row: A is stored row after row, depth words each, B columns words for
// each two. Its layout is known to the routine.
type pairBlock struct {
	a, b, sums           *uint32
	rows, columns, depth int
}

// integerScratch holds the matrices of a tile.
type integerScratch struct {
	a, b, c, sums []uint32
	index         []uint8
}

// vectoriseIntegers lets a vectorUnit compute the tiles of a product of bytes. A sparse A is spread out; what can not
// be is left to p's own way.
func vectoriseIntegers(p *WarpgroupProduct, unit *vectorUnit) func(x *WarpgroupFactors, tiles []Tile) {
	slow := p.run
	n, k := p.N, p.ColumnBytes()
	pool := &sync.Pool{New: func() any {
		return &integerScratch{
			a: make([]uint32, TileRows*k/2), b: make([]uint32, n*k/2), c: make([]uint32, TileRows*n), sums: make([]uint32, TileRows*n),
			index: make([]uint8, RowBytes),
		}
	}}
	return func(x *WarpgroupFactors, tiles []Tile) {
		s := pool.Get().(*integerScratch)
		defer pool.Put(s)
		for column := range n {
			for i, v := range x.B[column*k:][:k] {
				if i%2 == 0 {
					s.b[i/2*n+column] = uint32(uint16(p.B.integer(uint64(v))))
				} else {
					s.b[i/2*n+column] |= uint32(p.B.integer(uint64(v))) << 16
				}
			}
		}
		for i := range tiles {
			t := &tiles[i]
			if !s.setA(p, t, k) {
				slow(x, tiles[i:i+1])
				continue
			}
			s.multiply(p, unit, t, k)
		}
	}
}

// setA decodes the rows of A; it returns false when metadata name a column twice.
func (s *integerScratch) setA(p *WarpgroupProduct, t *Tile, k int) bool {
	clear(s.a)
	for row := range TileRows {
		to := s.a[row*k/2:][:k/2]
		if p.Sparse {
			t.kept(newSparsity(p.A, RowBytes), row, s.index)
		}
		for i, v := range t.A[row*RowBytes:][:RowBytes] {
			at := i
			if p.Sparse {
				if at = int(s.index[i]); i%2 == 1 && s.index[i] == s.index[i-1] {
					return false
				}
			}
			to[at/2] |= uint32(uint16(p.A.integer(uint64(v)))) << (at % 2 * 16)
		}
	}
	return true
}

func (s *integerScratch) multiply(p *WarpgroupProduct, unit *vectorUnit, t *Tile, k int) {
	clear(s.c)
	if t.Accumulate {
		t.gather(s.c, p.N, false)
	}
	sums := s.c
	if p.Saturate {
		sums = s.sums
		clear(sums)
	}
	unit.pairs(&pairBlock{a: &s.a[0], b: &s.b[0], sums: &sums[0], rows: TileRows, columns: p.N, depth: k / 2})
	if p.Saturate {
		addSaturated(s.c, sums)
	}
	t.scatter(s.c, p.N, false)
}

// addSaturated adds integers to those of c.
func addSaturated(c, sums []uint32) {
	for i := range c {
		c[i] = uint32(min(max(int64(int32(c[i]))+int64(int32(sums[i])), math.MinInt32), math.MaxInt32))
	}
}
