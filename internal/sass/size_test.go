package sass_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"silica/internal/ir"
	"silica/internal/sass"
)

// shapes are the kinds of long code: what a kernel of n of their pieces does.
var shapes = map[string]func(text *strings.Builder, n int){
	"straight": func(text *strings.Builder, n int) { // sums of what was computed up to sixty instructions before
		at := func(i, salt int) int { return max(0, i-1-(i*salt)%60) }
		for i := 1; i < n; i++ {
			switch i % 4 {
			case 0:
				fmt.Fprintf(text, "ld.global.f32 %%f%d, [%%d+%d];\n", i, 4*i)
			case 1:
				fmt.Fprintf(text, "fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", i, at(i, 7), at(i, 11), at(i, 13))
			case 2:
				fmt.Fprintf(text, "st.global.f32 [%%d+%d], %%f%d;\nadd.f32 %%f%d, %%f%d, %%f%d;\n", 4*(n+i), at(i, 17), i, at(i, 3), at(i, 5))
			default:
				fmt.Fprintf(text, "mul.f32 %%f%d, %%f%d, %%f%d;\n", i, at(i, 19), at(i, 23))
			}
		}
	},
	"branches": func(text *strings.Builder, n int) {
		for i := range n / 10 {
			fmt.Fprintf(text, "setp.gt.s32 %%p, %%r0, %d;\n@%%p bra L%d;\n", i, i)
			for j := range 8 {
				fmt.Fprintf(text, "xor.b32 %%r1, %%r1, %%r0;\nst.global.b32 [%%d+%d], %%r1;\n", 32*i+4*j)
			}
			fmt.Fprintf(text, "L%d:\n", i)
		}
	},
	"loads": func(text *strings.Builder, n int) { // a loop that loads much and adds it up then
		text.WriteString("LOOP:\n")
		for i := range n / 2 {
			fmt.Fprintf(text, "ld.global.f32 %%f%d, [%%d+%d];\n", i+1, 4*i)
		}
		for i := range n / 2 {
			fmt.Fprintf(text, "add.f32 %%f0, %%f0, %%f%d;\n", i+1)
		}
		text.WriteString("add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p, %r1, 100;\n@%p bra LOOP;\n")
	},
}

func longKernel(t testing.TB, shape string, n int) *ir.Kernel {
	var text strings.Builder
	fmt.Fprintf(&text, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry long(.param .u64 p)\n{\n.reg .f32 %%f<%d>;\n.reg .b32 %%r<2>;\n.reg .b64 %%d;\n.reg .pred %%p;\n", n+1)
	text.WriteString("ld.param.u64 %d, [p];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, 0;\nmov.f32 %f0, 0f3F800000;\n")
	shapes[shape](&text, n)
	fmt.Fprintf(&text, "st.global.f32 [%%d], %%f0;\nst.global.b32 [%%d+4], %%r1;\nret;\n}\n")
	return kernels(t, "long.ptx", []byte(text.String()))[0]
}

// TestLongCode checks that the work for a kernel grows with its length: four times the code takes about four times the memory on the way.
func TestLongCode(t *testing.T) {
	for shape := range shapes {
		allocated := func(n int) float64 {
			k := longKernel(t, shape, n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			sass.Lower(k, sass.Arch{SM: 90})
			runtime.ReadMemStats(&after)
			return float64(after.TotalAlloc - before.TotalAlloc)
		}
		if small, large := allocated(2000), allocated(8000); large > 6*small {
			t.Errorf("%s: 2000 instructions take %.0f MB on the way, 8000 take %.0f MB", shape, small/1e6, large/1e6)
		}
	}
}

func BenchmarkLower(b *testing.B) {
	for shape := range shapes {
		for _, n := range []int{1000, 10000} {
			k := longKernel(b, shape, n)
			b.Run(fmt.Sprint(shape, n), func(b *testing.B) {
				for b.Loop() {
					sass.Lower(k, sass.Arch{SM: 90})
				}
			})
		}
	}
}
