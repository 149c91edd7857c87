package mma

import (
	"math"

	"silica/internal/fp"
)

// Element is a type of matrix elements.
type Element uint8

// The element types.
const (
	F16 Element = iota
	BF16
	TF32
	E4M3
	E5M2
	F32
	F64
	S8
	U8
	S4
	U4
	B1
	S32
	E2M3 // six bits in the lower bits of a byte
	E3M2
	E2M1     // four bits
	E2M1Byte // in the middle of a byte: bits 2 to 5
	elementCount
)

var elements = [elementCount]struct {
	name string
	bits int
}{
	F16: {"f16", 16}, BF16: {"bf16", 16}, TF32: {"tf32", 32}, E4M3: {"e4m3", 8}, E5M2: {"e5m2", 8},
	F32: {"f32", 32}, F64: {"f64", 64},
	S8: {"s8", 8}, U8: {"u8", 8}, S4: {"s4", 4}, U4: {"u4", 4},
	// Single bits are taken a word at a time.
	B1: {"b1", 32}, S32: {"s32", 32},
	E2M3: {"e2m3", 8}, E3M2: {"e3m2", 8}, E2M1: {"e2m1", 4}, E2M1Byte: {"e2m1 in a byte", 8},
}

// ParseElement returns the element type of a PTX name ("f16"); ok is false when matrices have none of it.
func ParseElement(name string) (e Element, ok bool) {
	for e := range elementCount {
		if elements[e].name == name {
			return e, true
		}
	}
	return 0, false
}

func (e Element) String() string { return elements[e].name }

// Bits returns the width of an element; that of single bits is the 32 of a word of them.
func (e Element) Bits() int { return elements[e].bits }

// perRegister returns the number of elements that a register holds; registers have 32 bits, those of f64 64.
func (e Element) perRegister() int { return max(32/e.Bits(), 1) }

// value returns the number that the bits of a floating-point element other than f64 stand for. It is exact.
func (e Element) value(b uint64) float64 {
	switch e {
	case F16:
		return half(uint16(b))
	case BF16:
		return float64(math.Float32frombits(uint32(b) << 16))
	case TF32:
		return float64(math.Float32frombits(uint32(b) &^ tf32Ignored))
	case F32:
		return float64(math.Float32frombits(uint32(b)))
	case E4M3:
		return float64(math.Float32frombits(floats4[b&0xFF]))
	case E2M3, E3M2, E2M1, E2M1Byte:
		return e.small(b)
	}
	return float64(math.Float32frombits(floats5[b&0xFF]))
}

// tf32Ignored are the bits of a tf32 that do not count.
const tf32Ignored = 1<<13 - 1

// half returns the value of an f16.
func half(b uint16) float64 {
	const exponents, fraction = 0x7C00, 0x03FF
	sign := uint64(b>>15) << 63
	if b&exponents == exponents {
		return math.Float64frombits(sign | 0x7FF<<52 | uint64(b&fraction)<<42)
	}
	// The fields of the half in their places of a double, whose exponent is then too small by the
	// difference of the biases.
	return math.Float64frombits(sign|uint64(b&(exponents|fraction))<<42) * 0x1p1008
}

// floats4 and floats5 hold all e4m3 and e5m2 as f32.
var floats4, floats5 = byteFloats(fp.E4M3), byteFloats(fp.E5M2)

func byteFloats(f fp.Format) (floats [256]uint32) {
	for b := range floats {
		floats[b] = uint32(fp.Convert(f, fp.F32, uint64(b), fp.RN))
	}
	return floats
}

// integer returns the number that the bits of an integer element stand for.
func (e Element) integer(b uint64) int32 {
	switch e {
	case S8:
		return int32(int8(b))
	case U8:
		return int32(uint8(b))
	case S4:
		return int32(b<<28) >> 28
	case U4:
		return int32(b & 0xF)
	}
	return int32(b)
}
