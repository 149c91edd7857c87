package main

// #include <cuda.h>
// #include <cuda_runtime_api.h>
import "C"

import (
	"silica/driver"
)

var arrays = works{
	"cudaMallocArray":            mallocArray,
	"cudaMalloc3DArray":          malloc3DArray,
	"cudaMallocMipmappedArray":   mallocMipmappedArray,
	"cudaGetMipmappedArrayLevel": func(c *context, a args) error { return mipmapLevel(c, a, a.size(1), a.uint(2)) },
	"cudaArrayGetInfo":           arrayGetInfo,
	"cudaArrayGetPlane":          arrayPlane,
	"cudaGetChannelDesc":         getChannelDesc,
	"cudaFreeArray":              unlessNull(destroyArray),
	"cudaFreeMipmappedArray":     unlessNull(destroyMipmap),
	"cudaMemcpyToArray":          legacy(memcpyToArray),
	"cudaMemcpyToArrayAsync":     onStream(6, memcpyToArray),
	"cudaMemcpyFromArray":        legacy(memcpyFromArray),
	"cudaMemcpyFromArrayAsync":   onStream(6, memcpyFromArray),
	"cudaMemcpyArrayToArray":     legacy(memcpyArrayToArray),
	"cudaMemcpy2DToArray":        legacy(memcpy2DToArray),
	"cudaMemcpy2DToArrayAsync":   onStream(8, memcpy2DToArray),
	"cudaMemcpy2DFromArray":      legacy(memcpy2DFromArray),
	"cudaMemcpy2DFromArrayAsync": onStream(8, memcpy2DFromArray),
	"cudaMemcpy2DArrayToArray":   legacy(memcpy2DArrayToArray),
}

// array is an array as the APIs hand it out, with the flags it was made with.
type array struct {
	*driver.Array
	flags uint32
}

// mipmap is an array with its mipmap levels.
type mipmap array

// unlessNull makes a function that accepts a null handle.
func unlessNull(f work) work {
	return func(c *context, a args) error {
		if a.size(0) == 0 {
			return nil
		}
		return f(c, a)
	}
}

func destroyArray(c *context, a args) error {
	x, err := remove[*array](c, a.size(0))
	if err != nil {
		return err
	}
	return x.Free()
}

func destroyMipmap(c *context, a args) error {
	x, err := remove[*mipmap](c, a.size(0))
	if err != nil {
		return err
	}
	return x.Free()
}

// The flags of arrays that the library takes.
const arrayFlags = C.CUDA_ARRAY3D_LAYERED | C.CUDA_ARRAY3D_SURFACE_LDST | C.CUDA_ARRAY3D_CUBEMAP | C.CUDA_ARRAY3D_TEXTURE_GATHER

// describe adds the extent and the flags of an array to its format. The layers of layered arrays and cube maps stand where
// others have their depth.
func describe(d driver.ArrayDescriptor, width, height, depth uint64, flags uint32) (driver.ArrayDescriptor, error) {
	const most = 1 << 30
	if flags&^arrayFlags != 0 {
		return d, driver.Fail(driver.InvalidValue, "array flags 0x%x", flags)
	}
	d.Width, d.Height, d.Depth = int(min(width, most)), int(min(height, most)), int(min(depth, most))
	d.Layered, d.Cube = flags&C.CUDA_ARRAY3D_LAYERED != 0, flags&C.CUDA_ARRAY3D_CUBEMAP != 0
	d.Gather, d.Surface = flags&C.CUDA_ARRAY3D_TEXTURE_GATHER != 0, flags&C.CUDA_ARRAY3D_SURFACE_LDST != 0
	if d.Layered || d.Cube {
		d.Layers, d.Depth = d.Depth, 0
	}
	return d, nil
}

// newArray returns the handle of a new array, or of a mipmap when levels is not 0.
func newArray(c *context, d driver.ArrayDescriptor, width, height, depth uint64, flags uint32, levels int) (uint64, error) {
	d, err := describe(d, width, height, depth, flags)
	if err != nil {
		return 0, err
	}
	x, err := c.device.NewArray(d, max(levels, 1))
	if err != nil {
		return 0, err
	}
	if levels > 0 {
		return c.add(&mipmap{x, flags}), nil
	}
	return c.add(&array{x, flags}), nil
}

