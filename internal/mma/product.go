package mma

import "sync"

// Product is a product of matrices as an instruction forms it: D = A B + C.
type Product struct {
	shape
	// run computes the product, an element at a time.
	run func(p *shape, src, dst []Register, active uint32)
	// emit has a chain compute the product; nil where it can not.
	emit func(e *emitter, src, dst []place)
}

// shape is where the operands of a product lie.
type shape struct {
	a, b, c, d *Fragment
	// batches is the number of independent products that the fragments hold, one after the other in
	// their rows.
	batches int
	// sparse is nil for a dense product.
	sparse *sparsity
}

// Run computes the product on the registers of a warp. src holds the registers of A, B and C and, for a
// sparse product, those of the metadata and of the selector; dst are the registers of D. What inactive
// lanes hold counts as zero.
func (p *Product) Run(src, dst []Register, active uint32) {
	p.run(&p.shape, src, dst, active)
}

// Factors returns the number of registers of A and B.
func (p *Product) Factors() int { return p.a.Registers() + p.b.Registers() }

// Chains tells whether a Chain can compute the product: not on CPUs without the instructions, and for some shapes and types.
func (p *Product) Chains() bool { return p.emit != nil }

// arithmetic is how products of elements are summed, with T the form in which factors are kept.
type arithmetic[T any] struct {
	decodeA, decodeB func(bits uint64) T
	// dot returns an element of D: the sum of the products of a row and a column, and c.
	dot func(a, b []T, c uint64) uint64
	// order gives the place at which an element of a row of length n is summed; nil when that is its own.
	order func(i, n int) int
}

// bind returns the product of a shape computed by an arithmetic.
func bind[T any](s shape, ar *arithmetic[T]) *Product {
	pool := &sync.Pool{New: func() any { return newScratch[T](&s) }}
	return &Product{shape: s, run: func(p *shape, src, dst []Register, active uint32) {
		x := pool.Get().(*scratch[T])
		defer pool.Put(x)
		x.load(p, ar, src, active)
		if p.sparse == nil {
			x.dense(p, ar)
		} else {
			x.sparse(p, ar, src, active)
		}
		scatter(p.d, dst, x.d)
	}}
}

// scratch holds the decoded operands of one product.
type scratch[T any] struct {
	a, b, column []T
	bits, c, d   []uint64
	index        []uint8
}

func newScratch[T any](s *shape) *scratch[T] {
	return &scratch[T]{
		a: make([]T, s.a.Rows*s.a.Length), b: make([]T, s.b.Rows*s.b.Length), column: make([]T, s.a.Length),
		bits: make([]uint64, max(s.a.Rows*s.a.Length, s.b.Rows*s.b.Length)),
		c:    make([]uint64, s.c.Rows*s.c.Length), d: make([]uint64, s.d.Rows*s.d.Length), index: make([]uint8, s.a.Length),
	}
}

// load decodes the operands. The elements of a row of A, and of a column of B when A is dense, are put in
// the order in which their products are summed.
func (x *scratch[T]) load(s *shape, ar *arithmetic[T], src []Register, active uint32) {
	na, nb := s.a.Registers(), s.b.Registers()
	s.a.gather(src, active, x.bits)
	x.decode(x.a, s.a.Length, ar.decodeA, ar.order)
	s.b.gather(src[na:], active, x.bits)
	if s.sparse == nil {
		x.decode(x.b, s.b.Length, ar.decodeB, ar.order)
	} else {
		x.decode(x.b, s.b.Length, ar.decodeB, nil)
	}
	s.c.gather(src[na+nb:], active, x.c)
}

// decode decodes gathered elements, of which the rows have length n.
func (x *scratch[T]) decode(to []T, n int, decode func(uint64) T, order func(i, n int) int) {
	for i := range to {
		at := i
		if order != nil {
			at = i - i%n + order(i%n, n)
		}
		to[at] = decode(x.bits[i])
	}
}

// dense computes the products of dense matrices.
func (x *scratch[T]) dense(s *shape, ar *arithmetic[T]) {
	k := s.a.Length
	m, n := s.a.Rows/s.batches, s.b.Rows/s.batches
	for row := range s.a.Rows {
		a := x.a[row*k:][:k]
		b := x.b[row/m*n*k:]
		for column := range n {
			i := row*n + column
			x.d[i] = ar.dot(a, b[column*k:][:k], x.c[i])
		}
	}
}

// sparse computes the products of a sparse A: its kept elements with those of a column of B that they meet.
func (x *scratch[T]) sparse(s *shape, ar *arithmetic[T], src []Register, active uint32) {
	meta := src[s.a.Registers()+s.b.Registers()+s.c.Registers():]
	kept, k, n := s.a.Length, s.b.Length, s.b.Rows
	for row := range s.a.Rows {
		a := x.a[row*kept:][:kept]
		s.sparse.columns(row, meta, active, x.index)
		for column := range n {
			b := x.b[column*k:][:k]
			for i, at := range x.index {
				if ar.order != nil {
					i = ar.order(i, kept)
				}
				x.column[i] = b[at]
			}
			i := row*n + column
			x.d[i] = ar.dot(a, x.column, x.c[i])
		}
	}
}
