package exectest

import (
	"context"
	"encoding/binary"
	"testing"

	"silica/internal/exec"
)

// checkMixedSpaces loads narrow elements through generic addresses that lead lanes to different spaces: what an engine does by
// warps, as far as it can, and by lanes has to fit together.
func checkMixedSpaces(t *testing.T, e exec.Engine) {
	const threads = 256
	l, out := newLaunch(t, "mixed_spaces", 1, threads, 8*threads)
	if _, err := e.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	for thread := range uint64(threads) {
		var sum uint64
		for i := uint64(4); i < 256; i += 44 {
			v := thread * 0x9E3779B97F4A7C15
			if thread >= i {
				v = ^v
			}
			for _, loaded := range []uint64{v >> 32, uint64(int32(v)), uint64(int16(v >> 16)), v >> 56, uint64(uint32(int8(v >> 40)))} {
				sum = sum*31 + loaded
			}
		}
		if got := binary.LittleEndian.Uint64(out[8*thread:]); got != sum {
			t.Fatalf("thread %d: 0x%x, want 0x%x", thread, got, sum)
		}
	}
}
