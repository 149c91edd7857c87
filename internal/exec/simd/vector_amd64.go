package simd

import "golang.org/x/sys/cpu"

// detect returns the routines for this CPU: AVX-512 with the extensions the kernels use (those of Ice
// Lake, Zen 4 and later), else the portable ones.
func detect() vectorUnit {
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512CD &&
		x.HasAVX512VPOPCNTDQ && x.HasAVX512VBMI2 && x.HasBMI1 {
		return vectorUnit{
			name: "avx512", kernels: kernelTable(), patterns: patterns64, widen32: widen32,
			copy32: copy32, copy64: copy64, fill32: fill32, fill64: fill64,
			load32: load32, load64: load64, store32: store32, store64: store64,
			gather32: gather32, gather64: gather64, scatter32: scatter32, scatter64: scatter64,
		}
	}
	return portableUnit()
}
