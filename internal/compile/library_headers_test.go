package compile

import (
	"os"
	"path/filepath"
	"testing"
)

// NVIDIA's headers of its libraries, as curand_kernel.h, take these from the toolkit's own.
func TestHeadersOfLibrariesFindTheirNames(t *testing.T) {
	device(t, write(t, "main.cu", `
#include <library_types.h>
struct [[deprecated]] old { float x; };
__NV_SILENCE_DEPRECATION_BEGIN
__device__ float first(old o) { return o.x; }
__NV_SILENCE_DEPRECATION_END
static_assert(MAJOR_VERSION == 0 && MINOR_VERSION == 1 && PATCH_LEVEL == 2, "");
__global__ void kernel(float *p, libraryPropertyType t) { *p = t; }
`), Options{})
}

// CCCL takes cuda_fp6.h where it is, unless told not to. A toolkit's would bring its own vector types.
func TestToolkitsHeadersOfNewTypesStayOut(t *testing.T) {
	toolkit := t.TempDir()
	for name, text := range map[string]string{"crt/host_runtime.h": "", "cuda_fp6.h": "#include \"vector_types.h\"\n", "vector_types.h": "struct char1 { signed char x; };\n"} {
		if err := os.MkdirAll(filepath.Join(toolkit, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(toolkit, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	device(t, write(t, "main.cu", `
#if __has_include(<cuda_fp6.h>) && !defined(CCCL_DISABLE_NVFP6_SUPPORT)
#include <cuda_fp6.h>
#endif
__global__ void kernel(char1 *p) { p->x = 1; }
`), Options{Include: []string{toolkit}})
}
