package main

// #include <stdlib.h>
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"silica/driver"
)

// library is what a process has of CUDA.
type library struct {
	settings func() (settings, error) // read once
	output   output
	handles  atomic.Uint64 // given out so far

	mu      sync.Mutex
	primary *context // nil before the first use and after cudaDeviceReset
	images  images
	texts   map[string]uint64 // C strings that were handed out
}

func newLibrary() *library {
	l := &library{texts: map[string]uint64{}}
	l.settings = sync.OnceValues(func() (settings, error) {
		s, err := readSettings()
		if err != nil {
			report(err.Error())
		}
		return s, err
	})
	return l
}

// context returns the thread's current context. Without a program's choice it is the primary one, made when it is needed.
func (l *library) context(a args) (*context, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.primary == nil {
		c, err := l.newContext()
		if err != nil {
			return nil, err
		}
		l.primary = c
	}
	return l.primary, nil
}

// newHandle returns a number that was no handle before. It is above the small ones that have meanings of their own.
func (l *library) newHandle() uint64 { return 0x5111ca0000 + l.handles.Add(1)*16 }

// text returns the address of a C string that stays.
func (l *library) text(s string) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	addr, ok := l.texts[s]
	if !ok {
		addr = uint64(uintptr(unsafe.Pointer(C.CString(s))))
		l.texts[s] = addr
	}
	return addr
}

// eachContext calls f for every context.
func (l *library) eachContext(f func(c *context)) {
	l.mu.Lock()
	c := l.primary
	l.mu.Unlock()
	if c != nil {
		f(c)
	}
}

// newContext opens a device.
func (l *library) newContext() (*context, error) {
	s, err := l.settings()
	if err != nil {
		return nil, driver.Fail(driver.NoDevice, "%v", err)
	}
	d, err := driver.Open(s.gpu, s.options(&l.output))
	if err != nil {
		report(err.Error())
		return nil, err
	}
	return newContext(l, d), nil
}

// reset ends the primary context.
func (l *library) reset() error {
	l.mu.Lock()
	c := l.primary
	l.primary = nil
	l.mu.Unlock()
	if c == nil {
		return nil
	}
	return c.close()
}

// exit is the end of the process.
func (l *library) exit() { l.output.flush() }
