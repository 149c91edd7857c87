package compile

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

const withConstructors = `struct counter { int n = 5; __device__ void next() { n++; } };
__global__ void __launch_bounds__(64, 2, 1) k(int *p) { __shared__ counter c, d[2]; c.next(); d[1].next(); *p = c.n; }
int main() {}
`

// Shared memory has no initial contents: a constructor is left out, without a word.
func TestConstructorsOfSharedMemoryAreLeftOut(t *testing.T) {
	file := write(t, "main.cu", withConstructors)
	var warnings bytes.Buffer
	o := Options{Library: recordingRuntime(t), Warnings: &warnings}
	if err := Program(context.Background(), []string{file}, o, filepath.Join(t.TempDir(), "program")); err != nil || warnings.Len() > 0 {
		t.Errorf("%v\n%s", err, &warnings)
	}
	ptx := string(device(t, file, Options{}))
	if strings.Count(ptx, "\t.shared .align 4") != 2 || strings.Contains(ptx, ", 5;") {
		t.Errorf("not two objects without a constructor:\n%s", ptx)
	}
}

// Other mistakes are said in the words of the source.
func TestMessagesAboutSharedMemory(t *testing.T) {
	file := write(t, "main.cu", strings.Replace(withConstructors, "*p = c.n;", "*p = c.m;", 1))
	_, err := Device(context.Background(), file, Options{})
	var failed *Error
	if !errors.As(err, &failed) {
		t.Fatalf("%v, want messages", err)
	}
	for _, want := range []string{"main.cu:2:", "no member named 'm' in 'counter'", "__shared__ counter c, d[2]; c.next()"} {
		if !strings.Contains(failed.Diagnostics, want) {
			t.Errorf("%q is missing in\n%s", want, failed.Diagnostics)
		}
	}
	if strings.Contains(failed.Diagnostics, "$shared") {
		t.Errorf("names of ours in\n%s", failed.Diagnostics)
	}
}

// A table of virtual functions with pure ones needs nothing that only the host's C++ library has.
func TestPureVirtualFunctionsAreDefined(t *testing.T) {
	ptx := string(device(t, write(t, "main.cu", `
struct base { __device__ virtual int f() = 0; };
struct derived : base { __device__ int f() override { return 1; } };
struct unfinished : base { __device__ virtual int g() { return 2; } };
__global__ void k(base **p, bool b) { *p = b ? (base *)new derived : nullptr; }
__device__ unfinished *u;
__device__ void h(unfinished *v) { v->unfinished::g(); }
struct late : unfinished { __device__ late() {} __device__ int f() override { return 3; } };
__global__ void l(base **p) { *p = new late; }
`), Options{Opt: "0"}))
	if strings.Contains(ptx, ".extern .func __cxa") || !strings.Contains(ptx, ".weak .func __cxa_pure_virtual()\n{") {
		t.Errorf("no definition in\n%s", ptx)
	}
}
