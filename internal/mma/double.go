package mma

import "math"

// doubleScratch holds the matrices of the largest product of f64.
type doubleScratch struct {
	a, b, c [16 * 16]uint64
}

// nearestDoubles returns how a product of f64 that is rounded to nearest is computed with this CPU's arithmetic. Those with NaNs are
// left to p's own way, for the NaN that the chip gives.
func nearestDoubles(p *Product) func(s *shape, src, dst []Register, active uint32) {
	plain := p.run
	return func(s *shape, src, dst []Register, active uint32) {
		var x doubleScratch
		if !x.multiply(s, src, active) {
			plain(s, src, dst, active)
			return
		}
		scatter(s.d, dst, x.c[:])
	}
}

// multiply adds the product to c; it returns false when an element of the result is no number.
func (x *doubleScratch) multiply(s *shape, src []Register, active uint32) bool {
	na, nb := s.a.Registers(), s.b.Registers()
	s.a.gather(src, active, x.a[:])
	s.b.gather(src[na:], active, x.b[:])
	s.c.gather(src[na+nb:], active, x.c[:])
	k, n := s.a.Length, s.b.Rows
	for row := range s.a.Rows {
		a := x.a[row*k:][:k]
		for column := range n {
			b := x.b[column*k:][:k]
			sum := math.Float64frombits(x.c[row*n+column])
			for i, v := range a {
				sum = math.FMA(math.Float64frombits(v), math.Float64frombits(b[i]), sum)
			}
			if sum != sum {
				return false
			}
			x.c[row*n+column] = math.Float64bits(sum)
		}
	}
	return true
}
