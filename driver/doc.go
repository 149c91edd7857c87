// Package driver is Silica's CUDA context: devices, modules, functions, memory, streams and events. It
// is the public Go API, and what the C libraries (libcuda, libcudart) call.
//
// Work runs when it is enqueued, on the calling goroutine and the engine's workers: every operation
// has finished when its call returns, which is one of the orders that CUDA allows. What a call gets wrong comes back
// as an *Error with CUDA's code; a fault of a kernel stays with the device until Reset, as on the GPU.
package driver
