package main

// #include <cuda_runtime_api.h>
// #include <cuda.h>
import "C"

import (
	"silica/driver"
	"silica/gpu"
)

// The functions of the driver API that need cuInit alone, and those that work in a context.
var (
	driverFunctions = []functions{cuDevices, cuTensorMaps, cuLibraries, cuLogs, cuGreen}
	driverWorks     = []works{
		cuContexts, cuPeers, cuVirtual, cuIPC(), cuManaged(), cuGraphMemory(), cuModules, cuLibrariesOfContexts,
		cuLinks, cuFunctions, cuMemory, cuPools(), cuCopies, cuBatches, cuStreams, cuWords, cuGraphs(), cuArrays, cuTextures,
		cuReferences, cuOld,
	}
)

// driverRows are the functions of the driver API.
func driverRows() map[string]row {
	all := map[string]row{}
	add := func(name string, call function) { all[name] = row{name: name, call: call, code: driverCode} }
	for name, call := range cuAlways {
		add(name, call)
	}
	for _, f := range driverFunctions {
		for name, call := range f {
			add(name, afterInit(call))
		}
	}
	for _, w := range driverWorks {
		for name, f := range w {
			add(name, inCurrent(name, f))
		}
	}
	return all
}

// afterInit makes a function that needs cuInit and no context.
func afterInit(f function) function {
	return func(l *library, a args) error {
		if !l.initialized.Load() {
			return errNotInitialized
		}
		return f(l, a)
	}
}

// inCurrent makes a function that works in the thread's current context, or in that of the object that it names. Some need none.
func inCurrent(name string, f work) function {
	owner := ownerArgument(parametersOf(name))
	_, virtual := cuVirtual[name]
	return func(l *library, a args) error {
		c, err := l.driverContext(a)
		switch instead := withoutContext[name]; {
		case virtual && (err == errNoContext || err == errDestroyed):
			c, err = l.firstContext()
		case err == errNoContext && instead != nil:
			c, err = instead(l)
		}
		if owner >= 0 && l.initialized.Load() {
			var ownerErr error
			if c, ownerErr = l.ownerOf(c, a.size(owner)); ownerErr != nil {
				return ownerErr
			}
		}
		if c == nil {
			return err
		}
		return c.do(f, a)
	}
}

var cuAlways = functions{
	"cuInit":             cuInit,
	"cuDriverGetVersion": constant(C.int(driverVersion)),
}

var cuDevices = functions{
	"cuDeviceGetCount":                   countDevices,
	"cuDeviceGet":                        onDevice(1, func(_ *library, a args) error { return out(a, 0, C.int(a.int(1))) }),
	"cuDeviceGetName":                    cuDeviceName,
	"cuDeviceGetUuid_v2":                 cuDeviceUUID,
	"cuDeviceTotalMem_v2":                cuTotalMemory,
	"cuDeviceGetProperties":              cuDeviceProperties,
	"cuDeviceGetTexture1DLinearMaxWidth": cuTexture1DLinearWidth,
	"cuDeviceGetExecAffinitySupport":     onDevice(2, affinitySupport),
	"cuDeviceGetHostAtomicCapabilities":  onDevice(3, hostAtomics),
	"cuDeviceGetAttribute":               getAttribute,
	"cuDeviceComputeCapability":          cuComputeCapability,
	"cuDeviceGetPCIBusId":                onDevice(2, getBusID),
	"cuDeviceGetByPCIBusId":              findByBusID,
	"cuDeviceCanAccessPeer":              canAccessPeer,
	"cuDeviceGetP2PAttribute":            peerAttribute,
	"cuDevicePrimaryCtxRetain":           onDevice(1, retainPrimary),
	"cuDevicePrimaryCtxRelease_v2":       onDevice(0, releasePrimary),
	"cuDevicePrimaryCtxReset_v2":         onDevice(0, func(l *library, a args) error { return resetPrimary(l, a.int(0)) }),
	"cuDevicePrimaryCtxGetState":         onDevice(0, primaryState),
	"cuDevicePrimaryCtxSetFlags_v2":      onDevice(0, setPrimaryFlags),
	"cuCtxGetSharedMemConfig":            constant(C.int(C.cudaSharedMemBankSizeFourByte)),
	"cuCtxSetSharedMemConfig":            checkSharedMemConfig,
	"cuCtxCreate_v2":                     onDevice(2, createContext(1, 2)),
	"cuCtxCreate_v3":                     onDevice(4, withoutAffinity(createContext(3, 4))),
	"cuCtxCreate_v4":                     onDevice(3, withoutParameters(createContext(2, 3))),
	"cuCtxDestroy_v2":                    destroyContext,
	"cuCtxPushCurrent_v2":                pushContext,
	"cuCtxPopCurrent_v2":                 popContext,
	"cuCtxSetCurrent":                    setContext,
	"cuCtxGetCurrent":                    func(_ *library, a args) error { return out(a, 0, a.current()) },
	"cuCtxGetApiVersion":                 contextVersion,
	"cuModuleGetLoadingMode":             constant(C.int(lazyLoading)),
}

