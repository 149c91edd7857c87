// The arithmetic of a 16-bit floating-point type. cuda_fp16.h and cuda_bf16.h include this file, each after defining
//   SILICA_H, SILICA_H2  the scalar and the pair type
//   SILICA_T             the type in instructions, "f16" or "bf16"
//   SILICA_NATIVE        is the arithmetic in the instruction set of this architecture?
//   SILICA_COMPARE       are comparisons?
// Scalars hold their bits in x; pairs are two scalars x (low) and y. Without native arithmetic, and on the host, the
// functions compute in float and round once, which for add, subtract, multiply, divide and square root is exact.

#define SILICA_HD static __host__ __device__ __forceinline__
#define SILICA_BITS(a) silica::bits16(a)
#define SILICA_PAIR_BITS(a) __builtin_bit_cast(unsigned int, a)

namespace silica {
SILICA_HD unsigned short bits16(SILICA_H a) { return __builtin_bit_cast(unsigned short, a); }
} // namespace silica

#if SILICA_NATIVE
#define SILICA_UNARY(name, op, expression)                                                                          \
    SILICA_HD SILICA_H name(SILICA_H a)                                                                             \
    { unsigned short r; asm(op SILICA_T " %0, %1;" : "=h"(r) : "h"(SILICA_BITS(a))); return __builtin_bit_cast(SILICA_H, r); }
#define SILICA_UNARY2(name, scalar, op)                                                                             \
    SILICA_HD SILICA_H2 name(SILICA_H2 a)                                                                           \
    { unsigned int r; asm(op SILICA_T "x2 %0, %1;" : "=r"(r) : "r"(SILICA_PAIR_BITS(a))); return __builtin_bit_cast(SILICA_H2, r); }
#define SILICA_BINARY(name, op, expression)                                                                         \
    SILICA_HD SILICA_H name(SILICA_H a, SILICA_H b)                                                                 \
    {                                                                                                               \
        unsigned short r;                                                                                           \
        asm(op SILICA_T " %0, %1, %2;" : "=h"(r) : "h"(SILICA_BITS(a)), "h"(SILICA_BITS(b)));                       \
        return __builtin_bit_cast(SILICA_H, r);                                                                     \
    }
#define SILICA_BINARY2(name, scalar, op)                                                                            \
    SILICA_HD SILICA_H2 name(SILICA_H2 a, SILICA_H2 b)                                                              \
    {                                                                                                               \
        unsigned int r;                                                                                             \
        asm(op SILICA_T "x2 %0, %1, %2;" : "=r"(r) : "r"(SILICA_PAIR_BITS(a)), "r"(SILICA_PAIR_BITS(b)));           \
        return __builtin_bit_cast(SILICA_H2, r);                                                                    \
    }
#define SILICA_TERNARY(name, op, expression)                                                                        \
    SILICA_HD SILICA_H name(SILICA_H a, SILICA_H b, SILICA_H c)                                                     \
    {                                                                                                               \
        unsigned short r;                                                                                           \
        asm(op SILICA_T " %0, %1, %2, %3;" : "=h"(r) : "h"(SILICA_BITS(a)), "h"(SILICA_BITS(b)), "h"(SILICA_BITS(c))); \
        return __builtin_bit_cast(SILICA_H, r);                                                                     \
    }
#define SILICA_TERNARY2(name, scalar, op)                                                                           \
    SILICA_HD SILICA_H2 name(SILICA_H2 a, SILICA_H2 b, SILICA_H2 c)                                                 \
    {                                                                                                               \
        unsigned int r;                                                                                             \
        asm(op SILICA_T "x2 %0, %1, %2, %3;" : "=r"(r) : "r"(SILICA_PAIR_BITS(a)), "r"(SILICA_PAIR_BITS(b)), "r"(SILICA_PAIR_BITS(c))); \
        return __builtin_bit_cast(SILICA_H2, r);                                                                    \
    }
