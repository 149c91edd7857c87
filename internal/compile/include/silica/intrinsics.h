// Device intrinsics: synchronisation, warp operations, memory, integers, conversions, rounding and fast arithmetic.
#ifndef SILICA_INTRINSICS_H
#define SILICA_INTRINSICS_H

#include "../host_defines.h"
#include "../vector_types.h"

#define SILICA_DEVICE static __device__ __forceinline__
#define SILICA_FULL_MASK 0xffffffffu

// ---- Barriers and fences
// __syncthreads itself is built into the compiler.
SILICA_DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
SILICA_DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
SILICA_DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
SILICA_DEVICE void __syncwarp(unsigned int mask = SILICA_FULL_MASK) { __nvvm_bar_warp_sync(mask); }
SILICA_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
SILICA_DEVICE void __threadfence() { __nvvm_membar_gl(); }
SILICA_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }
SILICA_DEVICE void __barrier_sync(unsigned int id) { __nvvm_barrier_sync(id); }
SILICA_DEVICE void __barrier_sync_count(unsigned int id, unsigned int threads) { __nvvm_barrier_sync_cnt(id, threads); }

// ---- Votes, matches and reductions of a warp
SILICA_DEVICE int __all_sync(unsigned int mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
SILICA_DEVICE int __any_sync(unsigned int mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
SILICA_DEVICE int __uni_sync(unsigned int mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate); }
SILICA_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) { return __nvvm_vote_ballot_sync(mask, predicate); }
SILICA_DEVICE unsigned int __activemask()
{
    unsigned int mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}

