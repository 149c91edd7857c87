// Exponentials, logarithms, trigonometric and hyperbolic functions, powers and roots in double precision.
// Polynomials are minimax fits with coefficients rounded to double; each comment gives the relative error.
#ifndef SILICA_MATH_DOUBLE_ELEMENTARY_H
#define SILICA_MATH_DOUBLE_ELEMENTARY_H

#include "base.h"

#pragma clang fp contract(off) reassociate(off)

namespace silica {

// ---- Exponentials

// (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2, within 2^-60 relative to expm1(r).
SILICA_FN double exp_tail(double r)
{
    return fma(r, poly(r, 0x1.5555555555556p-3, 0x1.5555555555554p-5, 0x1.11111111107p-7, 0x1.6c16c16c179c9p-10, 0x1.a01a01a90968ep-13, 0x1.a01a019c704bfp-16, 0x1.71de0a25ea84p-19, 0x1.27e4f7bf03116p-22, 0x1.af3f340ece92p-26, 0x1.1f3f2c9789dd2p-29), 0.5);
}
// value = fraction * 2^exponent; fraction near 1.
struct scaled { double fraction; int exponent; };
SILICA_FN double scale(scaled s) // one rounding, in the last product
{
    int half = s.exponent >> 1;
    return s.fraction * power_of_two(half) * power_of_two(s.exponent - half);
}
// exp(r) for |r| <= log(2) / 2.
SILICA_FN pair<double> exp_reduced(pair<double> r)
{
    pair<double> s = fast_two_sum(1.0, r.hi);
    return fast_two_sum(s.hi, s.lo + fma(r.hi * r.hi, exp_tail(r.hi), r.lo));
}
// exp(hi + lo), |lo| small against hi; hi within +-800. *low gets what the fraction lacks.
SILICA_FN scaled split_exp(double hi, double lo, double *low)
{
    double j = nearest(hi * 0x1.71547652b82fep+0);
    double r = fma(j, -0x1.62e42fefa39efp-1, hi); // exact
    pair<double> f = exp_reduced(fast_two_sum(r, fma(j, -0x1.abc9e3b39803fp-56, lo)));
    *low = f.lo;
    return scaled{f.hi, (int)j};
}
SILICA_FN scaled split_exp(double hi, double lo)
{
    double low;
    scaled e = split_exp(hi, lo, &low);
    e.fraction += low;
    return e;
}
SILICA_FN double clamp_exp(double x) { return max(min(x, 800.0), -800.0); }
SILICA_FN double exp(double x) { return x != x ? x : scale(split_exp(clamp_exp(x), 0.0)); }
SILICA_FN double exp2(double x)
{
    double c = max(min(x, 1100.0), -1100.0), j = nearest(c), f = c - j;
    pair<double> r = two_product(f, 0x1.62e42fefa39efp-1);
    r.lo = fma(f, 0x1.abc9e3b39803fp-56, r.lo);
    return x != x ? x : scale(scaled{exp_reduced(r).hi, (int)j});
}
SILICA_FN double exp10(double x)
{
    double c = max(min(x, 400.0), -400.0);
    double j = nearest(c * 0x1.a934f0979a371p+1);
    double f = fma(j, -0x1.34413509f79ffp-2, c); // log10(2) in two parts
    f = fma(j, 0x1.9dc1da994fd21p-59, f);
    pair<double> r = two_product(f, 0x1.26bb1bbb55516p+1); // log(10)
    r.lo = fma(f, -0x1.f48ad494ea3e9p-53, r.lo);
    return x != x ? x : scale(scaled{exp_reduced(r).hi, (int)j});
}
SILICA_FN double expm1(double x)
{
    double c = max(min(x, 710.0), -40.0);
    double j = nearest(c * 0x1.71547652b82fep+0);
    pair<double> r = fast_two_sum(fma(j, -0x1.62e42fefa39efp-1, c), j * -0x1.abc9e3b39803fp-56);
    pair<double> p = fast_two_sum(r.hi, fma(r.hi * r.hi, exp_tail(r.hi), r.lo));
    double half = power_of_two((int)j - 1);
    pair<double> s = two_sum(p.hi * half, j > 50.0 ? half : half - 0.5); // what is added must be exact
    double y = s.hi + fma(p.lo, half, j > 50.0 ? s.lo - 0.5 : s.lo);
    y = y + y;
    if (j == 0.0) y = p.hi;
    return x != x ? x : x > 710.0 ? infinity() : x == 0.0 ? x : y;
}

// ---- Logarithms

// x = 2^e m with m in [sqrt(1/2), sqrt(2)), for finite positive x.
struct mantissa { double e, m; };
SILICA_FN mantissa split_logarithm(double x)
{
    double e = 0.0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        e = -54.0;
    }
    u64 i = (bits(x) - 0x3fe6a09e667f3bcdull) & 0xfff0000000000000ull;
    return mantissa{e + (double)((i64)i >> 52), from_bits(bits(x) - i)};
}
SILICA_FN double log_special(double x, double y)
{
    if (!(x < infinity())) return x;
    return x > 0.0 ? y : x == 0.0 ? -infinity() : nan_d();
}
// log(1 + f) - f for f in [sqrt(1/2) - 1, sqrt(2) - 1): with s = f / (2 + f), log(1 + f) = f - f^2/2 + s (f^2/2 + R),
// R = (2 atanh(s) - 2 s) / s within 2^-56.6 s^2.
SILICA_FN double log_tail(double f)
{
    double s = f / (2.0 + f), t = s * s, h = 0.5 * f * f;
    double r = t * poly(t, 0x1.5555555555558p-1, 0x1.999999999530cp-2, 0x1.2492492df1d4ep-2, 0x1.c71c62e25173fp-3, 0x1.7462b5e9252b4p-3, 0x1.39fe311cf8cf2p-3, 0x1.2b5abda07faeep-3);
    return fma(s, h + r, -h);
}
SILICA_FN double log(double x)
{
    mantissa a = split_logarithm(x);
    double f = a.m - 1.0;
    double y = fma(a.e, 0x1.62e42fefa38p-1, f + fma(a.e, 0x1.ef35793c7673p-45, log_tail(f))); // log(2) in two parts, the first short
    return log_special(x, y);
}
SILICA_FN double log1p(double x)
{
    if (x > 0x1p53) return log(x);
    double u = 1.0 + x;
    u64 i = (bits(u) - 0x3fe6a09e667f3bcdull) & 0xfff0000000000000ull;
    double e = (double)((i64)i >> 52), s = from_bits(0x3ff0000000000000ull - i);
    pair<double> f = two_sum(s - 1.0, x * s); // exact: s is a power of two
    double c = f.lo / (1.0 + f.hi);
    double y = fma(e, 0x1.62e42fefa38p-1, f.hi + (fma(e, 0x1.ef35793c7673p-45, c) + log_tail(f.hi)));
    return x > -1.0 ? (x == 0.0 ? x : y) : x == -1.0 ? -infinity() : nan_d();
}

