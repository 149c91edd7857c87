package main

// #include <cuda_runtime_api.h>
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"silica/driver"
)

// pools are the functions of pools, which work in the context that the pool is of.
var pools = works{
	"cudaDeviceGetDefaultMemPool":          getPool(func(s *poolSlot) *pool { return s.pool }),
	"cudaDeviceGetMemPool":                 getPool(func(s *poolSlot) *pool { return s.using.Load() }),
	"cudaDeviceSetMemPool":                 setPool,
	"cudaMemGetDefaultMemPool":             getPoolAt(func(s *poolSlot) *pool { return s.pool }),
	"cudaMemGetMemPool":                    getPoolAt(func(s *poolSlot) *pool { return s.using.Load() }),
	"cudaMemSetMemPool":                    setPoolAt,
	"cudaMallocFromPoolAsync":              mallocFromPool,
	"cudaMemPoolCreate":                    createPool,
	"cudaMemPoolDestroy":                   destroyPool,
	"cudaMemPoolSetAccess":                 setPoolAccess,
	"cudaMemPoolGetAccess":                 getPoolAccess,
	"cudaMemPoolTrimTo":                    func(c *context, a args) error { _, err := c.poolOf(a.size(0)); return err },
	"cudaMemPoolSetAttribute":              setPoolAttribute,
	"cudaMemPoolGetAttribute":              getPoolAttribute,
	"cudaMemPoolExportToShareableHandle":   exportPool,
	"cudaMemPoolImportFromShareableHandle": importPool,
	"cudaMemPoolExportPointer":             exportPoolPointer,
	"cudaMemPoolImportPointer":             importPoolPointer,
}

// cuPools are the functions of pools in the driver API.
func cuPools() works {
	all := works{"cuMemAllocFromPoolAsync": pools["cudaMallocFromPoolAsync"]}
	all.like(pools)
	return all
}

// pool is a memory pool of a device. What is freed is the device's again at once, so that most of what a program asks of a pool
// has no effect.
type pool struct {
	*driver.Pool
	handle    uint64
	threshold atomic.Uint64 // bytes to keep
	reuse     [3]atomic.Int32
}

// newPool gives a pool a handle of the context.
func newPool(c *context, of *driver.Pool) *pool {
	p := &pool{Pool: of}
	for i := range p.reuse {
		p.reuse[i].Store(1)
	}
	p.handle = c.add(p)
	return p
}

// A poolSlot is the pool that a context has of a kind of memory, and the one that it allocates from.
type poolSlot struct {
	once  sync.Once
	pool  *pool
	using atomic.Pointer[pool]
}

// slotOf returns the slot of a kind of memory.
func (c *context) slotOf(kind driver.MemoryKind) *poolSlot {
	s := &c.devicePool
	switch kind {
	case driver.PinnedMemory:
		s = &c.hostPool
	case driver.ManagedMemory:
		s = &c.managedPool
	}
	s.once.Do(func() {
		of, _ := c.device.NewPool(kind, false, 0) // one of this process alone is no error
		s.pool = newPool(c, of)
		s.using.Store(s.pool)
	})
	return s
}

// poolOf returns the pool of a handle, whose device need not be the current one.
func (c *context) poolOf(handle uint64) (*pool, error) {
	owner, err := c.library.ownerOf(c, handle)
	if err != nil {
		return nil, err
	}
	return get[*pool](owner, handle)
}

// poolHandle returns the handle of a pool in whatever context, 0 when there is none.
func (l *library) poolHandle(of *driver.Pool) (handle uint64) {
	if of == nil {
		return 0
	}
	l.eachContext(func(c *context) {
		c.mu.RLock()
		defer c.mu.RUnlock()
		for h, object := range c.handles {
			if p, ok := object.(*pool); ok && p.Pool == of {
				handle = h
			}
		}
	})
	return handle
}

// reaches tells whether the context's device has access to memory: to all but what is of a pool of the host's that it got none to.
func (c *context) reaches(m driver.Memory) bool {
	p := c.device.PoolAt(m.Base)
	return p == nil || p.Kind != driver.PinnedMemory || p.Access(c.device.Ordinal) == driver.ReadWrite
}

