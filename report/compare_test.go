package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"silica/gpu"
	"silica/profile"
	"silica/report"
)

// runs are the sample on some GPUs.
func runs(t *testing.T, names ...string) []report.Run {
	t.Helper()
	var out []report.Run
	for _, name := range names {
		g, err := gpu.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, report.Run{GPU: g, Launches: sampled(t, name, profile.Options{Timing: true})})
	}
	return out
}

// A comparison fits a terminal, whatever the number of GPUs and the length of names.
func TestCompareWidth(t *testing.T) {
	for _, names := range [][]string{{"a100", "h200"}, {"a100", "h200", "rtx4090"}, {"a100", "a10", "l4", "h100", "h200", "rtx3090", "rtx4090"}} {
		all := runs(t, names...)
		all[1].Failed = strings.Repeat("it failed, and says at length why ", 5)
		for _, l := range all[0].Launches {
			l.Name = strings.Repeat("name_of_a_kernel", 8)
		}
		var b bytes.Buffer
		if err := report.Compare(&b, all, report.Options{}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if len(strings.TrimRight(line, "\n")) > 80 {
				t.Errorf("%d columns: %q", len(line)-1, line)
			}
		}
		for _, name := range names {
			if !strings.Contains(b.String(), name) {
				t.Errorf("no %s in\n%s", name, b.String())
			}
		}
	}
}

// Kernels are compared with those of the same configuration; where the grid differs, by their order; and what ran on one GPU only is told.
func TestComparePairs(t *testing.T) {
	all := runs(t, "a100", "h200")
	other := *all[1].Launches[0]
	other.Grid.X = 7
	alone := *all[0].Launches[0]
	alone.Kernel, alone.Name = "alone", "alone"
	all[0].Launches = append(all[0].Launches, &alone)
	all[1].Launches = []*profile.Launch{&other}
	var b bytes.Buffer
	if err := report.CompareJSON(&b, all); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Kernels []struct {
			Name     string
			Machines []*profile.Machine
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Kernels) != 2 || got.Kernels[0].Machines[1] == nil || got.Kernels[0].Machines[1].Grid.X != 7 || got.Kernels[1].Machines[1] != nil ||
		got.Kernels[0].Machines[0].Launches != 2 {
		t.Errorf("%s", b.String())
	}
	b.Reset()
	if err := report.Compare(&b, all, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "h200 did not run it.") {
		t.Errorf("%s", b.String())
	}
	b.Reset()
	if err := report.CompareCSV(&b, all); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Errorf("%v: %q", err, rows)
	}
}
