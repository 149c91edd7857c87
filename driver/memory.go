package driver

import (
	"errors"
	"unsafe"

	"silica/internal/mem"
)

// Allocations are aligned as cudaMalloc aligns them.
const allocationAlign = 256

// Alloc returns the address of size new bytes of device memory. Their contents are undefined.
func (d *Device) Alloc(size uint64) (uint64, error) {
	if err := d.Status(); err != nil {
		return 0, err
	}
	if size == 0 {
		return 0, fail(InvalidValue, "an allocation of 0 bytes")
	}
	addr, err := d.memory.Alloc(size, allocationAlign)
	if err != nil {
		used, capacity := d.memory.Usage()
		return 0, &Error{Code: OutOfMemory, err: err, Msg: fail(OutOfMemory,
			"out of memory: %d bytes asked, %d of %d in use", size, used, capacity).Msg}
	}
	return addr, nil
}

// Free gives an allocation back; address 0 is allowed and does nothing.
func (d *Device) Free(addr uint64) error {
	if addr == 0 {
		return nil
	}
	if err := d.memory.Free(addr); err != nil {
		return &Error{Code: InvalidValue, err: err, Msg: fail(InvalidValue, "free of 0x%x: %v", addr, err).Msg}
	}
	return nil
}

// MemInfo returns the free and the total bytes of device memory.
func (d *Device) MemInfo() (free, total uint64) {
	used, capacity := d.memory.Usage()
	return capacity - used, capacity
}

// Bytes returns n bytes of device memory at addr as host memory. They must lie in one allocation.
func (d *Device) Bytes(addr, n uint64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	b, err := d.memory.Bytes(addr, n)
	if err != nil {
		return nil, &Error{Code: InvalidValue, err: err, Msg: fail(InvalidValue, "%d bytes at 0x%x: %s", n, addr, d.memory.Explain(addr, n)).Msg}
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

// Allocation returns the base and size of the allocation or registered host range that holds addr.
func (d *Device) Allocation(addr uint64) (base, size uint64, ok bool) {
	r, ok := d.memory.Find(addr)
	return r.Base, r.Size, ok
}

// RegisterHost lets kernels reach size bytes of host memory at p under its own address.
func (d *Device) RegisterHost(p unsafe.Pointer, size uint64) error {
	if err := d.memory.AddHost(p, size); err != nil {
		return &Error{Code: HostMemoryAlreadyRegistered, err: err, Msg: err.Error()}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hosts[uintptr(p)] = size
	return nil
}

// UnregisterHost undoes RegisterHost.
func (d *Device) UnregisterHost(p unsafe.Pointer) error {
	if err := d.memory.RemoveHost(p); err != nil {
		if errors.Is(err, mem.ErrNotAllocated) {
			return &Error{Code: HostMemoryNotRegistered, err: err, Msg: err.Error()}
		}
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.hosts, uintptr(p))
	return nil
}

// IsHost tells whether addr lies in registered host memory.
func (d *Device) IsHost(addr uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for base, size := range d.hosts {
		if addr-uint64(base) < size {
			return true
		}
	}
	return false
}
