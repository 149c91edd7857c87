package exec

import (
	"encoding/binary"
	"fmt"
)

// pieceBytes is the unit in which warpgroup products read shared memory: elements that lie next to each other.
const pieceBytes = 16

// sharedMatrix is a factor of a warpgroup product in shared memory, as its descriptor tells (PTX ISA, "Asynchronous warpgroup
// level matrix shared memory layout"). A row is a row of A or a column of B: what is multiplied and summed.
type sharedMatrix struct {
	start uint32 // address
	// leading and stride are distances in bytes. Rows that are not transposed lie in groups of 8, stride apart; a row's
	// pieces are leading apart without a swizzle and neighbours with one. In a transposed matrix 8 elements of a row
	// make a group; the groups are stride apart and the patterns, as wide as the swizzle, leading, or without a swizzle
	// the other way round.
	leading, stride uint32
	swizzle         swizzle
	base            uint32 // of the swizzle's pattern
	transposed      bool   // neighbours in a column lie next to each other, else those in a row
	first, rows     int    // rows wanted
	rowBytes        int
}

// swizzle is how the pieces of a matrix change places.
type swizzle uint8

// swizzles gives the layouts by the two highest bits of a descriptor.
var swizzles = [...]swizzle{0, 3, 2, 1}

// width returns the size of the pattern that repeats in a row, in bytes.
func (s swizzle) width() uint32 { return pieceBytes << s }

// matrixOf decodes a descriptor.
func matrixOf(descriptor uint64, rows, rowBytes int, transposed bool) sharedMatrix {
	field := func(shift int) uint32 { return uint32(descriptor>>shift) & (1<<14 - 1) * pieceBytes }
	return sharedMatrix{
		start: field(0), leading: field(16), stride: field(32), swizzle: swizzles[descriptor>>62],
		base: uint32(descriptor>>49) & 7, transposed: transposed, rows: rows, rowBytes: rowBytes,
	}
}

func (d *sharedMatrix) String() string {
	swizzle := "no swizzle"
	if d.swizzle != 0 {
		swizzle = fmt.Sprintf("swizzle of %d bytes", d.swizzle.width())
	}
	return fmt.Sprintf("the matrix at 0x%x (leading offset %d, stride offset %d, %s)", d.start, d.leading, d.stride, swizzle)
}

// place returns the address of the piece that is offset bytes behind the start.
func (d *sharedMatrix) place(offset uint32) uint32 {
	at := d.start + offset
	return at ^ (at>>7-d.base)&(1<<d.swizzle-1)<<4
}

// pieces appends the addresses of the pieces that hold the wanted rows. Those of a matrix that is not transposed come
// by 8 rows, piece by piece; those of a transposed one by 8 rows, element by element.
func (d *sharedMatrix) pieces(to []uint32) []uint32 {
	width := d.swizzle.width()
	perPattern := width / pieceBytes
	for group := d.first / 8; group < (d.first+d.rows)/8; group++ {
		if !d.transposed {
			for piece := range uint32(d.rowBytes / pieceBytes) {
				for row := range uint32(8) {
					offset := uint32(group)*d.stride + row*width + piece/perPattern*d.leading + piece%perPattern*pieceBytes
					to = append(to, d.place(offset))
				}
			}
			continue
		}
		groups, elements := d.leading, d.stride
		if d.swizzle == 0 {
			groups, elements = d.stride, d.leading
		}
		for i := range uint32(d.rowBytes / transposedBytes) {
			g := uint32(group)
			offset := g/perPattern*groups + g%perPattern*pieceBytes + i%8*width + i/8*elements
			to = append(to, d.place(offset))
		}
	}
	return to
}

// transposedBytes is the size of the elements of matrices that may be transposed.
const transposedBytes = 2

// pack copies the pieces, whose addresses pieces gave, from memory, which begins at address low, to rows.
func (d *sharedMatrix) pack(memory []byte, low uint32, pieces []uint32, to []byte) {
	if !d.transposed {
		perRow := d.rowBytes / pieceBytes
		for i, at := range pieces {
			row, piece := i/(8*perRow)*8+i%8, i/8%perRow
			copy(to[row*d.rowBytes+piece*pieceBytes:][:pieceBytes], memory[at-low:])
		}
		return
	}
	perRow := d.rowBytes / transposedBytes
	for i, at := range pieces {
		row, element := i/perRow*8, i%perRow
		from := memory[at-low:][:pieceBytes]
		for r := range 8 {
			v := binary.LittleEndian.Uint16(from[r*transposedBytes:])
			binary.LittleEndian.PutUint16(to[(row+r)*d.rowBytes+element*transposedBytes:], v)
		}
	}
}
