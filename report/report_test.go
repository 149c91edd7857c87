package report_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"silica/driver"
	"silica/gpu"
	"silica/profile"
	"silica/report"
)

var update = flag.Bool("update", false, "write the golden files")

// sample profiles testdata/sample.ptx, which has an uncoalesced load, a bank conflict, a divergent branch, f64 in f32 code
// and an atomic operation on one address.
func sample(t *testing.T) []*profile.Launch {
	return sampled(t, "a100", profile.Options{Registers: 24})
}

// sampled profiles the sample on a GPU.
func sampled(t *testing.T, name string, o profile.Options) []*profile.Launch {
	t.Helper()
	g, err := gpu.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	collector := profile.NewCollector(o)
	d, err := driver.Open(g, driver.Options{Tracer: collector})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	text, err := os.ReadFile("testdata/sample.ptx")
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.LoadPTX("sample.ptx", text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Function("_Z6samplePKfPfPii")
	if err != nil {
		t.Fatal(err)
	}
	var params []byte
	for _, size := range []uint64{4096, 4096, 4} {
		addr, err := d.Alloc(size)
		if err != nil {
			t.Fatal(err)
		}
		params = binary.LittleEndian.AppendUint64(params, addr)
	}
	params = binary.LittleEndian.AppendUint32(params, 32)
	for range 2 {
		if err := f.Launch(t.Context(), driver.Launch{
			Grid: driver.Dim3{X: 1, Y: 1, Z: 1}, Block: driver.Dim3{X: 32, Y: 32, Z: 1}, Params: params,
		}); err != nil {
			t.Fatal(err)
		}
	}
	return collector.Launches()
}

// source returns lines of testdata/sample.cu.
func source(t *testing.T) func(string, int) string {
	t.Helper()
	text, err := os.ReadFile("testdata/sample.cu")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	return func(file string, line int) string {
		if file != "sample.cu" || line < 1 || line > len(lines) {
			return ""
		}
		return lines[line-1]
	}
}

// TestGolden compares each form of the report with the file it should be; -update writes the files.
func TestGolden(t *testing.T) {
	launches := sample(t)
	for _, c := range []struct {
		file  string
		write func(io.Writer) error
	}{
		{"basic.txt", func(w io.Writer) error { return report.Text(w, launches, nil, report.Options{Source: source(t)}) }},
		{"summary.txt", func(w io.Writer) error {
			return report.Text(w, launches, nil, report.Options{Set: "summary", Source: source(t)})
		}},
		{"full.txt", func(w io.Writer) error { return report.Text(w, launches, nil, report.Options{Set: "full"}) }},
		{"color.txt", func(w io.Writer) error {
			return report.Text(w, launches[:1], nil, report.Options{Color: true, Width: 60, Source: source(t)})
		}},
		{"basic.csv", func(w io.Writer) error { return report.CSV(w, launches[:1], report.Options{}) }},
		{"full.csv", func(w io.Writer) error { return report.CSV(w, launches[:1], report.Options{Set: "full"}) }},
		{"report.json", func(w io.Writer) error {
			short := *launches[0]
			short.Curves = profile.Curves{} // hundreds of points
			return report.JSON(w, []*profile.Launch{&short}, nil)
		}},
	} {
		var b bytes.Buffer
		if err := c.write(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", c.file)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-update writes it):\n%s", c.file, diff)
		}
	}
}

// TestTextWidth checks that no line is wider than asked for, however large the counts, and that nothing but the asked-for colour
// changes the text.
func TestTextWidth(t *testing.T) {
	small := sample(t)
	for name, launches := range map[string][]*profile.Launch{"small": small, "large": {large(small[0])}} {
		for _, width := range []int{80, 100} {
			for _, set := range []string{"summary", "basic", "full"} {
				var b bytes.Buffer
				if err := report.Text(&b, launches, nil, report.Options{Set: set, Width: width, Source: source(t)}); err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(b.String()) {
					if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width || strings.ContainsRune(line, '\x1b') {
						t.Errorf("%s, %s, %d columns: %d in %q", name, set, width, n, line)
					}
				}
			}
		}
	}
}

