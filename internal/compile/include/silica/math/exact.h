// Functions with exact results: rounding, parts of a number, scaling, remainders, neighbours. Both precisions.
#ifndef SILICA_MATH_EXACT_H
#define SILICA_MATH_EXACT_H

#include <limits.h>
#include "base.h"

#pragma clang fp contract(off) reassociate(off)

namespace silica {

SILICA_FN float fabsf(float x) { return abs(x); }
SILICA_FN double fabs(double x) { return abs(x); }
SILICA_FN float floorf(float x) { return __builtin_floorf(x); }
SILICA_FN double floor(double x) { return __builtin_floor(x); }
SILICA_FN float ceilf(float x) { return __builtin_ceilf(x); }
SILICA_FN double ceil(double x) { return __builtin_ceil(x); }
SILICA_FN float truncf(float x) { return __builtin_truncf(x); }
SILICA_FN double trunc(double x) { return __builtin_trunc(x); }
SILICA_FN float rintf(float x) { return nearest(x); }
SILICA_FN double rint(double x) { return nearest(x); }
SILICA_FN float nearbyintf(float x) { return nearest(x); }
SILICA_FN double nearbyint(double x) { return nearest(x); }
// Halfway cases away from zero. The largest number below one half must not become one.
SILICA_FN float roundf(float x)
{
    float a = abs(x), y = __builtin_truncf(a + 0x1.fffffep-2f);
    return a < 0x1p23f ? copysign(y, x) : x;
}
SILICA_FN double round(double x)
{
    double a = abs(x), y = __builtin_trunc(a + 0x1.fffffffffffffp-2);
    return a < 0x1p52 ? copysign(y, x) : x;
}
SILICA_FN long lrintf(float x) { return (long)nearest(x); }
SILICA_FN long lrint(double x) { return (long)nearest(x); }
SILICA_FN long long llrintf(float x) { return (long long)nearest(x); }
SILICA_FN long long llrint(double x) { return (long long)nearest(x); }
SILICA_FN long lroundf(float x) { return (long)roundf(x); }
SILICA_FN long lround(double x) { return (long)round(x); }
SILICA_FN long long llroundf(float x) { return (long long)roundf(x); }
SILICA_FN long long llround(double x) { return (long long)round(x); }

SILICA_FN float fmaf(float x, float y, float z) { return fma(x, y, z); }
SILICA_FN float copysignf(float x, float y) { return copysign(x, y); }
SILICA_FN float fmaxf(float x, float y) { return max(x, y); }
SILICA_FN double fmax(double x, double y) { return max(x, y); }
SILICA_FN float fminf(float x, float y) { return min(x, y); }
SILICA_FN double fmin(double x, double y) { return min(x, y); }
SILICA_FN float fdimf(float x, float y) { return x <= y ? 0.0f : x - y; }
SILICA_FN double fdim(double x, double y) { return x <= y ? 0.0 : x - y; }
SILICA_FN float nanf(const char *) { return nan_f(); }
SILICA_FN double nan(const char *) { return nan_d(); }

// ---- Exponents
SILICA_FN int exponent_of(float x) // floor(log2(|x|)) of a finite nonzero x
{
    int e = (int)(bits(x) >> 23 & 0xff);
    return e ? e - 127 : -118 - __builtin_clz(bits(x) << 1 >> 1);
}
SILICA_FN int exponent_of(double x)
{
    int e = (int)(bits(x) >> 52 & 0x7ff);
    return e ? e - 1023 : -1011 - __builtin_clzll(bits(x) << 1 >> 1);
}
SILICA_FN int ilogbf(float x) { return x == 0.0f || x != x ? INT_MIN : abs(x) == infinity_f() ? INT_MAX : exponent_of(x); }
SILICA_FN int ilogb(double x) { return x == 0.0 || x != x ? INT_MIN : abs(x) == infinity() ? INT_MAX : exponent_of(x); }
SILICA_FN float logbf(float x) { return x == 0.0f ? -infinity_f() : !(abs(x) < infinity_f()) ? x * x : (float)exponent_of(x); }
SILICA_FN double logb(double x) { return x == 0.0 ? -infinity() : !(abs(x) < infinity()) ? x * x : (double)exponent_of(x); }

// x 2^n. The first factors leave a normal number, so only the last product rounds.
SILICA_FN float scalbnf(float x, int n)
{
    if (n > 127) {
        x *= 0x1p127f;
        n = n - 127 < 254 ? n - 127 : 254;
        if (n > 127) {
            x *= 0x1p127f;
            n -= 127;
        }
    } else if (n < -126) {
        x *= 0x1p-102f; // 2^-126 2^24
        n = n + 102 > -228 ? n + 102 : -228;
        if (n < -126) {
            x *= 0x1p-102f;
            n += 102;
        }
    }
    return x * power_of_two_f(n);
}
SILICA_FN double scalbn(double x, int n)
{
    if (n > 1023) {
        x *= 0x1p1023;
        n = n - 1023 < 2046 ? n - 1023 : 2046;
        if (n > 1023) {
            x *= 0x1p1023;
            n -= 1023;
        }
    } else if (n < -1022) {
        x *= 0x1p-969; // 2^-1022 2^53
        n = n + 969 > -1991 ? n + 969 : -1991;
        if (n < -1022) {
            x *= 0x1p-969;
            n += 969;
        }
    }
    return x * power_of_two(n);
}
SILICA_FN int clamp_exponent(long n) { return n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n; }
SILICA_FN float ldexpf(float x, int n) { return scalbnf(x, n); }
SILICA_FN double ldexp(double x, int n) { return scalbn(x, n); }
SILICA_FN float scalblnf(float x, long n) { return scalbnf(x, clamp_exponent(n)); }
SILICA_FN double scalbln(double x, long n) { return scalbn(x, clamp_exponent(n)); }
SILICA_FN float frexpf(float x, int *e)
{
    *e = 0;
    if (x == 0.0f || !(abs(x) < infinity_f())) return x + x;
    *e = exponent_of(x) + 1;
    return scalbnf(x, -*e);
}
SILICA_FN double frexp(double x, int *e)
{
    *e = 0;
    if (x == 0.0 || !(abs(x) < infinity())) return x + x;
    *e = exponent_of(x) + 1;
    return scalbn(x, -*e);
}
SILICA_FN float modff(float x, float *whole)
{
    *whole = __builtin_truncf(x);
    return copysign(abs(x) == infinity_f() ? 0.0f : x - *whole, x);
}
SILICA_FN double modf(double x, double *whole)
{
    *whole = __builtin_trunc(x);
    return copysign(abs(x) == infinity() ? 0.0 : x - *whole, x);
}
SILICA_FN float nextafterf(float x, float y)
{
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0.0f) return copysign(from_bits((u32)1), y);
    return from_bits(bits(x) + ((x < y) == (x > 0.0f) ? 1u : -1u));
}
SILICA_FN double nextafter(double x, double y)
{
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0.0) return copysign(from_bits((u64)1), y);
    return from_bits(bits(x) + ((x < y) == (x > 0.0) ? (u64)1 : ~(u64)0));
}

