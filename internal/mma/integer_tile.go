package mma

// integerUnit holds routines for 8 rows and 8 columns of a product of integers, which take registers as they lie: each quad of lanes
// has a row of A and a column of B. A row of pairs has two integers of 16 bits a lane.
type integerUnit struct {
	// pairs turns four bytes a lane into two rows of pairs, bytes eight integers of four bits a lane into two rows of bytes.
	pairs func(to *[2]Row, register *Row, signed bool)
	bytes func(to *[2]Row, register *Row, signed bool)
	// spread puts a row of pairs of B in the order that sum takes it.
	spread func(to, from *Row)
	sum    func(x *integerSum)
}

// integerSum adds the products of rows of pairs to C's two registers. Its layout is known to the routine.
type integerSum struct {
	a, b  *Row // so many rows, those of b spread
	count int
	c, to [2]*Row
	// saturate limits the sums to 32 bits, which wrap around otherwise.
	saturate bool
}

// integerPairsScratch holds the rows of pairs of both factors.
type integerPairsScratch struct {
	a, b  [16]Row
	bytes [2]Row
	pairs [2]Row
	sum   integerSum
}

// integerTiles is a dense product of bytes or four-bit integers that is computed by blocks of 8 rows and 8 columns.
type integerTiles struct {
	unit     *integerUnit
	a, b     integerFactor
	blocks   []integerBlock
	saturate bool
}

// integerFactor tells where the registers of a factor are: those of each 8 rows, one after the other.
type integerFactor struct {
	element   Element
	registers []int
	perBlock  int // registers
}

// rows is the number of rows of pairs of each 8 rows.
func (f *integerFactor) rows() int { return f.perBlock * 16 / f.element.Bits() }

// integerBlock is one of the blocks of a product: which rows of A, which columns of B, and its first register of C among those of C.
type integerBlock struct{ a, b, c int }

// integerFactorOf finds the registers of a factor that are from first on.
func integerFactorOf(f *Fragment, first int) integerFactor {
	per, n := f.Element.perRegister(), f.Registers()
	out := integerFactor{f.Element, make([]int, n), f.Length / (4 * per)}
	for r := range n {
		row, column := f.Place(r*per, 0)
		out.registers[row/8*out.perBlock+column/(4*per)] = first + r
	}
	return out
}

// tiledIntegers returns how a product of integers is computed block by block, nil where it can not.
func tiledIntegers(p *Product, saturate bool) *integerTiles {
	unit := newIntegerUnit()
	if unit == nil || p.sparse != nil {
		return nil
	}
	t := &integerTiles{
		unit: unit, a: integerFactorOf(p.a, 0), b: integerFactorOf(p.b, p.a.Registers()), saturate: saturate,
	}
	// A product of 8 rows and 32 columns runs as that of the transposed matrices.
	transposed := p.b.Rows == 32
	if transposed {
		t.a, t.b = t.b, t.a
	}
	for c := 0; c < p.c.Registers(); c += 2 {
		row, column := p.c.Place(c, 0)
		if transposed {
			row, column = column, row
		}
		t.blocks = append(t.blocks, integerBlock{row / 8, column / 8, c})
	}
	return t
}

// run computes the product.
func (t *integerTiles) run(x *Scratch, src, dst []*Row) bool {
	s := &x.integers
	t.decode(s, &t.a, src, s.a[:], false)
	t.decode(s, &t.b, src, s.b[:], true)
	c := src[len(t.a.registers)+len(t.b.registers):]
	for _, block := range t.blocks {
		s.sum = integerSum{
			a: &s.a[block.a*t.a.rows()], b: &s.b[block.b*t.b.rows()], count: t.a.rows(),
			c: [2]*Row(c[block.c:]), to: [2]*Row{x.result(block.c), x.result(block.c + 1)}, saturate: t.saturate,
		}
		t.unit.sum(&s.sum)
	}
	for i, d := range dst {
		*d = *x.result(i)
	}
	return true
}

// result is a register of D.
func (x *Scratch) result(i int) *Row { return &x.results[i/4][i%4] }

// decode turns the registers of a factor into rows of pairs.
func (t *integerTiles) decode(s *integerPairsScratch, f *integerFactor, src []*Row, to []Row, spread bool) {
	signed := f.element == S8 || f.element == S4
	pairs := func(register *Row) {
		if !spread {
			t.unit.pairs((*[2]Row)(to), register, signed)
		} else {
			t.unit.pairs(&s.pairs, register, signed)
			t.unit.spread(&to[0], &s.pairs[0])
			t.unit.spread(&to[1], &s.pairs[1])
		}
		to = to[2:]
	}
	for _, r := range f.registers {
		if f.element.Bits() == 8 {
			pairs(src[r])
			continue
		}
		t.unit.bytes(&s.bytes, src[r], signed)
		pairs(&s.bytes[0])
		pairs(&s.bytes[1])
	}
}
