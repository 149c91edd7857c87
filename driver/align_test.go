package driver

import "testing"

// Arrays of round sizes begin where those of cudaMalloc usually do.
func TestNaturalAlignment(t *testing.T) {
	for _, c := range []struct{ size, want uint64 }{{1, 512}, {512, 512}, {513, 512}, {1024, 1024}, {3 << 10, 1024}, {5000, 512}, {1 << 20, 1 << 20}, {64 << 20, 2 << 20}, {1<<20 + 1, 512}} {
		if got := naturalAlign(c.size); got != c.want {
			t.Errorf("%d bytes are aligned to %d, want %d", c.size, got, c.want)
		}
	}
}
