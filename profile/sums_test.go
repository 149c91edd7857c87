package profile

import "testing"

// The guard of a branch tells where threads go, not which take part: a warp that jumps as a whole has no idle threads.
func TestThreadsOfABranch(t *testing.T) {
	l := &Launch{Files: map[int]string{1: "a.cu"}, Instructions: []Instruction{
		{Name: "setp.lt.s32", Op: "plain", Source: &Location{File: 1, Line: 3}, Counts: Counts{Warps: 4, Threads: 128, PredOn: 128}},
		{Name: "bra", Op: "branch", Source: &Location{File: 1, Line: 3}, Counts: Counts{Warps: 4, Threads: 128}},
		{Name: "add.s32", Op: "plain", Source: &Location{File: 1, Line: 4}, Counts: Counts{Warps: 4, Threads: 128, PredOn: 32}},
	}}
	for i, want := range []uint64{256, 32} {
		if got := l.BySource()[i].Working; got != want {
			t.Errorf("line %d: threads take part %d times, want %d", i+3, got, want)
		}
	}
}
