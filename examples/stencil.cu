// Steps of heat diffusion on a square grid, a five-point stencil: straight from global memory, and through a tile with a
// border in shared memory. The coefficient is in constant memory.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
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

const int TILE = 16;
__constant__ float rate;

__global__ void stencil_global(const float *in, float *out, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float centre = in[y * n + x];
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        centre += rate * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x] - 4.0f * centre);
    out[y * n + x] = centre;
}

__global__ void stencil_shared(const float *in, float *out, int n)
{
    __shared__ float tile[TILE + 2][TILE + 2];
    int x0 = blockIdx.x * TILE - 1, y0 = blockIdx.y * TILE - 1;
    for (int i = threadIdx.y * TILE + threadIdx.x; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
        int x = x0 + i % (TILE + 2), y = y0 + i / (TILE + 2);
        tile[i / (TILE + 2)][i % (TILE + 2)] = x >= 0 && y >= 0 && x < n && y < n ? in[y * n + x] : 0.0f;
    }
    __syncthreads();
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = x0 + tx, y = y0 + ty;
    if (x >= n || y >= n)
        return;
    float centre = tile[ty][tx];
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        centre += rate * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] - 4.0f * centre);
    out[y * n + x] = centre;
}

struct Version {
    const char *name;
    void (*kernel)(const float *, float *, int);
};

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 256, steps = argc > 2 ? atoi(argv[2]) : 8;
    const float r = 0.2f;
    size_t bytes = (size_t)n * n * sizeof(float);
    std::vector<float> start_grid(n * n), want(n * n), next(n * n), got(n * n);
    for (int i = 0; i < n * n; ++i)
        start_grid[i] = (i * 29 % 97) / 97.0f;
    want = start_grid;
    for (int s = 0; s < steps; ++s) {
        next = want;
        for (int y = 1; y < n - 1; ++y)
            for (int x = 1; x < n - 1; ++x) {
                float c = want[y * n + x];
                next[y * n + x] = c + r * (want[y * n + x - 1] + want[y * n + x + 1] + want[(y - 1) * n + x] + want[(y + 1) * n + x] - 4.0f * c);
            }
        want.swap(next);
    }

    float *d_a, *d_b;
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_b, bytes));
    CHECK(cudaMemcpyToSymbol(rate, &r, sizeof(r)));
    const Version versions[] = {{"global", stencil_global}, {"shared", stencil_shared}};
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    int failures = 0;
    for (const Version &v : versions) {
        float *in = d_a, *out = d_b;
        CHECK(cudaMemcpy(in, start_grid.data(), bytes, cudaMemcpyHostToDevice));
        dim3 grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
        CHECK(cudaEventRecord(start));
        for (int s = 0; s < steps; ++s) {
            v.kernel<<<grid, dim3(TILE, TILE)>>>(in, out, n);
            std::swap(in, out);
        }
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        CHECK(cudaMemcpy(got.data(), in, bytes, cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int i = 0; i < n * n; ++i)
            wrong += !(std::fabs(got[i] - want[i]) <= 1e-5f);
        failures += wrong != 0;
        printf("%s stencil %-6s: %d x %d, %d steps, %d wrong, %.3f ms\n", wrong ? "FAIL" : "PASS", v.name, n, n, steps, wrong, ms);
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    return failures != 0;
}
