package texture

import (
	"fmt"

	"silica/internal/fp"
)

// Surface is an array that kernels read and write in place.
type Surface struct{ *Array }

// Outside is what an access of a surface outside it does.
type Outside uint8

// What accesses outside do.
const (
	OutsideTrap  Outside = iota // fault
	OutsideClamp                // reach the nearest texel
	OutsideZero                 // read zeros, write nothing
)

// Place is where a surface is accessed. X is in bytes, or in texels for formatted accesses.
type Place struct {
	Layer   uint32
	X, Y, Z int32
}

func (p Place) String() string {
	return fmt.Sprintf("x %d, y %d, z %d, layer %d", p.X, p.Y, p.Z, p.Layer)
}

// Access is what a place of a surface came to.
type Access uint8

// The kinds of accesses.
const (
	Inside Access = iota
	Nothing
	Trapped
)

// Bytes returns the n bytes at a place.
func (s *Surface) Bytes(p Place, n int, outside Outside) ([]byte, Access) {
	l := &s.Levels[0]
	return s.at(p, int64(p.X), l.Width*s.TexelBytes(), n, outside)
}

// Texel returns the bytes of the texel at a place.
func (s *Surface) Texel(p Place, outside Outside) ([]byte, Access) {
	size := s.TexelBytes()
	return s.at(p, int64(p.X)*int64(size), s.Levels[0].Width*size, size, outside)
}

// at returns n bytes at byte x of rows of so many bytes.
func (s *Surface) at(p Place, x int64, row, n int, outside Outside) ([]byte, Access) {
	l := &s.Levels[0]
	y, z := int64(p.Y), int64(p.Z)
	if s.Layers > 0 {
		z = int64(p.Layer)
	}
	inside := func(v *int64, limit int64) bool {
		was := *v
		*v = min(max(was, 0), limit)
		return *v == was
	}
	in := inside(&x, int64(row-n))
	in = (s.dimensions() < 2 || inside(&y, int64(l.Height-1))) && in
	in = (s.dimensions() < 3 && s.Layers == 0 || inside(&z, int64(l.Slices-1))) && in
	if !in && outside != OutsideClamp {
		return nil, [...]Access{OutsideTrap: Trapped, OutsideZero: Nothing}[outside]
	}
	if s.dimensions() < 2 {
		y = 0
	}
	if s.dimensions() < 3 && s.Layers == 0 {
		z = 0
	}
	at := (int(z)*l.Height+int(y))*l.Pitch + int(x)
	return l.Data[at : at+n : at+n], Inside
}

// Store writes the channels of a texel from 32-bit registers.
func (s *Surface) Store(texel []byte, values []uint32) {
	size := s.Format.Bytes()
	for c := range s.Channels {
		v := uint32(0)
		if c < len(values) {
			v = s.Format.fromRegister(values[c])
		}
		s.Format.store(texel[c*size:], v)
	}
}

// fromRegister converts a 32-bit register to a channel: f32 numbers to the floating-point format, rounded toward zero, and
// integers to the nearest that the format has.
func (f Format) fromRegister(v uint32) uint32 {
	switch f {
	case U8:
		return min(v, 1<<8-1)
	case U16:
		return min(v, 1<<16-1)
	case S8:
		return uint32(min(max(int32(v), -1<<7), 1<<7-1))
	case S16:
		return uint32(min(max(int32(v), -1<<15), 1<<15-1))
	case F16:
		return uint32(fp.Convert(fp.F32, fp.F16, uint64(v), fp.RZ))
	}
	return v
}
