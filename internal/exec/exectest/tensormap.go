package exectest

import (
	"context"
	"encoding/binary"
	"testing"

	"silica/internal/exec"
	"silica/internal/isa"
)

// count fills memory with the numbers from 1 on.
func count(b []byte) {
	for i := range len(b) / 4 {
		binary.LittleEndian.PutUint32(b[4*i:], uint32(1+i))
	}
}

// checkImages copies pixels of images to two blocks, and adds some to the images: with .im2col.
func checkImages(t *testing.T, e exec.Engine) {
	const (
		channels, width, height, images = 8, 4, 3, 2
		pixels, sums                    = 16, 5 // of a load; of a reduction
		boxAt                           = 2 * exec.TensorMapBytes
		tensorAt                        = boxAt + 2*pixels*channels*4
	)
	l, out := newLaunch(t, "images", 2, 32, tensorAt+channels*width*height*images*4)
	l.Cluster.X = 2
	load := exec.TensorMap{
		Type: isa.U32, Address: binary.LittleEndian.Uint64(l.Params) + tensorAt, Rank: 4, Images: true,
		Dims: [5]uint32{channels, width, height, images}, Strides: [4]uint64{channels * 4, channels * width * 4, channels * width * height * 4},
		ElementStrides: [5]uint8{1, 2, 1, 1},
		Column:         exec.Column{Lower: [3]int16{-1, -1}, Upper: [3]int16{0, 1}, Channels: channels, Pixels: pixels},
	}
	add := load
	add.ElementStrides[1] = 1
	add.Column = exec.Column{Channels: channels, Pixels: sums}
	for i, m := range []exec.TensorMap{load, add} {
		code, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		copy(out[i*exec.TensorMapBytes:], code)
	}
	count(out[tensorAt:])
	if _, err := e.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	// The copy begins at pixel (1, 0) of image 0, its bounding box is from (-1, -1) to (3, 3), every second column, and all of
	// it is moved by one column.
	var want []uint32
	for w, h, n := 1, 0, 0; len(want) < pixels*channels; w += 2 {
		if w > 3 {
			w, h = -1, h+1
		}
		if h > 3 {
			h, n = -1, n+1
		}
		for c := range channels {
			v := 0
			if w+1 >= 0 && w+1 < width && h >= 0 && h < height {
				v = 1 + ((n*height+h)*width+w+1)*channels + c
			}
			want = append(want, uint32(v))
		}
	}
	boxes, tensor := words(out[boxAt:tensorAt]), words(out[tensorAt:])
	for i, v := range append(want, want...) {
		if got := boxes[i]; got != v {
			t.Fatalf("element %d of the boxes is %d, want %d", i, got, v)
		}
	}
	for i := range channels * width * height * images {
		v := uint32(1 + i)
		if pixel := i/channels - (width + 2); pixel >= 0 && pixel < sums { // from (2, 1) of image 0 on
			v += want[pixel*channels+i%channels]
		}
		if got := tensor[i]; got != v {
			t.Fatalf("element %d of the images is %d, want %d", i, got, v)
		}
	}
}

// checkReplacedMap copies boxes by a tensor map whose fields the program sets: with tensormap.replace.
func checkReplacedMap(t *testing.T, e exec.Engine) {
	const (
		columns, rows, boxColumns = 20, 6, 8
		boxAt                     = exec.TensorMapBytes
		tensorAt                  = boxAt + 512
	)
	l, out := newLaunch(t, "replaced_map", 1, 32, tensorAt+columns*rows*4)
	count(out[tensorAt:])
	if _, err := e.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	element := func(row, column int) uint32 {
		if row >= rows || column >= columns {
			return 0
		}
		return uint32(1 + row*columns + column)
	}
	boxes := words(out[boxAt:tensorAt])
	for i := range 12 * boxColumns {
		row, column := i/boxColumns, i%boxColumns
		want := element(1+row, 16+column)
		at := i
		if row < 8 {
			at ^= row / 4 % 2 * 4 // halves of a row of 32 bytes are swapped in the second 128 bytes of 256
		} else {
			want = element(1+row-8, 4+column) // the tensor begins one row later
		}
		if got := boxes[at]; got != want {
			t.Fatalf("element (%d,%d) of the boxes is %d, want %d", row, column, got, want)
		}
	}
}
