// Package compile turns CUDA C++ into PTX and into host programs. It runs clang as the compiler, with CUDA headers of our
// own (include/, embedded and written to the user's cache), so no CUDA toolkit is needed.
//
// Device gives the PTX of one source file, Program an executable of whole files with main, linked against the runtime
// library. Nothing here loads or runs PTX, and nothing here is the runtime: include/cuda_runtime_api.h states what the
// runtime library has to export.
//
// The CUDA math functions are implemented in include/silica/math and listed in mathtable/math.table.
package compile

//go:generate go run ./mathtable/gen
