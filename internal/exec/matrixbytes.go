package exec

import (
	"strings"

	"silica/internal/isa"
)

// Matrices of bytes (ldmatrix and stmatrix of .b8 and .b8x16). A row in shared memory is 16 bytes, or as many elements of 4 or
// 6 bits with padding behind them. The places in registers are those of CUTLASS' copy traits; the manual shows them in
// figures.

// bytePlace returns which byte of a row, and which of 8 rows, byte i of the register of a lane is in a matrix that is transposed:
// pairs of rows, and bytes 8 apart.
func bytePlace(lane, i int) (row, at int) { return lane%4*2 + i%2, lane/4 + i/2*8 }

// bindLoadBytes is ldmatrix of bytes. A 16x16 matrix has two registers: of each four rows the first two and the last two.
func bindLoadBytes(f *isa.Form) MatrixFunc {
	n := matrixCount(f)
	width := 8
	switch {
	case strings.HasPrefix(f.Get("src_fmt"), ".b4"):
		width = 4
	case strings.HasPrefix(f.Get("src_fmt"), ".b6"):
		width = 6
	}
	if f.Has(".m8n16") {
		return func(m *Matrix) (int, *Fault) {
			return m.rows(n, func(matrix, r int, b []byte) {
				for i := range 4 {
					var word uint64
					for j := range 4 {
						word |= uint64(packedElement(b, 4*i+j, width)) << (8 * j)
					}
					m.Warp.Dst[matrix][4*r+i] = word
				}
			})
		}
	}
	return func(m *Matrix) (int, *Fault) {
		clear(m.Warp.Dst[:2*n])
		return m.rows(2*n, func(half, r int, b []byte) {
			r += half % 2 * 8
			registers := m.Warp.Dst[half/2*2+r%4/2:]
			within := r/4*2 + r%2 // of the 8 rows of a register
			for lane := range 32 {
				for i := range 4 {
					if row, at := bytePlace(lane, i); row == within {
						registers[0][lane] |= uint64(packedElement(b, at, width)) << (8 * i)
					}
				}
			}
		})
	}
}

// bindStoreBytes is stmatrix of bytes.
func bindStoreBytes(f *isa.Form) MatrixFunc {
	n := matrixCount(f)
	return func(m *Matrix) (int, *Fault) {
		return m.rows(n, func(matrix, r int, b []byte) {
			for lane := range 32 {
				for i := range 4 {
					if row, at := bytePlace(lane, i); row == r {
						b[at] = byte(m.Warp.Src[matrix][lane] >> (8 * i))
					}
				}
			}
		})
	}
}
