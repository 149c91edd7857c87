// Package pocl runs the yardsticks of package bench: the twins of its cases in OpenCL on PoCL, the OpenCL implementation for CPUs
// that Debian packages, and OpenBLAS's matrix product. twins/host.c is compiled when it is needed; it takes the launches,
// arguments and data of the case.
package pocl
