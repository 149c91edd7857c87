// All of it is in cuda_runtime.h.
#ifndef SILICA_CHANNEL_DESCRIPTOR_H
#define SILICA_CHANNEL_DESCRIPTOR_H
#include "cuda_runtime.h"
#endif
