package main

// #include <cuda.h>
import "C"

import (
	"silica/driver"
)

var cuArrays = works{
	"cuArrayCreate_v2":          cuArrayCreate,
	"cuArrayGetDescriptor_v2":   cuArrayGetDescriptor,
	"cuArray3DCreate_v2":        func(c *context, a args) error { return cuArray3DCreate(c, a, 0) },
	"cuArray3DGetDescriptor_v2": cuArray3DGetDescriptor,
	"cuArrayGetPlane":           arrayPlane,
	"cuArrayDestroy":            destroyArray,
	"cuMipmappedArrayCreate":    cuMipmappedArrayCreate,
	"cuMipmappedArrayGetLevel":  func(c *context, a args) error { return mipmapLevel(c, a, a.size(1), a.uint(2)) },
	"cuMipmappedArrayDestroy":   destroyMipmap,
	"cuMemcpyHtoA_v2":           legacy(toRow(driver.HostToDevice)),
	"cuMemcpyHtoAAsync_v2":      onStream(4, toRow(driver.HostToDevice)),
	"cuMemcpyDtoA_v2":           legacy(toRow(driver.DeviceToDevice)),
	"cuMemcpyAtoH_v2":           legacy(fromRow(driver.DeviceToHost)),
	"cuMemcpyAtoHAsync_v2":      onStream(4, fromRow(driver.DeviceToHost)),
	"cuMemcpyAtoD_v2":           legacy(fromRow(driver.DeviceToDevice)),
	"cuMemcpyAtoA_v2":           legacy(cuMemcpyAtoA),
}

var cuFormats = map[C.CUarray_format]driver.ChannelFormat{
	C.CU_AD_FORMAT_UNSIGNED_INT8: driver.ChannelU8, C.CU_AD_FORMAT_UNSIGNED_INT16: driver.ChannelU16,
	C.CU_AD_FORMAT_UNSIGNED_INT32: driver.ChannelU32, C.CU_AD_FORMAT_SIGNED_INT8: driver.ChannelS8,
	C.CU_AD_FORMAT_SIGNED_INT16: driver.ChannelS16, C.CU_AD_FORMAT_SIGNED_INT32: driver.ChannelS32,
	C.CU_AD_FORMAT_HALF: driver.ChannelF16, C.CU_AD_FORMAT_FLOAT: driver.ChannelF32,
}

// cuTexels reads the driver API's description of texels.
func cuTexels(format C.CUarray_format, channels C.uint) (driver.ArrayDescriptor, error) {
	f, ok := cuFormats[format]
	if !ok {
		return driver.ArrayDescriptor{}, driver.Fail(driver.InvalidValue, "channel format 0x%x", format)
	}
	return driver.ArrayDescriptor{Format: f, Channels: int(channels)}, nil
}

// cuFormat is the driver API's name of a channel format.
func cuFormat(f driver.ChannelFormat) C.CUarray_format {
	for name, format := range cuFormats {
		if format == f {
			return name
		}
	}
	return 0
}

func cuArrayCreate(c *context, a args) error {
	d, err := in[C.CUDA_ARRAY_DESCRIPTOR](a, 1)
	if err != nil {
		return err
	}
	texels, err := cuTexels(d.Format, d.NumChannels)
	if err != nil {
		return err
	}
	return allocate(a, 0, func() (uint64, error) {
		return newArray(c, texels, uint64(d.Width), uint64(d.Height), 0, 0, 0)
	})
}

func cuArray3DCreate(c *context, a args, levels int) error {
	d, err := in[C.CUDA_ARRAY3D_DESCRIPTOR](a, 1)
	if err != nil {
		return err
	}
	texels, err := cuTexels(d.Format, d.NumChannels)
	if err != nil {
		return err
	}
	return allocate(a, 0, func() (uint64, error) {
		return newArray(c, texels, uint64(d.Width), uint64(d.Height), uint64(d.Depth), uint32(d.Flags), levels)
	})
}

func cuMipmappedArrayCreate(c *context, a args) error {
	if a.uint(2) == 0 {
		return driver.Fail(driver.InvalidValue, "a mipmap of 0 levels")
	}
	return cuArray3DCreate(c, a, int(min(a.uint(2), 64)))
}

func cuArrayGetDescriptor(c *context, a args) error {
	x, err := get[*array](c, a.size(1))
	if err != nil {
		return err
	}
	d := x.Descriptor()
	return out(a, 0, C.CUDA_ARRAY_DESCRIPTOR{
		Width: C.size_t(d.Width), Height: C.size_t(d.Height), Format: cuFormat(d.Format), NumChannels: C.uint(d.Channels),
	})
}

func cuArray3DGetDescriptor(c *context, a args) error {
	x, err := get[*array](c, a.size(1))
	if err != nil {
		return err
	}
	d := x.Descriptor()
	return out(a, 0, C.CUDA_ARRAY3D_DESCRIPTOR{
		Width: C.size_t(d.Width), Height: C.size_t(d.Height), Depth: C.size_t(depthOf(d)), Format: cuFormat(d.Format),
		NumChannels: C.uint(d.Channels), Flags: C.uint(x.flags),
	})
}

// row is a place in the first row of an array: more than that these copies do not reach.
func (c *context) row(handle, offset uint64) (driver.Place, error) {
	return c.inArray(handle, offset, 0, 0)
}

func toRow(kind driver.CopyKind) transfer {
	return func(c *context, a args) (driver.Operation, error) {
		to, err := c.row(a.size(0), a.size(1))
		return rectangle(to, driver.Place{Addr: a.size(2)}, a.size(3), 1, kind, err)
	}
}

func fromRow(kind driver.CopyKind) transfer {
	return func(c *context, a args) (driver.Operation, error) {
		from, err := c.row(a.size(1), a.size(2))
		return rectangle(driver.Place{Addr: a.size(0)}, from, a.size(3), 1, kind, err)
	}
}

func cuMemcpyAtoA(c *context, a args) (driver.Operation, error) {
	to, err := c.row(a.size(0), a.size(1))
	if err != nil {
		return nil, err
	}
	from, err := c.row(a.size(2), a.size(3))
	return rectangle(to, from, a.size(4), 1, driver.DeviceToDevice, err)
}
