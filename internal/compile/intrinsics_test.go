package compile

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var kernelName = regexp.MustCompile(`^__global__ void (?:__launch_bounds__\([^)]*\) )?(\w+)\(`)

// Each kernel of intrinsics.cu compiles to the instructions that the comment before it names.
func TestIntrinsicsBecomeTheirInstructions(t *testing.T) {
	const file = "testdata/intrinsics.cu"
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bodies := kernelBodies(device(t, file, Options{Arch: "sm_90"}))
	want, tested := "", 0
	for _, line := range strings.Split(string(source), "\n") {
		if comment, ok := strings.CutPrefix(line, "// "); ok {
			want = comment
		}
		m := kernelName.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		tested++
		t.Run(m[1], func(t *testing.T) {
			body, ok := bodies[m[1]]
			body = strings.Join(strings.Fields(body), " ")
			if !ok {
				t.Fatal("no such kernel in the PTX")
			}
			for _, piece := range strings.Split(want, " & ") {
				if !strings.Contains(body, piece) {
					t.Errorf("no %s in: %s", piece, body)
				}
			}
		})
	}
	if tested < 70 {
		t.Fatalf("only %d kernels in %s", tested, file)
	}
}

// The host half of a program checks the names in kernels as well, so every intrinsic is declared there too.
func TestIntrinsicsAreDeclaredInTheHostHalf(t *testing.T) {
	hostObject(t, "testdata/intrinsics.cu", Options{Arch: "sm_90"})
}

// kernelBodies returns the text of each kernel of a module, by its name in the source.
func kernelBodies(ptx []byte) map[string]string {
	entry := regexp.MustCompile(`(?s)\.entry _Z(\d+)(\w+)\(.*?\n}`)
	bodies := map[string]string{}
	for _, m := range entry.FindAllSubmatch(ptx, -1) {
		length := 0
		for _, digit := range m[1] {
			length = 10*length + int(digit-'0')
		}
		bodies[string(m[2][:length])] = string(m[0])
	}
	return bodies
}

// The headers compile for every architecture and language standard that clang knows, and for a plain C++ or C compiler.
func TestHeadersCompileEverywhere(t *testing.T) {
	const everything = "#include <cooperative_groups.h>\n#include <cooperative_groups/memcpy_async.h>\n#include <cooperative_groups/reduce.h>\n" +
		"#include <cooperative_groups/scan.h>\n#include <cuComplex.h>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_pipeline.h>\n" +
		"#include <math_constants.h>\n#include <math_functions.h>\n#include <mma.h>\n#include <cuda.h>\n#include <cuda_profiler_api.h>\n#include <algorithm>\n#include <complex>\n#include <vector>\n" +
		"__global__ void k(float *p) { p[0] = expf(p[1]) + std::min(p[2], p[3]); }\n"
	file := write(t, "everything.cu", everything)
	for _, arch := range []string{"sm_50", "sm_53", "sm_60", "sm_70", "sm_80", "sm_89", "sm_90a"} { // each has something that the one before lacks
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			if ptx := device(t, file, Options{Arch: arch}); !bytes.Contains(ptx, []byte(".target "+arch+"\n")) {
				t.Errorf("wrong target:\n%.200s", ptx)
			}
		})
	}
	for _, std := range []string{"c++11", "c++14", "c++20"} {
		t.Run(std, func(t *testing.T) {
			t.Parallel()
			device(t, file, Options{Std: std})
			hostObject(t, file, Options{Std: std})
		})
	}
	for name, source := range map[string]string{
		"plain.cpp": "#include <cuda_runtime.h>\n#include <cuda.h>\n#include <cuda_fp16.h>\nint main() { float *p; cudaStream_t s; dim3 d(1); return cudaMalloc(&p, 4) + cudaStreamCreate(&s) + (int)sizeof(float4) + (float)__half(1.0f); }\n",
		"names.cpp": "#include <cuda_runtime.h>\n#include <cuda.h>\n" + // of what no call here needs, and in the form of CUDA 11
			"int main() { void *p; cudaMalloc(&p, 4); cudaDataType t = CUDA_R_16BF; cudaGraph_t g = 0; cudaGraphExec_t e = 0; cudaGraphExecUpdateResult r; cudaStreamAttrID a = cudaStreamAttributeMemSyncDomain;\n" +
			"return CU_COMPUTEMODE_PROHIBITED + CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH + CU_TARGET_COMPUTE_90A + CU_STREAM_ATTRIBUTE_PRIORITY + CUDA_ARRAY3D_SPARSE +\n" +
			"cudaSurfaceType2D + cudaGraphicsRegisterFlagsReadOnly + cudaGraphExecUpdate(e, g, nullptr, &r) + t + a; }\n",
		"plain.c": "#include <cuda_runtime_api.h>\n#include <cuda.h>\nint main(void) { void *p; struct cudaDeviceProp prop; return cudaMalloc(&p, 4) + cudaGetDeviceProperties(&prop, 0); }\n",
	} {
		t.Run(name, func(t *testing.T) { plainObject(t, write(t, name, source)) })
	}
}

// write makes a source file for one test.
func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}
