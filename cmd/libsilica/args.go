package main

// #include "call.h"
import "C"

import (
	"unsafe"

	"silica/driver"
)

// args are the arguments of a C function: integers as C extends them to 64 bits, addresses of what pointers point to and
// of structures that are passed by value.
type args struct {
	words  *C.uint64_t
	thread *C.struct_silica_thread
}

// threadName is a number that no other thread of the program has.
func (a args) threadName() uintptr { return uintptr(unsafe.Pointer(a.thread)) }

func (a args) size(i int) uint64 {
	return uint64(*(*C.uint64_t)(unsafe.Add(unsafe.Pointer(a.words), i*8)))
}

func (a args) int(i int) int     { return int(int32(a.size(i))) }
func (a args) uint(i int) uint32 { return uint32(a.size(i)) }

// stream returns argument i, the handle of a stream.
func (a args) stream(i int) uint64 { return a.streamOf(a.size(i)) }

// streamOf returns the handle of a stream: where the program names the thread's default stream, one that stands for it alone.
func (a args) streamOf(handle uint64) uint64 {
	if handle == streamDefault && a.thread.per_thread != 0 {
		handle = streamPerThread
	}
	if handle != streamPerThread {
		return handle
	}
	if a.thread.id == 0 {
		C.silica_name_thread(a.thread)
	}
	return threadStreams + uint64(a.thread.id)
}

// pointer returns an argument as a Go pointer to memory of the program.
func (a args) pointer(i int) unsafe.Pointer { return pointer(a.size(i)) }

func pointer(addr uint64) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(nil), addr) }

// lowestAddress is the lowest that a process can have memory at: what is below is a null pointer, or an offset from one.
const lowestAddress = 4096

// in returns what argument i points to; the error is for a null pointer.
func in[T any](a args, i int) (*T, error) {
	if a.size(i) < lowestAddress {
		return nil, driver.Fail(driver.InvalidValue, "argument %d is a null pointer", i+1)
	}
	return (*T)(a.pointer(i)), nil
}

// out writes a result to where argument i points.
func out[T any](a args, i int, value T) error {
	p, err := in[T](a, i)
	if err != nil {
		return err
	}
	*p = value
	return nil
}

var errNull = driver.Fail(driver.InvalidValue, "a null pointer")

// current returns the handle of the thread's current context, 0 when it has none.
func (a args) current() uint64 {
	if a.thread.depth == 0 {
		return 0
	}
	return uint64(a.thread.contexts[a.thread.depth-1])
}

// push makes a context current; ok is false when too many are stacked.
func (a args) push(handle uint64) (ok bool) {
	if int(a.thread.depth) == len(a.thread.contexts) {
		return false
	}
	a.thread.contexts[a.thread.depth] = C.uint64_t(handle)
	a.thread.depth++
	return true
}

// pop takes off the current context and returns its handle, 0 when there is none.
func (a args) pop() uint64 {
	handle := a.current()
	if handle != 0 {
		a.thread.depth--
	}
	return handle
}
