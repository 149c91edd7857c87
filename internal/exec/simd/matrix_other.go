//go:build !amd64

package simd

// transposeMatrix sets a register to a matrix of which rows are the columns.
func transposeMatrix(to *[warpLanes]uint32, rows *[matrixRows]ptr) {
	halves := (*[2 * warpLanes]uint16)(ptr(to))
	for r, p := range rows {
		for c, v := range (*[matrixRowBytes / 2]uint16)(p) {
			halves[matrixRows*c+r] = v
		}
	}
}
