package exec

import (
	"encoding/binary"
	"errors"

	"silica/internal/fp"
	"silica/internal/isa"
)

// A box is moved row by row: the elements along dimension 0, which in shared memory lie next to each other. The rows of
// images are the channels of their pixels.

// unit returns the number of bytes of an element of dimension 0.
func (m *TensorMap) unit() int {
	if m.Interleave != NoInterleave {
		return 8 << m.Interleave
	}
	return m.Type.Bytes()
}

// step returns which elements along a dimension are moved: one of so many.
func (m *TensorMap) step(d int) int64 {
	if d == 0 && m.Interleave == NoInterleave {
		return 1
	}
	return int64(m.ElementStrides[d])
}

// count returns the number of elements that are moved along a dimension.
func (m *TensorMap) count(d int) int {
	if m.Interleave != NoInterleave && d == m.Rank-2 {
		return 1
	}
	step := int(m.step(d))
	return (int(m.Box[d]) + step - 1) / step
}

// rowElements returns the number of elements of a row.
func (m *TensorMap) rowElements() int {
	switch {
	case !m.Images:
		return m.count(0)
	case m.Interleave != NoInterleave: // one slice of channels, however many channels there are
		return 1
	}
	return m.Column.Channels
}

func (m *TensorMap) rowBytes() int { return m.rowElements() * m.unit() }

// rowPitch returns the distance of rows in shared memory: swizzled rows fill the width of the pattern.
func (m *TensorMap) rowPitch() int {
	if m.Swizzle != NoSwizzle && m.Interleave == NoInterleave {
		return 16 << m.Swizzle
	}
	return m.rowBytes()
}

func (m *TensorMap) rowCount() int {
	if m.Images {
		return m.Column.Pixels
	}
	n := 1
	for d := 1; d < m.Rank; d++ {
		n *= m.count(d)
	}
	return n
}

// place is where in a tensor a copy begins.
type place struct {
	start   []int32  // coordinates
	offsets []uint64 // of images, by dimension of the bounding box
}

// first returns the coordinate in dimension 0 where the rows begin that TensorMap.rows tells of.
func (p place) first(m *TensorMap) int32 {
	if m.Images && m.Interleave != NoInterleave {
		return 0 // each row has an address of its own in that dimension
	}
	return p.start[0]
}

// rowFunc is told of a row in the order of shared memory, with the address of the elements that are 0 in dimension 0.
// inside is false for rows outside the tensor.
type rowFunc func(row int, addr uint64, inside bool) *Fault

// rows calls do for every row of what is moved.
func (m *TensorMap) rows(p place, do rowFunc) *Fault {
	if m.Images {
		return m.pixels(p, do)
	}
	for row := range m.rowCount() {
		inside, addr, rest := true, m.Address, row
		for d := 1; d < m.Rank; d++ {
			n := m.count(d)
			at := int64(p.start[d]) + int64(rest%n)*m.step(d)
			rest /= n
			inside = inside && at >= 0 && at < int64(m.Dims[d])
			addr += uint64(at) * m.Strides[d-1]
		}
		if f := do(row, addr, inside); f != nil {
			return f
		}
	}
	return nil
}

// pieces calls do for the parts of a row that lie in the tensor and are contiguous there: where in the row
// one begins, its address and its size in bytes.
func (m *TensorMap) pieces(start int32, row uint64, do func(offset int, addr uint64, n int) *Fault) *Fault {
	unit, step := m.unit(), m.step(0)
	at := func(i int) int64 { return int64(start) + int64(i)*step }
	inside := func(i int) bool { return at(i) >= 0 && at(i) < int64(m.Dims[0]) }
	for i, n := 0, m.rowElements(); i < n; {
		if !inside(i) {
			i++
			continue
		}
		first := i
		for i++; step == 1 && i < n && inside(i); i++ {
		}
		if f := do(first*unit, row+uint64(at(first))*uint64(unit), (i-first)*unit); f != nil {
			return f
		}
	}
	return nil
}

// swizzled calls do for the pieces of 16 bytes of a row that begins at an address of shared memory: where in
// the row one is, and where relative to the row's address it is kept.
func (m *TensorMap) swizzled(addr uint64, row []byte, do func(piece []byte, at int)) {
	if m.Swizzle == NoSwizzle {
		do(row, 0)
		return
	}
	for i := 0; i < len(row); i += 16 {
		do(row[i:i+16], int(m.Swizzle.place(addr+uint64(i))-addr))
	}
}

