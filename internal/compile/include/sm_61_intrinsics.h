// All of it is in cuda_runtime.h.
#ifndef SILICA_SM_61_INTRINSICS_H
#define SILICA_SM_61_INTRINSICS_H
#include "cuda_runtime.h"
#endif
