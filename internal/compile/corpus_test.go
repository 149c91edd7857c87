package compile

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sources lists the files of a pattern, and fails the test when there are fewer than least.
func sources(t *testing.T, pattern string, least int) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) < least {
		t.Fatalf("%d files match %s, want at least %d (%v)", len(files), pattern, least, err)
	}
	return files
}

// device compiles a source and fails the test when it does not compile or clang warns.
func device(t *testing.T, file string, o Options) []byte {
	t.Helper()
	var warnings bytes.Buffer
	o.Warnings = &warnings
	ptx, err := Device(context.Background(), file, o)
	if err != nil {
		t.Fatal(err)
	}
	if warnings.Len() > 0 {
		t.Errorf("warnings:\n%s", &warnings)
	}
	return ptx
}

func TestMeasuredKernelsCompile(t *testing.T) {
	for _, file := range sources(t, "../../../shared/truth/kernels/*.cu", 43) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			ptx := device(t, file, Options{Arch: "sm_90a"})
			if kernels := bytes.Count(ptx, []byte(".entry ")); kernels == 0 {
				t.Error("no kernel in the PTX")
			}
			if !bytes.Contains(ptx, []byte("\t.loc\t1 ")) {
				t.Error("no line information in the PTX")
			}
		})
	}
}

// The kernels that a recorded PTX file holds are in ours too, under the same mangled names.
func TestMeasuredKernelsHaveTheirEntries(t *testing.T) {
	for _, recorded := range sources(t, "../../../shared/truth/h200/ptx/*.compute_90*.ptx", 40) {
		name, _, _ := strings.Cut(filepath.Base(recorded), ".")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(recorded)
			if err != nil {
				t.Fatal(err)
			}
			ptx := device(t, filepath.Join("../../../shared/truth/kernels", name+".cu"), Options{Arch: "sm_90a"})
			for _, line := range strings.Split(string(text), "\n") {
				if entry, ok := strings.CutPrefix(line, ".visible .entry "); ok && !bytes.Contains(ptx, []byte(".entry "+entry)) {
					t.Errorf("no kernel %s", entry)
				}
			}
		})
	}
}

func TestMicroBenchmarksCompile(t *testing.T) {
	for _, file := range sources(t, "../../../shared/truth/kernels/micro/*.cu", 3) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			device(t, file, Options{Arch: "sm_90a"})
			hostObject(t, file, Options{Arch: "sm_90a"})
		})
	}
}

func TestExamplesCompile(t *testing.T) {
	for _, file := range sources(t, "../../examples/*.cu", 9) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			device(t, file, Options{})
			hostObject(t, file, Options{})
		})
	}
}

// hostObject compiles both halves of a source and checks that the object carries the PTX.
func hostObject(t *testing.T, file string, o Options) {
	t.Helper()
	c, err := newCompiler(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	object, warnings, err := c.object(context.Background(), file, o)
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(warnings, ""); text != "" {
		t.Errorf("warnings:\n%s", text)
	}
	if !bytes.Contains(object, []byte(".target "+o.arch())) {
		t.Error("the object does not hold the PTX")
	}
	for _, call := range []string{"__cudaRegisterFatBinary", "__cudaRegisterFunction", "cudaLaunchKernel"} {
		if !bytes.Contains(object, []byte(call)) {
			t.Errorf("the object does not refer to %s", call)
		}
	}
}

// plainObject compiles a source that is not CUDA.
func plainObject(t *testing.T, file string) {
	t.Helper()
	c, err := newCompiler(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	object, warnings, err := c.object(context.Background(), file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(warnings, ""); text != "" {
		t.Errorf("warnings:\n%s", text)
	}
	if !bytes.Contains(object, []byte("cudaMalloc")) {
		t.Error("the object does not refer to cudaMalloc")
	}
}
