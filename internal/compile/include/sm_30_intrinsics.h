// All of it is in cuda_runtime.h.
#ifndef SILICA_SM_30_INTRINSICS_H
#define SILICA_SM_30_INTRINSICS_H
#include "cuda_runtime.h"
#endif
