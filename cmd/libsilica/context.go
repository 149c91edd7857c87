package main

// #include <cuda_runtime_api.h>
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"silica/driver"
)

// context is a device with what a program made on it.
type context struct {
	library *library
	handle  uint64
	id      uint64 // which no other context of the process has
	device  *driver.Device
	// implicit is set until the program does something that makes a context; the library's lock guards it.
	implicit bool

	mu          sync.RWMutex
	handles     map[uint64]any            // *driver.Stream, *driver.Event, ... by handle
	threads     map[uint64]*driver.Stream // the default streams of threads, by handle
	pinned      map[uint64]bool           // host memory that is the context's, by address
	modules     map[*image]loaded
	libraries   map[*cuLibrary]uint64     // handles of their modules
	ofLibraries map[*libraryKernel]uint64 // handles of their functions
	functions   map[uint64]*driver.Function
	advice      map[streamAttribute]C.cudaLaunchAttributeValue
	kernels     map[*driver.Function]uint64 // handles of kernels that the program has no module of

	devicePool, hostPool, managedPool poolSlot // which slotOf fills

	told  atomic.Bool   // a call has returned the fault that ended the context
	graph graphHandles  // guarded by mu
	users atomic.Int32  // beyond the first: cuCtxAttach
	cache atomic.Int32  // cudaDeviceSetCacheConfig
	flags atomic.Uint32 // cudaSetDeviceFlags
}

// loaded is an image on the context's device, or why it is not.
type loaded struct {
	*driver.Module
	err error
}

func newContext(l *library, d *driver.Device) *context {
	c := &context{
		library: l, device: d, id: l.contexts.Add(1), threads: map[uint64]*driver.Stream{},
		handles: map[uint64]any{}, pinned: map[uint64]bool{}, modules: map[*image]loaded{}, libraries: map[*cuLibrary]uint64{}, ofLibraries: map[*libraryKernel]uint64{}, functions: map[uint64]*driver.Function{},
		advice: map[streamAttribute]C.cudaLaunchAttributeValue{}, kernels: map[*driver.Function]uint64{},
	}
	c.flags.Store(deviceMapHost)
	c.slotOf(driver.DeviceMemory)
	c.graph = newGraphHandles()
	return c
}

// close gives back the device and everything on it.
func (c *context) close() error {
	err := c.device.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for addr := range c.pinned {
		freeHost(addr)
	}
	clear(c.pinned)
	clear(c.handles)
	clear(c.functions)
	clear(c.modules)
	clear(c.libraries)
	clear(c.ofLibraries)
	c.graph.free()
	return err
}

// add returns a handle for v. Handles are never used twice in a process.
func (c *context) add(v any) uint64 {
	h := c.library.newHandle()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handles[h] = v
	return h
}

// get returns what a handle stands for.
func get[T any](c *context, handle uint64) (T, error) {
	c.mu.RLock()
	v, ok := c.handles[handle].(T)
	c.mu.RUnlock()
	if !ok {
		return v, noHandle[T](c, handle)
	}
	return v, nil
}

// remove ends a handle.
func remove[T any](c *context, handle uint64) (T, error) {
	c.mu.Lock()
	v, ok := c.handles[handle].(T)
	if ok {
		delete(c.handles, handle)
	}
	c.mu.Unlock()
	if !ok {
		return v, noHandle[T](c, handle)
	}
	return v, nil
}

// noHandle is the error of a handle that is no T of the context.
func noHandle[T any](c *context, handle uint64) error {
	var want T
	kind := kindOf(want)
	if owner, err := c.library.ownerOf(c, handle); err == nil && owner != nil && owner.has(handle) {
		owner.mu.RLock()
		v := owner.handles[handle]
		owner.mu.RUnlock()
		if _, same := v.(T); same {
			return driver.Fail(driver.InvalidHandle, "0x%x is %s of another context", handle, kind)
		}
		return driver.Fail(driver.InvalidHandle, "0x%x is %s, not %s", handle, kindOf(v), kind)
	}
	if handle < lowestAddress {
		return driver.Fail(driver.InvalidHandle, "0x%x is not %s", handle, kind)
	}
	return driver.Fail(driver.InvalidHandle, "0x%x is not %s, or no longer: it was destroyed, or never made", handle, kind)
}

