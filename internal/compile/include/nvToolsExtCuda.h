// NVTX: names of the driver API's objects.
#ifndef SILICA_NV_TOOLS_EXT_CUDA_H
#define SILICA_NV_TOOLS_EXT_CUDA_H
#include "cuda.h"
#include "nvToolsExt.h"
SILICA_NVTX_NAMES(nvtxNameCuDevice, CUdevice)
SILICA_NVTX_NAMES(nvtxNameCuContext, CUcontext)
SILICA_NVTX_NAMES(nvtxNameCuStream, CUstream)
SILICA_NVTX_NAMES(nvtxNameCuEvent, CUevent)
#endif
