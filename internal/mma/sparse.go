package mma

// sparsity tells which columns the kept elements of a sparse A have. Of each four units of a row two are
// kept; two bits of metadata say which unit a kept one is. A unit is an element, half a tf32, or a
// pair of four-bit integers.
type sparsity struct {
	element Element
	// sources is the number of lanes of a quad that hold the metadata of the quad's two rows.
	sources int
}

// newSparsity returns the sparsity of an A of which each row keeps that many elements.
func newSparsity(e Element, kept int) *sparsity {
	s := &sparsity{element: e}
	s.sources = (s.unit(kept) + 7) / 8
	return s
}

// unit returns the unit that kept element i begins with.
func (s *sparsity) unit(i int) int {
	switch s.element {
	case TF32:
		return 2 * i
	case S4, U4, E2M1:
		return i / 2
	}
	return i
}

// metadata returns where the metadata of a unit of a row is: the lane of the quad, among its sources, and
// the position of the lowest bit.
func (s *sparsity) metadata(row, unit int) (lane, shift int) {
	if s.element.Bits() >= 16 {
		// A lane has 16 bits of each of the two rows.
		return unit / 8, unit%8*2 + row/8*16
	}
	// A pair of lanes has 32 bits of each.
	return unit/16*2 + row/8, unit % 16 * 2
}

// columns sets index to the column of each kept element of a row. meta holds the registers of the metadata
// and of the selector, which says which lanes of a quad have it.
func (s *sparsity) columns(row int, meta []Register, active uint32, index []uint8) {
	quad := row % 8 * 4
	first := quad + int(meta[1][quad])*s.sources%4
	for i := range index {
		unit := s.unit(i)
		lane, shift := s.metadata(row, unit)
		lane += first
		var bits uint64
		if active>>lane&1 != 0 {
			bits = meta[0][lane] >> shift & 3
		}
		column := unit/2*4 + int(bits)
		switch s.element {
		case TF32:
			column /= 2
		case S4, U4, E2M1:
			column = 2*column + i%2
		}
		index[i] = uint8(column)
	}
}
