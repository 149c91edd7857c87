package fp

import "math"

// A float64 rounded to odd stands for an exact value in a later rounding to a format of at most 51
// bits: it equals the exact value, or its lowest bit is set and it lies between the same two values
// of the narrower format, on the same side of their middle.

// isFinite reports whether x is neither infinite nor NaN.
func isFinite(x float64) bool { return x-x == 0 }

// toOdd returns nearest rounded to odd, where nearest is an exact value rounded to nearest and
// remainder has the sign of the exact value minus nearest.
func toOdd(nearest, remainder float64) float64 {
	b := math.Float64bits(nearest)
	if remainder == 0 || b&1 != 0 {
		return nearest
	}
	if (remainder > 0) == (nearest > 0) {
		return math.Float64frombits(b + 1)
	}
	return math.Float64frombits(b - 1)
}

// addToOdd returns x + y rounded to odd. A sum that cancels exactly is -0 when rounding to minus
// infinity. Neither operand comes near the limits of float64.
func addToOdd(x, y float64, m Mode) float64 {
	sum := x + y
	if sum == 0 {
		if m.Rounding() == RM && math.Signbit(x) != math.Signbit(y) {
			return math.Copysign(0, -1)
		}
		return sum
	}
	if !isFinite(sum) {
		return sum
	}
	part := sum - x
	return toOdd(sum, (x-(sum-part))+(y-part))
}

// fromFloat64 rounds x, exact or rounded to odd, to format f under m. NaN becomes canonical.
func (f Format) fromFloat64(x float64, m Mode) uint64 {
	r, c := F64.unpack(math.Float64bits(x))
	switch c {
	case notANumber:
		return f.nanResult(m)
	case infinite:
		return f.infinite(r.negative, m)
	default:
		return f.round(r, m)
	}
}

// nanResult returns the canonical NaN, or what .sat makes of it.
func (f Format) nanResult(m Mode) uint64 {
	if m&Sat != 0 {
		return 0
	}
	return f.NaN()
}

// infinite returns an infinity under m: the largest finite value where .satfinite is given or the
// format has none.
func (f Format) infinite(negative bool, m Mode) uint64 {
	l := &layouts[f]
	magnitude := l.infinity()
	if m&SatFinite != 0 || l.specials != ieee {
		magnitude--
	}
	return f.assemble(negative && l.signed, magnitude, m)
}
