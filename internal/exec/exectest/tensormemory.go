package exectest

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"silica/internal/exec"
	"silica/internal/fp"
)

// element is a type of elements of a product in tensor memory: with its number in the instruction descriptor, its width in
// shared memory and in tensor memory, and where it stands in the latter.
type element struct {
	code   int
	format fp.Format
	signed bool // of integers
	bits   int
	packed int // bits in shared memory without padding
	shift  int
}

var (
	f16  = element{0, fp.F16, false, 16, 16, 0}
	bf16 = element{1, fp.BF16, false, 16, 16, 0}
	tf32 = element{2, fp.TF32, false, 32, 32, 0}
	f32  = element{1, fp.F32, false, 32, 32, 0}
	e4m3 = element{0, fp.E4M3, false, 8, 8, 0}
	e5m2 = element{1, fp.E5M2, false, 8, 8, 0}
	e2m3 = element{3, fp.E2M3, false, 8, 6, 0}
	e3m2 = element{4, fp.E3M2, false, 8, 6, 0}
	e2m1 = element{5, fp.E2M1, false, 8, 4, 2}
	fp4  = element{1, fp.E2M1, false, 4, 4, 0}
	u8   = element{0, integer, false, 8, 8, 0}
	s8   = element{1, integer, true, 8, 8, 0}
	s32  = element{2, integer, true, 32, 32, 0}
)

// integer stands for no format.
const integer fp.Format = 0xFF

// encode returns the bits of a small number.
func (e element) encode(x float64) uint32 {
	if e.format == integer {
		return uint32(int32(x)) & uint32(1<<e.bits-1)
	}
	return uint32(fp.Convert(fp.F64, e.format, math.Float64bits(x), fp.RN))
}

// decode is its inverse.
func (e element) decode(v uint32) float64 {
	if e.format == integer {
		return float64(int32(v))
	}
	return math.Float64frombits(fp.Convert(e.format, fp.F64, uint64(v), fp.RN))
}

// tensorCase is a product.
type tensorCase struct {
	name string // modifiers of the instruction after tcgen05.mma
	a, b element
	d    element
	m, n int
	k    int
	// swizzle of the matrices in shared memory, as in their descriptors; transposed factors.
	swizzle                int
	transposeA, transposeB bool
	fromTensor             bool // A
	blocks                 int  // scales of a row
	enable                 bool
	more                   string // operands at the end
	zero                   uint64 // descriptor of columns that count as zero
	negateA, negateB       bool
	scaleByte              int // the first of the scales in a word
}

