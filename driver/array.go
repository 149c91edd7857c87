package driver

import (
	"silica/internal/texture"
)

// ArrayDescriptor describes an array; ChannelFormat is the type of one channel of its texels.
type (
	ArrayDescriptor = texture.Descriptor
	ChannelFormat   = texture.Format
)

// The channel formats.
const (
	ChannelU8  = texture.U8
	ChannelU16 = texture.U16
	ChannelU32 = texture.U32
	ChannelS8  = texture.S8
	ChannelS16 = texture.S16
	ChannelS32 = texture.S32
	ChannelF16 = texture.F16
	ChannelF32 = texture.F32
)

// Array is a CUDA array: texels in device memory, with mipmap levels. Texels and rows lie next to each other, then slices,
// then levels; programs reach them only through copies, textures and surfaces.
type Array struct {
	device *Device
	addr   uint64 // of the first level
	texels *texture.Array
	level  bool // of another array
}

// NewArray returns an array of zeros with the given number of mipmap levels, or as many as there can be.
func (d *Device) NewArray(a ArrayDescriptor, levels int) (*Array, error) {
	if err := a.Check(); err != nil {
		return nil, wrap(InvalidValue, err)
	}
	if levels < 1 {
		return nil, Fail(InvalidValue, "an array of %d mipmap levels", levels)
	}
	levels = min(levels, a.MaxLevels())
	n := uint64(a.Bytes(levels))
	addr, err := d.Alloc(n)
	if err != nil {
		return nil, err
	}
	b, err := d.Bytes(addr, n)
	if err != nil {
		return nil, err
	}
	return &Array{device: d, addr: addr, texels: texture.New(a, levels, b)}, nil
}

// Descriptor describes the array.
func (a *Array) Descriptor() ArrayDescriptor { return a.texels.Descriptor }

// Levels is the number of mipmap levels.
func (a *Array) Levels() int { return len(a.texels.Levels) }

// Level returns a mipmap level as an array, which is the same memory.
func (a *Array) Level(i int) (*Array, error) {
	if i < 0 || i >= a.Levels() {
		return nil, Fail(InvalidValue, "level %d of %d", i, a.Levels())
	}
	d := a.Descriptor()
	return &Array{device: a.device, addr: a.addr + uint64(d.Bytes(i)), texels: a.texels.At(i), level: true}, nil
}

// Free gives the memory of the array back when all work has ended. A level has none of its own.
func (a *Array) Free() error {
	if a.level {
		return nil
	}
	return a.device.Free(a.addr)
}

// Write fills the first level with texels, which lie as in the array.
func (a *Array) Write(src []byte) error {
	data := a.texels.Levels[0].Data
	if len(src) != len(data) {
		return Fail(InvalidValue, "%d bytes for a level of %d", len(src), len(data))
	}
	copy(data, src)
	return a.device.Status()
}

// ArrayPlace is a place in an array, for copies: X is in bytes.
type ArrayPlace struct {
	Array   *Array
	X, Y, Z uint64 // Z is the slice: of depth, or the layer
}

// place returns where an extent at a place of an array is in memory.
func (p ArrayPlace) place(e Extent) (Place, error) {
	l := &p.Array.texels.Levels[0]
	fits := func(at, n uint64, size int) bool { return n <= uint64(size) && at <= uint64(size)-n }
	row := l.Width * p.Array.texels.TexelBytes()
	if !fits(p.X, e.Width, row) || !fits(p.Y, e.Height, l.Height) || !fits(p.Z, e.Depth, l.Slices) {
		return Place{}, Fail(InvalidValue, "%d by %d by %d bytes, rows and slices at (%d, %d, %d) of an array of %d by %d by %d",
			e.Width, e.Height, e.Depth, p.X, p.Y, p.Z, row, l.Height, l.Slices)
	}
	pitch := uint64(l.Pitch)
	slice := pitch * uint64(l.Height)
	return Place{Addr: p.Array.addr + p.Z*slice + p.Y*pitch + p.X, Pitch: pitch, Slice: slice}, nil
}

// Run returns the memory of n bytes of an array from a place on, through the ends of rows.
func (p ArrayPlace) Run(n uint64) (Place, error) {
	first, err := p.place(Extent{Width: 0, Height: 1, Depth: 1})
	if err != nil {
		return Place{}, err
	}
	if end := p.Array.addr + uint64(len(p.Array.texels.Levels[0].Data)); n > end-first.Addr {
		return Place{}, Fail(InvalidValue, "%d bytes, of which the array has %d from there on", n, end-first.Addr)
	}
	return first, nil
}
