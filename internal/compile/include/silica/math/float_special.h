// Error functions, the normal distribution, gamma and Bessel functions in single precision. The gamma and Bessel functions
// compute in double: they are rare, and their single-precision forms lose digits in argument reduction.
#ifndef SILICA_MATH_FLOAT_SPECIAL_H
#define SILICA_MATH_FLOAT_SPECIAL_H

#include "double_special.h"
#include "float_elementary.h"

#pragma clang fp contract(off) reassociate(off)

namespace silica {

// ---- Error functions

SILICA_FN float erff(float x)
{
    float a = abs(x), t = x * x;
    if (a < 1.0f) {
        // erf(x) / x - 2 / sqrt(pi), within 2^-27.9
        float q = t * poly(t, -0x1.812746p-2f, 0x1.ce2e9ep-4f, -0x1.b81764p-6f, 0x1.54fc4p-8f, -0x1.ab15a6p-11f, 0x1.5cfafap-14f);
        return fma(x, 0x1.20dd76p+0f, x * (q - 0x1.f7ac92p-25f));
    }
    // log2(erfc(a)) on [1, 4], within 2^-24.7
    a = min(a, 4.0f);
    float p = poly(a, 0x1.e44c06p-12f, -0x1.a16dd6p+0f, -0x1.d2b45cp-1f, -0x1.453f38p-3f, 0x1.38427ep-5f, -0x1.c20334p-8f, 0x1.c36a9cp-11f, -0x1.16b3bp-14f, 0x1.3d029ep-19f);
    return x != x ? x : copysign(1.0f - exp2_approx(p), x);
}

// exp(a^2) erfc(a) for a >= 0: (1 + 2 a) times it is a polynomial of (a - 4) / (a + 4), within 2^-24.7 up to a = 10.1.
SILICA_FN float erfcx_positive(float a)
{
    if (a > 10.05f) {
        float r = divide(0x1.20dd76p-1f, a), s = divide(1.0f, a * a);
        return fma(r, s * poly(s, -0.5f, 0.75f, -1.875f, 6.5625f), r);
    }
    pair<float> n = fast_two_sum(4.0f, a);
    float d = a + 4.0f, u = a - 4.0f;
    float t = divide(u, d);
    t = fma(divide(1.0f, d), fma(-t, d, u) - t * n.lo, t);
    float p = poly(t, 0x1.3ba592p+0f, -0x1.1df1a6p-3f, 0x1.f7e406p-7f, 0x1.16e8ecp-4f, -0x1.9dabd8p-4f, 0x1.8049bp-4f, -0x1.10d9cap-4f, 0x1.2a79f6p-5f, -0x1.053a62p-6f, 0x1.c773cap-8f, 0x1.c11138p-11f);
    return divide(p, fma(2.0f, a, 1.0f));
}
// erfc(a + low) for a >= 0 and |low| at most half an ulp.
SILICA_FN float erfc_positive(float a, float low)
{
    if (a > 10.1f) return 0.0f;
    pair<float> s = two_product(a, a);
    exponential_f e = split_exp(-s.hi);
    float y = e.fraction * erfcx_positive(a);
    y = fma(y, -fma(2.0f * a, low, s.lo), y);
    return y * e.scale;
}
SILICA_FN float erfcf(float x)
{
    if (abs(x) < 0.5f) return 1.0f - erff(x);
    float y = erfc_positive(abs(x), 0.0f);
    return x != x ? x : x < 0.0f ? 2.0f - y : y;
}
SILICA_FN float erfcxf(float x)
{
    if (abs(x) < 0.5f) return fma(expm1f(x * x), 1.0f - erff(x), 1.0f - erff(x));
    float y = erfcx_positive(abs(x));
    if (x >= 0.0f || x != x) return y;
    pair<float> s = two_product(x, x);
    if (s.hi > 100.0f) return infinity_f();
    exponential_f e = split_exp(s.hi);
    float twice = 2.0f * e.fraction;
    return fma(twice, s.lo, twice) * e.scale - y;
}

// x times erfinv(x) / x by w = -log(1 - x^2): polynomials of w up to 5, then of sqrt(w), within 2^-25. The constant
// term has more than a float's digits.
SILICA_FN float erfinv_product(float x, float w)
{
    float c, rest, s = root(w);
    if (w < 1.0f) {
        c = 0x1.c5bf8ap-1f;
        rest = fma(w, poly(w, 0x1.db29fcp-3f, 0x1.7a7156p-7f, -0x1.31eb3ap-9f, -0x1.13516ap-13f, 0x1.af3f9cp-15f, -0x1.96fd14p-20f), -0x1.cb6cd4p-26f);
    } else if (w < 5.0f) {
        float t = w - 2.5f;
        c = 0x1.805c5cp+0f;
        rest = fma(t, poly(t, 0x1.f91e8ap-3f, -0x1.11c36cp-8f, -0x1.4865a2p-10f, 0x1.c99f44p-13f, -0x1.4c90fp-18f, -0x1.c7a616p-19f, 0x1.e80d3ap-22f, 0x1.8f00dep-27f, -0x1.827ap-28f), 0x1.ecad5cp-25f);
    } else if (s < 4.15f) {
        float t = s - 3.0f;
        c = 0x1.6a9efcp+1f;
        rest = fma(t, poly(t, 0x1.006dcap+0f, 0x1.3581bep-7f, -0x1.f4f0c2p-8f, 0x1.74b5bep-8f, -0x1.d2d388p-9f, 0x1.82badap-10f, -0x1.14457ep-13f, -0x1.1eeaa4p-12f, 0x1.627e0ap-13f, -0x1.205964p-15f), -0x1.3cbfeap-26f);
    } else {
        float t = s - 7.0f;
        c = 0x1.b79e04p+2f;
        rest = fma(t, poly(t, 0x1.023352p+0f, -0x1.0cca9ap-11f, 0x1.a9d82p-18f, 0x1.979facp-18f, -0x1.bcebbcp-20f, 0x1.4cf66cp-22f, -0x1.7d68d8p-25f, 0x1.27b918p-27f, -0x1.3db088p-29f, 0x1.2faf3ep-32f), 0x1.3da1cp-23f);
    }
    return fma(x, c, x * rest);
}
SILICA_FN float erfinvf(float x)
{
    float a = abs(x), w = -logf(fma(-x, x, 1.0f));
    if (a > 1.0f || x != x) return nan_f();
    return a == 1.0f ? copysign(infinity_f(), x) : x == 0.0f ? x : erfinv_product(x, w);
}
SILICA_FN float erfcinvf(float y)
{
    if (!(y >= 0.0f && y <= 2.0f)) return nan_f();
    if (y == 0.0f) return infinity_f();
    if (y == 2.0f) return -infinity_f();
    float x = 1.0f - y;
    float w = y < 0.5f ? -(logf(y) + logf(2.0f - y)) : -logf(fma(-x, x, 1.0f));
    return erfinv_product(x, w);
}
SILICA_FN float normcdff(float x)
{
    float a = abs(x);
    float t = a * 0x1.6a09e6p-1f, low = fma(a, 0x1.6a09e6p-1f, -t);
    low = fma(a, 0x1.9fcef4p-27f, low);
    if (t < 0.5f) return fma(0.5f, copysign(erff(t), x), 0.5f);
    float y = 0.5f * erfc_positive(t, low);
    return x != x ? x : x > 0.0f ? 1.0f - y : y;
}
SILICA_FN float normcdfinvf(float p) { return -0x1.6a09e6p+0f * erfcinvf(p + p); }

// ---- Gamma and Bessel functions
SILICA_FN float tgammaf(float x) { return (float)tgamma((double)x); }
SILICA_FN float lgammaf(float x) { return (float)lgamma((double)x); }
SILICA_FN float j0f(float x) { return (float)j0((double)x); }
SILICA_FN float j1f(float x) { return (float)j1((double)x); }
SILICA_FN float jnf(int n, float x) { return (float)jn(n, (double)x); }
SILICA_FN float y0f(float x) { return (float)y0((double)x); }
SILICA_FN float y1f(float x) { return (float)y1((double)x); }
SILICA_FN float ynf(int n, float x) { return (float)yn(n, (double)x); }
SILICA_FN float cyl_bessel_i0f(float x) { return (float)cyl_bessel_i0((double)x); }
SILICA_FN float cyl_bessel_i1f(float x) { return (float)cyl_bessel_i1((double)x); }

} // namespace silica

#ifndef SILICA_NO_FUSION
#pragma clang fp contract(fast)
#endif
#endif
