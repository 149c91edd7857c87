package mem

import (
	"sort"
	"unsafe"
)

// table is an immutable snapshot of the regions, for lookups without a lock.
type table struct{ regions []region }

// snapshot returns the current table of the context, made on the first lookup after a change. Mappings side by side are one
// region in it.
func (m *Memory) snapshot() *table {
	if t := m.table.Load(); t != nil {
		return t
	}
	m.space.mu.Lock()
	defer m.space.mu.Unlock()
	t := &table{regions: make([]region, 0, len(m.space.live))}
	for i := range m.space.live {
		r := m.space.live[i]
		access := m.access(&r)
		if access == NoAccess {
			continue
		}
		r.readOnly = access == ReadOnly
		if n := len(t.regions); n > 0 && r.kind == mapping {
			if last := &t.regions[n-1]; last.kind == mapping && last.End() == r.Base && last.readOnly == r.readOnly {
				last.Size += r.Size
				continue
			}
		}
		t.regions = append(t.regions, r)
	}
	m.table.Store(t)
	return t
}

// find returns the region that holds addr.
func (t *table) find(addr uint64) (*region, bool) {
	i := sort.Search(len(t.regions), func(i int) bool { return t.regions[i].Base > addr }) - 1
	if i < 0 || !t.regions[i].Contains(addr) {
		return nil, false
	}
	return &t.regions[i], true
}

// nearest returns the region closest to addr (nil when there is none), and whether addr is after its
// end rather than before its start.
func (t *table) nearest(addr uint64) (r *region, after bool) {
	i := sort.Search(len(t.regions), func(i int) bool { return t.regions[i].Base > addr })
	switch {
	case len(t.regions) == 0:
		return nil, false
	case i == 0:
		return &t.regions[0], false
	case i == len(t.regions) || addr <= t.regions[i-1].End() || addr-t.regions[i-1].End() <= t.regions[i].Base-addr:
		return &t.regions[i-1], true
	}
	return &t.regions[i], false
}

// View looks up addresses and remembers its last hit. It belongs to one goroutine; the best hit rate
// comes from one View for each memory instruction and worker, since an instruction tends to stay in
// one allocation. A View sees allocations and frees as soon as they happen.
type View struct {
	memory *Memory
	table  *table
	hit    region
}

// View returns a View of m.
func (m *Memory) View() View { return View{memory: m} }

// Range returns a pointer to the n bytes at addr, n > 0; ok is false unless they all lie in one
// allocation or host range.
func (v *View) Range(addr, n uint64) (p unsafe.Pointer, ok bool) {
	if off := addr - v.hit.Base; off < v.hit.Size && n <= v.hit.Size-off && v.table == v.memory.table.Load() {
		return unsafe.Add(v.hit.start, off), true
	}
	return v.lookUp(addr, n)
}

func (v *View) lookUp(addr, n uint64) (unsafe.Pointer, bool) {
	v.table = v.memory.snapshot()
	r, ok := v.table.find(addr)
	if !ok {
		v.hit = region{}
		return nil, false
	}
	v.hit = *r
	off := addr - r.Base
	return unsafe.Add(r.start, off), n <= r.Size-off
}

// Writable tells whether the context may write what the view found last.
func (v *View) Writable() bool { return !v.hit.readOnly }

// Region returns the allocation or host range that holds addr, and a pointer to its start.
func (v *View) Region(addr uint64) (r Range, start unsafe.Pointer, ok bool) {
	if _, ok := v.Range(addr, 1); !ok {
		return Range{}, nil, false
	}
	return v.hit.Range, v.hit.start, true
}
