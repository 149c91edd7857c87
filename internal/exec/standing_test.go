package exec

import (
	"testing"
	"time"

	"silica/internal/ir"
	"silica/ptx"
)

func TestStandings(t *testing.T) {
	for _, c := range []struct {
		all  []Standing
		want string
	}{
		{nil, ""},
		{[]Standing{{Warp: 3, Where: "at a"}}, "warp 3 runs at a"},
		{[]Standing{{Warp: 2, Where: "at a"}, {Warp: 0, Where: "at a"}, {Warp: 1, Where: "at a"}}, "warps 0 to 2 run at a"},
		{[]Standing{{Warp: 0, Waits: true, Where: "at b"}, {Warp: 2, Waits: true, Where: "at b"}, {Warp: 1, Where: "at b"}}, "warps 0, 2 wait at b; warp 1 runs at b"},
		{[]Standing{{Warp: 1, Lanes: 0xF, Waits: true, Where: "at b"}}, "lanes 0x0000000f of warp 1 wait at b"},
		{[]Standing{{Warp: 1, Lanes: 0xF, Where: "at b"}, {Warp: 4, Where: "at b"}}, "warp 4, lanes 0x0000000f of warp 1 run at b"},
		{[]Standing{{Where: "1"}, {Where: "2"}, {Where: "3"}, {Where: "4"}, {Where: "5"}, {Where: "6"}},
			"warp 0 runs 1; warp 0 runs 2; warp 0 runs 3; warp 0 runs 4; and 2 more places"},
		{[]Standing{{Warp: 0, Where: "x"}, {Warp: 2, Where: "x"}, {Warp: 4, Where: "x"}, {Warp: 6, Where: "x"}, {Warp: 8, Where: "x"}},
			"warps 0, 2, 4, 6 and others run x"},
	} {
		if got := Standings(c.all); got != c.want {
			t.Errorf("%+v: %q, want %q", c.all, got, c.want)
		}
	}
}

// A launch that stands between blocks, or before a block's first instruction, still tells which kernel of how many blocks it is.
func TestUnfinished(t *testing.T) {
	module := &ir.Module{Source: &ptx.Module{File: "k.ptx"}}
	kernel := &ir.Kernel{Name: "k", Module: module, Funcs: []*ir.Func{{Code: []ir.Inst{{Pos: ptx.Pos{Line: 7, Col: 2}}}}}}
	l := &Launch{Kernel: kernel, Grid: Dim3{1 << 20, 1, 1}, MaxInstructions: 9}
	for _, c := range []struct {
		cause error
		block *Dim3
		where string
		want  string
	}{
		{nil, nil, "", "k.ptx:7:2: k did not finish within 9 warp instructions: it has 1048576 blocks"},
		{TimeLimit(time.Second), &Dim3{X: 5}, "", "k.ptx:7:2: k did not finish within 1s, block (5,0,0): it has 1048576 blocks"},
		{ErrInterrupted, &Dim3{X: 5}, "warp 0 runs at a", "k.ptx:7:2: k was interrupted, block (5,0,0): warp 0 runs at a"},
	} {
		u := NewUnfinished(l, c.cause, c.block)
		u.Where = c.where
		if got := u.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
