package fp

// Abs32 returns the magnitude of a; a NaN becomes canonical.
func Abs32(a uint32, m Mode) uint32 { return uint32(F32.resign(uint64(a), false, m)) }

// Neg32 returns -a; a NaN becomes canonical.
func Neg32(a uint32, m Mode) uint32 {
	return uint32(F32.resign(uint64(a), a&sign32 == 0, m))
}

// Abs64 returns the magnitude of a; a NaN keeps its sign and gets its quiet bit set.
func Abs64(a uint64) uint64 {
	if isNaN64(a) {
		return a | quiet64
	}
	return a &^ sign64
}

// Neg64 returns -a; a NaN keeps its sign and gets its quiet bit set.
func Neg64(a uint64) uint64 {
	if isNaN64(a) {
		return a | quiet64
	}
	return a ^ sign64
}

// Abs16 returns the magnitude of a; a NaN becomes canonical.
func Abs16(f Format, a uint16, m Mode) uint16 { return uint16(f.resign(uint64(a), false, m)) }

// Neg16 returns -a; a NaN becomes canonical.
func Neg16(f Format, a uint16, m Mode) uint16 {
	return uint16(f.resign(uint64(a), a&sign16 == 0, m))
}

// Abs16x2 returns the magnitude of each half.
func Abs16x2(f Format, a uint32, m Mode) uint32 {
	return pair(Abs16(f, low(a), m), Abs16(f, high(a), m))
}

// Neg16x2 returns the negative of each half.
func Neg16x2(f Format, a uint32, m Mode) uint32 {
	return pair(Neg16(f, low(a), m), Neg16(f, high(a), m))
}

// resign returns x with the given sign, flushed if m says so, or the canonical NaN.
func (f Format) resign(x uint64, negative bool, m Mode) uint64 {
	l := &layouts[f]
	magnitude := x & l.magnitude()
	if magnitude > l.infinity() {
		return f.NaN()
	}
	if m&Ftz != 0 && magnitude < 1<<l.fraction {
		magnitude = 0
	}
	return f.assemble(negative, magnitude, 0)
}

// CopySign32 returns b with the sign of a. Nothing else changes, NaN or not.
func CopySign32(a, b uint32) uint32 { return a&sign32 | b&^sign32 }

// CopySign64 returns b with the sign of a. Nothing else changes, NaN or not.
func CopySign64(a, b uint64) uint64 { return a&sign64 | b&^sign64 }
