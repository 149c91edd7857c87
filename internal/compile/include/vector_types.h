// The vector types: char1 .. double4, and dim3. Sizes and alignments are those of CUDA.
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

#include "host_defines.h"

// SILICA_VECTORS(name, element, alignment of the 2-, 3- and 4-element type)
#define SILICA_VECTORS(name, T, a2, a3, a4)                         \
    struct name##1 { T x; };                                        \
    struct __align__(a2) name##2 { T x, y; };                       \
    struct __align__(a3) name##3 { T x, y, z; };                    \
    struct __align__(a4) name##4 { T x, y, z, w; };                 \
    typedef struct name##1 name##1;                                 \
    typedef struct name##2 name##2;                                 \
    typedef struct name##3 name##3;                                 \
    typedef struct name##4 name##4;

SILICA_VECTORS(char, signed char, 2, 1, 4)
SILICA_VECTORS(uchar, unsigned char, 2, 1, 4)
SILICA_VECTORS(short, short, 4, 2, 8)
SILICA_VECTORS(ushort, unsigned short, 4, 2, 8)
SILICA_VECTORS(int, int, 8, 4, 16)
SILICA_VECTORS(uint, unsigned int, 8, 4, 16)
SILICA_VECTORS(long, long int, 2 * sizeof(long), sizeof(long), 16)
SILICA_VECTORS(ulong, unsigned long int, 2 * sizeof(long), sizeof(long), 16)
SILICA_VECTORS(longlong, long long int, 16, 8, 16)
SILICA_VECTORS(ulonglong, unsigned long long int, 16, 8, 16)
SILICA_VECTORS(float, float, 8, 4, 16)
SILICA_VECTORS(double, double, 16, 8, 16)
#undef SILICA_VECTORS

// Four 64-bit elements with the alignment spelled out (CUDA 13 names).
#define SILICA_VECTOR4(name, T)                                     \
    struct __align__(16) name##4_16a { T x, y, z, w; };             \
    struct __align__(32) name##4_32a { T x, y, z, w; };             \
    typedef struct name##4_16a name##4_16a;                         \
    typedef struct name##4_32a name##4_32a;

SILICA_VECTOR4(long, long int)
SILICA_VECTOR4(ulong, unsigned long int)
SILICA_VECTOR4(longlong, long long int)
SILICA_VECTOR4(ulonglong, unsigned long long int)
SILICA_VECTOR4(double, double)
#undef SILICA_VECTOR4

struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#endif
