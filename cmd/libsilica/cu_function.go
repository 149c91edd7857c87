package main

// #include <cuda.h>
// #include "call.h"
import "C"

import (
	"unsafe"

	"silica/driver"
)

var cuFunctions = works{
	"cuFuncGetAttribute":        ofHandle(2, cuFuncGetAttribute),
	"cuFuncSetAttribute":        ofHandle(0, func(k *kernel, a args) error { return setAttribute(k.Function, a.int(1), a.int(2)) }),
	"cuFuncSetCacheConfig":      ofHandle(0, func(_ *kernel, a args) error { return checkCacheConfig(a.int(1)) }),
	"cuFuncSetSharedMemConfig":  ofHandle(0, func(*kernel, args) error { return nil }),
	"cuFuncGetModule":           ofHandle(1, func(k *kernel, a args) error { return out(a, 0, k.module) }),
	"cuFuncGetName":             cuFuncGetName,
	"cuFuncGetParamInfo":        ofHandle(0, cuFuncGetParamInfo),
	"cuFuncLoad":                ofHandle(0, func(*kernel, args) error { return nil }),
	"cuFuncIsLoaded":            ofHandle(1, func(_ *kernel, a args) error { return out(a, 0, C.int(1)) }),
	"cuLaunchKernel":            cuLaunchKernel,
	"cuLaunchCooperativeKernel": cuLaunchCooperativeKernel,
	"cuLaunchKernelEx":          cuLaunchKernelEx,
	"cuLaunchHostFunc":          ofStream(launchHostFunction),

	"cuOccupancyMaxActiveBlocksPerMultiprocessor":          ofHandle(1, func(k *kernel, a args) error { return activeBlocks(k.Function, a) }),
	"cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": ofHandle(1, func(k *kernel, a args) error { return activeBlocksWithFlags(k.Function, a) }),
	"cuOccupancyAvailableDynamicSMemPerBlock":              ofHandle(1, func(k *kernel, a args) error { return availableDynamicShared(k.Function, a) }),
	"cuOccupancyMaxActiveClusters":                         ofHandle(1, func(k *kernel, a args) error { return cuClusters(k, a, activeClusters) }),
	"cuOccupancyMaxPotentialClusterSize":                   ofHandle(1, func(k *kernel, a args) error { return cuClusters(k, a, maxClusterSize) }),
	"cuOccupancyMaxPotentialBlockSize":                     ofHandle(2, maxPotentialBlockSize),
	"cuOccupancyMaxPotentialBlockSizeWithFlags":            ofHandle(2, maxPotentialBlockSize),
}

// ofHandle makes work of a function whose argument i is a kernel's handle.
func ofHandle(i int, f func(k *kernel, a args) error) work {
	return func(c *context, a args) error {
		k, err := c.kernel(a.size(i))
		if err != nil {
			return err
		}
		return f(k, a)
	}
}

func cuFuncGetAttribute(k *kernel, a args) error {
	f := k.Attributes()
	nonPortable := 0
	if f.NonPortableClusters {
		nonPortable = 1
	}
	values := map[int]int{
		C.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:                f.ThreadsPerBlock,
		C.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:                    f.StaticShared,
		C.CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:                     f.Const,
		C.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:                     f.Local,
		C.CU_FUNC_ATTRIBUTE_NUM_REGS:                             f.Registers,
		C.CU_FUNC_ATTRIBUTE_PTX_VERSION:                          f.PTXVersion,
		C.CU_FUNC_ATTRIBUTE_BINARY_VERSION:                       f.BinaryVersion,
		C.CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:                        0,
		C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:        f.MaxDynamicShared,
		C.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:     f.Carveout,
		C.CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:             0,
		C.CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:               f.Cluster[0],
		C.CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:              f.Cluster[1],
		C.CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:               f.Cluster[2],
		C.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:    nonPortable,
		C.CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: 0,
	}
	value, ok := values[a.int(1)]
	if !ok {
		return driver.Fail(driver.InvalidValue, "there is no function attribute %d", a.int(1))
	}
	return out(a, 0, C.int(value))
}

