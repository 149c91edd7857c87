package exec

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"silica/internal/fp"
	"silica/internal/mma"
)

// matrixLayout is a matrix of shared memory as the manual draws it, an element at a time.
type matrixLayout struct {
	start, leading, stride, base int
	width                        int // of the swizzle in bytes, 0 for none
	transposed                   bool
}

func (l *matrixLayout) descriptor() descriptorText {
	mode := map[int]uint64{0: 0, 128: 1, 64: 2, 32: 3}[l.width]
	return descriptorText(uint64(l.start/16) | uint64(l.leading/16)<<16 | uint64(l.stride/16)<<32 | uint64(l.base)<<49 | mode<<62)
}

// address returns where byte at of a row is.
func (l *matrixLayout) address(row, at int) int {
	var offset int
	switch {
	case !l.transposed && l.width == 0:
		offset = row/8*l.stride + at/16*l.leading + row%8*16 + at%16
	case !l.transposed:
		offset = row/8*l.stride + at/l.width*l.leading + row%8*l.width + at%l.width
	case l.width == 0:
		offset = row/8*l.stride + at/16*l.leading + at/2%8*16 + row%8*2 + at%2
	default:
		inPattern := l.width / 2
		offset = row/inPattern*l.leading + at/16*l.stride + at/2%8*l.width + row%inPattern*2 + at%2
	}
	place := l.start + offset
	if l.width != 0 {
		place ^= (place/128 - l.base) & (l.width/16 - 1) * 16
	}
	return place
}

// packedLayout returns a layout in which the rows do not overlap.
func packedLayout(start, rows, rowBytes, width int, transposed bool) matrixLayout {
	l := matrixLayout{start: start, width: width, transposed: transposed}
	switch {
	case !transposed && width == 0:
		l.leading, l.stride = 128, 8*rowBytes
	case !transposed:
		l.stride, l.leading = 8*width, rows*width
	case width == 0:
		l.leading, l.stride = 128, 8*rowBytes
	default:
		l.stride, l.leading = 8*width, rowBytes/2*width
	}
	return l
}

// elementOf returns a small number as an element.
func elementOf(e mma.Element, v int) uint32 {
	var f fp.Format
	switch e {
	case mma.F16:
		f = fp.F16
	case mma.BF16:
		f = fp.BF16
	case mma.E4M3:
		f = fp.E4M3
	case mma.E5M2:
		f = fp.E5M2
	case mma.F32, mma.TF32:
		return math.Float32bits(float32(v))
	default:
		return uint32(v)
	}
	return uint32(fp.Convert(fp.F32, f, uint64(math.Float32bits(float32(v))), fp.RN))
}

// layoutCase is a product of small integers, whose result is exact.
type layoutCase struct {
	d, a, b        mma.Element
	n              int
	sparse         bool
	widthA, widthB int
	transA, transB bool
	registers      bool
	selector       int
	negateA        bool
}

func (c *layoutCase) String() string { return fmt.Sprintf("%+v", *c) }

// lengths returns the numbers of elements of a row of A in memory and of B.
func (c *layoutCase) lengths() (a, b int) {
	a = mma.RowBytes * 8 / c.a.Bits()
	if c.sparse {
		return a, 2 * a
	}
	return a, a
}

func (c *layoutCase) instr() string {
	sparse, tail := "", ""
	_, k := c.lengths()
	if c.sparse {
		sparse = ".sp"
	}
	if c.a == mma.B1 {
		tail, k = ".and.popc", 256
	}
	return fmt.Sprintf("wgmma.mma_async%s.sync.aligned.m64n%dk%d.%v.%v.%v%s", sparse, c.n, k, c.d, c.a, c.b, tail)
}

