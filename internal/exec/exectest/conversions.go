package exectest

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"silica/internal/exec"
	"silica/internal/isa"
)

// A resize is a conversion between integers, from a register of a size to one of another: as wide as the types, or wider.
type resize struct {
	to, from             isa.Type
	toRegister, register int // bits
}

// of returns what a conversion leaves in the register.
func (r resize) of(register uint64) uint64 {
	return extended(extended(register, r.from), r.to) & (1<<r.toRegister - 1)
}

// extended is the integer in the low bits of a register.
func extended(register uint64, t isa.Type) uint64 {
	unused := 64 - t.Bits()
	if t.Kind() == isa.Signed {
		return uint64(int64(register<<unused) >> unused)
	}
	return register << unused >> unused
}

func resizes() (all []resize) {
	integers := []isa.Type{isa.U8, isa.S8, isa.U16, isa.S16, isa.U32, isa.S32, isa.U64, isa.S64}
	for _, to := range integers {
		for _, from := range integers {
			for _, toRegister := range []int{16, 32, 64} {
				for _, register := range []int{16, 32, 64} {
					if to.Bits() <= toRegister && from.Bits() <= register {
						all = append(all, resize{to, from, toRegister, register})
					}
				}
			}
		}
	}
	return all
}

// checkConversions converts between all types and registers of integers, where they are whole warps and where some lanes have left.
func checkConversions(t *testing.T, e exec.Engine) {
	const threads = 64
	all := resizes()
	var text strings.Builder
	text.WriteString(`.version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b16 %h<2>; .reg .b32 %r<3>; .reg .b64 %d<4>; .reg .pred %p;
	ld.param.u64 %d2, [out];
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %d3, %r2, 8;
	add.u64 %d2, %d2, %d3;
	ld.global.u16 %h0, [%d2]; ld.global.u32 %r0, [%d2]; ld.global.u64 %d0, [%d2];
	setp.eq.u32 %p, %r2, 40;
	@%p ret;
`)
	registers := map[int]string{16: "%h", 32: "%r", 64: "%d"}
	for i, r := range all {
		name := registers[r.toRegister]
		fmt.Fprintf(&text, "cvt.%s.%s %s1, %s0; st.global.u%d [%%d2+%d], %s1;\n",
			r.to, r.from, name, registers[r.register], r.toRegister, 8*threads*(i+1), name)
	}
	text.WriteString("ret;\n}\n")
	l, out := newLaunchOf(t, "conversions.ptx", []byte(text.String()), 1, threads, 8*threads*(len(all)+1))
	for thread := range threads {
		binary.LittleEndian.PutUint64(out[8*thread:], uint64(thread+1)*0x9e3779b97f4a7c15)
	}
	if _, err := e.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	for i, r := range all {
		for thread := range threads {
			register := binary.LittleEndian.Uint64(out[8*thread:])
			got, want := binary.LittleEndian.Uint64(out[8*(threads*(i+1)+thread):]), r.of(register)
			if thread == 40 {
				want = 0
			}
			if got != want {
				t.Fatalf("cvt.%s.%s from %d bits of 0x%x to %d: 0x%x, want 0x%x", r.to, r.from, r.register, register, r.toRegister, got, want)
			}
		}
	}
}
