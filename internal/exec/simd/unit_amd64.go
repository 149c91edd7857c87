package simd

import (
	"golang.org/x/sys/cpu"

	"silica/internal/amd64"
)

// units returns the vector units that this CPU can run, the best first.
func units() []*vectorUnit {
	var out []*vectorUnit
	x := &cpu.X86
	// The extensions of Ice Lake, Zen 4 and later.
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512CD &&
		x.HasAVX512VPOPCNTDQ && x.HasAVX512VBMI2 && x.HasBMI1 && x.HasBMI2 && x.HasPOPCNT {
		u := newUnit("avx512", avx512Kernels(), commonKernels(), controlSteps())
		u.encoder = amd64.NewEncoder()
		out = append(out, u)
	}
	// The extensions of Haswell, Zen and later.
	if x.HasAVX2 && x.HasFMA && x.HasBMI1 && x.HasBMI2 && x.HasPOPCNT {
		out = append(out, newUnit("avx2", avx2Kernels(), commonKernels(), controlSteps()))
	}
	return append(out, portableUnit())
}

// enter runs steps from s on until one is left to Go, which is then m.stopped.
//
//go:noescape
func enter(m *machine, s *step)

func controlSteps() *[controlCount]uintptr

// resetControl sets rounding and flushing to Go's own, which machine code that panicked has not.
func resetControl()
