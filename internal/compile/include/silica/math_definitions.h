// Code generated from math.table by mathtable/gen; DO NOT EDIT.
#ifndef SILICA_MATH_DEFINITIONS_H
#define SILICA_MATH_DEFINITIONS_H

#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float expf(float a0) { return __expf(a0); }
#else
static __device__ __forceinline__ float expf(float a0) { return silica::expf(a0); }
#endif
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float exp(float a0) { return __expf(a0); }
#else
static __device__ __forceinline__ float exp(float a0) { return silica::expf(a0); }
#endif
static __device__ __forceinline__ float exp2f(float a0) { return silica::exp2f(a0); }
static __device__ __forceinline__ float exp2(float a0) { return silica::exp2f(a0); }
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float exp10f(float a0) { return __exp10f(a0); }
#else
static __device__ __forceinline__ float exp10f(float a0) { return silica::exp10f(a0); }
#endif
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float exp10(float a0) { return __exp10f(a0); }
#else
static __device__ __forceinline__ float exp10(float a0) { return silica::exp10f(a0); }
#endif
static __device__ __forceinline__ float expm1f(float a0) { return silica::expm1f(a0); }
static __device__ __forceinline__ float expm1(float a0) { return silica::expm1f(a0); }
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float logf(float a0) { return __logf(a0); }
#else
static __device__ __forceinline__ float logf(float a0) { return silica::logf(a0); }
#endif
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float log(float a0) { return __logf(a0); }
#else
static __device__ __forceinline__ float log(float a0) { return silica::logf(a0); }
#endif
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float log2f(float a0) { return __log2f(a0); }
#else
static __device__ __forceinline__ float log2f(float a0) { return silica::log2f(a0); }
#endif
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float log2(float a0) { return __log2f(a0); }
#else
static __device__ __forceinline__ float log2(float a0) { return silica::log2f(a0); }
#endif
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float log10f(float a0) { return __log10f(a0); }
#else
static __device__ __forceinline__ float log10f(float a0) { return silica::log10f(a0); }
#endif
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float log10(float a0) { return __log10f(a0); }
#else
static __device__ __forceinline__ float log10(float a0) { return silica::log10f(a0); }
#endif
static __device__ __forceinline__ float log1pf(float a0) { return silica::log1pf(a0); }
static __device__ __forceinline__ float log1p(float a0) { return silica::log1pf(a0); }
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float sinf(float a0) { return __sinf(a0); }
#else
static __device__ __forceinline__ float sinf(float a0) { return silica::sinf(a0); }
#endif
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float sin(float a0) { return __sinf(a0); }
#else
static __device__ __forceinline__ float sin(float a0) { return silica::sinf(a0); }
#endif
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float cosf(float a0) { return __cosf(a0); }
#else
static __device__ __forceinline__ float cosf(float a0) { return silica::cosf(a0); }
#endif
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float cos(float a0) { return __cosf(a0); }
#else
static __device__ __forceinline__ float cos(float a0) { return silica::cosf(a0); }
#endif
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float tanf(float a0) { return __tanf(a0); }
#else
static __device__ __forceinline__ float tanf(float a0) { return silica::tanf(a0); }
#endif
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float tan(float a0) { return __tanf(a0); }
#else
static __device__ __forceinline__ float tan(float a0) { return silica::tanf(a0); }
#endif
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ void sincosf(float a0, float * a1, float * a2) { return __sincosf(a0, a1, a2); }
#else
static __device__ __forceinline__ void sincosf(float a0, float * a1, float * a2) { return silica::sincosf(a0, a1, a2); }
#endif
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ void sincos(float a0, float * a1, float * a2) { return __sincosf(a0, a1, a2); }
#else
static __device__ __forceinline__ void sincos(float a0, float * a1, float * a2) { return silica::sincosf(a0, a1, a2); }
#endif
static __device__ __forceinline__ float sinpif(float a0) { return silica::sinpif(a0); }
static __device__ __forceinline__ float sinpi(float a0) { return silica::sinpif(a0); }
static __device__ __forceinline__ float cospif(float a0) { return silica::cospif(a0); }
static __device__ __forceinline__ float cospi(float a0) { return silica::cospif(a0); }
static __device__ __forceinline__ void sincospif(float a0, float * a1, float * a2) { return silica::sincospif(a0, a1, a2); }
static __device__ __forceinline__ void sincospi(float a0, float * a1, float * a2) { return silica::sincospif(a0, a1, a2); }
static __device__ __forceinline__ float asinf(float a0) { return silica::asinf(a0); }
static __device__ __forceinline__ float asin(float a0) { return silica::asinf(a0); }
static __device__ __forceinline__ float acosf(float a0) { return silica::acosf(a0); }
static __device__ __forceinline__ float acos(float a0) { return silica::acosf(a0); }
static __device__ __forceinline__ float atanf(float a0) { return silica::atanf(a0); }
static __device__ __forceinline__ float atan(float a0) { return silica::atanf(a0); }
static __device__ __forceinline__ float atan2f(float a0, float a1) { return silica::atan2f(a0, a1); }
static __device__ __forceinline__ float atan2(float a0, float a1) { return silica::atan2f(a0, a1); }
static __device__ __forceinline__ float sinhf(float a0) { return silica::sinhf(a0); }
static __device__ __forceinline__ float sinh(float a0) { return silica::sinhf(a0); }
static __device__ __forceinline__ float coshf(float a0) { return silica::coshf(a0); }
static __device__ __forceinline__ float cosh(float a0) { return silica::coshf(a0); }
static __device__ __forceinline__ float tanhf(float a0) { return silica::tanhf(a0); }
static __device__ __forceinline__ float tanh(float a0) { return silica::tanhf(a0); }
static __device__ __forceinline__ float asinhf(float a0) { return silica::asinhf(a0); }
static __device__ __forceinline__ float asinh(float a0) { return silica::asinhf(a0); }
static __device__ __forceinline__ float acoshf(float a0) { return silica::acoshf(a0); }
static __device__ __forceinline__ float acosh(float a0) { return silica::acoshf(a0); }
static __device__ __forceinline__ float atanhf(float a0) { return silica::atanhf(a0); }
static __device__ __forceinline__ float atanh(float a0) { return silica::atanhf(a0); }
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float powf(float a0, float a1) { return __powf(a0, a1); }
#else
static __device__ __forceinline__ float powf(float a0, float a1) { return silica::powf(a0, a1); }
#endif
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float pow(float a0, float a1) { return __powf(a0, a1); }
#else
static __device__ __forceinline__ float pow(float a0, float a1) { return silica::powf(a0, a1); }
#endif
static __device__ __forceinline__ float cbrtf(float a0) { return silica::cbrtf(a0); }
static __device__ __forceinline__ float cbrt(float a0) { return silica::cbrtf(a0); }
static __device__ __forceinline__ float rcbrtf(float a0) { return silica::rcbrtf(a0); }
static __device__ __forceinline__ float rcbrt(float a0) { return silica::rcbrtf(a0); }
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float sqrtf(float a0) { return silica::fast_sqrt(a0); }
#else
static __device__ __forceinline__ float sqrtf(float a0) { return silica::sqrtf(a0); }
#endif
#ifdef __USE_FAST_MATH__
static __device__ __forceinline__ float sqrt(float a0) { return silica::fast_sqrt(a0); }
#else
static __device__ __forceinline__ float sqrt(float a0) { return silica::sqrtf(a0); }
#endif
static __device__ __forceinline__ float rsqrtf(float a0) { return silica::rsqrtf(a0); }
static __device__ __forceinline__ float rsqrt(float a0) { return silica::rsqrtf(a0); }
static __device__ __forceinline__ float hypotf(float a0, float a1) { return silica::hypotf(a0, a1); }
static __device__ __forceinline__ float hypot(float a0, float a1) { return silica::hypotf(a0, a1); }
static __device__ __forceinline__ float rhypotf(float a0, float a1) { return silica::rhypotf(a0, a1); }
static __device__ __forceinline__ float rhypot(float a0, float a1) { return silica::rhypotf(a0, a1); }
static __device__ __forceinline__ float norm3df(float a0, float a1, float a2) { return silica::norm3df(a0, a1, a2); }
static __device__ __forceinline__ float norm3d(float a0, float a1, float a2) { return silica::norm3df(a0, a1, a2); }
static __device__ __forceinline__ float rnorm3df(float a0, float a1, float a2) { return silica::rnorm3df(a0, a1, a2); }
static __device__ __forceinline__ float rnorm3d(float a0, float a1, float a2) { return silica::rnorm3df(a0, a1, a2); }
static __device__ __forceinline__ float norm4df(float a0, float a1, float a2, float a3) { return silica::norm4df(a0, a1, a2, a3); }
static __device__ __forceinline__ float norm4d(float a0, float a1, float a2, float a3) { return silica::norm4df(a0, a1, a2, a3); }
static __device__ __forceinline__ float rnorm4df(float a0, float a1, float a2, float a3) { return silica::rnorm4df(a0, a1, a2, a3); }
static __device__ __forceinline__ float rnorm4d(float a0, float a1, float a2, float a3) { return silica::rnorm4df(a0, a1, a2, a3); }
static __device__ __forceinline__ float normf(int a0, const float * a1) { return silica::normf(a0, a1); }
static __device__ __forceinline__ float norm(int a0, const float * a1) { return silica::normf(a0, a1); }
static __device__ __forceinline__ float rnormf(int a0, const float * a1) { return silica::rnormf(a0, a1); }
static __device__ __forceinline__ float rnorm(int a0, const float * a1) { return silica::rnormf(a0, a1); }
static __device__ __forceinline__ float fabsf(float a0) { return silica::fabsf(a0); }
static __device__ __forceinline__ float fabs(float a0) { return silica::fabsf(a0); }
static __device__ __forceinline__ float floorf(float a0) { return silica::floorf(a0); }
static __device__ __forceinline__ float floor(float a0) { return silica::floorf(a0); }
static __device__ __forceinline__ float ceilf(float a0) { return silica::ceilf(a0); }
static __device__ __forceinline__ float ceil(float a0) { return silica::ceilf(a0); }
static __device__ __forceinline__ float truncf(float a0) { return silica::truncf(a0); }
static __device__ __forceinline__ float trunc(float a0) { return silica::truncf(a0); }
static __device__ __forceinline__ float rintf(float a0) { return silica::rintf(a0); }
static __device__ __forceinline__ float rint(float a0) { return silica::rintf(a0); }
static __device__ __forceinline__ float nearbyintf(float a0) { return silica::nearbyintf(a0); }
static __device__ __forceinline__ float nearbyint(float a0) { return silica::nearbyintf(a0); }
static __device__ __forceinline__ float roundf(float a0) { return silica::roundf(a0); }
static __device__ __forceinline__ float round(float a0) { return silica::roundf(a0); }
static __device__ __forceinline__ long lrintf(float a0) { return silica::lrintf(a0); }
static __device__ __forceinline__ long lrint(float a0) { return silica::lrintf(a0); }
static __device__ __forceinline__ long long llrintf(float a0) { return silica::llrintf(a0); }
static __device__ __forceinline__ long long llrint(float a0) { return silica::llrintf(a0); }
static __device__ __forceinline__ long lroundf(float a0) { return silica::lroundf(a0); }
static __device__ __forceinline__ long lround(float a0) { return silica::lroundf(a0); }
static __device__ __forceinline__ long long llroundf(float a0) { return silica::llroundf(a0); }
static __device__ __forceinline__ long long llround(float a0) { return silica::llroundf(a0); }
static __device__ __forceinline__ float fmaf(float a0, float a1, float a2) { return silica::fmaf(a0, a1, a2); }
static __device__ __forceinline__ float fma(float a0, float a1, float a2) { return silica::fmaf(a0, a1, a2); }
static __device__ __forceinline__ float copysignf(float a0, float a1) { return silica::copysignf(a0, a1); }
static __device__ __forceinline__ float copysign(float a0, float a1) { return silica::copysignf(a0, a1); }
static __device__ __forceinline__ float fmaxf(float a0, float a1) { return silica::fmaxf(a0, a1); }
static __device__ __forceinline__ float fmax(float a0, float a1) { return silica::fmaxf(a0, a1); }
static __device__ __forceinline__ float fminf(float a0, float a1) { return silica::fminf(a0, a1); }
static __device__ __forceinline__ float fmin(float a0, float a1) { return silica::fminf(a0, a1); }
static __device__ __forceinline__ float fdimf(float a0, float a1) { return silica::fdimf(a0, a1); }
static __device__ __forceinline__ float fdim(float a0, float a1) { return silica::fdimf(a0, a1); }
static __device__ __forceinline__ int ilogbf(float a0) { return silica::ilogbf(a0); }
static __device__ __forceinline__ int ilogb(float a0) { return silica::ilogbf(a0); }
static __device__ __forceinline__ float logbf(float a0) { return silica::logbf(a0); }
static __device__ __forceinline__ float logb(float a0) { return silica::logbf(a0); }
static __device__ __forceinline__ float scalbnf(float a0, int a1) { return silica::scalbnf(a0, a1); }
static __device__ __forceinline__ float scalbn(float a0, int a1) { return silica::scalbnf(a0, a1); }
static __device__ __forceinline__ float scalblnf(float a0, long a1) { return silica::scalblnf(a0, a1); }
static __device__ __forceinline__ float scalbln(float a0, long a1) { return silica::scalblnf(a0, a1); }
static __device__ __forceinline__ float ldexpf(float a0, int a1) { return silica::ldexpf(a0, a1); }
static __device__ __forceinline__ float ldexp(float a0, int a1) { return silica::ldexpf(a0, a1); }
static __device__ __forceinline__ float frexpf(float a0, int * a1) { return silica::frexpf(a0, a1); }
static __device__ __forceinline__ float frexp(float a0, int * a1) { return silica::frexpf(a0, a1); }
static __device__ __forceinline__ float modff(float a0, float * a1) { return silica::modff(a0, a1); }
static __device__ __forceinline__ float modf(float a0, float * a1) { return silica::modff(a0, a1); }
static __device__ __forceinline__ float nextafterf(float a0, float a1) { return silica::nextafterf(a0, a1); }
static __device__ __forceinline__ float nextafter(float a0, float a1) { return silica::nextafterf(a0, a1); }
static __device__ __forceinline__ float fmodf(float a0, float a1) { return silica::fmodf(a0, a1); }
static __device__ __forceinline__ float fmod(float a0, float a1) { return silica::fmodf(a0, a1); }
static __device__ __forceinline__ float remainderf(float a0, float a1) { return silica::remainderf(a0, a1); }
static __device__ __forceinline__ float remainder(float a0, float a1) { return silica::remainderf(a0, a1); }
static __device__ __forceinline__ float remquof(float a0, float a1, int * a2) { return silica::remquof(a0, a1, a2); }
static __device__ __forceinline__ float remquo(float a0, float a1, int * a2) { return silica::remquof(a0, a1, a2); }
static __device__ __forceinline__ float nanf(const char * a0) { return silica::nanf(a0); }
static __device__ __forceinline__ double fabs(double a0) { return silica::fabs(a0); }
static __device__ __forceinline__ double floor(double a0) { return silica::floor(a0); }
static __device__ __forceinline__ double ceil(double a0) { return silica::ceil(a0); }
static __device__ __forceinline__ double trunc(double a0) { return silica::trunc(a0); }
static __device__ __forceinline__ double rint(double a0) { return silica::rint(a0); }
static __device__ __forceinline__ double nearbyint(double a0) { return silica::nearbyint(a0); }
static __device__ __forceinline__ double round(double a0) { return silica::round(a0); }
static __device__ __forceinline__ long lrint(double a0) { return silica::lrint(a0); }
static __device__ __forceinline__ long long llrint(double a0) { return silica::llrint(a0); }
static __device__ __forceinline__ long lround(double a0) { return silica::lround(a0); }
static __device__ __forceinline__ long long llround(double a0) { return silica::llround(a0); }
static __device__ __forceinline__ double fma(double a0, double a1, double a2) { return silica::fma(a0, a1, a2); }
static __device__ __forceinline__ double copysign(double a0, double a1) { return silica::copysign(a0, a1); }
static __device__ __forceinline__ double fmax(double a0, double a1) { return silica::fmax(a0, a1); }
static __device__ __forceinline__ double fmin(double a0, double a1) { return silica::fmin(a0, a1); }
static __device__ __forceinline__ double fdim(double a0, double a1) { return silica::fdim(a0, a1); }
static __device__ __forceinline__ int ilogb(double a0) { return silica::ilogb(a0); }
static __device__ __forceinline__ double logb(double a0) { return silica::logb(a0); }
static __device__ __forceinline__ double scalbn(double a0, int a1) { return silica::scalbn(a0, a1); }
static __device__ __forceinline__ double scalbln(double a0, long a1) { return silica::scalbln(a0, a1); }
static __device__ __forceinline__ double ldexp(double a0, int a1) { return silica::ldexp(a0, a1); }
static __device__ __forceinline__ double frexp(double a0, int * a1) { return silica::frexp(a0, a1); }
static __device__ __forceinline__ double modf(double a0, double * a1) { return silica::modf(a0, a1); }
static __device__ __forceinline__ double nextafter(double a0, double a1) { return silica::nextafter(a0, a1); }
static __device__ __forceinline__ double fmod(double a0, double a1) { return silica::fmod(a0, a1); }
static __device__ __forceinline__ double remainder(double a0, double a1) { return silica::remainder(a0, a1); }
static __device__ __forceinline__ double remquo(double a0, double a1, int * a2) { return silica::remquo(a0, a1, a2); }
static __device__ __forceinline__ double nan(const char * a0) { return silica::nan(a0); }
static __device__ __forceinline__ float erff(float a0) { return silica::erff(a0); }
static __device__ __forceinline__ float erf(float a0) { return silica::erff(a0); }
static __device__ __forceinline__ float erfcf(float a0) { return silica::erfcf(a0); }
static __device__ __forceinline__ float erfc(float a0) { return silica::erfcf(a0); }
static __device__ __forceinline__ float erfcxf(float a0) { return silica::erfcxf(a0); }
static __device__ __forceinline__ float erfcx(float a0) { return silica::erfcxf(a0); }
static __device__ __forceinline__ float erfinvf(float a0) { return silica::erfinvf(a0); }
static __device__ __forceinline__ float erfinv(float a0) { return silica::erfinvf(a0); }
static __device__ __forceinline__ float erfcinvf(float a0) { return silica::erfcinvf(a0); }
static __device__ __forceinline__ float erfcinv(float a0) { return silica::erfcinvf(a0); }
static __device__ __forceinline__ float normcdff(float a0) { return silica::normcdff(a0); }
static __device__ __forceinline__ float normcdf(float a0) { return silica::normcdff(a0); }
static __device__ __forceinline__ float normcdfinvf(float a0) { return silica::normcdfinvf(a0); }
static __device__ __forceinline__ float normcdfinv(float a0) { return silica::normcdfinvf(a0); }
static __device__ __forceinline__ double erf(double a0) { return silica::erf(a0); }
static __device__ __forceinline__ double erfc(double a0) { return silica::erfc(a0); }
static __device__ __forceinline__ double erfcx(double a0) { return silica::erfcx(a0); }
static __device__ __forceinline__ double erfinv(double a0) { return silica::erfinv(a0); }
static __device__ __forceinline__ double erfcinv(double a0) { return silica::erfcinv(a0); }
static __device__ __forceinline__ double normcdf(double a0) { return silica::normcdf(a0); }
static __device__ __forceinline__ double normcdfinv(double a0) { return silica::normcdfinv(a0); }
static __device__ __forceinline__ float lgammaf(float a0) { return silica::lgammaf(a0); }
static __device__ __forceinline__ float lgamma(float a0) { return silica::lgammaf(a0); }
static __device__ __forceinline__ float tgammaf(float a0) { return silica::tgammaf(a0); }
static __device__ __forceinline__ float tgamma(float a0) { return silica::tgammaf(a0); }
static __device__ __forceinline__ float j0f(float a0) { return silica::j0f(a0); }
static __device__ __forceinline__ float j0(float a0) { return silica::j0f(a0); }
static __device__ __forceinline__ float j1f(float a0) { return silica::j1f(a0); }
static __device__ __forceinline__ float j1(float a0) { return silica::j1f(a0); }
static __device__ __forceinline__ float jnf(int a0, float a1) { return silica::jnf(a0, a1); }
static __device__ __forceinline__ float jn(int a0, float a1) { return silica::jnf(a0, a1); }
static __device__ __forceinline__ float y0f(float a0) { return silica::y0f(a0); }
static __device__ __forceinline__ float y0(float a0) { return silica::y0f(a0); }
static __device__ __forceinline__ float y1f(float a0) { return silica::y1f(a0); }
static __device__ __forceinline__ float y1(float a0) { return silica::y1f(a0); }
static __device__ __forceinline__ float ynf(int a0, float a1) { return silica::ynf(a0, a1); }
static __device__ __forceinline__ float yn(int a0, float a1) { return silica::ynf(a0, a1); }
static __device__ __forceinline__ float cyl_bessel_i0f(float a0) { return silica::cyl_bessel_i0f(a0); }
static __device__ __forceinline__ float cyl_bessel_i0(float a0) { return silica::cyl_bessel_i0f(a0); }
static __device__ __forceinline__ float cyl_bessel_i1f(float a0) { return silica::cyl_bessel_i1f(a0); }
static __device__ __forceinline__ float cyl_bessel_i1(float a0) { return silica::cyl_bessel_i1f(a0); }
static __device__ __forceinline__ double lgamma(double a0) { return silica::lgamma(a0); }
static __device__ __forceinline__ double tgamma(double a0) { return silica::tgamma(a0); }
static __device__ __forceinline__ double j0(double a0) { return silica::j0(a0); }
static __device__ __forceinline__ double j1(double a0) { return silica::j1(a0); }
static __device__ __forceinline__ double jn(int a0, double a1) { return silica::jn(a0, a1); }
static __device__ __forceinline__ double y0(double a0) { return silica::y0(a0); }
static __device__ __forceinline__ double y1(double a0) { return silica::y1(a0); }
static __device__ __forceinline__ double yn(int a0, double a1) { return silica::yn(a0, a1); }
static __device__ __forceinline__ double cyl_bessel_i0(double a0) { return silica::cyl_bessel_i0(a0); }
static __device__ __forceinline__ double cyl_bessel_i1(double a0) { return silica::cyl_bessel_i1(a0); }
static __device__ __forceinline__ double exp(double a0) { return silica::exp(a0); }
static __device__ __forceinline__ double exp2(double a0) { return silica::exp2(a0); }
static __device__ __forceinline__ double exp10(double a0) { return silica::exp10(a0); }
static __device__ __forceinline__ double expm1(double a0) { return silica::expm1(a0); }
static __device__ __forceinline__ double log(double a0) { return silica::log(a0); }
static __device__ __forceinline__ double log2(double a0) { return silica::log2(a0); }
static __device__ __forceinline__ double log10(double a0) { return silica::log10(a0); }
static __device__ __forceinline__ double log1p(double a0) { return silica::log1p(a0); }
static __device__ __forceinline__ double sin(double a0) { return silica::sin(a0); }
static __device__ __forceinline__ double cos(double a0) { return silica::cos(a0); }
static __device__ __forceinline__ double tan(double a0) { return silica::tan(a0); }
static __device__ __forceinline__ void sincos(double a0, double * a1, double * a2) { return silica::sincos(a0, a1, a2); }
static __device__ __forceinline__ double sinpi(double a0) { return silica::sinpi(a0); }
static __device__ __forceinline__ double cospi(double a0) { return silica::cospi(a0); }
static __device__ __forceinline__ void sincospi(double a0, double * a1, double * a2) { return silica::sincospi(a0, a1, a2); }
static __device__ __forceinline__ double asin(double a0) { return silica::asin(a0); }
static __device__ __forceinline__ double acos(double a0) { return silica::acos(a0); }
static __device__ __forceinline__ double atan(double a0) { return silica::atan(a0); }
static __device__ __forceinline__ double atan2(double a0, double a1) { return silica::atan2(a0, a1); }
static __device__ __forceinline__ double sinh(double a0) { return silica::sinh(a0); }
static __device__ __forceinline__ double cosh(double a0) { return silica::cosh(a0); }
static __device__ __forceinline__ double tanh(double a0) { return silica::tanh(a0); }
static __device__ __forceinline__ double asinh(double a0) { return silica::asinh(a0); }
static __device__ __forceinline__ double acosh(double a0) { return silica::acosh(a0); }
static __device__ __forceinline__ double atanh(double a0) { return silica::atanh(a0); }
static __device__ __forceinline__ double pow(double a0, double a1) { return silica::pow(a0, a1); }
static __device__ __forceinline__ double cbrt(double a0) { return silica::cbrt(a0); }
static __device__ __forceinline__ double rcbrt(double a0) { return silica::rcbrt(a0); }
static __device__ __forceinline__ double sqrt(double a0) { return silica::sqrt(a0); }
static __device__ __forceinline__ double rsqrt(double a0) { return silica::rsqrt(a0); }
static __device__ __forceinline__ double hypot(double a0, double a1) { return silica::hypot(a0, a1); }
static __device__ __forceinline__ double rhypot(double a0, double a1) { return silica::rhypot(a0, a1); }
static __device__ __forceinline__ double norm3d(double a0, double a1, double a2) { return silica::norm3d(a0, a1, a2); }
static __device__ __forceinline__ double rnorm3d(double a0, double a1, double a2) { return silica::rnorm3d(a0, a1, a2); }
static __device__ __forceinline__ double norm4d(double a0, double a1, double a2, double a3) { return silica::norm4d(a0, a1, a2, a3); }
static __device__ __forceinline__ double rnorm4d(double a0, double a1, double a2, double a3) { return silica::rnorm4d(a0, a1, a2, a3); }
static __device__ __forceinline__ double norm(int a0, const double * a1) { return silica::norm(a0, a1); }
static __device__ __forceinline__ double rnorm(int a0, const double * a1) { return silica::rnorm(a0, a1); }

