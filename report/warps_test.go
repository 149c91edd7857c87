package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"silica/profile"
	"silica/report"
)

func watched(t *testing.T, w profile.Window) []*profile.Launch {
	t.Helper()
	return sampled(t, "h200", profile.Options{Timing: true, Watch: w})
}

// The drawing has a row for each warp of a sub-core, a legend of the letters in it, and fits a terminal; narrow windows list what is issued.
func TestWarps(t *testing.T) {
	for _, c := range []struct {
		window profile.Window
		set    string
		wants  []string
		not    string
	}{
		{profile.Window{To: 3000}, "summary", []string{"a column is 47 cycles", "Sub-core 0", "3 more sub-cores", "What they wait for", "long_scoreboard", "sample.cu:"}, "Issued by"},
		{profile.Window{From: 700, To: 764}, "summary", []string{"a column is a cycle", "Issued by sub-core 0", "#", "S2R"}, "Sub-core 1"},
		{profile.Window{From: 700, To: 764}, "full", []string{"Sub-core 3", "Issued by sub-core 3"}, "more sub-cores"},
		{profile.Window{From: 1 << 40, To: 1<<40 + 64}, "summary", []string{"No warp runs in these cycles."}, "Sub-core"},
	} {
		var b bytes.Buffer
		if err := report.Warps(&b, watched(t, c.window), report.Options{Set: c.set}); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.wants {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%v %s: no %q in\n%s", c.window, c.set, want, b.String())
			}
		}
		if strings.Contains(b.String(), c.not) {
			t.Errorf("%v %s: %q in\n%s", c.window, c.set, c.not, b.String())
		}
		for line := range strings.Lines(b.String()) {
			if len(strings.TrimRight(line, "\n")) > 80 || strings.HasSuffix(line, " \n") {
				t.Errorf("%v %s: %q", c.window, c.set, line)
			}
		}
	}
}

// TestWarpTrace checks what a reader of Chrome's trace events relies on, and that a warp's slices have no gap.
func TestWarpTrace(t *testing.T) {
	var b bytes.Buffer
	launches := watched(t, profile.Window{From: 500, To: 2500})
	if err := report.WarpTrace(&b, launches); err != nil {
		t.Fatal(err)
	}
	var trace struct {
		TraceEvents []struct {
			Name, Ph, Cat string
			Pid, Tid      int
			Ts, Dur       float64
			Args          struct {
				Name, Instruction, Line string
				WaitsFor                string `json:"waits_for"`
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &trace); err != nil {
		t.Fatal(err)
	}
	type track struct{ pid, tid int }
	names, ends := map[track]string{}, map[track]float64{}
	issues, stalls, waits, onCores := 0, 0, 0, 0
	for _, e := range trace.TraceEvents {
		k := track{e.Pid, e.Tid}
		if e.Name == "thread_name" {
			names[k] = e.Args.Name
		}
		if e.Ph != "X" {
			continue
		}
		end, begun := ends[k]
		core := strings.HasSuffix(names[k], "issues")
		from, to := e.Ts*1000, (e.Ts+e.Dur)*1000
		if names[k] == "" || e.Name == "" || e.Args.Instruction == "" || from < 500-1e-6 || to > 2500+1e-6 || to <= from ||
			begun && from < end-1e-6 || begun && !core && from > end+1e-6 {
			t.Errorf("%+v on track %q, whose last ends at %g", e, names[k], end)
		}
		ends[k] = to
		switch {
		case core:
			onCores++
		case e.Cat == "issue":
			issues++
		default:
			stalls++
		}
		if e.Args.WaitsFor != "" {
			waits++
		}
	}
	if issues == 0 || issues != onCores || stalls == 0 || waits == 0 || len(names) < 4+len(launches[0].Timing.Warps) {
		t.Errorf("%d issues, %d of sub-cores, %d stalls, %d of them for an instruction, %d tracks", issues, onCores, stalls, waits, len(names))
	}
	if first := launches[0].Timing.Warps[0]; names[track{1, first.SubCore<<20 + first.Warp + 1}] != fmt.Sprintf("sub-core %d warp %d (block %d)", first.SubCore, first.Warp, first.Block) {
		t.Errorf("tracks %v", names)
	}
}

// A roofline fits a terminal on every GPU, wherever the launch is.
func TestRooflineWidth(t *testing.T) {
	for _, name := range []string{"h200", "a100", "rtx4090"} {
		launches := sampled(t, name, profile.Options{Timing: true})
		for _, scale := range []float64{1e-6, 1, 1e6} {
			l := *launches[0]
			timing := *l.Timing
			timing.Nanoseconds *= scale
			timing.DRAMReads, timing.DRAMWrites = timing.DRAMReads*scale, 0
			l.Timing = &timing
			var b bytes.Buffer
			if err := report.Text(&b, []*profile.Launch{&l}, nil, report.Options{Set: "roofline"}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), "Roofline, fp64: ") || strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
				t.Errorf("%s, %g:\n%s", name, scale, b.String())
			}
			for line := range strings.Lines(b.String()) {
				if len(strings.TrimRight(line, "\n")) > 80 {
					t.Errorf("%s, %g: %q", name, scale, line)
				}
			}
		}
	}
}
