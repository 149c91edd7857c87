package simd

import (
	"slices"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/isa"
)

// A matrix of 8 rows of 8 elements of 16 bits fills a register: a quad of lanes has a row, a lane two neighbours of it.
const (
	matrixRows, matrixRowBytes = 8, 16
)

// matrixMove is a load of matrices of 16-bit elements to the register file itself, one to each register.
type matrixMove struct {
	// transposed tells that the rows in memory are the columns of the matrix.
	transposed bool
	// fragment is nil for ldmatrix, where lanes give the address of each row.
	fragment *fragmentLoad
}

// fragmentLoad is a wmma.load: where in the fragment's memory the matrix of each register begins, and a register before it that holds the
// same one, or -1.
type fragmentLoad struct {
	places []struct{ row, column, same int }
	// rows and columns are the size of the fragment's memory, stride is the distance of rows, 0 where a source gives it.
	rows, columns, stride int
}

// matrixMoveOf returns how the matrices of an instruction are loaded, nil for those that are moved otherwise.
func matrixMoveOf(form *isa.Form) *matrixMove {
	switch {
	case form.Opcode == "ldmatrix" && form.Has(".b16"):
		return &matrixMove{transposed: form.Has(".trans")}
	case form.Opcode == "wmma" && form.Has(".load"):
		return fragmentLoadOf(isa.FragmentMoveOf(form))
	}
	return nil
}

// fragmentLoadOf returns how a fragment is loaded, nil where its registers do not hold matrices of 16-bit elements.
func fragmentLoadOf(move isa.FragmentMove) *matrixMove {
	f := move.Fragment
	if move.Bits != 16 || f.Element.Bits() != 16 {
		return nil
	}
	x := &fragmentLoad{rows: f.Rows, columns: f.Length, stride: move.Stride}
	if !move.Along {
		x.rows, x.columns = x.columns, x.rows
	}
	for register := range f.Registers() {
		row, column := f.Place(2*register, 0)
		for lane := range warpLanes {
			for i := range 2 {
				if r, c := f.Place(2*register+i, lane); r != row+lane/4 || c != column+lane%4*2+i {
					return nil
				}
			}
		}
		if !move.Along {
			row, column = column, row
		}
		same := slices.IndexFunc(x.places, func(p struct{ row, column, same int }) bool { return p.row == row && p.column == column })
		x.places = append(x.places, struct{ row, column, same int }{row, column, same})
	}
	return &matrixMove{transposed: !move.Along, fragment: x}
}

// bindMatrix binds a move of matrices between memory and registers.
func (b *builder) bindMatrix(o *op) {
	form := b.inst.Form
	o.matrix, o.mem, o.together = exec.MatrixOf(form), b.address(b.inst.Addr), matrixLanes
	if o.move = matrixMoveOf(form); o.move != nil {
		o.together = loadMatrixLanes
	}
}

// loadMatrixLanes loads matrices of 16-bit elements to the register file itself where it can.
func loadMatrixLanes(g *gang, o *op, lanes *masks) bool {
	for w, active := range lanes {
		switch {
		case active == 0:
		case active == allLanes && g.loadMatrices(o, w):
		case !g.matrix(o, w, active):
			return false
		}
	}
	return true
}

// loadMatrices is exec.Matrix's load for a whole warp. It returns false, having done nothing, where it can not.
func (g *gang) loadMatrices(o *op, w int) bool {
	if f := o.move.fragment; f != nil {
		return g.loadFragment(o, w, f)
	}
	addr := &g.worker.matrixIO.Addr
	g.addresses(o.mem, w, allLanes, addr)
	var rows [4 * matrixRows]ptr
	count := matrixRows * len(o.dst)
	if !g.matrixRows(o.mem.space, addr[:count], rows[:count]) {
		return false
	}
	if g.observed() {
		g.worker.addresses[w] = *addr
		g.report(o, w, o.mem.space, 1<<count-1, &g.worker.addresses[w], matrixRowBytes)
	}
	for i, d := range o.dst {
		if to := g.row32(d, w); to != nil {
			o.move.load(to, (*[matrixRows]ptr)(rows[i*matrixRows:]))
		}
	}
	return true
}

