package mma

import (
	"sync"

	"silica/internal/fp"
)

// vectorUnit holds routines that do for many elements what tensor.go does for one, with the same results.
type vectorUnit struct {
	// gather sets n words, a multiple of 16, from the registers of a warp, 32 lanes of 64 bits each: each one is the low half of
	// lane place>>5, counted over all registers, shifted right by the low five bits of its place, with the bits of mask.
	gather func(words *uint32, registers *uint64, places *uint32, mask uint32, n int)
	// widen sets the values and exponents of n floats, a multiple of 8, and returns the largest
	// exponent: that of zero is -1023, that of infinities and NaNs 1024, all others are at least least.
	widen func(values *float64, exponents *int32, floats *uint32, n int, least int32) (largest int32)
	// halves replaces n words that hold an f16 each, a multiple of 16, by the same values in f32.
	halves func(words *uint32, n int)
	// narrow rounds n exact sums, a multiple of 8, to f16, one a word.
	narrow func(words *uint32, sums *float64, n int)
	// rows computes accumulation.sum for the elements of a block.
	rows func(x *block)
	// pairs multiplies matrices of integers.
	pairs func(x *pairBlock)
}

// nonfinite is the exponent of infinities and NaNs.
const nonfinite = 1024

// block is a product of decoded matrices: rows of A by columns of B, a multiple of 8. Its layout is known to the
// routines. A is stored row after row, stride elements each, of which depth take part; so is B, columns elements each.
type block struct {
	aValues, bValues, cValues          *float64
	aExponents, bExponents, cExponents *int32
	sums                               *float64 // exact
	floats                             *uint32  // the sums cut to f32
	rows, columns, depth, stride       int
	bits                               int32
}

// vectorProduct is a dense product on a vectorUnit.
type vectorProduct struct {
	unit *vectorUnit
	sum  *accumulation
	// a, b and c tell at which place of the matrices of a block each element of a fragment's registers goes.
	a, b, c *placed
	pool    sync.Pool // of *vectorScratch
}

// placed is a fragment whose elements go to other places: those of B are transposed, and those of a row are put in
// the order in which they are summed.
type placed struct {
	*Fragment
	sources []uint32 // where each element is in the registers; see vectorUnit.gather
}

// vectorScratch holds the decoded matrices.
type vectorScratch struct {
	a, b, c decoded
	sums    []float64
	floats  []uint32
	d       []uint64
}

type decoded struct {
	words     []uint32
	values    []float64
	exponents []int32
}

func newDecoded(n int) decoded {
	n = (n + 15) &^ 15
	return decoded{make([]uint32, n), make([]float64, n), make([]int32, n)}
}

// vectorise lets a vectorUnit compute p where there is one and the shape suits it. Products with infinities or NaNs
// are not for it.
func vectorise(p *Product, m *accumulation, order func(i, n int) int) *Product {
	unit := newVectorUnit()
	if unit == nil || p.sparse != nil || p.batches != 1 || p.b.Rows%8 != 0 {
		return p
	}
	v := &vectorProduct{unit: unit, sum: m, c: place(p.c, func(row, i int) int { return row*p.c.Length + i }, nil)}
	v.a = place(p.a, func(row, i int) int { return row*p.a.Length + i }, order)
	v.b = place(p.b, func(column, i int) int { return i*p.b.Rows + column }, order)
	v.pool.New = func() any {
		n := p.d.Rows * p.d.Length
		return &vectorScratch{
			a: newDecoded(p.a.Rows * p.a.Length), b: newDecoded(p.b.Rows * p.b.Length), c: newDecoded(n),
			sums: make([]float64, n), floats: make([]uint32, n), d: make([]uint64, n),
		}
	}
	p.vector = v.run
	return p
}

// place moves the elements of a fragment to where at says.
func place(f *Fragment, at func(row, i int) int, order func(i, n int) int) *placed {
	p := &placed{f, make([]uint32, (f.Rows*f.Length+15)&^15)}
	per := f.Element.perRegister()
	for i := len(f.places) - 1; i >= 0; i-- { // of an element in several places the first one counts
		row, column := int(f.places[i])/f.Length, int(f.places[i])%f.Length
		if order != nil {
			column = order(column, f.Length)
		}
		element, lane := i/lanes, i%lanes
		p.sources[at(row, column)] = uint32((element/per*lanes+lane)<<5 | element%per*f.Element.Bits())
	}
	return p
}

