// __half and __half2: IEEE binary16.
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#include "cuda_runtime.h"

#ifdef __cplusplus

#ifdef __CUDA__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#endif

struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };

namespace silica {

// Host conversions, for compilers and C libraries without binary16.
static inline float widen_half(unsigned short h)
{
    unsigned int sign = (h & 0x8000u) << 16, rest = h & 0x7fffu;
    if (rest >= 0x7c00u) return __builtin_bit_cast(float, sign | 0x7f800000u | (rest & 0x3ffu) << 13);
    float magnitude = __builtin_bit_cast(float, (rest << 13) + 0x38000000u); // 112 << 23: exponent bias 15 to 127
    if (rest < 0x400u) magnitude = (float)rest * 0x1p-24f;
    return __builtin_bit_cast(float, sign | __builtin_bit_cast(unsigned int, magnitude));
}
static inline unsigned short narrow_half(double d) // to nearest even
{
    unsigned long long u = __builtin_bit_cast(unsigned long long, d);
    unsigned short sign = (unsigned short)(u >> 48 & 0x8000u);
    double a = __builtin_fabs(d);
    if (!(a <= __builtin_inf())) return 0x7fff;
    if (a >= 65520.0) return sign | 0x7c00;
    if (a < 0x1p-14) return sign | (unsigned short)(a * 0x1p24 + 0x1p52 - 0x1p52);
    unsigned long long m = u & 0x7fffffffffffffffull;
    m += 0x1ffffffffffull + (m >> 42 & 1); // round the 42 dropped bits
    return sign | (unsigned short)((m >> 42) - ((1023ull - 15) << 10));
}

} // namespace silica

#define SILICA_HD static __host__ __device__ __forceinline__

struct __attribute__((aligned(2))) __half {
    unsigned short __x;

    __half() = default;
    __host__ __device__ __forceinline__ __half(const __half_raw &r) : __x(r.x) {}
    __host__ __device__ __forceinline__ __half(float f) : __x(round(f)) {}
    __host__ __device__ __forceinline__ __half(double f) : __x(round(f)) {}
#define SILICA_FROM(T) __host__ __device__ __forceinline__ __half(T v) : __x(round(v)) {}
    SILICA_FROM(short)
    SILICA_FROM(unsigned short)
    SILICA_FROM(int)
    SILICA_FROM(unsigned int)
    SILICA_FROM(long)
    SILICA_FROM(unsigned long)
    SILICA_FROM(long long)
    SILICA_FROM(unsigned long long)
#undef SILICA_FROM
    template <class T> __host__ __device__ __forceinline__ __half &operator=(T v) { return *this = __half(v); }
    __half &operator=(const __half &) = default;
    __host__ __device__ __forceinline__ __half &operator=(const __half_raw &r) { __x = r.x; return *this; }
    __host__ __device__ __forceinline__ void operator=(const __half_raw &r) volatile { __x = r.x; }
    __host__ __device__ __forceinline__ operator __half_raw() const { return __half_raw{__x}; }
    __host__ __device__ __forceinline__ operator __half_raw() const volatile { return __half_raw{__x}; }
    __host__ __device__ __forceinline__ operator float() const
    {
#ifdef __CUDA_ARCH__
        return (float)__builtin_bit_cast(_Float16, __x);
#else
        return silica::widen_half(__x);
#endif
    }
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

private:
    template <class T> static __host__ __device__ __forceinline__ unsigned short round(T v)
    {
#ifdef __CUDA_ARCH__
        return __builtin_bit_cast(unsigned short, (_Float16)v);
#else
        return silica::narrow_half((double)v); // 64-bit integers: what differs after rounding to double overflows anyway
#endif
    }
};

struct __attribute__((aligned(4))) __half2 {
    __half x, y;

    __half2() = default;
    __half2(const __half2 &) = default;
    __half2 &operator=(const __half2 &) = default;
    __host__ __device__ __forceinline__ __half2(const __half &a, const __half &b) : x(a), y(b) {}
    __host__ __device__ __forceinline__ __half2(const __half2_raw &r) : x(__half_raw{r.x}), y(__half_raw{r.y}) {}
    __host__ __device__ __forceinline__ operator __half2_raw() const { return __half2_raw{x.__x, y.__x}; }
};

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;

#define SILICA_H __half
#define SILICA_H2 __half2
#define SILICA_T "f16"
#define SILICA_STORAGE _Float16
#define SILICA_ADD "add.rn."
#define SILICA_SUB "sub.rn."
#define SILICA_MUL "mul.rn."
#define SILICA_ATOMIC_SINCE 700
#if __CUDA_ARCH__ >= 530
#define SILICA_NATIVE 1
#define SILICA_COMPARE 1
#else
#define SILICA_NATIVE 0
#define SILICA_COMPARE 0
#endif
#include "silica/float16.h"

