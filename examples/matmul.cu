// C = A B for square matrices, five times, each version faster than the one before:
//   naive       one element of C per thread, every operand from global memory; the columns of a warp are consecutive
//   swapped     the same with rows and columns exchanged, to show what uncoalesced access costs
//   tiled       16 x 16 tiles of A and B in shared memory, each used 16 times
//   register    4 x 4 elements of C per thread, so that a value read from shared memory is used four times
//   vectorised  8 x 8 elements per thread, float4 loads, tile of A transposed in shared memory
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                   \
    do {                                                                                              \
        cudaError_t status = (call);                                                                  \
        if (status != cudaSuccess) {                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));           \
            exit(1);                                                                                  \
        }                                                                                             \
    } while (0)

__global__ void matmul_naive(const float *A, const float *B, float *C, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
        sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
}

__global__ void matmul_swapped(const float *A, const float *B, float *C, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
        sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
}

template <int TILE>
__global__ void matmul_tiled(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[TILE][TILE], Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        As[ty][tx] = A[row * n + k0 + tx];
        Bs[ty][tx] = B[(k0 + ty) * n + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    C[row * n + col] = sum;
}

// A block of 16 x 16 threads makes a 64 x 64 tile of C.
__global__ void __launch_bounds__(256) matmul_register(const float *A, const float *B, float *C, int n)
{
    const int TILE = 64, STEP = 16, PER_THREAD = 4;
    __shared__ float As[TILE][STEP + 1], Bs[STEP][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    float sum[PER_THREAD][PER_THREAD] = {};
    for (int k0 = 0; k0 < n; k0 += STEP) {
        for (int i = t; i < TILE * STEP; i += 256) {
            As[i / STEP][i % STEP] = A[(row0 + i / STEP) * n + k0 + i % STEP];
            Bs[i / TILE][i % TILE] = B[(k0 + i / TILE) * n + col0 + i % TILE];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < STEP; ++k) {
            float a[PER_THREAD], b[PER_THREAD];
#pragma unroll
            for (int i = 0; i < PER_THREAD; ++i) {
                a[i] = As[ty + 16 * i][k];
                b[i] = Bs[k][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < PER_THREAD; ++i)
#pragma unroll
                for (int j = 0; j < PER_THREAD; ++j)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < PER_THREAD; ++i)
        for (int j = 0; j < PER_THREAD; ++j)
            C[(row0 + ty + 16 * i) * n + col0 + tx + 16 * j] = sum[i][j];
}

// A block of 8 x 8 threads makes a 64 x 64 tile of C.
__global__ void __launch_bounds__(64) matmul_vectorised(const float *A, const float *B, float *C, int n)
{
    const int TILE = 64, STEP = 8, PER_THREAD = 8;
    __shared__ __align__(16) float As[STEP][TILE], Bs[STEP][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 8 + tx;
    int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    float sum[PER_THREAD][PER_THREAD] = {};
    for (int k0 = 0; k0 < n; k0 += STEP) {
        for (int i = 0; i < STEP; i += 4) { // thread t loads row t of the tile of A
            float4 v = *reinterpret_cast<const float4 *>(&A[(row0 + t) * n + k0 + i]);
            As[i][t] = v.x;
            As[i + 1][t] = v.y;
            As[i + 2][t] = v.z;
            As[i + 3][t] = v.w;
        }
        for (int i = t; i < STEP * TILE / 4; i += 64)
            *reinterpret_cast<float4 *>(&Bs[i / 16][i % 16 * 4]) =
                *reinterpret_cast<const float4 *>(&B[(k0 + i / 16) * n + col0 + i % 16 * 4]);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < STEP; ++k) {
            float a[PER_THREAD], b[PER_THREAD];
#pragma unroll
            for (int i = 0; i < PER_THREAD; i += 4) {
                *reinterpret_cast<float4 *>(&a[i]) = *reinterpret_cast<const float4 *>(&As[k][ty * PER_THREAD + i]);
                *reinterpret_cast<float4 *>(&b[i]) = *reinterpret_cast<const float4 *>(&Bs[k][tx * PER_THREAD + i]);
            }
#pragma unroll
            for (int i = 0; i < PER_THREAD; ++i)
#pragma unroll
                for (int j = 0; j < PER_THREAD; ++j)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < PER_THREAD; ++i)
        for (int j = 0; j < PER_THREAD; j += 4)
            *reinterpret_cast<float4 *>(&C[(row0 + ty * PER_THREAD + i) * n + col0 + tx * PER_THREAD + j]) =
                make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}

struct Version {
    const char *name;
    void (*kernel)(const float *, const float *, float *, int);
    dim3 block;
    int tile; // rows and columns of C per block
};

// Compares 4096 elements spread over C with double-precision sums.
static int count_wrong(const std::vector<float> &A, const std::vector<float> &B, const std::vector<float> &C, int n)
{
    int wrong = 0;
    for (int s = 0; s < 4096; ++s) {
        int row = (s * 37) % n, col = (s * 101 + s / n) % n;
        double sum = 0, size = 0;
        for (int k = 0; k < n; ++k) {
            double product = (double)A[row * n + k] * B[k * n + col];
            sum += product;
            size += std::fabs(product);
        }
        if (!(std::fabs(C[row * n + col] - sum) <= 1e-6 * size))
            ++wrong;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 256;
    if (n <= 0 || n % 64 != 0) {
        fprintf(stderr, "usage: %s [N], N a multiple of 64\n", argv[0]);
        return 2;
    }
    size_t bytes = (size_t)n * n * sizeof(float);
    std::vector<float> A(n * n), B(n * n), C(n * n);
    for (int i = 0; i < n * n; ++i) {
        A[i] = (i * 7 % 101 - 50) / 50.0f;
        B[i] = (i * 13 % 89 - 44) / 44.0f;
    }
    float *d_A, *d_B, *d_C;
    CHECK(cudaMalloc(&d_A, bytes));
    CHECK(cudaMalloc(&d_B, bytes));
    CHECK(cudaMalloc(&d_C, bytes));
    CHECK(cudaMemcpy(d_A, A.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_B, B.data(), bytes, cudaMemcpyHostToDevice));

    const Version versions[] = {
        {"naive", matmul_naive, dim3(16, 16), 16},
        {"swapped", matmul_swapped, dim3(16, 16), 16},
        {"tiled", matmul_tiled<16>, dim3(16, 16), 16},
        {"register", matmul_register, dim3(16, 16), 64},
        {"vectorised", matmul_vectorised, dim3(8, 8), 64},
    };
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    int failures = 0;
    for (const Version &v : versions) {
        CHECK(cudaMemset(d_C, 0, bytes));
        dim3 grid(n / v.tile, n / v.tile);
        CHECK(cudaEventRecord(start));
        v.kernel<<<grid, v.block>>>(d_A, d_B, d_C, n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        CHECK(cudaMemcpy(C.data(), d_C, bytes, cudaMemcpyDeviceToHost));
        int wrong = count_wrong(A, B, C, n);
        failures += wrong != 0;
        printf("%s matmul %-10s: n = %d, %d of 4096 wrong, %.3f ms, %.1f GFLOP/s\n", wrong ? "FAIL" : "PASS", v.name, n, wrong, ms,
               2.0 * n * n * n / ms * 1e-6);
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(d_A));
    CHECK(cudaFree(d_B));
    CHECK(cudaFree(d_C));
    return failures != 0;
}
