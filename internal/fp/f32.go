package fp

import "math"

// The f32 operations return the canonical NaN for every NaN result, whatever the operands' payloads.
// They honour Ftz, Sat and every rounding but RNA.

const (
	sign32     = 1 << 31
	infinity32 = 0x7F800000
	nan32      = 0x7FFFFFFF
	one32      = 0x3F800000
	minNormal  = 0x1p-126 // the smallest normal f32
	// flushBelow is where rounding to nearest with full precision reaches minNormal.
	flushBelow = minNormal - 0x1p-151
)

// Add32 returns a + b.
func Add32(a, b uint32, m Mode) uint32 {
	if m == RN {
		return nearest32(math.Float32frombits(a) + math.Float32frombits(b))
	}
	x, y := operand32(a, m), operand32(b, m)
	return round32(addToOdd(x, y, m), m)
}

// Sub32 returns a - b.
func Sub32(a, b uint32, m Mode) uint32 { return Add32(a, b^sign32, m) }

// Mul32 returns a * b.
func Mul32(a, b uint32, m Mode) uint32 {
	if m == RN {
		return nearest32(math.Float32frombits(a) * math.Float32frombits(b))
	}
	return round32(operand32(a, m)*operand32(b, m), m)
}

// Fma32 returns a * b + c, rounded once.
func Fma32(a, b, c uint32, m Mode) uint32 {
	x, y, z := operand32(a, m), operand32(b, m), operand32(c, m)
	product := x * y // exact: 48 bits
	if m == RN {
		// The float64 sum rounds to the same float32 as the exact one unless it lies halfway
		// between two of them.
		sum := product + z
		const halfway, below = 1 << 28, 1<<29 - 1
		if magnitude := math.Abs(sum); math.Float64bits(sum)&below != halfway && magnitude >= minNormal {
			return math.Float32bits(float32(sum))
		}
	}
	return round32(addToOdd(product, z, m), m)
}

// Div32 returns a / b.
func Div32(a, b uint32, m Mode) uint32 {
	if m == RN {
		return nearest32(math.Float32frombits(a) / math.Float32frombits(b))
	}
	x, y := operand32(a, m), operand32(b, m)
	quotient := x / y
	if isFinite(quotient) && isFinite(y) {
		// The remainder of a rounded quotient is exact. It has the sign of a quotient that is too
		// small when the divisor is positive.
		quotient = toOdd(quotient, math.FMA(-quotient, y, x)*math.Copysign(1, y))
	}
	return round32(quotient, m)
}

// Rcp32 returns 1 / a.
func Rcp32(a uint32, m Mode) uint32 { return Div32(one32, a, m) }

// Sqrt32 returns the square root of a; that of -0 is -0.
func Sqrt32(a uint32, m Mode) uint32 {
	if m == RN {
		return nearest32(float32(math.Sqrt(float64(math.Float32frombits(a)))))
	}
	x := operand32(a, m)
	root := math.Sqrt(x)
	if isFinite(root) {
		root = toOdd(root, math.FMA(-root, root, x))
	}
	return round32(root, m)
}

// nearest32 returns the bits of r with any NaN made canonical.
func nearest32(r float32) uint32 {
	if r != r {
		return nan32
	}
	return math.Float32bits(r)
}

// operand32 returns the value of a, flushed if m says so.
func operand32(a uint32, m Mode) float64 {
	if m&Ftz != 0 {
		a = Flush32(a)
	}
	return float64(math.Float32frombits(a))
}

// Flush32 returns a with a denormal replaced by zero of the same sign.
func Flush32(a uint32) uint32 {
	if a&infinity32 == 0 {
		return a & sign32
	}
	return a
}

// round32 rounds x, a value exact or rounded to odd, to f32 under m.
func round32(x float64, m Mode) uint32 {
	if m.Rounding() != RN {
		return uint32(F32.fromFloat64(x, m))
	}
	r := nearest32(float32(x))
	if m&Ftz != 0 && math.Abs(x) < flushBelow {
		r &= sign32
	}
	if m&Sat != 0 {
		r = saturate32(r)
	}
	return r
}

// saturate32 clamps to [+0, 1]; NaN becomes +0.
func saturate32(r uint32) uint32 {
	switch {
	case r >= sign32, r > infinity32:
		return 0
	default:
		return min(r, one32)
	}
}
