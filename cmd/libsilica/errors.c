#include <stddef.h>

#include "errors.h"
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
