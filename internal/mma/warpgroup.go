package mma

import "encoding/binary"

// The part of a warpgroup's product that each of its warps has: 16 of the 64 rows.
const (
	TileRows = 16
	// RowBytes is the size of a row of A, of which a sparse one holds the elements that are kept.
	RowBytes = 32
)

// Tile is the part of a product of a warpgroup (wgmma.mma_async) that one warp computes.
type Tile struct {
	// A holds the rows of A, RowBytes each.
	A [TileRows * RowBytes]byte
	// Accumulate adds the product to C; otherwise C is not read.
	Accumulate bool
	// C and D are the registers of the accumulator; they may be the same ones.
	C, D []*[lanes]uint32
	// Meta and Selector are the metadata of a sparse A and which lanes of a quad have it.
	Meta     *[lanes]uint32
	Selector uint64
}

// SetA sets the rows of A from the four registers that hold them.
func (t *Tile) SetA(registers []*[lanes]uint32) {
	for i, r := range registers {
		at := i%2*8*RowBytes + i/2*16
		for lane, v := range r {
			binary.LittleEndian.PutUint32(t.A[at+lane/4*RowBytes+lane%4*4:], v)
		}
	}
}

// WarpgroupProduct is a product as warpgroups form it.
type WarpgroupProduct struct {
	Spec
	run func(x *WarpgroupFactors, tiles []Tile)
}

// WarpgroupFactors is what the tiles of a product share.
type WarpgroupFactors struct {
	// B holds the columns of B, one after the other, ColumnBytes each.
	B []byte
	// NegateA and NegateB change the signs of the factors.
	NegateA, NegateB bool
}

// ColumnBytes is the size of a column of B.
func (p *WarpgroupProduct) ColumnBytes() int {
	if p.Sparse {
		return 2 * RowBytes
	}
	return RowBytes
}

// Run computes the product in the tiles.
func (p *WarpgroupProduct) Run(x *WarpgroupFactors, tiles []Tile) { p.run(x, tiles) }

// Warpgroup returns the product of a wgmma.mma_async. C is of D's type.
func Warpgroup(s Spec) *WarpgroupProduct {
	p, m := newWarpgroup(s)
	switch unit := newVectorUnit(); {
	case unit == nil:
	case m != nil:
		p.run = vectoriseWarpgroup(p, m, unit)
		if t := tileWarpgroup(p, m); t != nil {
			p.run = t.run
		}
	case s.A != B1:
		p.run = vectoriseIntegers(p, unit)
	}
	return p
}

// newWarpgroup returns the product computed an element at a time, and how it adds up floats.
func newWarpgroup(s Spec) (*WarpgroupProduct, *accumulation) {
	s.C = s.D
	p := &WarpgroupProduct{Spec: s}
	switch {
	case s.A == B1:
		p.run = bindWarpgroup(p, bitMatches(s.And))
		return p, nil
	case s.D == S32:
		p.run = bindWarpgroup(p, integers(s.A, s.B, s.Saturate))
		return p, nil
	}
	m := &accumulation{bits: 25, steps: 1, c: s.D, d: s.D, leastA: s.A.least(), leastB: s.B.least(), leastC: s.C.least()}
	if s.A == E4M3 || s.A == E5M2 {
		m.bits = fp8Bits
		m.short = s.D == F32
	}
	p.run = bindWarpgroup(p, &arithmetic[number]{
		decodeA: func(bits uint64) number { return numberOf(s.A.value(bits), m.leastA) },
		decodeB: func(bits uint64) number { return numberOf(s.B.value(bits), m.leastB) },
		dot:     m.dot,
	})
	return p, m
}

// rowElements returns the number of elements of A in a row.
func (p *WarpgroupProduct) rowElements() int { return RowBytes * 8 / p.A.Bits() }

// element returns element i of a packed row.
func (e Element) element(row []byte, i int) uint64 {
	switch e.Bits() {
	case 8:
		return uint64(row[i])
	case 16:
		return uint64(binary.LittleEndian.Uint16(row[2*i:]))
	}
	return uint64(binary.LittleEndian.Uint32(row[4*i:]))
}

