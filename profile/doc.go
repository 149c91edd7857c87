// Package profile turns what the engines report into what Nsight Compute would show: events become
// counters of each instruction, counters become metrics under Nsight Compute's names, metrics stand in
// sections, and rules read them and give advice.
//
// A Collector listens to a device (package driver) and makes one Launch for each kernel launch. A
// Launch is plain data: it can be written and read back, and everything else here - metrics, sections,
// advice, sums by line, comparison with recorded counters - is computed from it.
//
// How any of this is printed is decided in package report. Which accesses a kernel makes is decided by the
// engines; how long they take will be by the timing model: metrics that need it exist, and have no value.
package profile
