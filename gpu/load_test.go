package gpu

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	want := []string{"a10", "a100", "b200", "h100", "h200", "jetson-orin", "l4", "rtx3090", "rtx4090", "rtx5090", "t4", "v100"}
	if got := Names(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEveryFigureHasASource(t *testing.T) {
	gpus, err := History()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		gpus = append(gpus, mustLoad(t, name))
	}
	for _, g := range gpus {
		rows := g.Rows()
		if len(rows) != len(g.figures) {
			t.Errorf("%s: %d rows of %d figures", g.Name, len(rows), len(g.figures))
		}
		for _, r := range rows {
			path := r.Group + "." + r.Key
			if r.Source == "" || r.Source == g.figures[path].pos.file {
				t.Errorf("%s: %s has source %q", g.Name, path, r.Source)
			}
			if !g.Known(path) || g.Source(path) != r.Source {
				t.Errorf("%s: %s is known: %t, by %q", g.Name, path, g.Known(path), g.Source(path))
			}
		}
	}
}

// Every field of a description is read, named, and in a unit of its own kind.
func TestEveryFieldIsDescribed(t *testing.T) {
	key := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	used := map[string]bool{}
	for _, name := range Names() {
		for _, r := range mustLoad(t, name).Rows() {
			used[r.Group+"."+r.Key] = true
		}
	}
	seen := map[string]bool{}
	for _, f := range fields {
		if !key.MatchString(f.section) || !key.MatchString(f.key) || f.name == "" || seen[f.path] {
			t.Errorf("field %+v", f)
		}
		if !used[f.path] {
			t.Errorf("no built-in GPU has %s", f.path)
		}
		seen[f.path] = true
	}
}

func TestEverySourceIsUsed(t *testing.T) {
	for _, id := range append(builtins(), "history") {
		content, err := data.ReadFile("data/" + id + ".json")
		if err != nil {
			t.Fatal(err)
		}
		root, err := parse(id+".json", content)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range root.value.([]member) {
			if m.key != "sources" {
				continue
			}
			for _, source := range m.value.value.([]member) {
				if !sourceIsUsed(t, source.key) {
					t.Errorf("%s.json: nothing refers to source %q", id, source.key)
				}
			}
		}
	}
}

func sourceIsUsed(t *testing.T, source string) bool {
	t.Helper()
	files, err := fs.Glob(data, "data/*.json")
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		content, err := data.ReadFile(file)
		return err == nil && (strings.Contains(string(content), `, "`+source+`"]`) || strings.Contains(string(content), `"source": "`+source+`"`))
	})
}

func TestLoadFindsGPUsByAnyOfTheirNames(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"h200", "NVIDIA H200"},
		{"H200", "NVIDIA H200"},
		{"RTX 3090", "NVIDIA GeForce RTX 3090"},
		{"nvidia geforce rtx 4090", "NVIDIA GeForce RTX 4090"},
		{"Jetson Orin", "Orin"},
		{"jetson_orin", "Orin"},
	} {
		if g := mustLoad(t, test.name); g.Name != test.want {
			t.Errorf("%q is %q, want %q", test.name, g.Name, test.want)
		}
	}
	for _, name := range []string{"", "h300", "sm_90", "cuda", "history", "../h200"} {
		if _, err := Load(name); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "h200") {
			t.Errorf("%q: error %v", name, err)
		}
	}
	if _, err := Load("none.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestUserFileInheritsAndOverrides(t *testing.T) {
	path := filepath.Join(t.TempDir(), "My GPU.json")
	if err := os.WriteFile(path, []byte(`{
	"chip": {"sms": 100, "copy_engines": null},
	"memory": {"global_bytes": [8e9, "box"]},
	"limits": {"shared_carveouts": [0, 65536, 233472]},
	"sources": {"box": "printed on the box"},
	"inherits": "H200"
}`), 0o600); err != nil {
		t.Fatal(err)
	}
	g := mustLoad(t, path)
	if g.ID != "My GPU" || g.Name != "NVIDIA H200" || g.Chip.SMs != 100 || g.Memory.GlobalBytes != 8e9 || g.Limits.SharedCarveouts[1] != 65536 || g.Limits.ThreadsPerSM != 2048 {
		t.Errorf("%+v", g)
	}
	if g.Known("chip.copy_engines") || g.Chip.CopyEngines != 0 {
		t.Error("null leaves a figure known")
	}
	if g.Known("chip.sm_groups") {
		t.Error("other SMs are in the groups of an H200")
	}
	if _, known := g.Attribute("ASYNC_ENGINE_COUNT"); known {
		t.Error("null leaves an attribute known")
	}
	for path, want := range map[string]string{"chip.sms": path, "memory.global_bytes": "printed on the box", "chip.copy_engines": ""} {
		if got := g.Source(path); got != want {
			t.Errorf("source of %s is %q, want %q", path, got, want)
		}
	}
}

