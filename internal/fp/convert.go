package fp

import "math"

// Convert returns x, a value of format from, in format to. It honours every flag of cvt: the
// rounding, Sat, SatFinite, Relu and Ftz, which concerns f32 operands and results only and has no
// effect from f32 to f16.
//
// The result of a NaN is the canonical NaN of the destination, except that a NaN from or to f64
// keeps its sign and the top of its payload, and bf16 to f32 without Ftz keeps all bits. So does f32
// to f32 and f64 to f64 without any flag, which optimised code makes a move.
func Convert(from, to Format, x uint64, m Mode) uint64 {
	if m == RN {
		switch {
		case from == to && (from == F32 || from == F64):
			return x
		case from == BF16 && to == F32:
			return x << 16
		case from == F16 && to == F32:
			return uint64(nearest32(math.Float32frombits(F16.widen16(uint16(x)))))
		case from == F32 && (to == F16 || to == BF16):
			return uint64(to.round16(float64(math.Float32frombits(uint32(x))), RN))
		case from == F32 && to == F64:
			if wide := float64(math.Float32frombits(uint32(x))); wide == wide {
				return math.Float64bits(wide)
			}
		case from == F64 && to == F32:
			if narrow := float32(math.Float64frombits(x)); narrow == narrow {
				return uint64(math.Float32bits(narrow))
			}
		}
	}
	if m&Ftz != 0 && from == F32 && to != F16 {
		x = F32.flush(x)
	}
	if to == TF32 && m.Rounding() == RNA {
		return tf32Away(x, m)
	}
	flags := m
	if to != F32 {
		flags &^= Ftz
	}
	switch r, c := from.unpack(x); c {
	case notANumber:
		return convertNaN(from, to, x, m)
	case infinite:
		return to.infinite(r.negative, flags)
	default:
		return to.round(r, flags)
	}
}

// convertNaN returns the NaN of format to that x, a NaN of format from, becomes.
func convertNaN(from, to Format, x uint64, m Mode) uint64 {
	switch {
	case m&Sat != 0:
		return 0
	case from == BF16 && to == F32 && m&Ftz == 0:
		return x << 16
	case from == F64 || to == F64:
		if from == F32 && m&Ftz != 0 {
			x = nan32
		}
		return to.payloadNaN(from.widenNaN(x))
	default:
		return to.NaN()
	}
}

// widenNaN returns the f64 of the same sign and payload as x, a NaN of format f, with the quiet bit
// set.
func (f Format) widenNaN(x uint64) uint64 {
	l := &layouts[f]
	fraction := x & (1<<l.fraction - 1)
	wide := uint64(infinity64|quiet64) | fraction<<(52-l.fraction)
	if x&(l.magnitude()+1) != 0 {
		wide |= sign64
	}
	return wide
}

// payloadNaN returns the NaN of format f with the sign and the top of the payload of x, an f64.
func (f Format) payloadNaN(x uint64) uint64 {
	l := &layouts[f]
	narrow := l.infinity() | x<<12>>(64-l.fraction)
	if x&sign64 != 0 {
		narrow |= l.magnitude() + 1
	}
	return narrow
}

// tf32Away rounds an f32 to tf32, ties away from zero, as the H200 does: by integer arithmetic on
// the bits, in which a NaN is one more number.
func tf32Away(x uint64, m Mode) uint64 {
	const half, dropped = 1 << 12, 1<<13 - 1
	magnitude := x &^ sign32
	if magnitude < infinity32 {
		magnitude += half
	}
	magnitude &^= dropped
	if m&SatFinite != 0 && magnitude >= infinity32 {
		magnitude -= dropped + 1
	}
	return magnitude | x&sign32
}

// RoundToIntegral returns x, a value of format f, rounded to an integral value by the rounding of
// m. It honours Ftz and Sat. The result of a NaN is the canonical NaN; an f64 keeps its payload.
func RoundToIntegral(f Format, x uint64, m Mode) uint64 {
	if m&Ftz != 0 {
		x = f.flush(x)
	}
	r, c := f.unpack(x)
	switch c {
	case notANumber:
		return convertNaN(f, f, x, m)
	case infinite:
		return f.infinite(r.negative, m)
	default:
		if r.exponent < int(layouts[f].fraction) {
			r = normalize(r.negative, 0, r.toInteger(m))
		}
		return f.round(r, m)
	}
}

// toInteger returns the magnitude of r rounded to an integer by m; 2^64-1 if it is larger.
func (r unpacked) toInteger(m Mode) uint64 {
	if r.exponent > 63 {
		return math.MaxUint64
	}
	kept, lost := split(r.significand, 63-r.exponent)
	if m.roundsUp(r.negative, kept&1 != 0, lost) {
		kept++ // no overflow: something is lost, so kept has its top bit clear
	}
	return kept
}
