package main

// #include "call.h"
import "C"

import (
	"time"

	"silica/timeline"
)

// noteKinds are what nvtx.c numbers.
var noteKinds = []timeline.NoteKind{timeline.Push, timeline.Pop, timeline.Start, timeline.End, timeline.Mark}

// silica_annotate records what the program says about itself with NVTX.
//
//export silica_annotate
func silica_annotate(kind C.int, domain *C.char, id C.uint64_t, text *C.char, thread *C.struct_silica_thread) {
	if process.recorder == nil {
		return
	}
	n := timeline.Note{Kind: noteKinds[kind], ID: uint64(id)}
	if domain != nil {
		n.Domain = C.GoString(domain)
	}
	if text != nil {
		n.Text = C.GoString(text)
	}
	process.recorder.Note(n, time.Duration(thread.host_time))
}
