package mma

import "sync"

// Matrices is a product of whole matrices, D = A B + C, as the fifth-generation tensor cores form it (tcgen05.mma).
type Matrices struct {
	Rows, Columns, Depth int // of D, and columns of A
	A, B, D              Element
	NegateA, NegateB     bool
	// Saturate limits integer results to 32 bits, which wrap around otherwise.
	Saturate bool
	// Blocks is the number of scales of a row of A and of a column of B, 0 for none.
	Blocks int
	Scale  ScaleType
	// Sparse tells that A keeps half of each row.
	Sparse bool
}

// MatrixOperands are the operands of a product of matrices: bits of elements.
type MatrixOperands struct {
	// A holds the rows of A one after the other, B the columns of B.
	A, B []uint32
	// Kept tells the column of each element of a sparse A.
	Kept []uint16
	// C holds the rows of C, nil for none; it is scaled by 2^-Shift.
	C     []uint32
	Shift int
	// ScaleA holds the scales of the rows of A, ScaleB those of the columns of B.
	ScaleA, ScaleB []uint8
}

// Run computes the product; d are the rows of D.
func (m *Matrices) Run(x *MatrixOperands, d []uint32) {
	if m.D == S32 {
		m.integers(x, d)
		return
	}
	a := m.numbers(m.A, x.A, x.ScaleA, x.Kept, m.NegateA)
	b := m.numbers(m.B, x.B, x.ScaleB, nil, m.NegateB)
	c := make([]number, len(d))
	for i := range c {
		c[i] = number{0, ofZero}
		if x.C != nil {
			c[i] = numberOf(m.D.value(uint64(x.C[i]))*power(-int32(x.Shift)), m.D.least())
		}
	}
	sum := kindSum(m.A, m.B, m.D, m.D)
	if unit := newVectorUnit(); unit != nil && m.vector(unit, sum, a, b, c, x.Kept, d) {
		return
	}
	perRow := len(a) / m.Rows
	column := make([]number, perRow)
	for i := range d {
		row, n := i/m.Columns, i%m.Columns
		factors := b[n*m.Depth:][:m.Depth]
		if m.Sparse {
			for j, at := range x.Kept[row*perRow:][:perRow] {
				column[j] = factors[at]
			}
			factors = column
		}
		d[i] = uint32(m.D.round(sum.sum(a[row*perRow:][:perRow], factors, c[i])))
	}
}

// numbers decodes and scales the elements of a factor; kept is nil where all of a row are there.
func (m *Matrices) numbers(e Element, elements []uint32, scales []uint8, kept []uint16, negate bool) []number {
	perRow := m.Depth
	if kept != nil {
		perRow /= 2
	}
	sign := 1.0
	if negate {
		sign = -1
	}
	list := make([]number, len(elements))
	for i, bits := range elements {
		x := numberOf(sign*e.value(uint64(bits)), e.least())
		if m.Blocks > 0 {
			column := i % perRow
			if kept != nil {
				column = int(kept[i])
			}
			x = x.times(m.Scale.number(scales[i/perRow*m.Blocks+column/(m.Depth/m.Blocks)]))
		}
		list[i] = x
	}
	return list
}

// tables are the matrices as a vectorUnit takes them.
type tables struct {
	values    []float64
	exponents []int32
}

// set enters a number; it returns false when that is not finite.
func (t *tables) set(at int, x number) bool {
	t.values[at], t.exponents[at] = x.value, max(x.exponent, -1023)
	return x.exponent < nonfinite
}

var matrixTables = sync.Pool{New: func() any { return new([3]tables) }}

// vector computes the product on a vector unit; it returns false when a number is not finite.
func (m *Matrices) vector(unit *vectorUnit, sum *accumulation, a, b, c []number, kept []uint16, d []uint32) bool {
	x := matrixTables.Get().(*[3]tables)
	defer matrixTables.Put(x)
	for i, n := range [...]int{m.Rows * m.Depth, m.Depth * m.Columns, len(c)} {
		if len(x[i].values) < n {
			x[i] = tables{make([]float64, n), make([]int32, n)}
		}
	}
	finite := true
	if m.Sparse { // spread out, with zeros where nothing is kept
		for i := range m.Rows * m.Depth {
			x[0].set(i, number{0, ofZero})
		}
	}
	for i, v := range a {
		at := i
		if m.Sparse {
			at = i/(m.Depth/2)*m.Depth + int(kept[i])
			finite = finite && (i%2 == 0 || kept[i] != kept[i-1]) // else there is no place in a spread row
		}
		finite = x[0].set(at, v) && finite
	}
	for i, v := range b {
		finite = x[1].set(i%m.Depth*m.Columns+i/m.Depth, v) && finite
	}
	for i, v := range c {
		finite = x[2].set(i, v) && finite
	}
	if !finite {
		return false
	}
	sums := make([]float64, len(d))
	unit.rows(&block{
		aValues: &x[0].values[0], aExponents: &x[0].exponents[0], bValues: &x[1].values[0], bExponents: &x[1].exponents[0],
		cValues: &x[2].values[0], cExponents: &x[2].exponents[0], sums: &sums[0], floats: &d[0],
		rows: m.Rows, columns: m.Columns, depth: m.Depth, stride: m.Depth, bits: sum.bits,
	})
	if m.D == F16 {
		for i, v := range sums {
			d[i] = uint32(F16.round(v))
		}
	}
	return true
}

// integers computes a product of integers.
func (m *Matrices) integers(x *MatrixOperands, d []uint32) {
	ar := integers(m.A, m.B, m.Saturate)
	decode := func(list []uint32, decode func(uint64) int32) []int32 {
		decoded := make([]int32, len(list))
		for i, v := range list {
			decoded[i] = decode(uint64(v))
		}
		return decoded
	}
	a, b := decode(x.A, ar.decodeA), decode(x.B, ar.decodeB)
	perRow := len(a) / m.Rows
	column := make([]int32, perRow)
	for i := range d {
		row, n := i/m.Columns, i%m.Columns
		factors := b[n*m.Depth:][:m.Depth]
		if m.Sparse {
			for j, at := range x.Kept[row*perRow:][:perRow] {
				column[j] = factors[at]
			}
			factors = column
		}
		var c uint64
		if x.C != nil {
			c = uint64(x.C[i])
		}
		d[i] = uint32(ar.dot(a[row*perRow:][:perRow], factors, c))
	}
}
