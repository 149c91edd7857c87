package exec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"silica/internal/isa"
)

// TensorMap describes a tensor in global memory, and what of it one tensor copy moves: a box
// (cuTensorMapEncodeTiled), or pixels of images (cuTensorMapEncodeIm2col). Dimension 0 is the one whose elements lie
// next to each other.
type TensorMap struct {
	Type    isa.Type
	Address uint64
	Rank    int
	Dims    [5]uint32 // elements
	Strides [4]uint64 // bytes, of dimension 1 and on
	Box     [5]uint16 // elements, before element strides are applied; not for images
	// Images tells that copies move pixels of images.
	Images bool
	Column Column
	// ElementStrides tells which elements of the box are moved: one of so many. That of dimension 0 counts
	// with interleaving only. For images it tells which pixels of the bounding box, and which images.
	ElementStrides [5]uint8
	Interleave     Interleave
	Swizzle        Swizzle
	// FlushDenormals makes reductions of f32 and tf32 flush denormals; copies keep them.
	FlushDenormals bool
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

// tensorMapAlign is the alignment of a tensor map in memory.
const tensorMapAlign = 64

// tensorMapMagic is the second word of the encoding, so that other bytes are not taken for a tensor map. Programs clear bit 21 of that
// word in maps of small tensors: CUTLASS and Triton do, for drivers before CUDA 13.2. It has to be clear.
const tensorMapMagic = 0x50414D524F534E54 // "TNSORMAP"

// elementTypes are the types of elements, by their numbers in tensormap.replace (PTX manual, tensormap.replace). The second
// one of a type flushes denormals.
var elementTypes = [...]isa.Type{
	isa.U8, isa.U16, isa.U32, isa.S32, isa.U64, isa.S64, isa.F16, isa.F32, isa.F32, isa.F64, isa.BF16, isa.TF32, isa.TF32,
}

// encodedTensorMap is a tensor map as it lies in memory. Programs see it as opaque, but some begin with zeros and
// replace every field: so zeros are the smallest values, and sizes are kept less one.
type encodedTensorMap struct {
	Address, Magic uint64
	Strides        [4]uint64 // in units of 16 bytes
	Dims           [5]uint32 // less one
	Box            [5]uint8  // less one
	ElementStrides [5]uint8  // less one
	Type, Rank     uint8     // index in elementTypes; less one
	Swizzle, Fill  uint8
	Interleave     uint8
	Images         uint8
	Lower, Upper   [3]int16
	Channels       uint8  // less one
	Pixels         uint16 // less one
}

// Encode returns the 128 bytes of the map. The error tells what of it a GPU does not allow.
func (m *TensorMap) Encode() ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	e := encodedTensorMap{
		Magic: tensorMapMagic, Address: m.Address, Type: uint8(slices.Index(elementTypes[:], m.Type)), Rank: uint8(m.Rank - 1),
		Swizzle: uint8(m.Swizzle), Interleave: uint8(m.Interleave),
	}
	for d := range m.Rank {
		e.Dims[d], e.Box[d], e.ElementStrides[d] = m.Dims[d]-1, uint8(m.Box[d]-1), m.ElementStrides[d]-1
		if d > 0 {
			e.Strides[d-1] = m.Strides[d-1] / strideUnit
		}
	}
	if m.FlushDenormals {
		e.Type++
	}
	if m.FillNaN {
		e.Fill = 1
	}
	if c := m.Column; m.Images {
		e.Images, e.Lower, e.Upper, e.Channels, e.Pixels = 1, c.Lower, c.Upper, uint8(c.Channels-1), uint16(c.Pixels-1)
	}
	return e.bytes()
}

// strideUnit is what strides are multiples of, in bytes.
const strideUnit = 16

func (e *encodedTensorMap) bytes() ([]byte, error) {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, e); err != nil {
		return nil, err
	}
	return append(b.Bytes(), make([]byte, TensorMapBytes-b.Len())...), nil
}

