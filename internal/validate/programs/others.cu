// More kernels, as in kernels.cu.
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#define CHECK(x)                                                                                                                           \
    do {                                                                                                                                   \
        cudaError_t e = (x);                                                                                                               \
        if (e != cudaSuccess) {                                                                                                            \
            printf("%s: %s\n", #x, cudaGetErrorString(e));                                                                                 \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)
__global__ void matmul_bt(int n, const float *a, const float *b, float *c) { // shared tiles, B transposed
    __shared__ float as[16][16], bs[16][17];
    int tx = threadIdx.x, ty = threadIdx.y;
    float s = 0;
    for (int k = 0; k < n; k += 16) {
        as[ty][tx] = a[(blockIdx.y * 16 + ty) * n + k + tx];
        bs[ty][tx] = b[(blockIdx.x * 16 + ty) * n + k + tx];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
            s += as[ty][i] * bs[tx][i];
        __syncthreads();
    }
    c[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx] = s;
}
__global__ void conv_direct(int c, int h, int w, const float *in, const float *wt, float *out) { // 3x3, NCHW
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, k = blockIdx.z;
    float s = 0;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    for (int ci = 0; ci < c; ci++)
        for (int j = -1; j <= 1; j++)
            for (int i = -1; i <= 1; i++)
                s += in[(ci * h + y + j) * w + x + i] * wt[((k * c + ci) * 3 + j + 1) * 3 + i + 1];
    out[(k * h + y) * w + x] = s;
}
__global__ void ell_spmv(int rows, int width, const int *col, const float *val, const float *x, float *y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float s = 0;
    for (int k = 0; k < width; k++)
        s += val[k * rows + r] * x[col[k * rows + r]];
    y[r] = s;
}
__global__ void hash_mix(int n, int rounds, const unsigned *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned a = in[i], b = a ^ 0x9e3779b9u, c = i;
    for (int r = 0; r < rounds; r++) {
        a += b;
        a = (a << 13) | (a >> 19);
        c ^= a;
        b += c;
        b = (b << 7) | (b >> 25);
        c += a & b;
        c ^= c >> 15;
    }
    out[i] = a ^ b ^ c;
}
__global__ void sobel(int w, int h, const unsigned char *in, unsigned char *out) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    const unsigned char *p = in + y * w + x;
    int gx = p[-w + 1] + 2 * p[1] + p[w + 1] - p[-w - 1] - 2 * p[-1] - p[w - 1],
        gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1];
    int g = abs(gx) + abs(gy);
    out[y * w + x] = g > 255 ? 255 : g;
}
__global__ void resize_bilinear(int sw, int sh, int dw, int dh, const float *in, float *out) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= dw || y >= dh)
        return;
    float fx = (x + 0.5f) * sw / dw - 0.5f, fy = (y + 0.5f) * sh / dh - 0.5f;
    int x0 = max(0, (int)floorf(fx)), y0 = max(0, (int)floorf(fy)), x1 = min(sw - 1, x0 + 1), y1 = min(sh - 1, y0 + 1);
    float ax = fx - x0, ay = fy - y0;
    out[y * dw + x] =
        (in[y0 * sw + x0] * (1 - ax) + in[y0 * sw + x1] * ax) * (1 - ay) + (in[y1 * sw + x0] * (1 - ax) + in[y1 * sw + x1] * ax) * ay;
}
__global__ void row_max(int cols, const float *x, float *v, int *at) {
    __shared__ float sv[32];
    __shared__ int si[32];
    float best = -1e30f;
    int bi = 0;
    const float *r = x + (size_t)blockIdx.x * cols;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        if (r[i] > best) {
            best = r[i];
            bi = i;
        }
    for (int o = 16; o; o >>= 1) {
        float ov = __shfl_down_sync(~0u, best, o);
        int oi = __shfl_down_sync(~0u, bi, o);
        if (ov > best) {
            best = ov;
            bi = oi;
        }
    }
    if (threadIdx.x % 32 == 0) {
        sv[threadIdx.x / 32] = best;
        si[threadIdx.x / 32] = bi;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < blockDim.x / 32; i++)
            if (sv[i] > best) {
                best = sv[i];
                bi = si[i];
            }
        v[blockIdx.x] = best;
        at[blockIdx.x] = bi;
    }
}
__global__ void pairwise(int n, int d, const float *x, float *out) {
    __shared__ float a[16][33], b[16][33];
    int tx = threadIdx.x, ty = threadIdx.y;
    float s = 0;
    for (int k = 0; k < d; k += 32) {
        for (int i = tx; i < 32; i += 16) {
            a[ty][i] = x[(blockIdx.y * 16 + ty) * d + k + i];
            b[ty][i] = x[(blockIdx.x * 16 + ty) * d + k + i];
        }
        __syncthreads();
        for (int i = 0; i < 32; i++) {
            float t = a[ty][i] - b[tx][i];
            s += t * t;
        }
        __syncthreads();
    }
    out[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx] = sqrtf(s);
}
__global__ void lu_update(int n, int k, float *a) {
    int j = k + 1 + blockIdx.x * 32 + threadIdx.x, i = k + 1 + blockIdx.y * 8 + threadIdx.y;
    if (i < n && j < n)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
}
__global__ void warp_scan(int n, const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int v = in[i];
    for (int o = 1; o < 32; o *= 2) {
        int t = __shfl_up_sync(~0u, v, o);
        if (lane >= o)
            v += t;
    }
    __shared__ int w[32];
    if (lane == 31)
        w[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        int t = threadIdx.x < blockDim.x / 32 ? w[threadIdx.x] : 0;
        for (int o = 1; o < 32; o *= 2) {
            int u = __shfl_up_sync(~0u, t, o);
            if (lane >= o)
                t += u;
        }
        w[threadIdx.x] = t;
    }
    __syncthreads();
    out[i] = v + (threadIdx.x >= 32 ? w[threadIdx.x / 32 - 1] : 0);
}
__global__ void jacobi_shared(int n, const float *in, float *out) {
    __shared__ float t[18][34];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    t[ly][lx] = in[y * n + x];
    if (threadIdx.x == 0)
        t[ly][0] = x > 0 ? in[y * n + x - 1] : 0;
    if (threadIdx.x == 31)
        t[ly][33] = x < n - 1 ? in[y * n + x + 1] : 0;
    if (threadIdx.y == 0)
        t[0][lx] = y > 0 ? in[(y - 1) * n + x] : 0;
    if (threadIdx.y == 15)
        t[17][lx] = y < n - 1 ? in[(y + 1) * n + x] : 0;
    __syncthreads();
    out[y * n + x] = 0.25f * (t[ly][lx - 1] + t[ly][lx + 1] + t[ly - 1][lx] + t[ly + 1][lx]);
}
__global__ void hgemv(int rows, int cols, const half2 *a, const half2 *x, float *y) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    float s = 0;
    for (int c = threadIdx.x; c < cols / 2; c += 32) {
        half2 p = __hmul2(a[(size_t)row * (cols / 2) + c], x[c]);
        s += __low2float(p) + __high2float(p);
    }
    for (int o = 16; o; o >>= 1)
        s += __shfl_xor_sync(~0u, s, o);
    if (!threadIdx.x)
        y[row] = s;
}
__global__ void bfs_step(int n, const int *ptr, const int *adj, int *level, int cur) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || level[v] != cur)
        return;
    for (int e = ptr[v]; e < ptr[v + 1]; e++) {
        int u = adj[e];
        if (level[u] < 0)
            level[u] = cur + 1;
    }
}
__global__ void inverse4(int n, const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float m[4][8];
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int c = 0; c < 4; c++) {
            m[r][c] = in[(r * 4 + c) * n + i] + (r == c ? 4 : 0);
            m[r][c + 4] = r == c;
        }
