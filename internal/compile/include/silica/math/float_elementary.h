// Exponentials, logarithms, trigonometric and hyperbolic functions, powers and roots in single precision.
// Polynomials are minimax fits with coefficients rounded to float; each comment gives interval and relative error.
#ifndef SILICA_MATH_FLOAT_ELEMENTARY_H
#define SILICA_MATH_FLOAT_ELEMENTARY_H

#include "base.h"

#pragma clang fp contract(off) reassociate(off)

namespace silica {

// ---- Exponentials

// b^x as fraction * scale, given log2(b) = hi + lo with lo > 0 (so that an infinite x does not give NaN). The exponent of
// scale stays that of a normal number; what is left over goes into the fraction, which then overflows or underflows by itself.
struct exponential_f { float fraction, scale; };
SILICA_FN exponential_f split_exponential(float x, float hi, float lo)
{
    float n = max(min(x * hi, 127.0f), -126.0f) + 12583039.0f; // 1.5 * 2^23 + 127: low bits of the sum are the biased exponent
    float j = n - 12583039.0f;
    float f = fma(x, lo, fma(x, hi, -j));
    return exponential_f{exp2_approx(f), from_bits(bits(n) << 23)};
}
SILICA_FN exponential_f split_exp(float x) { return split_exponential(x, 0x1.715476p+0f, 0x1.4ae0cp-26f); }

SILICA_FN float expf(float x)
{
    exponential_f e = split_exp(x);
    return e.fraction * e.scale;
}
SILICA_FN float exp10f(float x)
{
    exponential_f e = split_exponential(x, 0x1.a934fp+1f, 0x1.2f346ep-24f);
    return e.fraction * e.scale;
}
SILICA_FN float exp2f(float x)
{
#ifdef __CUDA_ARCH__
    return __nvvm_ex2_approx_f(x);
#else
    return (float)__builtin_exp2((double)x);
#endif
}

// 2^j (1 + p) - 1 with x = j log(2) + r; p is within 2^-30.4 of expm1(r) for |r| <= log(2) / 2.
SILICA_FN float expm1f(float x)
{
    float c = max(min(x, 89.0f), -20.0f);
    float j = nearest(c * 0x1.715476p+0f);
    pair<float> r = fast_two_sum(fma(j, -0x1.62e43p-1f, c), j * 0x1.05c61p-29f); // the first is exact
    float q = poly(r.hi, 0x1p-1f, 0x1.555558p-3f, 0x1.555502p-5f, 0x1.110cap-7f, 0x1.6d2ep-10f, 0x1.a754e8p-13f);
    pair<float> p = fast_two_sum(r.hi, fma(r.hi * r.hi, q, r.lo));
    float half = power_of_two_f((int)j - 1); // 2^128 is not a float; 2^127 is
    pair<float> s = two_sum(p.hi * half, j > 20.0f ? half : half - 0.5f); // what is added must be exact
    float y = s.hi + fma(p.lo, half, j > 20.0f ? s.lo - 0.5f : s.lo);
    y = y + y;
    if (j == 0.0f) y = p.hi;
    return x != x ? x : x > 89.0f ? infinity_f() : x == 0.0f ? x : y;
}

// ---- Logarithms

// x = 2^e (1 + r) with 1 + r in [2/3, 4/3), for finite positive x.
struct mantissa_f { float e, r; };
SILICA_FN mantissa_f split_logarithm(float x)
{
    float e = 0.0f;
    if (x < 0x1p-126f) {
        x *= 0x1p23f;
        e = -23.0f;
    }
    u32 i = (bits(x) - 0x3f2aaaabu) & 0xff800000u;
    return mantissa_f{fma((float)(int)i, 0x1p-23f, e), from_bits(bits(x) - i) - 1.0f};
}
// log(1 + r + low), |r| <= 1/3: r - r^2/2 exactly, then r^3 q within 2^-28.3 r.
SILICA_FN pair<float> log_series(float r, float low)
{
    float q = poly(r, 0x1.555556p-2f, -0x1.ffffb4p-3f, 0x1.999898p-3f, -0x1.55787ep-3f, 0x1.24cce4p-3f, -0x1.f74e12p-4f, 0x1.bc765p-4f, -0x1.fd05f2p-4f, 0x1.db33cap-4f);
    pair<float> t = two_product(r, r), s = fast_two_sum(r, -0.5f * t.hi);
    return pair<float>{s.hi, s.lo + fma(t.hi * r, q, fma(-0.5f, t.lo, low))};
}
// The result where x is not a finite positive number.
SILICA_FN float log_special(float x, float y)
{
    if (!(x < infinity_f())) return x;
    return x > 0.0f ? y : x == 0.0f ? -infinity_f() : nan_f();
}

// e unit + l scale. The first part of unit is short, so that its product with e is exact.
SILICA_FN float log_sum(float e, pair<float> l, pair<float> unit, pair<float> scale)
{
    pair<float> p = two_product(l.hi, scale.hi);
    p.lo = fma(e, unit.lo, fma(l.hi, scale.lo, fma(l.lo, scale.hi, p.lo)));
    pair<float> s = two_sum(e * unit.hi, p.hi);
    return s.hi + (s.lo + p.lo);
}
SILICA_FN float natural_log(float e, float r, float low)
{
    pair<float> l = log_series(r, low), s = fast_two_sum(e * 0x1.62e4p-1f, l.hi);
    return s.hi + (s.lo + fma(e, 0x1.7f7d1cp-20f, l.lo));
}
SILICA_FN float logf(float x)
{
    mantissa_f m = split_logarithm(x);
    return log_special(x, natural_log(m.e, m.r, 0.0f));
}
SILICA_FN float log2f(float x)
{
    mantissa_f m = split_logarithm(x);
    return log_special(x, log_sum(m.e, log_series(m.r, 0.0f), pair<float>{1.0f, 0.0f}, pair<float>{0x1.715476p+0f, 0x1.4ae0cp-26f}));
}
SILICA_FN float log10f(float x)
{
    mantissa_f m = split_logarithm(x);
    return log_special(x, log_sum(m.e, log_series(m.r, 0.0f), pair<float>{0x1.344p-2f, 0x1.3509f8p-18f}, pair<float>{0x1.bcb7b2p-2f, -0x1.5b235ep-27f}));
}
SILICA_FN float log1pf(float x)
{
    if (x > 0x1p24f) return logf(x);
    u32 i = (bits(1.0f + x) - 0x3f2aaaabu) & 0xff800000u;
    float s = from_bits(0x3f800000u - i);
    float e = (float)(int)i * 0x1p-23f;
    pair<float> r = two_sum(s - 1.0f, x * s); // x s is exact
    float y = natural_log(e, r.hi, r.lo);
    return x > -1.0f ? y : x == -1.0f ? -infinity_f() : nan_f();
}

// ---- Trigonometric functions

// x = q pi/2 + r for large x (Payne and Hanek): M V mod 2^96, where V holds the 96 bits of 2/pi whose product with x = M 2^E
// is below 4. Returns r and q mod 4.
struct reduced_f { float r; int q; };
SILICA_SLOW reduced_f reduce_large(float x)
{
    static const u32 two_over_pi[9] = {0, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u};
    u32 u = bits(x);
    int start = (int)(u >> 23 & 0xff) - 150 - 2 + 32; // of the 96 bits in the table
    u64 m = (u & 0x7fffffu) | 0x800000u;
    int word = start >> 5, shift = start & 31;
    u32 w[3];
    for (int k = 0; k < 3; ++k) {
        u64 two = (u64)two_over_pi[word + k] << 32 | two_over_pi[word + k + 1];
        w[k] = (u32)(two >> (32 - shift));
    }
    u64 low = m * w[2], middle = m * w[1] + (low >> 32);
    u32 top = (u32)m * w[0] + (u32)(middle >> 32);
    int q = top >> 30;
    i64 fraction = (i64)((u64)top << 34 | (u64)(u32)middle << 2 | (u32)low >> 30);
    q = (q + (int)((u64)fraction >> 63)) & 3;
    float r = (float)((double)fraction * 0x1.921fb54442d18p-64); // pi/2 * 2^-64
    return (u >> 31) ? reduced_f{-r, -q & 3} : reduced_f{r, q};
}
SILICA_FN reduced_f reduce(float x)
{
    if (abs(x) < 105615.0f) { // j pi/2 is then exact enough in three parts
        float j = nearest(x * 0x1.45f306p-1f);
        float r = fma(j, -0x1.921fb4p+0f, x);
        r = fma(j, -0x1.4442dp-24f, r);
        r = fma(j, -0x1.846988p-48f, r);
        return reduced_f{r, (int)j};
    }
    if (!(abs(x) < infinity_f())) return reduced_f{x * 0.0f, 0};
    return reduce_large(x);
}

// |r| <= pi/4: sin within 2^-26.3, cos within 2^-31.5.
SILICA_FN float sin_kernel(float r)
{
    float t = r * r;
    return fma(t * r, poly(t, -0x1.555552p-3f, 0x1.110cp-7f, -0x1.9ac008p-13f), r);
}
SILICA_FN float cos_kernel(float r)
{
    float t = r * r;
    return fma(t, poly(t, -0x1p-1f, 0x1.55554p-5f, -0x1.6c0654p-10f, 0x1.98536ep-16f), 1.0f);
}
SILICA_FN float sin_quadrant(reduced_f a)
{
    float y = (a.q & 1) ? cos_kernel(a.r) : sin_kernel(a.r);
    return (a.q & 2) ? -y : y;
}
SILICA_FN float sinf(float x)
{
    reduced_f a = reduce(x);
    if (x == 0.0f) return x;
    return sin_quadrant(a);
}
SILICA_FN float cosf(float x)
{
    reduced_f a = reduce(x);
    a.q += 1;
    return sin_quadrant(a);
}
SILICA_FN void sincosf(float x, float *s, float *c)
{
    reduced_f a = reduce(x);
    *s = x == 0.0f ? x : sin_quadrant(a);
    a.q += 1;
    *c = sin_quadrant(a);
}
SILICA_FN float tanf(float x) // tan(r) within 2^-23.7 * r^2
{
    reduced_f a = reduce(x);
    float t = a.r * a.r;
    float y = fma(t * a.r, poly(t, 0x1.55555p-2f, 0x1.11166p-3f, 0x1.b88a74p-5f, 0x1.7b579ap-6f, 0x1.4ef204p-8f, 0x1.0e1f9ap-7f), a.r);
    if (x == 0.0f) return x;
    return (a.q & 1) ? divide(-1.0f, y) : y;
}

// x = q/2 + r, exactly; r in [-1/4, 1/4].
SILICA_FN reduced_f reduce_pi(float x)
{
    if (!(abs(x) < 0x1p24f)) return reduced_f{x * 0.0f, 0}; // an even number, or not a number
    float j = nearest(x + x);
    return reduced_f{fma(j, -0.5f, x), (int)j};
}
SILICA_FN float sinpi_quadrant(reduced_f a)
{
    float t = a.r * a.r;
    if (a.q & 1) {
        float y = fma(t, poly(t, -0x1.3bd3ccp2f, 0x1.03c19ep2f, -0x1.55a5cp0f, 0x1.d09c24p-3f), 1.0f);
        return (a.q & 2) ? -y : y;
    }
    float y = fma(a.r, 0x1.921fb6p+1f, a.r * fma(t, poly(t, -0x1.4abbccp2f, 0x1.466601p1f, -0x1.2eec36p-1f), -0x1.777a5cp-24f));
    return (a.q & 2) ? -y : y;
}
SILICA_FN float sinpif(float x)
{
    float y = sinpi_quadrant(reduce_pi(x));
    return y == 0.0f ? copysign(0.0f, x) : y;
}
SILICA_FN float cospif(float x)
{
    reduced_f a = reduce_pi(x);
    a.q += 1;
    float y = sinpi_quadrant(a);
    return y == 0.0f ? 0.0f : y;
}
SILICA_FN void sincospif(float x, float *s, float *c)
{
    *s = sinpif(x);
    *c = cospif(x);
}

// ---- Inverse trigonometric functions

// asin(x), |x| <= 1/2, within 2^-25.8 x^2.
SILICA_FN float asin_tail(float x, float t)
{
    return x * t * poly(t, 0x1.55555ep-3f, 0x1.33268p-4f, 0x1.70c0b4p-5f, 0x1.b1cd5ap-6f, 0x1.393f8ap-5f);
}
SILICA_FN float asinf(float x)
{
    float a = abs(x);
    if (a <= 0.5f) return x + asin_tail(x, x * x);
    float z = fma(a, -0.5f, 0.5f), s = root(z);
    float low = fma(-s, s, z) * reciprocal_approx(s + 0x1p-100f); // twice what s lacks
    pair<float> h = fast_two_sum(0x1.921fb6p+0f, -2.0f * s);
    float y = h.hi + (h.lo - (fma(2.0f, asin_tail(s, z), low) + 0x1.777a5cp-25f));
    return copysign(y, x);
}
SILICA_FN float acosf(float x)
{
    float a = abs(x);
    if (a <= 0.5f) {
        pair<float> s = fast_two_sum(0x1.921fb6p+0f, -x);
        return s.hi + (s.lo - (asin_tail(x, x * x) + 0x1.777a5cp-25f));
    }
    float z = fma(a, -0.5f, 0.5f), s = root(z);
    float y = 2.0f * (s + asin_tail(s, z));
    return x < 0.0f ? (0x1.921fb6p+1f - y) - 0x1.777a5cp-24f : y;
}

// atan(t) for |t| <= 1, within 2^-26.7 t^2.
SILICA_FN float atan_kernel(float x)
{
    float t = x * x;
    return fma(x * t, poly(t, -0x1.555554p-2f, 0x1.99983p-3f, -0x1.246cbep-3f, 0x1.c3f5e6p-4f, -0x1.62b394p-4f, 0x1.00504p-4f, -0x1.26ad36p-5f, 0x1.bcca98p-7f, -0x1.3b26cap-9f), x);
}
SILICA_FN float atanf(float x)
{
    float a = abs(x);
    float p = atan_kernel(a > 1.0f ? divide(1.0f, a) : a);
    if (a > 1.0f) p = 0x1.921fb6p+0f - (p + 0x1.777a5cp-25f);
    return copysign(p, x);
}
SILICA_FN float atan2f(float y, float x)
{
    float ax = abs(x), ay = abs(y);
    float small = min(ax, ay), large = max(ax, ay);
    float t = divide(small, large);
    if (large == 0.0f) t = 0.0f;
    if (small == infinity_f()) t = 1.0f;
    float p = atan_kernel(t);
    if (ay > ax) p = 0x1.921fb6p+0f - (p + 0x1.777a5cp-25f);
    if (bits(x) >> 31) p = 0x1.921fb6p+1f - (p + 0x1.777a5cp-24f);
    return x != x || y != y ? x + y : copysign(p, y);
}

// ---- Hyperbolic functions

// exp(x) / 2 for x >= 0, without overflow before the result does, and without the chip's exp2: within 0.7 ulp.
SILICA_FN float half_exp(float x)
{
    float c = min(x, 90.0f), j = nearest(c * 0x1.715476p+0f);
    float r = fma(j, 0x1.05c61p-29f, fma(j, -0x1.62e43p-1f, c));
    float p = fma(r * r, poly(r, 0x1p-1f, 0x1.555558p-3f, 0x1.555502p-5f, 0x1.110cap-7f, 0x1.6d2ep-10f, 0x1.a754e8p-13f), r);
    return fma(p, 2.0f, 2.0f) * power_of_two_f((int)j - 2);
}
SILICA_FN float sinhf(float x)
{
    float a = abs(x), t = x * x;
    if (a < 1.6f) return fma(x * t, poly(t, 0x1.555556p-3f, 0x1.1111p-7f, 0x1.a01a84p-13f, 0x1.7216d8p-19f, 0x1.adeb5ap-26f), x);
    float e = half_exp(a);
    return x != x ? x : copysign(fma(-0.25f, reciprocal_approx(e), e), x);
}
SILICA_FN float coshf(float x)
{
    float e = half_exp(abs(x));
    return x != x ? x : fma(0.25f, reciprocal_approx(e), e);
}
SILICA_FN float tanhf(float x)
{
    float a = abs(x), t = x * x;
    if (a < 0.6f) return fma(x * t, poly(t, -0x1.555556p-2f, 0x1.111148p-3f, -0x1.ba2194p-5f, 0x1.65f80ap-6f, -0x1.190ec4p-7f, 0x1.4cccfp-9f), x);
    float y = 1.0f - divide(1.0f, half_exp(min(a + a, 40.0f)) + 0.5f);
    return x != x ? x : copysign(y, x);
}
SILICA_FN float asinhf(float x)
{
    float a = abs(x);
    if (a > 0x1p30f) return copysign(logf(a) + 0x1.62e43p-1f, x);
    float t = a * a;
    return copysign(log1pf(a + divide(t, 1.0f + root(t + 1.0f))), x);
}
SILICA_FN float acoshf(float x)
{
    float t = x - 1.0f;
    if (t < 0.0f) return nan_f();
    if (t > 0x1p30f) return logf(x) + 0x1.62e43p-1f;
    return log1pf(t + root(fma(t, t, t + t)));
}
SILICA_FN float atanhf(float x)
{
    float a = abs(x);
    return copysign(0.5f * log1pf(divide(a + a, 1.0f - a)), x);
}

// ---- Powers and roots

// log2(x) for finite x > 0. With m in [sqrt(1/2), sqrt(2)) and s = (m - 1) / (m + 1), log(m) = 2 atanh(s).
SILICA_FN pair<float> log2_pair(float x)
{
    float e = 0.0f;
    if (x < 0x1p-126f) {
        x *= 0x1p24f;
        e = -24.0f;
    }
    u32 i = (bits(x) - 0x3f3504f3u) & 0xff800000u;
    e = fma((float)(int)i, 0x1p-23f, e);
    float m = from_bits(bits(x) - i);
    float f = m - 1.0f, g = m + 1.0f, g_low = m - (g - 1.0f);
    float s = divide(f, g);
    float s_low = divide(fma(-s, g_low, fma(-s, g, f)), g);
    pair<float> t = two_product(s, s);
    t.lo = fma(2.0f * s, s_low, t.lo);
    // atanh(s) = s + s t / 3 + s t^2 q(t); q within 2^-20 of the series for |s| <= 0.1716
    float q = poly(t.hi, 0x1.999868p-3f, 0x1.24c39cp-3f, 0x1.ce16fep-4f);
    pair<float> third = fast_two_sum(0x1.555556p-2f, fma(t.hi, q, -0x1.555556p-27f));
    pair<float> series = t * third;                                      // relative to s
    pair<float> a = pair<float>{s, s_low} * fast_two_sum(1.0f, series.hi); // s (1 + series.hi)
    a = fast_two_sum(a.hi, fma(s, series.lo, a.lo));
    pair<float> l = a * pair<float>{0x1.715476p+1f, 0x1.4ae0cp-25f}; // 2 / log(2)
    pair<float> sum = fast_two_sum(e, l.hi);
    if (e == 0.0f) return l;
    return fast_two_sum(sum.hi, sum.lo + l.lo);
}
SILICA_FN float pow_positive(float x, float y) // x > 0 and finite, y finite
{
    pair<float> l = log2_pair(x);
    float p = y * l.hi;
    float p_low = abs(p) < 1024.0f ? fma(y, l.lo, fma(y, l.hi, -p)) : 0.0f;
    float n = max(min(p, 126.0f), -126.0f) + 12583039.0f;
    float f = (p - (n - 12583039.0f)) + p_low;
    return exp2_approx(f) * from_bits(bits(n) << 23);
}
// Is y an odd integer?
SILICA_FN bool is_odd(float y) { return abs(y) < 0x1p24f && __builtin_truncf(y) == y && ((int)y & 1); }
SILICA_FN float powf(float x, float y)
{
    if (x == 1.0f || y == 0.0f) return 1.0f;
    if (x != x || y != y) return x + y;
    float a = abs(x);
    bool negative = (bits(x) >> 31) && is_odd(y);
    float r;
    if (a == 0.0f || a == infinity_f()) r = (a == 0.0f) == (y > 0.0f) ? 0.0f : infinity_f();
    else if (abs(y) == infinity_f()) return a == 1.0f ? 1.0f : (a > 1.0f) == (y > 0.0f) ? infinity_f() : 0.0f;
    else if (x < 0.0f && __builtin_truncf(y) != y) return nan_f();
    else r = pow_positive(a, y);
    return negative ? -r : r;
}

// x^(-1/3) for normal x > 0: a guess from the exponent, within 3.5 %, and Newton's steps for y^-3 - x.
SILICA_FN float rcbrt_guess(float x)
{
    float y = from_bits(0x54a21d29u - bits(x) / 3u);
    for (int k = 0; k < 3; ++k) {
        float t = fma(-x * y, y * y, 1.0f);
        y = fma(y * 0x1.555556p-2f, t, y);
    }
    return y;
}
SILICA_FN float cbrtf(float x)
{
    float a = abs(x), scale = 1.0f;
    if (a < 0x1p-126f) {
        a *= 0x1p24f;
        scale = 0x1p-8f;
    }
    float y = rcbrt_guess(a);
    float c = a * y * y;
    pair<float> t = two_product(c, c);
    float rest = fma(-t.lo, c, fma(-t.hi, c, a)); // a - c^3
    c = fma(rest * (y * y), 0x1.555556p-2f, c) * scale;
    return x == 0.0f || !(abs(x) < infinity_f()) ? x + x : copysign(c, x);
}
SILICA_FN float rcbrtf(float x)
{
    float a = abs(x), scale = 1.0f;
    if (a < 0x1p-126f) {
        a *= 0x1p24f;
        scale = 0x1p8f;
    } else if (a > 0x1p100f) { // y^3 must stay normal
        a *= 0x1p-60f;
        scale = 0x1p-20f;
    }
    float y = rcbrt_guess(a);
    pair<float> t = two_product(y, y);
    pair<float> u = two_product(t.hi, y);
    float low = fma(t.lo, y, u.lo);                       // y^3 = u.hi + low
    float rest = fma(-a, low, fma(-a, u.hi, 1.0f));
    y = fma(y * 0x1.555556p-2f, rest, y) * scale;
    if (a == infinity_f()) y = 0.0f;
    if (a == 0.0f) y = infinity_f();
    return x != x ? x : copysign(y, x);
}

SILICA_FN float sqrtf(float x) { return __builtin_sqrtf(x); } // follows the precision chosen on the command line
SILICA_FN float rsqrtf(float x) { return rsqrt_approx(x); }

// A power of two near 1/a, for a > 0.
SILICA_FN float scale_for(float a)
{
    u32 e = bits(a) & 0x7f800000u;
    e = e < 0x00800000u ? 0x00800000u : e > 0x7e000000u ? 0x7e000000u : e;
    return from_bits(0x7f000000u - e);
}
template <class... T> SILICA_FN float norm_of(T... v)
{
    float m = largest(v...), s = scale_for(m);
    return m == infinity_f() ? m : root(sum_of_squares(s, v...)) * divide(1.0f, s);
}
template <class... T> SILICA_FN float rnorm_of(T... v)
{
    float m = largest(v...), s = scale_for(m);
    return m == infinity_f() ? 0.0f : reciprocal_root(sum_of_squares(s, v...)) * s;
}
SILICA_FN float hypotf(float x, float y) { return norm_of(x, y); }
SILICA_FN float rhypotf(float x, float y) { return rnorm_of(x, y); }
SILICA_FN float norm3df(float a, float b, float c) { return norm_of(a, b, c); }
SILICA_FN float rnorm3df(float a, float b, float c) { return rnorm_of(a, b, c); }
SILICA_FN float norm4df(float a, float b, float c, float d) { return norm_of(a, b, c, d); }
SILICA_FN float rnorm4df(float a, float b, float c, float d) { return rnorm_of(a, b, c, d); }
SILICA_FN pair<float> scaled_squares(int n, const float *v, float *largest_out)
{
    float m = 0.0f;
    pair<float> sum{0.0f, 0.0f};
    for (int i = 0; i < n; ++i) m = max(m, abs(v[i]));
    float s = scale_for(m);
    for (int i = 0; i < n; ++i) sum = sum + sum_of_squares(s, v[i]);
    *largest_out = m;
    return sum;
}
SILICA_FN float normf(int n, const float *v)
{
    float m;
    pair<float> a = scaled_squares(n, v, &m);
    return m == infinity_f() ? m : root(a) * divide(1.0f, scale_for(m));
}
SILICA_FN float rnormf(int n, const float *v)
{
    float m;
    pair<float> a = scaled_squares(n, v, &m);
    return m == infinity_f() ? 0.0f : reciprocal_root(a) * scale_for(m);
}

} // namespace silica

#ifndef SILICA_NO_FUSION
#pragma clang fp contract(fast)
#endif
#endif
