package simd

import (
	"testing"

	"silica/internal/ir"
	"silica/internal/isa"
	"silica/ptx"
)

// callingProgram is the start of a kernel that has a variable of a thread and one in global memory; %a and %b are their generic addresses.
const callingProgram = `.version 8.7
.target sm_90
.address_size 64
.func (.param .u64 r) f(.param .u64 p, .param .u32 n)
{
	.reg .u64 %d;
	.reg .u32 %n;
	ld.param.u64 %d, [p];
	ld.param.u32 %n, [n];
	add.u64 %d, %d, 4;
	st.u32 [%d], %n;
	st.param.u64 [r], %d;
	ret;
}
.func g(.param .u64 p)
{
	.reg .u64 %d;
	.param .u64 p0, r0;
	.param .u32 n0;
	ld.param.u64 %d, [p];
	st.param.u64 [p0], %d;
	st.param.u32 [n0], 1;
	call (r0), f, (p0, n0);
	ret;
}
.visible .entry k(.param .u64 out)
{
	.local .align 8 .b8 words[64];
	.reg .u64 %a, %b;
	.param .u64 p0, r0;
	.param .u32 n0;
	mov.u64 %a, words;
	cvta.local.u64 %a, %a;
	ld.param.u64 %b, [out];
	st.param.u32 [n0], 2;
`

// TestAccessesOfTheCallersStack tells which accesses of a called function are taken for ones of local memory.
func TestAccessesOfTheCallersStack(t *testing.T) {
	const direct, through = "st.param.u64 [p0], %a; call (r0), f, (p0, n0);", "st.param.u64 [p0], %a; call g, (p0);"
	for _, c := range []struct {
		name, body string
		want       bool
	}{
		{"one call", direct, true},
		{"by another function", through, true},
		{"both", direct + through, true},
		{"of global memory", "st.param.u64 [p0], %b; call (r0), f, (p0, n0);", false},
		{"of both memories", direct + "st.param.u64 [p0], %b; call g, (p0);", false},
	} {
		tree, err := ptx.Load(c.name, []byte(callingProgram+c.body+"ret; }"))
		if err != nil {
			t.Fatal(err)
		}
		module, err := ir.NewModule(tree)
		if err != nil {
			t.Fatal(err)
		}
		k, err := module.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		found := stackAccesses(k)
		for i, f := range k.Funcs {
			for pc, in := range f.Code {
				if in.Op == isa.OpStore && in.Addr.Space == isa.Generic && found[i][pc] != c.want {
					t.Errorf("%s: the store of %s is one of local memory: %v", c.name, f.Name, found[i][pc])
				}
			}
		}
	}
}