// Host code finds these in no library, or only in a newer one.
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 41)
static __host__ __forceinline__ float sinpif(float a0) { return silica::sinpif(a0); }
static __host__ __forceinline__ float sinpi(float a0) { return silica::sinpif(a0); }
#endif
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 41)
static __host__ __forceinline__ float cospif(float a0) { return silica::cospif(a0); }
static __host__ __forceinline__ float cospi(float a0) { return silica::cospif(a0); }
#endif
static __host__ __forceinline__ void sincospif(float a0, float * a1, float * a2) { return silica::sincospif(a0, a1, a2); }
static __host__ __forceinline__ void sincospi(float a0, float * a1, float * a2) { return silica::sincospif(a0, a1, a2); }
static __host__ __forceinline__ float rcbrtf(float a0) { return silica::rcbrtf(a0); }
static __host__ __forceinline__ float rcbrt(float a0) { return silica::rcbrtf(a0); }
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 42)
static __host__ __forceinline__ float rsqrtf(float a0) { return silica::rsqrtf(a0); }
static __host__ __forceinline__ float rsqrt(float a0) { return silica::rsqrtf(a0); }
#endif
static __host__ __forceinline__ float rhypotf(float a0, float a1) { return silica::rhypotf(a0, a1); }
static __host__ __forceinline__ float rhypot(float a0, float a1) { return silica::rhypotf(a0, a1); }
static __host__ __forceinline__ float norm3df(float a0, float a1, float a2) { return silica::norm3df(a0, a1, a2); }
static __host__ __forceinline__ float norm3d(float a0, float a1, float a2) { return silica::norm3df(a0, a1, a2); }
static __host__ __forceinline__ float rnorm3df(float a0, float a1, float a2) { return silica::rnorm3df(a0, a1, a2); }
static __host__ __forceinline__ float rnorm3d(float a0, float a1, float a2) { return silica::rnorm3df(a0, a1, a2); }
static __host__ __forceinline__ float norm4df(float a0, float a1, float a2, float a3) { return silica::norm4df(a0, a1, a2, a3); }
static __host__ __forceinline__ float norm4d(float a0, float a1, float a2, float a3) { return silica::norm4df(a0, a1, a2, a3); }
static __host__ __forceinline__ float rnorm4df(float a0, float a1, float a2, float a3) { return silica::rnorm4df(a0, a1, a2, a3); }
static __host__ __forceinline__ float rnorm4d(float a0, float a1, float a2, float a3) { return silica::rnorm4df(a0, a1, a2, a3); }
static __host__ __forceinline__ float normf(int a0, const float * a1) { return silica::normf(a0, a1); }
static __host__ __forceinline__ float norm(int a0, const float * a1) { return silica::normf(a0, a1); }
static __host__ __forceinline__ float rnormf(int a0, const float * a1) { return silica::rnormf(a0, a1); }
static __host__ __forceinline__ float rnorm(int a0, const float * a1) { return silica::rnormf(a0, a1); }
static __host__ __forceinline__ float erfcxf(float a0) { return silica::erfcxf(a0); }
static __host__ __forceinline__ float erfcx(float a0) { return silica::erfcxf(a0); }
static __host__ __forceinline__ float erfinvf(float a0) { return silica::erfinvf(a0); }
static __host__ __forceinline__ float erfinv(float a0) { return silica::erfinvf(a0); }
static __host__ __forceinline__ float erfcinvf(float a0) { return silica::erfcinvf(a0); }
static __host__ __forceinline__ float erfcinv(float a0) { return silica::erfcinvf(a0); }
static __host__ __forceinline__ float normcdff(float a0) { return silica::normcdff(a0); }
static __host__ __forceinline__ float normcdf(float a0) { return silica::normcdff(a0); }
static __host__ __forceinline__ float normcdfinvf(float a0) { return silica::normcdfinvf(a0); }
static __host__ __forceinline__ float normcdfinv(float a0) { return silica::normcdfinvf(a0); }
static __host__ __forceinline__ double erfcx(double a0) { return silica::erfcx(a0); }
static __host__ __forceinline__ double erfinv(double a0) { return silica::erfinv(a0); }
static __host__ __forceinline__ double erfcinv(double a0) { return silica::erfcinv(a0); }
static __host__ __forceinline__ double normcdf(double a0) { return silica::normcdf(a0); }
static __host__ __forceinline__ double normcdfinv(double a0) { return silica::normcdfinv(a0); }
static __host__ __forceinline__ float cyl_bessel_i0f(float a0) { return silica::cyl_bessel_i0f(a0); }
static __host__ __forceinline__ float cyl_bessel_i0(float a0) { return silica::cyl_bessel_i0f(a0); }
static __host__ __forceinline__ float cyl_bessel_i1f(float a0) { return silica::cyl_bessel_i1f(a0); }
static __host__ __forceinline__ float cyl_bessel_i1(float a0) { return silica::cyl_bessel_i1f(a0); }
static __host__ __forceinline__ double cyl_bessel_i0(double a0) { return silica::cyl_bessel_i0(a0); }
static __host__ __forceinline__ double cyl_bessel_i1(double a0) { return silica::cyl_bessel_i1(a0); }
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 41)
static __host__ __forceinline__ double sinpi(double a0) { return silica::sinpi(a0); }
#endif
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 41)
static __host__ __forceinline__ double cospi(double a0) { return silica::cospi(a0); }
#endif
static __host__ __forceinline__ void sincospi(double a0, double * a1, double * a2) { return silica::sincospi(a0, a1, a2); }
static __host__ __forceinline__ double rcbrt(double a0) { return silica::rcbrt(a0); }
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 42)
static __host__ __forceinline__ double rsqrt(double a0) { return silica::rsqrt(a0); }
#endif
static __host__ __forceinline__ double rhypot(double a0, double a1) { return silica::rhypot(a0, a1); }
static __host__ __forceinline__ double norm3d(double a0, double a1, double a2) { return silica::norm3d(a0, a1, a2); }
static __host__ __forceinline__ double rnorm3d(double a0, double a1, double a2) { return silica::rnorm3d(a0, a1, a2); }
static __host__ __forceinline__ double norm4d(double a0, double a1, double a2, double a3) { return silica::norm4d(a0, a1, a2, a3); }
static __host__ __forceinline__ double rnorm4d(double a0, double a1, double a2, double a3) { return silica::rnorm4d(a0, a1, a2, a3); }
static __host__ __forceinline__ double norm(int a0, const double * a1) { return silica::norm(a0, a1); }
static __host__ __forceinline__ double rnorm(int a0, const double * a1) { return silica::rnorm(a0, a1); }

