package main

// #include <cuda.h>
import "C"

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"sync"
	"unsafe"

	"silica/driver"
)

// A library is a device program that belongs to no context: each has a module of it when one is needed first. So are its kernels:
// they stand for a function of each module, wherever a function is asked for.

// cuLibraries are the functions of libraries and their kernels that need no context.
var cuLibraries = functions{
	"cuLibraryLoadData":         loadLibraryData,
	"cuLibraryLoadFromFile":     loadLibraryFile,
	"cuLibraryUnload":           ofLibrary(0, unloadLibrary),
	"cuLibraryGetKernel":        ofLibrary(1, libraryGetKernel),
	"cuLibraryGetKernelCount":   ofLibrary(1, countKernels),
	"cuLibraryEnumerateKernels": ofLibrary(2, enumerateKernels),
	"cuKernelGetLibrary":        ofLibraryKernel(1, func(_ *library, k *libraryKernel, a args) error { return out(a, 0, k.library.handle) }),
	"cuKernelGetName":           ofLibraryKernel(1, func(l *library, k *libraryKernel, a args) error { return out(a, 0, l.text(k.name)) }),
	"cuKernelGetAttribute":      onKernel(2, 3, func(_ *libraryKernel, k *kernel, a args) error { return cuFuncGetAttribute(k, a) }),
	"cuKernelSetAttribute":      onKernel(2, 3, setKernelOfLibrary(0)),
	"cuKernelSetCacheConfig":    onKernel(0, 2, func(_ *libraryKernel, _ *kernel, a args) error { return checkCacheConfig(a.int(1)) }),
}

// cuLibrariesOfContexts are those that work with the module of the current context.
var cuLibrariesOfContexts = works{
	"cuLibraryGetModule":   inLibrary(1, func(_ *context, handle uint64, _ *module, a args) error { return out(a, 0, handle) }),
	"cuLibraryGetGlobal":   inLibrary(2, func(_ *context, _ uint64, m *module, a args) error { return getGlobal(m, a) }),
	"cuLibraryGetManaged":  inLibrary(2, getManaged),
	"cuKernelGetFunction":  kernelFunction,
	"cuKernelGetParamInfo": ofHandle(0, cuFuncGetParamInfo),
}

// runtimeLibraries are the same functions of the runtime API. A cudaKernel_t serves wherever a function takes a kernel of the host.
var runtimeLibraries = works{
	"cudaLibraryLoadData":             inAnyContext(loadLibraryData),
	"cudaLibraryLoadFromFile":         inAnyContext(loadLibraryFile),
	"cudaLibraryUnload":               inAnyContext(cuLibraries["cuLibraryUnload"]),
	"cudaLibraryGetKernel":            inAnyContext(cuLibraries["cuLibraryGetKernel"]),
	"cudaLibraryGetKernelCount":       inAnyContext(cuLibraries["cuLibraryGetKernelCount"]),
	"cudaLibraryEnumerateKernels":     inAnyContext(cuLibraries["cuLibraryEnumerateKernels"]),
	"cudaLibraryGetGlobal":            cuLibrariesOfContexts["cuLibraryGetGlobal"],
	"cudaLibraryGetManaged":           cuLibrariesOfContexts["cuLibraryGetManaged"],
	"cudaKernelSetAttributeForDevice": inAnyContext(onKernel(0, 3, setKernelOfLibrary(1))),
}

// inAnyContext makes work of a function that needs no context.
func inAnyContext(f function) work {
	return func(c *context, a args) error { return f(c.library, a) }
}

// cuLibrary is a library as the driver API hands it out.
type cuLibrary struct {
	handle  uint64
	file    string
	image   []byte
	limit   int                      // of registers a thread; 0 for none
	names   func() ([]string, error) // of its kernels
	kernels map[string]*libraryKernel

	loading sync.Mutex
}

// libraryKernel is a kernel of a library.
type libraryKernel struct {
	library *cuLibrary
	name    string
	handle  uint64
	// attributes are those that were set for a device, which its contexts have from then on; the table's lock guards them.
	attributes map[deviceAttribute]int
}

