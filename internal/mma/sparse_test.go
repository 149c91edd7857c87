package mma

import (
	"slices"
	"testing"
)

// TestColumnsOfKeptElements reads the metadata of the first row and of the row 8 below.
func TestColumnsOfKeptElements(t *testing.T) {
	for _, c := range []struct {
		name     string
		element  Element
		row      int
		lane     int // that has the metadata of the first columns
		selector uint64
		meta     uint64
		want     []uint8
	}{
		{"the first two of each four", F16, 0, 0, 0, 0x4444, []uint8{0, 1, 4, 5, 8, 9, 12, 13}},
		{"the last two, from the other pair of lanes", F16, 0, 2, 1, 0xEEEE, []uint8{2, 3, 6, 7, 10, 11, 14, 15}},
		{"the high half for the row below", BF16, 8, 0, 0, 0x9999_0000, []uint8{1, 2, 5, 6, 9, 10, 13, 14}},
		{"one column twice, as an H200 takes it", F16, 0, 0, 0, 0x4455, []uint8{1, 1, 5, 5, 8, 9, 12, 13}},
		{"pairs of halves", TF32, 0, 0, 0, 0xE44E, []uint8{1, 2, 4, 7}},
		{"the low half where halves are of two elements", TF32, 0, 0, 0, 0x444C, []uint8{0, 2, 4, 6}},
		{"bytes of the row below in the next lane", S8, 8, 1, 0, 0x4444_444E, []uint8{2, 3, 4, 5, 8, 9, 12, 13}},
	} {
		kept := 16
		switch c.element {
		case TF32:
			kept = 8
		case S8:
			kept = 32
		}
		var meta [2]Register
		meta[0][c.lane] = c.meta
		for lane := range lanes {
			meta[1][lane] = c.selector
		}
		index := make([]uint8, kept)
		newSparsity(c.element, kept).columns(c.row, meta[:], 1<<lanes-1, index)
		if got := index[:len(c.want)]; !slices.Equal(got, c.want) {
			t.Errorf("%s: columns %v, want %v", c.name, got, c.want)
		}
	}
}
