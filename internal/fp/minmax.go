package fp

// Minimum and maximum order -0 below +0. A NaN operand yields to a number, unless PropagateNaN is
// given. With Abs the magnitudes take part instead of the operands; with XorSignAbs the result then gets
// the exclusive or of the operands' signs. With Ftz operands are flushed.

// Min32 returns the smaller of a and b.
func Min32(a, b uint32, m Mode) uint32 {
	if m == RN && areNumbers32(a, b) {
		if order32(b) < order32(a) {
			return b
		}
		return a
	}
	return uint32(F32.extremum(uint64(a), uint64(b), false, m))
}

// Max32 returns the larger of a and b.
func Max32(a, b uint32, m Mode) uint32 {
	if m == RN && areNumbers32(a, b) {
		if order32(b) > order32(a) {
			return b
		}
		return a
	}
	return uint32(F32.extremum(uint64(a), uint64(b), true, m))
}

func areNumbers32(a, b uint32) bool { return a&^sign32 <= infinity32 && b&^sign32 <= infinity32 }

// order32 maps f32 to integers that ascend with the value, -0 below +0.
func order32(a uint32) int32 { return int32(a) ^ int32(a)>>31&0x7FFFFFFF }

// Min32x3 returns the smallest of a, b and c.
func Min32x3(a, b, c uint32, m Mode) uint32 { return Min32(Min32(a, b, m), c, m) }

// Max32x3 returns the largest of a, b and c.
func Max32x3(a, b, c uint32, m Mode) uint32 { return Max32(Max32(a, b, m), c, m) }

// Min64 returns the smaller of a and b. Of two NaNs it passes on b with its quiet bit set.
func Min64(a, b uint64) uint64 { return extremum64(a, b, false) }

// Max64 returns the larger of a and b. Of two NaNs it passes on b with its quiet bit set.
func Max64(a, b uint64) uint64 { return extremum64(a, b, true) }

// Min16 returns the smaller of a and b.
func Min16(f Format, a, b uint16, m Mode) uint16 {
	return uint16(f.extremum(uint64(a), uint64(b), false, m))
}

// Max16 returns the larger of a and b.
func Max16(f Format, a, b uint16, m Mode) uint16 {
	return uint16(f.extremum(uint64(a), uint64(b), true, m))
}

// Min16x2 returns the smaller of a and b in each half.
func Min16x2(f Format, a, b uint32, m Mode) uint32 {
	return pair(Min16(f, low(a), low(b), m), Min16(f, high(a), high(b), m))
}

// Max16x2 returns the larger of a and b in each half.
func Max16x2(f Format, a, b uint32, m Mode) uint32 {
	return pair(Max16(f, low(a), low(b), m), Max16(f, high(a), high(b), m))
}

// extremum64 returns the larger or smaller of two f64.
func extremum64(a, b uint64, larger bool) uint64 {
	if isNaN64(a) && isNaN64(b) {
		return b | quiet64
	}
	return F64.extremum(a, b, larger, 0)
}

// extremum returns the larger or smaller of two values whose format has no pad.
func (f Format) extremum(a, b uint64, larger bool, m Mode) uint64 {
	l := &layouts[f]
	magnitude := l.magnitude()
	signBit := magnitude + 1
	aNaN, bNaN := a&magnitude > l.infinity(), b&magnitude > l.infinity()
	if aNaN && bNaN || (aNaN || bNaN) && m&PropagateNaN != 0 {
		return f.NaN()
	}
	if m&Ftz != 0 {
		a, b = f.flush(a), f.flush(b)
	}
	sign := (a ^ b) & signBit
	if m&(Abs|XorSignAbs) != 0 {
		a, b = a&magnitude, b&magnitude
	}
	r := a
	if aNaN || !bNaN && (l.order(b) > l.order(a)) == larger {
		r = b
	}
	if m&XorSignAbs != 0 {
		r |= sign
	}
	return r
}

// order maps bit patterns to integers that ascend with the value, -0 below +0.
func (l *layout) order(x uint64) int64 {
	if magnitude := int64(x & l.magnitude()); x&(l.magnitude()+1) == 0 {
		return magnitude
	} else {
		return ^magnitude
	}
}

// flush returns x with a denormal replaced by zero of the same sign.
func (f Format) flush(x uint64) uint64 {
	l := &layouts[f]
	if x&l.infinity() == 0 {
		return x & (l.magnitude() + 1)
	}
	return x
}
