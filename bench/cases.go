package bench

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
)

// A Case is a kernel, or a few that belong together, on a problem of a size.
type Case struct {
	Name string
	// N is the elements, or the side of a matrix; Short is a size that only shows that the case works.
	N, Short int
	// Buffers are the arrays in device memory for size n; the last is what is computed.
	Buffers func(n int) []Buffer
	// Launches are run in order, once a pass.
	Launches func(n int) []Launch
	// Flops and Bytes are the arithmetic and the memory traffic that a pass is for; nil for what is not its point.
	Flops, Bytes func(n int) float64
	// Twin tells whether bench/pocl has the same kernels in OpenCL.
	Twin bool
}

// A Buffer is an array and what it holds at first; zeros where Fill is nil.
type Buffer struct {
	Bytes int
	Fill  func(b []byte)
}

// A Launch is one launch of a kernel.
type Launch struct {
	Kernel      string
	Grid, Block [3]int
	Args        []Arg
}

// An Arg is an argument of a kernel: the buffer of an index, or a word where Buffer is below 0.
type Arg struct {
	Buffer int
	Word   uint32
}

func buffers(from, to int) (args []Arg) {
	for i := from; i < to; i++ {
		args = append(args, Arg{Buffer: i})
	}
	return args
}

func integer(n int) Arg        { return Arg{Buffer: -1, Word: uint32(n)} }
func single(f float32) Arg     { return Arg{Buffer: -1, Word: math.Float32bits(f)} }
func square(n int) float64     { return float64(n) * float64(n) }
func matmulWork(n int) float64 { return 2 * square(n) * float64(n) }

// floats fills with numbers from 0 up to 1.
func floats(b []byte) {
	for i := 0; i+4 <= len(b); i += 4 {
		binary.LittleEndian.PutUint32(b[i:], math.Float32bits(float32(i/4%1009)/1009))
	}
}

// halves fills with f16 numbers from 1 up to 2.
func halves(b []byte) {
	for i := 0; i+2 <= len(b); i += 2 {
		binary.LittleEndian.PutUint16(b[i:], uint16(0x3c00+i/2%1009))
	}
}

// random fills with random bits, the same every time.
func random(b []byte) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := 0; i+4 <= len(b); i += 4 {
		binary.LittleEndian.PutUint32(b[i:], r.Uint32())
	}
}

// words fills with the values of a function.
func words(value func(i int) int) func([]byte) {
	return func(b []byte) {
		for i := 0; i+4 <= len(b); i += 4 {
			binary.LittleEndian.PutUint32(b[i:], uint32(value(i/4)))
		}
	}
}

// sparseRow is the elements of a row of the sparse matrix, on average.
const sparseRow = 16

// sparse returns the buffers of a matrix of n rows with 1 to 31 elements each, in random columns.
func sparse(n int) []Buffer {
	r := rand.New(rand.NewPCG(3, 4))
	start := make([]int, n+1)
	for i := range n {
		start[i+1] = start[i] + 1 + r.IntN(2*sparseRow-1)
	}
	return []Buffer{{4 * (n + 1), words(func(i int) int { return start[i] })}, {4 * start[n], words(func(int) int { return r.IntN(n) })},
		{4 * start[n], floats}, {4 * n, floats}, {4 * n, nil}}
}

