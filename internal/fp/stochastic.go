package fp

// ConvertStochastic returns x, a value of format from, in format to, rounded by random bits: away from zero when the bits
// that are cut off and random, both aligned to the top of 64, carry when added, else toward zero. (PTX ISA, cvt, ".rs": an
// integer addition to the cut off bits of the mantissa. Where it leaves open how fewer random bits than cut off ones are
// added, the highest of both are.) The flags of m are honoured as by Convert; its rounding is not looked at.
func ConvertStochastic(from, to Format, x, random uint64, m Mode) uint64 {
	flags := m &^ roundingMask
	r, c := from.unpack(x)
	switch c {
	case notANumber:
		return convertNaN(from, to, x, flags)
	case infinite:
		return to.infinite(r.negative, flags)
	}
	l := &layouts[to]
	if r.significand == 0 {
		return to.assemble(r.negative, 0, flags)
	}
	drop, biased := 63-int(l.fraction), r.exponent-(1-l.bias())
	if biased < 0 {
		drop, biased = drop-biased, 0
	}
	kept, lost := split(r.significand, drop)
	magnitude := kept + uint64(biased)<<l.fraction
	if lost+random < lost {
		magnitude++
	}
	return to.finish(r.negative, magnitude, flags)
}
