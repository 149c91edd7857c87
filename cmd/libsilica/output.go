package main

// #include "call.h"
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// output is what kernels print. As on a GPU it appears with a later call: the program's next launch, copy or
// synchronization, or the end of the process. It goes through C's stdout, in order with the program's own output.
type output struct {
	pending atomic.Bool
	mu      sync.Mutex
	text    []byte
}

// outputLimit is the size in bytes from which text does not wait for a later call.
const outputLimit = 1 << 20

// Write keeps what a kernel prints.
func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, text...)
	o.pending.Store(true)
	if len(o.text) >= outputLimit {
		o.print()
	}
	return len(text), nil
}

// flush prints what was kept.
func (o *output) flush() {
	if !o.pending.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.print()
}

func (o *output) print() {
	if len(o.text) > 0 {
		C.silica_print(unsafe.Pointer(unsafe.SliceData(o.text)), C.size_t(len(o.text)))
	}
	o.text = o.text[:0]
	o.pending.Store(false)
}
