package main

// #include <cuda.h>
import "C"

import (
	"os"
	"unsafe"

	"silica/driver"
)

// cuLibraries are libraries and their kernels. A library is a module of the context in which it was loaded, and its kernels are
// the module's functions.
var cuLibraries = works{
	"cuLibraryLoadData":         loadLibraryData,
	"cuLibraryLoadFromFile":     loadLibraryFile,
	"cuLibraryUnload":           ofLibrary(0, unloadLibrary),
	"cuLibraryGetKernel":        ofLibrary(1, libraryKernel),
	"cuLibraryGetKernelCount":   ofLibrary(1, func(_ *context, l *cuLibrary, a args) error { return out(a, 0, C.uint(len(l.Kernels()))) }),
	"cuLibraryEnumerateKernels": ofLibrary(2, enumerateKernels),
	"cuLibraryGetModule":        ofLibrary(1, func(_ *context, l *cuLibrary, a args) error { return out(a, 0, l.handle) }),
	"cuLibraryGetGlobal":        ofLibrary(2, func(_ *context, l *cuLibrary, a args) error { return getGlobal(l.module, a) }),
	"cuLibraryGetManaged":       ofLibrary(2, getManaged),
	"cuKernelGetFunction":       ofHandle(1, func(_ *kernel, a args) error { return out(a, 0, a.size(1)) }),
	"cuKernelGetLibrary":        kernelLibrary,
	"cuKernelGetAttribute":      ofHandle(2, cuFuncGetAttribute),
	"cuKernelSetAttribute":      ofHandle(2, func(k *kernel, a args) error { return setAttribute(k.Function, a.int(0), a.int(1)) }),
	"cuKernelSetCacheConfig":    ofHandle(0, func(_ *kernel, a args) error { return checkCacheConfig(a.int(1)) }),
	"cuKernelGetName":           cuFuncGetName,
	"cuKernelGetParamInfo":      ofHandle(0, cuFuncGetParamInfo),
}

// cuLibrary is a library as the driver API hands it out.
type cuLibrary struct {
	*module
	handle uint64 // of the module
}

// ofLibrary makes work of a function whose argument i is a library's handle.
func ofLibrary(i int, f func(c *context, l *cuLibrary, a args) error) work {
	return func(c *context, a args) error {
		l, err := get[*cuLibrary](c, a.size(i))
		if err != nil {
			return err
		}
		return f(c, l, a)
	}
}

func loadLibraryData(c *context, a args) error {
	if a.size(1) == 0 {
		return errNull
	}
	image, err := imageAt(a.size(1))
	if err != nil {
		return err
	}
	return loadLibrary(c, a, "", image)
}

func loadLibraryFile(c *context, a args) error {
	if a.size(1) == 0 {
		return errNull
	}
	name := string(textAt(a.size(1)))
	image, err := os.ReadFile(name)
	if err != nil {
		return driver.Fail(driver.FileNotFound, "%v", err)
	}
	return loadLibrary(c, a, name, image)
}

// loadLibrary loads an image; options advise a compiler.
func loadLibrary(c *context, a args, file string, image []byte) error {
	return allocate(a, 0, func() (uint64, error) {
		handle, err := newModule(c, file, image)
		if err != nil {
			return 0, err
		}
		m, err := get[*module](c, handle)
		if err != nil {
			return 0, err
		}
		return c.add(&cuLibrary{m, handle}), nil
	})
}

func unloadLibrary(c *context, l *cuLibrary, a args) error {
	if _, err := remove[*cuLibrary](c, a.size(0)); err != nil {
		return err
	}
	return unloadModule(c, l.handle)
}

func libraryKernel(c *context, l *cuLibrary, a args) error {
	if a.size(2) == 0 {
		return errNull
	}
	return allocate(a, 0, func() (uint64, error) { return moduleFunction(c, l.module, l.handle, string(textAt(a.size(2)))) })
}

func enumerateKernels(c *context, l *cuLibrary, a args) error {
	return enumerate(c, l.module, l.handle, a)
}

// enumerate answers the functions of the module with that handle, as many as argument 1 says.
func enumerate(c *context, m *module, handle uint64, a args) error {
	if a.size(0) == 0 {
		return errNull
	}
	handles := unsafe.Slice((*uint64)(a.pointer(0)), a.uint(1))
	for i, name := range m.Kernels() {
		if i == len(handles) {
			break
		}
		var err error
		if handles[i], err = moduleFunction(c, m, handle, name); err != nil {
			return err
		}
	}
	return nil
}

func getManaged(c *context, l *cuLibrary, a args) error {
	if a.size(3) == 0 {
		return errNull
	}
	name := string(textAt(a.size(3)))
	if addr, _, err := l.Global(name); err == nil && c.device.MemoryAt(addr).Kind != driver.ManagedMemory {
		return driver.Fail(driver.NotFound, "the variable %s is not managed", name)
	}
	return getGlobal(l.module, a)
}

// kernelLibrary finds the library whose module a kernel is of.
func kernelLibrary(c *context, a args) error {
	k, err := get[*kernel](c, a.size(1))
	if err != nil {
		return err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	for handle, v := range c.handles {
		if l, ok := v.(*cuLibrary); ok && l.handle == k.module {
			return out(a, 0, handle)
		}
	}
	return errHandle
}
