package main

// #include <cuda.h>
import "C"

import (
	"unsafe"

	"silica/driver"
	"silica/internal/exec"
	"silica/internal/isa"
)

// cuTensorMaps need no context: a tensor map is a description.
var cuTensorMaps = functions{
	"cuTensorMapEncodeTiled":    encodeTiled,
	"cuTensorMapEncodeIm2col":   encodeIm2col,
	"cuTensorMapReplaceAddress": replaceAddress,
}

// tensorTypes are the element types of tensor maps that kernels can copy.
var tensorTypes = map[int]isa.Type{
	C.CU_TENSOR_MAP_DATA_TYPE_UINT8: isa.U8, C.CU_TENSOR_MAP_DATA_TYPE_UINT16: isa.U16, C.CU_TENSOR_MAP_DATA_TYPE_UINT32: isa.U32,
	C.CU_TENSOR_MAP_DATA_TYPE_INT32: isa.S32, C.CU_TENSOR_MAP_DATA_TYPE_UINT64: isa.U64, C.CU_TENSOR_MAP_DATA_TYPE_INT64: isa.S64,
	C.CU_TENSOR_MAP_DATA_TYPE_FLOAT16: isa.F16, C.CU_TENSOR_MAP_DATA_TYPE_FLOAT32: isa.F32, C.CU_TENSOR_MAP_DATA_TYPE_FLOAT64: isa.F64,
	C.CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: isa.BF16, C.CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ: isa.F32, C.CU_TENSOR_MAP_DATA_TYPE_TFLOAT32: isa.TF32,
	C.CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ: isa.TF32,
}

// numbers returns n numbers at the address of argument i.
func numbers[T any](a args, i, n int) ([]T, error) {
	if n == 0 {
		return nil, nil
	}
	p, err := in[T](a, i)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice(p, n), nil
}

// encodeTiled takes the map, the type, the rank, the address, the dimensions, the strides of all but the first, the box, the
// element strides, and the layout.
func encodeTiled(_ *library, a args) error {
	m, err := tensor(a, 7)
	if err != nil {
		return err
	}
	box, err := numbers[uint32](a, 6, m.Rank)
	if err != nil {
		return err
	}
	for d, n := range box {
		if n > 1<<16-1 {
			return driver.Fail(driver.InvalidValue, "dimension %d of the box has %d elements; 1 to 256 are possible", d, n)
		}
		m.Box[d] = uint16(n)
	}
	return writeTensorMap(a, m)
}

// encodeIm2col takes what encodeTiled does, with the corners of the bounding box, the channels of a pixel and the pixels in place
// of the box.
func encodeIm2col(_ *library, a args) error {
	m, err := tensor(a, 10)
	if err != nil {
		return err
	}
	if m.Rank < 3 {
		return driver.Fail(driver.InvalidValue, "a tensor map of images with %d dimensions; 3 to 5 are possible", m.Rank)
	}
	m.Images = true
	for i, to := range [...]*[3]int16{&m.Column.Lower, &m.Column.Upper} {
		corner, err := numbers[int32](a, 6+i, m.Rank-2)
		if err != nil {
			return err
		}
		for d, at := range corner {
			if at != int32(int16(at)) {
				return driver.Fail(driver.InvalidValue, "a corner of the bounding box is at %d; -32768 to 32767 are possible at most", at)
			}
			to[d] = int16(at)
		}
	}
	m.Column.Channels, m.Column.Pixels = int(a.uint(8)), int(a.uint(9))
	return writeTensorMap(a, m)
}

// tensor returns what maps of both kinds begin with. After the element strides, which are argument number steps, come the
// interleaving, the swizzle, the promotion of L2 accesses, which only advises, and the fill.
func tensor(a args, steps int) (*exec.TensorMap, error) {
	rank := a.int(2)
	t, ok := tensorTypes[a.int(1)]
	switch {
	case !ok:
		return nil, driver.Fail(driver.InvalidValue, "tensor maps of the data type %d are not supported; elements of 8 to 64 bits are", a.int(1))
	case rank < 1 || rank > 5:
		return nil, driver.Fail(driver.InvalidValue, "a tensor map of %d dimensions; 1 to 5 are possible", rank)
	}
	m := &exec.TensorMap{Type: t, Address: a.size(3), Rank: rank}
	switch a.int(1) {
	case C.CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, C.CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ:
		m.FlushDenormals = true
	}
	dims, err := numbers[uint64](a, 4, rank)
	if err != nil {
		return nil, err
	}
	strides, err := numbers[uint64](a, 5, rank-1)
	if err != nil {
		return nil, err
	}
	each, err := numbers[uint32](a, steps, rank)
	if err != nil {
		return nil, err
	}
	for d := range rank {
		if dims[d] > 1<<32-1 || each[d] > 1<<8-1 {
			return nil, driver.Fail(driver.InvalidValue, "dimension %d: %d elements, element stride %d: too large", d, dims[d], each[d])
		}
		m.Dims[d], m.ElementStrides[d] = uint32(dims[d]), uint8(each[d])
	}
	copy(m.Strides[:], strides)
	return m, layout(a, steps+1, m)
}

// layout reads the interleaving, the swizzle and the fill.
func layout(a args, first int, m *exec.TensorMap) error {
	interleave, swizzle, fill := a.uint(first), a.uint(first+1), a.uint(first+3)
	switch {
	case interleave > C.CU_TENSOR_MAP_INTERLEAVE_32B:
		return driver.Fail(driver.InvalidValue, "there is no interleaving %d", interleave)
	case swizzle > C.CU_TENSOR_MAP_SWIZZLE_128B:
		return driver.Fail(driver.InvalidValue, "the swizzle %d is not supported; those that move pieces of 16 bytes, 0 to 3, are", swizzle)
	case fill > C.CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA:
		return driver.Fail(driver.InvalidValue, "there is no fill %d", fill)
	}
	m.Interleave, m.Swizzle, m.FillNaN = exec.Interleave(interleave), exec.Swizzle(swizzle), fill == C.CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
	return nil
}

// writeTensorMap writes a map to where argument 0 points.
func writeTensorMap(a args, m *exec.TensorMap) error {
	b, err := m.Encode()
	if err != nil {
		return driver.Fail(driver.InvalidValue, "%v", err)
	}
	return out(a, 0, [exec.TensorMapBytes]byte(b))
}

func replaceAddress(_ *library, a args) error {
	p, err := in[[exec.TensorMapBytes]byte](a, 0)
	if err != nil {
		return err
	}
	m, err := exec.DecodeTensorMap(p[:])
	if err != nil {
		return driver.Fail(driver.InvalidValue, "%v", err)
	}
	m.Address = a.size(1)
	return writeTensorMap(a, m)
}
