package mem

import (
	"errors"
	"fmt"
	"slices"
	"sort"
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
	// preferredBase is where the range is reserved when that is free, so that addresses are the same
	// from run to run: far above a program's heap, far below its libraries and stacks.
	preferredBase = 0x7000_0000_0000
)

// Range is a range of device addresses.
type Range struct{ Base, Size uint64 }

// End returns the first address after the range.
func (r Range) End() uint64 { return r.Base + r.Size }

// Contains tells whether addr lies in the range.
func (r Range) Contains(addr uint64) bool { return addr-r.Base < r.Size }

// Memory is the global memory of one device. Its methods may be called by several goroutines.
type Memory struct {
	arena    unsafe.Pointer // start of the reserved range
	reserved Range          // the same as addresses
	capacity uint64         // bytes that may be allocated
	table    atomic.Pointer[table]
	changes  atomic.Uint64
	stripes  [64]sync.Mutex // for 128-bit atomics

	mu   sync.Mutex
	used uint64   // bytes allocated, in multiples of Alignment
	live []region // allocations and host memory, sorted by address
	free []Range  // unused parts of the arena, sorted, no two adjacent
}

// region is a range that kernels may reach.
type region struct {
	Range
	start unsafe.Pointer
	// span is what an allocation takes of the arena, its guard included; zero Size for host memory.
	span Range
}

// New reserves address space for a device with the given capacity in bytes. Memory is committed as it
// is touched. Close gives it back.
func New(capacity uint64) (*Memory, error) {
	if capacity == 0 || capacity > 1<<44 {
		return nil, fmt.Errorf("device memory of %d bytes: want 1 byte to 16 TiB", capacity)
	}
	// Twice the address space: guards and fragments cost addresses, not memory.
	arena, size, err := reserve(preferredBase, roundUp(2*capacity, 1<<21))
	if err != nil {
		return nil, fmt.Errorf("reserving address space for device memory of %d bytes: %w", capacity, err)
	}
	m := &Memory{arena: arena, reserved: Range{uint64(uintptr(arena)), size}, capacity: capacity}
	if m.reserved.Base < isa.GlobalBase {
		return nil, errors.Join(fmt.Errorf("address space for device memory begins at 0x%x, below the global window", m.reserved.Base), m.Close())
	}
	start := roundUp(m.reserved.Base, Alignment)
	m.free = []Range{{start, m.reserved.End() - start}}
	return m, nil
}

// Close unmaps the memory. Nothing may use it afterwards.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.live, m.free, m.used = nil, nil, 0
	m.table.Store(nil)
	if m.arena == nil {
		return nil
	}
	arena := m.arena
	m.arena = nil
	return release(arena, m.reserved.Size)
}

