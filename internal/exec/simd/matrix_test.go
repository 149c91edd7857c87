package simd

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"silica/internal/exec"
	"silica/internal/exec/ref"
	"silica/internal/ir"
	"silica/internal/mem"
	"silica/ptx"
)

// matrixLoop is a program that loads matrices in a loop, by an instruction on %x, where each lane's row is or the matrix, and %stride; some products of what it
// has loaded follow. All registers end up in out. Warp 1 loads infinities in the second round.
const matrixLoop = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
	.shared .align 128 .b8 s[16384];
	.reg .b32 %%r<8>, %%me, %%at, %%i, %%n, %%lane, %%stride, %%x32, %%t;
	.reg .f32 %%c<4>;
	.reg .b64 %%in, %%out, %%x, %%from;
	.reg .pred %%p;
	ld.param.u64 %%in, [in];
	ld.param.u64 %%out, [out];
	mov.u32 %%me, %%tid.x;
	and.b32 %%lane, %%me, 31;
	shl.b32 %%at, %%me, 2;
FILL:
	cvt.u64.u32 %%x, %%at;
	add.u64 %%from, %%in, %%x;
	ld.global.u32 %%t, [%%from];
	mov.u64 %%from, s;
	add.u64 %%from, %%from, %%x;
	st.shared.u32 [%%from], %%t;
	add.u32 %%at, %%at, 384;
	setp.lt.u32 %%p, %%at, 16384;
	@%%p bra FILL;
	bar.sync 0;
	mov.f32 %%c0, 0f41000000;
	mov.f32 %%c1, 0fC1000000;
	mov.f32 %%c2, 0f45000000;
	mov.f32 %%c3, 0f00000000;
	mov.u32 %%r0, 0; mov.u32 %%r1, 0; mov.u32 %%r2, 0; mov.u32 %%r3, 0;
	mov.u32 %%r4, 0x3c003c00; mov.u32 %%r5, 0x3c00bc00; mov.u32 %%r6, 0x38003c01; mov.u32 %%r7, 0x00013c00;
	mov.u32 %%stride, %d;
	mov.u32 %%i, 0;
