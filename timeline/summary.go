package timeline

import (
	"cmp"
	"slices"
	"time"
)

// Row sums up operations, or calls, of one name.
type Row struct {
	Name   string `json:"name"`
	Memory Memory `json:"memory,omitempty"` // of the host's side of a copy
	Count  int    `json:"count"`
	// Times are modelled; Share is that of all rows, in percent.
	Total  time.Duration `json:"total_ns"`
	Min    time.Duration `json:"min_ns"`
	Median time.Duration `json:"median_ns"`
	Max    time.Duration `json:"max_ns"`
	Share  float64       `json:"share"`
	// AtLeast and Estimated are those of Placed, for any of the operations.
	AtLeast   bool `json:"at_least,omitempty"`
	Estimated bool `json:"estimated,omitempty"`
	// Here is how long it took on the machine that ran Silica.
	Here  time.Duration `json:"here_ns"`
	Bytes uint64        `json:"bytes,omitempty"`
	Pages uint64        `json:"pages,omitempty"` // of managed memory

	times []time.Duration
}

// Rate is that of the bytes, in byte/s.
func (r *Row) Rate() float64 {
	if r.Total <= 0 {
		return 0
	}
	return float64(r.Bytes) / r.Total.Seconds()
}

// table gathers rows.
type table map[tableKey]*Row

type tableKey struct {
	name   string
	memory Memory
}

// add adds one operation and returns its row.
func (t table) add(name string, memory Memory, modelled, here time.Duration, bytes uint64) *Row {
	key := tableKey{name, memory}
	r := t[key]
	if r == nil {
		r = &Row{Name: name, Memory: memory}
		t[key] = r
	}
	r.Count++
	r.times = append(r.times, modelled)
	r.Total += modelled
	r.Here += here
	r.Bytes += bytes
	return r
}

// rows returns the rows, those with most time first.
func (t table) rows() []Row {
	out := []Row{}
	var total time.Duration
	for _, r := range t {
		total += r.Total
	}
	for _, r := range t {
		slices.Sort(r.times)
		r.Min, r.Median, r.Max = r.times[0], r.times[len(r.times)/2], r.times[len(r.times)-1]
		if total > 0 {
			r.Share = 100 * float64(r.Total) / float64(total)
		}
		out = append(out, *r)
	}
	slices.SortFunc(out, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Memory, b.Memory))
	})
	return out
}

// KernelRows sums up the kernels by name.
func (m *Model) KernelRows() []Row {
	t := table{}
	for i := range m.Activities {
		if a := &m.Activities[i]; a.Kind == Kernel {
			r := t.add(m.Title(i), "", m.Work[i].Time(), a.here(), 0)
			r.AtLeast = r.AtLeast || m.Work[i].AtLeast
		}
	}
	return t.rows()
}

// MemoryRows sums up copies, fills and migrations by kind and by what the host's memory is. Migrations that a kernel's
// accesses asked for are a part of the kernel's time too.
func (m *Model) MemoryRows() []Row {
	t := table{}
	for i := range m.Activities {
		a, w := &m.Activities[i], &m.Work[i]
		if a.Kind == Copy || a.Kind == Set {
			r := t.add(a.Title(), a.HostMemory(), w.Time(), a.here(), a.Bytes)
			r.Estimated = r.Estimated || w.Estimated
		}
		for j, g := range a.Migrations {
			r := t.add(g.Title(), Managed, w.Migrations[j], 0, g.Bytes)
			r.Pages += g.Pages
			r.Estimated = r.Estimated || w.Estimated
		}
	}
	return t.rows()
}

// CallRows sums up the calls of the program by name. Their times include waiting.
func (m *Model) CallRows() []Row {
	t := table{}
	for i, c := range m.Calls {
		if !c.ToCUDA() {
			continue
		}
		t.add(c.Name, "", m.Spans[i].Time(), time.Duration(c.End-c.Begin), 0)
	}
	return t.rows()
}

// Title is what Nsight Systems calls an activity; a kernel has its readable name.
func (m *Model) Title(i int) string { return m.Activities[i].Title() }

func (a *Activity) here() time.Duration { return time.Duration(a.End - a.Begin) }

// HostMemory is whose memory the host's side of a copy is, "" when it has none.
func (a *Activity) HostMemory() Memory {
	switch {
	case a.From.onHost():
		return a.From
	case a.To.onHost():
		return a.To
	}
	return ""
}