#if SILICA_ARCH >= 700
#define SILICA_MATCH(T, bits, integer)                                                                              \
    SILICA_DEVICE unsigned int __match_any_sync(unsigned int mask, T value)                                         \
    { return __nvvm_match_any_sync_i##bits(mask, __builtin_bit_cast(integer, value)); }                            \
    SILICA_DEVICE unsigned int __match_all_sync(unsigned int mask, T value, int *predicate)                         \
    { return __nvvm_match_all_sync_i##bits##p(mask, __builtin_bit_cast(integer, value), predicate); }
SILICA_MATCH(int, 32, unsigned int)
SILICA_MATCH(unsigned int, 32, unsigned int)
SILICA_MATCH(float, 32, unsigned int)
SILICA_MATCH(long, 64, long long)
SILICA_MATCH(unsigned long, 64, long long)
SILICA_MATCH(long long, 64, long long)
SILICA_MATCH(unsigned long long, 64, long long)
SILICA_MATCH(double, 64, long long)
#undef SILICA_MATCH
#endif

#if SILICA_ARCH >= 800
SILICA_DEVICE int __reduce_add_sync(unsigned int mask, int value) { return __nvvm_redux_sync_add(value, mask); }
SILICA_DEVICE int __reduce_min_sync(unsigned int mask, int value) { return __nvvm_redux_sync_min(value, mask); }
SILICA_DEVICE int __reduce_max_sync(unsigned int mask, int value) { return __nvvm_redux_sync_max(value, mask); }
SILICA_DEVICE unsigned int __reduce_add_sync(unsigned int mask, unsigned int value) { return __nvvm_redux_sync_add(value, mask); }
SILICA_DEVICE unsigned int __reduce_min_sync(unsigned int mask, unsigned int value) { return __nvvm_redux_sync_umin(value, mask); }
SILICA_DEVICE unsigned int __reduce_max_sync(unsigned int mask, unsigned int value) { return __nvvm_redux_sync_umax(value, mask); }
SILICA_DEVICE unsigned int __reduce_and_sync(unsigned int mask, unsigned int value) { return __nvvm_redux_sync_and(value, mask); }
SILICA_DEVICE unsigned int __reduce_or_sync(unsigned int mask, unsigned int value) { return __nvvm_redux_sync_or(value, mask); }
SILICA_DEVICE unsigned int __reduce_xor_sync(unsigned int mask, unsigned int value) { return __nvvm_redux_sync_xor(value, mask); }
#endif

// ---- Shuffles. The last operand packs the segment width and the clamp.
#define SILICA_SHUFFLE32(name, mode, last, clamp, T)                                                                \
    SILICA_DEVICE T name(unsigned int mask, T value, last lane, int width = 32)                                     \
    { return __builtin_bit_cast(T, __nvvm_shfl_sync_##mode##_i32(mask, __builtin_bit_cast(int, value), (int)lane,   \
                                                                 ((32 - width) << 8) | clamp)); }
#define SILICA_SHUFFLE64(name, last, T)                                                                             \
    SILICA_DEVICE T name(unsigned int mask, T value, last lane, int width = 32)                                     \
    {                                                                                                               \
        unsigned long long bits = __builtin_bit_cast(unsigned long long, value);                                    \
        unsigned int low = name(mask, (unsigned int)bits, lane, width);                                             \
        unsigned int high = name(mask, (unsigned int)(bits >> 32), lane, width);                                    \
        return __builtin_bit_cast(T, (unsigned long long)high << 32 | low);                                         \
    }
#define SILICA_SHUFFLES(name, mode, last, clamp)                                                                    \
    SILICA_SHUFFLE32(name, mode, last, clamp, int)                                                                  \
    SILICA_SHUFFLE32(name, mode, last, clamp, unsigned int)                                                         \
    SILICA_SHUFFLE32(name, mode, last, clamp, float)                                                                \
    SILICA_SHUFFLE64(name, last, long)                                                                              \
    SILICA_SHUFFLE64(name, last, unsigned long)                                                                     \
    SILICA_SHUFFLE64(name, last, long long)                                                                         \
    SILICA_SHUFFLE64(name, last, unsigned long long)                                                                \
    SILICA_SHUFFLE64(name, last, double)
SILICA_SHUFFLES(__shfl_sync, idx, int, 31)
SILICA_SHUFFLES(__shfl_up_sync, up, unsigned int, 0)
SILICA_SHUFFLES(__shfl_down_sync, down, unsigned int, 31)
SILICA_SHUFFLES(__shfl_xor_sync, bfly, int, 31)
#undef SILICA_SHUFFLES
#undef SILICA_SHUFFLE64
#undef SILICA_SHUFFLE32

// ---- The same without masks, which compute capability 7.0 left behind: for the lanes that come together
#if defined(SILICA_BEFORE_VOLTA) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 700)
SILICA_DEVICE int __all(int predicate) { return __all_sync(__activemask(), predicate); }
SILICA_DEVICE int __any(int predicate) { return __any_sync(__activemask(), predicate); }
SILICA_DEVICE unsigned int __ballot(int predicate) { return __ballot_sync(__activemask(), predicate); }
#define SILICA_UNMASKED(name, last)                                                                                 \
    template <typename T> SILICA_DEVICE T name(T value, last lane, int width = 32)                                  \
    { return name##_sync(__activemask(), value, lane, width); }
SILICA_UNMASKED(__shfl, int)
SILICA_UNMASKED(__shfl_up, unsigned int)
SILICA_UNMASKED(__shfl_down, unsigned int)
SILICA_UNMASKED(__shfl_xor, int)
#undef SILICA_UNMASKED
#endif

// ---- Special registers, time, control
SILICA_DEVICE unsigned int __lanemask_eq() { return __nvvm_read_ptx_sreg_lanemask_eq(); }
SILICA_DEVICE unsigned int __lanemask_lt() { return __nvvm_read_ptx_sreg_lanemask_lt(); }
SILICA_DEVICE unsigned int __lanemask_le() { return __nvvm_read_ptx_sreg_lanemask_le(); }
SILICA_DEVICE unsigned int __lanemask_gt() { return __nvvm_read_ptx_sreg_lanemask_gt(); }
SILICA_DEVICE unsigned int __lanemask_ge() { return __nvvm_read_ptx_sreg_lanemask_ge(); }
SILICA_DEVICE unsigned int __laneid() { return __nvvm_read_ptx_sreg_laneid(); }
SILICA_DEVICE unsigned int __smid() { return __nvvm_read_ptx_sreg_smid(); }
SILICA_DEVICE unsigned int __nsmid() { return __nvvm_read_ptx_sreg_nsmid(); }
SILICA_DEVICE unsigned long long __globaltimer()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}
static __device__ __forceinline__ int clock() { return (int)__nvvm_read_ptx_sreg_clock(); }
static __device__ __forceinline__ long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
#if SILICA_ARCH >= 700
SILICA_DEVICE void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }
#endif
SILICA_DEVICE void __trap() { asm volatile("trap;"); }
SILICA_DEVICE void __brkpt() { asm volatile("brkpt;"); }
SILICA_DEVICE void __prof_trigger(int) { asm volatile("pmevent 0;"); }

