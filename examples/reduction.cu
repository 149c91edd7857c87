// Sums an array, four times. The first three reduce a block in shared memory, with
//   divergent   neighbours first: the active threads are spread over all warps
//   conflicts   the active threads packed together, but with a stride in shared memory
//   sequential  halves folded onto each other: no divergence until the last warp, no bank conflicts
// and the last with shuffles inside a warp. The block sums are added atomically.
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

const int BLOCK = 256;

__global__ void reduce_divergent(const int *in, int *out, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        if (t % (2 * d) == 0)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, s[0]);
}

__global__ void reduce_conflicts(const int *in, int *out, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        int at = 2 * d * t;
        if (at < BLOCK)
            s[at] += s[at + d];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, s[0]);
}

__global__ void reduce_sequential(const int *in, int *out, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = BLOCK / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, s[0]);
}

__device__ int warp_sum(int v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void reduce_shuffle(const int *in, int *out, int n)
{
    __shared__ int sums[BLOCK / 32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int v = 0;
    for (int i = blockIdx.x * BLOCK + t; i < n; i += gridDim.x * BLOCK)
        v += in[i];
    v = warp_sum(v);
    if (lane == 0)
        sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = warp_sum(lane < BLOCK / 32 ? sums[lane] : 0);
        if (lane == 0)
            atomicAdd(out, v);
    }
}

struct Version {
    const char *name;
    void (*kernel)(const int *, int *, int);
    int per_thread; // elements
};

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    std::vector<int> in(n);
    int want = 0;
    for (int i = 0; i < n; ++i)
        want += in[i] = i * 31 % 17 - 5;
    int *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, sizeof(int)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    const Version versions[] = {
        {"divergent", reduce_divergent, 1},
        {"conflicts", reduce_conflicts, 1},
        {"sequential", reduce_sequential, 1},
        {"shuffle", reduce_shuffle, 8},
    };
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    int failures = 0;
    for (const Version &v : versions) {
        CHECK(cudaMemset(d_out, 0, sizeof(int)));
        int grid = (n + BLOCK * v.per_thread - 1) / (BLOCK * v.per_thread);
        CHECK(cudaEventRecord(start));
        v.kernel<<<grid, BLOCK>>>(d_in, d_out, n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        int got;
        CHECK(cudaMemcpy(&got, d_out, sizeof(int), cudaMemcpyDeviceToHost));
        failures += got != want;
        printf("%s reduction %-10s: %d elements, sum %d, want %d, %.3f ms, %.1f GB/s\n", got == want ? "PASS" : "FAIL", v.name, n, got,
               want, ms, n * sizeof(int) / ms * 1e-6);
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
