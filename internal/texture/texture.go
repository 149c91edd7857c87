package texture

// Geometry is how an instruction addresses an array.
type Geometry uint8

// The geometries of PTX, by the names of its modifiers.
const (
	G1D Geometry = iota
	G2D
	G3D
	GLayered1D // a1d
	GLayered2D // a2d
	GCube
	GLayeredCube // acube
	geometryCount
)

var geometries = [geometryCount]struct {
	modifier   string
	dimensions int // of a layer
	layered    bool
	cube       bool
}{
	G1D: {".1d", 1, false, false}, G2D: {".2d", 2, false, false}, G3D: {".3d", 3, false, false},
	GLayered1D: {".a1d", 1, true, false}, GLayered2D: {".a2d", 2, true, false},
	GCube: {".cube", 2, false, true}, GLayeredCube: {".acube", 2, true, true},
}

// ParseGeometry returns the geometry of a PTX modifier; ok is false when there is none.
func ParseGeometry(modifier string) (g Geometry, ok bool) {
	for g := range geometryCount {
		if geometries[g].modifier == modifier {
			return g, true
		}
	}
	return 0, false
}

func (g Geometry) String() string { return geometries[g].modifier[1:] }

// Layered tells whether the first coordinate is the layer.
func (g Geometry) Layered() bool { return geometries[g].layered }

// Coordinates is the number of coordinates beside the layer; those of a cube map are a direction.
func (g Geometry) Coordinates() int {
	if geometries[g].cube {
		return 3
	}
	return geometries[g].dimensions
}

// Geometry is how an array is addressed.
func (d *Descriptor) Geometry() Geometry {
	switch {
	case d.Cube && d.Layered:
		return GLayeredCube
	case d.Cube:
		return GCube
	case d.Layered && d.Height > 0:
		return GLayered2D
	case d.Layered:
		return GLayered1D
	}
	return [...]Geometry{G1D, G2D, G3D}[d.dimensions()-1]
}

// Texture is an array with a way to sample it.
type Texture struct {
	*Array
	Sampler
	// Linear marks one dimension of plain memory, whose texels are read by index; all other samples of it are 0.
	Linear bool
	// border is the sampler's as a texel.
	border texel
}

// NewTexture binds an array to a sampler.
func NewTexture(a *Array, s Sampler) *Texture {
	t := &Texture{Array: a, Sampler: s}
	for c := range a.Channels {
		t.border[c] = s.readingOf(a.Format, a.Channels, c).encode(s.Border[c])
	}
	return t
}

// With returns the texture with a sampler of its own, as independent mode has it: how texels are read, and whether
// coordinates are normalized, stays with the texture, but a sampler may insist on coordinates that are not.
func (t *Texture) With(s Sampler) *Texture {
	s.Normalized = s.Normalized && t.Normalized
	s.Integer, s.SRGB = t.Integer, t.SRGB
	return NewTexture(t.Array, s)
}

// Sample is where a texture is sampled. Coordinates are the bits of f32 numbers, or with Integer of s32 ones.
type Sample struct {
	Layer   uint32 // beyond the last stands for it
	At      [3]uint32
	Integer bool
	Offset  [3]int // in texels, of which 4 bits with a sign are taken
	// Exact marks integer coordinates of an instruction that gives neither offset nor level: outside the array, such a
	// sample is 0.
	Exact bool
	// Level is the level of detail in 1/256: BaseLevel, or what LevelOf returns; with integer coordinates the level itself.
	Level int
	// Places, where not nil, takes where in memory each texel of the sample is, 0 for one that is outside.
	Places *[]uint64
}

// tell notes where the texels of the sample are.
func (s *Sample) tell(taps []tap) {
	if s.Places == nil {
		return
	}
	for i := range taps {
		*s.Places = append(*s.Places, taps[i].place)
	}
}

// offset returns the offset in a dimension: the low four bits, with their sign.
func (s *Sample) offset(dimension int) int { return int(int8(s.Offset[dimension]<<4) >> 4) }

// Sample returns the four channels of a sample: the bits of f32 numbers, or of integers that are read as they are.
func (t *Texture) Sample(s *Sample) (out [4]uint32) {
	if len(t.Levels[0].Data) == 0 {
		return out
	}
	var buffer [16]tap
	taps := t.taps(buffer[:0], s)
	s.tell(taps)
	for c := range t.Channels {
		r := t.readingOf(t.Format, t.Channels, c)
		if t.filters(s) || len(taps) > 1 {
			out[c] = r.blend(taps, c)
		} else {
			out[c] = r.value(taps[0].texel[c])
		}
	}
	return out
}

// filters tells whether a sample is made of neighbouring texels.
func (t *Texture) filters(s *Sample) bool { return t.Filter == Linear && !s.Integer && !t.Linear }

