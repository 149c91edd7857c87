package main

// #include <cuda.h>
// #include <cuda_runtime_api.h>
import "C"

import (
	"unsafe"

	"silica/driver"
)

var textures = works{
	"cudaCreateTextureObject":              createTexture,
	"cudaDestroyTextureObject":             destroyObject,
	"cudaGetTextureObjectResourceDesc":     ofTexture(func(o *object) C.struct_cudaResourceDesc { return o.resource }),
	"cudaGetTextureObjectTextureDesc":      ofTexture(func(o *object) C.struct_cudaTextureDesc { return o.sampling }),
	"cudaGetTextureObjectResourceViewDesc": ofTexture(func(o *object) C.struct_cudaResourceViewDesc { return o.view }),
	"cudaCreateSurfaceObject":              createSurface,
	"cudaDestroySurfaceObject":             destroyObject,
	"cudaGetSurfaceObjectResourceDesc":     ofTexture(func(o *object) C.struct_cudaResourceDesc { return o.resource }),
}

// object is what a program asked for in a texture or surface object.
type object struct {
	resource C.struct_cudaResourceDesc
	sampling C.struct_cudaTextureDesc
	view     C.struct_cudaResourceViewDesc
}

// objectHandle is where an object is among the context's handles: those of textures and surfaces are small numbers.
func objectHandle(handle uint64) uint64 { return ^handle }

func (c *context) keepObject(handle uint64, o any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handles[objectHandle(handle)] = o
}

func destroyObject(c *context, a args) error {
	c.mu.Lock()
	delete(c.handles, objectHandle(a.size(0)))
	c.mu.Unlock()
	return c.device.DestroyObject(a.size(0))
}

// ofTexture makes a function that writes a part of an object's description to where argument 0 points.
func ofTexture[T any](part func(o *object) T) work {
	return func(c *context, a args) error {
		o, err := get[*object](c, objectHandle(a.size(1)))
		if err != nil {
			return driver.Fail(driver.InvalidValue, "0x%x is no texture or surface object", a.size(1))
		}
		return out(a, 0, part(o))
	}
}

// The parts of cudaResourceDesc's union.
type (
	handleResource struct{ handle uint64 }
	linearResource struct {
		address uint64
		format  C.struct_cudaChannelFormatDesc
		bytes   C.size_t
	}
	pitchedResource struct {
		address              uint64
		format               C.struct_cudaChannelFormatDesc
		width, height, pitch C.size_t
	}
)

// resourceOf reads a cudaResourceDesc.
func (c *context) resourceOf(r *C.struct_cudaResourceDesc) (out driver.Resource, err error) {
	union := unsafe.Pointer(&r.res)
	switch r.resType {
	case C.cudaResourceTypeArray:
		return c.arrayResource((*handleResource)(union).handle)
	case C.cudaResourceTypeMipmappedArray:
		return c.mipmapResource((*handleResource)(union).handle)
	case C.cudaResourceTypeLinear:
		l := (*linearResource)(union)
		d, err := channelFormat(&l.format)
		return linearTexels(d, l.address, uint64(l.bytes)), err
	case C.cudaResourceTypePitch2D:
		p := (*pitchedResource)(union)
		d, err := channelFormat(&p.format)
		return pitchedTexels(d, p.address, p.width, p.height, p.pitch), err
	}
	return out, driver.Fail(driver.InvalidValue, "resource type %d", r.resType)
}

func (c *context) arrayResource(handle uint64) (driver.Resource, error) {
	x, err := get[*array](c, handle)
	if err != nil {
		return driver.Resource{}, driver.Fail(driver.InvalidValue, "0x%x is no array", handle)
	}
	return driver.Resource{Array: x.Array}, nil
}

func (c *context) mipmapResource(handle uint64) (driver.Resource, error) {
	x, err := get[*mipmap](c, handle)
	if err != nil {
		return driver.Resource{}, driver.Fail(driver.InvalidValue, "0x%x is no mipmapped array", handle)
	}
	return driver.Resource{Array: x.Array, Mipmapped: true}, nil
}

// mostTexels bounds sizes of plain memory before they are checked.
const mostTexels = 1 << 40

func linearTexels(d driver.ArrayDescriptor, address, bytes uint64) driver.Resource {
	texels := 0
	if size := d.TexelBytes(); size > 0 {
		texels = int(min(bytes/uint64(size), mostTexels))
	}
	return driver.Resource{Address: address, Format: d.Format, Channels: d.Channels, Width: texels}
}

func pitchedTexels(d driver.ArrayDescriptor, address uint64, width, height, pitch C.size_t) driver.Resource {
	return driver.Resource{
		Address: address, Format: d.Format, Channels: d.Channels,
		Width: int(min(width, mostTexels)), Height: int(min(max(height, 1), mostTexels)), Pitch: int(min(pitch, mostTexels)),
	}
}

