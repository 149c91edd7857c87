package driver

import (
	"sync"
	"sync/atomic"

	"silica/internal/texture"
)

// Sampler is how a texture is sampled; an AddressMode is what stands for texels outside it, a Filter
// how a sample is made of texels.
type (
	Sampler     = texture.Sampler
	AddressMode = texture.AddressMode
	Filter      = texture.Filter
)

// The address modes and filters of a Sampler.
const (
	AddressWrap   = texture.Wrap
	AddressClamp  = texture.Clamp
	AddressMirror = texture.Mirror
	AddressBorder = texture.Border
	FilterPoint   = texture.Point
	FilterLinear  = texture.Linear
)

// Resource is what a texture or surface is over: an array, or plain memory.
type Resource struct {
	Array *Array
	// Mipmapped takes all levels of the array, not its first alone.
	Mipmapped bool
	// Address begins Height rows of Width texels, Pitch bytes apart; with Height 0 it is one row.
	Address              uint64
	Format               ChannelFormat
	Channels             int
	Width, Height, Pitch int
	// View restricts and reinterprets an array; nil for all of it.
	View *View
}

// View is a part of an array's levels and layers, first and last included. With Channels its texels are read in another
// format of the same size.
type View struct {
	Format                                       ChannelFormat
	Channels                                     int
	FirstLevel, LastLevel, FirstLayer, LastLayer int
}

// Alignments of plain memory that textures are over, as an H200 asks for.
const (
	textureAlignment = 512
	pitchAlignment   = 32
	// The most texels of one row of plain memory, of a row of pitched memory, and the most rows.
	maxLinear                       = 1 << 28
	maxPitchedWidth, maxPitchedRows = 131072, 65000
	maxPitch                        = 2097120
)

// objects are the textures and surfaces of a device. Launches see those there are when they run.
type objects struct {
	mu   sync.Mutex // of changes
	list atomic.Pointer[texture.Objects]
}

func (o *objects) all() texture.Objects {
	if l := o.list.Load(); l != nil {
		return *l
	}
	return texture.Objects{{}} // handle 0 is none
}

// add returns the handle of a new object: the lowest that is free.
func (o *objects) add(x texture.Object) uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := append(texture.Objects(nil), o.all()...)
	h := 1
	for h < len(list) && list[h] != (texture.Object{}) {
		h++
	}
	if h == len(list) {
		list = append(list, x)
	}
	list[h] = x
	o.list.Store(&list)
	return uint64(h)
}

// set replaces the object of a handle.
func (o *objects) set(handle uint64, x texture.Object) {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := append(texture.Objects(nil), o.all()...)
	if handle < uint64(len(list)) {
		list[handle] = x
		o.list.Store(&list)
	}
}

// texels returns the array that a resource is, and whether it is one row of plain memory.
func (d *Device) texels(r Resource) (a *texture.Array, linear bool, err error) {
	switch {
	case r.Array != nil && r.Mipmapped:
		a = r.Array.texels
	case r.Array != nil:
		a = r.Array.texels.At(0)
	default:
		return d.plain(r)
	}
	if r.View != nil {
		a, err = r.View.of(a)
	}
	return a, false, err
}

