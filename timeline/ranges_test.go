package timeline

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"silica/gpu"
)

// Ranges pair what begins and ends them: pushes by thread and domain, starts by their number; they hold the calls between.
func TestRanges(t *testing.T) {
	g, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	line := &Timeline{GPUs: []string{"h200"}}
	at := int64(0)
	note := func(thread int, kind NoteKind, domain, text string, id uint64) {
		at += 1000
		line.Calls = append(line.Calls, Call{Name: "nvtx", Thread: thread, Begin: at, End: at, Host: 1000, Note: &Note{kind, domain, text, id}})
	}
	note(1, Start, "", "all", 7)
	note(1, Push, "", "outer", 0)
	note(1, Push, "d", "other", 0)
	note(1, Push, "", "inner", 0)
	at += 1000
	line.Calls = append(line.Calls, Call{Name: "cudaMemset", Thread: 1, Begin: at, End: at + 10, Host: 1000})
	line.Activities = []Activity{{ID: 1, Kind: Set, Thread: 1, Call: 4, Bytes: 1 << 20, Submitted: at, Begin: at, End: at + 5}}
	note(1, Pop, "", "", 0)
	note(2, Pop, "", "", 0) // nothing is open there
	note(1, Mark, "d", "here", 0)
	note(1, Pop, "", "", 0)
	note(2, End, "", "", 7)
	m := NewModel(line, []*gpu.GPU{g}, nil)
	work := m.Work[0].Time()
	end := m.Spans[8].Begin
	want := []Range{
		{Name: "all", Thread: 1, Span: Span{1000, m.Spans[9].Begin}, Work: work},
		{Name: "outer", Thread: 1, Span: Span{2000, end}, Nested: true, Work: work},
		{Name: "d: other", Thread: 1, Span: Span{3000, m.Total}, Nested: true, Work: work},
		{Name: "inner", Thread: 1, Span: Span{4000, m.Spans[5].Begin}, Nested: true, Work: work},
		{Name: "d: here", Thread: 1, Span: Span{m.Spans[7].Begin, m.Spans[7].Begin}, Mark: true},
	}
	if diff := cmp.Diff(want, m.Ranges(), cmpopts.IgnoreUnexported(Range{})); diff != "" {
		t.Error(diff)
	}
	rows := m.RangeRows()
	if len(rows) != 4 || rows[0].Count != 1 || rows[0].Work != work || work == 0 {
		t.Errorf("%+v", rows)
	}
	if calls := m.CallRows(); len(calls) != 1 || calls[0].Name != "cudaMemset" {
		t.Errorf("%+v", calls)
	}
}
