package exec

import (
	"slices"

	"silica/internal/isa"
)

// bindTensorMapReplace is tensormap.replace: it changes one field of a tensor map in memory (PTX manual,
// tensormap.replace). The field keeps as many bits of the value as it has; whether the fields make a map is for the copies
// to tell.
func bindTensorMapReplace(f *isa.Form) AsyncFunc {
	space := isa.Generic
	if list := spaces(f); len(list) > 0 {
		space = list[0]
	}
	field := f.Get("field")
	return func(a *Async) *Fault {
		b, fault := a.Memory.Bytes(space, a.Addr[0], TensorMapBytes, tensorMapAlign)
		if fault != nil {
			return fault
		}
		e, err := decodeFields(b)
		if err != nil {
			if slices.ContainsFunc(b, func(c byte) bool { return c != 0 }) {
				return illegal("the bytes at 0x%x are %v", a.Addr[0], err)
			}
			e.Magic = tensorMapMagic // zeros, of which every field is replaced, become a map
		}
		if fault := e.replace(field, a.Src); fault != nil {
			return fault
		}
		code, err := e.bytes()
		if err != nil {
			return illegal("%v", err)
		}
		copy(b, code)
		return nil
	}
}

// replace changes a field. operands are the new value, after the dimension where the field has several.
func (e *encodedTensorMap) replace(field string, operands []uint64) *Fault {
	value := operands[len(operands)-1]
	d := operands[0]
	switch field {
	case ".global_address":
		e.Address = value
	case ".rank": // the value is less one already
		e.Rank = uint8(value & 7)
	case ".box_dim":
		e.Box[d] = uint8(value - 1)
	case ".global_dim":
		e.Dims[d] = uint32(value - 1)
	case ".element_stride":
		e.ElementStrides[d] = uint8((value - 1) & 7)
	case ".global_stride":
		if d >= uint64(len(e.Strides)) {
			return illegal("a tensor map has no stride %d", d)
		}
		e.Strides[d] = value / strideUnit & (1<<36 - 1)
	case ".elemtype":
		e.Type = uint8(value)
	case ".interleave_layout":
		e.Interleave = uint8(value)
	case ".swizzle_mode":
		e.Swizzle = uint8(value)
	case ".fill_mode":
		e.Fill = uint8(value)
	case ".swizzle_atomicity": // of 16 bytes: the only one that is executed
	}
	return nil
}

// copyTensorMap is tensormap.cp_fenceproxy.
func copyTensorMap(a *Async) *Fault {
	from, fault := a.bytes(isa.Shared, a.Addr[1], TensorMapBytes, tensorMapAlign)
	if fault != nil {
		return fault
	}
	to, fault := a.bytes(isa.Global, a.Addr[0], TensorMapBytes, tensorMapAlign)
	if fault != nil {
		return fault
	}
	copy(to, from)
	return nil
}
