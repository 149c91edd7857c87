// The CUDA math API. See math.table for the functions and their accuracy, silica/math for the code.
#ifndef __MATH_FUNCTIONS_H__
#define __MATH_FUNCTIONS_H__

#include "host_defines.h"
#include "silica/math/exact.h"
#include "silica/math/float_special.h"

#ifdef __CUDA__

namespace silica {

template <bool, class> struct when {};
template <class T> struct when<true, T> { typedef T type; };
template <class T> struct number { static constexpr bool integer = false, any = false; };
#define SILICA_NUMBER(T, i) template <> struct number<T> { static constexpr bool integer = i, any = true; };
SILICA_NUMBER(bool, true)
SILICA_NUMBER(char, true)
SILICA_NUMBER(signed char, true)
SILICA_NUMBER(unsigned char, true)
SILICA_NUMBER(short, true)
SILICA_NUMBER(unsigned short, true)
SILICA_NUMBER(int, true)
SILICA_NUMBER(unsigned int, true)
SILICA_NUMBER(long, true)
SILICA_NUMBER(unsigned long, true)
SILICA_NUMBER(long long, true)
SILICA_NUMBER(unsigned long long, true)
SILICA_NUMBER(float, false)
SILICA_NUMBER(double, false)
#undef SILICA_NUMBER
template <class T, class U> struct same { static constexpr bool value = false; };
template <class T> struct same<T, T> { static constexpr bool value = true; };

// R for an integer argument; R for two arguments of different types, or two integers.
template <class T, class R> using if_integer = typename when<number<T>::integer, R>::type;
template <class T, class U, class R>
using if_mixed = typename when<number<T>::any && number<U>::any && (!same<T, U>::value || number<T>::integer), R>::type;

} // namespace silica

#include "silica/math_definitions.h"

// ---- Minimum and maximum of integers; of floating-point numbers for C code that calls min and max.
#define SILICA_MINMAX(T)                                                                       \
    static __host__ __device__ __forceinline__ T min(T a, T b) { return a < b ? a : b; }       \
    static __host__ __device__ __forceinline__ T max(T a, T b) { return a > b ? a : b; }
SILICA_MINMAX(int)
SILICA_MINMAX(unsigned int)
SILICA_MINMAX(long)
SILICA_MINMAX(unsigned long)
SILICA_MINMAX(long long)
SILICA_MINMAX(unsigned long long)
#undef SILICA_MINMAX
#define SILICA_MINMAX_MIXED(A, B, T)                                                                      \
    static __host__ __device__ __forceinline__ T min(A a, B b) { return (T)a < (T)b ? (T)a : (T)b; }      \
    static __host__ __device__ __forceinline__ T max(A a, B b) { return (T)a > (T)b ? (T)a : (T)b; }
SILICA_MINMAX_MIXED(int, unsigned int, unsigned int)
SILICA_MINMAX_MIXED(unsigned int, int, unsigned int)
SILICA_MINMAX_MIXED(long, unsigned long, unsigned long)
SILICA_MINMAX_MIXED(unsigned long, long, unsigned long)
SILICA_MINMAX_MIXED(long long, unsigned long long, unsigned long long)
SILICA_MINMAX_MIXED(unsigned long long, long long, unsigned long long)
#undef SILICA_MINMAX_MIXED
static __host__ __device__ __forceinline__ float min(float a, float b) { return __builtin_fminf(a, b); }
static __host__ __device__ __forceinline__ float max(float a, float b) { return __builtin_fmaxf(a, b); }
static __host__ __device__ __forceinline__ double min(double a, double b) { return __builtin_fmin(a, b); }
static __host__ __device__ __forceinline__ double max(double a, double b) { return __builtin_fmax(a, b); }
static __host__ __device__ __forceinline__ double min(float a, double b) { return __builtin_fmin((double)a, b); }
static __host__ __device__ __forceinline__ double max(float a, double b) { return __builtin_fmax((double)a, b); }
static __host__ __device__ __forceinline__ double min(double a, float b) { return __builtin_fmin(a, (double)b); }
static __host__ __device__ __forceinline__ double max(double a, float b) { return __builtin_fmax(a, (double)b); }
static __host__ __device__ __forceinline__ unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
static __host__ __device__ __forceinline__ unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
static __host__ __device__ __forceinline__ long long llmin(long long a, long long b) { return min(a, b); }
static __host__ __device__ __forceinline__ long long llmax(long long a, long long b) { return max(a, b); }
static __host__ __device__ __forceinline__ unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
static __host__ __device__ __forceinline__ unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

#endif
#endif
