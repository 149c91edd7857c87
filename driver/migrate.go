package driver

import (
	"slices"
	"time"

	"silica/internal/mem"
)

// Where a page of managed memory is: nowhere before somebody touches it, at the host, on the GPU of an ordinal, or copied to all that read it.
const (
	unplaced   = -1
	atHost     = -2
	duplicated = -3
)

// residency is where each page of managed allocations is, by their addresses. The system's tracking guards it.
type residency map[uint64][]int

func (r residency) pages(a mem.Range) []int {
	p := r[a.Base]
	if p == nil {
		p = slices.Repeat([]int{unplaced}, int((a.Size+migrationPage-1)/migrationPage))
		r[a.Base] = p
	}
	return p
}

// moved adds up the pages that move one way.
type moved map[Migration]uint64 // bytes, by the migration without its size

func (m moved) add(a mem.Range, page int, way Migration) {
	m[way] += min(migrationPage, a.Size-uint64(page)*migrationPage)
}

// list returns what moved, devices in order, those to the host first.
func (m moved) list() (all []Migration) {
	for way, bytes := range m {
		way.Bytes, way.Pages = bytes, (bytes+migrationPage-1)/migrationPage
		all = append(all, way)
	}
	slices.SortFunc(all, func(a, b Migration) int {
		if a.ToHost != b.ToHost {
			return map[bool]int{true: -1, false: 1}[a.ToHost]
		}
		return a.Device - b.Device
	})
	return all
}

// page returns the range of a page of an allocation.
func page(a mem.Range, i int) mem.Range {
	offset := uint64(i) * migrationPage
	return mem.Range{Base: a.Base + offset, Size: min(migrationPage, a.Size-offset)}
}

// allTracked returns the managed allocations whose pages are tracked. They are when somebody listens.
func (d *Device) allTracked() (all []mem.Range) {
	for _, o := range d.system.all() {
		for _, r := range o.memory.Tracked() {
			if !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	return all
}

// hostTouched finds the pages on GPUs that the host has touched since the last time, and tells that they moved to it. The touches of
// kernels count anew: those so far were of copies.
func (d *Device) hostTouched() {
	if d.options.Recorder == nil {
		return
	}
	s := d.system
	s.tracking.Lock()
	back := moved{}
	for _, a := range d.allTracked() {
		host, kernels := d.memory.Touched(a, migrationPage)
		pages := s.resident.pages(a)
		for i := range pages {
			if i < len(kernels) && kernels[i] {
				d.memory.Forget(page(a, i), false, true)
			}
			if i >= len(host) || !host[i] || pages[i] == duplicated {
				continue
			}
			if pages[i] >= 0 {
				back.add(a, i, Migration{Device: pages[i], ToHost: true, Fault: true})
			}
			pages[i] = atHost
		}
	}
	s.tracking.Unlock()
	for _, m := range back.list() {
		t := &Task{device: d, activity: d.activity(MigrateActivity)}
		t.activity.Migrations, t.activity.Began = []Migration{m}, time.Now()
		d.tell(t)
	}
}

// kernelTouched returns what a kernel's accesses moved to its GPU.
func (d *Device) kernelTouched() []Migration {
	s := d.system
	s.tracking.Lock()
	defer s.tracking.Unlock()
	here := moved{}
	for _, a := range d.allTracked() {
		_, kernels := d.memory.Touched(a, migrationPage)
		pages := s.resident.pages(a)
		for i := range kernels {
			if !kernels[i] || i >= len(pages) {
				continue
			}
			d.memory.Forget(page(a, i), false, true)
			if pages[i] == duplicated || pages[i] == d.Ordinal {
				continue
			}
			said := s.said(a.Base, i)
			if pages[i] == atHost && (said.Preferred.Kind == OnHostMemory || slices.Contains(said.AccessedBy, Location{OnDevice, d.Ordinal})) {
				continue // it is accessed where it is
			}
			if pages[i] != unplaced {
				here.add(a, i, Migration{Device: d.Ordinal, Fault: true})
			}
			if pages[i] = d.Ordinal; said.ReadMostly {
				pages[i] = duplicated
				continue
			}
			d.memory.Forget(page(a, i), true, false)
		}
	}
	return here.list()
}

// said returns what a program said of a page.
func (s *System) said(base uint64, i int) (a Advised) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.advice[base] {
		if e.first > uint64(i)*(migrationPage/advicePageBytes) {
			break
		}
		a = e.Advised
	}
	return a
}

// prefetched returns what a prefetch moved.
func (d *Device) prefetched(o Prefetch) []Migration {
	d.hostTouched()
	s := d.system
	s.tracking.Lock()
	defer s.tracking.Unlock()
	to := atHost
	if o.To.Kind == OnDevice {
		to = o.To.Ordinal
	}
	all := moved{}
	for _, a := range d.allTracked() {
		if !a.Contains(o.Addr) {
			continue
		}
		pages := s.resident.pages(a)
		for i := (o.Addr - a.Base) / migrationPage; i <= (o.Addr+o.Size-1-a.Base)/migrationPage; i++ {
			was := pages[i]
			pages[i] = to
			d.memory.Forget(page(a, int(i)), to != atHost, to == atHost)
			switch {
			case was == to || was == unplaced || was == duplicated:
			case to == atHost:
				all.add(a, int(i), Migration{Device: was, ToHost: true})
			default:
				all.add(a, int(i), Migration{Device: to})
			}
		}
	}
	return all.list()
}