// channelFormat reads the runtime's description of texels.
func channelFormat(d *C.struct_cudaChannelFormatDesc) (f driver.ArrayDescriptor, err error) {
	bits := [4]C.int{d.x, d.y, d.z, d.w}
	for f.Channels < 4 && bits[f.Channels] == d.x && d.x != 0 {
		f.Channels++
	}
	for _, b := range bits[f.Channels:] {
		if b != 0 {
			f.Channels = 0
		}
	}
	format, ok := map[[2]C.int]driver.ChannelFormat{
		{8, C.cudaChannelFormatKindUnsigned}: driver.ChannelU8, {16, C.cudaChannelFormatKindUnsigned}: driver.ChannelU16,
		{32, C.cudaChannelFormatKindUnsigned}: driver.ChannelU32, {8, C.cudaChannelFormatKindSigned}: driver.ChannelS8,
		{16, C.cudaChannelFormatKindSigned}: driver.ChannelS16, {32, C.cudaChannelFormatKindSigned}: driver.ChannelS32,
		{16, C.cudaChannelFormatKindFloat}: driver.ChannelF16, {32, C.cudaChannelFormatKindFloat}: driver.ChannelF32,
	}[[2]C.int{d.x, C.int(d.f)}]
	if !ok || f.Channels == 0 || f.Channels == 3 {
		return f, driver.Fail(driver.InvalidChannelDescriptor, "channels of %d, %d, %d and %d bits of kind %d", d.x, d.y, d.z, d.w, d.f)
	}
	f.Format = format
	return f, nil
}

// channelDesc is the runtime's description of texels.
func channelDesc(d driver.ArrayDescriptor) (out C.struct_cudaChannelFormatDesc) {
	switch d.Format {
	case driver.ChannelU8, driver.ChannelU16, driver.ChannelU32:
		out.f = C.cudaChannelFormatKindUnsigned
	case driver.ChannelS8, driver.ChannelS16, driver.ChannelS32:
		out.f = C.cudaChannelFormatKindSigned
	default:
		out.f = C.cudaChannelFormatKindFloat
	}
	for i, p := range [...]*C.int{&out.x, &out.y, &out.z, &out.w} {
		if i < d.Channels {
			*p = C.int(8 * d.Format.Bytes())
		}
	}
	return out
}

func mallocArray(c *context, a args) error {
	flags := a.uint(4)
	if flags&(C.CUDA_ARRAY3D_LAYERED|C.CUDA_ARRAY3D_CUBEMAP) != 0 {
		return driver.Fail(driver.InvalidValue, "layers take cudaMalloc3DArray")
	}
	return makeArray(c, a, a.size(2), a.size(3), 0, flags, 0)
}

func malloc3DArray(c *context, a args) error {
	e := (*C.struct_cudaExtent)(a.pointer(2))
	return makeArray(c, a, uint64(e.width), uint64(e.height), uint64(e.depth), a.uint(3), 0)
}

func mallocMipmappedArray(c *context, a args) error {
	e := (*C.struct_cudaExtent)(a.pointer(2))
	if a.uint(3) == 0 {
		return driver.Fail(driver.InvalidValue, "a mipmap of 0 levels")
	}
	return makeArray(c, a, uint64(e.width), uint64(e.height), uint64(e.depth), a.uint(4), int(min(a.uint(3), 64)))
}

// makeArray makes an array of the runtime API, whose format is argument 1.
func makeArray(c *context, a args, width, height, depth uint64, flags uint32, levels int) error {
	desc, err := in[C.struct_cudaChannelFormatDesc](a, 1)
	if err != nil {
		return err
	}
	d, err := channelFormat(desc)
	if err != nil {
		return err
	}
	return allocate(a, 0, func() (uint64, error) { return newArray(c, d, width, height, depth, flags, levels) })
}

// mipmapLevel writes the handle of a level to where argument 0 points.
func mipmapLevel(c *context, a args, handle uint64, level uint32) error {
	return allocate(a, 0, func() (uint64, error) {
		m, err := get[*mipmap](c, handle)
		if err != nil {
			return 0, err
		}
		l, err := m.Level(int(level))
		if err != nil {
			return 0, err
		}
		return c.add(&array{l, m.flags}), nil
	})
}

// depthOf is what the APIs call the depth of an array.
func depthOf(d driver.ArrayDescriptor) int { return max(d.Depth, d.Layers) }

// arrayPlane finds no planes: formats that have several are not among those of arrays.
func arrayPlane(c *context, a args) error {
	if _, err := get[*array](c, a.size(1)); err != nil {
		return err
	}
	return driver.Fail(driver.InvalidValue, "an array of one plane")
}

