package main

import (
	"debug/elf"
	"testing"

	"silica/internal/run/runtest"
)

// A process gives libraries that it loads late little thread-local memory, all together: beside PyTorch, a library with 800
// bytes of it did not load.
func TestThreadLocalMemoryIsSmall(t *testing.T) {
	f, err := elf.Open(runtest.Library())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_TLS && p.Memsz <= 64 {
			return
		} else if p.Type == elf.PT_TLS {
			t.Fatalf("%d bytes", p.Memsz)
		}
	}
	t.Fatal("no thread-local memory: Go has some")
}