#define SILICA_HD static __host__ __device__ __forceinline__

// ---- Conversions
SILICA_HD __half __float2half(float f) { return __half(f); }
SILICA_HD __half __float2half_rn(float f) { return __half(f); }
SILICA_HD __half __double2half(double f) { return __half(f); }
SILICA_HD float __half2float(__half h) { return (float)h; }
SILICA_HD __half2 __float2half2_rn(float f) { return __half2{__half(f), __half(f)}; }
SILICA_HD __half2 __floats2half2_rn(float a, float b) { return __half2{__half(a), __half(b)}; }
SILICA_HD __half2 __float22half2_rn(float2 f) { return __half2{__half(f.x), __half(f.y)}; }
SILICA_HD float2 __half22float2(__half2 h) { return float2{(float)h.x, (float)h.y}; }
SILICA_HD float __low2float(__half2 h) { return (float)h.x; }
SILICA_HD float __high2float(__half2 h) { return (float)h.y; }
SILICA_HD __half2 __half2half2(__half h) { return __half2{h, h}; }
SILICA_HD __half2 __halves2half2(__half a, __half b) { return __half2{a, b}; }
SILICA_HD __half2 make_half2(__half a, __half b) { return __half2{a, b}; }
SILICA_HD __half __low2half(__half2 h) { return h.x; }
SILICA_HD __half __high2half(__half2 h) { return h.y; }
SILICA_HD __half2 __low2half2(__half2 h) { return __half2{h.x, h.x}; }
SILICA_HD __half2 __high2half2(__half2 h) { return __half2{h.y, h.y}; }
SILICA_HD __half2 __lows2half2(__half2 a, __half2 b) { return __half2{a.x, b.x}; }
SILICA_HD __half2 __highs2half2(__half2 a, __half2 b) { return __half2{a.y, b.y}; }
SILICA_HD __half2 __lowhigh2highlow(__half2 h) { return __half2{h.y, h.x}; }
SILICA_HD short __half_as_short(__half h) { return (short)h.__x; }
SILICA_HD unsigned short __half_as_ushort(__half h) { return h.__x; }
SILICA_HD __half __short_as_half(short s) { return __half(__half_raw{(unsigned short)s}); }
SILICA_HD __half __ushort_as_half(unsigned short s) { return __half(__half_raw{s}); }

#ifdef __CUDA__
#define SILICA_FROM_FLOAT(mode, ptx)                                                                                 \
    static __device__ __forceinline__ __half __float2half_##mode(float f)                                           \
    { unsigned short r; asm("cvt." ptx ".f16.f32 %0, %1;" : "=h"(r) : "f"(f)); return __half(__half_raw{r}); }
SILICA_FROM_FLOAT(rz, "rz")
SILICA_FROM_FLOAT(rd, "rm")
SILICA_FROM_FLOAT(ru, "rp")
#undef SILICA_FROM_FLOAT
// Integers: register constraint c of T, instruction type t.
#define SILICA_INTEGER(name, T, t, c, mode, ptx)                                                                     \
    static __device__ __forceinline__ __half __##name##2half_##mode(T v)                                            \
    { unsigned short r; asm("cvt." ptx ".f16." t " %0, %1;" : "=h"(r) : c(v)); return __half(__half_raw{r}); }       \
    static __device__ __forceinline__ T __half2##name##_##mode(__half h)                                            \
    { T r; asm("cvt." ptx "i." t ".f16 %0, %1;" : "=" c(r) : "h"(h.__x)); return r; }
#define SILICA_INTEGERS(mode, ptx)                                                                                   \
    SILICA_INTEGER(int, int, "s32", "r", mode, ptx) SILICA_INTEGER(uint, unsigned int, "u32", "r", mode, ptx)        \
    SILICA_INTEGER(short, short, "s16", "h", mode, ptx) SILICA_INTEGER(ushort, unsigned short, "u16", "h", mode, ptx) \
    SILICA_INTEGER(ll, long long, "s64", "l", mode, ptx) SILICA_INTEGER(ull, unsigned long long, "u64", "l", mode, ptx)
SILICA_INTEGERS(rn, "rn")
SILICA_INTEGERS(rz, "rz")
SILICA_INTEGERS(rd, "rm")
SILICA_INTEGERS(ru, "rp")
#undef SILICA_INTEGERS
#undef SILICA_INTEGER
#endif
#undef SILICA_HD

#ifdef __CUDA__
#pragma clang attribute pop
#endif
#endif
#endif
