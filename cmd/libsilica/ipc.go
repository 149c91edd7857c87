package main

// #include <cuda_runtime_api.h>
import "C"

import "silica/driver"

// ipc are the functions that let processes share memory and events.
var ipc = works{
	"cudaIpcGetMemHandle":    getMemoryHandle,
	"cudaIpcOpenMemHandle":   openMemoryHandle,
	"cudaIpcCloseMemHandle":  func(c *context, a args) error { return c.device.CloseMemory(a.size(0)) },
	"cudaIpcGetEventHandle":  getEventHandle,
	"cudaIpcOpenEventHandle": openEventHandle,
}

// cuIPC are the same functions of the driver API.
func cuIPC() works {
	all := works{}
	all.like(ipc)
	return all
}

func getMemoryHandle(c *context, a args) error {
	p, err := in[driver.IPCHandle](a, 0)
	if err != nil {
		return err
	}
	h, err := c.device.ExportMemory(a.size(1))
	if err == nil {
		*p = h
	}
	return err
}

func openMemoryHandle(c *context, a args) error {
	if flags := a.uint(2); flags != C.cudaIpcMemLazyEnablePeerAccess {
		return driver.Fail(driver.InvalidValue, "flags are cudaIpcMemLazyEnablePeerAccess, not 0x%x", flags)
	}
	return allocate(a, 0, func() (uint64, error) { return c.device.ImportMemory(*(*driver.IPCHandle)(a.pointer(1))) })
}

func getEventHandle(c *context, a args) error {
	e, err := get[*driver.Event](c, a.size(1))
	if err != nil {
		return err
	}
	p, err := in[driver.IPCHandle](a, 0)
	if err != nil {
		return err
	}
	h, err := e.Export()
	if err == nil {
		*p = h
	}
	return err
}

func openEventHandle(c *context, a args) error {
	return allocate(a, 0, func() (uint64, error) {
		e, err := c.device.ImportEvent(*(*driver.IPCHandle)(a.pointer(1)))
		if err != nil {
			return 0, err
		}
		return c.add(e), nil
	})
}
