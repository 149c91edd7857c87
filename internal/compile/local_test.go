package compile

import (
	"regexp"
	"strings"
	"testing"
)

// An array of halves that is written as words of 16 bytes and read by an index that is not known stays in local memory.
func TestLocalArraysAreAlignedForTheWordsTheyAreAccessedIn(t *testing.T) {
	for name, more := range map[string]string{"alone": "", "with an annotation": "__managed__ int counter;\n"} {
		file := write(t, "main.cu", more+`
#include <cstdio>
struct pieces { unsigned short values[16]; };
__global__ void kernel(const uint4 *in, int n)
{
    pieces p;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        uint4 &d = reinterpret_cast<uint4 &>(p.values[8 * half]);
        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(d.x), "=r"(d.y), "=r"(d.z), "=r"(d.w) : "l"(in + 32 * half));
    }
#pragma unroll 1
    for (int i = 0; i < n; ++i) printf("%d %d %d\n", i, n, p.values[i]);
}
`)
		if ptx := device(t, file, Options{}); narrowLocals(ptx) {
			t.Errorf("%s:\n%s", name, ptx)
		}
	}
	if !narrowLocals([]byte(".visible .entry k(\n)\n{\n\t.local .align 8 .b8 \t__local_depot0[40];\n\t@%p1 st.local.v4.u32 \t[%rd1], {%r1, %r2, %r3, %r4};\n")) {
		t.Error("an access of 16 bytes of memory that is aligned for 8 is taken for good")
	}
}

// What is written as words is what is read as halves, as with nvcc.
func TestDeviceCodeHasNoStrictAliasing(t *testing.T) {
	ptx := string(device(t, write(t, "main.cu", `
__global__ void kernel(const unsigned *in, unsigned short *out)
{
    unsigned short v[2];
    unsigned &word = reinterpret_cast<unsigned &>(v);
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(word) : "l"(in));
    out[0] = v[0];
    out[1] = v[1];
}
`), Options{}))
	if !regexp.MustCompile(`(?s)ld\.global\.u32 (%r\d+), .*st\.global\.u\d+ .*%r`).MatchString(ptx) && !strings.Contains(ptx, "st.local.u32") {
		t.Errorf("what was loaded is not stored:\n%s", ptx)
	}
}
