// Command libsilica is the C library that CUDA programs link and load, built with -buildmode=c-shared: the runtime API
// (libcudart) and the driver API (libcuda.so.1) over package driver. It is the only cgo in the tree.
//
// A C function has a prototype in a header of internal/compile/include. From the headers, gen writes the function: it
// puts its arguments into words and enters Go with its number (call.c), where the row of its name in a table
// (functions.go) does the work. The tables of package api list every function that CUDA has, and its versions: cuGetProcAddress answers by
// them, and one without a row answers cudaErrorNotSupported. docs/api.md says which are there. What must work without Go, such as
// cudaGetLastError and the error names, is written in C.
//
// Here are the conventions of the C APIs: handles, structures, null pointers, what is registered before main, the current
// context of a thread. What a device does with memory, streams and launches is package driver's.
package main

//go:generate go run ./gen