// check compares the product with the plain one.
func (c *layoutCase) check(t *testing.T, r *rand.Rand) {
	t.Helper()
	_, k := c.lengths()
	bytes := c.a.Bits() / 8
	memory := &fakeMemory{shared: make([]byte, 224<<10)}
	put := func(l *matrixLayout, row, i int, v uint32) {
		for at := range bytes {
			memory.shared[l.address(row, i*bytes+at)] = byte(v >> (8 * at))
		}
	}
	value := func(e mma.Element) int {
		switch e {
		case mma.U8:
			return r.IntN(256)
		case mma.S8:
			return r.IntN(256) - 128
		case mma.B1:
			return int(r.Uint32())
		}
		return r.IntN(7) - 3
	}
	layoutA := packedLayout(1024*r.IntN(3), 64, mma.RowBytes, c.widthA, c.transA)
	layoutB := packedLayout(40<<10, c.n, k*bytes, c.widthB, c.transB)
	a, meta, registers := registersOfMatrix(c, r, value, func(row, i int, v uint32) { put(&layoutA, row, i, v) })
	b := make([][]int, c.n)
	for column := range b {
		for i := range k {
			v := value(c.b)
			b[column] = append(b[column], v)
			put(&layoutB, column, i, elementOf(c.b, v))
		}
	}
	p := groupProduct{Instr: c.instr(), A: layoutA.descriptor(), B: layoutB.descriptor(), Registers: c.registers, NegateA: c.negateA, Selector: uint64(c.selector)}
	for _, x := range []struct {
		chosen bool
		flag   *uint64
	}{{c.transA, &p.TransA}, {c.transB, &p.TransB}} {
		if x.chosen {
			*x.flag = 1
		}
	}
	acc := registersOfGroup(groupRegisters(p.Instr, c.n))
	want := make([]int, 0, 64*c.n)
	for row := range 64 {
		for column := range c.n {
			v := r.IntN(9) - 4
			setResult(c, &acc, row, column, elementOf(c.d, v))
			sum := 0
			for i, y := range b[column] {
				x := a[row][i]
				if c.a == mma.B1 {
					sum += bits.OnesCount32(uint32(x) & uint32(y))
				} else {
					sum += x * y
				}
			}
			if c.negateA {
				sum = -sum
			}
			want = append(want, v+sum)
		}
	}
	if warp, fault := p.run(t, memory, acc, registers, meta); fault != nil {
		t.Errorf("%v: warp %d: %v", c, warp, fault.Detail)
		return
	}
	for i, v := range want {
		row, column := i/c.n, i%c.n
		if got := result(c, &acc, row, column); got != elementOf(c.d, v) {
			t.Errorf("%v: row %d, column %d: 0x%x, want 0x%x (%d)", c, row, column, got, elementOf(c.d, v), v)
			return
		}
	}
}

// registersOfMatrix makes A: its rows with zeros where nothing is kept, the metadata, and the registers that hold it.
func registersOfMatrix(c *layoutCase, r *rand.Rand, value func(mma.Element) int, put func(row, i int, v uint32)) (rows [][]int, meta, registers [4]lanesOf) {
	kept, k := c.lengths()
	bytes := c.a.Bits() / 8
	meta, registers = registersOfGroup(1), registersOfGroup(4)
	rows = make([][]int, 64)
	for row := range rows {
		rows[row] = make([]int, k)
		warp, lane := row/16, row%8*4
		for i := range kept {
			v := value(c.a)
			at := i
			if c.sparse {
				at = keptAt(c, r, &meta[warp][0], row, i, rows[row])
			}
			rows[row][at] = v
			bits := elementOf(c.a, v) & (1<<(8*bytes) - 1)
			put(row, i, bits)
			first := i * bytes // byte of the row
			register := row%16/8 + first/16*2
			registers[warp][register][lane+first%16/4] |= bits << (8 * (first % 4))
		}
	}
	return rows, meta, registers
}

// keptAt chooses where kept element i of a row is, and notes it in the metadata of the row's warp. Of a pair, the
// first is in one of the first three places and leaves room for the second.
func keptAt(c *layoutCase, r *rand.Rand, meta *[32]uint32, row, i int, taken []int) int {
	group, lane := i/2, row%8*4
	if c.a == mma.TF32 {
		group = i
	}
	var shift int
	if c.a.Bits() == 8 {
		lane += group/8*2 + row%16/8
		shift = group % 8 * 4
	} else {
		lane += c.selector*2 + group/4
		shift = row%16/8*16 + group%4*4
	}
	if c.a == mma.TF32 {
		at := r.IntN(2)
		meta[lane] |= []uint32{4, 14}[at] << shift
		return group*2 + at
	}
	at := 0
	if i%2 == 0 {
		at = r.IntN(3)
	} else {
		first := int(meta[lane] >> shift & 3)
		at = first + 1 + r.IntN(3-first)
	}
	meta[lane] |= uint32(at) << (shift + i%2*2)
	return group*4 + at
}

// resultPlace returns where an element of the accumulator is: the warp, register, lane and shift.
func resultPlace(c *layoutCase, row, column int) (warp, register, lane, shift int) {
	register = column/8*4 + row%16/8*2 + column%2
	if c.d == mma.F16 {
		register, shift = register/2, register%2*16
	}
	return row / 16, register, row%8*4 + column%8/2, shift
}

func setResult(c *layoutCase, acc *[4]lanesOf, row, column int, v uint32) {
	warp, register, lane, shift := resultPlace(c, row, column)
	acc[warp][register][lane] |= v << shift
}

func result(c *layoutCase, acc *[4]lanesOf, row, column int) uint32 {
	warp, register, lane, shift := resultPlace(c, row, column)
	v := acc[warp][register][lane] >> shift
	if c.d == mma.F16 {
		v &= 0xFFFF
	}
	return v
}

// groupTypes are the types of D, A and B.
var groupTypes = [][3]mma.Element{
	{mma.F16, mma.F16, mma.F16}, {mma.F32, mma.F16, mma.F16}, {mma.F32, mma.BF16, mma.BF16}, {mma.F32, mma.TF32, mma.TF32},
	{mma.F16, mma.E4M3, mma.E5M2}, {mma.F32, mma.E5M2, mma.E4M3}, {mma.F32, mma.E4M3, mma.E4M3},
	{mma.S32, mma.S8, mma.S8}, {mma.S32, mma.U8, mma.S8}, {mma.S32, mma.B1, mma.B1},
}

