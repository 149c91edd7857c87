package kernelarg

import (
	"strconv"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct {
		text  string
		typ   string
		count int
		out   bool
		first string // the first elements, or the scalar's bits, as text
	}{
		{"i32=1024", "i32", 0, false, "1024"},
		{"i32=-1", "i32", 0, false, "18446744073709551615"},
		{"u64=18446744073709551615", "u64", 0, false, "18446744073709551615"},
		{"f32=2", "f32", 0, false, "1073741824"},
		{"f16=1", "f16", 0, false, "15360"},
		{"f32[4]", "f32", 4, false, "0 0 0 0"},
		{"f32[4]=zero", "f32", 4, false, "0 0 0 0"},
		{"f32[3]=1.5", "f32", 3, false, "1.5 1.5 1.5"},
		{"i32[3]=-7", "i32", 3, false, "-7 -7 -7"},
		{"u8[3]=iota", "u8", 3, false, "0 1 2"},
		{"f64[3]=iota(1,0.5)", "f64", 3, false, "1 1.5 2"},
		{"bf16[2]=iota(1,1)", "bf16", 2, false, "1 2"},
		{"out f32[2]", "f32", 2, true, "0 0"},
		{"inout i64[2]=5", "i64", 2, true, "5 5"},
		{"in f32[2]=5", "f32", 2, false, "5 5"},
		{"inout i32[1]=2147483647", "i32", 1, true, "2147483647"},
		{"inout u64[1]=9007199254740992", "u64", 1, true, "9007199254740992"},
		{"inout f64[1]=0.1", "f64", 1, true, "0.1"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			a, err := Parse(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if a.Type != test.typ || a.Count != test.count || a.Out != test.out {
				t.Errorf("%+v", a)
			}
			if !a.IsBuffer() {
				if got := formatBits(a.Bits()); got != test.first {
					t.Errorf("bits %s, want %s", got, test.first)
				}
				return
			}
			b, err := a.Contents()
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(a.Format(b, 8), " "); got != test.first {
				t.Errorf("contents %s, want %s", got, test.first)
			}
		})
	}
}

// TestUniform checks that random contents keep their bounds and repeat.
func TestUniform(t *testing.T) {
	a, err := Parse("f32[1000]=uniform(3,-2,5)")
	if err != nil {
		t.Fatal(err)
	}
	b, err := a.Contents()
	if err != nil {
		t.Fatal(err)
	}
	again, err := a.Contents()
	if err != nil || string(again) != string(b) {
		t.Fatal("contents differ from one call to the next")
	}
	distinct := map[string]bool{}
	for _, text := range a.Format(b, 1000) {
		distinct[text] = true
		if strings.HasPrefix(text, "-") && text > "-2" && len(text) > 2 && text[1] > '2' {
			t.Errorf("%s is out of bounds", text)
		}
	}
	if len(distinct) < 900 {
		t.Errorf("only %d distinct values", len(distinct))
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "want TYPE=VALUE",
		"i32":                      "a scalar needs a number",
		"i33=1":                    "there is no type i33",
		"f32[0]":                   "at least one element",
		"f32[x]=1":                 "want TYPE=VALUE",
		"out i32=1":                "out needs a buffer",
		"f32[4]=random":            `contents "random"`,
		"f32[4]=uniform()":         "contents",
		"f32[4]=uniform(a)":        `"a" is not a number`,
		"f32[4]=iota(1)":           "contents",
		"i32=1.5.5":                "a scalar needs a number",
		"f32[9999999999999999999]": "at least one element and at most",
	} {
		_, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Parse(%q): %v, want one line with %q", text, err, want)
		}
	}
	a, err := Parse("f32[4]=file:missing.bin")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Contents(); err == nil || !strings.Contains(err.Error(), "missing.bin") {
		t.Errorf("missing file: %v", err)
	}
}

func formatBits(v uint64) string { return strconv.FormatUint(v, 10) }