// nanFill is the pattern of 16 bits that fills what lies outside a tensor, as recorded on an H200.
const nanFill = 0x7FF7

// fill sets a row to what elements outside the tensor read as.
func (m *TensorMap) fill(row []byte) {
	clear(row)
	if m.FillNaN {
		for i := 0; i+2 <= len(row); i += 2 {
			binary.LittleEndian.PutUint16(row[i:], nanFill)
		}
	}
}

// sharedAlign is the alignment of a box in shared memory.
const sharedAlign = 128

// sharedBytes returns the size of rows in shared memory: of whole patterns of the swizzle.
func (m *TensorMap) sharedBytes(rows int) int {
	pattern := 16 << m.Swizzle
	return (rows*m.rowPitch() + pattern - 1) / pattern * pattern
}

// box returns the shared memory that a box at an address takes.
func (a *Async) box(m *TensorMap, space isa.Space, addr uint64) ([]byte, *Fault) {
	return a.bytes(space, addr, m.sharedBytes(m.rowCount()), sharedAlign)
}

// bindTensor is a tensor copy or reduction.
func bindTensor(f *isa.Form) AsyncFunc {
	rank := int(f.Get("dim")[1] - '0')
	if spaces(f)[0] == isa.Global {
		return bindTensorStore(f, rank)
	}
	if f.Has(".tile::gather4") {
		return bindGather(f)
	}
	to, images := spaces(f)[0], f.Has(".im2col")
	mask := sourceNamed(f, "ctaMask")
	if mask >= 0 {
		mask += rank // after the coordinates
	}
	return func(a *Async) *Fault {
		m, start, fault := a.tensor(1, rank, images)
		if fault != nil {
			return fault
		}
		p := place{start: start}
		if images {
			p.offsets = a.Src[rank:][:rank-2]
		}
		return a.toBlocks(mask, func(address func(uint64) uint64) *Fault {
			base := address(a.Addr[0])
			box, fault := a.box(m, to, base)
			if fault != nil {
				return fault
			}
			_, offset := SharedOwner(base, 0)
			each := func(do rowFunc) *Fault { return m.rows(p, do) }
			if fault := a.loadRows(m, p.first(m), each, box, offset); fault != nil {
				return fault
			}
			return a.signal(to, address(a.Addr[2]), m.rowCount()*m.rowBytes())
		})
	}
}

// loadRows fills the rows that each tells of, which begin at an element of dimension 0.
func (a *Async) loadRows(m *TensorMap, first int32, each func(do rowFunc) *Fault, box []byte, offset uint64) *Fault {
	buffer := make([]byte, m.rowBytes())
	return each(func(row int, addr uint64, inside bool) *Fault {
		m.fill(buffer)
		if inside {
			fault := m.pieces(first, addr, func(at int, addr uint64, n int) *Fault {
				b, fault := a.bytes(isa.Global, addr, n, 1)
				copy(buffer[at:], b)
				if m.Type == isa.TF32 {
					roundTF32(buffer[at:][:n])
				}
				return fault
			})
			if fault != nil {
				return fault
			}
		}
		begin := row * m.rowPitch()
		m.swizzled(offset+uint64(begin), buffer, func(piece []byte, at int) { copy(box[begin+at:], piece) })
		return nil
	})
}

// roundTF32 rounds f32 to tf32, as loads of tensors of tf32 do.
func roundTF32(b []byte) {
	for i := 0; i+4 <= len(b); i += 4 {
		x := uint64(binary.LittleEndian.Uint32(b[i:]))
		binary.LittleEndian.PutUint32(b[i:], uint32(fp.Convert(fp.F32, fp.TF32, x, fp.RN)))
	}
}

