// All of it is in cuda_runtime.h.
#ifndef __DRIVER_FUNCTIONS_H__
#define __DRIVER_FUNCTIONS_H__
#include "cuda_runtime.h"
#endif
