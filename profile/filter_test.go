package profile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFilter(t *testing.T) {
	const float, double, plain = "_Z5scaleIfEvPT_i", "_Z5scaleIdEvPT_i", "_Z8rescale2Pf"
	launches := []string{float, plain, double, float, float}
	for text, want := range map[string][]int{
		"0,0,":                 {0, 1, 2, 3, 4},
		"2,0,":                 {2, 3, 4},
		"1,2,":                 {1, 2},
		"0,0,scale":            {0, 2, 3, 4},
		"0,0,scale<float>":     {0, 3, 4},
		"0,0,_Z5scaleIdEvPT_i": {2},
		"0,0,scal":             {},
		"0,0,regex:scal":       {0, 1, 2, 3, 4},
		"0,0,regex:^scale$":    {0, 2, 3, 4},
		"0,0,regex:e2|<d":      {1, 2},
		"1,1,regex:^sc,?ale":   {2},
		"1,0,rescale2":         {},
		"0,9,rescale2":         {1},
		"3,1,scale":            {4},
		"0,1,":                 {0},
	} {
		var f Filter
		if err := f.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		chosen := []int{}
		choose := f.Select()
		for i, kernel := range launches {
			if choose == nil || choose(kernel, i) {
				chosen = append(chosen, i)
			}
		}
		if diff := cmp.Diff(want, chosen); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
		if again := f.String(); again != text && text != "0,0," {
			t.Errorf("%s is written as %s", text, again)
		}
	}
}

func TestFiltersThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"1,2":           `"1,2": want SKIP,COUNT,NAME`,
		"a,0,x":         `"a,0,x": want SKIP,COUNT,NAME`,
		"0,-1,x":        `"0,-1,x": want SKIP,COUNT,NAME`,
		"0,0,regex:(ab": "\"regex:(ab\": error parsing regexp: missing closing ): `(ab`",
	} {
		var f Filter
		if err := f.UnmarshalText([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
