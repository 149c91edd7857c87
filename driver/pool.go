package driver

import (
	"errors"
	"maps"
	"sync"

	"silica/internal/mem"
)

// Pool is memory that is allocated in a stream's order: of a device, of the host (PinnedMemory) or of both (ManagedMemory). What is
// freed is free again at once.
type Pool struct {
	Device *Device
	Kind   MemoryKind
	shared *mem.File // of which other processes have the memory, too; nil for this process alone
	// owner is false for a pool of another process, which allocates nothing here.
	owner bool
	limit uint64 // bytes of all allocations; 0 for as many as the device has

	mu       sync.Mutex
	next     uint64         // the first free byte of shared
	rights   mem.Rights     // nil until another device gets access
	live     map[uint64]int // uses of allocations and of what was imported, by address
	offsets  map[uint64]uint64
	used     uint64
	usedHigh uint64
}

// NewPool returns a pool of so many bytes at most, 0 for no limit, which other processes may import if shared is set. No GPU has
// access to one of the host at first.
func (d *Device) NewPool(kind MemoryKind, shared bool, limit uint64) (*Pool, error) {
	p := &Pool{Device: d, Kind: kind, owner: true, limit: limit, live: map[uint64]int{}, offsets: map[uint64]uint64{}}
	if kind == PinnedMemory {
		p.rights = mem.Rights{}
	}
	if !shared {
		return p, nil
	}
	var err error
	if p.shared, err = mem.NewFile(0); err != nil {
		return nil, wrap(NotSupported, err)
	}
	return p, nil
}

// Alloc returns size new bytes of the pool.
func (p *Pool) Alloc(size uint64) (addr uint64, err error) {
	d := p.Device
	if !p.owner {
		return 0, Fail(InvalidValue, "the pool is one of another process, which allocates from it")
	}
	if err := p.charge(size); err != nil {
		return 0, err
	}
	switch {
	case p.shared != nil:
		addr, err = p.allocShared(size)
	case p.Kind == ManagedMemory:
		addr, err = d.AllocManaged(size, attachGlobal)
	default:
		addr, err = d.Alloc(size)
	}
	if err == nil && p.Kind == PinnedMemory {
		d.know(Memory{Kind: PinnedMemory, Base: addr, Size: size})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.used -= size
		return 0, err
	}
	p.usedHigh = max(p.usedHigh, p.used)
	if p.enforced() {
		d.memory.SetRights(addr, p.rights)
	}
	p.live[addr] = 1
	d.system.pooled(addr, p, size)
	return addr, nil
}

// charge counts an allocation, which has to be within the pool's limit.
func (p *Pool) charge(size uint64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limit > 0 && (size > p.limit || p.used > p.limit-size) {
		return Fail(OutOfMemory, "%d bytes of a pool that has %d and uses %d", size, p.limit, p.used)
	}
	p.used += size
	return nil
}

// allocShared allocates a part of the file.
func (p *Pool) allocShared(size uint64) (uint64, error) {
	if size == 0 {
		return 0, Fail(InvalidValue, "an allocation of 0 bytes")
	}
	const page = 1 << 16 // whole pages, whatever they are
	d := p.Device
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := d.system.physical[d.Ordinal].Charge(size); err != nil {
		return 0, wrap(OutOfMemory, err)
	}
	offset := p.next
	if err := p.shared.Grow(offset + (size+page-1)/page*page); err != nil {
		return 0, wrap(OutOfMemory, err)
	}
	addr, err := d.memory.AllocFile(size, p.shared, offset, nil)
	if err != nil {
		return 0, wrap(OutOfMemory, err)
	}
	p.next += (size + page - 1) / page * page
	p.offsets[addr] = offset
	return addr, nil
}

// pooled notes that an allocation is a pool's.
func (s *System) pooled(addr uint64, p *Pool, size uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pools[addr] = pooling{p, size}
}

// PoolAt returns the pool that the allocation at an address is from; nil when it is from none.
func (d *Device) PoolAt(base uint64) *Pool {
	d.system.mu.Lock()
	defer d.system.mu.Unlock()
	return d.system.pools[base].Pool
}

// pooling is an allocation of a pool.
type pooling struct {
	*Pool
	size uint64
}

