package timeline

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"silica/driver"
	"silica/gpu"
)

// record makes calls on a device of its own and returns their timeline.
func record(t *testing.T) *Timeline {
	t.Helper()
	g, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	r := NewRecorder()
	d, err := driver.Open(g, driver.Options{Recorder: r.Driver})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	dst, err := d.Alloc(4096)
	if err != nil {
		t.Fatal(err)
	}
	s := d.NewStream(driver.NonBlocking, 0)
	set := driver.MemorySet{Dst: driver.Place{Addr: dst}, Bytes: 1, Extent: driver.Extent{Width: 4096, Height: 1, Depth: 1}}
	for _, call := range []struct {
		name string
		do   func() error
	}{
		{"cudaGetDevice", func() error { return nil }},
		{"cudaMemsetAsync", func() error { return s.Submit(set, false) }},
		{"cudaMemsetAsync", func() error { return s.Submit(set, false) }},
		{"cudaStreamSynchronize", s.Synchronize},
	} {
		end := r.Call(call.name, time.Microsecond, Callers{})
		if err := call.do(); err != nil {
			t.Fatal(err)
		}
		end(0)
	}
	return r.Timeline("h200")
}

// TestRecorder checks that work is told with its call, and in the order of submission.
func TestRecorder(t *testing.T) {
	line := record(t)
	if len(line.Calls) != 4 || len(line.Activities) != 3 || line.Omitted != 0 {
		t.Fatalf("%d calls, %d activities, %d omitted", len(line.Calls), len(line.Activities), line.Omitted)
	}
	for i, want := range []struct {
		kind  Kind
		call  int
		bytes uint64
	}{{Set, 1, 4096}, {Set, 2, 4096}, {Sync, 3, 0}} {
		a := line.Activities[i]
		if a.Kind != want.kind || a.Call != want.call || a.Bytes != want.bytes || a.Submitted > a.Begin || a.Begin > a.End {
			t.Errorf("activity %d: %+v, want %+v", i, a, want)
		}
	}
	for i, c := range line.Calls {
		if c.Begin <= 0 || c.End < c.Begin || c.Host != 1000 || i > 0 && c.Begin < line.Calls[i-1].End {
			t.Errorf("call %d: %+v", i, c)
		}
	}
}

// TestEveryActivityHasAKind covers the kinds of package driver, and of its memory.
func TestEveryActivityHasAKind(t *testing.T) {
	for k := driver.PlaceActivity; k <= driver.SyncActivity; k++ {
		if _, ok := kinds[k]; !ok {
			t.Errorf("activities of kind %d have no name", k)
		}
	}
	for k := driver.UnknownMemory; k <= driver.RegisteredMemory; k++ {
		if memories[k] == "" {
			t.Errorf("memory of kind %d has no name", k)
		}
	}
}

// TestWriteAndRead checks that nothing is lost.
func TestWriteAndRead(t *testing.T) {
	line := record(t)
	var b bytes.Buffer
	if err := Write(&b, line); err != nil {
		t.Fatal(err)
	}
	got, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(line, got); diff != "" {
		t.Error(diff)
	}
}

// TestReadRefuses gives Read what is no timeline.
func TestReadRefuses(t *testing.T) {
	for _, text := range []string{
		``, `{}`, `{"format":"silica profile 1","timeline":{"gpus":["h200"]}}`, `{"format":"silica timeline 1"}`,
		`{"format":"silica timeline 1","timeline":{}}`,
		`{"format":"silica timeline 1","timeline":{"gpus":["h200"],"activities":[{"id":1,"call":0}]}}`,
		`{"format":"silica timeline 1","timeline":{"gpus":["h200"],"activities":[{"id":2,"call":-1},{"id":1,"call":-1}]}}`,
	} {
		if _, err := Read(strings.NewReader(text)); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// FuzzModel places whatever Read takes.
func FuzzModel(f *testing.F) {
	f.Add([]byte(`{"format":"silica timeline 1","timeline":{"gpus":["h200"],"calls":[{"name":"a","thread":1,"begin":1,"end":2}],"activities":[` +
		`{"id":1,"kind":"copy","call":0,"bytes":100,"from":"Pageable","to":"Device","waited":true},{"id":2,"kind":"kernel","call":-1,"after":[1]}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		line, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		g, err := gpu.Load("h200")
		if err != nil {
			t.Fatal(err)
		}
		m := NewModel(line, []*gpu.GPU{g}, nil)
		m.Findings()
		m.MemoryRows()
		m.CallRows()
	})
}
