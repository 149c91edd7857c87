package timing

import "testing"

// TestRegisterPorts reads registers of two banks, one of each in a cycle, over many instructions: how many cycles beside the issue each costs.
func TestRegisterPorts(t *testing.T) {
	const n = 300
	a, b := &warp{}, &warp{}
	of := func(registers ...uint16) *operation { return &operation{operands: registers} }
	for _, c := range []struct {
		name  string
		ops   []*operation
		warps []*warp
		want  float64
	}{
		{"a register of each bank", []*operation{of(2, 5, noRegister), of(4, 7, noRegister)}, []*warp{a}, 0},
		{"the same register three times", []*operation{of(2, 2, 2), of(4, 4, 4)}, []*warp{a}, 0},
		{"three registers", []*operation{of(2, 5, 8), of(11, 14, 17)}, []*warp{a}, 0.5},
		{"two of three stay where they are", []*operation{of(2, 5, 8), of(2, 5, 9)}, []*warp{a}, 0},
		{"three of a bank", []*operation{of(2, 4, 6), of(8, 10, 12)}, []*warp{a}, 2},
		{"nothing stays for another warp", []*operation{of(2, 4, 6), of(2, 4, 6)}, []*warp{a, b}, 2},
	} {
		var p ports
		now := int64(0)
		for i := range n {
			now += 1 + p.read(now, c.warps[i%len(c.warps)], c.ops[i%len(c.ops)])
		}
		if got := float64(now-n) / n; got < c.want-0.05 || got > c.want+0.05 {
			t.Errorf("%s: %.2f cycles more for each instruction, want %.1f", c.name, got, c.want)
		}
	}
}
