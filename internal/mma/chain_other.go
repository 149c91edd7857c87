//go:build !amd64

package mma

import "unsafe"

func routines() *[routineCount]uintptr { return nil }

func sumsSingles() bool { return false }

func integerRoutines() *[integerRoutineCount]uintptr { return nil }

// runCalls is never called: there are no chains.
func runCalls(*call, *Scratch, unsafe.Pointer) (failed *call) { return nil }
