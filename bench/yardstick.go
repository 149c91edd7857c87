package bench

import (
	"runtime"
	"sync"
	"time"

	"silica/internal/mem"
)

// CopyBandwidth is the yardstick of kernels that move memory: the bytes per second, read and written, of copying that many bytes
// with all cores, in memory like that of devices. What is copied has been written before: the system has one page for all that has not, which caches hold.
func CopyBandwidth(bytes int) (float64, error) {
	bytes = max(bytes, 1<<16)
	memory, err := mem.New(uint64(2*bytes) + 1<<21)
	if err != nil {
		return 0, err
	}
	defer memory.Close()
	var arrays [2][]byte
	for i := range arrays {
		at, err := memory.Alloc(uint64(bytes), 256)
		if err != nil {
			return 0, err
		}
		if arrays[i], err = memory.Bytes(at, uint64(bytes)); err != nil {
			return 0, err
		}
		for j := range arrays[i] {
			arrays[i][j] = byte(j)
		}
	}
	src, dst := arrays[0], arrays[1]
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
	return passes * 2 * float64(bytes) / time.Since(start).Seconds(), nil
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
