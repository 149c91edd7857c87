package timing

import (
	"math"
	"testing"
)

// TestInstructionCaches runs straight code of so many instructions again, one in a cycle, and compares the cycles of each with an H200's
// (micro.json, icache, one warp).
func TestInstructionCaches(t *testing.T) {
	_, m := h200(t)
	for _, c := range []struct {
		instructions int
		want         float64
	}{{256, 1.08}, {1024, 1.02}, {1536, 1.01}, {4096, 2.05}, {6144, 2.05}, {12288, 5.53}, {32768, 5.52}, {65536, 5.53}} {
		f := newFetcher(m, c.instructions, false)
		var now, begin int64
		for range 2 {
			begin = now
			for line := range int32(c.instructions / lineInstructions) {
				now = f.fetch(line, now+lineInstructions)
			}
		}
		if got := float64(now-begin) / float64(c.instructions); math.Abs(got-c.want) > 0.1*c.want {
			t.Errorf("%d instructions take %.2f cycles each, an H200's %.2f", c.instructions, got, c.want)
		}
	}
}

// TestConstantCache loads constants again, 64 bytes apart over so many bytes, one after the other, and compares the cycles of each with
// an H200's (micro.json, constant_latency, less the shift between two loads).
func TestConstantCache(t *testing.T) {
	_, m := h200(t)
	for _, c := range []struct {
		bytes uint64
		want  int64
	}{{256, 30}, {1024, 30}, {2048, 30}, {3072, 96}, {16384, 96}, {65536, 96}} {
		u := newMemory(m, &chip{})
		var now, begin int64
		for range 2 {
			begin = now
			for at := uint64(0); at < c.bytes; at += 64 {
				now = u.constant(now, programConstants, at)
			}
		}
		if got := (now - begin) / int64(c.bytes/64); got != c.want {
			t.Errorf("loads of %d bytes take %d cycles each, an H200's %d", c.bytes, got, c.want)
		}
	}
}