func (x *matrixMove) load(to *[warpLanes]uint32, rows *[matrixRows]ptr) {
	if x.transposed {
		transposeMatrix(to, rows)
		return
	}
	for r, p := range rows {
		*(*[matrixRowBytes]byte)(ptr(&to[4*r])) = *(*[matrixRowBytes]byte)(p)
	}
}

// matrixRows sets where rows of matrices are in host memory; false where one is not legal.
func (g *gang) matrixRows(space isa.Space, addr []uint64, rows []ptr) bool {
	first, offset := spaceOf(space, addr[0])
	c, ok := g.cellOf(first, offset, matrixRowBytes)
	if !ok || c.local || c.around.size < matrixRowBytes {
		return false
	}
	// Most often all are in the same region; addresses are more by this than offsets in the space.
	window := addr[0] - offset
	begin, last := c.around.start+window, c.around.size-matrixRowBytes
	for i, a := range addr {
		if a-begin > last || (a-window)%matrixRowBytes != 0 {
			return false
		}
		rows[i] = unsafe.Add(c.p, a-addr[0])
	}
	return true
}

// uniform returns the value that all lanes have in a register; false where they do not, or may not.
func (g *gang) uniform(o operand, w int) (uint64, bool) {
	switch {
	case o.offset < 0 || o.negate:
		return 0, false
	case o.bits == 64:
		row, differ := (*[warpLanes]uint64)(g.row(o, w)), uint64(0)
		for _, v := range row {
			differ |= v ^ row[0]
		}
		return row[0], differ == 0
	case o.bits == 32:
		row, differ := (*[warpLanes]uint32)(g.row(o, w)), uint32(0)
		for _, v := range row {
			differ |= v ^ row[0]
		}
		return uint64(row[0]), differ == 0
	}
	return 0, false
}

// uniformAddress returns the address that an operand is in all lanes; false where they differ, or may.
func (g *gang) uniformAddress(m *memoryOp, w int) (uint64, bool) {
	if m.base.offset < 0 {
		return m.offset, true
	}
	base, ok := g.uniform(m.base, w)
	if m.narrow {
		return uint64(uint32(base + m.offset)), ok
	}
	return base + m.offset, ok && m.base.bits == 64
}

// loadFragment is a wmma.load of a whole warp.
func (g *gang) loadFragment(o *op, w int, f *fragmentLoad) bool {
	stride := uint64(f.stride)
	if f.stride == 0 {
		var ok bool
		if stride, ok = g.uniform(o.srcs[0], w); !ok {
			return false
		}
	}
	first, ok := g.uniformAddress(o.mem, w)
	const most = 1 << 24 // of a stride, so that nothing below overflows
	if !ok || stride > most {
		return false
	}
	size := 2 * (uint64(f.rows-1)*stride + uint64(f.columns))
	b, fault := asyncMemory{g}.Bytes(o.mem.space, first, int(size), 2)
	if fault != nil {
		return false
	}
	if g.observed() {
		m := g.describeMatrix(o, w, allLanes)
		m.Moved = true
		o.matrix(m)
	}
	base := ptr(unsafe.SliceData(b))
	for i, d := range o.dst {
		place, to := &f.places[i], g.row32(d, w)
		switch {
		case to == nil:
			continue
		case place.same >= 0 && o.dst[place.same].offset >= 0:
			*to = *g.row32(o.dst[place.same], w)
			continue
		}
		var rows [matrixRows]ptr
		at := 2 * (uint64(place.row)*stride + uint64(place.column))
		for r := range rows {
			rows[r] = unsafe.Add(base, at)
			at += 2 * stride
		}
		o.move.load(to, &rows)
	}
	return true
}