// run computes the product; it returns false when a factor or C is not finite.
func (v *vectorProduct) run(s *shape, src, dst []Register) bool {
	x := v.pool.Get().(*vectorScratch)
	defer v.pool.Put(x)
	na, nb := s.a.Registers(), s.b.Registers()
	largest := max(v.decode(v.a, src, &x.a, v.sum.leastA), v.decode(v.b, src[na:], &x.b, v.sum.leastB))
	if !v.sum.last {
		largest = max(largest, v.decode(v.c, src[na+nb:], &x.c, v.sum.leastC))
	}
	if largest >= nonfinite {
		return false
	}
	return v.multiply(s, x, src[na+nb:], dst)
}

// decode reads a fragment.
func (v *vectorProduct) decode(p *placed, registers []Register, to *decoded, least int32) (largest int32) {
	mask := uint32(uint64(1)<<p.Element.Bits() - 1)
	v.unit.gather(&to.words[0], &registers[0][0], &p.sources[0], mask, len(to.words))
	return v.unit.decode(p.Element, to, least)
}

// decode turns words that hold an element each into numbers; see widen.
func (u *vectorUnit) decode(e Element, to *decoded, least int32) (largest int32) {
	switch e {
	case F16:
		u.halves(&to.words[0], len(to.words))
	case BF16:
		for i := range to.words {
			to.words[i] <<= 16
		}
	case TF32:
		for i := range to.words {
			to.words[i] &^= tf32Ignored
		}
	case E4M3, E5M2:
		table := &floats4
		if e == E5M2 {
			table = &floats5
		}
		for i, w := range to.words {
			to.words[i] = table[w&0xFF]
		}
	}
	return u.widen(&to.values[0], &to.exponents[0], &to.words[0], len(to.words), least)
}

// multiply computes the steps of the sum, and D from them; it returns false when a step's result is not finite and
// another one follows.
func (v *vectorProduct) multiply(s *shape, x *vectorScratch, src, dst []Register) bool {
	m := v.sum
	depth := s.a.Length / m.steps
	columns := s.b.Rows
	if m.last {
		for i := range x.c.words {
			x.c.words[i] = 0
		}
		v.unit.widen(&x.c.values[0], &x.c.exponents[0], &x.c.words[0], len(x.c.words), 0)
		s.c.gather(src, 1<<lanes-1, x.d)
	}
	b := block{
		cValues: &x.c.values[0], cExponents: &x.c.exponents[0], sums: &x.sums[0], floats: &x.floats[0],
		rows: s.a.Rows, columns: columns, depth: depth, stride: s.a.Length, bits: m.bits,
	}
	for step := range m.steps {
		if step > 0 && v.widenResults(x) >= nonfinite {
			return false
		}
		at := step * depth
		b.aValues, b.aExponents = &x.a.values[at], &x.a.exponents[at]
		b.bValues, b.bExponents = &x.b.values[at*columns], &x.b.exponents[at*columns]
		v.unit.rows(&b)
	}
	switch {
	case m.mixed && m.d == F16:
		for i, f := range x.floats {
			x.floats[i] = uint32(fp.Convert(fp.F32, fp.F16, uint64(f), fp.RN))
		}
	case m.d == F16:
		v.unit.narrow(&x.floats[0], &x.sums[0], len(x.sums))
	}
	if m.last {
		for i, result := range x.floats {
			x.floats[i] = uint32(m.add(uint64(result), x.d[i]))
		}
	}
	scatter(s.d, dst, x.floats)
	return true
}

// widenResults makes the result of a step the C of the next.
func (v *vectorProduct) widenResults(x *vectorScratch) (largest int32) {
	copy(x.c.words, x.floats)
	if v.sum.d == F16 {
		v.unit.narrow(&x.c.words[0], &x.sums[0], len(x.sums))
		v.unit.halves(&x.c.words[0], len(x.c.words))
	}
	return v.unit.widen(&x.c.values[0], &x.c.exponents[0], &x.c.words[0], len(x.c.words), v.sum.d.least())
}
