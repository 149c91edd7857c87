package fp

import (
	"math"
	"testing"
)

// TestStochasticRounding counts in how many of all random values a number is rounded away from zero: in as many as the
// part that is cut off says.
func TestStochasticRounding(t *testing.T) {
	for _, c := range []struct {
		to           Format
		bits         int
		value        float32
		below, above uint64
		up           int // of 1<<bits
	}{
		{BF16, 16, 1.0 + 1.0/512, 0x3F80, 0x3F81, 1 << 14},
		{BF16, 16, -(1.0 + 3.0/512), 0xBF80, 0xBF81, 3 << 14},
		{F16, 13, 1.0 + 1.0/4096, 0x3C00, 0x3C01, 1 << 11},
		{F16, 13, 0x1p-25, 0, 1, 1 << 12},
		{E4M3, 16, 1.0 + 1.0/32, 0x38, 0x39, 1 << 14},
		{E2M1, 16, 2.25, 4, 5, 1 << 14},
		{E2M1, 16, 2, 4, 4, 0},
	} {
		up := 0
		for random := range uint64(1) << c.bits {
			got := ConvertStochastic(F32, c.to, uint64(math.Float32bits(c.value)), random<<(64-c.bits), SatFinite)
			if got != c.below && got != c.above {
				t.Fatalf("%v to %v: 0x%x", c.value, c.to, got)
			}
			if got == c.above && c.above != c.below {
				up++
			}
		}
		if up != c.up {
			t.Errorf("%v to %v is rounded up %d times of %d, want %d", c.value, c.to, up, 1<<c.bits, c.up)
		}
	}
	for _, c := range []struct {
		to   Format
		x    float32
		m    Mode
		want uint64
	}{
		{E4M3, 1000, SatFinite, 0x7E}, {E4M3, -1000, SatFinite, 0xFE}, {E4M3, -3, SatFinite | Relu, 0},
		{F16, 1e6, 0, 0x7C00}, {F16, 1e6, SatFinite, 0x7BFF}, {E2M1, float32(math.Inf(-1)), SatFinite, 0xF},
	} {
		if got := ConvertStochastic(F32, c.to, uint64(math.Float32bits(c.x)), 0, c.m); got != c.want {
			t.Errorf("%v to %v: 0x%x, want 0x%x", c.x, c.to, got, c.want)
		}
	}
}
