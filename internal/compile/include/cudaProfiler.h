#ifndef SILICA_CUDA_PROFILER_H
#define SILICA_CUDA_PROFILER_H
#include "cuda.h"
#endif
