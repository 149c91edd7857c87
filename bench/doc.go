// Package bench measures how fast the default engine runs common kernels. Cases is the table of what is run; a case runs here
// and, as its twin in OpenCL, on PoCL (package bench/pocl), from the same launches, arguments and data.
//
//	go test -run '^$' -bench . ./bench    the cases, one by one
//	go run ./bench/measure                everything beside its yardsticks, into docs/performance.md
//
// Calls of the library are measured by a program of its own (calls/calls.cu), through the C ABI.
//
// With -short the problems are tiny; that only shows that the benchmarks work.
package bench
