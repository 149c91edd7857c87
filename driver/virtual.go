package driver

import (
	"errors"
	"io/fs"
	"sync"

	"silica/internal/mem"
)

// Granularity is what sizes and addresses of virtual memory are multiples of, in bytes: as an H200 answers.
const Granularity = 2 << 20

// OnHost is the ordinal of memory that is the host's.
const OnHost = -1

// Access tells what the kernels of a GPU may do with memory, numbered as CUmemAccess_flags.
type Access = mem.Access

// The rights.
const (
	NoAccess  = mem.NoAccess
	ReadOnly  = mem.ReadOnly
	ReadWrite = mem.ReadWrite
)

// PhysicalMemory is memory that has no address of its own. It is there as long as somebody holds it or it is mapped.
type PhysicalMemory struct {
	Ordinal      int // of the GPU, or OnHost
	Size         uint64
	Exportable   bool
	Compressible bool // as who made it wished; it is all the same here

	system *System
	file   *mem.File
	offset uint64

	mu     sync.Mutex
	held   int // times
	mapped int
}

// NewPhysicalMemory returns size bytes of memory of a GPU, or of the host, which the caller holds.
func (s *System) NewPhysicalMemory(ordinal int, size uint64, exportable bool) (*PhysicalMemory, error) {
	if size == 0 || size%Granularity != 0 {
		return nil, Fail(InvalidValue, "%d bytes of physical memory; want a multiple of %d", size, Granularity)
	}
	if ordinal >= len(s.physical) {
		return nil, Fail(InvalidDevice, "there is no device %d", ordinal)
	}
	if ordinal >= 0 {
		if err := s.physical[ordinal].Charge(size); err != nil {
			return nil, wrap(OutOfMemory, err)
		}
	}
	f, err := mem.NewFile(size)
	if err != nil {
		if ordinal >= 0 {
			s.physical[ordinal].Discharge(size)
		}
		return nil, wrap(OutOfMemory, err)
	}
	return &PhysicalMemory{Ordinal: ordinal, Size: size, Exportable: exportable, system: s, file: f, held: 1}, nil
}

// Hold lets the memory need one more Release.
func (p *PhysicalMemory) Hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held++
}

// Release ends the hold of a caller; held tells whether others still hold the memory. The error is for memory that nobody holds.
func (p *PhysicalMemory) Release() (held bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held == 0 {
		return false, Fail(InvalidValue, "the memory is not held")
	}
	p.held--
	p.end()
	return p.held > 0, nil
}

// Held tells whether somebody holds the memory.
func (p *PhysicalMemory) Held() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held > 0
}

// end gives the memory back when nobody needs it. The caller holds p.mu.
func (p *PhysicalMemory) end() {
	if p.held > 0 || p.mapped > 0 {
		return
	}
	_ = p.file.Close() // nothing is written
	if p.Ordinal >= 0 {
		p.system.physical[p.Ordinal].Discharge(p.Size)
	}
}

// Export returns a new descriptor of the memory, which another process may import.
func (p *PhysicalMemory) Export() (descriptor int, err error) {
	if !p.Exportable {
		return -1, Fail(InvalidValue, "the memory was created for this process alone")
	}
	descriptor, err = p.file.Duplicate()
	if err != nil {
		return -1, wrap(OperatingSystem, err)
	}
	return descriptor, nil
}

// ImportPhysicalMemory returns the memory of a GPU that a descriptor of Export stands for. The descriptor stays the caller's.
func (s *System) ImportPhysicalMemory(ordinal, descriptor int) (*PhysicalMemory, error) {
	f, size, err := importFile(descriptor)
	if err != nil {
		return nil, err
	}
	return &PhysicalMemory{Ordinal: ordinal, Size: size, system: s, file: f, held: 1}, s.physical[ordinal].Charge(size)
}

