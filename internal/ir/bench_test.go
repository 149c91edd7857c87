package ir

import (
	"fmt"
	"strings"
	"testing"
)

// longKernel returns PTX of about n instructions: loads, chains of arithmetic over many registers, and a
// diamond of branches every 50 instructions.
func longKernel(n int) string {
	const width = 48
	var b strings.Builder
	fmt.Fprintf(&b, "%s.entry k(.param .u64 out) {\n.reg .u64 %%p;\n.reg .f32 %%f<%d>;\n.reg .pred %%c<%d>;\n", header, n+width+1, n/50+1)
	b.WriteString("ld.param.u64 %p, [out];\n")
	for i := range width {
		fmt.Fprintf(&b, "ld.global.f32 %%f%d, [%%p+%d];\n", i, 4*i)
	}
	for i := range n - width {
		fmt.Fprintf(&b, "fma.rn.f32 %%f%d, %%f%d, %%f%d, 0f3f8%05x;\n", width+i, i, i+width/2, i%64)
		if i%50 == 49 {
			fmt.Fprintf(&b, "setp.lt.f32 %%c%d, %%f%d, 0f00000000;\n@%%c%d bra E%d;\n", i/50, i, i/50, i)
			fmt.Fprintf(&b, "st.global.f32 [%%p], %%f%d;\nbra F%d;\nE%d:\nst.global.f32 [%%p+4], %%f%d;\nF%d:\n", i, i, i, i, i)
		}
	}
	for i := n - width; i < n; i++ {
		fmt.Fprintf(&b, "st.global.f32 [%%p], %%f%d;\n", i)
	}
	b.WriteString("ret;\n}\n")
	return b.String()
}

func BenchmarkLower(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m, err := load("long.ptx", longKernel(n))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := m.Kernel("k"); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/instruction")
		})
	}
}
