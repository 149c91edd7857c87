package main

// #include <string.h>
import "C"

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"sync"
	"unsafe"

	"silica/driver"
)

// images are the device programs that a process holds, and the addresses under which its host code knows their parts.
// They are registered before main and loaded when they are needed.
type images struct {
	mu        sync.RWMutex
	live      map[uint64]*image // by handle
	kernels   map[uint64]symbol // by host address
	variables map[uint64]symbol
}

// image is one device program.
type image struct {
	data      uint64                         // its address
	variables map[string]driver.HostVariable // by name
	pointers  map[string]uint64              // addresses of the host's pointers to managed variables, by name
}

// symbol is a kernel or a variable of an image.
type symbol struct {
	image *image
	name  string
}

// wrapper is what the argument of __cudaRegisterFatBinary points to.
type wrapper struct {
	magic, version int32
	data           uint64
	_              uint64
}

const wrapperMagic = 0x466243b1

var registration = functions{
	"__cudaRegisterFatBinary":    registerImage,
	"__cudaRegisterFatBinaryEnd": loadManaged,
	"__cudaUnregisterFatBinary":  unregisterImage,
	"__cudaRegisterFunction":     registerKernel,
	"__cudaRegisterVar":          registerVariable,
	"__cudaRegisterManagedVar":   registerPointer,
}

func registerImage(l *library, a args) error {
	w, err := in[wrapper](a, 0)
	if err != nil {
		return err
	}
	if w.magic != wrapperMagic {
		return driver.Fail(driver.InvalidImage, "no device program at 0x%x", a.size(0))
	}
	h := l.newHandle()
	i := &l.images
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.live == nil {
		i.live, i.kernels, i.variables = map[uint64]*image{}, map[uint64]symbol{}, map[uint64]symbol{}
	}
	i.live[h] = &image{data: w.data, variables: map[string]driver.HostVariable{}, pointers: map[string]uint64{}}
	return out(a, 1, h)
}

// registerKernel is called with the image's handle, the address of the host's function and the kernel's name.
func registerKernel(l *library, a args) error {
	return l.images.register(a, func(i *image, host uint64, name string) { l.images.kernels[host] = symbol{i, name} })
}

// registerVariable is called with the image's handle, the address of the host's variable, its name and its size.
func registerVariable(l *library, a args) error {
	return l.images.register(a, func(i *image, host uint64, name string) {
		l.images.variables[host] = symbol{i, name}
		i.variables[name] = driver.HostVariable{Address: pointer(host), Size: a.size(3)}
	})
}

// registerPointer is called with the image's handle, the address of the host's pointer to a managed variable and its name.
func registerPointer(l *library, a args) error {
	return l.images.register(a, func(i *image, host uint64, name string) {
		l.images.variables[host] = symbol{i, name}
		i.pointers[name] = host
	})
}

func (i *images) register(a args, enter func(i *image, host uint64, name string)) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	image, ok := i.live[a.size(0)]
	if !ok {
		return errHandle
	}
	enter(image, a.size(1), C.GoString((*C.char)(a.pointer(2))))
	return nil
}

// loadManaged loads an image that has managed variables: the host may use them before it calls anything.
func loadManaged(l *library, a args) error {
	l.images.mu.RLock()
	i, ok := l.images.live[a.size(0)]
	l.images.mu.RUnlock()
	if !ok {
		return errHandle
	}
	if text, err := imageText(i.data); err != nil || !bytes.Contains(text, []byte(".attribute(.managed)")) {
		return nil // an image that is not understood is reported when it is needed
	}
	c, err := l.runtimeContext(a)
	if err != nil {
		return err
	}
	_, err = c.module(i)
	return err
}

// unregisterImage forgets an image: the process ends, or unloads the library that held it.
func unregisterImage(l *library, a args) error {
	l.images.mu.Lock()
	i := l.images.live[a.size(0)]
	delete(l.images.live, a.size(0))
	var hosts []uint64
	for host, s := range l.images.kernels {
		if s.image == i {
			hosts = append(hosts, host)
			delete(l.images.kernels, host)
		}
	}
	for host, s := range l.images.variables {
		if s.image == i {
			delete(l.images.variables, host)
		}
	}
	l.images.mu.Unlock()
	l.eachContext(func(c *context) { c.unload(i, hosts) })
	return nil
}

func (i *images) kernel(host uint64) (symbol, bool) {
	i.mu.RLock()
	defer i.mu.RUnlock()
	s, ok := i.kernels[host]
	return s, ok
}

func (i *images) variable(host uint64) (symbol, bool) {
	i.mu.RLock()
	defer i.mu.RUnlock()
	s, ok := i.variables[host]
	return s, ok
}

// textAt returns the bytes from addr to the next zero byte.
func textAt(addr uint64) []byte {
	p := pointer(addr)
	return unsafe.Slice((*byte)(p), C.strlen((*C.char)(p)))
}

// load loads the image on a device.
func (i *image) load(d *driver.Device) (*driver.Module, error) {
	text, err := imageText(i.data)
	if err != nil {
		return nil, err
	}
	m, err := d.LoadPTXFor(i.variables, moduleName(text), text)
	if err != nil {
		return nil, err
	}
	for name, host := range i.pointers {
		addr, _, err := m.Global(name)
		if err != nil {
			return nil, err
		}
		*(*uint64)(pointer(host)) = addr
	}
	return m, nil
}

var sourceFile = regexp.MustCompile(`(?m)^\s*\.file\s+\d+\s+"([^"]+\.(?:cu|cuh|cpp|cc|cxx|c))"`)

// moduleName names a module in messages after the source it was compiled from.
func moduleName(ptx []byte) string {
	m := sourceFile.FindSubmatch(ptx)
	if m == nil {
		return "module.ptx"
	}
	name := path.Base(string(m[1]))
	return strings.TrimSuffix(name, path.Ext(name)) + ".ptx"
}
