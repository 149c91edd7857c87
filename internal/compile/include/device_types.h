#ifndef SILICA_DEVICE_TYPES_H
#define SILICA_DEVICE_TYPES_H
#include "host_defines.h"

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

#endif
