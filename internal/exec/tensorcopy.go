package exec

import (
	"encoding/binary"

	"silica/internal/fp"
	"silica/internal/isa"
)

// A box is moved row by row: the elements along dimension 0, which in shared memory lie next to each other.

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

func (m *TensorMap) rowBytes() int { return m.count(0) * m.unit() }

// rowPitch returns the distance of rows in shared memory: swizzled rows fill the width of the pattern.
func (m *TensorMap) rowPitch() int {
	if m.Swizzle != NoSwizzle && m.Interleave == NoInterleave {
		return 16 << m.Swizzle
	}
	return m.rowBytes()
}

func (m *TensorMap) rowCount() int {
	n := 1
	for d := 1; d < m.Rank; d++ {
		n *= m.count(d)
	}
	return n
}

// rows calls do for every row of the box at start, in the order of shared memory, with the address of the
// elements that are 0 in dimension 0. inside is false for rows outside the tensor.
func (m *TensorMap) rows(start []int32, do func(row int, addr uint64, inside bool) *Fault) *Fault {
	for row := range m.rowCount() {
		inside, addr, rest := true, m.Address, row
		for d := 1; d < m.Rank; d++ {
			n := m.count(d)
			at := int64(start[d]) + int64(rest%n)*m.step(d)
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
	for i, n := 0, m.count(0); i < n; {
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

// box returns the shared memory that a box at an address takes.
func (a *Async) box(m *TensorMap, space isa.Space, addr uint64) ([]byte, *Fault) {
	return a.bytes(space, addr, (m.rowCount()-1)*m.rowPitch()+m.rowPitch(), sharedAlign)
}

// bindTensor is a tensor copy or reduction in tile mode.
func bindTensor(f *isa.Form) AsyncFunc {
	rank := int(f.Get("dim")[1] - '0')
	if spaces(f)[0] == isa.Global {
		return bindTensorStore(f, rank)
	}
	if f.Has(".tile::gather4") {
		return bindGather(f)
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
		return a.toBlocks(mask, func(address func(uint64) uint64) *Fault {
			base := address(a.Addr[0])
			box, fault := a.box(m, to, base)
			if fault != nil {
				return fault
			}
			_, offset := SharedOwner(base, 0)
			if fault := a.loadBox(m, start, box, offset); fault != nil {
				return fault
			}
			return a.signal(to, address(a.Addr[2]), m.rowCount()*m.rowBytes())
		})
	}
}

// loadBox fills a box at an offset in shared memory from the tensor.
func (a *Async) loadBox(m *TensorMap, start []int32, box []byte, offset uint64) *Fault {
	return a.loadRows(m, start[0], func(do rowFunc) *Fault { return m.rows(start, do) }, box, offset)
}

// rowFunc is told of a row of a box; see TensorMap.rows.
type rowFunc func(row int, addr uint64, inside bool) *Fault

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
	reduce, scatter := f.Mods[0] == ".reduce", f.Has(".tile::scatter4")
	return func(a *Async) *Fault {
		m, start, fault := a.tensor(0, rank)
		if fault != nil {
			return fault
		}
		each, size := func(do rowFunc) *Fault { return m.rows(start, do) }, m.rowCount()
		if scatter {
			at, fault := a.gatheredRows(m)
			if fault != nil {
				return fault
			}
			each, size = func(do rowFunc) *Fault { return m.gather(at, do) }, gathered
		}
		move := copyElements
		if reduce {
			op := isa.CombineOp(f)
			if !reduces(op, m.Type) {
				return illegal("a tensor of type %s has no reduction %s", m.Type, op)
			}
			move = combineElements(isa.CombineOf(op, m.Type, reduceSpace), m.Type.Bytes())
		}
		base := a.Addr[1]
		box, fault := a.bytes(isa.Shared, base, size*m.rowPitch(), sharedAlign)
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
			return m.pieces(start[0], addr, func(at int, addr uint64, n int) *Fault {
				b, fault := a.bytes(isa.Global, addr, n, 1)
				if fault == nil {
					move(b, buffer[at:][:n])
				}
				return fault
			})
		})
	}
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
	case isa.F32, isa.F64:
		return op == ".add"
	}
	return false
}

// tensor reads the tensor map that memory operand number operand names, and the coordinates of the box.
func (a *Async) tensor(operand, rank int) (m *TensorMap, start []int32, fault *Fault) {
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
	if at := int64(start[0]) * int64(m.unit()); at%16 != 0 {
		return nil, nil, illegal("the box starts %d bytes into the first dimension; a multiple of 16 is wanted", at)
	}
	return m, start, nil
}
