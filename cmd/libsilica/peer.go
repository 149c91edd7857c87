package main

// #include <cuda.h>
// #include <cuda_runtime_api.h>
import "C"

import "silica/driver"

// peerContexts are the functions that let kernels of the current device reach the memory of another.
var peerContexts = works{
	"cudaDeviceEnablePeerAccess":  enablePeerDevice,
	"cudaDeviceDisablePeerAccess": disablePeerDevice,
}

// cuPeers are those that name the other's context.
var cuPeers = works{
	"cuCtxEnablePeerAccess":  enablePeerContext,
	"cuCtxDisablePeerAccess": disablePeerContext,
}

// canAccessPeer answers for two GPUs: arguments 1 and 2. All of a machine's are peers.
var canAccessPeer = onDevice(1, onDevice(2, func(_ *library, a args) error {
	can := C.int(0)
	if a.int(1) != a.int(2) {
		can = 1
	}
	return out(a, 0, can)
}))

// peerAttribute answers as two H200 that NVLink connects.
func peerAttribute(l *library, a args) error {
	values := map[int]C.int{
		C.CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK: 0, C.CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED: 1, C.CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED: 1,
		C.CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED: 1, C.CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED: 0,
	}
	value, ok := values[a.int(1)]
	switch {
	case !ok:
		return driver.Fail(driver.InvalidValue, "there is no attribute %d of peers", a.int(1))
	case a.size(0) < lowestAddress:
		return errNull
	case !l.exists(a.int(2)) || !l.exists(a.int(3)) || a.int(2) == a.int(3):
		return driver.Fail(driver.InvalidDevice, "%d and %d are not two devices", a.int(2), a.int(3))
	}
	return out(a, 0, value)
}

// peer returns the primary context of the device of argument 0.
func (c *context) peer(a args) (*context, error) {
	l := c.library
	if !l.exists(a.int(0)) {
		return nil, errDevice
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.primaryContext(a.int(0))
}

func enablePeerDevice(c *context, a args) error {
	other, err := c.peer(a)
	if err != nil {
		return err
	}
	return c.enablePeer(other, a.uint(1))
}

func disablePeerDevice(c *context, a args) error {
	other, err := c.peer(a)
	if err != nil {
		return err
	}
	return c.device.DisablePeerAccess(other.device)
}

// peerOf returns the context of argument 0.
func (c *context) peerOf(a args) (*context, error) {
	l := c.library
	l.mu.Lock()
	defer l.mu.Unlock()
	other, err := l.live(a.size(0))
	if err != nil {
		return nil, errNoContext
	}
	return other, nil
}

func enablePeerContext(c *context, a args) error {
	other, err := c.peerOf(a)
	if err != nil {
		return err
	}
	return c.enablePeer(other, a.uint(1))
}

func disablePeerContext(c *context, a args) error {
	other, err := c.peerOf(a)
	if err != nil {
		return err
	}
	return c.device.DisablePeerAccess(other.device)
}

func (c *context) enablePeer(other *context, flags uint32) error {
	if flags != 0 {
		return driver.Fail(driver.InvalidValue, "flags are 0, not 0x%x", flags)
	}
	return c.device.EnablePeerAccess(other.device)
}
