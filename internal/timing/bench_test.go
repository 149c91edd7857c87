package timing_test

import (
	"syscall"
	"testing"
	"time"

	"silica/internal/timing"
)

// BenchmarkSimulate tells how many warp instructions are simulated in a second of a core's time.
func BenchmarkSimulate(b *testing.B) {
	for _, s := range []setup{
		{kernel: "tiled", n: 256, grid: 132 * 8, block: 1024},
		{kernel: "chain", n: 256, grid: 132 * 8, block: 256},
		{kernel: "apart", n: 64, grid: 132 * 8, block: 256},
		{kernel: "barrier", n: 256, grid: 132 * 2, block: 1024},
		{kernel: "shared", n: 4, grid: 132 * 8, block: 256},
	} {
		b.Run(s.kernel, func(b *testing.B) {
			l := record(b, s)
			instructions := 0.0
			before := processor(b)
			for b.Loop() {
				r, err := timing.Simulate(l)
				if err != nil {
					b.Fatal(err)
				}
				instructions += r.Instructions * r.Sampled
			}
			b.ReportMetric(instructions/(processor(b)-before).Seconds()/1e6, "Mwarpinst/s")
		})
	}
}

// processor is the time of processors that this process took.
func processor(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
