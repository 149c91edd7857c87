// Kernels of applications, as in kernels.cu: those that taught the model its rules for textures, misses under way and others since.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
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

__constant__ float weights[17];
__global__ void conv_rows(int w, const float *in, float *out) { // separable filter, radius 8
    __shared__ float s[4][64 + 16];
    int x0 = blockIdx.x * 64, y = blockIdx.y * 4 + threadIdx.y;
    for (int i = threadIdx.x; i < 80; i += 64) {
        int x = x0 + i - 8;
        s[threadIdx.y][i] = x >= 0 && x < w ? in[y * w + x] : 0.f;
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k <= 16; k++)
        sum += weights[k] * s[threadIdx.y][threadIdx.x + k];
    out[y * w + x0 + threadIdx.x] = sum;
}
__global__ void layernorm_vec(int cols, const float4 *x, const float4 *g, const float4 *b, float4 *y) {
    __shared__ float2 part[8];
    const float4 *row = x + (size_t)blockIdx.x * cols;
    float s = 0, q = 0;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        float4 v = row[i];
        s += v.x + v.y + v.z + v.w;
        q += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int o = 16; o; o /= 2) {
        s += __shfl_xor_sync(~0u, s, o);
        q += __shfl_xor_sync(~0u, q, o);
    }
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = make_float2(s, q);
    __syncthreads();
    s = q = 0;
    for (int i = 0; i < blockDim.x / 32; i++) {
        s += part[i].x;
        q += part[i].y;
    }
    float mean = s / (4 * cols), inv = rsqrtf(q / (4 * cols) - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        float4 v = row[i], gg = g[i], bb = b[i];
        y[(size_t)blockIdx.x * cols + i] = make_float4((v.x - mean) * inv * gg.x + bb.x, (v.y - mean) * inv * gg.y + bb.y,
                                                       (v.z - mean) * inv * gg.z + bb.z, (v.w - mean) * inv * gg.w + bb.w);
    }
}
__global__ void flash_attention(int t, const float *q, const float *k, const float *v, float *o) { // one query a thread, d = 32
    __shared__ float ks[32][32], vs[32][32];
    size_t head = (size_t)blockIdx.y * t * 32;
    int row = blockIdx.x * 64 + threadIdx.x;
    float qr[32], acc[32] = {}, m = -1e30f, l = 0;
#pragma unroll
    for (int i = 0; i < 32; i++)
        qr[i] = q[head + row * 32 + i] * 0.17f;
    for (int j0 = 0; j0 < t; j0 += 32) {
        for (int i = threadIdx.x; i < 1024; i += 64) {
            ks[i / 32][i % 32] = k[head + j0 * 32 + i];
            vs[i / 32][i % 32] = v[head + j0 * 32 + i];
        }
        __syncthreads();
        for (int j = 0; j < 32; j++) {
            float s = 0;
#pragma unroll
            for (int i = 0; i < 32; i++)
                s += qr[i] * ks[j][i];
            float nm = fmaxf(m, s), c = __expf(m - nm), p = __expf(s - nm);
            l = l * c + p;
#pragma unroll
            for (int i = 0; i < 32; i++)
                acc[i] = acc[i] * c + p * vs[j][i];
            m = nm;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 32; i++)
        o[head + row * 32 + i] = acc[i] / l;
}
__global__ void batched_gemm16(const float *a, const float *b, float *c) { // a 16 by 16 product for each half block
    __shared__ float as[2][16][16], bs[2][16][16];
    int m = threadIdx.y / 16, x = threadIdx.x, y = threadIdx.y % 16;
    size_t at = ((size_t)blockIdx.x * 2 + m) * 256 + y * 16 + x;
    as[m][y][x] = a[at];
    bs[m][y][x] = b[at];
    __syncthreads();
    float s = 0;
#pragma unroll
    for (int k = 0; k < 16; k++)
        s += as[m][y][k] * bs[m][k][x];
    c[at] = s;
}
__global__ void scan_lookback(int n, const int *in, int *out, volatile int *state, int *ticket) {
    __shared__ int tile, warps[8], before;
    if (threadIdx.x == 0)
        tile = atomicAdd(ticket, 1);
    __syncthreads();
    int lane = threadIdx.x % 32, w = threadIdx.x / 32, i = tile * 256 + threadIdx.x, v = in[i] & 15;
    for (int o = 1; o < 32; o *= 2) {
        int u = __shfl_up_sync(~0u, v, o);
        if (lane >= o)
            v += u;
    }
    if (lane == 31)
        warps[w] = v;
    __syncthreads();
    int sum = 0, total = 0;
    for (int j = 0; j < 8; j++) {
        sum += j < w ? warps[j] : 0;
        total += warps[j];
    }
    if (threadIdx.x == 0) {
        state[tile] = total << 2 | 1;
        __threadfence();
        int acc = 0;
        for (int t = tile - 1; t >= 0;) {
            int s = state[t];
            if (s & 3) {
                acc += s >> 2;
                if (s & 2)
                    break;
                t--;
            }
        }
        state[tile] = (acc + total) << 2 | 2;
        before = acc;
    }
    __syncthreads();
    out[i] = v + sum + before;
}
__global__ void radix_scatter(int n, int shift, const unsigned *in, unsigned *counts, unsigned *out) { // sorts tiles by four bits
    __shared__ unsigned hist[16][8], base[16];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, i = blockIdx.x * 256 + threadIdx.x;
    if (threadIdx.x < 128)
        hist[threadIdx.x / 8][threadIdx.x % 8] = 0;
    __syncthreads();
    unsigned key = in[i], digit = key >> shift & 15, same = __match_any_sync(~0u, digit), rank = __popc(same & ((1u << lane) - 1));
    if (rank == 0)
        hist[digit][w] = __popc(same);
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned s = 0;
        for (int j = 0; j < 8; j++) {
            unsigned c = hist[threadIdx.x][j];
            hist[threadIdx.x][j] = s;
            s += c;
        }
        base[threadIdx.x] = atomicAdd(&counts[threadIdx.x], s) + threadIdx.x * (n / 8);
    }
    __syncthreads();
    out[base[digit] + hist[digit][w] + rank] = key;
}
__global__ void csr_skewed(int rows, const int *ptr, const int *col, const float *x, float *y) { // one row a thread, few rows are long
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float s = 0;
    for (int e = ptr[r]; e < ptr[r + 1]; e++)
        s += x[col[e]];
    y[r] = s;
}
__global__ void hash_insert(int n, unsigned mask, const unsigned *keys, unsigned *table) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = keys[i] | 1, slot = key * 2654435761u & mask;
    for (;;) {
        unsigned was = atomicCAS(&table[slot], 0u, key);
        if (was == 0 || was == key)
            return;
        slot = (slot + 1) & mask;
    }
}
__global__ void red_black(int n, int color, float *a) {
    int x = 2 * (blockIdx.x * 32 + threadIdx.x), y = blockIdx.y * 8 + threadIdx.y;
    x += (y + color) & 1;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        a[y * n + x] = 0.25f * (a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] + a[(y + 1) * n + x]);
}
__device__ unsigned rotr(unsigned x, int n) { return x >> n | x << (32 - n); }
__constant__ unsigned roundKeys[64];
__global__ void sha256(const unsigned *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    unsigned w[16], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
#pragma unroll
    for (int j = 0; j < 16; j++)
        w[j] = in[j * n + i];
    unsigned a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], k = h[7];