var tensorCases = []tensorCase{
	{name: ".cta_group::1.kind::f16", a: f16, b: f16, d: f32, m: 128, n: 64, k: 16, swizzle: 2},
	{name: ".cta_group::1.kind::f16", a: f16, b: f16, d: f16, m: 64, n: 24, k: 16, swizzle: 4, enable: true},
	{name: ".cta_group::1.kind::f16", a: bf16, b: bf16, d: f32, m: 128, n: 256, k: 16, swizzle: 6, enable: true, fromTensor: true},
	{name: ".cta_group::1.kind::f16", a: f16, b: f16, d: f32, m: 64, n: 8, k: 16, fromTensor: true},
	{name: ".cta_group::1.kind::f16", a: f16, b: bf16, d: f32, m: 128, n: 64, k: 16, swizzle: 2, transposeA: true, transposeB: true, enable: true},
	{name: ".cta_group::1.kind::f16", a: f16, b: f16, d: f32, m: 128, n: 64, k: 16, transposeA: true, transposeB: true},
	{name: ".cta_group::1.kind::f16", a: f16, b: f16, d: f32, m: 128, n: 64, k: 16, swizzle: 4, transposeA: true},
	{name: ".cta_group::1.kind::f16", a: f16, b: f16, d: f32, m: 128, n: 32, k: 16, swizzle: 2, enable: true, more: ", 3"},
	{name: ".cta_group::1.kind::f16", a: f16, b: f16, d: f32, m: 128, n: 32, k: 16, swizzle: 2, more: "lanes"},
	{name: ".cta_group::2.kind::f16", a: f16, b: f16, d: f32, m: 256, n: 128, k: 16, swizzle: 2, enable: true},
	{name: ".cta_group::2.kind::f16", a: f16, b: f16, d: f32, m: 128, n: 64, k: 16, swizzle: 2, enable: true},
	{name: ".cta_group::2.kind::f16", a: f16, b: f16, d: f32, m: 128, n: 64, k: 16, fromTensor: true},
	{name: ".cta_group::1.kind::tf32", a: tf32, b: tf32, d: f32, m: 128, n: 40, k: 8, enable: true},
	{name: ".cta_group::1.kind::tf32", a: tf32, b: tf32, d: f32, m: 64, n: 64, k: 8, swizzle: 1, transposeA: true, transposeB: true},
	{name: ".cta_group::1.kind::f8f6f4", a: e4m3, b: e5m2, d: f32, m: 128, n: 48, k: 32, swizzle: 2, enable: true},
	{name: ".cta_group::1.kind::f8f6f4", a: e2m3, b: e3m2, d: f16, m: 128, n: 16, k: 32, swizzle: 4},
	{name: ".cta_group::1.kind::f8f6f4", a: e2m1, b: e2m1, d: f32, m: 64, n: 16, k: 32},
	{name: ".cta_group::1.kind::f8f6f4", a: e2m1, b: e4m3, d: f32, m: 128, n: 32, k: 32, fromTensor: true, transposeB: true, swizzle: 6},
	{name: ".cta_group::1.kind::i8", a: s8, b: u8, d: s32, m: 128, n: 32, k: 32, swizzle: 2, enable: true},
	{name: ".cta_group::2.kind::i8", a: u8, b: s8, d: s32, m: 256, n: 64, k: 32},
	{name: ".cta_group::1.kind::mxf8f6f4.block_scale.block32", a: e4m3, b: e3m2, d: f32, m: 128, n: 64, k: 32, blocks: 1, enable: true},
	{name: ".cta_group::2.kind::mxf8f6f4.block_scale.scale_vec::1X", a: e5m2, b: e4m3, d: f32, m: 256, n: 96, k: 32, blocks: 1, swizzle: 2},
	{name: ".cta_group::2.kind::mxf8f6f4.block_scale.block32", a: e5m2, b: e4m3, d: f32, m: 128, n: 64, k: 32, blocks: 1, swizzle: 2},
	{name: ".cta_group::1.kind::mxf4.block_scale", a: fp4, b: fp4, d: f32, m: 128, n: 64, k: 64, blocks: 2, swizzle: 2},
	{name: ".cta_group::1.kind::mxf8f6f4.block_scale.block32", a: e4m3, b: e4m3, d: f32, m: 128, n: 16, k: 32, blocks: 1, scaleByte: 3, negateA: true},
	{name: ".cta_group::1.kind::mxf4.block_scale.block32", a: fp4, b: fp4, d: f32, m: 128, n: 64, k: 64, blocks: 2, swizzle: 2, scaleByte: 2, enable: true},
	{name: ".cta_group::1.kind::f16", a: f16, b: f16, d: f32, m: 128, n: 64, k: 16, swizzle: 2, enable: true, negateB: true},
	{name: ".cta_group::1.kind::mxf4nvf4.block_scale.block16", a: fp4, b: fp4, d: f32, m: 128, n: 72, k: 64, blocks: 4, fromTensor: true},
	{name: ".sp.cta_group::1.kind::f16", a: f16, b: f16, d: f32, m: 128, n: 64, k: 32, swizzle: 2, enable: true},
	{name: ".sp.cta_group::1.kind::tf32", a: tf32, b: tf32, d: f32, m: 128, n: 64, k: 16, swizzle: 2},
	{name: ".sp.cta_group::2.kind::f8f6f4", a: e4m3, b: e4m3, d: f32, m: 256, n: 64, k: 64, swizzle: 2, enable: true},
	{name: ".sp.cta_group::1.kind::i8", a: s8, b: s8, d: s32, m: 128, n: 32, k: 64},
	{name: ".sp.cta_group::1.kind::mxf4.block_scale.block32", a: fp4, b: fp4, d: f32, m: 128, n: 64, k: 128, blocks: 2, swizzle: 2},
	{name: ".ws.cta_group::1.kind::f16", a: f16, b: f16, d: f32, m: 32, n: 128, k: 16, swizzle: 2, enable: true},
	{name: ".ws.cta_group::1.kind::f16", a: f16, b: f16, d: f32, m: 64, n: 64, k: 16, fromTensor: true},
	{name: ".ws.cta_group::1.kind::i8", a: s8, b: s8, d: s32, m: 128, n: 64, k: 32},
	{name: ".ws.cta_group::1.kind::tf32", a: tf32, b: tf32, d: f32, m: 64, n: 128, k: 8, more: ", %rd7", zero: 3<<56 | 3<<48 | 2<<40 | 1<<39 | 1<<33 | 2},
	{name: ".ws.sp.cta_group::1.kind::f16", a: f16, b: f16, d: f32, m: 64, n: 64, k: 32, swizzle: 2},
	{name: ".ws.sp.cta_group::1.kind::f8f6f4", a: e4m3, b: e5m2, d: f32, m: 32, n: 64, k: 64, swizzle: 2},
}