// large returns a launch with counts as those of an hour on a GPU.
func large(l *profile.Launch) *profile.Launch {
	const factor = 1e11
	out := *l
	out.Grid = profile.Dim{X: 1 << 30, Y: 65535, Z: 1}
	out.Footprint = profile.Footprint{Read: 1 << 36, Written: 1 << 36}
	out.Instructions = slices.Clone(l.Instructions)
	for i := range out.Instructions {
		in := &out.Instructions[i]
		in.Warps, in.Threads, in.PredOn, in.Divergent = in.Warps*factor, in.Threads*factor, in.PredOn*factor, in.Divergent*factor
		in.Memory = slices.Clone(in.Memory)
		for j := range in.Memory {
			m := &in.Memory[j]
			for _, n := range []*uint64{&m.Requests, &m.Sectors, &m.Ideal, &m.Wavefronts, &m.IdealWavefronts, &m.Conflicts} {
				*n *= factor
			}
		}
	}
	return &out
}

// TestGoldenWidth checks that every text that is kept as a golden file fits a terminal of 80 columns.
func TestGoldenWidth(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	looks := regexp.MustCompile(`\x1b\[[0-9;]*m`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(looks.ReplaceAllString(string(text), "")) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
				t.Errorf("%s: %d columns in %q", file, n, line)
			}
		}
	}
}

// TestCSVShape checks that every row has the header's columns but for the rule's five, which metric rows leave out as ncu
// does, and that rule rows fill them.
func TestCSVShape(t *testing.T) {
	var b bytes.Buffer
	if err := report.CSV(&b, sample(t), report.Options{Set: "full"}); err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(&b)
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	const columns, metric, rule = 20, 12, 15
	metrics, rules := 0, 0
	for i, row := range rows {
		switch {
		case len(row) == columns && (i == 0 || row[metric] == "" && row[rule] != ""):
			rules++
		case len(row) == rule+1 && row[metric] != "" && row[rule] == "":
			metrics++
		default:
			t.Errorf("row %d: %q", i, row)
		}
	}
	if metrics < 200 || rules < 5 {
		t.Errorf("%d metric rows, %d rule rows", metrics, rules)
	}
}

// TestJSONTiers checks that every metric has its tier, and none without a value has a number.
func TestJSONTiers(t *testing.T) {
	var b bytes.Buffer
	if err := report.JSON(&b, sample(t), nil); err != nil {
		t.Fatal(err)
	}
	var out struct {
		Format   string
		Launches []struct {
			Metrics []struct {
				Name, Tier, Note string
				Value            any
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	if out.Format != "silica report 1" || len(out.Launches) != 2 {
		t.Fatalf("format %q, %d launches", out.Format, len(out.Launches))
	}
	for _, m := range out.Launches[0].Metrics {
		switch m.Tier {
		case "exact", "device":
			if m.Value == nil {
				t.Errorf("%s is %s and has no value", m.Name, m.Tier)
			}
		case "modelled", "n/a":
			if m.Value != nil || m.Note == "" {
				t.Errorf("%s is %s: value %v, note %q", m.Name, m.Tier, m.Value, m.Note)
			}
		default:
			t.Errorf("%s: tier %q", m.Name, m.Tier)
		}
	}
}

// TestNothing writes reports of no launches.
func TestNothing(t *testing.T) {
	for name, write := range map[string]func(io.Writer) error{
		"text": func(w io.Writer) error { return report.Text(w, nil, nil, report.Options{}) },
		"csv":  func(w io.Writer) error { return report.CSV(w, nil, report.Options{}) },
		"json": func(w io.Writer) error { return report.JSON(w, nil, nil) },
	} {
		if err := write(io.Discard); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