// importFile opens the file of a descriptor of this process.
func importFile(descriptor int) (f *mem.File, size uint64, err error) {
	f, err = mem.OpenFile(processID(), descriptor)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, wrap(Unknown, err)
	case err != nil:
		return nil, 0, wrap(InvalidValue, err)
	}
	size, err = f.Size()
	if err != nil {
		return nil, 0, errors.Join(wrap(InvalidValue, err), f.Close())
	}
	return f, size, nil
}

// Reserve returns the first of size addresses that nothing else gets, aligned to align; 0 stands for Granularity.
func (d *Device) Reserve(size, align uint64) (uint64, error) {
	if size == 0 || size%Granularity != 0 || align&(align-1) != 0 {
		return 0, Fail(InvalidValue, "%d addresses aligned to %d; want a multiple of %d and a power of two", size, align, Granularity)
	}
	addr, err := d.memory.Reserve(size, max(align, Granularity))
	if err != nil {
		return 0, wrap(OutOfMemory, err)
	}
	return addr, nil
}

// Unreserve gives addresses back that Reserve returned. Nothing may be mapped there.
func (d *Device) Unreserve(addr, size uint64) error {
	return invalid(d.memory.Unreserve(mem.Range{Base: addr, Size: size}))
}

// Reservation returns the first of the reserved addresses around one, and how many they are.
func (d *Device) Reservation(addr uint64) (base, size uint64, ok bool) {
	r, ok := d.memory.Reservation(addr)
	return r.Base, r.Size, ok
}

// Map puts physical memory at reserved addresses. No device may reach it there before SetAccess.
func (d *Device) Map(addr, size, offset uint64, p *PhysicalMemory) error {
	switch {
	case size == 0:
		return Fail(InvalidValue, "a mapping of 0 bytes")
	case size != p.Size || offset != 0:
		return Fail(NotSupported, "%d bytes at offset %d; memory of %d bytes is mapped as a whole", size, offset, p.Size)
	case addr%Granularity != 0:
		return Fail(InvalidValue, "a mapping at 0x%x; want a multiple of %d", addr, Granularity)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := invalid(d.memory.Map(mem.Range{Base: addr, Size: size}, p.file, p.offset)); err != nil {
		return err
	}
	p.mapped++
	s := d.system
	s.mu.Lock()
	defer s.mu.Unlock()
	s.special[addr] = Memory{Kind: DeviceMemory, Base: addr, Size: size, Ordinal: p.Ordinal, Physical: p}
	return nil
}

// Unmap takes all memory that is mapped in a range of reserved addresses away from there, when all work has ended.
func (d *Device) Unmap(addr, size uint64) error {
	for _, o := range d.system.all() {
		o.drain()
	}
	gone, err := d.memory.Unmap(mem.Range{Base: addr, Size: size})
	if err != nil {
		return invalid(err)
	}
	s := d.system
	for _, r := range gone {
		s.mu.Lock()
		p := s.special[r.Base].Physical
		delete(s.special, r.Base)
		s.mu.Unlock()
		p.mu.Lock()
		p.mapped--
		p.end()
		p.mu.Unlock()
	}
	return nil
}

// SetAccess tells what the kernels of GPUs, by ordinal, may do with what is mapped in a range of reserved addresses.
func (d *Device) SetAccess(addr, size uint64, rights map[int]Access) error {
	if size == 0 || addr%Granularity != 0 {
		return Fail(InvalidValue, "access to %d bytes at 0x%x", size, addr)
	}
	return invalid(d.memory.SetAccess(mem.Range{Base: addr, Size: size}, rights))
}

// AccessAt returns what the kernels of a GPU may do with the mapping at an address.
func (d *Device) AccessAt(addr uint64, ordinal int) (Access, error) {
	a, ok := d.memory.Access(addr, ordinal)
	if !ok {
		return NoAccess, Fail(InvalidValue, "nothing is mapped at 0x%x", addr)
	}
	return a, nil
}

// invalid is the error of a call with wrong addresses.
func invalid(err error) error {
	if err == nil {
		return nil
	}
	return wrap(InvalidValue, err)
}