// bindTensorStore moves a box from shared memory to the tensor, or combines it with what is there.
func bindTensorStore(f *isa.Form, rank int) AsyncFunc {
	reduce, scatter, images := f.Mods[0] == ".reduce", f.Has(".tile::scatter4"), f.Has(".im2col_no_offs")
	return func(a *Async) *Fault {
		m, start, fault := a.tensor(0, rank, images)
		if fault != nil {
			return fault
		}
		m.wholePieces()
		p := place{start: start}
		each, size := func(do rowFunc) *Fault { return m.rows(p, do) }, m.rowCount()
		if scatter {
			at, fault := a.gatheredRows(m)
			if fault != nil {
				return fault
			}
			each, size = func(do rowFunc) *Fault { return m.gather(at, do) }, gathered
		} else if fault := m.takesStore(start); fault != nil {
			return fault
		}
		move := copyElements
		if reduce {
			op := isa.CombineOp(f)
			if !reduces(op, m.Type) {
				return illegal("a tensor of type %s has no reduction %s", m.Type, op)
			}
			move = combineElements(m.combine(op), m.Type.Bytes())
		}
		base := a.Addr[1]
		box, fault := a.bytes(isa.Shared, base, m.sharedBytes(size), sharedAlign)
		if fault != nil {
			return fault
		}
		buffer := make([]byte, m.rowBytes())
		return each(func(row int, addr uint64, inside bool) *Fault {
			if !inside {
				return nil
			}
			begin := row * m.rowPitch()
			m.swizzled(base+uint64(begin), buffer, func(piece []byte, at int) { copy(piece, box[begin+at:]) })
			return m.pieces(p.first(m), addr, func(at int, addr uint64, n int) *Fault {
				b, fault := a.bytes(isa.Global, addr, n, 1)
				if fault == nil {
					move(b, buffer[at:][:n])
				}
				return fault
			})
		})
	}
}

// combine returns the arithmetic of a reduction. Numbers in tf32 are added as f32.
func (m *TensorMap) combine(op string) isa.CombineFunc {
	t, space := m.Type, reduceSpace
	if t == isa.TF32 {
		t = isa.F32
	}
	if m.FlushDenormals {
		space = isa.Global
	}
	return isa.CombineOf(op, t, space)
}

// reduces tells whether tensors of a type have a reduction, by what an H200 does and does not run.
func reduces(op string, t isa.Type) bool {
	switch t {
	case isa.U32:
		return true
	case isa.S32, isa.U64:
		return op != ".inc" && op != ".dec"
	case isa.S64:
		return op != ".inc" && op != ".dec" && op != ".add"
	case isa.F16, isa.BF16:
		return op == ".add" || op == ".min" || op == ".max"
	case isa.F32, isa.TF32, isa.F64:
		return op == ".add"
	}
	return false
}

// wholePieces extends dimension 0 to whole pieces of 16 bytes: an H200 stores these, with what of the last one lies behind
// the tensor.
func (m *TensorMap) wholePieces() {
	if perPiece := uint32(16 / m.unit()); perPiece > 1 {
		m.Dims[0] = max(m.Dims[0], (m.Dims[0]+perPiece-1)/perPiece*perPiece) // the sum may be 2^32
	}
}

// takesStore tells whether what is moved lies where a store may: an H200 refuses coordinates below 0, and images whose
// bounding box is not within them.
func (m *TensorMap) takesStore(start []int32) *Fault {
	for d, at := range start {
		if at < 0 {
			return illegal("a store at %d in dimension %d; stores begin at 0 or above", at, d)
		}
	}
	if m.Images {
		return m.Column.takesStore()
	}
	return nil
}

// tensor reads the tensor map that memory operand number operand names, and the coordinates of what is moved.
func (a *Async) tensor(operand, rank int, images bool) (m *TensorMap, start []int32, fault *Fault) {
	b, fault := a.Memory.Bytes(isa.Generic, a.Addr[operand], TensorMapBytes, tensorMapAlign)
	if fault != nil {
		return nil, nil, fault
	}
	m, err := DecodeTensorMap(b)
	switch {
	case errors.Is(err, errMisaligned):
		return nil, nil, &Fault{Kind: MisalignedAddress, Detail: err.Error()}
	case err != nil:
		return nil, nil, illegal("the bytes at 0x%x are %v", a.Addr[operand], err)
	}
	switch {
	case m.Rank != rank:
		return nil, nil, illegal("a copy of %d dimensions of a tensor that has %d", rank, m.Rank)
	case images && !m.Images:
		return nil, nil, illegal("a copy of images by a tensor map of boxes")
	case m.Images && !images:
		return nil, nil, illegal("a copy of a box by a tensor map of images")
	}
	for _, c := range a.Src[:rank] {
		start = append(start, int32(c))
	}
	if at := int64(start[0]) * int64(m.unit()); at%16 != 0 {
		return nil, nil, illegal("the box starts %d bytes into the first dimension; a multiple of 16 is wanted", at)
	}
	if m.Images {
		return m, start, m.inBoundingBox(start)
	}
	return m, start, nil
}
