package ir

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Whatever the checker accepts can be lowered without a panic, and means the same afterwards.
func FuzzKernel(f *testing.F) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatal("no archives in testdata")
	}
	for _, file := range archives {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".ptx") {
				f.Add(strings.TrimPrefix(string(file.Data), header))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := load("fuzz.ptx", header+text)
		if err != nil {
			return
		}
		for _, name := range m.Entries {
			if k, err := m.Kernel(name); err == nil && len(k.Unsupported) == 0 {
				if _, _, err := checkKernel(m, name); err != nil {
					t.Errorf("%s: %v\n%s", name, err, k)
				}
			}
		}
	})
}
