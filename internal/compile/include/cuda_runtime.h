// Everything a CUDA C++ source sees without including it. The compiler driver includes this file first, as nvcc does.
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#if defined(__CUDA__) && !defined(__CUDACC__)
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 3
#define __CUDACC_VER_BUILD__ 0
#ifndef CUDA_VERSION
#define CUDA_VERSION 12030 // clang's own headers include cuda.h
#endif
#ifndef CCCL_DISABLE_NVTX
#define CCCL_DISABLE_NVTX // nobody listens to the ranges of Thrust and CUB
#endif
#ifndef CCCL_DISABLE_NVFP6_SUPPORT
#define CCCL_DISABLE_NVFP6_SUPPORT // a toolkit's cuda_fp6.h, which CCCL would find, is for the toolkit's other headers alone
#endif
#ifndef CUTLASS_GRID_CONSTANT_SUPPORTED
#define CUTLASS_GRID_CONSTANT_SUPPORTED // CUTLASS leaves __grid_constant__ out where it sees clang, and its tensor maps need it
#endif
#endif

#include "host_defines.h"
#include "vector_types.h"
#include "driver_types.h"
#include "library_types.h"

// Code of these headers belongs to the line that calls it.
#ifdef __CUDA__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

// Before the C++ library: its constexpr functions stay host-only where a __device__ function of the name exists.
#include "silica/device_library.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmath>
#include <cstdlib>
#include <new>
#include <utility>

#if __cplusplus < 202002L // constexpr since then, and so callable on the device
namespace std {
template <class T> static __device__ __forceinline__ void swap(T &a, T &b)
{
    T t = static_cast<T &&>(a);
    a = static_cast<T &&>(b);
    b = static_cast<T &&>(t);
}
} // namespace std
#endif
#endif

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#ifdef __CUDA__
#include "device_launch_parameters.h"
#include "silica/intrinsics.h"
#include "silica/cluster.h"
#include "silica/memory.h"
#include "silica/realigned.h"
#include "silica/shared.h"
#include "silica/atomics.h"
#include "silica/simd_video.h"
#include "silica/texture.h"
#include "silica/device_runtime.h"
#include "math_functions.h"
#endif

#ifdef __cplusplus
#include "silica/runtime_templates.h"
#endif

#ifdef __CUDA__
#pragma clang attribute pop
#endif

#endif
