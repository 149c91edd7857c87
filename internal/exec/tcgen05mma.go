package exec

import (
	"strings"

	"silica/internal/isa"
	"silica/internal/mma"
)

// tensorProduct is a tcgen05.mma form, decoded.
type tensorProduct struct {
	form *isa.Form
	kind string // "f16"
	// sparse tells that A keeps half of its elements, ws that the product is weight-stationary, fromTensor that A is in
	// tensor memory, pair that two blocks compute it together.
	sparse, ws, fromTensor, pair bool
	blocks                       int // scales of a row, 0 for none
	// Where the operands are among the sources.
	aDesc, bDesc, idesc, mask, enable, shift, zeroColumns int
}

// bindTensorProduct is tcgen05.mma.
func bindTensorProduct(f *isa.Form) AsyncFunc {
	p := &tensorProduct{
		form: f, sparse: f.Has(".sp"), ws: f.Has(".ws"), pair: f.Has(".cta_group::2"),
		aDesc: sourceNamed(f, "a-desc"), bDesc: sourceNamed(f, "b-desc"), idesc: sourceNamed(f, "idesc"),
		mask: sourceNamed(f, "disable-output-lane"), enable: sourceNamed(f, "enable-input-d"), shift: sourceNamed(f, "scale-input-d"),
		zeroColumns: sourceNamed(f, "zero-column-mask"),
	}
	for _, m := range f.Mods {
		if kind, ok := strings.CutPrefix(m, ".kind::"); ok {
			p.kind = kind
		}
	}
	p.fromTensor = p.aDesc < 0
	if f.Has(".block_scale") {
		p.blocks = 2
		switch scales := f.Get("scale_vectorsize"); {
		case p.kind == "mxf8f6f4":
			p.blocks = 1
		case scales == ".scale_vec::4X" || scales == ".block16":
			p.blocks = 4
		}
	}
	return p.run
}

// instruction is a tcgen05.mma with the fields of its instruction descriptor (PTX ISA, "Instruction Descriptor").
type instruction struct {
	*tensorProduct
	mma.Matrices
	transposeA, transposeB bool
	selector               int // of the metadata
	scaleA, scaleB         int // bytes of a word
	// bitsA and bitsB are the widths of elements in shared memory, with padding; packedA and packedB without.
	bitsA, bitsB, packedA, packedB int
	layout                         tensorLayout
}

// tensorLayout says where a block has its rows of D, and A, in tensor memory: parts of the columns lie in parts of the lanes.
type tensorLayout struct {
	rows  int // of a block
	parts int
	// half tells that of each 32 lanes 16 are used.
	half bool
}

// lane returns the lane of a row in a part.
func (l tensorLayout) lane(row, part int) int {
	if l.half {
		return row/16*32 + row%16
	}
	return part*(tensorLanes/l.parts) + row
}

