// Compares the math functions, compiled as plain C++, with their references. Prints a line for each function:
//   NAME POINTS LARGEST-ERROR-IN-ULP ARGUMENT... GOT WANT
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "silica/math/float_special.h"
#include "math_reference.h"

static uint64_t random_state = 1;
static uint64_t random_bits()
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

template <class T> struct format;
template <> struct format<float> {
    typedef int32_t bits;
    static constexpr int precision = 24, smallest = -149;
    static constexpr double overflow = 0x1.ffffffp127; // rounds to infinity
};
template <> struct format<double> {
    typedef int64_t bits;
    static constexpr int precision = 53, smallest = -1074;
};
// The numbers in order, as integers.
template <class T> typename format<T>::bits rank(T x)
{
    typename format<T>::bits b;
    memcpy(&b, &x, sizeof x);
    return b < 0 ? (typename format<T>::bits)((uint64_t)1 << (8 * sizeof b - 1)) - b : b;
}
template <class T> T unrank(typename format<T>::bits b)
{
    if (b < 0) b = (typename format<T>::bits)((uint64_t)1 << (8 * sizeof b - 1)) - b;
    T x;
    memcpy(&x, &b, sizeof x);
    return x;
}

struct interval { double low, high; };

// Argument number i of point k: special values first, then half of the points with random bits, half spread evenly.
template <class T> T number(const interval &in, int k, int points, int i)
{
    static const double specials[] = {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 1e300, -1e300, 1e-300, -1e-300, INFINITY, -INFINITY, NAN,
                                      0x1p-149, 0x1p-126, 0x1.fffffep127, 5e-324, 0x1p-1022, 3.0, -2.5, 0x1p-60, -0x1p-30, 1e20, -1e20, 1e5};
    const int count = sizeof specials / sizeof specials[0];
    int place = 1;
    for (int j = 0; j < i; ++j) place *= count;
    if (k / place < count || (k < count * count && i == 0)) return (T)specials[k / place % count];
    T low = (T)in.low, high = (T)in.high;
    if (k % 2) {
        T l = low < -1000 ? -1000 : low, h = high > 1000 ? 1000 : high;
        if (k % 8 == 1 && l < -8 && h > 8) l = -8, h = 8;
        return l + (h - l) * (T)(random_bits() >> 11) * (T)0x1p-53;
    }
    auto a = rank<T>(low), b = rank<T>(high);
    unsigned __int128 width = (unsigned __int128)((__int128)b - a) + 1;
    return unrank<T>((typename format<T>::bits)(a + (__int128)(width * random_bits() >> 64)));
}
template <class T> T draw(const interval *domain, int k, int points, int i)
{
    if constexpr (std::is_floating_point_v<T>) return number<T>(domain[i], k, points, i);
    else return (T)(domain[i].low + random_bits() % (uint64_t)(domain[i].high - domain[i].low + 1));
}

// The distance of got from want in units in the last place of want.
template <class T> double ulps(T got, quad want)
{
    if (isnanq(want) || got != got) return isnanq(want) && got != got ? 0 : INFINITY;
    typedef format<T> F;
    const quad top = F::precision == 24 ? (quad)0x1p127 * 2 : (quad)0x1p1023 * 2; // what infinity stands for
    quad g = std::isinf(got) ? (got > 0 ? top : -top) : (quad)got, w = want > top ? top : want < -top ? -top : want;
    quad a = w < 0 ? -w : w;
    int e = F::smallest + F::precision - 1;
    if (a >= 0x1p-1000Q) {
        double d = (double)(a > 0x1p1000Q ? a * 0x1p-500Q : a);
        int m = std::ilogb(d) + (a > 0x1p1000Q ? 500 : 0);
        if (m > e) e = m;
    } else
        while (e > F::smallest + F::precision - 1 && a < (quad)std::ldexp(1.0, e)) --e;
    if (F::precision == 53 && a > 0 && a < 0x1p-1000Q) {
        int m = std::ilogb((double)(a * 0x1p500Q)) - 500;
        e = m > -1022 ? m : -1022;
    }
    if (w == top || w == -top) e = F::precision == 24 ? 127 : 1023;
    quad d = g > w ? g - w : w - g;
    int shift = e - F::precision + 1;
    quad unit = shift < -1000 ? (quad)0x1p-1000 * (quad)std::ldexp(1.0, shift + 1000) : (quad)std::ldexp(1.0, shift);
    return (double)(d / unit);
}

static void show(double x) { printf(" %a", x); }
static void show(long x) { printf(" %ld", x); }
static void show(int x) { printf(" %d", x); }

template <class R, class... A, class... Q>
void check(const char *name, R (*f)(A...), quad (*reference)(Q...), const interval *domain, double absolute, int points)
{
    double worst = -1;
    random_state = 1;
    for (int k = 0; k < points; ++k) {
        int i = 0;
        [&](A... a) {
            R got = f(a...);
            quad want = reference((Q)a...);
            double e = ulps(got, want);
            quad d = (quad)got - want;
            if (e > 0 && !isnanq(d) && (d < 0 ? -d : d) <= (quad)absolute) e = 0;
            if (e > worst) {
                worst = e;
                printf("# %s %.3f", name, e);
                (show(a), ...);
                printf(" %a %a\n", (double)got, (double)want);
            }
        }(A{draw<A>(domain, k, points, i++)}...);
    }
    printf("%s %d %.3f\n", name, points, worst);
}

// For functions whose result is exact: the host's library has the same one.
static bool same(double a, double b) { return a == b || (a != a && b != b); }
template <class R, class... A>
void exact(const char *name, R (*f)(A...), R (*library)(A...), const interval *domain, int points)
{
    int wrong = 0;
    random_state = 1;
    for (int k = 0; k < points; ++k) {
        int i = 0;
        [&](A... a) {
            R got = f(a...), want = library(a...);
            if (!same((double)got, (double)want) && wrong++ < 3) {
                printf("# %s", name);
                (show(a), ...);
                printf(" %a %a\n", (double)got, (double)want);
            }
        }(A{draw<A>(domain, k, points, i++)}...);
    }
    printf("%s %d %d\n", name, points, wrong);
}
