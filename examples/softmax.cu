// Softmax of the rows of a matrix: three passes over each row by one thread, by one warp, and in one pass with a running
// maximum and sum ("online") by one warp.
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

__global__ void softmax_thread(const float *in, float *out, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * cols;
    float *y = out + (size_t)row * cols;
    float largest = -INFINITY, sum = 0.0f;
    for (int i = 0; i < cols; ++i)
        largest = fmaxf(largest, x[i]);
    for (int i = 0; i < cols; ++i)
        sum += expf(x[i] - largest);
    for (int i = 0; i < cols; ++i)
        y[i] = expf(x[i] - largest) / sum;
}

__device__ float warp_max(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    return v;
}

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

// A block of 128 threads does four rows.
__global__ void softmax_warp(const float *in, float *out, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * cols;
    float *y = out + (size_t)row * cols;
    float largest = -INFINITY, sum = 0.0f;
    for (int i = lane; i < cols; i += 32)
        largest = fmaxf(largest, x[i]);
    largest = warp_max(largest);
    for (int i = lane; i < cols; i += 32)
        sum += expf(x[i] - largest);
    sum = warp_sum(sum);
    for (int i = lane; i < cols; i += 32)
        y[i] = expf(x[i] - largest) / sum;
}

__global__ void softmax_online(const float *in, float *out, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * cols;
    float *y = out + (size_t)row * cols;
    float largest = -1e30f, sum = 0.0f;
    for (int i = lane; i < cols; i += 32) {
        float before = largest;
        largest = fmaxf(largest, x[i]);
        sum = sum * expf(before - largest) + expf(x[i] - largest);
    }
    float all = warp_max(largest);
    sum = warp_sum(sum * expf(largest - all));
    for (int i = lane; i < cols; i += 32)
        y[i] = expf(x[i] - all) / sum;
}

struct Version {
    const char *name;
    void (*kernel)(const float *, float *, int, int);
    int threads_per_row;
};

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 512, cols = argc > 2 ? atoi(argv[2]) : 512;
    size_t count = (size_t)rows * cols, bytes = count * sizeof(float);
    std::vector<float> in(count), out(count);
    for (size_t i = 0; i < count; ++i)
        in[i] = (float)(i * 37 % 1013) / 100.0f - 5.0f;
    float *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));

    const Version versions[] = {{"thread", softmax_thread, 1}, {"warp", softmax_warp, 32}, {"online", softmax_online, 32}};
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    int failures = 0;
    for (const Version &v : versions) {
        const int block = 128;
        CHECK(cudaMemset(d_out, 0, bytes));
        CHECK(cudaEventRecord(start));
        v.kernel<<<(rows * v.threads_per_row + block - 1) / block, block>>>(d_in, d_out, rows, cols);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int r = 0; r < rows; ++r) {
            const float *x = &in[(size_t)r * cols];
            double largest = -INFINITY, sum = 0;
            for (int i = 0; i < cols; ++i)
                largest = std::fmax(largest, x[i]);
            for (int i = 0; i < cols; ++i)
                sum += std::exp(x[i] - largest);
            for (int i = 0; i < cols; ++i) {
                double want = std::exp(x[i] - largest) / sum;
                wrong += !(std::fabs(out[(size_t)r * cols + i] - want) <= 1e-5 * want);
            }
        }
        failures += wrong != 0;
        printf("%s softmax %-6s: %d x %d, %d wrong, %.3f ms\n", wrong ? "FAIL" : "PASS", v.name, rows, cols, wrong, ms);
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
