// __nv_bfloat16 and __nv_bfloat162: the upper half of a float.
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#include "cuda_runtime.h"

#ifdef __cplusplus

#ifdef __CUDA__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#endif

struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat162_raw { unsigned short x, y; };

#define SILICA_HD static __host__ __device__ __forceinline__

namespace silica {
SILICA_HD unsigned short narrow_bf16(float f) // to nearest even
{
    unsigned int u = __builtin_bit_cast(unsigned int, f);
    if (f != f) return 0x7fff;
#if __CUDA_ARCH__ >= 800
    unsigned short r;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(f));
    return r;
#else
    return (unsigned short)((u + 0x7fffu + (u >> 16 & 1)) >> 16);
#endif
}
// Rounding to odd in float keeps the second rounding, to bfloat16, correct.
SILICA_HD float float_to_odd(double d)
{
    float f = (float)d;
    unsigned int u = __builtin_bit_cast(unsigned int, f);
    if ((double)f == d || d != d || __builtin_fabsf(f) == __builtin_inff() || (u & 1)) return f;
    bool above = __builtin_fabs((double)f) > __builtin_fabs(d);
    return __builtin_bit_cast(float, above ? u - 1 : u + 1);
}
} // namespace silica

struct __attribute__((aligned(2))) __nv_bfloat16 {
    unsigned short __x;

    __nv_bfloat16() = default;
    __host__ __device__ __forceinline__ __nv_bfloat16(const __nv_bfloat16_raw &r) : __x(r.x) {}
    __host__ __device__ __forceinline__ __nv_bfloat16(float f) : __x(silica::narrow_bf16(f)) {}
    __host__ __device__ __forceinline__ __nv_bfloat16(double f) : __x(silica::narrow_bf16(silica::float_to_odd(f))) {}
#define SILICA_FROM(T) __host__ __device__ __forceinline__ __nv_bfloat16(T v) : __x(silica::narrow_bf16(silica::float_to_odd((double)v))) {}
    SILICA_FROM(short)
    SILICA_FROM(unsigned short)
    SILICA_FROM(int)
    SILICA_FROM(unsigned int)
    SILICA_FROM(long)
    SILICA_FROM(unsigned long)
    SILICA_FROM(long long)
    SILICA_FROM(unsigned long long)
#undef SILICA_FROM
    template <class T> __host__ __device__ __forceinline__ __nv_bfloat16 &operator=(T v) { return *this = __nv_bfloat16(v); }
    __nv_bfloat16 &operator=(const __nv_bfloat16 &) = default;
    __host__ __device__ __forceinline__ __nv_bfloat16 &operator=(const __nv_bfloat16_raw &r) { __x = r.x; return *this; }
    __host__ __device__ __forceinline__ void operator=(const __nv_bfloat16_raw &r) volatile { __x = r.x; }
    __host__ __device__ __forceinline__ operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
    __host__ __device__ __forceinline__ operator __nv_bfloat16_raw() const volatile { return __nv_bfloat16_raw{__x}; }
    __host__ __device__ __forceinline__ operator float() const { return __builtin_bit_cast(float, (unsigned int)__x << 16); }
#define SILICA_TO(T) __host__ __device__ __forceinline__ explicit operator T() const { return (T)(float)*this; }
    SILICA_TO(double)
    SILICA_TO(bool)
    SILICA_TO(short)
    SILICA_TO(unsigned short)
    SILICA_TO(int)
    SILICA_TO(unsigned int)
    SILICA_TO(long)
    SILICA_TO(unsigned long)
    SILICA_TO(long long)
    SILICA_TO(unsigned long long)
#undef SILICA_TO
};

struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;

    __nv_bfloat162() = default;
    __nv_bfloat162(const __nv_bfloat162 &) = default;
    __nv_bfloat162 &operator=(const __nv_bfloat162 &) = default;
    __host__ __device__ __forceinline__ __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
    __host__ __device__ __forceinline__ __nv_bfloat162(const __nv_bfloat162_raw &r) : x(__nv_bfloat16_raw{r.x}), y(__nv_bfloat16_raw{r.y}) {}
    __host__ __device__ __forceinline__ operator __nv_bfloat162_raw() const { return __nv_bfloat162_raw{x.__x, y.__x}; }
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define SILICA_H __nv_bfloat16
#define SILICA_H2 __nv_bfloat162
#define SILICA_T "bf16"
#define SILICA_ATOMIC_SINCE 900
#define SILICA_ADD "add.rn."
#define SILICA_SUB "sub.rn."
#define SILICA_MUL "mul.rn."
#if __CUDA_ARCH__ >= 900
#define SILICA_NATIVE 1
#else
#define SILICA_NATIVE 0
#endif
#define SILICA_COMPARE 0
#define SILICA_STORAGE float
#include "silica/float16.h"

