package ir

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the listings in testdata anew")

// header stands before the PTX of a case that has none of its own.
const header = ".version 8.7\n.target sm_90\n.address_size 64\n"

// Each archive in testdata holds pairs of files: NAME.ptx, and NAME.ir with the listings of its entries.
func TestListings(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives in testdata")
	}
	for _, file := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out := &txtar.Archive{Comment: archive.Comment}
			want := map[string]string{}
			for _, f := range archive.Files {
				want[f.Name] = string(f.Data)
			}
			for _, f := range archive.Files {
				name, ok := strings.CutSuffix(f.Name, ".ptx")
				if !ok {
					continue
				}
				got := listing(t, f.Name, string(f.Data))
				out.Files = append(out.Files, f, txtar.File{Name: name + ".ir", Data: []byte(got)})
				if diff := cmp.Diff(want[name+".ir"], got); diff != "" && !*update {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// listing returns the listings of all entries of a module, which must also hold the invariants.
func listing(t *testing.T, name, text string) string {
	if !strings.HasPrefix(text, ".version") {
		text = header + text
	}
	m, err := load(name, text)
	if err != nil {
		t.Errorf("%v", err)
		return ""
	}
	var b strings.Builder
	for _, entry := range m.Entries {
		k, _, err := checkKernel(m, entry)
		if err != nil {
			t.Errorf("%s: %s: %v", name, entry, err)
			continue
		}
		k.Fprint(&b)
	}
	return b.String()
}