#else
#define SILICA_UNARY(name, op, expression) SILICA_HD SILICA_H name(SILICA_H a) { float x = (float)a; return SILICA_H(expression); }
#define SILICA_UNARY2(name, scalar, op) SILICA_HD SILICA_H2 name(SILICA_H2 a) { return SILICA_H2{scalar(a.x), scalar(a.y)}; }
#define SILICA_BINARY(name, op, expression)                                                                         \
    SILICA_HD SILICA_H name(SILICA_H a, SILICA_H b) { float x = (float)a, y = (float)b; return SILICA_H(expression); }
#define SILICA_BINARY2(name, scalar, op) SILICA_HD SILICA_H2 name(SILICA_H2 a, SILICA_H2 b) { return SILICA_H2{scalar(a.x, b.x), scalar(a.y, b.y)}; }
#define SILICA_TERNARY(name, op, expression)                                                                        \
    SILICA_HD SILICA_H name(SILICA_H a, SILICA_H b, SILICA_H c) { float x = (float)a, y = (float)b, z = (float)c; return SILICA_H(expression); }
#define SILICA_TERNARY2(name, scalar, op)                                                                           \
    SILICA_HD SILICA_H2 name(SILICA_H2 a, SILICA_H2 b, SILICA_H2 c) { return SILICA_H2{scalar(a.x, b.x, c.x), scalar(a.y, b.y, c.y)}; }
#endif

