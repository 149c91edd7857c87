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

// matrixStep is a load of matrices as machine code makes it for the whole warps of a gang. Its layout is known to the machine code.
type matrixStep struct {
	offset     uint64 // added to the addresses
	narrow     uint32 // 1 where these have 32 bits
	transposed uint32 // 1 for that
	// Of a fragment: bytes between two rows of its memory, 0 where a register gives the elements, the number of rows but for one, and the bytes of a row.
	stride, rows, bytes uint64
	count               uint64 // of registers
	registers           [8]matrixRegister
}

// matrixRegister is one of the registers that are loaded: where it is, and of a fragment what it holds. Its layout is known to the machine code.
type matrixRegister struct {
	to, same    uint64 // bytes from the frame; same is a register before it that holds the same, 0 for none
	row, column uint64 // of the fragment's memory where its matrix begins, the column in bytes
}

// codeMatrices has machine code run the loads of matrices.
func (b *builder) codeMatrices() {
	for i := range b.ops {
		o := &b.ops[i]
		if o.move == nil || o.guard.offset >= 0 || o.enters || b.observed || b.unit.encoder == nil || o.after >= len(b.steps) {
			continue
		}
		s := step{d: uint32(o.counter), x: uint32(o.pc), y: 1, a: uint32(o.mem.base.offset), e: uint32(o.mem.region * regionBytes), next: b.stepAddress(o.after)}
		if o.step = b.matrixStep(o, &s); o.step != nil {
			s.imm = uint64(uintptr(unsafe.Pointer(o.step)))
			b.steps[i] = s
		}
	}
}

// matrixStep returns what machine code does for a load of matrices; nil where it can not.
func (b *builder) matrixStep(o *op, s *step) *matrixStep {
	x := &matrixStep{offset: o.mem.offset, count: uint64(len(o.dst))}
	if o.mem.base.offset < 0 || len(o.dst) > len(x.registers) {
		return nil
	}
	flag := func(on bool) uint32 {
		if on {
			return 1
		}
		return 0
	}
	x.narrow, x.transposed = flag(o.mem.narrow), flag(o.move.transposed)
	s.code = b.unit.controls[controlLoadRows]
	f := o.move.fragment
	if f != nil {
		s.code = b.unit.controls[controlLoadFragment]
		x.rows, x.bytes, x.stride = uint64(f.rows-1), uint64(2*f.columns), uint64(2*f.stride)
		if f.stride == 0 {
			if o.srcs[0].offset < 0 || o.srcs[0].bits != 32 {
				return nil
			}
			s.b = uint32(o.srcs[0].offset)
		}
	}
	for i, d := range o.dst {
		if d.offset < 0 || d.bits != 32 || d.overlaps(o.mem.base, b.warps) || f != nil && f.stride == 0 && d.overlaps(o.srcs[0], b.warps) {
			return nil
		}
		r := &x.registers[i]
		r.to = uint64(d.offset)
		if f == nil {
			continue
		}
		place := &f.places[i]
		r.row, r.column = uint64(place.row), uint64(2*place.column)
		if place.same >= 0 {
			r.same = uint64(o.dst[place.same].offset)
		}
	}
	return x
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
		if o.mem.space != isa.Shared {
			o.mem.region = b.regions
			b.regions++
		}
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
	if !g.matrixRows(o.mem, addr[:count], rows[:count]) {
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
func (g *gang) matrixRows(m *memoryOp, addr []uint64, rows []ptr) bool {
	first, offset := spaceOf(m.space, addr[0])
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
	g.remember(m, window, c.around)
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
	space, offset := spaceOf(o.mem.space, first)
	c, ok := g.cellOf(space, offset, int(size))
	if !ok || c.local || space == isa.ParamEntry || offset%2 != 0 {
		return false
	}
	g.remember(o.mem, first-offset, c.around)
	if g.observed() {
		m := g.describeMatrix(o, w, allLanes)
		m.Moved = true
		o.matrix(m)
	}
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
			rows[r] = unsafe.Add(c.p, at)
			at += 2 * stride
		}
		o.move.load(to, &rows)
	}
	return true
}
