package compile

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWideCopies compiles copies through pointers to vector types: each is one access of 16 bytes, whatever the arrays' elements ask for, as NVIDIA's
// compiler has them, and what is copied as it was declared stays as narrow as that.
func TestWideCopies(t *testing.T) {
	file := filepath.Join(t.TempDir(), "copies.cu")
	source := `
#include <cuda_fp16.h>
#define FLOAT4(p) (reinterpret_cast<float4 *>(&(p))[0])
struct narrow { float v[4]; };
__device__ float table[64];
extern "C" __global__ void copies(const half *a, float *b, narrow *c)
{
    __shared__ char one;
    __shared__ half h[64][40];
    __shared__ float f[8][128];
    int t = threadIdx.x;
    one = t;
    *(uint4 *)&h[t / 4][t % 4 * 8] = *(const uint4 *)&a[t * 8];
    *reinterpret_cast<float4 *>(&f[t / 32][t % 32 * 4]) = FLOAT4(b[t * 4]);
    __syncthreads();
    FLOAT4(b[t * 4]) = FLOAT4(f[t % 8][t / 8 * 4]);
    *(uint4 *)&b[t * 4 + 4096] = *(uint4 *)&h[t % 64][8];
    *(float4 *)&table[t % 16 * 4] = *(float4 *)&b[t];
    c[t + 1] = c[t + 99];
    b[0] = one;
}
`
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := Device(context.Background(), file, Options{Arch: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	ptx := string(text)
	for access, want := range map[string]int{
		"st.shared.v4.u32": 2, "ld.shared.v4.u32": 2, "ld.global.v4.u32": 3, "st.global.v4.u32": 3, "ld.global.u32": 4, "st.global.u32": 4,
	} {
		if got := strings.Count(ptx, access+" "); got != want {
			t.Errorf("%d of %s, want %d", got, access, want)
		}
	}
	for _, array := range []string{"h", "f"} {
		if !regexp.MustCompile(`\.align 16 \.b8 \w*` + array + `\[`).MatchString(ptx) {
			t.Errorf("%s is not aligned for 16 bytes", array)
		}
	}
	if t.Failed() {
		t.Log(ptx)
	}
}

// TestWhatIsNoPointerIsSaid casts a number to a pointer: the message has the place in the program.
func TestWhatIsNoPointerIsSaid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cast.cu")
	if err := os.WriteFile(file, []byte("__global__ void k(float *a) { *a = *(int *)a + *reinterpret_cast<int *>(3.0f); }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Device(context.Background(), file, Options{Arch: "sm_90"})
	if err == nil || !strings.Contains(err.Error(), "cast.cu:1:49: error: 'reinterpret_cast<int *, float>' is unavailable: only pointers and integers can be cast to a pointer") {
		t.Error(err)
	}
}
