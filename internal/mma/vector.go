package mma

import (
	"sync"

	"silica/internal/fp"
)

// vectorUnit holds routines that do for many elements what tensor.go does for one, with the same results.
type vectorUnit struct {
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
	places []uint16
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
	v := &vectorProduct{unit: unit, sum: m, c: &placed{p.c, p.c.places}}
	v.a = place(p.a, func(row, i int) int { return row*p.a.Length + i }, order)
	v.b = place(p.b, func(column, i int) int { return i*p.b.Rows + column }, order)
	v.pool.New = func() any {
		n := p.d.Rows * p.d.Length
		return &vectorScratch{
			a: newDecoded(p.a.Rows * p.a.Length), b: newDecoded(p.b.Rows * p.b.Length), c: newDecoded(n),
			sums: make([]float64, n), floats: make([]uint32, n), d: make([]uint64, n),
		}
	}
	p.vector = v
	return p
}

// place moves the elements of a fragment to where at says.
func place(f *Fragment, at func(row, i int) int, order func(i, n int) int) *placed {
	p := &placed{f, make([]uint16, len(f.places))}
	for i, from := range f.places {
		row, column := int(from)/f.Length, int(from)%f.Length
		if order != nil {
			column = order(column, f.Length)
		}
		p.places[i] = uint16(at(row, column))
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
	bits, per := p.Element.Bits(), p.Element.perRegister()
	mask := uint32(uint64(1)<<bits - 1)
	for e := len(p.places)/lanes - 1; e >= 0; e-- {
		r, shift := &registers[e/per], e%per*bits
		for lane, at := range (*[lanes]uint16)(p.places[e*lanes:]) {
			to.words[at] = uint32(r[lane]>>shift) & mask
		}
	}
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
	for i, result := range x.floats {
		if m.last {
			x.d[i] = m.add(uint64(result), x.d[i])
		} else {
			x.d[i] = uint64(result)
		}
	}
	s.d.scatter(dst, x.d)
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
