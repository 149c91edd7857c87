package mma

import (
	"math/bits"
	"sync"
)

// scaled returns a product whose factors have a scale for each of so many blocks of a row of A and of a column of B (PTX
// ISA, "Block Scaling for mma.sync"). After the other registers come, for A and then for B, one with the scales, and
// two that say which of its bytes is the first and which lanes of a quad have them.
func scaled(s Spec, sh shape) *Product {
	m := kindSum(s.A, s.B, s.C, s.D)
	ar := &arithmetic[number]{
		decodeA: func(bits uint64) number { return numberOf(s.A.value(bits), m.leastA) },
		decodeB: func(bits uint64) number { return numberOf(s.B.value(bits), m.leastB) },
		dot:     m.dot,
	}
	if s.Blocks == 0 {
		return bind(sh, ar)
	}
	pool := &sync.Pool{New: func() any { return newScratch[number](&sh) }}
	return &Product{shape: sh, run: func(p *shape, src, dst []Register, active uint32) {
		x := pool.Get().(*scratch[number])
		defer pool.Put(x)
		x.load(p, ar, src, active)
		rest := src[p.a.Registers()+p.b.Registers()+p.c.Registers():]
		meta := rest
		if p.sparse != nil {
			rest = rest[2:]
		}
		block := p.b.Length / s.Blocks // columns of A
		for column := range p.b.Rows {
			scales := s.scales(rest[3:], active, column*4, 0)
			for i := range p.b.Length {
				x.b[column*p.b.Length+i] = x.b[column*p.b.Length+i].times(scales[i/block])
			}
		}
		for row := range p.a.Rows {
			a := x.a[row*p.a.Length:][:p.a.Length]
			// Of a row and the one eight below, neighbours in a quad have the scales; the lanes come in pairs.
			scales := s.scales(rest, active, row%8*4+row/8, 1)
			if p.sparse != nil {
				p.sparse.columns(row, meta, active, x.index)
			}
			for i := range a {
				at := i
				if p.sparse != nil {
					at = int(x.index[i])
				}
				a[i] = a[i].times(scales[at/block])
			}
			for column := range p.b.Rows {
				b := x.b[column*p.b.Length:][:p.b.Length]
				if p.sparse != nil {
					for i, at := range x.index {
						x.column[i] = b[at]
					}
					b = x.column
				}
				i := row*p.b.Rows + column
				x.d[i] = ar.dot(a, b, x.c[i])
			}
		}
		scatter(p.d, dst, x.d)
	}}
}

// scales returns the scales of the blocks of a row: in the register of the lane, which the selected lanes of a quad are
// so many steps (of one lane, or of two for pairs) away from.
func (s Spec) scales(registers []Register, active uint32, lane, pair int) (scales [4]number) {
	first := bits.TrailingZeros32(active | 1<<(lanes-1))
	from, threads := int(registers[1][first]), int(registers[2][first])
	lane = (lane + threads<<pair) % lanes
	word := registers[0][lane] & -uint64(active>>lane&1)
	for i := range s.Blocks {
		scales[i] = s.Scale.number(uint8(word >> ((from + i) % 4 * 8)))
	}
	return scales
}
