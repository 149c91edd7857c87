package simd

// pattern is how the lanes of a warp's memory instruction lie. Its layout is known to patterns64.
type pattern struct {
	// base is the common address of a uniform access, or lane 0's address of a contiguous one (also
	// when lane 0 is not active), or the lowest address of a scattered one.
	base uint64
	// high and bits are the highest address and the union of all address bits of a scattered access.
	high, bits uint64
	kind       uint64
}

// The kinds of patterns.
const (
	scattered  = 0
	uniform    = 1
	contiguous = 2
)