AGAIN:
	shr.u32 %%n, %%me, 5;
	shl.b32 %%n, %%n, 8;
	mad.lo.u32 %%n, %%i, 1024, %%n;
	%s
	cvt.u64.u32 %%x, %%n;
	%s
	add.u64 %%x, %%from, %%x;
	cvt.u32.u64 %%x32, %%x;
	%s
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%%c0,%%c1,%%c2,%%c3}, {%%r0,%%r1,%%r2,%%r3}, {%%r4,%%r5}, {%%c0,%%c1,%%c2,%%c3};
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%%c0,%%c1,%%c2,%%c3}, {%%r4,%%r5,%%r6,%%r7}, {%%r0,%%r1}, {%%c0,%%c1,%%c2,%%c3};
	mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%%c0,%%c1,%%c2,%%c3}, {%%r2,%%r3}, {%%r7}, {%%c0,%%c1,%%c2,%%c3};
	setp.eq.u32 %%p, %%i, 1;
	@%%p max.f32 %%c0, %%c0, 0f00000000;
	@%%p mov.f32 %%c1, 0f3F800000;
	@%%p mov.f32 %%c2, 0f3F800000;
	@%%p mov.f32 %%c3, 0f3F800000;
	@%%p min.f32 %%c0, %%c0, 0f44800000;
	add.u32 %%i, %%i, 1;
	setp.lt.u32 %%p, %%i, 4;
	@%%p bra AGAIN;
	mad.wide.u32 %%x, %%me, 48, %%out;
	st.global.v4.u32 [%%x], {%%r0,%%r1,%%r2,%%r3};
	st.global.v4.u32 [%%x+16], {%%r4,%%r5,%%r6,%%r7};
	st.global.v4.f32 [%%x+32], {%%c0,%%c1,%%c2,%%c3};
	ret;
}
`

// matrixLoops returns programs for all ways to load matrices that machine code has, and some faults.
func matrixLoops() map[string]string {
	programs := map[string]string{}
	add := func(name string, stride int, space, lanes, load string) {
		from := map[string]string{".shared": "mov.u64 %from, s;", ".global": "mov.u64 %from, %in;", "": "mov.u64 %from, s; cvta.shared.u64 %from, %from;"}[space]
		programs[name] = fmt.Sprintf(matrixLoop, stride, lanes, from, load)
	}
	registers := func(n int) string {
		return "{" + strings.Join(strings.Fields("%r0 %r1 %r2 %r3 %r4 %r5 %r6 %r7")[:n], ",") + "}"
	}
	for _, space := range []string{".shared", ""} {
		for _, trans := range []string{"", ".trans"} {
			for _, n := range []int{1, 2, 4} {
				for _, address := range []string{"%x", "%x32"} {
					if space == "" && address == "%x32" {
						continue
					}
					load := fmt.Sprintf("ldmatrix.sync.aligned.m8n8.x%d%s%s.b16 %s, [%s+32];", n, trans, space, registers(n), address)
					for name, lane := range map[string]string{"": "mul.lo.u32 %t, %lane, 7; and.b32 %t, %t, 31; mad.lo.u32 %n, %t, 48, %n;", " misaligned": "mad.lo.u32 %n, %lane, 24, %n;",
						" outside": "mad.lo.u32 %n, %lane, 768, %n;"} {
						add(load+name, 0, space, lane, load)
					}
				}
			}
		}
	}
	for _, space := range []string{".shared", ".global", ""} {
		for _, layout := range []string{".row", ".col"} {
			for _, shape := range []string{".m16n16k16", ".m8n32k16", ".m32n8k16"} {
				for _, matrix := range []string{".a", ".b"} {
					for _, stride := range []int{0, 16, 40, 256, 16000} {
						operand := ", %stride"
						if stride == 0 {
							operand = ""
						}
						load := fmt.Sprintf("wmma.load%s.sync.aligned%s%s%s.f16 %s, [%%x+64]%s;", matrix, layout, shape, space, registers(8), operand)
						add(fmt.Sprintf("%s %d", load, stride), stride, space, "", load)
					}
				}
			}
		}
	}
	return programs
}

// TestMatrixLoads compares programs that load matrices in a loop with exec/ref: what Go has learned of their memory machine code knows in the next round.
func TestMatrixLoads(t *testing.T) {
	for name, text := range matrixLoops() {
		tree, err := ptx.Load("matrix.ptx", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		module, err := ir.NewModule(tree)
		if err != nil {
			t.Fatal(err)
		}
		kernel, err := module.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		wantSeen := newWitness(0, observing)
		want, wantCounts, wantErr := runMatrixLoop(t, ref.New(), kernel, observing, wantSeen)
		for i, e := range Units() {
			kind, seen := unwatched, newWitness(0, collecting)
			if i%2 == 0 {
				kind = collecting
			}
			got, counts, err := runMatrixLoop(t, e, kernel, kind, seen)
			if (err == nil) != (wantErr == nil) { // of several warps the engines may name another
				t.Errorf("%s: %s: %v, want %v", e.VectorUnit(), name, err, wantErr)
			}
			if err == nil && !bytes.Equal(got, want) {
				t.Errorf("%s: %s: other results than ref", e.VectorUnit(), name)
			}
			if err == nil && kind == collecting {
				if text := statsDifference(kernel, counts, wantCounts); text != "" {
					t.Errorf("%s: %s: %s", e.VectorUnit(), name, text)
				}
				if text := seen.difference(kind, wantSeen); text != "" {
					t.Errorf("%s: %s: %s", e.VectorUnit(), name, text)
				}
			}
		}
	}
}

func runMatrixLoop(t *testing.T, e exec.Engine, kernel *ir.Kernel, kind watching, seen *witness) ([]byte, *exec.Stats, error) {
	t.Helper()
	memory, err := mem.New(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	const input, block = 16384, 96
	in, err := memory.Alloc(input, 256)
	if err != nil {
		t.Fatal(err)
	}
	out, err := memory.Alloc(48*block, 256)
	if err != nil {
		t.Fatal(err)
	}
	data, err := memory.Bytes(in, input)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < input; i += 2 {
		binary.LittleEndian.PutUint16(data[i:], uint16(r.Uint32()&0x8FFF|0x3000))
	}
	for i := 1024 + 256; i < 1024+512; i += 16 { // the second round of warp 1
		binary.LittleEndian.PutUint16(data[i:], 0x7C00)
	}
	l := &exec.Launch{
		Kernel: kernel, Grid: exec.Dim3{X: 1, Y: 1, Z: 1}, Block: exec.Dim3{X: block, Y: 1, Z: 1}, Cluster: exec.Dim3{X: 1, Y: 1, Z: 1}, Memory: memory,
		Params:  binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, in), out),
		Machine: exec.Machine{SMs: 1, BlocksPerSM: 1, WarpsPerSM: 64, SharedPerBlock: 1 << 16, ClockHz: 1e9, LocalPerThread: 1 << 10, ComputeCapability: 90},
		Stdout:  io.Discard, Workers: 1, Count: kind != unwatched, Together: kind >= grouping, AcrossBlocks: kind == collecting,
	}
	if seen.base = in; kind >= observing {
		l.Observe = func(int) exec.Observer { return seen }
	}
	stats, runErr := e.Run(context.Background(), l)
	result, err := memory.Bytes(out, 48*block)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(result), stats, runErr
}
