package driver

import (
	"slices"
)

// Location is where memory can be: a GPU by its ordinal, or the host.
type Location struct {
	Kind    LocationKind
	Ordinal int // of a GPU or a NUMA node
}

// LocationKind tells what a location is, numbered as cudaMemLocationType.
type LocationKind int

// The kinds.
const (
	Nowhere         LocationKind = 0
	OnDevice        LocationKind = 1
	OnHostMemory    LocationKind = 2
	OnNUMANode      LocationKind = 3
	OnNearestNode   LocationKind = 4
	advicePageBytes              = 4096 // what advice is given to
)

// migrationPage is what managed memory moves in, in bytes: what an access of a kernel brings to a GPU at least.
const migrationPage = 64 << 10

// Advice tells how a program uses managed memory, numbered as cudaMemoryAdvise.
type Advice int

// The advice.
const (
	SetReadMostly          Advice = 1
	UnsetReadMostly        Advice = 2
	SetPreferredLocation   Advice = 3
	UnsetPreferredLocation Advice = 4
	SetAccessedBy          Advice = 5
	UnsetAccessedBy        Advice = 6
)

// Advised is what a program has said of a page of managed memory.
type Advised struct {
	ReadMostly bool
	Preferred  Location // Nowhere when there is none
	Prefetched Location // the latest
	AccessedBy []Location
}

func (a Advised) equal(b Advised) bool {
	return a.ReadMostly == b.ReadMostly && a.Preferred == b.Preferred && a.Prefetched == b.Prefetched && slices.Equal(a.AccessedBy, b.AccessedBy)
}

// advised is what was said of the pages of an allocation: each entry is for the pages from its first to the next one's, in order.
type advised []struct {
	first uint64
	Advised
}

// change changes what was said of the pages from first to before last.
func (l advised) change(first, last uint64, f func(*Advised)) advised {
	var out advised
	add := func(at uint64, a Advised) {
		if n := len(out); n == 0 || !out[n-1].equal(a) {
			out = append(out, struct {
				first uint64
				Advised
			}{at, a})
		}
	}
	const end = ^uint64(0)
	for i, e := range l {
		next := end
		if i+1 < len(l) {
			next = l[i+1].first
		}
		lo, hi := max(e.first, first), min(next, last)
		if lo >= hi {
			add(e.first, e.Advised)
			continue
		}
		if e.first < lo {
			add(e.first, e.Advised)
		}
		changed := e.Advised
		changed.AccessedBy = slices.Clone(changed.AccessedBy)
		f(&changed)
		add(lo, changed)
		if hi < next {
			add(hi, e.Advised)
		}
	}
	return out
}

// managedRange returns the managed memory around a range, and the pages of it.
func (d *Device) managedRange(addr, size uint64) (m Memory, first, last uint64, err error) {
	m = d.MemoryAt(addr)
	if m.Kind != ManagedMemory || size == 0 || size > m.Base+m.Size-addr {
		return m, 0, 0, Fail(InvalidValue, "%d bytes at 0x%x are not in managed memory", size, addr)
	}
	return m, (addr - m.Base) / advicePageBytes, (addr-m.Base+size-1)/advicePageBytes + 1, nil
}

// Advise notes advice about managed memory. The location is that of the advice that names one.
func (d *Device) Advise(addr, size uint64, advice Advice, l Location) error {
	m, first, last, err := d.managedRange(addr, size)
	if err != nil {
		return err
	}
	var change func(*Advised)
	switch advice {
	case SetReadMostly, UnsetReadMostly:
		change = func(a *Advised) { a.ReadMostly = advice == SetReadMostly }
	case SetPreferredLocation:
		if !d.exists(l) || l.Kind == OnNearestNode {
			return Fail(InvalidValue, "there is no location %d of kind %d", l.Ordinal, l.Kind)
		}
		change = func(a *Advised) { a.Preferred = l }
	case UnsetPreferredLocation:
		change = func(a *Advised) { a.Preferred = Location{} }
	case SetAccessedBy, UnsetAccessedBy:
		if !d.exists(l) || l.Kind > OnHostMemory {
			return Fail(InvalidValue, "there is no location %d of kind %d that accesses memory", l.Ordinal, l.Kind)
		}
		change = func(a *Advised) {
			a.AccessedBy = slices.DeleteFunc(a.AccessedBy, func(o Location) bool { return o == l })
			if advice == SetAccessedBy {
				a.AccessedBy = append(a.AccessedBy, l)
			}
		}
	default:
		return Fail(InvalidValue, "there is no advice %d", advice)
	}
	d.system.advise(m.Base, first, last, change)
	return nil
}

func (s *System) advise(base, first, last uint64, change func(*Advised)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.advice[base]
	if list == nil {
		list = make(advised, 1)
	}
	s.advice[base] = list.change(first, last, change)
}

// exists tells whether there is a location. The host's number does not matter, and is made 0.
func (d *Device) exists(l Location) bool {
	switch l.Kind {
	case OnDevice:
		return l.Ordinal >= 0 && l.Ordinal < len(d.system.GPUs)
	case OnHostMemory, OnNUMANode, OnNearestNode:
		return true
	}
	return false
}

// Advised returns what was said of the pages of a range of managed memory: each different answer once.
func (d *Device) Advised(addr, size uint64) ([]Advised, error) {
	m, first, last, err := d.managedRange(addr, size)
	if err != nil {
		return nil, err
	}
	s := d.system
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.advice[m.Base]
	if list == nil {
		return []Advised{{}}, nil
	}
	var all []Advised
	for i, e := range list {
		if e.first < last && (i+1 == len(list) || list[i+1].first > first) {
			all = append(all, e.Advised)
		}
	}
	return all, nil
}

// Prefetch moves managed memory to a location at its place in a stream's order.
type Prefetch struct {
	Addr, Size uint64
	To         Location
}

func (o Prefetch) prepare(d *Device) (func() error, bool, error) {
	m, first, last, err := d.managedRange(o.Addr, o.Size)
	switch {
	case o.To.Kind == OnDevice && !d.exists(o.To):
		return nil, false, Fail(InvalidDevice, "there is no device %d", o.To.Ordinal)
	case !d.exists(o.To):
		return nil, false, Fail(InvalidValue, "there is no location of kind %d", o.To.Kind)
	case err != nil:
		return nil, false, err
	}
	d.system.advise(m.Base, first, last, func(a *Advised) { a.Prefetched = o.To })
	return func() error { return nil }, false, nil
}
