package main

// #include <cuda.h>
import "C"

import (
	"math"

	"silica/driver"
)

var cuReferences = works{
	"cuModuleGetTexRef":  moduleReference((*driver.Module).TextureReference),
	"cuModuleGetSurfRef": moduleReference((*driver.Module).SurfaceReference),
	"cuTexRefCreate": func(c *context, a args) error {
		return out(a, 0, c.add(&reference{Reference: c.device.NewReference()}))
	},
	"cuTexRefDestroy":             func(c *context, a args) error { _, err := remove[*reference](c, a.size(0)); return err },
	"cuTexRefSetArray":            setReference(setReferenceArray),
	"cuTexRefSetMipmappedArray":   setReference(setReferenceMipmap),
	"cuTexRefSetAddress_v2":       cuTexRefSetAddress,
	"cuTexRefSetAddress2D_v3":     setReference(setReferenceAddress2D),
	"cuTexRefSetFormat":           setReference(setReferenceFormat),
	"cuTexRefSetAddressMode":      setReference(func(_ *context, r *reference, a args) error { return addressMode(&r.Sampler, a.int(1), a.uint(2)) }),
	"cuTexRefSetFilterMode":       setReference(setFilter(func(r *reference) *driver.Filter { return &r.Sampler.Filter })),
	"cuTexRefSetMipmapFilterMode": setReference(setFilter(func(r *reference) *driver.Filter { return &r.Sampler.MipFilter })),
	"cuTexRefSetMipmapLevelBias": setReference(func(_ *context, r *reference, a args) error {
		r.Sampler.Bias = a.float(1)
		return nil
	}),
	"cuTexRefSetMipmapLevelClamp": setReference(func(_ *context, r *reference, a args) error {
		r.Sampler.MinLevel, r.Sampler.MaxLevel = a.float(1), a.float(2)
		return nil
	}),
	"cuTexRefSetMaxAnisotropy": setReference(func(_ *context, r *reference, a args) error {
		r.Sampler.Anisotropy = int(min(a.uint(1), 16))
		return nil
	}),
	"cuTexRefSetBorderColor":      setReference(setBorder),
	"cuTexRefSetFlags":            setReference(setReferenceFlags),
	"cuTexRefGetAddress_v2":       ofReference(func(r *reference) uint64 { return r.Resource.Address }),
	"cuTexRefGetArray":            ofReference(func(r *reference) uint64 { return r.array }),
	"cuTexRefGetMipmappedArray":   ofReference(func(r *reference) uint64 { return r.mipmap }),
	"cuTexRefGetAddressMode":      cuTexRefGetAddressMode,
	"cuTexRefGetFilterMode":       ofReference(func(r *reference) uint32 { return uint32(r.Sampler.Filter) }),
	"cuTexRefGetFormat":           cuTexRefGetFormat,
	"cuTexRefGetMipmapFilterMode": ofReference(func(r *reference) uint32 { return uint32(r.Sampler.MipFilter) }),
	"cuTexRefGetMipmapLevelBias":  ofReference(func(r *reference) float32 { return r.Sampler.Bias }),
	"cuTexRefGetMipmapLevelClamp": cuTexRefGetMipmapLevelClamp,
	"cuTexRefGetMaxAnisotropy":    ofReference(func(r *reference) uint32 { return uint32(r.Sampler.Anisotropy) }),
	"cuTexRefGetBorderColor":      ofReference(func(r *reference) [4]float32 { return r.Sampler.Border }),
	"cuTexRefGetFlags":            ofReference(func(r *reference) uint32 { return r.flags }),
	"cuSurfRefSetArray":           setReference(setReferenceArray),
	"cuSurfRefGetArray":           ofReference(func(r *reference) uint64 { return r.array }),
}

// reference is a texture or surface reference with what the program set it to.
type reference struct {
	*driver.Reference
	array, mipmap uint64 // handles
	flags         uint32
}

// moduleReference makes a function that looks a reference up in a module.
func moduleReference(find func(m *driver.Module, name string) (*driver.Reference, error)) work {
	return func(c *context, a args) error {
		return allocate(a, 0, func() (uint64, error) {
			m, err := get[*module](c, a.size(1))
			if err != nil {
				return 0, err
			}
			if a.size(2) == 0 {
				return 0, errNull
			}
			r, err := find(m.Module, string(textAt(a.size(2))))
			if err != nil {
				return 0, err
			}
			return c.add(&reference{Reference: r}), nil
		})
	}
}

