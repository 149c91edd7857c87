package main

// #include <cuda.h>
import "C"

import (
	"unsafe"

	"silica/driver"
)

var cuTextures = works{
	"cuTexObjectCreate":              cuTexObjectCreate,
	"cuTexObjectDestroy":             destroyObject,
	"cuTexObjectGetResourceDesc":     ofCuTexture(func(o *cuObject) C.CUDA_RESOURCE_DESC { return o.resource }),
	"cuTexObjectGetTextureDesc":      ofCuTexture(func(o *cuObject) C.CUDA_TEXTURE_DESC { return o.sampling }),
	"cuTexObjectGetResourceViewDesc": ofCuTexture(func(o *cuObject) C.CUDA_RESOURCE_VIEW_DESC { return o.view }),
	"cuSurfObjectCreate":             cuSurfObjectCreate,
	"cuSurfObjectDestroy":            destroyObject,
	"cuSurfObjectGetResourceDesc":    ofCuTexture(func(o *cuObject) C.CUDA_RESOURCE_DESC { return o.resource }),
}

// cuObject is what a program asked for in a texture or surface object of the driver API.
type cuObject struct {
	resource C.CUDA_RESOURCE_DESC
	sampling C.CUDA_TEXTURE_DESC
	view     C.CUDA_RESOURCE_VIEW_DESC
}

// ofCuTexture is ofTexture for the driver API.
func ofCuTexture[T any](part func(o *cuObject) T) work {
	return func(c *context, a args) error {
		o, err := get[*cuObject](c, objectHandle(a.size(1)))
		if err != nil {
			return driver.Fail(driver.InvalidValue, "0x%x is no texture or surface object", a.size(1))
		}
		return out(a, 0, part(o))
	}
}

// The parts of CUDA_RESOURCE_DESC's union.
type (
	cuLinearResource struct {
		address  uint64
		format   C.CUarray_format
		channels C.uint
		bytes    C.size_t
	}
	cuPitchedResource struct {
		address              uint64
		format               C.CUarray_format
		channels             C.uint
		width, height, pitch C.size_t
	}
)

// cuResource reads a CUDA_RESOURCE_DESC.
func (c *context) cuResource(r *C.CUDA_RESOURCE_DESC) (out driver.Resource, err error) {
	union := unsafe.Pointer(&r.res)
	switch r.resType {
	case C.CU_RESOURCE_TYPE_ARRAY:
		return c.arrayResource((*handleResource)(union).handle)
	case C.CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		return c.mipmapResource((*handleResource)(union).handle)
	case C.CU_RESOURCE_TYPE_LINEAR:
		l := (*cuLinearResource)(union)
		d, err := cuTexels(l.format, l.channels)
		return linearTexels(d, l.address, uint64(l.bytes)), err
	case C.CU_RESOURCE_TYPE_PITCH2D:
		p := (*cuPitchedResource)(union)
		d, err := cuTexels(p.format, p.channels)
		return pitchedTexels(d, p.address, p.width, p.height, p.pitch), err
	}
	return out, driver.Fail(driver.InvalidValue, "resource type %d", r.resType)
}

// samplerFlags are those of a texture that the library takes.
const samplerFlags = C.CU_TRSF_READ_AS_INTEGER | C.CU_TRSF_NORMALIZED_COORDINATES | C.CU_TRSF_SRGB |
	C.CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | C.CU_TRSF_SEAMLESS_CUBEMAP | 0x4 | 0x8 // the last two have no meaning

// setFlags sets what the flags of a texture say.
func setFlags(s *driver.Sampler, flags uint32) error {
	if flags&^samplerFlags != 0 {
		return driver.Fail(driver.InvalidValue, "texture flags 0x%x", flags)
	}
	s.Integer, s.Normalized = flags&C.CU_TRSF_READ_AS_INTEGER != 0, flags&C.CU_TRSF_NORMALIZED_COORDINATES != 0
	s.SRGB, s.Seamless = flags&C.CU_TRSF_SRGB != 0, flags&C.CU_TRSF_SEAMLESS_CUBEMAP != 0
	return nil
}

// filterOf reads a filter mode.
func filterOf(mode uint32) (driver.Filter, error) {
	switch mode {
	case C.CU_TR_FILTER_MODE_POINT:
		return driver.FilterPoint, nil
	case C.CU_TR_FILTER_MODE_LINEAR:
		return driver.FilterLinear, nil
	}
	return 0, driver.Fail(driver.InvalidValue, "filter mode %d", mode)
}

// cuSampler reads a CUDA_TEXTURE_DESC.
func cuSampler(t *C.CUDA_TEXTURE_DESC) (s driver.Sampler, err error) {
	for i, m := range t.addressMode {
		if err := addressMode(&s, i, uint32(m)); err != nil {
			return s, err
		}
	}
	if s.Filter, err = filterOf(uint32(t.filterMode)); err != nil {
		return s, err
	}
	if s.MipFilter, err = filterOf(uint32(t.mipmapFilterMode)); err != nil {
		return s, err
	}
	s.Anisotropy = int(min(t.maxAnisotropy, 16))
	s.Bias, s.MinLevel, s.MaxLevel = float32(t.mipmapLevelBias), float32(t.minMipmapLevelClamp), float32(t.maxMipmapLevelClamp)
	for i, c := range t.borderColor {
		s.Border[i] = float32(c)
	}
	return s, setFlags(&s, uint32(t.flags))
}

func cuTexObjectCreate(c *context, a args) error {
	resource, err := in[C.CUDA_RESOURCE_DESC](a, 1)
	if err != nil {
		return err
	}
	sampling, err := in[C.CUDA_TEXTURE_DESC](a, 2)
	if err != nil {
		return err
	}
	o := &cuObject{resource: *resource, sampling: *sampling}
	r, err := c.cuResource(resource)
	if err != nil {
		return err
	}
	if v, err := in[C.CUDA_RESOURCE_VIEW_DESC](a, 3); err == nil {
		o.view = *v
		if r.View, err = viewOf(uint64(v.format), uint64(v.firstMipmapLevel), uint64(v.lastMipmapLevel), uint64(v.firstLayer), uint64(v.lastLayer)); err != nil {
			return err
		}
	}
	s, err := cuSampler(sampling)
	if err != nil {
		return err
	}
	return c.newObject(a, o, func() (uint64, error) { return c.device.NewTexture(r, s) })
}

func cuSurfObjectCreate(c *context, a args) error {
	resource, err := in[C.CUDA_RESOURCE_DESC](a, 1)
	if err != nil {
		return err
	}
	if resource.resType != C.CU_RESOURCE_TYPE_ARRAY {
		return driver.Fail(driver.InvalidValue, "a surface over a resource of type %d; arrays are possible", resource.resType)
	}
	r, err := c.cuResource(resource)
	if err != nil {
		return err
	}
	return c.newObject(a, &cuObject{resource: *resource}, func() (uint64, error) { return c.device.NewSurface(r.Array) })
}
