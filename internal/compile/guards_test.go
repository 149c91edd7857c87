package compile

import (
	"fmt"
	"strings"
	"testing"
)

// A program asks by the guard of a header whether the runtime, its types or the driver API are there, before it
// defines what needs them. The names of the guards are therefore part of the headers.
func TestGuardsOfHeadersHaveTheirUsualNames(t *testing.T) {
	guards := map[string]string{
		"__DRIVER_TYPES_H__":               "driver_types.h",
		"__CUDA_RUNTIME_H__":               "cuda_runtime.h",
		"__CUDA_RUNTIME_API_H__":           "cuda_runtime_api.h",
		"__cuda_cuda_h__":                  "cuda.h",
		"__CHANNEL_DESCRIPTOR_H__":         "channel_descriptor.h",
		"_COOPERATIVE_GROUPS_H_":           "cooperative_groups.h",
		"CU_COMPLEX_H_":                    "cuComplex.h",
		"__CUDA_BF16_H__":                  "cuda_bf16.h",
		"__CUDA_FP16_H__":                  "cuda_fp16.h",
		"__CUDA_FP8_H__":                   "cuda_fp8.h",
		"_CUDA_PIPELINE_H_":                "cuda_pipeline.h",
		"_CUDA_PIPELINE_PRIMITIVES_H_":     "cuda_pipeline_primitives.h",
		"__DEVICE_ATOMIC_FUNCTIONS_H__":    "device_atomic_functions.h",
		"__DEVICE_DOUBLE_FUNCTIONS_H__":    "device_double_functions.h",
		"__DEVICE_FUNCTIONS_H__":           "device_functions.h",
		"__DEVICE_LAUNCH_PARAMETERS_H__":   "device_launch_parameters.h",
		"__DEVICE_TYPES_H__":               "device_types.h",
		"__DRIVER_FUNCTIONS_H__":           "driver_functions.h",
		"__HOST_DEFINES_H__":               "host_defines.h",
		"__LIBRARY_TYPES_H__":              "library_types.h",
		"__MATH_CONSTANTS_H__":             "math_constants.h",
		"__MATH_FUNCTIONS_H__":             "math_functions.h",
		"__CUDA_MMA_H__":                   "mma.h",
		"__SM_20_ATOMIC_FUNCTIONS_H__":     "sm_20_atomic_functions.h",
		"__SM_20_INTRINSICS_H__":           "sm_20_intrinsics.h",
		"__SM_30_INTRINSICS_H__":           "sm_30_intrinsics.h",
		"__SM_32_ATOMIC_FUNCTIONS_H__":     "sm_32_atomic_functions.h",
		"__SM_32_INTRINSICS_H__":           "sm_32_intrinsics.h",
		"__SM_35_ATOMIC_FUNCTIONS_H__":     "sm_35_atomic_functions.h",
		"__SM_35_INTRINSICS_H__":           "sm_35_intrinsics.h",
		"__SM_60_ATOMIC_FUNCTIONS_H__":     "sm_60_atomic_functions.h",
		"__SM_61_INTRINSICS_H__":           "sm_61_intrinsics.h",
		"__SURFACE_INDIRECT_FUNCTIONS_H__": "surface_indirect_functions.h",
		"__SURFACE_TYPES_H__":              "surface_types.h",
		"__TEXTURE_INDIRECT_FUNCTIONS_H__": "texture_indirect_functions.h",
		"__TEXTURE_TYPES_H__":              "texture_types.h",
		"__VECTOR_FUNCTIONS_H__":           "vector_functions.h",
		"__VECTOR_TYPES_H__":               "vector_types.h",
	}
	var source strings.Builder
	for _, header := range guards {
		fmt.Fprintf(&source, "#include <%s>\n", header)
	}
	for guard, header := range guards {
		fmt.Fprintf(&source, "#ifndef %s\n#error %[1]s of %s is not defined\n#endif\n", guard, header)
	}
	device(t, write(t, "guards.cu", source.String()+"__global__ void k(int *p) { p[0] = 1; }\n"), Options{})
}
