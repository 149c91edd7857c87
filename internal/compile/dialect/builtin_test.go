package dialect

import "testing"

func TestRedeclarations(t *testing.T) {
	for _, c := range []struct{ before, after string }{
		{"extern const dim3 blockDim;", "                          ;"},
		{"int a;\nextern const __device__\nuint3 threadIdx; int b;", "int a;\n                       \n               ; int b;"},
		{"extern int warpSize;", "                   ;"},
	} {
		for _, device := range []bool{true, false} {
			if got := rewrite(t, c.before, device); got != c.after {
				t.Errorf("%q becomes %q, want %q", c.before, got, c.after)
			}
		}
	}
	for _, source := range []string{
		"extern const dim3 blockDims;", "const dim3 blockDim;", "extern float threadIdx;", "extern const dim3 blockDim", "extern const dim3 *blockDim;",
		"extern", "// extern const dim3 blockDim;\n", "extern const dim3 blockDim, other;",
	} {
		if got := Rewrite(map[string][]byte{"a.cu": []byte(source)}, nil, true); len(got) != 0 {
			t.Errorf("%q becomes %q", source, got["a.cu"])
		}
	}
}
