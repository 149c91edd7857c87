package main

// #include <stdlib.h>
// #include <cuda.h>
import "C"

import (
	"bytes"
	"os"
	"path"
	"strings"
	"unsafe"

	"silica/driver"
	"silica/ptx"
)

// A linker joins PTX texts to one image.
type linker struct {
	texts     [][]byte
	image     unsafe.Pointer // memory of C
	log       uint64         // where the caller wants messages
	logMax    uint64
	registers int // of a thread at most; 0 for no limit
}

var cuLinks = works{
	"cuLinkCreate_v2":  createLinker,
	"cuLinkAddData_v2": ofLinker(linkData),
	"cuLinkAddFile_v2": ofLinker(linkFile),
	"cuLinkComplete":   ofLinker(completeLink),
	"cuLinkDestroy":    destroyLinker,
}

func ofLinker(f func(c *context, l *linker, a args) error) work {
	return func(c *context, a args) error {
		l, err := get[*linker](c, a.size(0))
		if err != nil {
			return err
		}
		return f(c, l, a)
	}
}

// checkInput refuses what holds no PTX. ours is set for the device runtime, whose functions every module has here.
func checkInput(kind int, name string) (ours bool, err error) {
	switch {
	case kind == C.CU_JIT_INPUT_PTX, kind == C.CU_JIT_INPUT_FATBINARY:
		return false, nil
	case kind == C.CU_JIT_INPUT_LIBRARY && path.Base(name) == "libcudadevrt.a":
		return true, nil
	}
	return false, driver.Fail(driver.NoBinaryForGPU, "%s: an input of kind %d for the linker; PTX is what can be linked", name, kind)
}

// add takes over an input that the linker has no copy of.
func (l *linker) add(c *context, image []byte) error {
	text, err := c.device.ProgramText(image)
	if err != nil {
		refuse(err)
		return err
	}
	l.texts = append(l.texts, bytes.Clone(text))
	return nil
}

func linkData(c *context, l *linker, a args) error {
	name := "linked data"
	if a.size(4) >= lowestAddress {
		name = string(textAt(a.size(4)))
	}
	if ours, err := checkInput(a.int(1), name); ours || err != nil {
		return err
	}
	if a.size(2) < lowestAddress {
		return errNull
	}
	return l.add(c, unsafe.Slice((*byte)(a.pointer(2)), a.size(3)))
}

func linkFile(c *context, l *linker, a args) error {
	if a.size(2) < lowestAddress {
		return errNull
	}
	name := string(textAt(a.size(2)))
	ours, wrong := checkInput(a.int(1), name)
	if ours {
		return nil
	}
	image, err := os.ReadFile(name)
	if err != nil {
		return driver.Fail(driver.FileNotFound, "%v", err)
	}
	if wrong != nil {
		return wrong
	}
	return l.add(c, image)
}

// createLinker keeps where errors are to be written, and the limit of registers; other options advise a compiler.
func createLinker(c *context, a args) error {
	if a.uint(0) > 0 && (a.size(1) == 0 || a.size(2) == 0) {
		return errNull
	}
	l := &linker{registers: maxRegisters(a.pointer(1), a.pointer(2), a.uint(0))}
	options := unsafe.Slice((*C.CUjit_option)(a.pointer(1)), a.uint(0))
	values := unsafe.Slice((*uint64)(a.pointer(2)), a.uint(0))
	var info, infoSize uint64 // nothing is said there
	for i, option := range options {
		switch option {
		case C.CU_JIT_INFO_LOG_BUFFER:
			info = values[i]
		case C.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
			infoSize = uint64(uint32(values[i]))
		case C.CU_JIT_ERROR_LOG_BUFFER:
			l.log = values[i]
		case C.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
			l.logMax = uint64(uint32(values[i]))
		}
	}
	if info != 0 && infoSize > 0 {
		copyText(pointer(info), int(infoSize), "")
	}
	return allocate(a, 3, func() (uint64, error) { return c.add(l), nil })
}

// join links PTX texts.
func join(texts [][]byte) ([]byte, error) {
	if len(texts) == 1 {
		return texts[0], nil
	}
	m, err := link(texts)
	if err != nil {
		return nil, err
	}
	return ptx.Format(m), nil
}

func link(texts [][]byte) (*ptx.Module, error) {
	var modules []*ptx.Module
	for _, text := range texts {
		m, err := ptx.Parse(moduleName(text), text)
		if err != nil {
			return nil, driver.Fail(driver.InvalidPTX, "%v", err)
		}
		modules = append(modules, m)
	}
	m, err := ptx.Link(modules...)
	if err != nil {
		return nil, driver.Fail(driver.InvalidImage, "%v", err)
	}
	return m, nil
}

// complete returns the linked text.
func (l *linker) complete() ([]byte, error) {
	m, err := link(l.texts)
	if err != nil {
		return nil, err
	}
	if missing := driver.Unresolved(m); len(missing) > 0 {
		return nil, driver.Fail(driver.Unknown, "undefined reference to %s", strings.Join(missing, ", "))
	}
	ptx.LimitRegisters(m, l.registers)
	return ptx.Format(m), nil
}

// completeLink answers an image that belongs to the linker: PTX, which cuModuleLoadData takes.
func completeLink(_ *context, l *linker, a args) error {
	if a.size(1) < lowestAddress {
		return errNull
	}
	text, err := l.complete()
	if err != nil {
		refuse(err)
		if l.log != 0 && l.logMax > 0 {
			copyText(pointer(l.log), int(l.logMax), err.Error())
		}
		return err
	}
	C.free(l.image)
	l.image = C.calloc(1, C.size_t(len(text)+1))
	copy(unsafe.Slice((*byte)(l.image), len(text)), text)
	if a.size(2) != 0 {
		*(*uint64)(a.pointer(2)) = uint64(len(text) + 1)
	}
	return out(a, 1, uint64(uintptr(l.image)))
}

func destroyLinker(c *context, a args) error {
	l, err := remove[*linker](c, a.size(0))
	if err != nil {
		return err
	}
	C.free(l.image)
	return nil
}
