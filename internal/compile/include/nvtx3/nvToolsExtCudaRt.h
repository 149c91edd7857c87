#ifndef SILICA_NVTX3_NV_TOOLS_EXT_CUDA_RT_H
#define SILICA_NVTX3_NV_TOOLS_EXT_CUDA_RT_H
#include "../nvToolsExtCudaRt.h"
#endif