// contextOf returns the context of a device: this one, or the primary one of another device.
func (c *context) contextOf(ordinal int) (*context, error) {
	l := c.library
	if !l.exists(ordinal) {
		return nil, errDevice
	}
	if ordinal == c.device.Ordinal {
		return c, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.primaryContext(ordinal)
}

// poolKind returns the kind of memory that a pool of a location and a type has, and the context that it is of: that of the device, or
// this one. There is one node of the host's memory.
func (c *context) poolKind(location C.struct_cudaMemLocation, kind int) (driver.MemoryKind, *context, error) {
	switch {
	case location._type == C.cudaMemLocationTypeDevice && !c.library.exists(int(location.id)):
		return 0, nil, driver.Fail(driver.InvalidValue, "there is no device %d", location.id)
	case location._type == C.cudaMemLocationTypeHostNuma && location.id != 0:
		return 0, nil, driver.Fail(driver.InvalidValue, "the host has no node %d of memory", location.id)
	case kind == C.cudaMemAllocationTypeManaged && location._type <= C.cudaMemLocationTypeHostNuma:
		return driver.ManagedMemory, c, nil
	case kind != C.cudaMemAllocationTypePinned:
		return 0, nil, driver.Fail(driver.InvalidValue, "there are pools of pinned and of managed memory, not of type %d", kind)
	case location._type == C.cudaMemLocationTypeHost, location._type == C.cudaMemLocationTypeHostNuma:
		return driver.PinnedMemory, c, nil
	case location._type == C.cudaMemLocationTypeDevice:
		of, err := c.contextOf(int(location.id))
		return driver.DeviceMemory, of, err
	}
	return 0, nil, driver.Fail(driver.InvalidValue, "pinned memory is on a device, on the host or on a node of its memory")
}

// slotAt returns the slot of the pool at the location and of the type of memory that arguments i and i+1 are.
func (c *context) slotAt(a args, i int) (driver.MemoryKind, *context, error) {
	location, err := in[C.struct_cudaMemLocation](a, i)
	if err != nil {
		return 0, nil, err
	}
	if location._type == C.cudaMemLocationTypeHostNumaCurrent {
		return 0, nil, driver.Fail(driver.NotSupported, "there is no pool of the node that a thread runs on")
	}
	return c.poolKind(*location, a.int(i+1))
}

func getPoolAt(which func(s *poolSlot) *pool) work {
	return func(c *context, a args) error {
		kind, of, err := c.slotAt(a, 1)
		if err != nil {
			return err
		}
		return out(a, 0, which(of.slotOf(kind)).handle)
	}
}

func setPoolAt(c *context, a args) error {
	kind, of, err := c.slotAt(a, 0)
	if err != nil {
		return err
	}
	if a.size(2) == 0 {
		return errNull
	}
	return c.use(of, kind, a.size(2))
}

func createPool(c *context, a args) error {
	p, err := in[C.struct_cudaMemPoolProps](a, 1)
	if err != nil {
		return err
	}
	kind, of, err := c.poolKind(p.location, int(p.allocType))
	if err != nil {
		return err
	}
	if p.handleTypes&^C.cudaMemHandleTypePosixFileDescriptor != 0 {
		return driver.Fail(driver.NotSupported, "a pool with handles of type 0x%x; there are file descriptors", p.handleTypes)
	}
	if p.handleTypes != 0 && (kind == driver.ManagedMemory || p.location._type == C.cudaMemLocationTypeHost) {
		return driver.Fail(driver.InvalidValue, "no other process shares a pool of managed memory, or of the host's without a node")
	}
	return allocate(a, 0, func() (uint64, error) {
		p, err := of.device.NewPool(kind, p.handleTypes != C.cudaMemHandleTypeNone, uint64(p.maxSize))
		if err != nil {
			return 0, err
		}
		return newPool(of, p).handle, nil
	})
}

// destroyPool ends a pool; what was allocated from it stays until it is freed.
func destroyPool(c *context, a args) error {
	c, err := c.library.ownerOf(c, a.size(0))
	if err != nil {
		return err
	}
	p, err := get[*pool](c, a.size(0))
	if err != nil {
		return err
	}
	slot := c.slotOf(p.Kind)
	if p == slot.pool {
		return driver.Fail(driver.InvalidValue, "the default pool can not be destroyed")
	}
	if _, err := remove[*pool](c, a.size(0)); err != nil {
		return err
	}
	slot.using.CompareAndSwap(p, slot.pool)
	return nil
}

// setPoolAccess lets other devices read and write the pool's memory, or not; the pool's own device always may.
func setPoolAccess(c *context, a args) error {
	p, err := c.poolOf(a.size(0))
	if err != nil {
		return err
	}
	if a.size(2) > 0 && a.size(1) == 0 {
		return errNull
	}
	for _, d := range unsafe.Slice((*C.struct_cudaMemAccessDesc)(a.pointer(1)), a.size(2)) {
		ordinal, access := int(d.location.id), driver.Access(d.flags)
		onDevice := p.Kind == driver.DeviceMemory
		switch {
		case d.location._type != C.cudaMemLocationTypeDevice && onDevice:
			return driver.Fail(driver.NotSupported, "access of the host to a device's pool")
		case d.location._type != C.cudaMemLocationTypeDevice: // it has access
			continue
		case !c.library.exists(ordinal), onDevice && ordinal == p.Device.Ordinal && access != driver.ReadWrite:
			return errDevice
		case access == driver.ReadOnly:
			return driver.Fail(driver.NotSupported, "a device reads and writes a pool, or does neither")
		case access != driver.NoAccess && access != driver.ReadWrite:
			return driver.Fail(driver.InvalidValue, "there is no access 0x%x", d.flags)
		case !onDevice || ordinal != p.Device.Ordinal:
			if err := p.SetAccess(ordinal, access); err != nil {
				return err
			}
		}
	}
	return nil
}

func getPoolAccess(c *context, a args) error {
	p, err := c.poolOf(a.size(1))
	if err != nil {
		return err
	}
	location, err := in[C.struct_cudaMemLocation](a, 2)
	if err != nil {
		return err
	}
	switch {
	case location._type == C.cudaMemLocationTypeHost, location._type == C.cudaMemLocationTypeHostNuma:
		access := driver.NoAccess
		if p.Kind == driver.PinnedMemory {
			access = driver.ReadWrite
		}
		return out(a, 0, C.int(access))
	case location._type != C.cudaMemLocationTypeDevice || !c.library.exists(int(location.id)):
		return driver.Fail(driver.InvalidValue, "there is no device %d", location.id)
	}
	return out(a, 0, C.int(p.Access(int(location.id))))
}

func getPool(which func(s *poolSlot) *pool) work {
	return func(c *context, a args) error {
		of, err := c.contextOf(a.int(1))
		if err != nil {
			return err
		}
		return out(a, 0, which(of.slotOf(driver.DeviceMemory)).handle)
	}
}

func setPool(c *context, a args) error {
	of, err := c.contextOf(a.int(0))
	if err != nil {
		return err
	}
	return c.use(of, driver.DeviceMemory, a.size(1))
}

// use lets a context allocate from the pool of a handle, of a kind of memory.
func (c *context) use(of *context, kind driver.MemoryKind, handle uint64) error {
	p, err := c.poolOf(handle)
	if err != nil {
		return err
	}
	if p.Device != of.device || p.Kind != kind {
		return driver.Fail(driver.InvalidValue, "the pool is of device %d or of other memory", p.Device.Ordinal)
	}
	of.slotOf(kind).using.Store(p)
	return nil
}

// mallocFromPool allocates from a pool, or by a node of the graph that the stream is captured into.
func mallocFromPool(c *context, a args) error {
	p, err := c.poolOf(a.size(2))
	if err != nil {
		return err
	}
	s, err := c.stream(a.stream(3))
	if err != nil {
		return err
	}
	if s.Capture() != nil || a.size(1) == 0 {
		return c.mallocIn(s, a)
	}
	return allocate(a, 0, func() (uint64, error) { return p.Alloc(a.size(1)) })
}

// attribute returns where the value of a pool's attribute is: 32 bits, or 64.
func (p *pool) attribute(attribute int) (*atomic.Int32, *atomic.Uint64, error) {
	switch attribute {
	case C.cudaMemPoolReuseFollowEventDependencies, C.cudaMemPoolReuseAllowOpportunistic, C.cudaMemPoolReuseAllowInternalDependencies:
		return &p.reuse[attribute-C.cudaMemPoolReuseFollowEventDependencies], nil, nil
	case C.cudaMemPoolAttrReleaseThreshold:
		return nil, &p.threshold, nil
	}
	return nil, nil, driver.Fail(driver.InvalidValue, "there is no attribute %d of pools that can be set", attribute)
}

func setPoolAttribute(c *context, a args) error {
	p, err := c.poolOf(a.size(0))
	if err != nil {
		return err
	}
	if a.size(2) == 0 {
		return errNull
	}
	if attribute := a.int(1); attribute == C.cudaMemPoolAttrUsedMemHigh || attribute == C.cudaMemPoolAttrReservedMemHigh {
		if *(*uint64)(a.pointer(2)) != 0 {
			return driver.Fail(driver.InvalidValue, "what was highest can only be set to 0")
		}
		p.ResetUsage()
		return nil
	}
	small, large, err := p.attribute(a.int(1))
	switch {
	case err != nil:
		return err
	case small != nil:
		small.Store(*(*int32)(a.pointer(2)))
	default:
		large.Store(*(*uint64)(a.pointer(2)))
	}
	return nil
}

func getPoolAttribute(c *context, a args) error {
	p, err := c.poolOf(a.size(0))
	if err != nil {
		return err
	}
	used, high := p.Usage()
	switch a.int(1) {
	case C.cudaMemPoolAttrUsedMemCurrent, C.cudaMemPoolAttrReservedMemCurrent:
		return out(a, 2, used)
	case C.cudaMemPoolAttrUsedMemHigh, C.cudaMemPoolAttrReservedMemHigh:
		return out(a, 2, high)
	}
	small, large, err := p.attribute(a.int(1))
	switch {
	case err != nil:
		return err
	case small != nil:
		return out(a, 2, small.Load())
	}
	return out(a, 2, large.Load())
}

func exportPool(c *context, a args) error {
	p, err := c.poolOf(a.size(1))
	switch {
	case err != nil:
		return err
	case a.int(2) != C.cudaMemHandleTypePosixFileDescriptor || a.uint(3) != 0:
		return driver.Fail(driver.InvalidValue, "a handle of type %d with the flags 0x%x; want a file descriptor and no flags", a.int(2), a.uint(3))
	case a.size(0) < lowestAddress:
		return errNull
	}
	descriptor, err := p.Export()
	if err != nil {
		return err
	}
	return out(a, 0, C.int(descriptor))
}

// importPool takes a descriptor in the place of a pointer.
func importPool(c *context, a args) error {
	if a.int(2) != C.cudaMemHandleTypePosixFileDescriptor || a.uint(3) != 0 {
		return driver.Fail(driver.InvalidValue, "a handle of type %d with the flags 0x%x; want a file descriptor and no flags", a.int(2), a.uint(3))
	}
	return allocate(a, 0, func() (uint64, error) {
		of, err := c.device.ImportPool(a.int(1))
		if err != nil {
			return 0, err
		}
		return newPool(c, of).handle, nil
	})
}

func exportPoolPointer(c *context, a args) error {
	p, err := in[driver.IPCHandle](a, 0)
	if err != nil {
		return err
	}
	h, err := c.device.ExportPointer(a.size(1))
	if err == nil {
		*p = h
	}
	return err
}

func importPoolPointer(c *context, a args) error {
	p, err := c.poolOf(a.size(1))
	if err != nil {
		return err
	}
	h, err := in[driver.IPCHandle](a, 2)
	if err != nil {
		return err
	}
	return allocate(a, 0, func() (uint64, error) { return p.ImportPointer(*h) })
}
