package timeline

import (
	"cmp"
	"slices"
	"time"
)

// Range is a part of a thread's time that the program marks with NVTX, in modelled time. A mark has no length.
type Range struct {
	Span
	Name   string // "domain: text", or the text alone
	Thread int
	Mark   bool
	// Nested tells that ranges of the thread end in the reverse order of their begin: it was pushed.
	Nested bool
	// Work is how long the work runs that the thread submitted in it, one piece of work beside another counted once.
	Work time.Duration

	first, last int // calls
}

// Ranges returns the ranges in the order of their begin, the outer before the inner. One that was not ended lasts to the end.
func (m *Model) Ranges() []Range {
	type place struct {
		thread int
		domain string
		id     uint64 // 0 for those that are pushed
	}
	open := map[place][]int{}
	var out []Range
	for i := range m.Calls {
		n := m.Calls[i].Note
		if n == nil {
			continue
		}
		at, k := m.Spans[i].Begin, place{m.Calls[i].Thread, n.Domain, 0}
		switch n.Kind {
		case Start, End:
			k = place{0, n.Domain, n.ID}
		}
		switch n.Kind {
		case Push, Start, Mark:
			name := n.Text
			if n.Domain != "" {
				name = n.Domain + ": " + n.Text
			}
			r := Range{Span: Span{at, m.Total}, Name: name, Thread: m.Calls[i].Thread, Mark: n.Kind == Mark, Nested: n.Kind == Push, first: i, last: len(m.Calls)}
			if r.Mark {
				r.End, r.last = at, i
			} else {
				open[k] = append(open[k], len(out))
			}
			out = append(out, r)
		case Pop, End:
			if list := open[k]; len(list) > 0 {
				r := &out[list[len(list)-1]]
				r.End, r.last = max(r.Begin, at), i
				open[k] = list[:len(list)-1]
			}
		}
	}
	m.addWork(out)
	slices.SortStableFunc(out, func(a, b Range) int { return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(b.End, a.End)) })
	return out
}

// addWork computes how long the work of each range runs.
func (m *Model) addWork(ranges []Range) {
	byCall := make([][]int, len(m.Calls))
	for i := range m.Activities {
		if call := m.Activities[i].Call; call >= 0 && m.Work[i].Lane != NoLane {
			byCall[call] = append(byCall[call], i)
		}
	}
	for i := range ranges {
		r := &ranges[i]
		var spans []Span
		for call := r.first; call < r.last; call++ {
			if m.Calls[call].Thread != r.Thread {
				continue
			}
			for _, a := range byCall[call] {
				spans = append(spans, m.Work[a].Span)
			}
		}
		r.Work = length(union(spans))
	}
}

// RangeRows sums up the ranges by name, those with most time first. Marks are left out.
func (m *Model) RangeRows() []RangeRow {
	index := map[string]int{}
	out := []RangeRow{}
	for _, r := range m.Ranges() {
		if r.Mark {
			continue
		}
		at, known := index[r.Name]
		if !known {
			at = len(out)
			index[r.Name] = at
			out = append(out, RangeRow{Name: r.Name})
		}
		out[at].Count++
		out[at].Total += r.Time()
		out[at].Work += r.Work
	}
	slices.SortStableFunc(out, func(a, b RangeRow) int { return cmp.Compare(b.Total, a.Total) })
	return out
}

// RangeRow sums up the ranges of one name, in modelled time.
type RangeRow struct {
	Name  string        `json:"name"`
	Count int           `json:"count"`
	Total time.Duration `json:"total_ns"` // on the host
	Work  time.Duration `json:"work_ns"`  // see Range.Work
}
