// Kernels of usual kinds, which no rule of the model of the machine was made with when they were recorded; see recorded.csv.
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
using namespace nvcuda;
#define CHECK(x)                                                                                                                           \
    do {                                                                                                                                   \
        cudaError_t e = (x);                                                                                                               \
        if (e != cudaSuccess) {                                                                                                            \
            printf("%s: %s\n", #x, cudaGetErrorString(e));                                                                                 \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

__global__ void axpby(int n, float a, const float4 *x, float b, float4 *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 u = x[i], v = y[i];
        v.x = a * u.x + b * v.x;
        v.y = a * u.y + b * v.y;
        v.z = a * u.z + b * v.z;
        v.w = a * u.w + b * v.w;
        y[i] = v;
    }
}
__global__ void gridstride_gelu(int n, const float *x, float *y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = x[i];
        y[i] = 0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
    }
}
__global__ void transpose_naive(int n, const float *in, float *out) {
    int x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(size_t)x * n + y0 + j] = in[(size_t)(y0 + j) * n + x];
}
__global__ void transpose_pad(int n, const double *in, double *out) {
    __shared__ double t[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    t[threadIdx.y][threadIdx.x] = in[(size_t)y * n + x];
    __syncthreads();
    out[(size_t)(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}
__constant__ float taps[25];
__global__ void conv5x5(int w, int h, const float *in, float *out) {
    __shared__ float tile[20][36];
    int bx = blockIdx.x * 32, by = blockIdx.y * 16;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 20 * 36; i += 512) {
        int yy = by + i / 36 - 2, xx = bx + i % 36 - 2;
        tile[i / 36][i % 36] = (yy >= 0 && yy < h && xx >= 0 && xx < w) ? in[yy * w + xx] : 0.f;
    }
    __syncthreads();
    float s = 0;
#pragma unroll
    for (int j = 0; j < 5; j++)
#pragma unroll
        for (int i = 0; i < 5; i++)
            s += taps[j * 5 + i] * tile[threadIdx.y + j][threadIdx.x + i];
    out[(by + threadIdx.y) * w + bx + threadIdx.x] = s;
}
__global__ void stencil27(int n, const float *in, float *out) {
    int x = blockIdx.x * 32 + threadIdx.x + 1, y = blockIdx.y * 8 + threadIdx.y + 1;
    if (x >= n - 1 || y >= n - 1)
        return;
    for (int z = 1; z < 17; z++) {
        float s = 0;
        for (int dz = -1; dz <= 1; dz++)
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    s += in[((z + dz) * n + y + dy) * n + x + dx];
        out[(z * n + y) * n + x] = s * (1.f / 27);
    }
}
__global__ void gemv(int rows, int cols, const float *a, const float *x, float *y) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (row >= rows)
        return;
    float s = 0;
    for (int c = lane * 4; c < cols; c += 128) {
        float4 u = *(const float4 *)&a[(size_t)row * cols + c], v = *(const float4 *)&x[c];
        s += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    for (int o = 16; o; o >>= 1)
        s += __shfl_xor_sync(~0u, s, o);
    if (lane == 0)
        y[row] = s;
}
template <int BM, int BN, int BK, int TM, int TN> __global__ void sgemm(int n, const float *a, const float *b, float *c) {
    __shared__ float as[BK][BM], bs[BK][BN];
    int tx = threadIdx.x % (BN / TN), ty = threadIdx.x / (BN / TN), nt = blockDim.x;
    float acc[TM][TN] = {};
    const float *ap = a + (size_t)blockIdx.y * BM * n, *bp = b + blockIdx.x * BN;
    for (int k = 0; k < n; k += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += nt)
            as[i % BK][i / BK] = ap[(size_t)(i / BK) * n + k + i % BK];
        for (int i = threadIdx.x; i < BK * BN; i += nt)
            bs[i / BN][i % BN] = bp[(size_t)(k + i / BN) * n + i % BN];
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < BK; kk++) {
            float ra[TM], rb[TN];
#pragma unroll
            for (int i = 0; i < TM; i++)
                ra[i] = as[kk][ty * TM + i];
#pragma unroll
            for (int j = 0; j < TN; j++)
                rb[j] = bs[kk][tx * TN + j];
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++)
            c[(size_t)(blockIdx.y * BM + ty * TM + i) * n + blockIdx.x * BN + tx * TN + j] = acc[i][j];
}
__global__ void hgemm_wmma(int n, const half *a, const half *b, float *c) {
    int warp = threadIdx.x / 32, row = (blockIdx.y * 2 + warp / 2) * 16, col = (blockIdx.x * 2 + warp % 2) * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> f;
    wmma::fill_fragment(f, 0.f);
    for (int k = 0; k < n; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, a + (size_t)row * n + k, n);
        wmma::load_matrix_sync(fb, b + (size_t)k * n + col, n);
        wmma::mma_sync(f, fa, fb, f);
    }
    wmma::store_matrix_sync(c + (size_t)row * n + col, f, n, wmma::mem_row_major);
}
__global__ void scan_block(int n, const int *in, int *out, int *sums) {
    __shared__ int s[1024];
    int i = blockIdx.x * 1024 + threadIdx.x;
    s[threadIdx.x] = in[i];
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        int v = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
        __syncthreads();
        s[threadIdx.x] += v;
        __syncthreads();
    }
    out[i] = s[threadIdx.x];
    if (threadIdx.x == 1023)
        sums[blockIdx.x] = s[1023];
}
__global__ void reduce_atomic(int n, const float *x, float *out) {
    __shared__ float w[8];
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += x[i] * x[i];
    for (int o = 16; o; o >>= 1)
        s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0)
        w[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 8) {
        s = w[threadIdx.x];
        for (int o = 4; o; o >>= 1)
            s += __shfl_down_sync(0xff, s, o);
        if (!threadIdx.x)
            atomicAdd(out, s);
    }
}
__global__ void softmax_online(int cols, const float *x, float *y) {
    __shared__ float sm[8], ss[8];
    const float *r = x + (size_t)blockIdx.x * cols;
    float m = -1e30f, s = 0;
    for (int i = threadIdx.x; i < cols; i += 256) {
        float v = r[i], nm = fmaxf(m, v);
        s = s * __expf(m - nm) + __expf(v - nm);
        m = nm;
    }
    for (int o = 16; o; o >>= 1) {
        float om = __shfl_xor_sync(~0u, m, o), os = __shfl_xor_sync(~0u, s, o), nm = fmaxf(m, om);
        s = s * __expf(m - nm) + os * __expf(om - nm);
        m = nm;
    }
    if (threadIdx.x % 32 == 0) {
        sm[threadIdx.x / 32] = m;
        ss[threadIdx.x / 32] = s;
    }
    __syncthreads();
    m = sm[0];
    for (int i = 1; i < 8; i++)
        m = fmaxf(m, sm[i]);
    s = 0;
    for (int i = 0; i < 8; i++)
        s += ss[i] * __expf(sm[i] - m);
    for (int i = threadIdx.x; i < cols; i += 256)
        y[(size_t)blockIdx.x * cols + i] = __expf(r[i] - m) / s;
}
__global__ void rmsnorm_half(int cols, const half2 *x, const half2 *g, half2 *y) {
    __shared__ float w[8];
    const half2 *r = x + (size_t)blockIdx.x * cols;
    float s = 0;
    for (int i = threadIdx.x; i < cols; i += 256) {
        float2 v = __half22float2(r[i]);
        s += v.x * v.x + v.y * v.y;
    }
    for (int o = 16; o; o >>= 1)
        s += __shfl_xor_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0)
        w[threadIdx.x / 32] = s;
    __syncthreads();
    s = 0;
    for (int i = 0; i < 8; i++)
        s += w[i];
    s = rsqrtf(s / (2 * cols) + 1e-6f);
    for (int i = threadIdx.x; i < cols; i += 256)
        y[(size_t)blockIdx.x * cols + i] = __hmul2(__hmul2(r[i], __float2half2_rn(s)), g[i]);
}
__global__ void gather_rows(int n, int dim, const int *index, const float *table, float *out) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= n)
        return;
    for (int i = threadIdx.x; i < dim; i += 32)
        out[(size_t)row * dim + i] = table[(size_t)index[row] * dim + i];
}
__global__ void scatter_add(int n, const int *index, const float *v, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&out[index[i]], v[i]);
}
__global__ void hist_shared(int n, const unsigned char *in, unsigned *bins) {
    __shared__ unsigned h[256];
    h[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n / 4; i += gridDim.x * 256) {
        unsigned v = ((const unsigned *)in)[i];
        atomicAdd(&h[v & 255], 1);
        atomicAdd(&h[v >> 8 & 255], 1);
        atomicAdd(&h[v >> 16 & 255], 1);
        atomicAdd(&h[v >> 24], 1);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], h[threadIdx.x]);
}
__global__ void nbody_shared(int n, const float4 *p, float4 *f) {
    __shared__ float4 s[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 me = p[i];
    float x = 0, y = 0, z = 0;
    for (int t = 0; t < n; t += 128) {
        s[threadIdx.x] = p[t + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 128; j++) {
            float dx = s[j].x - me.x, dy = s[j].y - me.y, dz = s[j].z - me.z, d = dx * dx + dy * dy + dz * dz + 1e-3f, r = rsqrtf(d),
                  k = s[j].w * r * r * r;
            x += dx * k;
            y += dy * k;
            z += dz * k;
        }
        __syncthreads();
    }
    f[i] = make_float4(x, y, z, 0);
}
__global__ void julia(int w, int h, int *out) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float a = 3.f * x / w - 1.5f, b = 3.f * y / h - 1.5f;
    int i = 0;
    while (i < 300 && a * a + b * b < 4) {
        float t = a * a - b * b - 0.8f;
        b = 2 * a * b + 0.156f;
        a = t;
        i++;
    }
    out[y * w + x] = i;
}
__global__ void bitonic_shared(int *d) {
    __shared__ int s[1024];
    int t = threadIdx.x, base = blockIdx.x * 1024;
    s[t] = d[base + t];
    s[t + 512] = d[base + t + 512];
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            __syncthreads();
            int i = 2 * t - (t & (j - 1));
            bool up = (i & k) == 0;
            int a = s[i], b = s[i + j];
            if ((a > b) == up) {
                s[i] = b;
                s[i + j] = a;
            }
        }
    __syncthreads();
    d[base + t] = s[t];
    d[base + t + 512] = s[t + 512];
}
__global__ void fft_radix2(int n, float2 *d, int half_) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = i % half_, j = i / half_ * 2 * half_ + k;
    float s, c;
    __sincosf(-3.14159265f * k / half_, &s, &c);
    float2 a = d[j], b = d[j + half_];
    float2 t = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    d[j] = make_float2(a.x + t.x, a.y + t.y);
    d[j + half_] = make_float2(a.x - t.x, a.y - t.y);
}
__global__ void kmeans_assign(int n, int k, int dim, const float *x, const float *c, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best = 1e30f;
    int at = 0;
    for (int j = 0; j < k; j++) {
        float s = 0;
        for (int d = 0; d < dim; d++) {
            float v = x[d * n + i] - c[j * dim + d];
            s += v * v;
        }
        if (s < best) {
            best = s;
            at = j;
        }
    }
    out[i] = at;
}
__global__ void dgemm_naive(int n, const double *a, const double *b, double *c) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    double s = 0;
    for (int k = 0; k < n; k++)
        s += a[(size_t)y * n + k] * b[(size_t)k * n + x];
    c[(size_t)y * n + x] = s;
}
__global__ void binomial(int n, const float *s0, float *out) {
    __shared__ float v[256];
    float s = s0[blockIdx.x];
    v[threadIdx.x] = fmaxf(s * __expf(0.02f * (2 * (int)threadIdx.x - 255)) - 100.f, 0.f);
    __syncthreads();
    for (int i = 255; i > 0; i--) {
        float t = 0;
        if (threadIdx.x < i)
            t = 0.999f * (0.51f * v[threadIdx.x + 1] + 0.49f * v[threadIdx.x]);
        __syncthreads();
        if (threadIdx.x < i)
            v[threadIdx.x] = t;
        __syncthreads();
    }
    if (!threadIdx.x)
        out[blockIdx.x] = v[0];
}
__global__ void attention_row(int t, int d, const float *q, const float *k, const float *v, float *o) {
    extern __shared__ float p[];
    __shared__ float red[4];
    int row = blockIdx.x;
    const float *qr = q + row * d;
    float m = -1e30f;
    for (int j = threadIdx.x; j < t; j += 128) {
        float s = 0;
        for (int i = 0; i < d; i++)
            s += qr[i] * k[j * d + i];
        p[j] = s * 0.125f;
        m = fmaxf(m, p[j]);
    }
    for (int f = 16; f; f >>= 1)
        m = fmaxf(m, __shfl_xor_sync(~0u, m, f));
    if (threadIdx.x % 32 == 0)
        red[threadIdx.x / 32] = m;
    __syncthreads();
    m = fmaxf(fmaxf(red[0], red[1]), fmaxf(red[2], red[3]));
    float s = 0;
    for (int j = threadIdx.x; j < t; j += 128) {
        p[j] = __expf(p[j] - m);
        s += p[j];
    }
    __syncthreads();
    for (int f = 16; f; f >>= 1)
        s += __shfl_xor_sync(~0u, s, f);
    if (threadIdx.x % 32 == 0)
        red[threadIdx.x / 32] = s;
    __syncthreads();
    s = red[0] + red[1] + red[2] + red[3];
    for (int i = threadIdx.x; i < d; i += 128) {
        float a = 0;
        for (int j = 0; j < t; j++)
            a += p[j] * v[j * d + i];
        o[row * d + i] = a / s;
    }
}
__global__ void dp4a_gemm(int n, const int *a, const int *b, int *c) {
    __shared__ int as[16][17], bs[16][17];
    int x = threadIdx.x, y = threadIdx.y, s = 0;
    for (int k = 0; k < n / 4; k += 16) {
        as[y][x] = a[(blockIdx.y * 16 + y) * (n / 4) + k + x];
        bs[y][x] = b[(blockIdx.x * 16 + y) * (n / 4) + k + x];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            s = __dp4a(as[y][i], bs[x][i], s);
        __syncthreads();
    }
    c[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x] = s;
}
__global__ void collatz(int n, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned v = i + 1;
    int s = 0;
    while (v != 1 && s < 200) {
        v = v & 1 ? 3 * v + 1 : v >> 1;
        s++;
    }
    out[i] = s;
}
__global__ void list_walk(int steps, const int *next, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, p = i;
    for (int s = 0; s < steps; s++)
        p = next[p];
    out[i] = p;
}
__global__ void aos_update(int n, float *p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float *q = p + i * 7;
    q[0] += q[3] * 0.1f;
    q[1] += q[4] * 0.1f;
    q[2] += q[5] * 0.1f;
    q[6] *= 0.99f;
}
__global__ void rng_pi(int per, unsigned long long *hits) {
    unsigned s = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1;
    int h = 0;
    for (int i = 0; i < per; i++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        float x = s * 2.3283064e-10f;
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        float y = s * 2.3283064e-10f;
        h += x * x + y * y < 1;
    }
    for (int o = 16; o; o >>= 1)
        h += __shfl_down_sync(~0u, h, o);
    if (threadIdx.x % 32 == 0)
        atomicAdd(hits, (unsigned long long)h);
}

