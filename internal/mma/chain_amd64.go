package mma

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// routines returns the code of calls for this CPU, nil when it has none of the instructions they need.
func routines() *[routineCount]uintptr {
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512BW {
		return tileRoutines()
	}
	return nil
}

// sumsSingles tells whether the CPU has the instructions of sums of singles.
func sumsSingles() bool { return cpu.X86.HasAVX512VPOPCNTDQ }

// integerRoutines is routines for integers.
func integerRoutines() *[integerRoutineCount]uintptr {
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW {
		return pairRoutines()
	}
	return nil
}

// runCalls makes the calls of a chain and returns the one that failed, nil when none did.
//
//go:noescape
func runCalls(first *call, x *Scratch, registers unsafe.Pointer) (failed *call)

func tileRoutines() *[routineCount]uintptr

func pairRoutines() *[integerRoutineCount]uintptr