func TestUserFileIsNamedAfterItself(t *testing.T) {
	g, err := load("dir/mine.json", []byte(`{"inherits": "sm_86", "chip": {"sms": 4}, "clock": {"core_khz": 1}, "memory": {"global_bytes": 1, "l2_bytes": 1}}`))
	if err != nil || g.Name != "mine" || g.ID != "mine" {
		t.Errorf("%+v, error %v", g, err)
	}
}

func TestAttributeOfUnknownName(t *testing.T) {
	g := mustLoad(t, "h200")
	for _, name := range []string{"", "NOT_AN_ATTRIBUTE", "chip.sms"} {
		if value, known := g.Attribute(name); known {
			t.Errorf("%q is %d", name, value)
		}
	}
}

func TestHistoryIsInOrderAndComplete(t *testing.T) {
	gpus, err := History()
	if err != nil {
		t.Fatal(err)
	}
	columns := []string{
		"chip.architecture", "chip.die", "chip.compute_capability", "chip.year", "chip.process", "chip.transistors", "chip.sms",
		"sm.sub_partitions", "sm.tensor_core_generation", "clock.core_khz", "memory.bandwidth", "memory.l2_bytes",
		"limits.registers_per_sm", "limits.shared_per_sm", "rate.fp32",
	}
	var ids []string
	for i, g := range gpus {
		ids = append(ids, g.ID)
		if i > 0 && g.Chip.Year < gpus[i-1].Chip.Year {
			t.Errorf("%s of %d comes after %d", g.Name, g.Chip.Year, gpus[i-1].Chip.Year)
		}
		for _, path := range columns {
			if !g.Known(path) {
				t.Errorf("%s: %s is unknown", g.Name, path)
			}
		}
		if g.Cores() == 0 {
			t.Errorf("%s has no cores", g.Name)
		}
	}
	for _, name := range Names() {
		if !slices.Contains(ids, name) {
			t.Errorf("%s is not in the history", name)
		}
	}
	if gpus[0].Chip.Die != "G80" || gpus[0].Cores() != 128 {
		t.Errorf("the first is %+v", gpus[0].Chip)
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		mustLoad(b, "h200")
	}
}

// What an H200 lends says so; what was measured, or documented, is a GPU's own.
func TestUnmeasuredFiguresAreBorrowed(t *testing.T) {
	h200 := mustLoad(t, "h200")
	if b := h200.Borrowed(); len(b) != 0 {
		t.Errorf("an H200 borrows %q", b)
	}
	for _, name := range Names() {
		g := mustLoad(t, name)
		borrowed := g.Borrowed()
		for _, f := range fields {
			if f.borrowed && !g.Known(f.path) {
				t.Errorf("%s: %s is unknown", name, f.path)
			}
		}
		for _, path := range borrowed {
			if !strings.HasPrefix(g.Source(path), "unmeasured here; that of an NVIDIA H200: ") {
				t.Errorf("%s: %s has source %q", name, path, g.Source(path))
			}
		}
		if inherits := name == "h200" || name == "h100"; slices.Contains(borrowed, "latency.l1_hit") == inherits {
			t.Errorf("%s: borrows %q", name, borrowed)
		}
	}
	if slices.Contains(mustLoad(t, "rtx4090").Borrowed(), "rate.fp64") {
		t.Error("an RTX 4090 borrows a rate that a document gives")
	}
}