// taps returns the texels of a sample with their weights, which add up to one.
func (t *Texture) taps(taps []tap, s *Sample) []tap {
	if s.Integer {
		return append(taps, t.indexed(s).weighing(one))
	}
	if t.Linear { // plain memory has no coordinates but these
		return append(taps, tap{weight: one})
	}
	level, blend := t.level(s)
	if blend == 0 {
		return t.levelTaps(taps, s, level, one)
	}
	taps = t.levelTaps(taps, s, level, one-blend)
	return t.levelTaps(taps, s, level+1, blend)
}

// levelTaps appends the texels of one level with weights that add up to weight.
func (t *Texture) levelTaps(taps []tap, s *Sample, level int, weight int32) []tap {
	l := &t.Levels[level]
	if t.Cube {
		return t.cubeTaps(taps, s, l, weight)
	}
	slice := 0
	if t.Layered {
		slice = int(min(s.Layer, uint32(l.Slices-1)))
	}
	dimensions := t.dimensions()
	if !t.filters(s) {
		var at [3]int
		for d, size := range l.sizes(dimensions) {
			at[d] = t.nearest(s.At[d], d, size) + s.offset(d)
		}
		if dimensions < 3 {
			at[2] = slice
		}
		return append(taps, t.fetch(l, at, dimensions).weighing(weight))
	}
	axes := t.axes(l, s)
	for d, size := range l.sizes(dimensions) {
		t.settle(&axes[d], d, size)
	}
	if dimensions < 3 {
		return t.squareTaps(taps, l, axes, slice, weight)
	}
	near, far := split(weight, axes[2].fraction)
	taps = t.squareTaps(taps, l, axes, axes[2].index, near)
	return t.squareTaps(taps, l, axes, axes[2].index+1, far)
}

// axes returns the place of a sample in each dimension.
func (t *Texture) axes(l *Level, s *Sample) (axes [3]axis) {
	if !t.Layered {
		axes[1] = axis{-1, one / 2} // one dimension is filtered as two at y = 0
	}
	for d, size := range l.sizes(t.dimensions()) {
		axes[d] = t.between(s.At[d], d, size, s.offset(d))
	}
	return axes
}

// indexed returns the texel that integer coordinates name, whatever the address modes.
func (t *Texture) indexed(s *Sample) tap {
	level := s.Level >> fractionBits
	if level < 0 || level >= len(t.Levels) {
		return tap{}
	}
	l := &t.Levels[level]
	dimensions := t.dimensions()
	var at [3]int
	inside := true
	for d, size := range l.sizes(dimensions) {
		i := int(int32(s.At[d])) + s.offset(d)
		at[d] = min(max(i, 0), size-1)
		inside = inside && at[d] == i
	}
	if t.Layered {
		at[2] = int(min(s.Layer, uint32(l.Slices-1)))
		inside = inside && at[2] == int(s.Layer)
	}
	// An array of one dimension is never inside: an H200 reads only plain memory in this way.
	if s.Exact && (!inside || t.Geometry() == G1D && !t.Linear) {
		return tap{}
	}
	return t.load(l, at[0], at[1], at[2])
}

// squareTaps appends the four texels around a place in a slice.
func (t *Texture) squareTaps(taps []tap, l *Level, at [3]axis, slice int, weight int32) []tap {
	dimensions := max(t.dimensions(), 2)
	for i, w := range square(weight, at[0].fraction, at[1].fraction) {
		taps = append(taps, t.fetch(l, [3]int{at[0].index + i&1, at[1].index + i>>1, slice}, dimensions).weighing(w))
	}
	return taps
}

// fetch returns the texel at a place, of which the first dimensions go through the address modes.
func (t *Texture) fetch(l *Level, at [3]int, dimensions int) tap {
	for d, size := range l.sizes(dimensions) {
		mode := t.effective(d)
		var ok bool
		if at[d], ok = address(mode, at[d], size); !ok {
			return tap{texel: t.border}
		}
	}
	return t.load(l, at[0], at[1], at[2])
}

// Gather returns one channel of the four texels that a filter would blend, counter-clockwise from the lower left.
func (t *Texture) Gather(s *Sample, channel int) (out [4]uint32) {
	if len(t.Levels[0].Data) == 0 {
		return out
	}
	var buffer [4]tap
	level, _ := t.level(s)
	l := &t.Levels[level]
	taps := t.squareTaps(buffer[:0], l, t.axes(l, s), 0, one)
	s.tell(taps)
	r := t.readingOf(t.Format, t.Channels, channel)
	for i, from := range [...]int{2, 3, 1, 0} {
		out[i] = r.value(taps[from].texel[channel])
	}
	return out
}
