package fp

import "math"

// The f64 operations pass on a NaN operand with its quiet bit set; which one, when several are NaN,
// depends on the operation. An invalid operation gives the negative quiet NaN. They honour the
// roundings RN, RZ, RM and RP; f64 has no .ftz and no .sat in arithmetic.

const (
	sign64     = 1 << 63
	infinity64 = 0x7FF0000000000000
	quiet64    = 0x0008000000000000
	invalid64  = 0xFFF8000000000000
	one64      = 0x3FF0000000000000

	minNormal64 = 0x0010000000000000
)

// isNaN64 reports whether a is a NaN.
func isNaN64(a uint64) bool { return a&^sign64 > infinity64 }

// pickNaN64 returns the first NaN of the operands, quiet, or the NaN of an invalid operation.
func pickNaN64(operands ...uint64) uint64 {
	for _, a := range operands {
		if isNaN64(a) {
			return a | quiet64
		}
	}
	return invalid64
}

// Add64 returns a + b. Of two NaNs it passes on b.
func Add64(a, b uint64, m Mode) uint64 {
	r := math.Float64frombits(a) + math.Float64frombits(b)
	if r != r {
		return pickNaN64(b, a)
	}
	if m.Rounding() == RN || !isFiniteBits64(a) || !isFiniteBits64(b) {
		return math.Float64bits(r)
	}
	x, y := finite64(a), finite64(b)
	return F64.round(add(x.widen(), y.widen(), m).narrow(), m.Rounding())
}

// Sub64 returns a - b. Of two NaNs it passes on b, its sign unchanged.
func Sub64(a, b uint64, m Mode) uint64 {
	if !isNaN64(b) {
		b ^= sign64
	}
	return Add64(a, b, m)
}

// Mul64 returns a * b. Of two NaNs it passes on b.
func Mul64(a, b uint64, m Mode) uint64 {
	r := math.Float64frombits(a) * math.Float64frombits(b)
	if r != r {
		return pickNaN64(b, a)
	}
	if m.Rounding() == RN || !isFiniteBits64(a) || !isFiniteBits64(b) {
		return math.Float64bits(r)
	}
	return F64.round(multiply(finite64(a), finite64(b)).narrow(), m.Rounding())
}

// Fma64 returns a * b + c, rounded once. Of several NaNs it passes on b, else c, else a.
func Fma64(a, b, c uint64, m Mode) uint64 {
	r := math.FMA(math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c))
	if r != r {
		return pickNaN64(b, c, a)
	}
	if m.Rounding() == RN || !isFiniteBits64(a) || !isFiniteBits64(b) || !isFiniteBits64(c) {
		return math.Float64bits(r)
	}
	product := multiply(finite64(a), finite64(b))
	z := finite64(c)
	return F64.round(add(product, z.widen(), m).narrow(), m.Rounding())
}

// Div64 returns a / b. Of two NaNs it passes on a.
func Div64(a, b uint64, m Mode) uint64 {
	r := math.Float64frombits(a) / math.Float64frombits(b)
	if r != r {
		return pickNaN64(a, b)
	}
	if m.Rounding() == RN || !isFiniteBits64(a) || !isFiniteBits64(b) || b&^sign64 == 0 {
		return math.Float64bits(r)
	}
	return F64.round(divide(finite64(a), finite64(b)), m.Rounding())
}

// Rcp64 returns 1 / a.
func Rcp64(a uint64, m Mode) uint64 { return Div64(one64, a, m) }

// Sqrt64 returns the square root of a; that of -0 is -0.
func Sqrt64(a uint64, m Mode) uint64 {
	r := math.Sqrt(math.Float64frombits(a))
	if r != r {
		return pickNaN64(a)
	}
	if m.Rounding() == RN || !isFiniteBits64(a) {
		return math.Float64bits(r)
	}
	root := finite64(math.Float64bits(r))
	if root.significand == 0 {
		return a
	}
	// The root has 53 bits, so its square is exact and tells on which side of it the true root is.
	// That is a sticky bit above it, or all ones below it.
	square, x := multiply(root, root), finite64(a)
	switch {
	case square.exponent < x.exponent, square.exponent == x.exponent && square.high < x.significand:
		root.significand |= 1
	case square.exponent > x.exponent, square.high > x.significand, square.low != 0:
		root = below(root)
	}
	return F64.round(root, m.Rounding())
}

// below returns a value a little smaller in magnitude than x, which has at most 62 significant bits.
func below(x unpacked) unpacked {
	if x.significand == 1<<63 {
		return unpacked{x.negative, x.exponent - 1, math.MaxUint64}
	}
	x.significand--
	return x
}

// isFiniteBits64 reports whether a is neither infinite nor NaN.
func isFiniteBits64(a uint64) bool { return a&infinity64 != infinity64 }

// finite64 returns the value of a, which is finite.
func finite64(a uint64) unpacked {
	r, _ := F64.unpack(a)
	return r
}
