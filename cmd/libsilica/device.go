package main

// #include <cuda_runtime_api.h>
// #include "call.h"
import "C"

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"silica/driver"
	"silica/gpu"
)

// The CUDA versions of both APIs.
const (
	version       = C.CUDART_VERSION
	driverVersion = C.SILICA_DRIVER_VERSION
)

// deviceMapHost is always among a device's flags.
const deviceMapHost = C.cudaDeviceMapHost

var devices = functions{
	"cudaDriverGetVersion":                 constant(C.int(driverVersion)),
	"cudaRuntimeGetVersion":                constant(C.int(version)),
	"cudaGetDeviceCount":                   countDevices,
	"cudaGetDevice":                        getDevice,
	"cudaSetDevice":                        onDevice(0, setDevice),
	"cudaInitDevice":                       onDevice(0, initDevice),
	"cudaSetValidDevices":                  setValidDevices,
	"cudaChooseDevice":                     chooseDevice,
	"cudaGetDeviceProperties_v2":           getProperties,
	"cudaDeviceGetAttribute":               getAttribute,
	"cudaDeviceGetPCIBusId":                onDevice(2, getBusID),
	"cudaDeviceGetByPCIBusId":              findByBusID,
	"cudaDeviceReset":                      resetDevice,
	"cudaThreadExit":                       resetDevice,
	"cudaDeviceGetHostAtomicCapabilities":  onDevice(3, hostAtomics),
	"cudaSetDoubleForDevice":               unchanged,
	"cudaSetDoubleForHost":                 unchanged,
	"cudaDeviceGetSharedMemConfig":         constant(C.int(C.cudaSharedMemBankSizeFourByte)),
	"cudaDeviceSetSharedMemConfig":         checkSharedMemConfig,
	"cudaDeviceGetStreamPriorityRange":     priorityRange,
	"cudaDeviceGetTexture1DLinearMaxWidth": texture1DLinearWidth,
}

var contexts = works{
	"cudaGetDeviceFlags":                 func(c *context, a args) error { return out(a, 0, c.flags.Load()) },
	"cudaSetDeviceFlags":                 setDeviceFlags,
	"cudaDeviceSynchronize":              synchronize,
	"cudaThreadSynchronize":              synchronize,
	"cudaThreadGetLimit":                 getLimit,
	"cudaThreadSetLimit":                 setLimit,
	"cudaThreadGetCacheConfig":           func(c *context, a args) error { return out(a, 0, C.int(c.cache.Load())) },
	"cudaThreadSetCacheConfig":           setCacheConfig,
	"cudaDeviceGetLimit":                 getLimit,
	"cudaDeviceSetLimit":                 setLimit,
	"cudaDeviceGetCacheConfig":           func(c *context, a args) error { return out(a, 0, C.int(c.cache.Load())) },
	"cudaDeviceSetCacheConfig":           setCacheConfig,
	"cudaCtxResetPersistingL2Cache":      func(*context, args) error { return nil },
	"cudaDeviceFlushGPUDirectRDMAWrites": flushWrites,
	"cudaProfilerStart":                  func(*context, args) error { return nil },
	"cudaProfilerStop":                   func(*context, args) error { return nil },
}

var peers = functions{
	"cudaDeviceCanAccessPeer":   canAccessPeer,
	"cudaDeviceGetP2PAttribute": peerAttribute,
}

// onDevice makes a function of one whose argument i names a device.
func onDevice(i int, f function) function {
	return func(l *library, a args) error {
		if _, err := l.settings(); err != nil {
			return errNoDevice
		}
		if !l.exists(a.int(i)) {
			return errDevice
		}
		return f(l, a)
	}
}

var errDevice = driver.Fail(driver.InvalidDevice, "there is no such device")

// fails makes a function that always answers the same error.
func fails(c driver.Code) function {
	err := driver.Fail(c, "")
	return func(*library, args) error { return err }
}

