package exec

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"

	"silica/internal/isa"
)

// Matrix is what a warp's execution of an OpMatrix instruction sees.
type Matrix struct {
	// Warp holds the lanes, the sources and the destinations, in the order of ir.Inst's.
	Warp isa.Warp
	// Addr is the address of each lane, as the instruction forms it, in Space.
	Addr   [32]uint64
	Space  isa.Space
	Memory BlockMemory
	// Report is told of each access: of the lanes in mask, bytes at an address each, which it may change. It is nil when nobody
	// listens.
	Report func(mask uint32, addr *[32]uint64, bytes int)
	// ReportUnits is told of accesses of all lanes that lie alike, each of whose lanes is so far behind a base, in place of Report; false where it will not be.
	ReportUnits func(units [][32]uint64, base uint64, bytes int) bool
	// Moved tells that the engine moves a fragment itself, and that it is only to be reported.
	Moved bool

	reported [32]uint64 // what Report is told of
}

// MatrixFunc executes an OpMatrix instruction. It returns the first lane that faults, with its fault.
type MatrixFunc func(m *Matrix) (lane int, fault *Fault)

// MatrixOf binds a form whose Op is OpMatrix.
func MatrixOf(f *isa.Form) MatrixFunc {
	switch bytes := f.Has(".b8") || f.Has(".b8x16"); {
	case bytes && f.Opcode == "ldmatrix":
		return bindLoadBytes(f)
	case bytes:
		return bindStoreBytes(f)
	}
	switch f.Opcode {
	case "ldmatrix":
		return bindLoadMatrix(f)
	case "stmatrix":
		return bindStoreMatrix(f)
	}
	return bindFragment(f)
}

// An 8x8 matrix of 16-bit elements: of each row a lane gives the address, and a quad of lanes holds its
// elements, two a register.
const (
	matrixRows     = 8
	matrixRowBytes = 16
)

// matrixCount returns the number of 8x8 matrices of a form: ".x4".
func matrixCount(f *isa.Form) int { return int(f.Get("num")[2] - '0') }

// rows calls do for each row of n matrices, with its bytes.
func (m *Matrix) rows(n int, do func(matrix, row int, b []byte)) (lane int, fault *Fault) {
	mask := m.Warp.Active & uint32(1<<(n*matrixRows)-1)
	if m.Report != nil {
		m.reported = m.Addr
		m.Report(mask, &m.reported, matrixRowBytes)
	}
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros32(mask)
		b, fault := m.Memory.Bytes(m.Space, m.Addr[lane], matrixRowBytes, matrixRowBytes)
		if fault != nil {
			return lane, fault
		}
		do(lane/matrixRows, lane%matrixRows, b)
	}
	return 0, nil
}

// rowElement returns where column c of a row is, or row r of a transposed matrix: the lane and the shift.
func rowElement(transposed bool, r, c int) (lane, shift int) {
	if transposed {
		r, c = c, r
	}
	return 4*r + c/2, 16 * (c % 2)
}

func bindLoadMatrix(f *isa.Form) MatrixFunc {
	n, transposed := matrixCount(f), f.Has(".trans")
	return func(m *Matrix) (int, *Fault) {
		clear(m.Warp.Dst[:n])
		return m.rows(n, func(matrix, r int, b []byte) {
			registers := &m.Warp.Dst[matrix]
			if !transposed {
				for i := range 4 {
					registers[4*r+i] = uint64(binary.LittleEndian.Uint32(b[4*i:]))
				}
				return
			}
			for c := range matrixRows {
				lane, shift := rowElement(transposed, r, c)
				registers[lane] |= uint64(binary.LittleEndian.Uint16(b[2*c:])) << shift
			}
		})
	}
}

func bindStoreMatrix(f *isa.Form) MatrixFunc {
	n, transposed := matrixCount(f), f.Has(".trans")
	return func(m *Matrix) (int, *Fault) {
		return m.rows(n, func(matrix, r int, b []byte) {
			for c := range matrixRows {
				lane, shift := rowElement(transposed, r, c)
				binary.LittleEndian.PutUint16(b[2*c:], uint16(m.Warp.Src[matrix][lane]>>shift))
			}
		})
	}
}

