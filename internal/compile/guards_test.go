package compile

import "testing"

// A program asks by the guard of a header whether the runtime, its types or the driver API are there, before it
// defines what needs them. The names of the guards are therefore part of the headers.
func TestGuardsOfHeadersHaveTheirUsualNames(t *testing.T) {
	for guard, header := range map[string]string{
		"__DRIVER_TYPES_H__":     "driver_types.h",
		"__CUDA_RUNTIME_H__":     "cuda_runtime.h",
		"__CUDA_RUNTIME_API_H__": "cuda_runtime_api.h",
		"__cuda_cuda_h__":        "cuda.h",
	} {
		t.Run(header, func(t *testing.T) {
			device(t, write(t, "guard.cu", "#include <"+header+">\n#ifndef "+guard+"\n#error "+guard+" is not defined\n#endif\n__global__ void k(int *p) { p[0] = 1; }\n"), Options{})
		})
	}
}
