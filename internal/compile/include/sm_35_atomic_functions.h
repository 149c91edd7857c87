// All of it is in cuda_runtime.h.
#ifndef SILICA_SM_35_ATOMIC_FUNCTIONS_H
#define SILICA_SM_35_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
