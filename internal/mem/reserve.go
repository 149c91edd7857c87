package mem

import (
	"errors"
	"fmt"
	"slices"
	"sort"
)

// ErrMapped is returned for addresses that are mapped already, or still.
var ErrMapped = errors.New("mapped")

// ErrNotReserved is returned for addresses that were not reserved.
var ErrNotReserved = errors.New("not reserved")

// ErrSplit is returned when only a part of a mapping lies in a range.
var ErrSplit = errors.New("a part of a mapping")

// reserving is a range of addresses that a program maps memory into.
type reserving struct {
	Range
	span Range
}

// Reserve keeps size addresses, aligned to align, a power of two, from other use.
func (m *Memory) Reserve(size, align uint64) (uint64, error) {
	m.space.mu.Lock()
	defer m.space.mu.Unlock()
	addr, span, ok := m.take(size, max(align, pageSize()))
	if !ok || size == 0 {
		return 0, fmt.Errorf("%w: no range of %d addresses is free", ErrOutOfMemory, size)
	}
	i := sort.Search(len(m.reservations), func(i int) bool { return m.reservations[i].Base >= addr })
	m.reservations = slices.Insert(m.reservations, i, reserving{Range: Range{addr, size}, span: span})
	return addr, nil
}

// Unreserve gives back what Reserve kept. Nothing may be mapped there.
func (m *Memory) Unreserve(r Range) error {
	m.space.mu.Lock()
	defer m.space.mu.Unlock()
	for _, p := range m.space.physical {
		i := slices.IndexFunc(p.reservations, func(o reserving) bool { return o.Range == r })
		if i < 0 {
			continue
		}
		if len(m.space.within(r)) > 0 {
			return fmt.Errorf("%w: there is memory in the %d bytes at 0x%x", ErrMapped, r.Size, r.Base)
		}
		p.retire(region{Range: r, span: p.reservations[i].span, allocated: p.space.launches.Load()})
		p.reservations = slices.Delete(p.reservations, i, i+1)
		return p.end()
	}
	return fmt.Errorf("%w: %d bytes at 0x%x", ErrNotReserved, r.Size, r.Base)
}

// Reservation returns the reserved range that holds addr.
func (m *Memory) Reservation(addr uint64) (Range, bool) {
	m.space.mu.Lock()
	defer m.space.mu.Unlock()
	for _, p := range m.space.physical {
		if r, ok := p.reservation(addr); ok {
			return r.Range, true
		}
	}
	return Range{}, false
}

// reservation returns the reserved range that holds addr. The caller holds the lock.
func (p *Physical) reservation(addr uint64) (reserving, bool) {
	i := sort.Search(len(p.reservations), func(i int) bool { return p.reservations[i].Base > addr }) - 1
	if i < 0 || !p.reservations[i].Contains(addr) {
		return reserving{}, false
	}
	return p.reservations[i], true
}

