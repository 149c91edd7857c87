package texture

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNamesOfFormatsAndGeometries(t *testing.T) {
	for f := range formatCount {
		if got, err := ParseFormat(f.String()); err != nil || got != f || f.Bytes() == 0 {
			t.Errorf("%v: %v, %v", f, got, err)
		}
	}
	for g := range geometryCount {
		if got, ok := ParseGeometry("." + g.String()); !ok || got != g || g.Coordinates() == 0 {
			t.Errorf("%v: %v, %v", g, got, ok)
		}
	}
	if _, err := ParseFormat("f8"); err == nil {
		t.Error("f8 is a format")
	}
	if _, ok := ParseGeometry(".2dms"); ok {
		t.Error(".2dms is a geometry")
	}
}

// What an H200's driver accepts and refuses.
func TestArraysThatCanBe(t *testing.T) {
	for _, c := range []struct {
		d    Descriptor
		want string // part of the error, "" when the array can be
	}{
		{Descriptor{Channels: 1, Width: 16, Height: 8}, ""},
		{Descriptor{Channels: 3, Width: 16, Height: 8}, "3 channels"},
		{Descriptor{Channels: 1}, "0 x 0 x 0"},
		{Descriptor{Channels: 1, Width: 16, Depth: 4}, "16 x 0 x 4"},
		{Descriptor{Channels: 1, Width: 16, Layers: 4, Layered: true}, ""},
		{Descriptor{Channels: 1, Width: 16, Layered: true}, "0 layers"},
		{Descriptor{Channels: 1, Width: 16, Height: 16, Layers: 6, Cube: true}, ""},
		{Descriptor{Channels: 1, Width: 16, Height: 8, Layers: 6, Cube: true}, "squares"},
		{Descriptor{Channels: 1, Width: 16, Height: 16, Layers: 12, Cube: true}, "12 layers"},
		{Descriptor{Channels: 1, Width: 16, Height: 16, Layers: 12, Cube: true, Layered: true}, ""},
		{Descriptor{Channels: 1, Width: 131072}, ""},
		{Descriptor{Channels: 1, Width: 131073}, "at most 131072"},
		{Descriptor{Channels: 1, Width: 16, Height: 65537}, "at most"},
		{Descriptor{Channels: 1, Width: 16385, Height: 2, Depth: 2}, "at most 16384"},
		{Descriptor{Channels: 1, Width: 16, Height: 16, Layers: 2049, Layered: true}, "at most"},
		{Descriptor{Channels: 1, Width: 16, Height: 8, Gather: true}, ""},
		{Descriptor{Channels: 1, Width: 16, Gather: true}, "gathered"},
		{Descriptor{Channels: 1, Width: 16, Height: 8, Depth: 2, Gather: true}, "gathered"},
	} {
		err := c.d.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.d, err, c.want)
		}
	}
}

// newArray returns an array of bytes that count up.
func newArray(d Descriptor, levels int) *Array {
	data := make([]byte, d.Bytes(levels))
	for i := range data {
		data[i] = byte(i * 7)
	}
	return New(d, levels, data)
}

func TestLevelsHalve(t *testing.T) {
	a := newArray(Descriptor{Format: F32, Channels: 2, Width: 20, Height: 6, Depth: 3}, 5)
	want := [][3]int{{20, 6, 3}, {10, 3, 1}, {5, 1, 1}, {2, 1, 1}, {1, 1, 1}}
	if a.MaxLevels() != len(want) {
		t.Errorf("%d levels, want %d", a.MaxLevels(), len(want))
	}
	for i, w := range want {
		l := a.Levels[i]
		if [3]int{l.Width, l.Height, l.Slices} != w || len(l.Data) != w[0]*w[1]*w[2]*8 {
			t.Errorf("level %d: %d x %d x %d, %d bytes", i, l.Width, l.Height, l.Slices, len(l.Data))
		}
		if g := a.At(i).Geometry(); g != G3D {
			t.Errorf("level %d is of geometry %s", i, g)
		}
	}
}

