#ifndef SILICA_NVTX3_NV_TOOLS_EXT_CUDA_H
#define SILICA_NVTX3_NV_TOOLS_EXT_CUDA_H
#include "../nvToolsExtCuda.h"
#endif