func (c *layoutCase) sixteen() bool { return c.a == mma.F16 || c.a == mma.BF16 }

// TestWarpgroupProductsOfEveryWidth multiplies small integers for every n and type, with layouts in turn.
func TestWarpgroupProductsOfEveryWidth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	widths := []int{0, 32, 64, 128}
	for _, types := range groupTypes {
		for n := 8; n <= 256; n += 8 {
			if types[0] == mma.S32 && n > 24 && n%16 != 0 {
				continue
			}
			for _, sparse := range []bool{false, true} {
				if sparse && types[1] == mma.B1 {
					continue
				}
				c := layoutCase{
					d: types[0], a: types[1], b: types[2], n: n, sparse: sparse,
					widthA: widths[r.IntN(4)], widthB: widths[r.IntN(4)], registers: r.IntN(2) == 0, negateA: types[0] != mma.S32 && r.IntN(2) == 0,
				}
				if c.sixteen() {
					c.transA, c.transB = !c.registers && r.IntN(2) == 0, r.IntN(2) == 0
				}
				if sparse && c.a.Bits() > 8 {
					c.selector = r.IntN(2)
				}
				c.check(t, r)
			}
		}
	}
}

// TestWarpgroupProductsOfEveryLayout multiplies small integers for all swizzles of both factors, both ways round.
func TestWarpgroupProductsOfEveryLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, types := range groupTypes {
		for layout := range 4 * 4 * 4 * 2 {
			c := layoutCase{
				d: types[0], a: types[1], b: types[2], n: []int{16, 80, 96}[layout%3], sparse: layout>>6&1 != 0,
				widthA: []int{0, 32, 64, 128}[layout&3], widthB: []int{0, 32, 64, 128}[layout>>2&3],
				transA: layout>>4&1 != 0, transB: layout>>5&1 != 0,
			}
			if (c.transA || c.transB) && !c.sixteen() || c.sparse && c.a == mma.B1 {
				continue
			}
			c.check(t, r)
		}
	}
}

// FuzzDescriptors forms products of any descriptors: a fault with a reason, or what the layout says.
func FuzzDescriptors(f *testing.F) {
	f.Add(uint64(0x4000004000010000), uint64(0x4000004000800000), uint8(3))
	f.Add(uint64(0x1000080000), uint64(0x2000080000), uint8(0))
	f.Add(^uint64(0), ^uint64(0), uint8(0xFF))
	memory := &fakeMemory{shared: make([]byte, 64<<10)}
	for at := 0; at < len(memory.shared); at += 4 {
		v := uint32(at) * 2654435761
		binary.LittleEndian.PutUint32(memory.shared[at:], v)
	}
	f.Fuzz(func(t *testing.T, a, b uint64, form uint8) {
		trans := form&1 != 0
		for _, d := range []uint64{a, b} {
			rowBytes := 32 << (form >> 1 & 1)
			m := matrixOf(d, 64, rowBytes, trans)
			l := matrixLayout{
				start: int(d&0x3FFF) * 16, leading: int(d>>16&0x3FFF) * 16, stride: int(d>>32&0x3FFF) * 16, base: int(d >> 49 & 7),
				width: []int{0, 128, 64, 32}[d>>62], transposed: trans,
			}
			inside := true
			for row := range 64 {
				for at := 0; at < rowBytes; at++ {
					inside = inside && l.address(row, at) < len(memory.shared)
				}
			}
			x := &Warpgroup{Memory: memory}
			var got []byte
			fault := x.gather(&m, &got, 0)
			if inside != (fault == nil) {
				t.Fatalf("descriptor 0x%x: fault %v, want one: %v", d, fault, !inside)
			}
			if fault != nil {
				if fault.Kind != IllegalAddress || fault.Detail == "" {
					t.Fatalf("descriptor 0x%x: %v %q", d, fault.Kind, fault.Detail)
				}
				continue
			}
			for row := range 64 {
				for at := range rowBytes {
					if want := memory.shared[l.address(row, at)]; got[row*rowBytes+at] != want {
						t.Fatalf("descriptor 0x%x: byte %d of row %d is 0x%x, want 0x%x", d, at, row, got[row*rowBytes+at], want)
					}
				}
			}
		}
	})
}

// TestWarpgroupsNeedWholeWarps tells what a product of fewer lanes ends with.
func TestWarpgroupsNeedWholeWarps(t *testing.T) {
	p := groupProduct{Instr: "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16"}
	x := &Warpgroup{Memory: &fakeMemory{}, Warps: []WarpgroupWarp{{Active: 0xFFFF}}}
	if _, fault := WarpgroupOf(p.form(t, 4))(x); fault == nil || fault.Kind != IllegalInstruction {
		t.Errorf("fault %v, want an illegal instruction", fault)
	}
}