#pragma unroll
    for (int r = 0; r < 64; r++) {
        if (r >= 16) {
            unsigned u = w[(r + 1) & 15], v = w[(r + 14) & 15];
            w[r & 15] += (rotr(u, 7) ^ rotr(u, 18) ^ u >> 3) + w[(r + 9) & 15] + (rotr(v, 17) ^ rotr(v, 19) ^ v >> 10);
        }
        unsigned t = k + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + roundKeys[r] + w[r & 15];
        unsigned s = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        k = g, g = f, f = e, e = d + t, d = c, c = b, b = a, a = t + s;
    }
    unsigned r[8] = {a, b, c, d, e, f, g, k};
#pragma unroll
    for (int j = 0; j < 8; j++)
        out[j * n + i] = h[j] + r[j];
}
__global__ void tex_blur(cudaTextureObject_t tex, int w, float *out) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float s = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            s += tex2D<float>(tex, x + i + 0.5f, y + j + 0.5f);
    out[y * w + x] = s * (1 / 9.f);
}
__global__ void tex_zoom(cudaTextureObject_t tex, int w, float scale, float4 *out) { // filtered, RGBA
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * w + x] = tex2D<float4>(tex, (x + 0.5f) * scale, (y + 0.5f) * scale);
}
__global__ void insertion_sort(int n, const int *in, int *out) { // an array with dynamic indices a thread
    int v[24], i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 24; j++) {
        int x = in[j * n + i], k = j;
        while (k > 0 && v[k - 1] > x) {
            v[k] = v[k - 1];
            k--;
        }
        v[k] = x;
    }
    for (int j = 0; j < 24; j++)
        out[j * n + i] = v[j];
}
__global__ void nbody_double(int n, const double4 *p, double *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double4 me = p[i];
    double s = 0;
    for (int j = 0; j < n; j++) {
        double4 o = p[j];
        double dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z, d = dx * dx + dy * dy + dz * dz + 1e-6;
        s += o.w / sqrt(d);
    }
    out[i] = s;
}
__global__ void half2_stencil(int n, const half2 *in, half2 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n - 1)
        return;
    half2 a = in[i - 1], b = in[i], c = in[i + 1];
    for (int k = 0; k < 16; k++) {
        half2 t = __hfma2(a, __float2half2_rn(0.25f), __hmul2(c, __float2half2_rn(0.25f)));
        a = b;
        b = __hfma2(b, __float2half2_rn(0.5f), t);
    }
    out[i] = b;
}
__global__ void tiny_blocks(const int *in, int *out) {
    if (threadIdx.x < 24)
        out[blockIdx.x * 24 + threadIdx.x] = in[blockIdx.x] + threadIdx.x;
}
__global__ void one_block_reduce(int n, const float *in, float *out) {
    __shared__ float s[1024];
    float a = 0;
    for (int i = threadIdx.x; i < n; i += 1024)
        a += in[i];
    s[threadIdx.x] = a;
    __syncthreads();
    for (int d = 512; d; d /= 2) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (!threadIdx.x)
        *out = s[0];
}
__global__ void pipeline_stencil(int n, int tiles, const float4 *in, float4 *out) { // three stages of asynchronous copies
    __shared__ float4 buf[3][256];
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * tiles * 256;
    for (int s = 0; s < 2; s++) {
        __pipeline_memcpy_async(&buf[s][t], &in[base + s * 256 + t], 16);
        __pipeline_commit();
    }
    for (int s = 0; s < tiles; s++) {
        if (s + 2 < tiles)
            __pipeline_memcpy_async(&buf[(s + 2) % 3][t], &in[base + (s + 2) * 256 + t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        float4 a = buf[s % 3][t], b = buf[s % 3][(t + 1) % 256], c = buf[s % 3][(t + 255) % 256];
        for (int k = 0; k < 8; k++) {
            a.x = a.x * 0.5f + (b.x + c.y) * 0.25f;
            a.y = a.y * 0.5f + (b.y + c.z) * 0.25f;
            a.z = a.z * 0.5f + (b.z + c.w) * 0.25f;
            a.w = a.w * 0.5f + (b.w + c.x) * 0.25f;
        }
        out[base + s * 256 + t] = a;
        __syncthreads();
    }
}
__global__ void igemm_wmma(int n, const signed char *a, const signed char *b, int *c) {
    int warp = threadIdx.x / 32, row = (blockIdx.y * 4 + warp) * 16, col = blockIdx.x * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> f[2];
    wmma::fill_fragment(f[0], 0);
    wmma::fill_fragment(f[1], 0);
    for (int k = 0; k < n; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
        wmma::load_matrix_sync(fa, a + (size_t)row * n + k, n);
        for (int j = 0; j < 2; j++) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
            wmma::load_matrix_sync(fb, b + (size_t)(col + 16 * j) * n + k, n);
            wmma::mma_sync(f[j], fa, fb, f[j]);
        }
    }
    for (int j = 0; j < 2; j++)
        wmma::store_matrix_sync(c + (size_t)row * n + col + 16 * j, f[j], n, wmma::mem_row_major);
}
__global__ void grid_jacobi(int n, int steps, float *a, float *b) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int s = 0; s < steps; s++) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n; i += gridDim.x * blockDim.x) {
            int x = i % n, y = i / n;
            if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
                b[i] = 0.25f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n]);
        }
        grid.sync();
        float *t = a;
        a = b;
        b = t;
    }
}
__global__ void tickets(int n, int words, const int *in, int *counters, int *out) { // atomics whose results are used, on few words
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = atomicAdd(&counters[(in[i] & (words - 1)) * 8], 1);
}
__global__ void max_double(int n, const double *x, unsigned long long *best) { // compare and swap on one word by a thread of each warp
    double m = -1;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        m = fmax(m, x[i]);
    for (int o = 16; o; o /= 2)
        m = fmax(m, __shfl_xor_sync(~0u, m, o));
    if (threadIdx.x % 32 == 0) {
        unsigned long long old = *best, was;
        do {
            was = old;
            if (__longlong_as_double(was) >= m)
                break;
            old = atomicCAS(best, was, __double_as_longlong(m));
        } while (old != was);
    }
}
struct Particle {
    float x, y, z, vx, vy, vz, mass, age;
};
__global__ void aos_to_soa(int n, const Particle *p, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Particle q = p[i];
    out[i] = q.x + q.vx * 0.1f;
    out[n + i] = q.y + q.vy * 0.1f;
    out[2 * n + i] = q.z + q.vz * 0.1f;
    out[3 * n + i] = q.mass * q.age;
}
__constant__ unsigned char substitution[256];
__global__ void substitute(int n, const uchar4 *in, uchar4 *out) { // constant memory at addresses of the data
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uchar4 v = in[i];
    for (int r = 0; r < 4; r++)
        v = make_uchar4(substitution[v.y], substitution[v.z], substitution[v.w], substitution[v.x]);
    out[i] = v;
}
__global__ void dct8(int w, const float *in, float *out) { // 8 by 8 blocks, four a block of threads
    __shared__ float s[4][8][9];
    int b = threadIdx.z, x = threadIdx.x, y = threadIdx.y, at = (blockIdx.y * 8 + y) * w + (blockIdx.x * 4 + b) * 8 + x;
    s[b][y][x] = in[at];
    __syncthreads();
    float a = 0;
    for (int k = 0; k < 8; k++)
        a += s[b][y][k] * __cosf(0.19634954f * (2 * k + 1) * x);
    __syncthreads();
    s[b][y][x] = a;
    __syncthreads();
    a = 0;
    for (int k = 0; k < 8; k++)
        a += s[b][k][x] * __cosf(0.19634954f * (2 * k + 1) * y);
    out[at] = a;
}
static unsigned seed = 2463534242u;
static unsigned next() {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    return seed ^= seed << 5;
}
template <class T, class F> static T *fill(size_t n, F f) {
    T *h = (T *)malloc(n * sizeof(T)), *d;
    for (size_t i = 0; i < n; i++)
        h[i] = f(i);
    CHECK(cudaMalloc(&d, n * sizeof(T)));
    CHECK(cudaMemcpy(d, h, n * sizeof(T), cudaMemcpyHostToDevice));
    free(h);
    return d;
}
static cudaTextureObject_t texture(int n, int channels, cudaTextureFilterMode filter) {
    cudaChannelFormatDesc format = channels == 1 ? cudaCreateChannelDesc<float>() : cudaCreateChannelDesc<float4>();
    size_t row = n * channels * 4;
    float *h = (float *)malloc(row * n);
    for (int i = 0; i < n * n * channels; i++)
        h[i] = i % 251;
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, n, n));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, h, row, row, n, cudaMemcpyHostToDevice));
    free(h);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = filter;
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t tex;
    CHECK(cudaCreateTextureObject(&tex, &resource, &how, nullptr));
    return tex;
}
int main() {
    float *a = fill<float>(1 << 22, [](size_t) { return next() * 0x1p-32f; }), *b = fill<float>(1 << 22, [](size_t) { return next() * 0x1p-32f; });
    float *c = fill<float>(1 << 23, [](size_t) { return 0.f; });
    unsigned *keys = fill<unsigned>(1 << 22, [](size_t) { return next(); }), *zeros = fill<unsigned>(1 << 21, [](size_t) { return 0u; });
    double *d = fill<double>(1 << 19, [](size_t) { return next() * 0x1p-32; });
    const int rows = 1 << 15;
    int edges = 0;
    int *ptr = fill<int>(rows + 1, [&](size_t) {
        int at = edges;
        edges += next() % 64 == 0 ? 256 : next() % 8;
        return at;
    });
    int *col = fill<int>(edges, [&](size_t) { return next() % rows; });
    CHECK(cudaMemcpyToSymbol(weights, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef012", sizeof weights));
    CHECK(cudaMemcpyToSymbol(roundKeys, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                                        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                             sizeof roundKeys));
    unsigned char box[256];
    for (int i = 0; i < 256; i++)
        box[i] = i * 167 + 13;
    CHECK(cudaMemcpyToSymbol(substitution, box, sizeof box));
    cudaTextureObject_t points = texture(1024, 1, cudaFilterModePoint), colors = texture(1024, 4, cudaFilterModeLinear);
    conv_rows<<<dim3(16, 256), dim3(64, 4)>>>(1024, a, c);
    layernorm_vec<<<1024, 256>>>(512, (float4 *)a, (float4 *)b, (float4 *)b + 512, (float4 *)c);
    flash_attention<<<dim3(8, 8), 64>>>(512, a, b, b + (1 << 20), c);
    batched_gemm16<<<4096, dim3(16, 32)>>>(a, b, c);
    scan_lookback<<<2048, 256>>>(1 << 19, (int *)keys, (int *)c, (int *)zeros, (int *)zeros + 4096);
    radix_scatter<<<2048, 256>>>(1 << 19, 8, keys, zeros + 8192, (unsigned *)c);
    csr_skewed<<<rows / 128, 128>>>(rows, ptr, col, a, c);
    hash_insert<<<1024, 256>>>(1 << 18, (1 << 19) - 1, keys, zeros + (1 << 20));
    red_black<<<dim3(16, 128), dim3(32, 8)>>>(1024, 0, a);
    sha256<<<512, 128>>>(keys, (unsigned *)c);
    tex_blur<<<dim3(64, 64), dim3(16, 16)>>>(points, 1024, c);
    tex_zoom<<<dim3(32, 128), dim3(32, 8)>>>(colors, 1024, 0.7f, (float4 *)c);
    insertion_sort<<<256, 128>>>(256 * 128, (int *)keys, (int *)c);
    nbody_double<<<64, 128>>>(2048, (double4 *)d, (double *)c);
    half2_stencil<<<4096, 256>>>(1 << 20, (half2 *)b, (half2 *)c);
    tiny_blocks<<<20000, 32>>>((int *)keys, (int *)c);
    one_block_reduce<<<1, 1024>>>(1 << 18, a, c);
    pipeline_stencil<<<264, 256>>>(1 << 20, 8, (float4 *)a, (float4 *)c);
    igemm_wmma<<<dim3(32, 16), 128>>>(1024, (signed char *)keys, (signed char *)keys + (1 << 20), (int *)c);
    int n = 512, steps = 8;
    void *arguments[] = {&n, &steps, &a, &b};
    CHECK(cudaLaunchCooperativeKernel((void *)grid_jacobi, dim3(132), dim3(512), arguments, 0, 0));
    tickets<<<512, 256>>>(1 << 17, 64, (int *)keys, (int *)zeros + 16384, (int *)c);
    max_double<<<264, 256>>>(1 << 18, d, (unsigned long long *)zeros + 32768);
    aos_to_soa<<<1024, 256>>>(1 << 18, (Particle *)a, c);
    substitute<<<1024, 256>>>(1 << 18, (uchar4 *)keys, (uchar4 *)c);
    dct8<<<dim3(32, 128), dim3(8, 8, 4)>>>(1024, a, c);
    CHECK(cudaDeviceSynchronize());
    puts("done");
    return 0;
}
