#ifndef SILICA_CUDA_PROFILER_API_H
#define SILICA_CUDA_PROFILER_API_H
#include "cuda_runtime_api.h"
#endif