// log(m) to about 2^-66, for m in [sqrt(1/2), sqrt(2)): 2 atanh(s) with s = (m - 1) / (m + 1).
SILICA_FN pair<double> log_pair(double m)
{
    double f = m - 1.0, g = m + 1.0, g_low = m - (g - 1.0);
    double s = f / g;
    double s_low = fma(-s, g_low, fma(-s, g, f)) / g;
    pair<double> t = two_product(s, s);
    t.lo = fma(2.0 * s, s_low, t.lo);
    // atanh(s) = s + s t / 3 + s t^2 q(t), q within 2^-62.8 s^-4
    double q = poly(t.hi, 0x1.999999999999ep-3, 0x1.249249248e6d3p-3, 0x1.c71c71d7b484p-4, 0x1.745d0a06424f5p-4, 0x1.3b18b46c2fc78p-4, 0x1.101920b1157a1p-4, 0x1.08742f02313afp-4);
    pair<double> third = fast_two_sum(0x1.5555555555555p-2, fma(t.hi, q, 0x1.5555555555555p-56));
    pair<double> series = t * third;
    pair<double> a = pair<double>{s, s_low} * series;
    pair<double> y = fast_two_sum(s, a.hi);
    y.lo += a.lo + s_low;
    y = fast_two_sum(y.hi, y.lo);
    return pair<double>{2.0 * y.hi, 2.0 * y.lo};
}
// (e log(2) + log(m)) for all finite positive x.
SILICA_FN pair<double> log_full(double x)
{
    mantissa a = split_logarithm(x);
    pair<double> l = log_pair(a.m);
    pair<double> k = two_product(a.e, 0x1.62e42fefa39efp-1);
    k.lo = fma(a.e, 0x1.abc9e3b39803fp-56, k.lo);
    return k + l;
}
SILICA_FN double log2(double x)
{
    mantissa a = split_logarithm(x);
    pair<double> l = log_pair(a.m) * pair<double>{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
    pair<double> y = two_sum(a.e, l.hi);
    return log_special(x, y.hi + (y.lo + l.lo));
}
SILICA_FN double log10(double x)
{
    mantissa a = split_logarithm(x);
    pair<double> l = log_pair(a.m) * pair<double>{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
    pair<double> k = two_product(a.e, 0x1.34413509f79ffp-2);
    k.lo = fma(a.e, -0x1.9dc1da994fd21p-59, k.lo);
    pair<double> y = k + l;
    return log_special(x, y.hi + y.lo);
}

// ---- Trigonometric functions

// x = q pi/2 + r.hi + r.lo.
struct reduced { pair<double> r; int q; };

// For large x (Payne and Hanek): M V mod 2^192, where V holds the 192 bits of 2/pi whose product with x = M 2^E is below 4.
SILICA_SLOW reduced reduce_large(double x)
{
    static const u64 two_over_pi[21] = {
        0, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull,
        0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
        0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull,
        0x56033046fc7b6babull, 0xf0cfbc209af4361dull};
    u64 u = bits(x), m = (u & 0xfffffffffffffull) | 0x10000000000000ull;
    int start = (int)(u >> 52 & 0x7ff) - 1075 - 2 + 64; // of the 192 bits in the table
    int word = start >> 6, shift = start & 63;
    u64 w[3];
    for (int k = 0; k < 3; ++k) {
        w[k] = two_over_pi[word + k] << shift;
        if (shift) w[k] |= two_over_pi[word + k + 1] >> (64 - shift);
    }
    unsigned __int128 low = (unsigned __int128)m * w[2], middle = (unsigned __int128)m * w[1] + (u64)(low >> 64);
    u64 top = m * w[0] + (u64)(middle >> 64), next = (u64)middle, last = (u64)low;
    int q = (int)(top >> 62);
    top = top << 2 | next >> 62;
    next = next << 2 | last >> 62;
    bool negative = top >> 63; // the fraction is at least one half: take the next quadrant
    if (negative) {
        ++q;
        next = ~next + 1;
        top = ~top + (next == 0);
    }
    int zeros = top ? __builtin_clzll(top) : 64 + (next ? __builtin_clzll(next) : 0);
    if (zeros >= 64) {
        top = next;
        next = 0;
    }
    int left = zeros & 63;
    if (left) {
        top = top << left | next >> (64 - left);
        next <<= left;
    }
    // fraction = (top + next 2^-64) 2^(-64 - zeros); split top into 53 and 11 bits
    double unit = power_of_two(-64 - zeros);
    pair<double> f = fast_two_sum((double)(top & ~0x7ffull) * unit, ((double)(top & 0x7ffull) + (double)(next >> 11) * 0x1p-53) * unit);
    pair<double> r = f * pair<double>{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
    if (negative) r = pair<double>{-r.hi, -r.lo};
    return u >> 63 ? reduced{pair<double>{-r.hi, -r.lo}, -q & 3} : reduced{r, q & 3};
}
SILICA_FN reduced reduce(double x)
{
    if (abs(x) < 105615.0) { // j pi/2 in three parts; the first difference is exact
        double j = nearest(x * 0x1.45f306dc9c883p-1);
        double r = fma(j, -0x1.921fb54442d18p+0, x);
        pair<double> p = two_product(j, 0x1.1a62633145c07p-54);
        pair<double> d = two_sum(r, -p.hi);
        d.lo -= fma(j, -0x1.f1976b7ed8fbcp-110, p.lo);
        return reduced{fast_two_sum(d.hi, d.lo), (int)j};
    }
    if (!(abs(x) < infinity())) return reduced{pair<double>{x * 0.0, 0.0}, 0};
    return reduce_large(x);
}

// |r| <= pi/4; low is what r lacks. sin within 2^-56, cos within 2^-63.2.
SILICA_FN double sin_kernel(double r, double low)
{
    double t = r * r;
    double s = t * r * poly(t, -0x1.5555555555555p-3, 0x1.1111111110c8p-7, -0x1.a01a019ea0473p-13, 0x1.71de37b0957f1p-19, -0x1.ae601fcfb6122p-26, 0x1.5e11280c8ea98p-33);
    return r + (s + fma(-0.5 * t, low, low));
}
SILICA_FN double cos_kernel(double r, double low)
{
    double t = r * r, h = 0.5 * t, w = 1.0 - h;
    double c = t * t * poly(t, 0x1.555555555555p-5, -0x1.6c16c16c15aa8p-10, 0x1.a01a019d903ccp-16, -0x1.27e4f8a606ecbp-22, 0x1.1eea52f9b24cep-29, -0x1.8fe27bfdb2697p-37);
    return w + (((1.0 - w) - h) + fma(-r, low, c));
}
SILICA_FN double sin_quadrant(pair<double> r, int q)
{
    double y = (q & 1) ? cos_kernel(r.hi, r.lo) : sin_kernel(r.hi, r.lo);
    return (q & 2) ? -y : y;
}
SILICA_FN double sin(double x)
{
    reduced a = reduce(x);
    return x == 0.0 ? x : sin_quadrant(a.r, a.q);
}
SILICA_FN double cos(double x)
{
    reduced a = reduce(x);
    return sin_quadrant(a.r, a.q + 1);
}
SILICA_FN void sincos(double x, double *s, double *c)
{
    reduced a = reduce(x);
    *s = x == 0.0 ? x : sin_quadrant(a.r, a.q);
    *c = sin_quadrant(a.r, a.q + 1);
}
SILICA_FN double tan(double x) // tan(r) within 2^-54.1 r^2
{
    reduced a = reduce(x);
    double r = a.r.hi, t = r * r;
    double p = t * r * poly(t, 0x1.5555555555554p-2, 0x1.111111111170cp-3, 0x1.ba1ba1b981f7ap-5, 0x1.664f48b3cf6e5p-6, 0x1.226e2d303e58dp-7, 0x1.d6d572857cc44p-9, 0x1.7d8881535c81dp-10, 0x1.36835fbe7fae6p-11, 0x1.e37dc67730eafp-13, 0x1.f711c7eb79057p-14, -0x1.c1f1de7b95a62p-19, 0x1.1fbc8022b054p-14, -0x1.1b7ad69550818p-15, 0x1.320139d4ab37bp-16);
    p = p + fma(a.r.lo, t, a.r.lo);
    pair<double> y = fast_two_sum(r, p);
    if (x == 0.0) return x;
    if (!(a.q & 1)) return y.hi;
    double z = -1.0 / y.hi; // then one correction of the quotient
    return fma(z, fma(z, y.hi, 1.0) + z * y.lo, z);
}

SILICA_FN reduced reduce_pi(double x) // x = q/2 + r, exactly; r in [-1/4, 1/4]
{
    if (!(abs(x) < 0x1p53)) return reduced{pair<double>{x * 0.0, 0.0}, 0};
    double j = nearest(x + x);
    return reduced{pair<double>{fma(j, -0.5, x), 0.0}, (int)((i64)j & 3)};
}
SILICA_FN double sinpi_quadrant(double r, int q)
{
    double y, t = r * r;
    if (q & 1) {
        double p = poly(t, 0x1.03c1f081b5a24p2, -0x1.55d3c7e3b7b01p0, 0x1.e1f506654c60ap-3, -0x1.a6d1d35595887p-6, 0x1.f9b8188b0a49p-10, -0x1.ac2eafc933e0ep-14);
        y = fma(t, fma(t, p, -0x1.3bd3cc9be45dep2), 1.0);
    } else {
        double p = t * r * poly(t, -0x1.4abbce625be52p2, 0x1.466bc6775a4588p1, -0x1.32d2cce4fcfebp-1, 0x1.507832044fcacp-4, -0x1.e302794f0a1dfp-8, 0x1.e4a80e439a993p-12);
        y = fma(r, 0x1.921fb54442d18p+1, fma(r, 0x1.1a62633145c07p-53, p));
    }
    return (q & 2) ? -y : y;
}
SILICA_FN double sinpi(double x)
{
    reduced a = reduce_pi(x);
    double y = sinpi_quadrant(a.r.hi, a.q);
    return y == 0.0 ? copysign(0.0, x) : y;
}
SILICA_FN double cospi(double x)
{
    reduced a = reduce_pi(x);
    double y = sinpi_quadrant(a.r.hi, a.q + 1);
    return y == 0.0 ? 0.0 : y;
}
SILICA_FN void sincospi(double x, double *s, double *c)
{
    *s = sinpi(x);
    *c = cospi(x);
}

// ---- Inverse trigonometric functions

SILICA_FN double asin_tail(double x, double t) // asin(x) - x for |x| <= 1/2, within 2^-54 x^2
{
    return x * t * poly(t, 0x1.555555555554ep-3, 0x1.3333333337268p-4, 0x1.6db6db67f173dp-5, 0x1.f1c71fc034ad2p-6, 0x1.6e8b25e104dfcp-6, 0x1.1c59a061325c7p-6, 0x1.c8694a5f3c4eep-7, 0x1.856737ab0f51dp-7, 0x1.fccc2d290bb5bp-8, 0x1.08a81a78b6a4cp-6, -0x1.66c491a614109p-7, 0x1.cfeb2257d3826p-6);
}
SILICA_FN double asin(double x)
{
    double a = abs(x);
    if (a <= 0.5) return x + asin_tail(x, x * x);
    double z = fma(a, -0.5, 0.5), s = root(z);
    double low = z == 0.0 ? 0.0 : fma(-s, s, z) / (s + s); // what s lacks
    pair<double> h = fast_two_sum(0x1.921fb54442d18p+0, -2.0 * s);
    double y = h.hi + (h.lo + (0x1.1a62633145c07p-54 - 2.0 * (low + asin_tail(s, z))));
    return copysign(y, x);
}
SILICA_FN double acos(double x)
{
    double a = abs(x);
    if (a <= 0.5) {
        pair<double> h = fast_two_sum(0x1.921fb54442d18p+0, -x);
        return h.hi + (h.lo + (0x1.1a62633145c07p-54 - asin_tail(x, x * x)));
    }
    double z = fma(a, -0.5, 0.5), s = root(z);
    double low = z == 0.0 ? 0.0 : fma(-s, s, z) / (s + s);
    double tail = low + asin_tail(s, z);
    if (x > 0.0) return 2.0 * (s + tail);
    pair<double> h = fast_two_sum(0x1.921fb54442d18p+1, -2.0 * s);
    return h.hi + (h.lo + (0x1.1a62633145c07p-53 - 2.0 * tail));
}

SILICA_FN double atan_tail(double x) // atan(x) - x for |x| <= tan(pi/8), within 2^-57.5 x^2
{
    double t = x * x;
    return t * x * poly(t, -0x1.5555555555555p-2, 0x1.999999999942cp-3, -0x1.249249243d825p-3, 0x1.c71c7188c0671p-4, -0x1.745d0b9ce455fp-4, 0x1.3b126bfd8d603p-4, -0x1.10fae6065c82bp-4, 0x1.dfecf4844a6p-5, -0x1.a0b920825ebcbp-5, 0x1.41b5e2a3f8326p-5, -0x1.3aed3bcd3ab17p-6);
}
// The angle of the point (x, y), both at least 0 and finite, not both 0, as a pair. Beyond pi/8 it is
// pi/4 + atan((y - x) / (y + x)), beyond 3 pi/8 pi/2 - atan(x / y).
SILICA_FN pair<double> first_quadrant(double y, double x)
{
    const double tan_eighth = 0x1.a827999fcef32p-2;
    pair<double> n{y, 0.0}, d{x, 0.0}, base{0.0, 0.0};
    if (x < y * tan_eighth) {
        n.hi = -x;
        d.hi = y;
        base = pair<double>{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
    } else if (y > x * tan_eighth) {
        n = two_sum(y, -x);
        d = two_sum(y, x);
        base = pair<double>{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
    }
    double t = n.hi / d.hi;
    double low = (fma(-t, d.hi, n.hi) + (n.lo - t * d.lo)) / d.hi;
    if (!(abs(low) <= abs(t))) low = 0.0; // t or the remainder is out of range
    pair<double> a = fast_two_sum(t, atan_tail(t) + low / fma(t, t, 1.0));
    return base.hi == 0.0 ? a : base + a;
}
SILICA_FN double atan(double x)
{
    double a = abs(x);
    if (!(a < 0x1p60)) return x != x ? x : copysign(0x1.921fb54442d18p+0, x);
    return copysign(first_quadrant(a, 1.0).hi, x);
}
SILICA_FN double atan2(double y, double x)
{
    if (x != x || y != y) return x + y;
    double ax = abs(x), ay = abs(y);
    if (ay == 0.0) return (bits(x) >> 63) ? copysign(0x1.921fb54442d18p+1, y) : y;
    if (max(ax, ay) == infinity()) {
        double both = ax == ay ? 1.0 : 0.0;
        ax = ax == infinity() ? 1.0 : both;
        ay = ay == infinity() ? 1.0 : both;
    }
    if (max(ax, ay) > 0x1p1000) { // keep the remainder of the division in range
        ax *= 0x1p-100;
        ay *= 0x1p-100;
    } else if (max(ax, ay) < 0x1p-900) {
        ax *= 0x1p150;
        ay *= 0x1p150;
    }
    pair<double> p = first_quadrant(ay, ax);
    if (bits(x) >> 63) {
        pair<double> h = fast_two_sum(0x1.921fb54442d18p+1, -p.hi);
        p.hi = h.hi + (h.lo + (0x1.1a62633145c07p-53 - p.lo));
    }
    return copysign(p.hi, y);
}

// ---- Hyperbolic functions

SILICA_FN double half_exp(double x) // exp(x) / 2 without overflow before the result does
{
    scaled e = split_exp(clamp_exp(x), 0.0);
    --e.exponent;
    return scale(e);
}
SILICA_FN double sinh(double x)
{
    double a = abs(x), t = x * x;
    if (a < 1.0) return fma(x * t, poly(t, 0x1.5555555555555p-3, 0x1.111111111118p-7, 0x1.a01a01a00fddfp-13, 0x1.71de3a5a5f5f5p-19, 0x1.ae64570c5a09ep-26, 0x1.612096938edb6p-33, 0x1.b2e4bad50b8fcp-41), x);
    double e = half_exp(a);
    return x != x ? x : copysign(e - 0.25 / e, x);
}
SILICA_FN double cosh(double x)
{
    double a = abs(x), low;
    if (x != x) return x;
    if (a > 40.0) return half_exp(a);
    scaled e = split_exp(a, 0.0, &low);
    double s = power_of_two(e.exponent - 1), h = e.fraction * s;
    return h + fma(low, s, 0.25 / h);
}
SILICA_FN double tanh(double x)
{
    double a = abs(x), t = x * x;
    if (a < 0.55) return fma(x * t, poly(t, -0x1.5555555555555p-2, 0x1.111111111105p-3, -0x1.ba1ba1ba0b5c7p-5, 0x1.664f487da41dap-6, -0x1.226e34771e50bp-7, 0x1.d6d39e277fc5dp-9, -0x1.7d9fbe6b1bd58p-10, 0x1.352ac6445456bp-11, -0x1.f27b474b48f08p-13, 0x1.852f322a3e8fep-14, -0x1.07c56c909ff7ap-15, 0x1.ba91b47e2f79dp-18), x);
    double low;
    scaled e = split_exp(min(a + a, 100.0), 0.0, &low);
    double s = power_of_two(e.exponent);
    pair<double> d = two_sum(e.fraction * s, 1.0);
    d.lo = fma(low, s, d.lo);
    double q = 2.0 / d.hi, rest = (fma(-q, d.hi, 2.0) - q * d.lo) / d.hi;
    pair<double> y = fast_two_sum(1.0, -q);
    return x != x ? x : copysign(y.hi + (y.lo - rest), x);
}
// log(1 + hi + lo) for hi >= 0.
SILICA_FN double log1p_pair(double hi, double lo) { return log1p(hi) + lo / (1.0 + hi); }
SILICA_FN double asinh(double x)
{
    double a = abs(x);
    if (!(a < 0x1p30)) return x != x ? x : copysign(log(a) + 0x1.62e42fefa39efp-1, x);
    double t = a * a, d = 1.0 + root(t + 1.0), q = t / d;
    pair<double> s = two_sum(a, q);
    return copysign(log1p_pair(s.hi, s.lo), x);
}
SILICA_FN double acosh(double x)
{
    double t = x - 1.0;
    if (!(t < 0x1p30)) return x != x ? x : log(x) + 0x1.62e42fefa39efp-1;
    if (t < 0.0) return nan_d();
    pair<double> s = two_sum(t, root(fma(t, t, t + t)));
    return log1p_pair(s.hi, s.lo);
}
SILICA_FN double atanh(double x)
{
    double a = abs(x), d = 1.0 - a;
    double q = (a + a) / d;
    double low = a < 0.9999 ? fma(-q, d, a + a) / d + q * ((a - (1.0 - d)) / d) : 0.0;
    return copysign(0.5 * (a < 0.9999 ? log1p_pair(q, low) : log1p(q)), x);
}

// ---- Powers and roots

// x^y for finite x > 0 and finite y: the logarithm and its product with y in pairs, then the exponential.
SILICA_FN double pow_positive(double x, double y)
{
    pair<double> l = log_full(x);
    double p = y * l.hi;
    if (!(abs(p) < 800.0)) return (p > 0.0) ? infinity() : 0.0;
    return scale(split_exp(p, fma(y, l.lo, fma(y, l.hi, -p))));
}
SILICA_FN bool is_odd(double y) { return abs(y) < 0x1p53 && __builtin_trunc(y) == y && ((i64)y & 1); }
SILICA_FN double pow(double x, double y)
{
    if (x == 1.0 || y == 0.0) return 1.0;
    if (x != x || y != y) return x + y;
    double a = abs(x);
    bool negative = (bits(x) >> 63) && is_odd(y);
    double r;
    if (a == 0.0 || a == infinity()) r = (a == 0.0) == (y > 0.0) ? 0.0 : infinity();
    else if (abs(y) == infinity()) return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? infinity() : 0.0;
    else if (x < 0.0 && __builtin_trunc(y) != y) return nan_d();
    else r = pow_positive(a, y);
    return negative ? -r : r;
}

// x^(-1/3) for normal x > 0: a guess within 3.5 %, and Newton's steps for y^-3 - x.
SILICA_FN double rcbrt_guess(double x)
{
    double y = from_bits(0x553ef0ff289dd796ull - bits(x) / 3);
    for (int k = 0; k < 4; ++k) {
        double t = fma(-x * y, y * y, 1.0);
        y = fma(y * 0x1.5555555555555p-2, t, y);
    }
    return y;
}
SILICA_FN double cbrt(double x)
{
    double a = abs(x), scale = 1.0;
    if (a < 0x1p-1022) {
        a *= 0x1p54;
        scale = 0x1p-18;
    } else if (a > 0x1p1000) { // x y^2 would be fine, but not the exact remainder below
        a *= 0x1p-300;
        scale = 0x1p100;
    }
    double y = rcbrt_guess(a), c = a * y * y;
    pair<double> t = two_product(c, c);
    double rest = fma(-t.lo, c, fma(-t.hi, c, a));
    c = fma(rest * (y * y), 0x1.5555555555555p-2, c) * scale;
    return x == 0.0 || !(abs(x) < infinity()) ? x + x : copysign(c, x);
}
SILICA_FN double rcbrt(double x)
{
    double a = abs(x), scale = 1.0;
    if (a < 0x1p-1022) {
        a *= 0x1p54;
        scale = 0x1p18;
    } else if (a > 0x1p1000) { // y^3 must stay normal
        a *= 0x1p-300;
        scale = 0x1p-100;
    }
    double y = rcbrt_guess(a);
    pair<double> t = two_product(y, y);
    pair<double> u = two_product(t.hi, y);
    double low = fma(t.lo, y, u.lo);
    double rest = fma(-a, low, fma(-a, u.hi, 1.0));
    y = fma(y * 0x1.5555555555555p-2, rest, y) * scale;
    if (a == infinity()) y = 0.0;
    if (a == 0.0) y = infinity();
    return x != x ? x : copysign(y, x);
}

SILICA_FN double sqrt(double x) { return __builtin_sqrt(x); }
SILICA_FN double rsqrt(double x)
{
    if (x < 0x1p-1000 && x > 0.0) return reciprocal_root(pair<double>{x * 0x1p200, 0.0}) * 0x1p100;
    if (x > 0x1p1000 && x < infinity()) return reciprocal_root(pair<double>{x * 0x1p-200, 0.0}) * 0x1p-100;
    return x > 0.0 && x < infinity() ? reciprocal_root(pair<double>{x, 0.0}) : 1.0 / root(x);
}

SILICA_FN double scale_for(double a) // a power of two near 1/a, for a > 0
{
    u64 e = bits(a) & 0x7ff0000000000000ull;
    e = e < 0x0010000000000000ull ? 0x0010000000000000ull : e > 0x7fc0000000000000ull ? 0x7fc0000000000000ull : e;
    return from_bits(0x7fe0000000000000ull - e);
}
template <class... T> SILICA_FN double norm_of(double a, T... rest)
{
    double m = largest(a, rest...), s = scale_for(m);
    return m == infinity() ? m : root(sum_of_squares(s, a, rest...)) * (1.0 / s);
}
template <class... T> SILICA_FN double rnorm_of(double a, T... rest)
{
    double m = largest(a, rest...), s = scale_for(m);
    if (m == infinity()) return 0.0;
    return reciprocal_root(sum_of_squares(s, a, rest...)) * s;
}
SILICA_FN double hypot(double x, double y) { return norm_of(x, y); }
SILICA_FN double rhypot(double x, double y) { return rnorm_of(x, y); }
SILICA_FN double norm3d(double a, double b, double c) { return norm_of(a, b, c); }
SILICA_FN double rnorm3d(double a, double b, double c) { return rnorm_of(a, b, c); }
SILICA_FN double norm4d(double a, double b, double c, double d) { return norm_of(a, b, c, d); }
SILICA_FN double rnorm4d(double a, double b, double c, double d) { return rnorm_of(a, b, c, d); }
SILICA_FN pair<double> scaled_squares(int n, const double *v, double *largest_out)
{
    double m = 0.0;
    pair<double> sum{0.0, 0.0};
    for (int i = 0; i < n; ++i) m = max(m, abs(v[i]));
    double s = scale_for(m);
    for (int i = 0; i < n; ++i) sum = sum + sum_of_squares(s, v[i]);
    *largest_out = m;
    return sum;
}
SILICA_FN double norm(int n, const double *v)
{
    double m;
    pair<double> a = scaled_squares(n, v, &m);
    return m == infinity() ? m : root(a) * (1.0 / scale_for(m));
}
SILICA_FN double rnorm(int n, const double *v)
{
    double m;
    pair<double> a = scaled_squares(n, v, &m);
    return m == infinity() ? 0.0 : reciprocal_root(a) * scale_for(m);
}

} // namespace silica

#ifndef SILICA_NO_FUSION
#pragma clang fp contract(fast)
#endif
#endif
