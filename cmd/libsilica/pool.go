package main

// #include <cuda_runtime_api.h>
import "C"

import (
	"sync/atomic"
	"unsafe"

	"silica/driver"
)

var pools = works{
	"cudaDeviceGetDefaultMemPool": getPool,
	"cudaDeviceGetMemPool":        getPool,
	"cudaDeviceSetMemPool":        setPool,
	"cudaMallocFromPoolAsync":     withStream(3, mallocFromPool),
	"cudaMemPoolCreate":           createPool,
	"cudaMemPoolDestroy":          destroyPool,
	"cudaMemPoolSetAccess":        setPoolAccess,
	"cudaMemPoolGetAccess":        getPoolAccess,
	"cudaMemPoolTrimTo":           func(c *context, a args) error { return checkPool(c, a.size(0)) },
	"cudaMemPoolSetAttribute":     setPoolAttribute,
	"cudaMemPoolGetAttribute":     getPoolAttribute,
}

// cuPools are the functions of pools in the driver API.
func cuPools() works {
	all := works{"cuMemAllocFromPoolAsync": pools["cudaMallocFromPoolAsync"]}
	all.like(pools)
	return all
}

// pool is the device's memory pool. Freed memory is the device's again at once, so that what a program asks of a pool has
// no effect.
type pool struct {
	handle    uint64
	threshold atomic.Uint64 // bytes to keep
	reuse     [3]atomic.Int32
}

func newPool(c *context) *pool {
	p := &pool{}
	for i := range p.reuse {
		p.reuse[i].Store(1)
	}
	p.handle = c.add(p)
	return p
}

func createPool(c *context, a args) error {
	p, err := in[C.struct_cudaMemPoolProps](a, 1)
	if err != nil {
		return err
	}
	if p.allocType != C.cudaMemAllocationTypePinned || p.location._type != C.cudaMemLocationTypeDevice {
		return driver.Fail(driver.InvalidValue, "a pool of memory that is not pinned on a device")
	}
	if p.location.id != 0 {
		return errDevice
	}
	if p.handleTypes != C.cudaMemHandleTypeNone {
		return driver.Fail(driver.NotSupported, "a pool that is shared with other processes")
	}
	return allocate(a, 0, func() (uint64, error) { return newPool(c).handle, nil })
}

// destroyPool ends a pool; what was allocated from it stays until it is freed.
func destroyPool(c *context, a args) error {
	if a.size(0) == c.pool.handle {
		return driver.Fail(driver.InvalidValue, "the default pool can not be destroyed")
	}
	_, err := remove[*pool](c, a.size(0))
	return err
}

// setPoolAccess has one device to give access to, which has it.
func setPoolAccess(c *context, a args) error {
	if err := checkPool(c, a.size(0)); err != nil {
		return err
	}
	if a.size(2) > 0 && a.size(1) == 0 {
		return errNull
	}
	for _, d := range unsafe.Slice((*C.struct_cudaMemAccessDesc)(a.pointer(1)), a.size(2)) {
		if d.location._type != C.cudaMemLocationTypeDevice || d.location.id != 0 || d.flags != C.cudaMemAccessFlagsProtReadWrite {
			return driver.Fail(driver.InvalidValue, "device 0 reads and writes the pool; nothing else can be set")
		}
	}
	return nil
}

func getPoolAccess(c *context, a args) error {
	if err := checkPool(c, a.size(1)); err != nil {
		return err
	}
	location, err := in[C.struct_cudaMemLocation](a, 2)
	if err != nil {
		return err
	}
	if location._type != C.cudaMemLocationTypeDevice || location.id != 0 {
		return errDevice
	}
	return out(a, 0, C.int(C.cudaMemAccessFlagsProtReadWrite))
}

func checkPool(c *context, handle uint64) error {
	_, err := get[*pool](c, handle)
	return err
}

func getPool(c *context, a args) error {
	if a.int(1) != 0 {
		return errDevice
	}
	return out(a, 0, c.pool.handle)
}

func setPool(c *context, a args) error {
	if a.int(0) != 0 {
		return errDevice
	}
	return checkPool(c, a.size(1))
}

func mallocFromPool(c *context, a args) error {
	if err := checkPool(c, a.size(2)); err != nil {
		return err
	}
	return malloc(c, a)
}

// attribute returns where the value of a pool's attribute is: 32 bits, or 64.
func (p *pool) attribute(attribute int) (*atomic.Int32, *atomic.Uint64, error) {
	switch attribute {
	case C.cudaMemPoolReuseFollowEventDependencies, C.cudaMemPoolReuseAllowOpportunistic, C.cudaMemPoolReuseAllowInternalDependencies:
		return &p.reuse[attribute-C.cudaMemPoolReuseFollowEventDependencies], nil, nil
	case C.cudaMemPoolAttrReleaseThreshold:
		return nil, &p.threshold, nil
	}
	return nil, nil, driver.Fail(driver.NotSupported, "pool attribute %d", attribute)
}

func setPoolAttribute(c *context, a args) error {
	p, err := get[*pool](c, a.size(0))
	if err != nil {
		return err
	}
	small, large, err := p.attribute(a.int(1))
	switch {
	case err != nil:
		return err
	case a.size(2) == 0:
		return errNull
	case small != nil:
		small.Store(*(*int32)(a.pointer(2)))
	default:
		large.Store(*(*uint64)(a.pointer(2)))
	}
	return nil
}

func getPoolAttribute(c *context, a args) error {
	p, err := get[*pool](c, a.size(0))
	if err != nil {
		return err
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
