// Loads and stores with a cache operator, and the device's string and allocation functions.
#ifndef SILICA_MEMORY_H
#define SILICA_MEMORY_H

#include "intrinsics.h"

#define SILICA_SCALARS(X)                                                                                     \
    X(char, "s8", "r", int) X(signed char, "s8", "r", int) X(unsigned char, "u8", "r", unsigned int)          \
    X(short, "s16", "h", short) X(unsigned short, "u16", "h", unsigned short)                                 \
    X(int, "s32", "r", int) X(unsigned int, "u32", "r", unsigned int)                                         \
    X(long, "s64", "l", long) X(unsigned long, "u64", "l", unsigned long)                                     \
    X(long long, "s64", "l", long long) X(unsigned long long, "u64", "l", unsigned long long)                 \
    X(float, "f32", "f", float) X(double, "f64", "d", double)
#define SILICA_PAIRS(X)                                                                                       \
    X(char2, "s8", "r", int) X(uchar2, "u8", "r", unsigned int) X(short2, "s16", "h", short)                  \
    X(ushort2, "u16", "h", unsigned short) X(int2, "s32", "r", int) X(uint2, "u32", "r", unsigned int)        \
    X(longlong2, "s64", "l", long long) X(ulonglong2, "u64", "l", unsigned long long)                         \
    X(float2, "f32", "f", float) X(double2, "f64", "d", double)
#define SILICA_QUADS(X)                                                                                       \
    X(char4, "s8", "r", int) X(uchar4, "u8", "r", unsigned int) X(short4, "s16", "h", short)                  \
    X(ushort4, "u16", "h", unsigned short) X(int4, "s32", "r", int) X(uint4, "u32", "r", unsigned int)        \
    X(float4, "f32", "f", float)

#define SILICA_LOAD1(name, op, T, type, c, R)                                                                 \
    SILICA_DEVICE T name(const T *p)                                                                          \
    { R x; asm SILICA_LOAD_KIND(op "." type " %0, [%1];" : "=" c(x) : "l"(p) SILICA_LOAD_CLOBBER); return (T)x; }
#define SILICA_LOAD2(name, op, T, type, c, R)                                                                 \
    SILICA_DEVICE T name(const T *p)                                                                          \
    {                                                                                                         \
        R x, y;                                                                                               \
        asm SILICA_LOAD_KIND(op ".v2." type " {%0, %1}, [%2];" : "=" c(x), "=" c(y) : "l"(p) SILICA_LOAD_CLOBBER); \
        return T{(decltype(T::x))x, (decltype(T::x))y};                                                       \
    }
#define SILICA_LOAD4(name, op, T, type, c, R)                                                                 \
    SILICA_DEVICE T name(const T *p)                                                                          \
    {                                                                                                         \
        R x, y, z, w;                                                                                         \
        asm SILICA_LOAD_KIND(op ".v4." type " {%0, %1, %2, %3}, [%4];"                                        \
                             : "=" c(x), "=" c(y), "=" c(z), "=" c(w) : "l"(p) SILICA_LOAD_CLOBBER);          \
        return T{(decltype(T::x))x, (decltype(T::x))y, (decltype(T::x))z, (decltype(T::x))w};                 \
    }

// Read-only loads may be moved and merged.
#define SILICA_LOAD_KIND
#define SILICA_LOAD_CLOBBER
#define X(T, type, c, R) SILICA_LOAD1(__ldg, "ld.global.nc", T, type, c, R)
SILICA_SCALARS(X)
#undef X
#define X(T, type, c, R) SILICA_LOAD2(__ldg, "ld.global.nc", T, type, c, R)
SILICA_PAIRS(X)
#undef X
#define X(T, type, c, R) SILICA_LOAD4(__ldg, "ld.global.nc", T, type, c, R)
SILICA_QUADS(X)
#undef X
#undef SILICA_LOAD_KIND
#undef SILICA_LOAD_CLOBBER

#define SILICA_LOAD_KIND volatile
#define SILICA_LOAD_CLOBBER : "memory"
#define SILICA_LOADS_1(T, type, c, R)                                                                         \
    SILICA_LOAD1(__ldca, "ld.global.ca", T, type, c, R) SILICA_LOAD1(__ldcg, "ld.global.cg", T, type, c, R)   \
    SILICA_LOAD1(__ldcs, "ld.global.cs", T, type, c, R) SILICA_LOAD1(__ldlu, "ld.global.lu", T, type, c, R)   \
    SILICA_LOAD1(__ldcv, "ld.global.cv", T, type, c, R)
#define SILICA_LOADS_2(T, type, c, R)                                                                         \
    SILICA_LOAD2(__ldca, "ld.global.ca", T, type, c, R) SILICA_LOAD2(__ldcg, "ld.global.cg", T, type, c, R)   \
    SILICA_LOAD2(__ldcs, "ld.global.cs", T, type, c, R) SILICA_LOAD2(__ldlu, "ld.global.lu", T, type, c, R)   \
    SILICA_LOAD2(__ldcv, "ld.global.cv", T, type, c, R)
