package run

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"silica/gpu"
	"silica/internal/compile"
	"silica/internal/run/runtest"
)

func TestMain(m *testing.M) { os.Exit(runtest.Main(m)) }

func TestAProgramRuns(t *testing.T) {
	for _, c := range []struct {
		name    string
		options Options
		stdout  string
		stderr  string
		exit    int
	}{
		{"plain", Options{}, "hello\nNVIDIA H200, 0\n", "0 numbers\n", 0},
		{"arguments and input", Options{Args: []string{"a b", "-x"}, Stdin: strings.NewReader("1 20 300")},
			"hello [a b] [-x] 2 40 600\nNVIDIA H200, 900\n", "3 numbers\n", 3},
		{"GPU", Options{GPU: "v100", Stdin: strings.NewReader("4")}, "hello 8\nTesla V100-SXM2-16GB, 700\n", "1 numbers\n", 1},
		{"later GPU", Options{GPU: "b200", Stdin: strings.NewReader("4")}, "hello 8\nNVIDIA B200, 900\n", "1 numbers\n", 1},
		{"engine, workers, limit", Options{Engine: "ref", Workers: 1, MaxInstructions: 1000, Stdin: strings.NewReader("4")},
			"hello 8\nNVIDIA H200, 900\n", "1 numbers\n", 1},
		{"compiler options", Options{Compile: compile.Options{Arch: "sm_80", Define: []string{`GREETING="hi"`}}, Stdin: strings.NewReader("4")},
			"hi 8\nNVIDIA H200, 800\n", "1 numbers\n", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			c.options.Files = []string{"testdata/echo.cu"}
			c.options.Stdout, c.options.Stderr = &stdout, &stderr
			exit, err := Program(context.Background(), c.options)
			if exit != c.exit || err != nil || stdout.String() != c.stdout || stderr.String() != c.stderr {
				t.Errorf("exit %d, %v; stdout %q, stderr %q", exit, err, &stdout, &stderr)
			}
		})
	}
}

func TestFilesThatAreNoPrograms(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte("notes\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{dir, text} {
		_, err := Program(context.Background(), Options{Files: []string{file}})
		var refused *compile.Error
		if !errors.As(err, &refused) || !strings.HasPrefix(err.Error(), file+" is neither a source (.cu ") {
			t.Errorf("%s: got %v", file, err)
		}
	}
	missing := filepath.Join(dir, "missing.cu")
	if _, err := Program(context.Background(), Options{Files: []string{missing}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that there is no such file", err)
	}
}

func TestAnExecutableRuns(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(runtest.Library(), filepath.Join(dir, "libcudart.so.12")); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "linked")
	cc := exec.Command("cc", "-o", program, "testdata/linked.c", "-I../compile/include", "-L"+dir, "-l:libcudart.so.12")
	if out, err := cc.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var stdout bytes.Buffer
	exit, err := Program(context.Background(), Options{Files: []string{program}, Stdout: &stdout})
	if exit != 0 || err != nil || stdout.String() != "cudaSuccess 1\n" {
		t.Errorf("exit %d, %v, stdout %q", exit, err, &stdout)
	}
}

func TestWhatDoesNotRun(t *testing.T) {
	for _, c := range []struct {
		name    string
		options Options
		target  error
		message string
	}{
		{"nothing", Options{}, nil, "no program is given"},
		{"a file that is not there", Options{Files: []string{"testdata/absent.cu"}}, os.ErrNotExist, "absent.cu"},
		{"a GPU that is not there", Options{Files: []string{"testdata/echo.cu"}, GPU: "voodoo2"}, gpu.ErrUnknown, "voodoo2"},
	} {
		_, err := Program(context.Background(), c.options)
		if err == nil || !strings.Contains(err.Error(), c.message) || c.target != nil && !errors.Is(err, c.target) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	_, err := Program(context.Background(), Options{Files: []string{"testdata/broken.cu"}})
	var diagnostics *compile.Error
	if !errors.As(err, &diagnostics) || !strings.Contains(err.Error(), "testdata/broken.cu:3:12: error: ") {
		t.Errorf("a source that does not compile: %v", err)
	}
}

func TestTheLibraryIsFound(t *testing.T) {
	if path, err := Library(); err != nil || path != runtest.Library() {
		t.Errorf("%s, %v", path, err)
	}
	t.Setenv("SILICA_LIB", "absent.so")
	if _, err := Library(); !errors.Is(err, ErrNoLibrary) || !strings.HasPrefix(err.Error(), "SILICA_LIB: ") {
		t.Errorf("%v", err)
	}
	t.Setenv("SILICA_LIB", "")
	if _, err := Library(); !errors.Is(err, ErrNoLibrary) || !strings.Contains(err.Error(), "go build -buildmode=c-shared") {
		t.Errorf("%v", err)
	}
}

// ready calls f when something is written to it first.
type ready struct {
	f    func()
	once bool
}

func (r *ready) Write(b []byte) (int, error) {
	if !r.once {
		r.once = true
		r.f()
	}
	return len(b), nil
}

func TestSignals(t *testing.T) {
	program := filepath.Join(t.TempDir(), "waits")
	if err := compile.Program(context.Background(), []string{"testdata/waits.cpp"}, compile.Options{Library: runtest.Library()}, program); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, c := range []struct {
		name string
		args []string
		when func() // the program is ready
		exit int
		err  error
	}{
		{"a signal is passed on", nil, func() { _ = syscall.Kill(os.Getpid(), syscall.SIGUSR1) }, 5, nil},
		{"a signal ends the program", []string{"abort"}, func() {}, 128 + int(syscall.SIGABRT), nil},
		{"the caller ends the program", nil, cancel, 128 + int(syscall.SIGTERM), context.Canceled},
	} {
		exit, err := Program(ctx, Options{Files: []string{program}, Args: c.args, Stdout: &ready{f: c.when}, Stderr: io.Discard})
		if exit != c.exit || !errors.Is(err, c.err) {
			t.Errorf("%s: exit %d, want %d; %v", c.name, exit, c.exit, err)
		}
	}
}

// A program that holds what NVIDIA's static runtime library holds is refused before it runs, unless it asks for the shared one, too.
func TestAProgramWithAStaticRuntimeIsRefused(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "static.c")
	text := "const char name[] = \"/cudart.shm.%x\";\nint main(void) { return name[0] == 0; }\n"
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(runtest.Library(), filepath.Join(dir, "libcudart.so.12")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		want error
	}{
		{"static", []string{"-s"}, ErrStaticRuntime},
		{"shared", []string{"-L" + dir, "-Wl,--no-as-needed", "-l:libcudart.so.12"}, nil},
	} {
		program := filepath.Join(dir, c.name)
		if out, err := exec.Command("cc", append([]string{"-o", program, source}, c.args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		exit, err := Program(context.Background(), Options{Files: []string{program}})
		if exit != 0 || !errors.Is(err, c.want) || err != nil && !strings.HasSuffix(err.Error(), "nvcc -cudart shared") {
			t.Errorf("%s: exit %d, %v", c.name, exit, err)
		}
	}
}
