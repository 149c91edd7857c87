// All of it is in cuda_runtime.h.
#ifndef SILICA_DEVICE_DOUBLE_FUNCTIONS_H
#define SILICA_DEVICE_DOUBLE_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