func cuFuncGetName(c *context, a args) error {
	k, err := get[*kernel](c, a.size(1))
	if err != nil {
		return err
	}
	return out(a, 0, c.library.text(k.Kernel.Name))
}

func cuFuncGetParamInfo(k *kernel, a args) error { return parameterInfo(k.Function, a) }

// parameterInfo answers the offset and the size of the parameter with the index of argument 1.
func parameterInfo(k *driver.Function, a args) error {
	params := k.Kernel.Params
	if a.size(1) >= uint64(len(params)) {
		return driver.Fail(driver.InvalidValue, "%s has %d parameters", k.Kernel.Name, len(params))
	}
	p := params[a.size(1)]
	if a.size(3) != 0 {
		*(*uint64)(a.pointer(3)) = uint64(p.Size)
	}
	return out(a, 2, uint64(p.Offset))
}

func cuLaunchKernel(c *context, a args) error {
	l := extents(a)
	l.arguments, l.buffer = a.size(9), a.size(10)
	return launchHandle(c, a.size(0), l)
}

func cuLaunchCooperativeKernel(c *context, a args) error {
	l := extents(a)
	l.arguments, l.cooperative = a.size(9), true
	return launchHandle(c, a.size(0), l)
}

// extents reads what the launch functions have alike: grid, block, shared memory, stream.
func extents(a args) launch {
	dim := func(i int) driver.Dim3 {
		return driver.Dim3{X: int(a.uint(i)), Y: int(a.uint(i + 1)), Z: int(a.uint(i + 2))}
	}
	return launch{grid: dim(1), block: dim(4), shared: uint64(a.uint(7)), stream: a.stream(8)}
}

func cuLaunchKernelEx(c *context, a args) error {
	l, err := cuConfiguration(a, 0)
	if err != nil {
		return err
	}
	l.arguments, l.buffer = a.size(2), a.size(3)
	return launchHandle(c, a.size(1), l)
}

// cuConfiguration reads the CUlaunchConfig of argument i.
func cuConfiguration(a args, i int) (launch, error) {
	config, err := in[C.CUlaunchConfig](a, i)
	if err != nil {
		return launch{}, err
	}
	l := launch{
		grid:   driver.Dim3{X: int(config.gridDimX), Y: int(config.gridDimY), Z: int(config.gridDimZ)},
		block:  driver.Dim3{X: int(config.blockDimX), Y: int(config.blockDimY), Z: int(config.blockDimZ)},
		shared: uint64(config.sharedMemBytes), stream: a.streamOf(*(*uint64)(unsafe.Pointer(&config.hStream))),
	}
	return l, l.setAll((*C.cudaLaunchAttribute)(unsafe.Pointer(config.attrs)), config.numAttrs)
}

// cuClusters answers an occupancy query about clusters.
func cuClusters(k *kernel, a args, query func(k *driver.Function, l launch) (int, error)) error {
	l, err := cuConfiguration(a, 2)
	if err != nil {
		return err
	}
	n, err := query(k.Function, l)
	if err != nil {
		return err
	}
	return out(a, 0, C.int(n))
}

func launchHandle(c *context, handle uint64, l launch) error {
	k, err := c.kernel(handle)
	if err != nil {
		return err
	}
	return c.launch(k.Function, l)
}

// maxPotentialBlockSize asks the caller's function, if there is one, for the shared memory of each block size.
func maxPotentialBlockSize(k *kernel, a args) error {
	var shared func(int) int
	if f := a.size(3); f != 0 {
		shared = func(blockSize int) int {
			return int(C.silica_call_block_size_function(C.uint64_t(f), C.int(blockSize)))
		}
	}
	blockSize, grid, err := k.MaxPotentialBlockSize(a.int(5), int(min(a.size(4), maxShared)), shared)
	if err != nil {
		return err
	}
	if err := out(a, 0, C.int(grid)); err != nil {
		return err
	}
	return out(a, 1, C.int(blockSize))
}