// ---- Address spaces
SILICA_DEVICE size_t __cvta_generic_to_global(const void *p) { return (size_t)(const __attribute__((address_space(1))) void *)p; }
SILICA_DEVICE size_t __cvta_generic_to_shared(const void *p) { return (size_t)(const __attribute__((address_space(3))) void *)p; }
SILICA_DEVICE size_t __cvta_generic_to_constant(const void *p) { return (size_t)(const __attribute__((address_space(4))) void *)p; }
SILICA_DEVICE size_t __cvta_generic_to_local(const void *p) { return (size_t)(const __attribute__((address_space(5))) void *)p; }
SILICA_DEVICE void *__cvta_global_to_generic(size_t p) { return (void *)(__attribute__((address_space(1))) void *)p; }
SILICA_DEVICE void *__cvta_shared_to_generic(size_t p) { return (void *)(__attribute__((address_space(3))) void *)p; }
SILICA_DEVICE void *__cvta_constant_to_generic(size_t p) { return (void *)(__attribute__((address_space(4))) void *)p; }
SILICA_DEVICE void *__cvta_local_to_generic(size_t p) { return (void *)(__attribute__((address_space(5))) void *)p; }
SILICA_DEVICE unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
SILICA_DEVICE unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
#if __CUDA_ARCH__ >= 900
SILICA_DEVICE unsigned int __isClusterShared(const void *p)
{
    unsigned int r;
    asm("{\n\t.reg .pred %%p;\n\tisspacep.shared::cluster %%p, %1;\n\tselp.u32 %0, 1, 0, %%p;\n\t}" : "=r"(r) : "l"(p));
    return r;
}
#endif
SILICA_DEVICE unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
SILICA_DEVICE unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }

// ---- Integers
SILICA_DEVICE int __clz(int x) { return x ? __builtin_clz((unsigned int)x) : 32; }
SILICA_DEVICE int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
SILICA_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
SILICA_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
SILICA_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
SILICA_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
SILICA_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
SILICA_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
SILICA_DEVICE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) { return __nvvm_prmt(x, y, selector); }
SILICA_DEVICE int __mulhi(int x, int y) { return __nvvm_mulhi_i(x, y); }
SILICA_DEVICE unsigned int __umulhi(unsigned int x, unsigned int y) { return __nvvm_mulhi_ui(x, y); }
SILICA_DEVICE long long __mul64hi(long long x, long long y) { return __nvvm_mulhi_ll(x, y); }
SILICA_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) { return __nvvm_mulhi_ull(x, y); }
SILICA_DEVICE int __mul24(int x, int y) { return __nvvm_mul24_i(x, y); }
SILICA_DEVICE unsigned int __umul24(unsigned int x, unsigned int y) { return __nvvm_mul24_ui(x, y); }
SILICA_DEVICE unsigned int __sad(int x, int y, unsigned int z)
{
    unsigned int r;
    asm("sad.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    return r;
}
SILICA_DEVICE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z)
{
    unsigned int r;
    asm("sad.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    return r;
}
SILICA_DEVICE int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
SILICA_DEVICE int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
SILICA_DEVICE unsigned int __uhadd(unsigned int x, unsigned int y) { return (unsigned int)(((unsigned long long)x + y) >> 1); }
SILICA_DEVICE unsigned int __urhadd(unsigned int x, unsigned int y) { return (unsigned int)(((unsigned long long)x + y + 1) >> 1); }

#define SILICA_FUNNEL(name, op)                                                                                     \
    SILICA_DEVICE unsigned int name(unsigned int lo, unsigned int hi, unsigned int shift)                           \
    {                                                                                                               \
        unsigned int r;                                                                                             \
        asm(op " %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(shift));                                        \
        return r;                                                                                                   \
    }
SILICA_FUNNEL(__funnelshift_l, "shf.l.wrap.b32")
SILICA_FUNNEL(__funnelshift_lc, "shf.l.clamp.b32")
SILICA_FUNNEL(__funnelshift_r, "shf.r.wrap.b32")
SILICA_FUNNEL(__funnelshift_rc, "shf.r.clamp.b32")
#undef SILICA_FUNNEL

// dp4a and dp2a: R is the accumulator, A and B the packed operands.
#define SILICA_DOT(name, op, R, A, B)                                                                               \
    SILICA_DEVICE R name(A a, B b, R c)                                                                             \
    {                                                                                                               \
        R r;                                                                                                        \
        asm(op " %0, %1, %2, %3;" : "=r"(r) : "r"(__builtin_bit_cast(unsigned int, a)),                             \
            "r"(__builtin_bit_cast(unsigned int, b)), "r"(c));                                                      \
        return r;                                                                                                   \
    }
SILICA_DOT(__dp4a, "dp4a.s32.s32", int, int, int)
SILICA_DOT(__dp4a, "dp4a.s32.s32", int, char4, char4)
SILICA_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int, unsigned int)
SILICA_DOT(__dp4a, "dp4a.u32.u32", unsigned int, uchar4, uchar4)
#define SILICA_DOT2(name, half)                                                                                     \
    SILICA_DEVICE int name(int a, int b, int c)                                                                     \
    { int r; asm("dp2a." half ".s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }           \
    SILICA_DEVICE unsigned int name(unsigned int a, unsigned int b, unsigned int c)                                 \
    { unsigned int r; asm("dp2a." half ".u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }  \
    SILICA_DEVICE int name(short2 a, char4 b, int c)                                                                \
    { return name(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c); }                                     \
    SILICA_DEVICE unsigned int name(ushort2 a, uchar4 b, unsigned int c)                                            \
    { return name(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c); }
SILICA_DOT2(__dp2a_lo, "lo")
SILICA_DOT2(__dp2a_hi, "hi")
#undef SILICA_DOT2
#undef SILICA_DOT

SILICA_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset)
{
    unsigned int r;
    asm("fns.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(mask), "r"(base), "r"(offset));
    return r;
}

SILICA_DEVICE int mulhi(int x, int y) { return __mulhi(x, y); }
SILICA_DEVICE unsigned int mulhi(unsigned int x, unsigned int y) { return __umulhi(x, y); }
SILICA_DEVICE unsigned int umulhi(unsigned int x, unsigned int y) { return __umulhi(x, y); }
SILICA_DEVICE long long mul64hi(long long x, long long y) { return __mul64hi(x, y); }
SILICA_DEVICE unsigned long long umul64hi(unsigned long long x, unsigned long long y) { return __umul64hi(x, y); }
SILICA_DEVICE int mul24(int x, int y) { return __mul24(x, y); }
SILICA_DEVICE unsigned int umul24(unsigned int x, unsigned int y) { return __umul24(x, y); }

// ---- Bits of floating-point numbers
SILICA_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
SILICA_DEVICE unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
SILICA_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
SILICA_DEVICE float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
SILICA_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
SILICA_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
SILICA_DEVICE int __double2hiint(double x) { return __nvvm_d2i_hi(x); }
SILICA_DEVICE int __double2loint(double x) { return __nvvm_d2i_lo(x); }
SILICA_DEVICE double __hiloint2double(int hi, int lo) { return __nvvm_lohi_i2d(lo, hi); }

// ---- Conversions and arithmetic with a rounding mode. rm and rp are the instruction set's names of rd and ru.
#define SILICA_ROUNDINGS(X) X(rn, rn) X(rz, rz) X(rd, rm) X(ru, rp)

// As instructions, since the compiler's own conversions leave out-of-range values undefined. c and d are the constraints of
// the argument and the result.
#define SILICA_CONVERT(name, R, d, A, c, op)                                                                        \
    SILICA_DEVICE R name(A x) { R r; asm(op " %0, %1;" : "=" d(r) : c(x)); return r; }
#define SILICA_CONVERSIONS(mode, ptx)                                                                               \
    SILICA_CONVERT(__float2int_##mode, int, "r", float, "f", "cvt." #ptx "i.s32.f32")                               \
    SILICA_CONVERT(__float2uint_##mode, unsigned int, "r", float, "f", "cvt." #ptx "i.u32.f32")                     \
    SILICA_CONVERT(__float2ll_##mode, long long, "l", float, "f", "cvt." #ptx "i.s64.f32")                          \
    SILICA_CONVERT(__float2ull_##mode, unsigned long long, "l", float, "f", "cvt." #ptx "i.u64.f32")                \
    SILICA_CONVERT(__double2int_##mode, int, "r", double, "d", "cvt." #ptx "i.s32.f64")                             \
    SILICA_CONVERT(__double2uint_##mode, unsigned int, "r", double, "d", "cvt." #ptx "i.u32.f64")                   \
    SILICA_CONVERT(__double2ll_##mode, long long, "l", double, "d", "cvt." #ptx "i.s64.f64")                        \
    SILICA_CONVERT(__double2ull_##mode, unsigned long long, "l", double, "d", "cvt." #ptx "i.u64.f64")              \
    SILICA_CONVERT(__double2float_##mode, float, "f", double, "d", "cvt." #ptx ".f32.f64")                          \
    SILICA_CONVERT(__int2float_##mode, float, "f", int, "r", "cvt." #ptx ".f32.s32")                                \
    SILICA_CONVERT(__uint2float_##mode, float, "f", unsigned int, "r", "cvt." #ptx ".f32.u32")                      \
    SILICA_CONVERT(__ll2float_##mode, float, "f", long long, "l", "cvt." #ptx ".f32.s64")                           \
    SILICA_CONVERT(__ull2float_##mode, float, "f", unsigned long long, "l", "cvt." #ptx ".f32.u64")                 \
    SILICA_CONVERT(__ll2double_##mode, double, "d", long long, "l", "cvt." #ptx ".f64.s64")                         \
    SILICA_CONVERT(__ull2double_##mode, double, "d", unsigned long long, "l", "cvt." #ptx ".f64.u64")
SILICA_ROUNDINGS(SILICA_CONVERSIONS)
#undef SILICA_CONVERSIONS
#undef SILICA_CONVERT
SILICA_DEVICE double __int2double_rn(int x) { return x; }
SILICA_DEVICE double __uint2double_rn(unsigned int x) { return x; }

#define SILICA_ARITHMETIC(mode, ptx)                                                                                \
    SILICA_DEVICE float __fadd_##mode(float x, float y) { return __nvvm_add_##ptx##_f(x, y); }                      \
    SILICA_DEVICE float __fsub_##mode(float x, float y) { return __nvvm_add_##ptx##_f(x, -y); }                     \
    SILICA_DEVICE float __fmul_##mode(float x, float y) { return __nvvm_mul_##ptx##_f(x, y); }                      \
    SILICA_DEVICE float __fmaf_##mode(float x, float y, float z) { return __nvvm_fma_##ptx##_f(x, y, z); }          \
    SILICA_DEVICE float __fdiv_##mode(float x, float y) { return __nvvm_div_##ptx##_f(x, y); }                      \
    SILICA_DEVICE float __frcp_##mode(float x) { return __nvvm_rcp_##ptx##_f(x); }                                  \
    SILICA_DEVICE float __fsqrt_##mode(float x) { return __nvvm_sqrt_##ptx##_f(x); }                                \
    SILICA_DEVICE float __fmaf_ieee_##mode(float x, float y, float z) { return __nvvm_fma_##ptx##_f(x, y, z); }     \
    SILICA_DEVICE double __dadd_##mode(double x, double y) { return __nvvm_add_##ptx##_d(x, y); }                   \
    SILICA_DEVICE double __dsub_##mode(double x, double y) { return __nvvm_add_##ptx##_d(x, -y); }                  \
    SILICA_DEVICE double __dmul_##mode(double x, double y) { return __nvvm_mul_##ptx##_d(x, y); }                   \
    SILICA_DEVICE double __fma_##mode(double x, double y, double z) { return __nvvm_fma_##ptx##_d(x, y, z); }       \
    SILICA_DEVICE double __ddiv_##mode(double x, double y) { return __nvvm_div_##ptx##_d(x, y); }                   \
    SILICA_DEVICE double __drcp_##mode(double x) { return __nvvm_rcp_##ptx##_d(x); }                                \
    SILICA_DEVICE double __dsqrt_##mode(double x) { return __nvvm_sqrt_##ptx##_d(x); }
SILICA_ROUNDINGS(SILICA_ARITHMETIC)
#undef SILICA_ARITHMETIC
#undef SILICA_ROUNDINGS

// ---- Fast approximations: the chip's function unit
#ifdef __USE_FAST_MATH__
#define SILICA_APPROX(name) __nvvm_##name##_approx_ftz_f
#else
#define SILICA_APPROX(name) __nvvm_##name##_approx_f
#endif
SILICA_DEVICE float __fdividef(float x, float y) { return SILICA_APPROX(div)(x, y); }
SILICA_DEVICE double fdivide(double x, double y) { return x / y; }
SILICA_DEVICE float fdividef(float x, float y) { return x / y; }
SILICA_DEVICE float __exp2f(float x) { return SILICA_APPROX(ex2)(x); }
SILICA_DEVICE float __expf(float x) { return SILICA_APPROX(ex2)(x * 1.4426950408889634f); }
SILICA_DEVICE float __exp10f(float x) { return SILICA_APPROX(ex2)(x * 3.3219280948873623f); }
SILICA_DEVICE float __log2f(float x) { return SILICA_APPROX(lg2)(x); }
SILICA_DEVICE float __logf(float x) { return SILICA_APPROX(lg2)(x) * 0.6931471805599453f; }
SILICA_DEVICE float __log10f(float x) { return SILICA_APPROX(lg2)(x) * 0.30102999566398120f; }
SILICA_DEVICE float __powf(float x, float y) { return SILICA_APPROX(ex2)(y * SILICA_APPROX(lg2)(x)); }
SILICA_DEVICE float __sinf(float x) { return SILICA_APPROX(sin)(x); }
SILICA_DEVICE float __cosf(float x) { return SILICA_APPROX(cos)(x); }
SILICA_DEVICE void __sincosf(float x, float *s, float *c) { *s = __sinf(x); *c = __cosf(x); }
SILICA_DEVICE float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
namespace silica {
SILICA_DEVICE float fast_sqrt(float x) { return SILICA_APPROX(sqrt)(x); }
} // namespace silica
#undef SILICA_APPROX
SILICA_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }
SILICA_DEVICE double __rcp64h(double x) { return __nvvm_rcp_approx_ftz_d(x); }
#if SILICA_ARCH >= 750
SILICA_DEVICE float __tanhf(float x)
{
    float r;
    asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
#endif
// The float nearest to 1 / sqrt(x): a double guess, then the exact sign of guess^2 * x - 1 at the neighbouring midpoint.
SILICA_DEVICE float __frsqrt_rn(float x)
{
    float y = (float)(1.0 / __nvvm_sqrt_rn_d((double)x));
    if (!(y > 0.0f) || y == __builtin_inff()) return y;
    double below = 0.5 * ((double)y + (double)__uint_as_float(__float_as_uint(y) - 1));
    double above = 0.5 * ((double)y + (double)__uint_as_float(__float_as_uint(y) + 1));
    if (__nvvm_fma_rn_d(below * below, (double)x, -1.0) > 0.0) return __uint_as_float(__float_as_uint(y) - 1);
    if (__nvvm_fma_rn_d(above * above, (double)x, -1.0) < 0.0) return __uint_as_float(__float_as_uint(y) + 1);
    return y;
}

#endif