// Whatever the coordinates, a sample is made of texels: weights add up and nothing panics.
func TestSamplesOfConstantTexturesAreConstant(t *testing.T) {
	geometries := []Descriptor{
		{Width: 5}, {Width: 5, Height: 3}, {Width: 5, Height: 3, Depth: 2}, {Width: 5, Layers: 3, Layered: true},
		{Width: 5, Height: 4, Layers: 2, Layered: true}, {Width: 4, Height: 4, Layers: 6, Cube: true},
		{Width: 4, Height: 4, Layers: 12, Cube: true, Layered: true}, {Width: 1, Height: 1, Layers: 6, Cube: true},
	}
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(geometries).Draw(t, "array")
		d.Format, d.Channels = F32, 1
		a := New(d, d.MaxLevels(), make([]byte, d.Bytes(d.MaxLevels())))
		for i := range a.Levels {
			for at := 0; at < len(a.Levels[i].Data); at += 4 {
				binary.LittleEndian.PutUint32(a.Levels[i].Data[at:], math.Float32bits(0.7))
			}
		}
		mode := func(name string) AddressMode { return AddressMode(rapid.IntRange(0, 2).Draw(t, name)) }
		x := NewTexture(a, Sampler{
			Address: [3]AddressMode{mode("x"), mode("y"), mode("z")}, Filter: Filter(rapid.IntRange(0, 1).Draw(t, "filter")),
			MipFilter: Filter(rapid.IntRange(0, 1).Draw(t, "mip")), Normalized: rapid.Bool().Draw(t, "normalized"),
			Seamless: rapid.Bool().Draw(t, "seamless"), MaxLevel: 9, Anisotropy: rapid.IntRange(0, 16).Draw(t, "anisotropy"),
		})
		coordinate := func() uint32 { return rapid.Uint32().Draw(t, "coordinate") }
		s := Sample{
			Layer: rapid.Uint32().Draw(t, "layer"), At: [3]uint32{coordinate(), coordinate(), coordinate()},
			Offset: [3]int{rapid.IntRange(-9, 9).Draw(t, "offset")}, Level: x.LevelOf(math.Float32frombits(coordinate())),
		}
		if got := x.Sample(&s)[0]; got != math.Float32bits(0.7) {
			t.Fatalf("%v", math.Float32frombits(got))
		}
		if got := x.Gather(&s, 0); !d.Cube && got != [4]uint32{0x3F333333, 0x3F333333, 0x3F333333, 0x3F333333} {
			t.Fatalf("%x", got)
		}
		step := func() (v [3]float32) {
			for i := range v {
				v[i] = math.Float32frombits(coordinate())
			}
			return v
		}
		x.SampleGradients(&s, step(), step())
	})
}

func TestSurfacesReachTexels(t *testing.T) {
	s := &Surface{newArray(Descriptor{Format: U16, Channels: 2, Width: 4, Height: 3, Layers: 2, Layered: true}, 1)}
	for _, c := range []struct {
		p       Place
		outside Outside
		want    int // offset, -1 for nothing, -2 for a fault
	}{
		{Place{Layer: 1, X: 4, Y: 2}, OutsideTrap, 48 + 32 + 4},
		{Place{X: -1}, OutsideTrap, -2},
		{Place{Layer: 2}, OutsideTrap, -2},
		{Place{Y: 3}, OutsideZero, -1},
		{Place{Layer: 0xFFFFFFFF, X: 99, Y: -5}, OutsideClamp, 48 + 12},
	} {
		b, access := s.Bytes(c.p, 4, c.outside)
		switch {
		case c.want == -2 && access != Trapped, c.want == -1 && access != Nothing:
			t.Errorf("%v: %v", c.p, access)
		case c.want >= 0 && (access != Inside || &b[0] != &s.Levels[0].Data[c.want]):
			t.Errorf("%v: %v, %d bytes", c.p, access, len(b))
		}
	}
	texel, _ := s.Texel(Place{X: 1}, OutsideTrap)
	s.Store(texel, []uint32{70000})
	if got := binary.LittleEndian.Uint32(texel); got != 0xFFFF {
		t.Errorf("stored %08x", got)
	}
}

