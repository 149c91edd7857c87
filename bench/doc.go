// Package bench measures how fast the default engine runs common kernels: thread instructions per second and,
// where that is what the kernel is for, floating-point operations or bytes per second, each beside a yardstick in plain
// Go measured in the same run. It has no code but its benchmarks:
//
//	go test -run '^$' -bench . ./bench
//
// With -short the problems are tiny; that only shows that the benchmarks work.
package bench
