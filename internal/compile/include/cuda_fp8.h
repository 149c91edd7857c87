// 8-bit floats: e4m3 (no infinities, largest 448) and e5m2 (largest 57344), one to four of them, and their conversions.
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#ifdef __cplusplus

#ifdef __CUDA__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#endif

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t; // the first in the low byte
typedef unsigned int __nv_fp8x4_storage_t;

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

#define SILICA_HD static __host__ __device__ __forceinline__

namespace silica {

// To nearest even. What is too large becomes the largest number with saturation, and else NaN (e4m3) or infinity (e5m2).
SILICA_HD __nv_fp8_storage_t narrow_fp8(double d, __nv_saturation_t saturate, __nv_fp8_interpretation_t type)
{
    const bool e4m3 = type == __NV_E4M3;
    const int fraction = e4m3 ? 3 : 2, least = e4m3 ? -6 : -14; // bits; exponent of the smallest normal number
    const double largest = e4m3 ? 448 : 57344;
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, d), magnitude = bits & 0x7fffffffffffffffull;
    const unsigned char sign = (unsigned char)(bits >> 56 & 0x80);
    if (magnitude > 0x7ff0000000000000ull) return e4m3 ? 0x7f : 0x7e | (bits >> 50 & 3);
    int exponent = (int)(magnitude >> 52) - 1023;
    if (exponent > 15) exponent = 16;
    if (exponent < least) exponent = least;
    // The number in units of its last place.
    const double unit = __builtin_bit_cast(double, (unsigned long long)(1023 + exponent - fraction) << 52);
    const double scale = __builtin_bit_cast(double, (unsigned long long)(1023 - exponent + fraction) << 52);
    const double a = __builtin_bit_cast(double, magnitude);
    const double n = a > 0x1p17 ? 0x1p17 : a * scale + 0x1p52 - 0x1p52;
    if (a > 0x1p17 || n * unit > largest) return sign | (saturate == __NV_SATFINITE ? (e4m3 ? 0x7e : 0x7b) : (e4m3 ? 0x7f : 0x7c));
    return sign | (unsigned char)(((exponent - least) << fraction) + (int)n);
}

// Of NaNs only a double keeps bits.
SILICA_HD __nv_fp8_storage_t narrow_fp8(float f, __nv_saturation_t saturate, __nv_fp8_interpretation_t type)
{
    return f != f ? 0x7f : narrow_fp8((double)f, saturate, type);
}

SILICA_HD float widen_fp8(__nv_fp8_storage_t x, __nv_fp8_interpretation_t type)
{
    if (type == __NV_E5M2) {
        __half_raw h;
        h.x = (x & 0x7f) > 0x7c ? 0x7fff : (unsigned short)(x << 8);
        return (float)__half(h);
    }
    const unsigned int rest = x & 0x7f;
    if (rest == 0x7f) return __builtin_bit_cast(float, 0x7fffffffu);
    const float a = rest < 8 ? (float)rest * 0x1p-9f : __builtin_bit_cast(float, (rest << 20) + (120u << 23));
    return x & 0x80 ? -a : a;
}

} // namespace silica

// Two floats, the first in the low byte. With saturation GPUs of compute capability 8.9 and later have an instruction.
SILICA_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t type)
{
#if __CUDA_ARCH__ >= 890
    if (saturate == __NV_SATFINITE) {
        unsigned short r;
        if (type == __NV_E4M3)
            asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(x.y), "f"(x.x));
        else
            asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(r) : "f"(x.y), "f"(x.x));
        return r;
    }
#endif
    return (__nv_fp8x2_storage_t)(silica::narrow_fp8(x.x, saturate, type) | silica::narrow_fp8(x.y, saturate, type) << 8);
}
SILICA_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t type)
{
    return (__nv_fp8_storage_t)__nv_cvt_float2_to_fp8x2(make_float2(x, 0), saturate, type);
}
SILICA_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t type)
{
    return silica::narrow_fp8(x, saturate, type);
}
SILICA_HD __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t type)
{
    return (__nv_fp8x2_storage_t)(silica::narrow_fp8(x.x, saturate, type) | silica::narrow_fp8(x.y, saturate, type) << 8);
}
SILICA_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t type)
{
    return __nv_cvt_float_to_fp8((float)__half(x), saturate, type);
}
SILICA_HD __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t type)
{
    __half2 h(x);
    return __nv_cvt_float2_to_fp8x2(make_float2((float)h.x, (float)h.y), saturate, type);
}
SILICA_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t type)
{
    return __nv_cvt_float_to_fp8((float)__nv_bfloat16(x), saturate, type);
}
SILICA_HD __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t type)
{
    __nv_bfloat162 b(x);
    return __nv_cvt_float2_to_fp8x2(make_float2((float)b.x, (float)b.y), saturate, type);
}
SILICA_HD __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t type)
{
    if (type == __NV_E4M3 ? (x & 0x7f) == 0x7f : (x & 0x7f) > 0x7c) {
        __half_raw nan;
        nan.x = 0x7fff;
        return nan;
    }
    return __half(silica::widen_fp8(x, type));
}
SILICA_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t type)
{
    __half2_raw r;
    r.x = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, type).x;
    r.y = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), type).x;
    return r;
}

