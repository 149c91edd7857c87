package exectest

import (
	"context"
	"encoding/binary"
	"testing"

	"silica/internal/exec"
	"silica/internal/isa"
)

// checkFourRows gathers rows of a tensor and scatters them: with .tile::gather4 and .tile::scatter4.
func checkFourRows(t *testing.T, e exec.Engine) {
	const (
		rows, columns, width = 8, 32, 16 // of the tensor and of the box
		boxAt                = exec.TensorMapBytes
		tensorAt             = boxAt + 4*width*2
	)
	l, out := newLaunch(t, "four_rows", 1, 32, tensorAt+rows*columns*2)
	m := exec.TensorMap{
		Type: isa.F16, Address: binary.LittleEndian.Uint64(l.Params) + tensorAt, Rank: 2, Dims: [5]uint32{columns, rows},
		Strides: [4]uint64{columns * 2}, Box: [5]uint16{width, 1}, ElementStrides: [5]uint8{1, 1},
	}
	code, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	copy(out, code)
	element := func(row, column int) uint16 { return uint16(row<<8 | column) }
	for i := range rows * columns {
		binary.LittleEndian.PutUint16(out[tensorAt+2*i:], element(i/columns, i%columns))
	}
	if _, err := e.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	gathered := [4]int{5, 1, 9, 3}
	box := func(row, column int) uint16 {
		if gathered[row] >= rows {
			return 0
		}
		return element(gathered[row], 8+column)
	}
	for i := range 4 * width {
		if got, want := binary.LittleEndian.Uint16(out[boxAt+2*i:]), box(i/width, i%width); got != want {
			t.Fatalf("element %d of the box is 0x%x, want 0x%x", i, got, want)
		}
	}
	scattered := map[int]int{0: 0, 2: 1, 4: 3}
	for i := range rows * columns {
		row, column := i/columns, i%columns
		want := element(row, column)
		if from, ok := scattered[row]; ok && column >= 16 {
			want = box(from, column-16)
		}
		if got := binary.LittleEndian.Uint16(out[tensorAt+2*i:]); got != want {
			t.Fatalf("element (%d,%d) of the tensor is 0x%x, want 0x%x", row, column, got, want)
		}
	}
}
