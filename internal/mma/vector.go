package mma

// vectorUnit holds routines that do for many elements what tensor.go does for one, with the same results.
type vectorUnit struct {
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
