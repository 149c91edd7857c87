package ptx

import (
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"os"
	"path/filepath"
	"testing"
)

func TestTmp(t *testing.T) {
	var fs []string
	for _, g := range []string{"../../shared/conformance/*.ptx", "../../shared/truth/h200/ptx/*.ptx"} {
		f, _ := filepath.Glob(g)
		fs = append(fs, f...)
	}
	for _, f := range fs {
		b, _ := os.ReadFile(f)
		m, err := Parse(f, b)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		out := Format(m)
		m2, err := Parse(f, out)
		if err != nil {
			t.Errorf("reparse %v", err)
			os.WriteFile("/tmp/out.ptx", out, 0644)
			continue
		}
		if d := cmp.Diff(m, m2, cmpopts.IgnoreTypes(Pos{})); d != "" {
			t.Errorf("%s %s", f, d[:min(len(d), 2000)])
		}
	}
	t.Log(len(fs))
}
