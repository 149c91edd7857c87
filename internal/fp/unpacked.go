package fp

import "math/bits"

// unpacked is a finite value (-1)^negative * significand * 2^(exponent-63). The significand is zero or
// has its top bit set. Its lowest bit is sticky: set when the true value has any bit at or below it.
// With 64 bits there are enough spare ones to round to any format in any direction.
type unpacked struct {
	negative    bool
	exponent    int
	significand uint64
}

// class says what kind of value a bit pattern is.
type class uint8

const (
	finite class = iota
	infinite
	notANumber
)

// unpack splits x, a value of format f. The result carries the sign for every class.
func (f Format) unpack(x uint64) (unpacked, class) {
	l := &layouts[f]
	x >>= l.pad
	m := x & l.magnitude()
	r := unpacked{negative: l.signed && x&(l.magnitude()+1) != 0}
	if m >= l.infinity() {
		if l.specials == ieee && m == l.infinity() {
			return r, infinite
		}
		return r, notANumber
	}
	e, fraction := int(m>>l.fraction), m&(1<<l.fraction-1)
	switch {
	case !l.signed: // a power of two
		fraction = 1
	case e == 0:
		e = 1
	default:
		fraction |= 1 << l.fraction
	}
	return normalize(r.negative, e-l.bias()-int(l.fraction), fraction), finite
}

// normalize returns the value (-1)^negative * n * 2^scale.
func normalize(negative bool, scale int, n uint64) unpacked {
	if n == 0 {
		return unpacked{negative: negative}
	}
	shift := bits.LeadingZeros64(n)
	return unpacked{negative, scale + 63 - shift, n << shift}
}

// round returns the value of format f that x has under mode m, with all of m's flags applied.
func (f Format) round(x unpacked, m Mode) uint64 {
	l := &layouts[f]
	negative := x.negative && l.signed
	if x.significand == 0 {
		return f.assemble(negative, 0, m)
	}
	minExponent := 1 - l.bias()
	if !l.signed {
		minExponent--
	}
	drop := 63 - int(l.fraction)
	biased := x.exponent - minExponent
	if biased < 0 && m&Ftz != 0 {
		return f.assemble(negative, l.flushed(x, biased, m), m)
	}
	if biased < 0 {
		drop -= biased
		biased = 0
	}
	kept, lost := split(x.significand, drop)
	magnitude := kept + uint64(biased)<<l.fraction
	if m.roundsUp(negative, kept&1 != 0, lost) {
		magnitude++
	}
	if !l.signed {
		magnitude -= min(magnitude, 1) // the hidden bit is no part of a power of two
	}
	return f.finish(negative, magnitude, m)
}

// flushed returns the magnitude under .ftz of x, which is below the smallest normal value: zero,
// unless it becomes that value when rounded with the precision of a normal one.
func (l *layout) flushed(x unpacked, biased int, m Mode) uint64 {
	kept, lost := split(x.significand, 63-int(l.fraction))
	allOnes := kept == 1<<(l.fraction+1)-1
	if biased == -1 && allOnes && m.roundsUp(x.negative, true, lost) {
		return 1 << l.fraction
	}
	return 0
}

// split divides n into the bits from place drop up and the lost ones below, aligned to the top. From
// more than 64 places down they only say whether anything is lost.
func split(n uint64, drop int) (kept, lost uint64) {
	if drop > 64 {
		return 0, sticky(n)
	}
	return n >> drop, n << (64 - drop)
}

// roundsUp reports whether m takes a magnitude to the next one, from the parity of its kept bits and
// the lost ones.
func (m Mode) roundsUp(negative, odd bool, lost uint64) bool {
	const half = 1 << 63
	switch m.Rounding() {
	case RN:
		return lost > half || lost == half && odd
	case RNA:
		return lost >= half
	case RM:
		return negative && lost != 0
	case RP:
		return !negative && lost != 0
	default:
		return false
	}
}

// stopsAtLargest reports whether m rounds a value past the largest finite one to that.
func (m Mode) stopsAtLargest(negative bool) bool {
	switch m.Rounding() {
	case RZ:
		return true
	case RM:
		return !negative
	case RP:
		return negative
	default:
		return false
	}
}

// finish applies overflow and the flags of m to a rounded finite value and assembles its bits.
func (f Format) finish(negative bool, magnitude uint64, m Mode) uint64 {
	l := &layouts[f]
	if limit := l.infinity(); magnitude >= limit {
		magnitude = limit
		if l.specials != ieee || m&SatFinite != 0 || m.stopsAtLargest(negative) {
			magnitude--
		}
	}
	return f.assemble(negative, magnitude, m)
}

// assemble applies .sat and .relu to a magnitude and returns its bits.
func (f Format) assemble(negative bool, magnitude uint64, m Mode) uint64 {
	l := &layouts[f]
	if negative && m&(Sat|Relu) != 0 {
		negative, magnitude = false, 0
	}
	if one := uint64(l.bias()) << l.fraction; m&Sat != 0 {
		magnitude = min(magnitude, one)
	}
	if negative {
		magnitude |= l.magnitude() + 1
	}
	return magnitude << l.pad
}
