package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"silica/internal/run/runtest"
)

// A library may be initialized before this one, as libcurand is in a program that names libcuda before it: its kernels are
// registered all the same, and what else it calls then fails and does not wait for a start that can not come.
func TestALibraryIsInitializedBeforeThisOne(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(runtest.Library(), filepath.Join(dir, "libcuda.so.1")); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-I../../internal/compile/include", "-o", filepath.Join(dir, "libearly.so"), "testdata/early.c"},
		{"-o", program, "testdata/early_main.c", "-L" + dir, "-Wl,--no-as-needed", "-l:libcuda.so.1", "-l:libearly.so"},
	} {
		if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	r := runtest.Run(t, []string{"LD_LIBRARY_PATH=" + dir}, program)
	if want := "3 42\n"; r.Exit != 0 || r.Stdout != want || r.Stderr != "" {
		t.Errorf("exit %d; stdout %q, want %q; stderr %q", r.Exit, r.Stdout, want, r.Stderr)
	}
}