// lazyLoading is the mode in which functions are loaded when they are needed: CU_MODULE_LAZY_LOADING.
const lazyLoading = 2

var cuContexts = works{
	"cuCtxGetDevice":              func(c *context, a args) error { return out(a, 0, C.int(c.device.Ordinal)) },
	"cuCtxGetFlags":               func(c *context, a args) error { return out(a, 0, c.flags.Load()) },
	"cuCtxGetDevice_v2":           ofContext(1, func(c *context, a args) error { return out(a, 0, C.int(c.device.Ordinal)) }),
	"cuCtxGetId":                  ofContext(0, contextID),
	"cuCtxSetFlags":               setContextFlags,
	"cuCtxGetExecAffinity":        getAffinity,
	"cuCtxSynchronize":            synchronize,
	"cuCtxSynchronize_v2":         ofContext(0, synchronize),
	"cuCtxResetPersistingL2Cache": func(*context, args) error { return nil },
	"cuFlushGPUDirectRDMAWrites":  flushWrites,
	"cuCtxGetLimit":               getLimit,
	"cuCtxSetLimit":               setLimit,
	"cuCtxGetCacheConfig":         func(c *context, a args) error { return out(a, 0, C.int(c.cache.Load())) },
	"cuCtxSetCacheConfig":         setCacheConfig,
	"cuCtxGetStreamPriorityRange": func(c *context, a args) error { return priorityRange(c.library, a) },
	"cuProfilerStart":             func(*context, args) error { return nil },
	"cuProfilerStop":              func(*context, args) error { return nil },
}

// contextID answers a number that no other context has; a null pointer stands for the current one.
func contextID(c *context, a args) error {
	handle := a.size(0)
	if handle == 0 {
		handle = a.current()
	}
	l := c.library
	l.mu.Lock()
	g := l.green[handle]
	l.mu.Unlock()
	if g != nil {
		return out(a, 1, g.id)
	}
	return out(a, 1, c.id)
}

// setContextFlags sets flags that say how the host waits; there is nothing to wait for.
func setContextFlags(c *context, a args) error {
	if err := checkDeviceFlags(a.uint(0)); err != nil {
		return err
	}
	c.flags.Store(a.uint(0))
	return nil
}

// An affinity is of a context to a number of multiprocessors. There are no contexts of some alone: a green context is what an H200
// has instead, without MPS.
const affinityOfMultiprocessors = 0

func affinitySupport(_ *library, a args) error { return out(a, 0, C.int(0)) }

func getAffinity(c *context, a args) error {
	if a.int(1) != affinityOfMultiprocessors {
		return driver.Fail(driver.InvalidValue, "there is no affinity %d", a.int(1))
	}
	return out(a, 0, [2]int32{affinityOfMultiprocessors, int32(c.device.GPU.Chip.SMs)})
}

// hostAtomics answers that a GPU does no atomic operations natively on memory of the host, as an H200 does.
func hostAtomics(_ *library, a args) error {
	capabilities, err := list[uint32](a, 0, uint64(a.uint(2)))
	if err != nil {
		return err
	}
	if _, err := list[int32](a, 1, uint64(a.uint(2))); err != nil {
		return err
	}
	clear(capabilities)
	return nil
}

