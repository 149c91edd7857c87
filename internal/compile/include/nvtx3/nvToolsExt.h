#ifndef SILICA_NVTX3_NV_TOOLS_EXT_H
#define SILICA_NVTX3_NV_TOOLS_EXT_H
#include "../nvToolsExt.h"
#endif
