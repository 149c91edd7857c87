// The operations that the math functions are made of. Everything here is correctly rounded and never contracted, except
// the three approximations, so that a function gives the same bits on the device and on the host (where the
// approximations are exact). Plain C++ may include these headers too: the accuracy tests do.
#ifndef SILICA_MATH_BASE_H
#define SILICA_MATH_BASE_H

#ifdef __CUDA__
#define SILICA_FN static __host__ __device__ __forceinline__
#define SILICA_SLOW static __host__ __device__ __attribute__((noinline))
#else
#define SILICA_FN static inline __attribute__((always_inline))
#define SILICA_SLOW static __attribute__((noinline))
#endif

#pragma clang fp contract(off) reassociate(off)

namespace silica {

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

SILICA_FN u32 bits(float x) { return __builtin_bit_cast(u32, x); }
SILICA_FN u64 bits(double x) { return __builtin_bit_cast(u64, x); }
SILICA_FN float from_bits(u32 x) { return __builtin_bit_cast(float, x); }
SILICA_FN double from_bits(u64 x) { return __builtin_bit_cast(double, x); }

SILICA_FN float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SILICA_FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
SILICA_FN float abs(float x) { return __builtin_fabsf(x); }
SILICA_FN double abs(double x) { return __builtin_fabs(x); }
SILICA_FN float copysign(float x, float sign) { return __builtin_copysignf(x, sign); }
SILICA_FN double copysign(double x, double sign) { return __builtin_copysign(x, sign); }
SILICA_FN float min(float a, float b) { return __builtin_fminf(a, b); }
SILICA_FN double min(double a, double b) { return __builtin_fmin(a, b); }
SILICA_FN float max(float a, float b) { return __builtin_fmaxf(a, b); }
SILICA_FN double max(double a, double b) { return __builtin_fmax(a, b); }
SILICA_FN float root(float x)
{
#ifdef __CUDA_ARCH__
    return __nvvm_sqrt_rn_f(x);
#else
    return __builtin_sqrtf(x);
#endif
}
SILICA_FN double root(double x)
{
#ifdef __CUDA_ARCH__
    return __nvvm_sqrt_rn_d(x);
#else
    return __builtin_sqrt(x);
#endif
}
SILICA_FN float divide(float a, float b)
{
#ifdef __CUDA_ARCH__
    return __nvvm_div_rn_f(a, b);
#else
    return a / b;
#endif
}
SILICA_FN double divide(double a, double b) { return a / b; }
SILICA_FN float nearest(float x) { return __builtin_rintf(x); }
SILICA_FN double nearest(double x) { return __builtin_rint(x); }

// ---- The chip's approximations
SILICA_FN float exp2_approx(float x)
{
#ifdef __CUDA_ARCH__
    return __nvvm_ex2_approx_ftz_f(x);
#else
    return (float)__builtin_exp2((double)x);
#endif
}
SILICA_FN float reciprocal_approx(float x)
{
#ifdef __CUDA_ARCH__
    return __nvvm_rcp_approx_ftz_f(x);
#else
    return 1.0f / x;
#endif
}
SILICA_FN float rsqrt_approx(float x)
{
#ifdef __CUDA_ARCH__
    return __nvvm_rsqrt_approx_f(x);
#else
    return (float)(1.0 / __builtin_sqrt((double)x));
#endif
}

// c0 + c1 x + c2 x^2 + ...
SILICA_FN float poly(float, float c) { return c; }
SILICA_FN double poly(double, double c) { return c; }
template <class... C> SILICA_FN float poly(float x, float c, C... rest) { return fma(poly(x, rest...), x, c); }
template <class... C> SILICA_FN double poly(double x, double c, C... rest) { return fma(poly(x, rest...), x, c); }

// The largest magnitude.
template <class T> SILICA_FN T largest(T a) { return abs(a); }
template <class T, class... Rest> SILICA_FN T largest(T a, Rest... rest) { return max(abs(a), largest(rest...)); }

SILICA_FN float infinity_f() { return __builtin_inff(); }
SILICA_FN double infinity() { return __builtin_inf(); }
SILICA_FN float nan_f() { return from_bits(0x7fffffffu); }
SILICA_FN double nan_d() { return from_bits((u64)0xfff8000000000000ull); }

// 2^n for a normal result.
SILICA_FN float power_of_two_f(int n) { return from_bits((u32)(n + 127) << 23); }
SILICA_FN double power_of_two(int n) { return from_bits((u64)(n + 1023) << 52); }

// An unevaluated sum: value = hi + lo with |lo| at most half an ulp of hi.
template <class T> struct pair { T hi, lo; };

template <class T> SILICA_FN pair<T> fast_two_sum(T a, T b) // |a| >= |b|
{
    T s = a + b;
    return pair<T>{s, b - (s - a)};
}
template <class T> SILICA_FN pair<T> two_sum(T a, T b)
{
    T s = a + b, t = s - a;
    return pair<T>{s, (a - (s - t)) + (b - t)};
}
template <class T> SILICA_FN pair<T> two_product(T a, T b)
{
    T p = a * b;
    return pair<T>{p, fma(a, b, -p)};
}
template <class T> SILICA_FN pair<T> operator+(pair<T> a, pair<T> b)
{
    pair<T> s = two_sum(a.hi, b.hi);
    return fast_two_sum(s.hi, s.lo + (a.lo + b.lo));
}
template <class T> SILICA_FN pair<T> operator+(pair<T> a, T b)
{
    pair<T> s = two_sum(a.hi, b);
    return fast_two_sum(s.hi, s.lo + a.lo);
}
template <class T> SILICA_FN pair<T> operator*(pair<T> a, pair<T> b)
{
    pair<T> p = two_product(a.hi, b.hi);
    return fast_two_sum(p.hi, p.lo + fma(a.hi, b.lo, a.lo * b.hi));
}
template <class T> SILICA_FN pair<T> operator*(pair<T> a, T b)
{
    pair<T> p = two_product(a.hi, b);
    return fast_two_sum(p.hi, fma(a.lo, b, p.lo));
}

// The sum of the squares of the numbers times s.
template <class T> SILICA_FN pair<T> sum_of_squares(T s, T a) { return two_product(a * s, a * s); }
template <class T, class... Rest> SILICA_FN pair<T> sum_of_squares(T s, T a, Rest... rest)
{
    return two_product(a * s, a * s) + sum_of_squares(s, rest...);
}
// Square root and its reciprocal of hi + lo, hi in the middle of the exponents or 0 or NaN; one correction of the rounded root.
template <class T> SILICA_FN T root(pair<T> v)
{
    T y = root(v.hi);
    return v.hi > T(0) ? fma(divide(T(0.5), y), fma(-y, y, v.hi) + v.lo, y) : y;
}
template <class T> SILICA_FN T reciprocal_root(pair<T> v)
{
    T y = divide(T(1), root(v.hi));
    pair<T> t = two_product(y, y);
    T rest = fma(-v.hi, t.hi, T(1)) - fma(v.hi, t.lo, v.lo * t.hi); // 1 - v y^2
    return v.hi > T(0) ? fma(T(0.5) * y, rest, y) : y;
}

} // namespace silica

#ifndef SILICA_NO_FUSION
#pragma clang fp contract(fast)
#endif
#endif
