package dialect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rewrite returns the main file as it is compiled.
func rewrite(t *testing.T, source string, device bool) string {
	t.Helper()
	return string(Rewrite(map[string][]byte{"main.cu": []byte(source)}, nil, device)["main.cu"])
}

const companionOf = "static __host__ __device__ __forceinline__ __attribute__((nodebug)) void "

func TestLaunches(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"a name", "child<<<1, n>>>(p, 2);", "child$({1, n},  p, 2);"},
		{"no arguments", "child<<<1, 1>>>();", "child$({1, 1}   );"},
		{"spaces and lines", "child <<< dim3(1, 2),\n 3 >>> (p);", "child$ ({ dim3(1, 2),\n 3 },   p);"},
		{"a template", "child<int, f(1)><<<1, 1, 0, s>>>(p);", "child$<int, f(1)>({1, 1, 0, s},  p);"},
		{"nested templates", "child<vec<vec<int>>><<<1, 1>>>(p);", "child$<vec<vec<int>>>({1, 1},  p);"},
		{"a namespace", "a::b::child<<<1, 1>>>(p);", "a::b::child$({1, 1},  p);"},
		{"parentheses in the configuration", "child<<<(n + 1) / g(2, 3), 1>>>(p);", "child$({(n + 1) / g(2, 3), 1},  p);"},
		{"comments and strings", "/* a<<<1, 1>>>() */ f(\"b<<<1>>>()\"); // c<<<1, 1>>>()\n", "/* a<<<1, 1>>>() */ f(\"b<<<1>>>()\"); // c<<<1, 1>>>()\n"},
		{"two in a line", "a<<<1, 1>>>(); b<<<1, 1>>>(1);", "a$({1, 1}   ); b$({1, 1},  1);"},
		{"in a macro's argument", "CHECK(child<<<1, 1>>>(p));", "CHECK(child$({1, 1},  p));"},
	} {
		t.Run(c.name, func(t *testing.T) {
			const other = " other<<<1, 1>>>(); "
			for _, code := range []string{"__device__ void f(int n) {%}", "__device__ int x = 1; __host__ __device__ void f() { if (n) { % } }",
				"struct s { __device__ s(int a) : a{a}, b(1) { % } };", "void h() { g([=] __device__ (int i) { % }); }",
				"#if A\n__device__ void f(int a) {\n#else\n__device__ void f() {\n#endif\n%}", "#define GPU __device__\nGPU void f() { % }"} {
				before := strings.Replace(code, "%", c.before+other, 1)
				want := strings.Replace(code, "%", c.after+" other$({1, 1}   ); ", 1)
				if got := rewrite(t, before, true); got != want {
					t.Errorf("%s", cmp.Diff(want, got))
				}
			}
		})
	}
}

func TestHostCodeStays(t *testing.T) {
	for _, source := range []string{
		"__global__ void k(); void f() { k<<<1, 1>>>(); }",
		"__device__ int g(); __device__ int v[] = {1}; int main() { k<<<1, 1>>>(); }",
		"__device__ void f() { g(); } void h() { pointer<<<1, 1>>>(); }",
		"#define LAUNCH(k) k<<<1, 1>>>()\n__device__ void f();",
		"",
	} {
		if got := Rewrite(map[string][]byte{"a.cu": []byte(source)}, nil, true); len(got) != 0 {
			t.Errorf("%q becomes %q", source, got["a.cu"])
		}
	}
}

// parent makes Rewrite write the companions of the kernels before it.
const parent = "\n__device__ void parent() { k<<<1, 1>>>(); }\n"

