package mma

// lanes is the number of lanes of a warp.
const lanes = 32

// Register is one register of a warp: a value of at most 64 bits for each lane.
type Register = [lanes]uint64

// Fragment says where the elements of a matrix lie in registers of a warp.
//
// The elements of a lane are counted from the low end of its first register. A matrix is a list of
// elements, row after row; of the second factor of a product, column after column. An element may lie
// in several places.
type Fragment struct {
	Element Element
	Rows    int // columns of a second factor
	Length  int // of a row
	places  []uint16
}

// Registers returns the number of registers of the fragment.
func (f *Fragment) Registers() int { return len(f.places) / lanes / f.Element.perRegister() }

// Place returns which element of the matrix the given element of a lane is.
func (f *Fragment) Place(element, lane int) (row, column int) {
	at := int(f.places[element*lanes+lane])
	return at / f.Length, at % f.Length
}

// newFragment lays out a matrix by a function of a lane's element.
func newFragment(e Element, rows, length, perLane int, place func(lane, element int) (row, column int)) *Fragment {
	f := &Fragment{Element: e, Rows: rows, Length: length, places: make([]uint16, perLane*lanes)}
	for i := range f.places {
		row, column := place(i%lanes, i/lanes)
		f.places[i] = uint16(row*length + column)
	}
	return f
}

// gather sets the elements of the matrix from the registers of the active lanes. What other lanes hold counts
// as zero, and of an element in several places the first one.
func (f *Fragment) gather(registers []Register, active uint32, elements []uint64) {
	bits, per := f.Element.Bits(), f.Element.perRegister()
	mask := uint64(1)<<(bits-1)<<1 - 1
	for e := len(f.places)/lanes - 1; e >= 0; e-- {
		r, shift := &registers[e/per], e%per*bits
		for lane, at := range (*[lanes]uint16)(f.places[e*lanes:]) {
			elements[at] = r[lane] >> shift & mask & -uint64(active>>lane&1)
		}
	}
}

// scatter sets the registers of a fragment in all lanes from the elements of the matrix.
func scatter[T uint32 | uint64](f *Fragment, registers []Register, elements []T) {
	bits, per := f.Element.Bits(), f.Element.perRegister()
	for e := range len(f.places) / lanes {
		r, shift := &registers[e/per], e%per*bits
		for lane, at := range f.places[e*lanes:][:lanes] {
			if shift == 0 {
				r[lane] = 0
			}
			r[lane] |= uint64(elements[at]) << shift
		}
	}
}

// The layouts below are those of mma.sync in the PTX manual. wmma leaves its layouts open; these are what an
// H200 uses. A register holds a tile of 8 rows (of A, or columns of B), of which each quad of lanes has one.

// factor lays out n rows of A, or columns of B, of k elements each. Registers go along a row first, or
// when paired, along pairs of tiles of rows. Registers beyond those needed repeat the matrix.
func factor(e Element, n, k int, paired bool, registers int) *Fragment {
	per := e.perRegister()
	wide := k / (4 * per) // tiles along a row
	return newFragment(e, n, k, registers*per, func(lane, i int) (row, column int) {
		register := i / per % (n / 8 * wide)
		tile, along := register/wide, register%wide
		if paired {
			tile = register/(2*wide)*2 + register%2
			along = register / 2 % wide
		}
		return tile*8 + lane/4, (along*4+lane%4)*per + i%per
	})
}

// factorA is A with m rows; factorB is B with n columns. A product of 8 rows and 32 columns runs as that of the
// transposed matrices.
func factorA(e Element, m, k, registers int) *Fragment { return factor(e, m, k, m > 8, registers) }
func factorB(e Element, n, k, registers int) *Fragment { return factor(e, n, k, n > 16, registers) }

// accumulator lays out C or D. A lane has pairs of neighbours in a row, of which two lie 8 rows apart.
func accumulator(e Element, m, n int) *Fragment {
	return newFragment(e, m, n, m*n/lanes, func(lane, i int) (row, column int) {
		tile, pair := i/2, lane%4*2+i%2
		switch {
		case n == 32:
			return pair, tile*8 + lane/4
		case m == 16:
			return tile%2*8 + lane/4, tile/2*8 + pair
		}
		return tile*8 + lane/4, pair
	})
}

// The layouts of the first tensor cores' product of 8 by 8 by 4: four of them at once, each on the lanes
// 4q to 4q+3 and 16+4q to 19+4q. Its rows are those of all four products, one after the other.

// quadFactor is A or B. Of a matrix that is stored across the rows (A) or columns (B), across is true.
func quadFactor(across bool) *Fragment {
	return newFragment(F16, 4*8, 4, 4, func(lane, i int) (row, column int) {
		first, high, x := lane%16/4*8, lane/16*4, lane%4
		if across {
			return first + high + i, x
		}
		return first + high + x, i
	})
}

func quadAccumulator(e Element) *Fragment {
	return newFragment(e, 4*8, 8, 8, func(lane, i int) (row, column int) {
		first := lane%16/4*8 + lane/16*4
		if e == F32 {
			return first + lane&1 + i&2, i&4 + lane&2 + i&1
		}
		return first + lane%4, i
	})
}