// fragmentMove is a wmma.load or wmma.store: a fragment between its registers and a matrix in memory. A unit
// is what is moved at once: an element, or a register of elements of less than 8 bits, which lie next to
// each other.
type fragmentMove struct {
	isa.FragmentMove
	bytes       int // of a unit
	perRegister int // units
	// pairs tells that a register has two elements of 16 bits, neighbours in a row.
	pairs bool
	// distinct is the number of registers that the matrix fills; those beyond hold the same again.
	distinct int
	// rows and columns tell which element of the fragment a unit begins with, for each lane.
	rows, columns [][32]uint64
	last          atomic.Pointer[unitPlaces]
}

func bindFragment(f *isa.Form) MatrixFunc {
	x := &fragmentMove{FragmentMove: isa.FragmentMoveOf(f), perRegister: 1}
	x.bytes = max(x.Fragment.Element.Bits(), 32) / 8
	elements := max(32/x.Fragment.Element.Bits(), 1) // of a register, and of a unit
	if x.Bits >= 8 {
		x.bytes = x.Bits / 8
		x.perRegister, elements = elements, 1
	}
	for unit := range x.Fragment.Registers() * x.perRegister {
		var rows, columns [32]uint64
		for lane := range rows {
			row, column := x.Fragment.Place(unit*elements, lane)
			rows[lane], columns[lane] = uint64(row), uint64(column)
		}
		x.rows, x.columns = append(x.rows, rows), append(x.columns, columns)
	}
	x.pairs = x.bytes == 2 && x.perRegister == 2 && x.rows[0] == x.rows[1]
	x.distinct = x.Fragment.Rows * x.Fragment.Length * x.Fragment.Element.Bits() / (32 * max(x.Fragment.Element.Bits(), 32))
	return x.run
}

// steps returns the distances in bits of neighbours in a column and in a row of the fragment, for a lane.
func (x *fragmentMove) steps(w *isa.Warp, lane int) (row, column uint64) {
	stride := uint64(x.Stride)
	if x.Stride == 0 {
		stride = w.Src[0][lane]
		if x.Store {
			stride = w.Src[x.Fragment.Registers()][lane]
		}
	}
	stride *= uint64(x.Bits)
	if x.Along {
		return stride, uint64(x.Fragment.Element.Bits())
	}
	return uint64(x.Bits), stride
}

// uniform tells whether all lanes of the warp name the same matrix.
func (x *fragmentMove) uniform(m *Matrix) bool {
	if m.Warp.Active != 1<<32-1 {
		return false
	}
	stride := &[32]uint64{}
	if x.Stride == 0 {
		stride = &m.Warp.Src[0]
		if x.Store {
			stride = &m.Warp.Src[x.Fragment.Registers()]
		}
	}
	for lane, addr := range m.Addr {
		if addr != m.Addr[0] || stride[lane] != stride[0] {
			return false
		}
	}
	return true
}

// whole returns the memory of the matrix that all lanes name, if it is legal, else nil.
func (x *fragmentMove) whole(m *Matrix) []byte {
	row, column := x.steps(&m.Warp, 0)
	const most = 1 << 24 // of a stride, so that nothing below overflows
	if row > most || column > most {
		return nil
	}
	size := (uint64(x.Fragment.Rows-1)*row+uint64(x.Fragment.Length-1)*column)/8 + uint64(x.bytes)
	b, fault := m.Memory.Bytes(m.Space, m.Addr[0], int(size), x.bytes)
	if fault != nil {
		return nil
	}
	return b
}

// run moves the fragment.
func (x *fragmentMove) run(m *Matrix) (int, *Fault) {
	w := &m.Warp
	registers := w.Dst[:x.Fragment.Registers()]
	if x.Store {
		registers = w.Src[:x.Fragment.Registers()]
	} else if !m.Moved {
		clear(registers)
	}
	uniform := x.uniform(m)
	if m.Report != nil {
		x.report(m, uniform)
	}
	if m.Moved {
		return 0, nil
	}
	if uniform {
		if b := x.whole(m); b != nil {
			x.moveWhole(w, b, registers)
			return 0, nil
		}
	}
	return x.moveUnits(m, registers)
}

