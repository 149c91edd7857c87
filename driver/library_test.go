package driver

import (
	"context"
	"encoding/binary"
	"slices"
	"testing"

	"silica/ptx"
)

func TestLibraryIsPTX(t *testing.T) {
	if _, err := ptx.Load("library.ptx", libraryText); err != nil {
		t.Fatal(err)
	}
	want := []string{"cudaCGGetIntrinsicHandle", "cudaCGSynchronize", "cudaCGSynchronizeGrid", "cudaCGGetSize", "cudaCGGetRank"}
	if names := libraryFunctions(); !slices.Equal(names, want) {
		t.Errorf("it defines %q", names)
	}
}

// A kernel that calls the library for the barrier of a grid: each thread writes its rank, and after the barrier reads what the
// thread in the mirror wrote.
const gridBarrier = `
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 a);
.extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 a, .param .b32 b);
.extern .func (.param .b32 r) cudaCGGetSize(.param .b64 a, .param .b64 b, .param .b64 c);
.extern .func (.param .b32 r) cudaCGGetRank(.param .b64 a, .param .b64 b, .param .b64 c);
.visible .entry mirror(.param .u64 written, .param .u64 read, .param .u64 errors)
{
	.local .align 4 .b8 numbers[16];
	.reg .b64 %written, %read, %errors, %handle, %p, %i;
	.reg .b32 %rank, %size, %e;
	.param .b64 a, b, c;
	.param .b32 s;
	ld.param.u64 %written, [written];
	ld.param.u64 %read, [read];
	ld.param.u64 %errors, [errors];
	st.param.b32 [s], 1;
	call (a), cudaCGGetIntrinsicHandle, (s);
	ld.param.b64 %handle, [a];
	cvta.local.u64 %p, numbers;
	st.param.b64 [a], %p;
	add.u64 %p, %p, 4;
	st.param.b64 [b], %p;
	st.param.b64 [c], %handle;
	call (s), cudaCGGetRank, (a, b, c);
	ld.local.u32 %rank, [numbers];
	call (s), cudaCGGetSize, (a, b, c);
	ld.local.u32 %size, [numbers];
	mul.wide.u32 %i, %rank, 4;
	add.u64 %p, %written, %i;
	st.global.u32 [%p], %rank;
	st.param.b64 [a], %handle;
	st.param.b32 [s], 0;
	call (s), cudaCGSynchronize, (a, s);
	ld.param.b32 %e, [s];
	add.u64 %errors, %errors, %i;
	st.global.u32 [%errors], %e;
	add.u64 %read, %read, %i;
	sub.u32 %size, %size, 1;
	sub.u32 %rank, %size, %rank;
	mul.wide.u32 %i, %rank, 4;
	add.u64 %p, %written, %i;
	ld.global.u32 %rank, [%p];
	st.global.u32 [%read], %rank;
	ret;
}`

func TestGridBarrierOfTheLibrary(t *testing.T) {
	for _, engine := range []string{"simd", "ref"} {
		t.Run(engine, func(t *testing.T) {
			d := open(t, "h200", Options{Engine: engine})
			m, err := d.LoadPTX("mirror.ptx", []byte(gridBarrier))
			if err != nil {
				t.Fatal(err)
			}
			launch := Launch{Grid: Dim3{X: 3, Y: 2, Z: 2}, Block: Dim3{X: 8, Y: 3, Z: 2}, Cooperative: true}
			n := uint64(launch.Grid.Count() * launch.Block.Count())
			read, errors := alloc(t, d, 4*n), alloc(t, d, 4*n)
			launch.Params = words(alloc(t, d, 4*n), read, errors)
			for _, cooperative := range []bool{true, false} {
				launch.Cooperative = cooperative
				if err := function(t, m, "mirror").Launch(context.Background(), launch); err != nil {
					t.Fatal(err)
				}
				results, codes := make([]byte, 4*n), make([]byte, 4*n)
				if err := d.Read(results, read); err != nil {
					t.Fatal(err)
				}
				if err := d.Read(codes, errors); err != nil {
					t.Fatal(err)
				}
				for i := range n {
					rank, code := binary.LittleEndian.Uint32(results[4*i:]), binary.LittleEndian.Uint32(codes[4*i:])
					switch {
					case cooperative && (code != 0 || rank != uint32(n-1-i)):
						t.Fatalf("thread %d read %d, error %d", i, rank, code)
					case !cooperative && code != uint32(InvalidValue):
						t.Fatalf("thread %d of a launch that is not cooperative has error %d", i, code)
					}
				}
			}
		})
	}
}

func TestUnresolved(t *testing.T) {
	m, err := ptx.Parse("test.ptx", []byte(`.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 a);
.extern .func (.param .b64 r) malloc(.param .b64 a);
.extern .func elsewhere();
.func later();
.func later() { ret; }
`))
	if err != nil {
		t.Fatal(err)
	}
	if names := Unresolved(m); !slices.Equal(names, []string{"elsewhere"}) {
		t.Errorf("%q", names)
	}
}
