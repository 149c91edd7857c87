package timing

import (
	"slices"
	"testing"
)

// TestSectorsAreAskedForOnce gives what scattered lanes ask for, in the order of the lanes.
func TestSectorsAreAskedForOnce(t *testing.T) {
	for _, c := range []struct{ asked, want []uint64 }{
		{[]uint64{4, 5, 6, 7}, []uint64{4, 5, 6, 7}},
		{[]uint64{0, 1, 0, 1, 2, 0, 1}, []uint64{0, 1, 2}},
		{[]uint64{9, 3, 4, 9, 3, 4, 10}, []uint64{9, 3, 4, 10}},
		{[]uint64{0, 0, 0}, []uint64{0}},
		{nil, nil},
	} {
		u := memory{sectors: slices.Clone(c.asked)}
		u.unique()
		if !slices.Equal(u.sectors, c.want) {
			t.Errorf("%v: %v, want %v", c.asked, u.sectors, c.want)
		}
	}
}