// deviceAttribute is an attribute of a kernel on a device.
type deviceAttribute struct{ ordinal, attribute int }

// libraryTable is what a process has of libraries, by handle.
type libraryTable struct {
	mu        sync.RWMutex
	libraries map[uint64]*cuLibrary
	kernels   map[uint64]*libraryKernel
}

func (t *libraryTable) library(handle uint64) (*cuLibrary, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if of := t.libraries[handle]; of != nil {
		return of, nil
	}
	return nil, driver.Fail(driver.InvalidHandle, "0x%x is not a library", handle)
}

// kernel returns the kernel of a handle, nil when there is none.
func (t *libraryTable) kernel(handle uint64) *libraryKernel {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.kernels[handle]
}

// ofLibrary makes a function of one whose argument i is a library's handle.
func ofLibrary(i int, f func(l *library, of *cuLibrary, a args) error) function {
	return func(l *library, a args) error {
		of, err := l.libraries.library(a.size(i))
		if err != nil {
			return err
		}
		return f(l, of, a)
	}
}

// ofLibraryKernel makes a function of one whose argument i is the handle of a library's kernel.
func ofLibraryKernel(i int, f func(l *library, k *libraryKernel, a args) error) function {
	return func(l *library, a args) error {
		k := l.libraries.kernel(a.size(i))
		if k == nil {
			return driver.Fail(driver.InvalidHandle, "0x%x is not a kernel of a library", a.size(i))
		}
		return f(l, k, a)
	}
}

// onKernel makes a function of one whose argument i is a kernel, and argument device the device on which it is meant. The kernel of a
// library is nil for one of the program.
func onKernel(i, device int, f func(of *libraryKernel, k *kernel, a args) error) function {
	return func(l *library, a args) error {
		if !l.exists(a.int(device)) {
			return errDevice
		}
		c, err := l.contextOn(a, a.int(device))
		if err != nil {
			return err
		}
		k, err := c.kernel(a.size(i))
		if err != nil {
			return err
		}
		return f(l.libraries.kernel(a.size(i)), k, a)
	}
}

// setKernelOfLibrary makes a function that sets an attribute on a device, argument 3, in the contexts that it has and in those to
// come. The attribute and its value are arguments i and i+1.
func setKernelOfLibrary(i int) func(of *libraryKernel, k *kernel, a args) error {
	return func(of *libraryKernel, k *kernel, a args) error {
		attribute, value := a.int(i), a.int(i+1)
		if err := setAttribute(k.Function, attribute, value); err != nil || of == nil {
			return err
		}
		of.setAttribute(a.int(3), attribute, value)
		var failed error
		process.eachContext(func(c *context) {
			c.mu.RLock()
			function, loaded := c.handles[c.ofLibraries[of]].(*kernel)
			c.mu.RUnlock()
			if loaded && c.device.Ordinal == a.int(3) {
				failed = errors.Join(failed, setAttribute(function.Function, attribute, value))
			}
		})
		return failed
	}
}

func (k *libraryKernel) setAttribute(ordinal, attribute, value int) {
	t := &process.libraries
	t.mu.Lock()
	defer t.mu.Unlock()
	if k.attributes == nil {
		k.attributes = map[deviceAttribute]int{}
	}
	k.attributes[deviceAttribute{ordinal, attribute}] = value
}

// contextOn returns the current context if it is on the device, else the primary one.
func (l *library) contextOn(a args, ordinal int) (*context, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, err := l.live(a.current()); err == nil && c.device.Ordinal == ordinal {
		return c, nil
	}
	c, err := l.live(handleOfPrimary(ordinal))
	if err == nil {
		return c, nil
	}
	if c, err = l.primaryContext(ordinal); err == nil {
		c.implicit = true
	}
	return c, err
}

func loadLibraryData(l *library, a args) error {
	if a.size(1) == 0 {
		return errNull
	}
	image, err := imageAt(a.size(1))
	if err != nil {
		return err
	}
	return loadLibrary(l, a, "", image)
}