// Alloc returns the address of size new bytes, aligned to align, a power of two, and at least to
// Alignment. Their contents are undefined. The error wraps ErrOutOfMemory when they do not fit.
func (m *Memory) Alloc(size, align uint64) (uint64, error) {
	align = max(align, Alignment)
	if size == 0 || align&(align-1) != 0 {
		return 0, fmt.Errorf("allocation of %d bytes aligned to %d: want a positive size and a power of two", size, align)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if size > m.capacity-m.used || roundUp(size, Alignment) > m.capacity-m.used {
		return 0, fmt.Errorf("%w: %d bytes wanted, %d of %d are free", ErrOutOfMemory, size, m.capacity-m.used, m.capacity)
	}
	need := roundUp(size, Alignment)
	for i, f := range m.free {
		addr := roundUp(f.Base, align)
		if addr-f.Base > f.Size || need+guard > f.Size-(addr-f.Base) {
			continue
		}
		span := Range{f.Base, addr - f.Base + need + guard}
		if rest := (Range{span.End(), f.Size - span.Size}); rest.Size > 0 {
			m.free[i] = rest
		} else {
			m.free = slices.Delete(m.free, i, i+1)
		}
		m.insert(region{Range: Range{addr, size}, start: unsafe.Add(m.arena, addr-m.reserved.Base), span: span})
		m.used += need
		return addr, nil
	}
	return 0, fmt.Errorf("%w: no range of %d bytes is free", ErrOutOfMemory, size)
}

// Free gives back the allocation that starts at addr; the error wraps ErrNotAllocated when none does.
func (m *Memory) Free(addr uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.remove(addr, false)
	if err != nil {
		return err
	}
	m.used -= roundUp(r.Size, Alignment)
	hole := m.giveBack(r.span)
	m.decommit(r.span, hole)
	return nil
}

// AddHost lets kernels reach size bytes of host memory at p, which must not overlap another such range
// or the device's own memory.
func (m *Memory) AddHost(p unsafe.Pointer, size uint64) error {
	r := Range{uint64(uintptr(p)), size}
	if size == 0 || r.Base < isa.GlobalBase || r.End() < r.Base {
		return fmt.Errorf("host memory of %d bytes at 0x%x: want a positive size and an address in the global window", size, r.Base)
	}
	if r.Base < m.reserved.End() && m.reserved.Base < r.End() {
		return fmt.Errorf("host memory of %d bytes at 0x%x overlaps device memory", size, r.Base)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.position(r.Base)
	if i > 0 && m.live[i-1].End() > r.Base || i < len(m.live) && m.live[i].Base < r.End() {
		return fmt.Errorf("host memory of %d bytes at 0x%x overlaps memory already known", size, r.Base)
	}
	m.insert(region{Range: r, start: p})
	return nil
}

// RemoveHost ends what AddHost began for the range at p.
func (m *Memory) RemoveHost(p unsafe.Pointer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.remove(uint64(uintptr(p)), true)
	return err
}

// Find returns the allocation or host range that holds addr.
func (m *Memory) Find(addr uint64) (Range, bool) {
	r, ok := m.snapshot().find(addr)
	if !ok {
		return Range{}, false
	}
	return r.Range, true
}

// Usage returns the bytes allocated and the bytes there are.
func (m *Memory) Usage() (used, capacity uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used, m.capacity
}

// Bytes returns the host's view of n bytes at addr, which must lie in one allocation; the error wraps
// ErrNotAllocated and tells what is nearest.
func (m *Memory) Bytes(addr, n uint64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	r, ok := m.snapshot().find(addr)
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
	if lo >= hi || !m.reserved.Contains(addr) {
		clear(b)
		return nil
	}
	clear(b[:lo-addr])
	zero(unsafe.Add(m.arena, lo-m.reserved.Base), hi-lo)
	clear(b[hi-addr:])
	return nil
}

// Explain tells where n bytes at addr, not all inside one allocation, lie: "4 bytes after the
// allocation of 1024 bytes at 0x7000...".
func (m *Memory) Explain(addr, n uint64) string {
	near, after := m.snapshot().nearest(addr)
	switch {
	case near == nil:
		return "nothing is allocated"
	case near.Contains(addr):
		return fmt.Sprintf("the last %d bytes are after the allocation of %d bytes at 0x%x", n-(near.End()-addr), near.Size, near.Base)
	case after:
		return fmt.Sprintf("%d bytes after the allocation of %d bytes at 0x%x", addr-near.End(), near.Size, near.Base)
	}
	return fmt.Sprintf("%d bytes before the allocation of %d bytes at 0x%x", near.Base-addr, near.Size, near.Base)
}

// position returns the index in m.live of the first region that starts at addr or later.
func (m *Memory) position(addr uint64) int {
	return sort.Search(len(m.live), func(i int) bool { return m.live[i].Base >= addr })
}

func (m *Memory) insert(r region) {
	m.live = slices.Insert(m.live, m.position(r.Base), r)
	m.changed()
}

func (m *Memory) changed() {
	m.table.Store(nil)
	m.changes.Add(1)
}

// Changes counts the changes of what is allocated or known of host memory.
func (m *Memory) Changes() uint64 { return m.changes.Load() }

func (m *Memory) remove(addr uint64, host bool) (region, error) {
	i := m.position(addr)
	if i == len(m.live) || m.live[i].Base != addr || host != (m.live[i].span.Size == 0) {
		return region{}, fmt.Errorf("%w: 0x%x", ErrNotAllocated, addr)
	}
	r := m.live[i]
	m.live = slices.Delete(m.live, i, i+1)
	m.changed()
	return r, nil
}

// giveBack puts r on the free list and returns the free range that now holds it.
func (m *Memory) giveBack(r Range) Range {
	i := sort.Search(len(m.free), func(i int) bool { return m.free[i].Base >= r.End() })
	lo, hi := i, i
	if i < len(m.free) && m.free[i].Base == r.End() {
		r.Size += m.free[i].Size
		hi = i + 1
	}
	if i > 0 && m.free[i-1].End() == r.Base {
		r = Range{m.free[i-1].Base, m.free[i-1].Size + r.Size}
		lo = i - 1
	}
	m.free = slices.Replace(m.free, lo, hi, r)
	return r
}

// decommit returns the pages that freed touches and that lie in the free range hole.
func (m *Memory) decommit(freed, hole Range) {
	page := pageSize()
	lo := max(freed.Base&^(page-1), roundUp(hole.Base, page))
	hi := min(roundUp(freed.End(), page), hole.End()&^(page-1))
	if lo < hi {
		discard(unsafe.Add(m.arena, lo-m.reserved.Base), hi-lo)
	}
}

func roundUp(n, align uint64) uint64 { return (n + align - 1) &^ (align - 1) }
