package sass_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"silica/internal/conform/forms"
	"silica/internal/ir"
	"silica/internal/randptx"
	"silica/internal/sass"
	"silica/ptx"
)

var update = flag.Bool("update", false, "write the listings of testdata anew")

// kernels lowers every kernel of a module to the engines' form.
func kernels(t testing.TB, file string, text []byte) []*ir.Kernel {
	t.Helper()
	source, err := ptx.Parse(file, text)
	if err == nil {
		err = ptx.Check(source)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := ir.NewModule(source)
	if err != nil {
		t.Fatal(err)
	}
	var out []*ir.Kernel
	for _, name := range m.Entries {
		k, err := m.Kernel(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, k)
	}
	return out
}

// TestListings compares listings with those in testdata: NAME.ptx with NAME.sm_90 and other architectures.
func TestListings(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no listings in testdata", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var text []byte
		for i, f := range archive.Files {
			name, ext, _ := strings.Cut(f.Name, ".")
			if ext == "ptx" {
				text = f.Data
				continue
			}
			arch := map[string]sass.Arch{"sm_80": {SM: 80}, "sm_90": {SM: 90}}[ext]
			var b bytes.Buffer
			for _, k := range kernels(t, name+".ptx", text) {
				sass.Fprint(&b, sass.Lower(k, arch))
			}
			archive.Files[i].Data = b.Bytes()
			if diff := cmp.Diff(string(f.Data), b.String()); diff != "" && !*update {
				t.Errorf("%s of %s (-want +got, -update writes it):\n%s", f.Name, file, diff)
			}
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestEveryInstruction lowers every form that the instruction set executes; each has to become something.
func TestEveryInstruction(t *testing.T) {
	for _, text := range forms.Instructions(3, 0) {
		if ok, _ := forms.Accepts("sm_90a", 87, text); !ok {
			continue
		}
		module := forms.Header("sm_90a", 87) + text + "\n" + forms.Footer
		for _, k := range kernels(t, "form.ptx", []byte(module)) {
			for _, sm := range []int{75, 80, 90, 100, 120} {
				p := sass.Lower(k, sass.Arch{SM: sm})
				last := p.Funcs[0].Blocks[len(p.Funcs[0].Blocks)-1]
				if len(last.Code) == 0 {
					t.Errorf("%s becomes nothing for sm_%d", text, sm)
				}
			}
		}
	}
}

// TestRandomPrograms lowers random programs, which have every kind of control flow.
func TestRandomPrograms(t *testing.T) {
	for seed := range uint64(20) {
		text := randptx.Generate(seed, randptx.Options{}).Source
		for _, k := range kernels(t, "random.ptx", []byte(text)) {
			for _, sm := range []int{80, 90} {
				p := sass.Lower(k, sass.Arch{SM: sm})
				if p.Registers < 8 || p.Registers > 255 {
					t.Errorf("program %d takes %d registers on sm_%d", seed, p.Registers, sm)
				}
			}
		}
	}
}

// TestOpcodes checks that every opcode is in the table once.
func TestOpcodes(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range sass.Opcodes() {
		if seen[name] || sass.Lookup(name) == nil {
			t.Errorf("%s is in the table twice, or is not found", name)
		}
		seen[name] = true
	}
}
