// Error functions, the normal distribution, gamma and Bessel functions in double precision. Where a comment gives only an
// interval, the polynomial is a fit at Chebyshev nodes, within 2^-52 or better.
#ifndef SILICA_MATH_DOUBLE_SPECIAL_H
#define SILICA_MATH_DOUBLE_SPECIAL_H

#include "double_elementary.h"
#include "exact.h"

#pragma clang fp contract(off) reassociate(off)

namespace silica {

// ---- Error functions

// exp(a^2) erfc(a) for a >= 0: (1 + 2 a) times it is a polynomial of (a - 4) / (a + 4) up to 26.6.
SILICA_FN double erfcx_positive(double a)
{
    if (a > 26.5) { // asymptotic series in 1 / (2 a^2)
        double r = 0x1.20dd750429b6dp-1 / a, s = 0.5 / (a * a);
        return fma(r, s * poly(s, -1.0, 3.0, -15.0, 105.0, -945.0, 10395.0), r);
    }
    double d = a + 4.0, u = a - 4.0;
    pair<double> n = two_sum(a, 4.0);
    double t = u / d, t_low = (fma(-t, d, u) - t * n.lo) / d;
    t += t_low;
    double p = poly(t, 0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a29ap-3, 0x1.f7f5df66fdac7p-7, 0x1.16ecefcfa5e53p-4, -0x1.9ddb23c3ea40bp-4, 0x1.7fee004dfa31ep-4, -0x1.0fb06dfe3524dp-4, 0x1.3079edf9a6173p-5, -0x1.09623886cf696p-6, 0x1.49c6719ee70ffp-8, -0x1.8d4a9ab5893ccp-11, -0x1.a1de84f6a1c5dp-13, 0x1.3be07f0cef97p-13, -0x1.996aa2e6bd551p-16, -0x1.789b98d01fe1bp-17, 0x1.7fbe0b5172373p-18, 0x1.41ee40e8dafa6p-22, -0x1.c0ecc5efa6415p-21, 0x1.12539b42095ecp-24, 0x1.f4d5784337e29p-24, -0x1.0f6f32c2a7c87p-27, -0x1.e99aef517bfa4p-27, -0x1.1275d4a940e21p-29);
    return p / fma(2.0, a, 1.0);
}
// erfc(a + low) for a >= 0 and |low| at most half an ulp.
SILICA_FN scaled erfc_scaled(double a, double low)
{
    pair<double> s = two_product(a, a);
    scaled e = split_exp(-min(s.hi, 800.0), -fma(2.0 * a, low, s.lo));
    e.fraction *= erfcx_positive(a);
    return e;
}
SILICA_FN double erfc_positive(double a) { return a > 27.3 ? 0.0 : scale(erfc_scaled(a, 0.0)); }
// erf(x) - 2/sqrt(pi) x, |x| <= 1.
SILICA_FN double erf_tail(double x)
{
    double t = x * x;
    return t * x * poly(t, -0x1.812746b0379e7p-2, 0x1.ce2f21a042c3p-4, -0x1.b82ce3128a71p-6, 0x1.565bcd0eae553p-8, -0x1.c02db40a7abfcp-11, 0x1.f9a327a3448bdp-14, -0x1.f4d2585436c14p-17, 0x1.b9e53d9930996p-20, -0x1.5f5425ffe3116p-23, 0x1.fa00487bd245ap-27, -0x1.3fd673e8a9b17p-30, 0x1.19cfb82f31bbcp-34);
}
SILICA_FN double erf(double x)
{
    double a = abs(x);
    if (a < 1.0) return fma(x, 0x1.20dd750429b6dp+0, fma(x, 0x1.1ae3a914fed8p-56, erf_tail(x)));
    return x != x ? x : copysign(1.0 - erfc_positive(min(a, 6.5)), x);
}
SILICA_FN double erfc(double x)
{
    if (x != x) return x;
    if (x < 0.0) {
        if (x > -1.0) return 1.0 + erf(-x);
        return 2.0 - erfc_positive(-x);
    }
    return x < 0.25 ? 1.0 - erf(x) : erfc_positive(x);
}
SILICA_FN double erfcx(double x)
{
    double y = erfcx_positive(abs(x));
    if (x >= 0.0 || x != x) return y;
    pair<double> s = two_product(x, x);
    if (s.hi > 720.0) return infinity();
    scaled e = split_exp(s.hi, s.lo);
    e.fraction *= 2.0;
    return scale(e) - y;
}

// A first guess of erfinv(x) / x, within 2^-23, by w = -log(1 - x^2).
SILICA_FN double erfinv_ratio(double w)
{
    if (w < 5.0)
        return poly(w - 2.5, 0x1.805c5ep+0, 0x1.f91e8ap-3, -0x1.11c506p-8, -0x1.48650cp-10, 0x1.c9e97p-13, -0x1.4db186p-18, -0x1.d0edap-19, 0x1.f6a6f8p-22, 0x1.90e8acp-26, -0x1.32e60ep-27);
    double s = root(w);
    if (s < 4.15)
        return poly(s - 3.0, 0x1.6a9efcp+1, 0x1.006dc2p+0, 0x1.357246p-7, -0x1.f45994p-8, 0x1.759522p-8, -0x1.d93142p-9, 0x1.7c9d38p-10, -0x1.eaf624p-16, -0x1.299f0ep-12, 0x1.8b997ap-14);
    if (s < 10.1)
        return poly(s - 7.0, 0x1.b79e04p+2, 0x1.023352p+0, -0x1.0cca9ap-11, 0x1.a9d82p-18, 0x1.979facp-18, -0x1.bcebbcp-20, 0x1.4cf66cp-22, -0x1.7d68d8p-25, 0x1.27b918p-27, -0x1.3db088p-29, 0x1.2faf3ep-32);
    return poly(s - 17.0, 0x1.0eb8d231bb5bcp+4, 0x1.00c2fcb4dbfe3p+0, -0x1.05190ff3733aap-13, 0x1.66d6ead7ede0cp-18, -0x1.ea2d3ec1a3e4ep-23, 0x1.4455239f62977p-27, -0x1.70e0665d22fd9p-32, 0x1.e0e09ea871aap-38);
}
// One step of Halley's method from z for erf(z) = x + low, |x| <= 3/4.
SILICA_FN double refine_erfinv(double z, double x, double low)
{
    pair<double> p = two_product(z, 0x1.20dd750429b6dp+0);
    double f = (p.hi - x) + ((p.lo - low) + fma(z, 0x1.1ae3a914fed8p-56, erf_tail(z))); // erf(z) - x - low
    double d = f * 0x1.c5bf891b4ef6bp-1 * exp(z * z);                           // over the derivative
    return z - d / fma(d, z, 1.0);
}
// The same for erfc(z) = y, y <= 1/4; both sides times exp(z^2).
SILICA_FN double refine_erfcinv(double z, double y)
{
    pair<double> s = two_product(z, z);
    scaled e = split_exp(s.hi, s.lo);
    double shifted = y * 0x1p64; // leaves the denormals
    double f = erfcx_positive(z) - scale(scaled{shifted * e.fraction, e.exponent - 64});
    double d = -f * 0x1.c5bf891b4ef6bp-1;
    return z - d / fma(d, z, 1.0);
}
SILICA_FN double erfcinv_small(double y) // 0 < y <= 1/4
{
    double w = -(log(y) + log(2.0 - y));
    return refine_erfcinv((1.0 - y) * erfinv_ratio(w), y);
}
SILICA_FN double erfinv_small(double x, double low) // |x| <= 3/4
{
    return refine_erfinv(x * erfinv_ratio(-log(fma(-x, x, 1.0))), x, low);
}
SILICA_FN double erfinv(double x)
{
    double a = abs(x);
    if (!(a <= 1.0)) return nan_d();
    if (a == 1.0) return copysign(infinity(), x);
    if (a < 0x1p-500) return x == 0.0 ? x : x * 0x1.c5bf891b4ef6bp-1;
    return a > 0.75 ? copysign(erfcinv_small(1.0 - a), x) : erfinv_small(x, 0.0);
}
SILICA_FN double erfcinv(double y)
{
    if (!(y >= 0.0 && y <= 2.0)) return nan_d();
    if (y == 0.0) return infinity();
    if (y == 2.0) return -infinity();
    if (y <= 0.25) return erfcinv_small(y);
    if (y >= 1.75) return -erfcinv_small(2.0 - y);
    double x = 1.0 - y;
    return x == 0.0 ? x : erfinv_small(x, (1.0 - x) - y);
}
SILICA_FN double normcdf(double x)
{
    double a = abs(x);
    pair<double> t = two_product(a, 0x1.6a09e667f3bcdp-1);
    t.lo = fma(a, -0x1.bdd3413b26456p-55, t.lo);
    if (x != x) return x;
    if (a < 0.5) return 0.5 + copysign(0.5 * erf(t.hi), x);
    if (a > 39.0) return x > 0.0 ? 1.0 : 0.0;
    scaled y = erfc_scaled(t.hi, t.lo);
    --y.exponent;
    return x > 0.0 ? 1.0 - scale(y) : scale(y);
}
SILICA_FN double normcdfinv(double p) { return -0x1.6a09e667f3bcdp+0 * erfcinv(p + p); }

// ---- Gamma functions

// x (log(gamma(x)) - ((x - 1/2) log(x) - x + log(2 pi) / 2)) by 1 / x^2, for x >= 8.
SILICA_FN double stirling(double u)
{
    return poly(u, 0x1.5555555555555p-4, -0x1.6c16c16c16c0fp-9, 0x1.a01a01a00d0c8p-11, -0x1.381381168d37p-11, 0x1.b951b7066a7fep-11, -0x1.f69af4cedb22ap-10, 0x1.a2565f7c01e1p-8, -0x1.c6897db51dca9p-6, 0x1.c29fa984c2fadp-4);
}
// gamma(x) for x > 0, x <= 200. Below 8 by gamma(x + 1) = x gamma(x) from [2, 3].
SILICA_SLOW scaled gamma_positive(double x)
{
    if (x >= 8.0) {
        double r = 1.0 / x;
        pair<double> l = log_full(x);
        pair<double> t = l * (x - 0.5) + -x; // x - 1/2 is exact up to 2^52
        t = t + pair<double>{0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};
        t = t + r * stirling(r * r);
        return split_exp(t.hi, t.lo);
    }
    pair<double> up{1.0, 0.0}, down{1.0, 0.0};
    while (x >= 3.0) {
        x -= 1.0; // exact
        up = up * x;
    }
    pair<double> z{x, 0.0};
    while (z.hi < 2.0) {
        down = down * z;
        z = z + 1.0;
    }
    double t = (z.hi - 2.5) + z.lo;
    double g = poly(t, 0x1.544fa6d47b39p+0, 0x1.de9585f1a7093p-1, 0x1.4f224d4b7e01cp-1, 0x1.03f6d2fa4f509p-2, 0x1.c138b89492c3ep-4, 0x1.d0a9bc4930cd3p-6, 0x1.5489cc6bad687p-7, 0x1.a55ed2172e36fp-10, 0x1.8b8fcda4879d4p-11, 0x1.0886c5d516cc8p-18, 0x1.013c92f5859f2p-14, -0x1.ad8a6611a268ap-17, 0x1.e6ca7ac6c8f8cp-18, -0x1.57e9b7c2d56a3p-19, 0x1.22b69ba445ed9p-20, -0x1.c094378550309p-22, 0x1.69e0b8183d448p-23, -0x1.650430b4605f7p-24, 0x1.1df83f46b5b39p-25);
    double y = g * up.hi;
    y = fma(g, up.lo, y);
    double q = y / down.hi;
    return scaled{fma(-q, down.lo / down.hi, q), 0};
}
SILICA_FN double tgamma(double x)
{
    if (x != x) return x;
    if (x > 172.0) return infinity();
    if (x == 0.0) return copysign(infinity(), x);
    if (abs(x) < 0x1p-60) return 1.0 / x;
    if (x > 0.0) return scale(gamma_positive(x));
    if (__builtin_trunc(x) == x || x == -infinity()) return nan_d();
    double a = -x, s = sinpi(a);
    if (a > 190.0) return copysign(0.0, -s);
    scaled g = gamma_positive(a); // gamma(-a) = -pi / (a sin(pi a) gamma(a))
    g.fraction = -0x1.921fb54442d18p+1 / (a * s * g.fraction);
    g.exponent = -g.exponent;
    return scale(g);
}

// log(gamma(1 + t)), |t| <= 1/4.
SILICA_FN double lgamma_near_one(double t)
{
    return t * poly(t, -0x1.2788cfc6fb619p-1, 0x1.a51a6625307d3p-1, -0x1.9a4d55beab175p-2, 0x1.151322ac7d6f8p-2, -0x1.a8b9c17aefacap-3, 0x1.5b40cb10522f9p-3, -0x1.2703a1adda367p-3, 0x1.010b3682c3149p-3, -0x1.c8068e840a88ep-4, 0x1.9a020023f013p-4, -0x1.7486d02d1b392p-4, 0x1.5565b6c36041fp-4, -0x1.3badd89da533cp-4, 0x1.25201052948dap-4, -0x1.085dfaad52f34p-4, 0x1.ef725a94797d5p-5, -0x1.37b77f38d4424p-4, 0x1.26d78daa5eb41p-4);
}
SILICA_SLOW double lgamma_positive(double x) // x > 0
{
    if (x >= 8.0) {
        double r = 1.0 / x;
        if (x > 0x1p56) return x < 0x1p1014 ? x * (log(x) - 1.0) : x * 0x1p-10 * (log(x) - 1.0) * 0x1p10;
        return (x - 0.5) * (log(x) - 1.0) + (0x1.acfe390c97d69p-2 + r * stirling(r * r)); // log(2 pi) / 2 - 1/2
    }
    double product = 1.0;
    while (x > 2.75) {
        x -= 1.0;
        product *= x;
    }
    double more = product == 1.0 ? 0.0 : log(product);
    if (x < 0.75) {
        more = -log(x);
        if (x < 0.25) return more + lgamma_near_one(x); // gamma(x) = gamma(1 + x) / x
        x += 1.0;
    }
    if (x < 1.25) return more + lgamma_near_one(x - 1.0);
    double t = x - 2.0;
    return more + t * poly(t, 0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa7p-2, -0x1.13e001a557608p-4, 0x1.51322ac7d7b1fp-6, -0x1.e404fc218e3ddp-8, 0x1.7add6eae8f1afp-9, -0x1.38ac5c2cc90ffp-10, 0x1.0b36af3e87cf8p-11, -0x1.d3fd4becd885ep-13, 0x1.a127cb4477c25p-14, -0x1.78de752c60458p-15, 0x1.580adde0b01d6p-16, -0x1.3cb9c1aa53537p-17, 0x1.25cd64522876cp-18, -0x1.11e6a3a07c2ddp-19, 0x1.fbcc3d880c8d9p-21, -0x1.dd931747c0a2fp-22, 0x1.ed8bedbbbb0cp-23, -0x1.d407bf0c0d347p-24, 0x1.cf7037e78eb8dp-26, -0x1.b5edb924491b2p-27, 0x1.972a1ae8d14e8p-26, -0x1.868ba5178ed51p-27);
}
SILICA_FN double lgamma(double x)
{
    double a = abs(x);
    if (!(a < infinity())) return x * x;
    if (a < 0x1p-60) return -log(a);
    if (x > 0.0) return lgamma_positive(x);
    if (__builtin_trunc(x) == x) return infinity();
    return log(0x1.921fb54442d18p+1 / abs(a * sinpi(a))) - lgamma_positive(a);
}

// ---- Bessel functions. Near 0 a series in x^2; up to 8 a polynomial of x minus a zero; from there modulus and phase:
// J = sqrt(2 / (pi x)) M cos(x + phase), Y = sqrt(2 / (pi x)) M sin(x + phase).

template <class... C> SILICA_FN double near_zero(double x, double zero, double zero_low, C... c)
{
    double d = x - zero;
    return (d - zero_low) * poly(d, c...);
}
// cos (q = 1) or sin (q = 0) of x + phase, for x >= 8 and |phase| < 4.
SILICA_FN double shifted_sine(double x, pair<double> phase, int q)
{
    reduced a = reduce(x);
    pair<double> r = a.r + phase;
    double j = nearest(r.hi * 0x1.45f306dc9c883p-1);
    r = r + pair<double>{-0x1.921fb54442d18p+0 * j, -0x1.1a62633145c07p-54 * j}; // |j| <= 3: close enough
    return sin_quadrant(r, a.q + (int)j + q);
}
SILICA_FN double bessel_scale(double x) { return root(0x1.45f306dc9c883p-1 / x); }
SILICA_FN double far0(double x, int q)
{
    double r = 1.0 / x, u = r * r;
    double m = poly(u, 1.0, -0x1.fffffffffcc6cp-5, 0x1.a7ffffe913b97p-4, -0x1.15efefb447413p-1, 0x1.764af458c452ep+2, -0x1.aad75029ec929p+6, 0x1.6c1929aadc2d6p+11, -0x1.9732bb64b4c6cp+16, 0x1.f4cf1b7491f0cp+21, -0x1.18b0d5c78b3b9p+27, 0x1.e50e58e7eae0ap+31, -0x1.0f21c6464535bp+36, 0x1.1df4289611082p+39);
    double p = r * poly(u, -0x1.ffffffffffffdp-4, 0x1.0aaaaaaa9c7a3p-4, -0x1.ad3332ce291e1p-3, 0x1.a3580120eda8p+0, -0x1.778c8089f322p+4, 0x1.0b0833a3bf473p+9, -0x1.0ee8ea90a93ep+14, 0x1.57e0118bb318cp+19, -0x1.caf993d8470e2p+24, 0x1.0e13e6324d1fp+30, -0x1.e04d9bc2e3961p+34, 0x1.113936a97190bp+39, -0x1.236d350a991c9p+42);
    return bessel_scale(x) * m * shifted_sine(x, pair<double>{-0x1.921fb54442d18p-1, -0x1.1a62633145c07p-55} + p, q); // -pi/4
}
SILICA_FN double far1(double x, int q)
{
    double r = 1.0 / x, u = r * r;
    double m = poly(u, 1.0, 0x1.7fffffffff188p-3, -0x1.8bfffff323cc9p-3, 0x1.9c4fedb87eb7p-1, -0x1.ef5485d281eedp+2, 0x1.0920c8647063cp+7, -0x1.b32adc4963387p+11, 0x1.db33a4af82806p+16, -0x1.2034bc0b73a75p+22, 0x1.409ad8a01eb6ep+27, -0x1.13d67a10024f5p+32, 0x1.3399f4fbbb646p+36, -0x1.43e98b909b501p+39);
    double p = r * poly(u, 0x1.7ffffffffffffp-2, -0x1.4ffffffff80b6p-3, 0x1.7bcccc94289c8p-2, -0x1.2f48455b29b24p+1, 0x1.e9ecb176bdf5fp+4, -0x1.48b5cef991532p+9, 0x1.41d8e35ecaff5p+14, -0x1.8fc97eaf7a091p+19, 0x1.078498889e071p+25, -0x1.3403e803ccedbp+30, 0x1.10d544dafaf1fp+35, -0x1.35b24012b511cp+39, 0x1.49da24ba6061p+42);
    return bessel_scale(x) * m * shifted_sine(x, pair<double>{-0x1.2d97c7f3321d2p+1, -0x1.a79394c9e8a0ap-54} + p, q); // -3 pi/4
}

SILICA_SLOW double j0(double x)
{
    double a = abs(x);
    if (a < 2.0) return poly(a * a, 1.0, -0x1.fffffffffffafp-3, 0x1.fffffffffde5p-7, -0x1.c71c71c66f69dp-12, 0x1.c71c718f70862p-18, -0x1.23455d78786abp-24, 0x1.02e6380371728p-31, -0x1.51a2305c04c87p-39, 0x1.3fdcfbf04a4fep-47);
    if (a < 4.0) return near_zero(a, 0x1.33d152e971b4p+1, -0x1.0f539d7da258ep-53, -0x1.09cdb3655128p-1, 0x1.ba1deea029495p-4, 0x1.cfae864368d7p-5, -0x1.1bb1cbe1a407p-7, -0x1.1f992590d12fap-9, 0x1.15382ba06ca23p-12, 0x1.6ed3b9f08c44cp-15, -0x1.232c77d28213ap-18, -0x1.1cce3038c235ep-21, 0x1.7ff993d6705fp-25, 0x1.2951ba0a6b5d7p-28, -0x1.5c2efcb1ccb1cp-32, -0x1.bd751791dbd38p-36, 0x1.c8e4a2228c389p-40, 0x1.0d88153096e88p-43, -0x1.404ac3c6e7dp-47);
    if (a < 7.0) return near_zero(a, 0x1.6148f5b2c2e45p+2, 0x1.75054cd60a517p-54, 0x1.5c6e60a097823p-2, -0x1.f8f72e7a848dep-6, -0x1.b2150cb41e8c1p-5, 0x1.2f7ffe90256b9p-8, 0x1.27e31fe9a9761p-9, -0x1.6f641f419560dp-13, -0x1.863f481a41472p-15, 0x1.ad77d74894efp-19, 0x1.32e6d99b6cb47p-21, -0x1.2da37e33761bdp-25, -0x1.41d72cefef58ap-28, 0x1.1d04318e4f34cp-32, 0x1.e2f2bcbafa403p-36, -0x1.8497b93616512p-40, -0x1.102c1c2c3efefp-43, 0x1.90b49f1007dfbp-48, 0x1.d153634af83e7p-52, -0x1.34f4a1ca641acp-56);
    if (a < 8.0) return near_zero(a, 0x1.14eb56cccdecap+3, -0x1.51970714c7c25p-52, -0x1.15f79779ba803p-2, 0x1.00f7fd85ac29p-6, 0x1.68b986912a369p-5, -0x1.48e5dcb16ab45p-9, -0x1.0e0c963519d76p-9, 0x1.d7be1c179a39ap-14, 0x1.785c62312849ap-15, -0x1.2e6414ecae048p-19, -0x1.258c303600bb3p-21, 0x1.33cdd67721b9ap-25, 0x1.f08ed34d79adfp-28, 0x1.c10575fcc4ec1p-33);
    if (!(a < infinity())) return x != x ? x : 0.0;
    return far0(a, 1);
}
SILICA_SLOW double j1(double x)
{
    double a = abs(x), y;
    if (a < 2.5) return x * poly(a * a, 0.5, -0x1.ffffffffffffep-5, 0x1.5555555555484p-9, -0x1.c71c71c715ba7p-15, 0x1.6c16c16a57518p-21, -0x1.845c898713fe5p-28, 0x1.27e4e316277e7p-35, -0x1.5224c2c09f107p-43, 0x1.2bd6a02f2c657p-51, -0x1.8e27e7f1fd162p-60);
    if (a < 5.4) y = near_zero(a, 0x1.ea75575af6f09p+1, -0x1.60155a9d1b256p-53, -0x1.9c6cf582cbf7fp-2, 0x1.ae8a39f51ad06p-5, 0x1.b589d1da13904p-5, -0x1.537544c331dabp-8, -0x1.24b3409959062p-9, 0x1.6e4c2d5354469p-13, 0x1.83a06e30c3d88p-15, -0x1.9799d4ca10d56p-19, -0x1.33825cd2b395dp-21, 0x1.1706924190fb4p-25, 0x1.4569b1feb04a9p-28, -0x1.03b9f055dfe1ep-32, -0x1.ec6200e33a762p-36, 0x1.5ecc50f663725p-40, 0x1.179508a90c94dp-43, -0x1.6902a01c253bp-48, -0x1.e489dfa7bfc4fp-52, 0x1.46c4c86ca2f1ap-56);
    else if (a < 8.0) y = near_zero(a, 0x1.c0ff5f3b4725p+2, -0x1.b226d9d243827p-54, 0x1.33518b3874e8ap-2, -0x1.5e70dc60362c2p-6, -0x1.80c83bdeee5bp-5, 0x1.9a4b292e3de56p-9, 0x1.13fbc7d698211p-9, -0x1.07358bbdc088dp-13, -0x1.796a751f89266p-15, 0x1.4255b0162eed5p-19, 0x1.3026e0cf418acp-21, -0x1.d48dce243be74p-26, -0x1.44639e839951ep-28, 0x1.c62d021003637p-33, 0x1.ecafef0139c0cp-36, -0x1.3bc13b1aab8bbp-40, -0x1.18aae10b03b71p-43, 0x1.4a634200e9877p-48, 0x1.1071ea090e1dap-51);
    else if (!(a < infinity())) return x != x ? x : copysign(0.0, x);
    else y = far1(a, 1);
    return (bits(x) >> 63) ? -y : y;
}
// log(x / zero), accurate where x is close to zero.
SILICA_FN double log_ratio(double x, double zero, double zero_low)
{
    double d = (x - zero) - zero_low;
    if (abs(d) < 0.25 * zero) return log1p(d / zero);
    return x < 0x1p-900 ? log(x * 0x1p200 / zero) - 0x1.1542457337d43p+7 : log(x / zero); // log(2^200)
}
SILICA_SLOW double y0(double x)
{
    if (x != x || x < 0.0) return nan_d();
    if (x == 0.0) return -infinity();
    if (x < 2.3) {
        const double zero = 0x1.c982eb8d417eap-1, zero_low = 0x1.ea9d270347f83p-56;
        double r = poly(x * x, 0x1.750811790a13cp-3, -0x1.12583f4a4abcfp-6, 0x1.268a9aaaeb0b2p-11, -0x1.4c030d99a79c1p-17, 0x1.cf0413d9ed1c6p-24, -0x1.b797034148b72p-31, 0x1.2eb3eaecececap-38, -0x1.3c5353b0cbb04p-46, 0x1.0316f31daf1a6p-54, -0x1.445cd8f69c985p-63);
        return fma(((x - zero) - zero_low) * (x + zero), r, 0x1.45f306dc9c883p-1 * log_ratio(x, zero, zero_low) * j0(x));
    }
    if (x < 5.5) return near_zero(x, 0x1.fa9534d98569cp+1, -0x1.f06ae7804384ep-54, -0x1.9c34256a12a0cp-2, 0x1.a09c9290367fp-5, 0x1.df6d59bf50ebcp-5, -0x1.c116fdc598079p-8, -0x1.1e32bc4ef899dp-9, 0x1.9982765162fcdp-13, 0x1.ab2c1fecc79e7p-15, -0x1.486371e43d39cp-18, -0x1.3b216811fe667p-22, -0x1.777060b04af24p-26, 0x1.452e9874db194p-26, -0x1.f692fcfbbe884p-29, 0x1.a5a38b181f1b6p-31, -0x1.995a7bbe9f97bp-33, 0x1.8891997c134e1p-35, -0x1.747ec125165b8p-37, 0x1.65a0b116c0f3dp-39, -0x1.5c72daf15f988p-41, 0x1.3bf40b26b8d91p-43, -0x1.09f4cb4b7356bp-45, 0x1.734a2f1650537p-47, -0x1.034aa7f9181a7p-48, 0x1.714c8cbc7ea5dp-54, 0x1.55bd0628b86d6p-53, 0x1.6b2e7aeac3c13p-54, -0x1.178bc84a42802p-55);
    if (x < 8.0) return near_zero(x, 0x1.c581dc4e72103p+2, -0x1.9774a495f56cfp-54, 0x1.334cca0697a5bp-2, -0x1.5aef611fc4d5ap-6, -0x1.8969c64cbf452p-5, 0x1.b2f14a95527cdp-9, 0x1.1d35e85fde2a5p-9, -0x1.26dd71e391c5dp-13, -0x1.8177e4fe525dbp-15, 0x1.6a9227352b47ap-19, 0x1.34aa757411c89p-21, -0x1.0a2814d438e1ap-25, -0x1.442a3d4f4ccefp-28, 0x1.fa6c4a35636c2p-33, 0x1.f14e693e70344p-36, -0x1.7148cdaaaa5dep-40, -0x1.06794b593219fp-43, 0x1.318d56db63637p-48, 0x1.345629d73a311p-51, -0x1.f4fcf8c71a985p-56, 0x1.2ac67e1f3094fp-58);
    return x == infinity() ? 0.0 : far0(x, 0);
}
SILICA_SLOW double y1(double x)
{
    if (x != x || x < 0.0) return nan_d();
    if (x == 0.0) return -infinity();
    if (x < 3.8) {
        const double zero = 0x1.193bed4dff243p+1, zero_low = -0x1.bd1e50d219bfdp-55;
        double r = poly(x * x, 0x1.0e14beba09e96p-3, 0x1.069922dcaf0ep-6, -0x1.7c2ca06d8e36p-10, 0x1.5ba2f20a55aa8p-15, -0x1.4f2940694ca5p-21, 0x1.96551dc3cc9ep-28, -0x1.549cf8958047cp-35, 0x1.a3ab32fc3ce4ep-43, -0x1.8cad9ceb1635fp-51, 0x1.2904c97ee06ffp-59, -0x1.692120ccf01cep-68, 0x1.690e562f8dba5p-77, -0x1.0e9242fa9897fp-86);
        if (x < 0x1p-60) return -0x1.45f306dc9c883p-1 / x;
        return ((x - zero) - zero_low) * (x + zero) * r / x + 0x1.45f306dc9c883p-1 * log_ratio(x, zero, zero_low) * j1(x);
    }
    if (x < 7.0) return near_zero(x, 0x1.5b7fe4e87b02ep+2, 0x1.dfe7bac228e8cp-52, -0x1.5c7c556f0c19ap-2, 0x1.00b9f8571ca19p-5, 0x1.a15d92dfe3e27p-5, -0x1.10a329e2c23f3p-8, -0x1.1be6db9923adbp-9, 0x1.337c7e138f0aap-13, 0x1.85b940eb61b3fp-15, -0x1.80619147706bbp-19, -0x1.255e6cf81df6fp-21, 0x1.b62ccfc48e0dfp-26, 0x1.80b1abda768e8p-28, -0x1.a7ede1b6c7577p-32, 0x1.405a5868d8511p-39, -0x1.3850729b2eb7dp-38, 0x1.4993d0314cbb4p-40, -0x1.bf516ae60644ep-43, 0x1.3edb3daebdcf6p-45, -0x1.e8f153fe62303p-48, 0x1.72a8d0f9e733dp-50, -0x1.b89cd2776bac9p-53, 0x1.1aeb3b6bb6432p-55, -0x1.e0d1782b7bf6ap-57, 0x1.9632ee84b3273p-59);
    if (x < 8.0) return near_zero(x, 0x1.13127ae6169b4p+3, 0x1.479cc068d9046p-52, 0x1.15f993fce865ep-2, -0x1.02b3933f08863p-6, -0x1.6395dfeb77263p-5, 0x1.3ced287fc3a39p-9, 0x1.07a6746866c43p-9, -0x1.b50e8541c855ep-14, -0x1.6f7e6eaea2983p-15, 0x1.17430ae72e4dcp-19, 0x1.2b715356f7bb5p-21, -0x1.ab3827cc9a56dp-26, -0x1.4bf173d3b51a4p-28, 0x1.67b5859e8e497p-33, 0x1.f6fc370d3ad3ep-36);
    return x == infinity() ? 0.0 : far1(x, 0);
}
// Forward recurrence from the first two; stable for Y, and for J up to the order x.
SILICA_FN double bessel_forward(int n, double x, double b0, double b1)
{
    double r = 2.0 / x;
    for (int k = 1; k < n && abs(b1) < infinity(); ++k) {
        double next = k * r * b1 - b0;
        b0 = b1;
        b1 = next;
    }
    return b1;
}
SILICA_FN double jn(int n, double x)
{
    if (n < 0 || x != x) return nan_d();
    if (n == 0) return j0(x);
    if (n == 1) return j1(x);
    double a = abs(x), y;
    if (a < 0x1p-540 || a == infinity()) y = 0.0; // J2 is below x^2 / 8
    else if (a > n) y = bessel_forward(n, a, j0(a), j1(a));
    else {
        // Backwards from far enough beyond n, scaled by 1 = J0 + 2 (J2 + J4 + ...) (Miller).
        int start = 2 * ((n + (int)root(60.0 * n) + 20) / 2);
        double r = 2.0 / a, above = 0.0, here = 0x1p-900, sum = 0.0;
        y = 0.0;
        for (int k = start; k > 0; --k) {
            double below = k * r * here - above;
            above = here;
            here = below;
            if (abs(here) > 0x1p300) {
                here *= 0x1p-600;
                above *= 0x1p-600;
                y *= 0x1p-600;
                sum *= 0x1p-600;
            }
            if (k - 1 == n) y = here;
            if ((k - 1) % 2 == 0 && k > 1) sum += here;
        }
        y = y / (here + 2.0 * sum);
    }
    return (bits(x) >> 63) && (n & 1) ? -y : y;
}
SILICA_FN double yn(int n, double x)
{
    if (n < 0 || x != x || x < 0.0) return nan_d();
    if (n == 0) return y0(x);
    if (n == 1) return y1(x);
    if (x == 0.0) return -infinity();
    return x == infinity() ? 0.0 : bessel_forward(n, x, y0(x), y1(x));
}

SILICA_FN double bessel_i_scale(double x, double p) // p exp(x) / sqrt(x)
{
    if (x > 720.0) return infinity();
    scaled e = split_exp(x, 0.0);
    e.fraction *= p / root(x);
    return scale(e);
}
SILICA_SLOW double cyl_bessel_i0(double x)
{
    double a = abs(x), r = 1.0 / a;
    if (x != x) return x;
    if (a < 8.0) return poly(a * a, 1.0, 0.25, 0x1p-6, 0x1.c71c71c71c71cp-12, 0x1.c71c71c71c71dp-18, 0x1.23456789abcd9p-24, 0x1.02e85c0898becp-31, 0x1.522a43f653ab2p-39, 0x1.522a43f66652fp-47, 0x1.0b313288aa584p-55, 0x1.56018877b43b7p-64, 0x1.69ca9b2be85d4p-73, 0x1.4197c09ab0918p-82, 0x1.e7234e30227f6p-92, 0x1.3e334c6a83723p-101, 0x1.69329ab81b047p-111, 0x1.7099a6665014cp-121, 0x1.1a2ca347d54c1p-131, 0x1.81195045582f4p-141);
    if (a < 40.0) return bessel_i_scale(a, poly(r - 0.0625, 0x1.9bd428ad249a5p-2, 0x1.b87969bb93be4p-5, 0x1.1daa72b5e6cb4p-5, 0x1.75e5ee6eecbfbp-5, 0x1.8e5139fe64017p-4, 0x1.3f49b38b4b30ep-2, 0x1.7d0fb13a7e19fp+0, 0x1.51c851f394be9p+3, 0x1.721883ce15eecp+6, 0x1.047d76ca37f36p+9, -0x1.cd3b1610f58cap+12, -0x1.d22697d56993p+17, -0x1.7b96b42ccd50cp+20, 0x1.1855001329812p+25, 0x1.0547cb542dddcp+29, -0x1.582a0451e921bp+32, -0x1.9052154dbaed3p+36, 0x1.06c71b1c878f2p+40, 0x1.79224ebaf3de9p+43, -0x1.5b93b96188fcep+47, -0x1.738ea7bbb131cp+48, 0x1.c6a2c29ca04b1p+53, -0x1.d754332a7387p+55));
    return bessel_i_scale(a, poly(r, 0x1.9884533d43651p-2, 0x1.9884533d4364ep-5, 0x1.cb94dda4ed0e2p-6, 0x1.debb118962d88p-6, 0x1.6e873abd13965p-5, 0x1.731baf67d97c6p-4, 0x1.d3d7c635da56ap-3, 0x1.5f58b25db198fp-1, 0x1.4768ae63a488ep+1, 0x1.868dc75fa5799p+2, 0x1.7d1e8610f8fefp+6));
}
SILICA_SLOW double cyl_bessel_i1(double x)
{
    double a = abs(x), r = 1.0 / a, y;
    if (x != x) return x;
    if (a < 8.0) return x * poly(a * a, 0.5, 0.0625, 0x1.5555555555555p-9, 0x1.c71c71c71c71dp-15, 0x1.6c16c16c16c12p-21, 0x1.845c8a0ce51aep-28, 0x1.27e4fb77896p-35, 0x1.522a43f663502p-43, 0x1.2c9758d9e75d3p-51, 0x1.ab81ea929f53p-60, 0x1.f176958771dcap-69, 0x1.e2639f21e548ep-78, 0x1.8bccbd18b3186p-87, 0x1.166c99e45cc07p-96, 0x1.52a178808478cp-106, 0x1.70913f872a3cbp-116, 0x1.2bdd01e7485efp-126, 0x1.b1484aa39d158p-136);
    if (a < 40.0) y = bessel_i_scale(a, poly(r - 0.0625, 0x1.8ebe783a8403p-2, -0x1.3f796198ee643p-3, -0x1.cbc54df1ed6d6p-5, -0x1.f89c230389513p-5, -0x1.ec8e0ff5e9019p-4, -0x1.76138ac736088p-2, -0x1.ad8df771e52eep+0, -0x1.72741e9d3295bp+3, -0x1.9173a074b0b1ep+6, -0x1.2277d3c487918p+9, 0x1.cc1d9950b2f38p+12, 0x1.e78f0cf2697efp+17, 0x1.a3c08a4e06bc3p+20, -0x1.1b55943385a71p+25, -0x1.1698e2112a37cp+29, 0x1.53a9547576895p+32, 0x1.aa307dbe31a57p+36, -0x1.059d5d7a543d9p+40, -0x1.9a413b007374fp+43, 0x1.64bab2be992e7p+47, 0x1.ca662760f9b44p+48, -0x1.e64a0f3035f11p+53, 0x1.f0b8f45f1e6c1p+55));
    else y = bessel_i_scale(a, poly(r, 0x1.9884533d43651p-2, -0x1.32633e6df28bcp-3, -0x1.7efc0e096fdaep-5, -0x1.4f1c8c46f215dp-5, -0x1.d74026b11a234p-5, -0x1.c593ac39a4533p-4, -0x1.1472cac6f816ap-2, -0x1.9580554350eeep-1, -0x1.724c55b29797fp+1, -0x1.bb07cc29f15b3p+2, -0x1.a23a953012cb9p+6));
    return copysign(y, x);
}

} // namespace silica

#ifndef SILICA_NO_FUSION
#pragma clang fp contract(fast)
#endif
#endif
