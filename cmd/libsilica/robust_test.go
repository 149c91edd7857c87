package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"silica/internal/run/runtest"
)

// The library bears what programs do beside calling it: names, threads, children, memory that is short, ends at any time.
func TestProgramsThatAreHardOnTheLibrary(t *testing.T) {
	program := runtest.Compile(t, "testdata/programs/robust.cu")
	dir := t.TempDir()
	for _, name := range []string{"libcuda.so.1", "libcuda.so", "libcudart.so.12", "libcudart.so.13"} {
		if err := os.Symlink(runtest.Library(), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	const stopped = "spin(int volatile*) was stopped while it ran: the program ended without waiting for it\n"
	for _, c := range []struct {
		what   string
		exit   int // -1 for a signal
		stdout string
		stderr string // its beginning
	}{
		{"names", 0, "PASS\n", ""},
		{"threads", 0, "PASS\n", ""},
		{"leaks", 0, "PASS\n", ""},
		{"memory", 0, "PASS\n", ""},
		{"children", 0, "PASS\nPASS\n", ""},
		{"destructor", 0, "PASS\n", ""},
		{"return while running", 0, "PASS\n", stopped},
		{"exit while running", 0, "", stopped},
		{"_exit while running", 0, "PASS\n", ""},
		{"exit in a thread while running", 0, "PASS\n", stopped},
		{"signal while running", -1, "PASS\n", ""},
		{"exception while running", -1, "PASS\n", "terminate called after throwing an instance of 'std::runtime_error'\n"},
		{"pthread_exit", 0, "PASS\n", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			r := runtest.Run(t, []string{"LD_LIBRARY_PATH=" + dir}, program, c.what)
			if r.Exit != c.exit || r.Stdout != c.stdout || !strings.HasPrefix(r.Stderr, c.stderr) || c.stderr == "" && r.Stderr != "" {
				t.Errorf("exit %d, want %d; stdout %q, want %q; stderr %q", r.Exit, c.exit, r.Stdout, c.stdout, r.Stderr)
			}
		})
	}
}
