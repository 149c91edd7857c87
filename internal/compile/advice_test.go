package compile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A header that is not there is said to be of what, in a line behind clang's.
func TestMissingHeaders(t *testing.T) {
	for header, want := range map[string]string{
		"thrust/device_vector.h":  "nvidia-cuda-cccl",
		"cub/cub.cuh":             "nvidia-cuda-cccl",
		"cuda/std/tuple":          "nvidia-cuda-cccl",
		"omp.h":                   "libomp-19-dev",
		"cublas_v2.h":             "cuBLAS; Silica does not have it",
		"cufftXt.h":               "cuFFT; Silica does not have it",
		"curand.h":                "nvidia-curand",
		"curand_kernel.h":         "nvidia-curand",
		"cudnn.h":                 "cuDNN; Silica does not have it",
		"nvtx3/nvToolsExt.h":      "nvidia-nvtx",
		"helper_cuda.h":           "NVIDIA's samples",
		"common/inc/helper_gl.h":  "NVIDIA's samples",
		"mpi.h":                   "libopenmpi-dev",
		"own.h":                   "",
		"local/thrust/not_that.h": "",
	} {
		line := "a.cu:1:10: \x1b[1mfatal error: \x1b[0m'" + header + "' file not found\n    1 | #include\n"
		got, added := strings.CutPrefix(advise(line), line)
		if !added || (want == "") != (got == "") || !strings.Contains(got, want) || strings.Count(got, "\n") > 1 {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	file := filepath.Join(t.TempDir(), "a.cu")
	if err := os.WriteFile(file, []byte("#include <thrust/sort.h>\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Device(context.Background(), file, Options{})
	var broken *Error
	if !errors.As(err, &broken) || !strings.Contains(err.Error(), "\nnote: 'thrust/sort.h': it is of NVIDIA's CCCL") {
		t.Errorf("%v", err)
	}
}

// Headers of NVIDIA's toolkit do not hide ours, and what is only among them is found.
func TestHeadersOfTheToolkit(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"cuda_runtime.h": "#error hides\n", "cuda_fp16.h": "#error hides\n", "extra.h": "#define EXTRA 3\nextern const dim3 blockDim;\nextern const uint3 threadIdx;\n",
		"a.cu": "#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n#ifndef __CUDA_ARCH__\n#include <extra.h>\n#endif\n" +
			"__global__ void k(int *x) { x[threadIdx.x] = blockDim.x; }\nint main() { k<<<1, 1>>>(nullptr); return sizeof(half); }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Object(context.Background(), filepath.Join(dir, "a.cu"), Options{Include: []string{dir}, Opt: "0"}); err != nil {
		t.Error(err)
	}
}

// A mistake that clang explains with our headers is said without them.
func TestNotesOfOurHeaders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.cu")
	if err := os.WriteFile(file, []byte("int helper(int a)\n{\n    return a + threadIdx.x;\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, colour := range []bool{false, true} {
		_, err := Object(context.Background(), file, Options{Color: colour})
		if err == nil {
			t.Fatal("it compiles")
		}
		text := looks.ReplaceAllString(err.Error(), "")
		if !strings.Contains(text, file+":3:26: error: ") || strings.Contains(text, "builtin_variables.h") || strings.Contains(text, "scratch space") {
			t.Error(text)
		}
	}
	own := "/cache/own.h:1:2: note: declared here\n    1 | x\n"
	users := "a.cu:3:4: error: no f\n  3 | f\na.cu:1:1: note: candidate\n  1 | g\n"
	if got := withoutOwnNotes(own+users+own+"In file included from b.h:1:\n", "/cache"); got != users+"In file included from b.h:1:\n" {
		t.Errorf("%q", got)
	}
}

// What CUDA had once compiles for the architectures that had it, and is said to be gone for others.
func TestRemovedNames(t *testing.T) {
	lanes := write(t, "lanes.cu", "__global__ void k(int *p, double *d) { p[0] = __shfl_down(p[1], 1) + __ballot(p[2]) + __any(p[3]) + __all(p[4]); *d = __shfl_xor(*d, 1, 8); }\n")
	device(t, lanes, Options{Arch: "sm_60"})
	hostObject(t, lanes, Options{Arch: "sm_60"})
	for file, want := range map[string]string{
		lanes: "note: '__shfl_down': it is there for compute capabilities up to 6.2",
		write(t, "reference.cu", "texture<float, 2, cudaReadModeElementType> t;\n"): "note: 'texture': texture references left CUDA with its version 12",
	} {
		_, err := Device(context.Background(), file, Options{Color: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", filepath.Base(file), err, want)
		}
	}
}

// Programs of old keep variables in registers, which nvcc lets them do in C++17.
func TestRegisterIsNoError(t *testing.T) {
	file := write(t, "register.cu", "__global__ void k(int *p) { register int i = p[1]; p[0] = i; }\nint main() { register int i = 0; return i; }\n")
	if _, err := Object(context.Background(), file, Options{}); err != nil {
		t.Error(err)
	}
}
