package fp

import "math"

// Int is an integer type.
type Int uint8

// The integer types of PTX.
const (
	U8 Int = iota
	S8
	U16
	S16
	U32
	S32
	U64
	S64
)

// Width returns the number of bits.
func (i Int) Width() int { return 8 << (i >> 1) }

// Signed reports whether the type has negative values.
func (i Int) Signed() bool { return i&1 != 0 }

// FloatToInt returns x, a value of format from, as an integer of type to, extended to 64 bits by its
// sign or by zeros. Values out of range saturate. It honours the rounding and Ftz.
//
// NaN gives 0 in general, the pattern of the most negative value when from is F64 or to has 64 bits.
func FloatToInt(from Format, to Int, x uint64, m Mode) uint64 {
	if from == F32 && to == S32 && m == RZ {
		if v := math.Float32frombits(uint32(x)); v > -0x1p31 && v < 0x1p31 {
			return uint64(int32(v))
		}
	}
	if m&Ftz != 0 && from == F32 {
		x = F32.flush(x)
	}
	width := to.Width()
	r, c := from.unpack(x)
	n := uint64(math.MaxUint64)
	switch c {
	case finite:
		n = r.toInteger(m)
	case notANumber:
		if from != F64 && width != 64 {
			return 0
		}
		n = 1 << (width - 1)
		if to.Signed() {
			n = -n
		}
		return n
	}
	switch {
	case to.Signed() && r.negative:
		return -min(n, 1<<(width-1))
	case to.Signed():
		return min(n, 1<<(width-1)-1)
	case r.negative:
		return 0
	default:
		return min(n, math.MaxUint64>>(64-width))
	}
}

// IntToFloat returns the integer in the low bits of x in format to. It honours the rounding and Sat.
func IntToFloat(from Int, to Format, x uint64, m Mode) uint64 {
	unused := 64 - from.Width()
	magnitude := x << unused >> unused
	n := int64(magnitude)
	if from.Signed() {
		n = int64(x<<unused) >> unused
	}
	if m == RN && from != U64 {
		switch to {
		case F32:
			return uint64(math.Float32bits(float32(n)))
		case F64:
			return math.Float64bits(float64(n))
		}
	}
	negative := from.Signed() && n < 0
	if negative {
		magnitude = uint64(-n)
	}
	return to.round(normalize(negative, 0, magnitude), m)
}
