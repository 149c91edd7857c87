package main

// #include <cuda_runtime_api.h>
// #include "call.h"
import "C"

import (
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
	"cudaGetDevice":                        constant(C.int(0)),
	"cudaSetDevice":                        onDevice(0, succeed),
	"cudaSetValidDevices":                  setValidDevices,
	"cudaChooseDevice":                     chooseDevice,
	"cudaGetDeviceProperties_v2":           onDevice(1, getProperties),
	"cudaDeviceGetAttribute":               onDevice(2, getAttribute),
	"cudaDeviceGetPCIBusId":                onDevice(2, getBusID),
	"cudaDeviceGetByPCIBusId":              findByBusID,
	"cudaDeviceReset":                      resetDevice,
	"cudaThreadExit":                       resetDevice,
	"cudaDeviceGetSharedMemConfig":         constant(C.int(C.cudaSharedMemBankSizeFourByte)),
	"cudaDeviceSetSharedMemConfig":         checkSharedMemConfig,
	"cudaDeviceGetStreamPriorityRange":     priorityRange,
	"cudaDeviceGetTexture1DLinearMaxWidth": onDevice(2, texture1DLinearWidth),
}

var contexts = works{
	"cudaInitDevice":                initDevice,
	"cudaGetDeviceFlags":            func(c *context, a args) error { return out(a, 0, c.flags.Load()) },
	"cudaSetDeviceFlags":            setDeviceFlags,
	"cudaDeviceSynchronize":         synchronize,
	"cudaThreadSynchronize":         synchronize,
	"cudaDeviceGetLimit":            getLimit,
	"cudaDeviceSetLimit":            setLimit,
	"cudaDeviceGetCacheConfig":      func(c *context, a args) error { return out(a, 0, C.int(c.cache.Load())) },
	"cudaDeviceSetCacheConfig":      setCacheConfig,
	"cudaCtxResetPersistingL2Cache": func(*context, args) error { return nil },
	"cudaProfilerStart":             func(*context, args) error { return nil },
	"cudaProfilerStop":              func(*context, args) error { return nil },
}

var peers = functions{
	"cudaDeviceCanAccessPeer":     onDevice(1, onDevice(2, constant(C.int(0)))),
	"cudaDeviceEnablePeerAccess":  onDevice(0, fails(driver.PeerAccessUnsupported)),
	"cudaDeviceDisablePeerAccess": onDevice(0, fails(driver.PeerAccessNotEnabled)),
	"cudaDeviceGetP2PAttribute":   fails(driver.InvalidDevice),
}

// onDevice makes a function of one whose argument i names a device: there is only device 0.
func onDevice(i int, f function) function {
	return func(l *library, a args) error {
		if a.int(i) != 0 {
			return errDevice
		}
		return f(l, a)
	}
}

var errDevice = driver.Fail(driver.InvalidDevice, "there is one device, 0")

// succeed is the answer to a request without effect.
func succeed(*library, args) error { return nil }

// fails makes a function that always answers the same error.
func fails(c driver.Code) function {
	err := driver.Fail(c, "")
	return func(*library, args) error { return err }
}

// constant makes a function that writes the same value to where its first argument points.
func constant[T any](value T) function {
	return func(_ *library, a args) error { return out(a, 0, value) }
}

// described makes a function of one that needs the GPU's description, and no context.
func described(f func(g *gpu.GPU, a args) error) function {
	return func(l *library, a args) error {
		s, err := l.settings()
		if err != nil {
			return errNoDevice
		}
		return f(s.gpu, a)
	}
}

var errNoDevice = driver.Fail(driver.NoDevice, "")

func countDevices(l *library, a args) error {
	if _, err := l.settings(); err != nil {
		_ = out(a, 0, C.int(0)) // the error is that of the settings
		return errNoDevice
	}
	return out(a, 0, C.int(1))
}

func setValidDevices(_ *library, a args) error {
	if a.size(0) == 0 || a.int(1) <= 0 {
		return errNull
	}
	for _, d := range unsafe.Slice((*C.int)(a.pointer(0)), a.int(1)) {
		if d != 0 {
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

var getAttribute = described(func(g *gpu.GPU, a args) error {
	name, ok := driver.AttributeName(a.int(1))
	if !ok {
		return driver.Fail(driver.InvalidValue, "there is no device attribute %d", a.int(1))
	}
	return out(a, 0, C.int(attributeOf(g, name)))
})

// attributeOf returns a device attribute. What is unknown of a GPU is 0, as for a feature it lacks.
func attributeOf(g *gpu.GPU, name string) int {
	switch name {
	case "PCI_BUS_ID":
		return busNumber
	case "NUMA_ID", "HOST_NUMA_ID": // of no NUMA node
		return -1
	}
	value, _ := g.Attribute(name)
	return value
}

// The simulated device's place on the PCI bus.
const (
	busNumber = 1
	busID     = "0000:01:00.0"
)

func getBusID(_ *library, a args) error {
	n := a.int(1)
	if a.size(0) == 0 || n <= len(busID) {
		return driver.Fail(driver.InvalidValue, "%d bytes for a PCI bus ID", n)
	}
	copyText(a.pointer(0), n, busID)
	return nil
}

func findByBusID(_ *library, a args) error {
	if a.size(1) == 0 {
		return errNull
	}
	// The domain and the function may be left out.
	if text := string(textAt(a.size(1))); !slices.Contains([]string{busID, busID[5:], busID[:10]}, text) {
		return driver.Fail(driver.InvalidValue, "no device is at %q", text)
	}
	return out(a, 0, C.int(0))
}

// copyText writes text and a zero byte to n bytes at p, cut as far as necessary.
func copyText(p unsafe.Pointer, n int, text string) {
	to := unsafe.Slice((*byte)(p), n)
	to[copy(to[:n-1], text)] = 0
}

func initDevice(_ *context, a args) error {
	if a.int(0) != 0 {
		return errDevice
	}
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

func synchronize(c *context, _ args) error { return c.device.Synchronize() }

func resetDevice(l *library, _ args) error {
	l.output.flush()
	return l.reset()
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

var texture1DLinearWidth = described(func(g *gpu.GPU, a args) error {
	if a.size(1) == 0 {
		return errNull
	}
	return out(a, 0, C.size_t(attributeOf(g, "MAXIMUM_TEXTURE1D_LINEAR_WIDTH")))
})