// leavePool tells that memory was freed, which may be a pool's.
func (s *System) leavePool(addr uint64) {
	s.mu.Lock()
	of, ok := s.pools[addr]
	delete(s.pools, addr)
	s.mu.Unlock()
	if !ok {
		return
	}
	p := of.Pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used -= of.size
	if offset, ok := p.offsets[addr]; ok && p.owner {
		p.shared.Discard(offset, of.size)
		s.physical[p.Device.Ordinal].Discharge(of.size)
	}
	delete(p.live, addr)
	delete(p.offsets, addr)
}

// Usage returns the bytes of the pool's allocations, and the most there were since the last reset.
func (p *Pool) Usage() (used, high uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used, p.usedHigh
}

// ResetUsage lets the most there were be what there is.
func (p *Pool) ResetUsage() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.usedHigh = p.used
}

// SetAccess tells whether the kernels of another GPU may read and write the pool's memory.
func (p *Pool) SetAccess(ordinal int, a Access) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	rights := maps.Clone(p.rights)
	if rights == nil {
		rights = mem.Rights{}
		if p.Kind == DeviceMemory {
			rights[p.Device.Ordinal] = ReadWrite
		}
	}
	rights[ordinal] = a
	p.rights = rights
	for addr := range p.live {
		if p.enforced() {
			p.Device.memory.SetRights(addr, rights)
		}
	}
	return nil
}

// enforced tells whether only the GPUs with access reach the memory: every one reaches managed memory.
func (p *Pool) enforced() bool { return p.rights != nil && p.Kind != ManagedMemory }

// attachGlobal is the flag of managed memory that every stream may use.
const attachGlobal = 1

// Access returns what the kernels of a GPU may do with the pool's memory.
func (p *Pool) Access(ordinal int) Access {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ordinal == p.Device.Ordinal && p.Kind == DeviceMemory {
		return ReadWrite
	}
	return p.rights[ordinal]
}

// Export returns a new descriptor of the pool, which another process may import.
func (p *Pool) Export() (descriptor int, err error) {
	if p.shared == nil {
		return -1, Fail(InvalidValue, "the pool was created for this process alone")
	}
	if descriptor, err = p.shared.Duplicate(); err != nil {
		return -1, wrap(OperatingSystem, err)
	}
	return descriptor, nil
}

// ImportPool returns the pool that a descriptor of Export stands for. The descriptor stays the caller's.
func (d *Device) ImportPool(descriptor int) (*Pool, error) {
	f, _, err := importFile(descriptor)
	if err != nil {
		return nil, err
	}
	return &Pool{Device: d, Kind: DeviceMemory, shared: f, live: map[uint64]int{}, offsets: map[uint64]uint64{}}, nil
}

// ExportPointer returns a handle of an allocation of a pool that can be exported.
func (d *Device) ExportPointer(addr uint64) (h IPCHandle, err error) {
	s := d.system
	s.mu.Lock()
	of, ok := s.pools[addr]
	s.mu.Unlock()
	if !ok || of.shared == nil || !of.owner {
		return h, Fail(InvalidValue, "no allocation of a pool for other processes begins at 0x%x", addr)
	}
	of.mu.Lock()
	defer of.mu.Unlock()
	return ipcHandle(ipcPool, of.shared, ipcWords{offset: of.offsets[addr], size: of.size})
}

// ImportPointer returns the address of an allocation of the pool that another process exported: the same each time.
func (p *Pool) ImportPointer(h IPCHandle) (uint64, error) {
	w := h.words()
	identity, err := p.shared.Identity()
	if w.magic != ipcPool || err != nil || identity != w.identity {
		return 0, errors.Join(Fail(InvalidValue, "not a pointer of the pool"), err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for addr, offset := range p.offsets {
		if offset == w.offset {
			p.live[addr]++
			return addr, nil
		}
	}
	d := p.Device
	addr, err := d.memory.AllocFile(w.size, p.shared, w.offset, nil)
	if err != nil {
		return 0, wrap(OutOfMemory, err)
	}
	p.live[addr], p.offsets[addr] = 1, w.offset
	p.used += w.size
	d.system.pooled(addr, p, w.size)
	return addr, nil
}
