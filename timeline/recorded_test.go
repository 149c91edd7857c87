package timeline

import (
	"fmt"
	"strings"
	"testing"
)

// TestModelIsNearAnH200 compares programs with the medians of 50 runs recorded on an H200 (driver 580, CUDA 13.0, PCIe 5.0 x16): the
// host's clock from the first call to the end of cudaDeviceSynchronize. Kernels are short, so that their bounds matter little.
func TestModelIsNearAnH200(t *testing.T) {
	// parts copies four parts of 1 MiB to the device and back, with a kernel between.
	parts := func(memory string, streams int, waited string) string {
		var b strings.Builder
		for i := range 4 {
			s := 3 + i%streams
			fmt.Fprintf(&b, "1 cudaMemcpyAsync\n  copy stream=%d from=%s to=Device bytes=1048576%s\n", s, memory, waited)
			fmt.Fprintf(&b, "1 cudaLaunchKernel\n  kernel stream=%d name=scale time=600ns\n", s)
			fmt.Fprintf(&b, "1 cudaMemcpyAsync\n  copy stream=%d from=Device to=%s bytes=1048576%s\n", s, memory, waited)
		}
		return b.String() + "1 cudaDeviceSynchronize\n  synchronization waited after=3,6,9,12\n"
	}
	repeat := func(n int, text string) string { return strings.Repeat(text, n) }
	for _, c := range []struct {
		name     string
		program  string
		recorded float64 // us
	}{
		{"four streams, pinned", parts("Pinned", 4, ""), 135.3},
		{"four streams, pageable", parts("Pageable", 4, " waited"), 1079.4},
		{"one stream, pinned", parts("Pinned", 1, ""), 228.9},
		{"100 copies of 4 bytes", repeat(100, "1 cudaMemcpyAsync\n  copy stream=3 from=Pinned to=Device bytes=4\n"), 233.7},
		{"100 launches", repeat(100, "1 cudaLaunchKernel\n  kernel stream=3 name=scale time=600ns share=0.01\n"), 325.5},
		{"50 launches, each waited for", repeat(50, "1 cudaLaunchKernel\n  kernel stream=3 name=scale time=600ns share=0.01\n"+
			"1 cudaStreamSynchronize\n  synchronization stream=3 waited\n"), 439.9},
	} {
		const off = 0.25
		got := float64(parse(t, c.program).Total.Nanoseconds()) / 1e3
		if got < c.recorded*(1-off) || got > c.recorded*(1+off) {
			t.Errorf("%s: %.1f us, recorded %.1f", c.name, got, c.recorded)
		}
		t.Logf("%s: %.1f us, recorded %.1f", c.name, got, c.recorded)
	}
}