#define SILICA_LOADS_4(T, type, c, R)                                                                         \
    SILICA_LOAD4(__ldca, "ld.global.ca", T, type, c, R) SILICA_LOAD4(__ldcg, "ld.global.cg", T, type, c, R)   \
    SILICA_LOAD4(__ldcs, "ld.global.cs", T, type, c, R) SILICA_LOAD4(__ldlu, "ld.global.lu", T, type, c, R)   \
    SILICA_LOAD4(__ldcv, "ld.global.cv", T, type, c, R)
SILICA_SCALARS(SILICA_LOADS_1)
SILICA_PAIRS(SILICA_LOADS_2)
SILICA_QUADS(SILICA_LOADS_4)
#undef SILICA_LOADS_1
#undef SILICA_LOADS_2
#undef SILICA_LOADS_4
#undef SILICA_LOAD_KIND
#undef SILICA_LOAD_CLOBBER
#undef SILICA_LOAD1
#undef SILICA_LOAD2
#undef SILICA_LOAD4

#define SILICA_STORE1(name, op, T, type, c, R)                                                                \
    SILICA_DEVICE void name(T *p, T v) { asm volatile(op "." type " [%0], %1;" ::"l"(p), c((R)v) : "memory"); }
#define SILICA_STORE2(name, op, T, type, c, R)                                                                \
    SILICA_DEVICE void name(T *p, T v)                                                                        \
    { asm volatile(op ".v2." type " [%0], {%1, %2};" ::"l"(p), c((R)v.x), c((R)v.y) : "memory"); }
#define SILICA_STORE4(name, op, T, type, c, R)                                                                \
    SILICA_DEVICE void name(T *p, T v)                                                                        \
    { asm volatile(op ".v4." type " [%0], {%1, %2, %3, %4};" ::"l"(p), c((R)v.x), c((R)v.y), c((R)v.z), c((R)v.w) : "memory"); }
#define SILICA_STORES_1(T, type, c, R)                                                                        \
    SILICA_STORE1(__stwb, "st.global.wb", T, type, c, R) SILICA_STORE1(__stcg, "st.global.cg", T, type, c, R) \
    SILICA_STORE1(__stcs, "st.global.cs", T, type, c, R) SILICA_STORE1(__stwt, "st.global.wt", T, type, c, R)
#define SILICA_STORES_2(T, type, c, R)                                                                        \
    SILICA_STORE2(__stwb, "st.global.wb", T, type, c, R) SILICA_STORE2(__stcg, "st.global.cg", T, type, c, R) \
    SILICA_STORE2(__stcs, "st.global.cs", T, type, c, R) SILICA_STORE2(__stwt, "st.global.wt", T, type, c, R)
#define SILICA_STORES_4(T, type, c, R)                                                                        \
    SILICA_STORE4(__stwb, "st.global.wb", T, type, c, R) SILICA_STORE4(__stcg, "st.global.cg", T, type, c, R) \
    SILICA_STORE4(__stcs, "st.global.cs", T, type, c, R) SILICA_STORE4(__stwt, "st.global.wt", T, type, c, R)
SILICA_SCALARS(SILICA_STORES_1)
SILICA_PAIRS(SILICA_STORES_2)
SILICA_QUADS(SILICA_STORES_4)
#undef SILICA_STORES_1
#undef SILICA_STORES_2
#undef SILICA_STORES_4
#undef SILICA_STORE1
#undef SILICA_STORE2
#undef SILICA_STORE4
#undef SILICA_SCALARS
#undef SILICA_PAIRS
#undef SILICA_QUADS

SILICA_DEVICE void *memcpy(void *dst, const void *src, size_t n) { return __builtin_memcpy(dst, src, n); }
SILICA_DEVICE void *memmove(void *dst, const void *src, size_t n) { return __builtin_memmove(dst, src, n); }
SILICA_DEVICE void *memset(void *dst, int value, size_t n) { return __builtin_memset(dst, value, n); }
SILICA_DEVICE int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *p = (const unsigned char *)a, *q = (const unsigned char *)b;
    for (size_t i = 0; i < n; ++i)
        if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
    return 0;
}
SILICA_DEVICE size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n]) ++n;
    return n;
}

// What a failed assert calls.
extern "C" __device__ void __assertfail(const char *message, const char *file, unsigned int line, const char *function,
                                        size_t charSize) __attribute__((noreturn));
extern "C" __device__ inline __attribute__((noreturn, always_inline)) void __assert_fail(const char *message, const char *file, unsigned int line,
                                                                           const char *function) noexcept
{
    __assertfail(message, file, line, function, sizeof(char));
}

#endif
