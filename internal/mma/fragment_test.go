package mma

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// TestLayoutsAsRecorded compares the layouts of wmma with those that an H200 uses: the row and the column of each
// element of some lanes. A single-bit element stands for the word it begins.
func TestLayoutsAsRecorded(t *testing.T) {
	data, err := os.ReadFile("testdata/wmma_layouts.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Shape, Type, Matrix string
		Lanes               map[int][][2]int
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		e, ok := ParseElement(c.Type)
		if !ok {
			t.Fatalf("element type %s", c.Type)
		}
		var m, n, k int
		if _, err := fmt.Sscanf(c.Shape, "m%dn%dk%d", &m, &n, &k); err != nil {
			t.Fatal(err)
		}
		f := FragmentC(e, m, n)
		switch c.Matrix {
		case "a":
			f = FragmentA(e, m, k)
		case "b":
			f = FragmentB(e, n, k)
		}
		for lane, want := range c.Lanes {
			if got := f.Registers() * e.perRegister(); got != len(want) {
				t.Errorf("%s %s of %s: %d elements a lane, want %d", c.Matrix, c.Shape, c.Type, got, len(want))
				continue
			}
			for i, w := range want {
				row, column := f.Place(i, lane)
				if e == B1 {
					column *= 32
				}
				if c.Matrix == "b" {
					row, column = column, row
				}
				if row != w[0] || column != w[1] {
					t.Errorf("%s %s of %s: element %d of lane %d is (%d,%d), want (%d,%d)", c.Matrix, c.Shape, c.Type, i, lane, row, column, w[0], w[1])
				}
			}
		}
	}
}

// TestFragmentsHoldEveryElement checks that every element of every matrix of mma and wmma lies somewhere.
func TestFragmentsHoldEveryElement(t *testing.T) {
	for _, p := range []*Product{
		MMA(Spec{M: 8, N: 8, K: 4, A: F16, B: F16, C: F32, D: F16}),
		MMA(Spec{M: 8, N: 8, K: 4, A: F16, B: F16, C: F16, D: F32, ColumnA: true, RowB: true}),
		MMA(Spec{M: 16, N: 8, K: 16, A: BF16, B: BF16, C: F32, D: F32}),
		MMA(Spec{M: 16, N: 8, K: 16, A: F64, B: F64, C: F64, D: F64}),
		MMA(Spec{M: 16, N: 8, K: 256, A: B1, B: B1, C: S32, D: S32}),
		MMA(Spec{M: 16, N: 8, K: 128, A: U4, B: S4, C: S32, D: S32, Sparse: true}),
		WMMA(Spec{M: 8, N: 32, K: 16, A: F16, B: F16, C: F16, D: F32}),
		WMMA(Spec{M: 32, N: 8, K: 16, A: S8, B: S8, C: S32, D: S32}),
		WMMA(Spec{M: 16, N: 16, K: 8, A: TF32, B: TF32, C: F32, D: F32}),
	} {
		for i, f := range []*Fragment{p.a, p.b, p.c, p.d} {
			held := make([]bool, f.Rows*f.Length)
			for e := range f.Registers() * f.Element.perRegister() {
				for lane := range lanes {
					row, column := f.Place(e, lane)
					held[row*f.Length+column] = true
				}
			}
			for at, ok := range held {
				if !ok {
					t.Errorf("operand %d of %v by %v: element %d is in no register", i, p.a.Element, p.b.Element, at)
				}
			}
		}
	}
}
