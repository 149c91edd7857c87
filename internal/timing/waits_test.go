package timing_test

import (
	"testing"
)

// How often blocks read a word until the others have come depends on the engine; what they do in the model does not.
func TestWaitsTakeOneTurn(t *testing.T) {
	const blocks = 132
	s := setup{kernel: "meet", n: blocks, grid: blocks, block: 128}
	first := simulate(t, s)
	for _, line := range first.Lines {
		if line.Issued > 8 { // the first lane comes to some by itself
			t.Errorf("%s is executed %.0f times by 4 warps", line.Inst, line.Issued)
		}
	}
	s.engine = "ref"
	if other := simulate(t, s); other.Elapsed != first.Elapsed || other.Instructions != first.Instructions {
		t.Errorf("%.0f cycles and %.0f instructions, with another engine %.0f and %.0f", first.Elapsed, first.Instructions, other.Elapsed, other.Instructions)
	}
}

// Loops that read what nobody writes do not wait for anybody.
func TestLoopsOfReadsAreNoWaits(t *testing.T) {
	few, many := simulate(t, setup{kernel: "reread", n: 10, grid: 1, block: 32}), simulate(t, setup{kernel: "reread", n: 1000, grid: 1, block: 32})
	if many.Instructions < 50*few.Instructions {
		t.Errorf("1000 reads take %.0f instructions, 10 take %.0f", many.Instructions, few.Instructions)
	}
}
