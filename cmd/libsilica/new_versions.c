// Functions of the driver API as they are since a version after the one that cuda.h names, for programs that were built with a
// newer header.
#include <cuda.h>

// Contexts that use a part of the multiprocessors, or share memory with graphics, are not there.
CUresult cuCtxCreate_v3(CUcontext *context, void *affinities, int count, unsigned int flags, CUdevice device)
{
	if (count < 0 || (count > 0 && !affinities))
		return CUDA_ERROR_INVALID_VALUE;
	return count > 0 ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate_v2(context, flags, device);
}

// What cuCtxCreate_v4 takes.
struct context_parameters {
	void *affinities;
	int count;
	void *graphics;
};

CUresult cuCtxCreate_v4(CUcontext *context, const struct context_parameters *p, unsigned int flags, CUdevice device)
{
	if (p && p->graphics)
		return CUDA_ERROR_NOT_SUPPORTED;
	return cuCtxCreate_v3(context, p ? p->affinities : NULL, p ? p->count : 0, flags, device);
}

CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end) { return cuEventElapsedTime(ms, start, end); }
