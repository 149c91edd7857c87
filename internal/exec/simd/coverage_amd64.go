package simd

import (
	"maps"
	"slices"
)

// Kernels returns, for each vector unit, the names of the kernels that it has machine code for ("add.u32"), sorted, whatever this CPU can run.
// Names with a blank are those of memory accesses and others that serve many forms.
func Kernels() map[string][]string {
	return map[string][]string{
		"avx512": slices.Sorted(maps.Keys(avx512Kernels())), "avx2": slices.Sorted(maps.Keys(avx2Kernels())),
	}
}
