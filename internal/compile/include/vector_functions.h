// make_int2(x, y) and its kind.
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define SILICA_MAKE_FN static __inline__ __host__ __device__
#define SILICA_MAKE(name, T)                                                                        \
    SILICA_MAKE_FN name##1 make_##name##1(T x) { name##1 v; v.x = x; return v; }                    \
    SILICA_MAKE_FN name##2 make_##name##2(T x, T y) { name##2 v; v.x = x; v.y = y; return v; }      \
    SILICA_MAKE_FN name##3 make_##name##3(T x, T y, T z)                                            \
    { name##3 v; v.x = x; v.y = y; v.z = z; return v; }                                             \
    SILICA_MAKE4(name##4, T)
#define SILICA_MAKE4(type, T)                                                                       \
    SILICA_MAKE_FN type make_##type(T x, T y, T z, T w)                                             \
    { type v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }

SILICA_MAKE(char, signed char)
SILICA_MAKE(uchar, unsigned char)
SILICA_MAKE(short, short)
SILICA_MAKE(ushort, unsigned short)
SILICA_MAKE(int, int)
SILICA_MAKE(uint, unsigned int)
SILICA_MAKE(long, long int)
SILICA_MAKE(ulong, unsigned long int)
SILICA_MAKE(longlong, long long int)
SILICA_MAKE(ulonglong, unsigned long long int)
SILICA_MAKE(float, float)
SILICA_MAKE(double, double)
SILICA_MAKE4(long4_16a, long int)
SILICA_MAKE4(long4_32a, long int)
SILICA_MAKE4(ulong4_16a, unsigned long int)
SILICA_MAKE4(ulong4_32a, unsigned long int)
SILICA_MAKE4(longlong4_16a, long long int)
SILICA_MAKE4(longlong4_32a, long long int)
SILICA_MAKE4(ulonglong4_16a, unsigned long long int)
SILICA_MAKE4(ulonglong4_32a, unsigned long long int)
SILICA_MAKE4(double4_16a, double)
SILICA_MAKE4(double4_32a, double)

#undef SILICA_MAKE
#undef SILICA_MAKE4
#undef SILICA_MAKE_FN

#endif
