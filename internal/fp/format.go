package fp

// Format is a binary floating-point format. Its values are held in the low bits of an unsigned
// integer of the format's width.
type Format uint8

// The formats of PTX. TF32 occupies 32 bits, of which the low 13 are zero.
const (
	F16 Format = iota
	BF16
	TF32
	F32
	F64
	E4M3
	E5M2
	E2M3
	E3M2
	E2M1
	UE8M0
	formatCount
)

// specials says which bit patterns of a format are not finite numbers.
type specials uint8

const (
	ieee      specials = iota // all-ones exponent: infinity and NaN
	nanOnly                   // all-ones exponent and fraction: NaN; no infinity
	allFinite                 // neither
)

// layout describes how a format's bits are divided, from the top: sign, exponent, fraction, pad.
type layout struct {
	name     string
	signed   bool
	exponent uint8 // bits
	fraction uint8 // bits, without the hidden one
	pad      uint8 // zero bits below the fraction
	specials specials
	nan      uint64 // the NaN that operations return
}

// The layouts, from the PTX manual's section on alternate floating-point formats; the NaNs are
// those that an H200 returns.
var layouts = [formatCount]layout{
	F16:   {"f16", true, 5, 10, 0, ieee, 0x7FFF},
	BF16:  {"bf16", true, 8, 7, 0, ieee, 0x7FFF},
	TF32:  {"tf32", true, 8, 10, 13, ieee, 0x7FFFE000},
	F32:   {"f32", true, 8, 23, 0, ieee, 0x7FFFFFFF},
	F64:   {"f64", true, 11, 52, 0, ieee, invalid64},
	E4M3:  {"e4m3", true, 4, 3, 0, nanOnly, 0x7F},
	E5M2:  {"e5m2", true, 5, 2, 0, ieee, 0x7F},
	E2M3:  {"e2m3", true, 2, 3, 0, allFinite, 0x1F},
	E3M2:  {"e3m2", true, 3, 2, 0, allFinite, 0x1F},
	E2M1:  {"e2m1", true, 2, 1, 0, allFinite, 0x7},
	UE8M0: {"ue8m0", false, 8, 0, 0, nanOnly, 0xFF},
}

// String returns the format's PTX name.
func (f Format) String() string {
	if f >= formatCount {
		return "invalid format"
	}
	return layouts[f].name
}

// Width returns the number of bits a value occupies.
func (f Format) Width() int {
	l := &layouts[f]
	width := int(l.exponent + l.fraction + l.pad)
	if l.signed {
		width++
	}
	return width
}

// NaN returns the canonical NaN: what operations give whose result is NaN. F64 operations give it
// for an invalid operation only; they pass on the payload of a NaN operand. The formats without NaN
// have their largest value in its place.
func (f Format) NaN() uint64 { return layouts[f].nan }

func (l *layout) bias() int { return 1<<(l.exponent-1) - 1 }

// magnitude is the mask of all bits but the sign and the pad, with the pad shifted out.
func (l *layout) magnitude() uint64 { return 1<<(l.exponent+l.fraction) - 1 }

// infinity is the magnitude of infinity, or the first pattern past the finite ones.
func (l *layout) infinity() uint64 {
	switch l.specials {
	case ieee:
		return l.magnitude() &^ (1<<l.fraction - 1)
	case nanOnly:
		return l.magnitude()
	default:
		return l.magnitude() + 1
	}
}
