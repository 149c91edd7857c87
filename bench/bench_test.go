package bench

import (
	"context"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"silica/driver"
	"silica/internal/compile"
	"silica/profile"
)

var ptxOnce = sync.OnceValues(func() ([]byte, error) {
	return compile.Device(context.Background(), "kernels.cu", compile.Options{})
})

func BenchmarkKernels(b *testing.B) {
	for _, c := range Cases() {
		b.Run(c.Name, func(b *testing.B) {
			text, err := ptxOnce()
			if err != nil {
				b.Fatal(err)
			}
			n := c.N
			if testing.Short() {
				n = c.Short
			}
			count, err := c.ThreadInstructions(text, n)
			if err != nil {
				b.Fatal(err)
			}
			p, err := c.Prepare(text, n, driver.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer p.Close()
			run := func() {
				if err := p.Run(); err != nil {
					b.Fatal(err)
				}
			}
			run() // touches all memory and prepares the program
			b.ResetTimer()
			busy := cpuTime()
			for b.Loop() {
				run()
			}
			busy = cpuTime() - busy
			seconds := b.Elapsed().Seconds() / float64(b.N)
			// What the machine's other work does not change: nanoseconds of one core for 32 thread instructions.
			b.ReportMetric(32*float64(busy.Nanoseconds())/float64(b.N)/float64(count), "cpu-ns/warp-inst")
			b.ReportMetric(float64(count)/seconds, "thread-inst/s")
			if c.Flops != nil {
				b.ReportMetric(c.Flops(n)/seconds/1e9, "GFLOP/s")
				b.ReportMetric(c.Flops(n)/seconds/LoopRate(), "of-go-loop")
			}
			if c.Bytes != nil {
				b.ReportMetric(c.Bytes(n)/seconds/1e9, "GB/s")
				copying, err := CopyBandwidth(int(c.Bytes(n)) / 2)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(c.Bytes(n)/seconds/copying, "of-copy")
			}
		})
	}
}

// BenchmarkWatching is what a pass takes alone, when every memory access is handed to a listener that does nothing, and under the profiler.
func BenchmarkWatching(b *testing.B) {
	for _, c := range Cases() {
		for _, watcher := range []struct {
			name   string
			tracer driver.Tracer
		}{{"alone", nil}, {"accesses", Listener{}}, {"profile", profile.NewCollector(profile.Options{})}} {
			b.Run(c.Name+"/"+watcher.name, func(b *testing.B) {
				text, err := ptxOnce()
				if err != nil {
					b.Fatal(err)
				}
				n := c.N
				if testing.Short() {
					n = c.Short
				}
				p, err := c.Prepare(text, n, driver.Options{Tracer: watcher.tracer})
				if err != nil {
					b.Fatal(err)
				}
				defer p.Close()
				if err := p.Run(); err != nil {
					b.Fatal(err)
				}
				b.ResetTimer()
				busy := cpuTime()
				for b.Loop() {
					if err := p.Run(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64((cpuTime()-busy).Milliseconds())/float64(b.N), "cpu-ms")
			})
		}
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
