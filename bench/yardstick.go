package bench

import (
	"runtime"
	"sync"
	"time"
)

// CopyBandwidth is the yardstick of kernels that move memory: the bytes per second, read and written, of copying that many bytes
// with all cores.
func CopyBandwidth(bytes int) float64 {
	bytes = max(bytes, 1<<16)
	src, dst := make([]byte, bytes), make([]byte, bytes)
	cores := runtime.GOMAXPROCS(0)
	pass := func() {
		var wg sync.WaitGroup
		for c := range cores {
			wg.Go(func() { copy(dst[bytes*c/cores:bytes*(c+1)/cores], src[bytes*c/cores:]) })
		}
		wg.Wait()
	}
	pass()
	const passes = 4
	start := time.Now()
	for range passes {
		pass()
	}
	return passes * 2 * float64(bytes) / time.Since(start).Seconds()
}

// LoopRate is the yardstick of kernels that compute: the floating-point operations per second of a triple loop in Go on
// one core, in the order that suits its cache.
func LoopRate() float64 {
	const n = 256
	a, b, c := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	start := time.Now()
	for i := range n {
		for k := range n {
			x, row, out := a[i*n+k], b[k*n:k*n+n], c[i*n:i*n+n]
			for j := range out {
				out[j] += x * row[j]
			}
		}
	}
	return 2 * n * n * n / time.Since(start).Seconds()
}
