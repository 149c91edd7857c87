#include <stddef.h>

#include "errors.h"
#include <cuda.h>
#include <cuda_runtime_api.h>

static const char unrecognized[] = "unrecognized error code";

static const struct silica_error *find(int code)
{
	for (const struct silica_error *e = silica_errors; e->code >= 0; ++e)
		if (e->code == code)
			return e;
	return NULL;
}

const char *cudaGetErrorName(cudaError_t code)
{
	const struct silica_error *e = find(code);
	return e && e->runtime ? e->runtime : unrecognized;
}

const char *cudaGetErrorString(cudaError_t code)
{
	const struct silica_error *e = find(code);
	return e && e->runtime ? e->text : unrecognized;
}

CUresult cuGetErrorName(CUresult code, const char **name)
{
	const struct silica_error *e = find(code);
	*name = e ? e->driver : NULL;
	return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult code, const char **text)
{
	const struct silica_error *e = find(code);
	*text = e && e->driver ? e->text : NULL;
	return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