// kindOf names what a handle stands for: "a stream" for a *driver.Stream.
func kindOf(v any) string {
	name := fmt.Sprintf("%T", v)
	name = strings.ToLower(name[strings.LastIndex(name, ".")+1:])
	if strings.ContainsRune("aeio", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// errHandle is the error of handles that are no context's.
var errHandle = driver.Fail(driver.InvalidHandle, "the handle is not, or no longer, in use")

// The handles of streams that always exist.
const (
	streamDefault   = 0
	streamLegacy    = 1
	streamPerThread = 2
)

// threadStreams is less than the handles that stand for the default streams of threads here. Programs do not see them.
const threadStreams = 1 << 62

// stream returns the stream of a handle that args.stream gave.
func (c *context) stream(handle uint64) (*driver.Stream, error) {
	switch {
	case handle == streamDefault, handle == streamLegacy:
		return c.device.LegacyStream(), nil
	case handle > threadStreams:
		return c.threadStream(handle), nil
	}
	return get[*driver.Stream](c, handle)
}

// threadStream returns the default stream of a thread. It is a blocking stream, and ends with the thread.
func (c *context) threadStream(handle uint64) *driver.Stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.threads[handle]
	if s == nil {
		s = c.device.NewStream(driver.Blocking, 0)
		c.threads[handle] = s
	}
	return s
}

// endThread ends the default stream of a thread.
func (c *context) endThread(handle uint64) {
	c.mu.Lock()
	s := c.threads[handle]
	delete(c.threads, handle)
	c.mu.Unlock()
	if s != nil {
		s.Destroy()
	}
}

// allocHost gives the context host memory that its kernels can reach.
func (c *context) allocHost(size uint64, flags uint32) (uint64, error) {
	addr, err := newHost(size)
	if err != nil {
		return 0, err
	}
	err = c.device.RegisterHost(pointer(addr), driver.Memory{Kind: driver.PinnedMemory, Size: size, Flags: flags})
	if err != nil {
		freeHost(addr)
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pinned[addr] = true
	return addr, nil
}

// freePinned gives back what allocHost returned, in whatever context.
func (c *context) freePinned(addr uint64) error {
	ours := false
	c.library.eachContext(func(of *context) {
		of.mu.Lock()
		defer of.mu.Unlock()
		ours = ours || of.pinned[addr]
		delete(of.pinned, addr)
	})
	if !ours {
		return driver.Fail(driver.InvalidValue, "0x%x is not memory that was allocated on the host", addr)
	}
	err := c.device.UnregisterHost(pointer(addr))
	freeHost(addr)
	return err
}

// function returns the kernel that a function of the host stands for.
func (c *context) function(host uint64) (*driver.Function, error) {
	c.mu.RLock()
	f := c.functions[host]
	c.mu.RUnlock()
	if f != nil {
		return f, nil
	}
	s, ok := c.library.images.kernel(host)
	if !ok {
		if k, err := c.kernel(host); err == nil {
			return k.Function, nil // a cudaKernel_t
		}
		return nil, driver.Fail(driver.InvalidDeviceFunction, "no kernel is known under the address 0x%x", host)
	}
	m, err := c.module(s.image)
	if err != nil {
		return nil, err
	}
	f, err = m.Function(s.name)
	if err != nil {
		var e *driver.Error
		if errors.As(err, &e) && e.Code == driver.NotFound {
			return nil, driver.Fail(driver.InvalidDeviceFunction, "%v", err)
		}
		refuse(err)
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.functions[host] = f
	return f, nil
}

// variable returns the address and size of the device's variable that one of the host stands for.
func (c *context) variable(host uint64) (addr, size uint64, err error) {
	s, ok := c.library.images.variable(host)
	if !ok {
		return 0, 0, driver.Fail(driver.InvalidSymbol, "no variable is known under the address 0x%x", host)
	}
	m, err := c.module(s.image)
	if err != nil {
		return 0, 0, err
	}
	addr, size, err = m.Global(s.name)
	if err != nil {
		return 0, 0, driver.Fail(driver.InvalidSymbol, "%v", err)
	}
	return addr, size, nil
}

// module loads an image when it is needed first. What is wrong with it is reported once.
func (c *context) module(i *image) (*driver.Module, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m, ok := c.modules[i]; ok {
		return m.Module, m.err
	}
	m, err := i.load(c.device)
	if err != nil {
		refuse(err)
	}
	c.modules[i] = loaded{m, err}
	return m, err
}

// unload forgets an image.
func (c *context) unload(i *image, hosts []uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, host := range hosts {
		delete(c.functions, host)
	}
	m := c.modules[i].Module
	delete(c.modules, i)
	switch {
	case m == nil:
	case c.device.Idle():
		_ = m.Unload() // its memory is gone when the context is
	default: // the process ends, mostly, and nothing may wait for a kernel that does not
		go func() { _ = m.Unload() }()
	}
}
