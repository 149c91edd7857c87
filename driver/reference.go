package driver

import (
	"encoding/binary"

	"silica/internal/isa"
	"silica/internal/texture"
)

// Reference is a texture or surface reference: a variable of a module that stands for what the host binds to it. Change its
// parts and Bind it. The variable holds the handle of an object.
type Reference struct {
	Resource Resource
	Sampler  Sampler

	device   *Device
	surface  bool
	variable uint64 // address; 0 when the reference is the host's alone
	handle   uint64
}

// NewReference returns a texture reference that is no variable of a module.
func (d *Device) NewReference() *Reference {
	r := &Reference{device: d}
	r.Sampler.Address = [3]AddressMode{AddressClamp, AddressClamp, AddressClamp}
	return r
}

// TextureReference returns the .texref variable of a name.
func (m *Module) TextureReference(name string) (*Reference, error) {
	return m.reference(name, isa.TexRef)
}

// SurfaceReference returns the .surfref variable of a name.
func (m *Module) SurfaceReference(name string) (*Reference, error) {
	return m.reference(name, isa.SurfRef)
}

func (m *Module) reference(name string, t isa.Type) (*Reference, error) {
	for i, g := range m.program.Globals {
		if g.Name == name && g.Type == t {
			r := m.device.NewReference()
			samplerFields(&r.Sampler, g.Fields)
			r.surface, r.variable = t == isa.SurfRef, m.variables.Symbols[i]
			return r, nil
		}
	}
	return nil, Fail(NotFound, "there is no .%s %s", t, name)
}

// Bind makes the variable stand for the reference's resource and sampler. It waits for running work.
func (r *Reference) Bind() error {
	d := r.device
	d.drain()
	if err := d.Status(); err != nil {
		return err
	}
	var o texture.Object
	if r.surface {
		if r.Resource.Array == nil {
			return Fail(InvalidValue, "a surface is over an array")
		}
		o.Surface = &texture.Surface{Array: r.Resource.Array.texels.At(0)}
	} else {
		t, err := d.texture(r.Resource, r.Sampler)
		if err != nil {
			return err
		}
		o.Texture = t
	}
	if r.handle != 0 {
		d.objects.set(r.handle, o)
		return nil
	}
	r.handle = d.objects.add(o)
	return d.pointVariable(r.variable, r.handle)
}

// pointVariable writes a handle to a variable.
func (d *Device) pointVariable(variable, handle uint64) error {
	if variable == 0 {
		return nil
	}
	return d.Write(variable, binary.LittleEndian.AppendUint64(nil, handle))
}

// samplerFields sets what the members of a PTX variable say.
func samplerFields(s *Sampler, fields map[string]uint64) {
	modes := [...]AddressMode{AddressWrap, AddressMirror, AddressClamp, AddressClamp, AddressBorder}
	for i, name := range [...]string{"addr_mode_0", "addr_mode_1", "addr_mode_2"} {
		if v, ok := fields[name]; ok && v < uint64(len(modes)) {
			s.Address[i] = modes[v]
		}
	}
	if fields["filter_mode"] == 1 {
		s.Filter = FilterLinear
	}
	if v, ok := fields["normalized_coords"]; ok {
		s.Normalized = v != 0
	}
	if fields["force_unnormalized_coords"] != 0 {
		s.Normalized = false
	}
}

// samplers makes an object of every .samplerref variable.
func (m *Module) samplers() error {
	for i, g := range m.program.Globals {
		if g.Type != isa.SamplerRef {
			continue
		}
		s := m.device.NewReference().Sampler
		s.Normalized = true
		samplerFields(&s, g.Fields)
		handle := m.device.objects.add(texture.Object{Sampler: &s})
		m.samplerHandles = append(m.samplerHandles, handle)
		if err := m.device.pointVariable(m.variables.Symbols[i], handle); err != nil {
			return err
		}
	}
	return nil
}
