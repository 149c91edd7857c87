package main

// #include <cuda_runtime_api.h>
// #include "call.h"
import "C"

import (
	"slices"
	"unsafe"

	"silica/driver"
)

var streams = works{
	"cudaStreamSynchronize":        ofStreamUncaptured(func(s *driver.Stream, _ args) error { return s.Synchronize() }),
	"cudaStreamQuery":              ofStreamUncaptured(func(s *driver.Stream, _ args) error { return s.Query() }),
	"cudaStreamGetPriority":        ofStream(func(s *driver.Stream, a args) error { return out(a, 1, C.int(s.Priority())) }),
	"cudaStreamGetFlags":           ofStream(func(s *driver.Stream, a args) error { return out(a, 1, C.uint(s.Order)) }),
	"cudaStreamGetId":              ofStream(func(s *driver.Stream, a args) error { return out(a, 1, C.ulonglong(s.ID)) }),
	"cudaStreamGetDevice":          ofStream(func(s *driver.Stream, a args) error { return out(a, 1, C.int(s.Device.Ordinal)) }),
	"cudaLaunchHostFunc":           ofStream(launchHostFunction),
	"cudaStreamAddCallback":        uncaptured(0, "a callback", ofStream(addCallback)),
	"cudaStreamCreate":             func(c *context, a args) error { return createStream(c, a, 0, 0) },
	"cudaStreamCreateWithFlags":    func(c *context, a args) error { return createStream(c, a, a.uint(1), 0) },
	"cudaStreamCreateWithPriority": func(c *context, a args) error { return createStream(c, a, a.uint(1), a.int(2)) },
	"cudaStreamDestroy":            destroyStream,
	"cudaStreamSetAttribute":       setStreamAttribute,
	"cudaStreamGetAttribute":       getStreamAttribute,
	"cudaStreamCopyAttributes":     copyStreamAttributes,
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

// ofStreamIn is ofStream for a function that needs the context.
func ofStreamIn(f func(c *context, s *driver.Stream, a args) error) work {
	return func(c *context, a args) error {
		return ofStream(func(s *driver.Stream, a args) error { return f(c, s, a) })(c, a)
	}
}

// ofStreamUncaptured is ofStream for a function that looks at the stream's work, which a thread that captures another may not.
func ofStreamUncaptured(f func(s *driver.Stream, a args) error) work {
	return ofStreamIn(func(c *context, s *driver.Stream, a args) error {
		if s.Capture() == nil {
			return notCaptured(func(_ *context, a args) error { return f(s, a) })(c, a)
		}
		return f(s, a)
	})
}

// uncaptured makes a function of one that the captured stream of argument i does not allow.
func uncaptured(i int, call string, f work) work {
	return func(c *context, a args) error {
		s, err := c.stream(a.stream(i))
		if err != nil {
			return err
		}
		if err := s.Refuse(call); err != nil {
			return err
		}
		return f(c, a)
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

// streamAttributes are the attributes of streams. They only advise a GPU: they are kept, and have no effect.
var streamAttributes = []C.cudaLaunchAttributeID{C.cudaLaunchAttributeAccessPolicyWindow, C.cudaLaunchAttributeSynchronizationPolicy,
	C.cudaLaunchAttributePriority, C.cudaLaunchAttributeMemSyncDomainMap, C.cudaLaunchAttributeMemSyncDomain}

// streamAttribute names a value that a program gave.
type streamAttribute struct {
	stream uint64
	id     C.cudaLaunchAttributeID
}

// attribute checks a stream, an attribute and the pointer to its value: arguments 0 to 2.
func (c *context) attribute(a args) (*driver.Stream, streamAttribute, *C.cudaLaunchAttributeValue, error) {
	of := streamAttribute{a.stream(0), C.cudaLaunchAttributeID(a.uint(1))}
	s, err := c.stream(of.stream)
	if err != nil {
		return s, of, nil, err
	}
	if !slices.Contains(streamAttributes, of.id) {
		return s, of, nil, driver.Fail(driver.InvalidValue, "streams have no attribute %d that can be set", of.id)
	}
	p, err := in[C.cudaLaunchAttributeValue](a, 2)
	return s, of, p, err
}

func setStreamAttribute(c *context, a args) error {
	s, of, p, err := c.attribute(a)
	if err != nil {
		return err
	}
	number := *(*C.int)(unsafe.Pointer(p))
	switch of.id {
	case C.cudaLaunchAttributePriority:
		s.SetPriority(int(number))
		return nil
	case C.cudaLaunchAttributeSynchronizationPolicy:
		if number < C.cudaSyncPolicyAuto || number > C.cudaSyncPolicyBlockingSync {
			return driver.Fail(driver.InvalidValue, "there is no synchronization policy %d", number)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advice[of] = *p
	return nil
}

func getStreamAttribute(c *context, a args) error {
	s, of, p, err := c.attribute(a)
	if err != nil {
		return err
	}
	if of.id == C.cudaLaunchAttributePriority {
		*(*C.int)(unsafe.Pointer(p)) = C.int(s.Priority())
		return nil
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	value, ok := c.advice[of]
	if !ok {
		value = defaultAttribute(of.id)
	}
	copyAttribute(of.id, p, value)
	return nil
}

func copyStreamAttributes(c *context, a args) error {
	to, from := a.stream(0), a.stream(1)
	for _, s := range []uint64{to, from} {
		if _, err := c.stream(s); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range streamAttributes {
		delete(c.advice, streamAttribute{to, id})
		if value, ok := c.advice[streamAttribute{from, id}]; ok {
			c.advice[streamAttribute{to, id}] = value
		}
	}
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
