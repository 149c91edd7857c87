package isa

import (
	"fmt"
	"strings"
	"testing"
)

// TestWarpRecorded runs the recorded votes, matches, reductions and shuffles: straight-line code, all
// threads statement by statement, warps through the rows' semantics. Cases with branches need an engine.
func TestWarpRecorded(t *testing.T) {
	for family, least := range map[string]int{"vote": 20, "match": 10, "redux": 5, "shfl": 20, "warp_misc": 2, "stmatrix": 1} {
		t.Run(family, func(t *testing.T) {
			ran := 0
			for _, c := range readFamily(t, family) {
				if strings.Contains(c.body, "bra ") || strings.Contains(c.body, ".shared") || strings.Contains(c.body, "\nstmatrix") {
					continue
				}
				if err := runLockstep(c); err != nil {
					t.Errorf("%s: %v", c.ID, err)
				}
				ran++
			}
			if ran < least {
				t.Errorf("only %d cases ran", ran)
			}
		})
	}
}

func runLockstep(c *recordedCase) error {
	m := machine{params: make([]uint64, len(c.Params)), buffers: make([][]byte, len(c.Params)), block: c.Launch.Block}
	for i := range c.Params {
		p := &c.Params[i]
		m.params[i] = bufferBase(i)
		m.buffers[i] = append(append([]byte(nil), p.data...), make([]byte, len(p.expect))...)
	}
	code, err := m.parse(c.body)
	if err != nil {
		return err
	}
	threads := make([]*thread, c.Launch.Block[0])
	for x := range threads {
		threads[x] = &thread{m: &m, x: x, regs: map[string][2]uint64{}}
	}
	for _, s := range code {
		if s.form != nil && s.form.Row.Op == OpWarp {
			for first := 0; first < len(threads); first += 32 {
				stepWarp(s, threads[first:min(first+32, len(threads))])
			}
			continue
		}
		for x, t := range threads {
			if err := t.step(s); err != nil {
				return fmt.Errorf("thread %d: %s: %w", x, s.text, err)
			}
		}
	}
	for i := range c.Params {
		want := c.Params[i].expect
		for j := range want {
			if m.buffers[i][j] != want[j] {
				return fmt.Errorf("parameter %d, byte %d: got %#x, want %#x", i, j, m.buffers[i][j], want[j])
			}
		}
	}
	return nil
}

// stepWarp runs one warp-wide statement; operands without a lane's own value are the same in all lanes.
func stepWarp(s *statement, threads []*thread) {
	w := Warp{Active: uint32(uint64(1)<<len(threads) - 1)}
	flat := flattenOperands(s.operands)
	var results []operand
	source := 0
	for i, a := range s.form.Args {
		if a.Write {
			results = append(results, flat[i])
			continue
		}
		for lane, t := range threads {
			w.Src[source][lane] = t.read(flat[i], a.Type)[0]
		}
		source++
	}
	if _, mask := WarpSync(s.form); mask >= 0 {
		w.Active &= uint32(w.Src[mask][0])
	}
	s.form.Row.Warp(s.form)(&w)
	for i, o := range results {
		for lane, t := range threads {
			if w.Active>>lane&1 == 1 {
				t.write(o, [2]uint64{w.Dst[i][lane]})
			}
		}
	}
}
