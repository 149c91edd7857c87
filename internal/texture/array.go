package texture

import "fmt"

// Descriptor describes an array of texels.
type Descriptor struct {
	Format   Format
	Channels int // 1, 2 or 4
	// Width, Height and Depth are in texels; Height and Depth are 0 where the array has no such dimension.
	Width, Height, Depth int
	// Layers is the number of layers of a layered array, 0 of others. A cube map has six layers, its faces +x, -x,
	// +y, -y, +z, -z; a layered one a multiple of six.
	Layers int
	Cube   bool
	// Layered marks arrays whose layers a program chooses; a single cube map has layers, but is not layered.
	Layered bool
	// Gather and Surface tell what the array was made for.
	Gather, Surface bool
}

// The most texels an array may have in each dimension, on every GPU of compute capability 9.0 (CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability").
const (
	max1D        = 131072
	max2DWidth   = 131072
	max2DHeight  = 65536
	max3D        = 16384
	maxLayered   = 32768
	maxLayers    = 2048
	maxCube      = 32768
	maxCubeFaces = 2046
	maxGather    = 32768
	cubeFaces    = 6
)

// Check returns why no such array can be, or nil. The rules are those that an H200's driver was seen to apply.
func (d *Descriptor) Check() error {
	dims := d.dimensions()
	switch {
	case d.Channels != 1 && d.Channels != 2 && d.Channels != 4:
		return fmt.Errorf("texels of %d channels; 1, 2 and 4 are possible", d.Channels)
	case d.Format >= formatCount:
		return fmt.Errorf("channel format %d", d.Format)
	case d.Width < 1 || d.Height < 0 || d.Depth < 0 || d.Layers < 0 || d.Height == 0 && d.Depth > 0:
		return fmt.Errorf("an array of %d x %d x %d texels", d.Width, d.Height, d.Depth)
	case d.Layered && d.Layers == 0 || d.Layers > 0 && d.Depth > 0:
		return fmt.Errorf("%d layers of %d dimensions", d.Layers, dims)
	case d.Gather && (dims != 2 || d.Layers > 0 || d.Cube):
		return fmt.Errorf("only arrays of two dimensions without layers can be gathered from")
	case d.Cube && (d.Width != d.Height || d.Layers%cubeFaces != 0 || d.Layers == 0 || !d.Layered && d.Layers != cubeFaces):
		return fmt.Errorf("a cube map of %d layers of %d x %d texels; its faces are squares, six a cube", d.Layers, d.Width, d.Height)
	}
	limit := func(w, h, z int) error {
		if d.Width > w || d.Height > h || max(d.Depth, d.Layers) > z {
			return fmt.Errorf("an array of %d x %d x %d texels; at most %d x %d x %d are possible", d.Width, d.Height, max(d.Depth, d.Layers), w, h, z)
		}
		return nil
	}
	switch {
	case d.Cube:
		return limit(maxCube, maxCube, maxCubeFaces)
	case d.Layers > 0:
		return limit(maxLayered, maxLayered, maxLayers)
	case d.Gather:
		return limit(maxGather, maxGather, 0)
	case dims == 1:
		return limit(max1D, 0, 0)
	case dims == 2:
		return limit(max2DWidth, max2DHeight, 0)
	}
	return limit(max3D, max3D, max3D)
}

// dimensions is the number of dimensions of one layer.
func (d *Descriptor) dimensions() int {
	switch {
	case d.Depth > 0:
		return 3
	case d.Height > 0:
		return 2
	}
	return 1
}

// TexelBytes is the size of a texel.
func (d *Descriptor) TexelBytes() int { return d.Format.Bytes() * d.Channels }

// MaxLevels is the number of mipmap levels down to a single texel.
func (d *Descriptor) MaxLevels() int {
	n := 1
	for size := max(d.Width, d.Height, d.Depth); size > 1; size >>= 1 {
		n++
	}
	return n
}

// Level is one mipmap level: Slices slices (of depth, or layers) of Height rows of Width texels. Texel x of row y of
// slice z begins at Data[(z*Height+y)*Pitch + x*TexelBytes]; channels are little-endian, in order.
type Level struct {
	Width, Height, Slices int // at least 1
	Pitch                 int // bytes from row to row
	Data                  []byte
}

// sizes returns the first dimensions' sizes.
func (l *Level) sizes(dimensions int) []int {
	return [][]int{{l.Width}, {l.Width, l.Height}, {l.Width, l.Height, l.Slices}}[dimensions-1]
}

// Array is a block of texels with all its mipmap levels.
type Array struct {
	Descriptor
	Levels []Level
	// Plain marks memory of the program, whose rows lie as it says; others lie in tiles.
	Plain bool
}

// Bytes returns the memory that an array with the given number of levels takes.
func (d *Descriptor) Bytes(levels int) int {
	n := 0
	for i := range levels {
		l := d.level(i)
		n += l.Pitch * l.Height * l.Slices
	}
	return n
}

// level returns the shape of a mipmap level, without its data. Each level is half as large as the one before.
func (d *Descriptor) level(i int) Level {
	l := Level{Width: max(d.Width>>i, 1), Height: max(d.Height>>i, 1), Slices: max(d.Depth>>i, 1)}
	if d.Layers > 0 {
		l.Slices = d.Layers
	}
	l.Pitch = l.Width * d.TexelBytes()
	return l
}

// New lays an array out over data, of which it takes Bytes(levels): one level after the other, rows without gaps.
func New(d Descriptor, levels int, data []byte) *Array {
	a := &Array{Descriptor: d}
	for i := range levels {
		l := d.level(i)
		n := l.Pitch * l.Height * l.Slices
		l.Data, data = data[:n:n], data[n:]
		a.Levels = append(a.Levels, l)
	}
	return a
}

// At returns the array that is one level of another.
func (a *Array) At(level int) *Array {
	l := a.Levels[level]
	d := a.Descriptor
	d.Width = l.Width
	if d.Height > 0 {
		d.Height = l.Height
	}
	if d.Depth > 0 {
		d.Depth = l.Slices
	}
	return &Array{Descriptor: d, Levels: []Level{l}}
}

// texel is the value of a texel: the bits of each channel, sign-extended in signed formats, 0 in channels that the
// format lacks.
type texel [4]uint32

func (a *Array) load(l *Level, x, y, z int) (t tap) {
	size := a.Format.Bytes()
	at := (z*l.Height+y)*l.Pitch + x*size*a.Channels
	for c := range a.Channels {
		t.texel[c] = a.Format.load(l.Data[at+c*size:])
	}
	t.place = a.place(l, x*size*a.Channels, y, z)
	return t
}