// The columns of tensor memory, and the addresses of shared memory, where operands are.
const (
	columnsOfA, columnsOfMeta, columnsOfScaleA, columnsOfScaleB = 256, 272, 288, 304
	addressOfA, addressOfB                                      = 0, 16384
	sharedImage, tensorImage                                    = 49152, 512 * 128 * 4
	blockImages                                                 = sharedImage + 2*tensorImage + 256
)

// images are the memories of a block, before and after.
type images struct{ shared, tensor []byte }

// put sets bits of a word of tensor memory.
func (x images) put(lane, column, shift int, v uint32) {
	p := x.tensor[(lane*512+column)*4:]
	binary.LittleEndian.PutUint32(p, binary.LittleEndian.Uint32(p)|v<<shift)
}

func (c *tensorCase) sparse() bool { return strings.Contains(c.name, ".sp") }
func (c *tensorCase) ws() bool     { return strings.Contains(c.name, ".ws") }

func (c *tensorCase) groups() int {
	if strings.Contains(c.name, "cta_group::2") {
		return 2
	}
	return 1
}

// perRow is the number of elements that a row of A keeps.
func (c *tensorCase) perRow() int {
	if c.sparse() {
		return c.k / 2
	}
	return c.k
}

// placeD returns the block, lane and column of an element of D.
func (c *tensorCase) placeD(row, column int) (block, lane, at int) {
	rows := c.m / c.groups()
	block, row = row/rows, row%rows
	switch {
	case c.ws():
		per := c.n * c.m / 128
		return 0, row + column/per*c.m, column % per
	case rows == 64 && c.groups() == 2:
		return block, row + column/(c.n/2)*64, column % (c.n / 2)
	case rows == 64:
		return block, row%16 + row/16*32, column
	}
	return block, row, column
}

// lanesOf returns the lanes that hold a row of A, with its copies.
func (c *tensorCase) lanesOf(row int) (lanes []int) {
	rows := c.m / c.groups()
	switch {
	case rows == 64 && !c.ws() && c.groups() == 1:
		return []int{row%16 + row/16*32}
	}
	for lane := row; lane < 128; lane += rows {
		lanes = append(lanes, lane)
	}
	return lanes
}

// describe returns a matrix descriptor.
func (c *tensorCase) describe(addr, leading, stride int) uint64 {
	return uint64(addr)>>4 | uint64(leading)>>4<<16 | uint64(stride)>>4<<32 | 1<<46 | uint64(c.swizzle)<<61
}

