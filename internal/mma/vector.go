package mma

// vectorUnit holds routines that do for many elements what tensor.go does for one, with the same results.
type vectorUnit struct {
	// gather sets n words, a multiple of 16, from the registers of a warp, 32 lanes of 64 bits each: each one is the low half of
	// lane place>>5, counted over all registers, shifted right by the low five bits of its place, with the bits of mask.
	gather func(words *uint32, registers *uint64, places *uint32, mask uint32, n int)
	// widen sets the values and exponents of n floats, a multiple of 8, and returns the largest
	// exponent: that of zero is -1023, that of infinities and NaNs 1024, all others are at least least.
	widen func(values *float64, exponents *int32, floats *uint32, n int, least int32) (largest int32)
	// halves replaces n words that hold an f16 each, a multiple of 16, by the same values in f32.
	halves func(words *uint32, n int)
	// narrow rounds n exact sums, a multiple of 8, to f16, one a word.
	narrow func(words *uint32, sums *float64, n int)
	// rows computes accumulation.sum for the elements of a block.
	rows func(x *block)
	// pairs multiplies matrices of integers.
	pairs func(x *pairBlock)
}

// nonfinite is the exponent of infinities and NaNs.
const nonfinite = 1024

// block is a product of decoded matrices: rows of A by columns of B, a multiple of 8. Its layout is known to the
// routines. A is stored row after row, stride elements each, of which depth take part; so is B, columns elements each.
type block struct {
	aValues, bValues, cValues          *float64
	aExponents, bExponents, cExponents *int32
	sums                               *float64 // exact
	floats                             *uint32  // the sums cut to f32
	rows, columns, depth, stride       int
	bits                               int32
}

// placed is a fragment whose elements go to other places.
type placed struct {
	*Fragment
	sources []uint32 // where each element is in the registers; see vectorUnit.gather
}

// decoded is a matrix of numbers.
type decoded struct {
	words     []uint32
	values    []float64
	exponents []int32
}

func newDecoded(n int) decoded {
	n = (n + 15) &^ 15
	return decoded{make([]uint32, n), make([]float64, n), make([]int32, n)}
}

// place moves the elements of a fragment to where at says.
func place(f *Fragment, at func(row, i int) int) *placed {
	p := &placed{f, make([]uint32, (f.Rows*f.Length+15)&^15)}
	per := f.Element.perRegister()
	for i := len(f.places) - 1; i >= 0; i-- { // of an element in several places the first one counts
		row, column := int(f.places[i])/f.Length, int(f.places[i])%f.Length
		element, lane := i/lanes, i%lanes
		p.sources[at(row, column)] = uint32((element/per*lanes+lane)<<5 | element%per*f.Element.Bits())
	}
	return p
}

// decode turns words that hold an element each into numbers; see widen.
func (u *vectorUnit) decode(e Element, to *decoded, least int32) (largest int32) {
	switch e {
	case F16:
		u.halves(&to.words[0], len(to.words))
	case BF16:
		for i := range to.words {
			to.words[i] <<= 16
		}
	case TF32:
		for i := range to.words {
			to.words[i] &^= tf32Ignored
		}
	case E4M3, E5M2:
		table := &floats4
		if e == E5M2 {
			table = &floats5
		}
		for i, w := range to.words {
			to.words[i] = table[w&0xFF]
		}
	}
	return u.widen(&to.values[0], &to.exponents[0], &to.words[0], len(to.words), least)
}