// ---- Remainders. |x| - q |y| by long division of the significands, a few bits of the quotient at a time.
// Returns the remainder of truncating division; *q gets the low bits of the quotient.
SILICA_FN u32 significand(float x) { return (bits(x) & 0x7fffffu) | 0x800000u; } // of a normal number, as an integer
SILICA_FN u64 significand(double x) { return (bits(x) & 0xfffffffffffffull) | 0x10000000000000ull; }
SILICA_FN float truncated_remainder(float x, float y, u32 *q)
{
    *q = 0;
    if (x < y) return x;
    int ex = exponent_of(x), ey = exponent_of(y);
    u32 mx = significand(scalbnf(x, -ex)), my = significand(scalbnf(y, -ey));
    int n = ex - ey;
    *q = mx / my;
    mx -= *q * my;
    while (n > 0) {
        int step = n < 8 ? n : 8;
        mx <<= step;
        u32 d = mx / my;
        mx -= d * my;
        *q = *q << step | d;
        n -= step;
    }
    return scalbnf((float)mx, ey - 23);
}
SILICA_FN double truncated_remainder(double x, double y, u32 *q)
{
    *q = 0;
    if (x < y) return x;
    int ex = exponent_of(x), ey = exponent_of(y);
    u64 mx = significand(scalbn(x, -ex)), my = significand(scalbn(y, -ey));
    int n = ex - ey;
    u64 d = mx / my;
    mx -= d * my;
    *q = (u32)d;
    while (n > 0) {
        int step = n < 11 ? n : 11;
        mx <<= step;
        d = mx / my;
        mx -= d * my;
        *q = *q << step | (u32)d;
        n -= step;
    }
    return scalbn((double)mx, ey - 52);
}
SILICA_FN float fmodf(float x, float y)
{
    u32 q;
    if (x != x || y != y || abs(x) == infinity_f() || y == 0.0f) return nan_f();
    return copysign(truncated_remainder(abs(x), abs(y), &q), x);
}
SILICA_FN double fmod(double x, double y)
{
    u32 q;
    if (x != x || y != y) return x + y;
    if (abs(x) == infinity() || y == 0.0) return nan_d();
    return copysign(truncated_remainder(abs(x), abs(y), &q), x);
}
// The quotient rounds to nearest even; *quo gets its sign and low 31 bits.
SILICA_FN float remquof(float x, float y, int *quo)
{
    *quo = 0;
    if (x != x || y != y || abs(x) == infinity_f() || y == 0.0f) return nan_f();
    float b = abs(y);
    u32 q;
    float r = truncated_remainder(abs(x), b, &q), rest = b - r; // exact where the comparison is close
    if (r > rest || (r == rest && (q & 1))) {
        r -= b;
        ++q;
    }
    *quo = (int)((bits(x) ^ bits(y)) >> 31 ? -(q & 0x7fffffffu) : q & 0x7fffffffu);
    return bits(x) >> 31 ? -r : r;
}
SILICA_FN double remquo(double x, double y, int *quo)
{
    *quo = 0;
    if (x != x || y != y) return x + y;
    if (abs(x) == infinity() || y == 0.0) return nan_d();
    double b = abs(y);
    u32 q;
    double r = truncated_remainder(abs(x), b, &q), rest = b - r;
    if (r > rest || (r == rest && (q & 1))) {
        r -= b;
        ++q;
    }
    *quo = (int)((bits(x) ^ bits(y)) >> 63 ? -(q & 0x7fffffffu) : q & 0x7fffffffu);
    return bits(x) >> 63 ? -r : r;
}
SILICA_FN float remainderf(float x, float y)
{
    int q;
    return remquof(x, y, &q);
}
SILICA_FN double remainder(double x, double y)
{
    int q;
    return remquo(x, y, &q);
}

} // namespace silica

#ifndef SILICA_NO_FUSION
#pragma clang fp contract(fast)
#endif
#endif