func TestFormatsTakeRegisters(t *testing.T) {
	for _, c := range []struct {
		f           Format
		value, want uint32
	}{
		{U8, 300, 255}, {S8, 0xFFFFFE00, 0xFFFFFF80}, {S8, 300, 127}, {U16, 70000, 65535}, {S16, 0xFFFF0000, 0xFFFF8000},
		{U32, 0x89ABCDEF, 0x89ABCDEF}, {F32, 0x3F800001, 0x3F800001}, {F16, 0x4244D197, 0x5226}, {F16, 0x47A44236, 0x7BFF},
	} {
		if got := c.f.fromRegister(c.value); got != c.want {
			t.Errorf("%s of %08x: %x, want %x", c.f, c.value, got, c.want)
		}
	}
}

func TestObjectsAreFoundByHandle(t *testing.T) {
	a := newArray(Descriptor{Format: F32, Channels: 1, Width: 4, Height: 4, Layers: 6, Cube: true}, 1)
	o := Objects{{}, {Texture: NewTexture(a, Sampler{})}, {Surface: &Surface{a}}}
	if _, err := o.Texture(1, GCube); err != nil {
		t.Error(err)
	}
	if _, err := o.Surface(2, GLayered2D); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{second(o.Texture(0, GCube)), "0x0 is no texture object"}, {second(o.Texture(2, GCube)), "0x2 is no texture object"},
		{second(o.Texture(1, G2D)), "is of geometry cube, the instruction of 2d"}, {second(o.Surface(9, G2D)), "0x9 is no surface object"},
		{second(o.Surface(2, GCube)), "of geometry a2d, the instruction of cube"}, {second(o.Any(3)), "0x3 is no texture or surface object"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %q", c.err, c.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// As an H200 answered.
func TestQueries(t *testing.T) {
	array := func(d Descriptor, levels int) Object {
		d.Format, d.Channels = F32, 1
		return Object{Texture: NewTexture(newArray(d, levels), Sampler{Address: [3]AddressMode{Wrap, Mirror, Border}, Normalized: true})}
	}
	for _, c := range []struct {
		name string
		o    Object
		q    string
		l    uint32
		want uint32
	}{
		{"1d", array(Descriptor{Width: 24}, 1), "height", 0, 1},
		{"3d", array(Descriptor{Width: 8, Height: 6, Depth: 5}, 1), "depth", 0, 5},
		{"a1d", array(Descriptor{Width: 24, Layers: 3, Layered: true}, 1), "height", 0, 3},
		{"a2d", array(Descriptor{Width: 20, Height: 12, Layers: 5, Layered: true}, 1), "depth", 0, 5},
		{"cube", array(Descriptor{Width: 8, Height: 8, Layers: 6, Cube: true}, 1), "depth", 0, 0},
		{"acube", array(Descriptor{Width: 8, Height: 8, Layers: 18, Cube: true, Layered: true}, 1), "depth", 0, 3},
		{"levels", array(Descriptor{Width: 32, Height: 16}, 6), "width", 2, 8},
		{"levels", array(Descriptor{Width: 32, Height: 16}, 6), "height", 6, 0},
		{"levels", array(Descriptor{Width: 32, Height: 16}, 6), "num_mipmap_levels", 0, 6},
		{"modes", array(Descriptor{Width: 32}, 1), "addr_mode_1", 0, 1},
		{"modes", array(Descriptor{Width: 32}, 1), "addr_mode_2", 0, 4},
		{"type", array(Descriptor{Width: 32}, 1), "channel_data_type", 0, 0x10DE},
		{"order", array(Descriptor{Width: 32}, 1), "channel_order", 0, 0x10B0},
		{"coordinates", array(Descriptor{Width: 32}, 1), "normalized_coords", 0, 1},
	} {
		if got := c.o.Query(c.q, c.l); got != c.want {
			t.Errorf("%s: %s of level %d is %d, want %d", c.name, c.q, c.l, got, c.want)
		}
	}
}