// check applies the rules of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col.
func (m *TensorMap) check() error {
	if m.Rank < 1 || m.Rank > 5 {
		return fmt.Errorf("a tensor map of %d dimensions; 1 to 5 are possible", m.Rank)
	}
	if !slices.Contains(elementTypes[:], m.Type) {
		return fmt.Errorf("tensor maps have no elements of type %s", m.Type)
	}
	if m.FlushDenormals && m.Type != isa.F32 && m.Type != isa.TF32 {
		return fmt.Errorf("elements of type %s have no denormals to flush", m.Type)
	}
	if align := uint64(max(16, m.unit())); m.Address%align != 0 {
		return fmt.Errorf("the tensor's address 0x%x is %w of %d", m.Address, errMisaligned, align)
	}
	for d := range m.Rank {
		switch {
		case m.Dims[d] == 0:
			return fmt.Errorf("dimension %d of the tensor is empty", d)
		case !m.Images && (m.Box[d] == 0 || m.Box[d] > 256):
			return fmt.Errorf("dimension %d of the box has %d elements; 1 to 256 are possible", d, m.Box[d])
		case m.ElementStrides[d] == 0 || m.ElementStrides[d] > 8:
			return fmt.Errorf("the element stride of dimension %d is %d; 1 to 8 are possible", d, m.ElementStrides[d])
		case d > 0 && (m.Strides[d-1]%strideUnit != 0 || m.Strides[d-1] >= 1<<40):
			return fmt.Errorf("the stride of dimension %d is %d bytes; a multiple of 16 below 2^40 is wanted", d, m.Strides[d-1])
		}
	}
	if m.Images {
		if err := m.checkColumn(); err != nil {
			return err
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

// errMisaligned is part of what check says of an address.
var errMisaligned = errors.New("not a multiple")

// checkRow applies the rules for dimension 0.
func (m *TensorMap) checkRow() error {
	if m.Interleave != NoInterleave {
		slice := m.unit()
		switch {
		case m.Interleave > Interleave32:
			return fmt.Errorf("there is no interleaving %d", m.Interleave)
		case m.Rank < 3:
			return fmt.Errorf("an interleaved tensor map of %d dimensions; 3 to 5 are possible", m.Rank)
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
var errNoTensorMap = errors.New("no tensor map")

// DecodeTensorMap reads the 128 bytes of a tensor map. The error tells what of a map, of which fields were replaced, a
// GPU does not allow.
func DecodeTensorMap(b []byte) (*TensorMap, error) {
	e, err := decodeFields(b)
	if err != nil {
		return nil, err
	}
	if int(e.Type) >= len(elementTypes) {
		return nil, errNoTensorMap
	}
	m := &TensorMap{
		Type: elementTypes[e.Type], Address: e.Address, Rank: int(e.Rank) + 1,
		Interleave: Interleave(e.Interleave), Swizzle: Swizzle(e.Swizzle), FillNaN: e.Fill != 0, Images: e.Images != 0,
		FlushDenormals: e.Type > 0 && elementTypes[e.Type-1] == elementTypes[e.Type],
	}
	for d := range min(m.Rank, len(m.Dims)) {
		m.Dims[d], m.ElementStrides[d] = e.Dims[d]+1, e.ElementStrides[d]+1
		if !m.Images {
			m.Box[d] = uint16(e.Box[d]) + 1
		}
		if d > 0 {
			m.Strides[d-1] = e.Strides[d-1] * strideUnit
		}
	}
	if m.Images {
		m.Column = Column{Lower: e.Lower, Upper: e.Upper, Channels: int(e.Channels) + 1, Pixels: int(e.Pixels) + 1}
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("no tensor map that a copy takes: %w", err)
	}
	return m, nil
}

// decodeFields reads the fields of a tensor map, whatever their values are.
func decodeFields(b []byte) (e encodedTensorMap, err error) {
	if err := binary.Read(bytes.NewReader(b), binary.LittleEndian, &e); err != nil || e.Magic != tensorMapMagic {
		return e, errNoTensorMap
	}
	return e, nil
}
