// Reference values of the math functions in 113-bit arithmetic, from libquadmath where it has the function.
// The name of a function here is that of its double-precision form.
#pragma once

typedef __float128 quad;

extern "C" {
#define QUAD1(X) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) \
    X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(cbrt) X(sqrt) X(erf) X(erfc) X(lgamma) X(tgamma) X(j0) X(j1) X(y0) X(y1) X(fabs) X(rint)
#define QUAD2(X) X(pow) X(atan2) X(hypot)
#define DECLARE1(f) quad f##q(quad);
#define DECLARE2(f) quad f##q(quad, quad);
QUAD1(DECLARE1)
QUAD2(DECLARE2)
quad jnq(int, quad);
quad ynq(int, quad);
int isnanq(quad);
}

namespace reference {

#define DEFINE1(f) static quad f(quad x) { return f##q(x); }
#define DEFINE2(f) static quad f(quad x, quad y) { return f##q(x, y); }
QUAD1(DEFINE1)
QUAD2(DEFINE2)
static quad jn(int n, quad x) { return n < 0 ? quad(__builtin_nan("")) : jnq(n, x); }
static quad yn(int n, quad x) { return n < 0 ? quad(__builtin_nan("")) : ynq(n, x); }

static const quad pi = 3.14159265358979323846264338327950288419716939937510582Q;
static const quad root2 = 1.41421356237309504880168872420969807856967187537694807Q;
static const quad infinity = __builtin_inf();

static quad exp10(quad x) { return expq(x * 2.30258509299404568401799145468436420760110148862877298Q); }
static quad rsqrt(quad x) { return 1 / sqrtq(x); }
static quad rcbrt(quad x) { return 1 / cbrtq(x); }
static quad sinpi(quad x)
{
    if (isnanq(x) || fabsq(x) == infinity) return x - x;
    if (fabsq(x) >= 0x1p60) return 0; // every such float or double is an even number
    quad r = x - 2 * rintq(x / 2); // exact, in [-1, 1]
    if (r > 0.5Q) r = 1 - r;
    if (r < -0.5Q) r = -1 - r;
    return sinq(pi * r);
}
static quad cospi(quad x)
{
    if (isnanq(x) || fabsq(x) == infinity) return x - x;
    if (fabsq(x) >= 0x1p60) return 1;
    quad r = fabsq(x - 2 * rintq(x / 2));
    return r > 0.25Q && r < 0.75Q ? sinq(pi * (0.5Q - r)) : cosq(pi * r);
}

// Infinite arguments win over NaN, as in hypot.
static quad norm(const quad *v, int n)
{
    quad sum = 0;
    for (int i = 0; i < n; ++i) {
        if (fabsq(v[i]) == infinity) return infinity;
        sum += v[i] * v[i];
    }
    return sqrtq(sum);
}
static quad norm3d(quad a, quad b, quad c) { quad v[] = {a, b, c}; return norm(v, 3); }
static quad norm4d(quad a, quad b, quad c, quad d) { quad v[] = {a, b, c, d}; return norm(v, 4); }
static quad rhypot(quad a, quad b) { return 1 / hypotq(a, b); }
static quad rnorm3d(quad a, quad b, quad c) { return 1 / norm3d(a, b, c); }
static quad rnorm4d(quad a, quad b, quad c, quad d) { return 1 / norm4d(a, b, c, d); }
static quad norm3df(quad a, quad b, quad c) { return norm3d(a, b, c); }

static quad erfcx(quad x)
{
    if (x < 100) return expq(x * x) * erfcq(x);
    quad s = 1 / (2 * x * x), sum = 1, term = 1;
    for (int k = 1; k < 12; ++k) sum += term *= -(2 * k - 1) * s;
    return sum / (x * sqrtq(pi));
}
// erfc(z) = y for 0 < y <= 1, by Newton's method on the logarithm.
static quad erfcinv_upper(quad y)
{
    quad l = -logq(y), z = y > 0.5Q ? (1 - y) * 0.886Q : sqrtq(l - logq(l + 1) / 2);
    for (int k = 0; k < 30; ++k) {
        quad c = z > 0 ? erfcx(z) * expq(-z * z) : erfcq(z);
        quad f = logq(c) + l, d = -2 / sqrtq(pi) * expq(-z * z) / c;
        quad next = z - f / d;
        if (fabsq(next - z) <= 1e-33Q * fabsq(z)) return next;
        z = next;
    }
    return z;
}
static quad erfcinv(quad y)
{
    if (!(y >= 0 && y <= 2)) return __builtin_nan("");
    if (y == 0 || y == 2) return y == 0 ? infinity : -infinity;
    return y > 1 ? -erfcinv_upper(2 - y) : erfcinv_upper(y);
}
static quad erfinv(quad x)
{
    if (!(fabsq(x) <= 1)) return __builtin_nan("");
    if (fabsq(x) == 1) return x * infinity;
    if (fabsq(x) > 0.5Q) return x > 0 ? erfcinv_upper(1 - x) : -erfcinv_upper(1 + x);
    quad z = x * sqrtq(pi) / 2;
    for (int k = 0; k < 30; ++k) {
        quad next = z - (erfq(z) - x) * sqrtq(pi) / 2 * expq(z * z);
        if (fabsq(next - z) <= 1e-33Q * fabsq(z)) return next;
        z = next;
    }
    return z;
}
static quad normcdf(quad x) { return x < -50 ? 0 : erfcq(-x / root2) / 2; }
static quad normcdfinv(quad p) { return -root2 * erfcinv(2 * p); }

// The series of I_n, all of whose terms are positive for x > 0.
static quad bessel_i(int n, quad x)
{
    if (isnanq(x)) return x;
    if (fabsq(x) > 1000) return n % 2 && x < 0 ? -infinity : infinity;
    quad t = x * x / 4, term = n ? x / 2 : 1, sum = term;
    for (int k = 1; k < 4000; ++k) {
        term *= t / k / (k + n);
        sum += term;
        if (fabsq(term) < 1e-34Q * fabsq(sum)) break;
    }
    return sum;
}
static quad cyl_bessel_i0(quad x) { return bessel_i(0, x); }
static quad cyl_bessel_i1(quad x) { return bessel_i(1, x); }

} // namespace reference