func loadLibraryFile(l *library, a args) error {
	if a.size(1) == 0 {
		return errNull
	}
	name := string(textAt(a.size(1)))
	image, err := os.ReadFile(name)
	if err != nil {
		return driver.Fail(driver.FileNotFound, "%v", err)
	}
	return loadLibrary(l, a, name, image)
}

// loadLibrary keeps an image; options advise a compiler, but for a limit of registers. A current context loads it at once, and says what is wrong with it; else
// the first that needs it does.
func loadLibrary(l *library, a args, file string, image []byte) error {
	return allocate(a, 0, func() (uint64, error) {
		limit := 0
		if a.uint(4) > 0 && a.size(2) != 0 && a.size(3) != 0 {
			limit = maxRegisters(a.pointer(2), a.pointer(3), a.uint(4))
		}
		of := &cuLibrary{limit: limit, handle: l.newHandle(), file: file, image: bytes.Clone(image), kernels: map[string]*libraryKernel{}}
		l.mu.Lock()
		c, err := l.live(a.current())
		l.mu.Unlock()
		of.names = sync.OnceValues(func() ([]string, error) { return l.kernelNames(file, of.image) })
		if err == nil {
			_, m, err := c.libraryModule(of)
			if err != nil {
				return 0, err
			}
			names := m.Kernels()
			of.names = func() ([]string, error) { return names, nil }
		}
		l.libraries.mu.Lock()
		defer l.libraries.mu.Unlock()
		if l.libraries.libraries == nil {
			l.libraries.libraries, l.libraries.kernels = map[uint64]*cuLibrary{}, map[uint64]*libraryKernel{}
		}
		l.libraries.libraries[of.handle] = of
		return of.handle, nil
	})
}

// kernelNames returns the kernels of an image for the first GPU.
func (l *library) kernelNames(file string, image []byte) ([]string, error) {
	s, err := l.settings()
	if err != nil {
		return nil, errNoDevice
	}
	names, err := driver.KernelNames(s.gpus[0], file, image)
	if err != nil {
		refuse(err)
	}
	return names, err
}

func unloadLibrary(l *library, of *cuLibrary, _ args) error {
	l.libraries.mu.Lock()
	delete(l.libraries.libraries, of.handle)
	for _, k := range of.kernels {
		delete(l.libraries.kernels, k.handle)
	}
	l.libraries.mu.Unlock()
	var failed error
	l.eachContext(func(c *context) {
		c.mu.Lock()
		handle, ok := c.libraries[of]
		delete(c.libraries, of)
		for _, k := range of.kernels {
			delete(c.ofLibraries, k)
		}
		c.mu.Unlock()
		if !ok {
			return
		}
		if err := unloadModule(c, handle); err != nil {
			failed = err
		}
	})
	return failed
}

// kernelOf returns a kernel by its name: the same each time.
func (l *library) kernelOf(of *cuLibrary, name string) *libraryKernel {
	l.libraries.mu.Lock()
	defer l.libraries.mu.Unlock()
	k := of.kernels[name]
	if k == nil {
		k = &libraryKernel{library: of, name: name, handle: l.newHandle()}
		of.kernels[name], l.libraries.kernels[k.handle] = k, k
	}
	return k
}

func libraryGetKernel(l *library, of *cuLibrary, a args) error {
	if a.size(2) == 0 {
		return errNull
	}
	name := string(textAt(a.size(2)))
	return allocate(a, 0, func() (uint64, error) {
		names, err := of.names()
		if err != nil {
			return 0, err
		}
		if !slices.Contains(names, name) {
			return 0, driver.Fail(driver.NotFound, "the library has no kernel %q", name)
		}
		return l.kernelOf(of, name).handle, nil
	})
}

func countKernels(_ *library, of *cuLibrary, a args) error {
	names, err := of.names()
	if err != nil {
		return err
	}
	return out(a, 0, C.uint(len(names)))
}