// named returns the context of a handle, c where it is a null pointer.
func (c *context) named(handle uint64) (*context, error) {
	if handle == 0 {
		return c, nil
	}
	l := c.library
	if !l.known(handle) {
		return nil, errNoContext
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.live(handle)
}

// ofContext makes a function of one whose argument i is a context, or a null pointer for the current one.
func ofContext(i int, f work) work {
	return func(c *context, a args) error {
		c, err := c.named(a.size(i))
		if err != nil {
			return err
		}
		return f(c, a)
	}
}

// contextVersion answers for a context, current or not; a null pointer stands for the current one.
func contextVersion(l *library, a args) error {
	handle := a.size(0)
	if handle == 0 {
		handle = a.current()
	}
	if handle == 0 || !l.known(handle) {
		return errNoContext
	}
	return out(a, 1, C.uint(apiVersion))
}

// apiVersion is that of contexts: as an H200 answers.
const apiVersion = 3020

func cuInit(l *library, a args) error {
	if a.uint(0) != 0 {
		return driver.Fail(driver.InvalidValue, "flags are 0, not 0x%x", a.uint(0))
	}
	if _, err := l.settings(); err != nil {
		return errNoDevice
	}
	l.initialized.Store(true)
	return nil
}

var cuDeviceName = described(2, func(g *gpu.GPU, _ int, a args) error {
	if a.size(0) < lowestAddress || a.int(1) <= 0 {
		return errNull
	}
	copyText(a.pointer(0), a.int(1), g.Name)
	return nil
})

var cuDeviceUUID = described(1, func(g *gpu.GPU, ordinal int, a args) error { return out(a, 0, uuid(g, ordinal)) })

var cuTotalMemory = described(1, func(g *gpu.GPU, _ int, a args) error { return out(a, 0, C.size_t(g.Memory.GlobalBytes)) })

var cuComputeCapability = described(2, func(g *gpu.GPU, _ int, a args) error {
	if err := out(a, 0, C.int(g.Chip.ComputeCapability.Major)); err != nil {
		return err
	}
	return out(a, 1, C.int(g.Chip.ComputeCapability.Minor))
})

// cuDeviceProperties answers a CUdevprop: threads of a block, extents of blocks and grids, shared and constant memory, warp, pitch,
// registers, clock and alignment of textures.
var cuDeviceProperties = described(1, func(g *gpu.GPU, ordinal int, a args) error {
	of := func(name string) C.int { return C.int(attributeOf(g, ordinal, name)) }
	return out(a, 0, [14]C.int{
		of("MAX_THREADS_PER_BLOCK"), of("MAX_BLOCK_DIM_X"), of("MAX_BLOCK_DIM_Y"), of("MAX_BLOCK_DIM_Z"), of("MAX_GRID_DIM_X"), of("MAX_GRID_DIM_Y"),
		of("MAX_GRID_DIM_Z"), of("MAX_SHARED_MEMORY_PER_BLOCK"), of("TOTAL_CONSTANT_MEMORY"), of("WARP_SIZE"), of("MAX_PITCH"), of("MAX_REGISTERS_PER_BLOCK"),
		of("CLOCK_RATE"), of("TEXTURE_ALIGNMENT"),
	})
})

// cuTexture1DLinearWidth answers as many elements as 16 times the attribute's bytes hold, and at most 4 times the attribute: as an
// H200 does for elements of 16 bytes and of one.
var cuTexture1DLinearWidth = described(3, func(g *gpu.GPU, ordinal int, a args) error {
	format, known := cuFormats[C.CUarray_format(a.uint(1))]
	channels := uint64(a.uint(2))
	if !known || channels != 1 && channels != 2 && channels != 4 {
		return driver.Fail(driver.InvalidValue, "%d channels of the format 0x%x", channels, a.uint(1))
	}
	most := uint64(attributeOf(g, ordinal, "MAXIMUM_TEXTURE1D_LINEAR_WIDTH"))
	return out(a, 0, min(16*most/(channels*uint64(format.Bytes())), 4*most))
})

func retainPrimary(l *library, a args) error {
	return allocate(a, 0, func() (uint64, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		c, err := l.primaryContext(a.int(1))
		if err != nil {
			return 0, err
		}
		l.primary[a.int(1)].retained++
		return c.handle, nil
	})
}

// releasePrimary ends the primary context with its last reference.
func releasePrimary(l *library, a args) error {
	l.mu.Lock()
	last := true
	if l.primary != nil {
		p := &l.primary[a.int(0)]
		p.retained = max(p.retained-1, 0)
		last = p.retained == 0
	}
	l.mu.Unlock()
	if !last {
		return nil
	}
	l.output.flush()
	return l.reset(a.int(0))
}

func primaryState(l *library, a args) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	flags, active := uint32(0), C.int(0)
	if c, err := l.live(handleOfPrimary(a.int(0))); err == nil && !c.implicit {
		flags, active = c.flags.Load()&^deviceMapHost, 1
	}
	if err := out(a, 1, flags); err != nil {
		return err
	}
	return out(a, 2, active)
}

