// The declarations of the device runtime are part of every CUDA source.
#include "cuda_runtime.h"
