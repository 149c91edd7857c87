package main

// #include <cuda_runtime_api.h>
import "C"

import (
	"sync/atomic"
	"unsafe"

	"silica/driver"
)

// pools are the functions of pools, which work in the context that the pool is of.
var pools = works{
	"cudaDeviceGetDefaultMemPool":          getPool(func(c *context) *pool { return c.pool }),
	"cudaDeviceGetMemPool":                 getPool(func(c *context) *pool { return c.using.Load() }),
	"cudaDeviceSetMemPool":                 setPool,
	"cudaMemGetDefaultMemPool":             getPoolAt(func(c *context) *pool { return c.pool }),
	"cudaMemGetMemPool":                    getPoolAt(func(c *context) *pool { return c.using.Load() }),
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

// defaultPool returns the pool that each device has.
func (c *context) defaultPool() *driver.Pool {
	p, _ := c.device.NewPool(false, 0) // one of this process alone is no error
	return p
}

// poolOf returns the pool of a handle, whose device need not be the current one.
func (c *context) poolOf(handle uint64) (*pool, error) {
	owner, err := c.library.ownerOf(c, handle)
	if err != nil {
		return nil, err
	}
	return get[*pool](owner, handle)
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

// contextAt returns the context of the location and the type of memory that arguments i and i+1 are. There are pools of pinned memory on
// devices.
func (c *context) contextAt(a args, i int) (*context, error) {
	location, err := in[C.struct_cudaMemLocation](a, i)
	switch {
	case err != nil:
		return nil, err
	case a.int(i+1) != C.cudaMemAllocationTypePinned || location._type != C.cudaMemLocationTypeDevice:
		return nil, driver.Fail(driver.InvalidValue, "a pool of memory that is not pinned on a device")
	case !c.library.exists(int(location.id)):
		return nil, driver.Fail(driver.InvalidValue, "there is no device %d", location.id)
	}
	return c.contextOf(int(location.id))
}

func getPoolAt(which func(c *context) *pool) work {
	return func(c *context, a args) error {
		of, err := c.contextAt(a, 1)
		if err != nil {
			return err
		}
		return out(a, 0, which(of).handle)
	}
}

func setPoolAt(c *context, a args) error {
	of, err := c.contextAt(a, 0)
	if err != nil {
		return err
	}
	if a.size(2) == 0 {
		return errNull
	}
	return c.use(of, a.size(2))
}

func createPool(c *context, a args) error {
	p, err := in[C.struct_cudaMemPoolProps](a, 1)
	if err != nil {
		return err
	}
	if p.allocType != C.cudaMemAllocationTypePinned || p.location._type != C.cudaMemLocationTypeDevice {
		return driver.Fail(driver.InvalidValue, "a pool of memory that is not pinned on a device")
	}
	if p.handleTypes&^C.cudaMemHandleTypePosixFileDescriptor != 0 {
		return driver.Fail(driver.NotSupported, "a pool with handles of type 0x%x; there are file descriptors", p.handleTypes)
	}
	l := c.library
	if !l.exists(int(p.location.id)) {
		return errDevice
	}
	if int(p.location.id) != c.device.Ordinal {
		l.mu.Lock()
		c, err = l.primaryContext(int(p.location.id))
		l.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return allocate(a, 0, func() (uint64, error) {
		of, err := c.device.NewPool(p.handleTypes != C.cudaMemHandleTypeNone, uint64(p.maxSize))
		if err != nil {
			return 0, err
		}
		return newPool(c, of).handle, nil
	})
}

// destroyPool ends a pool; what was allocated from it stays until it is freed.
func destroyPool(c *context, a args) error {
	c, err := c.library.ownerOf(c, a.size(0))
	if err != nil {
		return err
	}
	if a.size(0) == c.pool.handle {
		return driver.Fail(driver.InvalidValue, "the default pool can not be destroyed")
	}
	p, err := remove[*pool](c, a.size(0))
	if err == nil {
		c.using.CompareAndSwap(p, c.pool)
	}
	return err
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
		switch {
		case d.location._type != C.cudaMemLocationTypeDevice:
			return driver.Fail(driver.InvalidValue, "access of what is no device")
		case !c.library.exists(ordinal), ordinal == p.Device.Ordinal && access != driver.ReadWrite:
			return errDevice
		case access == driver.ReadOnly:
			return driver.Fail(driver.NotSupported, "a device reads and writes a pool, or does neither")
		case access != driver.NoAccess && access != driver.ReadWrite:
			return driver.Fail(driver.InvalidValue, "there is no access 0x%x", d.flags)
		case ordinal != p.Device.Ordinal:
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
	if location._type != C.cudaMemLocationTypeDevice || !c.library.exists(int(location.id)) {
		return driver.Fail(driver.InvalidValue, "there is no device %d", location.id)
	}
	return out(a, 0, C.int(p.Access(int(location.id))))
}

func getPool(which func(c *context) *pool) work {
	return func(c *context, a args) error {
		of, err := c.contextOf(a.int(1))
		if err != nil {
			return err
		}
		return out(a, 0, which(of).handle)
	}
}

func setPool(c *context, a args) error {
	of, err := c.contextOf(a.int(0))
	if err != nil {
		return err
	}
	return c.use(of, a.size(1))
}

// use lets a context allocate from the pool of a handle.
func (c *context) use(of *context, handle uint64) error {
	p, err := c.poolOf(handle)
	if err != nil {
		return err
	}
	if p.Device != of.device {
		return driver.Fail(driver.InvalidValue, "the pool is of device %d", p.Device.Ordinal)
	}
	of.using.Store(p)
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
