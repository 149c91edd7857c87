// SIMD-in-a-word functions: __vadd4 and its kind work on the four bytes or two halves of a 32-bit word. Also the fused
// minimum and maximum functions (DPX). In software, element by element; the compiler unrolls the loops.
#ifndef SILICA_SIMD_VIDEO_H
#define SILICA_SIMD_VIDEO_H

#include "intrinsics.h"

namespace silica {

// Applies f to the elements of a and b, bits wide, as signed or unsigned numbers, and packs the low bits of the results.
template <int bits, bool is_signed, class F> SILICA_DEVICE unsigned int each(unsigned int a, unsigned int b, F f)
{
    unsigned int r = 0, mask = (1u << bits) - 1;
#pragma unroll
    for (int i = 0; i < 32; i += bits) {
        int x = is_signed ? (int)(a << (32 - bits - i)) >> (32 - bits) : (int)(a >> i & mask);
        int y = is_signed ? (int)(b << (32 - bits - i)) >> (32 - bits) : (int)(b >> i & mask);
        r |= ((unsigned int)f(x, y) & mask) << i;
    }
    return r;
}
template <int bits, bool is_signed, class F> SILICA_DEVICE unsigned int total(unsigned int a, unsigned int b, F f)
{
    unsigned int r = 0, mask = (1u << bits) - 1;
#pragma unroll
    for (int i = 0; i < 32; i += bits) {
        int x = is_signed ? (int)(a << (32 - bits - i)) >> (32 - bits) : (int)(a >> i & mask);
        int y = is_signed ? (int)(b << (32 - bits - i)) >> (32 - bits) : (int)(b >> i & mask);
        r += (unsigned int)f(x, y);
    }
    return r;
}
template <int bits> SILICA_DEVICE int clamp_signed(int x)
{
    const int top = (1 << (bits - 1)) - 1;
    return x > top ? top : x < -top - 1 ? -top - 1 : x;
}
template <int bits> SILICA_DEVICE int clamp_unsigned(int x)
{
    const int top = (1 << bits) - 1;
    return x > top ? top : x < 0 ? 0 : x;
}

} // namespace silica

// bits of an element, suffix of the function: 8 and 4, 16 and 2.
#define SILICA_SIMD1(name, n, bits, s, expression)                                                                       \
    SILICA_DEVICE unsigned int __v##name##n(unsigned int a)                                                              \
    { return silica::each<bits, s>(a, 0u, [](int x, int) { return expression; }); }
#define SILICA_SIMD2(name, n, bits, s, expression)                                                                       \
    SILICA_DEVICE unsigned int __v##name##n(unsigned int a, unsigned int b)                                              \
    { return silica::each<bits, s>(a, b, [](int x, int y) { return expression; }); }
#define SILICA_SIMD_SUM(name, n, bits, s, expression)                                                                    \
    SILICA_DEVICE unsigned int __v##name##n(unsigned int a, unsigned int b)                                              \
    { return silica::total<bits, s>(a, b, [](int x, int y) { return expression; }); }