func TestCompanions(t *testing.T) {
	for _, c := range []struct{ name, kernel, declaration, device, host string }{
		{
			"a kernel", "__global__ void k(const int *p, int n = 3, float (*f)(int) = nullptr) { }",
			companionOf + "k$(::silica::configuration silica$configuration, const int * p, int n = 3, float ( * f ) ( int ) = nullptr);",
			companionOf + "k$(::silica::configuration silica$configuration, const int * p, int n, float ( * f ) ( int )) " +
				"{ ::silica::launcher<void(const int *, int, float ( * ) ( int ))>::template launch<k>(silica$configuration, p, n, f); }",
			companionOf + "k$(::silica::configuration silica$configuration, const int * p, int n, float ( * f ) ( int )) " +
				"{ k<<<silica$configuration.grid, silica$configuration.block, silica$configuration.shared, silica$configuration.stream>>>(p, n, f); }",
		},
		{
			"a template", "template <class T, int N = 4, typename... R>\n__global__ void __launch_bounds__(256, 2) k(T (&a)[N], R... r) {}",
			"template <class T, int N = 4, typename ... R> " + companionOf + "k$(::silica::configuration silica$configuration, T ( & a ) [ N ], R ... r);",
			"template <class T, int N, typename ... R> " + companionOf + "k$(::silica::configuration silica$configuration, T ( & a ) [ N ], R ... r) " +
				"{ ::silica::launcher<void(T ( & ) [ N ], R ...)>::template launch<k<T, N, R...>>(silica$configuration, a, r...); }", "",
		},
		{
			"parameters without names", "__global__ void k(int, const unsigned char *, ns::type, void *q[2]) {}",
			companionOf + "k$(::silica::configuration silica$configuration, int, const unsigned char *, ns :: type, void * q [ 2 ]);",
			companionOf + "k$(::silica::configuration silica$configuration, int silica$0, const unsigned char * silica$1, ns :: type silica$2, void * q [ 2 ]) " +
				"{ ::silica::launcher<void(int, const unsigned char *, ns :: type, void * [ 2 ])>::template launch<k>(silica$configuration, silica$0, silica$1, silica$2, q); }", "",
		},
		{
			"outside of its namespace", "namespace a { namespace b { __global__ void k(int); } } __global__ void a::b::k(int n) {}",
			companionOf + "k$(::silica::configuration silica$configuration, int);",
			" namespace a { namespace b { " + companionOf + "k$(::silica::configuration silica$configuration, int n) " +
				"{ ::silica::launcher<void(int)>::template launch<k>(silica$configuration, n); } }", "",
		},
		{
			"no parameters, C linkage", `extern "C" __global__ void k(void) {}`,
			companionOf + "k$(::silica::configuration silica$configuration);",
			companionOf + "k$(::silica::configuration silica$configuration) { ::silica::launcher<void()>::template launch<k>(silica$configuration); }", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := "int before;\n" + c.kernel + parent
			device, host := rewrite(t, source, true), rewrite(t, source, false)
			if !strings.Contains(device, c.declaration) || !strings.Contains(device, c.device) || !strings.Contains(host, c.host) {
				t.Errorf("got\n%s\n%s\nwant\n%s\n%s\n%s", device, host, c.declaration, c.device, c.host)
			}
			if strings.Index(device, companionOf) > strings.Index(device, "__global__") {
				t.Errorf("the companion is declared behind the kernel: %s", device)
			}
			if got, want := strings.Count(device, "\n"), strings.Count(source, "\n"); got != want {
				t.Errorf("%d lines, want %d", got, want)
			}
		})
	}
}

const undefined = ` __attribute__((annotate("silica.undefined_kernel")));`

