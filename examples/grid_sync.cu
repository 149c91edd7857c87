// Sums an array in one launch, with a barrier of the whole grid between the two steps, and relaxes a row of numbers with one
// barrier for each step where otherwise each step is a launch. Only a cooperative launch has such a barrier: all of its blocks
// are on the GPU at once.
//   sum     blocks sum their parts; after the barrier the first block sums the sums
//   relax   each step reads what all blocks wrote in the step before
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

#define CHECK(call)                                                                                   \
    do {                                                                                              \
        cudaError_t status = (call);                                                                  \
        if (status != cudaSuccess) {                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));           \
            exit(1);                                                                                  \
        }                                                                                             \
    } while (0)

const int BLOCK = 128;

__device__ long long sum_of_block(cg::thread_block block, long long v)
{
    __shared__ long long warps[BLOCK / 32];
    auto warp = cg::tiled_partition<32>(block);
    v = cg::reduce(warp, v, cg::plus<long long>());
    if (warp.thread_rank() == 0)
        warps[warp.meta_group_rank()] = v;
    block.sync();
    v = block.thread_rank() < BLOCK / 32 ? warps[block.thread_rank()] : 0;
    block.sync();
    return warp.meta_group_rank() == 0 ? cg::reduce(warp, v, cg::plus<long long>()) : 0;
}

__global__ void sum(const int *in, int n, long long *parts, long long *out)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    long long v = 0;
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.num_threads())
        v += in[i];
    v = sum_of_block(block, v);
    if (block.thread_rank() == 0)
        parts[blockIdx.x] = v;
    grid.sync();
    if (blockIdx.x > 0)
        return;
    v = 0;
    for (unsigned i = block.thread_rank(); i < gridDim.x; i += BLOCK)
        v += parts[i];
    v = sum_of_block(block, v);
    if (block.thread_rank() == 0)
        *out = v;
}

__global__ void relax(float *from, float *to, int n, int steps)
{
    cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < steps; step++) {
        for (unsigned long long i = grid.thread_rank(); i < n; i += grid.num_threads())
            to[i] = i == 0 || i == n - 1 ? from[i] : 0.25f * from[i - 1] + 0.5f * from[i] + 0.25f * from[i + 1];
        grid.sync();
        float *t = from;
        from = to;
        to = t;
    }
}

// As many blocks as are on the GPU at once, and no more than there is work for.
template <class Kernel> static int blocks_for(Kernel kernel, int n)
{
    cudaDeviceProp properties;
    int each = 0;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    if (!properties.cooperativeLaunch) {
        fprintf(stderr, "this GPU has no cooperative launches\n");
        exit(1);
    }
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, BLOCK, 0));
    int most = each * properties.multiProcessorCount, needed = (n + BLOCK - 1) / BLOCK;
    return most < needed ? most : needed;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10000, steps = argc > 2 ? atoi(argv[2]) : 10;
    if (n < 1 || steps < 0) {
        fprintf(stderr, "usage: %s [numbers [steps]]\n", argv[0]);
        return 2;
    }
    std::vector<int> numbers(n);
    std::vector<float> row(n), next(n);
    long long want = 0;
    for (int i = 0; i < n; i++) {
        want += numbers[i] = i * 7 % 1001 - 300;
        row[i] = i * 13 % 97;
    }
    int *in;
    long long *parts, *out, got = 0;
    int blocks = blocks_for(sum, n);
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&parts, blocks * sizeof(long long)));
    CHECK(cudaMalloc(&out, sizeof(long long)));
    CHECK(cudaMemcpy(in, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    void *arguments[] = {&in, &n, &parts, &out};
    CHECK(cudaLaunchCooperativeKernel((void *)sum, dim3(blocks), dim3(BLOCK), arguments, 0, 0));
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    bool ok = got == want;
    printf("%s sum: %lld, %d blocks\n", ok ? "PASS" : "FAIL", got, blocks);

    float *from, *to;
    size_t bytes = n * sizeof(float);
    blocks = blocks_for(relax, n);
    CHECK(cudaMalloc(&from, bytes));
    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMemcpy(from, row.data(), bytes, cudaMemcpyHostToDevice));
    void *relaxed[] = {&from, &to, &n, &steps};
    CHECK(cudaLaunchCooperativeKernel((void *)relax, dim3(blocks), dim3(BLOCK), relaxed, 0, 0));
    std::vector<float> result(n);
    CHECK(cudaMemcpy(result.data(), steps % 2 ? to : from, bytes, cudaMemcpyDeviceToHost));
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < n; i++)
            next[i] = i == 0 || i == n - 1 ? row[i] : 0.25f * row[i - 1] + 0.5f * row[i] + 0.25f * row[i + 1];
        row.swap(next);
    }
    float error = 0;
    for (int i = 0; i < n; i++)
        error = fmaxf(error, fabsf(result[i] - row[i]));
    bool close = error < 1e-4f;
    printf("%s relax: %d steps, error %g\n", close ? "PASS" : "FAIL", steps, error);
    CHECK(cudaFree(in));
    CHECK(cudaFree(parts));
    CHECK(cudaFree(out));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    return ok && close ? 0 : 1;
}
