package isa

import "silica/internal/fp"

// modeOf collects the rounding and the flags of a form.
func modeOf(f *Form) fp.Mode {
	var m fp.Mode
	for _, mod := range f.Mods {
		switch mod {
		case ".rz", ".rzi":
			m |= fp.RZ
		case ".rm", ".rmi":
			m |= fp.RM
		case ".rp", ".rpi":
			m |= fp.RP
		case ".rna":
			m |= fp.RNA
		case ".ftz":
			m |= fp.Ftz
		case ".sat":
			m |= fp.Sat
		case ".satfinite":
			m |= fp.SatFinite
		case ".relu":
			m |= fp.Relu
		case ".oob":
			m |= fp.OOB
		case ".NaN":
			m |= fp.PropagateNaN
		case ".xorsign":
			m |= fp.XorSignAbs
		}
	}
	return m
}

// floatFormat returns the format of a floating-point type, or of an element of a packed one.
func floatFormat(t Type) fp.Format {
	switch t {
	case F16, F16x2:
		return fp.F16
	case BF16, BF16x2:
		return fp.BF16
	case TF32:
		return fp.TF32
	case F32, F32x2:
		return fp.F32
	case E4M3, E4M3x2, E4M3x4:
		return fp.E4M3
	case E5M2, E5M2x2, E5M2x4:
		return fp.E5M2
	case E2M3, E2M3x2, E2M3x4:
		return fp.E2M3
	case E3M2, E3M2x2, E3M2x4:
		return fp.E3M2
	case E2M1, E2M1x2, E2M1x4:
		return fp.E2M1
	case UE8M0, UE8M0x2:
		return fp.UE8M0
	}
	return fp.F64
}

// The functions below bind the modifiers of a form to a function of internal/fp, by the width of its operands.

func unary32(fn func(a uint32, m fp.Mode) uint32) func(*Form) LaneFunc {
	return func(f *Form) LaneFunc {
		mode := modeOf(f)
		return func(l *Lane) { l.Dst[0] = uint64(fn(uint32(l.Src[0]), mode)) }
	}
}

func binary32(fn func(a, b uint32, m fp.Mode) uint32) func(*Form) LaneFunc {
	return func(f *Form) LaneFunc {
		mode := modeOf(f)
		return func(l *Lane) { l.Dst[0] = uint64(fn(uint32(l.Src[0]), uint32(l.Src[1]), mode)) }
	}
}

func ternary32(fn func(a, b, c uint32, m fp.Mode) uint32) func(*Form) LaneFunc {
	return func(f *Form) LaneFunc {
		mode := modeOf(f)
		return func(l *Lane) { l.Dst[0] = uint64(fn(uint32(l.Src[0]), uint32(l.Src[1]), uint32(l.Src[2]), mode)) }
	}
}

func unary64(fn func(a uint64, m fp.Mode) uint64) func(*Form) LaneFunc {
	return func(f *Form) LaneFunc {
		mode := modeOf(f)
		return func(l *Lane) { l.Dst[0] = fn(l.Src[0], mode) }
	}
}

func binary64(fn func(a, b uint64, m fp.Mode) uint64) func(*Form) LaneFunc {
	return func(f *Form) LaneFunc {
		mode := modeOf(f)
		return func(l *Lane) { l.Dst[0] = fn(l.Src[0], l.Src[1], mode) }
	}
}

func ternary64(fn func(a, b, c uint64, m fp.Mode) uint64) func(*Form) LaneFunc {
	return func(f *Form) LaneFunc {
		mode := modeOf(f)
		return func(l *Lane) { l.Dst[0] = fn(l.Src[0], l.Src[1], l.Src[2], mode) }
	}
}

// anyMode and anyModeHalf make functions that no modifier changes look like those that take them.
func anyMode[T any](fn func(a T) T) func(a T, m fp.Mode) T {
	return func(a T, _ fp.Mode) T { return fn(a) }
}

func anyModeHalf[T any](fn func(f fp.Format, a T) T) func(f fp.Format, a T, m fp.Mode) T {
	return func(f fp.Format, a T, _ fp.Mode) T { return fn(f, a) }
}

func plain64(fn func(a, b uint64) uint64) func(*Form) LaneFunc {
	return always(func(l *Lane) { l.Dst[0] = fn(l.Src[0], l.Src[1]) })
}

// packed32 applies a Lane function of f32 to both halves of f32x2 operands.
func packed32(bind func(*Form) LaneFunc) func(*Form) LaneFunc {
	return func(f *Form) LaneFunc {
		lane := bind(f)
		return func(l *Lane) {
			low, high := *l, *l
			for i := range 3 {
				low.Src[i], high.Src[i] = l.Src[i]&(1<<32-1), l.Src[i]>>32
			}
			lane(&low)
			lane(&high)
			l.Dst[0] = high.Dst[0]<<32 | low.Dst[0]
		}
	}
}

// half1, half2 and half3 hold a function of internal/fp for f16 and bf16 values, and the same for packed pairs.
type half1 struct {
	one func(f fp.Format, a uint16, m fp.Mode) uint16
	two func(f fp.Format, a uint32, m fp.Mode) uint32
}

type half2 struct {
	one func(f fp.Format, a, b uint16, m fp.Mode) uint16
	two func(f fp.Format, a, b uint32, m fp.Mode) uint32
}

type half3 struct {
	one func(f fp.Format, a, b, c uint16, m fp.Mode) uint16
	two func(f fp.Format, a, b, c uint32, m fp.Mode) uint32
}

func (h half1) lane(f *Form) LaneFunc {
	format, mode := floatFormat(f.Args[0].Type), modeOf(f)
	if f.Args[0].Type.Pack() == 2 {
		return func(l *Lane) { l.Dst[0] = uint64(h.two(format, uint32(l.Src[0]), mode)) }
	}
	return func(l *Lane) { l.Dst[0] = uint64(h.one(format, uint16(l.Src[0]), mode)) }
}

func (h half2) lane(f *Form) LaneFunc {
	format, mode := floatFormat(f.Args[0].Type), modeOf(f)
	if f.Args[0].Type.Pack() == 2 {
		return func(l *Lane) { l.Dst[0] = uint64(h.two(format, uint32(l.Src[0]), uint32(l.Src[1]), mode)) }
	}
	return func(l *Lane) { l.Dst[0] = uint64(h.one(format, uint16(l.Src[0]), uint16(l.Src[1]), mode)) }
}

func (h half3) lane(f *Form) LaneFunc {
	format, mode := floatFormat(f.Args[0].Type), modeOf(f)
	if f.Args[0].Type.Pack() == 2 {
		return func(l *Lane) {
			l.Dst[0] = uint64(h.two(format, uint32(l.Src[0]), uint32(l.Src[1]), uint32(l.Src[2]), mode))
		}
	}
	return func(l *Lane) {
		l.Dst[0] = uint64(h.one(format, uint16(l.Src[0]), uint16(l.Src[1]), uint16(l.Src[2]), mode))
	}
}
