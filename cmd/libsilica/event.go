package main

// #include <cuda_runtime_api.h>
import "C"

import (
	"time"

	"silica/driver"
)

var events = works{
	"cudaEventCreate":          func(c *context, a args) error { return createEvent(c, a, 0) },
	"cudaEventCreateWithFlags": func(c *context, a args) error { return createEvent(c, a, a.uint(1)) },
	"cudaEventDestroy":         destroyEvent,
	"cudaEventRecord":          func(c *context, a args) error { return recordEvent(c, a, 0) },
	"cudaEventRecordWithFlags": func(c *context, a args) error { return recordEvent(c, a, a.uint(2)) },
	"cudaEventQuery":           ofEventUncaptured((*driver.Event).Query),
	"cudaEventSynchronize":     ofEventUncaptured((*driver.Event).Synchronize),
	"cudaEventElapsedTime":     elapsedTime,
	"cudaEventElapsedTime_v2":  elapsedTime,
}

func createEvent(c *context, a args, flags uint32) error {
	const known = C.cudaEventBlockingSync | C.cudaEventDisableTiming | C.cudaEventInterprocess
	if flags&^known != 0 || flags&C.cudaEventInterprocess != 0 && flags&C.cudaEventDisableTiming == 0 {
		return driver.Fail(driver.InvalidValue, "an event with the flags 0x%x", flags)
	}
	e := &driver.Event{Device: c.device, Timing: flags&C.cudaEventDisableTiming == 0}
	if flags&C.cudaEventInterprocess != 0 {
		if err := e.Share(); err != nil {
			return err
		}
	}
	return allocate(a, 0, func() (uint64, error) { return c.add(e), nil })
}

func destroyEvent(c *context, a args) error {
	e, err := remove[*driver.Event](c, a.size(0))
	if err == nil {
		e.Close()
	}
	return err
}

func recordEvent(c *context, a args, flags uint32) error {
	e, err := get[*driver.Event](c, a.size(0))
	if err != nil {
		return err
	}
	if flags&^C.cudaEventRecordExternal != 0 {
		return driver.Fail(driver.InvalidValue, "recording with the flags 0x%x", flags)
	}
	s, err := c.stream(a.stream(1))
	if err != nil {
		return err
	}
	return e.Record(s)
}

// ofEventUncaptured makes a function of one that looks at the work before an event, which a thread that captures a stream may not.
func ofEventUncaptured(f func(e *driver.Event) error) work {
	return func(c *context, a args) error {
		e, err := get[*driver.Event](c, a.size(0))
		if err != nil {
			return err
		}
		if !e.Captured() {
			err = c.device.Unsafe(a.threadName(), driver.CaptureMode(a.thread.capture_mode))
		}
		if err == nil {
			err = f(e)
		}
		if err != nil {
			return err
		}
		return c.device.Status()
	}
}

func elapsedTime(c *context, a args) error {
	start, err := get[*driver.Event](c, a.size(1))
	if err != nil {
		return err
	}
	end, err := get[*driver.Event](c, a.size(2))
	if err != nil {
		return err
	}
	d, err := end.Since(start)
	if err != nil {
		return err
	}
	return out(a, 0, C.float(float64(d)/float64(time.Millisecond)))
}
