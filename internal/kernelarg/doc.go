// Package kernelarg reads the arguments of a kernel as the command line gives them: scalars such as
// "i32=1024" and buffers such as "f32[1048576]=uniform(1)" or "out f32[4096]".
package kernelarg