// ---- Arithmetic
SILICA_UNARY(__hneg, "neg.", -x)
SILICA_UNARY(__habs, "abs.", __builtin_fabsf(x))
SILICA_BINARY(__hadd, SILICA_ADD, x + y)
SILICA_BINARY(__hsub, SILICA_SUB, x - y)
SILICA_BINARY(__hmul, SILICA_MUL, x * y)
SILICA_BINARY(__hadd_rn, SILICA_ADD, x + y)
SILICA_BINARY(__hsub_rn, SILICA_SUB, x - y)
SILICA_BINARY(__hmul_rn, SILICA_MUL, x * y)
SILICA_TERNARY(__hfma, "fma.rn.", __builtin_fmaf(x, y, z))
SILICA_TERNARY(__hfma_relu, "fma.rn.relu.", __builtin_fmaxf(__builtin_fmaf(x, y, z), 0.0f))
SILICA_UNARY2(__hneg2, __hneg, "neg.")
SILICA_UNARY2(__habs2, __habs, "abs.")
SILICA_BINARY2(__hadd2, __hadd, SILICA_ADD)
SILICA_BINARY2(__hsub2, __hsub, SILICA_SUB)
SILICA_BINARY2(__hmul2, __hmul, SILICA_MUL)
SILICA_BINARY2(__hadd2_rn, __hadd_rn, SILICA_ADD)
SILICA_BINARY2(__hsub2_rn, __hsub_rn, SILICA_SUB)
SILICA_BINARY2(__hmul2_rn, __hmul_rn, SILICA_MUL)
SILICA_TERNARY2(__hfma2, __hfma, "fma.rn.")
SILICA_TERNARY2(__hfma2_relu, __hfma_relu, "fma.rn.relu.")
SILICA_HD SILICA_H __hdiv(SILICA_H a, SILICA_H b) { return SILICA_H((float)a / (float)b); }
SILICA_HD SILICA_H2 __h2div(SILICA_H2 a, SILICA_H2 b) { return SILICA_H2{__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }

// Saturating forms clamp to [0, 1]; NaN becomes 0.
namespace silica {
SILICA_HD SILICA_H saturate(SILICA_H a) { return SILICA_H(__builtin_fminf(__builtin_fmaxf((float)a, 0.0f), 1.0f)); }
SILICA_HD SILICA_H2 saturate(SILICA_H2 a) { return SILICA_H2{saturate(a.x), saturate(a.y)}; }
} // namespace silica
SILICA_HD SILICA_H __hadd_sat(SILICA_H a, SILICA_H b) { return silica::saturate(__hadd(a, b)); }
SILICA_HD SILICA_H __hsub_sat(SILICA_H a, SILICA_H b) { return silica::saturate(__hsub(a, b)); }
SILICA_HD SILICA_H __hmul_sat(SILICA_H a, SILICA_H b) { return silica::saturate(__hmul(a, b)); }
SILICA_HD SILICA_H __hfma_sat(SILICA_H a, SILICA_H b, SILICA_H c) { return silica::saturate(__hfma(a, b, c)); }
SILICA_HD SILICA_H2 __hadd2_sat(SILICA_H2 a, SILICA_H2 b) { return silica::saturate(__hadd2(a, b)); }
SILICA_HD SILICA_H2 __hsub2_sat(SILICA_H2 a, SILICA_H2 b) { return silica::saturate(__hsub2(a, b)); }
SILICA_HD SILICA_H2 __hmul2_sat(SILICA_H2 a, SILICA_H2 b) { return silica::saturate(__hmul2(a, b)); }
SILICA_HD SILICA_H2 __hfma2_sat(SILICA_H2 a, SILICA_H2 b, SILICA_H2 c) { return silica::saturate(__hfma2(a, b, c)); }

// ---- Comparison. Unordered forms (u) are true for NaN.
#if SILICA_COMPARE
#define SILICA_VALUE(a) __builtin_bit_cast(SILICA_STORAGE, a)
#else
#define SILICA_VALUE(a) ((float)a)
#endif
#define SILICA_COMPARISON(name, test)                                                                               \
    SILICA_HD bool __h##name(SILICA_H a, SILICA_H b) { auto x = SILICA_VALUE(a), y = SILICA_VALUE(b); return test; }  \
    SILICA_HD SILICA_H2 __h##name##2(SILICA_H2 a, SILICA_H2 b)                                                      \
    { return SILICA_H2{SILICA_H(__h##name(a.x, b.x) ? 1.0f : 0.0f), SILICA_H(__h##name(a.y, b.y) ? 1.0f : 0.0f)}; } \
    SILICA_HD unsigned int __h##name##2_mask(SILICA_H2 a, SILICA_H2 b)                                              \
    { return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u); }                     \
    SILICA_HD bool __hb##name##2(SILICA_H2 a, SILICA_H2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
SILICA_COMPARISON(eq, x == y)
SILICA_COMPARISON(ne, x < y || x > y)
SILICA_COMPARISON(lt, x < y)
SILICA_COMPARISON(le, x <= y)
SILICA_COMPARISON(gt, x > y)
SILICA_COMPARISON(ge, x >= y)
SILICA_COMPARISON(equ, !(x < y || x > y))
SILICA_COMPARISON(neu, !(x == y))
SILICA_COMPARISON(ltu, !(x >= y))
SILICA_COMPARISON(leu, !(x > y))
SILICA_COMPARISON(gtu, !(x <= y))
SILICA_COMPARISON(geu, !(x < y))
#undef SILICA_COMPARISON
#undef SILICA_VALUE
SILICA_HD bool __hisnan(SILICA_H a) { float x = (float)a; return x != x; }
SILICA_HD int __hisinf(SILICA_H a) { float x = (float)a; return x == __builtin_inff() ? 1 : x == -__builtin_inff() ? -1 : 0; }
SILICA_HD SILICA_H2 __hisnan2(SILICA_H2 a) { return SILICA_H2{SILICA_H(__hisnan(a.x) ? 1.0f : 0.0f), SILICA_H(__hisnan(a.y) ? 1.0f : 0.0f)}; }
#if !SILICA_NATIVE || __CUDA_ARCH__ < 800
#pragma push_macro("SILICA_BINARY")
#pragma push_macro("SILICA_BINARY2")
#undef SILICA_BINARY
#undef SILICA_BINARY2
#define SILICA_BINARY(name, op, expression)                                                                         \
    SILICA_HD SILICA_H name(SILICA_H a, SILICA_H b) { float x = (float)a, y = (float)b; return SILICA_H(expression); }
#define SILICA_BINARY2(name, scalar, op) SILICA_HD SILICA_H2 name(SILICA_H2 a, SILICA_H2 b) { return SILICA_H2{scalar(a.x, b.x), scalar(a.y, b.y)}; }
#endif
SILICA_BINARY(__hmin, "min.", __builtin_fminf(x, y))
SILICA_BINARY(__hmax, "max.", __builtin_fmaxf(x, y))
SILICA_BINARY(__hmin_nan, "min.NaN.", x != x ? x : y != y ? y : __builtin_fminf(x, y))
SILICA_BINARY(__hmax_nan, "max.NaN.", x != x ? x : y != y ? y : __builtin_fmaxf(x, y))
SILICA_BINARY2(__hmin2, __hmin, "min.")
SILICA_BINARY2(__hmax2, __hmax, "max.")
SILICA_BINARY2(__hmin2_nan, __hmin_nan, "min.NaN.")
SILICA_BINARY2(__hmax2_nan, __hmax_nan, "max.NaN.")
#if !SILICA_NATIVE || __CUDA_ARCH__ < 800
#pragma pop_macro("SILICA_BINARY")
#pragma pop_macro("SILICA_BINARY2")
#endif

// ---- Math functions: computed in float, rounded once.
#ifdef __CUDA__
#define SILICA_MATH(name, expression)                                                                               \
    static __device__ __forceinline__ SILICA_H h##name(SILICA_H a) { float x = (float)a; return SILICA_H(expression); } \
    static __device__ __forceinline__ SILICA_H2 h2##name(SILICA_H2 a) { return SILICA_H2{h##name(a.x), h##name(a.y)}; }
SILICA_MATH(sqrt, ::sqrtf(x))
SILICA_MATH(rsqrt, ::rsqrtf(x))
SILICA_MATH(rcp, 1.0f / x)
SILICA_MATH(exp, ::expf(x))
SILICA_MATH(exp2, ::exp2f(x))
SILICA_MATH(exp10, ::exp10f(x))
SILICA_MATH(log, ::logf(x))
SILICA_MATH(log2, ::log2f(x))
SILICA_MATH(log10, ::log10f(x))
SILICA_MATH(sin, ::sinf(x))
SILICA_MATH(cos, ::cosf(x))
SILICA_MATH(tanh, ::tanhf(x))
SILICA_MATH(tanh_approx, ::tanhf(x))
SILICA_MATH(floor, ::floorf(x))
SILICA_MATH(ceil, ::ceilf(x))
SILICA_MATH(trunc, ::truncf(x))
SILICA_MATH(rint, ::rintf(x))
#undef SILICA_MATH
#endif

// ---- Operators
#define SILICA_OPERATOR(op, scalar, pair)                                                                           \
    SILICA_HD SILICA_H operator op(const SILICA_H &a, const SILICA_H &b) { return scalar(a, b); }                   \
    SILICA_HD SILICA_H &operator op##=(SILICA_H &a, const SILICA_H &b) { return a = scalar(a, b); }                 \
    SILICA_HD SILICA_H2 operator op(const SILICA_H2 &a, const SILICA_H2 &b) { return pair(a, b); }                  \
    SILICA_HD SILICA_H2 &operator op##=(SILICA_H2 &a, const SILICA_H2 &b) { return a = pair(a, b); }
SILICA_OPERATOR(+, __hadd, __hadd2)
SILICA_OPERATOR(-, __hsub, __hsub2)
SILICA_OPERATOR(*, __hmul, __hmul2)
SILICA_OPERATOR(/, __hdiv, __h2div)
#undef SILICA_OPERATOR
#define SILICA_OPERATOR(op, scalar, pair)                                                                           \
    SILICA_HD bool operator op(const SILICA_H &a, const SILICA_H &b) { return scalar(a, b); }                       \
    SILICA_HD bool operator op(const SILICA_H2 &a, const SILICA_H2 &b) { return pair(a, b); }
SILICA_OPERATOR(==, __heq, __hbeq2)
SILICA_OPERATOR(!=, __hneu, __hbneu2)
SILICA_OPERATOR(<, __hlt, __hblt2)
SILICA_OPERATOR(<=, __hle, __hble2)
SILICA_OPERATOR(>, __hgt, __hbgt2)
SILICA_OPERATOR(>=, __hge, __hbge2)
#undef SILICA_OPERATOR
SILICA_HD SILICA_H operator+(const SILICA_H &a) { return a; }
SILICA_HD SILICA_H operator-(const SILICA_H &a) { return __hneg(a); }
SILICA_HD SILICA_H &operator++(SILICA_H &a) { return a = __hadd(a, SILICA_H(1.0f)); }
SILICA_HD SILICA_H &operator--(SILICA_H &a) { return a = __hsub(a, SILICA_H(1.0f)); }
SILICA_HD SILICA_H operator++(SILICA_H &a, int) { SILICA_H old = a; ++a; return old; }
SILICA_HD SILICA_H operator--(SILICA_H &a, int) { SILICA_H old = a; --a; return old; }
SILICA_HD SILICA_H2 operator+(const SILICA_H2 &a) { return a; }
SILICA_HD SILICA_H2 operator-(const SILICA_H2 &a) { return __hneg2(a); }

// ---- Warp shuffles, cached loads, atomics
#define SILICA_SHUFFLE(name, last)                                                                                  \
    static __device__ __forceinline__ SILICA_H name(unsigned int mask, SILICA_H v, last lane, int width = 32)       \
    { return __builtin_bit_cast(SILICA_H, (unsigned short)name(mask, (unsigned int)SILICA_BITS(v), lane, width)); } \
    static __device__ __forceinline__ SILICA_H2 name(unsigned int mask, SILICA_H2 v, last lane, int width = 32)     \
    { return __builtin_bit_cast(SILICA_H2, name(mask, SILICA_PAIR_BITS(v), lane, width)); }
#define SILICA_LOAD(name)                                                                                           \
    static __device__ __forceinline__ SILICA_H name(const SILICA_H *p)                                              \
    { return __builtin_bit_cast(SILICA_H, name((const unsigned short *)p)); }                                       \
    static __device__ __forceinline__ SILICA_H2 name(const SILICA_H2 *p)                                            \
    { return __builtin_bit_cast(SILICA_H2, name((const unsigned int *)p)); }
#define SILICA_STORE(name)                                                                                          \
    static __device__ __forceinline__ void name(SILICA_H *p, SILICA_H v) { name((unsigned short *)p, SILICA_BITS(v)); } \
    static __device__ __forceinline__ void name(SILICA_H2 *p, SILICA_H2 v) { name((unsigned int *)p, SILICA_PAIR_BITS(v)); }
#ifdef __CUDA__
SILICA_SHUFFLE(__shfl_sync, int)
SILICA_SHUFFLE(__shfl_up_sync, unsigned int)
SILICA_SHUFFLE(__shfl_down_sync, unsigned int)
SILICA_SHUFFLE(__shfl_xor_sync, int)
SILICA_LOAD(__ldg)
SILICA_LOAD(__ldca)
SILICA_LOAD(__ldcg)
SILICA_LOAD(__ldcs)
SILICA_LOAD(__ldlu)
SILICA_LOAD(__ldcv)
SILICA_STORE(__stwb)
SILICA_STORE(__stcg)
SILICA_STORE(__stcs)
SILICA_STORE(__stwt)
#if SILICA_ARCH >= SILICA_ATOMIC_SINCE
static __device__ __forceinline__ SILICA_H atomicAdd(SILICA_H *p, SILICA_H v)
{
    unsigned short r;
    asm volatile("atom.add.noftz." SILICA_T " %0, [%1], %2;" : "=h"(r) : "l"(p), "h"(SILICA_BITS(v)) : "memory");
    return __builtin_bit_cast(SILICA_H, r);
}
static __device__ __forceinline__ SILICA_H2 atomicAdd(SILICA_H2 *p, SILICA_H2 v)
{
    unsigned int r;
    asm volatile("atom.add.noftz." SILICA_T "x2 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(SILICA_PAIR_BITS(v)) : "memory");
    return __builtin_bit_cast(SILICA_H2, r);
}
#endif
#endif

#undef SILICA_SHUFFLE
#undef SILICA_LOAD
#undef SILICA_STORE
#undef SILICA_UNARY
#undef SILICA_UNARY2
#undef SILICA_BINARY
#undef SILICA_BINARY2
#undef SILICA_TERNARY
#undef SILICA_TERNARY2
#undef SILICA_PAIR_BITS
#undef SILICA_BITS
#undef SILICA_HD
#undef SILICA_H
#undef SILICA_H2
#undef SILICA_T
#undef SILICA_NATIVE
#undef SILICA_COMPARE
#undef SILICA_STORAGE
#undef SILICA_ATOMIC_SINCE
#undef SILICA_ADD
#undef SILICA_SUB
#undef SILICA_MUL
