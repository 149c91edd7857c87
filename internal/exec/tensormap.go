package exec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"silica/internal/isa"
)

// TensorMap describes a tensor in global memory, and the box of it that one tensor copy moves
// (cuTensorMapEncodeTiled). Dimension 0 is the one whose elements lie next to each other.
type TensorMap struct {
	Type    isa.Type
	Address uint64
	Rank    int
	Dims    [5]uint32 // elements
	Strides [4]uint64 // bytes, of dimension 1 and on
	Box     [5]uint16 // elements, before element strides are applied
	// ElementStrides tells which elements of the box are moved: one of so many. That of dimension 0 counts
	// with interleaving only.
	ElementStrides [5]uint8
	Interleave     Interleave
	Swizzle        Swizzle
	// FillNaN fills what lies outside the tensor with NaN instead of zeros.
	FillNaN bool
}

// Interleave is how the elements of dimension 0 are kept together.
//
// With interleaving an element of dimension 0 is a slice of 16 or 32 bytes, whatever the type: some channels of a
// picture. The last dimension but one tells which channels these are; a box has one of it.
type Interleave uint8

// The interleavings.
const (
	NoInterleave Interleave = iota
	Interleave16
	Interleave32
)

// Swizzle is how the 16-byte pieces of a box are placed in shared memory.
type Swizzle uint8

// The swizzles, by the width of the pattern in bytes.
const (
	NoSwizzle Swizzle = iota
	Swizzle32
	Swizzle64
	Swizzle128
)

// place returns where a byte of shared memory is once swizzled: bits 4 and up are changed by bits 7 and
// up of the address, as many as the pattern has pieces.
func (s Swizzle) place(addr uint64) uint64 { return addr ^ addr>>7&(1<<s-1)<<4 }

// TensorMapBytes is the size of a tensor map in memory.
const TensorMapBytes = 128

// tensorMapMagic begins the encoding, so that other bytes are not taken for a tensor map.
const tensorMapMagic = 0x50414D524F534E54 // "TNSORMAP"

// encodedTensorMap is a tensor map as it lies in memory. Programs see it as opaque.
type encodedTensorMap struct {
	Magic, Address uint64
	Strides        [4]uint64
	Dims           [5]uint32
	Box            [5]uint16
	ElementStrides [5]uint8
	Type, Rank     uint8
	Swizzle, Fill  uint8
	Interleave     uint8
}

// Encode returns the 128 bytes of the map. The error tells what of it a GPU does not allow.
func (m *TensorMap) Encode() ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	e := encodedTensorMap{
		Magic: tensorMapMagic, Address: m.Address, Strides: m.Strides, Dims: m.Dims, Box: m.Box,
		ElementStrides: m.ElementStrides, Type: uint8(m.Type), Rank: uint8(m.Rank), Swizzle: uint8(m.Swizzle),
		Interleave: uint8(m.Interleave),
	}
	if m.FillNaN {
		e.Fill = 1
	}
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, e); err != nil {
		return nil, err
	}
	return append(b.Bytes(), make([]byte, TensorMapBytes-b.Len())...), nil
}

// check applies the rules of cuTensorMapEncodeTiled.
func (m *TensorMap) check() error {
	if m.Rank < 1 || m.Rank > 5 {
		return fmt.Errorf("a tensor map of %d dimensions; 1 to 5 are possible", m.Rank)
	}
	if m.Address%16 != 0 {
		return fmt.Errorf("the tensor's address 0x%x is not a multiple of 16", m.Address)
	}
	for d := range m.Rank {
		switch {
		case m.Dims[d] == 0:
			return fmt.Errorf("dimension %d of the tensor is empty", d)
		case m.Box[d] == 0 || m.Box[d] > 256:
			return fmt.Errorf("dimension %d of the box has %d elements; 1 to 256 are possible", d, m.Box[d])
		case m.ElementStrides[d] == 0 || m.ElementStrides[d] > 8:
			return fmt.Errorf("the element stride of dimension %d is %d; 1 to 8 are possible", d, m.ElementStrides[d])
		case d > 0 && (m.Strides[d-1]%16 != 0 || m.Strides[d-1] >= 1<<40):
			return fmt.Errorf("the stride of dimension %d is %d bytes; a multiple of 16 below 2^40 is wanted", d, m.Strides[d-1])
		}
	}
	if err := m.checkRow(); err != nil {
		return err
	}
	if m.Swizzle > Swizzle128 {
		return fmt.Errorf("there is no swizzle %d", m.Swizzle)
	}
	if m.FillNaN && m.Type.Kind() != isa.Float {
		return fmt.Errorf("elements of type %s can not be filled with NaN", m.Type)
	}
	return nil
}

// checkRow applies the rules for dimension 0.
func (m *TensorMap) checkRow() error {
	if m.Interleave != NoInterleave {
		slice := m.unit()
		switch {
		case m.Interleave > Interleave32:
			return fmt.Errorf("there is no interleaving %d", m.Interleave)
		case m.Rank < 3:
			return fmt.Errorf("an interleaved tensor map of %d dimensions; 3 to 5 are possible", m.Rank)
		case m.Interleave == Interleave32 && m.Swizzle != Swizzle32:
			return errors.New("slices of 32 bytes are swizzled by 32 bytes")
		case m.Address%uint64(slice) != 0:
			return fmt.Errorf("the tensor's address 0x%x is not a multiple of its slices of %d bytes", m.Address, slice)
		}
		for d, stride := range m.Strides[:m.Rank-1] {
			if stride%uint64(slice) != 0 {
				return fmt.Errorf("the stride of dimension %d is %d bytes; a multiple of %d is wanted", d+1, stride, slice)
			}
		}
		return nil
	}
	inner := m.rowBytes()
	if inner%16 != 0 {
		return fmt.Errorf("the box is %d bytes wide; a multiple of 16 is wanted", inner)
	}
	if span := 16 << m.Swizzle; m.Swizzle != NoSwizzle && inner > span {
		return fmt.Errorf("the box is %d bytes wide, its swizzle repeats after %d", inner, span)
	}
	return nil
}

// errNoTensorMap is what DecodeTensorMap returns for other bytes.
var errNoTensorMap = errors.New("not a tensor map")

// DecodeTensorMap reads the 128 bytes of a tensor map.
func DecodeTensorMap(b []byte) (*TensorMap, error) {
	var e encodedTensorMap
	if err := binary.Read(bytes.NewReader(b), binary.LittleEndian, &e); err != nil || e.Magic != tensorMapMagic {
		return nil, errNoTensorMap
	}
	m := &TensorMap{
		Type: isa.Type(e.Type), Address: e.Address, Rank: int(e.Rank), Dims: e.Dims, Strides: e.Strides, Box: e.Box,
		ElementStrides: e.ElementStrides, Interleave: Interleave(e.Interleave), Swizzle: Swizzle(e.Swizzle), FillNaN: e.Fill != 0,
	}
	if m.check() != nil {
		return nil, errNoTensorMap
	}
	return m, nil
}
