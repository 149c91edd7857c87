// The C library functions that device code may call, declared before the host's headers declare theirs.
#ifndef SILICA_DEVICE_LIBRARY_H
#define SILICA_DEVICE_LIBRARY_H

#include "../host_defines.h"
#include "math_declarations.h"

extern "C" {
__device__ int printf(const char *format, ...);
__device__ int vprintf(const char *format, const char *arguments);
__device__ void *malloc(__SIZE_TYPE__ size) __attribute__((nothrow, malloc));
__device__ void free(void *p) __attribute__((nothrow));
}

static __device__ __forceinline__ int abs(int x) { return x < 0 ? -x : x; }
static __device__ __forceinline__ long abs(long x) { return x < 0 ? -x : x; }
static __device__ __forceinline__ long long abs(long long x) { return x < 0 ? -x : x; }
static __device__ __forceinline__ float abs(float x) { return __builtin_fabsf(x); }
static __device__ __forceinline__ double abs(double x) { return __builtin_fabs(x); }
static __device__ __forceinline__ long labs(long x) { return x < 0 ? -x : x; }
static __device__ __forceinline__ long long llabs(long long x) { return x < 0 ? -x : x; }
namespace std {
using ::abs;
using ::labs;
using ::llabs;
} // namespace std

#endif
