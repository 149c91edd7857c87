package exectest

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"silica/internal/exec"
	"silica/internal/fp"
	"silica/internal/isa"
)

// The matrices of tensor_memory_gemm.ptx, and where they are after the tensor maps.
const (
	gemmRows, gemmColumns, gemmDepth = 256, 64, 256

	offsetOfA = 2 * exec.TensorMapBytes
	offsetOfB = offsetOfA + 2*gemmRows*gemmDepth
	offsetOfD = offsetOfB + 2*gemmColumns*gemmDepth
)

// checkTensorGemm runs a whole matrix product: tensor copies through stages of shared memory, products in tensor memory, and
// the barriers between them.
func checkTensorGemm(t *testing.T, e exec.Engine) {
	const bytes = offsetOfD + 4*gemmRows*gemmColumns
	l, out := newLaunch(t, "tensor_memory_gemm", gemmRows/128, 128, bytes)
	l.DynamicShared = 2 * 128 * 64 * 2 // two stages of A
	addr := binary.LittleEndian.Uint64(l.Params)
	r := rand.New(rand.NewPCG(1, 1))
	matrix := func(offset, rows int, mapAt int, boxRows uint16) []float64 {
		m := exec.TensorMap{
			Type: isa.F16, Address: addr + uint64(offset), Rank: 2, Dims: [5]uint32{gemmDepth, uint32(rows)},
			Strides: [4]uint64{2 * gemmDepth}, Box: [5]uint16{64, boxRows}, ElementStrides: [5]uint8{1, 1}, Swizzle: exec.Swizzle128,
		}
		code, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		copy(out[mapAt:], code)
		elements := make([]float64, rows*gemmDepth)
		for i := range elements {
			elements[i] = float64(r.IntN(9) - 4)
			half := fp.Convert(fp.F64, fp.F16, math.Float64bits(elements[i]), fp.RN)
			binary.LittleEndian.PutUint16(out[offset+2*i:], uint16(half))
		}
		return elements
	}
	a := matrix(offsetOfA, gemmRows, 0, 128)
	b := matrix(offsetOfB, gemmColumns, exec.TensorMapBytes, 64)
	if _, err := e.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	for row := range gemmRows {
		for column := range gemmColumns {
			want := 0.0
			for k := range gemmDepth {
				want += a[row*gemmDepth+k] * b[column*gemmDepth+k]
			}
			at := offsetOfD + 4*(row*gemmColumns+column)
			if got := math.Float32frombits(binary.LittleEndian.Uint32(out[at:])); float64(got) != want {
				t.Fatalf("element (%d,%d) is %v, want %v", row, column, got, want)
			}
		}
	}
}
