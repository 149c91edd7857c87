// Package validate runs recorded kernels (package truth) on a simulated device and compares outputs and
// counters with what the GPU gave.
package validate
