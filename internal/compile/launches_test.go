package compile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is wrong with a launch from device code is said at its place, in the user's words.
func TestMessagesAboutLaunchesFromDeviceCode(t *testing.T) {
	file := filepath.Join(t.TempDir(), "main.cu")
	source := `#include <stdio.h>
__global__ void child(int *p) { *p = 1; }
__device__ void f(int *p, void (*k)(int *)) {
    child<<<1, 1>>>(p, 3); // 4:5: error: no matching function for call to 'child'
    k<<<1, 1>>>(p); // 5:5: error: 'k' is no kernel that is declared here
    child<<<1>>>(p); // 6:5: error: no matching function for call to 'child'
    child(p); // 7:5: error: no matching function for call to 'child'
}
`
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Device(context.Background(), file, Options{})
	var failed *Error
	if !errors.As(err, &failed) {
		t.Fatalf("%v, want messages", err)
	}
	for line := range strings.SplitSeq(source, "\n") {
		if code, message, ok := strings.Cut(line, " // "); ok {
			if want := "main.cu:" + message; !strings.Contains(failed.Diagnostics, want) || !strings.Contains(failed.Diagnostics, code) {
				t.Errorf("%q is missing in\n%s", want, failed.Diagnostics)
			}
		}
	}
	for _, ours := range []string{"$", "silica::"} {
		if strings.Contains(failed.Diagnostics, ours) {
			t.Errorf("%q shows in\n%s", ours, failed.Diagnostics)
		}
	}
}

// Instructions of a launch belong to its line.
func TestLaunchesFromDeviceCodeKeepTheirLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "main.cu")
	source := "#define N 1\n__global__ void child(int *p, int n = 2) { *p = n; }\n\n__global__ void parent(int *p) {\n    int i = 0;\n    for (; i < p[1]; i++)\n        child<<<N, 1>>>(p); *p = i;\n}\n"
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	ptx, err := Device(context.Background(), file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(ptx)
	if !strings.Contains(text, file) {
		t.Errorf("the PTX does not name %s", file)
	}
	before, _, ok := strings.Cut(text[strings.Index(text, ".entry _Z6parent"):], "__cudaCDP2GetParameterBufferV2,")
	at := strings.LastIndex(before, ".loc\t")
	if !ok || at < 0 || !strings.HasPrefix(before[at:], ".loc\t1 7 9") {
		t.Errorf("the launch is not at line 7, column 9:\n%s", text)
	}
	if !strings.Contains(text, ".loc\t1 7 32") {
		t.Error("what follows a launch in its line is not at column 32")
	}
}

// A kernel of another translation unit is declared as a kernel, as NVIDIA's linker wants it, wherever it is declared.
func TestKernelsOfOtherTranslationUnits(t *testing.T) {
	file := filepath.Join(t.TempDir(), "main.cu")
	source := `extern __global__ void first(int *p);
extern "C" __global__ void parent(int *p) {
    extern __global__ void second(int *p);
    first<<<1, 1>>>(p);
    second<<<1, 1>>>(p);
}
void host() {
    extern __global__ void third();
    third<<<1, 1>>>();
}
`
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	ptx, err := Device(context.Background(), file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{".extern .entry _Z5firstPi", ".extern .entry second"} {
		if !strings.Contains(string(ptx), want) {
			t.Errorf("no %q in\n%s", want, ptx)
		}
	}
}
