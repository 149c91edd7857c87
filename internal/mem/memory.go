package mem

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"silica/internal/isa"
)

// ErrOutOfMemory is returned when an allocation does not fit the device's memory.
var ErrOutOfMemory = errors.New("out of memory")

// ErrNotAllocated is returned when an address is not (or no longer) the start of an allocation, or a
// range is not inside one.
var ErrNotAllocated = errors.New("not an allocation")

const (
	// Alignment is the least alignment of an allocation, in bytes, as cudaMalloc promises.
	Alignment = 256
	// guard is the least distance between two allocations: an access a little past the end of one is
	// a fault rather than a change to the next.
	guard = Alignment
)

// Range is a range of device addresses.
type Range struct{ Base, Size uint64 }

// End returns the first address after the range.
func (r Range) End() uint64 { return r.Base + r.Size }

// Contains tells whether addr lies in the range.
func (r Range) Contains(addr uint64) bool { return addr-r.Base < r.Size }

// Memory is global memory as the kernels of one context of a device reach it. Its methods may be called by several goroutines.
type Memory struct {
	*Physical
	table   atomic.Pointer[table] // of what the context reaches
	changes atomic.Uint64
	stripes [64]sync.Mutex   // for 128-bit atomics
	peers   map[*Memory]bool // contexts whose memory it may reach; the space's lock guards it
	closed  bool
}

// New returns the memory of a device that is alone, with the given capacity in bytes. Close gives it back.
func New(capacity uint64) (*Memory, error) {
	p, err := NewSpace().Add(capacity)
	if err != nil {
		return nil, err
	}
	return p.Context()
}

// Close gives back all that was allocated. Nothing may use it afterwards.
func (m *Memory) Close() error {
	m.space.mu.Lock()
	defer m.space.mu.Unlock()
	if m.closed {
		return nil
	}
	m.closed = true
	m.table.Store(nil)
	return m.Physical.close(m)
}

// at returns the pointer to an address of the arena.
func (p *Physical) at(addr uint64) unsafe.Pointer { return unsafe.Add(p.arena, addr-p.reserved.Base) }

// Alloc returns the address of size new bytes, aligned to align, a power of two, and at least to
// Alignment. Their contents are undefined. The error wraps ErrOutOfMemory when they do not fit.
func (m *Memory) Alloc(size, align uint64) (uint64, error) {
	align = max(align, Alignment)
	if size == 0 || align&(align-1) != 0 {
		return 0, fmt.Errorf("allocation of %d bytes aligned to %d: want a positive size and a power of two", size, align)
	}
	m.space.mu.Lock()
	defer m.space.mu.Unlock()
	if err := m.fits(size); err != nil {
		return 0, err
	}
	addr, span, ok := m.take(size, align)
	if !ok {
		return 0, fmt.Errorf("%w: no range of %d bytes is free", ErrOutOfMemory, size)
	}
	m.space.insert(region{Range: Range{addr, size}, start: m.at(addr), span: span, owner: m})
	m.used += roundUp(size, Alignment)
	return addr, nil
}

// fits tells whether so many bytes are free. The caller holds the lock.
func (p *Physical) fits(size uint64) error {
	if left := p.capacity - p.used; size > left || roundUp(size, Alignment) > left {
		return fmt.Errorf("%w: %d bytes wanted, %d of %d are free", ErrOutOfMemory, size, left, p.capacity)
	}
	return nil
}

// Free gives back the allocation that starts at addr, of whatever context; the error wraps ErrNotAllocated when none does.
func (m *Memory) Free(addr uint64) error {
	s := m.space
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.position(addr)
	if i == len(s.live) || s.live[i].Base != addr || s.live[i].kind != allocation {
		for _, p := range s.physical {
			if f, ok := p.lately(addr); ok {
				return fmt.Errorf("%w: %s", ErrNotAllocated, f.explain(addr))
			}
		}
		return fmt.Errorf("%w: 0x%x", ErrNotAllocated, addr)
	}
	s.live[i].owner.drop(s.live[i])
	return nil
}

// Share lets all contexts reach the allocation that starts at addr.
func (m *Memory) Share(addr uint64) {
	m.edit(addr, func(r *region) { r.everywhere = true })
}

// edit changes the region that starts at addr.
func (m *Memory) edit(addr uint64, change func(r *region)) {
	s := m.space
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.position(addr); i < len(s.live) && s.live[i].Base == addr {
		change(&s.live[i])
		s.changed()
	}
}

// Peer lets the context reach the memory of another, or not any more; changed is false when it is as it was.
func (m *Memory) Peer(other *Memory, reach bool) (changed bool) {
	m.space.mu.Lock()
	defer m.space.mu.Unlock()
	if m.peers[other] == reach {
		return false
	}
	if reach {
		m.peers[other] = true
	} else {
		delete(m.peers, other)
	}
	m.changed()
	return true
}

