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
	// ElementStrides tells which elements of the box are moved: one of so many.
	ElementStrides [5]uint8
	Swizzle        Swizzle
	// FillNaN fills what lies outside the tensor with NaN instead of zeros.
	FillNaN bool
}

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
}

// Encode returns the 128 bytes of the map. The error tells what of it a GPU does not allow.
func (m *TensorMap) Encode() ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	e := encodedTensorMap{
		Magic: tensorMapMagic, Address: m.Address, Strides: m.Strides, Dims: m.Dims, Box: m.Box,
		ElementStrides: m.ElementStrides, Type: uint8(m.Type), Rank: uint8(m.Rank), Swizzle: uint8(m.Swizzle),
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
	inner := int(m.Box[0]) * m.Type.Bytes()
	if inner%16 != 0 {
		return fmt.Errorf("the box is %d bytes wide; a multiple of 16 is wanted", inner)
	}
	if span := 16 << m.Swizzle; m.Swizzle != NoSwizzle && inner > span {
		return fmt.Errorf("the box is %d bytes wide, its swizzle repeats after %d", inner, span)
	}
	if m.FillNaN && m.Type.Kind() != isa.Float {
		return fmt.Errorf("elements of type %s can not be filled with NaN", m.Type)
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
		ElementStrides: e.ElementStrides, Swizzle: Swizzle(e.Swizzle), FillNaN: e.Fill != 0,
	}
	if m.check() != nil {
		return nil, errNoTensorMap
	}
	return m, nil
}

// boxElements returns the number of elements that a copy moves in each dimension.
func (m *TensorMap) boxElements() (n [5]int, total int) {
	total = 1
	for d := range n {
		n[d] = 1
		if d < m.Rank {
			step := int(m.ElementStrides[d])
			n[d] = (int(m.Box[d]) + step - 1) / step
		}
		total *= n[d]
	}
	return n, total
}

// each calls do for every element of the box at start, in the order in which they lie in shared memory, with
// its number and its global address. inside is false for elements outside the tensor.
func (m *TensorMap) each(start []int32, do func(i int, addr uint64, inside bool) *Fault) *Fault {
	n, total := m.boxElements()
	for i := range total {
		inside := true
		addr := m.Address
		rest := i
		for d := range m.Rank {
			at := int64(start[d]) + int64(rest%n[d])*int64(m.ElementStrides[d])
			rest /= n[d]
			inside = inside && at >= 0 && at < int64(m.Dims[d])
			if d == 0 {
				addr += uint64(at) * uint64(m.Type.Bytes())
			} else {
				addr += uint64(at) * m.Strides[d-1]
			}
		}
		if f := do(i, addr, inside); f != nil {
			return f
		}
	}
	return nil
}

// nanFill is the pattern of 16 bits that fills what lies outside a tensor, as recorded on an H200 for f16.
const nanFill = 0x7FF7

// sharedAlign is the alignment of a box in shared memory.
const sharedAlign = 128

// bindTensor is a tensor copy or reduction in tile mode.
func bindTensor(f *isa.Form) AsyncFunc {
	rank := int(f.Get("dim")[1] - '0')
	if spaces(f)[0] == isa.Global {
		return bindTensorStore(f, rank)
	}
	to := spaces(f)[0]
	mask := -1
	if f.Has(".multicast::cluster") {
		mask = rank // after the coordinates
	}
	return func(a *Async) *Fault {
		m, start, fault := a.tensor(1, rank)
		if fault != nil {
			return fault
		}
		size := m.Type.Bytes()
		_, total := m.boxElements()
		return a.toBlocks(mask, func(address func(uint64) uint64) *Fault {
			base := address(a.Addr[0])
			box, fault := a.Memory.Bytes(to, base, total*size, sharedAlign)
			if fault != nil {
				return fault
			}
			_, offset := SharedOwner(base, 0)
			fault = m.each(start, func(i int, addr uint64, inside bool) *Fault {
				place := box[m.Swizzle.place(offset+uint64(i*size))-offset:][:size]
				if !inside {
					m.fill(place)
					return nil
				}
				element, fault := a.Memory.Bytes(isa.Global, addr, size, size)
				copy(place, element)
				return fault
			})
			if fault != nil {
				return fault
			}
			return a.signal(to, address(a.Addr[2]), total*size)
		})
	}
}

// bindTensorStore moves a box from shared memory to the tensor, or combines it with what is there.
func bindTensorStore(f *isa.Form, rank int) AsyncFunc {
	reduce := f.Mods[0] == ".reduce"
	return func(a *Async) *Fault {
		m, start, fault := a.tensor(0, rank)
		if fault != nil {
			return fault
		}
		size := m.Type.Bytes()
		move := copyElements
		if reduce {
			move = combineElements(isa.CombineOf(isa.CombineOp(f), m.Type, reduceSpace), size)
		}
		_, total := m.boxElements()
		base := a.Addr[1]
		box, fault := a.Memory.Bytes(isa.Shared, base, total*size, sharedAlign)
		if fault != nil {
			return fault
		}
		return m.each(start, func(i int, addr uint64, inside bool) *Fault {
			if !inside {
				return nil
			}
			element, fault := a.Memory.Bytes(isa.Global, addr, size, size)
			if fault == nil {
				move(element, box[m.Swizzle.place(base+uint64(i*size))-base:][:size])
			}
			return fault
		})
	}
}

// tensor reads the tensor map that memory operand number operand names, and the coordinates of the box.
func (a *Async) tensor(operand, rank int) (m *TensorMap, start []int32, fault *Fault) {
	illegal := func(format string, args ...any) *Fault {
		return &Fault{Kind: IllegalInstruction, Detail: fmt.Sprintf(format, args...)}
	}
	b, fault := a.Memory.Bytes(isa.Generic, a.Addr[operand], TensorMapBytes, 64)
	if fault != nil {
		return nil, nil, fault
	}
	m, err := DecodeTensorMap(b)
	if err != nil {
		return nil, nil, illegal("the bytes at 0x%x are %v", a.Addr[operand], err)
	}
	if m.Rank != rank {
		return nil, nil, illegal("a copy of %d dimensions of a tensor that has %d", rank, m.Rank)
	}
	for _, c := range a.Src[:rank] {
		start = append(start, int32(c))
	}
	if at := int64(start[0]) * int64(m.Type.Bytes()); at%16 != 0 {
		return nil, nil, illegal("the box starts %d bytes into the first dimension; a multiple of 16 is wanted", at)
	}
	return m, start, nil
}

// fill sets an element outside the tensor.
func (m *TensorMap) fill(element []byte) {
	clear(element)
	if m.FillNaN {
		for i := 0; i+2 <= len(element); i += 2 {
			binary.LittleEndian.PutUint16(element[i:], nanFill)
		}
	}
}
