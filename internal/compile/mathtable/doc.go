// Package mathtable reads math.table, the list of the CUDA math functions with their accuracy bounds, and writes from it
// the two headers that declare and define them for device code, and their documentation. The implementations are C++,
// in ../include/silica/math; nothing here computes a function.
package mathtable
