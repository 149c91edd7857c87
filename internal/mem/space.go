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

// Space is the unified address space of a process: the memory of its devices, and the host memory that they know. Its methods,
// and those of all that belongs to it, may be called by several goroutines.
type Space struct {
	table    atomic.Pointer[table] // of everything
	launches atomic.Uint64         // of kernels, which tell when something happened

	mu       sync.Mutex
	live     []region // sorted by address
	contexts []*Memory
	physical []*Physical
}

// Physical is the memory of one GPU: a range of addresses, and how much of it may be in use.
type Physical struct {
	space    *Space
	ordinal  int // of the GPU
	capacity uint64

	// The space's lock guards these.
	arena        unsafe.Pointer // start of the reserved range; nil when no context needs it
	reserved     Range          // the same as addresses
	contexts     int
	used         uint64      // bytes in use, in multiples of Alignment
	free         []Range     // unused parts of the arena, sorted, no two adjacent
	reservations []reserving // sorted by address
	freed        []freed     // the latest last
	held         uint64      // bytes of addresses of those in freed that are not free yet
	mirror       *File       // of the pages that other processes may map, at their offsets in the arena; nil before the first
	exported     []Range     // these pages, sorted, no two adjacent
}

// Access tells what a context may do with memory, numbered as CUmemAccess_flags.
type Access int

// The rights.
const (
	NoAccess  Access = 0
	ReadOnly  Access = 1
	ReadWrite Access = 3
)

// Rights tells which GPUs, by their ordinals, may reach memory. Memory that has none can be reached from its GPU and from contexts
// with access to that as a peer.
type Rights map[int]Access

// region is a range that kernels may reach.
type region struct {
	Range
	start unsafe.Pointer
	// span is what an allocation takes of the arena, its guard included; zero Size for what has no addresses of its own there.
	span Range
	kind regionKind
	// owner is the context that allocated it, or knew it first; nil for mappings.
	owner *Memory
	// everywhere is set for memory that all contexts reach.
	everywhere bool
	rights     Rights
	readOnly   bool // in the table of a context
	// file is what the range is a part of; nil for memory of its own.
	file      *File
	offset    uint64
	allocated uint64 // launches before it came
	// tracked is set for memory that kernels reach through a mapping of their own: view.
	tracked        bool
	view, viewSpan Range
}

type regionKind int

const (
	allocation regionKind = iota
	hostMemory
	mapping // of a file, in a reservation
)

// NewSpace returns an address space without devices.
func NewSpace() *Space { return &Space{} }

// Launched tells that a kernel begins. Explain says between which launches memory was freed.
func (s *Space) Launched() { s.launches.Add(1) }

