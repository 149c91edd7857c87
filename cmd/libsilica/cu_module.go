package main

// #include <cuda.h>
import "C"

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"unsafe"

	"silica/driver"
	"silica/ptx"
)

var cuModules = works{
	"cuModuleLoad":          cuModuleLoad,
	"cuModuleLoadData":      cuModuleLoadData,
	"cuModuleLoadDataEx":    cuModuleLoadDataEx,
	"cuModuleLoadFatBinary": cuModuleLoadData,
	"cuModuleUnload":        cuModuleUnload,
	"cuModuleGetFunction":   cuModuleGetFunction,
	"cuModuleGetGlobal_v2":  cuModuleGetGlobal,
	"cuModuleGetFunctionCount": func(c *context, a args) error {
		m, err := get[*module](c, a.size(1))
		if err != nil {
			return err
		}
		return out(a, 0, C.uint(len(m.Kernels())))
	},
	"cuModuleEnumerateFunctions": func(c *context, a args) error {
		m, err := get[*module](c, a.size(2))
		if err != nil {
			return err
		}
		return enumerateFunctions(c, m, a.size(2), a)
	},
}

// module is a module as the driver API hands it out.
type module struct {
	*driver.Module
	functions map[string]uint64 // handles, by name
}

// kernel is a function as the driver API hands it out.
type kernel struct {
	*driver.Function
	module uint64 // handle
	old    oldLaunch
}

func cuModuleLoad(c *context, a args) error {
	if a.size(1) == 0 {
		return errNull
	}
	name := string(textAt(a.size(1)))
	image, err := os.ReadFile(name)
	if err != nil {
		return driver.Fail(driver.FileNotFound, "%v", err)
	}
	return loadModule(c, a, name, image, 0)
}

func cuModuleLoadData(c *context, a args) error { return loadData(c, a, 0) }

// loadData loads an image in memory, with a limit of registers.
func loadData(c *context, a args, registers int) error {
	if a.size(1) == 0 {
		return errNull
	}
	image, err := imageAt(a.size(1))
	if err != nil {
		return err
	}
	return loadModule(c, a, "", image, registers)
}

// loadModule loads an image that is known under a file's name, or under that of its source when it has none. What is wrong
// with it is reported, since callers show only the code.
func loadModule(c *context, a args, file string, image []byte, registers int) error {
	return allocate(a, 0, func() (uint64, error) { return newModule(c, file, image, registers) })
}

// newModule returns the handle of a new module, whose kernels have a limit of registers a thread unless that is 0.
func newModule(c *context, file string, image []byte, registers int) (uint64, error) {
	text, err := c.device.ProgramText(image)
	if err != nil {
		refuse(err)
		return 0, err
	}
	file = cmp.Or(file, moduleName(text))
	if !bytes.Contains(text, []byte(".version")) {
		return 0, driver.Fail(driver.InvalidImage, "%s: not a device program", file)
	}
	if tree, err := ptx.Parse(file, text); registers > 0 && err == nil {
		ptx.LimitRegisters(tree, registers)
		text = ptx.Format(tree)
	}
	m, err := c.device.LoadPTX(file, text)
	if err != nil {
		refuse(err)
		var e *driver.Error
		if errors.As(err, &e) && e.Code == driver.NoBinaryForGPU {
			return 0, driver.Fail(driver.InvalidPTX, "%s", e.Msg)
		}
		return 0, err
	}
	return c.add(&module{m, map[string]uint64{}}), nil
}

