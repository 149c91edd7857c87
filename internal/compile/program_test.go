package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recordingRuntime builds a runtime library that prints its calls.
func recordingRuntime(t *testing.T) string {
	t.Helper()
	clang, err := FindClang(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(t.TempDir(), "librecording.so")
	out, err := exec.Command(clang.Path, "-x", "c", "-shared", "-fPIC", "-I", "include", "testdata/recording_runtime.c", "-o", library).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return library
}

func TestProgramHandsTheRuntimeItsCode(t *testing.T) {
	main := write(t, "main.cu", `
#include <cstdio>
__constant__ float table[8];
__managed__ int total;
__global__ void kernel(int i, float *p) { p[i] = table[i] + total; }
int helper(int);
int main()
{
    float values[8] = {};
    cudaMemcpyToSymbol(table, values, sizeof(values));
    kernel<<<dim3(4, 5), 64, 1024>>>(helper(20), nullptr);
    fflush(stdout);
    return 3;
}
`)
	helper := write(t, "helper.cpp", "int helper(int i) { return 2 * i + 2; }\n")
	program := filepath.Join(t.TempDir(), "program")
	err := Program(context.Background(), []string{main, helper}, Options{Library: recordingRuntime(t)}, program)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program).Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("exit status of main is lost: %v", err)
	}
	lines := strings.Split(string(out), "\n")
	lines[0], _, _ = strings.Cut(lines[0], " of ")
	want := []string{
		"binary magic 466243b1 version 1, PTX",
		"function _Z6kerneliPf",
		"variable table of 32 bytes, constant 1",
		"variable total of 4 bytes, constant 0",
		"registered",
		"copy 32 bytes to a symbol, kind 1",
		"launch (4, 5, 1) of (64, 1, 1), 1024 shared, first argument 42",
		"unregistered",
		"",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("calls of the runtime (-want +got):\n%s", diff)
	}
}

func TestQualifiersThatClangLacksReachThePTX(t *testing.T) {
	file := write(t, "qualifiers.cu", `
__managed__ int counter = 7;
__managed__ float field[4];
template <int N> __global__ void __cluster_dims__(N, 1, 1) clustered(int *p) { p[0] = counter + (int)field[N]; }
__global__ void __maxnreg__(40) limited(int *p) { p[0] = 1; }
__global__ void __launch_bounds__(128) plain(int *p) { p[0] = 1; }
template __global__ void clustered<2>(int *);
`)
	ptx := string(device(t, file, Options{}))
	for _, want := range []string{
		".visible .global .attribute(.managed) .align 4 .u32 counter = 7;",
		".visible .global .attribute(.managed) .align 4 .b8 field[16];",
		".explicitcluster\n.reqnctapercluster 2, 1, 1\n{",
		".maxnreg 40\n{",
		".maxntid 128, 1, 1 ",
	} {
		if !strings.Contains(ptx, want) {
			t.Errorf("no %q in\n%s", want, ptx)
		}
	}
	if n := strings.Count(ptx, ".entry "); n != 3 {
		t.Errorf("%d entries, want 3 and no declarations", n)
	}
	if n := strings.Count(ptx, ".explicitcluster"); n != 1 {
		t.Errorf("%d kernels have clusters, want 1", n)
	}
}

