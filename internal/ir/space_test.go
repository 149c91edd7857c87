package ir

import (
	"testing"

	"pgregory.net/rapid"
)

// A space never hands out a row twice, keeps groups aligned, and knows exactly which rows are free.
func TestSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s space
		taken := map[int]bool{}
		groups := map[int]int{}
		use := func(at, n int) {
			if at%n != 0 {
				t.Fatalf("%d rows at %d", n, at)
			}
			for row := at; row < at+n; row++ {
				if taken[row] {
					t.Fatalf("row %d is handed out twice", row)
				}
				taken[row] = true
			}
			groups[at] = n
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			n := rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "rows")
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				use(s.take(n), n)
			case 1:
				least := rapid.IntRange(0, 20).Draw(t, "least")
				at := s.takeWhere(n, func(at int) bool { return at >= least })
				if at < least {
					t.Fatalf("rows at %d do not fit", at)
				}
				use(at, n)
			case 2:
				at := n * rapid.IntRange(0, 10).Draw(t, "place")
				if s.hasFree(at, n) {
					s.reserve(at, n)
					use(at, n)
				}
			case 3:
				at := rapid.IntRange(0, 30).Draw(t, "release")
				if n, ok := groups[at]; ok {
					s.release(at, n)
					delete(groups, at)
					for row := at; row < at+n; row++ {
						delete(taken, row)
					}
				}
			}
			for row := range s.end {
				if s.hasFree(row, 1) == taken[row] {
					t.Fatalf("row %d: free %v, taken %v", row, s.hasFree(row, 1), taken[row])
				}
			}
		}
		for at, n := range groups {
			s.release(at, n)
		}
		for quad := 0; quad < s.end; quad += 4 {
			if !s.hasFree(quad, 4) {
				t.Fatalf("rows %d to %d do not join", quad, quad+3)
			}
		}
	})
}

// When no free rows fit after many tries, new ones are taken.
func TestSpaceGrows(t *testing.T) {
	var s space
	for range 100 {
		s.take(2)
	}
	for at := range 100 {
		s.release(2*at, 2)
	}
	if at := s.takeWhere(2, func(at int) bool { return at >= 200 }); at != 200 || s.size != 202 {
		t.Errorf("rows at %d of %d, want 200 of 202", at, s.size)
	}
}