// cuModuleLoadDataEx writes what is wrong with the PTX to the caller's error log, too, and limits registers. Other options advise a compiler.
func cuModuleLoadDataEx(c *context, a args) error {
	if a.uint(2) > 0 && (a.size(3) == 0 || a.size(4) == 0) {
		return errNull
	}
	var log, size, info, infoSize uint64
	var sizeAt *uint64
	options := unsafe.Slice((*C.CUjit_option)(a.pointer(3)), a.uint(2))
	values := unsafe.Slice((*uint64)(a.pointer(4)), a.uint(2))
	for i, option := range options {
		switch option {
		case C.CU_JIT_ERROR_LOG_BUFFER:
			log = values[i]
		case C.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
			size, sizeAt = uint64(uint32(values[i])), &values[i]
		case C.CU_JIT_INFO_LOG_BUFFER:
			info = values[i]
		case C.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
			infoSize, values[i] = uint64(uint32(values[i])), 0 // nothing is said
		}
	}
	if info != 0 && infoSize > 0 {
		copyText(pointer(info), int(infoSize), "")
	}
	err := loadData(c, a, maxRegisters(a.pointer(3), a.pointer(4), a.uint(2)))
	text := ""
	if err != nil {
		text = err.Error()
	}
	if log != 0 && size > 0 {
		copyText(pointer(log), int(size), text)
	}
	if sizeAt != nil {
		*sizeAt = min(size, uint64(len(text)))
	}
	return err
}

// maxRegisters returns the limit of registers that n options of a compiler set, 0 for none.
func maxRegisters(options, values unsafe.Pointer, n uint32) (limit int) {
	for i, option := range unsafe.Slice((*C.CUjit_option)(options), n) {
		if option == C.CU_JIT_MAX_REGISTERS {
			limit = int(uint32(unsafe.Slice((*uint64)(values), n)[i]))
		}
	}
	return limit
}

func cuModuleUnload(c *context, a args) error { return unloadModule(c, a.size(0)) }

func unloadModule(c *context, handle uint64) error {
	m, err := remove[*module](c, handle)
	if err != nil {
		return err
	}
	for _, handle := range m.functions {
		_, _ = remove[*kernel](c, handle) // the module's own
	}
	return m.Unload()
}

func cuModuleGetFunction(c *context, a args) error {
	m, err := get[*module](c, a.size(1))
	if err != nil {
		return err
	}
	if a.size(2) == 0 {
		return errNull
	}
	name := string(textAt(a.size(2)))
	if name == "" {
		return driver.Fail(driver.InvalidValue, "the name of a function is empty")
	}
	return allocate(a, 0, func() (uint64, error) { return moduleFunction(c, m, a.size(1), name) })
}

// moduleFunction returns the handle of a function of the module with that handle.
func moduleFunction(c *context, m *module, handle uint64, name string) (uint64, error) {
	f, err := m.Function(name)
	if err != nil {
		var e *driver.Error
		if !errors.As(err, &e) || e.Code != driver.NotFound {
			refuse(err)
		}
		return 0, err
	}
	return c.functionHandle(m, name, &kernel{Function: f, module: handle}), nil
}

// functionHandle returns the handle of a module's function: the same each time.
func (c *context) functionHandle(m *module, name string, k *kernel) uint64 {
	handle := c.add(k)
	c.mu.Lock()
	defer c.mu.Unlock()
	if before, ok := m.functions[name]; ok {
		delete(c.handles, handle)
		return before
	}
	m.functions[name] = handle
	return handle
}

// enumerateFunctions answers the functions of the module with that handle, as many as argument 1 says.
func enumerateFunctions(c *context, m *module, handle uint64, a args) error {
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

func cuModuleGetGlobal(c *context, a args) error {
	m, err := get[*module](c, a.size(2))
	if err != nil {
		return err
	}
	return getGlobal(m, a)
}

// getGlobal answers the address and the size of the variable that argument 3 names.
func getGlobal(m *module, a args) error {
	if a.size(3) == 0 {
		return errNull
	}
	addr, size, err := m.Global(string(textAt(a.size(3))))
	if err != nil {
		return err
	}
	for i, value := range []uint64{addr, size} { // either may be left out
		if a.size(i) != 0 {
			*(*uint64)(a.pointer(i)) = value
		}
	}
	return nil
}
