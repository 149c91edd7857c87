// Package truth reads recorded kernels: launches with their inputs, the outputs and the counters that a real
// GPU gave. It makes the inputs, compares outputs by the recorded rules and hands out the counters; what runs the
// kernels is elsewhere.
package truth
