package conform

import (
	"encoding/binary"
	"fmt"

	"silica/internal/texture"
)

// array is what a texture or surface is made over.
type array struct {
	Format          string
	Channels        int
	Dims            []int
	Layers          int
	Gather, Surface bool
	Data            *reference
}

// sampler is how a texture is sampled.
type sampler struct {
	Address       []string
	Filter        string
	Normalized    bool
	ReadAsInteger bool
}

var addressModes = map[string]texture.AddressMode{
	"wrap": texture.Wrap, "clamp": texture.Clamp, "mirror": texture.Mirror, "border": texture.Border,
}

var filters = map[string]texture.Filter{"point": texture.Point, "linear": texture.Linear}

// bind makes the texture or surface of a parameter, whose handle goes to argument. It returns the array's contents.
func (f *family) bind(p *param, objects *texture.Objects, argument []byte) ([]byte, error) {
	if len(argument) != 8 {
		return nil, fmt.Errorf("a handle of 8 bytes, the kernel takes %d", len(argument))
	}
	a, err := f.array(p.Array)
	if err != nil {
		return nil, err
	}
	var o texture.Object
	switch {
	case p.Kind == "surface":
		o.Surface = &texture.Surface{Array: a}
	case p.Kind == "texture" && p.Sampler != nil:
		s, err := p.Sampler.sampler()
		if err != nil {
			return nil, err
		}
		o.Texture = texture.NewTexture(a, s)
	default:
		return nil, fmt.Errorf("%s parameters are not supported", p.Kind)
	}
	binary.LittleEndian.PutUint64(argument, uint64(len(*objects)))
	*objects = append(*objects, o)
	return a.Levels[0].Data, nil
}

func (f *family) array(p *array) (*texture.Array, error) {
	format, err := texture.ParseFormat(p.Format)
	if err != nil {
		return nil, err
	}
	d := texture.Descriptor{
		Format: format, Channels: p.Channels, Layers: p.Layers, Layered: p.Layers > 0, Gather: p.Gather, Surface: p.Surface,
	}
	if len(p.Dims) > 3 {
		return nil, fmt.Errorf("an array of %d dimensions", len(p.Dims))
	}
	for i, n := range p.Dims {
		*[...]*int{&d.Width, &d.Height, &d.Depth}[i] = n
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	data, err := f.bytes(p.Data)
	if err != nil {
		return nil, err
	}
	if want := d.Bytes(1); len(data) != want {
		return nil, fmt.Errorf("%d bytes for an array of %d", len(data), want)
	}
	return texture.New(d, 1, append([]byte(nil), data...)), nil
}

func (p *sampler) sampler() (s texture.Sampler, err error) {
	s.Normalized, s.Integer = p.Normalized, p.ReadAsInteger
	var ok bool
	if s.Filter, ok = filters[p.Filter]; !ok {
		return s, fmt.Errorf("filter %q", p.Filter)
	}
	for i, name := range p.Address {
		if i >= len(s.Address) {
			return s, fmt.Errorf("%d address modes", len(p.Address))
		}
		if s.Address[i], ok = addressModes[name]; !ok {
			return s, fmt.Errorf("address mode %q", name)
		}
	}
	return s, nil
}
