package fp

// Mode holds the modifiers of an instruction form: one rounding combined with any of the flags.
// The zero Mode is round to nearest even with no flag.
type Mode uint16

// The roundings. For conversions to an integral value they stand for .rni, .rzi, .rmi and .rpi.
const (
	RN  Mode = iota // to nearest, ties to even
	RZ              // toward zero
	RM              // toward minus infinity
	RP              // toward plus infinity
	RNA             // to nearest, ties away from zero

	roundingMask Mode = 7
)

// The flags.
const (
	Ftz          Mode = 8 << iota // flush denormal operands and results to zero, keeping the sign
	Sat                           // clamp to [+0, 1]; NaN becomes +0
	SatFinite                     // clamp to the largest finite value of the destination
	Relu                          // clamp negative results to +0; NaN stays
	OOB                           // the result is +0 when a factor is the out-of-bounds NaN
	PropagateNaN                  // .NaN: minimum and maximum of a NaN are NaN
	Abs                           // .abs: minimum and maximum of the magnitudes
	XorSignAbs                    // the same, with the exclusive or of the signs
)

// Rounding returns the rounding of m without its flags.
func (m Mode) Rounding() Mode { return m & roundingMask }
