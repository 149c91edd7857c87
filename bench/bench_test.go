package bench

import (
	"context"
	"encoding/binary"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"silica/driver"
	"silica/gpu"
	"silica/internal/compile"
	"silica/internal/exec"
)

// kernel is one benchmark: a launch of a kernel of kernels.cu over n elements (or n x n).
type kernel struct {
	name        string
	n, short    int // elements, or the side of a matrix; with -short
	buffers     func(n int) []int
	grid, block func(n int) driver.Dim3
	// work is the floating-point operations, and bytes the memory traffic that the kernel is for.
	work, bytes func(n int) float64
}

func square(n int) float64 { return float64(n) * float64(n) }

func kernels() []kernel {
	cube := func(n int) float64 { return 2 * square(n) * float64(n) }
	line := func(block int) func(n int) driver.Dim3 {
		return func(n int) driver.Dim3 { return driver.Dim3{X: (n + block - 1) / block, Y: 1, Z: 1} }
	}
	tiles := func(side int) func(n int) driver.Dim3 {
		return func(n int) driver.Dim3 { return driver.Dim3{X: n / side, Y: n / side, Z: 1} }
	}
	fixed := func(x, y int) func(int) driver.Dim3 {
		return func(int) driver.Dim3 { return driver.Dim3{X: x, Y: y, Z: 1} }
	}
	matrices := func(n int) []int { return []int{4 * n * n, 4 * n * n, 4 * n * n} }
	return []kernel{
		{"vecadd", 1 << 24, 1 << 14, func(n int) []int { return []int{4 * n, 4 * n, 4 * n} }, line(256), fixed(256, 1),
			nil, func(n int) float64 { return 12 * float64(n) }},
		{"matmul_naive", 1024, 64, matrices, tiles(32), fixed(32, 32), cube, nil},
		{"matmul_tiled", 1024, 64, matrices, tiles(32), fixed(32, 32), cube, nil},
		{"matmul_register", 1024, 128, matrices, tiles(128), fixed(256, 1), cube, nil},
		{"reduce", 1 << 24, 1 << 14, func(n int) []int { return []int{4 * n, 4 * 256} }, fixed(256, 1), fixed(256, 1),
			nil, func(n int) float64 { return 4 * float64(n) }},
		{"stencil", 4096, 128, func(n int) []int { return []int{4 * n * n, 4 * n * n} }, tiles(32), fixed(32, 32),
			func(n int) float64 { return 6 * square(n) }, func(n int) float64 { return 8 * square(n) }},
		{"histogram", 1 << 24, 1 << 14, func(n int) []int { return []int{n, 4 * 256} }, fixed(264, 1), fixed(256, 1),
			nil, func(n int) float64 { return float64(n) }},
		{"softmax", 2048, 128, func(n int) []int { return []int{4 * n * n, 4 * n * n} }, func(n int) driver.Dim3 { return driver.Dim3{X: n / 8, Y: 1, Z: 1} },
			fixed(256, 1), nil, func(n int) float64 { return 8 * square(n) }},
	}
}

// counter counts the thread instructions of a launch.
type counter struct{ threads uint64 }

// Launch is for driver.Tracer.
func (c *counter) Launch(_ *driver.Function, l *exec.Launch) func(*exec.Stats, error) {
	l.Count = true
	return func(s *exec.Stats, err error) {
		if err != nil {
			return
		}
		for _, f := range s.Funcs {
			for _, i := range f {
				c.threads += i.Threads
			}
		}
	}
}

var ptxOnce = sync.OnceValues(func() ([]byte, error) {
	return compile.Device(context.Background(), "kernels.cu", compile.Options{})
})

// launcher loads a kernel and returns a function that launches it once.
func launcher(b *testing.B, k kernel, n int, o driver.Options) func() {
	b.Helper()
	text, err := ptxOnce()
	if err != nil {
		b.Fatal(err)
	}
	g, err := gpu.Load("h200")
	if err != nil {
		b.Fatal(err)
	}
	d, err := driver.Open(g, o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { d.Close() })
	m, err := d.LoadPTX("kernels.ptx", text)
	if err != nil {
		b.Fatal(err)
	}
	f, err := m.Function(k.name)
	if err != nil {
		b.Fatal(err)
	}
	params := make([]byte, f.Kernel.ParamBytes)
	for i, size := range k.buffers(n) {
		addr, err := d.Alloc(uint64(size))
		if err != nil {
			b.Fatal(err)
		}
		contents, err := d.Bytes(addr, uint64(size))
		if err != nil {
			b.Fatal(err)
		}
		for at := 0; at+4 <= size; at += 4 {
			binary.LittleEndian.PutUint32(contents[at:], math.Float32bits(float32(at%1009)/1009))
		}
		binary.LittleEndian.PutUint64(params[f.Kernel.Params[i].Offset:], addr)
	}
	last := f.Kernel.Params[len(f.Kernel.Params)-1]
	binary.LittleEndian.PutUint32(params[last.Offset:], uint32(n))
	launch := driver.Launch{Grid: k.grid(n), Block: k.block(n), Params: params}
	return func() {
		if err := f.Launch(context.Background(), launch); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkKernels(b *testing.B) {
	for _, k := range kernels() {
		b.Run(k.name, func(b *testing.B) {
			n := k.n
			if testing.Short() {
				n = k.short
			}
			var count counter
			launcher(b, k, n, driver.Options{Tracer: &count})()
			run := launcher(b, k, n, driver.Options{})
			run() // touches all memory and prepares the program
			b.ResetTimer()
			busy := cpuTime()
			for b.Loop() {
				run()
			}
			busy = cpuTime() - busy
			seconds := b.Elapsed().Seconds() / float64(b.N)
			// What the machine's other work does not change: nanoseconds of one core for 32 thread instructions.
			b.ReportMetric(32*float64(busy.Nanoseconds())/float64(b.N)/float64(count.threads), "cpu-ns/warp-inst")
			b.ReportMetric(float64(count.threads)/seconds, "thread-inst/s")
			if k.work != nil {
				b.ReportMetric(k.work(n)/seconds/1e9, "GFLOP/s")
			}
			if k.bytes != nil {
				b.ReportMetric(k.bytes(n)/seconds/1e9, "GB/s")
				b.ReportMetric(k.bytes(n)/seconds/copyBandwidth(int(k.bytes(n))/2), "of-copy")
			} else {
				b.ReportMetric(k.work(n)/seconds/loopRate(), "of-go-loop")
			}
		})
	}
}

// cpuTime returns the time that the cores have spent on this process.
func cpuTime() time.Duration {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano())
}

// copyBandwidth is the yardstick of kernels that move memory: the bytes per second, read and written, of copying with
// all cores.
func copyBandwidth(bytes int) float64 {
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

// loopRate is the yardstick of kernels that compute: the floating-point operations per second of a triple loop in Go on
// one core, in the order that suits its cache.
func loopRate() float64 {
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
