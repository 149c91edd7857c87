package exectest

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"silica/internal/exec"
)

// checkHot runs a program for long, twice.
func checkHot(t *testing.T, e exec.Engine) {
	const blocks, threads, table, rounds = 8, 256, 256, 300
	l, out := newLaunch(t, "hot", blocks, threads, 4*(blocks*threads+table))
	entry := func(i uint32) uint32 { return i*i + 5 }
	for i := range uint32(table) {
		binary.LittleEndian.PutUint32(out[4*(blocks*threads+i):], entry(i))
	}
	for range 2 {
		if _, err := e.Run(context.Background(), l); err != nil {
			t.Fatal(err)
		}
		for thread, got := range words(out)[:blocks*threads] {
			x, f := uint32(thread), float32(0)
			for range rounds + thread%32 {
				x = x*1664525 + 1013904223
				if int32(x) < 0 {
					x += 7
				}
				x ^= uint32(thread)
				x += entry(x%table) - entry(0)
				f = f*0.5 + 1
			}
			if want := x ^ math.Float32bits(f); got != want {
				t.Fatalf("thread %d: %#x, want %#x", thread, got, want)
			}
		}
	}
}