// matrix writes the elements of rows to shared memory and returns the descriptor.
func (c *tensorCase) matrix(x images, addr int, e element, rows [][]uint32, transposed bool) uint64 {
	width := map[int]int{0: 16, 1: 128, 2: 128, 4: 64, 6: 32}[c.swizzle]
	n := len(rows)
	var leading, stride int
	var offset func(row, k int) int // in bytes, and for packed elements of the piece
	perPiece := 128 / e.bits
	switch {
	case !transposed && c.swizzle == 0:
		leading, stride = n*16, 128
		offset = func(row, k int) int { return row/8*stride + row%8*16 + k/perPiece*leading }
	case !transposed:
		leading, stride = n/8*8*width, 8*width
		offset = func(row, k int) int {
			at := k / perPiece * 16
			return row/8*stride + row%8*width + at%width + at/width*leading
		}
	case c.swizzle == 0:
		leading, stride = n/perPiece*128, 128
		offset = func(row, k int) int { return row/perPiece*stride + k%8*16 + k/8*leading }
	default:
		columns := 8
		if c.swizzle == 1 {
			columns = 4
		}
		leading, stride = columns*width, n*e.bits/8/width*columns*width
		offset = func(row, k int) int {
			at := row / perPiece * 16
			return at%width + at/width*leading + k%columns*width + k/columns*stride
		}
	}
	for row, list := range rows {
		for k, v := range list {
			at, in := offset(row, k)+addr, k%perPiece
			if transposed {
				in = row % perPiece
			}
			switch c.swizzle {
			case 1:
				at ^= at >> 7 & 3 << 5
			case 2:
				at ^= at >> 7 & 7 << 4
			case 4:
				at ^= at >> 7 & 3 << 4
			case 6:
				at ^= at >> 7 & 1 << 4
			}
			bit := in * e.packed
			for i := range e.packed {
				x.shared[at+(bit+i)/8] |= byte(v>>i&1) << ((bit + i) % 8)
			}
		}
	}
	return c.describe(addr, leading, stride)
}

// instruction returns the instruction's text.
func (c *tensorCase) instruction() string {
	s := "tcgen05.mma" + c.name + " [%r14], "
	if c.fromTensor {
		s += "[%r15], "
	} else {
		s += "%rd5, "
	}
	s += "%rd6, "
	if c.sparse() {
		s += "[%r16], "
	}
	s += "%r12, "
	switch {
	case c.blocks > 0:
		return s + "[%r17], [%r18], %enable"
	case c.more == "lanes":
		return s + "{%r11, 0xF0F0F0F0, 0, 0xFFFFFFFF}, %enable"
	}
	return s + "%enable" + c.more
}

// descriptor returns the instruction descriptor.
func (c *tensorCase) descriptor() uint32 {
	word := c.a.code<<7 | c.b.code<<10 | c.n/8<<17
	if c.transposeA {
		word |= 1 << 15
	}
	if c.transposeB {
		word |= 1 << 16
	}
	if c.sparse() {
		word |= 1 << 2
	}
	if c.negateA {
		word |= 1 << 13
	}
	if c.negateB {
		word |= 1 << 14
	}
	if c.blocks > 0 {
		word |= c.scaleByte<<4 | c.scaleByte<<29
		if c.blocks < 4 {
			word |= 1 << 23
		}
		return uint32(word | c.m/128<<27)
	}
	return uint32(word | c.d.code<<4 | c.m/16<<24)
}

// checkTensorProducts compares products of small integers, which are exact, with those of doubles: of all kinds, shapes and
// layouts.
func checkTensorProducts(t *testing.T, e exec.Engine) {
	source, err := programs.ReadFile("testdata/tensor_memory_product.ptx")
	if err != nil {
		t.Fatal(err)
	}
	for i := range tensorCases {
		c := &tensorCases[i]
		text := strings.ReplaceAll(string(source), "PRODUCT", c.instruction())
		text = strings.ReplaceAll(text, "GROUP", "cta_group::"+string(rune('0'+c.groups())))
		l, out := newLaunchOf(t, "tensor_memory_product.ptx", []byte(text), c.groups(), 128, c.groups()*blockImages)
		l.Cluster.X, l.DynamicShared = c.groups(), sharedImage+16
		c.run(t, e, l, out, rand.New(rand.NewPCG(uint64(i), 1)))
	}
}