// decode reads the instruction descriptor.
func (p *tensorProduct) decode(word uint32) (x *instruction, fault *Fault) {
	field := func(at, width int) int { return int(word >> at & (1<<width - 1)) }
	refuse := func(format string, args ...any) *Fault {
		return illegal("tcgen05.mma of kind %s: "+format, append([]any{p.kind}, args...)...)
	}
	x = &instruction{tensorProduct: p, bitsA: 8, bitsB: 8}
	m := &x.Matrices
	m.Columns, m.Rows, m.Sparse, m.Blocks = field(17, 6)*8, field(24, 5)*16, p.sparse, p.blocks
	m.NegateA, m.NegateB, m.Saturate = field(13, 1) != 0, field(14, 1) != 0, field(3, 1) != 0
	x.transposeA, x.transposeB = field(15, 1) != 0, field(16, 1) != 0
	if field(2, 1) != 0 != p.sparse {
		return nil, refuse("the instruction descriptor says whether A is sparse; the instruction says otherwise")
	}
	typeA, typeB, typeD := field(7, 3), field(10, 3), field(4, 2)
	m.Depth = 32
	var ok, okB bool
	switch p.kind {
	case "f16":
		m.Depth, x.bitsA, x.bitsB = 16, 16, 16
		m.A, ok = pick(typeA, mma.F16, mma.BF16)
		m.B, okB = pick(typeB, mma.F16, mma.BF16)
	case "tf32":
		m.Depth, x.bitsA, x.bitsB = 8, 32, 32
		m.A, m.B, ok, okB = mma.TF32, mma.TF32, typeA == 2, typeB == 2
	case "i8":
		m.A, ok = pick(typeA, mma.U8, mma.S8)
		m.B, okB = pick(typeB, mma.U8, mma.S8)
	case "f8f6f4", "mxf8f6f4":
		m.A, ok = pick(typeA, mma.E4M3, mma.E5M2, noElement, mma.E2M3, mma.E3M2, mma.E2M1)
		m.B, okB = pick(typeB, mma.E4M3, mma.E5M2, noElement, mma.E2M3, mma.E3M2, mma.E2M1)
	default:
		m.Depth, x.bitsA, x.bitsB = 64, 4, 4
		m.A, m.B, ok, okB = mma.E2M1, mma.E2M1, typeA == 1, typeB&3 == 1
	}
	if !ok || !okB {
		return nil, refuse("types %d of A and %d of B in the instruction descriptor", typeA, typeB)
	}
	if p.sparse {
		m.Depth *= 2
	}
	x.packedA, x.packedB = packedBits(m.A), packedBits(m.B)
	if (x.packedA < 8 && x.transposeA) || (x.packedB < 8 && x.transposeB) {
		return nil, refuse("elements of less than 8 bits are not transposed")
	}
	if p.blocks > 0 {
		m.D, x.scaleB, x.scaleA = mma.F32, field(4, 2), field(29, 2)
		m.Rows = field(27, 2) * 128
		if field(23, 1) == 0 {
			m.Scale = mma.UE4M3
		}
		if m.Scale == mma.UE4M3 && (p.kind != "mxf4nvf4" || p.blocks != 4) {
			return nil, refuse("scales of type ue4m3 are for blocks of 16 elements of kind mxf4nvf4")
		}
		if field(31, 1) != 0 {
			return nil, refuse("a depth of 96 is not executed: the manual shows the places of its scales in figures only")
		}
	} else if m.D, ok = pick(typeD, mma.F16, mma.F32, mma.S32); !ok || (m.D == mma.S32) != (p.kind == "i8") ||
		m.D == mma.F16 && (p.kind == "tf32" || p.kind == "f16" && (m.A != mma.F16 || m.B != mma.F16)) {
		return nil, refuse("type %d of D in the instruction descriptor", typeD)
	}
	x.selector = field(0, 2)
	if p.shift >= 0 && p.kind == "i8" {
		return nil, refuse("sums of integers are not scaled")
	}
	return x, p.shape(x, refuse)
}

// noElement stands for a number that no type has.
const noElement mma.Element = 0xFF

// pick returns the element type of a number.
func pick(number int, types ...mma.Element) (mma.Element, bool) {
	if number >= len(types) || types[number] == noElement {
		return 0, false
	}
	return types[number], true
}

// packedBits is the width of an element without padding.
func packedBits(e mma.Element) int {
	switch e {
	case mma.E2M3, mma.E3M2:
		return 6
	}
	return e.Bits()
}

// shape checks the shape and sets the layout (PTX ISA, "Data Path Layout Organization").
func (p *tensorProduct) shape(x *instruction, refuse func(format string, args ...any) *Fault) *Fault {
	m, n := x.Rows, x.Columns
	groups := 1
	if p.pair {
		groups = 2
	}
	step, least := 8*groups, 8*groups
	switch {
	case p.ws:
		step, least = 64, 64
		if n == 192 || p.sparse && n == 256 {
			n = 0
		}
	case p.kind == "i8" && p.pair:
		step, least = 32, 32
	case p.kind == "i8" && n > 32:
		step = 16
	}
	rows := m/groups == 128 || m/groups == 64 && p.blocks == 0 || p.ws && m == 32 || p.pair && p.blocks > 0 && m == 128 && !p.sparse
	if !rows || n < least || n > 256 || n%step != 0 || m%groups != 0 {
		return refuse("there is no shape of %d rows and %d columns", m, x.Columns)
	}
	if x.transposeB && x.bitsB == 8 && n%(16*groups) != 0 {
		return refuse("with B of 8 bits transposed %d columns; a multiple of %d is wanted", n, 16*groups)
	}
	x.layout = tensorLayout{rows: m / groups, parts: 1}
	switch {
	case p.ws:
		x.layout.parts = 128 / m
	case m/groups == 64 && p.pair && !p.sparse:
		x.layout.parts = 2
	case m/groups == 64:
		x.layout.half = true
	}
	if p.sparse && x.layout.half {
		return refuse("sparse products of %d rows a block are not executed: the manual shows the places of their metadata in a figure only", m/groups)
	}
	if p.sparse && x.selector != 0 {
		return refuse("sparsity selector %d is not executed: the manual shows what it selects in a figure only", x.selector)
	}
	return nil
}

