package compile

import "testing"

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
