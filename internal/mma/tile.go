package mma

import (
	"math"
	"sync"

	"silica/internal/fp"
)

// Row is one 32-bit register of a warp.
type Row = [lanes]uint32

// tileUnit holds routines for a tile: 16 rows and 8 columns of a product, of which every dense product of floats consists. In the
// registers of A, B and C each quad of lanes has a row of A and a column of B, and the routines take them as they lie, 16 lanes at a
// time, in f32: a product of two elements is exact there, and what counts of it when it is aligned fits in 32 bits.
type tileUnit struct {
	// floats sets an element of each lane's register; it returns false for NaNs of 8 bits.
	floats func(to *Row, register *Row, x *extraction) bool
	// group completes the groups of a tile. It returns false where an exponent of an element is not near 0.
	group func(groups *tileGroup, count int, least float32) bool
	// sum sums a step. It returns false where an exponent of C is not near 0.
	sum func(x *tileSum) bool
	// halves packs each lane's elements as f16s.
	halves func(to *[2]Row, elements *[4]Row)
}

// tileGroup is four columns of A and the four rows of B that they meet. The powers are of two, those of the elements'
// exponents; that of zero is zero. Its layout is known to the routines.
type tileGroup struct {
	// Rows 0 to 7 of A, and rows 8 to 15; a quad of lanes has a row, a lane of it a column.
	aValues [2]Row
	//lint:ignore U1000 machine code uses it, through go_asm.h
	aPowers [2]Row
	// B as its register holds it: a quad of lanes has a column, a lane of it a row.
	b Row
	// Each row of B, in every quad of 16 lanes: first its even columns, then its odd ones.
	//lint:ignore U1000 machine code uses them, through go_asm.h
	bValues, bPowers [4]Row
}

// tileSum is a step of a tile: the products of some groups, and C. Its layout is known to the routines.
type tileSum struct {
	groups  *tileGroup
	count   int
	c, sums *[4]Row // each lane's four elements
	bits    int32
	least   float32 // the power of the least exponent of C
	// sticky is 1 to set the last bit of each sum that was cut, for another rounding to follow.
	sticky int32
}

// An extraction takes an element out of a word, which is shifted right, then left. What is left is an f16 in the low bits, times scale; or
// the bits of mask of an f32. Its layout is known to the routines.
type extraction struct {
	right, left int64
	mask        uint32 // 0 for an f16
	scale       float32
	// narrow tells that the f16 has an e4m3 in its high byte, whose fraction has to go down by a bit.
	narrow int64
}

// extractions returns how the elements of a register are taken out, nil for types that tiles do not have.
func extractions(e Element) []extraction {
	bytes := func(scale float32, narrow int64) (all []extraction) {
		for i := range int64(4) {
			all = append(all, extraction{right: 8 * i, left: 8, scale: scale, narrow: narrow})
		}
		return all
	}
	switch e {
	case F16:
		return []extraction{{scale: 1}, {right: 16, scale: 1}}
	case BF16:
		return []extraction{{left: 16, mask: 0xFFFF0000}, {mask: 0xFFFF0000}}
	case TF32:
		return []extraction{{mask: ^uint32(tf32Ignored)}}
	case E5M2:
		return bytes(1, 0)
	case E4M3:
		return bytes(256, 1) // the bias of an f16 is greater by 8
	}
	return nil
}

// tileProduct is a dense product that is computed tile by tile.
type tileProduct struct {
	unit   *tileUnit
	sum    *accumulation
	a, b   []extraction
	f16    []extraction // of C and D of f16
	pairs  int          // of registers of A in a tile
	places []tilePlace
	pool   sync.Pool // of *tileScratch
}

// tilePlace is where the operands of a tile are among those of the instruction. A product of 8 rows runs as that of the transposed
// matrices.
type tilePlace struct{ a, b, c, d int }

type tileScratch struct {
	groups  [8]tileGroup // the first elements of all registers, then the second ones, and so on
	step    tileSum
	c       [4]Row
	sums    [4]Row
	rounded [2]*Row // the registers of a step's result of f16
	results [2][4]Row
}

// tiled returns how a product is computed tile by tile, nil where it can not.
func tiled(s *shape, m *accumulation) *tileProduct {
	unit := newTileUnit()
	a, b := extractions(s.a.Element), extractions(s.b.Element)
	rows, columns := s.a.Rows, s.b.Rows
	if unit == nil || a == nil || b == nil || s.sparse != nil || s.batches != 1 || rows*columns%(16*8) != 0 {
		return nil
	}
	t := &tileProduct{unit: unit, sum: m, a: a, b: b, f16: extractions(F16), pairs: s.a.Length / (4 * len(a))}
	if t.pairs*len(a) > len(tileScratch{}.groups) {
		return nil
	}
	t.pool.New = func() any { return new(tileScratch) }
	na, nb := s.a.Registers(), s.b.Registers()
	c, d := 2*s.c.Element.Bits()/16, 2*s.d.Element.Bits()/16 // registers of a tile
	for i := range rows * columns / (16 * 8) {
		p := tilePlace{a: 0, b: na, c: na + nb + i*c, d: i * d}
		switch {
		case rows == 8:
			p.a, p.b = na+i*2*t.pairs, 0
		case columns == 8:
			p.a += i * 2 * t.pairs
		default:
			p.b += i * t.pairs
		}
		t.places = append(t.places, p)
	}
	if rows == 8 {
		t.a, t.b = b, a
	}
	return t
}

