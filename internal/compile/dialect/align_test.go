package dialect

import "testing"

func TestAlignments(t *testing.T) {
	for _, c := range []struct{ before, after string }{
		{"__shared__ alignas(16) float x[4];", "alignas(16) __shared__ float x[4];"},
		{"static __shared__\talignas(f(1, (2))) T x;", "alignas(f(1, (2)))\tstatic __shared__ T x;"},
		{"void f() { __device__ const\nalignas(T) int a, b; }", "void f() { alignas(T)\n__device__ const int a, b; }"},
		{"#define BUFFER __shared__ alignas(8) char\n", "#define BUFFER alignas(8) __shared__ char\n"},
		{"__shared__ alignas(4) int a; __constant__ alignas(8) int b;", "alignas(4) __shared__ int a; alignas(8) __constant__ int b;"},
	} {
		for _, device := range []bool{true, false} {
			if got := rewrite(t, c.before, device); got != c.after {
				t.Errorf("%q becomes %q, want %q", c.before, got, c.after)
			}
		}
	}
	for _, source := range []string{
		"alignas(16) __shared__ float x;", "struct alignas(16) s {};", "static alignas(16) int x;", "__shared__ float x; alignas(8) int y;",
		"__shared__ alignas(", "__shared__ alignas", "// __shared__ alignas(16) int x;\n", "\"__shared__ alignas(16)\"",
	} {
		if got := Rewrite(map[string][]byte{"a.cu": []byte(source)}, nil, true); len(got) != 0 {
			t.Errorf("%q becomes %q", source, got["a.cu"])
		}
	}
}