// Cases returns all cases.
func Cases() []Case {
	line := func(kernel string, n, block int, args ...Arg) Launch {
		return Launch{kernel, [3]int{(n + block - 1) / block, 1, 1}, [3]int{block, 1, 1}, args}
	}
	one := func(kernel string, grid func(n int) [3]int, block [3]int, buffer int) func(n int) []Launch {
		return func(n int) []Launch {
			return []Launch{{kernel, grid(n), block, append(buffers(0, buffer), integer(n))}}
		}
	}
	tiles := func(x, y int) func(n int) [3]int { return func(n int) [3]int { return [3]int{n / x, n / y, 1} } }
	fixed := func(x int) func(n int) [3]int { return func(int) [3]int { return [3]int{x, 1, 1} } }
	matrices := func(n int) []Buffer { return []Buffer{{4 * n * n, floats}, {4 * n * n, floats}, {4 * n * n, nil}} }
	halfMatrices := func(n int) []Buffer { return []Buffer{{2 * n * n, halves}, {2 * n * n, halves}, {4 * n * n, nil}} }
	return []Case{
		{"saxpy", 1 << 24, 1 << 14, func(n int) []Buffer { return []Buffer{{4 * n, floats}, {4 * n, floats}} },
			func(n int) []Launch {
				return []Launch{line("saxpy", n, 256, Arg{}, Arg{Buffer: 1}, single(1e-3), integer(n))}
			},
			func(n int) float64 { return 2 * float64(n) }, func(n int) float64 { return 12 * float64(n) }, true},
		{"transpose", 4096, 128, func(n int) []Buffer { return []Buffer{{4 * n * n, floats}, {4 * n * n, nil}} },
			one("transpose", tiles(32, 32), [3]int{32, 8, 1}, 2), nil, func(n int) float64 { return 8 * square(n) }, true},
		{"reduce", 1 << 24, 1 << 14, func(n int) []Buffer { return []Buffer{{4 * n, floats}, {4 * 256, nil}} },
			one("reduce", fixed(256), [3]int{256, 1, 1}, 2), nil, func(n int) float64 { return 4 * float64(n) }, true},
		{"stencil", 4096, 128, func(n int) []Buffer { return []Buffer{{4 * n * n, floats}, {4 * n * n, nil}} },
			one("stencil", tiles(32, 32), [3]int{32, 32, 1}, 2), func(n int) float64 { return 6 * square(n) }, func(n int) float64 { return 8 * square(n) }, true},
		{"matmul_naive", 1024, 64, matrices, one("matmul_naive", tiles(32, 32), [3]int{32, 32, 1}, 3), matmulWork, nil, true},
		{"matmul_tiled", 1024, 64, matrices, one("matmul_tiled", tiles(32, 32), [3]int{32, 32, 1}, 3), matmulWork, nil, true},
		{"matmul_register", 1024, 128, matrices, one("matmul_register", tiles(128, 128), [3]int{256, 1, 1}, 3), matmulWork, nil, true},
		{"matmul_wmma", 1024, 128, halfMatrices, one("matmul_wmma", tiles(128, 64), [3]int{256, 1, 1}, 3), matmulWork, nil, false},
		{"matmul_mma", 1024, 128, halfMatrices, one("matmul_mma", tiles(64, 64), [3]int{128, 1, 1}, 3), matmulWork, nil, false},
		{"histogram", 1 << 24, 1 << 14, func(n int) []Buffer { return []Buffer{{n, random}, {4 * 256, nil}} },
			one("histogram", fixed(264), [3]int{256, 1, 1}, 2), nil, func(n int) float64 { return float64(n) }, true},
		{"spmv", 1 << 18, 1 << 10, sparse, func(n int) []Launch { return []Launch{line("spmv", n, 256, append(buffers(0, 5), integer(n))...)} },
			func(n int) float64 { return 2 * sparseRow * float64(n) }, nil, true},
		{"bitonic_sort", 1 << 18, 1 << 10, func(n int) []Buffer { return []Buffer{{4 * n, random}, {4 * n, nil}} },
			func(n int) []Launch {
				all := []Launch{line("copy", n, 256, Arg{}, Arg{Buffer: 1}, integer(n))}
				for size := 2; size <= n; size *= 2 {
					for distance := size / 2; distance > 0; distance /= 2 {
						all = append(all, line("bitonic", n, 256, Arg{Buffer: 1}, integer(distance), integer(size)))
					}
				}
				return all
			}, nil, nil, true},
		{"softmax", 2048, 128, func(n int) []Buffer { return []Buffer{{4 * n * n, floats}, {4 * n * n, nil}} },
			one("softmax", func(n int) [3]int { return [3]int{n / 8, 1, 1} }, [3]int{256, 1, 1}, 2), nil, func(n int) float64 { return 8 * square(n) }, true},
		{"black_scholes", 1 << 22, 1 << 12, func(n int) []Buffer {
			return slices.Concat(slices.Repeat([]Buffer{{4 * n, floats}}, 3), slices.Repeat([]Buffer{{4 * n, nil}}, 2))
		},
			func(n int) []Launch {
				return []Launch{line("black_scholes", n, 256, append(buffers(0, 5), integer(n))...)}
			},
			nil, func(n int) float64 { return 20 * float64(n) }, true},
		{"mandelbrot", 2048, 64, func(n int) []Buffer { return []Buffer{{4 * n * n, nil}} },
			one("mandelbrot", tiles(32, 8), [3]int{32, 8, 1}, 1), nil, nil, true},
	}
}