func TestErrorsAreClangs(t *testing.T) {
	for _, test := range []struct{ name, source, want string }{
		{"syntax", "__global__ void k(int *p) { p[0] = 1 }\n", "bad.cu:1:37: error: expected ';' after expression"},
		{"undeclared", "__global__ void k(int *p) { p[0] = undeclared; }\n", "bad.cu:1:36: error: use of undeclared identifier 'undeclared'"},
		{"host call", "int f();\n__global__ void k(int *p) { p[0] = f(); }\n", "bad.cu:1:5: note: candidate function not viable: call to __host__ function from __global__ function"},
		{"missing header", "#include \"nowhere.h\"\n", "bad.cu:1:10: fatal error: 'nowhere.h' file not found"},
		{"returning kernel", "__global__ int k() { return 1; }\n", "bad.cu:1:12: error: kernel function type 'int ()' must have void return type"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Device(context.Background(), write(t, "bad.cu", test.source), Options{})
			var compileError *Error
			if !errors.As(err, &compileError) {
				t.Fatalf("got %v, want an *Error", err)
			}
			if !strings.Contains(compileError.Diagnostics, test.want) {
				t.Errorf("got\n%s\nwant %s", compileError.Diagnostics, test.want)
			}
			if strings.Contains(compileError.Diagnostics, "generated when compiling") {
				t.Errorf("closing line in\n%s", compileError.Diagnostics)
			}
		})
	}
	t.Run("unknown architecture", func(t *testing.T) {
		_, err := Device(context.Background(), write(t, "fine.cu", "__global__ void k() {}\n"), Options{Arch: "sm_999"})
		if err == nil || !strings.Contains(err.Error(), "sm_999") {
			t.Errorf("got %v, want an error about sm_999", err)
		}
	})
	t.Run("no such file", func(t *testing.T) {
		if _, err := Device(context.Background(), "nowhere.cu", Options{}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v, want os.ErrNotExist", err)
		}
	})
	t.Run("undefined symbol", func(t *testing.T) {
		file := write(t, "main.cu", "void nowhere();\nint main() { nowhere(); }\n")
		err := Program(context.Background(), []string{file}, Options{Library: recordingRuntime(t)}, filepath.Join(t.TempDir(), "program"))
		if err == nil || !strings.Contains(err.Error(), "undefined reference to `nowhere()'") {
			t.Errorf("got %v, want the linker's error", err)
		}
	})
	t.Run("no library", func(t *testing.T) {
		if err := Program(context.Background(), nil, Options{}, "program"); err == nil || !strings.Contains(err.Error(), "no runtime library") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Device(ctx, write(t, "fine.cu", "__global__ void k() {}\n"), Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
}

func TestArchitectureOfAGPU(t *testing.T) {
	for _, test := range []struct {
		major, minor int
		want         string
	}{{7, 0, "sm_70"}, {7, 5, "sm_75"}, {8, 0, "sm_80"}, {8, 9, "sm_89"}, {9, 0, "sm_90"}, {10, 0, "sm_90"}, {12, 1, "sm_90"}} {
		if got, err := ArchFor(test.major, test.minor); got != test.want || err != nil {
			t.Errorf("ArchFor(%d, %d) = %s, %v, want %s", test.major, test.minor, got, err, test.want)
		}
	}
	if _, err := ArchFor(3, 5); err == nil || !strings.Contains(err.Error(), "3.5") {
		t.Errorf("ArchFor(3, 5): %v, want an error", err)
	}
}

func TestMissingClangSaysHowToGetIt(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Device(context.Background(), "any.cu", Options{})
	if !errors.Is(err, ErrNoClang) || !strings.Contains(err.Error(), "apt-get install clang-19") {
		t.Errorf("got %v, want ErrNoClang with the command", err)
	}
	t.Setenv("SILICA_CLANG", "/nowhere/clang++")
	if _, err := FindClang(context.Background()); !errors.Is(err, ErrNoClang) || !strings.Contains(err.Error(), "/nowhere/clang++") {
		t.Errorf("got %v, want ErrNoClang with the path", err)
	}
}

func TestOldAndForeignCompilersAreRefused(t *testing.T) {
	for _, test := range []struct{ name, banner, want string }{
		{"old", "Debian clang version 14.0.6", "older than 19"},
		{"apple", "Apple clang version 17.0.0 (clang-1700.0.13.3)", "no PTX target"},
		{"gcc", "g++ (Debian 12.2.0-14) 12.2.0", "not an LLVM clang"},
	} {
		t.Run(test.name, func(t *testing.T) {
			compiler := write(t, "clang++", "#!/bin/sh\necho '"+test.banner+"'\n")
			if err := os.Chmod(compiler, 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("SILICA_CLANG", compiler)
			if _, err := FindClang(context.Background()); !errors.Is(err, ErrNoClang) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestWarningsAreShownOnce(t *testing.T) {
	file := write(t, "warning.cu", "#warning look here\n__global__ void k(int *p) { p[0] = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n")
	program := filepath.Join(t.TempDir(), "program")
	for _, run := range []string{"first", "cached"} {
		var warnings bytes.Buffer
		o := Options{Library: recordingRuntime(t), Warnings: &warnings}
		if err := Program(context.Background(), []string{file}, o, program); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(warnings.String(), "look here"); n == 0 || strings.Count(warnings.String(), "warning:") != 1 {
			t.Errorf("%s run printed\n%s", run, &warnings)
		}
	}
}

func TestCacheNoticesChanges(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	source, header := filepath.Join(dir, "a.cu"), filepath.Join(dir, "value.h")
	put := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(o Options, want string) {
		t.Helper()
		if ptx := device(t, source, o); !bytes.Contains(ptx, []byte(want)) {
			t.Errorf("no %q in\n%s", want, ptx)
		}
	}
	put(header, "#define VALUE 1111\n")
	put(source, "#include \"value.h\"\n__global__ void k(int *p) { p[0] = VALUE + MORE; }\n")
	expect(Options{Define: []string{"MORE=0"}}, "1111;")
	expect(Options{Define: []string{"MORE=0"}}, "1111;")
	expect(Options{Define: []string{"MORE=1"}}, "1112;")
	put(header, "#define VALUE 2222\n")
	expect(Options{Define: []string{"MORE=0"}}, "2222;")
	put(source, "#include \"value.h\"\n__global__ void k(int *p) { p[0] = 2 * VALUE; }\n")
	expect(Options{Define: []string{"MORE=0"}}, "4444;")
}

func TestConcurrentCompilationsShareTheCache(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	file := write(t, "a.cu", "__global__ void k(int *p) { p[0] = 12345; }\n")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			ptx, err := Device(context.Background(), file, Options{})
			if err != nil || !bytes.Contains(ptx, []byte("12345")) {
				t.Errorf("%v\n%s", err, ptx)
			}
		})
	}
	group.Wait()
}

func TestAnUnwritableCacheIsNoError(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
	file := write(t, "a.cu", "__global__ void k(int *p) { p[0] = 1; }\nint main() {}\n")
	device(t, file, Options{})
	if err := Program(context.Background(), []string{file}, Options{Library: recordingRuntime(t)}, filepath.Join(t.TempDir(), "program")); err != nil {
		t.Error(err)
	}
}

func TestAProgramIsLinkedOnceForEachContent(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	library, program := recordingRuntime(t), filepath.Join(t.TempDir(), "program")
	file := filepath.Join(t.TempDir(), "a.cu") // its place is part of the program, in the tables of lines
	for _, test := range []struct {
		status int
		linked int // programs that were linked so far
	}{{1, 1}, {1, 1}, {2, 2}, {1, 2}} {
		if err := os.WriteFile(file, fmt.Appendf(nil, "int main() { return %d; }\n", test.status), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Program(context.Background(), []string{file}, Options{Library: library}, program); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := exec.Command(program).Run(); !errors.As(err, &exit) || exit.ExitCode() != test.status {
			t.Errorf("a program that returns %d: %v", test.status, err)
		}
		kept, err := os.ReadDir(filepath.Join(cacheRoot(), "programs"))
		if err != nil || len(kept) != test.linked {
			t.Errorf("%d programs are kept, want %d (%v)", len(kept), test.linked, err)
		}
	}
}

// What math.table calls "own" works on the host too, where no library has it.
func TestHostCodeFindsTheMathFunctions(t *testing.T) {
	main := write(t, "main.cu", `
#include <cstdio>
int main()
{
    float s, c;
    sincospif(0.25f, &s, &c);
    double v[3] = {2, 3, 6};
    printf("%.9g %.17g %.9g %.17g %.9g %.17g %.9g %d\n", rsqrtf(16.0f), normcdf(0.0), erfcinvf(1.0f), rcbrt(27.0), s, norm(3, v), cospi(1.0f), max(3, 4));
    printf("%.9g %.17g %.9g\n", expf(1.0f), std::sqrt(2.0), std::pow(2.0f, 0.5f));
}
`)
	program := filepath.Join(t.TempDir(), "program")
	if err := Program(context.Background(), []string{main}, Options{Library: recordingRuntime(t)}, program); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	const want = "0.25 0.5 0 0.33333333333333331 0.707106769 7 -1 4\n2.71828175 1.4142135623730951 1.41421354\n"
	if got := string(out); !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Host code is optimised here and not by nvcc, and does what it does there: what overflows wraps, and memory has no type.
func TestHostCodeMayOverflowAndAlias(t *testing.T) {
	const source = `
#include <cstdio>
#include <cstdlib>
__attribute__((noinline)) int firstWrong(const unsigned *squares, int n)
{
    for (int i = 0; i < n; i += 1)
        if (static_cast<int>(squares[i]) != i * i)
            return i;
    return n;
}
__attribute__((noinline)) float punned(unsigned *bits, float *f)
{
    *f = 1;
    *bits = 0x40000000;
    return *f;
}
int main()
{
    const int n = 100000;
    unsigned *squares = static_cast<unsigned *>(malloc(n * sizeof(unsigned)));
    for (unsigned i = 0; i < n; i += 1)
        squares[i] = i * i;
    float f;
    printf("%d %g\n", firstWrong(squares, n), punned(reinterpret_cast<unsigned *>(&f), &f));
}
`
	for _, name := range []string{"main.cu", "main.cpp"} {
		program := filepath.Join(t.TempDir(), "program")
		if err := Program(context.Background(), []string{write(t, name, source)}, Options{Library: recordingRuntime(t)}, program); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(program).Output()
		if err != nil {
			t.Fatal(err)
		}
		const want = "100000 2\n"
		if got := string(out); !strings.HasSuffix(got, want) {
			t.Errorf("%s: got %q, want %q at the end", name, got, want)
		}
	}
}

// A constexpr function that calls a math function is none, which nvcc does not mind.
func TestConstexprFunctionsMayCallMathFunctions(t *testing.T) {
	device(t, write(t, "constexpr.cu", `
__device__ constexpr float logarithm() { return 1.f / ::log(10.f); }
__global__ void k(float *x) { *x = logarithm(); }
`), Options{})
}

// Parts of the C++ library that run on the device: what is constexpr there, and algorithms on references.
func TestStandardLibraryOnTheDevice(t *testing.T) {
	device(t, write(t, "std.cu", `
#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
template <class F> __global__ void apply(F f, float *p) { p[threadIdx.x] = f(p[threadIdx.x]); }
__host__ __device__ float shared_code(float x) { return std::sqrt(x) + std::fabs(x) + sqrtf(x) + pow(x, 2.0f) + std::max(x, 1.0f); }
__global__ void k(float *p, int n)
{
    std::array<float, 3> a = {p[0], p[1], p[2]};
    std::swap(a[0], a[1]);
    auto pair = std::make_pair(a[0], n);
    std::complex<float> z(p[3], p[4]);
    z = z * z;
    p[5] = std::isnan(a[2]) || isinf(p[6]) || signbit(p[7]) || !std::isfinite(p[8]) ? std::numeric_limits<float>::max() : FLT_EPSILON;
    p[9] = pair.first + z.real() + std::min(n, 4) + std::abs(n) + abs(n) + fabs(p[10]) + sqrt(n) + fmax(p[11], 0) + ceil(p[12]) + float(INT_MAX) + std::get<0>(std::make_tuple(1.0f, 2));
    p[13] = shared_code(p[14]) + NAN + INFINITY + M_PI;
}
int main() { apply<<<1, 32>>>([] __device__(float x) { return x + 1; }, nullptr); float y = 2; apply<<<1, 32>>>([=] __host__ __device__(float x) { return x * y; }, nullptr); return (int)shared_code(1.0f); }
`), Options{})
}

// Fast maths replaces functions by instructions, but never makes our math headers inexact where they say exact.
func TestFastMathUsesTheChipsApproximations(t *testing.T) {
	file := write(t, "fast.cu", "__global__ void k(float *p) { p[0] = sinf(p[1]); p[2] = p[3] / p[4]; p[5] = sqrtf(p[6]); p[7] = expf(p[8]); p[9] = p[10] * p[11] + p[12]; }\n"+
		"__global__ void exact(float *p) { p[0] = erfinvf(p[1]); }\n")
	for _, test := range []struct {
		fast bool
		want []string
	}{
		{false, []string{"div.rn.f32", "sqrt.rn.f32", "ex2.approx.ftz.f32", "fma.rn.f32"}},
		{true, []string{"sin.approx.ftz.f32", "div.approx.ftz.f32", "sqrt.approx.ftz.f32", "ex2.approx.ftz.f32", "fma.rn.ftz.f32"}},
	} {
		ptx := string(device(t, file, Options{FastMath: test.fast}))
		for _, want := range test.want {
			if !strings.Contains(ptx, want) {
				t.Errorf("fast %t: no %s in\n%s", test.fast, want, ptx)
			}
		}
	}
}

// Without fusion, multiplications and additions stay apart in what comes behind our math headers too, which set their own rule.
func TestFusion(t *testing.T) {
	file := write(t, "fusion.cu", "__global__ void k(float *p, double *q) { p[0] = p[1] * p[2] + p[3]; q[0] = q[1] * q[2] + q[3]; }\n")
	for _, test := range []struct {
		options Options
		want    int
	}{
		{Options{}, 2},
		{Options{NoFusion: true}, 0},
		{Options{NoFusion: true, Opt: "0"}, 0},
		{Options{NoFusion: true, Define: []string{"A"}}, 0}, // with a prefix header that is not precompiled
	} {
		ptx := string(device(t, file, test.options))
		if got := strings.Count(ptx, "\tfma.rn"); got != test.want {
			t.Errorf("%+v: %d fused, want %d, in\n%s", test.options, got, test.want, ptx)
		}
	}
}
