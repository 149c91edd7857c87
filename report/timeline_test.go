package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"silica/gpu"
	"silica/profile"
	"silica/report"
	"silica/timeline"
)

// modelled places testdata/timeline.json: a program of four streams with pageable copies, small copies and an event. Its first
// two kernels are those of sample.
func modelled(t *testing.T, launches []*profile.Launch) *timeline.Model {
	t.Helper()
	f, err := os.Open("testdata/timeline.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	line, err := timeline.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range launches {
		l.Context = 1
	}
	g, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	return timeline.NewModel(line, []*gpu.GPU{g}, launches)
}

const gpuName = "NVIDIA H200"

// TestTimelineGolden compares each form of a timeline with the file it should be; -update writes the files.
func TestTimelineGolden(t *testing.T) {
	launches := sample(t)
	m := modelled(t, launches)
	for _, c := range []struct {
		file  string
		write func(io.Writer) error
	}{
		{"timeline.txt", func(w io.Writer) error { return report.Timeline(w, m, gpuName, report.Options{}) }},
		{"timeline_color.txt", func(w io.Writer) error {
			return report.Timeline(w, m, gpuName, report.Options{Color: true, Set: "full"})
		}},
		{"submission.txt", func(w io.Writer) error { return report.Text(w, nil, m, report.Options{}) }},
		{"timeline.csv", func(w io.Writer) error { return report.TimelineCSV(w, m) }},
		{"timeline_report.json", func(w io.Writer) error { return report.TimelineJSON(w, m) }},
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

// TestTimelineWidth checks that no line is wider than asked for.
func TestTimelineWidth(t *testing.T) {
	m := modelled(t, nil)
	for _, width := range []int{80, 120} {
		for _, set := range []string{"basic", "full"} {
			var b bytes.Buffer
			if err := report.Timeline(&b, m, gpuName, report.Options{Set: set, Width: width}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(b.String()) {
				if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width || strings.ContainsRune(line, '\x1b') {
					t.Errorf("%s, %d columns: %d in %q", set, width, n, line)
				}
			}
		}
	}
}

// TestTimelineCSVShape checks that every row has the header's columns.
func TestTimelineCSVShape(t *testing.T) {
	var b bytes.Buffer
	if err := report.TimelineCSV(&b, modelled(t, sample(t))); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll() // which compares the number of columns
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 20 || len(rows[0]) != 21 {
		t.Errorf("%d rows of %d columns", len(rows), len(rows[0]))
	}
}

// TestTrace checks what a reader of Chrome's trace events relies on: names of processes and threads, slices of a track that
// nest or follow each other, arrows with both ends in slices, and counters that return to zero.
func TestTrace(t *testing.T) {
	var b bytes.Buffer
	m := modelled(t, sample(t))
	if err := report.Trace(&b, m, gpuName); err != nil {
		t.Fatal(err)
	}
	type event struct {
		Name, Ph, Cat, Bp string
		Pid, Tid          int
		Ts, Dur           float64
		ID                uint64
		Args              map[string]any
	}
	var trace struct{ TraceEvents []event }
	if err := json.Unmarshal(b.Bytes(), &trace); err != nil {
		t.Fatal(err)
	}
	track := func(e event) string { return fmt.Sprint(e.Pid, ".", e.Tid) }
	named, ends, counters := map[string]bool{}, map[string]float64{}, map[string]float64{}
	slices := map[string][]event{}
	count := map[string]int{}
	for _, e := range trace.TraceEvents {
		count[e.Ph]++
		switch e.Ph {
		case "M":
			if e.Name == "thread_name" {
				named[track(e)] = true
			}
		case "X":
			if e.Ts+1e-6 < ends[track(e)] || e.Dur < 0 || !named[track(e)] || e.Name == "" {
				t.Errorf("%q at %g for %g on track %s, named: %t, whose last ends at %g", e.Name, e.Ts, e.Dur, track(e), named[track(e)], ends[track(e)])
			}
			ends[track(e)] = e.Ts + e.Dur
			slices[track(e)] = append(slices[track(e)], e)
		case "C":
			counters[e.Name], _ = e.Args["value"].(float64)
		}
	}
	for _, e := range trace.TraceEvents {
		if e.Ph != "s" && e.Ph != "f" {
			continue
		}
		inside := false
		for _, s := range slices[track(e)] {
			inside = inside || s.Ts <= e.Ts && e.Ts <= s.Ts+s.Dur
		}
		if !inside || e.Ph == "f" && e.Bp != "e" {
			t.Errorf("the end %q of arrow %d is in no slice", e.Ph, e.ID)
		}
	}
	for name, v := range counters {
		if v != 0 {
			t.Errorf("counter %s ends at %g", name, v)
		}
	}
	work, calls := len(m.Ordered()), 0
	for _, c := range m.Calls {
		if c.ToCUDA() {
			calls++
		}
	}
	if calls == 0 || calls == len(m.Calls) || count["s"] != work || count["f"] != work || count["X"] != 2*(calls+work) || len(counters) < 3 {
		t.Errorf("%v events, %d counters; %d calls, %d activities", count, len(counters), len(m.Calls), work)
	}
}
