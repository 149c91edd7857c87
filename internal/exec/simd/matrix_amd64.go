package simd

// transposeMatrix sets a register to a matrix of which rows are the columns.
//
//go:noescape
func transposeMatrix(to *[warpLanes]uint32, rows *[matrixRows]ptr)
