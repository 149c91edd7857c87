package texture

import "fmt"

// Object is what a handle stands for: a texture, a surface or, in independent mode, a sampler alone.
type Object struct {
	Texture *Texture
	Surface *Surface
	Sampler *Sampler
}

// Objects are the objects that a launch sees, by handle. Handle 0 stands for none.
type Objects []Object

// Texture returns the texture of a handle, as an instruction of the geometry reads it.
func (o Objects) Texture(handle uint64, g Geometry) (*Texture, error) {
	if handle >= uint64(len(o)) || o[handle].Texture == nil {
		return nil, fmt.Errorf("0x%x is no texture object", handle)
	}
	t := o[handle].Texture
	if have := t.Geometry(); have != g {
		return nil, fmt.Errorf("texture object 0x%x is of geometry %s, the instruction of %s", handle, have, g)
	}
	return t, nil
}

// Surface returns the surface of a handle. The faces of a cube map are layers to surfaces.
func (o Objects) Surface(handle uint64, g Geometry) (*Surface, error) {
	if handle >= uint64(len(o)) || o[handle].Surface == nil {
		return nil, fmt.Errorf("0x%x is no surface object", handle)
	}
	s := o[handle].Surface
	have := s.Geometry()
	if s.Cube {
		have = GLayered2D
	}
	if have != g {
		return nil, fmt.Errorf("surface object 0x%x is of geometry %s, the instruction of %s", handle, have, g)
	}
	return s, nil
}

// Any returns the object of a handle.
func (o Objects) Any(handle uint64) (Object, error) {
	if handle >= uint64(len(o)) || o[handle] == (Object{}) {
		return Object{}, fmt.Errorf("0x%x is no texture or surface object", handle)
	}
	return o[handle], nil
}

// channelType and channelOrder are the constants by which PTX names formats ("Texture Instructions": txq), which are
// OpenCL's.
var (
	integerType    = [formatCount]uint32{0x10DA, 0x10DB, 0x10DC, 0x10D7, 0x10D8, 0x10D9, 0x10DD, 0x10DE}
	normalizedType = [formatCount]uint32{U8: 0x10D2, U16: 0x10D3, S8: 0x10D0, S16: 0x10D1}
	channelOrder   = [...]uint32{1: 0x10B0, 2: 0x10B2, 4: 0x10B5}
)

// Query answers txq and suq about a mipmap level. Sizes are as an H200 gives them: the number of layers stands where the
// first dimension is missing, a texture has at least one row where a surface has none, and levels that do not exist have no
// size.
func (o Object) Query(query string, level uint32) uint32 {
	s := Sampler{}
	var a *Array
	switch {
	case o.Texture != nil:
		a, s = o.Texture.Array, o.Texture.Sampler
	case o.Surface != nil:
		a = o.Surface.Array
	case o.Sampler != nil:
		a, s = &Array{}, *o.Sampler
	}
	switch query {
	case "width", "height", "depth":
		return a.size(query, level, o.Surface != nil)
	case "array_size":
		return uint32(a.Layers)
	case "num_mipmap_levels":
		return uint32(len(a.Levels))
	case "channel_data_type":
		if t := normalizedType[a.Format]; t != 0 && o.Texture != nil && !s.Integer {
			return t
		}
		return integerType[a.Format]
	case "channel_order":
		return channelOrder[a.Channels]
	case "normalized_coords":
		return flag(s.Normalized)
	case "force_unnormalized_coords":
		return 0
	case "filter_mode":
		return uint32(s.Filter)
	case "addr_mode_0", "addr_mode_1", "addr_mode_2":
		// wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border
		return [...]uint32{Wrap: 0, Mirror: 1, Clamp: 3, Border: 4}[s.Address[query[len(query)-1]-'0']]
	case "num_samples":
		return 1
	}
	return 0 // memory_layout: that of this package
}

func (a *Array) size(query string, level uint32, surface bool) uint32 {
	if level >= uint32(len(a.Levels)) {
		return 0
	}
	l := &a.Levels[level]
	sizes := [3]int{l.Width}
	dimensions := a.dimensions()
	if dimensions > 1 {
		sizes[1] = l.Height
	}
	switch {
	case dimensions > 2:
		sizes[2] = l.Slices
	case a.Cube && !surface:
		if a.Layered {
			sizes[2] = a.Layers / cubeFaces
		}
	case a.Layers > 0:
		sizes[dimensions] = a.Layers
	case dimensions == 1 && !surface:
		sizes[1] = 1
	}
	return uint32(sizes[map[string]int{"width": 0, "height": 1, "depth": 2}[query]])
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