// The companion of a kernel that is defined in another translation unit follows its first declaration, in the block of a function
// as a variable.
func TestUndefinedKernels(t *testing.T) {
	const declared, body = companionOf + "k$(::silica::configuration silica$configuration, int n);", " { ::silica::launcher<void(int)>::template launch<k>(silica$configuration, n); }"
	for _, c := range []struct{ name, before, after string }{
		{
			"at file scope", "int x; extern __global__ void k(int n); __global__ void k(int n);",
			"int x; " + declared + " extern __global__ void k(int n)" + undefined + " " + companionOf + "k$(::silica::configuration silica$configuration, int n)" + body + " " +
				declared + " __global__ void k(int n)" + undefined,
		},
		{
			"in a block", "__device__ void f() { extern __global__ void k(int n); }",
			"__device__ void f() { extern __global__ void k(int n)" + undefined +
				" auto k$ = [](::silica::configuration silica$configuration, int n) __attribute__((always_inline, nodebug))" + body + "; }",
		},
		{"in a block of the host", "void f() { extern __global__ void k(int n); }", "void f() { extern __global__ void k(int n); }"},
		{
			"in a block, defined here", "__device__ void f() { extern __global__ void k(int = 3); } void k(int) {} extern \"C\" { __global__ void k(int n) {} }",
			"__device__ void f() { extern __global__ void k(int = 3);" +
				" auto k$ = [](::silica::configuration silica$configuration, int silica$0 = 3) __attribute__((always_inline, nodebug))" + strings.Replace(body, ", n", ", silica$0", 1) +
				"; } void k(int) {} extern \"C\" { " + declared + " __global__ void k(int n) {} " + companionOf + "k$(::silica::configuration silica$configuration, int n)" + body + " }",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			const other = " __device__ void other() { k<<<1, 1>>>(2); }"
			if diff := cmp.Diff(c.after+" __device__ void other() { k$({1, 1},  2); }", rewrite(t, c.before+other, true)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKernelsWithoutCompanion(t *testing.T) {
	for _, kernel := range []string{
		"template __global__ void k<int>(int *);",
		"template <> __global__ void k<int>(int *) {}",
	} {
		if got := rewrite(t, kernel+parent, true); strings.Contains(got, "static") {
			t.Errorf("%s becomes %s", kernel, got)
		}
	}
}

// A companion in front of a kernel that follows a preprocessor line is a line of its own, which does not count.
func TestLineAfterDirective(t *testing.T) {
	got := rewrite(t, "#include <cstdio>\n\n  __global__ void k() {}"+parent, true)
	want := "#include <cstdio>\n\n" + companionOf + "k$(::silica::configuration silica$configuration);\n#line 3\n  __global__"
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAddresses(t *testing.T) {
	got := rewrite(t, "__global__ void k(int n) {}\n__device__ void f(int k2) { cudaFuncGetAttributes(&a, k); use(k); }", true)
	for _, want := range []string{"static constexpr void (*k$address)(int) = k;", "cudaFuncGetAttributes(&a, k$address); use(k);"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
}

// Kernels and launches may be in different files.
func TestFiles(t *testing.T) {
	files := map[string][]byte{
		"kernels.h": []byte("#define DEVICE __device__\n__global__ void k() {}\n"), "main.cu": []byte("DEVICE void f() { k<<<1, 1>>>(); }"), "other.h": []byte("int x;"),
	}
	got := Rewrite(files, nil, true)
	if len(got) != 2 || !strings.Contains(string(got["kernels.h"]), "k$(") || !strings.Contains(string(got["main.cu"]), "k$({1, 1}   )") {
		t.Errorf("%q", got)
	}
}

func TestMacros(t *testing.T) {
	const source = "#define LAUNCH(k, g, ...) k<<<g, \\\n 1>>>(__VA_ARGS__); other<<<1, 1>>>()\n" +
		"#define TWICE(p) LAUNCH(child, 2, p)\n#define HOST(k) k<<<1, 1>>>()\n__device__ void f() { TWICE(1); }\nvoid h() { HOST(a); }\n"
	want := strings.NewReplacer("k<<<g, \\\n 1>>>(__", "k##$({g, \\\n 1},  __", "other<<<1, 1>>>()", "other$({1, 1}   )").Replace(source)
	if got := rewrite(t, source, true); got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestRestore(t *testing.T) {
	files := map[string][]byte{"/d/main.cu": []byte("\n__device__ void f() { k<<<1, 1>>>(x); }\n__device__ float f(float *a) { return (*(float4 *)a).q; }\n")}
	messages := "main.cu:2:24: error: no matching function for call to 'k$'\n    2 | __device__ void f() { k$({1, 1},  x); }\n      |                        ^~\n" +
		"main.cu:2:200: note: candidate function not viable: requires 2 arguments, but 3 were provided\n    2 | x\n      |     ^\n" +
		"main.cu:2:1: error: use of undeclared identifier 'q$'\n" +
		"main.cu:3:77: error: no member named 'q' in 'float4'\n    3 | __device__ float f(float *a) { return (*(float4 *)(const volatile void *)a).q; }\n" +
		"      |                                        ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ ^\n"
	want := "main.cu:2:24: error: no matching function for call to 'k'\n    2 | __device__ void f() { k<<<1, 1>>>(x); }\n      |                        ^~\n" +
		"main.cu:2:1: note: candidate function not viable: requires 1 arguments, but 2 were provided\n    2 | __device__ void f() { k<<<1, 1>>>(x); }\n" +
		"main.cu:2:1: error: 'q' is no kernel that is declared here; device code launches kernels by their names\n" +
		"main.cu:3:54: error: no member named 'q' in 'float4'\n    3 | __device__ float f(float *a) { return (*(float4 *)a).q; }\n" +
		"      |                                        ~~~~~~~~~~~~~ ^\n"
	if diff := cmp.Diff(want, Restore(messages, files, func(name string) string { return "/d/" + name })); diff != "" {
		t.Error(diff)
	}
}

func FuzzRewrite(f *testing.F) {
	f.Add("template <class T> __global__ void k(T a = {1}) { k<<<1, 2>>>(a); }")
	f.Add("#if 1\n__device__ void f() { R\"(x)\" 1'0 <<<\n#else\n}}}\n#endif")
	f.Add("__global__ template < ( [[ >>> __device__ {{ cudaFuncGetAttributes( ) k<<<")
	f.Fuzz(func(t *testing.T, source string) {
		for _, device := range []bool{false, true} {
			got, changed := Rewrite(map[string][]byte{"a": []byte(source)}, nil, device)["a"]
			if changed && strings.Count(string(got), "\n") < strings.Count(source, "\n") {
				t.Errorf("%q loses lines: %q", source, got)
			}
		}
	})
}