#pragma unroll
    for (int p = 0; p < 4; p++) {
        float q = 1 / m[p][p];
#pragma unroll
        for (int c = 0; c < 8; c++)
            m[p][c] *= q;
#pragma unroll
        for (int r = 0; r < 4; r++)
            if (r != p) {
                float f = m[r][p];
#pragma unroll
                for (int c = 0; c < 8; c++)
                    m[r][c] -= f * m[p][c];
            }
    }
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int c = 0; c < 4; c++)
            out[(r * 4 + c) * n + i] = m[r][c + 4];
}
__global__ void copy_strided(int n, int stride, const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[(size_t)i * stride];
}
__global__ void adam(int n, float *p, const float *g, float *m, float *v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float gi = g[i], mi = 0.9f * m[i] + 0.1f * gi, vi = 0.999f * v[i] + 0.001f * gi * gi;
    m[i] = mi;
    v[i] = vi;
    p[i] -= 1e-3f * mi / (sqrtf(vi) + 1e-8f);
}
static float *floats(size_t n) {
    float *h = (float *)malloc(n * 4), *d;
    unsigned s = 54321;
    for (size_t i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        h[i] = (s >> 8) * (1.f / 16777216);
    }
    CHECK(cudaMalloc(&d, n * 4));
    CHECK(cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice));
    free(h);
    return d;
}
static int *ints(size_t n, unsigned limit) {
    int *h = (int *)malloc(n * 4), *d;
    unsigned s = 999;
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
    float *a = floats(1 << 22), *b = floats(1 << 22), *c = floats(1 << 22), *e = floats(1 << 22);
    int *ia = ints(1 << 22, 1 << 16), *ib = ints(1 << 22, 1 << 18);
    int *ptr, *level;
    {
        int n = 1 << 16, *h = (int *)malloc((n + 1) * 4);
        for (int i = 0; i <= n; i++)
            h[i] = i * 16;
        CHECK(cudaMalloc(&ptr, (n + 1) * 4));
        CHECK(cudaMemcpy(ptr, h, (n + 1) * 4, cudaMemcpyHostToDevice));
        for (int i = 0; i < n; i++)
            h[i] = i % 3 ? -1 : 0;
        CHECK(cudaMalloc(&level, n * 4));
        CHECK(cudaMemcpy(level, h, n * 4, cudaMemcpyHostToDevice));
    }
    half2 *ha;
    CHECK(cudaMalloc(&ha, 16 << 20));
    CHECK(cudaMemset(ha, 0x22, 16 << 20));
    matmul_bt<<<dim3(24, 24), dim3(16, 16)>>>(384, a, b, c);
    conv_direct<<<dim3(4, 16, 16), dim3(32, 8)>>>(16, 128, 128, a, b, c);
    ell_spmv<<<256, 256>>>(65536, 24, ia, a, b, c);
    hash_mix<<<1024, 256>>>(1 << 18, 128, (unsigned *)ia, (unsigned *)c);
    sobel<<<dim3(64, 256), dim3(32, 8)>>>(2048, 2048, (unsigned char *)ia, (unsigned char *)c);
    resize_bilinear<<<dim3(96, 96), dim3(16, 16)>>>(1024, 1024, 1536, 1536, a, c);
    row_max<<<1024, 512>>>(4096, a, c, ib);
    pairwise<<<dim3(32, 32), dim3(16, 16)>>>(512, 128, a, c);
    lu_update<<<dim3(31, 124), dim3(32, 8)>>>(1024, 32, a);
    warp_scan<<<2048, 512>>>(1 << 20, ia, ib);
    jacobi_shared<<<dim3(64, 128), dim3(32, 16)>>>(2048, b, c);
    hgemv<<<256, dim3(32, 8)>>>(2048, 4096, ha, ha, c);
    bfs_step<<<256, 256>>>(1 << 16, ptr, ia, level, 0);
    inverse4<<<512, 256>>>(1 << 17, b, c);
    copy_strided<<<1024, 256>>>(1 << 18, 9, b, c);
    adam<<<4096, 256>>>(1 << 20, a, b, c, e);
    CHECK(cudaDeviceSynchronize());
    puts("done");
    return 0;
}
