// Kernels of applications, as in kernels.cu: no rule of the model comes from them.
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

__device__ void order(float &a, float &b) {
    float t = fminf(a, b);
    b = fmaxf(a, b);
    a = t;
}
__global__ void median3x3(int w, int h, const float *in, float *out) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    float v[9];
#pragma unroll
    for (int i = 0; i < 9; i++)
        v[i] = in[(y + i / 3 - 1) * w + x + i % 3 - 1];
#pragma unroll
    for (int i = 0; i < 5; i++)
#pragma unroll
        for (int j = 8; j > i; j--)
            order(v[j - 1], v[j]);
    out[y * w + x] = v[4];
}
__global__ void decode_attention(int t, const half *q, const half *k, const half *v, float *o) { // a query against a cache, d = 64
    __shared__ float score[512], red[8];
    const half *kk = k + (size_t)blockIdx.x * t * 64, *vv = v + (size_t)blockIdx.x * t * 64;
    int w = threadIdx.x / 32, lane = threadIdx.x % 32;
    float2 qv = __half22float2(((const half2 *)(q + blockIdx.x * 64))[lane]);
    float m = -1e30f;
    for (int j = w; j < t; j += 8) {
        float2 kv = __half22float2(((const half2 *)(kk + j * 64))[lane]);
        float s = qv.x * kv.x + qv.y * kv.y;
        for (int f = 16; f; f /= 2)
            s += __shfl_xor_sync(~0u, s, f);
        if (!lane)
            score[j] = s;
        m = fmaxf(m, s);
    }
    if (!lane)
        red[w] = m;
    __syncthreads();
    for (int i = 0; i < 8; i++)
        m = fmaxf(m, red[i]);
    float a = 0, l = 0;
    for (int j = threadIdx.x / 64; j < t; j += 4) {
        float p = __expf(score[j] - m);
        l += p;
        a += p * __half2float(vv[j * 64 + threadIdx.x % 64]);
    }
    atomicAdd(&o[blockIdx.x * 64 + threadIdx.x % 64], a / l);
}
__global__ void csr_vector(int rows, const int *ptr, const int *col, const float *val, const float *x, float *y) { // a row of a warp
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float s = 0;
    for (int e = ptr[r] + lane; e < ptr[r + 1]; e += 32)
        s += val[e] * x[col[e]];
    for (int o = 16; o; o /= 2)
        s += __shfl_down_sync(~0u, s, o);
    if (!lane)
        y[r] = s;
}
__global__ void crc32(int words, const unsigned *in, unsigned *out) {
    __shared__ unsigned table[256];
    unsigned c = threadIdx.x;
    for (int k = 0; k < 8; k++)
        c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
    table[threadIdx.x] = c;
    __syncthreads();
    int i = blockIdx.x * 256 + threadIdx.x;
    c = ~0u;
    for (int j = 0; j < words; j++) {
        unsigned v = in[j * gridDim.x * 256 + i];
        for (int k = 0; k < 4; k++, v >>= 8)
            c = table[(c ^ v) & 255] ^ c >> 8;
    }
    out[i] = ~c;
}
__global__ void find_text(int n, int m, const char *text, const char *pattern, int *found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n - m)
        return;
    int j = 0;
    while (j < m && text[i + j] == pattern[j])
        j++;
    if (j == m)
        atomicAdd(found, 1);
}
__global__ void cholesky_small(int batch, float *a) { // a 32 by 32 matrix a warp, in shared memory
    __shared__ float s[4][32][33];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32;
    float *m = a + ((size_t)blockIdx.x * 4 + w) * 1024;
    for (int i = 0; i < 32; i++)
        s[w][i][lane] = m[i * 32 + lane] + (i == lane ? 32.f : 0.f);
    __syncwarp();
    for (int k = 0; k < 32; k++) {
        float d = rsqrtf(s[w][k][k]);
        __syncwarp();
        if (lane >= k)
            s[w][lane][k] *= d;
        __syncwarp();
        for (int j = k + 1; j < 32; j++)
            if (lane >= j)
                s[w][lane][j] -= s[w][lane][k] * s[w][j][k];
        __syncwarp();
    }
    for (int i = 0; i < 32; i++)
        m[i * 32 + lane] = s[w][i][lane];
}
__global__ void monte_carlo_double(int paths, double *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long s = 88172645463325252ull + i * 0x9e3779b97f4a7c15ull;
    double sum = 0;
    for (int p = 0; p < paths; p++) {
        double z = 0;
        for (int k = 0; k < 6; k++) {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            z += (s >> 11) * 0x1p-53;
        }
        double v = exp(0.2 * (z - 3)) - 1;
        sum += v > 0 ? v : 0;
    }
    out[i] = sum / paths;
}
__global__ void gemm_tf32(int n, const float *a, const float *b, float *c) {
    __shared__ float as[64][36], bs[32][68];
    int w = threadIdx.x / 32, row = blockIdx.y * 64, col = blockIdx.x * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> f[4];
    for (int j = 0; j < 4; j++)
        wmma::fill_fragment(f[j], 0.f);
    for (int k = 0; k < n; k += 32) {
        for (int i = threadIdx.x; i < 2048; i += 128) {
            as[i / 32][i % 32] = a[(size_t)(row + i / 32) * n + k + i % 32];
            bs[i / 64][i % 64] = b[(size_t)(k + i / 64) * n + col + i % 64];
        }
        __syncthreads();
        for (int kk = 0; kk < 32; kk += 8) {
            wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
            wmma::load_matrix_sync(fa, &as[w * 16][kk], 36);
            for (int j = 0; j < 4; j++) {
                wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
                wmma::load_matrix_sync(fb, &bs[kk][j * 16], 68);
                wmma::mma_sync(f[j], fa, fb, f[j]);
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; j++)
        wmma::store_matrix_sync(c + (size_t)(row + w * 16) * n + col + j * 16, f[j], n, wmma::mem_row_major);
}
__global__ void edit_distance(int n, const char *a, const char *b, int *out) { // diagonals of one block, in shared memory
    __shared__ int d[3][513];
    int t = threadIdx.x;
    const char *s = a + blockIdx.x * n, *u = b + blockIdx.x * n;
    for (int k = 0; k <= 2 * n; k++) {
        int *now = d[k % 3], *one = d[(k + 2) % 3], *two = d[(k + 1) % 3];
        for (int i = t; i <= n; i += blockDim.x) {
            int j = k - i;
            if (j >= 0 && j <= n)
                now[i] = i == 0 ? j : j == 0 ? i : min(min(one[i - 1], one[i]) + 1, two[i - 1] + (s[i - 1] != u[j - 1]));
        }
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = d[2 * n % 3][n];
}
__global__ void compact(int n, const int *in, int *count, int *out) { // an atomic a warp
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    bool keep = i < n && in[i] % 3 == 0;
    unsigned mask = __ballot_sync(~0u, keep);
    int base = 0;
    if (lane == 0)
        base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(~0u, base, 0);
    if (keep)
        out[base + __popc(mask & ((1u << lane) - 1))] = in[i];
}
__global__ void volume_march(cudaTextureObject_t tex, int w, int steps, float *out) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float s = 0, t = 1;
    for (int k = 0; k < steps; k++) {
        float v = tex3D<float>(tex, x * 0.25f + k * 0.3f, y * 0.25f + k * 0.1f, k * 1.0f) * 0.02f;
        s += t * v;
        t *= 1 - v;
    }
    out[y * w + x] = s;
}
static unsigned seed = 88675123u;
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
static cudaTextureObject_t volume(int n) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    float *h = (float *)malloc(n * n * n * 4);
    for (int i = 0; i < n * n * n; i++)
        h[i] = i % 17;
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(n, n, n)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(h, n * 4, n, n);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(n, n, n);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    free(h);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t tex;
    CHECK(cudaCreateTextureObject(&tex, &resource, &how, nullptr));
    return tex;
}
int main() {
    float *a = fill<float>(1 << 22, [](size_t) { return next() * 0x1p-32f; }), *c = fill<float>(1 << 23, [](size_t) { return 0.f; });
    int *keys = fill<int>(1 << 22, [](size_t) { return (int)(next() >> 1); }), *zeros = fill<int>(1 << 20, [](size_t) { return 0; });
    half *h = fill<half>(1 << 23, [](size_t) { return __float2half(next() * 0x1p-32f); });
    char *text = fill<char>(1 << 21, [](size_t) { return (char)('a' + next() % 4); });
    const int rows = 1 << 14;
    int edges = 0;
    int *ptr = fill<int>(rows + 1, [&](size_t) {
        int at = edges;
        edges += next() % 32 == 0 ? 1000 : next() % 48;
        return at;
    });
    int *col = fill<int>(edges, [&](size_t) { return next() % rows; });
    cudaTextureObject_t tex = volume(128);
    median3x3<<<dim3(32, 128), dim3(32, 8)>>>(1024, 1024, a, c);
    decode_attention<<<96, 256>>>(512, h, h + (1 << 20), h + (1 << 22), c);
    csr_vector<<<rows / 8, 256>>>(rows, ptr, col, a, a + (1 << 21), c);
    crc32<<<256, 256>>>(16, (unsigned *)keys, (unsigned *)c);
    find_text<<<4096, 256>>>(1 << 20, 8, text, text + 777777, zeros);
    cholesky_small<<<512, 128>>>(2048, a);
    monte_carlo_double<<<264, 128>>>(32, (double *)c);
    gemm_tf32<<<dim3(8, 8), 128>>>(512, a, a + (1 << 20), c);
    edit_distance<<<132, 256>>>(512, text, text + (1 << 20), (int *)c);
    compact<<<4096, 256>>>(1 << 20, keys, zeros + 1024, (int *)c);
    volume_march<<<dim3(32, 64), dim3(16, 8)>>>(tex, 512, 64, c);
    CHECK(cudaDeviceSynchronize());
    puts("done");
    return 0;
}