// constant makes a function that writes the same value to where its first argument points.
func constant[T any](value T) function {
	return func(_ *library, a args) error { return out(a, 0, value) }
}

// described makes a function of one that needs the description of the GPU that argument i names, and no context.
func described(i int, f func(g *gpu.GPU, ordinal int, a args) error) function {
	return onDevice(i, func(l *library, a args) error {
		s, err := l.settings()
		if err != nil {
			return errNoDevice
		}
		return f(s.gpus[a.int(i)], a.int(i), a)
	})
}

var errNoDevice = driver.Fail(driver.NoDevice, "")

func countDevices(l *library, a args) error {
	s, err := l.settings()
	if err != nil {
		_ = out(a, 0, C.int(0)) // the error is that of the settings
		return errNoDevice
	}
	return out(a, 0, C.int(len(s.gpus)))
}

func setValidDevices(l *library, a args) error {
	if a.size(0) == 0 || a.int(1) <= 0 {
		return errNull
	}
	for _, d := range unsafe.Slice((*C.int)(a.pointer(0)), a.int(1)) {
		if !l.exists(int(d)) {
			return errDevice
		}
	}
	return nil
}

func chooseDevice(_ *library, a args) error {
	if a.size(1) == 0 {
		return errNull
	}
	return out(a, 0, C.int(0))
}

var getAttribute = described(2, func(g *gpu.GPU, ordinal int, a args) error {
	name, ok := driver.AttributeName(a.int(1))
	if !ok {
		return driver.Fail(driver.InvalidValue, "there is no device attribute %d", a.int(1))
	}
	return out(a, 0, C.int(attributeOf(g, ordinal, name)))
})

// attributeOf returns a device attribute. What is unknown of a GPU is 0, as for a feature it lacks.
func attributeOf(g *gpu.GPU, ordinal int, name string) int {
	switch name {
	case "PCI_BUS_ID":
		return busNumber + ordinal
	case "MULTI_GPU_BOARD_GROUP_ID":
		return ordinal
	case "NUMA_ID", "HOST_NUMA_ID": // of no NUMA node
		return -1
	}
	value, _ := g.Attribute(name)
	return value
}

// busNumber is the bus of the first simulated GPU, which others follow.
const busNumber = 1

// busID returns the GPU's place on the PCI bus.
func busID(ordinal int) string { return fmt.Sprintf("0000:%02x:00.0", busNumber+ordinal) }

func getBusID(_ *library, a args) error {
	n, id := a.int(1), busID(a.int(2))
	if a.size(0) == 0 || n <= len(id) {
		return driver.Fail(driver.InvalidValue, "%d bytes for a PCI bus ID", n)
	}
	copyText(a.pointer(0), n, id)
	return nil
}

func findByBusID(l *library, a args) error {
	if a.size(1) == 0 {
		return errNull
	}
	text := string(textAt(a.size(1)))
	for ordinal := 0; l.exists(ordinal); ordinal++ {
		// The domain and the function may be left out.
		if id := busID(ordinal); slices.Contains([]string{id, id[5:], id[:10]}, text) {
			return out(a, 0, C.int(ordinal))
		}
	}
	return driver.Fail(driver.InvalidValue, "no device is at %q", text)
}

// copyText writes text and a zero byte to n bytes at p, cut as far as necessary.
func copyText(p unsafe.Pointer, n int, text string) {
	to := unsafe.Slice((*byte)(p), n)
	to[copy(to[:n-1], text)] = 0
}

// initDevice makes a primary context, and leaves the thread with its own.
func initDevice(l *library, a args) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.primaryContext(a.int(0))
	return err
}

// getDevice answers the device of the current context, or what the thread chose last.
func getDevice(l *library, a args) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	handle := a.current()
	if ordinal, ok := primaryOf(handle); ok {
		return out(a, 0, C.int(ordinal))
	}
	if c, err := l.live(handle); err == nil {
		return out(a, 0, C.int(c.device.Ordinal))
	}
	return out(a, 0, a.thread.device)
}

