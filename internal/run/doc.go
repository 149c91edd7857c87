// Package run compiles CUDA programs and runs them, and programs that are compiled already, on the simulated GPU: what
// `silica run` and `silica profile` do with anything that has a main. The program is a process of its own, in which
// cmd/libsilica stands where NVIDIA's libraries would be; run tells it through the environment what to simulate.
//
// How sources are compiled is decided in internal/compile, what the library does in cmd/libsilica.
package run
