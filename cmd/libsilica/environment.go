package main

/*
#include <stdlib.h>
*/
import "C"

import "unsafe"

// environment returns the process's variable of that name as it is now, "" for none: Go's own copy is that of the process's
// start, and programs, Python scripts above all, set variables before their first call.
func environment(name string) string {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return C.GoString(C.getenv(c)) // "" of null
}
