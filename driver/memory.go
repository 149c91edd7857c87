package driver

import (
	"errors"
	"maps"
	"unsafe"

	"silica/internal/isa"
	"silica/internal/mem"
)

// MemoryKind tells whose memory an address is in.
type MemoryKind int

// The kinds of memory.
const (
	UnknownMemory    MemoryKind = iota // host memory that the device does not know
	DeviceMemory                       // Alloc
	ManagedMemory                      // AllocManaged
	PinnedMemory                       // host memory that was allocated for the device
	RegisteredMemory                   // other host memory, RegisterHost
)

// Memory is an allocation, or host memory that the device can reach.
type Memory struct {
	Kind       MemoryKind
	Base, Size uint64
	// Flags are those it was allocated or registered with.
	Flags uint32
	// Device is that which allocated it, or to which it was made known; nil for mappings, which contexts share.
	Device  *Device
	Ordinal int // of the GPU, or OnHost
	// Physical is the memory that is mapped there; nil for an allocation.
	Physical *PhysicalMemory
	// Imported is set for memory of another process.
	Imported bool
}

// onDevice tells whether a copy may take the memory for the device's.
func (m Memory) onDevice() bool { return m.Kind != UnknownMemory }

// Alloc returns the address of size new bytes of device memory. Their contents are undefined.
func (d *Device) Alloc(size uint64) (uint64, error) { return d.alloc(size, naturalAlign(size)) }

// naturalAlign is how an allocation is aligned. CUDA's follow each other 512 bytes apart, large ones from a page of 2 MiB on, so that arrays of round
// sizes are aligned to what their sizes are multiples of; here something keeps them apart. The slices of L2 that a small table lies in depend on it.
func naturalAlign(size uint64) uint64 {
	return min(max(size&-size, allocationAlign), largestAlign)
}

func (d *Device) alloc(size, align uint64) (uint64, error) {
	if err := d.Status(); err != nil {
		return 0, err
	}
	if size == 0 {
		return 0, Fail(InvalidValue, "an allocation of 0 bytes")
	}
	addr, err := d.memory.Alloc(size, align)
	if err != nil {
		return 0, wrap(OutOfMemory, err)
	}
	return addr, nil
}

// How allocations are aligned. Managed memory moves in pages, of which each has its own.
const (
	allocationAlign = 512
	largestAlign    = 2 << 20
	managedAlign    = migrationPage
)

// AllocManaged returns the address of size new bytes of memory that the host and the device both reach.
func (d *Device) AllocManaged(size uint64, flags uint32) (uint64, error) {
	addr, err := d.allocManaged(size)
	if err != nil {
		return 0, err
	}
	d.memory.Share(addr)
	d.know(Memory{Kind: ManagedMemory, Base: addr, Size: size, Flags: flags})
	return addr, nil
}

// allocManaged allocates memory whose pages are tracked when somebody wants to know how they move.
func (d *Device) allocManaged(size uint64) (uint64, error) {
	if d.options.Recorder == nil || size == 0 || d.Status() != nil {
		return d.alloc(size, managedAlign)
	}
	addr, err := d.memory.AllocTracked(size, managedAlign)
	if err != nil {
		return 0, wrap(OutOfMemory, err)
	}
	return addr, nil
}

// know enters memory that is not plain device memory.
func (d *Device) know(m Memory) {
	s := d.system
	s.mu.Lock()
	defer s.mu.Unlock()
	m.Device, m.Ordinal = d, d.Ordinal
	s.special[m.Base] = m
}

// forget undoes know.
func (d *Device) forget(base uint64) {
	s := d.system
	s.tracking.Lock()
	delete(s.resident, base)
	s.tracking.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.special, base)
	delete(s.advice, base)
	delete(s.synchronous, base)
}

// SetSynchronous notes whether the program wants calls that work on an allocation to wait for their end
// (CU_POINTER_ATTRIBUTE_SYNC_MEMOPS). Those that do not wait say so in their names here.
func (d *Device) SetSynchronous(base uint64, wanted bool) {
	s := d.system
	s.mu.Lock()
	defer s.mu.Unlock()
	s.synchronous[base] = wanted
}

// Synchronous returns what SetSynchronous noted.
func (d *Device) Synchronous(base uint64) bool {
	s := d.system
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.synchronous[base]
}

// leave takes the device out of its system.
func (d *Device) leave() {
	s := d.system
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.devices, d.memory)
	maps.DeleteFunc(s.special, func(_ uint64, m Memory) bool { return m.Device == d })
}

