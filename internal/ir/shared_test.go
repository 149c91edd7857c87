package ir

import (
	"os"
	"path/filepath"
	"testing"
)

// sharedModules calls visit for every PTX module of a folder beside the repository, which must be there.
func sharedModules(t testing.TB, folder string, visit func(t testing.TB, m *Module)) {
	files, err := filepath.Glob(filepath.Join("../../../shared", folder, "*.ptx"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no PTX files in ../shared/%s", folder)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := load(filepath.Base(file), string(text))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		visit(t, m)
	}
}

// Every kernel of the shared folders holds the invariants. The only blocks whose post-dominator stands
// before them are the last blocks of loops that are left at the top.
func TestSharedKernels(t *testing.T) {
	for _, folder := range []string{"truth/h200/ptx", "conformance"} {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			sharedModules(t, folder, func(t testing.TB, m *Module) {
				for _, name := range m.Entries {
					k, early, err := checkKernel(m, name)
					if err != nil {
						t.Errorf("%s: %s: %v", m.Source.File, name, err)
						continue
					}
					if heads := leftAtTop(k); early != heads {
						t.Errorf("%s: %s: %d blocks stand after their post-dominator, %d loops are left at the top", m.Source.File, name, early, heads)
					}
					again, err := m.Kernel(name)
					if err != nil || again.String() != k.String() {
						t.Errorf("%s: %s: lowering twice differs: %v", m.Source.File, name, err)
					}
				}
			})
		})
	}
}

// leftAtTop counts the blocks whose only successor is the header of their loop.
func leftAtTop(k *Kernel) (n int) {
	for _, f := range k.Funcs {
		for b, block := range f.Blocks {
			if len(block.Succs) == 1 && block.Succs[0] <= b {
				n++
			}
		}
	}
	return n
}