func enumerateKernels(l *library, of *cuLibrary, a args) error {
	if a.size(0) == 0 {
		return errNull
	}
	names, err := of.names()
	if err != nil {
		return err
	}
	handles := unsafe.Slice((*uint64)(a.pointer(0)), a.uint(1))
	for i, name := range names[:min(len(handles), len(names))] {
		handles[i] = l.kernelOf(of, name).handle
	}
	return nil
}

// libraryModule returns the context's module of a library, and its handle.
func (c *context) libraryModule(of *cuLibrary) (uint64, *module, error) {
	of.loading.Lock()
	defer of.loading.Unlock()
	c.mu.RLock()
	handle, ok := c.libraries[of]
	c.mu.RUnlock()
	if !ok {
		var err error
		if handle, err = newModule(c, of.file, of.image, of.limit); err != nil {
			return 0, nil, err
		}
		c.mu.Lock()
		c.libraries[of] = handle
		c.mu.Unlock()
	}
	m, err := get[*module](c, handle)
	return handle, m, err
}

// inLibrary makes work of a function that needs the context's module of the library that argument i is.
func inLibrary(i int, f func(c *context, handle uint64, m *module, a args) error) work {
	return func(c *context, a args) error {
		of, err := c.library.libraries.library(a.size(i))
		if err != nil {
			return err
		}
		handle, m, err := c.libraryModule(of)
		if err != nil {
			return err
		}
		return f(c, handle, m, a)
	}
}

func getManaged(c *context, _ uint64, m *module, a args) error {
	if a.size(3) == 0 {
		return errNull
	}
	name := string(textAt(a.size(3)))
	if addr, _, err := m.Global(name); err == nil && c.device.MemoryAt(addr).Kind != driver.ManagedMemory {
		return driver.Fail(driver.NotFound, "the variable %s is not managed", name)
	}
	return getGlobal(m, a)
}

// functionOf returns the handle of the context's function of a library's kernel.
func (c *context) functionOf(k *libraryKernel) (uint64, error) {
	c.mu.RLock()
	function, ok := c.ofLibraries[k]
	c.mu.RUnlock()
	if ok {
		return function, nil
	}
	handle, m, err := c.libraryModule(k.library)
	if err != nil {
		return 0, err
	}
	if function, err = moduleFunction(c, m, handle, k.name); err != nil {
		return 0, err
	}
	of, err := get[*kernel](c, function)
	if err != nil {
		return 0, err
	}
	t := &c.library.libraries
	t.mu.RLock()
	for at, value := range k.attributes {
		if at.ordinal == c.device.Ordinal {
			err = errors.Join(err, setAttribute(of.Function, at.attribute, value))
		}
	}
	t.mu.RUnlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ofLibraries[k] = function
	return function, err
}

func kernelFunction(c *context, a args) error {
	handle := a.size(1)
	if k := c.library.libraries.kernel(handle); k != nil {
		return allocate(a, 0, func() (uint64, error) { return c.functionOf(k) })
	}
	k, err := c.kernel(handle)
	if err != nil {
		return err
	}
	return allocate(a, 0, func() (uint64, error) { return c.kernelHandle(k.Function), nil })
}

// kernel returns the function that a handle stands for in the context: that of a function, of a kernel of a library or, as
// nvcc's programs have them, the address of the host's function.
func (c *context) kernel(handle uint64) (*kernel, error) {
	c.mu.RLock()
	k, ok := c.handles[handle].(*kernel)
	c.mu.RUnlock()
	if ok {
		return k, nil
	}
	if of := c.library.libraries.kernel(handle); of != nil {
		function, err := c.functionOf(of)
		if err != nil {
			return nil, err
		}
		return get[*kernel](c, function)
	}
	if _, ok := c.library.images.kernel(handle); ok {
		f, err := c.function(handle)
		if err != nil {
			return nil, err
		}
		return &kernel{Function: f}, nil
	}
	return nil, noHandle[*kernel](c, handle)
}
