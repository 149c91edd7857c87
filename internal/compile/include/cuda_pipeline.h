#ifndef SILICA_CUDA_PIPELINE_H
#define SILICA_CUDA_PIPELINE_H
#include "cuda_pipeline_primitives.h"
#endif
