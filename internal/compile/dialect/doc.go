// Package dialect makes what nvcc accepts and clang 19 does not into what clang compiles: launches from device code,
// kernel<<<grid, block>>>(arguments), alignas behind a qualifier of memory, declarations of the built-in variables, and operands
// of asm without commas between them. Pointers that are made of others get the alignment that nvcc takes them to have.
//
// A launch from device code becomes the call of a companion of the kernel: a function kernel$ that takes the execution
// configuration and the kernel's parameters, so that overloads, templates and default arguments are the compiler's
// business. Companions are written next to the kernel's declaration and definition; what they do is in
// include/silica/device_runtime.h. Text keeps its place: lines never move, and columns only behind what has to be
// inserted in a line.
//
// The package works on tokens. Of macros it knows those that stand for __device__ or __global__, and makes launches in the
// bodies of those that device code uses calls too.
package dialect
