package sass_test

import (
	"testing"

	"silica/internal/sass"
)

// TestInstructionsOf counts instructions of small kernels: what a value needs, and what it does not.
func TestInstructionsOf(t *testing.T) {
	for _, c := range []struct {
		name, body, opcode string
		want               int
	}{
		{"conversion of a number", `cvt.rzi.s32.f32 %r1, 0f40900000; st.global.u32 [%a], %r1;`, "F2I", 0},
		{"choice that is known", `setp.gt.s32 %p, 3, 2; selp.f32 %f1, 0f3f800000, 0f40000000, %p; st.global.f32 [%a], %f1;`, "FSEL", 0},
		{"arithmetic of numbers", `fma.rn.f32 %f1, 0f3f800000, 0f40000000, 0f40400000; st.global.f32 [%a], %f1;`, "FFMA", 1},
		{"halves that arithmetic reads", `ld.global.u32 %r1, [%a]; mov.b32 {%h1, %h2}, %r1; cvt.f32.f16 %f1, %h1; cvt.f32.f16 %f2, %h2;
			add.f32 %f1, %f1, %f2; st.global.f32 [%a], %f1;`, "PRMT", 0},
		{"upper half that is stored", `ld.global.u32 %r1, [%a]; mov.b32 {%h1, %h2}, %r1; st.global.u16 [%a], %h2;`, "PRMT", 1},
		{"sign of an index that is added once", `mov.u32 %r1, %tid.x; mul.lo.s32 %r1, %r1, %r1; cvt.s64.s32 %b, %r1; add.s64 %a, %a, %b;
			st.global.u32 [%a], %r1;`, "SHF", 0},
		{"number of a loop", `mov.u32 %r1, 0;
			loop: .pragma "nounroll"; mul.wide.s32 %b, %r1, 12; add.s64 %b, %a, %b; ld.global.f32 %f1, [%b]; mul.f32 %f2, %f1, 0f40000000;
			fma.rn.f32 %f1, %f2, 0f40400000, 0f40800000; st.global.f32 [%b], %f1; add.s32 %r1, %r1, 1; setp.lt.s32 %p, %r1, 99; @%p bra loop;`, "FFMA", 1},
	} {
		module := ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b16 %h<4>;" +
			".reg .pred %p; .reg .b64 %a, %b;\nld.param.u64 %a, [p];\n" + c.body + "\nret;\n}\n"
		for _, k := range kernels(t, c.name, []byte(module)) {
			got := 0
			for _, b := range sass.Lower(k, sass.Arch{SM: 80}).Funcs[0].Blocks {
				for _, in := range b.Code {
					if in.Op.Name == c.opcode {
						got++
					}
				}
			}
			if got != c.want {
				t.Errorf("%s: %d of %s, want %d", c.name, got, c.opcode, c.want)
			}
		}
	}
}

// TestNumbersAreMadeInLoops checks that a number which an instruction needs in a register is made in the loop that wants it, and not kept.
func TestNumbersAreMadeInLoops(t *testing.T) {
	const module = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
.reg .b32 %i, %n;
.reg .f32 %f;
.reg .b64 %a, %b;
.reg .pred %p;
ld.param.u64 %a, [p];
ld.param.u32 %n, [n];
mov.u32 %i, %tid.x;
loop:
mul.wide.s32 %b, %i, 4;
add.s64 %b, %a, %b;
ld.global.f32 %f, [%b];
add.f32 %f, %f, 0f3f800000;
st.global.f32 [%b], %f;
add.s32 %i, %i, 1024;
setp.lt.s32 %p, %i, %n;
@%p bra loop;
ret;
}
`
	for _, k := range kernels(t, "loop.ptx", []byte(module)) {
		for _, b := range sass.Lower(k, sass.Arch{SM: 80}).Funcs[0].Blocks {
			loads, numbers := 0, 0
			for _, in := range b.Code {
				switch {
				case in.Op.Name == "LDG":
					loads++
				case in.Op.Name == "MOV", in.Name() == "IMAD.MOV.U32":
					numbers++
				}
			}
			if loads > 0 && numbers == 0 {
				t.Error("a block that loads has no number of its own")
			}
		}
	}
}

// TestFragmentsOfHalves checks that a fragment of halves takes as many registers as a lane has pairs of elements, not the eight of PTX.
func TestFragmentsOfHalves(t *testing.T) {
	const module = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q, .param .u64 c)
{
.reg .b32 %a<8>, %b<8>, %n;
.reg .f32 %f<8>;
.reg .b64 %p, %q, %c;
ld.param.u64 %p, [p];
ld.param.u64 %q, [q];
ld.param.u64 %c, [c];
mov.u32 %n, 16;
wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, [%p], %n;
wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7}, [%q], %n;
wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%c], %n;
wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7},
 {%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7}, {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};
wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%c], {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, %n;
ret;
}
`
	for _, k := range kernels(t, "wmma.ptx", []byte(module)) {
		if n := sass.Lower(k, sass.Arch{SM: 80}).Registers; n > 28 {
			t.Errorf("%d registers: 8 of sums, 8 of factors and 6 of addresses leave room", n)
		}
	}
}
