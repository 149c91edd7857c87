package simd

import (
	"testing"

	"silica/internal/exec/exectest"
)

// TestHotRunsGetNativeCode counts the runs of hot programs that have native code.
func TestHotRunsGetNativeCode(t *testing.T) {
	e := New()
	if e.unit.encoder == nil {
		return // this CPU has none
	}
	exectest.Run(t, e)
	native, hot := 0, 0
	for _, p := range e.programs {
		if !p.hot.Load() {
			continue
		}
		hot++
		for _, fn := range p.funcs {
			for _, r := range fn.plain.runs {
				if code := r.code.steps[r.first].code; code != e.unit.controls[controlNative] && code != e.unit.controls[controlExit] {
					native++
				}
			}
		}
	}
	if hot == 0 || native == 0 {
		t.Errorf("%d programs are hot, %d runs are native code", hot, native)
	}
}

// TestEveryBodyCanBeNative takes the bodies of all kernels apart.
func TestEveryBodyCanBeNative(t *testing.T) {
	for _, u := range units() {
		if u.encoder == nil {
			continue
		}
		c := newCompiler(&program{unit: u}, &run{})
		for name, kernels := range u.kernels {
			for _, k := range kernels {
				if k.body != "" && c.body(&k) == nil {
					t.Errorf("%s has a body that is not known: %s", name, k.body)
				}
			}
		}
	}
}
