package main

/*
#cgo CFLAGS: -I${SRCDIR}/../../internal/compile/include -O2
#cgo LDFLAGS: -L${SRCDIR} -l:versions.ld
#include "call.h"
*/
import "C"

import (
	"fmt"
	"runtime/debug"
	"time"
	"unsafe"

	"silica/driver"
	"silica/timeline"
)

func main() {}

// process is the library of this process. C gives its functions no other place to find it.
var process = newLibrary()

// silica_call runs the function of that number and returns its error code.
//
//export silica_call
func silica_call(function C.int, words *C.uint64_t, thread *C.struct_silica_thread) (code C.int) {
	// A bad address from the program is a panic here, and not the end of the process.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	f := &rows[function]
	if process.recorder != nil {
		end := process.recorder.Call(f.name, time.Duration(thread.host_time), callers(thread))
		defer func() { end(int(code)) }()
	}
	defer func() {
		if r := recover(); r != nil {
			code = C.int(failed(f.name, r))
		}
	}()
	a := args{words, thread}
	t := tracing()
	if t == nil {
		return C.int(f.run(a))
	}
	begin := time.Now()
	result := f.run(a)
	t.record(int(function), a, result, begin)
	return C.int(result)
}

// callers are where the call of a thread comes from.
func callers(thread *C.struct_silica_thread) timeline.Callers {
	c := timeline.Callers{Addresses: *(*[4]uint64)(unsafe.Pointer(&thread.callers))}
	if thread.script_line > 0 {
		c.Script = timeline.Source{File: C.GoString(&thread.script[0]), Line: int(thread.script_line)}
	}
	return c
}

// run does what the function does and returns its error code.
func (r *row) run(a args) driver.Code {
	err := r.call(process, a)
	code := r.code(err)
	if code != driver.Success {
		r.explain(code, err)
		if code != driver.NotReady {
			process.tell(err)
		}
	}
	return code
}

// silica_trace records a call of a function that is written in C.
//
//export silica_trace
func silica_trace(function C.int, words *C.uint64_t, thread *C.struct_silica_thread, code C.int) {
	if t := tracing(); t != nil {
		t.record(int(function), args{words, thread}, driver.Code(code), time.Now())
	}
}

// silica_end_thread is called when a thread ends that has default streams.
//
//export silica_end_thread
func silica_end_thread(id C.uint64_t) {
	process.eachContext(func(c *context) { c.endThread(threadStreams + uint64(id)) })
}

// silica_exit is called when the process ends.
//
//export silica_exit
func silica_exit(inHostFunction, lastError C.int) { process.exit(inHostFunction != 0, lastError != 0) }

// failed reports a panic in a function of the API.
func failed(name string, panicked any) driver.Code {
	if fault, ok := panicked.(interface {
		error
		Addr() uintptr
	}); ok {
		report(fmt.Sprintf("%s: the host can not reach the address 0x%x", name, fault.Addr()))
		return driver.InvalidValue
	}
	report(fmt.Sprintf("%s: internal error: %v", name, panicked))
	return driver.Unknown
}
