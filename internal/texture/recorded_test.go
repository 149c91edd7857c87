package texture

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// testdata holds the samples.
const testdata = "testdata"

// recorded is one setup of the samples in testdata: a texture, coordinates, and what an H200 made of them.
type recorded struct {
	Name, Op, Geometry string
	Integer            bool // coordinates
	Component          int  // of a gather
	Samples            int
	Inputs, Outputs    int // words of a sample; they lie apart
	Input, Output      int // where they begin in the data
	// Levels holds where each level's texels are: offset and bytes. Of Constants levels, each is filled with its number.
	Levels    [][2]int
	Constants int
	Format    string
	Channels  int
	Dims      []int
	Layers    int
	Cube      bool
	Pitch     int // bytes, of pitched memory

	Address                       []string
	Filter, Mip                   int
	Normalized, ReadInteger, SRGB bool
	Seamless, Linear              bool
	Aniso                         int
	Bias, Lo, Hi                  float32
	Border                        [4]float32
	Offset                        []int
	OffsetRegisters               bool
}

func loadRecorded(t *testing.T, dir string) (list []recorded, data []byte) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "samples.json"))
	if err == nil {
		err = json.Unmarshal(b, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	if data, err = os.ReadFile(filepath.Join(dir, "samples.bin")); err != nil {
		t.Fatal(err)
	}
	return list, data
}

// texture makes the texture of a setup.
func (r *recorded) texture(t *testing.T, data []byte) *Texture {
	t.Helper()
	d := Descriptor{Channels: r.Channels, Layers: r.Layers, Cube: r.Cube}
	var err error
	if d.Format, err = ParseFormat(r.Format); err != nil {
		t.Fatal(err)
	}
	for i, n := range r.Dims {
		*[]*int{&d.Width, &d.Height, &d.Depth}[i] = n
	}
	g, ok := ParseGeometry("." + r.Geometry)
	if !ok {
		t.Fatalf("%s: geometry %s", r.Name, r.Geometry)
	}
	d.Layered = g.Layered()
	levels := max(len(r.Levels), r.Constants)
	a := New(d, levels, make([]byte, d.Bytes(levels)))
	for i := range a.Levels {
		l := &a.Levels[i]
		switch {
		case r.Pitch > 0:
			l.Pitch, l.Data = r.Pitch, data[r.Levels[0][0]:][:r.Levels[0][1]]
		case r.Constants > 0:
			for at := 0; at < len(l.Data); at += 4 {
				binary.LittleEndian.PutUint32(l.Data[at:], math.Float32bits(float32(i)))
			}
		default:
			copy(l.Data, data[r.Levels[i][0]:][:r.Levels[i][1]])
		}
	}
	s := Sampler{
		Filter: Filter(r.Filter), MipFilter: Filter(r.Mip), Normalized: r.Normalized, Integer: r.ReadInteger, SRGB: r.SRGB,
		Seamless: r.Seamless, Anisotropy: r.Aniso, Bias: r.Bias, MinLevel: r.Lo, MaxLevel: r.Hi, Border: r.Border,
	}
	for i, m := range r.Address {
		s.Address[i] = map[string]AddressMode{"wrap": Wrap, "clamp": Clamp, "mirror": Mirror, "border": Border}[m]
	}
	x := NewTexture(a, s)
	x.Linear = r.Linear
	return x
}

// sample runs sample i.
func (r *recorded) sample(x *Texture, words func(k int) uint32) [4]uint32 {
	s := Sample{Integer: r.Integer, Level: x.BaseLevel()}
	g, _ := ParseGeometry("." + r.Geometry)
	k := 0
	next := func() uint32 { k++; return words(k - 1) }
	if g.Layered() {
		s.Layer = next()
	}
	for d := range g.Coordinates() {
		s.At[d] = next()
	}
	switch {
	case r.Op != "tex.level" || r.Integer && len(r.Offset) > 0: // such offsets were recorded at level 0
	case r.Integer:
		s.Level = int(int32(next())) << LevelBits
	default:
		s.Level = x.LevelOf(math.Float32frombits(next()))
	}
	if r.OffsetRegisters {
		r.Offset = []int{int(int32(next())), int(int32(next()))}
	}
	copy(s.Offset[:], r.Offset)
	s.Exact = r.Integer && r.Op == "tex" && len(r.Offset) == 0
	switch r.Op {
	case "tld4":
		return x.Gather(&s, r.Component)
	case "tex.grad":
		var dx, dy [3]float32
		for d := range g.Coordinates() {
			dx[d] = math.Float32frombits(next())
		}
		for d := range g.Coordinates() {
			dy[d] = math.Float32frombits(next())
		}
		return x.SampleGradients(&s, dx, dy)
	}
	return x.Sample(&s)
}

// TestSamplesAreThoseOfTheHardware compares samples, recorded on an H200 (driver 580, CUDA 13.0), of textures of every
// geometry, format, address mode and filter. Coordinates lie at edges, between texels and far outside.
func TestSamplesAreThoseOfTheHardware(t *testing.T) {
	list, data := loadRecorded(t, testdata)
	if len(list) < 300 {
		t.Errorf("only %d setups", len(list))
	}
	var apart []float64 // levels of detail of gradients
	for i := range list {
		r := &list[i]
		x := r.texture(t, data)
		bad := 0
		for n := range r.Samples {
			word := func(base int) func(int) uint32 {
				return func(k int) uint32 { return binary.LittleEndian.Uint32(data[base+4*(k*r.Samples+n):]) }
			}
			got := r.sample(x, word(r.Input))
			if r.Op == "tex.grad" {
				apart = append(apart, math.Abs(float64(math.Float32frombits(got[0])-math.Float32frombits(word(r.Output)(0)))))
				continue
			}
			for c := range r.Outputs {
				if want := word(r.Output)(c); got[c] != want {
					bad++
					if bad == 1 {
						t.Errorf("%s: sample %d: channel %d is %08x, want %08x", r.Name, n, c, got[c], want)
					}
					break
				}
			}
		}
		if bad > 0 {
			t.Errorf("%s: %d of %d samples", r.Name, bad, r.Samples)
		}
	}
	// The chip approximates lengths and logarithms.
	most, sum := 0.0, 0.0
	for _, d := range apart {
		most, sum = max(most, d), sum+d
	}
	if mean := sum / float64(len(apart)); len(apart) == 0 || most > 0.6 || mean > 0.06 {
		t.Errorf("%d levels of gradients: up to %v apart, %v on average", len(apart), most, mean)
	}
}
