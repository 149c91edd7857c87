package mem

import (
	"fmt"
	"slices"
)

// AllocTracked is AllocFile of a new file that is mapped twice: once for the host, at the address of the allocation, and once for kernels. Touched
// tells which pages of either have been used.
func (m *Memory) AllocTracked(size, align uint64) (uint64, error) {
	s := m.space
	page := pageSize()
	bytes := roundUp(size, page)
	f, err := NewFile(bytes)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := m.fits(size); err != nil {
		return 0, err
	}
	addr, span, ok := m.take(bytes, max(align, page))
	if !ok {
		return 0, fmt.Errorf("%w: no range of %d bytes is free", ErrOutOfMemory, size)
	}
	view, viewSpan, ok := m.take(bytes, max(align, page))
	if ok {
		err = mapFile(m.at(addr), bytes, f, 0)
	}
	if !ok || err != nil {
		m.giveBack(span)
		return 0, fmt.Errorf("%w: %d bytes that are mapped twice: %w", ErrOutOfMemory, size, err)
	}
	if err := mapFile(m.at(view), bytes, f, 0); err != nil {
		return 0, fmt.Errorf("%w: %d bytes that are mapped twice: %w", ErrOutOfMemory, size, err)
	}
	m.used += roundUp(size, Alignment)
	s.insert(region{
		Range: Range{addr, size}, start: m.at(view), span: span, owner: m, everywhere: true, tracked: true, view: Range{view, bytes}, viewSpan: viewSpan,
	})
	return addr, nil
}

// Tracked returns the tracked allocations of a GPU.
func (m *Memory) Tracked() (all []Range) {
	for _, r := range m.space.snapshot().regions {
		if r.tracked && r.owner.Physical == m.Physical {
			all = append(all, r.Range)
		}
	}
	return all
}

// Touched tells, for each unit bytes of a tracked allocation, whether the host or kernels have touched them since Forget; nil when the system
// does not tell. Reading may count neighbours in 64 KB, too, as the system maps them together.
func (m *Memory) Touched(r Range, unit uint64) (host, kernels []bool) {
	x, ok := m.space.snapshot().find(r.Base)
	if !ok || !x.tracked {
		return nil, nil
	}
	p := x.owner.Physical
	return inUnits(touched(p.at(x.Base), x.view.Size), unit), inUnits(touched(p.at(x.view.Base), x.view.Size), unit)
}

// inUnits tells for each unit whether one of its pages was touched.
func inUnits(pages []bool, unit uint64) []bool {
	if pages == nil {
		return nil
	}
	n := int(unit / pageSize())
	var out []bool
	for chunk := range slices.Chunk(pages, n) {
		out = append(out, slices.Contains(chunk, true))
	}
	return out
}

// Forget lets the host's and the kernels' touches of a part of a tracked allocation count anew. The contents stay.
func (m *Memory) Forget(r Range, host, kernels bool) {
	x, ok := m.space.snapshot().find(r.Base)
	if !ok || !x.tracked {
		return
	}
	p := x.owner.Physical
	offset := r.Base - x.Base
	size := min(roundUp(r.Size, pageSize()), x.view.Size-offset)
	if host {
		discard(p.at(x.Base+offset), size)
	}
	if kernels {
		discard(p.at(x.view.Base+offset), size)
	}
}
