// Package runtest builds the runtime library for tests that compile and run programs.
package runtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"silica/internal/compile"
)

// Main is the body of TestMain: it builds the library, lets SILICA_LIB name it, and runs the tests.
func Main(m *testing.M) int {
	dir, err := os.MkdirTemp("", "silica-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	library := filepath.Join(dir, "libsilica.so")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-o", library, "silica/cmd/libsilica")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the runtime library: %v\n%s", err, out)
		return 1
	}
	if err := os.Setenv("SILICA_LIB", library); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// Library returns the path of the library that Main built.
func Library() string { return os.Getenv("SILICA_LIB") }

// Compile compiles the files of a program and returns its path.
func Compile(t testing.TB, files ...string) string {
	t.Helper()
	return CompileFor(t, "", files...)
}

// CompileFor is Compile for an architecture, as clang names it: sm_90a.
func CompileFor(t testing.TB, arch string, files ...string) string {
	t.Helper()
	return CompileWith(t, compile.Options{Arch: arch}, files...)
}

// CompileWith compiles a program with options.
func CompileWith(t testing.TB, o compile.Options, files ...string) string {
	t.Helper()
	o.Library = Library()
	path := filepath.Join(t.TempDir(), "program")
	if err := compile.Program(context.Background(), files, o, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// Result is what a program did.
type Result struct {
	Stdout, Stderr string
	Exit           int // -1 when a signal ended it
}

// deadline is how long a program of a test may run.
const deadline = 2 * time.Minute

// Run runs a program with further environment variables.
func Run(t testing.TB, env []string, path string, args ...string) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("%s did not end within %v; it printed\n%s%s", path, deadline, &stdout, &stderr)
	}
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return Result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}
