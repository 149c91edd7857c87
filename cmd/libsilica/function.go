package main

// #include <cuda_runtime_api.h>
import "C"

import (
	"silica/driver"
)

var attributes = works{
	"cudaFuncSetAttribute":       ofKernel(0, setFunctionAttribute),
	"cudaFuncSetCacheConfig":     ofKernel(0, func(_ *driver.Function, a args) error { return checkCacheConfig(a.int(1)) }),
	"cudaFuncSetSharedMemConfig": ofKernel(0, func(*driver.Function, args) error { return nil }),
	"cudaFuncGetAttributes":      functionAttributes,
	"cudaGetFuncBySymbol":        functionBySymbol,
	"cudaGetKernel":              functionBySymbol,
	"cudaFuncGetName":            functionName,
	"cudaFuncGetParamInfo":       ofKernel(0, parameterInfo),
}

var occupancy = works{
	"cudaOccupancyMaxActiveBlocksPerMultiprocessor":          ofKernel(1, activeBlocks),
	"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": ofKernel(1, activeBlocksWithFlags),
	"cudaOccupancyAvailableDynamicSMemPerBlock":              ofKernel(1, availableDynamicShared),
	"cudaOccupancyMaxPotentialClusterSize":                   clusters(maxClusterSize),
	"cudaOccupancyMaxActiveClusters":                         clusters(activeClusters),
}

// ofKernel makes a function of one whose argument i is the host's function of a kernel.
func ofKernel(i int, f func(k *driver.Function, a args) error) work {
	return func(c *context, a args) error {
		k, err := c.function(a.size(i))
		if err != nil {
			return err
		}
		return f(k, a)
	}
}

func functionAttributes(c *context, a args) error {
	p, err := in[C.struct_cudaFuncAttributes](a, 0)
	if err != nil {
		return err
	}
	k, err := c.function(a.size(1))
	if err != nil {
		return err
	}
	f := k.Attributes()
	nonPortable := 0
	if f.NonPortableClusters {
		nonPortable = 1
	}
	*p = C.struct_cudaFuncAttributes{
		sharedSizeBytes: C.size_t(f.StaticShared), constSizeBytes: C.size_t(f.Const), localSizeBytes: C.size_t(f.Local),
		maxThreadsPerBlock: C.int(f.ThreadsPerBlock), numRegs: C.int(f.Registers), ptxVersion: C.int(f.PTXVersion),
		binaryVersion: C.int(f.BinaryVersion), maxDynamicSharedSizeBytes: C.int(f.MaxDynamicShared),
		preferredShmemCarveout: C.int(f.Carveout), clusterDimMustBeSet: 0,
		requiredClusterWidth: C.int(f.Cluster[0]), requiredClusterHeight: C.int(f.Cluster[1]), requiredClusterDepth: C.int(f.Cluster[2]),
		nonPortableClusterSizeAllowed: C.int(nonPortable),
	}
	return nil
}

func setFunctionAttribute(k *driver.Function, a args) error {
	return setAttribute(k, a.int(1), a.int(2))
}

// setAttribute sets an attribute of a kernel; both APIs number them alike.
func setAttribute(k *driver.Function, attribute, value int) error {
	switch attribute {
	case C.cudaFuncAttributeMaxDynamicSharedMemorySize:
		return k.SetMaxDynamicShared(value)
	case C.cudaFuncAttributePreferredSharedMemoryCarveout:
		return k.SetCarveout(value)
	case C.cudaFuncAttributeNonPortableClusterSizeAllowed:
		k.SetNonPortableClusters(value != 0)
		return nil
	case C.cudaFuncAttributeClusterSchedulingPolicyPreference:
		return nil // a hint
	}
	return driver.Fail(driver.InvalidValue, "function attribute %d can not be set", attribute)
}

// functionName answers text that lives as long as the process, as the caller may keep it.
func functionName(c *context, a args) error {
	k, err := c.function(a.size(1))
	if err != nil {
		return err
	}
	return out(a, 0, c.library.text(k.Kernel.Name))
}

// functionBySymbol answers the handle that the driver API takes for a kernel.
func functionBySymbol(c *context, a args) error {
	f, err := c.function(a.size(1))
	if err != nil {
		return err
	}
	return allocate(a, 0, func() (uint64, error) { return c.kernelHandle(f), nil })
}

// kernelHandle returns the handle of a kernel: that which its module handed out, or a new one.
func (c *context) kernelHandle(f *driver.Function) uint64 {
	c.mu.RLock()
	handle, ok := c.kernels[f]
	for h, v := range c.handles {
		if k, is := v.(*kernel); is && k.Function == f {
			handle, ok = h, true
		}
	}
	c.mu.RUnlock()
	if !ok {
		handle = c.add(&kernel{Function: f})
		c.mu.Lock()
		c.kernels[f] = handle
		c.mu.Unlock()
	}
	return handle
}

func activeBlocks(k *driver.Function, a args) error {
	return residentBlocks(k, a, a.int(2), a.size(3))
}

func activeBlocksWithFlags(k *driver.Function, a args) error {
	if a.uint(4)&^C.cudaOccupancyDisableCachingOverride != 0 {
		return driver.Fail(driver.InvalidValue, "occupancy with the flags 0x%x", a.uint(4))
	}
	return residentBlocks(k, a, a.int(2), a.size(3))
}

// residentBlocks answers how many blocks of a kernel an SM holds.
func residentBlocks(k *driver.Function, a args, blockSize int, shared uint64) error {
	p, err := in[C.int](a, 0)
	if err != nil {
		return err
	}
	o, err := k.Occupancy(blockSize, int(min(shared, maxShared)))
	if err != nil {
		return err
	}
	*p = C.int(o.Blocks)
	return nil
}

func availableDynamicShared(k *driver.Function, a args) error {
	p, err := in[C.size_t](a, 0)
	if err != nil {
		return err
	}
	n, err := k.AvailableDynamicShared(a.int(2), a.int(3))
	if err != nil {
		return err
	}
	*p = C.size_t(n)
	return nil
}

// clusters answers an occupancy query about clusters.
func clusters(query func(k *driver.Function, l launch) (int, error)) work {
	return ofKernel(1, func(k *driver.Function, a args) error {
		l, err := configuration(a, 2)
		if err != nil {
			return err
		}
		n, err := query(k, l)
		if err != nil {
			return err
		}
		return out(a, 0, C.int(n))
	})
}

func activeClusters(k *driver.Function, l launch) (int, error) {
	return k.ActiveClusters(max(l.cluster.Count(), 1), l.block.Count(), int(min(l.shared, maxShared)))
}

func maxClusterSize(k *driver.Function, l launch) (int, error) {
	return k.MaxClusterBlocks(l.block.Count(), int(min(l.shared, maxShared)))
}
