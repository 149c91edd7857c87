// Counts the bytes of an array in 256 bins: with atomics on global memory, and with a histogram per block in shared
// memory that is added to the result at the end.
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

const int BINS = 256;

__global__ void histogram_global(const unsigned char *in, unsigned *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1u);
}

__global__ void histogram_shared(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned local[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        if (local[b] != 0)
            atomicAdd(&bins[b], local[b]);
}

struct Version {
    const char *name;
    void (*kernel)(const unsigned char *, unsigned *, int);
};

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    std::vector<unsigned char> in(n);
    std::vector<unsigned> want(BINS), got(BINS);
    unsigned state = 1;
    for (int i = 0; i < n; ++i) {
        state = state * 1664525u + 1013904223u;
        in[i] = (unsigned char)((state >> 24) * (state >> 16 & 255) >> 8); // small values are the common ones
        ++want[in[i]];
    }
    unsigned char *d_in;
    unsigned *d_bins;
    CHECK(cudaMalloc(&d_in, n));
    CHECK(cudaMalloc(&d_bins, BINS * sizeof(unsigned)));
    CHECK(cudaMemcpy(d_in, in.data(), n, cudaMemcpyHostToDevice));

    const Version versions[] = {{"global", histogram_global}, {"shared", histogram_shared}};
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    int failures = 0;
    for (const Version &v : versions) {
        CHECK(cudaMemset(d_bins, 0, BINS * sizeof(unsigned)));
        CHECK(cudaEventRecord(start));
        v.kernel<<<64, 256>>>(d_in, d_bins, n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        CHECK(cudaMemcpy(got.data(), d_bins, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int b = 0; b < BINS; ++b)
            wrong += got[b] != want[b];
        failures += wrong != 0;
        printf("%s histogram %-6s: %d bytes, %d of %d bins wrong, %.3f ms\n", wrong ? "FAIL" : "PASS", v.name, n, wrong, BINS, ms);
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_bins));
    return failures != 0;
}