// run computes the product.
func (p *tensorProduct) run(a *Async) *Fault {
	x, fault := p.decode(uint32(a.Src[p.idesc]))
	if fault != nil {
		return fault
	}
	blocks, fault := tensorBlocks(p.form, a)
	if fault != nil {
		return fault
	}
	b, fault := x.columnsOfB(a, blocks)
	if fault != nil {
		return fault
	}
	// All results are computed before one is stored: D may overlap what is read.
	type result struct {
		to   [][tensorLanes]uint32
		d    []uint32
		part int
		rank int
	}
	var results []result
	for i, rank := range blocks {
		for part := range x.layout.parts {
			lane, column := tensorAddress(a.Addr[0])
			n := x.Columns / x.layout.parts
			to, fault := a.Memory.Tensor(rank).columns(column, n)
			if fault != nil {
				return fault
			}
			if lane != 0 && !(lane == 16 && x.layout.half) {
				return illegal("tcgen05.mma with D from lane %d of tensor memory on", lane)
			}
			part1 := *x
			part1.Rows, part1.Columns = x.layout.rows, n
			o := &mma.MatrixOperands{B: b[part*n*x.Depth:][:n*x.Depth]}
			if fault := part1.operands(a, o, rank, part, to, lane); fault != nil {
				return fault
			}
			r := result{to: to, d: make([]uint32, part1.Rows*n), part: part, rank: i}
			part1.Run(o, r.d)
			results = append(results, r)
		}
	}
	lane, _ := tensorAddress(a.Addr[0])
	for _, r := range results {
		for i, v := range r.d {
			n := x.Columns / x.layout.parts
			at := lane + x.layout.lane(i/n, r.part)
			if p.mask >= 0 && a.Src[p.mask+r.rank*4+at/32]>>(at%32)&1 != 0 {
				continue
			}
			r.to[i%n][at] = v
		}
	}
	return nil
}

// operands gathers what a block has of A and C, and the scales, for a part of the columns.
func (x *instruction) operands(a *Async, o *mma.MatrixOperands, rank, part int, d [][tensorLanes]uint32, lane int) (fault *Fault) {
	if a.Src[x.enable] != 0 {
		o.C = make([]uint32, x.Rows*x.Columns)
		for i := range o.C {
			o.C[i] = d[i%x.Columns][lane+x.layout.lane(i/x.Columns, part)]
			if x.D == mma.F16 {
				o.C[i] &= 0xFFFF
			}
		}
		if x.tensorProduct.shift >= 0 {
			o.Shift = int(a.Src[x.tensorProduct.shift])
		}
	}
	next := 1 // memory operand after D
	if x.fromTensor {
		if o.A, fault = x.tensorA(a, rank, part); fault != nil {
			return fault
		}
		next++
	} else if o.A, fault = x.sharedA(a, rank); fault != nil {
		return fault
	}
	if x.sparse {
		if o.Kept, fault = x.kept(a, rank, part, a.Addr[next]); fault != nil {
			return fault
		}
		next++
	}
	if x.blocks == 0 {
		return nil
	}
	if o.ScaleA, fault = x.scales(a, rank, a.Addr[next], x.scaleA, x.Rows, 0); fault != nil {
		return fault
	}
	firstLane := 0
	if x.layout.parts == 2 {
		firstLane = part * 64
	}
	o.ScaleB, fault = x.scales(a, rank, a.Addr[next+1], x.scaleB, x.Columns, firstLane)
	return fault
}

// perRow is the number of elements of A that a row keeps.
func (x *instruction) perRow() int {
	if x.sparse {
		return x.Depth / 2
	}
	return x.Depth
}

// sharedA reads the rows of A that a block has in its shared memory.
func (x *instruction) sharedA(a *Async, rank int) ([]uint32, *Fault) {
	m, fault := tensorMatrixOf(a.Src[x.aDesc], rank, x.bitsA)
	if fault != nil {
		return nil, fault
	}
	m.transposed = x.transposeA
	if fault := m.check(); fault != nil {
		return nil, fault
	}
	var list []uint32
	for row := range x.Rows {
		if list, fault = a.elements(list, &m, row, x.perRow(), x.packedA); fault != nil {
			return nil, fault
		}
	}
	return list, nil
}

// check refuses swizzles that a transposed matrix does not have (PTX ISA, "Valid Combinations of Type-Size, Major-ness
// and Swizzling").
func (d *tensorMatrix) check() *Fault {
	if d.transposed && d.coarse != (d.bits == 32) {
		return illegal("a transposed matrix of elements of %d bits with this swizzle; 32 bits go with swizzle mode 1, others with others", d.bits)
	}
	return nil
}

