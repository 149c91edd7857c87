package randptx

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"silica/internal/exec"
	"silica/internal/exec/ref"
	"silica/internal/exec/simd"
)

// TestResultsOfAnH200 runs instructions that random programs have shown to differ from the chip's. What they give, in %d or in the last
// word of 16 zero bytes at %own, was recorded on an H200, driver 580, CUDA 13.0.
func TestResultsOfAnH200(t *testing.T) {
	registers := []uint32{0xb07126fb, 0xfffffff7, 0x5e2e85fc, 0xfffffff3, 0xffffffff, 0x7b9b1101, 0xffffffdc, 0x6eeb18a0}
	const last = " ld.global.b32 %d, [%own+12];"
	for _, test := range []struct {
		instruction string
		want        uint32
	}{
		{"vmad.u32.u32.u32.po.shr7 %d, %r0.b1, %r6, %r0;", 0xff60e243},
		{"vmad.s32.u32.u32.shr7 %d, %r4, -%r1.h0, %r3;", 0x000001ff},
		{"vmad.s32.s32.u32.po.sat %d, %r6.b2, %r4, -23;", 0xffffffeb},
		{"vmad.u32.u32.u32.po.sat %d, %r0, %r1, %r1;", 0xffffffff},
		{"vadd.s32.u32.u32.min %d, %r2, %r2, -1077936128;", 0xbc5d0bf8},
		{"vadd.s32.s32.s32.max %d, %r2, %r5, %r3;", 0xfffffff3},
		{"vadd.u32.u32.u32.sat %d, %r7, %r0, %r6;", 0x1f5c3f9b},
		{"vsub.s32.u32.s32.max %d, %r6, %r4, %r3;", 0xfffffff3},
		{"vsub.u32.u32.s32.sat %d.b1, %r4, %r4, 7;", 0x0000ff07},
		{"atom.global.add.v4.f32 {%d, %r4, %r5, %r0}, [%own], {%r5, %r4, %r4, %r4};" + last, 0x7fffffff},
		{"atom.add.v4.f32 {%r7, %r0, %r6, %r4}, [%own], {%r1, %r3, %r2, %r7};" + last, 0x6eeb18a0},
	} {
		var source strings.Builder
		source.WriteString(".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 pin, .param .u64 pout, .param .align 16 .b8 blob[64])\n{\n")
		fmt.Fprintf(&source, ".reg .b32 %%d, %%r<8>; .reg .b64 %%own; ld.param.u64 %%own, [pout]; add.u64 %%own, %%own, %d;\n", commonBytes+scratchAt)
		for i, v := range registers {
			fmt.Fprintf(&source, "mov.b32 %%r%d, 0x%x;\n", i, v)
		}
		fmt.Fprintf(&source, "%s\nst.global.b32 [%%own+16], %%d;\nret;\n}\n", test.instruction)
		p := &Program{Grid: 1, Block: 1, Cluster: 1, Source: source.String()}
		kernel, err := p.Kernel()
		if err != nil {
			t.Errorf("%s: %v", test.instruction, err)
			continue
		}
		for name, engine := range map[string]exec.Engine{"ref": ref.New(), "simd": simd.New()} {
			o, err := p.Run(context.Background(), engine, kernel)
			if err != nil || o.Err != "" {
				t.Errorf("%s: %s: %v %s", test.instruction, name, err, o.Err)
				continue
			}
			if got := binary.LittleEndian.Uint32(o.Memory[commonBytes+scratchAt+16:]); got != test.want {
				t.Errorf("%s: %s gives 0x%08x, the H200 0x%08x", test.instruction, name, got, test.want)
			}
		}
	}
}