func (c *tensorCase) run(t *testing.T, e exec.Engine, l *exec.Launch, out []byte, r *rand.Rand) {
	t.Helper()
	var blocks []images
	for i := range c.groups() {
		part := out[i*blockImages+256:]
		blocks = append(blocks, images{part[:sharedImage], part[sharedImage:][:tensorImage]})
	}
	small := func(e element) float64 {
		x := float64(r.IntN(5) - 2)
		if e == u8 {
			x = math.Abs(x)
		}
		return x
	}
	a, kept := c.factorA(blocks, out, small, r)
	b := make([][]float64, c.n+8) // some more, for shifts
	bits := make([][]uint32, len(b))
	for i := range b {
		for range c.k {
			x := small(c.b)
			b[i], bits[i] = append(b[i], x), append(bits[i], c.b.encode(x))
		}
	}
	perBlock := c.n / c.groups()
	for i, x := range blocks {
		rows := bits[i*perBlock:][:perBlock]
		if c.groups() == 1 && c.zero != 0 {
			rows = bits
		}
		binary.LittleEndian.PutUint64(out[8:], c.matrix(x, addressOfB, c.b, rows, c.transposeB))
	}
	input := make([]float64, c.m*c.n)
	for i := range input {
		input[i] = float64(r.IntN(64) - 32)
		block, lane, column := c.placeD(i/c.n, i%c.n)
		blocks[block].put(lane, column, 0, c.d.encode(input[i]))
	}
	scaleA, scaleB := c.scales(blocks, r)
	binary.LittleEndian.PutUint32(out[16:], c.descriptor())
	if c.enable {
		out[24] = 1
	}
	binary.LittleEndian.PutUint64(out[32:], c.zero)
	for i, column := range []uint32{0, columnsOfA, columnsOfMeta, columnsOfScaleA, columnsOfScaleB} {
		binary.LittleEndian.PutUint32(out[40+4*i:], column)
	}
	if _, err := e.Run(context.Background(), l); err != nil {
		t.Errorf("%s: %v", c.name, err)
		return
	}
	for i := range input {
		row, column := i/c.n, i%c.n
		block, lane, at := c.placeD(row, column)
		want := 0.0
		for j, x := range a[row] {
			n := column
			if c.zero != 0 {
				n += int(c.zero >> 56)
			}
			product := x * b[n][kept[row][j]]
			if c.blocks > 0 {
				i := kept[row][j] / (c.k / c.blocks)
				product *= scaleA[row][i] * scaleB[column][i]
			}
			if c.negateA != c.negateB {
				product = -product
			}
			want += product
		}
		if c.zero != 0 && c.zeroed(column) {
			want = 0
		}
		if c.enable {
			scale := 1.0
			if c.more == ", 3" {
				scale = 1.0 / 8
			}
			want += input[i] * scale
		}
		if c.more == "lanes" && [4]uint32{0, 0xF0F0F0F0, 0, 0xFFFFFFFF}[lane/32]>>(lane%32)&1 != 0 {
			want = input[i]
		}
		result := out[block*blockImages+256+sharedImage+tensorImage:]
		got := c.d.decode(binary.LittleEndian.Uint32(result[(lane*512+at)*4:]))
		if got != want {
			t.Errorf("%s, %d by %d: element (%d,%d) is %v, want %v", c.name, c.m, c.n, row, column, got, want)
			return
		}
	}
}

// factorA makes A and puts it, and the metadata, where they belong.
func (c *tensorCase) factorA(blocks []images, out []byte, small func(element) float64, r *rand.Rand) (a [][]float64, kept [][]int) {
	bits := make([][]uint32, c.m)
	a, kept = make([][]float64, c.m), make([][]int, c.m)
	for row := range a {
		for i := range c.perRow() {
			x := small(c.a)
			a[row], bits[row] = append(a[row], x), append(bits[row], c.a.encode(x))
			at := i
			if c.sparse() {
				at = c.keep(i, kept[row], r)
			}
			kept[row] = append(kept[row], at)
		}
	}
	rows := c.m / len(blocks)
	for i, x := range blocks {
		if !c.fromTensor {
			binary.LittleEndian.PutUint64(out, c.matrix(x, addressOfA, c.a, bits[i*rows:][:rows], c.transposeA))
		}
		for row := range rows {
			for _, lane := range c.lanesOf(row) {
				for j, v := range bits[i*rows+row] {
					if c.fromTensor {
						x.put(lane, columnsOfA+j*c.a.bits/32, j*c.a.bits%32, v<<c.a.shift)
					}
					if c.sparse() {
						c.metadata(x, row, lane-row, j, kept[i*rows+row][j])
					}
				}
			}
		}
	}
	return a, kept
}