// sign returns the bits that negating an element changes.
func (e Element) sign(negate bool) uint64 {
	if !negate {
		return 0
	}
	return 1 << (e.Bits() - 1)
}

// A pair of neighbours in each row of a tile of 8 rows and 8 columns is in two registers, or the halves of one. Lanes
// go along the rows first.

// gather reads the accumulator of n columns, row after row. half tells that a register holds two f16.
func (t *Tile) gather(c []uint32, n int, half bool) {
	for pair := range n / 4 {
		at := pair%2*8*n + pair/2*8
		for row := range 8 {
			to := (*[8]uint32)(c[at+row*n:])
			if half {
				for i, v := range (*[4]uint32)(t.C[pair][4*row:]) {
					to[2*i], to[2*i+1] = v&0xFFFF, v>>16
				}
				continue
			}
			low, high := (*[4]uint32)(t.C[2*pair][4*row:]), (*[4]uint32)(t.C[2*pair+1][4*row:])
			to[0], to[2], to[4], to[6] = low[0], low[1], low[2], low[3]
			to[1], to[3], to[5], to[7] = high[0], high[1], high[2], high[3]
		}
	}
}

// scatter sets the accumulator; see gather.
func (t *Tile) scatter(d []uint32, n int, half bool) {
	for pair := range n / 4 {
		at := pair%2*8*n + pair/2*8
		for row := range 8 {
			from := (*[8]uint32)(d[at+row*n:])
			if half {
				to := (*[4]uint32)(t.D[pair][4*row:])
				for i := range to {
					to[i] = from[2*i]&0xFFFF | from[2*i+1]<<16
				}
				continue
			}
			low, high := (*[4]uint32)(t.D[2*pair][4*row:]), (*[4]uint32)(t.D[2*pair+1][4*row:])
			low[0], low[1], low[2], low[3] = from[0], from[2], from[4], from[6]
			high[0], high[1], high[2], high[3] = from[1], from[3], from[5], from[7]
		}
	}
}

// kept returns what tells the columns of a sparse row's elements.
func (t *Tile) kept(s *sparsity, row int, index []uint8) {
	var meta [2]Register
	for lane, v := range t.Meta {
		meta[0][lane], meta[1][lane] = uint64(v), t.Selector
	}
	s.columns(row, meta[:], 1<<lanes-1, index)
}

// bindWarpgroup returns the product computed an element at a time.
func bindWarpgroup[T any](p *WarpgroupProduct, ar *arithmetic[T]) func(x *WarpgroupFactors, tiles []Tile) {
	n, k := p.N, p.rowElements()
	kB := p.ColumnBytes() * 8 / p.B.Bits()
	half := p.D == F16
	return func(x *WarpgroupFactors, tiles []Tile) {
		a, b, column := make([]T, k), make([]T, n*kB), make([]T, k)
		index := make([]uint8, k)
		c := make([]uint32, TileRows*n)
		sign := p.B.sign(x.NegateB)
		for i := range b {
			b[i] = ar.decodeB(p.B.element(x.B, i) ^ sign)
		}
		sign = p.A.sign(x.NegateA)
		for i := range tiles {
			t := &tiles[i]
			clear(c)
			if t.Accumulate {
				t.gather(c, n, half)
			}
			for row := range TileRows {
				for i := range a {
					a[i] = ar.decodeA(p.A.element(t.A[row*RowBytes:], i) ^ sign)
				}
				if p.Sparse {
					t.kept(newSparsity(p.A, k), row, index)
				}
				for j := range n {
					at := row*n + j
					if !p.Sparse {
						c[at] = uint32(ar.dot(a, b[j*k:][:k], uint64(c[at])))
						continue
					}
					for i, from := range index {
						column[i] = b[j*kB+int(from)]
					}
					c[at] = uint32(ar.dot(a, column, uint64(c[at])))
				}
			}
			t.scatter(c, n, half)
		}
	}
}