// run computes the product; it returns false, having written nothing, where an element's exponent is not near 0.
func (t *tileProduct) run(src, dst []*Row) bool {
	x := t.pool.Get().(*tileScratch)
	defer t.pool.Put(x)
	for i, p := range t.places {
		if !t.decode(x, src[p.a:], src[p.b:]) || !t.tile(x, src[p.c:], &x.results[i]) {
			return false
		}
	}
	for i, p := range t.places {
		for r := range t.sum.d.Bits() / 8 {
			*dst[p.d+r] = x.results[i][r]
		}
	}
	return true
}

// decode sets the groups of a tile.
func (t *tileProduct) decode(x *tileScratch, a, b []*Row) bool {
	fit := true
	for e := range t.a {
		for i := range t.pairs {
			g := &x.groups[e*t.pairs+i]
			fit = t.unit.floats(&g.aValues[0], a[2*i], &t.a[e]) && fit
			fit = t.unit.floats(&g.aValues[1], a[2*i+1], &t.a[e]) && fit
			fit = t.unit.floats(&g.b, b[i], &t.b[e]) && fit
		}
	}
	return fit && t.unit.group(&x.groups[0], len(t.a)*t.pairs, float32(power(t.sum.leastA)))
}

// tile computes the steps of a tile, and its registers of D.
func (t *tileProduct) tile(x *tileScratch, c []*Row, to *[4]Row) bool {
	m := t.sum
	if m.last {
		x.c = [4]Row{}
	} else {
		t.widen(x, m.c, c)
	}
	s := &x.step
	*s = tileSum{c: &x.c, sums: &x.sums, bits: m.bits, least: float32(power(m.leastC)), count: len(t.a) * t.pairs / m.steps}
	if m.d == F16 && !m.mixed {
		s.sticky = 1
	}
	for step := range m.steps {
		if step > 0 {
			x.c = x.sums
			if m.d == F16 {
				t.halves(x, to)
				x.rounded = [2]*Row{&to[0], &to[1]}
				t.widen(x, F16, x.rounded[:])
			}
			s.least = float32(power(m.d.least()))
		}
		s.groups = &x.groups[step*s.count]
		if !t.unit.sum(s) {
			return false
		}
	}
	switch {
	case m.d == F16:
		t.halves(x, to)
	default:
		*to = x.sums
	}
	if m.last {
		t.addLast(c, to)
	}
	return true
}

// widen sets the elements of C from registers.
func (t *tileProduct) widen(x *tileScratch, e Element, c []*Row) {
	if e == F32 {
		for i := range x.c {
			x.c[i] = *c[i]
		}
		return
	}
	for i := range 2 {
		for half := range 2 {
			t.unit.floats(&x.c[2*i+half], c[i], &t.f16[half])
		}
	}
}

// halves sets two registers from the sums. There is no negative zero, but where the sum was an f32 first.
func (t *tileProduct) halves(x *tileScratch, to *[4]Row) {
	t.unit.halves((*[2]Row)(to[:2]), &x.sums)
	if t.sum.mixed {
		return
	}
	const low, high = 0x8000, 0x8000 << 16
	for r := range 2 {
		for lane, w := range to[r] {
			if w&0xFFFF == low {
				w &^= low
			}
			if w&^0xFFFF == high {
				w &^= high
			}
			to[r][lane] = w
		}
	}
}

// addLast adds C to the sums.
func (t *tileProduct) addLast(c []*Row, to *[4]Row) {
	if t.sum.d == F16 {
		for r := range 2 {
			for lane, w := range to[r] {
				low := fp.Add16(fp.F16, uint16(w), uint16(c[r][lane]), fp.RN)
				to[r][lane] = uint32(low) | uint32(fp.Add16(fp.F16, uint16(w>>16), uint16(c[r][lane]>>16), fp.RN))<<16
			}
		}
		return
	}
	for r := range to {
		for lane, w := range to[r] {
			sum := math.Float32frombits(w) + math.Float32frombits(c[r][lane])
			if sum-sum != 0 { // infinities and NaNs
				to[r][lane] = fp.Add32(w, c[r][lane], fp.RN)
				continue
			}
			to[r][lane] = math.Float32bits(sum)
		}
	}
}
