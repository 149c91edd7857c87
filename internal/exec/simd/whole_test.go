package simd

import (
	"testing"

	"silica/internal/exec/exectest"
)

// TestWholeKernelsGetNativeCode counts the kernels that native code runs from start to end.
func TestWholeKernelsGetNativeCode(t *testing.T) {
	for _, e := range Units() {
		if !e.unit.wholes {
			continue
		}
		exectest.Run(t, e)
		n := 0
		for k, p := range e.programs {
			if p.wholes[0].code.Load() != nil {
				n++
				t.Log(k.kernel.Name)
			}
		}
		if n == 0 {
			t.Error("no kernel is native code as a whole")
		}
	}
}
