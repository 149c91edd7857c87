// One kernel a line. The comment before a line says what its PTX has to contain, pieces separated by " & ".
#include <cassert>
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
#include <mma.h>
namespace cg = cooperative_groups;
using namespace nvcuda;
struct Base { __device__ virtual int f() { return 1; } };
__constant__ float table[16];
__device__ int counter;

// bar.sync 0
__global__ void syncthreads(int *p) { p[threadIdx.x] = 1; __syncthreads(); p[threadIdx.x ^ 1] = 2; }
// bar.red.popc.u32
__global__ void syncthreads_count(int *p) { p[threadIdx.x] = __syncthreads_count(p[threadIdx.x] > 0); }
// bar.red.and.pred
__global__ void syncthreads_and(int *p) { p[threadIdx.x] = __syncthreads_and(p[threadIdx.x]); }
// bar.red.or.pred
__global__ void syncthreads_or(int *p) { p[threadIdx.x] = __syncthreads_or(p[threadIdx.x]); }
// bar.warp.sync
__global__ void syncwarp(int *p) { p[threadIdx.x] = 1; __syncwarp(); p[threadIdx.x ^ 1] = 2; }
// membar.cta & membar.gl & membar.sys
__global__ void fences(volatile int *p) { p[0] = 1; __threadfence_block(); p[1] = 2; __threadfence(); p[2] = 3; __threadfence_system(); p[3] = 4; }
// vote.sync.ballot.b32
__global__ void ballot(unsigned *p) { p[threadIdx.x] = __ballot_sync(~0u, p[threadIdx.x]); }
// vote.sync.all.pred & vote.sync.any.pred
__global__ void votes(int *p) { p[threadIdx.x] = __all_sync(~0u, p[threadIdx.x]) + 2 * __any_sync(~0u, p[threadIdx.x] > 3); }
// activemask.b32
__global__ void activemask(unsigned *p) { p[threadIdx.x] = __activemask(); }
// match.any.sync.b32
__global__ void match_any(int *p) { p[threadIdx.x] = __match_any_sync(~0u, p[threadIdx.x]); }
// match.any.sync.b64
__global__ void match_any_double(unsigned *p, double *q) { p[threadIdx.x] = __match_any_sync(~0u, q[threadIdx.x]); }
// match.all.sync.b32
__global__ void match_all(unsigned *p) { int all; p[threadIdx.x] = __match_all_sync(~0u, p[threadIdx.x], &all) + all; }
// redux.sync.add & redux.sync.min.s32 & redux.sync.max.u32 & redux.sync.xor.b32
__global__ void redux(int *p) { int v = p[threadIdx.x]; p[threadIdx.x] = __reduce_add_sync(~0u, v) + __reduce_min_sync(~0u, v) + __reduce_max_sync(~0u, (unsigned)v) + __reduce_xor_sync(~0u, (unsigned)v); }
// shfl.sync.idx.b32 & shfl.sync.up.b32 & shfl.sync.down.b32 & shfl.sync.bfly.b32
__global__ void shuffles(float *p) { float v = p[threadIdx.x]; v = __shfl_sync(~0u, v, 3); v += __shfl_up_sync(~0u, v, 1); v += __shfl_down_sync(~0u, v, 2); p[threadIdx.x] = v + __shfl_xor_sync(~0u, v, 4); }
// 7199
__global__ void shuffle_width(int *p) { p[threadIdx.x] = __shfl_down_sync(~0u, p[threadIdx.x], 1, 4); }
// shfl.sync.idx.b32
__global__ void shuffle_double(double *p) { p[threadIdx.x] = __shfl_sync(~0u, p[threadIdx.x], 0); }
// %lanemask_lt & %laneid & %smid
__global__ void registers(unsigned *p) { p[threadIdx.x] = __lanemask_lt() + __laneid() + __smid(); }
// %clock & %clock64 & %globaltimer
__global__ void clocks(long long *p) { p[0] = clock(); p[1] = clock64(); p[2] = __globaltimer(); }
// nanosleep.u32 & trap & brkpt
__global__ void control(int *p) { __nanosleep(100); if (p[0]) __trap(); if (p[1]) __brkpt(); }
// ld.global.nc.f32 & ld.global.nc.v4.f32
__global__ void ldg(const float *p, float4 *q) { q[0] = __ldg((const float4 *)p); q[1].x = __ldg(p + 7); }
// ld.global.cg.u32 & ld.global.ca.s8 & ld.global.cs.v2.f64 & ld.global.lu.f32 & ld.global.cv.s64
__global__ void cached_loads(const unsigned *p, const signed char *c, const double2 *d, const float *f, const long long *l, double *out) { out[0] = __ldcg(p) + __ldca(c) + __ldcs(d).x + __ldlu(f) + __ldcv(l); }
// st.global.wb.s32 & st.global.cg.v4.f32 & st.global.cs.u8 & st.global.wt.f64
__global__ void cached_stores(int *p, float4 *f, unsigned char *c, double *d) { __stwb(p, 1); __stcg(f, make_float4(1, 2, 3, 4)); __stcs(c, (unsigned char)3); __stwt(d, 2.0); }
// atom.global.add.u32 & atom.global.add.f32 & atom.global.add.f64 & atom.global.add.u64
__global__ void atomic_add(int *p, float *f, double *d, unsigned long long *u) { p[1] = atomicAdd(p, 2); f[1] = atomicAdd(f, 1.0f); d[1] = atomicAdd(d, 1.0); u[1] = atomicAdd(u, 3ull); }
// atom.shared.add.u32
__global__ void atomic_shared(int *p) { __shared__ int s; s = 0; __syncthreads(); p[threadIdx.x] = atomicAdd(&s, 1); }
// atom.cta.add.s32 & atom.sys.add.s32
__global__ void atomic_scopes(int *p) { p[1] = atomicAdd_block(p, 2); p[2] = atomicAdd_system(p, 2); }
// atom.global.min.s32 & atom.global.max.u32 & atom.global.min.u64 & atom.global.max.s64
__global__ void atomic_order(int *p, unsigned *u, unsigned long long *l, long long *s) { p[1] = atomicMin(p, 2); u[1] = atomicMax(u, 2u); l[1] = atomicMin(l, 2ull); s[1] = atomicMax(s, 2ll); }
// atom.global.and.b32 & atom.global.or.b32 & atom.global.xor.b32 & atom.global.exch.b32 & atom.inc.u32 & atom.dec.u32
__global__ void atomic_bits(unsigned *p) { p[1] = atomicAnd(p, 2u); p[2] = atomicOr(p, 2u); p[3] = atomicXor(p, 2u); p[4] = atomicExch(p, 2u); p[5] = atomicInc(p, 9u); p[6] = atomicDec(p, 9u); }
// atom.global.cas.b32 & atom.global.cas.b64 & atom.cas.b16
__global__ void atomic_cas(int *p, unsigned long long *l, unsigned short *h) { p[1] = atomicCAS(p, 1, 2); l[1] = atomicCAS(l, 1ull, 2ull); h[1] = atomicCAS(h, (unsigned short)1, (unsigned short)2); }
// atom.global.gpu.add.v4.f32
__global__ void atomic_vector(float4 *p) { p[1] = atomicAdd(p, make_float4(1, 2, 3, 4)); }
// atom.add.noftz.f16 & atom.add.noftz.f16x2 & atom.add.noftz.bf16
__global__ void atomic_half(half *p, half2 *q, __nv_bfloat16 *b) { p[1] = atomicAdd(p, half(1.0f)); q[1] = atomicAdd(q, half2(1.0f, 2.0f)); b[1] = atomicAdd(b, __nv_bfloat16(1.0f)); }
// clz.b32 & clz.b64 & popc.b32 & popc.b64 & brev.b32 & brev.b64
__global__ void bits(int *p, long long *l) { p[0] = __clz(p[1]) + __clzll(l[1]) + __popc(p[2]) + __popcll(l[2]) + __brev(p[3]); l[0] = __brevll(l[3]); }
// prmt.b32 & shf.l.wrap.b32 & shf.r.clamp.b32
__global__ void permute(unsigned *p) { p[0] = __byte_perm(p[1], p[2], p[3]) + __funnelshift_l(p[4], p[5], p[6]) + __funnelshift_rc(p[4], p[5], p[6]); }
// mul.hi.s32 & mul.hi.u32 & mul.hi.u64 & mul24.lo.s32 & sad.s32 & sad.u32
__global__ void integers(unsigned *p, unsigned long long *l) { p[0] = __mulhi((int)p[1], (int)p[2]) + __umulhi(p[1], p[2]) + __mul24(p[3], p[4]) + __sad(p[5], p[6], p[7]) + __usad(p[5], p[6], p[7]); l[0] = __umul64hi(l[1], l[2]); }
// dp4a.s32.s32 & dp4a.u32.u32 & dp2a.lo.s32.s32 & dp2a.hi.u32.u32 & fns.b32
__global__ void dots(int *p) { p[0] = __dp4a(p[1], p[2], p[3]) + __dp4a((unsigned)p[1], (unsigned)p[2], (unsigned)p[3]) + __dp2a_lo(p[1], p[2], p[3]) + __dp2a_hi((unsigned)p[1], (unsigned)p[2], (unsigned)p[3]) + __fns(p[4], p[5], p[6]); }
// cvt.rni.s32.f32 & cvt.rni.u64.f32 & cvt.rni.u32.f64 & cvt.rni.s64.f64 & cvt.rn.f32.f64 & cvt.rn.f32.s32 & cvt.rn.f32.u32 & cvt.rn.f32.s64 & cvt.rn.f64.u64
__global__ void convert_rn(float *f, double *d, long long *l) { l[0] = __float2int_rn(f[0]); l[1] = __float2ull_rn(f[1]); l[2] = __double2uint_rn(d[0]); l[3] = __double2ll_rn(d[1]); f[2] = __double2float_rn(d[2]); f[3] = __int2float_rn((int)l[4]); f[4] = __uint2float_rn((unsigned)l[5]); f[5] = __ll2float_rn(l[6]); d[3] = __ull2double_rn(l[7]); }
// add.rn.f32 & mul.rn.f32 & fma.rn.f32 & div.rn.f32 & rcp.rn.f32 & sqrt.rn.f32 & add.rn.f64 & mul.rn.f64 & fma.rn.f64 & div.rn.f64 & rcp.rn.f64 & sqrt.rn.f64
__global__ void arithmetic_rn(float *f, double *d) { f[0] = __fadd_rn(f[1], f[2]); f[3] = __fmul_rn(f[4], f[5]); f[6] = __fmaf_rn(f[7], f[8], f[9]); f[10] = __fdiv_rn(f[11], f[12]); f[13] = __frcp_rn(f[14]); f[15] = __fsqrt_rn(f[16]); d[0] = __dadd_rn(d[1], d[2]); d[3] = __dmul_rn(d[4], d[5]); d[6] = __fma_rn(d[7], d[8], d[9]); d[10] = __ddiv_rn(d[11], d[12]); d[13] = __drcp_rn(d[14]); d[15] = __dsqrt_rn(d[16]); }
// cvt.rzi.s32.f32 & cvt.rzi.u64.f32 & cvt.rzi.u32.f64 & cvt.rzi.s64.f64 & cvt.rz.f32.f64 & cvt.rz.f32.s32 & cvt.rz.f32.u32 & cvt.rz.f32.s64 & cvt.rz.f64.u64
__global__ void convert_rz(float *f, double *d, long long *l) { l[0] = __float2int_rz(f[0]); l[1] = __float2ull_rz(f[1]); l[2] = __double2uint_rz(d[0]); l[3] = __double2ll_rz(d[1]); f[2] = __double2float_rz(d[2]); f[3] = __int2float_rz((int)l[4]); f[4] = __uint2float_rz((unsigned)l[5]); f[5] = __ll2float_rz(l[6]); d[3] = __ull2double_rz(l[7]); }
// add.rz.f32 & mul.rz.f32 & fma.rz.f32 & div.rz.f32 & rcp.rz.f32 & sqrt.rz.f32 & add.rz.f64 & mul.rz.f64 & fma.rz.f64 & div.rz.f64 & rcp.rz.f64 & sqrt.rz.f64
__global__ void arithmetic_rz(float *f, double *d) { f[0] = __fadd_rz(f[1], f[2]); f[3] = __fmul_rz(f[4], f[5]); f[6] = __fmaf_rz(f[7], f[8], f[9]); f[10] = __fdiv_rz(f[11], f[12]); f[13] = __frcp_rz(f[14]); f[15] = __fsqrt_rz(f[16]); d[0] = __dadd_rz(d[1], d[2]); d[3] = __dmul_rz(d[4], d[5]); d[6] = __fma_rz(d[7], d[8], d[9]); d[10] = __ddiv_rz(d[11], d[12]); d[13] = __drcp_rz(d[14]); d[15] = __dsqrt_rz(d[16]); }
// cvt.rmi.s32.f32 & cvt.rmi.u64.f32 & cvt.rmi.u32.f64 & cvt.rmi.s64.f64 & cvt.rm.f32.f64 & cvt.rm.f32.s32 & cvt.rm.f32.u32 & cvt.rm.f32.s64 & cvt.rm.f64.u64
__global__ void convert_rd(float *f, double *d, long long *l) { l[0] = __float2int_rd(f[0]); l[1] = __float2ull_rd(f[1]); l[2] = __double2uint_rd(d[0]); l[3] = __double2ll_rd(d[1]); f[2] = __double2float_rd(d[2]); f[3] = __int2float_rd((int)l[4]); f[4] = __uint2float_rd((unsigned)l[5]); f[5] = __ll2float_rd(l[6]); d[3] = __ull2double_rd(l[7]); }
// add.rm.f32 & mul.rm.f32 & fma.rm.f32 & div.rm.f32 & rcp.rm.f32 & sqrt.rm.f32 & add.rm.f64 & mul.rm.f64 & fma.rm.f64 & div.rm.f64 & rcp.rm.f64 & sqrt.rm.f64
__global__ void arithmetic_rd(float *f, double *d) { f[0] = __fadd_rd(f[1], f[2]); f[3] = __fmul_rd(f[4], f[5]); f[6] = __fmaf_rd(f[7], f[8], f[9]); f[10] = __fdiv_rd(f[11], f[12]); f[13] = __frcp_rd(f[14]); f[15] = __fsqrt_rd(f[16]); d[0] = __dadd_rd(d[1], d[2]); d[3] = __dmul_rd(d[4], d[5]); d[6] = __fma_rd(d[7], d[8], d[9]); d[10] = __ddiv_rd(d[11], d[12]); d[13] = __drcp_rd(d[14]); d[15] = __dsqrt_rd(d[16]); }
// cvt.rpi.s32.f32 & cvt.rpi.u64.f32 & cvt.rpi.u32.f64 & cvt.rpi.s64.f64 & cvt.rp.f32.f64 & cvt.rp.f32.s32 & cvt.rp.f32.u32 & cvt.rp.f32.s64 & cvt.rp.f64.u64
__global__ void convert_ru(float *f, double *d, long long *l) { l[0] = __float2int_ru(f[0]); l[1] = __float2ull_ru(f[1]); l[2] = __double2uint_ru(d[0]); l[3] = __double2ll_ru(d[1]); f[2] = __double2float_ru(d[2]); f[3] = __int2float_ru((int)l[4]); f[4] = __uint2float_ru((unsigned)l[5]); f[5] = __ll2float_ru(l[6]); d[3] = __ull2double_ru(l[7]); }
// add.rp.f32 & mul.rp.f32 & fma.rp.f32 & div.rp.f32 & rcp.rp.f32 & sqrt.rp.f32 & add.rp.f64 & mul.rp.f64 & fma.rp.f64 & div.rp.f64 & rcp.rp.f64 & sqrt.rp.f64
__global__ void arithmetic_ru(float *f, double *d) { f[0] = __fadd_ru(f[1], f[2]); f[3] = __fmul_ru(f[4], f[5]); f[6] = __fmaf_ru(f[7], f[8], f[9]); f[10] = __fdiv_ru(f[11], f[12]); f[13] = __frcp_ru(f[14]); f[15] = __fsqrt_ru(f[16]); d[0] = __dadd_ru(d[1], d[2]); d[3] = __dmul_ru(d[4], d[5]); d[6] = __fma_ru(d[7], d[8], d[9]); d[10] = __ddiv_ru(d[11], d[12]); d[13] = __drcp_ru(d[14]); d[15] = __dsqrt_ru(d[16]); }
// mul.rn.f32 & add.rn.f32
__global__ void not_contracted(float *f) { f[0] = __fadd_rn(__fmul_rn(f[1], f[2]), f[3]); }
// fma.rn.f32
__global__ void contracted(float *f) { f[0] = f[1] * f[2] + f[3]; }
// sin.approx.f32 & cos.approx.f32 & ex2.approx.f32 & lg2.approx.f32 & div.approx.f32 & tanh.approx.f32
__global__ void fast(float *f) { f[0] = __sinf(f[1]); f[2] = __cosf(f[3]); f[4] = __expf(f[5]); f[6] = __logf(f[7]); f[8] = __fdividef(f[9], f[10]); f[11] = __tanhf(f[12]); }
// ex2.approx.ftz.f32
__global__ void exponential(float *f) { f[0] = expf(f[1]); }
// rsqrt.approx.f32 & sqrt.rn.f32
__global__ void roots(float *f) { f[0] = rsqrtf(f[1]); f[2] = sqrtf(f[3]); }
// cvt.rpi.f32.f32 & cvt.rmi.f64.f64 & cvt.rzi.f32.f32 & cvt.rni.f64.f64
__global__ void round(float *f, double *d) { f[0] = ceilf(f[1]); d[0] = floor(d[1]); f[2] = truncf(f[3]); d[2] = rint(d[3]); }
// fma.rn.f64
__global__ void overloads(float *f, double *d, int i) { f[0] = std::sin(f[1]) + sin(f[2]) + std::abs(f[3]) + pow(f[4], f[5]); d[0] = sqrt(i) + std::sqrt(d[1]) + pow(d[2], 2) + exp(d[3]) + std::max(d[4], d[5]) + fmin(d[6], d[7]); }
// min.s32 & max.u32 & max.f32 & min.f64
__global__ void extremes(int *p, unsigned *u, float *f, double *d) { p[0] = min(p[1], p[2]); u[0] = max(u[1], u[2]); f[0] = max(f[1], f[2]); d[0] = min(d[1], d[2]); }
// add.rn.f16 & mul.rn.f16 & fma.rn.f16 & neg.f16 & max.f16 & setp.lt.f16
__global__ void half_arithmetic(half *p) { p[0] = p[1] + p[2]; p[3] = p[4] * p[5]; p[6] = __hfma(p[7], p[8], p[9]); p[10] = -p[11]; p[12] = __hmax(p[13], p[14]); p[15] = p[16] < p[17] ? p[18] : p[19]; }
// add.rn.f16x2 & fma.rn.f16x2
__global__ void half2_arithmetic(half2 *p) { p[0] = __hadd2(p[1], p[2]); p[3] = __hfma2(p[4], p[5], p[6]); }
// cvt.rn.f16.f32 & cvt.f32.f16 & cvt.rz.f16.f32 & cvt.rni.s32.f16 & cvt.rn.f16.s32
__global__ void half_conversion(half *p, float *f, int *i) { p[0] = __float2half(f[0]); f[1] = __half2float(p[1]); p[2] = __float2half_rz(f[2]); i[0] = __half2int_rn(p[3]); p[4] = __int2half_rn(i[1]); }
// add.rn.bf16 & fma.rn.bf16x2 & cvt.rn.bf16.f32
__global__ void bfloat(__nv_bfloat16 *p, __nv_bfloat162 *q, float *f) { p[0] = p[1] + p[2]; q[0] = __hfma2(q[1], q[2], q[3]); p[3] = __float2bfloat16(f[0]); f[1] = __bfloat162float(p[4]); }
// tex.2d.v4.f32.f32 & tex.1d.v4.s32.s32 & tex.3d.v4.u32.f32 & tex.level.2d.v4.f32.f32 & tld4.g.2d.v4.f32.f32
__global__ void textures(cudaTextureObject_t t, float4 *p, int2 *q, unsigned *u) { p[0] = tex2D<float4>(t, 1.5f, 2.5f); q[0] = tex1Dfetch<int2>(t, 3); u[0] = tex3D<unsigned char>(t, 1, 2, 3); p[1].x = tex2DLod<float>(t, 1, 2, 0); p[2] = tex2Dgather<float4>(t, 1, 2, 1); }
// suld.b.2d.b32.trap & sust.b.2d.v4.b32.clamp & suld.b.1d.b16.zero
__global__ void surfaces(cudaSurfaceObject_t s, float *f, short *h) { f[0] = surf2Dread<float>(s, 4, 2); surf2Dwrite(make_float4(1, 2, 3, 4), s, 16, 3, cudaBoundaryModeClamp); h[0] = surf1Dread<short>(s, 2, cudaBoundaryModeZero); }
// cp.async.cg.shared.global & cp.async.commit_group & cp.async.wait_group 1 & cp.async.wait_all
__global__ void pipeline(float4 *p) { __shared__ float4 s[32]; __pipeline_memcpy_async(&s[threadIdx.x], &p[threadIdx.x], 16); __pipeline_commit(); __pipeline_wait_prior(1); __pipeline_wait_prior(0); p[32] = s[threadIdx.x]; }
// wmma.load.a.sync.aligned.row.m16n16k16.f16 & wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 & wmma.store.d.sync.aligned.row.m16n16k16.f32
__global__ void matrix(const half *a, const half *b, float *c) { wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa; wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb; wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc; wmma::load_matrix_sync(fa, a, 16); wmma::load_matrix_sync(fb, b, 16); wmma::fill_fragment(fc, 0.0f); wmma::mma_sync(fc, fa, fb, fc); wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major); }
// wmma.mma.sync.aligned.row.row.m16n16k16.s32.s8.s8.s32
__global__ void matrix_bytes(const signed char *a, int *c) { wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa; wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> fb; wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc; wmma::load_matrix_sync(fa, a, 16); wmma::load_matrix_sync(fb, a, 16); wmma::fill_fragment(fc, 0); wmma::mma_sync(fc, fa, fb, fc); wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major); }
// wmma.mma.sync.aligned.row.row.m16n16k8.f32.tf32.tf32.f32 & cvt.rna.tf32.f32
__global__ void matrix_tf32(const float *a, float *c) { wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa; wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb; wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc; wmma::load_matrix_sync(fa, a, 8); wmma::load_matrix_sync(fb, a, 16); for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]); wmma::fill_fragment(fc, 0.0f); wmma::mma_sync(fc, fa, fb, fc); wmma::store_matrix_sync(c, fc, 16, wmma::mem_col_major); }
// wmma.mma.sync.aligned.row.row.m8n8k4.f64.f64.f64.f64
__global__ void matrix_double(const double *a, double *c) { wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa; wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> fb; wmma::fragment<wmma::accumulator, 8, 8, 4, double> fc; wmma::load_matrix_sync(fa, a, 4); wmma::load_matrix_sync(fb, a, 8); wmma::fill_fragment(fc, 0.0); wmma::mma_sync(fc, fa, fb, fc); wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major); }
// shfl.sync.down.b32 & vote.sync.ballot.b32
__global__ void tiles(int *p) { auto tile = cg::tiled_partition<8>(cg::this_thread_block()); int v = p[threadIdx.x]; for (int d = 4; d; d /= 2) v += tile.shfl_down(v, d); p[threadIdx.x] = v + tile.ballot(v > 3) + tile.meta_group_rank(); }
// activemask.b32
__global__ void coalesced(int *p) { if (p[threadIdx.x]) { auto g = cg::coalesced_threads(); if (g.thread_rank() == 0) p[0] = g.size(); } }
// %envreg1 & %envreg2 & bar.sync
__global__ void grid_sync(int *p) { auto g = cg::this_grid(); p[g.thread_rank()] = 1; g.sync(); p[0] += p[g.size() - 1]; }
// barrier.cluster.arrive.aligned & mapa.u64 & %cluster_ctarank
__global__ void cluster(int *p) { __shared__ int s; auto c = cg::this_cluster(); s = c.block_rank(); c.sync(); p[0] = *c.map_shared_rank(&s, 1); c.sync(); }
// vprintf
__global__ void print(int i) { printf("%d %f\n", i, 2.5); }
// __assertfail
__global__ void assertion(int i) { assert(i > 3); }
// malloc & free
__global__ void heap(int n, long *out) { int *p = (int *)malloc(n); out[0] = (long)p; if (n > 4) free(p); }
// malloc & free
__global__ void new_delete(int *out) { int *p = new int[4]; p[out[0]] = 1; out[1] = p[out[2]]; delete[] p; }
// ld.const.f32
__global__ void constant(float *p) { p[0] = table[threadIdx.x]; }
// counter
__global__ void global_variable() { atomicAdd(&counter, 1); }
// .maxntid 256 & .minnctapersm 2
__global__ void __launch_bounds__(256, 2) bounds(int *p) { p[threadIdx.x] = 1; }
// %tid.x & %ctaid.y & %ntid.z & %nctaid.x
__global__ void indices(unsigned *p) { dim3 d = blockDim; uint3 t = threadIdx; p[t.x] = blockIdx.y + d.z + gridDim.x + warpSize; }
// call
__global__ void virtual_call(Base *b, int *p) { p[0] = b->f(); }
// st.global
__global__ void video(unsigned *p) { p[0] = __vadd4(p[1], p[2]) + __vabsdiffu4(p[1], p[2]) + __vcmpgts2(p[1], p[2]) + __vsadu4(p[1], p[2]) + __vimax3_s32(p[1], p[2], p[3]) + __viaddmax_s16x2_relu(p[1], p[2], p[3]); }
// ld.shared
__global__ void dynamic(float *p) { extern __shared__ float s[]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = s[threadIdx.x ^ 1]; }
// ld.local
__global__ void locals(int *p) { int a[64]; for (int i = 0; i < 64; ++i) a[i] = p[i]; p[0] = a[p[64] & 63] + a[p[65] & 63]; }
// cvta.to.shared.u64
__global__ void shared_address(void *p, unsigned *q) { q[0] = (unsigned)__cvta_generic_to_shared(p); q[1] = __isShared(p); }
