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
// element strides, the interleaving, the swizzle, the promotion of L2 accesses, which only advises, and the fill.
func encodeTiled(_ *library, a args) error {
	rank := a.int(2)
	t, ok := tensorTypes[a.int(1)]
	switch {
	case !ok:
		return driver.Fail(driver.NotSupported, "tensor maps of the data type %d are not supported", a.int(1))
	case rank < 1 || rank > 5:
		return driver.Fail(driver.InvalidValue, "a tensor map of %d dimensions; 1 to 5 are possible", rank)
	}
	m := exec.TensorMap{Type: t, Address: a.size(3), Rank: rank, Interleave: exec.Interleave(a.uint(8)), Swizzle: exec.Swizzle(a.uint(9)), FillNaN: a.int(11) == 1}
	dims, err := numbers[uint64](a, 4, rank)
	if err != nil {
		return err
	}
	strides, err := numbers[uint64](a, 5, rank-1)
	if err != nil {
		return err
	}
	box, err := numbers[uint32](a, 6, rank)
	if err != nil {
		return err
	}
	steps, err := numbers[uint32](a, 7, rank)
	if err != nil {
		return err
	}
	for d := range rank {
		if dims[d] > 1<<32-1 || box[d] > 1<<16-1 || steps[d] > 1<<8-1 {
			return driver.Fail(driver.InvalidValue, "dimension %d: %d elements, a box of %d, element stride %d: too large", d, dims[d], box[d], steps[d])
		}
		m.Dims[d], m.Box[d], m.ElementStrides[d] = uint32(dims[d]), uint16(box[d]), uint8(steps[d])
	}
	copy(m.Strides[:], strides)
	return writeTensorMap(a, &m)
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
