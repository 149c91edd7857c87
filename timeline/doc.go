// Package timeline tells what a program did with its devices and when: the calls of the API, and the work that
// they submitted. A Recorder gathers it with the clock of this machine, which tells how long Silica took. A Model places the same
// calls and work as a GPU and its host would: copies take what was measured, kernels what the model of the machine says, or else the
// lower bound that follows from their counts, and everything waits for what it has to wait for.
//
// How a kernel's bound follows from counts is package profile's; how a timeline is printed is package report's.
package timeline
