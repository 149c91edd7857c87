// Transposes a matrix, three times: with uncoalesced writes, through a tile in shared memory whose columns all lie in one
// bank, and through a tile padded by one column, which has no bank conflicts.
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

const int TILE = 32, ROWS = 8; // a block of 32 x 8 threads moves a 32 x 32 tile

__global__ void transpose_naive(const float *in, float *out, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        out[x * n + y + i] = in[(y + i) * n + x];
}

template <int PAD>
__global__ void transpose_shared(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE + PAD];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}

struct Version {
    const char *name;
    void (*kernel)(const float *, float *, int);
};

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1024;
    if (n <= 0 || n % TILE != 0) {
        fprintf(stderr, "usage: %s [N], N a multiple of %d\n", argv[0], TILE);
        return 2;
    }
    size_t bytes = (size_t)n * n * sizeof(float);
    std::vector<float> in(n * n), out(n * n);
    for (int i = 0; i < n * n; ++i)
        in[i] = (float)i;
    float *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));

    const Version versions[] = {
        {"naive", transpose_naive},
        {"conflicts", transpose_shared<0>},
        {"padded", transpose_shared<1>},
    };
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    int failures = 0;
    for (const Version &v : versions) {
        CHECK(cudaMemset(d_out, 0, bytes));
        CHECK(cudaEventRecord(start));
        v.kernel<<<dim3(n / TILE, n / TILE), dim3(TILE, ROWS)>>>(d_in, d_out, n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x)
                wrong += out[x * n + y] != in[y * n + x];
        failures += wrong != 0;
        printf("%s transpose %-9s: n = %d, %d wrong, %.3f ms, %.1f GB/s\n", wrong ? "FAIL" : "PASS", v.name, n, wrong, ms,
               2.0 * bytes / ms * 1e-6);
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