#define SILICA_HD static __host__ __device__ __forceinline__

// ---- Conversions
SILICA_HD __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
SILICA_HD __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
SILICA_HD __nv_bfloat16 __double2bfloat16(double f) { return __nv_bfloat16(f); }
SILICA_HD float __bfloat162float(__nv_bfloat16 h) { return (float)h; }
SILICA_HD __nv_bfloat162 __float2bfloat162_rn(float f) { return __nv_bfloat162{__nv_bfloat16(f), __nv_bfloat16(f)}; }
SILICA_HD __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162{__nv_bfloat16(a), __nv_bfloat16(b)}; }
SILICA_HD __nv_bfloat162 __float22bfloat162_rn(float2 f) { return __nv_bfloat162{__nv_bfloat16(f.x), __nv_bfloat16(f.y)}; }
SILICA_HD float2 __bfloat1622float2(__nv_bfloat162 h) { return float2{(float)h.x, (float)h.y}; }
SILICA_HD float __low2float(__nv_bfloat162 h) { return (float)h.x; }
SILICA_HD float __high2float(__nv_bfloat162 h) { return (float)h.y; }
SILICA_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 h) { return __nv_bfloat162{h, h}; }
SILICA_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162{a, b}; }
SILICA_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162{a, b}; }
SILICA_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 h) { return h.x; }
SILICA_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 h) { return h.y; }
SILICA_HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162{h.x, h.x}; }
SILICA_HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162{h.y, h.y}; }
SILICA_HD __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162{a.x, b.x}; }
SILICA_HD __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162{a.y, b.y}; }
SILICA_HD __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 h) { return __nv_bfloat162{h.y, h.x}; }
SILICA_HD short __bfloat16_as_short(__nv_bfloat16 h) { return (short)h.__x; }
SILICA_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.__x; }
SILICA_HD __nv_bfloat16 __short_as_bfloat16(short s) { return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)s}); }
SILICA_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short s) { return __nv_bfloat16(__nv_bfloat16_raw{s}); }

// The lower half of a float is what rounding looks at: truncate, or step to the next number away from or towards zero.
SILICA_HD __nv_bfloat16 __float2bfloat16_rz(float f)
{
    unsigned int u = __builtin_bit_cast(unsigned int, f);
    return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)(f != f ? 0x7fffu : u >> 16)});
}
SILICA_HD __nv_bfloat16 __float2bfloat16_rd(float f)
{
    unsigned int u = __builtin_bit_cast(unsigned int, f), step = (u >> 31) && (u & 0xffffu) ? 1 : 0;
    return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)(f != f ? 0x7fffu : (u >> 16) + step)});
}
SILICA_HD __nv_bfloat16 __float2bfloat16_ru(float f)
{
    unsigned int u = __builtin_bit_cast(unsigned int, f), step = !(u >> 31) && (u & 0xffffu) ? 1 : 0;
    return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)(f != f ? 0x7fffu : (u >> 16) + step)});
}

#ifdef __CUDA__
#define SILICA_INTEGER(name, T, mode)                                                                                \
    static __device__ __forceinline__ T __bfloat162##name##_##mode(__nv_bfloat16 h) { return (T)__float2##name##_##mode((float)h); }
#define SILICA_INTEGERS(mode)                                                                                        \
    SILICA_INTEGER(int, int, mode) SILICA_INTEGER(uint, unsigned int, mode)                                          \
    SILICA_INTEGER(ll, long long, mode) SILICA_INTEGER(ull, unsigned long long, mode)
SILICA_INTEGERS(rn)
SILICA_INTEGERS(rz)
SILICA_INTEGERS(rd)
SILICA_INTEGERS(ru)
#undef SILICA_INTEGERS
#undef SILICA_INTEGER
SILICA_HD __nv_bfloat16 __int2bfloat16_rn(int v) { return __nv_bfloat16(v); }
SILICA_HD __nv_bfloat16 __uint2bfloat16_rn(unsigned int v) { return __nv_bfloat16(v); }
SILICA_HD __nv_bfloat16 __short2bfloat16_rn(short v) { return __nv_bfloat16(v); }
SILICA_HD __nv_bfloat16 __ushort2bfloat16_rn(unsigned short v) { return __nv_bfloat16(v); }
#endif
#undef SILICA_HD

#ifdef __CUDA__
#pragma clang attribute pop
#endif
#endif
#endif