// unit is the number of elements of A that are kept together.
func (c *tensorCase) unit() int {
	if c.a == fp4 {
		return 2
	}
	return 1
}

// keep chooses the column of element i of a row: one of two elements of tf32, else two of four units, in order.
func (c *tensorCase) keep(i int, before []int, r *rand.Rand) int {
	unit := c.unit()
	switch {
	case c.a == tf32:
		return 2*i + r.IntN(2)
	case i%unit != 0:
		return before[i-1] + 1
	case i/unit%2 == 0:
		return (i/unit/2*4 + r.IntN(3)) * unit
	}
	group := i / unit / 2 * 4
	last := before[i-1] / unit
	return (last + 1 + r.IntN(group+3-last)) * unit
}

// metadata notes in tensor memory which column an element has.
func (c *tensorCase) metadata(x images, row, first, i, column int) {
	var nibble, shift int // two bits for each unit, four for a tf32
	switch {
	case c.a == tf32:
		nibble, shift = []int{0b0100, 0b1110}[column%2], 4*i
	case i%c.unit() != 0:
		return
	default:
		nibble, shift = column/c.unit()%4, 2*(i/c.unit())
	}
	if c.a.bits < 16 {
		x.put(first+row, columnsOfMeta+shift/32, shift%32, uint32(nibble))
		return
	}
	// Rows that lie eight apart share a word; the lanes of both have the halves of the metadata.
	x.put(first+row/16*16+row%8+shift/16*8, columnsOfMeta, shift%16+row/8%2*16, uint32(nibble))
}

// scales makes the scales and puts them in tensor memory, in all parts of the lanes.
func (c *tensorCase) scales(blocks []images, r *rand.Rand) (scaleA, scaleB [][]float64) {
	if c.blocks == 0 {
		return nil, nil
	}
	choose := func() (float64, uint32) {
		i := r.IntN(3) - 1
		x := math.Ldexp(1, i)
		if c.blocks == 4 {
			return x, uint32(fp.Convert(fp.F64, fp.E4M3, math.Float64bits(x), fp.RN))
		}
		return x, uint32(127 + i)
	}
	rows := c.m / len(blocks)
	for row := range c.m {
		var list []float64
		for i := range c.blocks {
			x, v := choose()
			list = append(list, x)
			for part := range 4 {
				blocks[row/rows].put(part*32+row%32, columnsOfScaleA+row%rows/32, 8*(i+c.scaleByte), v)
			}
		}
		scaleA = append(scaleA, list)
	}
	for column := range c.n {
		var list []float64
		for i := range c.blocks {
			x, v := choose()
			list = append(list, x)
			for _, block := range blocks {
				at, parts := column, []int{0, 1, 2, 3}
				if rows == 64 { // each half of the lanes has the columns that it computes
					at, parts = column%(c.n/2), []int{column / (c.n / 2) * 2, column/(c.n/2)*2 + 1}
				}
				for _, part := range parts {
					block.put(part*32+at%32, columnsOfScaleB+at/32, 8*(i+c.scaleByte), v)
				}
			}
		}
		scaleB = append(scaleB, list)
	}
	return scaleA, scaleB
}

// zeroed tells whether a column of B counts as zero: the descriptor of the case has spans of four columns that are used and of three
// that are not; the first half begins two columns late, the second with a span that is not used.
func (c *tensorCase) zeroed(column int) bool {
	if column < c.n/2 {
		return (column+2)%7 >= 4
	}
	return (column-c.n/2)%7 < 3
}