static float *floats(size_t n) {
    float *h = (float *)malloc(n * 4), *d;
    unsigned s = 12345;
    for (size_t i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        h[i] = (s >> 8) * (1.f / 16777216) - 0.5f;
    }
    CHECK(cudaMalloc(&d, n * 4));
    CHECK(cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice));
    free(h);
    return d;
}
static int *ints(size_t n, unsigned limit) {
    int *h = (int *)malloc(n * 4), *d;
    unsigned s = 777;
    for (size_t i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        h[i] = (int)(((unsigned long long)s * limit) >> 32);
    }
    CHECK(cudaMalloc(&d, n * 4));
    CHECK(cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice));
    free(h);
    return d;
}
int main() {
    float *a = floats(1 << 22), *b = floats(1 << 22), *c = floats(1 << 22);
    int *ia = ints(1 << 22, 1 << 16), *ib = ints(1 << 22, 1 << 20), *ic = ints(1 << 22, ~0u);
    double *da, *db, *dc;
    CHECK(cudaMalloc(&da, 8 << 20));
    CHECK(cudaMalloc(&db, 8 << 20));
    CHECK(cudaMalloc(&dc, 8 << 20));
    CHECK(cudaMemset(da, 0, 8 << 20));
    CHECK(cudaMemset(db, 0, 8 << 20));
    half *ha;
    CHECK(cudaMalloc(&ha, 8 << 20));
    CHECK(cudaMemset(ha, 0x11, 8 << 20));
    float t[25];
    for (int i = 0; i < 25; i++)
        t[i] = 0.04f;
    CHECK(cudaMemcpyToSymbol(taps, t, sizeof t));
    axpby<<<4096, 256>>>(1 << 20, 2.f, (float4 *)a, 0.5f, (float4 *)b);
    gridstride_gelu<<<528, 256>>>(1 << 21, a, c);
    transpose_naive<<<dim3(32, 32), dim3(32, 8)>>>(1024, a, c);
    transpose_pad<<<dim3(64, 64), dim3(16, 16)>>>(1024, da, db);
    conv5x5<<<dim3(32, 64), dim3(32, 16)>>>(1024, 1024, a, c);
    stencil27<<<dim3(8, 32), dim3(32, 8)>>>(256, a, c);
    gemv<<<256, 256>>>(2048, 2048, a, b, c);
    sgemm<64, 64, 8, 4, 4><<<dim3(8, 8), 256>>>(512, a, b, c);
    sgemm<128, 64, 16, 8, 4><<<dim3(8, 4), 256>>>(512, a, b, c);
    sgemm<32, 32, 32, 2, 2><<<dim3(16, 16), 256>>>(512, a, b, c);
    hgemm_wmma<<<dim3(16, 16), 128>>>(512, ha, ha + (1 << 20), c);
    scan_block<<<1024, 1024>>>(1 << 20, ia, ib + (1 << 21), ib);
    reduce_atomic<<<528, 256>>>(1 << 22, a, c);
    softmax_online<<<2048, 256>>>(1024, a, c);
    rmsnorm_half<<<1024, 256>>>(1024, (half2 *)ha, (half2 *)ha, (half2 *)c);
    gather_rows<<<2048, dim3(32, 8)>>>(16384, 64, ia, a, c);
    scatter_add<<<2048, 256>>>(1 << 19, ia, a, c);
    hist_shared<<<264, 256>>>(1 << 22, (unsigned char *)ic, (unsigned *)ib);
    nbody_shared<<<64, 128>>>(8192, (float4 *)a, (float4 *)c);
    julia<<<dim3(64, 64), dim3(16, 16)>>>(1024, 1024, ib);
    bitonic_shared<<<1024, 512>>>(ic);
    fft_radix2<<<2048, 256>>>(1 << 20, (float2 *)a, 1 << 4);
    fft_radix2<<<2048, 256>>>(1 << 20, (float2 *)a, 1 << 15);
    kmeans_assign<<<256, 256>>>(65536, 16, 16, a, b, ib);
    dgemm_naive<<<dim3(24, 24), dim3(16, 16)>>>(384, da, db, dc);
    binomial<<<512, 256>>>(255, a, c);
    attention_row<<<512, 128, 512 * 4>>>(512, 64, a, b, b + 65536, c);
    dp4a_gemm<<<dim3(32, 32), dim3(16, 16)>>>(512, ic, ic + 65536, ib);
    collatz<<<1024, 256>>>(1 << 18, ib);
    list_walk<<<132, 128>>>(64, ia, ib);
    aos_update<<<2048, 256>>>(1 << 19, c);
    rng_pi<<<528, 256>>>(256, (unsigned long long *)ib);
    CHECK(cudaDeviceSynchronize());
    puts("done");
    return 0;
}
