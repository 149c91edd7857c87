package dialect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRefusedVariables(t *testing.T) {
	messages := "a.cu:3:36: error: initialization is not supported for __shared__ variables\n" +
		"    3 | __global__ void k() { __shared__ T b; }\n      |               ^\n" +
		"a.cu:5:1: warning: something\n    5 | x\n" +
		"\x1b[1mdir/b.h:12:3: \x1b[0m\x1b[0;1;31merror: \x1b[0m\x1b[1minitialization is not supported for __shared__ variables\x1b[0m\n   12 |   c[2];\n"
	got := Refused(messages, func(name string) string { return "/" + name })
	want := []Variable{{"/a.cu", 3, "b"}, {"/dir/b.h", 12, "c"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestVariablesOfSharedMemoryHaveNoConstructors(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"a variable", "__shared__ T b;", "__shared__ ::silica::shared_object<T> b$shared; auto &b = b$shared.object; "},
		{"an array", "__shared__ ns::T<int, (1 > 2)> b[N][2];", "__shared__ ::silica::shared_object<ns :: T < int , ( 1 > 2 ) > [ N ] [ 2 ]> b$shared; auto &b = b$shared.object; "},
		{"qualifiers", "static __shared__ alignas(16) typename A::T b;", "alignas ( 16 ) static __shared__ ::silica::shared_object<typename A :: T> b$shared; auto &b = b$shared.object; "},
		{"qualifiers behind", "T volatile __shared__ b;", "__shared__ ::silica::shared_object<T volatile> b$shared; auto &b = b$shared.object; "},
		{"two variables", "__shared__ T a, b[2];", "__shared__ ::silica::shared_object<T> a$shared; auto &a = a$shared.object; " +
			"__shared__ ::silica::shared_object<T [ 2 ]> b$shared; auto &b = b$shared.object; "},
		{"an initializer", "__shared__ T b = 1;", "__shared__ T b = 1;"},
		{"a pointer", "__shared__ T *b;", "__shared__ T *b;"},
		{"another name", "__shared__ T c;", "__shared__ T c;"},
		{"no variable", "b;", "b;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			const head, uses = "__global__ void k() {\n", " b.f(); auto f = [=](int b) { return b + x.b + a::b; }; } int x = b;"
			before, want := head+c.before+uses, head+c.after+uses
			if c.before != c.after {
				want = head + c.after + " b$shared.object.f(); auto f = [=](int b) { return b$shared.object + x.b + a::b; }; } int x = b;"
			}
			got := before
			if text, ok := Rewrite(map[string][]byte{"/a.cu": []byte(before)}, []Variable{{"/a.cu", 2, "b"}, {"/c.h", 2, "c"}}, true)["/a.cu"]; ok {
				got = string(text)
			}
			if got != want {
				t.Errorf("-want +got\n%s", cmp.Diff(want, got))
			}
		})
	}
}
