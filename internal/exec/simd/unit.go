package simd

import (
	"maps"

	"silica/internal/amd64"
)

// vectorUnit is the machine code that a CPU can run.
type vectorUnit struct {
	name string
	// kernels holds the machine code of instructions by name, several where operands have several widths. A unit
	// without any leaves every step to Go.
	kernels map[string][]kernel
	// controls is the machine code of the steps that move no data between rows.
	controls *[controlCount]uintptr
	// fill32 and fill64 are the code of steps that give the lanes of a row the value imm.
	fill32, fill64 uintptr
	// encoder makes native code; nil when there is none.
	encoder *amd64.Encoder
	// eager has every run become native code when it is first come to, whatever its addresses are expected to be.
	eager bool
	// wholes has whole kernels become native code at once; an eager unit makes none otherwise.
	wholes bool
}

// newUnit returns a unit with machine code: its own kernels and those that all have in common.
func newUnit(name string, kernels, common map[string][]kernel, controls *[controlCount]uintptr) *vectorUnit {
	maps.Copy(kernels, common)
	return &vectorUnit{name: name, kernels: kernels, controls: controls, fill32: kernels["fill 32"][0].code, fill64: kernels["fill 64"][0].code}
}

// kernel is the machine code of one instruction over the rows of a gang.
type kernel struct {
	code  uintptr
	shape shape
	// control is what MXCSR has to hold, 0 when it does not matter.
	control uint64
	// body computes one vector of the result, in the words of gen; it is empty where compiled code can not have it.
	body string
}

// shape gives the width in bits of the operands a kernel works on: 1 for a predicate, 16 for a register
// that lives zero-extended in a 32-bit row, 32, 64, 0 for none.
type shape struct {
	d   uint8
	src [4]uint8
}

// The steps that every unit with machine code has; see dispatch_amd64.s.
const (
	controlExit = iota
	controlBegin
	controlRendezvous
	controlGuard
	controlBranch
	controlJump
	controlSetControl
	controlPoll
	controlFence
	controlPredMov
	controlPredAnd
	controlPredOr
	controlPredXor
	controlVoteAll
	controlVoteAny
	controlVoteUni
	controlObserve
	controlNative
	controlResume
	controlSuspend
	controlProducts
	controlLoadRows
	controlLoadFragment
	controlCount
)

// portableUnit works on every CPU: instructions run lane by lane.
func portableUnit() *vectorUnit { return &vectorUnit{name: "portable"} }

// hasCode tells whether the unit has machine code.
func (u *vectorUnit) hasCode() bool { return u.controls != nil }

// kernel returns the kernel of a name that fits the operands. Absent ones (offset -1) do not fit.
func (u *vectorUnit) kernel(name string, dst operand, srcs ...operand) (k kernel, ok bool) {
	for _, k := range u.kernels[name] {
		if k.shape.fits(dst, srcs) {
			return k, true
		}
	}
	return kernel{}, false
}

func (s shape) fits(dst operand, srcs []operand) bool {
	if !fits(dst, s.d) || len(srcs) > len(s.src) {
		return false
	}
	for i, bits := range s.src {
		switch {
		case i >= len(srcs):
			if bits != 0 {
				return false
			}
		case !fits(srcs[i], bits) || srcs[i].negate:
			return false
		}
	}
	return true
}

func fits(o operand, bits uint8) bool { return o.offset >= 0 && o.bits == int(bits) }