// Free gives an allocation, of whatever device, back when all work of its device has ended; address 0 is allowed and does
// nothing.
func (d *Device) Free(addr uint64) error {
	if owner := d.system.owner(d.memory, addr); owner != nil {
		owner.drain()
	}
	return d.FreeNow(addr)
}

// FreeNow is Free for work of a stream: it waits for nothing.
func (d *Device) FreeNow(addr uint64) error {
	if err := d.Status(); err != nil {
		return err
	}
	if addr == 0 {
		return nil
	}
	if d.MemoryAt(addr).Kind == ManagedMemory {
		d.hostTouched()
	}
	if d.MemoryAt(addr).Imported {
		return Fail(InvalidValue, "the memory at 0x%x is of another process", addr)
	}
	// A host range is no allocation of mem's, so it is refused too.
	if err := d.memory.Free(addr); err != nil {
		return wrap(InvalidValue, err)
	}
	d.forget(addr)
	d.freedGraphMemory(addr)
	d.system.leavePool(addr)
	d.system.unclaim(addr)
	return nil
}

// claim notes that memory is to be freed in a stream's order, which it can be once.
func (s *System) claim(addr uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freeing[addr] {
		return Fail(InvalidValue, "the memory at 0x%x is to be freed already", addr)
	}
	s.freeing[addr] = true
	return nil
}

func (s *System) unclaim(addr uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.freeing, addr)
}

// MemInfo returns the free and the total bytes of device memory.
func (d *Device) MemInfo() (free, total uint64) {
	used, capacity := d.memory.Usage()
	return capacity - used, capacity
}

// MemoryAt returns the memory that holds addr, of whatever device; its Kind is UnknownMemory when no device knows any.
func (d *Device) MemoryAt(addr uint64) Memory {
	r, ok := d.memory.Find(addr)
	if !ok {
		return Memory{}
	}
	owner := d.memory.Owner(addr)
	s := d.system
	s.mu.Lock()
	defer s.mu.Unlock()
	if m, ok := s.special[r.Base]; ok {
		return m
	}
	m := Memory{Kind: DeviceMemory, Base: r.Base, Size: r.Size}
	if m.Device = s.devices[owner]; m.Device != nil {
		m.Ordinal = m.Device.Ordinal
	}
	return m
}

// RegisterHost lets kernels reach host memory, m.Size bytes at p, under its own address.
func (d *Device) RegisterHost(p unsafe.Pointer, m Memory) error {
	m.Base = uint64(uintptr(p))
	switch {
	case m.Base == 0 || m.Size == 0:
		return Fail(InvalidValue, "%d bytes of host memory at 0x%x", m.Size, m.Base)
	case m.Base < isa.GlobalBase:
		return Fail(NotSupported, "kernels reach no host memory below 0x%x; that at 0x%x is in a program that is not position-independent", isa.GlobalBase, m.Base)
	}
	if err := d.memory.AddHost(p, m.Size); err != nil {
		return wrap(HostMemoryAlreadyRegistered, err)
	}
	d.know(m)
	return nil
}

// UnregisterHost undoes RegisterHost when all work has ended.
func (d *Device) UnregisterHost(p unsafe.Pointer) error {
	d.drain()
	if err := d.memory.RemoveHost(p); err != nil {
		if errors.Is(err, mem.ErrNotAllocated) {
			return wrap(HostMemoryNotRegistered, err)
		}
		return err
	}
	d.forget(uint64(uintptr(p)))
	return nil
}

// Bytes returns n bytes of memory at addr, of whatever device, as host memory. They must lie in one allocation.
func (d *Device) Bytes(addr, n uint64) ([]byte, error) {
	b, err := d.memory.AnyBytes(addr, n)
	if err != nil {
		return nil, wrap(InvalidValue, err)
	}
	return b, nil
}

// Write copies src to device memory.
func (d *Device) Write(addr uint64, src []byte) error {
	if err := d.Status(); err != nil {
		return err
	}
	dst, err := d.Bytes(addr, uint64(len(src)))
	if err != nil {
		return err
	}
	copy(dst, src)
	return nil
}

// Read copies device memory to dst.
func (d *Device) Read(dst []byte, addr uint64) error {
	if err := d.Status(); err != nil {
		return err
	}
	src, err := d.Bytes(addr, uint64(len(dst)))
	if err != nil {
		return err
	}
	copy(dst, src)
	return nil
}