// plain returns plain memory as an array.
func (d *Device) plain(r Resource) (a *texture.Array, linear bool, err error) {
	desc := texture.Descriptor{Format: r.Format, Channels: r.Channels, Width: r.Width, Height: r.Height}
	one := texture.Descriptor{Format: r.Format, Channels: r.Channels, Width: 1}
	if err := one.Check(); err != nil {
		return nil, false, wrap(InvalidValue, err)
	}
	size := desc.TexelBytes()
	switch {
	case r.Address == 0 || r.Address%textureAlignment != 0:
		return nil, false, Fail(InvalidValue, "the address 0x%x of a texture is no multiple of %d", r.Address, textureAlignment)
	case r.Height == 0 && (r.Width < 0 || r.Width > maxLinear):
		return nil, false, Fail(InvalidValue, "a texture of %d texels; at most %d are possible", r.Width, maxLinear)
	case r.Height > 0 && (r.Width < 1 || r.Width > maxPitchedWidth || r.Height > maxPitchedRows || r.Pitch > maxPitch):
		return nil, false, Fail(InvalidValue, "a texture of %d rows of %d texels, %d bytes apart", r.Height, r.Width, r.Pitch)
	case r.Height > 0 && (r.Pitch%pitchAlignment != 0 || r.Pitch < size):
		return nil, false, Fail(InvalidValue, "rows of %d bytes; a multiple of %d is wanted", r.Pitch, pitchAlignment)
	}
	level := texture.Level{Width: r.Width, Height: max(r.Height, 1), Slices: 1, Pitch: r.Pitch}
	n := r.Width * size
	if r.Height > 0 {
		n += (r.Height - 1) * r.Pitch
	}
	if n > 0 {
		if level.Data, err = d.Bytes(r.Address, uint64(n)); err != nil {
			return nil, false, err
		}
	}
	return &texture.Array{Descriptor: desc, Levels: []texture.Level{level}, Plain: true}, r.Height == 0, nil
}

// of returns the part of an array.
func (v *View) of(a *texture.Array) (*texture.Array, error) {
	out := &texture.Array{Descriptor: a.Descriptor}
	if v.Channels > 0 {
		out.Format, out.Channels = v.Format, v.Channels
		if out.TexelBytes() != a.TexelBytes() {
			return nil, Fail(InvalidValue, "a view of texels of %d bytes as ones of %d", a.TexelBytes(), out.TexelBytes())
		}
	}
	last := min(v.LastLevel, len(a.Levels)-1)
	if v.FirstLevel < 0 || v.FirstLevel > last {
		return nil, Fail(InvalidValue, "a view of levels %d to %d of %d", v.FirstLevel, v.LastLevel, len(a.Levels))
	}
	first := a.Levels[v.FirstLevel]
	out.Width = first.Width
	if a.Height > 0 {
		out.Height = first.Height
	}
	if a.Depth > 0 {
		out.Depth = first.Slices
	}
	out.Levels = append(out.Levels, a.Levels[v.FirstLevel:last+1]...)
	if a.Layers == 0 || v.FirstLayer == 0 && v.LastLayer == 0 {
		return out, nil
	}
	if v.FirstLayer < 0 || v.FirstLayer > v.LastLayer || v.LastLayer >= a.Layers {
		return nil, Fail(InvalidValue, "a view of layers %d to %d of %d", v.FirstLayer, v.LastLayer, a.Layers)
	}
	out.Layers = v.LastLayer - v.FirstLayer + 1
	for i := range out.Levels {
		l := &out.Levels[i]
		slice := l.Pitch * l.Height
		l.Data, l.Slices = l.Data[v.FirstLayer*slice:(v.LastLayer+1)*slice], out.Layers
	}
	return out, nil
}

// texture binds a resource to a sampler.
func (d *Device) texture(r Resource, s Sampler) (*texture.Texture, error) {
	a, linear, err := d.texels(r)
	if err != nil {
		return nil, err
	}
	if s.Seamless && !a.Cube {
		return nil, Fail(InvalidValue, "seamless sampling of a texture that is no cube map")
	}
	t := texture.NewTexture(a, s)
	t.Linear = linear
	return t, nil
}

// NewTexture returns the handle of a texture object, which kernels take as a parameter.
func (d *Device) NewTexture(r Resource, s Sampler) (uint64, error) {
	if err := d.Status(); err != nil {
		return 0, err
	}
	t, err := d.texture(r, s)
	if err != nil {
		return 0, err
	}
	return d.objects.add(texture.Object{Texture: t}), nil
}

// NewSurface returns the handle of a surface object over an array.
func (d *Device) NewSurface(a *Array) (uint64, error) {
	if err := d.Status(); err != nil {
		return 0, err
	}
	return d.objects.add(texture.Object{Surface: &texture.Surface{Array: a.texels.At(0)}}), nil
}

// DestroyObject ends a texture or surface object. Handles that stand for nothing are allowed, as by CUDA.
func (d *Device) DestroyObject(handle uint64) error {
	d.drain()
	if handle != 0 {
		d.objects.set(handle, texture.Object{})
	}
	return d.Status()
}
