#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/utility>
#include "check.h"

namespace cg = cooperative_groups;

// Threads exchange what they copied, in rounds.
__global__ void rounds(const int *in, int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int tile[64];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        cuda::memcpy_async(&tile[threadIdx.x], &in[threadIdx.x + 64 * i], sizeof(int), barrier);
        auto token = barrier.arrive();
        barrier.wait(cuda::std::move(token));
        sum += tile[63 - threadIdx.x];
        barrier.arrive_and_wait();
    }
    out[threadIdx.x] = sum;
}

// Producers and consumers, with a barrier for each direction of each buffer.
__global__ void buffers(const int *in, int *out, int steps)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier ready[2], filled[2];
    __shared__ int buffer[2][32];
    if (threadIdx.x < 4) init((threadIdx.x & 1 ? ready : filled) + threadIdx.x / 2, 64);
    __syncthreads();
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int i = 0; i < steps; i++) {
            ready[i % 2].arrive_and_wait();
            buffer[i % 2][lane] = in[32 * i + lane];
            (void)filled[i % 2].arrive();
        }
    } else {
        (void)ready[0].arrive();
        (void)ready[1].arrive();
        int sum = 0;
        for (int i = 0; i < steps; i++) {
            filled[i % 2].arrive_and_wait();
            sum += buffer[i % 2][31 - lane];
            (void)ready[i % 2].arrive();
        }
        out[lane] = sum;
    }
}

struct counter
{
    int *completions;
    __device__ void operator()() const noexcept { atomicAdd(completions, 1); }
};

// A function at each completion, threads that drop out, and tests of a phase.
__global__ void completions(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block, counter> barrier;
    if (threadIdx.x == 0) new (&barrier) cuda::barrier<cuda::thread_scope_block, counter>(blockDim.x, counter{out});
    __syncthreads();
    barrier.arrive_and_wait();
    if (threadIdx.x % 2) {
        barrier.arrive_and_drop();
        return;
    }
    barrier.arrive_and_wait();
    barrier.wait(barrier.arrive());
    atomicAdd(out + 1, 1);
}

template <int stages> __global__ void pipelined(const int *in, int *out, int steps)
{
    __shared__ int tile[stages][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    const auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int compute = 0, fetch = 0; compute < steps; compute++) {
        for (; fetch < steps && fetch < compute + stages; fetch++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, tile[fetch % stages], in + 64 * fetch, cuda::aligned_size_t<16>(sizeof(tile[0])), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += tile[compute % stages][63 - threadIdx.x];
        pipeline.consumer_release();
    }
    out[threadIdx.x] = sum;
}

__global__ void of_threads(const int *in, int *out, int steps)
{
    __shared__ int tile[2][64];
    auto pipeline = cuda::make_pipeline();
    int sum = 0;
    for (int i = 0; i < steps; i++) {
        pipeline.producer_acquire();
        cuda::memcpy_async(&tile[i % 2][threadIdx.x], &in[threadIdx.x + 64 * i], cuda::aligned_size_t<4>(4), pipeline);
        pipeline.producer_commit();
        cuda::pipeline_consumer_wait_prior<0>(pipeline);
        __syncthreads();
        sum += tile[i % 2][63 - threadIdx.x];
        pipeline.consumer_release();
    }
    out[threadIdx.x] = sum;
}

int main()
{
    const int steps = 9;
    const std::vector<int> h = integers(64 * steps, 1000);
    int *in = on_device(h), *out = on_device<int>(64);
    const auto check = [&](int width, int count) {
        CUDA(cudaDeviceSynchronize());
        const std::vector<int> got = on_host(out, width);
        for (int t = 0; t < width; t++) {
            int want = 0;
            for (int i = 0; i < count; i++) want += h[width * i + width - 1 - t];
            CHECK(got[t] == want);
        }
        CUDA(cudaMemset(out, 0, 64 * sizeof(int)));
    };
    rounds<<<1, 64>>>(in, out);
    check(64, 3);
    buffers<<<1, 64>>>(in, out, steps);
    check(32, steps);
    pipelined<1><<<1, 64>>>(in, out, steps);
    check(64, steps);
    pipelined<3><<<1, 64>>>(in, out, steps);
    check(64, steps);
    of_threads<<<1, 64>>>(in, out, steps);
    check(64, steps);
    completions<<<1, 64>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(on_host(out, 2)[0] == 3 && on_host(out, 2)[1] == 32);
}
