package pocl

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"silica/bench"
	"silica/driver"
	"silica/internal/compile"
)

// TestTwinsComputeTheSame runs every twin on a tiny problem here and on PoCL.
func TestTwinsComputeTheSame(t *testing.T) {
	text, err := compile.Device(context.Background(), "../kernels.cu", compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := Build("twins")
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for _, c := range bench.Cases() {
		if !c.Twin {
			continue
		}
		_, theirs, err := h.Run(c, c.Short, 1)
		if err != nil {
			t.Error(err)
			continue
		}
		p, err := c.Prepare(text, c.Short, driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(); err != nil {
			t.Fatal(err)
		}
		ours, err := p.Result()
		if err != nil {
			t.Fatal(err)
		}
		if n := differences(ours, theirs); n > 0 && !(c.Name == "mandelbrot" && n < len(ours)/4/100) { // where a point escapes may hang on a rounding
			t.Errorf("%s: %d of %d elements differ from PoCL's", c.Name, n, len(ours)/4)
		}
		p.Close()
	}
}

// differences counts the elements that are neither equal nor, as floats, near. Counts are compared as such: as floats they would be
// denormal.
func differences(ours, theirs []byte) (n int) {
	for i := 0; i+4 <= len(ours); i += 4 {
		a, b := binary.LittleEndian.Uint32(ours[i:]), binary.LittleEndian.Uint32(theirs[i:])
		x, y := float64(math.Float32frombits(a)), float64(math.Float32frombits(b))
		counts := a < 1<<23 && b < 1<<23
		if a != b && (counts || !(math.Abs(x-y) <= 1e-4*math.Abs(x)+1e-5)) {
			n++
		}
	}
	return n
}