// setPrimaryFlags sets flags that say how the host waits; there is nothing to wait for.
func setPrimaryFlags(l *library, a args) error {
	l.mu.Lock()
	c, err := l.live(handleOfPrimary(a.int(0)))
	l.mu.Unlock()
	if err != nil {
		return checkDeviceFlags(a.uint(1))
	}
	return c.setFlags(a.uint(1))
}

// createContext makes and pushes a context with the flags and of the device of those arguments.
func createContext(flags, device int) function {
	return func(l *library, a args) error {
		if err := checkDeviceFlags(a.uint(flags)); err != nil {
			return err
		}
		return openContext(l, a, a.uint(flags), a.int(device))
	}
}

// withoutAffinity refuses the first of the parameters for a part of a GPU's multiprocessors.
func withoutAffinity(f function) function {
	return func(l *library, a args) error {
		if a.size(1) != 0 && a.int(2) != 0 {
			return errPart
		}
		return f(l, a)
	}
}

// withoutParameters refuses parameters for a part of a GPU, and for sharing one with graphics; a structure of zeros has none.
func withoutParameters(f function) function {
	return func(l *library, a args) error {
		if a.size(1) != 0 && *(*[3]uint64)(a.pointer(1)) != [3]uint64{} {
			return errPart
		}
		return f(l, a)
	}
}

var errPart = driver.Fail(driver.NotSupported, "a context of a part of the GPU, or of one shared with graphics")

func openContext(l *library, a args, flags uint32, device int) error {
	return allocate(a, 0, func() (uint64, error) {
		c, err := l.open(device)
		if err != nil {
			return 0, err
		}
		c.handle = l.newHandle()
		c.flags.Store(flags | deviceMapHost)
		if !a.push(c.handle) {
			return 0, errStack
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.created[c.handle] = c
		return c.handle, nil
	})
}

var errStack = driver.Fail(driver.InvalidContext, "too many contexts are stacked")

// destroyContext ends a context of cuCtxCreate, which may be the current one.
func destroyContext(l *library, a args) error {
	l.mu.Lock()
	c, gone := l.created[a.size(0)], l.gone[a.size(0)]
	if c != nil {
		delete(l.created, a.size(0))
		l.gone[a.size(0)] = true
	}
	l.mu.Unlock()
	switch {
	case gone:
		return errDestroyed
	case c == nil:
		return errNoContext
	}
	l.end(c)
	if a.current() == a.size(0) {
		a.pop()
	}
	l.output.flush()
	return c.close()
}

func pushContext(l *library, a args) error {
	switch handle := a.size(0); {
	case handle == 0:
		return errNull
	case !l.known(handle):
		return errNoContext
	case !a.push(handle):
		return errStack
	}
	return nil
}

func popContext(_ *library, a args) error {
	handle := a.pop()
	if handle == 0 {
		return errNoContext
	}
	if a.size(0) == 0 {
		return nil // the caller does not want it
	}
	return out(a, 0, handle)
}

// setContext replaces the current context; a null pointer only takes it off.
func setContext(l *library, a args) error {
	handle := a.size(0)
	if handle != 0 && !l.known(handle) {
		return errNoContext
	}
	a.pop()
	if handle != 0 {
		a.push(handle)
	}
	return nil
}

// known tells whether a handle is, or was, that of a context.
func (l *library) known(handle uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.live(handle)
	return err == nil || l.gone[handle]
}