// tensorA reads the rows of A that a block has in its tensor memory, of which a part has a copy. Elements of less than 8 bits have
// a byte each, those of kinds mxf4 and mxf4nvf4 half of one.
func (x *instruction) tensorA(a *Async, rank, part int) ([]uint32, *Fault) {
	x.A = x.A.InByte()
	if x.bitsA == 4 {
		x.A = mma.E2M1
	}
	lane, column := tensorAddress(a.Addr[1])
	if lane != 0 && !(lane == 16 && x.layout.half) {
		return nil, illegal("tcgen05.mma with A from lane %d of tensor memory on", lane)
	}
	perWord := 32 / x.bitsA
	words, fault := a.Memory.Tensor(rank).columns(column, x.perRow()/perWord)
	if fault != nil {
		return nil, fault
	}
	list := make([]uint32, 0, x.Rows*x.perRow())
	for row := range x.Rows {
		at := lane + x.layout.lane(row, part)
		for i := range x.perRow() {
			list = append(list, words[i/perWord][at]>>(i%perWord*x.bitsA)&uint32(1<<x.bitsA-1))
		}
	}
	return list, nil
}

// columnsOfB reads B, of which a block of a pair has half of the columns.
func (x *instruction) columnsOfB(a *Async, blocks []int) ([]uint32, *Fault) {
	zero, shift := x.zeroed(a)
	var list []uint32
	for _, rank := range blocks {
		m, fault := tensorMatrixOf(a.Src[x.bDesc], rank, x.bitsB)
		if fault != nil {
			return nil, fault
		}
		m.transposed = x.transposeB
		if fault := m.check(); fault != nil {
			return nil, fault
		}
		for column := range x.Columns / len(blocks) {
			if list, fault = a.elements(list, &m, column+shift, x.Depth, x.packedB); fault != nil {
				return nil, fault
			}
			if zero(column) {
				clear(list[len(list)-x.Depth:])
			}
		}
	}
	return list, nil
}

// zeroed reads the descriptor of columns of B that count as zero (PTX ISA, "Zero-Column Mask Descriptor"): spans that are used
// and spans that are not alternate, in parts of the columns that begin anew.
func (x *instruction) zeroed(a *Async) (zero func(column int) bool, shift int) {
	if x.zeroColumns < 0 {
		return func(int) bool { return false }, 0
	}
	word := a.Src[x.zeroColumns]
	shift = int(word >> 56 & 63)
	if word>>39&1 == 0 {
		return func(int) bool { return false }, shift
	}
	skip, use := int(word>>40&0xFF)+1, int(word>>48&0xFF)+1
	n := x.Columns / x.layout.parts
	return func(column int) bool {
		part := column / n
		at := column%n + int(word>>(8*part)&0xFF)
		if word>>(32+part)&1 != 0 { // begins with columns that are not used
			at += use
		}
		return at%(skip+use) >= use
	}, shift
}

// scales reads the scales of rows in tensor memory: 32 rows a column, one after the other in a word.
func (x *instruction) scales(a *Async, rank int, addr uint64, first, rows, firstLane int) ([]uint8, *Fault) {
	_, column := tensorAddress(addr)
	words, fault := a.Memory.Tensor(rank).columns(column, (rows+31)/32)
	if fault != nil {
		return nil, fault
	}
	if first+x.blocks > 4 || x.blocks == 2 && first%2 != 0 {
		return nil, illegal("scales from byte %d of a word on", first)
	}
	list := make([]uint8, 0, rows*x.blocks)
	for row := range rows {
		for i := range x.blocks {
			list = append(list, uint8(words[row/32][firstLane+row%32]>>(8*(first+i))))
		}
	}
	return list, nil
}

// kept reads the metadata of a sparse A in tensor memory: of each four units two are kept, and two bits say which a kept one is.
// Units are elements, halves of a tf32, or pairs of elements of 4 bits. (The places are those of CUTLASS' tmem_e_frg.)
func (x *instruction) kept(a *Async, rank, part int, addr uint64) ([]uint16, *Fault) {
	lane, column := tensorAddress(addr)
	words := 2
	if x.bitsA >= 16 {
		words = 1
	}
	memory, fault := a.Memory.Tensor(rank).columns(column, words)
	if fault != nil {
		return nil, fault
	}
	if lane != 0 {
		return nil, illegal("metadata from lane %d of tensor memory on", lane)
	}
	perRow := x.perRow()
	list := make([]uint16, 0, x.Rows*perRow)
	for row := range x.Rows {
		for i := range perRow {
			unit := i // of the kept ones
			switch {
			case x.A == mma.TF32:
				unit = 2 * i
			case x.bitsA == 4:
				unit = i / 2
			}
			at, bit := x.layout.lane(row, part), 2*unit
			if words == 1 { // lanes have the halves of rows that lie eight apart
				at = x.layout.lane(row/16*16+row%8, part) + bit/16*8
				bit = bit%16 + row/8%2*16
			}
			two := int(memory[bit/32][at] >> (bit % 32) & 3)
			columnOf := unit/2*4 + two
			switch {
			case x.A == mma.TF32:
				columnOf /= 2
			case x.bitsA == 4:
				columnOf = 2*columnOf + i%2
			}
			list = append(list, uint16(columnOf))
		}
	}
	return list, nil
}