// A comparison gives all ones (cmp) or one (set) in each element.
#define SILICA_SIMD_COMPARE(name, n, bits, s, op)                                                                        \
    SILICA_SIMD2(cmp##name, n, bits, s, x op y ? -1 : 0) SILICA_SIMD2(set##name, n, bits, s, x op y ? 1 : 0)
#define SILICA_SIMD(n, bits)                                                                                             \
    SILICA_SIMD1(abs, n, bits, true, x < 0 ? -x : x)                                                                     \
    SILICA_SIMD1(absss, n, bits, true, silica::clamp_signed<bits>(x < 0 ? -x : x))                                       \
    SILICA_SIMD1(neg, n, bits, true, -x)                                                                                 \
    SILICA_SIMD1(negss, n, bits, true, silica::clamp_signed<bits>(-x))                                                   \
    SILICA_SIMD2(add, n, bits, false, x + y)                                                                             \
    SILICA_SIMD2(addss, n, bits, true, silica::clamp_signed<bits>(x + y))                                                \
    SILICA_SIMD2(addus, n, bits, false, silica::clamp_unsigned<bits>(x + y))                                             \
    SILICA_SIMD2(sub, n, bits, false, x - y)                                                                             \
    SILICA_SIMD2(subss, n, bits, true, silica::clamp_signed<bits>(x - y))                                                \
    SILICA_SIMD2(subus, n, bits, false, silica::clamp_unsigned<bits>(x - y))                                             \
    SILICA_SIMD2(avgs, n, bits, true, (x + y + (x + y >= 0)) >> 1)                                                       \
    SILICA_SIMD2(avgu, n, bits, false, (x + y + 1) >> 1)                                                                 \
    SILICA_SIMD2(haddu, n, bits, false, (x + y) >> 1)                                                                    \
    SILICA_SIMD2(absdiffs, n, bits, true, x > y ? x - y : y - x)                                                         \
    SILICA_SIMD2(absdiffu, n, bits, false, x > y ? x - y : y - x)                                                        \
    SILICA_SIMD2(maxs, n, bits, true, x > y ? x : y)                                                                     \
    SILICA_SIMD2(maxu, n, bits, false, x > y ? x : y)                                                                    \
    SILICA_SIMD2(mins, n, bits, true, x < y ? x : y)                                                                     \
    SILICA_SIMD2(minu, n, bits, false, x < y ? x : y)                                                                    \
    SILICA_SIMD_SUM(sads, n, bits, true, x > y ? x - y : y - x)                                                          \
    SILICA_SIMD_SUM(sadu, n, bits, false, x > y ? x - y : y - x)                                                         \
    SILICA_SIMD_COMPARE(eq, n, bits, false, ==)                                                                          \
    SILICA_SIMD_COMPARE(ne, n, bits, false, !=)                                                                          \
    SILICA_SIMD_COMPARE(gts, n, bits, true, >)                                                                           \
    SILICA_SIMD_COMPARE(ges, n, bits, true, >=)                                                                          \
    SILICA_SIMD_COMPARE(lts, n, bits, true, <)                                                                           \
    SILICA_SIMD_COMPARE(les, n, bits, true, <=)                                                                          \
    SILICA_SIMD_COMPARE(gtu, n, bits, false, >)                                                                          \
    SILICA_SIMD_COMPARE(geu, n, bits, false, >=)                                                                         \
    SILICA_SIMD_COMPARE(ltu, n, bits, false, <)                                                                          \
    SILICA_SIMD_COMPARE(leu, n, bits, false, <=)
SILICA_SIMD(4, 8)
SILICA_SIMD(2, 16)
#undef SILICA_SIMD
#undef SILICA_SIMD_COMPARE
#undef SILICA_SIMD_SUM
#undef SILICA_SIMD1
#undef SILICA_SIMD2

// ---- Minimum and maximum of three, of a sum and a number, and clamped at zero (relu)
namespace silica {
template <class T> SILICA_DEVICE T larger(T a, T b) { return a > b ? a : b; }
template <class T> SILICA_DEVICE T smaller(T a, T b) { return a < b ? a : b; }
} // namespace silica
#define SILICA_DPX(T, t)                                                                                                  \
    SILICA_DEVICE T __vimax3_##t(T a, T b, T c) { return silica::larger(silica::larger(a, b), c); }                       \
    SILICA_DEVICE T __vimin3_##t(T a, T b, T c) { return silica::smaller(silica::smaller(a, b), c); }                     \
    SILICA_DEVICE T __viaddmax_##t(T a, T b, T c) { return silica::larger((T)((unsigned int)a + (unsigned int)b), c); }   \
    SILICA_DEVICE T __viaddmin_##t(T a, T b, T c) { return silica::smaller((T)((unsigned int)a + (unsigned int)b), c); }  \
    SILICA_DEVICE T __vibmax_##t(T a, T b, bool *p) { *p = a >= b; return silica::larger(a, b); }                         \
    SILICA_DEVICE T __vibmin_##t(T a, T b, bool *p) { *p = a <= b; return silica::smaller(a, b); }
SILICA_DPX(int, s32)
SILICA_DPX(unsigned int, u32)
#undef SILICA_DPX
SILICA_DEVICE int __vimax_s32_relu(int a, int b) { return silica::larger(silica::larger(a, b), 0); }
SILICA_DEVICE int __vimin_s32_relu(int a, int b) { return silica::larger(silica::smaller(a, b), 0); }
SILICA_DEVICE int __vimax3_s32_relu(int a, int b, int c) { return silica::larger(__vimax3_s32(a, b, c), 0); }
SILICA_DEVICE int __vimin3_s32_relu(int a, int b, int c) { return silica::larger(__vimin3_s32(a, b, c), 0); }
SILICA_DEVICE int __viaddmax_s32_relu(int a, int b, int c) { return silica::larger(__viaddmax_s32(a, b, c), 0); }
SILICA_DEVICE int __viaddmin_s32_relu(int a, int b, int c) { return silica::larger(__viaddmin_s32(a, b, c), 0); }
#define SILICA_DPX16(t, max, min)                                                                                         \
    SILICA_DEVICE unsigned int __vimax3_##t(unsigned int a, unsigned int b, unsigned int c) { return max(max(a, b), c); } \
    SILICA_DEVICE unsigned int __vimin3_##t(unsigned int a, unsigned int b, unsigned int c) { return min(min(a, b), c); } \
    SILICA_DEVICE unsigned int __viaddmax_##t(unsigned int a, unsigned int b, unsigned int c) { return max(__vadd2(a, b), c); } \
    SILICA_DEVICE unsigned int __viaddmin_##t(unsigned int a, unsigned int b, unsigned int c) { return min(__vadd2(a, b), c); }
SILICA_DPX16(s16x2, __vmaxs2, __vmins2)
SILICA_DPX16(u16x2, __vmaxu2, __vminu2)
#undef SILICA_DPX16
#define SILICA_DPX16_RELU(name, parameters, call) SILICA_DEVICE unsigned int name##_s16x2_relu parameters { return __vmaxs2(call, 0u); }
SILICA_DPX16_RELU(__vimax, (unsigned int a, unsigned int b), __vmaxs2(a, b))
SILICA_DPX16_RELU(__vimin, (unsigned int a, unsigned int b), __vmins2(a, b))
SILICA_DPX16_RELU(__vimax3, (unsigned int a, unsigned int b, unsigned int c), __vimax3_s16x2(a, b, c))
SILICA_DPX16_RELU(__vimin3, (unsigned int a, unsigned int b, unsigned int c), __vimin3_s16x2(a, b, c))
SILICA_DPX16_RELU(__viaddmax, (unsigned int a, unsigned int b, unsigned int c), __viaddmax_s16x2(a, b, c))
SILICA_DPX16_RELU(__viaddmin, (unsigned int a, unsigned int b, unsigned int c), __viaddmin_s16x2(a, b, c))
#undef SILICA_DPX16_RELU

#endif
