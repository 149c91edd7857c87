package simd

import (
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

// fragmentLoad is a wmma.load: where in the fragment's memory the matrix of each register begins.
type fragmentLoad struct {
	places []struct{ row, column int }
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
		x.places = append(x.places, struct{ row, column int }{row, column})
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
		case active == allLanes && (o.move.fragment == nil || !g.observed()) && g.loadMatrices(o, w):
		case !g.matrix(o, w, active):
			return false
		}
	}
	return true
}

// loadMatrices is exec.Matrix's load for a whole warp. It returns false, having done nothing, where it can not. Fragments
// are not reported.
func (g *gang) loadMatrices(o *op, w int) bool {
	addr := &g.worker.matrixIO.Addr
	g.addresses(o.mem, w, allLanes, addr)
	var rows [4 * matrixRows]ptr
	if f := o.move.fragment; f != nil {
		return g.loadFragment(o, w, addr, f)
	}
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

// loadFragment is a wmma.load of a whole warp.
func (g *gang) loadFragment(o *op, w int, addr *[warpLanes]uint64, f *fragmentLoad) bool {
	stride := uint64(f.stride)
	if f.stride == 0 {
		stride = g.read(o.srcs[0], w, 0)
		for lane := range warpLanes {
			if g.read(o.srcs[0], w, lane) != stride {
				return false
			}
		}
	}
	for _, a := range addr {
		if a != addr[0] {
			return false
		}
	}
	const most = 1 << 24 // of a stride, so that nothing below overflows
	size := 2 * (uint64(f.rows-1)*stride + uint64(f.columns))
	if stride > most {
		return false
	}
	b, fault := asyncMemory{g}.Bytes(o.mem.space, addr[0], int(size), 2)
	if fault != nil {
		return false
	}
	for i, d := range o.dst {
		to := g.row32(d, w)
		if to == nil {
			continue
		}
		var rows [matrixRows]ptr
		for r := range rows {
			at := 2 * (uint64(f.places[i].row+r)*stride + uint64(f.places[i].column))
			rows[r] = ptr(unsafe.SliceData(b[at:]))
		}
		o.move.load(to, &rows)
	}
	return true
}