// report tells of the accesses: a register at a time when its elements lie next to each other, else by element.
func (x *fragmentMove) report(m *Matrix, uniform bool) {
	row, column := x.steps(&m.Warp, bits.TrailingZeros32(m.Warp.Active))
	together := x.together(row, column)
	addr, bytes := &m.reported, x.bytes*together
	if !uniform {
		for unit := 0; unit < len(x.rows); unit += together {
			x.addresses(m, unit, addr)
			m.Report(m.Warp.Active, addr, bytes)
		}
		return
	}
	first, places := m.Addr[0], x.placesAt(row, column)
	if m.ReportUnits != nil && m.ReportUnits(places, first, bytes) {
		return
	}
	for unit := range places {
		for lane, at := range &places[unit] {
			addr[lane] = first + at
		}
		m.Report(m.Warp.Active, addr, bytes)
	}
}

// together returns how many units an access moves.
func (x *fragmentMove) together(row, column uint64) int {
	step := column
	if x.perRegister > 1 && x.rows[1][0] != x.rows[0][0] { // the elements of a register are in a column
		step = row
	}
	if step == uint64(8*x.bytes) {
		return x.perRegister
	}
	return 1
}

// unitPlaces is where the units that accesses begin with are in memory, for each lane, with neighbours in a column and in a row so far apart in bits.
type unitPlaces struct {
	row, column uint64
	places      [][32]uint64
}

// placesAt returns where the units are that accesses begin with, with neighbours so far apart. Most often they are as far apart as before.
func (x *fragmentMove) placesAt(row, column uint64) [][32]uint64 {
	if p := x.last.Load(); p != nil && p.row == row && p.column == column {
		return p.places
	}
	p := &unitPlaces{row: row, column: column}
	for unit := 0; unit < len(x.rows); unit += x.together(row, column) {
		var places [32]uint64
		for lane := range places {
			places[lane] = (x.rows[unit][lane]*row + x.columns[unit][lane]*column) / 8
		}
		p.places = append(p.places, places)
	}
	x.last.Store(p)
	return p.places
}

// addresses sets the address of a unit in the active lanes.
func (x *fragmentMove) addresses(m *Matrix, unit int, addr *[32]uint64) {
	for mask := m.Warp.Active; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros32(mask)
		row, column := x.steps(&m.Warp, lane)
		addr[lane] = m.Addr[lane] + (x.rows[unit][lane]*row+x.columns[unit][lane]*column)/8
	}
}

// moveWhole moves the fragment of a whole warp to or from a matrix that is legal memory.
func (x *fragmentMove) moveWhole(w *isa.Warp, b []byte, registers [][32]uint64) {
	row, column := x.steps(w, 0)
	if x.pairs && column == 16 && !x.Store {
		for i := range registers[:x.distinct] {
			columns := &x.columns[2*i]
			for lane, at := range x.rows[2*i] {
				registers[i][lane] = uint64(binary.LittleEndian.Uint32(b[(at*row+columns[lane]*column)/8:]))
			}
		}
		for i := x.distinct; i < len(registers); i++ {
			registers[i] = registers[i%x.distinct]
		}
		return
	}
	for unit := range x.rows {
		r, shift := &registers[unit/x.perRegister], unit%x.perRegister*x.bytes*8
		columns := &x.columns[unit]
		for lane, at := range x.rows[unit] {
			p := b[(at*row+columns[lane]*column)/8:]
			switch {
			case x.Store:
				storeElement(p, x.bytes, r[lane]>>shift)
			case x.bytes == 2:
				r[lane] |= uint64(binary.LittleEndian.Uint16(p)) << shift
			case x.bytes == 4:
				r[lane] = uint64(binary.LittleEndian.Uint32(p))
			default:
				r[lane] |= loadElement(p, x.bytes) << shift
			}
		}
	}
}

// moveUnits moves the fragment of the active lanes unit by unit.
func (x *fragmentMove) moveUnits(m *Matrix, registers [][32]uint64) (int, *Fault) {
	w := &m.Warp
	var addr [32]uint64
	for unit := range x.rows {
		x.addresses(m, unit, &addr)
		r, shift := &registers[unit/x.perRegister], unit%x.perRegister*x.bytes*8
		for mask := w.Active; mask != 0; mask &= mask - 1 {
			lane := bits.TrailingZeros32(mask)
			b, fault := m.Memory.Bytes(m.Space, addr[lane], x.bytes, x.bytes)
			if fault != nil {
				return lane, fault
			}
			if x.Store {
				storeElement(b, x.bytes, r[lane]>>shift)
			} else {
				r[lane] |= loadElement(b, x.bytes) << shift
			}
		}
	}
	return 0, nil
}
