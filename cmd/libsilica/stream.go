package main

// #include <cuda_runtime_api.h>
// #include "call.h"
import "C"

import (
	"slices"

	"silica/driver"
)

var streams = works{
	"cudaStreamSynchronize":        ofStream(func(s *driver.Stream, _ args) error { return s.Synchronize() }),
	"cudaStreamQuery":              ofStream(func(s *driver.Stream, _ args) error { return s.Query() }),
	"cudaStreamGetPriority":        ofStream(func(s *driver.Stream, a args) error { return out(a, 1, C.int(s.Priority)) }),
	"cudaStreamGetFlags":           ofStream(func(s *driver.Stream, a args) error { return out(a, 1, C.uint(s.Order)) }),
	"cudaStreamGetId":              ofStream(func(s *driver.Stream, a args) error { return out(a, 1, C.ulonglong(s.ID)) }),
	"cudaStreamGetDevice":          ofStream(func(s *driver.Stream, a args) error { return out(a, 1, C.int(s.Device.Ordinal)) }),
	"cudaLaunchHostFunc":           ofStream(launchHostFunction),
	"cudaStreamAddCallback":        ofStream(addCallback),
	"cudaStreamCreate":             func(c *context, a args) error { return createStream(c, a, 0, 0) },
	"cudaStreamCreateWithFlags":    func(c *context, a args) error { return createStream(c, a, a.uint(1), 0) },
	"cudaStreamCreateWithPriority": func(c *context, a args) error { return createStream(c, a, a.uint(1), a.int(2)) },
	"cudaStreamDestroy":            destroyStream,
	"cudaStreamSetAttribute":       setStreamAttribute,
	"cudaStreamGetAttribute":       getStreamAttribute,
	"cudaStreamWaitEvent":          waitEvent,
}

// ofStream makes a function of one whose first argument is a stream.
func ofStream(f func(s *driver.Stream, a args) error) work {
	return func(c *context, a args) error {
		s, err := c.stream(a.stream(0))
		if err != nil {
			return err
		}
		return f(s, a)
	}
}

func createStream(c *context, a args, flags uint32, priority int) error {
	if flags != C.cudaStreamDefault && flags != C.cudaStreamNonBlocking {
		return driver.Fail(driver.InvalidValue, "a stream with the flags 0x%x", flags)
	}
	return allocate(a, 0, func() (uint64, error) { return c.add(c.device.NewStream(driver.Order(flags), priority)), nil })
}

func destroyStream(c *context, a args) error {
	s, err := remove[*driver.Stream](c, a.size(0))
	if err == nil {
		s.Destroy()
	}
	return err
}

// streamAttributes are the attributes of streams that only advise a GPU: they are kept, and have no effect.
var streamAttributes = []int{C.cudaLaunchAttributeAccessPolicyWindow, C.cudaLaunchAttributeSynchronizationPolicy, C.cudaLaunchAttributeMemSyncDomainMap,
	C.cudaLaunchAttributeMemSyncDomain}

// streamAttribute names a value that a program gave.
type streamAttribute struct {
	stream uint64
	id     int
}

// attribute checks a stream, an attribute and the pointer to its value: arguments 0 to 2.
func (c *context) attribute(a args) (streamAttribute, *C.cudaLaunchAttributeValue, error) {
	s := streamAttribute{a.stream(0), a.int(1)}
	if _, err := c.stream(s.stream); err != nil {
		return s, nil, err
	}
	if !slices.Contains(streamAttributes, s.id) {
		return s, nil, driver.Fail(driver.InvalidValue, "streams have no attribute %d that can be set", s.id)
	}
	p, err := in[C.cudaLaunchAttributeValue](a, 2)
	return s, p, err
}

func setStreamAttribute(c *context, a args) error {
	s, p, err := c.attribute(a)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advice[s] = *p
	return nil
}

// getStreamAttribute answers zeros for what was not set.
func getStreamAttribute(c *context, a args) error {
	s, p, err := c.attribute(a)
	if err != nil {
		return err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	*p = c.advice[s]
	return nil
}

func waitEvent(c *context, a args) error {
	s, err := c.stream(a.stream(0))
	if err != nil {
		return err
	}
	owner, err := c.library.ownerOf(c, a.size(1))
	if err != nil {
		return err
	}
	e, err := get[*driver.Event](owner, a.size(1))
	if err != nil {
		return err
	}
	if a.uint(2)&^C.cudaEventWaitExternal != 0 {
		return driver.Fail(driver.InvalidValue, "waiting with the flags 0x%x", a.uint(2))
	}
	return s.WaitEvent(e)
}

// hostFunction is a function of the host and its argument.
type hostFunction struct{ function, data uint64 }

func (f hostFunction) Call() { C.silica_call_host_function(C.uint64_t(f.function), C.uint64_t(f.data)) }

// callback is a function of cudaStreamAddCallback.
type callback struct{ stream, function, data uint64 }

func (f callback) Call() {
	C.silica_call_stream_callback(C.uint64_t(f.function), C.uint64_t(f.stream), C.int(driver.Success), C.uint64_t(f.data))
}

func launchHostFunction(s *driver.Stream, a args) error {
	if a.size(1) == 0 {
		return errNull
	}
	return s.Submit(driver.HostCall{Host: hostFunction{a.size(1), a.size(2)}}, false)
}

func addCallback(s *driver.Stream, a args) error {
	if a.size(1) == 0 {
		return errNull
	}
	if a.uint(3) != 0 {
		return driver.Fail(driver.InvalidValue, "flags are 0, not 0x%x", a.uint(3))
	}
	return s.Submit(driver.HostCall{Host: callback{a.size(0), a.size(1), a.size(2)}}, false)
}
