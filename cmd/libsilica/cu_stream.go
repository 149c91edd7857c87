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
	"cuStreamGetCtx":             streamContext,
	"cuEventCreate":              events["cudaEventCreateWithFlags"],
	"cuEventDestroy_v2":          events["cudaEventDestroy"],
	"cuEventRecord":              events["cudaEventRecord"],
	"cuEventRecordWithFlags":     events["cudaEventRecordWithFlags"],
	"cuEventQuery":               events["cudaEventQuery"],
	"cuEventSynchronize":         events["cudaEventSynchronize"],
	"cuEventElapsedTime":         events["cudaEventElapsedTime"],
	"cuEventElapsedTime_v2":      events["cudaEventElapsedTime"],
}

// streamContext answers the current context, in which the stream is.
func streamContext(c *context, a args) error {
	return ofStream(func(_ *driver.Stream, a args) error { return out(a, 1, c.handle) })(c, a)
}
