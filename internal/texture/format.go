package texture

import (
	"fmt"

	"silica/internal/fp"
)

// Format is the type of one channel of a texel.
type Format uint8

// The channel formats of CUDA arrays.
const (
	U8 Format = iota
	U16
	U32
	S8
	S16
	S32
	F16
	F32
	formatCount
)

var formats = [formatCount]struct {
	name  string
	bytes int
}{
	U8: {"u8", 1}, U16: {"u16", 2}, U32: {"u32", 4}, S8: {"s8", 1}, S16: {"s16", 2}, S32: {"s32", 4}, F16: {"f16", 2}, F32: {"f32", 4},
}

func (f Format) String() string { return formats[f].name }

// Bytes returns the size of a channel in memory.
func (f Format) Bytes() int { return formats[f].bytes }

// Float tells whether channels are floating-point numbers.
func (f Format) Float() bool { return f == F16 || f == F32 }

// Normalizable tells whether channels can be read as numbers between 0, or -1, and 1.
func (f Format) Normalizable() bool { return !f.Float() && f.Bytes() < 4 }

// ParseFormat returns the format of a name such as "u8".
func ParseFormat(name string) (Format, error) {
	for f := range formatCount {
		if formats[f].name == name {
			return f, nil
		}
	}
	return 0, fmt.Errorf("%q is no channel format", name)
}

// extend sign-extends the bits of a channel of a signed format; others it returns as they are.
func (f Format) extend(bits uint32) uint32 {
	switch f {
	case S8:
		return uint32(int32(int8(bits)))
	case S16:
		return uint32(int32(int16(bits)))
	}
	return bits
}

// load returns the bits of the channel at b, sign-extended in signed formats.
func (f Format) load(b []byte) uint32 {
	switch f.Bytes() {
	case 1:
		return f.extend(uint32(b[0]))
	case 2:
		return f.extend(uint32(b[0]) | uint32(b[1])<<8)
	}
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// store writes the low bits of a channel at b.
func (f Format) store(b []byte, bits uint32) {
	for i := range f.Bytes() {
		b[i] = byte(bits >> (8 * i))
	}
}

func halfToFloat(bits uint32) uint32 {
	return uint32(fp.Convert(fp.F16, fp.F32, uint64(bits), fp.RN))
}

// Half returns the f16 nearest to an f32; every NaN becomes the canonical one.
func Half(bits uint32) uint32 {
	return uint32(fp.Convert(fp.F32, fp.F16, uint64(bits), fp.RN))
}
