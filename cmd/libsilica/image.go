package main

// #include <string.h>
import "C"

import (
	"bytes"
	"encoding/binary"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"silica/driver"
	"silica/internal/fatbin"
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
	parts     []uint64                       // its addresses: several when nvcc linked it from separate compilations
	variables map[string]driver.HostVariable // by name
	pointers  map[string]uint64              // addresses of the host's pointers to managed variables, by name
}

// symbol is a kernel or a variable of an image.
type symbol struct {
	image *image
	name  string
}

// wrapper is what the argument of __cudaRegisterFatBinary points to. In version 2 data is what nvcc linked, machine code,
// and parts the addresses of what it linked that from, up to a null pointer.
type wrapper struct {
	magic, version uint32
	data           uint64
	parts          uint64
}

// addresses returns where the program is.
func (w *wrapper) addresses() []uint64 {
	if w.version != 2 || w.parts < lowestAddress {
		return []uint64{w.data}
	}
	var all []uint64
	for p := w.parts; *(*uint64)(pointer(p)) != 0; p += 8 {
		all = append(all, *(*uint64)(pointer(p)))
	}
	return all
}

var registration = functions{
	"__cudaRegisterFatBinary":    registerImage,
	"__cudaRegisterFatBinaryEnd": loadManaged,
	"__cudaUnregisterFatBinary":  unregisterImage,
	"__cudaRegisterFunction":     registerKernel,
	"__cudaRegisterVar":          registerVariable,
	"__cudaRegisterManagedVar":   registerPointer,
}

// registerImage is called with the image and the handle that it shall have.
func registerImage(l *library, a args) error {
	w, err := in[wrapper](a, 0)
	if err != nil {
		return err
	}
	if w.magic != fatbin.WrapperMagic {
		return driver.Fail(driver.InvalidImage, "no device program at 0x%x", a.size(0))
	}
	i := &l.images
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.live == nil {
		i.live, i.kernels, i.variables = map[uint64]*image{}, map[uint64]symbol{}, map[uint64]symbol{}
	}
	i.live[a.size(1)] = &image{parts: w.addresses(), variables: map[string]driver.HostVariable{}, pointers: map[string]uint64{}}
	return nil
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
	if len(i.pointers) == 0 && !i.hasManagedText() {
		return nil
	}
	l.mu.Lock()
	c, err := l.primaryContext(0)
	if err == nil {
		c.implicit = true
	}
	l.mu.Unlock()
	if err != nil {
		return err
	}
	_, err = c.module(i)
	return err
}

// unregisterImage forgets an image: the process ends, or unloads the library that held it.
func unregisterImage(l *library, a args) error {
	l.images.mu.Lock()
	i, ok := l.images.live[a.size(0)]
	if !ok {
		l.images.mu.Unlock()
		return errHandle
	}
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

// hasManagedText tells whether the program is PTX with managed variables. clang registers them like others; nvcc, whose programs
// are fat binaries, gives the host pointers to them.
func (i *image) hasManagedText() bool {
	return slices.ContainsFunc(i.parts, func(part uint64) bool {
		text, err := imageAt(part)
		return err == nil && bytes.Contains(text, []byte(".attribute(.managed)"))
	})
}

// imageAt returns the device program at an address: a fat binary, the beginning of machine code, or text that ends with a zero byte.
func imageAt(addr uint64) ([]byte, error) {
	if addr < lowestAddress {
		return nil, errNull
	}
	switch p := (*[fatbin.HeaderBytes]byte)(pointer(addr)); binary.LittleEndian.Uint32(p[:]) {
	case fatbin.WrapperMagic:
		return imageAt((*wrapper)(pointer(addr)).data)
	case fatbin.Magic:
		n, err := fatbin.Size(p[:])
		if err != nil {
			return nil, driver.Fail(driver.InvalidImage, "%v", err)
		}
		return unsafe.Slice((*byte)(pointer(addr)), n), nil
	case fatbin.ELFMagic:
		return p[:], nil
	}
	return textAt(addr), nil
}

// textAt returns the bytes from addr to the next zero byte.
func textAt(addr uint64) []byte {
	p := pointer(addr)
	return unsafe.Slice((*byte)(p), C.strlen((*C.char)(p)))
}

// text returns the image's PTX for a device, linked from its parts.
func (i *image) text(d *driver.Device) ([]byte, error) {
	var texts [][]byte
	for _, addr := range i.parts {
		data, err := imageAt(addr)
		if err != nil {
			return nil, err
		}
		if len(i.parts) > 1 && driver.IsDeviceRuntime(data) {
			continue
		}
		text, err := d.ProgramText(data)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return join(texts)
}

// hosts returns the variables of the host in which managed ones live: its own, and those that another device has allocated for the
// host's pointers.
func (i *image) hosts(d *driver.Device) map[string]driver.HostVariable {
	all := maps.Clone(i.variables)
	for name, host := range i.pointers {
		addr := *(*uint64)(pointer(host))
		if m := d.MemoryAt(addr); m.Kind == driver.ManagedMemory && m.Base == addr {
			all[name] = driver.HostVariable{Address: pointer(addr), Size: m.Size}
		}
	}
	return all
}

// load loads the image on a device.
func (i *image) load(d *driver.Device) (*driver.Module, error) {
	text, err := i.text(d)
	if err != nil {
		return nil, err
	}
	m, err := d.LoadPTXFor(i.hosts(d), moduleName(text), text)
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