// viewOf reads the part of a resource that a view names; the formats are numbered by type, then by 1, 2 and 4 channels.
func viewOf(format, firstLevel, lastLevel, firstLayer, lastLayer uint64) (*driver.View, error) {
	v := &driver.View{FirstLevel: int(firstLevel), LastLevel: int(lastLevel), FirstLayer: int(firstLayer), LastLayer: int(lastLayer)}
	types := [...]driver.ChannelFormat{
		driver.ChannelU8, driver.ChannelS8, driver.ChannelU16, driver.ChannelS16, driver.ChannelU32, driver.ChannelS32, driver.ChannelF16, driver.ChannelF32,
	}
	switch {
	case format > uint64(3*len(types)):
		return nil, driver.Fail(driver.NotSupported, "view format %d", format)
	case format > 0:
		v.Format, v.Channels = types[(format-1)/3], 1<<((format-1)%3)
	}
	return v, nil
}

// samplerOf reads a cudaTextureDesc for texels of a format.
func samplerOf(t *C.struct_cudaTextureDesc, format driver.ChannelFormat) (s driver.Sampler, err error) {
	for i, m := range t.addressMode {
		if err := addressMode(&s, i, uint32(m)); err != nil {
			return s, err
		}
	}
	s.Integer = t.readMode == C.cudaReadModeElementType
	switch {
	case t.filterMode > C.cudaFilterModeLinear || t.mipmapFilterMode > C.cudaFilterModeLinear:
		return s, driver.Fail(driver.InvalidValue, "filter modes %d and %d", t.filterMode, t.mipmapFilterMode)
	case t.filterMode == C.cudaFilterModeLinear && s.Integer && !format.Float():
		return s, driver.Fail(driver.InvalidFilterSetting, "linear filtering of integers")
	case !s.Integer && !format.Float() && !format.Normalizable():
		return s, driver.Fail(driver.InvalidNormSetting, "32-bit integers are not read as normalized numbers")
	}
	if t.filterMode == C.cudaFilterModeLinear {
		s.Filter = driver.FilterLinear
	}
	if t.mipmapFilterMode == C.cudaFilterModeLinear {
		s.MipFilter = driver.FilterLinear
	}
	s.SRGB, s.Normalized, s.Seamless = t.sRGB != 0, t.normalizedCoords != 0, t.seamlessCubemap != 0
	s.Anisotropy = int(min(t.maxAnisotropy, 16))
	s.Bias, s.MinLevel, s.MaxLevel = float32(t.mipmapLevelBias), float32(t.minMipmapLevelClamp), float32(t.maxMipmapLevelClamp)
	for i, c := range t.borderColor {
		s.Border[i] = float32(c)
	}
	return s, nil
}

// addressMode sets the address mode of a dimension.
func addressMode(s *driver.Sampler, dimension int, mode uint32) error {
	modes := [...]uint8{C.cudaAddressModeWrap: uint8(driver.AddressWrap), C.cudaAddressModeClamp: uint8(driver.AddressClamp), C.cudaAddressModeMirror: uint8(driver.AddressMirror), C.cudaAddressModeBorder: uint8(driver.AddressBorder)}
	if dimension < 0 || dimension >= len(s.Address) || mode >= uint32(len(modes)) {
		return driver.Fail(driver.InvalidValue, "address mode %d of dimension %d", mode, dimension)
	}
	s.Address[dimension] = driver.AddressMode(modes[mode])
	return nil
}

// formatOf is the channel format of a resource.
func formatOf(r driver.Resource) driver.ChannelFormat {
	switch {
	case r.View != nil && r.View.Channels > 0:
		return r.View.Format
	case r.Array != nil:
		return r.Array.Descriptor().Format
	}
	return r.Format
}

func createTexture(c *context, a args) error {
	resource, err := in[C.struct_cudaResourceDesc](a, 1)
	if err != nil {
		return err
	}
	sampling, err := in[C.struct_cudaTextureDesc](a, 2)
	if err != nil {
		return err
	}
	o := &object{resource: *resource, sampling: *sampling}
	r, err := c.resourceOf(resource)
	if err != nil {
		return err
	}
	if view, err := in[C.struct_cudaResourceViewDesc](a, 3); err == nil {
		o.view = *view
		if r.View, err = viewOf(uint64(view.format), uint64(view.firstMipmapLevel), uint64(view.lastMipmapLevel), uint64(view.firstLayer), uint64(view.lastLayer)); err != nil {
			return err
		}
	}
	s, err := samplerOf(sampling, formatOf(r))
	if err != nil {
		return err
	}
	return c.newObject(a, o, func() (uint64, error) { return c.device.NewTexture(r, s) })
}

// newObject makes a texture or surface object of the descriptions o, and writes its handle to where argument 0 points.
func (c *context) newObject(a args, o any, create func() (uint64, error)) error {
	return allocate(a, 0, func() (uint64, error) {
		handle, err := create()
		if err == nil {
			c.keepObject(handle, o)
		}
		return handle, err
	})
}

func createSurface(c *context, a args) error {
	resource, err := in[C.struct_cudaResourceDesc](a, 1)
	if err != nil {
		return err
	}
	if resource.resType != C.cudaResourceTypeArray {
		return driver.Fail(driver.InvalidValue, "a surface over a resource of type %d; arrays are possible", resource.resType)
	}
	r, err := c.resourceOf(resource)
	if err != nil {
		return err
	}
	return c.newObject(a, &object{resource: *resource}, func() (uint64, error) { return c.device.NewSurface(r.Array) })
}