// Integer arguments.
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> fabs(T x) { return ::fabs((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> floor(T x) { return ::floor((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> ceil(T x) { return ::ceil((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> trunc(T x) { return ::trunc((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> rint(T x) { return ::rint((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> nearbyint(T x) { return ::nearbyint((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> round(T x) { return ::round((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, long> lrint(T x) { return ::lrint((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, long long> llrint(T x) { return ::llrint((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, long> lround(T x) { return ::lround((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, long long> llround(T x) { return ::llround((double)x); }
template <class T, class U> static __device__ __forceinline__ silica::if_mixed<T, U, double> copysign(T x, U y) { return ::copysign((double)x, (double)y); }
template <class T, class U> static __device__ __forceinline__ silica::if_mixed<T, U, double> fmax(T x, U y) { return ::fmax((double)x, (double)y); }
template <class T, class U> static __device__ __forceinline__ silica::if_mixed<T, U, double> fmin(T x, U y) { return ::fmin((double)x, (double)y); }
template <class T, class U> static __device__ __forceinline__ silica::if_mixed<T, U, double> fdim(T x, U y) { return ::fdim((double)x, (double)y); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, int> ilogb(T x) { return ::ilogb((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> logb(T x) { return ::logb((double)x); }
template <class T, class U> static __device__ __forceinline__ silica::if_mixed<T, U, double> nextafter(T x, U y) { return ::nextafter((double)x, (double)y); }
template <class T, class U> static __device__ __forceinline__ silica::if_mixed<T, U, double> fmod(T x, U y) { return ::fmod((double)x, (double)y); }
template <class T, class U> static __device__ __forceinline__ silica::if_mixed<T, U, double> remainder(T x, U y) { return ::remainder((double)x, (double)y); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> erf(T x) { return ::erf((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> erfc(T x) { return ::erfc((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> erfcx(T x) { return ::erfcx((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> erfinv(T x) { return ::erfinv((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> erfcinv(T x) { return ::erfcinv((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> normcdf(T x) { return ::normcdf((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> normcdfinv(T x) { return ::normcdfinv((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> lgamma(T x) { return ::lgamma((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> tgamma(T x) { return ::tgamma((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> j0(T x) { return ::j0((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> j1(T x) { return ::j1((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> y0(T x) { return ::y0((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> y1(T x) { return ::y1((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> cyl_bessel_i0(T x) { return ::cyl_bessel_i0((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> cyl_bessel_i1(T x) { return ::cyl_bessel_i1((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> exp(T x) { return ::exp((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> exp2(T x) { return ::exp2((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> exp10(T x) { return ::exp10((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> expm1(T x) { return ::expm1((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> log(T x) { return ::log((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> log2(T x) { return ::log2((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> log10(T x) { return ::log10((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> log1p(T x) { return ::log1p((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> sin(T x) { return ::sin((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> cos(T x) { return ::cos((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> tan(T x) { return ::tan((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> sinpi(T x) { return ::sinpi((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> cospi(T x) { return ::cospi((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> asin(T x) { return ::asin((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> acos(T x) { return ::acos((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> atan(T x) { return ::atan((double)x); }
template <class T, class U> static __device__ __forceinline__ silica::if_mixed<T, U, double> atan2(T x, U y) { return ::atan2((double)x, (double)y); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> sinh(T x) { return ::sinh((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> cosh(T x) { return ::cosh((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> tanh(T x) { return ::tanh((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> asinh(T x) { return ::asinh((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> acosh(T x) { return ::acosh((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> atanh(T x) { return ::atanh((double)x); }
template <class T, class U> static __device__ __forceinline__ silica::if_mixed<T, U, double> pow(T x, U y) { return ::pow((double)x, (double)y); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> cbrt(T x) { return ::cbrt((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> rcbrt(T x) { return ::rcbrt((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> sqrt(T x) { return ::sqrt((double)x); }
template <class T> static __device__ __forceinline__ silica::if_integer<T, double> rsqrt(T x) { return ::rsqrt((double)x); }
template <class T, class U> static __device__ __forceinline__ silica::if_mixed<T, U, double> hypot(T x, U y) { return ::hypot((double)x, (double)y); }
template <class T, class U> static __device__ __forceinline__ silica::if_mixed<T, U, double> rhypot(T x, U y) { return ::rhypot((double)x, (double)y); }

namespace std {
using ::expf;
using ::exp;
using ::exp2f;
using ::exp2;
using ::expm1f;
using ::expm1;
using ::logf;
using ::log;
using ::log2f;
using ::log2;
using ::log10f;
using ::log10;
using ::log1pf;
using ::log1p;
using ::sinf;
using ::sin;
using ::cosf;
using ::cos;
using ::tanf;
using ::tan;
using ::asinf;
using ::asin;
using ::acosf;
using ::acos;
using ::atanf;
using ::atan;
using ::atan2f;
using ::atan2;
using ::sinhf;
using ::sinh;
using ::coshf;
using ::cosh;
using ::tanhf;
using ::tanh;
using ::asinhf;
using ::asinh;
using ::acoshf;
using ::acosh;
using ::atanhf;
using ::atanh;
using ::powf;
using ::pow;
using ::cbrtf;
using ::cbrt;
using ::sqrtf;
using ::sqrt;
using ::hypotf;
using ::hypot;
using ::fabsf;
using ::fabs;
using ::floorf;
using ::floor;
using ::ceilf;
using ::ceil;
using ::truncf;
using ::trunc;
using ::rintf;
using ::rint;
using ::nearbyintf;
using ::nearbyint;
using ::roundf;
using ::round;
using ::lrintf;
using ::lrint;
using ::llrintf;
using ::llrint;
using ::lroundf;
using ::lround;
using ::llroundf;
using ::llround;
using ::fmaf;
using ::fma;
using ::copysignf;
using ::copysign;
using ::fmaxf;
using ::fmax;
using ::fminf;
using ::fmin;
using ::fdimf;
using ::fdim;
using ::ilogbf;
using ::ilogb;
using ::logbf;
using ::logb;
using ::scalbnf;
using ::scalbn;
using ::scalblnf;
using ::scalbln;
using ::ldexpf;
using ::ldexp;
using ::frexpf;
using ::frexp;
using ::modff;
using ::modf;
using ::nextafterf;
using ::nextafter;
using ::fmodf;
using ::fmod;
using ::remainderf;
using ::remainder;
using ::remquof;
using ::remquo;
using ::nanf;
using ::nan;
using ::erff;
using ::erf;
using ::erfcf;
using ::erfc;
using ::lgammaf;
using ::lgamma;
using ::tgammaf;
using ::tgamma;
} // namespace std

#endif