// The types. Integers and wide floats saturate, as they do in NVIDIA's.
#define SILICA_FP8(name, TYPE)                                                                                      \
    struct __nv_fp8_##name {                                                                                        \
        __nv_fp8_storage_t __x;                                                                                     \
        __nv_fp8_##name() = default;                                                                                \
        explicit __host__ __device__ __nv_fp8_##name(__half v) : __x(__nv_cvt_halfraw_to_fp8(v, __NV_SATFINITE, TYPE)) {} \
        explicit __host__ __device__ __nv_fp8_##name(__nv_bfloat16 v) : __x(__nv_cvt_float_to_fp8((float)v, __NV_SATFINITE, TYPE)) {} \
        explicit __host__ __device__ __nv_fp8_##name(float v) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, TYPE)) {} \
        explicit __host__ __device__ __nv_fp8_##name(double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, TYPE)) {} \
        SILICA_FROM(name, TYPE, short) SILICA_FROM(name, TYPE, unsigned short) SILICA_FROM(name, TYPE, int)         \
        SILICA_FROM(name, TYPE, unsigned int) SILICA_FROM(name, TYPE, long) SILICA_FROM(name, TYPE, unsigned long)  \
        SILICA_FROM(name, TYPE, long long) SILICA_FROM(name, TYPE, unsigned long long)                              \
        explicit __host__ __device__ operator float() const { return silica::widen_fp8(__x, TYPE); }                \
        explicit __host__ __device__ operator double() const { return silica::widen_fp8(__x, TYPE); }               \
        explicit __host__ __device__ operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, TYPE)); } \
        explicit __host__ __device__ operator __nv_bfloat16() const { return __nv_bfloat16(silica::widen_fp8(__x, TYPE)); } \
        explicit __host__ __device__ operator int() const { return (int)silica::widen_fp8(__x, TYPE); }             \
        explicit __host__ __device__ operator unsigned int() const { return (unsigned int)silica::widen_fp8(__x, TYPE); } \
        explicit __host__ __device__ operator bool() const { return (__x & 0x7f) != 0; }                            \
    };                                                                                                              \
    struct __attribute__((aligned(2))) __nv_fp8x2_##name {                                                          \
        __nv_fp8x2_storage_t __x;                                                                                   \
        __nv_fp8x2_##name() = default;                                                                              \
        explicit __host__ __device__ __nv_fp8x2_##name(__half2 v) : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, TYPE)) {} \
        explicit __host__ __device__ __nv_fp8x2_##name(__nv_bfloat162 v)                                            \
            : __x(__nv_cvt_float2_to_fp8x2(make_float2((float)v.x, (float)v.y), __NV_SATFINITE, TYPE)) {}           \
        explicit __host__ __device__ __nv_fp8x2_##name(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, TYPE)) {} \
        explicit __host__ __device__ __nv_fp8x2_##name(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, TYPE)) {} \
        explicit __host__ __device__ operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, TYPE)); } \
        explicit __host__ __device__ operator float2() const                                                        \
        { return make_float2(silica::widen_fp8((__nv_fp8_storage_t)__x, TYPE), silica::widen_fp8((__nv_fp8_storage_t)(__x >> 8), TYPE)); } \
    };                                                                                                              \
    struct __attribute__((aligned(4))) __nv_fp8x4_##name {                                                          \
        __nv_fp8x4_storage_t __x;                                                                                   \
        __nv_fp8x4_##name() = default;                                                                              \
        explicit __host__ __device__ __nv_fp8x4_##name(__half2 low, __half2 high)                                   \
            : __x(__nv_fp8x2_##name(low).__x | (unsigned int)__nv_fp8x2_##name(high).__x << 16) {}                  \
        explicit __host__ __device__ __nv_fp8x4_##name(__nv_bfloat162 low, __nv_bfloat162 high)                     \
            : __x(__nv_fp8x2_##name(low).__x | (unsigned int)__nv_fp8x2_##name(high).__x << 16) {}                  \
        explicit __host__ __device__ __nv_fp8x4_##name(float4 v)                                                    \
            : __x(__nv_fp8x2_##name(make_float2(v.x, v.y)).__x | (unsigned int)__nv_fp8x2_##name(make_float2(v.z, v.w)).__x << 16) {} \
        explicit __host__ __device__ __nv_fp8x4_##name(double4 v)                                                   \
            : __x(__nv_fp8x2_##name(make_double2(v.x, v.y)).__x | (unsigned int)__nv_fp8x2_##name(make_double2(v.z, v.w)).__x << 16) {} \
        explicit __host__ __device__ operator float4() const                                                        \
        {                                                                                                           \
            return make_float4(silica::widen_fp8((__nv_fp8_storage_t)__x, TYPE), silica::widen_fp8((__nv_fp8_storage_t)(__x >> 8), TYPE), \
                silica::widen_fp8((__nv_fp8_storage_t)(__x >> 16), TYPE), silica::widen_fp8((__nv_fp8_storage_t)(__x >> 24), TYPE)); \
        }                                                                                                           \
    };
#define SILICA_FROM(name, TYPE, T) explicit __host__ __device__ __nv_fp8_##name(T v) : __x(__nv_cvt_double_to_fp8((double)v, __NV_SATFINITE, TYPE)) {}
SILICA_FP8(e4m3, __NV_E4M3)
SILICA_FP8(e5m2, __NV_E5M2)
#undef SILICA_FROM
#undef SILICA_FP8
#undef SILICA_HD

#ifdef __CUDA__
#pragma clang attribute pop
#endif

#endif
#endif
