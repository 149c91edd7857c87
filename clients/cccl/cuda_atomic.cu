#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include "check.h"

struct pair { int a, b; };

__device__ cuda::atomic<int, cuda::thread_scope_device> tickets;
__device__ cuda::atomic<unsigned long long, cuda::thread_scope_system> total;
__device__ cuda::std::atomic<double> real;

__global__ void counts(int *slots, int *smallest)
{
    const int ticket = tickets.fetch_add(1, cuda::memory_order_relaxed);
    slots[ticket] = 1;
    total += ticket;
    double old = real.load();
    while (!real.compare_exchange_weak(old, old + 0.5)) {}
    cuda::atomic_ref<int, cuda::thread_scope_device> least(*smallest);
    least.fetch_min(-ticket);
}

// One block publishes, another reads.
__global__ void publishes(int *data, int *flag, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x * 3;
        __syncthreads();
        if (threadIdx.x == 0) {
            f.store(1, cuda::memory_order_release);
            f.notify_all();
        }
    } else {
        if (threadIdx.x == 0) f.wait(0, cuda::memory_order_acquire);
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x];
    }
}

__global__ void shared(int *out)
{
    __shared__ cuda::atomic<int, cuda::thread_scope_block> sum;
    __shared__ cuda::atomic<pair, cuda::thread_scope_block> both;
    using latch_type = cuda::latch<cuda::thread_scope_block>;
    using semaphore_type = cuda::counting_semaphore<cuda::thread_scope_block, 2>;
    __shared__ alignas(latch_type) unsigned char latchStorage[sizeof(latch_type)];
    __shared__ alignas(semaphore_type) unsigned char semaphoreStorage[sizeof(semaphore_type)];
    latch_type &latch = *reinterpret_cast<latch_type *>(latchStorage);
    semaphore_type &semaphore = *reinterpret_cast<semaphore_type *>(semaphoreStorage);
    __shared__ int inside, most;
    if (threadIdx.x == 0) {
        new (&sum) cuda::atomic<int, cuda::thread_scope_block>(0);
        new (&both) cuda::atomic<pair, cuda::thread_scope_block>(pair{0, 0});
        new (&latch) latch_type(blockDim.x);
        new (&semaphore) semaphore_type(2);
        inside = most = 0;
    }
    __syncthreads();
    sum.fetch_add(threadIdx.x);
    pair p = both.load();
    while (!both.compare_exchange_strong(p, pair{p.a + 1, p.b - 1})) {}
    semaphore.acquire();
    atomicMax(&most, atomicAdd(&inside, 1) + 1);
    atomicSub(&inside, 1);
    semaphore.release();
    latch.arrive_and_wait();
    if (threadIdx.x == 0) {
        out[0] = sum.load();
        out[1] = both.load().a - both.load().b;
        out[2] = most;
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    }
}

__global__ void read(unsigned long long *out)
{
    out[0] = total.load();
    out[1] = (unsigned long long)(real.load() * 2);
    out[2] = tickets.exchange(7);
}

int main()
{
    const int n = 512;
    int *slots = on_device(std::vector<int>(n, 0)), *zero = on_device(std::vector<int>(4, 0));
    counts<<<4, 128>>>(slots, zero);
    unsigned long long *sums = on_device<unsigned long long>(3);
    read<<<1, 1>>>(sums);
    CUDA(cudaDeviceSynchronize());
    CHECK(on_host(slots, n) == std::vector<int>(n, 1));
    CHECK(on_host(sums, 3)[0] == n * (n - 1) / 2 && on_host(sums, 3)[1] == n && on_host(sums, 3)[2] == n);
    CHECK(on_host(zero, 1)[0] == 1 - n);

    int *flag = zero + 1, *out = on_device<int>(64);
    publishes<<<2, 64>>>(slots, flag, out);
    CUDA(cudaDeviceSynchronize());
    CHECK(on_host(out, 64)[63] == 189);
    shared<<<1, 64>>>(out);
    CUDA(cudaDeviceSynchronize());
    const std::vector<int> got = on_host(out, 3);
    CHECK(got[0] == 64 * 63 / 2 && got[1] == 128 && got[2] >= 1 && got[2] <= 2);

    // The host has them too.
    cuda::atomic<int, cuda::thread_scope_system> *both;
    CUDA(cudaMallocManaged(&both, sizeof *both));
    new (both) cuda::atomic<int, cuda::thread_scope_system>(5);
    CHECK(both->fetch_or(10) == 5 && *both == 15);
}
