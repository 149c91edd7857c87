package ir

import (
	"fmt"
	"math"

	"silica/internal/fp"
	"silica/internal/isa"
	"silica/ptx"
)

// immediate returns the bits of a constant as an operand of type t: integers are cut to the width,
// floating-point constants are rounded to nearest even.
func immediate(im *ptx.Immediate, t isa.Type) (uint64, error) {
	width := t.Bits()
	if t == isa.Pred {
		if im.Bits != 0 {
			return 1, nil
		}
		return 0, nil
	}
	if im.Float == ptx.ImmInt {
		if t.Kind() == isa.Float && t.Pack() == 1 {
			return 0, fmt.Errorf("integer constant %s where a .%s constant is wanted, such as %s.0", im.Text, t, im.Text)
		}
		return cut(im.Bits, width), nil
	}
	format := floatFormat(t)
	if t.Kind() != isa.Float && t.Kind() != isa.Untyped {
		return 0, fmt.Errorf("floating-point constant %s where a .%s constant is wanted", im.Text, t)
	}
	switch {
	case im.Float == ptx.ImmF32 && (format == fp.F32 || width < 32):
		return cut(im.Bits, width), nil
	case im.Float == ptx.ImmF32 && t.Kind() == isa.Untyped:
		return im.Bits, nil
	case im.Float == ptx.ImmF32:
		return math.Float64bits(float64(math.Float32frombits(uint32(im.Bits)))), nil
	case format == fp.F64:
		return im.Bits, nil
	}
	return fp.Convert(fp.F64, format, im.Bits, fp.RN), nil
}

// floatFormat returns the format of floating-point constants of type t; untyped ones go by their width.
func floatFormat(t isa.Type) fp.Format {
	switch t {
	case isa.F16:
		return fp.F16
	case isa.BF16:
		return fp.BF16
	case isa.TF32:
		return fp.TF32
	}
	switch t.Bits() {
	case 64, 128:
		return fp.F64
	case 16:
		return fp.F16
	}
	return fp.F32
}

// cut keeps the low bits of v.
func cut(v uint64, bits int) uint64 {
	if bits >= 64 || bits == 0 {
		return v
	}
	return v & (1<<bits - 1)
}
