// All of it is in cuda_runtime.h.
#ifndef SILICA_TEXTURE_INDIRECT_FUNCTIONS_H
#define SILICA_TEXTURE_INDIRECT_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