// AddHost lets kernels of all devices reach size bytes of host memory at p, which must not overlap another such range
// or a device's own memory.
func (m *Memory) AddHost(p unsafe.Pointer, size uint64) error {
	r := Range{uint64(uintptr(p)), size}
	if size == 0 || r.Base < isa.GlobalBase || r.End() < r.Base {
		return fmt.Errorf("host memory of %d bytes at 0x%x: want a positive size and an address in the global window", size, r.Base)
	}
	s := m.space
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.physical {
		if r.Base < d.reserved.End() && d.reserved.Base < r.End() && d.arena != nil {
			return fmt.Errorf("host memory of %d bytes at 0x%x overlaps device memory", size, r.Base)
		}
	}
	i := s.position(r.Base)
	if i > 0 && s.live[i-1].End() > r.Base || i < len(s.live) && s.live[i].Base < r.End() {
		return fmt.Errorf("host memory of %d bytes at 0x%x overlaps memory already known", size, r.Base)
	}
	s.insert(region{Range: r, start: p, kind: hostMemory, owner: m, everywhere: true})
	return nil
}

// RemoveHost ends what AddHost began for the range at p.
func (m *Memory) RemoveHost(p unsafe.Pointer) error {
	s := m.space
	s.mu.Lock()
	defer s.mu.Unlock()
	addr := uint64(uintptr(p))
	i := s.position(addr)
	if i == len(s.live) || s.live[i].Base != addr || s.live[i].kind != hostMemory {
		return fmt.Errorf("%w: 0x%x", ErrNotAllocated, addr)
	}
	s.live = slices.Delete(s.live, i, i+1)
	s.changed()
	return nil
}

// Find returns the allocation, mapping or host range that holds addr, of whatever context.
func (m *Memory) Find(addr uint64) (Range, bool) {
	r, ok := m.space.snapshot().find(addr)
	if !ok {
		return Range{}, false
	}
	return r.Range, true
}

// Owner returns the context whose memory, or to whom known host memory, is at addr; nil where nothing is.
func (m *Memory) Owner(addr uint64) *Memory {
	if r, ok := m.space.snapshot().find(addr); ok {
		return r.owner
	}
	return nil
}

// Usage returns the bytes allocated on the GPU and the bytes there are.
func (p *Physical) Usage() (used, capacity uint64) {
	p.space.mu.Lock()
	defer p.space.mu.Unlock()
	return p.used, p.capacity
}

// Bytes returns the host's view of n bytes at addr, which must lie in one allocation, or in mappings without a gap, that the
// context reaches; the error wraps ErrNotAllocated and tells what is nearest.
func (m *Memory) Bytes(addr, n uint64) ([]byte, error) { return m.bytes(m.snapshot(), addr, n) }

// AnyBytes is Bytes of memory that any context reaches: what copies may touch.
func (m *Memory) AnyBytes(addr, n uint64) ([]byte, error) {
	if owner := m.Owner(addr); owner != nil {
		return m.bytes(owner.snapshot(), addr, n)
	}
	return m.Bytes(addr, n)
}

func (m *Memory) bytes(t *table, addr, n uint64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	r, ok := t.find(addr)
	if !ok || n > r.End()-addr {
		return nil, fmt.Errorf("%w: %d bytes at 0x%x: %s", ErrNotAllocated, n, addr, m.Explain(addr, n))
	}
	return unsafe.Slice((*byte)(unsafe.Add(r.start, addr-r.Base)), n), nil
}

// Clear makes n bytes at addr zero, without committing the whole pages of them when they are of an allocation. Errors are
// those of Bytes.
func (m *Memory) Clear(addr, n uint64) error {
	b, err := m.Bytes(addr, n)
	if err != nil {
		return err
	}
	page := pageSize()
	lo, hi := roundUp(addr, page), (addr+n)&^(page-1)
	r, ok := m.space.snapshot().find(addr)
	if lo >= hi || !ok || r.file != nil || r.tracked || !m.reserved.Contains(addr) {
		clear(b)
		return nil
	}
	clear(b[:lo-addr])
	zero(m.at(lo), hi-lo)
	clear(b[hi-addr:])
	return nil
}

func (m *Memory) changed() {
	m.table.Store(nil)
	m.changes.Add(1)
}

// Changes counts the changes of what the context reaches.
func (m *Memory) Changes() uint64 { return m.changes.Load() }

func roundUp(n, align uint64) uint64 { return (n + align - 1) &^ (align - 1) }
