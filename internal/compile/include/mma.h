// The warp matrix API: nvcuda::wmma fragments over the compiler's matrix builtins.
#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#ifdef __CUDA__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace nvcuda {
namespace wmma {

struct row_major { static constexpr int index = 0; };
struct col_major { static constexpr int index = 1; };
enum layout_t { mem_row_major, mem_col_major };
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision {
struct tf32;
} // namespace precision

// Elements of less than a byte, of which a register holds several.
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

// Storage is what a program sees in x[]; a lane's part of the matrix is words 32-bit registers (or doubles).
template <class T, int n, class E = T, int packed = 1> struct fragment_base {
    enum { num_elements = n * packed, num_storage_elements = n };
    typedef E element_type;
    typedef T storage_element_type;
    T x[n];
};
template <class Use, int m, int n, int k, class T, class Layout = void> struct fragment;

template <class F, class T> SILICA_DEVICE void fill_fragment(F &f, T value)
{
#pragma unroll
    for (int i = 0; i < F::num_storage_elements; ++i) f.x[i] = value;
}

#define SILICA_FRAGMENT(use, m, n, k, T, S, count) \
    template <class L> struct fragment<use, m, n, k, T, L> : fragment_base<S, count> {};
#define SILICA_ACCUMULATOR(m, n, k, T, count) \
    template <> struct fragment<accumulator, m, n, k, T, void> : fragment_base<T, count> {};
#define SILICA_LOAD(use, m, n, k, T, M, R, builtin)                                                                  \
    template <class L> SILICA_DEVICE void load_matrix_sync(fragment<use, m, n, k, T, L> &f, const M *p, unsigned int ldm) \
    { builtin((R *)f.x, (const R *)p, ldm, L::index); }
#define SILICA_ACCUMULATOR_MEMORY(m, n, k, T, R, load, store)                                                        \
    SILICA_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p, unsigned int ldm, layout_t layout) \
    { if (layout == mem_row_major) load((R *)f.x, (const R *)p, ldm, 0); else load((R *)f.x, (const R *)p, ldm, 1); } \
    SILICA_DEVICE void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f, unsigned int ldm, layout_t layout) \
    { if (layout == mem_row_major) store((R *)p, (const R *)f.x, ldm, 0); else store((R *)p, (const R *)f.x, ldm, 1); }
// The builtins take the layouts of a and b as one constant, 2 a + b, and .satfinite.
#define SILICA_MULTIPLY(m, n, k, T, D, C, R, RD, RC, builtin)                                                        \
    template <class LA, class LB>                                                                                    \
    SILICA_DEVICE void mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, T, LA> &a,   \
                                const fragment<matrix_b, m, n, k, T, LB> &b, const fragment<accumulator, m, n, k, C> &c) \
    { builtin((RD *)d.x, (const R *)a.x, (const R *)b.x, (const RC *)c.x, 2 * LA::index + LB::index, 0); }

#define SILICA_MULTIPLY_SATURATING(m, n, k, T, D, C, R, RD, RC, builtin)                                             \
    template <class LA, class LB>                                                                                    \
    SILICA_DEVICE void mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, T, LA> &a,   \
                                const fragment<matrix_b, m, n, k, T, LB> &b, const fragment<accumulator, m, n, k, C> &c, \
                                bool satf = false)                                                                   \
    {                                                                                                                \
        if (satf) builtin((RD *)d.x, (const R *)a.x, (const R *)b.x, (const RC *)c.x, 2 * LA::index + LB::index, 1); \
        else builtin((RD *)d.x, (const R *)a.x, (const R *)b.x, (const RC *)c.x, 2 * LA::index + LB::index, 0);      \
    }