// Add returns the memory of another GPU, with the given capacity in bytes.
func (s *Space) Add(capacity uint64) (*Physical, error) {
	if capacity == 0 || capacity > 1<<44 {
		return nil, fmt.Errorf("device memory of %d bytes: want 1 byte to 16 TiB", capacity)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &Physical{space: s, ordinal: len(s.physical), capacity: capacity}
	s.physical = append(s.physical, p)
	return p, nil
}

// preferredBase is where the range of the first GPU is reserved when that is free, so that addresses are the same from run to
// run: far above a program's heap, far below its libraries and stacks. The next GPU's range is baseStride further.
const (
	preferredBase = 0x7000_0000_0000
	baseStride    = 1 << 40
)

// Context returns the memory as a new context of the GPU reaches it. Memory is committed as it is touched. Close gives it back.
func (p *Physical) Context() (*Memory, error) {
	s := p.space
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.arena == nil {
		// Twice the address space: guards and fragments cost addresses, not memory.
		base := preferredBase + uint64(min(p.ordinal, 15))*baseStride
		arena, size, err := reserve(base, roundUp(2*p.capacity, 1<<21))
		if err != nil {
			return nil, fmt.Errorf("reserving address space for device memory of %d bytes: %w", p.capacity, err)
		}
		r := Range{uint64(uintptr(arena)), size}
		if r.Base < isa.GlobalBase {
			return nil, errors.Join(fmt.Errorf("address space for device memory begins at 0x%x, below the global window", r.Base), release(arena, size))
		}
		start := roundUp(r.Base, Alignment)
		p.arena, p.reserved, p.free = arena, r, []Range{{start, r.End() - start}}
	}
	m := &Memory{Physical: p, peers: map[*Memory]bool{}}
	p.contexts++
	s.contexts = append(s.contexts, m)
	return m, nil
}

// close ends a context: its memory is free. The caller holds the lock.
func (p *Physical) close(m *Memory) error {
	s := p.space
	for _, r := range slices.Clone(s.live) {
		if r.owner == m {
			p.drop(r)
		}
	}
	s.contexts = slices.DeleteFunc(s.contexts, func(o *Memory) bool { return o == m })
	for _, o := range s.contexts {
		delete(o.peers, m)
	}
	s.changed()
	p.contexts--
	return p.end()
}

// end gives the arena back when no context needs it and nothing is reserved in it, since reservations are the process's. The caller
// holds the lock.
func (p *Physical) end() error {
	if p.contexts > 0 || len(p.reservations) > 0 || p.arena == nil {
		return nil
	}
	s, arena, size := p.space, p.arena, p.reserved.Size
	err := p.mirror.Close()
	*p = Physical{space: s, ordinal: p.ordinal, capacity: p.capacity}
	return errors.Join(err, release(arena, size))
}

// drop takes a region out of the space and gives back what it holds. The caller holds the lock.
func (p *Physical) drop(r region) {
	s := p.space
	i := s.position(r.Base)
	s.live = slices.Delete(s.live, i, i+1)
	s.changed()
	if r.file == nil && r.kind == allocation {
		p.used -= roundUp(r.Size, Alignment)
	}
	if r.file != nil {
		p.unmap(r)
	}
	if r.tracked {
		mapNothing(p.at(r.Base), r.view.Size)
		mapNothing(p.at(r.view.Base), r.view.Size)
		p.giveBack(r.viewSpan)
	}
	if r.span.Size > 0 {
		p.retire(r)
	}
}

// take reserves addresses for size bytes aligned to align, with a guard after them. The caller holds the lock.
func (p *Physical) take(size, align uint64) (addr uint64, span Range, ok bool) {
	need := roundUp(size, Alignment)
	for {
		for i, f := range p.free {
			addr := roundUp(f.Base, align)
			if addr < f.Base || addr-f.Base > f.Size || need+guard > f.Size-(addr-f.Base) {
				continue
			}
			span := Range{f.Base, addr - f.Base + need + guard}
			if rest := (Range{span.End(), f.Size - span.Size}); rest.Size > 0 {
				p.free[i] = rest
			} else {
				p.free = slices.Delete(p.free, i, i+1)
			}
			return addr, span, true
		}
		if !p.release() {
			return 0, Range{}, false
		}
	}
}

// within returns the regions that lie in r. The caller holds the lock.
func (s *Space) within(r Range) []region {
	lo := s.position(r.Base)
	hi := sort.Search(len(s.live), func(i int) bool { return s.live[i].Base >= r.End() })
	return slices.Clone(s.live[lo:max(lo, hi)])
}

// position returns the index in s.live of the first region that starts at addr or later.
func (s *Space) position(addr uint64) int {
	return sort.Search(len(s.live), func(i int) bool { return s.live[i].Base >= addr })
}

func (s *Space) insert(r region) {
	r.allocated = s.launches.Load()
	s.live = slices.Insert(s.live, s.position(r.Base), r)
	s.changed()
}

// changed lets all tables be made anew. The caller holds the lock.
func (s *Space) changed() {
	s.table.Store(nil)
	for _, m := range s.contexts {
		m.changed()
	}
}

// snapshot returns the table of everything.
func (s *Space) snapshot() *table {
	if t := s.table.Load(); t != nil {
		return t
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &table{regions: slices.Clone(s.live)}
	s.table.Store(t)
	return t
}

// access returns what a context may do with a region. The caller holds the lock.
func (m *Memory) access(r *region) Access {
	if r.rights != nil {
		return r.rights[m.ordinal]
	}
	if r.everywhere || r.owner != nil && (r.owner.Physical == m.Physical || m.peers[r.owner]) {
		return ReadWrite
	}
	return NoAccess
}
