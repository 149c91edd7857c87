package exectest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"silica/internal/exec"
)

// checkProductsInARow runs products of matrices that follow one another, and the same ones apart: an engine may run neighbours
// together, though one writes what the next reads.
func checkProductsInARow(t *testing.T, e exec.Engine) {
	const block, registers = 96, 14
	run := func(between string) []uint32 {
		l, out := newLaunchOf(t, "products.ptx", []byte(productsInARow(between)), 1, block, block*registers*4)
		for i := range len(out) / 4 {
			v := single(1 + float64(i*7%13)/64)
			copy(out[4*i:], []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)})
		}
		if _, err := e.Run(context.Background(), l); err != nil {
			t.Fatal(err)
		}
		return words(out)
	}
	if got, want := run(""), run("bar.warp.sync 0xffffffff;"); !slices.Equal(got, want) {
		t.Fatal("products in a row have other results than the same ones apart")
	}
}

// productsInARow is a program of products on registers a (A), b (B), c and d (C and D).
func productsInARow(between string) string {
	var list strings.Builder
	for i, operands := range []string{
		"{d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3}",
		"{c0, c1, c2, c3}, {a0, a1, a2, a3}, {b0, b1}, {d0, d1, d2, d3}",
		"{c0, c1, c2, c3}, {d0, d1, d2, d3}, {b1, b0}, {c0, c1, c2, c3}", // of what the first wrote
		"{d0, d1, d2, d3}, {d0, d1, d2, d3}, {b1, b0}, {c0, c1, c2, c3}",
		"{a0, a1, a2, a3}, {a0, a1, a2, a3}, {d0, d1}, {c0, c1, c2, c3}",
		"{c0, c1, c2, c3}, {a0, a1, a2, a3}, {d0, d1}, {c0, c1, c2, c3}", // A is another one
		"{b0, b1, d2, d3}, {a0, a1, a2, a3}, {d0, d1}, {c0, c1, c2, c3}",
		"{d0, d1, c2, c3}, {a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3}", // B is another one
	} {
		if i > 0 {
			list.WriteString("\t" + between + "\n")
		}
		for _, name := range "abcd" {
			operands = strings.ReplaceAll(operands, string(name), "%"+string(name))
		}
		fmt.Fprintf(&list, "\tmma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 %s;\n", operands)
	}
	var load, store strings.Builder
	for i, name := range strings.Fields("a0 a1 a2 a3 b0 b1 c0 c1 c2 c3 d0 d1 d2 d3") {
		fmt.Fprintf(&load, "\tld.global.b32 %%%s, [%%own+%d];\n", name, 4*i)
		fmt.Fprintf(&store, "\tst.global.b32 [%%own+%d], %%%s;\n", 4*i, name)
	}
	return `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %a<4>, %b<2>, %me;
	.reg .f32 %c<4>, %d<4>;
	.reg .b64 %own, %out;
	ld.param.u64 %out, [out];
	mov.u32 %me, %tid.x;
	mad.wide.u32 %own, %me, 56, %out;
` + load.String() + list.String() + store.String() + `	ret;
}
`
}
