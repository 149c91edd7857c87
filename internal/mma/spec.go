package mma

import "silica/internal/fp"

// Spec describes a product as an instruction's modifiers do.
type Spec struct {
	M, N, K    int
	A, B, C, D Element
	// Mode is the rounding of f64.
	Mode fp.Mode
	// Saturate limits integer results to 32 bits, which wrap around otherwise.
	Saturate bool
	// And counts the bits set in both factors, instead of those that differ.
	And bool
	// Sparse tells that A keeps half of each row.
	Sparse bool
	// Kind tells that the product is one of a .kind, with Blocks scales of type Scale in a row when Blocks is not 0.
	Kind   bool
	Blocks int
	Scale  ScaleType
	// ColumnA and RowB are the layouts of the factors of the 8 by 8 by 4 product of f16.
	ColumnA, RowB bool
}

// columns returns how many elements a row of that many takes: bits are counted in words.
func columns(e Element, k int) int {
	if e == B1 {
		return k / 32
	}
	return k
}

// MMA returns the product of an mma.sync.
func MMA(s Spec) *Product {
	if s.A == F16 && s.K == 4 {
		return bind(shape{
			a: quadFactor(s.ColumnA), b: quadFactor(s.RowB), c: quadAccumulator(s.C), d: quadAccumulator(s.D), batches: 4,
		}, fmaThenAdd(s.C, s.D))
	}
	kA, kB := columns(s.A, s.K), columns(s.B, s.K)
	sh := shape{c: accumulator(s.C, s.M, s.N), d: accumulator(s.D, s.M, s.N), batches: 1}
	if s.Sparse {
		kA /= 2
		sh.sparse = newSparsity(s.A, kA)
	}
	registers := func(e Element, elements int) int { return elements / lanes / e.perRegister() }
	sh.a = factorA(s.A, s.M, kA, registers(s.A, s.M*kA))
	sh.b = factorB(s.B, s.N, kB, registers(s.B, s.N*kB))
	return s.product(sh)
}

// WMMA returns the product of a wmma.mma.
func WMMA(s Spec) *Product {
	return s.product(shape{
		a: FragmentA(s.A, s.M, s.K), b: FragmentB(s.B, s.N, s.K),
		c: FragmentC(s.C, s.M, s.N), d: FragmentC(s.D, s.M, s.N), batches: 1,
	})
}

// FragmentA, FragmentB and FragmentC return the fragments of the wmma product of m rows, n columns and k
// elements to be multiplied. FragmentC is that of D too.
func FragmentA(e Element, m, k int) *Fragment {
	k = columns(e, k)
	return factorA(e, m, k, wmmaRegisters(e, m*k))
}

// FragmentB returns the fragment of B; see FragmentA.
func FragmentB(e Element, n, k int) *Fragment {
	k = columns(e, k)
	return factorB(e, n, k, wmmaRegisters(e, n*k))
}

// FragmentC returns the fragment of C or D; see FragmentA.
func FragmentC(e Element, m, n int) *Fragment { return accumulator(e, m, n) }

// wmmaRegisters returns the registers of a factor with so many elements; an f16 factor always has 8.
func wmmaRegisters(e Element, elements int) int {
	if e == F16 {
		return 8
	}
	return elements / lanes / e.perRegister()
}

// product binds the arithmetic of the elements.
func (s Spec) product(sh shape) *Product {
	switch {
	case s.Kind:
		return scaled(s, sh)
	case s.A == F64:
		p := bind(sh, fmaChain(s.Mode))
		if s.Mode == fp.RN {
			p.run = nearestDoubles(p)
		}
		return p
	case s.A == B1:
		return bind(sh, bitMatches(s.And))
	case s.D == S32:
		p := bind(sh, integers(s.A, s.B, s.Saturate))
		if t := tiledIntegers(p, s.Saturate); t != nil {
			p.emit = t.emit
		}
		return p
	}
	m := &accumulation{bits: 25, steps: 1, c: s.C, d: s.D, leastA: s.A.least(), leastB: s.B.least(), leastC: s.C.least()}
	if s.C != s.D {
		m.mixed, m.leastC = true, F32.least()
	}
	ar := &arithmetic[number]{
		decodeA: func(bits uint64) number { return numberOf(s.A.value(bits), m.leastA) },
		decodeB: func(bits uint64) number { return numberOf(s.B.value(bits), m.leastB) },
		dot:     m.dot,
	}
	switch {
	case s.A == E4M3 || s.A == E5M2:
		m.steps, m.last, ar.order = 2, true, fp8Order
		m.leastA, m.leastB = F16.least(), F16.least() // 8-bit floats become f16 first
	case s.A == TF32 && s.N == 16:
		m.steps = 2 // wmma
	}
	p := bind(sh, ar)
	if t := tiled(&p.shape, m); t != nil {
		p.emit = t.emit
	}
	return p
}
