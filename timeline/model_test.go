package timeline

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"silica/gpu"
)

var update = flag.Bool("update", false, "write what the tests of testdata want")

// TestModel places the programs of testdata/*.txtar. A program is a list of calls, "thread name key=value...", each followed by
// the work that it submits, indented: "kind key=value...". The work of a stream waits for the work before in it; after= names
// more by numbers from 1. The comment of the archive says what the case is about.
func TestModel(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := parse(t, string(a.Files[0].Data))
			got := describe(m)
			if *update {
				a.Files = []txtar.File{a.Files[0], {Name: "want", Data: []byte(got)}}
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if len(a.Files) != 2 {
				t.Fatal("want the files program and want")
			}
			if diff := cmp.Diff(string(a.Files[1].Data), got); diff != "" {
				t.Errorf("(-update writes it)\n%s", diff)
			}
		})
	}
}

// parse reads a program and places it.
func parse(t *testing.T, program string) *Model {
	t.Helper()
	line := &Timeline{GPUs: []string{"h200"}}
	costs := map[gridOf]cost{}
	last := map[string]uint64{}
	clock := int64(1)
	for text := range strings.Lines(program) {
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		isWork := strings.HasPrefix(text, " ")
		if name, value, ok := strings.Cut(fields[0], "="); ok && name == "gpu" {
			line.GPUs = strings.Split(value, ",")
			continue
		}
		values, words := map[string]string{}, []string{}
		for _, f := range fields {
			if key, value, ok := strings.Cut(f, "="); ok {
				values[key] = value
			} else {
				words = append(words, f)
			}
		}
		number := func(key string) (n int) {
			if values[key] != "" {
				var err error
				if n, err = strconv.Atoi(values[key]); err != nil {
					t.Fatalf("%q: %v", text, err)
				}
			}
			return n
		}
		duration := func(key string) (d time.Duration) {
			if values[key] != "" {
				var err error
				if d, err = time.ParseDuration(values[key]); err != nil {
					t.Fatalf("%q: %v", text, err)
				}
			}
			return d
		}
		if !isWork {
			thread, err := strconv.Atoi(words[0])
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			line.Calls = append(line.Calls, Call{
				Name: words[1], Thread: thread, Code: number("code"), Host: duration("host").Nanoseconds(), Begin: clock, End: clock + 1,
			})
			clock += 10
			continue
		}
		call := len(line.Calls) - 1
		a := Activity{
			ID: uint64(len(line.Activities) + 1), Kind: Kind(strings.ReplaceAll(words[0], "_", " ")), Call: call, Thread: line.Calls[call].Thread, Context: 1, Device: number("device"),
			Stream: uint64(number("stream")), Graph: uint64(number("graph")), Bytes: uint64(number("bytes")), From: Memory(values["from"]), To: Memory(values["to"]),
			Waited: strings.Contains(text, " waited"), Peer: strings.Contains(text, " peer"), Name: values["name"],
		}
		if a.Kind == "place" {
			a.Kind = Place
		}
		a.End = duration("here").Nanoseconds()
		if id := last[values["stream"]]; id > 0 && a.Stream > 0 {
			a.After = append(a.After, id)
		}
		if values["after"] != "" {
			for _, id := range strings.Split(values["after"], ",") {
				n, err := strconv.Atoi(id)
				if err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				a.After = append(a.After, uint64(n))
			}
		}
		if pages := number("pages"); pages > 0 {
			a.Migrations = []Migration{{Fault: a.Kind == Kernel, ToHost: strings.Contains(text, " out"), Pages: uint64(pages), Bytes: uint64(pages) * 4096}}
		}
		if a.Kind == Kernel {
			share := 1.0
			if values["share"] != "" {
				share, _ = strconv.ParseFloat(values["share"], 64)
			}
			a.Grid = a.ID
			costs[gridOf{1, a.Grid}] = cost{time: duration("time"), share: share}
		}
		last[values["stream"]] = a.ID
		line.Activities = append(line.Activities, a)
	}
	var gpus []*gpu.GPU
	for _, name := range line.GPUs {
		g, err := gpu.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		gpus = append(gpus, g)
	}
	return newModel(line, gpus, costs)
}

// describe writes where everything was placed, the critical path, and what the rules find.
func describe(m *Model) string {
	var b strings.Builder
	span := func(s Span) string {
		return fmt.Sprintf("%8.1f %8.1f us", float64(s.Begin)/1e3, float64(s.End)/1e3)
	}
	for i, c := range m.Calls {
		fmt.Fprintf(&b, "%s  %d %s\n", span(m.Spans[i]), c.Thread, c.Name)
	}
	for i := range m.Activities {
		if m.Work[i].Lane != NoLane {
			note := ""
			if m.Work[i].Estimated {
				note = ", estimated"
			}
			fmt.Fprintf(&b, "%s  %d: %s on %s%s\n", span(m.Work[i].Span), m.Activities[i].ID, m.Title(i), m.Work[i].Lane, note)
		}
	}
	b.WriteString("path:")
	for _, s := range m.Path {
		if s.Activity < 0 {
			fmt.Fprintf(&b, " host(%s)", Duration(s.Time()))
		} else {
			fmt.Fprintf(&b, " %d", m.Activities[s.Activity].ID)
		}
	}
	fmt.Fprintf(&b, "\ntotal: %s\n", Duration(m.Total))
	for _, f := range m.Findings() {
		fmt.Fprintf(&b, "%s, %.1f%%: %s: %s\n", f.Rule, f.Share, f.Title, f.Message)
	}
	return b.String()
}
