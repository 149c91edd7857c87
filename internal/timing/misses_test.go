package timing

import "testing"

// TestMissesUnderWay loads lines that L2 holds, one after the other, and compares how many are under way at a time with an H200's (one multiprocessor,
// 32 warps with 16 loads each of sectors 128 bytes apart; a line takes 337 cycles when few are under way): where shared memory leaves L1 28 KiB, they
// wait for its lines, otherwise for the unit, which takes one in a cycle.
func TestMissesUnderWay(t *testing.T) {
	for _, c := range []struct {
		bytes int
		want  float64
	}{{216 << 10, 0.99 * 277}, {28 << 10, 0.57 * 337}} {
		_, m := h200(t)
		m.l1Bytes = c.bytes
		u := newMemory(m, newChip(m, NewFootprint(m.sms), 1, 1, held{}))
		const lines = 20000
		var end int64
		for i := range uint64(lines) {
			sector := 1<<20 + i*lineSectors
			u.chip.coming[sector/2] = 1 // L2 has it
			end = max(end, u.load(u.pass(0, 1), []uint64{sector}, false, 0, true))
		}
		if got := lines / float64(end) * float64(m.latency.l2); !near(got, c.want, 0.12) {
			t.Errorf("L1 of %d bytes: %.0f lines under way, an H200's %.0f", c.bytes, got, c.want)
		}
	}
}