func arrayGetInfo(c *context, a args) error {
	x, err := get[*array](c, a.size(3))
	if err != nil {
		return err
	}
	d := x.Descriptor()
	if p, err := in[C.struct_cudaChannelFormatDesc](a, 0); err == nil {
		*p = channelDesc(d)
	}
	if p, err := in[C.struct_cudaExtent](a, 1); err == nil {
		*p = C.struct_cudaExtent{width: C.size_t(d.Width), height: C.size_t(d.Height), depth: C.size_t(depthOf(d))}
	}
	if p, err := in[C.uint](a, 2); err == nil {
		*p = C.uint(x.flags)
	}
	return nil
}

func getChannelDesc(c *context, a args) error {
	x, err := get[*array](c, a.size(1))
	if err != nil {
		return err
	}
	return out(a, 0, channelDesc(x.Descriptor()))
}

// inArray is a place in an array, for copies.
func (c *context) inArray(handle, x, y, z uint64) (driver.Place, error) {
	at, err := c.arrayOf(handle)
	if err != nil {
		return driver.Place{}, err
	}
	return driver.Place{In: driver.ArrayPlace{Array: at.Array, X: x, Y: y, Z: z}}, nil
}

// arrayOf returns the array of a handle, which may be of another context.
func (c *context) arrayOf(handle uint64) (*array, error) {
	owner, err := c.library.ownerOf(c, handle)
	if err != nil {
		return nil, err
	}
	return get[*array](owner, handle)
}

// runInArray is memory of n bytes of an array, from a place on through the ends of rows.
func (c *context) runInArray(handle, x, y, n uint64) (driver.Place, error) {
	p, err := c.inArray(handle, x, y, 0)
	if err != nil {
		return p, err
	}
	return p.In.Run(n)
}

// direction refuses the kinds of copies that do not fit an array on one side.
func direction(kind driver.CopyKind, toArray bool) error {
	fits := kind == driver.DeviceToDevice || kind == driver.Default
	if toArray {
		fits = fits || kind == driver.HostToDevice
	} else {
		fits = fits || kind == driver.DeviceToHost
	}
	if !fits {
		return driver.Fail(driver.InvalidMemcpyDirection, "a copy of kind %d of an array", kind)
	}
	return nil
}

func memcpyToArray(c *context, a args) (driver.Operation, error) {
	kind := driver.CopyKind(a.int(5))
	to, err := c.runInArray(a.size(0), a.size(1), a.size(2), a.size(4))
	if err == nil {
		err = direction(kind, true)
	}
	return bytesCopy(to.Addr, a.size(3), a.size(4), kind), err
}

func memcpyFromArray(c *context, a args) (driver.Operation, error) {
	kind := driver.CopyKind(a.int(5))
	from, err := c.runInArray(a.size(1), a.size(2), a.size(3), a.size(4))
	if err == nil {
		err = direction(kind, false)
	}
	return bytesCopy(a.size(0), from.Addr, a.size(4), kind), err
}

func memcpyArrayToArray(c *context, a args) (driver.Operation, error) {
	to, err := c.runInArray(a.size(0), a.size(1), a.size(2), a.size(6))
	if err != nil {
		return nil, err
	}
	from, err := c.runInArray(a.size(3), a.size(4), a.size(5), a.size(6))
	return bytesCopy(to.Addr, from.Addr, a.size(6), driver.DeviceToDevice), err
}

func memcpy2DToArray(c *context, a args) (driver.Operation, error) {
	to, err := c.inArray(a.size(0), a.size(1), a.size(2), 0)
	from := driver.Place{Addr: a.size(3), Pitch: a.size(4)}
	return rectangle(to, from, a.size(5), a.size(6), driver.CopyKind(a.int(7)), err)
}

func memcpy2DFromArray(c *context, a args) (driver.Operation, error) {
	from, err := c.inArray(a.size(2), a.size(3), a.size(4), 0)
	to := driver.Place{Addr: a.size(0), Pitch: a.size(1)}
	return rectangle(to, from, a.size(5), a.size(6), driver.CopyKind(a.int(7)), err)
}

func memcpy2DArrayToArray(c *context, a args) (driver.Operation, error) {
	to, err := c.inArray(a.size(0), a.size(1), a.size(2), 0)
	if err != nil {
		return nil, err
	}
	from, err := c.inArray(a.size(3), a.size(4), a.size(5), 0)
	return rectangle(to, from, a.size(6), a.size(7), driver.CopyKind(a.int(8)), err)
}

func rectangle(to, from driver.Place, width, height uint64, kind driver.CopyKind, err error) (driver.Operation, error) {
	return driver.MemoryCopy{Dst: to, Src: from, Extent: driver.Extent{Width: width, Height: height, Depth: 1}, Kind: kind}, err
}
