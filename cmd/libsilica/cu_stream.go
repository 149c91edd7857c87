package main

// #include <cuda.h>
import "C"

import "silica/driver"

// cuStreams are the functions of streams and events, which work as those of the runtime API.
var cuStreams = works{
	"cuStreamCreate":             streams["cudaStreamCreateWithFlags"],
	"cuStreamCreateWithPriority": streams["cudaStreamCreateWithPriority"],
	"cuStreamDestroy_v2":         streams["cudaStreamDestroy"],
	"cuStreamSynchronize":        streams["cudaStreamSynchronize"],
	"cuStreamQuery":              streams["cudaStreamQuery"],
	"cuStreamWaitEvent":          streams["cudaStreamWaitEvent"],
	"cuStreamAddCallback":        streams["cudaStreamAddCallback"],
	"cuStreamGetPriority":        streams["cudaStreamGetPriority"],
	"cuStreamGetFlags":           streams["cudaStreamGetFlags"],
	"cuStreamGetId":              streams["cudaStreamGetId"],
	"cuStreamGetDevice":          streams["cudaStreamGetDevice"],
	"cuStreamGetCtx":             ofStreamIn(streamContext),
	"cuStreamGetCtx_v2":          ofStreamIn(streamContexts),
	"cuStreamGetGreenCtx":        ofStreamIn(streamGreenContext),
	"cuStreamSetAttribute":       streams["cudaStreamSetAttribute"],
	"cuStreamGetAttribute":       streams["cudaStreamGetAttribute"],
	"cuStreamCopyAttributes":     streams["cudaStreamCopyAttributes"],
	"cuCtxRecordEvent":           ofContextAndEvent((*driver.Event).RecordAll),
	"cuCtxWaitEvent":             ofContextAndEvent((*driver.Event).HoldAll),
	"cuEventCreate":              events["cudaEventCreateWithFlags"],
	"cuEventDestroy_v2":          events["cudaEventDestroy"],
	"cuEventRecord":              events["cudaEventRecord"],
	"cuEventRecordWithFlags":     events["cudaEventRecordWithFlags"],
	"cuEventQuery":               events["cudaEventQuery"],
	"cuEventSynchronize":         events["cudaEventSynchronize"],
	"cuEventElapsedTime":         events["cudaEventElapsedTime"],
	"cuEventElapsedTime_v2":      events["cudaEventElapsedTime"],
}

// ofContextAndEvent makes a function of one whose arguments are a context and an event, which is of that context where it is recorded.
func ofContextAndEvent(f func(e *driver.Event, d *driver.Device, streams ...*driver.Stream) error) work {
	return func(c *context, a args) error {
		if a.size(0) == 0 {
			return errNoContext
		}
		of, err := c.named(a.size(0))
		if err != nil {
			return err
		}
		owner, err := c.library.ownerOf(of, a.size(1))
		if err != nil {
			return err
		}
		e, err := get[*driver.Event](owner, a.size(1))
		if err != nil {
			return err
		}
		return f(e, of.device)
	}
}

// streamContext answers the context in which the stream is: that of a green one, if it is of one.
func streamContext(c *context, s *driver.Stream, a args) error {
	if g := c.library.greenOf(s); g != nil {
		return out(a, 1, g.context)
	}
	return out(a, 1, c.handle)
}

// streamContexts answers the green context of the stream, too.
func streamContexts(c *context, s *driver.Stream, a args) error {
	if err := streamContext(c, s, a); err != nil || a.size(2) == 0 {
		return err
	}
	return out(a, 2, c.library.greenOf(s).green())
}

func streamGreenContext(c *context, s *driver.Stream, a args) error {
	return out(a, 1, c.library.greenOf(s).green())
}

// green returns the handle of a green context, 0 for nil.
func (g *greenContext) green() uint64 {
	if g == nil {
		return 0
	}
	return g.handle
}
