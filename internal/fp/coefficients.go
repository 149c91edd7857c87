package fp

// Coefficients are those of a function's segments, by kind: see segment. A constant takes two words.
type Coefficients struct {
	Low, High         []uint32 // words of the constants
	Linear, Quadratic []uint32
}

// SpecialFunction returns the coefficients of a function of the special function unit, "rcp", "rsqrt", "sqrt", "ex2",
// "lg2", "sin" or "tanh", as vector code needs them; ok is false for other names. Those of roots are for even
// exponents first.
func SpecialFunction(name string) (c Coefficients, ok bool) {
	tables := map[string][]segment{
		"rcp": rcpTable[:], "rsqrt": rsqrtTable[:], "sqrt": sqrtTable[:], "ex2": exp2Table[:], "lg2": log2Table[:],
		"sin": sineTable[:], "tanh": tanhTable[:],
	}
	table, ok := tables[name]
	for _, s := range table {
		c.Low, c.High = append(c.Low, uint32(s.constant)), append(c.High, uint32(s.constant>>32))
		c.Linear, c.Quadratic = append(c.Linear, uint32(s.linear)), append(c.Quadratic, uint32(s.quadratic))
	}
	return c, ok
}

// TanhBinades returns, for the binades of the operand of a hyperbolic tangent from 2^-8 to 4, the first segment and
// how many low bits of the fraction are the place in one.
func TanhBinades() (first, placeBits []uint32) {
	for _, b := range tanhBinades {
		first, placeBits = append(first, uint32(b.first)), append(placeBits, uint32(b.placeBits))
	}
	return first, placeBits
}
