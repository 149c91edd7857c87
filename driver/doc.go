// Package driver is Silica's CUDA context: devices, modules, functions, memory, streams and events. It
// is the public Go API, and what the C library (cmd/libsilica) calls.
//
// Work runs when it is enqueued, on the calling goroutine and the engine's workers: every operation
// has finished when its call returns, which is one of the orders that CUDA allows. Streams keep work of
// several goroutines in order. What a call gets wrong comes back as an *Error with CUDA's code; a fault of
// a kernel stays with the device until it is closed, as on the GPU.
//
// Handles, null pointers and what else is of C are cmd/libsilica's business; what a kernel does is the
// engines'.
package driver