// ---- Half, sm_70
#if SILICA_ARCH >= 700
#define SILICA_HALF_SHAPE(m, n, k, shape)                                                                            \
    SILICA_FRAGMENT(matrix_a, m, n, k, __half, __half, 16)                                                           \
    SILICA_FRAGMENT(matrix_b, m, n, k, __half, __half, 16)                                                           \
    SILICA_ACCUMULATOR(m, n, k, __half, 8)                                                                           \
    SILICA_ACCUMULATOR(m, n, k, float, 8)                                                                            \
    SILICA_LOAD(matrix_a, m, n, k, __half, __half, int, __hmma_##shape##_ld_a)                                       \
    SILICA_LOAD(matrix_b, m, n, k, __half, __half, int, __hmma_##shape##_ld_b)                                       \
    SILICA_ACCUMULATOR_MEMORY(m, n, k, __half, int, __hmma_##shape##_ld_c_f16, __hmma_##shape##_st_c_f16)            \
    SILICA_ACCUMULATOR_MEMORY(m, n, k, float, float, __hmma_##shape##_ld_c_f32, __hmma_##shape##_st_c_f32)           \
    SILICA_MULTIPLY_SATURATING(m, n, k, __half, __half, __half, int, int, int, __hmma_##shape##_mma_f16f16)                     \
    SILICA_MULTIPLY_SATURATING(m, n, k, __half, float, __half, int, float, int, __hmma_##shape##_mma_f32f16)                    \
    SILICA_MULTIPLY_SATURATING(m, n, k, __half, __half, float, int, int, float, __hmma_##shape##_mma_f16f32)                    \
    SILICA_MULTIPLY_SATURATING(m, n, k, __half, float, float, int, float, float, __hmma_##shape##_mma_f32f32)
SILICA_HALF_SHAPE(16, 16, 16, m16n16k16)
SILICA_HALF_SHAPE(32, 8, 16, m32n8k16)
SILICA_HALF_SHAPE(8, 32, 16, m8n32k16)
#undef SILICA_HALF_SHAPE
#endif

// ---- Bytes, sm_72
#if SILICA_ARCH >= 720
#define SILICA_BYTE(m, n, k, shape, T, t, ca, cb)                                                                    \
    SILICA_FRAGMENT(matrix_a, m, n, k, T, T, ca)                                                                     \
    SILICA_FRAGMENT(matrix_b, m, n, k, T, T, cb)                                                                     \
    SILICA_LOAD(matrix_a, m, n, k, T, T, int, __imma_##shape##_ld_a_##t)                                             \
    SILICA_LOAD(matrix_b, m, n, k, T, T, int, __imma_##shape##_ld_b_##t)                                             \
    SILICA_MULTIPLY_SATURATING(m, n, k, T, int, int, int, int, int, __imma_##shape##_mma_##t)
#define SILICA_BYTE_SHAPE(m, n, k, shape, ca, cb)                                                                    \
    SILICA_ACCUMULATOR(m, n, k, int, 8)                                                                              \
    SILICA_ACCUMULATOR_MEMORY(m, n, k, int, int, __imma_##shape##_ld_c, __imma_##shape##_st_c_i32)                   \
    SILICA_BYTE(m, n, k, shape, signed char, s8, ca, cb)                                                             \
    SILICA_BYTE(m, n, k, shape, unsigned char, u8, ca, cb)
SILICA_BYTE_SHAPE(16, 16, 16, m16n16k16, 8, 8)
SILICA_BYTE_SHAPE(32, 8, 16, m32n8k16, 16, 4)
SILICA_BYTE_SHAPE(8, 32, 16, m8n32k16, 4, 16)
#undef SILICA_BYTE_SHAPE
#undef SILICA_BYTE
#endif

// ---- Four bits and one, sm_75: a is by rows and b by columns
#if SILICA_ARCH >= 750
#define SILICA_PACKED(k, E, T, builtin, t)                                                                           \
    template <> struct fragment<matrix_a, 8, 8, k, experimental::precision::E, row_major>                            \
        : fragment_base<T, 1, experimental::precision::E, k / 4> {};                                                 \
    template <> struct fragment<matrix_b, 8, 8, k, experimental::precision::E, col_major>                            \
        : fragment_base<T, 1, experimental::precision::E, k / 4> {};                                                 \
    SILICA_DEVICE void load_matrix_sync(fragment<matrix_a, 8, 8, k, experimental::precision::E, row_major> &f,       \
                                        const void *p, unsigned int ldm)                                             \
    { builtin##_ld_a_##t((int *)f.x, (const int *)p, ldm, 0); }                                                      \
    SILICA_DEVICE void load_matrix_sync(fragment<matrix_b, 8, 8, k, experimental::precision::E, col_major> &f,       \
                                        const void *p, unsigned int ldm)                                             \
    { builtin##_ld_b_##t((int *)f.x, (const int *)p, ldm, 1); }
SILICA_ACCUMULATOR(8, 8, 32, int, 2)
SILICA_ACCUMULATOR_MEMORY(8, 8, 32, int, int, __imma_m8n8k32_ld_c, __imma_m8n8k32_st_c_i32)
SILICA_PACKED(32, s4, int, __imma_m8n8k32, s4)
SILICA_PACKED(32, u4, unsigned int, __imma_m8n8k32, u4)
SILICA_ACCUMULATOR(8, 8, 128, int, 2)
SILICA_ACCUMULATOR_MEMORY(8, 8, 128, int, int, __bmma_m8n8k128_ld_c, __bmma_m8n8k128_st_c_i32)
SILICA_PACKED(128, b1, unsigned int, __bmma_m8n8k128, b1)
#undef SILICA_PACKED
#define SILICA_PACKED_MULTIPLY(E)                                                                                    \
    SILICA_DEVICE void mma_sync(fragment<accumulator, 8, 8, 32, int> &d,                                             \
                                const fragment<matrix_a, 8, 8, 32, experimental::precision::E, row_major> &a,        \
                                const fragment<matrix_b, 8, 8, 32, experimental::precision::E, col_major> &b,        \
                                const fragment<accumulator, 8, 8, 32, int> &c, bool satf = false)                    \
    {                                                                                                                \
        if (satf) __imma_m8n8k32_mma_##E(d.x, (const int *)a.x, (const int *)b.x, c.x, 1, 1);                        \
        else __imma_m8n8k32_mma_##E(d.x, (const int *)a.x, (const int *)b.x, c.x, 1, 0);                             \
    }
SILICA_PACKED_MULTIPLY(s4)
SILICA_PACKED_MULTIPLY(u4)
#undef SILICA_PACKED_MULTIPLY
SILICA_DEVICE void bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
                             const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
                             const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
                             const fragment<accumulator, 8, 8, 128, int> &c,
                             experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                             experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
#if SILICA_ARCH >= 800
    if (op == experimental::bmmaBitOpAND) {
        __bmma_m8n8k128_mma_and_popc_b1(d.x, (const int *)a.x, (const int *)b.x, c.x, 1);
        return;
    }
#endif
    __bmma_m8n8k128_mma_xor_popc_b1(d.x, (const int *)a.x, (const int *)b.x, c.x, 1);
}
#endif

// ---- Bfloat16, tf32 and double, sm_80
#if SILICA_ARCH >= 800
#define SILICA_BF16_SHAPE(m, n, k, shape, ca, cb)                                                                    \
    SILICA_FRAGMENT(matrix_a, m, n, k, __nv_bfloat16, __nv_bfloat16, ca)                                             \
    SILICA_FRAGMENT(matrix_b, m, n, k, __nv_bfloat16, __nv_bfloat16, cb)                                             \
    SILICA_LOAD(matrix_a, m, n, k, __nv_bfloat16, __nv_bfloat16, int, __mma_bf16_##shape##_ld_a)                     \
    SILICA_LOAD(matrix_b, m, n, k, __nv_bfloat16, __nv_bfloat16, int, __mma_bf16_##shape##_ld_b)                     \
    SILICA_MULTIPLY(m, n, k, __nv_bfloat16, float, float, int, float, float, __mma_bf16_##shape##_mma_f32)
SILICA_BF16_SHAPE(16, 16, 16, m16n16k16, 8, 8)
SILICA_BF16_SHAPE(32, 8, 16, m32n8k16, 16, 4)
SILICA_BF16_SHAPE(8, 32, 16, m8n32k16, 4, 16)
#undef SILICA_BF16_SHAPE

SILICA_FRAGMENT(matrix_a, 16, 16, 8, precision::tf32, float, 4)
SILICA_FRAGMENT(matrix_b, 16, 16, 8, precision::tf32, float, 4)
SILICA_ACCUMULATOR(16, 16, 8, float, 8)
SILICA_LOAD(matrix_a, 16, 16, 8, precision::tf32, float, int, __mma_tf32_m16n16k8_ld_a)
SILICA_LOAD(matrix_b, 16, 16, 8, precision::tf32, float, int, __mma_tf32_m16n16k8_ld_b)
SILICA_ACCUMULATOR_MEMORY(16, 16, 8, float, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
SILICA_MULTIPLY(16, 16, 8, precision::tf32, float, float, int, float, float, __mma_tf32_m16n16k8_mma_f32)
SILICA_DEVICE float __float_to_tf32(float f)
{
    unsigned int r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(f));
    return __builtin_bit_cast(float, r);
}

SILICA_FRAGMENT(matrix_a, 8, 8, 4, double, double, 1)
SILICA_FRAGMENT(matrix_b, 8, 8, 4, double, double, 1)
SILICA_ACCUMULATOR(8, 8, 4, double, 2)
SILICA_LOAD(matrix_a, 8, 8, 4, double, double, double, __dmma_m8n8k4_ld_a)
SILICA_LOAD(matrix_b, 8, 8, 4, double, double, double, __dmma_m8n8k4_ld_b)
SILICA_ACCUMULATOR_MEMORY(8, 8, 4, double, double, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
SILICA_MULTIPLY(8, 8, 4, double, double, double, double, double, double, __dmma_m8n8k4_mma_f64)
#endif

#undef SILICA_FRAGMENT
#undef SILICA_ACCUMULATOR
#undef SILICA_LOAD
#undef SILICA_ACCUMULATOR_MEMORY
#undef SILICA_MULTIPLY
#undef SILICA_MULTIPLY_SATURATING

} // namespace wmma
} // namespace nvcuda

#pragma clang attribute pop
#endif
#endif
