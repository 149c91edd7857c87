package fp

import "testing"

// TestCoefficientsAreTheTables puts the coefficients of each function together again.
func TestCoefficientsAreTheTables(t *testing.T) {
	for name, table := range map[string][]segment{
		"rcp": rcpTable[:], "rsqrt": rsqrtTable[:], "sqrt": sqrtTable[:], "ex2": exp2Table[:], "lg2": log2Table[:], "sin": sineTable[:], "tanh": tanhTable[:],
	} {
		c, ok := SpecialFunction(name)
		if !ok || len(c.Low) != len(table) {
			t.Fatalf("%s: %d segments, want %d", name, len(c.Low), len(table))
		}
		for i, want := range table {
			got := segment{int64(c.High[i])<<32 | int64(c.Low[i]), int32(c.Linear[i]), int32(c.Quadratic[i])}
			if got != want {
				t.Errorf("%s: segment %d is %v, want %v", name, i, got, want)
			}
		}
	}
	if _, ok := SpecialFunction("exp"); ok {
		t.Error("there is a function exp")
	}
}