// setDevice makes the primary context of a device current, in the place of the current one.
func setDevice(l *library, a args) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, err := l.primaryContext(a.int(0))
	if err != nil {
		return err
	}
	a.pop()
	a.push(c.handle)
	a.thread.device = C.int(a.int(0))
	return nil
}

func setDeviceFlags(c *context, a args) error { return c.setFlags(a.uint(0)) }

func checkDeviceFlags(flags uint32) error {
	if flags&^uint32(C.cudaDeviceMask) != 0 || bits.OnesCount32(flags&C.cudaDeviceScheduleMask) > 1 {
		return driver.Fail(driver.InvalidValue, "there are no device flags 0x%x", flags)
	}
	return nil
}

func (c *context) setFlags(flags uint32) error {
	if err := checkDeviceFlags(flags); err != nil {
		return err
	}
	c.flags.Store(flags | deviceMapHost)
	return nil
}

// unchanged leaves a number of the host as it is: devices have had the host's double since compute capability 1.3.
func unchanged(_ *library, a args) error {
	_, err := in[float64](a, 0)
	return err
}

// flushWrites has nothing to flush: no other device of a bus writes to the memory.
func flushWrites(_ *context, a args) error {
	target, scope := a.int(0), a.int(1)
	if target != C.cudaFlushGPUDirectRDMAWritesTargetCurrentDevice || scope != C.cudaFlushGPUDirectRDMAWritesToOwner && scope != C.cudaFlushGPUDirectRDMAWritesToAllDevices {
		return driver.Fail(driver.InvalidValue, "a flush of the target %d in the scope %d", target, scope)
	}
	return nil
}

func synchronize(c *context, _ args) error { return c.device.Synchronize() }

// resetDevice ends the primary context of the thread's device.
func resetDevice(l *library, a args) error {
	ordinal := 0
	l.mu.Lock()
	handle := a.current()
	if c, err := l.live(handle); err == nil {
		ordinal = c.device.Ordinal
	} else if of, ok := primaryOf(handle); ok {
		ordinal = of
	}
	l.mu.Unlock()
	return resetPrimary(l, ordinal)
}

func resetPrimary(l *library, ordinal int) error {
	l.output.flush()
	return l.reset(ordinal)
}

func getLimit(c *context, a args) error {
	value, err := c.device.Limit(driver.Limit(a.int(1)))
	if err != nil {
		return err
	}
	return out(a, 0, C.size_t(value))
}

func setLimit(c *context, a args) error { return c.device.SetLimit(driver.Limit(a.int(0)), a.size(1)) }

func setCacheConfig(c *context, a args) error {
	if err := checkCacheConfig(a.int(0)); err != nil {
		return err
	}
	c.cache.Store(int32(a.int(0)))
	return nil
}

func checkCacheConfig(config int) error {
	if config < C.cudaFuncCachePreferNone || config > C.cudaFuncCachePreferEqual {
		return driver.Fail(driver.InvalidValue, "there is no cache configuration %d", config)
	}
	return nil
}

// checkSharedMemConfig checks a bank size; GPUs since Maxwell have banks of four bytes whatever is asked.
func checkSharedMemConfig(_ *library, a args) error {
	if config := a.int(0); config < C.cudaSharedMemBankSizeDefault || config > C.cudaSharedMemBankSizeEightByte {
		return driver.Fail(driver.InvalidValue, "there is no bank size %d", config)
	}
	return nil
}

func priorityRange(_ *library, a args) error {
	for i, value := range []C.int{driver.LeastPriority, driver.GreatestPriority} {
		if a.size(i) != 0 {
			*(*C.int)(a.pointer(i)) = value
		}
	}
	return nil
}

var texture1DLinearWidth = described(2, func(g *gpu.GPU, ordinal int, a args) error {
	if a.size(1) == 0 {
		return errNull
	}
	return out(a, 0, C.size_t(attributeOf(g, ordinal, "MAXIMUM_TEXTURE1D_LINEAR_WIDTH")))
})
