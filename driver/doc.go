// Package driver is Silica's CUDA context: devices, modules, functions, memory, streams and events. It
// is the public Go API, and what the C library (cmd/libsilica) calls.
//
// Streams run their work at the same time as the host and each other, in the order that events and CUDA's rules for
// the legacy stream give. What a call gets wrong comes back as an *Error with CUDA's code; a fault of a kernel
// stays with the device until it is closed, as on the GPU.
//
// Handles, null pointers and what else is of C are cmd/libsilica's business; what a kernel does is the
// engines'.
package driver
