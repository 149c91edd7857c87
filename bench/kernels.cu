// The kernels that the benchmarks run, one of each kind.

#include <cuda_fp16.h>
#include <mma.h>

extern "C" __global__ void saxpy(const float *x, float *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

extern "C" __global__ void matmul_naive(const float *A, const float *B, float *C, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
}

extern "C" __global__ void matmul_tiled(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[32][32], Bs[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        As[ty][tx] = A[row * n + k0 + tx];
        Bs[ty][tx] = B[(k0 + ty) * n + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    C[row * n + col] = sum;
}

// A block of 16 x 16 threads computes 128 x 128 elements, 8 x 8 in the registers of each thread.
extern "C" __global__ void matmul_register(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[8][128], Bs[8][128];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int row0 = blockIdx.y * 128, col0 = blockIdx.x * 128;
    float sum[8][8] = {};
    for (int k0 = 0; k0 < n; k0 += 8) {
        for (int i = t; i < 8 * 128; i += 256) {
            As[i % 8][i / 8] = A[(row0 + i / 8) * n + k0 + i % 8];
            Bs[i / 128][i % 128] = B[(k0 + i / 128) * n + col0 + i % 128];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float a[8], b[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                a[i] = As[k][ty * 8 + i];
                b[i] = Bs[k][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
            C[(row0 + ty * 8 + i) * n + col0 + tx + 16 * j] = sum[i][j];
}

extern "C" __global__ void reduce(const float *x, float *sums, int n)
{
    __shared__ float warp[32];
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += x[i];
    for (int d = 16; d > 0; d /= 2)
        s += __shfl_down_sync(0xffffffff, s, d);
    if (threadIdx.x % 32 == 0)
        warp[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = threadIdx.x < blockDim.x / 32 ? warp[threadIdx.x] : 0;
        for (int d = 16; d > 0; d /= 2)
            s += __shfl_down_sync(0xffffffff, s, d);
        if (threadIdx.x == 0)
            sums[blockIdx.x] = s;
    }
}

extern "C" __global__ void stencil(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] = 0.5f * in[y * n + x] + 0.125f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

extern "C" __global__ void histogram(const unsigned char *data, unsigned *bins, int n)
{
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

extern "C" __global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// One warp a row.
extern "C" __global__ void softmax(const float *in, float *out, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const float *x = in + (size_t)row * n;
    float m = -1e30f, s = 0;
    for (int i = lane; i < n; i += 32)
        m = fmaxf(m, x[i]);
    for (int d = 16; d > 0; d /= 2)
        m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, d));
    for (int i = lane; i < n; i += 32)
        s += __expf(x[i] - m);
    for (int d = 16; d > 0; d /= 2)
        s += __shfl_xor_sync(0xffffffff, s, d);
    for (int i = lane; i < n; i += 32)
        out[(size_t)row * n + i] = __expf(x[i] - m) / s;
}

// Rows of a sparse matrix, one thread a row.
extern "C" __global__ void spmv(const int *start, const int *column, const float *value, const float *x, float *y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0;
    for (int i = start[row]; i < start[row + 1]; ++i)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}

extern "C" __global__ void copy(const unsigned *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

// One step of a bitonic sort: compares elements that are distance apart, in runs of size.
extern "C" __global__ void bitonic(unsigned *data, int distance, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;
    if (other <= i)
        return;
    unsigned a = data[i], b = data[other];
    if ((a > b) == ((i & size) == 0)) {
        data[i] = b;
        data[other] = a;
    }
}

static __device__ float cumulative_normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * expf(-0.5f * d * d) * k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return d > 0 ? 1.0f - c : c;
}

extern "C" __global__ void black_scholes(const float *price, const float *strike, const float *years, float *call, float *put, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float rate = 0.02f, volatility = 0.30f;
    float s = 5 + 25 * price[i], x = 1 + 99 * strike[i], t = 0.25f + 9.75f * years[i];
    float root = sqrtf(t), d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root), d2 = d1 - volatility * root;
    float c1 = cumulative_normal(d1), c2 = cumulative_normal(d2), discount = x * expf(-rate * t);
    call[i] = s * c1 - discount * c2;
    put[i] = discount * (1 - c2) - s * (1 - c1);
}

extern "C" __global__ void mandelbrot(unsigned *out, int n)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = -2.0f + 3.0f * px / n, cy = -1.5f + 3.0f * py / n, x = 0, y = 0;
    unsigned i = 0;
    while (i < 256 && x * x + y * y < 4) {
        float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++i;
    }
    out[py * n + px] = i;
}

// C = A * B through nvcuda::wmma. A block of 8 warps computes 64 x 128 elements, 32 x 32 a warp.
extern "C" __global__ void matmul_wmma(const half *A, const half *B, float *C, int n)
{
    using namespace nvcuda::wmma;
    int warp = threadIdx.x / 32, row = blockIdx.y * 64 + warp / 4 * 32, col = blockIdx.x * 128 + warp % 4 * 32;
    fragment<accumulator, 16, 16, 16, float> c[2][2];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            fill_fragment(c[i][j], 0);
    for (int k = 0; k < n; k += 16) {
        fragment<matrix_a, 16, 16, 16, half, row_major> a[2];
        fragment<matrix_b, 16, 16, 16, half, row_major> b[2];
        for (int i = 0; i < 2; ++i) {
            load_matrix_sync(a[i], A + (row + 16 * i) * n + k, n);
            load_matrix_sync(b[i], B + k * n + col + 16 * i, n);
        }
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j)
                mma_sync(c[i][j], a[i], b[j], c[i][j]);
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            store_matrix_sync(C + (row + 16 * i) * n + col + 16 * j, c[i][j], n, mem_row_major);
}

// C = A * B through ldmatrix and mma.sync. A block of 4 warps computes 64 x 64 elements, 32 x 32 a warp.
extern "C" __global__ void matmul_mma(const half *A, const half *B, float *C, int n)
{
    __shared__ __align__(16) half As[64][40], Bs[32][72];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, row = warp / 2 * 32, col = warp % 2 * 32;
    float c[2][4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 32) {
        for (int i = t; i < 256; i += 128) {
            *(uint4 *)&As[i / 4][i % 4 * 8] = *(const uint4 *)&A[(blockIdx.y * 64 + i / 4) * n + k0 + i % 4 * 8];
            *(uint4 *)&Bs[i / 8][i % 8 * 8] = *(const uint4 *)&B[(k0 + i / 8) * n + blockIdx.x * 64 + i % 8 * 8];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            unsigned a[2][4], b[2][4];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                unsigned at = __cvta_generic_to_shared(&As[row + 16 * i + lane % 16][k + lane / 16 * 8]);
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                             : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3]) : "r"(at));
                at = __cvta_generic_to_shared(&Bs[k + lane % 16][col + 16 * i + lane / 16 * 8]);
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                             : "=r"(b[i][0]), "=r"(b[i][1]), "=r"(b[i][2]), "=r"(b[i][3]) : "r"(at));
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                                 : "+f"(c[i][j][0]), "+f"(c[i][j][1]), "+f"(c[i][j][2]), "+f"(c[i][j][3])
                                 : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j / 2][j % 2 * 2]), "r"(b[j / 2][j % 2 * 2 + 1]));
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            int r = blockIdx.y * 64 + row + 16 * i + lane / 4, q = blockIdx.x * 64 + col + 8 * j + lane % 4 * 2;
            *(float2 *)&C[r * n + q] = make_float2(c[i][j][0], c[i][j][1]);
            *(float2 *)&C[(r + 8) * n + q] = make_float2(c[i][j][2], c[i][j][3]);
        }
}
