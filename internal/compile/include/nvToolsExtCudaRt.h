// NVTX: names of the runtime API's objects.
#ifndef SILICA_NV_TOOLS_EXT_CUDA_RT_H
#define SILICA_NV_TOOLS_EXT_CUDA_RT_H
#include "cuda_runtime_api.h"
#include "nvToolsExt.h"
SILICA_NVTX_NAMES(nvtxNameCudaDevice, int)
SILICA_NVTX_NAMES(nvtxNameCudaStream, cudaStream_t)
SILICA_NVTX_NAMES(nvtxNameCudaEvent, cudaEvent_t)
#endif
