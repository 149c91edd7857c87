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
	high          []uint32
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

// integerPairs is a factor whose elements are taken by pairs of neighbours in a row.
type integerPairs struct {
	element   Element
	low, high *placed
}

func pairsOf(f *Fragment, at func(row, pair int) int) integerPairs {
	half := func(odd int) *placed {
		p := &placed{f, make([]uint32, f.Rows*f.Length/2)}
		all := place(f, func(row, i int) int { return row*f.Length + i })
		for row := range f.Rows {
			for pair := range f.Length / 2 {
				p.sources[at(row, pair)] = all.sources[row*f.Length+2*pair+odd]
			}
		}
		return p
	}
	return integerPairs{f.Element, half(0), half(1)}
}

// decode reads the factor; high is for what it reads on the way.
func (p *integerPairs) decode(unit *vectorUnit, registers []Register, to, high []uint32) {
	mask := uint32(1)<<p.element.Bits() - 1
	unit.gather(&to[0], &registers[0][0], &p.low.sources[0], mask, len(to))
	unit.gather(&high[0], &registers[0][0], &p.high.sources[0], mask, len(to))
	for i, h := range high[:len(to)] {
		to[i] = uint32(uint16(p.element.integer(uint64(to[i])))) | uint32(p.element.integer(uint64(h)))<<16
	}
}

// pairIntegers lets a vectorUnit compute a dense product of bytes or four-bit integers where there is one.
func pairIntegers(p *Product, spec Spec) *Product {
	unit := newVectorUnit()
	if unit == nil || p.sparse != nil {
		return p
	}
	k, n := p.a.Length, p.b.Rows
	a := pairsOf(p.a, func(row, pair int) int { return row*k/2 + pair })
	b := pairsOf(p.b, func(column, pair int) int { return pair*n + column })
	c := place(p.c, func(row, i int) int { return row*n + i })
	pool := &sync.Pool{New: func() any {
		results := p.d.Rows * n
		return &integerScratch{
			a: make([]uint32, p.a.Rows*k/2), b: make([]uint32, n*k/2), c: make([]uint32, results), sums: make([]uint32, results),
			high: make([]uint32, max(p.a.Rows, n)*k/2),
		}
	}}
	p.vector = func(p *shape, src, dst []Register) bool {
		s := pool.Get().(*integerScratch)
		defer pool.Put(s)
		na, nb := p.a.Registers(), p.b.Registers()
		a.decode(unit, src, s.a, s.high)
		b.decode(unit, src[na:], s.b, s.high)
		unit.gather(&s.c[0], &src[na+nb][0], &c.sources[0], math.MaxUint32, len(s.c))
		sums := s.c
		if spec.Saturate {
			sums = s.sums
			clear(sums)
		}
		unit.pairs(&pairBlock{a: &s.a[0], b: &s.b[0], sums: &sums[0], rows: p.a.Rows, columns: n, depth: k / 2})
		if spec.Saturate {
			addSaturated(s.c, sums)
		}
		scatter(p.d, dst, s.c)
		return true
	}
	return p
}