// setReference makes a function that changes the reference of argument 0. Bound references take the change at once.
func setReference(set func(c *context, r *reference, a args) error) work {
	return func(c *context, a args) error {
		r, err := get[*reference](c, a.size(0))
		if err != nil {
			return err
		}
		if err := set(c, r, a); err != nil {
			return err
		}
		if r.Resource.Array == nil && r.Resource.Address == 0 {
			return nil // nothing is bound yet
		}
		return r.Bind()
	}
}

// ofReference makes a function that writes a part of the reference of argument 1 to where argument 0 points.
func ofReference[T any](part func(r *reference) T) work {
	return func(c *context, a args) error {
		r, err := get[*reference](c, a.size(1))
		if err != nil {
			return err
		}
		return out(a, 0, part(r))
	}
}

func setReferenceArray(c *context, r *reference, a args) (err error) {
	r.Resource, err = c.arrayResource(a.size(1))
	r.array, r.mipmap = a.size(1), 0
	return err
}

func setReferenceMipmap(c *context, r *reference, a args) (err error) {
	r.Resource, err = c.mipmapResource(a.size(1))
	r.array, r.mipmap = 0, a.size(1)
	return err
}

// cuTexRefSetAddress binds bytes of memory as one row of texels, and answers how far into them the first begins.
func cuTexRefSetAddress(c *context, a args) error {
	r, err := get[*reference](c, a.size(1))
	if err != nil {
		return err
	}
	texels := driver.ArrayDescriptor{Format: r.Resource.Format, Channels: max(r.Resource.Channels, 1)}
	r.Resource = linearTexels(texels, a.size(2), a.size(3))
	r.array, r.mipmap = 0, 0
	if p, err := in[uint64](a, 0); err == nil {
		*p = 0
	}
	return r.Bind()
}

func setReferenceAddress2D(_ *context, r *reference, a args) error {
	d, err := in[C.CUDA_ARRAY_DESCRIPTOR](a, 1)
	if err != nil {
		return err
	}
	texels, err := cuTexels(d.Format, d.NumChannels)
	if err != nil {
		return err
	}
	r.Resource = pitchedTexels(texels, a.size(2), d.Width, d.Height, C.size_t(a.size(3)))
	r.array, r.mipmap = 0, 0
	return nil
}

func setReferenceFormat(_ *context, r *reference, a args) error {
	texels, err := cuTexels(C.CUarray_format(a.uint(1)), C.uint(a.uint(2)))
	if err != nil {
		return err
	}
	if r.Resource.Array == nil {
		r.Resource.Format, r.Resource.Channels = texels.Format, texels.Channels
	}
	return nil
}

func setFilter(filter func(r *reference) *driver.Filter) func(c *context, r *reference, a args) error {
	return func(_ *context, r *reference, a args) (err error) {
		*filter(r), err = filterOf(a.uint(1))
		return err
	}
}

func setBorder(_ *context, r *reference, a args) error {
	p, err := in[[4]float32](a, 1)
	if err == nil {
		r.Sampler.Border = *p
	}
	return err
}

func setReferenceFlags(_ *context, r *reference, a args) error {
	r.flags = a.uint(1)
	return setFlags(&r.Sampler, r.flags)
}

func cuTexRefGetAddressMode(c *context, a args) error {
	r, err := get[*reference](c, a.size(1))
	if err != nil {
		return err
	}
	if d := a.int(2); d < 0 || d >= len(r.Sampler.Address) {
		return driver.Fail(driver.InvalidValue, "dimension %d", d)
	}
	return out(a, 0, uint32(r.Sampler.Address[a.int(2)]))
}

func cuTexRefGetFormat(c *context, a args) error {
	r, err := get[*reference](c, a.size(2))
	if err != nil {
		return err
	}
	d := driver.ArrayDescriptor{Format: r.Resource.Format, Channels: r.Resource.Channels}
	if r.Resource.Array != nil {
		d = r.Resource.Array.Descriptor()
	}
	if err := out(a, 0, cuFormat(d.Format)); err != nil {
		return err
	}
	return out(a, 1, C.int(d.Channels))
}

func cuTexRefGetMipmapLevelClamp(c *context, a args) error {
	r, err := get[*reference](c, a.size(2))
	if err != nil {
		return err
	}
	if err := out(a, 0, r.Sampler.MinLevel); err != nil {
		return err
	}
	return out(a, 1, r.Sampler.MaxLevel)
}

// float returns an argument of type float, whose bits C passes.
func (a args) float(i int) float32 {
	return math.Float32frombits(a.uint(i))
}