// home returns the GPU in whose reserved addresses all of r lies. The caller holds the lock.
func (s *Space) home(r Range) (*Physical, error) {
	for _, p := range s.physical {
		if o, ok := p.reservation(r.Base); ok && r.Size <= o.End()-r.Base {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%w: %d bytes at 0x%x", ErrNotReserved, r.Size, r.Base)
}

// overlaps tells whether there is memory in r. The caller holds the lock.
func (s *Space) overlaps(r Range) bool {
	i := s.position(r.Base)
	return i > 0 && s.live[i-1].End() > r.Base || i < len(s.live) && s.live[i].Base < r.End()
}

// Map puts a part of a file, from an offset, at reserved addresses. No context may reach it yet.
func (m *Memory) Map(r Range, f *File, offset uint64) error {
	s := m.space
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.home(r)
	switch {
	case err != nil:
		return err
	case s.overlaps(r):
		return fmt.Errorf("%w: there is memory in the %d bytes at 0x%x", ErrMapped, r.Size, r.Base)
	}
	if err := mapFile(p.at(r.Base), r.Size, f, offset); err != nil {
		return fmt.Errorf("mapping %d bytes at 0x%x: %w", r.Size, r.Base, err)
	}
	s.insert(region{Range: r, start: p.at(r.Base), kind: mapping, rights: Rights{}, file: f, offset: offset})
	return nil
}

// Unmap takes what Map put into a range of reserved addresses away, and returns where it was.
func (m *Memory) Unmap(r Range) (gone []Range, err error) {
	s := m.space
	s.mu.Lock()
	defer s.mu.Unlock()
	p, all, err := s.mapped(r)
	if err != nil {
		return nil, err
	}
	for _, o := range all {
		p.drop(o)
		gone = append(gone, o.Range)
	}
	return gone, nil
}

// mapped returns the mappings in a range of reserved addresses, which holds no part of another. The caller holds the lock.
func (s *Space) mapped(r Range) (*Physical, []region, error) {
	p, err := s.home(r)
	if err != nil {
		return nil, nil, err
	}
	all := s.within(r)
	if i := s.position(r.Base); i > 0 && s.live[i-1].End() > r.Base || len(all) > 0 && all[len(all)-1].End() > r.End() {
		return nil, nil, fmt.Errorf("%w: %d bytes at 0x%x", ErrSplit, r.Size, r.Base)
	}
	return p, all, nil
}

// SetAccess tells what the contexts of GPUs may do with the mappings in a range of reserved addresses.
func (m *Memory) SetAccess(r Range, rights Rights) error {
	s := m.space
	s.mu.Lock()
	defer s.mu.Unlock()
	_, all, err := s.mapped(r)
	if err != nil {
		return err
	}
	for _, o := range all {
		merged := Rights{}
		for gpu, access := range o.rights {
			merged[gpu] = access
		}
		for gpu, access := range rights {
			merged[gpu] = access
		}
		s.live[s.position(o.Base)].rights = merged
	}
	s.changed()
	return nil
}

// SetRights tells which GPUs may reach the allocation that starts at addr.
func (m *Memory) SetRights(addr uint64, rights Rights) {
	m.edit(addr, func(r *region) { r.rights = rights })
}

// Access returns what the contexts of a GPU may do with the mapping that holds addr.
func (m *Memory) Access(addr uint64, gpu int) (Access, bool) {
	r, ok := m.space.snapshot().find(addr)
	if !ok || r.kind != mapping {
		return NoAccess, false
	}
	return r.rights[gpu], true
}

// unmap gives the pages of a region of a file back to the arena. The caller holds the lock.
func (p *Physical) unmap(r region) {
	page := pageSize()
	base := r.Base &^ (page - 1)
	mapNothing(p.at(base), roundUp(r.End(), page)-base)
}

// Charge counts size bytes of physical memory that are at no address, or not only at one.
func (p *Physical) Charge(size uint64) error {
	p.space.mu.Lock()
	defer p.space.mu.Unlock()
	if err := p.fits(size); err != nil {
		return err
	}
	p.used += roundUp(size, Alignment)
	return nil
}

// Discharge undoes Charge.
func (p *Physical) Discharge(size uint64) {
	p.space.mu.Lock()
	defer p.space.mu.Unlock()
	p.used -= min(p.used, roundUp(size, Alignment))
}

// AllocFile returns the address of a part of a file, as an allocation that Free gives back. rights may be nil; they may change while it lives.
func (m *Memory) AllocFile(size uint64, f *File, offset uint64, rights Rights) (uint64, error) {
	s := m.space
	s.mu.Lock()
	defer s.mu.Unlock()
	page := pageSize()
	within := offset % page
	base, span, ok := m.take(roundUp(within+size, page), page)
	if !ok {
		return 0, fmt.Errorf("%w: no range of %d bytes is free", ErrOutOfMemory, size)
	}
	if err := mapFile(m.at(base), roundUp(within+size, page), f, offset-within); err != nil {
		m.giveBack(span)
		return 0, fmt.Errorf("mapping %d bytes at 0x%x: %w", size, base, err)
	}
	addr := base + within
	s.insert(region{Range: Range{addr, size}, start: m.at(addr), span: span, owner: m, file: f, offset: offset, rights: rights})
	return addr, nil
}

// AllocAt makes size reserved addresses an allocation.
func (m *Memory) AllocAt(r Range) error {
	s := m.space
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.home(r)
	switch {
	case err != nil:
		return err
	case s.overlaps(r):
		return fmt.Errorf("%w: there is memory in the %d bytes at 0x%x", ErrMapped, r.Size, r.Base)
	}
	if err := p.fits(r.Size); err != nil {
		return err
	}
	s.insert(region{Range: r, start: p.at(r.Base), owner: m})
	p.used += roundUp(r.Size, Alignment)
	return nil
}
